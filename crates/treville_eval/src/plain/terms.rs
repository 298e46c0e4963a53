//! Evaluating terms: each operator by its textbook definition.

use super::{Extent, Stop};
use std::sync::Arc;
use treville_base::{BitMatrix, Cancel, Diagnostic, Idx, Name};
use treville_event::{BaseRel, Event, EventSet, Graph, Relation, Skeleton};
use treville_model::{Model, RecId, Term, TermId, children};

/// One model on one graph with the picks made so far.
pub(crate) struct Evaluator<'a> {
    pub(crate) model: &'a Model,
    pub(crate) graph: &'a Graph,
    pub(crate) cancel: &'a Cancel,
    pub(crate) picks: Vec<Arc<Extent>>,
    /// Values of terms. Inside the solution of a recursive group, under its current approximation.
    memo: Vec<Option<Arc<Extent>>>,
    /// Values, or current approximations, of the members of recursive groups.
    groups: Vec<Option<Group>>,
    /// Groups that are being solved (or explained), outermost first.
    pub(crate) solving: Vec<RecId>,
    /// For each group, the terms that depend on it, once somebody asked.
    dependents: Vec<Option<Arc<Vec<bool>>>>,
    pub(crate) nesting: Nesting,
}

/// How deeply expressions nest in the interpreter, and may nest.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Nesting {
    pub(crate) depth: u32,
    pub(crate) limit: u32,
}

/// A recursive group, solved or being solved.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) now: Vec<Arc<Extent>>,
    /// All members after each evaluation of a body; the first entry is all empty. Entry `k` comes from evaluating body
    /// `(k - 1) % len`.
    pub(crate) history: Vec<Vec<Arc<Extent>>>,
}

impl<'a> Evaluator<'a> {
    pub(crate) fn new(model: &'a Model, graph: &'a Graph, cancel: &'a Cancel, picks: Vec<Arc<Extent>>) -> Self {
        let memo = vec![None; model.terms.len()];
        let groups = vec![None; model.recs.len()];
        let dependents = vec![None; model.recs.len()];
        Evaluator {
            model,
            graph,
            cancel,
            picks,
            memo,
            groups,
            solving: Vec::new(),
            dependents,
            nesting: Nesting::default(),
        }
    }

    pub(crate) fn n_events(&self) -> usize {
        self.graph.skeleton.n_events()
    }

    /// The value of a term. Operands come first, on a stack of our own: a union may have thousands.
    pub(crate) fn eval(&mut self, root: TermId) -> Result<Arc<Extent>, Stop> {
        let mut stack = vec![root];
        while let Some(&t) = stack.last() {
            if self.memo[t.index()].is_some() {
                stack.pop();
                continue;
            }
            let waiting = stack.len();
            stack.extend(children(self.model.term(t)).filter(|c| self.memo[c.index()].is_none()));
            if stack.len() == waiting {
                let value = self.compute(t)?;
                self.memo[t.index()] = Some(value);
            }
        }
        Ok(self.known(root))
    }

    /// The value of a term that was evaluated.
    fn known(&self, t: TermId) -> Arc<Extent> {
        Arc::clone(self.memo[t.index()].as_ref().expect("operands are evaluated first"))
    }

    /// The value of a term whose operands are evaluated.
    fn compute(&mut self, t: TermId) -> Result<Arc<Extent>, Stop> {
        let n = self.n_events();
        let shape = self.model.shape(t);
        let at = |t: TermId| self.known(t);
        let value = match *self.model.term(t) {
            Term::BaseSet(ref name) => Extent::Set(self.base_set(name)),
            Term::BaseRel(rel) => Extent::Rel(self.base_rel(rel)),
            Term::Empty => Extent::empty(shape, n),
            Term::Universe => Extent::universe(shape, n),
            Term::Union(a, b) => pointwise(&at(a), &at(b), EventSet::union, Relation::union),
            Term::Inter(a, b) => pointwise(&at(a), &at(b), EventSet::intersection, Relation::intersection),
            Term::Diff(a, b) => pointwise(&at(a), &at(b), EventSet::difference, Relation::difference),
            Term::Complement(a) => match &*at(a) {
                Extent::Set(s) => Extent::Set(s.complement()),
                Extent::Rel(r) => Extent::Rel(r.complement()),
            },
            Term::Seq(a, b) => Extent::Rel(at(a).rel().compose(at(b).rel())),
            Term::Inverse(a) => Extent::Rel(at(a).rel().inverse()),
            Term::Plus(a) => Extent::Rel(at(a).rel().transitive_closure()),
            Term::Star(a) => Extent::Rel(reflexive(at(a).rel().transitive_closure())),
            Term::Opt(a) => Extent::Rel(reflexive(at(a).rel().clone())),
            Term::Product(a, b) => Extent::Rel(BitMatrix::product(at(a).set(), at(b).set())),
            Term::ToId(a) => Extent::Rel(BitMatrix::identity_on(at(a).set())),
            Term::Domain(a) => Extent::Set(at(a).rel().domain()),
            Term::Range(a) => Extent::Set(at(a).rel().range()),
            Term::Rec(rec, i) => return self.member(rec, i as usize),
            Term::Pick(pick) => return Ok(Arc::clone(&self.picks[pick.index()])),
            Term::General(general) => return self.general_extent(general, t),
        };
        Ok(Arc::new(value))
    }

