//! Breadth first through all states that can be reached: what is found first is found by a shortest run.
//!
//! States are numbered in the order in which they are found. They are gone through in rounds of the same level: workers
//! ([`round`]) look at states and work out what steps lead to, and leave out what the store has; what is left is stored in
//! order. So numbers, runs and counts are the same for every number of workers.

mod circle;
mod round;

use crate::memory::Memory;
use crate::props::Check;
use crate::store::{Store, hash};
use crate::symmetry::Symmetries;
use crate::system::{Noticed, State, System};
use round::{Chunk, Worker};
use std::collections::BTreeMap;
use std::sync::Mutex;
use treville_base::{Cancel, Idx};
use treville_ir::{Formula, Place};
use treville_task::{FinalValue, Monitor, Progress, StopReason};
use treville_term::Bv;

/// What is looked for.
pub(crate) enum Target {
    State(Check),
    End(Check),
    /// A final state, with what must hold of it to count.
    Final(Formula, Option<Formula>),
    /// An assertion is false.
    Failed,
    /// Some threads are not done, and nothing will change any more.
    Deadlock,
    /// Machines do not do this.
    Never,
}

/// What to look at beside the targets.
pub(crate) struct Wanted<'a> {
    pub(crate) targets: &'a [Target],
    /// Final states are listed by these places.
    pub(crate) observed: Option<&'a [Place]>,
    pub(crate) most_states: u64,
    pub(crate) n_workers: usize,
    pub(crate) cancel: &'a Cancel,
}

pub(crate) struct Searched {
    pub(crate) store: Store,
    pub(crate) noticed: Noticed,
    /// For each target the first state, if there is one.
    pub(crate) reached: Vec<Option<usize>>,
    pub(crate) finals: BTreeMap<Vec<FinalValue>, u64>,
    pub(crate) transitions: u64,
    pub(crate) stopped: Option<StopReason>,
    /// Of the state that was found last.
    pub(crate) depth: u64,
    /// Every answer was known before all states were found, and the rest was left out.
    pub(crate) answered: bool,
    /// There may be a state where threads wait for ever: what comes after some was too much to look at.
    pub(crate) may_wait: bool,
    /// Whether some run completes ([`System::is_complete`]), if that is known.
    pub(crate) completes: Option<bool>,
}

/// What all workers need to know.
struct Search<'s, 'c, M: Memory> {
    system: &'s System<'c, M>,
    symmetries: &'s Symmetries,
    wanted: &'s Wanted<'s>,
}

/// States of a round, and of each chunk of it, at most.
const ROUND: usize = 8192;
const CHUNK: usize = 128;

/// Bytes of these states, at which a round ends.
const ROUND_BYTES: usize = 1 << 20;

/// So many states are found also when every answer is known, for those who want to know how many there are.
const COUNTED_ANYWAY: usize = 1 << 16;

pub(crate) fn search<M: Memory>(
    system: &System<'_, M>,
    symmetries: &Symmetries,
    wanted: &Wanted<'_>,
    monitor: &dyn Monitor,
) -> Searched {
    let search = Search { system, symmetries, wanted };
    let mut workers: Vec<_> = (0..wanted.n_workers.max(1)).map(|_| search.worker()).collect();
    let mut store = Store::new();
    search.store_start(&mut store, &mut workers[0]);
    let mut front = Front { number: 0, place: 0, level_end: 1, depth: 0 };
    let mut chunks: Vec<Chunk> = Vec::new();
    let (mut stopped, mut answered) = (None, false);
    while stopped.is_none() && !answered && front.number < store.len() {
        let n_chunks = front.cut_round(&store, &mut chunks);
        search.expand(&mut chunks[..n_chunks], &store, &mut workers);
        stopped = StopReason::of(wanted.cancel);
        if stopped.is_none() {
            chunks[..n_chunks].iter().for_each(|chunk| chunk.insert(&mut store));
            stopped = too_many(&store, wanted.most_states);
        }
        answered = store.len() > COUNTED_ANYWAY && search.is_answered(&workers);
        let candidates = workers.iter().map(|worker| worker.transitions).sum();
        monitor.progress(&Progress { executions: front.number as u64, candidates, expected: None });
    }
    if store.len() as u64 > wanted.most_states {
        search.look_at_rest(&front, &store, &mut workers[0]);
    }
    if stopped.is_none() && !answered && !workers.iter().any(|worker| search.has_deadlock(worker)) {
        search.look_for_circles(&store, &mut workers[0]);
    }
    let saw_all = stopped.is_none() && !answered && !workers.iter().any(|worker| worker.room.noticed.is_cut());
    let completes = if workers.iter().any(|worker| worker.completes) { Some(true) } else { saw_all.then_some(false) };
    Searched { stopped, depth: front.depth, answered, completes, ..gathered(store, workers, wanted) }
}

fn too_many(store: &Store, most: u64) -> Option<StopReason> {
    let why = || format!("the limit of {most} states was reached (option `max-states` N raises it)");
    (store.len() as u64 > most).then(|| StopReason::Refused(why()))
}

