//! A graph of the search as an execution that the evaluator judges and reports draw: events with their tags, program order,
//! dependencies, reads-from and coherence.
//!
//! What models do not know becomes what they do. Starting a thread is a write that releases, and the thread's first event a read
//! of it that acquires; so are the end of a thread and joining it. Each has a cell of its own, which no program can reach.
//! An atomic access to several cells is one event if all accesses to them are; otherwise one for each cell, with no order
//! between them. Taking a lock is an update that acquires, giving it back a write that releases. Allocations are no events. Dependencies
//! come from running the threads once more, with a tracker.

use crate::graph::{EventId, Graph, INIT, Kind, Label, LocId, NO_PROMISE};
use crate::memory::Locations;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use treville_base::{Idx, IndexVec, Name};
use treville_bytecode::{Dependencies, Image, RunOptions, Runner, SiteId, SiteKind, Step, StepDeps, address};
use treville_event::{self as event, BaseRel, Cell, Event, EventSet, Relation, RmwShape, Skeleton, Vocabulary};
use treville_ir::{Dialect, Program, Tags};
use treville_term::Bv;
use treville_vm::Deps;

/// Whose executions are built, and for which model.
pub(crate) struct Builder<'a> {
    program: &'a Program,
    image: &'a Image,
    vocabulary: &'a Vocabulary,
    run: RunOptions,
    marks: Marks,
    runner: Runner<Dependencies>,
}

/// The tags of what is no access of the program's text.
struct Marks {
    initial: Vec<Name>,
    acquire: Vec<Name>,
    release: Vec<Name>,
    /// Taking a lock: its read, its write, both in one, and a read that found it taken.
    lock: [Vec<Name>; 4],
    unlock: Vec<Name>,
    /// Comes before what releases and after what acquires, where tags do not order enough.
    fence: Option<Name>,
}

impl Marks {
    fn of(program: &Program, fence: Option<&str>) -> Marks {
        let all = |names: &[&str]| names.iter().map(|n| Name::new(n)).collect::<Vec<_>>();
        let plain = program.dialect.sets.iter().any(|s| *s == "NA");
        let initial = if plain { all(&["NA"]) } else { Vec::new() };
        match fence {
            None => Marks {
                initial,
                acquire: all(&["A", "ACQ"]),
                release: all(&["A", "REL"]),
                lock: [
                    all(&["LK", "A", "ACQ", "RMW", "X"]),
                    all(&["A", "RLX", "RMW", "X"]),
                    all(&["LK", "A", "ACQ", "RMW", "X"]),
                    all(&["LF", "A", "RLX"]),
                ],
                unlock: all(&["UL", "A", "REL"]),
                fence: None,
            },
            Some(fence) => {
                let exclusive = program.dialect.exclusive.as_ref().filter(|x| program.tags.iter().any(|t| t == *x));
                let update = || exclusive.map_or_else(|| all(&["X"]), |tag| vec![tag.clone()]);
                Marks {
                    initial,
                    acquire: Vec::new(),
                    release: Vec::new(),
                    lock: [update(), update(), update(), Vec::new()],
                    unlock: Vec::new(),
                    fence: Some(Name::new(fence)),
                }
            }
        }
    }
}

/// An event that is being built; what it depends on is in rows.
struct Row {
    event: Event,
    deps: StepDeps,
    /// The read of the same update.
    amo: Option<usize>,
    /// The two are instructions of their own, the later a store-conditional.
    exclusive: bool,
}

struct Rows {
    rows: Vec<Row>,
    /// Of each event of the graph.
    of: Vec<Option<usize>>,
    init: BTreeMap<LocId, usize>,
    /// Of each thread that another started, its first event.
    starts: BTreeMap<u16, usize>,
    /// Locations that are always accessed together with others: of the first, the last one; the others are none by themselves.
    united: BTreeMap<LocId, LocId>,
    hidden: BTreeSet<LocId>,
}

/// What an event is, the thread aside.
struct Shape {
    kind: event::Kind,
    tags: Vec<Name>,
    cell: Option<Cell>,
    value: u128,
    site: Option<SiteId>,
}

