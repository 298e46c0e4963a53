//! What the program alone says of its events, before anything is chosen: the input of the analysis.

use crate::Known;
use std::collections::BTreeMap;
use treville_base::{Cancel, Name};
use treville_event::{BaseRel, EventSet, Relation};

/// Events, each of which happens or does not, with what is certain of them. An execution is a set of events that happen, with
/// a value for each base set and relation on them.
#[derive(Clone, PartialEq, Debug)]
pub struct Facts {
    pub n: usize,
    /// `(x, y)`: whenever `x` happens, `y` does. Reflexive and transitive.
    pub implies: Relation,
    /// `(x, y)`: never both. Symmetric; a pair of an event with itself never happens at all.
    pub exclusive: Relation,
    /// The reads: each of them that happens has exactly one source in `rf`. Those of which that is not certain are left out.
    pub reads: EventSet,
    /// The writes: `co` orders those that are certainly of one cell, one way or the other. Those of which that is not
    /// certain are left out.
    pub writes: EventSet,
    /// Sets by name; one that is missing is empty. Which writes are final (`FW`) is not known: any write may be.
    pub sets: BTreeMap<Name, Known<EventSet>>,
    /// Base relations, `rf` and `co` among them; one that is missing is empty, except `id`. A pair of `must` is in the
    /// relation whenever both of its events happen.
    pub rels: BTreeMap<BaseRel, Known<Relation>>,
}

impl Facts {
    /// Of `n` events that all happen and are not related.
    pub fn new(n: usize) -> Facts {
        Facts {
            n,
            implies: Relation::full(n),
            exclusive: Relation::new(n),
            reads: EventSet::new(n),
            writes: EventSet::new(n),
            sets: BTreeMap::new(),
            rels: BTreeMap::new(),
        }
    }
}

/// Part of a sequence: a relation, or the identity on a set, which only selects.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Factor<'a> {
    Rel(&'a Relation),
    On(&'a EventSet),
}

impl Factor<'_> {
    fn compose(self, other: Factor<'_>, cancel: &Cancel) -> Relation {
        match (self, other) {
            (Factor::Rel(a), Factor::Rel(b)) => compose(a, b, cancel),
            (Factor::On(set), Factor::Rel(b)) => {
                let mut r = Relation::new(set.universe());
                r.restrict_domain_into(set, b);
                r
            }
            (Factor::Rel(a), Factor::On(set)) => {
                let mut r = Relation::new(set.universe());
                r.restrict_range_into(a, set);
                r
            }
            (Factor::On(a), Factor::On(b)) => Relation::identity_on(&a.intersection(b)),
        }
    }
}

/// `a ; b`, or part of it if cancelled.
fn compose(a: &Relation, b: &Relation, cancel: &Cancel) -> Relation {
    let n = a.universe();
    let mut r = Relation::new(n);
    for x in (0..n).take_while(|_| !cancel.is_stopped()) {
        for y in a.successors(x) {
            r.row_mut(x).iter_mut().zip(b.row(y)).for_each(|(to, from)| *to |= from);
        }
    }
    r
}

/// Which events happen together: facts in the form that operators use.
#[derive(Clone, Debug)]
pub(crate) struct World {
    pub(crate) n: usize,
    /// `(x, y)`: whenever `x` happens, `y` does.
    pub(crate) implies: Relation,
    /// `(y, x)`: whenever `x` happens, `y` does.
    pub(crate) implied: Relation,
    /// Pairs of events that may both happen.
    pub(crate) compatible: Relation,
    /// Events that may happen.
    pub(crate) possible: EventSet,
    /// Everything happens: no condition need be looked at.
    pub(crate) certain: bool,
    /// Once it is raised, what is derived does not count any more.
    cancel: Cancel,
}

