//! The theory of orders: directed graphs that must have no cycle, whose edges are there if their literals are true.
//!
//! All orders are parts of one [`graph::Graph`], so that nothing below this file knows that there are several. Edges are
//! inserted in the order in which their literals become true. One that closes a cycle is a conflict: the cycles with the fewest
//! literals are told, several that share nothing but that edge. One that does not may leave others that now would; their
//! literals are propagated to false, and the path that blocks them is looked for only if somebody asks.

mod fixed;
mod graph;
mod images;

use crate::{Lit, Preparation, Theory, Var};
use fixed::{Candidate, Role};
use graph::{Arc, Graph};
use images::Images;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use treville_base::{Idx, IndexVec};

treville_base::ids! {
    /// A graph that must have no cycle.
    OrderId "o";
    /// An edge of some order.
    EdgeId "e";
}

/// `from` is before `to` in `order` if `lit` is true; always, if it is [`Lit::TRUE`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge {
    pub order: OrderId,
    pub from: usize,
    pub to: usize,
    pub lit: Lit,
}

/// A clause that the theory has told, with the cycle that justifies it: were all edges of the cycle there, the order would not
/// be one. Unless an [`Explain`] has put others in their place, the literals of the clause are the negated ones of the edges.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lemma {
    pub clause: Vec<Lit>,
    pub cycle: Vec<EdgeId>,
}

/// Tells why literals of edges are true, in literals that say more.
pub trait Explain {
    /// The variables of all literals that it may ever give.
    fn vars(&self) -> Vec<Var>;

    /// Puts literals into `because` that together imply `lit`, by the clauses that the solver has, and that are all true according
    /// to `is_true`, which knows observed variables only. If it does not know any, it leaves `because` empty.
    fn explain(&self, lit: Lit, is_true: &dyn Fn(Lit) -> bool, because: &mut Vec<Lit>);
}

/// How many cycles are told of one conflict.
const MAX_CYCLES: usize = 3;

#[derive(Default)]
pub struct Orders {
    edges: IndexVec<EdgeId, Edge>,
    /// For each order the numbers of its nodes in the graph.
    nodes: IndexVec<OrderId, Vec<u32>>,
    n_nodes: u32,
    /// The ends of the edges in the graph.
    ends: Vec<(u32, u32)>,
    graph: Graph,
    /// By code of literal: the live edges that it brings.
    brings: Vec<Vec<EdgeId>>,
    /// By node: the live edges that leave it, fixed ones aside.
    leaving: Vec<Vec<Arc>>,
    /// By variable.
    trail_of: Vec<Assignment>,
    trail: Vec<Lit>,
    /// Edges whose literals have become true, in that order; the first `n_inserted` are in the graph.
    present: Vec<EdgeId>,
    n_inserted: usize,
    levels: Vec<Level>,
    implied: VecDeque<Lit>,
    /// For literals that were implied: the edge that is blocked, and how long the trail was.
    blocked: FxHashMap<Lit, (EdgeId, u32)>,
    lemmas: VecDeque<Lemma>,
    /// Edges were added since the last search.
    is_stale: bool,
    observed: FxHashSet<Var>,
    explain: Option<Box<dyn Explain>>,
    log: Option<Vec<Lemma>>,
    without_propagation: bool,
    images: Images,
}

#[derive(Clone, Copy)]
struct Level {
    n_trail: usize,
    n_present: usize,
}

#[derive(Clone, Copy, Default)]
struct Assignment {
    /// The place on the trail, from 1; 0 if not assigned.
    place: u32,
    is_negated: bool,
}

impl Orders {
    pub fn new() -> Self {
        Self::default()
    }

    /// Conflicts only: nothing is propagated.
    #[must_use]
    pub fn without_propagation(self) -> Self {
        Orders { without_propagation: true, ..self }
    }

    /// Gives literals their explanations from now on.
    pub fn set_explain(&mut self, explain: Box<dyn Explain>) {
        self.is_stale = true;
        self.explain = Some(explain);
    }

