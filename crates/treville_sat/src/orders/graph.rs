//! A directed graph that stays acyclic while edges come and go, last in first out.
//!
//! Every node has a place, and edges lead to higher places (D. J. Pearce, P. H. J. Kelly: A dynamic topological sort algorithm
//! for directed acyclic graphs, JEA 2007). An edge that agrees with the places costs nothing; another one moves the nodes
//! between its ends. Removing edges never moves a node. A path between two nodes stays between their places, which bounds
//! every search here.

use super::EdgeId;
use std::collections::VecDeque;

/// One end of an edge, seen from the other.
#[derive(Clone, Copy)]
pub(super) struct Arc {
    pub(super) node: u32,
    pub(super) edge: EdgeId,
}

#[derive(Default)]
pub(super) struct Graph {
    out: Vec<Vec<Arc>>,
    into: Vec<Vec<Arc>>,
    place: Vec<u32>,
    forward: Visited,
    backward: Visited,
    search: PathSearch,
}

impl Graph {
    /// Without edges; nodes have the places that `order` lists them at.
    pub(super) fn in_order(order: &[u32]) -> Self {
        let mut place = vec![0; order.len()];
        for (at, node) in order.iter().enumerate() {
            place[*node as usize] = at as u32;
        }
        let n = order.len();
        Graph {
            out: vec![Vec::new(); n],
            into: vec![Vec::new(); n],
            place,
            forward: Visited::new(n),
            backward: Visited::new(n),
            search: PathSearch::new(n),
        }
    }

    /// Adds an edge, unless it closes a cycle.
    pub(super) fn insert(&mut self, edge: EdgeId, from: u32, to: u32) -> bool {
        let (low, high) = (self.place[to as usize], self.place[from as usize]);
        if low <= high {
            visit(&mut self.forward, &self.out, to, |node| self.place[node as usize] <= high);
            if from == to || self.forward.contains(from) {
                return false;
            }
            visit(&mut self.backward, &self.into, from, |node| self.place[node as usize] >= low);
            self.reorder();
        }
        self.out[from as usize].push(Arc { node: to, edge });
        self.into[to as usize].push(Arc { node: from, edge });
        true
    }

    /// Removes the edge that was added last.
    pub(super) fn remove_last(&mut self, from: u32, to: u32) {
        self.out[from as usize].pop();
        self.into[to as usize].pop();
    }

    /// The nodes that were visited backward, and then those visited forward, take their places among themselves.
    fn reorder(&mut self) {
        let place = &mut self.place;
        self.forward.nodes.sort_unstable_by_key(|node| place[*node as usize]);
        self.backward.nodes.sort_unstable_by_key(|node| place[*node as usize]);
        let moved = || self.backward.nodes.iter().chain(&self.forward.nodes);
        let mut places: Vec<u32> = moved().map(|node| place[*node as usize]).collect();
        places.sort_unstable();
        for (node, at) in moved().zip(places) {
            place[*node as usize] = at;
        }
    }

    /// After an edge `from` → `to` was added: those of the `candidates`, given for each node that they leave, that lead from behind
    /// it to before it, and would close a cycle; if they are `open`.
    pub(super) fn closing(
        &mut self,
        from: u32,
        to: u32,
        candidates: &[Vec<Arc>],
        open: impl Fn(EdgeId) -> bool,
    ) -> Vec<EdgeId> {
        let place = &self.place;
        let (mut low, high) = (u32::MAX, place[from as usize]);
        visit(&mut self.forward, &self.out, to, |_| true);
        let mut found = Vec::new();
        for arc in self.forward.nodes.iter().flat_map(|node| &candidates[*node as usize]) {
            if place[arc.node as usize] <= high && open(arc.edge) {
                low = low.min(place[arc.node as usize]);
                found.push(*arc);
            }
        }
        if !found.is_empty() {
            visit(&mut self.backward, &self.into, from, |node| place[node as usize] >= low);
            found.retain(|arc| self.backward.contains(arc.node));
        }
        found.into_iter().map(|arc| arc.edge).collect()
    }

