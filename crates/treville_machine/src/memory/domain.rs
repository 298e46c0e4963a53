//! States of a memory, whether a run comes there or not: those that say something about a few variables, up to a bound.

use super::views::{Message, ViewState};
use super::{Memory, Sequential, Views, Written};
use std::ops::ControlFlow;
use treville_base::Cancel;

/// What is looked at. Variables and threads that are not in it stay as they are at the start.
pub(crate) struct Domain {
    pub(crate) vars: Vec<usize>,
    /// For each variable of the program, what may be written to it.
    pub(crate) writes: Vec<Vec<MayWrite>>,
    /// For each variable of the program, whether some update reads it.
    pub(crate) updated: Vec<bool>,
    pub(crate) threads: Vec<usize>,
    /// The variable whose writes the step acquires: what others release makes no difference to it.
    pub(crate) acquired: Option<usize>,
    /// How many writes of a variable are kept at most.
    pub(crate) most: usize,
    /// Nothing more is listed when this is due.
    pub(crate) cancel: Cancel,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct MayWrite {
    pub(crate) value: u64,
    pub(crate) releases: bool,
    /// It may come later than all others.
    pub(crate) later: bool,
}

/// A memory whose states can be listed.
pub(crate) trait Anywhere: Memory {
    /// Calls `visit` for every state of the domain, until it breaks.
    fn each(&self, domain: &Domain, visit: &mut Visit<'_, Self::State>) -> ControlFlow<()>;

    /// Whether every read acquires.
    fn always_acquires(&self) -> bool {
        false
    }
}

type Visit<'a, S> = dyn FnMut(&S) -> ControlFlow<()> + 'a;

impl Anywhere for Sequential {
    fn each(&self, domain: &Domain, visit: &mut Visit<'_, Vec<Written>>) -> ControlFlow<()> {
        let mut values: Vec<Vec<u64>> = Vec::new();
        for var in &domain.vars {
            let mut some: Vec<u64> = domain.writes[*var].iter().map(|write| write.value).collect();
            some.dedup();
            values.push(some);
        }
        let limits: Vec<usize> = values.iter().map(Vec::len).collect();
        let mut state = self.initial();
        each_choice(&limits, &mut |choice| {
            for ((var, values), at) in domain.vars.iter().zip(&values).zip(choice) {
                state[*var].value = values[*at];
            }
            visit(&state)
        })
    }
}

impl Anywhere for Views {
    fn always_acquires(&self) -> bool {
        self.always
    }

    fn each(&self, domain: &Domain, visit: &mut Visit<'_, ViewState>) -> ControlFlow<()> {
        let lists: Vec<Vec<Vec<Message>>> = domain.vars.iter().map(|var| lists(domain, *var, self.always)).collect();
        let limits: Vec<usize> = lists.iter().map(Vec::len).collect();
        each_choice(&limits, &mut |choice| {
            let chosen: Vec<&Vec<Message>> = lists.iter().zip(choice).map(|(lists, at)| &lists[*at]).collect();
            self.each_view(domain, &self.with_lists(domain, &chosen), visit)
        })
    }
}

/// Lists between looks at the clock.
const BETWEEN_LOOKS: usize = 1024;

/// The lists of writes to a variable.
fn lists(domain: &Domain, var: usize, always: bool) -> Vec<Vec<Message>> {
    let mut all: Vec<Vec<Message>> = Vec::new();
    let mut longest: Vec<Vec<Message>> = vec![Vec::new()];
    for _ in 0..domain.most {
        let mut longer = Vec::new();
        for (i, list) in longest.iter().enumerate() {
            if i.is_multiple_of(BETWEEN_LOOKS) && domain.cancel.is_due() {
                return Vec::new();
            }
            for write in domain.writes[var].iter().filter(|write| list.is_empty() || write.later) {
                let written = Written { value: write.value, origin: 0 };
                let releases = write.releases || (always && write.later);
                let new = [list.as_slice(), &[Message { written, releases, covered: false }]].concat();
                // An update has read the one before.
                if let (true, Some(before)) = (domain.updated[var], list.len().checked_sub(1)) {
                    let mut covering = new.clone();
                    covering[before].covered = true;
                    longer.push(covering);
                }
                longer.push(new);
            }
        }
        all.extend(longer.iter().cloned());
        longest = longer;
    }
    all
}

impl Views {
    /// The initial state with other lists of writes.
    fn with_lists(&self, domain: &Domain, lists: &[&Vec<Message>]) -> ViewState {
        let mut state = self.initial();
        let n = self.init.len();
        let initial = std::mem::take(&mut state.messages);
        for (var, first) in initial.into_iter().enumerate() {
            match domain.vars.iter().position(|other| *other == var) {
                Some(at) => state.messages.extend(lists[at]),
                None => state.messages.push(first),
            }
            state.starts[var + 1] = state.messages.len() as u16;
        }
        state.released = vec![0; n * state.row(state.messages.len())];
        state
    }

