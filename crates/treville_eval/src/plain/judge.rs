//! Walking through the steps of a model on one graph.

use super::terms::Evaluator;
use super::{Extent, Stop};
use std::sync::Arc;
use treville_base::{Cancel, Idx};
use treville_event::{EventId, Graph};
use treville_model::syntax::CheckMode;
use treville_model::{Check, CheckId, CheckKind, Model, PickId, PickSource, Step, TermId};

/// An edge of a relation term; for a set term, a member (`from` is `to`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Edge {
    pub term: TermId,
    pub from: EventId,
    pub to: EventId,
}

/// Why a relation is not acyclic, not irreflexive or not empty, or a set not empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Evidence {
    /// A shortest cycle; each edge ends where the next begins, the last where the first begins.
    Cycle(Vec<Edge>),
    Edge(Edge),
    Member(TermId, EventId),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CheckResult {
    pub check: CheckId,
    /// Whether the test, negation included, holds.
    pub holds: bool,
    /// A cycle, edge or member of the tested term, if there is one.
    pub evidence: Option<Evidence>,
}

/// What a model says of a graph and one way to complete it by picks.
#[derive(Clone, PartialEq, Debug)]
pub struct Judgement {
    /// The relations (or sets) that were picked, by [`PickId`]; fewer than the model's if a check failed before.
    pub picks: Vec<Arc<Extent>>,
    /// The checks that were evaluated, in order.
    pub checks: Vec<CheckResult>,
    /// Whether no required check failed: the completed graph is an execution of the model.
    pub accepted: bool,
    /// Whether the behaviour of an accepted execution is undefined.
    pub undefined: bool,
}

impl Judgement {
    /// The first required check that failed.
    pub fn first_failure<'s>(&'s self, model: &Model) -> Option<&'s CheckResult> {
        self.checks.iter().find(|r| !r.holds && model.checks[r.check].mode == CheckMode::Require)
    }

    /// The flags that are raised: a flag is raised by a test that holds.
    pub fn flags<'s>(&'s self, model: &'s Model) -> impl Iterator<Item = (&'s Check, &'s CheckResult)> {
        self.of_mode(model, CheckMode::Flag).filter(|(_, r)| r.holds)
    }

    /// The assertions that fail: the input does not satisfy what the model assumes.
    pub fn failed_assertions<'s>(&'s self, model: &'s Model) -> impl Iterator<Item = (&'s Check, &'s CheckResult)> {
        self.of_mode(model, CheckMode::Assert).filter(|(_, r)| !r.holds)
    }

    fn of_mode<'s>(&'s self, model: &'s Model, mode: CheckMode) -> impl Iterator<Item = (&'s Check, &'s CheckResult)> {
        self.checks.iter().map(|r| (&model.checks[r.check], r)).filter(move |(c, _)| c.mode == mode)
    }
}

/// Judges a graph: one judgement for each way to make the model's picks. Checks after a failed one are evaluated too, as
/// far as they need no further pick.
pub fn judge(model: &Model, graph: &Graph, cancel: &Cancel) -> Result<Vec<Judgement>, Stop> {
    let mut judgements = Vec::new();
    let mut walk = Walk { model, graph, cancel, stop_early: false, each: &mut |j| judgements.push(j.clone()) };
    walk.branch(0, &Judgement::start())?;
    Ok(judgements)
}

/// Calls `each` with the judgements of a graph that are accepted. A branch ends at the first check that fails.
pub fn accepts(model: &Model, graph: &Graph, cancel: &Cancel, each: &mut dyn FnMut(&Judgement)) -> Result<(), Stop> {
    Walk { model, graph, cancel, stop_early: true, each }.branch(0, &Judgement::start())
}

impl Judgement {
    fn start() -> Self {
        Judgement { picks: Vec::new(), checks: Vec::new(), accepted: true, undefined: false }
    }
}

struct Walk<'a> {
    model: &'a Model,
    graph: &'a Graph,
    cancel: &'a Cancel,
    stop_early: bool,
    each: &'a mut dyn FnMut(&Judgement),
}

impl Walk<'_> {
    /// From step `from` on, with the picks and results so far.
    fn branch(&mut self, from: usize, so_far: &Judgement) -> Result<(), Stop> {
        if self.cancel.is_due() {
            return Err(Stop::Cancelled);
        }
        let mut judgement = so_far.clone();
        let mut evaluator = Evaluator::new(self.model, self.graph, self.cancel, judgement.picks.clone());
        for (i, step) in self.model.steps.iter().enumerate().skip(from) {
            match *step {
                Step::Pick(_) if !judgement.accepted => break,
                Step::Pick(pick) => return self.fork(&mut evaluator, pick, i, &judgement),
                Step::Check(check) => {
                    let result = evaluator.check(check)?;
                    match self.model.checks[check].mode {
                        CheckMode::Require => judgement.accepted &= result.holds,
                        CheckMode::UndefinedUnless => judgement.undefined |= !result.holds,
                        CheckMode::Flag | CheckMode::Assert => {}
                    }
                    judgement.checks.push(result);
                    if self.stop_early && !judgement.accepted {
                        return Ok(());
                    }
                }
            }
        }
        (self.each)(&judgement);
        Ok(())
    }

    /// One branch for each element that may be picked at step `at`.
    fn fork(&mut self, evaluator: &mut Evaluator<'_>, pick: PickId, at: usize, so_far: &Judgement) -> Result<(), Stop> {
        let mut choose = |picked: Extent| {
            let mut chosen = so_far.clone();
            chosen.picks.push(Arc::new(picked));
            self.branch(at + 1, &chosen)
        };
        match evaluator.model.picks[pick].source {
            PickSource::Orders(orders) => evaluator.each_order(orders, &mut |r| choose(Extent::Rel(r))),
            PickSource::AnyOf(general, shape) => evaluator.elements(general, shape)?.into_iter().try_for_each(choose),
        }
    }
}

impl Evaluator<'_> {
    fn check(&mut self, check: CheckId) -> Result<CheckResult, Stop> {
        let test = &self.model.checks[check].test;
        let value = self.eval(test.term)?;
        let evidence = find_evidence(test.kind, test.term, &value);
        Ok(CheckResult { check, holds: evidence.is_none() != test.negated, evidence })
    }
}

/// What makes the extent not acyclic, not irreflexive or not empty.
fn find_evidence(kind: CheckKind, term: TermId, value: &Extent) -> Option<Evidence> {
    let event = EventId::from_usize;
    let edge = |from: usize, to: usize| Edge { term, from: event(from), to: event(to) };
    match (kind, value) {
        (CheckKind::Empty, Extent::Set(s)) => s.iter().next().map(|e| Evidence::Member(term, event(e))),
        (CheckKind::Empty, Extent::Rel(r)) => r.iter().next().map(|(a, b)| Evidence::Edge(edge(a, b))),
        (CheckKind::Irreflexive, value) => {
            let r = value.rel();
            (0..r.universe()).find(|&e| r.contains(e, e)).map(|e| Evidence::Edge(edge(e, e)))
        }
        (CheckKind::Acyclic, value) => {
            let cycle = value.rel().shortest_cycle()?;
            let next = cycle.iter().cycle().skip(1);
            Some(Evidence::Cycle(cycle.iter().zip(next).map(|(&a, &b)| edge(a, b)).collect()))
        }
    }
}
