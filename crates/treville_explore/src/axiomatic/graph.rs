//! The graph so far: the beginning of each thread's path, sources of reads, orders of writes.

use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;
use treville_base::Idx;
use treville_eval::Coherence;
use treville_event::{Cell, Kind, Relation};
use treville_ir::ThreadId;
use treville_term::TermId;
use treville_unfold::{PreExecution, Prepared, Trace};
use treville_vm::Link;

/// An event, or one part of an access that is split: a name that stays while the graph grows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Key {
    /// An initial write, by its position.
    Init(usize),
    /// One of a thread's, by its position among the parts of the thread's events.
    Part(ThreadId, usize),
}

/// What was chosen for a part of an event.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Has {
    Nothing,
    /// A source, or that it sees a write still to come.
    Source,
    /// All that it can have.
    All,
}

/// How far a thread is.
#[derive(Clone, Debug)]
pub(crate) struct Progress {
    /// The paths that it may be on, as positions in [`Paths`].
    pub(crate) paths: Range<usize>,
    /// Turns that were taken.
    pub(crate) turns: usize,
    /// Events that are certain: all of `paths` begin with them.
    pub(crate) len: u32,
    /// What the parts of certain events have; those beyond the end have nothing.
    pub(crate) has: Vec<Has>,
    /// The cells of events with computed addresses.
    pub(crate) cells: Vec<(u32, Cell)>,
}

impl Progress {
    pub(crate) fn has(&self, part: usize) -> Has {
        self.has.get(part).copied().unwrap_or(Has::Nothing)
    }

    pub(crate) fn give(&mut self, part: usize, has: Has) {
        if self.has.len() <= part {
            self.has.resize(part + 1, Has::Nothing);
        }
        self.has[part] = has;
    }
}

/// The paths of each thread whose conditions can hold.
pub(crate) struct Paths<'p> {
    pub(crate) prepared: &'p Prepared<'p>,
    kept: Vec<Vec<usize>>,
}

impl<'p> Paths<'p> {
    pub(crate) fn new(prepared: &'p Prepared<'p>) -> Self {
        Paths { prepared, kept: prepared.possible_paths() }
    }

    pub(crate) fn path(&self, thread: usize, position: usize) -> &'p Trace {
        &self.prepared.traces.threads[ThreadId::from_usize(thread)][self.kept[thread][position]]
    }

    /// Splits paths into runs of those that `same` relates to the first of the run.
    pub(crate) fn runs(
        &self,
        thread: usize,
        paths: &Range<usize>,
        same: impl Fn(&Trace, &Trace) -> bool,
    ) -> Vec<Range<usize>> {
        let mut runs: Vec<Range<usize>> = Vec::new();
        for i in paths.clone() {
            match runs.last_mut() {
                Some(run) if same(self.path(thread, run.start), self.path(thread, i)) => run.end = i + 1,
                _ => runs.push(i..i + 1),
            }
        }
        runs
    }

    /// No event is certain yet. `None` if some thread has no path.
    pub(crate) fn start(&self) -> Option<Vec<Progress>> {
        let start = |kept: &Vec<usize>| {
            let paths = 0..kept.len();
            let progress = Progress { paths, turns: 0, len: 0, has: Vec::new(), cells: Vec::new() };
            (!kept.is_empty()).then_some(progress)
        };
        self.kept.iter().map(start).collect()
    }

    /// Whether the thread's path is known to its end.
    pub(crate) fn is_whole(&self, thread: usize, progress: &Progress) -> bool {
        let path = self.path(thread, progress.paths.start);
        progress.len as usize == path.events.len() && progress.turns == path.turns.len()
    }

    /// The certain events.
    pub(crate) fn view(&self, threads: &[Progress]) -> View<'p> {
        let choice: Vec<usize> = threads.iter().zip(&self.kept).map(|(t, kept)| kept[t.paths.start]).collect();
        let limits: Vec<u32> = threads.iter().map(|t| t.len).collect();
        let mut pre = self.prepared.beginning(&choice, &limits);
        for (t, progress) in threads.iter().enumerate() {
            for (index, cell) in &progress.cells {
                pre.fix(pre.parts(ThreadId::from_usize(t), *index).start, *cell);
            }
        }
        let whole = threads.iter().enumerate().all(|(t, progress)| self.is_whole(t, progress));
        let updates = updates(&pre, self.prepared.vocabulary.po_inside);
        View { choice, limits, updates, pre, whole }
    }
}

