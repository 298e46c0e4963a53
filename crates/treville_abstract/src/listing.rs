//! The graph of a process as a text: statements in an order in which most follow each other, labels and jumps for the rest.

use std::collections::BTreeSet;
use treville_rma::{NodeId, Op, Process};

/// How a node is printed.
pub(crate) struct Lines {
    /// The statement.
    pub(crate) does: Vec<String>,
    /// For each way to go on but the last, its condition.
    pub(crate) conditions: Vec<String>,
}

/// The lines of a process, without what nobody comes to.
pub(crate) fn listing(proc: &Process, lines: &mut dyn FnMut(NodeId, &Op) -> Lines) -> Vec<String> {
    let order = order(proc);
    let targets = targets(proc, &order);
    let mut out = Vec::new();
    for (i, &node) in order.iter().enumerate() {
        let op = &proc.nodes[node].op;
        let Lines { does, conditions } = lines(node, op);
        if targets.contains(&node) {
            out.push(format!("L{}:", node.0));
        }
        out.extend(does.into_iter().map(|line| format!("  {line}")));
        let successors = op.successors();
        let Some((last, others)) = successors.split_last() else {
            out.push("  end;".to_owned());
            continue;
        };
        for (condition, to) in conditions.iter().zip(others) {
            out.push(format!("  if ({condition}) goto L{};", to.0));
        }
        if order.get(i + 1) != Some(last) {
            out.push(format!("  goto L{};", last.0));
        }
    }
    out
}

/// From the entry, the last way first.
fn order(proc: &Process) -> Vec<NodeId> {
    let mut seen = BTreeSet::new();
    let mut order = Vec::new();
    let mut work = vec![proc.entry];
    while let Some(node) = work.pop() {
        if seen.insert(node) {
            order.push(node);
            work.extend(proc.nodes[node].op.successors());
        }
    }
    order
}

/// The nodes that are jumped to.
fn targets(proc: &Process, order: &[NodeId]) -> BTreeSet<NodeId> {
    let mut targets = BTreeSet::new();
    for (i, &node) in order.iter().enumerate() {
        let successors = proc.nodes[node].op.successors();
        if let Some((last, others)) = successors.split_last() {
            targets.extend(others);
            if order.get(i + 1) != Some(last) {
                targets.insert(*last);
            }
        }
    }
    targets
}
