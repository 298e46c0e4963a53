//! Atomic updates, as one event or as a read and a write, and store-conditionals.

use crate::registers::Operand;
use crate::thread::{Waiting, place, written};
use crate::{Action, Deps, Domain, Link, ThreadVm};
use treville_event::{Kind, RmwShape};
use treville_ir::{Expr, Op, Program, Reg, StatusDependency, Tags, UpdateTags};
use treville_term::{BinOp, Bv, UnOp};

/// An update whose read has been made.
#[derive(Clone, Debug)]
pub(crate) struct UpdateStep<V> {
    old: Reg,
    addr: Operand<V>,
    size: u8,
    guard: Option<Expr>,
    new: Expr,
    tags: UpdateTags,
    compared: Compared,
    /// Whether it writes, if that was decided before it reads.
    foreseen: Option<bool>,
}

/// The comparison of a compare-and-swap whose alternatives are distinguished.
#[derive(Clone, Debug, Default)]
struct Compared {
    /// What the expected value depends on, and the registers' events that it was read by.
    deps: Deps,
    implicit: Deps,
    iico: Deps,
    /// The events that decide on the write: that of the comparison or, where it has none, the read.
    events: Deps,
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
        let (guard, new, tags) = (guard.clone(), new.clone(), tags.clone());
        let fenced = tags.fences.is_some();
        let always = guard.is_none();
        let compared = Compared::default();
        let step = Box::new(UpdateStep { old: *old, addr, size: *size, guard, new, tags, compared, foreseen: None });
        match (fenced, always) {
            (true, true) => self.update_foreseen(step, true),
            (true, false) => {
                // The fence before it depends on what it will do.
                self.queue.push_back(Action::Choose);
                self.waiting = Waiting::Foreseen { step };
            }
            (false, _) => self.update_start(step),
        }
    }

    /// An update of which it is known whether it will write.
    pub(crate) fn update_foreseen(&mut self, mut step: Box<UpdateStep<V>>, writes: bool) {
        step.foreseen = Some(writes);
        if writes {
            self.update_fence(&step);
        }
        self.update_start(step);
    }

    fn update_fence(&mut self, step: &UpdateStep<V>) {
        let Some(tags) = &step.tags.fences else { return };
        let mut event = self.event(Kind::Fence);
        event.tags.clone_from(tags);
        self.emit(event);
    }

    /// The read of an update.
    fn update_start(&mut self, mut step: Box<UpdateStep<V>>) {
        let mut event = self.event(Kind::Read);
        event.tags.clone_from(if step.guard.is_some() { &step.tags.fail } else { &step.tags.read });
        place(&mut event, &step.addr, step.size);
        let index = event.index;
        self.emit(event);
        step.compared.events = Deps::one(index);
        self.waiting = Waiting::Update { index, step };
    }

    pub(crate) fn update_read<D: Domain<V = V>>(
        &mut self,
        program: &Program,
        d: &mut D,
        index: u32,
        mut step: Box<UpdateStep<V>>,
        value: V,
    ) {
        self.assign(program, step.old, Operand::from_event(value, index));
        let Some(guard) = step.guard.clone() else { return self.update_write(program, d, index, &step, &step.new) };
        let guard = if self.shape.loose_compare {
            let guard = self.operand(program, d, &guard, &["DATA"]);
            step.compared = self.comparison(index, &guard);
            guard.value
        } else {
            self.eval(program, d, &guard)
        };
        if let Some(writes) = step.foreseen {
            let held = if writes { guard } else { d.un(UnOp::Not, &guard) };
            self.queue.push_back(Action::Constrain(held));
            return self.update_compared(program, d, index, step, writes);
        }
        self.waiting = Waiting::Guard { index, step };
        self.decide(program, d, guard);
    }

    /// The comparison `guard` of the value that the event `index` read with an expected one.
    fn comparison(&mut self, index: u32, guard: &Operand<V>) -> Compared {
        let event = if self.shape.predicates { self.branch_event(guard, &["B", "PRED"]) } else { index };
        let others = |deps: &Deps| deps.iter().filter(|i| *i != index).fold(Deps::new(), |d, i| d.with(&Deps::one(i)));
        Compared {
            deps: others(&guard.deps),
            implicit: guard.implicit.clone(),
            iico: others(&guard.iico),
            events: Deps::one(event),
        }
    }

    /// The guard is decided. Where a compare-and-swap has alternatives, one of them is chosen.
    pub(crate) fn update_compared<D: Domain<V = V>>(
        &mut self,
        program: &Program,
        d: &mut D,
        index: u32,
        step: Box<UpdateStep<V>>,
        equal: bool,
    ) {
        if self.shape.loose_compare {
            self.queue.push_back(Action::Choose);
            self.waiting = Waiting::Compared { index, step, equal };
        } else if equal {
            self.update_write(program, d, index, &step, &step.new);
        }
    }

    /// If the values are equal, the choice is whether the result comes from memory or from the expected value; if not,
    /// whether memory is written nevertheless.
    pub(crate) fn compare_choice<D: Domain<V = V>>(
        &mut self,
        program: &Program,
        d: &mut D,
        index: u32,
        step: &UpdateStep<V>,
        equal: bool,
        yes: bool,
    ) {
        match (equal, yes) {
            (true, from_memory) => {
                self.update_write(program, d, index, step, &step.new);
                if !from_memory {
                    let slot = &mut self.slots[step.old];
                    slot.deps.clone_from(&step.compared.deps);
                    slot.implicit = step.compared.implicit.with(&Deps::one(index));
                    slot.iico.clone_from(&step.compared.iico);
                    slot.chosen.clone_from(&step.compared.events);
                }
            }
            (false, true) => self.update_write(program, d, index, step, &Expr::Reg(step.old)),
            (false, false) => {}
        }
    }

    /// The write of an update.
    fn update_write<D: Domain<V = V>>(
        &mut self,
        program: &Program,
        d: &mut D,
        index: u32,
        step: &UpdateStep<V>,
        new: &Expr,
    ) {
        let value = self.operand(program, d, new, &["DATA"]);
        if self.is_one_event(&step.tags) {
            let tags = step.tags.fused.clone();
            self.queue.push_back(Action::Amend { index, tags, written: Some((value.value, value.deps)) });
            return self.update_fence(step);
        }
        if step.guard.is_some() {
            self.queue.push_back(Action::Amend { index, tags: step.tags.read.clone(), written: None });
        }
        let exclusive = is_exclusive(program, &step.tags.write);
        if exclusive {
            self.next_instance();
        }
        let mut event = self.event(Kind::Write);
        event.tags.clone_from(&step.tags.write);
        place(&mut event, &step.addr, step.size);
        written(&mut event, value);
        event.link = if exclusive { Link::Lxsx(index) } else { Link::Amo(index) };
        if let (true, Some(guard)) = (exclusive, &step.guard) {
            // Of two instructions, the second is only come to if a branch says so.
            guard.visit_regs(&mut |r| event.ctrl.extend(&self.slots[r].deps));
        }
        if step.guard.is_some() {
            let Compared { deps, implicit, events, .. } = &step.compared;
            event.picks.data.extend(&deps.with(implicit));
            event.picks.data.insert(index);
            event.iico_ctrl.extend(events);
        }
        self.emit(event);
        self.update_fence(step);
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
}

/// Whether these are the tags of a load-linked or store-conditional.
fn is_exclusive(program: &Program, tags: &[treville_ir::TagId]) -> bool {
    let exclusive = program.dialect.exclusive.as_ref();
    exclusive.is_some_and(|x| tags.iter().any(|t| program.tags[*t] == *x))
}
