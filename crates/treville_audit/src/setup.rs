//! What all trials of a program have in common: its code, its model, and what events are called.

use crate::audit::Comparison;
use crate::memory::cuts;
use crate::rows::Row;
use treville_base::Name;
use treville_bytecode::{Changes, Image, NotCompiled, Parts, RunOptions, SiteId, SiteKind};
use treville_event::{Cell, Event, Kind, RmwShape, Vocabulary};
use treville_ir::{DialectKind, Program, Tags};
use treville_task::{Reduction, Reference, Semantics, Task};
use treville_term::Bv;

/// Instructions that a thread may run without an event.
const FUEL: u32 = 1_000_000;

pub(crate) struct Setup<'a> {
    pub(crate) program: &'a Program,
    pub(crate) reference: &'a Reference,
    pub(crate) image: Image,
    pub(crate) run: RunOptions,
    pub(crate) comparison: Comparison,
    /// Values of the program are unknown.
    pub(crate) unknowns: bool,
    marks: Marks,
}

/// The tags of what is no access of the program's text.
struct Marks {
    initial: Vec<Name>,
    acquire: Vec<Name>,
    release: Vec<Name>,
    /// Taking a lock: its read, its write, both in one, and a read that found it taken.
    lock: [Vec<Name>; 4],
    unlock: Vec<Name>,
}

fn names(all: &[&str]) -> Vec<Name> {
    all.iter().map(|n| Name::new(n)).collect()
}

impl Marks {
    fn of(program: &Program, machine: bool) -> Marks {
        let plain = program.dialect.sets.iter().any(|s| *s == "NA");
        let initial = if plain { names(&["NA"]) } else { Vec::new() };
        if machine {
            let exclusive = program.dialect.exclusive.as_ref().filter(|x| program.tags.iter().any(|t| t == *x));
            let update = || exclusive.map_or_else(|| names(&["X"]), |tag| vec![tag.clone()]);
            let lock = [update(), update(), update(), Vec::new()];
            return Marks { initial, acquire: Vec::new(), release: Vec::new(), lock, unlock: Vec::new() };
        }
        let taken = || names(&["LK", "A", "ACQ", "RMW", "X"]);
        Marks {
            initial,
            acquire: names(&["A", "ACQ"]),
            release: names(&["A", "REL"]),
            lock: [taken(), names(&["A", "RLX", "RMW", "X"]), taken(), names(&["LF", "A", "RLX"])],
            unlock: names(&["UL", "A", "REL"]),
        }
    }
}

/// The part that an event has in an access of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    /// A read, a write or a fence by itself.
    Whole,
    /// The read of an update that writes nothing.
    Failed,
    /// The read and the write of an update.
    Read,
    Write,
    /// An update in one event.
    Fused,
}

/// What an event is, the thread aside.
pub(crate) struct Shape {
    pub(crate) kind: Kind,
    pub(crate) tags: Vec<Name>,
    pub(crate) cell: Option<Cell>,
    pub(crate) value: u64,
    pub(crate) site: Option<SiteId>,
}

impl<'a> Setup<'a> {
    /// # Errors
    /// If the program cannot be compiled.
    pub(crate) fn new(
        task: &'a Task,
        reference: &'a Reference,
        comparison: Comparison,
        parts: &Parts,
    ) -> Result<Self, NotCompiled> {
        let program = &*task.program;
        let counts = |reduction| !task.reductions.has(reduction);
        let (releases, hazards) = (counts(Reduction::LockRounds), counts(Reduction::HazardRounds));
        let image = treville_bytecode::compile(program, &[], parts)?.with_changes(Changes { releases, hazards });
        let judged = matches!(task.semantics, Semantics::Axioms(..));
        let bits = image.clone().with_bits_at_once();
        let unknowns = if judged { &bits } else { &image }.symbols().is_some();
        // Where executions are compared event by event, waits block as they do in the search.
        let blocks = |reduction| comparison == Comparison::Graphs && task.reductions.has(reduction);
        let run = RunOptions {
            idle_blocks: blocks(Reduction::AwaitLoops),
            retry_blocks: blocks(Reduction::RetryLoops),
            attempt_blocks: false,
            speculative: false,
            bound: task.bounds.given,
            fuel: FUEL,
        };
        let marks = Marks::of(program, reference.fence.is_some());
        Ok(Setup { program, reference, image: if judged { bits } else { image }, run, comparison, unknowns, marks })
    }