    /// Every way in which threads, and writes that release, may be aware of the others.
    fn each_view(&self, domain: &Domain, base: &ViewState, visit: &mut Visit<'_, ViewState>) -> ControlFlow<()> {
        let n = self.init.len();
        let length = |var: usize| usize::from(base.starts[var + 1] - base.starts[var]);
        let mut state = base.clone();
        // Where a number is, and how many there are.
        let mut released = Vec::new();
        for var in domain.vars.iter().filter(|var| domain.acquired == Some(**var)) {
            let first = usize::from(base.starts[*var]);
            for message in (first..first + length(*var)).filter(|message| base.messages[*message].releases) {
                let row = n * base.row(message);
                state.released[row + var] = (message - first) as u16;
                let others = domain.vars.iter().filter(|other| *other != var);
                released.extend(others.map(|other| (row + other, length(*other))));
            }
        }
        let mut views = Vec::new();
        for thread in &domain.threads {
            views.extend(domain.vars.iter().map(|var| (thread * n + var, length(*var))));
        }
        let asks_acted = self.keep.contains(&true);
        let acted = if asks_acted { domain.threads.len() } else { 0 };
        let limits: Vec<usize> =
            released.iter().chain(&views).map(|(_, limit)| *limit).chain(std::iter::repeat_n(2, acted)).collect();
        each_choice(&limits, &mut |choice| {
            let (of_released, rest) = choice.split_at(released.len());
            let (of_views, of_acted) = rest.split_at(views.len());
            released.iter().zip(of_released).for_each(|((at, _), value)| state.released[*at] = *value as u16);
            views.iter().zip(of_views).for_each(|((at, _), value)| state.views[*at] = *value as u16);
            let acted = domain.threads.iter().zip(of_acted).filter(|(_, acted)| **acted == 1);
            state.acted = acted.fold(0, |all, (thread, _)| all | 1 << thread);
            // A write that nobody can observe is not kept.
            let some_first =
                |var: &usize| self.keep[*var] || state.views.iter().skip(*var).step_by(n).any(|at| *at == 0);
            if domain.vars.iter().all(some_first) { visit(&state) } else { ControlFlow::Continue(()) }
        })
    }
}

/// Calls `visit` with every choice of numbers below these limits.
pub(crate) fn each_choice(limits: &[usize], visit: &mut dyn FnMut(&[usize]) -> ControlFlow<()>) -> ControlFlow<()> {
    if limits.contains(&0) {
        return ControlFlow::Continue(());
    }
    let mut choice = vec![0; limits.len()];
    loop {
        visit(&choice)?;
        let Some(at) = (0..limits.len()).rev().find(|at| choice[*at] + 1 < limits[*at]) else {
            return ControlFlow::Continue(());
        };
        choice[at] += 1;
        choice[at + 1..].fill(0);
    }
}
