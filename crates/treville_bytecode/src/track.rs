//! What values depend on: beside the words of a [`super::Runner`], if it is asked to keep it.
//!
//! A runner without a tracker pays nothing. Events are named by their place among the steps of the thread, which the engine
//! gives with its answer.

use treville_vm::Deps;

/// Follows what a runner does with its slots, all of which are named by their place in the runner, not in a frame.
pub trait Track: Default {
    /// Whether values may be unknown.
    const SYMBOLIC: bool;
    /// A slot is computed from others.
    #[inline]
    fn flow(&mut self, _dst: usize, _from: &[usize]) {}
    /// There are this many slots; new ones depend on nothing.
    #[inline]
    fn slots(&mut self, _n: usize) {}
    /// There are this many bytes of private memory.
    #[inline]
    fn bytes(&mut self, _n: usize) {}
    /// A slot is read from private memory, at the address in another slot.
    #[inline]
    fn load(&mut self, _dst: usize, _addr: usize, _from: std::ops::Range<usize>) {}
    /// Private memory is written.
    #[inline]
    fn store(&mut self, _to: std::ops::Range<usize>, _addr: usize, _from: &[usize]) {}
    /// The way on depends on a slot.
    #[inline]
    fn branch(&mut self, _cond: usize) {}
    /// An update has read; whether it writes is no branch.
    #[inline]
    fn update(&mut self, _under_way: bool) {}
    /// A step with these operands is next.
    #[inline]
    fn step(&mut self, _addr: Option<usize>, _data: &[usize]) {}
    /// The answer to a step is in this slot.
    #[inline]
    fn answer(&mut self, _dst: usize) {}
}

impl Track for () {
    const SYMBOLIC: bool = true;
}

/// The earlier events of the thread that a step depends on.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct StepDeps {
    pub addr: Deps,
    /// What is written.
    pub data: Deps,
    pub ctrl: Deps,
    /// What the write of an update depends on since it might not have been made.
    pub guard: Deps,
}

/// Keeps all dependencies. A choice between two values depends on both and on what chose.
#[derive(Clone, Default, Debug)]
pub struct Dependencies {
    slots: Vec<Deps>,
    bytes: Vec<Deps>,
    ctrl: Deps,
    in_update: bool,
    guard: Deps,
    step: StepDeps,
    /// The events that the next answer comes from.
    events: Deps,
}

impl Dependencies {
    /// Those of the step that the runner stopped at.
    pub(crate) fn of_step(&self) -> &StepDeps {
        &self.step
    }

    /// The next answer comes from these events.
    pub(crate) fn set_events(&mut self, events: std::ops::Range<u32>) {
        self.events = Deps::new();
        events.for_each(|event| self.events.insert(event));
    }

    fn all(&self, slots: &[usize]) -> Deps {
        let mut deps = Deps::new();
        slots.iter().filter_map(|slot| self.slots.get(*slot)).for_each(|other| deps.extend(other));
        deps
    }

    fn put(&mut self, dst: usize, deps: Deps) {
        if let Some(slot) = self.slots.get_mut(dst) {
            *slot = deps;
        }
    }
}

impl Track for Dependencies {
    /// Executions that are judged have values.
    const SYMBOLIC: bool = false;

    fn flow(&mut self, dst: usize, from: &[usize]) {
        let deps = self.all(from);
        self.put(dst, deps);
    }

    fn slots(&mut self, n: usize) {
        self.slots.resize(n, Deps::new());
    }

    fn bytes(&mut self, n: usize) {
        self.bytes.resize(n, Deps::new());
    }

    fn load(&mut self, dst: usize, addr: usize, from: std::ops::Range<usize>) {
        let mut deps = self.all(&[addr]);
        self.bytes.get(from).into_iter().flatten().for_each(|other| deps.extend(other));
        self.put(dst, deps);
    }

    fn store(&mut self, to: std::ops::Range<usize>, addr: usize, from: &[usize]) {
        let mut deps = self.all(&[addr]);
        deps.extend(&self.all(from));
        if let Some(bytes) = self.bytes.get_mut(to) {
            bytes.fill(deps);
        }
    }

    fn branch(&mut self, cond: usize) {
        let deps = self.all(&[cond]);
        if std::mem::take(&mut self.in_update) {
            self.guard = deps;
        } else {
            self.ctrl.extend(&deps);
        }
    }

    fn update(&mut self, under_way: bool) {
        self.in_update = under_way;
        if under_way {
            self.guard = Deps::new();
        }
    }

    fn step(&mut self, addr: Option<usize>, data: &[usize]) {
        self.step = StepDeps {
            addr: addr.map_or_else(Deps::new, |slot| self.all(&[slot])),
            data: self.all(data),
            ctrl: self.ctrl.clone(),
            guard: self.guard.clone(),
        };
    }

    fn answer(&mut self, dst: usize) {
        self.put(dst, self.events.clone());
    }
}