/// The certain events as a pre.
pub(crate) struct View<'p> {
    choice: Vec<usize>,
    pub(crate) limits: Vec<u32>,
    pub(crate) pre: PreExecution<'p>,
    pub(crate) updates: Vec<Update>,
    /// Nothing is still to come.
    pub(crate) whole: bool,
}

/// An update, or one part of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Update {
    pub(crate) cell: Cell,
    pub(crate) read: Key,
    pub(crate) write: Key,
    /// Program order relates the read and the write.
    ordered: bool,
}

/// The updates of a pre: single events, and reads with the writes that are linked to them.
fn updates(pre: &PreExecution<'_>, po_inside: bool) -> Vec<Update> {
    let mut updates = Vec::new();
    for t in 0..pre.traces.len() {
        let thread = ThreadId::from_usize(t);
        for (i, event) in pre.of_thread(thread).iter().enumerate() {
            let read = match event.action.link {
                Link::Amo(read) | Link::Lxsx(read) => read,
                Link::None if event.action.kind == Kind::Update => i as u32,
                Link::None => continue,
            };
            let ordered = match event.action.link {
                Link::Amo(read) => po_inside && event.action.after.contains(read),
                Link::Lxsx(_) => true,
                Link::None => false,
            };
            let key = |id: usize| Key::Part(thread, id - pre.first[t][0]);
            for (r, w) in pre.parts(thread, read).zip(pre.parts(thread, i as u32)) {
                if let (Some(cell), true) = (pre.events[w].cell, pre.events[w].cell == pre.events[r].cell) {
                    updates.push(Update { cell, read: key(r), write: key(w), ordered });
                }
            }
        }
    }
    updates
}

impl View<'_> {
    pub(crate) fn is_updated(&self, cell: Cell) -> bool {
        self.updates.iter().any(|u| u.cell == cell)
    }

    /// The id of an event in the pre.
    pub(crate) fn id(&self, key: Key) -> usize {
        match key {
            Key::Init(i) => i,
            Key::Part(thread, part) => self.pre.first[thread.index()][0] + part,
        }
    }

    pub(crate) fn key(&self, id: usize) -> Key {
        match self.pre.events[id].at {
            None => Key::Init(id),
            Some((thread, _)) => Key::Part(thread, id - self.pre.first[thread.index()][0]),
        }
    }

    /// Whether program order relates two events, those of one instruction aside.
    fn is_po(&self, a: Key, b: Key) -> bool {
        let at = |key: Key| self.pre.events[self.id(key)].at;
        let (Some((thread, i)), Some((other, j))) = (at(a), at(b)) else { return false };
        let events = self.pre.of_thread(thread);
        let instance = |i: u32| events[i as usize].action.instance;
        thread == other && i < j && instance(i) != instance(j)
    }

    /// How many parts the certain events of a thread have.
    pub(crate) fn n_parts(&self, thread: usize) -> usize {
        let first = &self.pre.first[thread];
        first[first.len() - 1] - first[0]
    }

    /// Whether it shows these threads as they are now.
    pub(crate) fn is_of(&self, paths: &Paths<'_>, threads: &[Progress]) -> bool {
        threads.iter().enumerate().all(|(t, progress)| {
            paths.kept[t][progress.paths.start] == self.choice[t]
                && progress.len == self.limits[t]
                && (!self.whole || paths.is_whole(t, progress))
        }) && self.whole == threads.iter().enumerate().all(|(t, progress)| paths.is_whole(t, progress))
    }
}

/// A read that sees a write which is still to come.
#[derive(Clone, Debug)]
pub(crate) struct Open {
    pub(crate) read: Key,
    /// How many events of each thread were certain when it was left open: it sees none of them.
    pub(crate) refused: Vec<u32>,
}

/// Whether an accepted execution cannot have the write between what an update saw and what it wrote.
fn excludes(coherence: Coherence, update: &Update, write: Key) -> bool {
    match (update.write, write) {
        (Key::Part(a, _), Key::Part(b, _)) if update.read != update.write => coherence.pairs && a != b,
        _ => coherence.fused && update.read == update.write,
    }
}

