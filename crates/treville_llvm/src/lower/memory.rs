//! Memory of functions, plain and atomic loads and stores, and addresses.

use super::code::Code;
use super::shape::{Leaf, shape};
use super::{Lowered, constant, fold, unsupported, wide};
use crate::inst::{Access, InstKind, Operand};
use crate::module::{Definition, ValueId};
use crate::types::{Type, TypeId};
use treville_ir::{Expr, Op, Storage, Tags};
use treville_term::{BinOp, Cast};

impl Code<'_, '_> {
    pub(super) fn alloca(&mut self, result: Option<ValueId>, ty: TypeId, count: Option<Operand>) -> Lowered<()> {
        let size = self.module().layout.of(ty).map_or(0, |l| l.size);
        let mut bytes = fold::number(size, 64);
        if let Some(count) = count {
            let bits = self.width(count)?;
            let count = fold::zext(self.scalar(count)?, bits, 64);
            bytes = fold::bin(BinOp::Mul, count, bytes);
        }
        let dst = self.register(result)?;
        self.out.emit(Op::Alloc { dst, size: bytes, storage: Storage::Stack, zeroed: false });
        Ok(())
    }

    pub(super) fn load(
        &mut self,
        result: Option<ValueId>,
        ty: TypeId,
        address: Operand,
        access: &Access,
    ) -> Lowered<()> {
        let address = self.scalar(address)?;
        let leaves = self.accessed(ty, access)?;
        let tags = self.access_tags(access)?;
        let registers = result.map(|r| self.registers(r).to_vec()).unwrap_or_default();
        if access.ordering.is_some() && leaves.len() == 2 {
            let dst = self.out.temporary(128);
            self.out.emit(Op::Load { dst, addr: address, size: 16, tags });
            self.take_apart(dst, 128, &registers);
            return Ok(());
        }
        for (leaf, reg) in leaves.into_iter().zip(registers) {
            let value = self.load_leaf(&address, leaf, tags.clone(), Some(reg));
            if value != Expr::Reg(reg) {
                self.out.assign(reg, value);
            }
        }
        Ok(())
    }

    /// The value of a scalar in memory: in `dst`, if that is as wide as the memory.
    pub(super) fn load_leaf(&mut self, address: &Expr, leaf: Leaf, tags: Tags, dst: Option<treville_ir::Reg>) -> Expr {
        let dst = dst.filter(|_| leaf.bits == leaf.stored_bits());
        let dst = dst.unwrap_or_else(|| self.out.temporary(leaf.stored_bits()));
        let addr = fold::add(address.clone(), fold::number(leaf.offset, 64));
        self.out.emit(Op::Load { dst, addr, size: leaf.size(), tags });
        fold::zext(Expr::Reg(dst), leaf.stored_bits(), leaf.bits)
    }

    pub(super) fn store(&mut self, value: Operand, target: Operand, access: &Access) -> Lowered<()> {
        let values = self.operand(value)?;
        let address = self.scalar(target)?;
        let leaves = self.accessed(self.type_of(value), access)?;
        let mut tags = self.access_tags(access)?;
        if !self.is_variable(target) {
            self.note_last(&mut tags);
        }
        if access.ordering.is_some() && leaves.len() == 2 {
            self.out.emit(Op::Store { addr: address, value: wide::whole(&values), size: 16, tags });
            return Ok(());
        }
        for (leaf, value) in leaves.into_iter().zip(values) {
            self.store_leaf(&address, leaf, value, tags.clone());
        }
        Ok(())
    }

    /// Marks a write that the program says is the last one to its place.
    pub(super) fn note_last(&mut self, tags: &mut Tags) {
        if self.last_writes {
            tags.extend(self.out.unit.tags(["LAST"]));
            tags.sort();
        }
    }

    /// Whether an address is that of a variable of the function, as those that compilers make for values on their way.
    fn is_variable(&self, address: Operand) -> bool {
        let Operand::Local(value) = address else { return false };
        match self.body.values[value].definition {
            Definition::Inst(block, at) => {
                matches!(self.body.blocks[block].insts[at as usize].kind, InstKind::Alloca { .. })
            }
            Definition::Param(_) | Definition::Terminator(_) => false,
        }
    }

    pub(super) fn store_leaf(&mut self, address: &Expr, leaf: Leaf, value: Expr, tags: Tags) {
        let addr = fold::add(address.clone(), fold::number(leaf.offset, 64));
        let value = fold::zext(value, leaf.bits, leaf.stored_bits());
        self.out.emit(Op::Store { addr, value, size: leaf.size(), tags });
    }

    /// The scalars that an access touches.
    fn accessed(&self, ty: TypeId, access: &Access) -> Lowered<Vec<Leaf>> {
        let module = self.module();
        let leaves = shape(module, ty)?;
        if access.ordering.is_some() && leaves.len() != 1 && !wide::is_wide(module, ty) {
            return unsupported(format!("an atomic access of type `{}`", module.types.display(ty)));
        }
        if let Type::Vector { element, .. } = module.types.get(ty)
            && module.layout.of(*element).is_ok_and(|l| l.bits % 8 != 0)
        {
            return unsupported(format!("the type `{}` in memory", module.types.display(ty)));
        }
        Ok(leaves)
    }

    pub(super) fn gep(&mut self, element: TypeId, base: Operand, indices: &[Operand]) -> Lowered<Vec<Expr>> {
        let module = self.module();
        let known = |operand| match operand {
            Operand::Const(id) => constant::index(module, id),
            Operand::Local(_) => None,
        };
        let base = self.scalar(base)?;
        if indices.is_empty() {
            return Ok(vec![base]);
        }
        let Some(offset) = module.layout.gep(&module.types, element, indices, known) else {
            return unsupported("this computation of an address");
        };
        let mut address = base;
        for (by, size) in offset.scaled {
            let bits = self.width(by)?;
            let by = fold::cast(Cast::Sign, self.scalar(by)?, bits, 64);
            address = fold::add(address, fold::bin(BinOp::Mul, by, fold::number(size, 64)));
        }
        Ok(vec![fold::add(address, Expr::int(offset.constant, 64))])
    }
}
