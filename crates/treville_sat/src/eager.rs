//! Acyclicity in clauses alone, by vertex elimination (M. Rankooh, J. Rintanen: Propositional encodings of acyclicity and
//! reachability by using vertex elimination, AAAI 2022).
//!
//! Nodes leave the graph one by one, and for each path through a leaving node an edge takes its place. What is left of a cycle
//! is in the end an edge forth and one back, which must not both be there. Few edges have to be added if nodes with few
//! neighbours leave first.

use crate::{ClauseSink, Lit};
use std::collections::{BTreeMap, BTreeSet};

/// Requires that the edges `(from, to, lit)` between `n` nodes whose literals hold form no cycle. Ends early if `is_stopped` says so.
pub fn encode_acyclic(
    sink: &mut impl ClauseSink,
    n: usize,
    edges: &[(usize, usize, Lit)],
    is_stopped: &dyn Fn() -> bool,
) {
    let mut graph = Shrinking::new(n);
    for (from, to, lit) in edges.iter().filter(|edge| edge.2 != Lit::FALSE) {
        if from == to {
            sink.add_clause(&[!*lit]);
        } else {
            graph.add(*from, *to).given.push(*lit);
        }
    }
    let mut queue: BTreeSet<(usize, usize)> = (0..n).map(|node| (graph.cost(node), node)).collect();
    while let Some((_, node)) = queue.pop_first().filter(|_| !is_stopped()) {
        let neighbours = graph.neighbours(node);
        for other in &neighbours {
            queue.remove(&(graph.cost(*other), *other));
        }
        graph.eliminate(sink, node);
        queue.extend(neighbours.iter().map(|other| (graph.cost(*other), *other)));
    }
}

/// What makes a path between two nodes: edges that were given, and a literal for paths through nodes that have left.
#[derive(Default)]
struct Link {
    given: Vec<Lit>,
    through: Option<Lit>,
}

impl Link {
    /// A literal that holds if there is a path, and may hold if there is none.
    fn lit(&mut self, sink: &mut impl ClauseSink) -> Lit {
        match (self.through, &self.given[..]) {
            (Some(lit), _) => lit,
            (None, [lit]) => *lit,
            (None, given) if given.contains(&Lit::TRUE) => Lit::TRUE,
            (None, _) => self.open(sink),
        }
    }

    /// A literal of its own, which may be made true for reasons other than the given edges.
    fn open(&mut self, sink: &mut impl ClauseSink) -> Lit {
        if self.given.contains(&Lit::TRUE) {
            self.through = Some(Lit::TRUE);
        }
        *self.through.get_or_insert_with(|| {
            let lit = sink.new_var();
            for given in &self.given {
                sink.add_clause(&[!*given, lit]);
            }
            lit
        })
    }
}

struct Shrinking {
    out: Vec<BTreeMap<usize, Link>>,
    into: Vec<BTreeSet<usize>>,
}

impl Shrinking {
    fn new(n: usize) -> Self {
        Shrinking { out: (0..n).map(|_| BTreeMap::new()).collect(), into: vec![BTreeSet::new(); n] }
    }

    fn add(&mut self, from: usize, to: usize) -> &mut Link {
        self.into[to].insert(from);
        self.out[from].entry(to).or_default()
    }

    /// How many edges it may take to replace `node`.
    fn cost(&self, node: usize) -> usize {
        self.into[node].len() * self.out[node].len()
    }

    fn neighbours(&self, node: usize) -> BTreeSet<usize> {
        self.into[node].iter().chain(self.out[node].keys()).copied().collect()
    }

    fn eliminate(&mut self, sink: &mut impl ClauseSink, node: usize) {
        let mut before = Vec::new();
        for from in std::mem::take(&mut self.into[node]) {
            if let Some(mut link) = self.out[from].remove(&node) {
                before.push((from, link.lit(sink)));
            }
        }
        let mut after = Vec::new();
        for (to, mut link) in std::mem::take(&mut self.out[node]) {
            self.into[to].remove(&node);
            after.push((to, link.lit(sink)));
        }
        for (from, first) in &before {
            for (to, second) in &after {
                self.replace(sink, (*from, *first), (*to, *second));
            }
        }
    }

    /// There is a path from one node to another if both literals hold.
    fn replace(&mut self, sink: &mut impl ClauseSink, (from, first): (usize, Lit), (to, second): (usize, Lit)) {
        if from == to {
            sink.add_clause(&[!first, !second]);
            return;
        }
        let link = self.add(from, to);
        if first == Lit::TRUE && second == Lit::TRUE {
            link.given.push(Lit::TRUE);
        }
        let path = link.open(sink);
        if path != Lit::TRUE {
            sink.add_clause(&[!first, !second, path]);
        }
    }
}