    /// Of each conflict, tells also what it is after an exchange of nodes, each with its counterpart.
    pub fn set_exchanges(&mut self, exchanges: Vec<FxHashMap<usize, usize>>) {
        self.is_stale = true;
        self.images = Images::new(exchanges);
    }

    /// Keeps every clause that the theory tells from now on.
    pub fn keep_log(&mut self) {
        self.log.get_or_insert_default();
    }

    /// What was told since [`Orders::keep_log`].
    pub fn log(&self) -> &[Lemma] {
        self.log.as_deref().unwrap_or_default()
    }

    pub fn add_order(&mut self) -> OrderId {
        self.nodes.push(Vec::new())
    }

    /// Adds an edge between nodes, which exist as soon as they are named.
    pub fn add_edge(&mut self, order: OrderId, from: usize, to: usize, lit: Lit) -> EdgeId {
        let nodes = &mut self.nodes[order];
        while nodes.len() <= from.max(to) {
            nodes.push(self.n_nodes);
            self.n_nodes += 1;
        }
        self.ends.push((nodes[from], nodes[to]));
        self.is_stale = true;
        self.edges.push(Edge { order, from, to, lit })
    }

    pub fn edge(&self, edge: EdgeId) -> Edge {
        self.edges[edge]
    }

    pub fn edges(&self) -> impl Iterator<Item = (EdgeId, Edge)> + '_ {
        self.edges.iter_enumerated().map(|(id, edge)| (id, *edge))
    }

    fn assignment(&mut self, lit: Lit) -> &mut Assignment {
        let index = lit.var().index();
        if self.trail_of.len() <= index {
            self.trail_of.resize(index + 1, Assignment::default());
        }
        &mut self.trail_of[index]
    }

    fn is_assigned(&self, lit: Lit) -> bool {
        self.trail_of.get(lit.var().index()).is_some_and(|a| a.place > 0)
    }

    /// Whether `lit` was true when the trail had `limit` literals.
    fn was_true(&self, lit: Lit, limit: u32) -> bool {
        lit == Lit::TRUE
            || self
                .trail_of
                .get(lit.var().index())
                .is_some_and(|a| (1..=limit).contains(&a.place) && a.is_negated == lit.is_negated())
    }

    /// Inserts the edges that are present, until one closes a cycle.
    fn catch_up(&mut self) {
        while self.lemmas.is_empty()
            && let Some(&edge) = self.present.get(self.n_inserted)
        {
            let (from, to) = self.ends[edge.index()];
            if !self.graph.insert(edge, from, to) {
                self.tell_cycles(edge);
                return;
            }
            self.n_inserted += 1;
            if !self.without_propagation {
                self.block(from, to);
            }
        }
    }

    /// Puts edges that a new edge `from` → `to` forbids on the list.
    fn block(&mut self, from: u32, to: u32) {
        let (edges, trail_of) = (&self.edges, &self.trail_of);
        let is_open = |edge| trail_of.get(edges[edge].lit.var().index()).is_none_or(|a| a.place == 0);
        let closing = self.graph.closing(from, to, &self.leaving, is_open);
        let limit = self.trail.len() as u32;
        for edge in closing {
            let lit = self.edges[edge].lit;
            self.blocked.insert(!lit, (edge, limit));
            self.implied.push_back(!lit);
        }
    }

    /// A path with the fewest literals that were true when the trail had `limit` ones, without the `banned` edges. What is true
    /// at level 0 counts as fixed.
    fn path(&mut self, from: u32, to: u32, limit: u32, banned: &FxHashSet<EdgeId>) -> Option<Vec<EdgeId>> {
        let root = self.levels.first().map_or(self.trail.len(), |level| level.n_trail) as u32;
        let (edges, trail_of) = (&self.edges, &self.trail_of);
        self.graph.path(from, to, |edge| {
            let lit = edges[edge].lit;
            let place = if lit == Lit::TRUE { 0 } else { trail_of[lit.var().index()].place };
            (place <= limit && !banned.contains(&edge)).then_some(place > root)
        })
    }

    /// The cycles that `edge` closes, the shortest first; but for it they have no edge with a literal in common.
    fn tell_cycles(&mut self, edge: EdgeId) {
        let (from, to) = self.ends[edge.index()];
        let limit = self.trail.len() as u32;
        let mut banned = FxHashSet::default();
        for _ in 0..MAX_CYCLES {
            let Some(mut cycle) = self.path(to, from, limit, &banned) else { break };
            let n_banned = banned.len();
            banned.extend(cycle.iter().copied().filter(|edge| self.edges[*edge].lit != Lit::TRUE));
            let is_last = banned.len() == n_banned;
            cycle.insert(0, edge);
            let lemma = self.lemma_of(cycle.clone(), None, limit);
            self.lemmas.push_back(lemma);
            self.tell_images(&cycle);
            if is_last {
                break;
            }
        }
    }

    fn tell_images(&mut self, cycle: &[EdgeId]) {
        for cycle in self.images.of(cycle, &self.edges) {
            let lits = cycle.iter().map(|edge| self.edges[*edge].lit).filter(|lit| *lit != Lit::TRUE);
            let mut clause: Vec<Lit> = lits.map(|lit| !lit).collect();
            clause.sort_unstable();
            clause.dedup();
            let lemma = self.noted(Lemma { clause, cycle });
            self.lemmas.push_back(lemma);
        }
    }

    fn noted(&mut self, lemma: Lemma) -> Lemma {
        if let Some(log) = &mut self.log {
            log.push(lemma.clone());
        }
        lemma
    }

    /// The clause that forbids `cycle`, with `implied` among its edges' negated literals left as it is.
    fn lemma_of(&mut self, cycle: Vec<EdgeId>, implied: Option<Lit>, limit: u32) -> Lemma {
        let mut clause = Vec::new();
        let mut because = Vec::new();
        for edge in &cycle {
            let lit = self.edges[*edge].lit;
            if let Some(explain) = self.explain.as_ref().filter(|_| implied != Some(!lit)) {
                explain.explain(lit, &|lit| self.was_true(lit, limit), &mut because);
            }
            if because.is_empty() || !because.iter().all(|lit| self.was_true(*lit, limit)) {
                because = vec![lit];
            }
            clause.extend(because.drain(..).filter(|lit| *lit != Lit::TRUE).map(|lit| !lit));
        }
        clause.sort_unstable();
        clause.dedup();
        self.noted(Lemma { clause, cycle })
    }
}