impl<'a> Builder<'a> {
    /// `fence` is the strongest one of the program's dialect, if that is a machine's; programs in C need none, unless they are
    /// judged as what they are after compilation to x86, of which it then is the fence.
    pub(crate) fn new(
        program: &'a Program,
        image: &'a Image,
        vocabulary: &'a Vocabulary,
        run: RunOptions,
        fence: Option<&str>,
    ) -> Builder<'a> {
        Builder { program, image, vocabulary, run, marks: Marks::of(program, fence), runner: Runner::default() }
    }

    pub(crate) fn vocabulary(&self) -> &'a Vocabulary {
        self.vocabulary
    }

    /// The execution that a graph is, complete or not; a read that was promised its source has none.
    pub(crate) fn execution(&mut self, graph: &Graph, locations: &Locations) -> event::Graph {
        self.execution_with_rows(graph, locations).0
    }

    /// The same, with the event of the execution that each event of the graph is, if it is one.
    pub(crate) fn execution_with_rows(
        &mut self,
        graph: &Graph,
        locations: &Locations,
    ) -> (event::Graph, Vec<Option<usize>>) {
        let of = vec![None; graph.len() as usize];
        let (united, hidden) = united(graph);
        let mut rows = Rows { rows: Vec::new(), of, init: BTreeMap::new(), starts: BTreeMap::new(), united, hidden };
        for (loc, location) in graph.locations.iter().enumerate() {
            let is_accessed = !location.writes.is_empty() || !location.reads.is_empty();
            if is_accessed && !rows.hidden.contains(&(loc as LocId)) {
                rows.init.insert(loc as LocId, rows.rows.len());
                let row = self.initial(&rows, loc as LocId, locations);
                rows.rows.push(row);
            }
        }
        for thread in 0..graph.threads.len() as u16 {
            if graph.threads[usize::from(thread)].present {
                self.thread(graph, locations, thread, &mut rows);
            }
        }
        let rf = reads_from(graph, &rows);
        let (co, finals) = coherence(graph, &rows);
        let skeleton = Arc::new(skeleton(self.vocabulary, rows.rows));
        (event::Graph { skeleton, rf, co, finals }, rows.of)
    }

    fn initial(&self, rows: &Rows, loc: LocId, locations: &Locations) -> Row {
        let cell = rows.cell(loc, locations);
        let inside =
            |p: &&crate::memory::Place| p.addr.checked_sub(cell.address).is_some_and(|at| at < u64::from(cell.size));
        let parts = locations.places.iter().filter(inside);
        let value = parts.fold(0, |sum, p| sum | u128::from(p.init) << (8 * (p.addr - cell.address)));
        let (kind, tags) = (event::Kind::Init, self.marks.initial.clone());
        let shape = Shape { kind, tags, cell: Some(cell), value, site: None };
        let mut row = self.row(shape, 0, rows.rows.len() as u32);
        row.event.thread = None;
        row
    }

    fn row(&self, shape: Shape, thread: u16, index: u32) -> Row {
        let Shape { kind, tags, cell, value, site } = shape;
        let value = cell.map(|cell| Bv::new(value, 8 * cell.size));
        let event = Event {
            thread: Some(u32::from(thread)),
            index,
            kind,
            tags,
            cell,
            read: value.filter(|_| kind.reads()),
            written: value.filter(|_| kind.writes()),
            instance: index,
            instr: site.map_or(u32::MAX - index, |s| self.image.site(s).instr.0),
            access: index,
            register: None,
            span: site.map(|s| self.image.site(s).span),
        };
        Row { event, deps: StepDeps::default(), amo: None, exclusive: false }
    }

    fn thread(&mut self, graph: &Graph, locations: &Locations, thread: u16, rows: &mut Rows) {
        let entry = &graph.threads[usize::from(thread)];
        let first = rows.rows.len();
        // For each event that a value may come from, its row; the thread's start is the first.
        let mut steps = vec![None; entry.events.len() + 1];
        if entry.spawn != INIT {
            rows.starts.insert(thread, first);
            steps[0] = Some(first);
            let (tags, value) = (self.marks.acquire.clone(), u128::from(thread));
            let start = Shape { kind: event::Kind::Read, tags, cell: Some(started(thread)), value, site: None };
            rows.rows.push(self.row(start, thread, 0));
            self.fence(thread, first, rows);
        }
        let all_deps = self.dependencies(graph, thread);
        for (at, e) in entry.events.iter().copied().enumerate() {
            let label = *graph.label(e);
            if let Some(row) = rows.of[e as usize] {
                // It is one with an event before it.
                steps[at + 1] = Some(row);
                continue;
            }
            let deps = &all_deps[at];
            let write = entry.events.get(at + usize::from(label.parts())).copied();
            let write = write.filter(|w| label.kind == Kind::UpdateRead && graph.label(*w).kind == Kind::UpdateWrite);
            let Some(shape) = self.shape(graph, e, write.is_some(), rows, locations) else { continue };
            if self.releases(&label) {
                self.fence(thread, first, rows);
            }
            let row = rows.rows.len();
            let mut new = self.row(shape, thread, (row - first) as u32);
            rows.unite(graph, e, row);
            steps[at + 1] = Some(row);
            if let Some(write) = write.filter(|_| self.is_fused(label.site)) {
                let written = rows.value(graph, self.image, write);
                new.event.kind = event::Kind::Update;
                new.event.written = new.event.cell.map(|c| Bv::new(written, 8 * c.size));
                rows.unite(graph, write, row);
                new.deps.data = in_rows(&all_deps[at + usize::from(label.parts())].data, &steps);
            } else if label.kind != Kind::UpdateRead {
                new.deps.data = in_rows(&deps.data, &steps);
            }
            new.deps.addr = in_rows(&deps.addr, &steps);
            new.deps.ctrl = in_rows(&deps.ctrl, &steps);
            if label.part() > 0
                && let Some(before) = rows.of[graph.group(e)[0] as usize]
            {
                new.event.instance = rows.rows[before].event.instance;
            }
            if label.kind == Kind::UpdateWrite {
                let guard = in_rows(&deps.guard, &steps);
                new.amo = rows.of[graph.update_read(e) as usize];
                new.exclusive = self.is_exclusive(&new.event);
                if new.exclusive {
                    new.deps.ctrl.extend(&guard);
                } else {
                    new.event.instance = new.amo.map_or(new.event.instance, |read| rows.rows[read].event.instance);
                    new.deps.guard = guard;
                }
            }
            let acquires = self.acquires(&label);
            rows.rows.push(new);
            if acquires {
                self.fence(thread, first, rows);
            }
        }
    }

    /// What each event of a thread depends on, by step: its start is 0, the event at a position one more than that.
    fn dependencies(&mut self, graph: &Graph, thread: u16) -> Vec<StepDeps> {
        let entry = &graph.threads[usize::from(thread)];
        self.runner.start_after(self.image, u32::from(thread), entry.func, &entry.args, 0);
        let mut all = Vec::with_capacity(entry.events.len());
        while let Some(e) = entry.events.get(all.len()).copied() {
            let step = self.runner.run(self.image, &self.run);
            let (first, parts) = (all.len() as u32 + 1, graph.group(e).len());
            all.extend(std::iter::repeat_n(self.runner.step_deps().clone(), parts));
            let value = graph.label(e).value;
            match step {
                Step::Load { .. } | Step::UpdateRead { .. } if !graph.is_whole(e) => {}
                Step::Load { .. } | Step::UpdateRead { .. } | Step::Join { .. } | Step::Nondet { .. } => {
                    self.runner.give_from(self.image, graph.words(self.image, e), first..first + parts as u32);
                }
                // Its handle is no secret.
                Step::Spawn { .. } => self.runner.give_from(self.image, [value + 1, 0], 0..0),
                _ => {}
            }
        }
        all
    }

    fn shape(&self, graph: &Graph, e: EventId, writes: bool, rows: &Rows, locations: &Locations) -> Option<Shape> {
        let label = graph.label(e);
        let place = || Some(rows.cell(label.loc, locations));
        let (kind, cell, tags) = match label.kind {
            Kind::Init | Kind::Alloc | Kind::Free => return None,
            Kind::Choice | Kind::Decision | Kind::Assumption | Kind::Selection => return None,
            Kind::Read | Kind::UpdateRead => (event::Kind::Read, place(), self.tags(label, writes)),
            Kind::Write | Kind::UpdateWrite => (event::Kind::Write, place(), self.tags(label, true)),
            Kind::Fence => (event::Kind::Fence, None, self.tags(label, false)),
            Kind::Spawn => (event::Kind::Write, Some(started(label.value as u16)), self.marks.release.clone()),
            Kind::End => (event::Kind::Write, Some(ended(label.thread)), self.marks.release.clone()),
            Kind::Join => (event::Kind::Read, Some(ended(graph.label(label.rf).thread)), self.marks.acquire.clone()),
        };
        Some(Shape { kind, tags, cell, value: rows.value(graph, self.image, e), site: label.site })
    }

    /// The tags of an access or fence of the program; `writes` if it is part of an update that writes.
    fn tags(&self, label: &Label, writes: bool) -> Vec<Name> {
        let Some(site) = label.site else { return Vec::new() };
        let names = |tags: &Tags| tags.iter().map(|t| self.program.tags[*t].clone()).collect();
        let reads = label.kind.reads();
        if self.is_compiled() {
            return match label.kind {
                Kind::UpdateRead | Kind::UpdateWrite => vec![Name::new("X")],
                Kind::Fence if label.mode.seq_cst() => self.marks.fence.iter().cloned().collect(),
                _ => Vec::new(),
            };
        }
        match &self.image.site(site).kind {
            SiteKind::Load(tags) | SiteKind::Store(tags) | SiteKind::Fence(tags) => names(tags),
            SiteKind::Update(tags) if reads && !writes => names(&tags.fail),
            SiteKind::Update(tags) if reads && self.is_fused(label.site) => names(&tags.fused),
            SiteKind::Update(tags) if reads => names(&tags.read),
            SiteKind::Update(tags) => names(&tags.write),
            SiteKind::Lock if reads && !writes => self.marks.lock[3].clone(),
            SiteKind::Lock if reads && self.is_fused(label.site) => self.marks.lock[2].clone(),
            SiteKind::Lock if reads => self.marks.lock[0].clone(),
            SiteKind::Lock => self.marks.lock[1].clone(),
            SiteKind::Unlock => self.marks.unlock.clone(),
            _ => Vec::new(),
        }
    }

    /// Whether an update at this site that writes is one event.
    fn is_fused(&self, site: Option<SiteId>) -> bool {
        let apart = matches!(site.map(|s| &self.image.site(s).kind), Some(SiteKind::Update(t)) if t.fused.is_empty());
        self.vocabulary.rmw == RmwShape::Fused && !apart
    }

    /// Whether the program is in C, and the fence of x86.
    fn is_compiled(&self) -> bool {
        self.marks.fence.is_some() && *self.program.dialect.name == *Dialect::C
    }

    fn releases(&self, label: &Label) -> bool {
        let unlocks = self.is_at(label, &SiteKind::Unlock) && !self.is_compiled();
        matches!(label.kind, Kind::Spawn | Kind::End) || unlocks
    }

    fn acquires(&self, label: &Label) -> bool {
        let locks = self.is_at(label, &SiteKind::Lock) && (label.kind.writes() || self.is_fused(label.site));
        if self.is_compiled() {
            return label.kind == Kind::Join || label.kind == Kind::Write && label.mode.seq_cst();
        }
        label.kind == Kind::Join || locks
    }

    fn is_exclusive(&self, event: &Event) -> bool {
        self.program.dialect.exclusive.as_ref().is_some_and(|tag| event.tags.contains(tag))
    }

    fn is_at(&self, label: &Label, kind: &SiteKind) -> bool {
        label.site.is_some_and(|s| self.image.site(s).kind == *kind)
    }

    fn fence(&self, thread: u16, first: usize, rows: &mut Rows) {
        if let Some(fence) = &self.marks.fence {
            let shape = Shape { kind: event::Kind::Fence, tags: vec![fence.clone()], cell: None, value: 0, site: None };
            let index = (rows.rows.len() - first) as u32;
            rows.rows.push(self.row(shape, thread, index));
        }
    }
}

