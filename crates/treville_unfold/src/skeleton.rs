//! Building the skeleton of a frame: its events with the sets and relations that the program determines.

use crate::frame::Frame;
use std::collections::BTreeMap;
use treville_base::{Cancel, Idx, IndexVec, Name};
use treville_event::{BaseRel, Cell, Event, EventSet, Kind, Relation, Skeleton, Vocabulary, scope_set};
use treville_ir::{Program, ThreadId};
use treville_term::Bv;
use treville_vm::{Deps, Link};

/// What is known of an event once values are solved.
#[derive(Clone, Copy, Default, Debug)]
pub struct Solved {
    pub cell: Option<Cell>,
    pub read: Option<Bv>,
    pub written: Option<Bv>,
}

pub fn skeleton(program: &Program, vocabulary: &Vocabulary, frame: &Frame<'_>, solved: &[Solved]) -> Skeleton {
    let mut skeleton = outline(program, vocabulary, frame, solved, &Cancel::new());
    let n = frame.events.len();
    let list = skeleton.events.as_slice();
    let loc = (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).filter(|&(i, j)| match (&list[i], &list[j]) {
        (a, b) if a.register.is_some() && b.register.is_some() => a.thread == b.thread && a.register == b.register,
        (a, b) => a.cell.is_some() && a.cell == b.cell,
    });
    let loc = Relation::from_pairs(n, loc);
    let same_object = same_object(program, list);
    let amo = links(frame, &skeleton.events, |l| if let Link::Amo(i) = l { Some(i) } else { None });
    let lxsx = links(frame, &skeleton.events, |l| if let Link::Lxsx(i) = l { Some(i) } else { None });
    let po = (BaseRel::Po, po(vocabulary, frame));
    let local = DEPENDENCIES.iter().map(|(rel, deps)| (*rel, local(frame, *deps)));
    let all = local.chain([
        po,
        (BaseRel::Loc, loc),
        (BaseRel::SameObject, same_object),
        (BaseRel::Amo, amo),
        (BaseRel::Lxsx, lxsx),
    ]);
    skeleton.rels.extend(all.filter(|(_, r)| !r.is_empty()));
    skeleton
}

/// Places in one object.
fn same_object(program: &Program, events: &[Event]) -> Relation {
    let object = |e: &Event| e.cell.and_then(|cell| program.object_at(cell.address)).map(|(object, _)| object);
    let objects: Vec<_> = events.iter().map(object).collect();
    let mut r = Relation::new(events.len());
    for (i, a) in objects.iter().enumerate().filter(|(_, object)| object.is_some()) {
        objects.iter().enumerate().filter(|(_, b)| a == *b).for_each(|(j, _)| r.insert(i, j));
    }
    r
}

/// The events with their sets, and the relations that follow from what each event is by itself; these are not complete if it was
/// cancelled.
pub fn outline(
    program: &Program,
    vocabulary: &Vocabulary,
    frame: &Frame<'_>,
    solved: &[Solved],
    cancel: &Cancel,
) -> Skeleton {
    let n = frame.events.len();
    let events = events(program, frame, solved);
    let mut rels = BTreeMap::new();
    let mut add = |rel, r: Relation| {
        if !r.is_empty() {
            rels.insert(rel, r);
        }
    };
    let list = events.as_slice();
    let thread = |i: usize| frame.events[i].at.map(|(t, _)| t);
    let pairs = |holds: &dyn Fn(usize, usize) -> bool| {
        let rows = (0..n).take_while(|_| !cancel.is_stopped());
        Relation::from_pairs(n, rows.flat_map(|i| (0..n).filter(move |&j| holds(i, j)).map(move |j| (i, j))))
    };
    add(BaseRel::Id, Relation::identity(n));
    add(BaseRel::Int, pairs(&|i, j| thread(i).is_some() && thread(i) == thread(j)));
    add(BaseRel::Ext, pairs(&|i, j| thread(i) != thread(j)));
    add(
        BaseRel::Si,
        pairs(&|i, j| {
            let (a, b) = (&list[i], &list[j]);
            let memory = |e: &Event| e.kind.reads() || e.kind.writes();
            memory(a) && memory(b) && a.thread == b.thread && a.access == b.access
        }),
    );
    add(
        BaseRel::SameInstance,
        pairs(&|i, j| thread(i).is_some() && thread(i) == thread(j) && list[i].instance == list[j].instance),
    );
    add(
        BaseRel::SameInstr,
        pairs(&|i, j| thread(i).is_some() && thread(i) == thread(j) && list[i].instr == list[j].instr),
    );
    if vocabulary.registers {
        // For models that look inside instructions.
        let places = places(&events);
        let same = |i: usize, j: usize| list[i].instr == list[j].instr && places[i] == places[j];
        add(BaseRel::SameStatic, pairs(&|i, j| thread(i).is_some() && thread(i) == thread(j) && same(i, j)));
    }
    let sets = sets(program, &events);
    Skeleton { events, sets, rels }
}

