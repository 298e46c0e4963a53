//! Whether the model allows a graph: by rules that are built in, or by a judge that knows its axioms.

use super::execution::Execution;
use crate::graph::{EventId, Graph};
use crate::judge::Judge;
use crate::rules::Scratch;
use treville_task::Reduction;

pub(super) struct Consistency<'j> {
    judge: Option<Judge<'j>>,
    scratch: Scratch,
}

impl<'j> Consistency<'j> {
    pub(super) fn new(judge: Option<Judge<'j>>) -> Self {
        Consistency { judge, scratch: Scratch::default() }
    }

    pub(super) fn judge(&mut self) -> Option<&mut Judge<'j>> {
        self.judge.as_mut()
    }

    /// Whether the rules allow the graph, given that they did before `e` made a choice that is not the latest one.
    pub(super) fn rules_allow(&mut self, execution: &Execution<'_>, e: EventId) -> bool {
        let (code, graph) = (execution.code, &execution.graph);
        match code.in_parts {
            true => code.rules.allows_with_parts(graph, e, &mut self.scratch),
            false => code.rules.allows(graph, e, &mut self.scratch),
        }
    }

    /// Whether the judge, if there is one, allows a graph with the locations of this execution; or may allow it, when promises that
    /// are open are kept.
    pub(super) fn judge_allows(&mut self, execution: &Execution<'_>, graph: &Graph, promising: bool) -> bool {
        let (code, locations) = (execution.code, &execution.locations);
        let sequential = code.options.reductions.has(Reduction::SequentialGraphs);
        let sequential = sequential && code.rules.is_sequential(graph, &mut self.scratch);
        match &mut self.judge {
            Some(judge) if sequential => judge.allows_sequential(graph, locations, !promising),
            Some(judge) if promising => judge.may_allow(graph, locations),
            Some(judge) => judge.allows(graph, locations),
            None => true,
        }
    }
}