impl Rows {
    /// The bytes of a location, or of several that are always accessed together.
    fn cell(&self, loc: LocId, locations: &Locations) -> Cell {
        let first = locations.places[loc as usize];
        let last = self.united.get(&loc).map_or(first, |last| locations.places[*last as usize]);
        Cell { address: first.addr, size: (last.addr - first.addr) as u8 + last.size }
    }

    /// What an event reads or writes, alone or with those that it is one with.
    fn value(&self, graph: &Graph, image: &Image, e: EventId) -> u128 {
        let label = graph.label(e);
        match self.united.contains_key(&label.loc) {
            true => {
                let [low, high] = graph.words(image, e);
                u128::from(low) | u128::from(high) << 64
            }
            false => u128::from(label.value),
        }
    }

    /// Notes the row of an event, and of those that it is one with.
    fn unite(&mut self, graph: &Graph, e: EventId, row: usize) {
        self.of[e as usize] = Some(row);
        if self.united.contains_key(&graph.label(e).loc) {
            graph.group(e).iter().for_each(|part| self.of[*part as usize] = Some(row));
        }
    }
}

/// Locations that all accesses to one of them access together: the last one for each first, and those that are not the first.
fn united(graph: &Graph) -> (BTreeMap<LocId, LocId>, BTreeSet<LocId>) {
    let (mut united, mut hidden) = (BTreeMap::new(), BTreeSet::new());
    let cells = |e: EventId| graph.group(e).iter().map(|p| graph.label(*p).loc).collect::<Vec<LocId>>();
    let accesses = |loc: LocId| {
        let location = &graph.locations[loc as usize];
        location.writes.iter().chain(&location.reads).copied()
    };
    for e in 1..graph.len() {
        let label = graph.label(e);
        if label.parts() == 1 || label.part() > 0 || united.contains_key(&label.loc) || !graph.is_whole(e) {
            continue;
        }
        let own = cells(e);
        if own.iter().all(|loc| accesses(*loc).all(|other| cells(other) == own)) {
            united.insert(label.loc, own[own.len() - 1]);
            hidden.extend(&own[1..]);
        }
    }
    (united, hidden)
}

