//! What is known of one order before any search: which edges can matter at all, given those that are there in any case.

use treville_base::{BitMatrix, components};

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
    let components = components(n, edges.iter().map(|edge| (edge.from, edge.to)));
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
}
