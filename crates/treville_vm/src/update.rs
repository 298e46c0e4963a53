//! Atomic updates, as one event or as a read and a write, and store-conditionals.

use crate::registers::Operand;
use crate::thread::{Waiting, place, written};
use crate::{Action, Deps, Domain, Link, ThreadVm};
use treville_event::{Kind, RmwShape};
use treville_ir::{Expr, Op, Program, Reg, StatusDependency, Tags, UpdateTags};
use treville_term::{BinOp, Bv};

/// An update whose read has been made.
#[derive(Clone, Debug)]
pub(crate) struct UpdateStep<V> {
    old: Reg,
    addr: Operand<V>,
    size: u8,
    guard: Option<Expr>,
    new: Expr,
    tags: UpdateTags,
}

/// A store-conditional before it is known whether it stores.
#[derive(Clone, Debug)]
pub(crate) struct ConditionalStep<V> {
    status: Reg,
    addr: Operand<V>,
    value: Operand<V>,
    size: u8,
    tags: Tags,
    reserved: Option<(u32, V)>,
}

impl<V: Clone> ThreadVm<V> {
    pub(crate) fn update<D: Domain<V = V>>(&mut self, program: &Program, d: &mut D, op: &Op) {
        let Op::Update { old, addr, size, guard, new, tags } = op else { return };
        let addr = self.operand(program, d, addr, &["ADDR"]);
        let mut event = self.event(Kind::Read);
        event.tags.clone_from(if guard.is_some() { &tags.fail } else { &tags.read });
        place(&mut event, &addr, *size);
        if self.is_one_event(tags) {
            // One event that also reads: whatever it uses counts as its address.
            let deps = self.deps_of(new, *old);
            event.addr.extend(&deps);
        }
        let index = event.index;
        self.emit(event);
        let (guard, new, tags) = (guard.clone(), new.clone(), tags.clone());
        self.waiting =
            Waiting::Update { index, step: Box::new(UpdateStep { old: *old, addr, size: *size, guard, new, tags }) };
    }

    pub(crate) fn update_read<D: Domain<V = V>>(
        &mut self,
        program: &Program,
        d: &mut D,
        index: u32,
        step: Box<UpdateStep<V>>,
        value: V,
    ) {
        self.assign(program, step.old, Operand::from_event(value, index));
        match &step.guard {
            None => self.update_write(program, d, index, &step, true),
            Some(guard) => {
                let guard = self.eval(program, d, guard);
                self.waiting = Waiting::Guard { index, step };
                self.decide(program, d, guard);
            }
        }
    }

    pub(crate) fn update_write<D: Domain<V = V>>(
        &mut self,
        program: &Program,
        d: &mut D,
        index: u32,
        step: &UpdateStep<V>,
        writes: bool,
    ) {
        if !writes {
            return;
        }
        let value = self.operand(program, d, &step.new, &["DATA"]);
        if self.is_one_event(&step.tags) {
            let tags = step.tags.fused.clone();
            self.queue.push_back(Action::Amend { index, tags, written: Some((value.value, value.deps)) });
            return;
        }
        if step.guard.is_some() {
            self.queue.push_back(Action::Amend { index, tags: step.tags.read.clone(), written: None });
        }
        let mut event = self.event(Kind::Write);
        event.tags.clone_from(&step.tags.write);
        place(&mut event, &step.addr, step.size);
        written(&mut event, value);
        event.link = Link::Amo(index);
        if step.guard.is_some() {
            event.iico_ctrl.insert(index);
        }
        self.emit(event);
    }

    pub(crate) fn store_conditional<D: Domain<V = V>>(&mut self, program: &Program, d: &mut D, op: &Op) {
        let Op::StoreConditional { status, addr, value, size, tags } = op else { return };
        let addr = self.operand(program, d, addr, &["ADDR"]);
        let port: &[&str] = if self.shape.conditional_data { &["DATA"] } else { &[] };
        let value = self.operand(program, d, value, port);
        // Without a load-linked of the same size it cannot succeed.
        let reserved =
            self.reservation.take().filter(|(_, _, s)| s == size).map(|(index, address, _)| (index, address));
        let can_store = reserved.is_some();
        let step = ConditionalStep { status: *status, addr, value, size: *size, tags: tags.clone(), reserved };
        self.waiting = Waiting::Conditional { step: Box::new(step) };
        if can_store {
            self.queue.push_back(Action::Choose);
        } else {
            self.take(program, d, false);
        }
    }

    pub(crate) fn conditional_store<D: Domain<V = V>>(
        &mut self,
        program: &Program,
        d: &mut D,
        step: ConditionalStep<V>,
        stores: bool,
    ) {
        let mut status =
            Operand::independent(d.constant(Bv::new(u128::from(stores), self.width(program, step.status))));
        if self.shape.status != StatusDependency::Nothing {
            status.deps.extend(&step.addr.deps);
            status.iico.extend(&step.addr.iico);
        }
        if self.shape.status == StatusDependency::Operands {
            status.deps.extend(&step.value.deps);
            status.iico.extend(&step.value.iico);
        }
        if let (true, Some((linked, address))) = (stores, &step.reserved) {
            let same = d.bin(BinOp::Eq, address, &step.addr.value);
            self.queue.push_back(Action::Constrain(same));
            let mut event = self.event(Kind::Write);
            event.tags.clone_from(&step.tags);
            place(&mut event, &step.addr, step.size);
            let mut value = step.value;
            if !self.shape.conditional_data {
                value.deps = Deps::new();
            }
            written(&mut event, value);
            event.link = Link::Lxsx(*linked);
            if self.shape.status == StatusDependency::Store {
                status.deps.insert(event.index);
                status.iico.insert(event.index);
            }
            self.emit(event);
        }
        self.assign(program, step.status, status);
    }

    /// Whether an update with these tags reads and writes in one event.
    fn is_one_event(&self, tags: &UpdateTags) -> bool {
        self.shape.rmw == RmwShape::Fused && !tags.fused.is_empty()
    }

    /// What an expression depends on, the register `except` aside.
    fn deps_of(&self, e: &Expr, except: Reg) -> Deps {
        let mut deps = Deps::new();
        e.visit_regs(&mut |r| {
            if r != except {
                deps.extend(&self.slots[r].deps);
            }
        });
        deps
    }
}
