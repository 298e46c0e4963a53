//! The events of all paths together, and what the program alone says of them: the input of the relation analysis.

use crate::Alias;
use std::collections::{BTreeMap, BTreeSet};
use treville_base::{Cancel, Idx, IndexVec};
use treville_event::{BaseRel, Cell, EventSet, Kind, Relation, Skeleton};
use treville_ir::{ObjectId, ThreadId};
use treville_relations::{Facts, Known};
use treville_term::TermId;
use treville_unfold::{CoOccurrence, DEPENDENCIES, GuardedThread, PreExecution, Prepared, Solved, outline};
use treville_vm::{Deps, Link};

/// Conditions (width 1), all of which must hold.
pub(crate) type Conditions = Vec<TermId>;

/// All events of a program, initial writes first.
pub(crate) struct Events<'a> {
    pub(crate) prepared: &'a Prepared<'a>,
    pub(crate) pre: &'a PreExecution<'a>,
    pub(crate) threads: &'a IndexVec<ThreadId, GuardedThread>,
    pub(crate) skeleton: Skeleton,
    /// The cells that each event may touch.
    pub(crate) cells: Vec<Vec<Cell>>,
    /// Events whose address may be none of those.
    pub(crate) unresolved: Vec<usize>,
    pub(crate) facts: Facts,
    /// Where a pair that may be in a base relation is in it only under a condition: the ways in which it is.
    pub(crate) conditions: BTreeMap<(BaseRel, usize, usize), Vec<Conditions>>,
    cancel: &'a Cancel,
}

impl<'a> Events<'a> {
    /// `None` if cancelled.
    pub(crate) fn new(
        prepared: &'a Prepared<'a>,
        pre: &'a PreExecution<'a>,
        threads: &'a IndexVec<ThreadId, GuardedThread>,
        alias: Alias,
        cancel: &'a Cancel,
    ) -> Option<Self> {
        let solved: Vec<Solved> =
            pre.events.iter().map(|e| Solved { cell: e.cell, read: None, written: None }).collect();
        let skeleton = outline(prepared.program, prepared.vocabulary, pre, &solved, cancel);
        let n = pre.events.len();
        let mut events = Events {
            prepared,
            pre,
            threads,
            skeleton,
            cells: vec![Vec::new(); n],
            unresolved: Vec::new(),
            facts: Facts::new(n),
            conditions: BTreeMap::new(),
            cancel,
        };
        events.place(alias);
        events.relate_happening();
        events.relate_statically();
        events.relate_locally();
        events.relate_memory();
        (!cancel.is_stopped()).then_some(events)
    }

