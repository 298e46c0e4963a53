//! Random executions of random programs, as graphs of the events that happen.

use crate::dice::Dice;
use crate::programs::Program;
use std::collections::BTreeMap;
use std::sync::Arc;
use treville_base::{IndexVec, Name};
use treville_event::{BaseRel, Cell, Event, EventSet, Graph, Kind, Relation, Skeleton};
use treville_term::Bv;

/// An execution, and which event of the program each of its events is.
pub(crate) struct Execution {
    pub(crate) graph: Graph,
    pub(crate) events: Vec<usize>,
}

pub(crate) fn random_execution(dice: &mut Dice, program: &Program) -> Execution {
    let decisions: Vec<bool> = (0..program.n_decisions).map(|_| dice.chance(50)).collect();
    let events: Vec<usize> = (0..program.n()).filter(|&e| program.events[e].happens(&decisions)).collect();
    let n = events.len();
    let places: Vec<Option<u64>> = events
        .iter()
        .map(|&e| Some(&program.events[e].places).filter(|p| !p.is_empty()).map(|p| *dice.pick(p)))
        .collect();
    let kind = |i: usize| program.events[events[i]].kind;
    let thread = |i: usize| program.events[events[i]].thread;
    let mut rf = Relation::new(n);
    for read in (0..n).filter(|&i| kind(i).reads()) {
        let sources: Vec<usize> =
            (0..n).filter(|&w| w != read && kind(w).writes() && places[w] == places[read]).collect();
        rf.insert(*dice.pick(&sources), read);
    }
    let (mut co, mut finals) = (Relation::new(n), EventSet::new(n));
    for place in [0, 8] {
        let mut order: Vec<usize> = (0..n).filter(|&w| kind(w).writes() && places[w] == Some(place)).collect();
        // Mostly as the program has it, so that some executions are consistent.
        if dice.chance(60) {
            (2..order.len()).rev().for_each(|i| order.swap(i, 1 + dice.roll(i)));
        }
        order.iter().enumerate().for_each(|(i, &a)| order[i + 1..].iter().for_each(|&b| co.insert(a, b)));
        finals.insert(order[order.len() - 1]);
    }
    let all = || (0..n).flat_map(|a| (0..n).map(move |b| (a, b)));
    let relation = |holds: &dyn Fn(usize, usize) -> bool| Relation::from_pairs(n, all().filter(|&(a, b)| holds(a, b)));
    let same_thread = |a: usize, b: usize| thread(a).is_some() && thread(a) == thread(b);
    let mut rels: BTreeMap<BaseRel, Relation> = BTreeMap::new();
    rels.insert(BaseRel::Id, Relation::identity(n));
    rels.insert(BaseRel::Int, relation(&same_thread));
    rels.insert(BaseRel::Ext, relation(&|a, b| thread(a) != thread(b)));
    rels.insert(BaseRel::Po, relation(&|a, b| a < b && same_thread(a, b)));
    rels.insert(BaseRel::Loc, relation(&|a, b| places[a].is_some() && places[a] == places[b]));
    rels.insert(BaseRel::Si, relation(&|a, b| a == b && places[a].is_some()));
    for (&rel, pairs) in &program.inside {
        let mut r = Relation::new(n);
        for &(a, b, always) in pairs {
            let there = always || dice.chance(50);
            if let (Ok(a), Ok(b), true) = (events.binary_search(&a), events.binary_search(&b), there) {
                r.insert(a, b);
            }
        }
        rels.insert(rel, r);
    }
    let mut sets: BTreeMap<Name, EventSet> = BTreeMap::new();
    for (name, known) in &program.facts().sets {
        let mut is_in = |e: &usize| known.must.contains(*e) || known.may.contains(*e) && dice.chance(50);
        let members: Vec<usize> = events.iter().enumerate().filter(|(_, e)| is_in(e)).map(|(i, _)| i).collect();
        sets.insert(name.clone(), EventSet::from_members(n, members));
    }
    sets.insert(Name::new("FW"), finals.clone());
    let event = |i: usize| made(kind(i), thread(i), i as u32, places[i], dice.roll(2) as u64);
    let skeleton = Skeleton { events: (0..n).map(event).collect::<IndexVec<_, _>>(), sets, rels };
    Execution { graph: Graph { skeleton: Arc::new(skeleton), rf, co, finals }, events }
}

fn made(kind: Kind, thread: Option<u32>, index: u32, place: Option<u64>, value: u64) -> Event {
    let value = Some(Bv::new(value.into(), 32));
    Event {
        thread,
        index,
        kind,
        tags: Vec::new(),
        cell: place.map(|address| Cell { address, size: 4 }),
        read: value.filter(|_| kind.reads()),
        written: value.filter(|_| kind.writes()),
        instance: index,
        instr: index,
        access: index,
        register: None,
        span: None,
    }
}
