//! The witness of a proof: an assignment that satisfies what a formula says of the program alone. Without one, a formula that
//! contradicts itself would prove everything.

use super::{Clauses, Edge, Fault, WITNESS, head_number, lines, read_last_list};
use rustc_hash::{FxHashMap, FxHashSet};

/// Checks that the text is an assignment which satisfies the first clauses and all orders, and that the clauses after these, up to
/// `n_encoded`, only say what the goal is.
pub(super) fn check(text: &str, clauses: &Clauses, edges: &FxHashMap<u64, Edge>, n_encoded: u64) -> Result<(), Fault> {
    let fault = |what| Fault { text: WITNESS, line: 0, what };
    let (n_program, values) = read(text)?;
    if n_program > n_encoded {
        return Err(fault("the program has more clauses than the problem"));
    }
    let is_satisfied = |id: u64| clauses.get(&id).is_some_and(|clause| clause.iter().any(|lit| values.contains(lit)));
    if !(1..=n_program).all(is_satisfied) {
        return Err(fault("a clause of the program is not satisfied"));
    }
    check_goal(clauses, n_program, n_encoded).map_err(fault)?;
    check_orders(edges, &values).map_err(fault)?;
    let definitions: Vec<&[i32]> = definitions(clauses, n_program, n_encoded).collect();
    check_definitions(&definitions, values).map_err(fault)
}

/// The clauses of the goal that do not state a literal.
fn definitions(clauses: &Clauses, n_program: u64, n_encoded: u64) -> impl Iterator<Item = &[i32]> {
    (n_program + 1..=n_encoded).filter_map(|id| clauses.get(&id)).map(|clause| &clause[..]).filter(|c| c.len() != 1)
}

/// The assignment extends to the variables that the goal defines: by unit propagation, then with all others false. So these clauses
/// do not contradict the program, and only the literals that the goal states can.
fn check_definitions(definitions: &[&[i32]], mut values: FxHashSet<i32>) -> Result<(), &'static str> {
    let mut of_lit: FxHashMap<i32, Vec<usize>> = FxHashMap::default();
    for (i, clause) in definitions.iter().enumerate() {
        clause.iter().for_each(|lit| of_lit.entry(*lit).or_default().push(i));
    }
    let mut worklist: Vec<usize> = (0..definitions.len()).collect();
    while let Some(i) = worklist.pop() {
        if let Some(lit) = unit(definitions[i], &values) {
            values.insert(lit);
            worklist.extend(of_lit.get(&lit.wrapping_neg()).into_iter().flatten());
        }
    }
    let holds = |lit: &i32| values.contains(lit) || (*lit < 0 && !values.contains(&lit.wrapping_neg()));
    let extends = definitions.iter().all(|clause| clause.iter().any(holds));
    if extends { Ok(()) } else { Err("the clauses of the goal contradict the program") }
}

/// The one literal of a clause that is left if all others are false.
fn unit(clause: &[i32], values: &FxHashSet<i32>) -> Option<i32> {
    let mut left = clause.iter().filter(|lit| !values.contains(&lit.wrapping_neg()));
    let lit = *left.next()?;
    (left.next().is_none() && !values.contains(&lit)).then_some(lit)
}

/// How many clauses are about the program, and the literals that hold.
fn read(text: &str) -> Result<(u64, FxHashSet<i32>), Fault> {
    let mut lines = lines(text);
    let head = Fault { text: WITNESS, line: 1, what: "the text starts with `p witness` and a number" };
    let Some((_, "p", mut words)) = lines.next() else { return Err(head) };
    let n_program = head_number(&mut words, "witness").ok_or(head)?;
    let mut values = FxHashSet::default();
    for (line, word, mut words) in lines {
        let fault = |what| Fault { text: WITNESS, line, what };
        if word != "v" {
            return Err(fault("a line of the assignment starts with `v`"));
        }
        let lits: Vec<i32> = read_last_list(&mut words).map_err(fault)?;
        if lits.iter().any(|lit| values.contains(&lit.wrapping_neg()) || !values.insert(*lit)) {
            return Err(fault("a variable has two values"));
        }
    }
    Ok((n_program, values))
}

/// What is said of the goal alone: clauses about new variables, and literals, none of them beside its negation.
fn check_goal(clauses: &Clauses, n_program: u64, n_encoded: u64) -> Result<(), &'static str> {
    let of_program = (1..=n_program).filter_map(|id| clauses.get(&id)).flatten();
    let last = of_program.map(|lit| lit.unsigned_abs()).max().unwrap_or(0);
    let mut stated: FxHashSet<i32> = FxHashSet::default();
    for clause in (n_program + 1..=n_encoded).filter_map(|id| clauses.get(&id)) {
        if let [lit] = clause[..] {
            stated.insert(lit);
        } else if clause.iter().all(|lit| lit.unsigned_abs() <= last) {
            return Err("a clause of the goal is about the program");
        }
    }
    let contradicts = stated.iter().any(|lit| stated.contains(&lit.wrapping_neg()));
    if contradicts { Err("the goal contradicts itself") } else { Ok(()) }
}

/// The edges that hold form no cycle: nodes that nothing comes before leave, until none is left.
fn check_orders(edges: &FxHashMap<u64, Edge>, values: &FxHashSet<i32>) -> Result<(), &'static str> {
    if edges.values().any(|edge| !values.contains(&edge.lit) && !values.contains(&edge.lit.wrapping_neg())) {
        return Err("an edge of an order has no value");
    }
    let mut after: FxHashMap<(u64, u64), Vec<(u64, u64)>> = FxHashMap::default();
    let mut before: FxHashMap<(u64, u64), usize> = FxHashMap::default();
    for edge in edges.values().filter(|edge| values.contains(&edge.lit)) {
        let (from, to) = ((edge.order, edge.from), (edge.order, edge.to));
        after.entry(from).or_default().push(to);
        *before.entry(to).or_default() += 1;
        before.entry(from).or_default();
    }
    let mut free: Vec<(u64, u64)> = before.iter().filter(|(_, n)| **n == 0).map(|(node, _)| *node).collect();
    let mut left = before.len();
    while let Some(node) = free.pop() {
        left -= 1;
        for next in after.remove(&node).unwrap_or_default() {
            if let Some(n) = before.get_mut(&next) {
                *n -= 1;
                free.extend((*n == 0).then_some(next));
            }
        }
    }
    if left == 0 { Ok(()) } else { Err("an order has a cycle") }
}