    /// All events, unless the run is cancelled: what is made of them then does not count.
    fn each(&self) -> impl Iterator<Item = usize> + use<'a> {
        let cancel = self.cancel;
        (0..self.len()).take_while(|_| !cancel.is_stopped())
    }

    pub(crate) fn len(&self) -> usize {
        self.pre.events.len()
    }

    /// Thread and position in its trace.
    fn at(&self, e: usize) -> Option<(ThreadId, usize)> {
        self.pre.events[e].at.map(|(thread, i)| (thread, i as usize))
    }

    /// The condition under which an event happens.
    pub(crate) fn guard(&self, e: usize) -> Option<TermId> {
        self.at(e).map(|(thread, i)| self.threads[thread].happens[i].guard)
    }

    pub(crate) fn is_exclusive(&self, a: usize, b: usize) -> bool {
        self.facts.exclusive.contains(a, b)
    }

    pub(crate) fn reads(&self, e: usize) -> bool {
        self.pre.events[e].read.is_some()
    }

    pub(crate) fn writes(&self, e: usize) -> bool {
        self.pre.events[e].kind.writes()
    }

    /// Whether two events certainly touch the same cell.
    fn must_alias(&self, a: usize, b: usize) -> bool {
        let (x, y) = (&self.pre.events[a], &self.pre.events[b]);
        match (self.cells[a].as_slice(), self.cells[b].as_slice()) {
            ([one], [other]) => one == other && !self.unresolved.contains(&a) && !self.unresolved.contains(&b),
            _ => x.address.is_some() && x.address == y.address && x.size == y.size,
        }
    }

    fn may_alias(&self, a: usize, b: usize) -> bool {
        self.cells[a].iter().any(|cell| self.cells[b].contains(cell))
    }

    /// Finds the cells that events may touch.
    fn place(&mut self, alias: Alias) {
        for e in self.each() {
            let event = &self.pre.events[e];
            let mut cells = Vec::new();
            match (event.cell, event.address) {
                (Some(cell), _) => cells.push(cell),
                (None, Some(address)) => {
                    let values = self.prepared.possible_addresses(address, event.size).filter(|_| alias > Alias::None);
                    let fits = |c: &&Cell| event.kind == Kind::Opaque || c.size == event.size;
                    let all = self.prepared.cells.all.iter().chain(&self.prepared.cells.outside).filter(fits);
                    match values {
                        Some(values) => {
                            for value in values {
                                match self.cell_at(event.kind, value, event.size) {
                                    Some(cell) => cells.push(cell),
                                    None => self.unresolved.push(e),
                                }
                            }
                        }
                        None => {
                            cells.extend(all.clone());
                            self.unresolved.push(e);
                        }
                    }
                    if alias == Alias::Andersen {
                        let object = |c: &Cell| self.prepared.program.object_at(c.address).map(|(id, _)| id);
                        let objects: Vec<_> = cells.iter().filter_map(object).collect();
                        cells.extend(all.filter(|c| object(c).is_some_and(|o| objects.contains(&o))));
                    }
                }
                (None, None) => {}
            }
            cells.sort();
            cells.dedup();
            self.cells[e] = cells;
        }
        self.unresolved.dedup();
    }

    fn cell_at(&self, kind: Kind, address: u64, size: u8) -> Option<Cell> {
        let cells = &self.prepared.cells;
        if kind == Kind::Opaque { cells.at(address) } else { cells.exact(address, size) }
    }

    /// Which events happen together.
    fn relate_happening(&mut self) {
        let n = self.len();
        let store = &self.prepared.traces.domain.store;
        let always = |e: usize| {
            let guard = self.guard(e);
            guard.is_none_or(|guard| store.as_const(guard).is_some_and(|v| !v.is_zero()))
        };
        let always = EventSet::from_members(n, (0..n).filter(|&e| always(e)));
        let together: IndexVec<ThreadId, CoOccurrence<'_>> =
            self.threads.iter().map(|thread| CoOccurrence::new(thread, store)).collect();
        let mut implies = Relation::new(n);
        let mut exclusive = Relation::new(n);
        for a in self.each() {
            let row = implies.row_mut(a);
            row.copy_from_slice(always.as_words());
            implies.insert(a, a);
            for b in 0..n {
                if let (Some((s, i)), Some((t, j))) = (self.at(a), self.at(b))
                    && s == t
                {
                    if together[s].implies(i, j) {
                        implies.insert(a, b);
                    }
                    if together[s].are_exclusive(i, j) {
                        exclusive.insert(a, b);
                    }
                }
            }
        }
        self.facts.implies = implies;
        self.facts.exclusive = exclusive;
    }

    fn add(&mut self, rel: BaseRel, may: Relation, must: Relation) {
        self.facts.rels.insert(rel, Known { may, must });
    }

    /// Sets, and relations that follow from what each event is by itself.
    fn relate_statically(&mut self) {
        for (name, set) in &self.skeleton.sets {
            self.facts.sets.insert(name.clone(), Known { may: set.clone(), must: set.clone() });
        }
        for (rel, relation) in &self.skeleton.rels {
            let mut relation = relation.clone();
            relation.subtract_assign(&self.facts.exclusive);
            self.facts.rels.insert(*rel, Known { may: relation.clone(), must: relation });
        }
    }

    /// Program order, dependencies and links inside each thread.
    fn relate_locally(&mut self) {
        let n = self.len();
        let mut po = Relation::new(n);
        let mut dependencies: Vec<(BaseRel, Relation, Relation)> =
            DEPENDENCIES.iter().map(|(rel, _)| (*rel, Relation::new(n), Relation::new(n))).collect();
        let [mut amo, mut lxsx] = std::array::from_fn(|_| (Relation::new(n), Relation::new(n)));
        for b in self.each() {
            let Some((thread, j)) = self.at(b) else { continue };
            let action = &self.pre.of_thread(thread)[j].action;
            self.order_before(b, &mut po);
            for (k, (rel, deps)) in DEPENDENCIES.iter().enumerate() {
                for (a, conditions) in self.sources(thread, j, &deps(action)) {
                    let (_, may, must) = &mut dependencies[k];
                    if self.facts.exclusive.contains(a, b) {
                        continue;
                    }
                    may.insert(a, b);
                    if conditions.is_empty() {
                        must.insert(a, b);
                    } else {
                        self.conditions.entry((*rel, a, b)).or_default().push(conditions);
                    }
                }
            }
            let (linked, rel, (may, must)) = match action.link {
                Link::None => continue,
                Link::Amo(i) => (i, BaseRel::Amo, &mut amo),
                Link::Lxsx(i) => (i, BaseRel::Lxsx, &mut lxsx),
            };
            let opaque = |e: usize| self.pre.events[e].kind == Kind::Opaque;
            for (a, conditions) in self.sources(thread, j, &Deps::one(linked)) {
                if opaque(a) || opaque(b) || self.facts.exclusive.contains(a, b) || !self.may_alias(a, b) {
                    continue;
                }
                may.insert(a, b);
                if conditions.is_empty() && self.must_alias(a, b) {
                    must.insert(a, b);
                }
                if !conditions.is_empty() {
                    self.conditions.entry((rel, a, b)).or_default().push(conditions);
                }
            }
        }
        self.add(BaseRel::Po, po.clone(), po);
        self.add(BaseRel::Amo, amo.0, amo.1);
        self.add(BaseRel::Lxsx, lxsx.0, lxsx.1);
        for (rel, may, must) in dependencies {
            self.add(rel, may, must);
        }
    }

    /// What comes before an event in program order.
    fn order_before(&self, b: usize, po: &mut Relation) {
        let Some((thread, j)) = self.at(b) else { return };
        let guarded = &self.threads[thread];
        let actions = self.pre.of_thread(thread);
        let later = &actions[j].action;
        for (i, earlier) in actions.iter().enumerate() {
            let inside = earlier.action.instance == later.instance;
            let ordered = if inside {
                self.prepared.vocabulary.po_inside && later.after.contains(guarded.index(i))
            } else {
                guarded.is_before(i, j)
            };
            if ordered {
                for a in self.pre.parts(thread, i as u32).filter(|a| !self.facts.exclusive.contains(*a, b)) {
                    po.insert(a, b);
                }
            }
        }
    }

    /// The events of a set that the event at `j` of a thread names, itself aside.
    fn sources(&self, thread: ThreadId, j: usize, deps: &Deps) -> Vec<(usize, Conditions)> {
        let guarded = &self.threads[thread];
        let members = guarded.members(deps).into_iter().filter(|(i, _)| guarded.index(*i) != guarded.index(j));
        members
            .flat_map(|(i, conditions)| self.pre.parts(thread, i as u32).map(move |a| (a, conditions.clone())))
            .collect()
    }

    /// The objects that an event may touch.
    pub(crate) fn objects(&self, e: usize) -> BTreeSet<ObjectId> {
        let object = |cell: &Cell| self.prepared.program.object_at(cell.address).map(|(object, _)| object);
        self.cells[e].iter().filter_map(object).collect()
    }

    /// Events in the same object.
    fn relate_objects(&mut self) {
        let n = self.len();
        let objects: Vec<BTreeSet<ObjectId>> = (0..n).map(|e| self.objects(e)).collect();
        let outside = |e: usize| {
            let outside = &self.prepared.cells.outside;
            self.unresolved.contains(&e) || self.cells[e].iter().any(|cell| outside.contains(cell))
        };
        let certain: Vec<bool> = (0..n).map(|e| objects[e].len() == 1 && !outside(e)).collect();
        let (mut may, mut must) = (Relation::new(n), Relation::new(n));
        for a in self.each().filter(|a| !objects[*a].is_empty()) {
            for b in (0..n).filter(|&b| !self.is_exclusive(a, b) && !objects[a].is_disjoint(&objects[b])) {
                may.insert(a, b);
                if certain[a] && certain[b] || a == b && !outside(a) {
                    must.insert(a, b);
                }
            }
        }
        self.add(BaseRel::SameObject, may, must);
    }

    /// Places, sources and orders.
    fn relate_memory(&mut self) {
        let n = self.len();
        let free_co = self.prepared.free_co;
        let [mut loc, mut same, mut rf, mut co, mut first] = std::array::from_fn(|_| Relation::new(n));
        for a in self.each() {
            for b in (0..n).filter(|&b| !self.is_exclusive(a, b)) {
                let (x, y) = (&self.skeleton.events[Idx::from_usize(a)], &self.skeleton.events[Idx::from_usize(b)]);
                if x.register.is_some() && x.register == y.register && x.thread == y.thread {
                    loc.insert(a, b);
                    same.insert(a, b);
                }
                if !self.may_alias(a, b) {
                    continue;
                }
                loc.insert(a, b);
                let certain = self.must_alias(a, b);
                if certain {
                    same.insert(a, b);
                }
                let is_init = |e: usize| self.pre.events[e].kind == Kind::Init;
                if self.writes(a) && self.reads(b) && self.prepared.may_read(self.pre, b, a) {
                    rf.insert(a, b);
                }
                if free_co && a != b && self.writes(a) && self.writes(b) && !is_init(b) {
                    co.insert(a, b);
                    if is_init(a) && certain {
                        first.insert(a, b);
                    }
                }
            }
        }
        self.add(BaseRel::Loc, loc, same);
        self.relate_objects();
        self.add(BaseRel::Rf, rf, Relation::new(n));
        self.add(BaseRel::Co, co, first);
        let values = EventSet::from_members(n, (0..n).filter(|&e| self.reads(e) || self.writes(e)));
        // Events without a value have none in common with those that have one.
        let without = values.complement();
        let mut certain = Relation::product(&values, &without);
        certain.union_assign(&Relation::product(&without, &values));
        certain.subtract_assign(&self.facts.exclusive);
        let mut different = Relation::product(&values, &values);
        different.subtract_assign(&self.facts.exclusive);
        different.union_assign(&certain);
        self.add(BaseRel::DifferentValues, different, certain);
        // What may touch no cell need have no source, and no place in an order.
        let known = |e: &usize| !self.unresolved.contains(e);
        self.facts.reads = EventSet::from_members(n, (0..n).filter(|&e| self.reads(e)).filter(known));
        self.facts.writes = EventSet::from_members(n, (0..n).filter(|&e| free_co && self.writes(e)).filter(known));
        let observed = |e: &usize| self.cells[*e].iter().any(|cell| self.prepared.is_observed(Some(*cell)));
        let last = EventSet::from_members(n, (0..n).filter(|&e| self.writes(e)).filter(observed));
        self.facts.sets.insert("FW".into(), Known { may: last, must: EventSet::new(n) });
    }
}
