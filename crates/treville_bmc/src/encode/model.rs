//! What the model says: literals for the active pairs of its terms, defined in the polarity that is needed, and its checks.
//!
//! A literal that is needed upwards is implied by its definition, so that a solver who would like it to be false cannot have
//! that for nothing; one that is needed downwards implies it. Upwards any solution of a recursive definition will do, since
//! the least one is below it. Downwards only the least will: each pair has to be derived from others, and derivations must
//! not go round in circles, which is an order on pairs.

use super::{Encoder, Order, pair};
use crate::Fixpoint;
use rustc_hash::FxHashMap;
use treville_base::IndexVec;
use treville_event::BaseRel;
use treville_model::{CheckKind, Orders, PickId, PickSource, RecOrder, Term, TermId, children};
use treville_relations::{Closing, Extent, Obligation, Polarity, closure};
use treville_sat::Lit;

/// A pair of a term as an encoder sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Edge {
    Never,
    /// Whenever both events happen.
    Always,
    If(Lit),
}

/// One way to derive a pair: all of these pairs of terms, and literals beside them.
struct Derivation {
    edges: Vec<(TermId, usize, usize)>,
    lits: Vec<Lit>,
}

impl Encoder<'_> {
    /// Not to the end if that was cancelled.
    pub(crate) fn model(&mut self) {
        for &(x, y) in &self.analysis.contradictions {
            let (x, y) = (self.happens[x], self.happens[y]);
            self.clause([!x, !y]);
        }
        let picks: Vec<PickId> = self.model.picks.ids().collect();
        for pick in picks {
            self.pick(pick);
        }
        let mut grounds = Grounds { order: None, nodes: FxHashMap::default(), recursive: self.recursive_terms() };
        let terms: Vec<TermId> = self.model.terms.ids().collect();
        for t in terms {
            let (active, stated) = (&self.analysis.active[t], &self.analysis.stated[t]);
            let (up, down) = (active.up.union(&stated.up), active.down.union(&stated.down));
            let least = self.options.fixpoint == Fixpoint::Kleene && grounds.recursive[t];
            for (x, y) in up.pairs() {
                if self.is_stopped() {
                    return;
                }
                self.define_up(t, x, y);
                if least && !down.contains(x, y) {
                    self.define_down(t, x, y, Polarity::Up, &mut grounds);
                }
            }
            for (x, y) in down.pairs() {
                if self.is_stopped() {
                    return;
                }
                self.define_down(t, x, y, Polarity::Down, &mut grounds);
            }
        }
        let relevance = &self.analysis.relevance;
        for relevant in relevance {
            if self.is_stopped() {
                return;
            }
            self.check(&relevant.obligation, &relevant.pairs);
        }
        self.finish_orders();
    }

    fn edge(&mut self, t: TermId, x: usize, y: usize) -> Edge {
        let known = &self.analysis.knowledge[t];
        if !known.may.contains(x, y) {
            return Edge::Never;
        }
        if known.must.contains(x, y) {
            return Edge::Always;
        }
        Edge::If(self.literal(t, x, y))
    }

    /// The literal of a pair of which nothing is known.
    fn literal(&mut self, t: TermId, x: usize, y: usize) -> Lit {
        let key = (t, x as u32, y as u32);
        if let Some(lit) = self.terms.get(&key) {
            return *lit;
        }
        let lit = match self.model.term(t) {
            Term::BaseRel(rel) => self.base(*rel, x, y),
            Term::BaseSet(name) if name == "FW" => self.is_last(x),
            Term::BaseSet(name) => match self.events.facts.sets.get(name) {
                Some(set) if set.must.contains(x) => self.happens[x],
                _ => Lit::FALSE,
            },
            Term::Universe => self.both(x, y),
            Term::Empty => Lit::FALSE,
            _ => self.fresh(),
        };
        self.terms.insert(key, lit);
        lit
    }

    /// Whether a write is the last of an observed cell.
    fn is_last(&mut self, x: usize) -> Lit {
        let lits: Vec<Lit> = self.last.values().flatten().filter(|(w, _)| *w == x).map(|(_, lit)| *lit).collect();
        self.or(&lits)
    }

    fn base(&mut self, rel: BaseRel, x: usize, y: usize) -> Lit {
        let absent = Lit::FALSE;
        let certain = match self.events.facts.rels.get(&rel) {
            Some(known) => known.must.contains(x, y),
            None => rel == BaseRel::Id && x == y,
        };
        if certain {
            return self.both(x, y);
        }
        match rel {
            BaseRel::Rf => self.rf.get(&pair(x, y)).copied().unwrap_or(absent),
            BaseRel::Co => self.co.get(&pair(x, y)).copied().unwrap_or(absent),
            BaseRel::Loc => {
                let (both, same) = (self.both(x, y), self.same_place(x, y));
                self.and(&[both, same])
            }
            BaseRel::SameObject => {
                let (both, same) = (self.both(x, y), self.same_object(x, y));
                self.and(&[both, same])
            }
            BaseRel::DifferentValues => {
                let both = self.both(x, y);
                let (a, b) = (self.value(x), self.value(y));
                let equal = self.gates.equal(&a, &b);
                self.and(&[both, !equal])
            }
            BaseRel::Amo | BaseRel::Lxsx => {
                // Accesses of one cell, linked on the path that is taken.
                let linked = if self.events.conditions.contains_key(&(rel, x, y)) {
                    self.conditional(rel, x, y)
                } else {
                    self.both(x, y)
                };
                let same = self.same_place(x, y);
                self.and(&[linked, same])
            }
            _ => self.conditional(rel, x, y),
        }
    }

    /// Whether two events are related on the path that is taken.
    fn conditional(&mut self, rel: BaseRel, x: usize, y: usize) -> Lit {
        let ways = self.events.conditions.get(&(rel, x, y)).cloned().unwrap_or_default();
        let both = self.both(x, y);
        let mut found = Vec::new();
        for conditions in ways {
            let mut all: Vec<Lit> = conditions.iter().map(|c| self.condition(*c)).collect();
            all.push(both);
            found.push(self.and(&all));
        }
        self.or(&found)
    }

    /// The value that models compare: the written one or, if there is none, the one read.
    fn value(&mut self, e: usize) -> Vec<Lit> {
        if self.events.writes(e) { self.written(e) } else { self.read(e) }
    }

    /// Adds the negation of an edge to a clause. False if the clause then says nothing.
    fn unless(&mut self, clause: &mut Vec<Lit>, t: TermId, x: usize, y: usize) -> bool {
        match self.edge(t, x, y) {
            Edge::Never => return false,
            Edge::Always => clause.extend([!self.happens[x], !self.happens[y]]),
            Edge::If(lit) => clause.push(!lit),
        }
        true
    }

    /// The literal of an edge.
    fn holds(&mut self, t: TermId, x: usize, y: usize) -> Lit {
        match self.edge(t, x, y) {
            Edge::Never => Lit::FALSE,
            Edge::Always => self.both(x, y),
            Edge::If(lit) => lit,
        }
    }

    /// The ways to derive a pair from pairs of the terms that its term is defined by; `None` if it is not derived at all.
    fn derivations(&mut self, t: TermId, x: usize, y: usize, polarity: Polarity) -> Option<Vec<Derivation>> {
        let of = |edges: &[(TermId, usize, usize)]| Derivation { edges: edges.to_vec(), lits: Vec::new() };
        let may = |t: TermId| &self.analysis.knowledge[t].may;
        let n = self.events.len();
        if let Some(closure) = closure(self.model, t, polarity) {
            return Some(self.closed(t, x, y, closure));
        }
        Some(match *self.model.term(t) {
            Term::Union(a, b) => vec![of(&[(a, x, y)]), of(&[(b, x, y)])],
            Term::Inter(a, b) => vec![of(&[(a, x, y), (b, x, y)])],
            Term::Diff(a, b) => {
                let not = !self.holds(b, x, y);
                vec![Derivation { edges: vec![(a, x, y)], lits: vec![not] }]
            }
            Term::Complement(a) => {
                let (both, not) = (self.both(x, y), !self.holds(a, x, y));
                vec![Derivation { edges: Vec::new(), lits: vec![both, not] }]
            }
            Term::Seq(a, b) => {
                let (left, right) = (may(a), may(b));
                let between = (0..n).filter(|&z| left.contains(x, z) && right.contains(z, y));
                between.map(|z| of(&[(a, x, z), (b, z, y)])).collect()
            }
            Term::Inverse(a) => vec![of(&[(a, y, x)])],
            Term::Opt(_) if x == y => vec![Derivation { edges: Vec::new(), lits: vec![self.happens[x]] }],
            Term::Opt(a) => vec![of(&[(a, x, y)])],
            Term::Product(a, b) => vec![of(&[(a, x, x), (b, y, y)])],
            Term::ToId(a) if x == y => vec![of(&[(a, x, x)])],
            Term::ToId(_) => Vec::new(),
            Term::Domain(a) => (0..n).filter(|&z| may(a).contains(x, z)).map(|z| of(&[(a, x, z)])).collect(),
            Term::Range(a) => (0..n).filter(|&z| may(a).contains(z, x)).map(|z| of(&[(a, z, x)])).collect(),
            Term::Rec(rec, i) if self.model.recs[rec].order == RecOrder::Least => {
                vec![of(&[(self.model.recs[rec].bodies[i as usize], x, y)])]
            }
            Term::Rec(..) | Term::Pick(_) | Term::General(_) | Term::Plus(_) | Term::Star(_) => return None,
            Term::BaseSet(_) | Term::BaseRel(_) | Term::Empty | Term::Universe => return None,
        })
    }

    /// The ways to derive a pair of a closure, or of what ends with one.
    fn closed(&self, t: TermId, x: usize, y: usize, closure: Closing) -> Vec<Derivation> {
        let may = |t: TermId| &self.analysis.knowledge[t].may;
        let step = |a: TermId| self.analysis.steps.get(&a).unwrap_or(may(a).rel());
        let all = 0..self.events.len();
        let (short, long): (TermId, Vec<_>) = match closure {
            Closing::Transitive(a) => (a, Vec::new()),
            Closing::FirstStep(a) => {
                let (first, rest) = (step(a), may(t));
                let between = all.filter(|&z| z != x && z != y && first.contains(x, z) && rest.contains(z, y));
                (a, between.map(|z| vec![(a, x, z), (t, z, y)]).collect())
            }
            Closing::LastStep { start, step: a } => {
                let (rest, last) = (may(t), step(a));
                let between = all.filter(|&z| z != y && rest.contains(x, z) && last.contains(z, y));
                (start, between.map(|z| vec![(t, x, z), (a, z, y)]).collect())
            }
        };
        let edges = [vec![(short, x, y)]].into_iter().chain(long);
        let mut all: Vec<Derivation> = edges.map(|edges| Derivation { edges, lits: Vec::new() }).collect();
        if x == y && matches!(self.model.term(t), Term::Star(_)) {
            all.push(Derivation { edges: Vec::new(), lits: vec![self.happens[x]] });
        }
        all
    }

    /// The definition implies the pair; if the pair is known not to be there, the definition does not hold.
    fn define_up(&mut self, t: TermId, x: usize, y: usize) {
        let Some(derivations) = self.derivations(t, x, y, Polarity::Up) else { return self.state_base(t, x, y) };
        let defined = match self.edge(t, x, y) {
            Edge::Never => Lit::FALSE,
            Edge::Always => return,
            Edge::If(lit) => lit,
        };
        for derivation in derivations {
            let mut clause = vec![defined];
            let mut edges = derivation.edges.into_iter();
            if edges.all(|(t, x, y)| self.unless(&mut clause, t, x, y)) {
                clause.extend(derivation.lits.iter().map(|lit| !*lit));
                self.clause(clause);
            }
        }
    }

    /// The pair implies its definition; if it is known to be there, the definition holds whenever both events happen.
    ///
    /// `polarity` says which pairs of other terms are there to derive it from.
    fn define_down(&mut self, t: TermId, x: usize, y: usize, polarity: Polarity, grounds: &mut Grounds) {
        let Some(derivations) = self.derivations(t, x, y, polarity) else { return self.state_base(t, x, y) };
        let defined = match self.edge(t, x, y) {
            Edge::Never => return,
            Edge::Always => self.both(x, y),
            Edge::If(lit) => lit,
        };
        let mut ways = vec![!defined];
        for derivation in derivations {
            let mut all = derivation.lits;
            for (t, x, y) in &derivation.edges {
                all.push(self.holds(*t, *x, *y));
            }
            let mut way = self.and(&all);
            let circular: Vec<_> = derivation.edges.iter().filter(|(t, ..)| grounds.recursive[*t]).copied().collect();
            if !circular.is_empty() && grounds.recursive[t] && way != Lit::FALSE {
                // A derivation of its own, so that others that hold as well need not be in order.
                let used = self.fresh();
                self.clause([!used, way]);
                let order = *grounds.order.get_or_insert_with(|| self.new_order("derivations, on pairs of terms"));
                for (on, u, v) in circular {
                    let (from, to) = (grounds.node(on, u, v), grounds.node(t, x, y));
                    self.before(order, from, to, used);
                }
                way = used;
            }
            ways.push(way);
        }
        self.clause(ways);
    }

    /// Pairs of base relations that are known by the checks only.
    fn state_base(&mut self, t: TermId, x: usize, y: usize) {
        let stated = &self.analysis.stated[t];
        let (up, down) = (stated.up.contains(x, y), stated.down.contains(x, y));
        if !up && !down {
            return;
        }
        let lit = self.literal(t, x, y);
        if up {
            self.clause([!lit]);
        }
        if down {
            let (x, y) = (self.happens[x], self.happens[y]);
            self.clause([!x, !y, lit]);
        }
    }

    /// One of the orders that a model chooses.
    fn pick(&mut self, pick: PickId) {
        let PickSource::Orders(orders) = self.model.picks[pick].source else { return };
        self.lenient |= self.extends_outside(&orders);
        let Some(t) = self.model.terms.ids().find(|t| *self.model.term(*t) == Term::Pick(pick)) else { return };
        let order = self.new_order(format!("the order {}, on events", self.model.picks[pick].name));
        for (x, y) in self.may_be_ordered(&orders) {
            if self.is_stopped() {
                return;
            }
            self.order_pair(t, &orders, order, x, y);
        }
        for x in 0..self.events.len() {
            let lit = self.holds(t, x, x);
            self.clause([!lit]);
        }
    }

    /// The pairs of different events that may be of one class. What is known of the order itself does not matter: two members
    /// that it cannot relate either way are not both there.
    fn may_be_ordered(&self, orders: &Orders) -> Vec<(usize, usize)> {
        let may = |t: TermId| &self.analysis.knowledge[t].may;
        let on: Vec<usize> = (0..self.events.len()).filter(|&x| may(orders.on).contains(x, x)).collect();
        let pairs = on.iter().flat_map(|&x| on.iter().map(move |&y| (x, y)));
        pairs.filter(|&(x, y)| x != y && may(orders.classes).contains(x, y)).collect()
    }

    /// What an order that a model chooses says of one pair.
    fn order_pair(&mut self, t: TermId, orders: &Orders, order: Order, x: usize, y: usize) {
        // Both are among those that are ordered, and in one class.
        let mut members = vec![self.both(x, y)];
        for (t, x, y) in [
            (orders.on, x, x),
            (orders.on, y, y),
            (orders.classes, x, y),
            (orders.classes, x, x),
            (orders.classes, y, y),
        ] {
            members.push(self.holds(t, x, y));
        }
        let (lit, other) = (self.holds(t, x, y), self.holds(t, y, x));
        for member in &members {
            self.clause([!lit, *member]);
        }
        self.clause(members.iter().map(|m| !*m).chain([lit, other]));
        self.clause([!lit, !other]);
        self.before(order, x, y, lit);
        // It extends what it is told to, and so does its closure: the order has no cycle with it.
        let extended = self.holds(orders.extends, x, y);
        self.clause(members.iter().map(|m| !*m).chain([!extended, lit]));
    }

    /// Whether what orders extend may lead from one event of a class to another through events that are not ordered: it certainly does
    /// not where both ends of each of its pairs are certainly of one class.
    fn extends_outside(&self, orders: &Orders) -> bool {
        let known = |t: TermId| &self.analysis.knowledge[t];
        let (on, classes) = (&known(orders.on).must, &known(orders.classes).must);
        let inside = |x: usize, y: usize| on.contains(x, x) && on.contains(y, y) && classes.contains(x, y);
        known(orders.extends).may.pairs().any(|(x, y)| !inside(x, y))
    }

    /// Terms whose pairs may be derived from pairs of themselves.
    fn recursive_terms(&self) -> IndexVec<TermId, bool> {
        let mut recursive: IndexVec<TermId, bool> = self.model.terms.iter().map(|_| false).collect();
        for (t, info) in self.model.terms.iter_enumerated() {
            let own = matches!(info.term, Term::Plus(_) | Term::Star(_) | Term::Rec(..));
            recursive[t] = own || children(&info.term).any(|child| recursive[child]);
        }
        recursive
    }

    fn check(&mut self, obligation: &Obligation, pairs: &Extent) {
        let check = &self.model.checks[obligation.check];
        let matters = |(x, y): &(usize, usize)| obligation.kind != CheckKind::Irreflexive || x == y;
        let pairs: Vec<(usize, usize)> = pairs.pairs().filter(matters).collect();
        let violated = match (obligation.polarity, obligation.kind) {
            (Polarity::Up, CheckKind::Acyclic) if obligation.required => {
                let order = self.new_order(format!("the check {}, on events", check.name));
                for (x, y) in pairs {
                    let lit = self.holds(obligation.term, x, y);
                    self.before(order, x, y, lit);
                }
                return;
            }
            (Polarity::Up, CheckKind::Acyclic) => {
                // Only asked for: each edge counts if the question is asked.
                let asked = self.fresh();
                let order = self.new_order(format!("the check {}, on events", check.name));
                for (x, y) in pairs {
                    let lit = self.holds(obligation.term, x, y);
                    let counts = self.and(&[asked, lit]);
                    self.before(order, x, y, counts);
                }
                self.notes.insert(check.name.clone(), asked);
                return;
            }
            (Polarity::Up, _) => {
                let mut some = Vec::new();
                for (x, y) in pairs {
                    some.push(self.holds(obligation.term, x, y));
                }
                !self.or(&some)
            }
            (Polarity::Down, CheckKind::Acyclic) => {
                let edges = pairs.into_iter().map(|(x, y)| (x, y, self.holds(obligation.term, x, y))).collect();
                self.cycle(edges)
            }
            (Polarity::Down, _) => {
                let mut some = Vec::new();
                for (x, y) in pairs {
                    some.push(self.holds(obligation.term, x, y));
                }
                self.or(&some)
            }
        };
        if obligation.required {
            self.clause([violated]);
        } else {
            self.notes.insert(check.name.clone(), violated);
        }
    }
}

/// The order of derivations, with a node for each pair of a term that is derived in it.
struct Grounds {
    order: Option<Order>,
    /// Terms whose pairs may be derived from pairs of themselves.
    recursive: IndexVec<TermId, bool>,
    nodes: FxHashMap<(TermId, u32, u32), usize>,
}

impl Grounds {
    fn node(&mut self, t: TermId, x: usize, y: usize) -> usize {
        let next = self.nodes.len();
        *self.nodes.entry((t, x as u32, y as u32)).or_insert(next)
    }
}