#[derive(Clone)]
pub(crate) struct State<'p> {
    pub(crate) threads: Vec<Progress>,
    pub(crate) view: Rc<View<'p>>,
    /// Conditions of the paths taken that the values do not confirm yet.
    pub(crate) conditions: Vec<TermId>,
    /// From writes to reads.
    pub(crate) rf: Vec<(Key, Key)>,
    pub(crate) open: Vec<Open>,
    /// The writes of each cell that have a place.
    pub(crate) co: BTreeMap<Cell, Vec<Key>>,
}

impl<'p> State<'p> {
    /// Whether another update sees the write already, so that this one, if `read` is an update's, cannot.
    pub(crate) fn is_taken(&self, coherence: Coherence, read: Key, write: Key) -> bool {
        let updates = &self.view.updates;
        let Some(own) = updates.iter().find(|u| u.read == read) else { return false };
        // Both come after the write; so one of them comes between it and the other.
        let follows = |u: &Update| if u.read == u.write { coherence.fused } else { u.ordered && coherence.rw_other };
        updates.iter().any(|u| {
            let excludes = excludes(coherence, own, u.write) && excludes(coherence, u, own.write);
            u.read != read
                && u.cell == own.cell
                && follows(own)
                && follows(u)
                && excludes
                && self.source(u.read) == Some(write)
        })
    }

    /// Whether no update among these writes of a cell has one between its source and itself that it excludes.
    pub(crate) fn keeps_updates(&self, coherence: Coherence, cell: Cell, order: &[Key]) -> bool {
        let place = |key: Key| order.iter().position(|k| *k == key);
        self.view.updates.iter().filter(|u| u.cell == cell).all(|u| {
            let (Some(to), Some(from)) = (place(u.write), self.source(u.read).and_then(place)) else { return true };
            let (low, high) = if from < to { (from, to) } else { (to, from) };
            (from < to || u.read != u.write || !coherence.fused)
                && (from > to || !order[low + 1..high].iter().any(|w| excludes(coherence, u, *w)))
        })
    }

    /// Whether a write is among the others of its cell as program order has it, if the model asks for that.
    pub(crate) fn keeps_program_order(&self, coherence: Coherence, order: &[Key], place: usize) -> bool {
        let write = order[place];
        let in_order = |a: &Key, b: &Key| !self.view.is_po(*b, *a);
        !coherence.ww
            || order[..place].iter().all(|earlier| in_order(earlier, &write))
                && order[place + 1..].iter().all(|later| in_order(&write, later))
    }

    /// Whether a write must wait until what its update saw has a place.
    pub(crate) fn follows_later(&self, cell: Cell, write: Key) -> bool {
        let update = self.view.updates.iter().find(|u| u.write == write);
        let source = update.and_then(|u| self.source(u.read));
        source.is_some_and(|source| self.co.get(&cell).is_some_and(|order| !order.contains(&source)))
    }

    pub(crate) fn new(paths: &Paths<'p>) -> Option<Self> {
        let threads = paths.start()?;
        let view = paths.view(&threads);
        let init = view.pre.events.iter().enumerate().filter(|(_, e)| e.at.is_none());
        let co = init.filter_map(|(i, e)| Some((e.cell?, vec![Key::Init(i)]))).collect();
        let view = Rc::new(view);
        Some(State { threads, view, conditions: Vec::new(), rf: Vec::new(), open: Vec::new(), co })
    }

    /// What a read sees, if that is chosen.
    pub(crate) fn source(&self, read: Key) -> Option<Key> {
        self.rf.iter().find(|(_, r)| *r == read).map(|(w, _)| *w)
    }

    pub(crate) fn rf(&self) -> Relation {
        Relation::from_pairs(self.view.pre.events.len(), self.sources())
    }

    /// Writes and reads as ids.
    pub(crate) fn sources(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.rf.iter().map(|(w, r)| (self.view.id(*w), self.view.id(*r)))
    }

    pub(crate) fn co(&self) -> Relation {
        let mut co = Relation::new(self.view.pre.events.len());
        for order in self.co.values() {
            for (i, a) in order.iter().enumerate() {
                order[i + 1..].iter().for_each(|b| co.insert(self.view.id(*a), self.view.id(*b)));
            }
        }
        co
    }
}
