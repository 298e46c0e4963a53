//! Operands and registers: values with their dependencies, and the register events of models that ask for them.

use crate::{Deps, Domain, ThreadVm};
use treville_event::Kind;
use treville_ir::{Expr, Program, Reg};

/// A value with what it depends on.
#[derive(Clone, Debug)]
pub(crate) struct Operand<V> {
    pub(crate) value: V,
    /// Reads whose value flows into it.
    pub(crate) deps: Deps,
    /// Reads that decided which assignment gave it.
    pub(crate) implicit: Deps,
    /// Events of the current instruction that it comes from.
    pub(crate) iico: Deps,
    /// Events of the current instruction that chose it.
    pub(crate) chosen: Deps,
}

impl<V> Operand<V> {
    /// The value that an event yields.
    pub(crate) fn from_event(value: V, index: u32) -> Self {
        Operand { value, deps: Deps::one(index), implicit: Deps::new(), iico: Deps::one(index), chosen: Deps::new() }
    }

    pub(crate) fn independent(value: V) -> Self {
        Operand { value, deps: Deps::new(), implicit: Deps::new(), iico: Deps::new(), chosen: Deps::new() }
    }
}

impl<V: Clone> ThreadVm<V> {
    /// The value of an expression over the registers as they are.
    pub(crate) fn eval<D: Domain<V = V>>(&self, program: &Program, d: &mut D, e: &Expr) -> V {
        match e {
            Expr::Const(v) => d.constant(*v),
            Expr::Reg(r) => self.slots[*r].value.clone(),
            Expr::Addr(object, offset) => d.address(program, *object, *offset),
            Expr::Un(op, a) => {
                let a = self.eval(program, d, a);
                d.un(*op, &a)
            }
            Expr::Bin(op, a, b) => {
                let a = self.eval(program, d, a);
                let b = self.eval(program, d, b);
                d.bin(*op, &a, &b)
            }
            Expr::Cast(kind, width, a) => {
                let a = self.eval(program, d, a);
                d.cast(*kind, *width, &a)
            }
            Expr::Ite(c, a, b) => {
                let c = self.eval(program, d, c);
                let a = self.eval(program, d, a);
                let b = self.eval(program, d, b);
                d.ite(&c, &a, &b)
            }
        }
    }

    /// Evaluates an operand; where registers have events, reads each register that it names. `port` says what for.
    pub(crate) fn operand<D: Domain<V = V>>(
        &mut self,
        program: &Program,
        d: &mut D,
        e: &Expr,
        port: &'static [&'static str],
    ) -> Operand<V> {
        let mut operand = Operand::independent(self.eval(program, d, e));
        self.serial += e.n_addresses();
        let mut regs = Vec::new();
        e.visit_regs(&mut |r| regs.push(r));
        regs.dedup();
        for reg in regs {
            let info = &program.funcs[program.roots[self.thread()].func].regs[reg];
            self.serial += u32::from(!info.is_temporary());
            let slot = &self.slots[reg];
            operand.deps.extend(&slot.deps);
            operand.implicit.extend(&slot.implicit);
            if !self.shape.registers {
                continue;
            }
            if info.is_temporary() {
                operand.iico.extend(&slot.iico);
                operand.chosen.extend(&slot.chosen);
                continue;
            }
            let mut event = self.event(Kind::RegRead);
            event.extra = port;
            event.rf_reg = slot.writer;
            event.value = Some(slot.value.clone());
            event.register = Some(info.name.clone());
            operand.iico.insert(event.index);
            self.emit(event);
        }
        operand
    }

    /// Gives a register its value.
    pub(crate) fn assign(&mut self, program: &Program, dst: Reg, operand: Operand<V>) {
        let info = &program.funcs[program.roots[self.thread()].func].regs[dst];
        let mut implicit = operand.implicit;
        self.structures().for_each(|scope| implicit.extend(&scope.deps));
        let mut writer = None;
        if self.shape.registers && !info.is_temporary() {
            let mut event = self.event(Kind::RegWrite);
            event.value = Some(operand.value.clone());
            event.iico_data = operand.iico.clone();
            event.iico_ctrl.extend(&operand.chosen);
            event.register = Some(info.name.clone());
            writer = Some(event.index);
            self.emit(event);
        }
        let slot = &mut self.slots[dst];
        slot.value = operand.value;
        slot.deps = operand.deps;
        slot.implicit = implicit;
        slot.writer = writer;
        slot.iico = operand.iico;
        slot.chosen = operand.chosen;
    }
}