    pub(crate) fn vocabulary(&self) -> &'a Vocabulary {
        &self.reference.vocabulary
    }

    /// The event of a thread at a place; it neither reads from anything nor depends on anything yet.
    pub(crate) fn row(&self, shape: Shape, thread: Option<u32>, index: u32) -> Row {
        let Shape { kind, tags, cell, value, site } = shape;
        let value = cell.map(|cell| Bv::new(u128::from(value), 8 * cell.size));
        let event = Event {
            thread,
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
        Row { in_memory: site.is_some(), ..Row::of(event) }
    }

    /// What freeing an object does to a cell of it: as if the thread wrote there, not atomically, after so many of its events.
    pub(crate) fn freeing(&self, cell: Cell, thread: u16, rows: u32) -> Event {
        let shape = Shape { kind: Kind::Write, tags: names(&["NA"]), cell: Some(cell), value: 0, site: None };
        let event = self.row(shape, Some(u32::from(thread)), rows).event;
        Event { instance: u32::MAX, ..event }
    }

    pub(crate) fn initial(&self, cell: Cell, value: u64, index: u32) -> Row {
        let shape = Shape { kind: Kind::Init, tags: self.marks.initial.clone(), cell: Some(cell), value, site: None };
        self.row(shape, None, index)
    }

    /// The tags of starting a thread or ending one, and of having seen that.
    pub(crate) fn releasing(&self) -> Vec<Name> {
        self.marks.release.clone()
    }

    pub(crate) fn acquiring(&self) -> Vec<Name> {
        self.marks.acquire.clone()
    }

    /// The fence that makes a machine order what locks, starts and ends of threads order.
    pub(crate) fn fence(&self) -> Option<Shape> {
        let tags = vec![self.reference.fence.clone()?];
        Some(Shape { kind: Kind::Fence, tags, cell: None, value: 0, site: None })
    }

    /// Whether a fence comes before an access.
    pub(crate) fn releases(&self, site: SiteId) -> bool {
        self.kind(site) == &SiteKind::Unlock && !self.is_x86()
    }

    /// Whether a fence comes after an access.
    pub(crate) fn acquires(&self, site: SiteId, part: Part) -> bool {
        if self.is_x86() {
            return part == Part::Whole && matches!(self.kind(site), SiteKind::Store(tags) if self.is_seq_cst(tags));
        }
        let fused = self.is_fused(site) && matches!(part, Part::Failed | Part::Fused);
        self.kind(site) == &SiteKind::Lock && (part == Part::Write || fused)
    }

    /// Whether an update that writes is one event.
    pub(crate) fn is_fused(&self, site: SiteId) -> bool {
        let apart = matches!(self.kind(site), SiteKind::Update(tags) if tags.fused.is_empty());
        self.vocabulary().rmw == RmwShape::Fused && !apart
    }

    pub(crate) fn is_exclusive(&self, event: &Event) -> bool {
        self.program.dialect.exclusive.as_ref().is_some_and(|tag| event.tags.contains(tag))
    }

    pub(crate) fn is_lock(&self, site: SiteId) -> bool {
        matches!(self.kind(site), SiteKind::Lock | SiteKind::Unlock)
    }

    /// Whether the access may read memory that was never written.
    pub(crate) fn may_be_unwritten(&self, site: SiteId) -> bool {
        matches!(self.kind(site), SiteKind::Load(tags) if self.has(tags, "UNWRITTEN"))
    }

    pub(crate) fn tags(&self, site: SiteId, part: Part) -> Vec<Name> {
        let names = |tags: &Tags| tags.iter().map(|t| self.program.tags[*t].clone()).collect();
        if self.is_x86() {
            return match (self.kind(site), part) {
                (SiteKind::Fence(tags), _) if self.is_seq_cst(tags) => self.reference.fence.iter().cloned().collect(),
                (SiteKind::Update(_) | SiteKind::Lock, _) => vec![Name::new("X")],
                _ => Vec::new(),
            };
        }
        match (self.kind(site), part) {
            (SiteKind::Load(tags) | SiteKind::Store(tags) | SiteKind::Fence(tags), _) => names(tags),
            (SiteKind::Update(tags), Part::Failed) => names(&tags.fail),
            (SiteKind::Update(tags), Part::Fused) => names(&tags.fused),
            (SiteKind::Update(tags), Part::Read) => names(&tags.read),
            (SiteKind::Update(tags), _) => names(&tags.write),
            (SiteKind::Lock, Part::Read) => self.marks.lock[0].clone(),
            (SiteKind::Lock, Part::Write) => self.marks.lock[1].clone(),
            (SiteKind::Lock, Part::Fused) => self.marks.lock[2].clone(),
            (SiteKind::Lock, _) => self.marks.lock[3].clone(),
            (SiteKind::Unlock, _) => self.marks.unlock.clone(),
            _ => Vec::new(),
        }
    }

    /// How an access and one before it that it overlaps are to be cut; none if they cannot be.
    pub(crate) fn cut(&self, site: SiteId, own: (u64, u8), other: (SiteId, u64, u8)) -> Option<Parts> {
        let mut parts = Parts::new();
        let others = (other.1, other.2);
        for (site, one, another) in [(site, own, others), (other.0, others, own)] {
            let site = self.image.site(site);
            let plain = match &site.kind {
                SiteKind::Load(tags) | SiteKind::Store(tags) => self.has(tags, "NA"),
                _ => false,
            };
            let cuts = cuts(one, another);
            if cuts != 0 && plain {
                let (access, at) = site.access?;
                parts.insert(access, cuts << at);
                return Some(parts);
            }
        }
        None
    }

    fn kind(&self, site: SiteId) -> &SiteKind {
        &self.image.site(site).kind
    }

    fn has(&self, tags: &Tags, name: &str) -> bool {
        tags.iter().any(|tag| self.program.tags[*tag] == name)
    }

    fn is_seq_cst(&self, tags: &Tags) -> bool {
        self.has(tags, "SC")
    }

    /// Whether a program in C is judged as what it is after compilation to x86.
    fn is_x86(&self) -> bool {
        self.reference.fence.is_some() && self.program.dialect.kind() == DialectKind::C
    }
}
