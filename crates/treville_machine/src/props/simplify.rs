//! Properties in a form that is evaluated fast: no negations but of comparisons, what costs little first, and nothing twice. A
//! property of all pairs of threads then looks at each thread about once.

use super::Check;
use treville_ir::Comparison;

impl Check {
    pub(super) fn simplified(self) -> Check {
        self.with_sign(true)
    }

    /// The same (`positive`), or its negation.
    fn with_sign(self, positive: bool) -> Check {
        match self {
            Check::Const(value) => Check::Const(value == positive),
            Check::Not(inner) => inner.with_sign(!positive),
            Check::And(parts) => junction(positive, parts.into_iter().map(|part| part.with_sign(positive))),
            Check::Or(parts) => junction(!positive, parts.into_iter().map(|part| part.with_sign(positive))),
            Check::At { thread, nodes } => {
                Check::At { thread, nodes: nodes.into_iter().map(|is_at| is_at == positive).collect() }
            }
            Check::Compare(left, op, right) => Check::Compare(left, if positive { op } else { opposite(op) }, right),
            Check::Writes { all, aware, thread, var, body } => {
                let body = Box::new(body.with_sign(positive));
                Check::Writes { all: all == positive, aware, thread, var, body }
            }
        }
    }

    /// What is in front is evaluated first.
    fn rank(&self) -> (u8, usize) {
        match self {
            Check::Const(_) => (0, 0),
            Check::At { thread, .. } => (1, *thread),
            Check::Compare(..) => (2, 0),
            Check::Not(_) | Check::And(_) | Check::Or(_) => (3, 0),
            Check::Writes { .. } => (4, 0),
        }
    }
}

fn opposite(op: Comparison) -> Comparison {
    match op {
        Comparison::Eq => Comparison::Ne,
        Comparison::Ne => Comparison::Eq,
        Comparison::Lt => Comparison::Ge,
        Comparison::Le => Comparison::Gt,
        Comparison::Gt => Comparison::Le,
        Comparison::Ge => Comparison::Lt,
    }
}

/// All of these (`all`), or some.
fn junction(all: bool, parts: impl Iterator<Item = Check>) -> Check {
    let mut flat: Vec<Check> = Vec::new();
    for part in parts {
        match part {
            Check::Const(value) if value == all => {}
            Check::Const(value) => return Check::Const(value),
            Check::And(inner) if all => flat.extend(inner),
            Check::Or(inner) if !all => flat.extend(inner),
            other => flat.push(other),
        }
    }
    flat.sort_by_key(Check::rank);
    let mut kept: Vec<Check> = Vec::new();
    for part in flat {
        if !kept.contains(&part) {
            kept.push(part);
        }
    }
    let mut parts = factored(all, kept);
    match parts.len() {
        1 => parts.swap_remove(0),
        _ if all => Check::And(parts),
        _ => Check::Or(parts),
    }
}

/// Parts that begin with the same become one: (a ∧ b) ∨ (a ∧ c) is a ∧ (b ∨ c).
fn factored(all: bool, parts: Vec<Check>) -> Vec<Check> {
    let mut groups: Vec<(Check, Vec<Check>)> = Vec::new();
    let mut out = Vec::new();
    for part in parts {
        let mut inner = match part {
            Check::And(inner) if !all && inner.len() > 1 => inner,
            Check::Or(inner) if all && inner.len() > 1 => inner,
            other => {
                out.push(other);
                continue;
            }
        };
        let first = inner.remove(0);
        let rest = if inner.len() == 1 { inner.swap_remove(0) } else { nary(!all, inner) };
        match groups.iter_mut().find(|(head, _)| *head == first) {
            Some((_, rests)) => rests.push(rest),
            None => groups.push((first, vec![rest])),
        }
    }
    out.extend(groups.into_iter().map(|(first, rests)| {
        let rest = junction(all, rests.into_iter());
        match (all, rest) {
            (false, Check::And(inner)) | (true, Check::Or(inner)) => nary(!all, [vec![first], inner].concat()),
            (_, rest) => nary(!all, vec![first, rest]),
        }
    }));
    out
}

fn nary(all: bool, parts: Vec<Check>) -> Check {
    if all { Check::And(parts) } else { Check::Or(parts) }
}