/// For each event, its place among those of its instruction's occurrence.
fn places(events: &IndexVec<treville_event::EventId, Event>) -> Vec<u32> {
    let mut first: BTreeMap<(Option<u32>, u32), u32> = BTreeMap::new();
    for e in events {
        let least = first.entry((e.thread, e.instance)).or_insert(e.index);
        *least = e.index.min(*least);
    }
    events.iter().map(|e| e.index - first[&(e.thread, e.instance)]).collect()
}

/// What the interpreter said of an event, as a set of earlier ones of its thread.
pub type DepsOf = fn(&treville_vm::EventAction<treville_term::TermId>) -> Deps;

/// Relations between events of one thread that the interpreter gave with the later event.
pub const DEPENDENCIES: &[(BaseRel, DepsOf)] = &[
    (BaseRel::Addr, |e| if e.place.is_some() { e.addr.clone() } else { Deps::new() }),
    (BaseRel::Data, |e| if e.kind.writes() { e.data.clone() } else { Deps::new() }),
    (BaseRel::Ctrl, |e| if of_register(e.kind) { Deps::new() } else { e.ctrl.clone() }),
    (BaseRel::PickAddr, |e| if e.place.is_some() { e.addr.with(&e.picks.addr) } else { Deps::new() }),
    (BaseRel::PickData, |e| if e.kind.writes() { e.data.with(&e.picks.data) } else { Deps::new() }),
    (BaseRel::PickCtrl, |e| if of_register(e.kind) { Deps::new() } else { e.ctrl.with(&e.picks.ctrl) }),
    (BaseRel::IicoData, |e| e.iico_data.clone()),
    (BaseRel::IicoCtrl, |e| e.iico_ctrl.clone()),
    (BaseRel::RfReg, |e| e.rf_reg.map_or_else(Deps::new, Deps::one)),
];

fn of_register(kind: Kind) -> bool {
    matches!(kind, Kind::RegRead | Kind::RegWrite)
}

fn local(frame: &Frame<'_>, deps: DepsOf) -> Relation {
    let mut r = Relation::new(frame.events.len());
    for t in 0..frame.traces.len() {
        let thread = ThreadId::from_usize(t);
        let path = frame.of_thread(thread);
        for (i, event) in path.iter().enumerate() {
            // An update that is one event does not depend on itself.
            for from in deps(&event.action).iter().filter(|&from| from != i as u32) {
                for a in frame.parts(thread, from) {
                    frame.parts(thread, i as u32).for_each(|b| r.insert(a, b));
                }
            }
        }
    }
    r
}

fn po(vocabulary: &Vocabulary, frame: &Frame<'_>) -> Relation {
    let mut r = Relation::new(frame.events.len());
    for t in 0..frame.traces.len() {
        let thread = ThreadId::from_usize(t);
        let path = frame.of_thread(thread);
        for (j, later) in path.iter().enumerate() {
            for (i, earlier) in path[..j].iter().enumerate() {
                let inside = earlier.action.instance == later.action.instance;
                let ordered = if inside { vocabulary.po_inside && later.action.after.contains(i as u32) } else { true };
                if ordered {
                    for a in frame.parts(thread, i as u32) {
                        frame.parts(thread, j as u32).for_each(|b| r.insert(a, b));
                    }
                }
            }
        }
    }
    r
}

