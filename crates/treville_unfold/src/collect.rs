//! Gathering what accepted executions show: final states, counts, flags, and a witness for each query.

use crate::Finals;
use std::collections::BTreeMap;
use treville_base::Name;
use treville_event::Graph;
use treville_ir::{Formula, Question};
use treville_model::Check;
use treville_model::syntax::CheckMode;
use treville_task::{
    Answer, Counts, FinalState, FinalValue, Goal, Outcome, Query, Scope, Stats, StopReason, Task, Witness,
};

pub struct Collector<'t> {
    task: &'t Task,
    states: BTreeMap<Vec<FinalValue>, FinalState>,
    pub counts: Counts,
    flags: BTreeMap<Name, u64>,
    undefined: bool,
    witnesses: Vec<Option<Box<Witness>>>,
}

impl<'t> Collector<'t> {
    pub fn new(task: &'t Task) -> Self {
        Collector {
            task,
            states: BTreeMap::new(),
            counts: Counts::default(),
            flags: BTreeMap::new(),
            undefined: false,
            witnesses: task.queries.iter().map(|_| None).collect(),
        }
    }

    fn question(&self) -> Option<&'t Question> {
        self.task.question.as_deref()
    }

    /// Whether the test's filter keeps executions with this final state.
    pub fn keeps(&self, finals: &Finals<'_>) -> bool {
        let filter = self.question().and_then(|q| q.filter.as_ref());
        filter.is_none_or(|f| holds(f, finals))
    }

    /// Adds an accepted execution; `graph` is built only if it is needed as a witness.
    pub fn add(
        &mut self,
        finals: &Finals<'_>,
        graph: &mut dyn FnMut() -> (Graph, Vec<(Name, treville_event::Relation)>),
    ) {
        self.counts.executions += 1;
        let Some(question) = self.question() else { return };
        let values: Vec<FinalValue> = question.observed.iter().map(|o| finals.values(&o.place)).collect();
        let condition = match self.states.get_mut(&values) {
            Some(state) => {
                state.executions += 1;
                state.holds
            }
            None => {
                let condition = holds(&question.condition, finals);
                self.states
                    .insert(values.clone(), FinalState { values: values.clone(), executions: 1, holds: condition });
                condition
            }
        };
        self.counts.positive += u64::from(condition);
        for (i, query) in self.task.queries.iter().enumerate() {
            if self.witnesses[i].is_some() {
                continue;
            }
            let reached = match &query.goal {
                Goal::Final { condition, .. } => holds(condition, finals),
                Goal::Flag(_) | Goal::Failure(_) | Goal::State(_) | Goal::End(_) | Goal::Step { .. } => false,
            };
            if reached {
                let (graph, picks) = graph();
                self.witnesses[i] = Some(Box::new(Witness { graph, picks, state: values.clone() }));
            }
        }
    }

    /// Adds an execution that raises a flag, or is undefined, as the witness of who asks for that.
    pub fn raise(
        &mut self,
        name: &Name,
        finals: &Finals<'_>,
        graph: &mut dyn FnMut() -> (Graph, Vec<(Name, treville_event::Relation)>),
    ) {
        for (query, witness) in self.task.queries.iter().zip(&mut self.witnesses) {
            if witness.is_none() && matches!(&query.goal, Goal::Flag(asked) if asked == name) {
                let (graph, picks) = graph();
                let observed = self.task.question.iter().flat_map(|q| &q.observed);
                let state = observed.map(|o| finals.values(&o.place)).collect();
                *witness = Some(Box::new(Witness { graph, picks, state }));
            }
        }
    }

    /// Whether an execution with this final state would be the first that some query asks for.
    pub fn is_news(&self, finals: &Finals<'_>) -> bool {
        let open = self.task.queries.iter().zip(&self.witnesses).filter(|(_, witness)| witness.is_none());
        open.into_iter()
            .any(|(query, _)| matches!(&query.goal, Goal::Final { condition, .. } if holds(condition, finals)))
    }

    pub fn queries(&self) -> &'t [Query] {
        &self.task.queries
    }

    /// Whether the query with this number has its witness.
    pub fn has_witness(&self, query: usize) -> bool {
        self.witnesses[query].is_some()
    }

    /// Whether some execution has shown what a check notes: a flag, or undefined behaviour.
    pub fn has_noted(&self, check: &Check) -> bool {
        match check.mode {
            CheckMode::Flag => self.flags.contains_key(&check.name),
            CheckMode::UndefinedUnless => self.undefined,
            CheckMode::Require | CheckMode::Assert => false,
        }
    }

    pub fn flag(&mut self, name: &Name) {
        *self.flags.entry(name.clone()).or_default() += 1;
    }

    pub fn undefined(&mut self) {
        self.undefined = true;
    }

    pub fn outcome(self, stopped: Option<StopReason>, cut: bool, stats: Stats) -> Outcome {
        let mut relative_to = Vec::new();
        if cut {
            relative_to.push(format!("loops run at most {} times", self.task.bounds.unroll));
        }
        let scope = Scope { complete: !cut, relative_to };
        let answers = self
            .witnesses
            .into_iter()
            .map(|w| match (w, &stopped) {
                (Some(witness), _) => Answer::Found(witness),
                (None, None) => Answer::Absent(scope.clone()),
                (None, Some(reason)) => Answer::Open(reason.clone()),
            })
            .collect();
        Outcome {
            answers,
            // If nobody asked for them, not all were looked for.
            states: self.task.states.then(|| self.states.into_values().collect()),
            counts: Some(self.counts),
            flags: self.flags,
            undefined: self.undefined,
            stopped,
            cut,
            stats,
            ..Outcome::default()
        }
    }
}

pub fn holds(formula: &Formula, finals: &Finals<'_>) -> bool {
    formula.holds(&|place| finals.value(place))
}