/// The cells that threads are started and ended by: below everything that a program can have.
fn started(thread: u16) -> Cell {
    Cell { address: 0x2000_0000 + 16 * u64::from(thread), size: 8 }
}

fn ended(thread: u16) -> Cell {
    Cell { address: started(thread).address + 8, size: 8 }
}

/// The thread whose start or end has this address.
pub(crate) fn start_or_end_of(addr: u64) -> Option<u16> {
    let cells = started(0).address..started(address::MAX_THREADS as u16).address;
    cells.contains(&addr).then(|| ((addr - cells.start) / 16) as u16)
}

/// The address of another thread's start, or end, given one's.
pub(crate) fn start_or_end_renamed(addr: u64, thread: u16) -> u64 {
    started(thread).address + addr % 16
}

fn in_rows(deps: &Deps, steps: &[Option<usize>]) -> Deps {
    let mut rows = Deps::new();
    deps.iter().filter_map(|step| *steps.get(step as usize)?).for_each(|row| rows.insert(row as u32));
    rows
}

fn reads_from(graph: &Graph, rows: &Rows) -> Relation {
    let mut rf = Relation::new(rows.rows.len());
    let mut add = |source: Option<usize>, read: usize| {
        if let Some(source) = source {
            rf.insert(source, read);
        }
    };
    for e in 1..graph.len() {
        let label = graph.label(e);
        let Some(read) = rows.of[e as usize].filter(|_| !rows.hidden.contains(&label.loc)) else { continue };
        match label.kind {
            Kind::Read | Kind::UpdateRead if label.rf == INIT && label.promise != NO_PROMISE => {}
            Kind::Read | Kind::UpdateRead if label.rf == INIT => add(rows.init.get(&label.loc).copied(), read),
            Kind::Read | Kind::UpdateRead | Kind::Join => add(rows.of[label.rf as usize], read),
            _ => {}
        }
    }
    for (thread, start) in &rows.starts {
        add(rows.of[graph.threads[usize::from(*thread)].spawn as usize], *start);
    }
    rf
}

