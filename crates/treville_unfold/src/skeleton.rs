//! Building the skeleton of a pre-execution: its events with the sets and relations that the program determines.

use crate::pre_execution::PreExecution;
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

pub fn skeleton(program: &Program, vocabulary: &Vocabulary, pre: &PreExecution<'_>, solved: &[Solved]) -> Skeleton {
    let mut skeleton = outline(program, vocabulary, pre, solved, &Cancel::new());
    let list = skeleton.events.as_slice();
    let loc = same(list.len(), &Cancel::new(), |i| location(&list[i]));
    let same_object = same_object(program, list);
    let amo = links(pre, &skeleton.events, |l| if let Link::Amo(i) = l { Some(i) } else { None });
    let lxsx = links(pre, &skeleton.events, |l| if let Link::Lxsx(i) = l { Some(i) } else { None });
    let po = (BaseRel::Po, po(vocabulary, pre));
    let local = DEPENDENCIES.iter().map(|(rel, deps)| (*rel, local(pre, *deps)));
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

/// Where an event is: in a register of its thread, or in memory.
fn location(e: &Event) -> Option<(Option<u32>, Option<Name>, Option<Cell>)> {
    match &e.register {
        Some(register) => Some((e.thread, Some(register.clone()), None)),
        None => e.cell.map(|cell| (None, None, Some(cell))),
    }
}

/// Places in one object.
fn same_object(program: &Program, events: &[Event]) -> Relation {
    let object = |cell: Cell| program.object_at(cell.address).map(|(object, _)| object);
    same(events.len(), &Cancel::new(), |i| events[i].cell.and_then(object))
}

/// Pairs of events with the same key. All events of a class have the same row, so that this takes time for words, not for pairs.
fn same<K: Ord>(n: usize, cancel: &Cancel, key: impl Fn(usize) -> Option<K>) -> Relation {
    let mut classes: BTreeMap<K, Vec<usize>> = BTreeMap::new();
    for i in 0..n {
        if let Some(key) = key(i) {
            classes.entry(key).or_default().push(i);
        }
    }
    let mut r = Relation::new(n);
    let mut row = EventSet::new(n);
    for class in classes.values().take_while(|_| !cancel.is_stopped()) {
        for &i in class {
            row.insert(i);
        }
        class.iter().for_each(|&i| r.row_mut(i).copy_from_slice(row.as_words()));
        class.iter().for_each(|&i| row.remove(i));
    }
    r
}

/// The events with their sets, and the relations that follow from what each event is by itself; these are not complete if it was
/// cancelled.
pub fn outline(
    program: &Program,
    vocabulary: &Vocabulary,
    pre: &PreExecution<'_>,
    solved: &[Solved],
    cancel: &Cancel,
) -> Skeleton {
    let n = pre.events.len();
    let events = events(program, pre, solved);
    let mut rels = BTreeMap::new();
    let mut add = |rel, r: Relation| {
        if !r.is_empty() {
            rels.insert(rel, r);
        }
    };
    let list = events.as_slice();
    let thread = |i: usize| pre.events[i].at.map(|(t, _)| t);
    let mut ext = same(n, cancel, |i| Some(thread(i)));
    ext.complement_assign();
    let memory = |e: &Event| e.kind.reads() || e.kind.writes();
    add(BaseRel::Id, Relation::identity(n));
    add(BaseRel::Int, same(n, cancel, thread));
    add(BaseRel::Ext, ext);
    add(BaseRel::Si, same(n, cancel, |i| memory(&list[i]).then_some((list[i].thread, list[i].access))));
    add(BaseRel::SameInstance, same(n, cancel, |i| Some((thread(i)?, list[i].instance))));
    add(BaseRel::SameInstr, same(n, cancel, |i| Some((thread(i)?, list[i].instr))));
    if vocabulary.registers {
        // For models that look inside instructions.
        let places = places(&events);
        add(BaseRel::SameStatic, same(n, cancel, |i| Some((thread(i)?, list[i].instr, places[i]))));
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

fn local(pre: &PreExecution<'_>, deps: DepsOf) -> Relation {
    let mut r = Relation::new(pre.events.len());
    for t in 0..pre.traces.len() {
        let thread = ThreadId::from_usize(t);
        let path = pre.of_thread(thread);
        for (i, event) in path.iter().enumerate() {
            // An update that is one event does not depend on itself.
            for from in deps(&event.action).iter().filter(|&from| from != i as u32) {
                for a in pre.parts(thread, from) {
                    pre.parts(thread, i as u32).for_each(|b| r.insert(a, b));
                }
            }
        }
    }
    r
}

fn po(vocabulary: &Vocabulary, pre: &PreExecution<'_>) -> Relation {
    let n = pre.events.len();
    let mut r = Relation::new(n);
    for t in 0..pre.traces.len() {
        let thread = ThreadId::from_usize(t);
        let path = pre.of_thread(thread);
        // What comes later in the thread, and what of that belongs to which instance.
        let mut later = EventSet::new(n);
        let mut inside: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (i, event) in path.iter().enumerate().rev() {
            let own = inside.entry(event.action.instance).or_default();
            let after = |j: u32| vocabulary.po_inside && path[j as usize].action.after.contains(i as u32);
            for a in pre.parts(thread, i as u32) {
                r.row_mut(a).copy_from_slice(later.as_words());
                for j in own.iter().copied().filter(|&j| !after(j)) {
                    pre.parts(thread, j).for_each(|b| r.remove(a, b));
                }
            }
            own.push(i as u32);
            for b in pre.parts(thread, i as u32) {
                later.insert(b);
            }
        }
    }
    r
}

fn links(
    pre: &PreExecution<'_>,
    events: &IndexVec<treville_event::EventId, Event>,
    pick: fn(Link) -> Option<u32>,
) -> Relation {
    let mut r = Relation::new(pre.events.len());
    for t in 0..pre.traces.len() {
        let thread = ThreadId::from_usize(t);
        let path = pre.of_thread(thread);
        for (i, event) in path.iter().enumerate() {
            let Some(from) = pick(event.action.link) else { continue };
            for a in pre.parts(thread, from) {
                for b in pre.parts(thread, i as u32) {
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

fn events(program: &Program, pre: &PreExecution<'_>, solved: &[Solved]) -> IndexVec<treville_event::EventId, Event> {
    let untagged_init =
        if program.dialect.sets.iter().any(|s| *s == "NA") { vec![Name::new("NA")] } else { Vec::new() };
    let place = |cell: Option<Cell>| cell.and_then(|c| program.object_at(c.address)).map(|(object, _)| object);
    let object = |cell: Option<Cell>| place(cell).map_or(0, |o| o.0);
    let unwritten = |cell: Option<Cell>| place(cell).is_some_and(|o| program.objects[o].uninitialized);
    pre.events
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
            let action = &pre.traces[thread.index()].events[index as usize].action;
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