fn links(
    frame: &Frame<'_>,
    events: &IndexVec<treville_event::EventId, Event>,
    pick: fn(Link) -> Option<u32>,
) -> Relation {
    let mut r = Relation::new(frame.events.len());
    for t in 0..frame.traces.len() {
        let thread = ThreadId::from_usize(t);
        let path = frame.of_thread(thread);
        for (i, event) in path.iter().enumerate() {
            let Some(from) = pick(event.action.link) else { continue };
            for a in frame.parts(thread, from) {
                for b in frame.parts(thread, i as u32) {
                    let cell = |e: usize| events[Idx::from_usize(e)].cell;
                    let memory = |e: usize| !matches!(events[Idx::from_usize(e)].kind, Kind::Opaque);
                    if cell(a) == cell(b) && memory(a) && memory(b) {
                        r.insert(a, b);
                    }
                }
            }
        }
    }
    r
}

fn events(program: &Program, frame: &Frame<'_>, solved: &[Solved]) -> IndexVec<treville_event::EventId, Event> {
    let untagged_init =
        if program.dialect.sets.iter().any(|s| *s == "NA") { vec![Name::new("NA")] } else { Vec::new() };
    let place = |cell: Option<Cell>| cell.and_then(|c| program.object_at(c.address)).map(|(object, _)| object);
    let object = |cell: Option<Cell>| place(cell).map_or(0, |o| o.0);
    let unwritten = |cell: Option<Cell>| place(cell).is_some_and(|o| program.objects[o].uninitialized);
    frame
        .events
        .iter()
        .enumerate()
        .map(|(i, e)| {
            let Solved { cell, read, written } = solved[i];
            let Some((thread, index)) = e.at else {
                let tags = untagged_init.iter().cloned().chain(unwritten(cell).then(|| Name::new("UNINIT")));
                return Event {
                    thread: None,
                    index: i as u32,
                    kind: Kind::Init,
                    tags: tags.collect(),
                    cell,
                    read,
                    written,
                    instance: i as u32,
                    instr: i as u32,
                    access: object(cell),
                    register: None,
                    span: None,
                };
            };
            let action = &frame.traces[thread.index()].events[index as usize].action;
            let tags = action.tags.iter().map(|t| program.tags[*t].clone());
            Event {
                thread: Some(thread.0),
                index,
                kind: e.kind,
                tags: tags.chain(action.extra.iter().map(|t| Name::new(t))).collect(),
                cell,
                read,
                written,
                instance: action.instance,
                instr: action.instr.0,
                access: index,
                register: action.register.clone(),
                span: Some(action.span),
            }
        })
        .collect()
}

fn sets(program: &Program, events: &IndexVec<treville_event::EventId, Event>) -> BTreeMap<Name, EventSet> {
    let n = events.len();
    let mut sets: BTreeMap<Name, EventSet> = BTreeMap::new();
    for (id, event) in events.iter_enumerated() {
        let (reads, writes) = (event.kind.reads(), event.kind.writes());
        let kinds: &[&str] = match event.kind {
            Kind::Init => &["IW"],
            Kind::Fence => &["F"],
            Kind::Branch => &[],
            Kind::RegRead => &["Rreg"],
            Kind::RegWrite => &["Wreg"],
            Kind::Read | Kind::Write | Kind::Update | Kind::Opaque => &[],
        };
        let memory: &[&str] = match (reads, writes) {
            (true, true) => &["M", "Exp", "R", "W"],
            (true, false) => &["M", "Exp", "R"],
            (false, true) => &["M", "Exp", "W"],
            (false, false) => &[],
        };
        let kinds = kinds.iter().chain(memory).chain(&["EXEC"]).map(|k| Name::new(k));
        let scopes = event.thread.map_or(&[][..], |t| &program.roots[ThreadId(t)].scopes);
        let scopes = scopes.iter().map(|(scope, instance)| scope_set(scope, *instance));
        for name in kinds.chain(event.tags.iter().cloned()).chain(scopes) {
            sets.entry(name).or_insert_with(|| EventSet::new(n)).insert(id.index());
        }
    }
    sets
}
