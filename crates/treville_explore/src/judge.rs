//! Judging graphs of the search by a model that is given as axioms.

use crate::execution::{Builder, Execution};
use crate::graph::Graph;
use crate::memory::Locations;
use treville_eval::{Plan, Staged};
use treville_model::Model;
use treville_model::syntax::CheckMode;

pub(crate) struct Judge<'a> {
    model: &'a Model,
    plan: &'a Plan,
    staged: Staged<'a>,
    builder: Builder<'a>,
}

impl<'a> Judge<'a> {
    pub(crate) fn new(model: &'a Model, plan: &'a Plan, builder: Builder<'a>) -> Self {
        Judge { model, plan, staged: Staged::new(model, plan), builder }
    }

    /// Whether the model allows a graph, complete or not.
    pub(crate) fn allows(&mut self, graph: &Graph, locations: &Locations) -> bool {
        self.enter(graph, locations);
        self.staged.plausible() && self.staged.rest_holds()
    }

    /// Whether the model flags a graph that it allows as one with a race.
    pub(crate) fn flags_race(&mut self, graph: &Graph, locations: &Locations) -> bool {
        self.enter(graph, locations);
        let is_race = |check: &&treville_model::CheckId| {
            let check = &self.model.checks[**check];
            check.mode == CheckMode::Flag && check.name == "data-race"
        };
        let race = self.plan.notes.iter().find(is_race).copied();
        race.is_some_and(|check| self.staged.passes(check))
    }

    fn enter(&mut self, graph: &Graph, locations: &Locations) -> Execution {
        let execution = self.builder.execution(graph, locations);
        self.staged.enter(&execution.graph.skeleton);
        self.staged.set_rf(&execution.graph.rf);
        if self.staged.uses_values() {
            let different = treville_eval::plain::different_values(&execution.graph.skeleton);
            self.staged.set_different_values(&different);
        }
        if self.staged.uses_finals() {
            self.staged.set_finals(&execution.graph.finals);
        }
        self.staged.set_co(&execution.graph.co);
        execution
    }
}