/// The order of writes, and the last ones.
fn coherence(graph: &Graph, rows: &Rows) -> (Relation, EventSet) {
    let n = rows.rows.len();
    let (mut co, mut finals) = (Relation::new(n), EventSet::new(n));
    for (loc, init) in &rows.init {
        let of = |w: &EventId| rows.of[*w as usize];
        let writes: Vec<usize> =
            std::iter::once(*init).chain(graph.locations[*loc as usize].writes.iter().filter_map(of)).collect();
        for (i, w) in writes.iter().enumerate() {
            writes[i + 1..].iter().for_each(|v| co.insert(*w, *v));
        }
        finals.insert(writes[writes.len() - 1]);
    }
    (co, finals)
}

/// An event of a small execution that shows what a model does.
fn sample(thread: u32, index: u32, kind: event::Kind, cell: u16, tags: &[&str]) -> Row {
    let event = Event {
        thread: Some(thread),
        index,
        kind,
        tags: tags.iter().map(|t| Name::new(t)).collect(),
        cell: Some(started(cell)),
        read: None,
        written: None,
        instance: index,
        instr: index,
        access: index,
        register: None,
        span: None,
    };
    Row { event, deps: StepDeps::default(), amo: None, exclusive: false }
}

/// A write comes between the write that an update has read and its own.
pub(crate) fn torn_update(vocabulary: &Vocabulary) -> event::Graph {
    let has = |tag: &str| vocabulary.sets.contains(tag) && !vocabulary.empty.contains(tag);
    let exclusive = has("EX") && !has("X");
    let (plain, tags): (&[&str], &[&str]) = match (has("A"), exclusive) {
        (true, _) if vocabulary.sets.contains("RLX") => (&["A", "RLX"], &["A", "RLX", "RMW", "X"]),
        (_, true) => (&[], &["EX"]),
        _ => (&[], &["X"]),
    };
    let first = sample(0, 0, event::Kind::Write, 0, plain);
    let between = sample(1, 0, event::Kind::Write, 0, plain);
    let rows = if vocabulary.rmw == RmwShape::Fused {
        vec![first, between, sample(2, 0, event::Kind::Update, 0, tags)]
    } else {
        let read = sample(2, 0, event::Kind::Read, 0, tags);
        let mut write = Row { amo: Some(3), exclusive, ..sample(2, 1, event::Kind::Write, 0, tags) };
        write.event.instance = u32::from(exclusive);
        vec![first, between, write, read]
    };
    let n = rows.len();
    let skeleton = Arc::new(skeleton(vocabulary, rows));
    let co = Relation::from_pairs(n, [(0, 1), (0, 2), (1, 2)]);
    event::Graph { skeleton, rf: Relation::from_pairs(n, [(0, n - 1)]), co, finals: EventSet::new(n) }
}

