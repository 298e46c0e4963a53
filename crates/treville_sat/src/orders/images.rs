//! Cycles again, elsewhere: where nodes can be exchanged for others (events of threads that run the same code), the image of a
//! cycle is likely to be one, too.
//!
//! Nothing depends on that the exchange is a symmetry of anything: an image is told only if all of its edges exist, and then it is
//! a cycle like any other.

use super::{Edge, EdgeId, OrderId};
use crate::Lit;
use rustc_hash::{FxHashMap, FxHashSet};
use treville_base::IndexVec;

/// How many images of a cycle are told at most, so that large groups do not flood the solver.
const MAX_IMAGES: usize = 23;

#[derive(Default)]
pub(super) struct Images {
    /// Each node's counterpart, where it has one.
    exchanges: Vec<FxHashMap<usize, usize>>,
    edges: FxHashMap<(OrderId, usize, usize), EdgeId>,
}

impl Images {
    pub(super) fn new(exchanges: Vec<FxHashMap<usize, usize>>) -> Self {
        Images { exchanges, edges: FxHashMap::default() }
    }

    /// Looks at all edges anew. Of several from one node to another, one that is always there is preferred.
    pub(super) fn rebuild(&mut self, edges: &IndexVec<EdgeId, Edge>) {
        self.edges.clear();
        if self.exchanges.is_empty() {
            return;
        }
        for (id, edge) in edges.iter_enumerated().filter(|(_, edge)| edge.lit != Lit::FALSE) {
            let known = self.edges.entry((edge.order, edge.from, edge.to)).or_insert(id);
            if edge.lit == Lit::TRUE {
                *known = id;
            }
        }
    }

    /// The images of a cycle under all exchanges, one after the other; not the cycle itself.
    pub(super) fn of(&self, cycle: &[EdgeId], edges: &IndexVec<EdgeId, Edge>) -> Vec<Vec<EdgeId>> {
        let mut seen = FxHashSet::from_iter([cycle.to_vec()]);
        let mut found = vec![cycle.to_vec()];
        let mut next = 0;
        while let Some(last) = found.get(next).cloned() {
            next += 1;
            for exchange in &self.exchanges {
                let Some(image) = self.image(&last, exchange, edges) else { continue };
                if found.len() <= MAX_IMAGES && seen.insert(image.clone()) {
                    found.push(image);
                }
            }
        }
        found.split_off(1)
    }

    fn image(
        &self,
        cycle: &[EdgeId],
        exchange: &FxHashMap<usize, usize>,
        edges: &IndexVec<EdgeId, Edge>,
    ) -> Option<Vec<EdgeId>> {
        let other = |node: usize| exchange.get(&node).copied().unwrap_or(node);
        let moved = |id: &EdgeId| {
            let edge = &edges[*id];
            self.edges.get(&(edge.order, other(edge.from), other(edge.to))).copied()
        };
        cycle.iter().map(moved).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Orders, Theory};

    #[test]
    fn a_conflict_is_told_of_counterparts() {
        let mut orders = Orders::new();
        let order = orders.add_order();
        let lits: Vec<Lit> = (2..7).map(Lit::new).collect();
        // The same cycle three times, but one edge of the last is missing.
        for (i, (from, to)) in [(0, 1), (1, 0), (2, 3), (3, 2), (4, 5)].into_iter().enumerate() {
            orders.add_edge(order, from, to, lits[i]);
        }
        let exchange = |pairs: [(usize, usize); 2]| pairs.into_iter().flat_map(|(a, b)| [(a, b), (b, a)]).collect();
        orders.set_exchanges(vec![exchange([(0, 2), (1, 3)]), exchange([(2, 4), (3, 5)])]);
        orders.prepare();
        orders.new_level();
        orders.assigned(lits[0]);
        orders.assigned(lits[1]);
        // Nobody goes back, so that it is told again and again.
        let told: Vec<Vec<Lit>> = std::iter::from_fn(|| orders.lemma()).take(3).collect();
        let mut expected = [[0, 1], [2, 3], [0, 1]].map(|edges| edges.map(|i| !lits[i]));
        expected.iter_mut().for_each(|clause| clause.sort_unstable());
        assert_eq!(told, expected);
    }
}
