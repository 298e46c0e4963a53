//! What is known of one order before any search: which edges can matter at all, given those that are there in any case.

use treville_base::BitMatrix;

/// What an edge is good for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    /// It may be part of a cycle.
    Live,
    /// It is on no cycle, or fixed edges say the same.
    Idle,
    /// It closes a cycle of fixed edges.
    Impossible,
}

/// An edge of an order with `n` nodes; `is_fixed`: it is there in any case.
#[derive(Clone, Copy)]
pub(super) struct Candidate {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) is_fixed: bool,
}

pub(super) struct Knowledge {
    pub(super) roles: Vec<Role>,
    /// The nodes, such that fixed edges lead forward; as far as fixed edges have no cycle.
    pub(super) order: Vec<usize>,
}

/// Above this many nodes the closure of the fixed edges takes too much memory.
const MAX_CLOSED: usize = 1 << 13;

pub(super) fn analyse(n: usize, edges: &[Candidate]) -> Knowledge {
    let components = components(n, edges);
    let mut roles: Vec<Role> = edges
        .iter()
        .map(|edge| if components[edge.from] == components[edge.to] { Role::Live } else { Role::Idle })
        .collect();
    let (order, is_acyclic) = sort(n, edges);
    if is_acyclic && n <= MAX_CLOSED {
        reduce(n, edges, &order, &mut roles);
    }
    Knowledge { roles, order }
}

/// Drops edges that say no more than fixed ones, and finds those that contradict them.
fn reduce(n: usize, edges: &[Candidate], order: &[usize], roles: &mut [Role]) {
    let mut place = vec![0; n];
    for (at, node) in order.iter().enumerate() {
        place[*node] = at;
    }
    let mut fixed_out = vec![Vec::new(); n];
    for (id, edge) in edges.iter().enumerate().filter(|(_, edge)| edge.is_fixed) {
        fixed_out[edge.from].push((place[edge.to], edge.to, id));
    }
    let mut reach = BitMatrix::new(n);
    for node in order.iter().rev() {
        // Nearest first: what a nearer successor reaches needs no edge of its own.
        fixed_out[*node].sort_unstable();
        for (_, to, id) in &fixed_out[*node] {
            if reach.contains(*node, *to) {
                roles[*id] = Role::Idle;
                continue;
            }
            let further = reach.row(*to).to_vec();
            reach.row_mut(*node).iter_mut().zip(further).for_each(|(word, more)| *word |= more);
            reach.insert(*node, *to);
        }
    }
    for (edge, role) in edges.iter().zip(roles).filter(|(edge, _)| !edge.is_fixed) {
        if edge.from == edge.to || reach.contains(edge.to, edge.from) {
            *role = Role::Impossible;
        } else if reach.contains(edge.from, edge.to) {
            *role = Role::Idle;
        }
    }
}

/// The nodes sorted by fixed edges, and whether that was possible; if not, what is left is at the end.
fn sort(n: usize, edges: &[Candidate]) -> (Vec<usize>, bool) {
    let mut out = vec![Vec::new(); n];
    let mut missing = vec![0usize; n];
    for edge in edges.iter().filter(|edge| edge.is_fixed) {
        out[edge.from].push(edge.to);
        missing[edge.to] += 1;
    }
    let mut order: Vec<usize> = (0..n).filter(|node| missing[*node] == 0).collect();
    let mut next = 0;
    while let Some(&node) = order.get(next) {
        next += 1;
        for to in &out[node] {
            missing[*to] -= 1;
            if missing[*to] == 0 {
                order.push(*to);
            }
        }
    }
    let is_acyclic = order.len() == n;
    order.extend((0..n).filter(|node| missing[*node] > 0));
    (order, is_acyclic)
}

/// The strongly connected component of each node, by number (R. Tarjan 1972, without recursion).
fn components(n: usize, edges: &[Candidate]) -> Vec<usize> {
    const UNSEEN: usize = usize::MAX;
    let mut out = vec![Vec::new(); n];
    for edge in edges {
        out[edge.from].push(edge.to);
    }
    let (mut index, mut low, mut component) = (vec![UNSEEN; n], vec![0; n], vec![UNSEEN; n]);
    let (mut open, mut calls, mut n_seen, mut n_components) = (Vec::new(), Vec::new(), 0, 0);
    for root in 0..n {
        if index[root] != UNSEEN {
            continue;
        }
        calls.push((root, 0));
        while let Some((node, next)) = calls.pop() {
            if next == 0 {
                index[node] = n_seen;
                low[node] = n_seen;
                n_seen += 1;
                open.push(node);
            } else {
                low[node] = low[node].min(low[out[node][next - 1]]);
            }
            if let Some(to) = (next..out[node].len()).find(|at| component[out[node][*at]] == UNSEEN) {
                let target = out[node][to];
                calls.push((node, to + 1));
                if index[target] == UNSEEN {
                    calls.push((target, 0));
                } else {
                    low[node] = low[node].min(index[target]);
                }
            } else if low[node] == index[node] {
                while let Some(member) = open.pop() {
                    component[member] = n_components;
                    if member == node {
                        break;
                    }
                }
                n_components += 1;
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(from: usize, to: usize, is_fixed: bool) -> Candidate {
        Candidate { from, to, is_fixed }
    }

    #[test]
    fn fixed_edges_decide_others() {
        // 0 → 1 → 2 fixed, with 0 → 2 saying nothing new.
        let edges = [
            edge(0, 1, true),
            edge(1, 2, true),
            edge(0, 2, true),
            edge(2, 0, false),
            edge(0, 2, false),
            edge(2, 3, false),
            edge(3, 1, false),
            edge(4, 0, false),
            edge(3, 3, false),
        ];
        use Role::{Idle, Impossible, Live};
        let roles = analyse(5, &edges).roles;
        assert_eq!(roles, [Live, Live, Idle, Impossible, Idle, Live, Live, Idle, Impossible]);
    }

    #[test]
    fn components_are_those_that_reach_each_other() {
        let mut random = 1u64;
        for n in [1, 2, 5, 8] {
            for _ in 0..200 {
                let mut edges = Vec::new();
                for _ in 0..n + n / 2 {
                    random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    edges.push(edge((random >> 33) as usize % n, (random >> 45) as usize % n, false));
                }
                let pairs = edges.iter().map(|e| (e.from, e.to));
                let reach = BitMatrix::from_pairs(n, pairs).transitive_closure();
                let found = components(n, &edges);
                for (a, b) in (0..n).flat_map(|a| (0..n).map(move |b| (a, b))) {
                    let together = a == b || (reach.contains(a, b) && reach.contains(b, a));
                    assert_eq!(found[a] == found[b], together, "{a} {b} {edges:?}", edges = found);
                }
            }
        }
    }
}