/// A thread reads what another has written, and writes what depends on that in some way; a third writes later what was read.
pub(crate) fn probe(vocabulary: &Vocabulary, dependency: BaseRel) -> event::Graph {
    let tags: &[&str] = if vocabulary.sets.contains("RLX") { &["A", "RLX"] } else { &[] };
    let row = |thread: u32, index: u32, kind: event::Kind, cell: u16| sample(thread, index, kind, cell, tags);
    let mut last = row(1, 1, event::Kind::Write, 1);
    let depends = Deps::one(1);
    match dependency {
        BaseRel::Addr => last.deps.addr = depends,
        BaseRel::Data => last.deps.data = depends,
        _ => last.deps.ctrl = depends,
    }
    let other = row(2, 0, event::Kind::Write, 0);
    let rows = vec![row(0, 0, event::Kind::Write, 0), row(1, 0, event::Kind::Read, 0), last, other];
    let skeleton = Arc::new(skeleton(vocabulary, rows));
    let (rf, co) = (Relation::from_pairs(4, [(0, 1)]), Relation::from_pairs(4, [(0, 3)]));
    event::Graph { skeleton, rf, co, finals: EventSet::new(4) }
}

fn skeleton(vocabulary: &Vocabulary, rows: Vec<Row>) -> Skeleton {
    let n = rows.len();
    let mut rels = BTreeMap::new();
    // The events of a thread are next to each other.
    let threads = || rows.chunk_by(|a, b| a.event.thread.is_some() && a.event.thread == b.event.thread);
    let mut inside = |rel, holds: &dyn Fn(&Event, &Event) -> bool| {
        let (mut relation, mut first) = (Relation::new(n), 0);
        for rows in threads() {
            for (i, a) in rows.iter().enumerate().filter(|(_, a)| a.event.thread.is_some()) {
                let related = rows.iter().enumerate().filter(|(_, b)| holds(&a.event, &b.event));
                related.for_each(|(j, _)| relation.insert(first + i, first + j));
            }
            first += rows.len();
        }
        rels.insert(rel, relation);
    };
    inside(BaseRel::Int, &|_, _| true);
    inside(BaseRel::SameInstance, &|a, b| a.instance == b.instance);
    inside(BaseRel::SameInstr, &|a, b| a.instr == b.instr);
    inside(BaseRel::Po, &|a, b| a.index < b.index && (a.instance != b.instance || vocabulary.po_inside));
    let initial = EventSet::from_members(n, (0..n).filter(|i| rows[*i].event.thread.is_none()));
    let mut together = Relation::new(n);
    together.product_into(&initial, &initial);
    rels.get(&BaseRel::Int).into_iter().for_each(|int| together.union_assign(int));
    together.complement_assign();
    rels.insert(BaseRel::Ext, together);
    let mut cells: BTreeMap<Cell, Vec<usize>> = BTreeMap::new();
    for (i, cell) in rows.iter().enumerate().filter_map(|(i, row)| Some((i, row.event.cell?))) {
        cells.entry(cell).or_default().push(i);
    }
    let together = cells.values().flat_map(|rows| rows.iter().flat_map(|i| rows.iter().map(|j| (*i, *j))));
    rels.insert(BaseRel::Loc, Relation::from_pairs(n, together));
    rels.insert(BaseRel::Si, same_access(&rows));
    rels.insert(BaseRel::Id, Relation::identity(n));
    let from = |deps: fn(&StepDeps) -> &Deps| {
        let pairs = rows.iter().enumerate().flat_map(|(i, row)| deps(&row.deps).iter().map(move |d| (d as usize, i)));
        Relation::from_pairs(n, pairs.filter(|(a, b)| a != b))
    };
    let (addr, data, ctrl) = (from(|d| &d.addr), from(|d| &d.data), from(|d| &d.ctrl));
    rels.insert(BaseRel::PickAddr, addr.clone());
    rels.insert(BaseRel::PickData, data.union(&from(|d| &d.guard)));
    rels.insert(BaseRel::PickCtrl, ctrl.clone());
    rels.insert(BaseRel::Addr, addr);
    rels.insert(BaseRel::Data, data);
    rels.insert(BaseRel::Ctrl, ctrl);
    for (rel, exclusive) in [(BaseRel::Amo, false), (BaseRel::Lxsx, true)] {
        let rows = rows.iter().enumerate().filter(|(_, row)| row.exclusive == exclusive);
        rels.insert(rel, Relation::from_pairs(n, rows.filter_map(|(i, row)| Some((row.amo?, i)))));
    }
    let events: IndexVec<event::EventId, Event> = rows.into_iter().map(|row| row.event).collect();
    Skeleton { sets: sets(&events), events, rels }
}

