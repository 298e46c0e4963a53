//! One function of the module: its values as registers, its blocks, and which family each instruction belongs to.

use super::emitter::Emitter;
use super::unit::Unit;
use super::{Lowered, shape, unsupported};
use crate::debug::RecordKind;
use crate::inst::{Inst, InstKind, Operand, TerminatorKind};
use crate::module::{BlockId, Body, Definition, Function, GlobalId, Module, ValueId};
use crate::types::TypeId;
use std::collections::BTreeMap;
use treville_base::{Idx, Name};
use treville_ir::{BlockId as Start, Expr, FuncId, Op, Reg, Storage};

pub(super) struct Code<'u, 'a> {
    pub(super) out: Emitter<'u, 'a>,
    pub(super) function: &'a Function,
    pub(super) body: &'a Body,
    /// The registers of each value.
    values: Vec<Vec<Reg>>,
    /// Where the blocks that can be reached begin.
    pub(super) starts: BTreeMap<BlockId, Start>,
    /// Where a result of several scalars goes.
    pub(super) result: Option<Reg>,
    /// Memory for such results of calls, and its size.
    slot: Option<(Reg, u64)>,
    /// The program says that what is written here is not written again.
    pub(super) last_writes: bool,
}

impl<'u, 'a> Code<'u, 'a> {
    /// Lowers a function with a body.
    pub(super) fn function(unit: &'u mut Unit<'a>, global: GlobalId, id: FuncId) {
        let module = unit.module;
        let it = &module.globals[global];
        let Some(function) = it.function() else { return };
        let Some(body) = &function.body else { return };
        let span = it.span;
        let mut code = Code {
            out: Emitter::new(unit, span),
            function,
            body,
            values: Vec::new(),
            starts: BTreeMap::new(),
            result: None,
            slot: None,
            last_writes: false,
        };
        match code.prepare() {
            Ok(params) => {
                code.blocks();
                code.finish(id, params);
            }
            Err(why) => unit.error(span, why),
        }
    }

    /// Makes registers and blocks; gives the parameters.
    fn prepare(&mut self) -> Lowered<Vec<Reg>> {
        let (module, body) = (self.module(), self.body);
        if self.function.attributes.naked {
            return unsupported("a function that is written in assembly");
        }
        let reached = reached(body);
        let mut params = Vec::new();
        if shape::shape(module, self.function.result)?.len() > 1 {
            let result = self.out.register("%result", 64);
            self.result = Some(result);
            params.push(result);
        }
        let names = names(module, body);
        for (id, value) in body.values.iter_enumerated() {
            let defined = match value.definition {
                Definition::Param(_) => true,
                Definition::Inst(block, _) | Definition::Terminator(block) => reached[block.index()],
            };
            let mut registers = Vec::new();
            // What has no shape is reported where it is defined.
            let leaves = if defined { shape::shape(module, value.ty).unwrap_or_default() } else { Vec::new() };
            for (i, leaf) in leaves.iter().enumerate() {
                let name = names.get(&id).map_or_else(|| value.name.to_string(), Name::to_string);
                let name = if leaves.len() > 1 { format!("{name}.{i}") } else { name };
                registers.push(self.out.register(&name, leaf.bits));
            }
            if matches!(value.definition, Definition::Param(_)) {
                params.extend(&registers);
            }
            self.values.push(registers);
        }
        for (id, _) in body.blocks.iter_enumerated().filter(|(id, _)| reached[id.index()]) {
            let start = if id.index() == 0 { Start(0) } else { self.out.block() };
            self.starts.insert(id, start);
        }
        Ok(params)
    }

    fn blocks(&mut self) {
        for (id, start) in self.starts.clone() {
            self.out.begin(start);
            let block = &self.body.blocks[id];
            for inst in &block.insts {
                if self.out.unit.cancel.is_stopped() {
                    return;
                }
                let span = self.out.unit.places.span(inst.location, inst.span);
                self.out.at(span);
                if let Err(why) = self.inst(inst) {
                    self.out.unit.error(span, why);
                }
            }
            let span = self.out.unit.places.span(block.end.location, block.end.span);
            self.out.at(span);
            if let Err(why) = self.terminator(id, &block.end) {
                self.out.unit.error(span, why);
            }
        }
    }

    fn finish(mut self, id: FuncId, params: Vec<Reg>) {
        if let Some((dst, size)) = self.slot {
            let size = super::fold::number(size, 64);
            self.out.first(Op::Alloc { dst, size, storage: Storage::Private, zeroed: false });
        }
        self.out.finish(id, params);
    }