/// What all workers have found.
fn gathered<S>(store: Store, workers: Vec<Worker<S>>, wanted: &Wanted<'_>) -> Searched {
    let mut all = Searched {
        store,
        noticed: Noticed::default(),
        reached: vec![None; wanted.targets.len()],
        finals: BTreeMap::new(),
        transitions: 0,
        stopped: None,
        depth: 0,
        answered: false,
        may_wait: false,
        completes: None,
    };
    for worker in workers {
        for (first, reached) in all.reached.iter_mut().zip(worker.reached) {
            *first = first.iter().copied().chain(reached).min();
        }
        for (values, n) in worker.finals {
            *all.finals.entry(values).or_default() += n;
        }
        all.transitions += worker.transitions;
        all.may_wait |= worker.may_wait;
        all.noticed.add(worker.room.noticed);
    }
    all
}

/// The state to go on from.
struct Front {
    number: usize,
    place: usize,
    /// The first state that more steps lead to than to this one.
    level_end: usize,
    depth: u64,
}

impl Front {
    /// Takes the states of the next round, in chunks. What a level leads to must be there before the next begins.
    fn cut_round(&mut self, store: &Store, chunks: &mut Vec<Chunk>) -> usize {
        if self.number == self.level_end {
            self.level_end = store.len();
            self.depth += 1;
        }
        let round_end = self.level_end.min(self.number + ROUND);
        let enough = self.place + ROUND_BYTES;
        let mut n_chunks = 0;
        while self.number < round_end && self.place < enough {
            if chunks.len() == n_chunks {
                chunks.push(Chunk::default());
            }
            let n = CHUNK.min(round_end - self.number);
            chunks[n_chunks].begin(self.number, self.place, n);
            self.number += n;
            self.place = (0..n).fold(self.place, |place, _| store.at(place).1);
            n_chunks += 1;
        }
        n_chunks
    }
}

impl<M: Memory> Search<'_, '_, M> {
    /// Whether there is nothing more to learn from further states, but how many there are and whether one is a deadlock.
    fn is_answered(&self, workers: &[Worker<M::State>]) -> bool {
        let reached = |i: usize| workers.iter().any(|worker| worker.reached[i].is_some());
        let asked = |target: &Target| !matches!(target, Target::Deadlock | Target::Never);
        let mut asked = self.wanted.targets.iter().enumerate().filter(|(_, target)| asked(target)).peekable();
        self.wanted.observed.is_none() && asked.peek().is_some() && asked.all(|(i, _)| reached(i))
    }

    fn store_start(&self, store: &mut Store, worker: &mut Worker<M::State>) {
        let start = self.system.initial(&mut worker.room);
        let mut bytes = Vec::new();
        self.symmetries.encode(self.system, &start, &mut bytes);
        store.insert(&bytes, hash(&bytes), 0);
    }

    /// Works out all chunks: those in front first, each by the worker that comes for it.
    fn expand(&self, chunks: &mut [Chunk], store: &Store, workers: &mut [Worker<M::State>]) {
        if let (1, _) | (_, [_]) = (chunks.len(), &*workers) {
            return chunks.iter_mut().for_each(|chunk| self.expand_chunk(chunk, store, &mut workers[0]));
        }
        let open = Mutex::new(chunks.iter_mut());
        let next = || open.lock().ok().and_then(|mut chunks| chunks.next());
        std::thread::scope(|scope| {
            for worker in workers {
                let next = &next;
                scope.spawn(move || {
                    while let Some(chunk) = next() {
                        self.expand_chunk(chunk, store, worker);
                    }
                });
            }
        });
    }
}

/// Whether a state is what is looked for; a deadlock does not show in a state alone.
pub(crate) fn holds<M: Memory>(
    target: &Target,
    system: &System<'_, M>,
    state: &State<M::State>,
    is_done: bool,
) -> bool {
    match target {
        Target::State(check) => check.holds(system, state),
        Target::End(check) => is_done && check.holds(system, state),
        Target::Final(condition, filter) => {
            let value = |place: &Place| Some(value(system, state, place));
            is_done && filter.as_ref().is_none_or(|f| f.holds(&value)) && condition.holds(&value)
        }
        Target::Failed => system.has_failed(state),
        Target::Deadlock | Target::Never => false,
    }
}

/// The final value of a place.
fn value<M: Memory>(system: &System<'_, M>, state: &State<M::State>, place: &Place) -> Bv {
    match place {
        Place::Reg(thread, reg) => {
            let code = &system.code.threads[thread.index()];
            Bv::new(u128::from(state.regs[code.first_reg + reg.index()]), code.widths[reg.index()])
        }
        Place::Mem { object, .. } | Place::Array { object, .. } => match system.code.var_of(*object) {
            Some(var) => Bv::new(u128::from(system.memory.last(&state.memory, var)), system.code.vars[var].width),
            None => Bv::zero(1),
        },
    }
}
