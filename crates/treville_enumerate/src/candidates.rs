//! The candidates of a program, as the definition has them: every path of every thread, every source for every read, values
//! that fit, every order of writes. Nothing is pruned; this is written to be read.

use std::ops::ControlFlow;
use std::sync::Arc;
use treville_base::Cancel;
use treville_event::{Graph, Relation};
use treville_unfold::{Finals, Ordered, PreExecution, Prepared, Solution, Values, register_values, skeleton};

/// Calls `visit` with each candidate and its final values.
pub(crate) fn each_candidate(
    prepared: &Prepared<'_>,
    cancel: &Cancel,
    visit: &mut dyn FnMut(&Graph, &Finals<'_>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    prepared.each_pre_execution(|pre| {
        let reads: Vec<usize> = (0..pre.events.len()).filter(|&e| pre.events[e].read.is_some()).collect();
        let mut values = Values::new(&prepared.traces.domain.store, prepared.traces.n_vars);
        pre.joined.iter().for_each(|&(var, term)| values.bind(var, term));
        let mut rf = Vec::new();
        each_rf(prepared, pre, &reads, &mut rf, &mut values, cancel, visit)
    })
}

/// Extends `rf`, one source for each of the first reads, in every way.
fn each_rf(
    prepared: &Prepared<'_>,
    pre: &PreExecution<'_>,
    reads: &[usize],
    rf: &mut Vec<(usize, usize)>,
    values: &mut Values<'_>,
    cancel: &Cancel,
    visit: &mut dyn FnMut(&Graph, &Finals<'_>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    if cancel.is_due() {
        return ControlFlow::Break(());
    }
    let Some((&read, rest)) = reads.split_first() else {
        return match Solution::of(prepared, pre, rf, values) {
            Ok(solution) => each_order(prepared, pre, rf, values, &solution, cancel, visit),
            Err(_) => ControlFlow::Continue(()),
        };
    };
    let event = &pre.events[read];
    for (source, write) in pre.events.iter().enumerate() {
        let (Some(var), Some(value)) = (event.read, write.written) else { continue };
        let may_be_same = event.cell.is_none() || write.cell.is_none() || event.cell == write.cell;
        if !may_be_same || !prepared.may_read(pre, read, source) {
            continue;
        }
        rf.push((source, read));
        values.bind(var, value);
        let flow = each_rf(prepared, pre, rest, rf, values, cancel, visit);
        values.unbind(var);
        rf.pop();
        flow?;
    }
    ControlFlow::Continue(())
}

/// Every coherence order, or, for models that make their own, every choice of final writes.
fn each_order(
    prepared: &Prepared<'_>,
    pre: &PreExecution<'_>,
    rf: &[(usize, usize)],
    values: &mut Values<'_>,
    solution: &Solution,
    cancel: &Cancel,
    visit: &mut dyn FnMut(&Graph, &Finals<'_>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let n = pre.events.len();
    let skeleton = Arc::new(skeleton(prepared.program, prepared.vocabulary, pre, &solution.solved));
    let writes: Vec<Vec<usize>> = solution.writes(pre).into_values().collect();
    let rf = Relation::from_pairs(n, rf.iter().copied());
    let registers = register_values(pre, values);
    let mut orders: Vec<Vec<usize>> = writes;
    each_permutation(&mut orders, 0, 1, !prepared.free_co, &mut |orders| {
        if cancel.is_due() {
            return ControlFlow::Break(());
        }
        let Ordered { co, finals, memory } = solution.ordered(prepared, orders);
        let state = Finals { program: prepared.program, registers: &registers, memory };
        let graph = Graph { skeleton: Arc::clone(&skeleton), rf: rf.clone(), co, finals };
        visit(&graph, &state)
    })
}

/// Permutes the elements after the first of each list (only the choice of the last one, if `last_only`).
fn each_permutation(
    orders: &mut Vec<Vec<usize>>,
    list: usize,
    at: usize,
    last_only: bool,
    visit: &mut dyn FnMut(&[Vec<usize>]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let Some(len) = orders.get(list).map(Vec::len) else { return visit(orders) };
    if at + 1 >= len {
        return each_permutation(orders, list + 1, 1, last_only, visit);
    }
    if last_only {
        for i in 1..len {
            orders[list].swap(i, len - 1);
            let flow = each_permutation(orders, list + 1, 1, last_only, visit);
            orders[list].swap(i, len - 1);
            flow?;
        }
        return ControlFlow::Continue(());
    }
    for i in at..len {
        orders[list].swap(at, i);
        let flow = each_permutation(orders, list, at + 1, last_only, visit);
        orders[list].swap(at, i);
        flow?;
    }
    ControlFlow::Continue(())
}