    /// A cheapest path of edges that cost 0 or 1 each; edges without a cost are not taken.
    pub(super) fn path(&mut self, from: u32, to: u32, cost: impl Fn(EdgeId) -> Option<bool>) -> Option<Vec<EdgeId>> {
        let high = self.place[to as usize];
        self.search.run(&self.out, from, to, |node| self.place[node as usize] <= high, cost)
    }
}

/// Nodes that a search has come to: a set that is emptied at no cost.
#[derive(Default)]
struct Visited {
    nodes: Vec<u32>,
    stamp: u32,
    stamps: Vec<u32>,
}

impl Visited {
    fn new(n: usize) -> Self {
        Visited { nodes: Vec::new(), stamp: 0, stamps: vec![0; n] }
    }

    fn clear(&mut self) {
        self.nodes.clear();
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.stamps.fill(0);
            self.stamp = 1;
        }
    }

    fn insert(&mut self, node: u32) {
        if std::mem::replace(&mut self.stamps[node as usize], self.stamp) != self.stamp {
            self.nodes.push(node);
        }
    }

    fn contains(&self, node: u32) -> bool {
        self.stamps[node as usize] == self.stamp
    }
}

/// All nodes that `arcs` lead to from `start`, `start` itself included, through nodes that are `inside`.
fn visit(visited: &mut Visited, arcs: &[Vec<Arc>], start: u32, inside: impl Fn(u32) -> bool) {
    visited.clear();
    visited.insert(start);
    let mut next = 0;
    while let Some(&node) = visited.nodes.get(next) {
        next += 1;
        for arc in &arcs[node as usize] {
            if inside(arc.node) {
                visited.insert(arc.node);
            }
        }
    }
}

/// Breadth-first search with edges that cost 0 or 1: those that cost nothing go first.
#[derive(Default)]
struct PathSearch {
    queue: VecDeque<(u32, u32)>,
    reached: Visited,
    /// The cost of the best known path, and its last edge with the node that it leaves; where `reached`.
    best: Vec<(u32, u32, EdgeId)>,
}

impl PathSearch {
    fn new(n: usize) -> Self {
        PathSearch { queue: VecDeque::new(), reached: Visited::new(n), best: vec![(0, 0, EdgeId(0)); n] }
    }

    fn run(
        &mut self,
        arcs: &[Vec<Arc>],
        from: u32,
        to: u32,
        inside: impl Fn(u32) -> bool,
        cost: impl Fn(EdgeId) -> Option<bool>,
    ) -> Option<Vec<EdgeId>> {
        self.reached.clear();
        self.queue.clear();
        self.reach(from, (0, from, EdgeId(0)));
        self.queue.push_back((from, 0));
        while let Some((node, spent)) = self.queue.pop_front() {
            if node == to {
                return Some(self.trace(from, to));
            }
            if spent > self.best[node as usize].0 {
                continue;
            }
            for arc in &arcs[node as usize] {
                let Some(costs) = cost(arc.edge).filter(|_| inside(arc.node)) else { continue };
                let total = spent + u32::from(costs);
                if self.reached.contains(arc.node) && self.best[arc.node as usize].0 <= total {
                    continue;
                }
                self.reach(arc.node, (total, node, arc.edge));
                if costs { self.queue.push_back((arc.node, total)) } else { self.queue.push_front((arc.node, total)) }
            }
        }
        None
    }

    fn reach(&mut self, node: u32, best: (u32, u32, EdgeId)) {
        self.reached.insert(node);
        self.best[node as usize] = best;
    }

    fn trace(&self, from: u32, to: u32) -> Vec<EdgeId> {
        let mut path = Vec::new();
        let mut node = to;
        while node != from {
            let (_, before, edge) = self.best[node as usize];
            path.push(edge);
            node = before;
        }
        path.reverse();
        path
    }
}
