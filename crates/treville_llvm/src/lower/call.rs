//! Calls: of functions of the module, of addresses, and how arguments and results are handed over.

use super::code::Code;
use super::shape::{Leaf, shape};
use super::{Lowered, fold, refused, unsupported};
use crate::inst::{Arg, Call, Callee, Operand, Passing};
use crate::module::{Function, GlobalId, ValueId};
use crate::types::Type;
use treville_ir::{Callee as Target, Expr, Op, Storage};

impl<'a> Code<'_, 'a> {
    pub(super) fn call(&mut self, result: Option<ValueId>, call: &'a Call) -> Lowered<()> {
        let module = self.module();
        let address = match &call.callee {
            Callee::Asm(asm) => return self.asm(result, asm, &call.args),
            Callee::Value(operand) => *operand,
        };
        let Some((global, function)) = module.callee(call) else { return self.indirect(result, address, call) };
        let name = &module.globals[global].name;
        match (name.strip_prefix("llvm."), &function.body) {
            (Some(intrinsic), _) => self.intrinsic(result, intrinsic, call),
            (None, Some(_)) => self.direct(result, global, function, call),
            (None, None) => self.external(result, name, call),
        }
    }

    /// A call of a function of the module. What the call and the function do not agree on is adapted, as linkers do.
    fn direct(
        &mut self,
        result: Option<ValueId>,
        global: GlobalId,
        function: &Function,
        call: &'a Call,
    ) -> Lowered<()> {
        let given = self.arguments(&call.args)?;
        let mut taken = Vec::new();
        for param in &function.params {
            taken.extend(shape(self.module(), param.ty)?);
        }
        let missing = std::iter::repeat((fold::zero(64), 64));
        let args = taken.iter().zip(given.into_iter().chain(missing));
        let args = args.map(|(leaf, (value, bits))| fold::zext(value, bits, leaf.bits)).collect();
        let leaves = shape(self.module(), function.result)?;
        let callee = Target::Func(self.out.unit.func(global)?);
        let size = self.module().layout.of(function.result).map_or(0, |l| l.size);
        self.transfer(result, callee, args, &leaves, size)
    }

    fn indirect(&mut self, result: Option<ValueId>, address: Operand, call: &'a Call) -> Lowered<()> {
        let module = self.module();
        let Type::Function { result: ty, .. } = module.types.get(call.ty) else {
            return unsupported("a call of what is not a function");
        };
        let args = self.arguments(&call.args)?.into_iter().map(|(value, _)| value).collect();
        let callee = Target::Pointer(self.scalar(address)?);
        let size = module.layout.of(*ty).map_or(0, |l| l.size);
        self.transfer(result, callee, args, &shape(module, *ty)?, size)
    }

    /// The scalars of all arguments, with their widths.
    fn arguments(&mut self, args: &[Arg]) -> Lowered<Vec<(Expr, u8)>> {
        let mut all = Vec::new();
        for arg in args {
            if let Passing::ByVal(ty) = arg.passing {
                let size = self.module().layout.of(ty).map_or(0, |l| l.size);
                let copy = self.copied(arg.value, size)?;
                all.push((copy, 64));
                continue;
            }
            let leaves = shape(self.module(), self.type_of(arg.value))?;
            let values = self.operand(arg.value)?;
            all.extend(values.into_iter().zip(leaves.iter().map(|l| l.bits)));
        }
        Ok(all)
    }

    /// The address of a copy of an object, for a callee that may change it.
    fn copied(&mut self, address: Operand, size: u64) -> Lowered<Expr> {
        let from = self.scalar(address)?;
        let dst = self.out.temporary(64);
        let (len, tags) = (fold::number(size, 64), self.out.unit.plain());
        self.out.emit(Op::Alloc { dst, size: len.clone(), storage: Storage::Stack, zeroed: false });
        self.out.emit(Op::Copy { to: Expr::Reg(dst), from, len, tags });
        Ok(Expr::Reg(dst))
    }

    /// Calls, and takes the scalars that the callee gives back.
    fn transfer(
        &mut self,
        result: Option<ValueId>,
        callee: Target,
        mut args: Vec<Expr>,
        leaves: &[Leaf],
        size: u64,
    ) -> Lowered<()> {
        let given: Vec<(Expr, u8)> = match leaves {
            [] => {
                self.out.emit(Op::Call { dst: None, callee, args });
                Vec::new()
            }
            [leaf] => {
                let dst = self.out.temporary(leaf.bits);
                self.out.emit(Op::Call { dst: Some(dst), callee, args });
                vec![(Expr::Reg(dst), leaf.bits)]
            }
            _ => {
                let slot = self.slot(size);
                args.insert(0, Expr::Reg(slot));
                self.out.emit(Op::Call { dst: None, callee, args });
                let plain = self.out.unit.plain();
                let load = |leaf: &Leaf| (self.load_leaf(&Expr::Reg(slot), *leaf, plain.clone(), None), leaf.bits);
                leaves.iter().map(load).collect()
            }
        };
        self.take(result, given)
    }

    /// Gives the result of a call its scalars; what the callee does not give is 0.
    pub(super) fn take(&mut self, result: Option<ValueId>, given: Vec<(Expr, u8)>) -> Lowered<()> {
        let Some(result) = result else { return Ok(()) };
        let missing = std::iter::repeat((fold::zero(64), 64));
        let registers = self.registers(result).to_vec();
        for (reg, (value, bits)) in registers.into_iter().zip(given.into_iter().chain(missing)) {
            let value = fold::zext(value, bits, self.out.width(reg));
            self.out.assign(reg, value);
        }
        Ok(())
    }

    /// A call of a function that the module does not define.
    fn external(&mut self, result: Option<ValueId>, name: &str, call: &'a Call) -> Lowered<()> {
        if let Some(message) = super::runtime::assertion(name) {
            let text = message.and_then(|arg| self.out.unit.string(call.args.get(arg)?.value));
            let text = text.unwrap_or_else(|| format!("`{name}` is called"));
            self.fail(treville_ir::Failure::Assertion, &text);
            return Ok(());
        }
        if let Some(bound) = super::runtime::loop_bound(name, call, self.module()) {
            self.out.emit(Op::Mark(treville_ir::Mark::LoopBound(bound)));
            return Ok(());
        }
        if let Some(begins) = super::runtime::last_writes(name, call, self.module()) {
            self.last_writes = begins;
        }
        if let Some(done) = self.kernel(result, name, call) {
            return done;
        }
        if let Some(access) = super::libatomic::Access::named(name) {
            return self.library_access(result, access, call);
        }
        let Some(template) = self.out.unit.runtime.template(name) else {
            if super::runtime::is_swallowed(name) {
                return self.take(result, Vec::new());
            }
            return refused(format!("the function `{name}` is not defined in this program, and not known"));
        };
        let mut args = Vec::new();
        for arg in call.args.iter().take(template.params.len()) {
            args.push((self.scalar(arg.value)?, self.width(arg.value)?));
        }
        let given = self.out.expand(template, args);
        self.take(result, given.into_iter().collect())
    }
}