    pub(crate) fn base_set(&self, name: &Name) -> EventSet {
        if name == "FW" {
            return self.graph.finals.clone();
        }
        self.graph.skeleton.sets.get(name).cloned().unwrap_or_else(|| EventSet::new(self.n_events()))
    }

    pub(crate) fn base_rel(&self, rel: BaseRel) -> Relation {
        match rel {
            BaseRel::Id => Relation::identity(self.n_events()),
            BaseRel::Rf => self.graph.rf.clone(),
            BaseRel::Co => self.graph.co.clone(),
            BaseRel::DifferentValues => different_values(&self.graph.skeleton),
            rel => self.graph.skeleton.rels.get(&rel).cloned().unwrap_or_else(|| Relation::new(self.n_events())),
        }
    }

    /// A member of a recursive group: the approximation while the group is being solved, its solution otherwise.
    fn member(&mut self, rec: RecId, i: usize) -> Result<Arc<Extent>, Stop> {
        if self.groups[rec.index()].is_none() {
            self.solving.push(rec);
            let solved = self.solve(rec);
            if solved.is_err() {
                self.set_group(rec, None);
            }
            self.solving.pop();
            solved?;
        }
        let group = self.groups[rec.index()].as_ref().expect("the group has just been solved");
        Ok(Arc::clone(&group.now[i]))
    }

    /// From empty, body after body, each seeing the ones before it, until no body has anything that it had not the time
    /// before. For monotone bodies, that is the least fixpoint.
    fn solve(&mut self, rec: RecId) -> Result<(), Stop> {
        let model = self.model;
        let group = &model.recs[rec];
        let n = self.n_events();
        let start: Vec<_> = group.shapes.iter().map(|&s| Arc::new(Extent::empty(s, n))).collect();
        self.set_group(rec, Some(Group { now: start.clone(), history: vec![start] }));
        // Monotone bodies need no more rounds than there are pairs; others may never settle.
        let limit = group.bodies.len() * n * n + 2;
        for _ in 0..limit {
            let mut changed = false;
            for (i, &body) in group.bodies.iter().enumerate() {
                if self.cancel.is_due() {
                    return Err(Stop::Cancelled);
                }
                let value = self.eval(body)?;
                let mut state = self.groups[rec.index()].clone().expect("the group is being solved");
                changed |= *value != *state.now[i];
                state.now[i] = value;
                state.history.push(state.now.clone());
                self.set_group(rec, Some(state));
            }
            if !changed {
                return Ok(());
            }
        }
        let names: Vec<_> = group.names.iter().map(Name::as_str).collect();
        let span = group.bodies.iter().find_map(|&b| model.terms[b].span);
        let message = format!("the recursive definition of {} does not settle", names.join(", "));
        Err(Stop::Fault(Box::new(Diagnostic::error(span, message))))
    }

    pub(crate) fn group(&self, rec: RecId) -> Option<&Group> {
        self.groups[rec.index()].as_ref()
    }

    /// Sets the state of a group, and forgets all values that depend on it.
    pub(crate) fn set_group(&mut self, rec: RecId, state: Option<Group>) {
        self.groups[rec.index()] = state;
        let model = self.model;
        let depends = self.dependents[rec.index()]
            .get_or_insert_with(|| Arc::new(model.depending_on(|t| matches!(t, Term::Rec(r, _) if *r == rec))));
        let depends = Arc::clone(depends);
        for (value, _) in self.memo.iter_mut().zip(&*depends).filter(|(_, d)| **d) {
            *value = None;
        }
        for (other, group) in model.recs.iter_enumerated() {
            if !self.solving.contains(&other) && other != rec && group.bodies.iter().any(|b| depends[b.index()]) {
                self.groups[other.index()] = None;
            }
        }
    }
}

/// Relates events with values that differ; a write's value is what it writes.
pub fn different_values(skeleton: &Skeleton) -> Relation {
    let value = |e: &Event| e.written.or(e.read);
    let events = skeleton.events.as_slice();
    let pairs = events.iter().enumerate().flat_map(|(i, a)| {
        let different = |&(_, b): &(usize, &Event)| value(a) != value(b);
        events.iter().enumerate().filter(different).map(move |(j, _)| (i, j))
    });
    Relation::from_pairs(events.len(), pairs)
}

fn pointwise(
    a: &Extent,
    b: &Extent,
    sets: impl Fn(&EventSet, &EventSet) -> EventSet,
    rels: impl Fn(&Relation, &Relation) -> Relation,
) -> Extent {
    match a {
        Extent::Set(s) => Extent::Set(sets(s, b.set())),
        Extent::Rel(r) => Extent::Rel(rels(r, b.rel())),
    }
}

fn reflexive(mut r: Relation) -> Relation {
    r.add_identity();
    r
}
