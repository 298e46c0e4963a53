//! The end of a search's branch: values are solved, and the model judges the whole execution.

use super::{Exploration, Flow};
use crate::axiomatic::graph::State;
use std::ops::ControlFlow;
use std::sync::Arc;
use treville_event::{EventSet, Graph, Relation};
use treville_model::syntax::CheckMode;
use treville_task::StopReason;
use treville_unfold::{Finals, Solution, Values, register_values, skeleton};

/// An execution with its values.
struct Whole {
    solution: Solution,
    registers: Vec<Vec<Option<treville_term::Bv>>>,
}

impl<'p> Exploration<'_, 'p, '_> {
    /// Nothing is left to choose: values are solved, and the model judges.
    pub(super) fn complete(&mut self, state: &State<'p>) -> Flow {
        let pre = &state.view.pre;
        let rf: Vec<(usize, usize)> = state.sources().collect();
        let mut values = Values::new(self.values.store(), self.prepared().traces.n_vars);
        pre.joined.iter().for_each(|&(var, term)| values.bind(var, term));
        for &(w, r) in &rf {
            if let (Some(var), Some(term)) = (pre.events[r].read, pre.events[w].written) {
                values.bind(var, term);
            }
        }
        let Ok(solution) = Solution::of(self.prepared(), pre, &rf, &mut values) else { return self.dead_end() };
        let whole = Whole { registers: register_values(pre, &mut values), solution };
        let orders: Vec<Vec<usize>> =
            state.co.values().map(|order| order.iter().map(|key| state.view.id(*key)).collect()).collect();
        if self.prepared().free_co {
            let last: Vec<usize> = orders.iter().filter_map(|order| order.last().copied()).collect();
            return self.judge(state, &whole, &last);
        }
        self.each_last(state, &whole, &orders, &mut Vec::new())
    }

    /// Where the model makes its own coherence: every choice of final writes.
    fn each_last(&mut self, state: &State<'p>, whole: &Whole, orders: &[Vec<usize>], last: &mut Vec<usize>) -> Flow {
        let Some((order, rest)) = orders.split_first() else { return self.judge(state, whole, last) };
        // An initial write is final only where there is no other.
        let first = usize::from(order.len() > 1);
        for &write in &order[first..] {
            last.push(write);
            let flow = self.each_last(state, whole, rest, last);
            last.pop();
            flow?;
        }
        ControlFlow::Continue(())
    }

    fn judge(&mut self, state: &State<'p>, whole: &Whole, last: &[usize]) -> Flow {
        let (prepared, solved) = (self.prepared(), &whole.solution.solved);
        let memory = last.iter().filter_map(|&w| Some((solved[w].cell?, solved[w].written?)));
        let finals = Finals { program: prepared.program, registers: &whole.registers, memory: memory.collect() };
        if !self.collector.keeps(&finals) {
            return ControlFlow::Continue(());
        }
        self.collector.counts.candidates += 1;
        let observed = last.iter().copied().filter(|&w| prepared.is_observed(solved[w].cell));
        let n = state.view.pre.events.len();
        let graph = || Graph {
            skeleton: Arc::new(skeleton(prepared.program, prepared.vocabulary, &state.view.pre, solved)),
            rf: state.rf(),
            co: if prepared.free_co { state.co() } else { Relation::new(n) },
            finals: EventSet::from_members(n, observed.clone()),
        };
        let Some(mut staged) = self.staged.take() else { return self.judge_plainly(&graph(), &finals) };
        self.enter(&mut staged, state);
        staged.set_rf(&state.rf());
        if staged.uses_values() {
            staged.set_different_values(&whole.solution.different_values());
        }
        if staged.uses_finals() {
            staged.set_finals(&EventSet::from_members(n, observed.clone()));
        }
        staged.set_co(&state.co());
        if staged.plausible() && staged.rest_holds() {
            for id in self.plan.iter().flat_map(|plan| &plan.notes) {
                let check = &self.model.checks[*id];
                match (check.mode, staged.passes(*id)) {
                    (CheckMode::Flag, true) => self.collector.flag(&check.name),
                    (CheckMode::UndefinedUnless, false) => self.collector.undefined(),
                    _ => {}
                }
            }
            self.collector.add(&finals, &mut || (graph(), Vec::new()));
        } else {
            self.dead_ends += 1;
        }
        self.staged = Some(staged);
        self.go_on_if_wanted()
    }

    fn go_on_if_wanted(&self) -> Flow {
        let is_enough = |wanted: &Vec<usize>| wanted.iter().all(|query| self.collector.has_witness(*query));
        if self.wanted.as_ref().is_some_and(is_enough) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// With the reference evaluator: one execution for each way to make the model's own choices.
    fn judge_plainly(&mut self, graph: &Graph, finals: &Finals<'_>) -> Flow {
        match self.collector.judge(self.model, graph, finals, self.cancel) {
            Ok(()) => self.go_on_if_wanted(),
            Err(StopReason::Refused(why)) => {
                self.refused = Some(why);
                ControlFlow::Break(())
            }
            Err(_) => ControlFlow::Break(()),
        }
    }
}
