//! Writing graphs by hand.

use std::collections::BTreeMap;
use std::sync::Arc;
use treville_base::{BitMatrix, BitSet, Idx, IndexVec, Name};
use treville_event::{BaseRel, Cell, Event, EventId, Graph, Kind, Relation, Skeleton};
use treville_term::Bv;

/// Events in the order in which they are added; those of a thread are in program order.
#[derive(Default)]
pub(crate) struct Sketch {
    events: Vec<Event>,
    rels: BTreeMap<BaseRel, Vec<(usize, usize)>>,
    rf: Vec<(usize, usize)>,
    co: Vec<Vec<usize>>,
    finals: Vec<usize>,
}

impl Sketch {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    fn push(&mut self, thread: Option<u32>, kind: Kind, tags: &[&str]) -> usize {
        let index = self.events.len() as u32;
        self.events.push(Event {
            thread,
            index,
            kind,
            tags: tags.iter().map(|t| Name::new(t)).collect(),
            cell: None,
            read: None,
            written: None,
            instance: index,
            instr: index,
            access: index,
            register: None,
            span: None,
        });
        index as usize
    }

    pub(crate) fn kind_of(&self, event: usize) -> Kind {
        self.events[event].kind
    }

    /// The initial write of a location, of value 0.
    pub(crate) fn init(&mut self, address: u64) -> usize {
        let e = self.push(None, Kind::Init, &[]);
        self.at(e, address, 0)
    }

    pub(crate) fn read(&mut self, thread: u32, address: u64, value: u64, tags: &[&str]) -> usize {
        let e = self.push(Some(thread), Kind::Read, tags);
        self.at(e, address, value)
    }

    pub(crate) fn write(&mut self, thread: u32, address: u64, value: u64, tags: &[&str]) -> usize {
        let e = self.push(Some(thread), Kind::Write, tags);
        self.at(e, address, value)
    }

    pub(crate) fn fence(&mut self, thread: u32, tags: &[&str]) -> usize {
        self.push(Some(thread), Kind::Fence, tags)
    }

    /// An event that is only its tags, at a location.
    pub(crate) fn opaque(&mut self, thread: u32, address: u64, tags: &[&str]) -> usize {
        let e = self.push(Some(thread), Kind::Opaque, tags);
        self.events[e].cell = Some(Cell { address, size: 4 });
        e
    }

    pub(crate) fn register(&mut self, thread: u32, name: &str, write: bool, tags: &[&str]) -> usize {
        let e = self.push(Some(thread), if write { Kind::RegWrite } else { Kind::RegRead }, tags);
        self.events[e].register = Some(Name::new(name));
        e
    }

    pub(crate) fn branch(&mut self, thread: u32) -> usize {
        self.push(Some(thread), Kind::Branch, &["B", "BCC"])
    }

    fn at(&mut self, e: usize, address: u64, value: u64) -> usize {
        let value = Some(Bv::new(value.into(), 32));
        let event = &mut self.events[e];
        event.cell = Some(Cell { address, size: 4 });
        if event.kind.reads() {
            event.read = value
        } else {
            event.written = value
        }
        e
    }

    /// Makes events parts of one instruction; of one access, if `access`.
    pub(crate) fn together(&mut self, events: &[usize], access: bool) {
        for &e in events {
            self.events[e].instance = events[0] as u32;
            if access {
                self.events[e].access = events[0] as u32;
            }
        }
    }

    pub(crate) fn rf(&mut self, write: usize, read: usize) {
        self.rf.push((write, read));
    }

    /// The writes of a location, in order.
    pub(crate) fn co(&mut self, writes: &[usize]) {
        self.co.push(writes.to_vec());
        self.finals.extend(writes.last());
    }

    pub(crate) fn last(&mut self, write: usize) {
        self.finals.push(write);
    }

    pub(crate) fn rel(&mut self, rel: BaseRel, pairs: &[(usize, usize)]) {
        self.rels.entry(rel).or_default().extend(pairs);
    }

    pub(crate) fn build(self) -> Graph {
        let n = self.events.len();
        let events = &self.events;
        let relation = |holds: &dyn Fn(&Event, &Event) -> bool| {
            let all = (0..n).flat_map(|a| (0..n).map(move |b| (a, b)));
            BitMatrix::from_pairs(n, all.filter(|&(a, b)| holds(&events[a], &events[b])))
        };
        let same_thread = |a: &Event, b: &Event| a.thread.is_some() && a.thread == b.thread;
        let memory = |e: &Event| e.kind.reads() || e.kind.writes();
        let mut rels: BTreeMap<BaseRel, Relation> = BTreeMap::new();
        rels.insert(BaseRel::Id, BitMatrix::identity(n));
        rels.insert(BaseRel::Int, relation(&same_thread));
        rels.insert(BaseRel::Ext, relation(&|a, b| a.thread != b.thread));
        rels.insert(BaseRel::Loc, relation(&|a, b| a.cell.is_some() && a.cell == b.cell));
        rels.insert(BaseRel::Po, relation(&|a, b| same_thread(a, b) && a.index < b.index && a.instance != b.instance));
        rels.insert(BaseRel::SameInstance, relation(&|a, b| same_thread(a, b) && a.instance == b.instance));
        rels.insert(BaseRel::Si, relation(&|a, b| memory(a) && memory(b) && a.access == b.access));
        for (rel, pairs) in self.rels {
            rels.insert(rel, BitMatrix::from_pairs(n, pairs));
        }
        let mut sets: BTreeMap<Name, BitSet> = BTreeMap::new();
        for (i, event) in events.iter().enumerate() {
            let kinds: &[&str] = match event.kind {
                Kind::Init => &["IW", "W", "M"],
                Kind::Read => &["R", "M"],
                Kind::Write => &["W", "M"],
                Kind::Update => &["R", "W", "M"],
                Kind::Fence => &["F"],
                Kind::RegRead => &["Rreg"],
                Kind::RegWrite => &["Wreg"],
                Kind::Branch | Kind::Opaque => &[],
            };
            for name in kinds.iter().map(|k| Name::new(k)).chain(event.tags.iter().cloned()) {
                sets.entry(name).or_insert_with(|| BitSet::new(n)).insert(i);
            }
        }
        let orders = self
            .co
            .iter()
            .flat_map(|order| order.iter().enumerate().flat_map(|(i, &a)| order[i + 1..].iter().map(move |&b| (a, b))));
        Graph {
            rf: BitMatrix::from_pairs(n, self.rf),
            co: BitMatrix::from_pairs(n, orders),
            finals: BitSet::from_members(n, self.finals),
            skeleton: Arc::new(Skeleton { events: IndexVec::from(self.events), sets, rels }),
        }
    }
}

pub(crate) fn event(index: usize) -> EventId {
    EventId::from_usize(index)
}
