//! Strongly connected components of a graph.

/// The strongly connected component of each of `n` nodes, by number: a component has a smaller one than those that edges lead from
/// to it (R. Tarjan 1972, without recursion).
pub fn components(n: usize, edges: impl IntoIterator<Item = (usize, usize)>) -> Vec<usize> {
    const UNSEEN: usize = usize::MAX;
    let mut out = vec![Vec::<usize>::new(); n];
    for (from, to) in edges {
        out[from].push(to);
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
    use crate::BitMatrix;

    #[test]
    fn components_are_those_that_reach_each_other() {
        let mut random = 1u64;
        for n in [1, 2, 5, 8] {
            for _ in 0..200 {
                let mut edges = Vec::new();
                for _ in 0..n + n / 2 {
                    random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    edges.push(((random >> 33) as usize % n, (random >> 45) as usize % n));
                }
                let reach = BitMatrix::from_pairs(n, edges.iter().copied()).transitive_closure();
                let found = components(n, edges.iter().copied());
                for (a, b) in (0..n).flat_map(|a| (0..n).map(move |b| (a, b))) {
                    let together = a == b || (reach.contains(a, b) && reach.contains(b, a));
                    assert_eq!(found[a] == found[b], together, "{a} {b} {edges:?}");
                    assert!(!reach.contains(a, b) || found[b] <= found[a], "{a} {b} {edges:?}");
                }
            }
        }
    }
}
