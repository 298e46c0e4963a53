//! Accesses that can have no address: nothing that the address is computed from is the address of a location. A register that
//! was forgotten in the initial state, or misspelt, would silently be 0.
//!
//! What may be an address is found for all threads together, without regard to the order of instructions: a register that
//! starts with one or is computed from one, and what is read from memory once some location may hold one. A number that is
//! read is left alone: the access may never be reached with it.

use std::collections::BTreeSet;
use treville_base::{Diagnostic, Span};
use treville_ir::{Expr, Func, Inst, Op, Reg};

/// A thread, with what its registers hold at the start.
pub(crate) struct Start<'f> {
    pub(crate) func: &'f Func,
    /// Registers that hold an address.
    pub(crate) addresses: BTreeSet<Reg>,
    /// Registers that hold something that the test says.
    pub(crate) given: BTreeSet<Reg>,
}

/// An error for each access without an address. `stored`: some location holds an address at the start.
pub(crate) fn check(threads: &[Start<'_>], stored: bool) -> Vec<Diagnostic> {
    let (precise, with_loads) = (May::find(threads, stored), May::find(threads, true));
    let mut errors = Vec::new();
    for (t, thread) in threads.iter().enumerate() {
        let written: BTreeSet<Reg> = insts(thread.func).filter_map(|inst| destination(&inst.op)).collect();
        for inst in insts(thread.func) {
            let Some(address) = address(&inst.op).filter(|a| !precise.be_address(t, a)) else { continue };
            let forgotten = forgotten(thread, address, &written);
            if forgotten.is_some() || !with_loads.be_address(t, address) {
                errors.push(no_address(thread, address, forgotten, inst.span));
            }
        }
    }
    errors.dedup_by_key(|error: &mut Diagnostic| error.span);
    errors
}

fn insts(func: &Func) -> impl Iterator<Item = &Inst> {
    func.blocks.iter().flat_map(|block| &block.insts)
}

/// The address of a memory access.
fn address(op: &Op) -> Option<&Expr> {
    match op {
        Op::Load { addr, .. }
        | Op::Store { addr, .. }
        | Op::Update { addr, .. }
        | Op::StoreConditional { addr, .. }
        | Op::Lock { addr, .. } => Some(addr),
        _ => None,
    }
}

/// What may hold an address.
struct May {
    /// By thread.
    registers: Vec<BTreeSet<Reg>>,
    memory: bool,
}

impl May {
    fn find(threads: &[Start<'_>], memory: bool) -> May {
        let mut may = May { registers: threads.iter().map(|t| t.addresses.clone()).collect(), memory };
        // Whole passes, back and forth: each instruction may have a register of its own to learn about.
        while may.pass(threads, false) && may.pass(threads, true) {}
        may
    }

    /// Takes every instruction into account; true if that adds something.
    fn pass(&mut self, threads: &[Start<'_>], back: bool) -> bool {
        let mut more = false;
        for (t, thread) in threads.iter().enumerate() {
            let blocks = thread.func.blocks.as_slice();
            if back {
                blocks.iter().rev().flat_map(|b| b.insts.iter().rev()).for_each(|inst| more |= self.learn(t, inst));
            } else {
                insts(thread.func).for_each(|inst| more |= self.learn(t, inst));
            }
        }
        more
    }

    fn be_address(&self, thread: usize, e: &Expr) -> bool {
        match e {
            Expr::Addr(..) => true,
            Expr::Const(_) => false,
            Expr::Reg(reg) => self.registers[thread].contains(reg),
            Expr::Un(_, a) | Expr::Cast(_, _, a) => self.be_address(thread, a),
            Expr::Bin(_, a, b) => self.be_address(thread, a) || self.be_address(thread, b),
            Expr::Ite(_, a, b) => self.be_address(thread, a) || self.be_address(thread, b),
        }
    }

    /// Takes one instruction into account; true if that adds something.
    fn learn(&mut self, thread: usize, inst: &Inst) -> bool {
        let (register, stored) = match &inst.op {
            Op::Assign { dst, value } => (Some(*dst).filter(|_| self.be_address(thread, value)), false),
            Op::Load { dst, .. } => (Some(*dst).filter(|_| self.memory), false),
            Op::Store { value, .. } | Op::StoreConditional { value, .. } => (None, self.be_address(thread, value)),
            Op::Update { old, new, .. } => {
                let stored = self.be_address(thread, new);
                (Some(*old).filter(|_| self.memory || stored), stored)
            }
            _ => (None, false),
        };
        let more = stored && !std::mem::replace(&mut self.memory, true);
        register.is_some_and(|reg| self.registers[thread].insert(reg)) || more
    }
}

/// The registers of an address that the source shows.
fn shown(thread: &Start<'_>, address: &Expr) -> Vec<Reg> {
    let mut used = Vec::new();
    address.visit_regs(&mut |reg| used.push(reg));
    used.retain(|reg| !thread.func.regs[*reg].is_temporary());
    used
}

/// A register of an address that nothing gives a value.
fn forgotten(thread: &Start<'_>, address: &Expr, written: &BTreeSet<Reg>) -> Option<Reg> {
    shown(thread, address).into_iter().find(|reg| !thread.given.contains(reg) && !written.contains(reg))
}

fn no_address(thread: &Start<'_>, address: &Expr, forgotten: Option<Reg>, span: Span) -> Diagnostic {
    let name = |reg: Reg| thread.func.regs[reg].name.clone();
    match (forgotten, shown(thread, address).first()) {
        (Some(reg), _) => {
            let what = format!("`{}` has no value: it would be 0, which is the address of no location", name(reg));
            Diagnostic::error(span, what).help("give it the address of a location in the initial state")
        }
        (None, Some(reg)) => Diagnostic::error(span, format!("`{}` holds a number that is no address", name(*reg))),
        (None, None) => Diagnostic::error(span, "this is a number, which is the address of no location"),
    }
}

/// The register that an operation sets.
pub(crate) fn destination(op: &Op) -> Option<Reg> {
    match op {
        Op::Assign { dst, .. } | Op::Load { dst, .. } | Op::Update { old: dst, .. } => Some(*dst),
        Op::StoreConditional { status, .. } => Some(*status),
        _ => None,
    }
}
