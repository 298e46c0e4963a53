//! The rows of a trial as an execution that the evaluator judges.

use crate::rows::{Id, Row, Source};
use crate::setup::Setup;
use crate::trial::Trial;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use treville_base::{Idx, IndexVec, Name};
use treville_bytecode::StepDeps;
use treville_event::{BaseRel, Cell, Event, EventId, EventSet, Graph, Kind, Relation, Skeleton};
use treville_vm::Deps;

/// An execution, with where its events come from.
pub(crate) struct Assembled {
    pub(crate) graph: Graph,
    /// Where the events of each thread begin.
    pub(crate) firsts: Vec<usize>,
}

/// The execution that a trial has come to; all its reads have sources. With these writes in addition, which come last in
/// coherence order.
pub(crate) fn assemble(setup: &Setup<'_>, trial: &Trial<'_, '_>, more: &[Event]) -> Assembled {
    let mut rows: Vec<Row> = Vec::new();
    let mut initial: HashMap<u64, usize> = HashMap::new();
    for (address, memory) in &trial.cells {
        let cell = Cell { address: *address, size: memory.size };
        initial.insert(*address, rows.len());
        rows.push(setup.initial(cell, memory.initial, rows.len() as u32));
    }
    let mut firsts = Vec::new();
    for thread in &trial.threads {
        firsts.push(rows.len());
        rows.extend(thread.rows.iter().cloned());
    }
    let first_more = rows.len();
    rows.extend(more.iter().cloned().map(Row::of));
    let n = rows.len();
    let number = |id: Id| firsts[usize::from(id.thread)] + id.row as usize;
    let mut rf = Relation::new(n);
    for (i, row) in rows.iter().enumerate() {
        match (row.source, row.event.cell) {
            (Source::Init, Some(cell)) => rf.insert(initial[&cell.address], i),
            (Source::Write(write), _) => rf.insert(number(write), i),
            _ => {}
        }
    }
    let (mut co, mut finals) = (Relation::new(n), EventSet::new(n));
    for (address, memory) in &trial.cells {
        let late = (first_more..n).filter(|i| rows[*i].event.cell.is_some_and(|cell| cell.address == *address));
        let order: Vec<usize> =
            std::iter::once(initial[address]).chain(memory.writes.iter().map(|w| number(*w))).chain(late).collect();
        for (i, w) in order.iter().enumerate() {
            order[i + 1..].iter().for_each(|later| co.insert(*w, *later));
        }
        order.last().into_iter().for_each(|last| {
            finals.insert(*last);
        });
    }
    let skeleton = Arc::new(skeleton(setup, rows, &firsts));
    Assembled { graph: Graph { skeleton, rf, co, finals }, firsts }
}

fn skeleton(setup: &Setup<'_>, rows: Vec<Row>, firsts: &[usize]) -> Skeleton {
    let n = rows.len();
    let mut rels: BTreeMap<BaseRel, Relation> = BTreeMap::new();
    let mut relate = |rel: BaseRel, holds: &dyn Fn(&Event, &Event) -> bool| {
        let pairs = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
        let related = pairs.filter(|(i, j)| holds(&rows[*i].event, &rows[*j].event));
        rels.insert(rel, Relation::from_pairs(n, related));
    };
    let together = |a: &Event, b: &Event| a.thread.is_some() && a.thread == b.thread;
    let of_one = |a: &Event, b: &Event| together(a, b) && a.instance == b.instance;
    let inside = setup.vocabulary().po_inside;
    relate(BaseRel::Int, &together);
    relate(BaseRel::Ext, &|a, b| a.thread != b.thread);
    relate(BaseRel::SameInstance, &of_one);
    relate(BaseRel::SameInstr, &|a, b| together(a, b) && a.instr == b.instr);
    relate(BaseRel::Po, &|a, b| together(a, b) && a.index < b.index && (a.instance != b.instance || inside));
    relate(BaseRel::Loc, &|a, b| a.cell.is_some() && a.cell == b.cell);
    rels.insert(BaseRel::Id, Relation::identity(n));
    let in_memory = (0..n).filter(|i| rows[*i].event.cell.is_some());
    rels.insert(BaseRel::Si, Relation::from_pairs(n, in_memory.map(|i| (i, i))));
    let first = |i: usize| rows[i].event.thread.map_or(0, |thread| firsts[thread as usize]);
    let depend = |deps: fn(&StepDeps) -> &Deps| {
        let on = |i: usize| deps(&rows[i].deps).iter().filter_map(move |step| Some((row_of(step)?, i)));
        let pairs = (0..n).flat_map(on).map(|(row, i)| (first(i) + row, i));
        Relation::from_pairs(n, pairs.filter(|(a, b)| a != b))
    };
    let (addr, data, ctrl) = (depend(|d| &d.addr), depend(|d| &d.data), depend(|d| &d.ctrl));
    let picked = data.union(&depend(|d| &d.guard));
    let all = [(BaseRel::PickAddr, addr.clone()), (BaseRel::PickData, picked), (BaseRel::PickCtrl, ctrl.clone())];
    rels.extend(all.into_iter().chain([(BaseRel::Addr, addr), (BaseRel::Data, data), (BaseRel::Ctrl, ctrl)]));
    for (rel, exclusive) in [(BaseRel::Amo, false), (BaseRel::Lxsx, true)] {
        let of_updates = rows.iter().enumerate().filter(|(_, row)| row.exclusive == exclusive);
        let pairs = of_updates.filter_map(|(i, row)| Some((first(i) + row.read? as usize, i)));
        rels.insert(rel, Relation::from_pairs(n, pairs));
    }
    let events: IndexVec<EventId, Event> = rows.into_iter().map(|row| row.event).collect();
    Skeleton { sets: sets(&events), events, rels }
}

/// The row that a step of its thread is, counted from the thread's first.
fn row_of(step: u32) -> Option<usize> {
    // The start of a thread is its first row, if another has started it; then what depends on it has both names.
    step.checked_sub(1).map(|row| row as usize)
}

fn sets(events: &IndexVec<EventId, Event>) -> BTreeMap<Name, EventSet> {
    let n = events.len();
    let mut sets: BTreeMap<Name, EventSet> = BTreeMap::new();
    for (id, event) in events.iter_enumerated() {
        let kinds: &[&str] = match event.kind {
            Kind::Init => &["IW", "M", "Exp", "W", "EXEC"],
            Kind::Read => &["M", "Exp", "R", "EXEC"],
            Kind::Write => &["M", "Exp", "W", "EXEC"],
            Kind::Update => &["M", "Exp", "R", "W", "EXEC"],
            Kind::Fence => &["F", "EXEC"],
            Kind::Branch | Kind::RegRead | Kind::RegWrite | Kind::Opaque => &["EXEC"],
        };
        for name in kinds.iter().map(|k| Name::new(k)).chain(event.tags.iter().cloned()) {
            sets.entry(name).or_insert_with(|| EventSet::new(n)).insert(id.index());
        }
    }
    sets
}
