//! Random problems: orders whose edges depend on literals, with clauses over these.

use treville_base::BitMatrix;
use treville_sat::{ClauseSink, Lit, Orders, encode_acyclic};

/// A generator of numbers with no ambition (xorshift).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn word(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.word() >> 11) as usize % n
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Problem {
    /// Variables from 2 on; 1 is the constant.
    pub(crate) n_vars: usize,
    pub(crate) n_orders: usize,
    pub(crate) n_nodes: usize,
    /// Order, from, to, literal.
    pub(crate) edges: Vec<(usize, usize, usize, Lit)>,
    pub(crate) clauses: Vec<Vec<Lit>>,
}

impl Problem {
    /// One that is small enough to try everything.
    pub(crate) fn random(random: &mut Random) -> Self {
        let (n_vars, n_orders, n_nodes) = (5 + random.below(8), 1 + random.below(2), 3 + random.below(5));
        Self::sized(random, n_vars, n_orders, n_nodes)
    }

    /// Mostly choices between edges, some of which close cycles with fixed ones that lead forward.
    pub(crate) fn sized(random: &mut Random, n_vars: usize, n_orders: usize, n_nodes: usize) -> Self {
        let lit = |random: &mut Random| Lit::new(2 + random.below(n_vars) as i32).negated_if(random.below(5) == 0);
        let edge = |random: &mut Random| {
            let (a, b) = (random.below(n_nodes), random.below(n_nodes));
            let lit = if random.below(5) == 0 { Lit::TRUE } else { lit(random) };
            let leads_forward = lit == Lit::TRUE && random.below(40) > 0;
            let (from, to) = match (leads_forward, a == b) {
                (true, _) => (a.min(b), a.max(b) + usize::from(a == b)),
                (false, true) if random.below(20) > 0 => (a, (a + 1) % n_nodes),
                (false, _) => (a, b),
            };
            (random.below(n_orders), from, to, lit)
        };
        let edges = (0..n_vars + random.below(2 * n_vars)).map(|_| edge(random)).collect();
        let clause = |random: &mut Random| (0..2 + random.below(2)).map(|_| lit(random)).collect();
        let clauses = (0..n_vars / 2 + random.below(2 * n_vars)).map(|_| clause(random)).collect();
        Problem { n_vars, n_orders, n_nodes: n_nodes + 1, edges, clauses }
    }

    pub(crate) fn give(&self, sink: &mut impl ClauseSink) {
        for _ in 0..self.n_vars {
            sink.new_var();
        }
        for clause in &self.clauses {
            sink.add_clause(clause);
        }
    }

    pub(crate) fn give_edges(&self, orders: &mut Orders) {
        let ids: Vec<_> = (0..self.n_orders).map(|_| orders.add_order()).collect();
        for (order, from, to, lit) in &self.edges {
            orders.add_edge(ids[*order], *from, *to, *lit);
        }
    }

    /// The orders as clauses.
    pub(crate) fn give_acyclic(&self, sink: &mut impl ClauseSink) {
        for order in 0..self.n_orders {
            let edges: Vec<_> = self.edges.iter().filter(|edge| edge.0 == order).map(|e| (e.1, e.2, e.3)).collect();
            encode_acyclic(sink, self.n_nodes, &edges, &|| false);
        }
    }

    pub(crate) fn is_model(&self, value: impl Fn(Lit) -> bool) -> bool {
        let is_acyclic = |order| {
            let edges = self.edges.iter().filter(|edge| edge.0 == order && value(edge.3));
            BitMatrix::from_pairs(self.n_nodes, edges.map(|edge| (edge.1, edge.2))).is_acyclic()
        };
        value(Lit::TRUE)
            && self.clauses.iter().all(|clause| clause.iter().any(|lit| value(*lit)))
            && (0..self.n_orders).all(is_acyclic)
    }

    pub(crate) fn try_everything(&self) -> bool {
        (0..1u32 << self.n_vars).any(|bits| {
            self.is_model(|lit| {
                let index = lit.var().index();
                let positive = index == 1 || bits >> (index - 2) & 1 == 1;
                positive != lit.is_negated()
            })
        })
    }
}