impl Theory for Orders {
    fn prepare(&mut self) -> Preparation {
        self.backtrack(0);
        let mut preparation = Preparation::default();
        if std::mem::take(&mut self.is_stale) {
            self.rebuild(&mut preparation);
        }
        preparation
    }

    fn assigned(&mut self, lit: Lit) {
        if self.is_assigned(lit) {
            return;
        }
        self.trail.push(lit);
        let place = self.trail.len() as u32;
        let assignment = self.assignment(lit);
        assignment.place = place;
        assignment.is_negated = lit.is_negated();
        if let Some(edges) = self.brings.get(lit.code()) {
            self.present.extend(edges);
        }
    }

    fn new_level(&mut self) {
        self.levels.push(Level { n_trail: self.trail.len(), n_present: self.present.len() });
    }

    fn backtrack(&mut self, level: usize) {
        let Some(&Level { n_trail, n_present }) = self.levels.get(level) else { return };
        self.levels.truncate(level);
        self.implied.clear();
        while self.n_inserted > n_present {
            self.n_inserted -= 1;
            let (from, to) = self.ends[self.present[self.n_inserted].index()];
            self.graph.remove_last(from, to);
        }
        self.present.truncate(n_present);
        for lit in self.trail.drain(n_trail..) {
            self.trail_of[lit.var().index()].place = 0;
        }
    }

    fn lemma(&mut self) -> Option<Vec<Lit>> {
        self.catch_up();
        self.lemmas.pop_front().map(|lemma| lemma.clause)
    }

    fn propagate(&mut self) -> Option<Lit> {
        self.catch_up();
        if !self.lemmas.is_empty() {
            return None;
        }
        while let Some(lit) = self.implied.pop_front() {
            if !self.is_assigned(lit) {
                return Some(lit);
            }
        }
        None
    }

