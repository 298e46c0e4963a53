//! The end of a search's branch: values are solved, and the model judges the whole execution.

use super::{Flow, Search};
use crate::general::graph::State;
use std::ops::ControlFlow;
use std::sync::Arc;
use treville_base::Name;
use treville_eval::{Extent, Judgement, Stop, accepts};
use treville_event::{EventSet, Graph, Relation};
use treville_model::Model;
use treville_model::syntax::CheckMode;
use treville_unfold::{Finals, Solution, Values, register_values, skeleton};

/// An execution with its values.
struct Whole {
    solution: Solution,
    registers: Vec<Vec<Option<treville_term::Bv>>>,
}

impl<'p> Search<'_, 'p, '_> {
    /// Nothing is left to choose: values are solved, and the model judges.
    pub(super) fn complete(&mut self, state: &State<'p>) -> Flow {
        let frame = &state.view.frame;
        let rf: Vec<(usize, usize)> = state.sources().collect();
        let mut values = Values::new(self.values.store(), self.prepared().traces.n_vars);
        frame.joined.iter().for_each(|&(var, term)| values.bind(var, term));
        for &(w, r) in &rf {
            if let (Some(var), Some(term)) = (frame.events[r].read, frame.events[w].written) {
                values.bind(var, term);
            }
        }
        let Some(solution) = Solution::of(self.prepared(), frame, &rf, &mut values) else { return self.dead_end() };
        let whole = Whole { registers: register_values(frame, &mut values), solution };
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
        let n = state.view.frame.events.len();
        let graph = || Graph {
            skeleton: Arc::new(skeleton(prepared.program, prepared.vocabulary, &state.view.frame, solved)),
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
        let (model, collector) = (self.model, &mut *self.collector);
        let mut failed = None;
        let judged = accepts(model, graph, self.cancel, &mut |judgement| {
            if let Some((check, _)) = judgement.failed_assertions(model).next() {
                failed = Some(format!("the model's assertion {} fails", check.name));
            }
            judgement.flags(model).for_each(|(check, _)| collector.flag(&check.name));
            if judgement.undefined {
                collector.undefined();
            }
            collector.add(finals, &mut || (graph.clone(), picks(model, judgement)));
        });
        match judged {
            Ok(()) => {}
            Err(Stop::Cancelled) => return ControlFlow::Break(()),
            Err(Stop::Fault(fault)) => failed = Some(fault.message),
            Err(Stop::TooDeep) => failed = Some("the model recurses too deeply".into()),
        }
        match failed {
            None => self.go_on_if_wanted(),
            Some(why) => {
                self.refused = Some(why);
                ControlFlow::Break(())
            }
        }
    }
}

/// What the model picked, by name.
fn picks(model: &Model, judgement: &Judgement) -> Vec<(Name, Relation)> {
    let named = model.picks.iter().zip(&judgement.picks);
    let relation = |(pick, value): (&treville_model::Pick, &Arc<Extent>)| match &**value {
        Extent::Rel(r) => Some((pick.name.clone(), r.clone())),
        Extent::Set(_) => None,
    };
    named.filter_map(relation).collect()
}