impl World {
    pub(crate) fn new(facts: &Facts, cancel: &Cancel) -> World {
        let n = facts.n;
        let implied = facts.implies.inverse();
        let mut world = World {
            n,
            implies: facts.implies.clone(),
            implied,
            compatible: Relation::full(n),
            possible: EventSet::full(n),
            certain: false,
            cancel: cancel.clone(),
        };
        world.exclude(&facts.exclusive);
        world
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.cancel.is_stopped()
    }

    /// Adds pairs that never both happen, and what follows from them.
    pub(crate) fn exclude(&mut self, pairs: &Relation) {
        if !pairs.is_empty() {
            // Where `x` brings an event along that excludes something, `x` excludes it too.
            let mut exclusive = compose(&compose(&self.implies, pairs, &self.cancel), &self.implied, &self.cancel);
            exclusive.union_assign(&exclusive.inverse());
            let never = EventSet::from_members(self.n, (0..self.n).filter(|&x| exclusive.contains(x, x)));
            for x in never.iter() {
                self.possible.remove(x);
            }
            self.compatible.subtract_assign(&exclusive);
            self.compatible.intersect_assign(&Relation::product(&self.possible, &self.possible));
        }
        let all = self.n * self.n;
        self.certain = self.compatible.len() == all && self.implies.len() == all;
    }

    /// Events that happen whenever anything does.
    pub(crate) fn always(&self) -> EventSet {
        let always = |&y: &usize| self.possible.iter().all(|x| self.implies.contains(x, y));
        EventSet::from_members(self.n, (0..self.n).filter(always))
    }

    /// `a ; b` for what may be.
    pub(crate) fn compose_may(&self, a: Factor<'_>, b: Factor<'_>) -> Relation {
        let mut r = a.compose(b, &self.cancel);
        r.intersect_assign(&self.compatible);
        r
    }

    /// `a ; b` for what must be: the event between must happen because one of the ends does.
    pub(crate) fn compose_must(&self, a: Factor<'_>, b: Factor<'_>) -> Relation {
        let mut r = match (a, b) {
            (Factor::Rel(a), Factor::Rel(b)) if !self.certain => {
                let mut r = compose(&a.intersection(&self.implies), b, &self.cancel);
                r.union_assign(&compose(a, &b.intersection(&self.implied), &self.cancel));
                r
            }
            _ => a.compose(b, &self.cancel),
        };
        r.intersect_assign(&self.compatible);
        r
    }

    /// The transitive closure of what may be: events of a path happen together.
    pub(crate) fn close_may(&self, r: &Relation) -> Relation {
        let mut r = r.clone();
        for k in (0..self.n).take_while(|_| !self.is_stopped()) {
            let via = r.row(k).to_vec();
            for i in (0..self.n).filter(|&i| i != k) {
                if r.contains(i, k) {
                    let row = r.row_mut(i).iter_mut().zip(&via).zip(self.compatible.row(i));
                    row.for_each(|((to, from), mask)| *to |= from & mask);
                }
            }
        }
        r
    }

    /// The transitive closure of what must be: each event between must happen because an end of some part of the path does.
    pub(crate) fn close_must(&self, r: &Relation) -> Relation {
        let mut r = r.clone();
        while !self.is_stopped() && self.close_must_once(&mut r) {}
        r
    }

    fn close_must_once(&self, r: &mut Relation) -> bool {
        let mut grown = false;
        for k in (0..self.n).take_while(|_| !self.is_stopped()) {
            let via = r.row(k).to_vec();
            for i in (0..self.n).filter(|&i| i != k) {
                if r.contains(i, k) {
                    let whole = self.implies.contains(i, k);
                    let masks = self.compatible.row(i).iter().zip(self.implied.row(k));
                    for ((to, from), (together, bring)) in r.row_mut(i).iter_mut().zip(&via).zip(masks) {
                        let new = from & together & if whole { !0 } else { *bring } & !*to;
                        grown |= new != 0;
                        *to |= new;
                    }
                }
            }
        }
        grown
    }
}