    fn reason(&mut self, lit: Lit) -> Vec<Lit> {
        let blocked = self.blocked.get(&lit).copied();
        let cycle = blocked.and_then(|(edge, limit)| {
            let (from, to) = self.ends[edge.index()];
            let mut cycle = self.path(to, from, limit, &FxHashSet::default())?;
            cycle.insert(0, edge);
            Some((cycle, limit))
        });
        let (cycle, limit) = cycle.expect("only blocked edges are propagated, and what blocks them stays");
        self.lemma_of(cycle, Some(lit), limit).clause
    }

    fn final_check(&mut self) -> bool {
        self.catch_up();
        self.lemmas.is_empty()
    }
}

impl Orders {
    /// Looks at all edges anew: the graph with the fixed ones, the lists of the others, and what follows already.
    fn rebuild(&mut self, preparation: &mut Preparation) {
        let roles = self.roles();
        self.images.rebuild(&self.edges);
        let (fixed, open): (Vec<EdgeId>, Vec<EdgeId>) = self
            .edges
            .ids()
            .filter(|edge| self.edges[*edge].lit != Lit::FALSE)
            .partition(|edge| self.edges[*edge].lit == Lit::TRUE);
        self.brings.clear();
        self.leaving = vec![Vec::new(); self.n_nodes as usize];
        self.n_inserted = 0;
        self.implied.clear();
        self.lemmas.clear();
        for edge in fixed.into_iter().filter(|edge| roles[*edge] == Role::Live) {
            let (from, to) = self.ends[edge.index()];
            if !self.graph.insert(edge, from, to) {
                self.tell_cycles(edge);
            }
        }
        for edge in open {
            match roles[edge] {
                Role::Idle => {}
                Role::Live => self.enlist(edge),
                Role::Impossible => self.tell_cycles(edge),
            }
            self.observe(self.edges[edge].lit.var(), preparation);
        }
        for var in self.explain.as_ref().map(|explain| explain.vars()).unwrap_or_default() {
            self.observe(var, preparation);
        }
        preparation.clauses.extend(self.lemmas.drain(..).map(|lemma| lemma.clause));
        let brings = &self.brings;
        self.present =
            self.trail.iter().flat_map(|lit| brings.get(lit.code()).into_iter().flatten().copied()).collect();
    }

    fn enlist(&mut self, edge: EdgeId) {
        let code = self.edges[edge].lit.code();
        if self.brings.len() <= code {
            self.brings.resize(code + 1, Vec::new());
        }
        self.brings[code].push(edge);
        let (from, to) = self.ends[edge.index()];
        self.leaving[from as usize].push(Arc { node: to, edge });
    }

    fn observe(&mut self, var: Var, preparation: &mut Preparation) {
        if var != Lit::TRUE.var() && self.observed.insert(var) {
            preparation.observe.push(var);
        }
    }

    /// The role of each edge; the graph is emptied, with its nodes sorted by the fixed edges.
    fn roles(&mut self) -> IndexVec<EdgeId, Role> {
        let mut roles: IndexVec<EdgeId, Role> = self.edges.iter().map(|_| Role::Idle).collect();
        let mut of_order: IndexVec<OrderId, Vec<EdgeId>> = self.nodes.iter().map(|_| Vec::new()).collect();
        for (id, edge) in self.edges.iter_enumerated().filter(|(_, edge)| edge.lit != Lit::FALSE) {
            of_order[edge.order].push(id);
        }
        let mut sorted = Vec::with_capacity(self.n_nodes as usize);
        for (order, ids) in of_order.iter_enumerated() {
            let candidates: Vec<Candidate> = ids
                .iter()
                .map(|id| self.edges[*id])
                .map(|edge| Candidate { from: edge.from, to: edge.to, is_fixed: edge.lit == Lit::TRUE })
                .collect();
            let nodes = &self.nodes[order];
            let knowledge = fixed::analyse(nodes.len(), &candidates);
            for (id, role) in ids.iter().zip(knowledge.roles) {
                roles[*id] = role;
            }
            sorted.extend(knowledge.order.iter().map(|node| nodes[*node]));
        }
        self.graph = Graph::in_order(&sorted);
        roles
    }
}