/// The parts of an access with each other: reads, or writes, of one instance.
fn same_access(rows: &[Row]) -> Relation {
    let mut same = Relation::new(rows.len());
    for (i, a) in rows.iter().enumerate().filter(|(_, row)| row.event.cell.is_some()) {
        same.insert(i, i);
        let of_one = |b: &Row| {
            a.event.thread.is_some() && a.event.thread == b.event.thread && a.event.instance == b.event.instance
        };
        let next = rows.iter().enumerate().skip(i + 1).take_while(|(_, b)| of_one(b));
        for (j, _) in next.filter(|(_, b)| a.event.kind == b.event.kind) {
            same.insert(i, j);
            same.insert(j, i);
        }
    }
    same
}

fn sets(events: &IndexVec<event::EventId, Event>) -> BTreeMap<Name, EventSet> {
    let n = events.len();
    let mut sets: BTreeMap<Name, EventSet> = BTreeMap::new();
    for (id, event) in events.iter_enumerated() {
        let kinds: &[&str] = match event.kind {
            event::Kind::Init => &["IW", "M", "Exp", "W", "EXEC"],
            event::Kind::Read => &["M", "Exp", "R", "EXEC"],
            event::Kind::Write => &["M", "Exp", "W", "EXEC"],
            event::Kind::Update => &["M", "Exp", "R", "W", "EXEC"],
            event::Kind::Fence => &["F", "EXEC"],
            event::Kind::Branch | event::Kind::RegRead | event::Kind::RegWrite | event::Kind::Opaque => &["EXEC"],
        };
        for name in kinds.iter().map(|k| Name::new(k)).chain(event.tags.iter().cloned()) {
            sets.entry(name).or_insert_with(|| EventSet::new(n)).insert(id.index());
        }
    }
    sets
}