    fn inst(&mut self, inst: &'a Inst) -> Lowered<()> {
        let values = match &inst.kind {
            InstKind::Phi(_) | InstKind::LandingPad { .. } => return Ok(()),
            InstKind::Binary { op, lhs, rhs, .. } => self.binary(*op, *lhs, *rhs)?,
            InstKind::ICmp { predicate, lhs, rhs } => self.compare(*predicate, *lhs, *rhs)?,
            InstKind::FNeg(_) | InstKind::FCmp { .. } => return self.floats(),
            InstKind::Cast { op, value, to, .. } => self.cast(*op, *value, *to)?,
            InstKind::Select { condition, then, otherwise } => self.select(*condition, *then, *otherwise)?,
            InstKind::Freeze(value) => self.operand(*value)?,
            InstKind::Gep { element, base, indices, .. } => self.gep(*element, *base, indices)?,
            InstKind::ExtractValue { aggregate, indices } => self.extract_value(*aggregate, indices)?,
            InstKind::InsertValue { aggregate, value, indices } => self.insert_value(*aggregate, *value, indices)?,
            InstKind::ExtractElement { vector, index } => self.extract_element(*vector, *index)?,
            InstKind::InsertElement { vector, value, index } => self.insert_element(*vector, *value, *index)?,
            InstKind::ShuffleVector { first, second, mask } => self.shuffle(*first, *second, mask)?,
            InstKind::Alloca { ty, count, .. } => return self.alloca(inst.result, *ty, *count),
            InstKind::Load { ty, address, access } => return self.load(inst.result, *ty, *address, access),
            InstKind::Store { value, address, access } => return self.store(*value, *address, access),
            InstKind::Fence { ordering, scope } => return self.fence(*ordering, *scope),
            InstKind::CmpXchg(exchange) => return self.compare_exchange(inst.result, exchange),
            InstKind::AtomicRmw { op, address, value, access } => {
                return self.atomic_rmw(inst.result, *op, *address, *value, access);
            }
            InstKind::Call(call) => return self.call(inst.result, call),
        };
        self.set(inst.result, values)
    }

    pub(super) fn module(&self) -> &'a Module {
        self.out.unit.module
    }

    pub(super) fn type_of(&self, operand: Operand) -> TypeId {
        self.module().operand_type(self.body, operand)
    }

    pub(super) fn registers(&self, value: ValueId) -> &[Reg] {
        &self.values[value.index()]
    }

    /// The one register of a value.
    pub(super) fn register(&self, value: Option<ValueId>) -> Lowered<Reg> {
        match value.map(|v| self.registers(v)) {
            Some([reg]) => Ok(*reg),
            _ => unsupported("a result that is not one scalar"),
        }
    }

    /// Gives a value its scalars. Those of more or less than it has are of no use: the types were checked.
    pub(super) fn set(&mut self, result: Option<ValueId>, values: Vec<Expr>) -> Lowered<()> {
        let Some(result) = result else { return Ok(()) };
        let registers = self.registers(result).to_vec();
        if registers.len() != values.len() {
            return unsupported(format!(
                "a value of type `{}`",
                self.module().types.display(self.body.values[result].ty)
            ));
        }
        for (reg, value) in registers.into_iter().zip(values) {
            self.out.assign(reg, value);
        }
        Ok(())
    }

    /// The scalars of an operand.
    pub(super) fn operand(&mut self, operand: Operand) -> Lowered<Vec<Expr>> {
        match operand {
            Operand::Local(value) => Ok(self.registers(value).iter().map(|r| Expr::Reg(*r)).collect()),
            Operand::Const(id) => self.out.unit.constant(id),
        }
    }

    pub(super) fn scalar(&mut self, operand: Operand) -> Lowered<Expr> {
        match self.operand(operand)?.as_slice() {
            [value] => Ok(value.clone()),
            _ => unsupported(format!("a value of type `{}` here", self.module().types.display(self.type_of(operand)))),
        }
    }

    /// The width of an operand that is one scalar.
    pub(super) fn width(&self, operand: Operand) -> Lowered<u8> {
        shape::width(self.module(), self.type_of(operand))
    }

    /// Private memory of at least this size, which every call may use.
    pub(super) fn slot(&mut self, size: u64) -> Reg {
        let (reg, before) = match self.slot {
            Some(slot) => slot,
            None => (self.out.temporary(64), 0),
        };
        self.slot = Some((reg, before.max(size)));
        reg
    }
}

/// The blocks that can be reached if no call throws.
fn reached(body: &Body) -> Vec<bool> {
    let mut reached = vec![false; body.blocks.len()];
    let mut todo = vec![BlockId(0)];
    while let Some(block) = todo.pop() {
        if std::mem::replace(&mut reached[block.index()], true) {
            continue;
        }
        match &body.blocks[block].end.kind {
            TerminatorKind::Invoke { normal, .. } => todo.push(*normal),
            kind => todo.extend(kind.successors()),
        }
    }
    reached
}

/// The source's names of values: `x` for the value of a variable, `&x` for its address.
fn names(module: &Module, body: &Body) -> BTreeMap<ValueId, Name> {
    let mut names = BTreeMap::new();
    for record in body.records.iter().filter(|r| r.plain) {
        let Some(Operand::Local(value)) = record.value else { continue };
        let Some(name) = &module.debug.variables[record.variable].name else { continue };
        let name = match record.kind {
            RecordKind::Declare => Name::from(format!("&{name}")),
            RecordKind::Value => name.clone(),
        };
        names.entry(value).or_insert(name);
    }
    names
}
