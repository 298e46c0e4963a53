//! Why an outcome is allowed or forbidden: every candidate that would reach it, with the axiom and the cycle that reject it.

use crate::LinkedTest;
use crate::executions::{Walk, Walked, each_judged, event_key, one_line, picked, place};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use treville_base::{Cancel, Name};
use treville_eval::{CheckResult, Derivation, Edge, Evidence, Judgement, Trace, judge};
use treville_event::{BaseRel, EventId, Graph, Relation};
use treville_ir::{Formula, Quantifier, Question};
use treville_model::{CheckId, CheckKind, Model, Term};
use treville_report::{
    Drawing, Explained, Explanation, Incoherent, Reason, ReasonStep, describe_event, event_source, show_formula,
    show_state,
};
use treville_task::{Answer, CheckError, Engine, FinalValue, Outcome, Reached, Test};

/// Explains the outcome that a test asks about, which the engine has looked for: with `deep`, each step is derived down to what the
/// program and the choice of reads-from and coherence determine.
///
/// # Errors
/// If an answer up to a bound does not count, or not every candidate could be looked at.
pub fn explain(
    test: LinkedTest<'_>,
    engine: &dyn Engine,
    outcome: &Outcome,
    deep: bool,
    accept_bounded: bool,
) -> Result<Explanation, CheckError> {
    let answer = match outcome.answers.first() {
        Some(Answer::Found(witness)) => Explained::Allowed {
            executions: outcome.counts.map(|counts| counts.positive),
            example: drawing(test, &witness.graph, &witness.state, &witness.picks),
        },
        Some(Answer::Absent(scope)) if !scope.complete && !accept_bounded => {
            let why = "no execution up to the loop bound has this outcome (option `bound` raises it, option `accept-bounded` accepts it)";
            return Err(CheckError::unknown(why));
        }
        _ => rejections(test, engine, deep)?,
    };
    let Test { program, question, .. } = test.test;
    Ok(Explanation {
        test: program.name.to_string(),
        model: test.model.name.clone(),
        outcome: show_formula(program, question, &question.condition),
        answer,
    })
}

/// The outcome that a question is about: what `exists` looks for, or what `forall` excludes.
pub fn asked(question: &Question) -> Question {
    let condition = match question.quantifier {
        Quantifier::Exists | Quantifier::NotExists => question.condition.clone(),
        Quantifier::Forall => Formula::Not(Box::new(question.condition.clone())),
    };
    Question { quantifier: Quantifier::Exists, condition, ..question.clone() }
}

/// What tells one way of rejecting from another: the axiom, and the steps between events that executions share.
type Shape = (CheckId, Vec<(String, EventKey, EventKey)>);
type EventKey = (Option<u32>, u32, Option<u64>);

/// Up to so many candidates are all told, those that break coherence included, if so many choices lead to them.
const MANY: u64 = 3_000;
const CHOICES: u64 = 300_000;
/// Candidates that break coherence, where they are not all told.
const EXAMPLES: usize = 3;

/// Why every candidate that would reach the outcome is none. If there are too many, those that break coherence or atomicity
/// at one location are told by examples.
fn rejections(test: LinkedTest<'_>, engine: &dyn Engine, deep: bool) -> Result<Explained, CheckError> {
    let mut every = Explainer::new(test, deep);
    let walked = every.walk(engine, Walk::Reaching(Reached::Every, CHOICES), MANY)?;
    if walked.complete {
        return Ok(match every.rejected {
            // What no candidate has may be in one that is longer.
            0 if engine.candidates().is_some_and(|list| list.are_cut(test.task)) => {
                let why = "no candidate up to the loop bound has these values (option `bound` raises it)";
                return Err(CheckError::unknown(why));
            }
            0 => Explained::Unreachable,
            candidates => Explained::Forbidden { candidates, reasons: every.sorted(), incoherent: None, unseen: None },
        });
    }
    let mut coherent = Explainer::new(test, deep);
    let walked = coherent.walk(engine, Walk::Reaching(Reached::Coherent, u64::MAX), u64::MAX)?;
    let unseen = match (walked.complete, walked.stopped) {
        (true, _) => None,
        (false, Some(why)) if coherent.rejected == 0 => return Err(CheckError::unknown(why)),
        (false, Some(why)) => Some(why),
        (false, None) => return Err(CheckError::unknown("the candidates cannot be listed one by one")),
    };
    let others = every.without(&coherent);
    let at_least = others.iter().map(|reason| reason.candidates).sum();
    let examples = others.into_iter().take(EXAMPLES).collect();
    let incoherent = Some(Incoherent { at_least, examples });
    Ok(Explained::Forbidden { candidates: coherent.rejected, reasons: coherent.sorted(), incoherent, unseen })
}

/// Why the model rejects an execution, if it does.
pub(crate) fn why_rejected(test: LinkedTest<'_>, graph: &Graph, state: &[FinalValue]) -> Option<Reason> {
    let judgements = judge(&test.model.model, graph, &test.task.limits.cancel).ok()?;
    let mut explainer = Explainer::new(test, false);
    explainer.add(graph, state, judgements.iter().find(|judgement| !judgement.accepted)?);
    explainer.reasons.pop()
}

fn drawing(test: LinkedTest<'_>, graph: &Graph, state: &[FinalValue], picks: &[(Name, Relation)]) -> Drawing {
    let Test { program, question, sources, .. } = test.test;
    let mut drawing = Drawing::new(program, sources, graph, picks, &[]);
    drawing.caption = show_state(program, question, state);
    drawing
}

struct Explainer<'a> {
    test: LinkedTest<'a>,
    deep: bool,
    rejected: u64,
    reasons: Vec<Reason>,
    known: BTreeMap<Shape, usize>,
}

impl<'a> Explainer<'a> {
    fn new(test: LinkedTest<'a>, deep: bool) -> Self {
        Explainer { test, deep, rejected: 0, reasons: Vec::new(), known: BTreeMap::new() }
    }

    /// Adds the candidates of a walk until there are `most`.
    fn walk(&mut self, engine: &dyn Engine, walk: Walk<'_>, most: u64) -> Result<Walked, CheckError> {
        each_judged(self.test, engine, walk, &mut |candidate, judgements| {
            judgements.iter().for_each(|judgement| self.add(candidate.graph, candidate.state, judgement));
            if self.rejected < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })
    }

    /// The reasons, those for most candidates first.
    fn sorted(self) -> Vec<Reason> {
        let mut reasons = self.reasons;
        reasons.sort_by_key(|reason| std::cmp::Reverse(reason.candidates));
        reasons
    }

    /// The reasons that the other did not find, sorted in the same way.
    fn without(mut self, other: &Explainer<'_>) -> Vec<Reason> {
        let known = std::mem::take(&mut self.known);
        let mut keep = vec![true; self.reasons.len()];
        known.iter().filter(|(shape, _)| other.known.contains_key(shape)).for_each(|(_, &i)| keep[i] = false);
        let mut keep = keep.into_iter();
        self.reasons.retain(|_| keep.next().unwrap_or(false));
        self.sorted()
    }

    fn add(&mut self, graph: &Graph, state: &[FinalValue], judgement: &Judgement) {
        let model = &*self.test.model.model;
        self.rejected += 1;
        let Some(failed) = judgement.first_failure(model) else { return };
        let cancel = Cancel::new();
        let mut trace = Trace::new(model, graph, &judgement.picks, &cancel);
        let steps = steps(model, &mut trace, failed.evidence.as_ref(), self.deep);
        let key = |event| event_key(graph, event);
        let shape: Shape = (failed.check, steps.iter().map(|s| (s.relation.clone(), key(s.from), key(s.to))).collect());
        if let Some(&i) = self.known.get(&shape) {
            self.reasons[i].candidates += 1;
            return;
        }
        self.known.insert(shape, self.reasons.len());
        let example = drawing(self.test, graph, state, &picked(model, judgement));
        let reason = self.reason(graph, example, failed, &steps);
        self.reasons.push(reason);
    }

    fn reason(&self, graph: &Graph, example: Drawing, failed: &CheckResult, steps: &[Step]) -> Reason {
        let (model, sources) = (&*self.test.model.model, &self.test.model.sources);
        let check = &model.checks[failed.check];
        let evidence = match (&failed.evidence, check.test.kind) {
            (None, _) => "what is missing",
            (Some(_), CheckKind::Acyclic) => "a cycle",
            (Some(_), CheckKind::Irreflexive) => "a path from an event to itself",
            (Some(Evidence::Member(..)), CheckKind::Empty) => "an event that must not be there",
            (Some(_), CheckKind::Empty) => "a pair that must not be there",
        };
        Reason {
            axiom: one_line(sources, check.span),
            place: Some(place(sources, check.span)),
            candidates: 1,
            evidence: evidence.to_owned(),
            steps: steps.iter().map(|step| self.shown(graph, &example, step)).collect(),
            example,
        }
    }

    fn shown(&self, graph: &Graph, drawing: &Drawing, step: &Step) -> ReasonStep {
        let test = self.test.test;
        let describe = |event| describe_event(&test.program, graph, drawing, event);
        ReasonStep {
            depth: step.depth,
            relation: step.relation.clone(),
            from: describe(step.from),
            to: (step.from != step.to).then(|| describe(step.to)),
            source: event_source(&test.sources, graph, step.from),
        }
    }
}

/// One edge of an explanation.
struct Step {
    depth: usize,
    relation: String,
    from: EventId,
    to: EventId,
}

/// The edges of the evidence, each by the definition of the tested term.
fn steps(model: &Model, trace: &mut Trace<'_>, evidence: Option<&Evidence>, deep: bool) -> Vec<Step> {
    let edges: Vec<Edge> = match evidence {
        None => Vec::new(),
        Some(Evidence::Cycle(edges)) => from_least(edges),
        Some(Evidence::Edge(edge)) => vec![*edge],
        Some(Evidence::Member(term, event)) => vec![Edge { term: *term, from: *event, to: *event }],
    };
    let mut steps = Vec::new();
    for edge in edges {
        match trace.why(edge) {
            Ok(derivation) => flatten(model, &derivation, true, deep, 0, &mut steps),
            Err(_) => steps.push(step(model, edge, 0)),
        }
    }
    // `[W]` and the like stay where they are; they are steps only if there is nothing else to say.
    if steps.iter().any(|s| s.from != s.to) {
        steps.retain(|s| s.from != s.to);
    }
    steps
}

/// A cycle from its least event on, so that equal cycles are told in the same way.
fn from_least(cycle: &[Edge]) -> Vec<Edge> {
    let start = cycle.iter().enumerate().min_by_key(|(_, edge)| edge.from).map_or(0, |(i, _)| i);
    cycle[start..].iter().chain(&cycle[..start]).copied().collect()
}

fn step(model: &Model, edge: Edge, depth: usize) -> Step {
    Step { depth, relation: treville_model::label(model, edge.term), from: edge.from, to: edge.to }
}

/// Follows a derivation through unions, sequences and closures, to terms that have a name; with `deep`, through those too.
fn flatten(model: &Model, derivation: &Derivation, top: bool, deep: bool, depth: usize, out: &mut Vec<Step>) {
    let Derivation::Rule(edge, parts) = derivation else {
        if !matches!(derivation, Derivation::Absent(_)) {
            out.push(step(model, derivation.edge(), depth));
        }
        return;
    };
    let info = &model.terms[edge.term];
    let named = info.name.is_some() && !top;
    let opens = matches!(
        info.term,
        Term::Union(..) | Term::Seq(..) | Term::Plus(_) | Term::Star(_) | Term::Opt(_) | Term::Rec(..)
    );
    if opens && !named {
        parts.iter().for_each(|part| flatten(model, part, false, deep, depth, out));
        return;
    }
    let mut told = step(model, *edge, depth);
    if !deep {
        told.relation = alternative(model, derivation);
    }
    out.push(told);
    let restricts = matches!(info.term, Term::Inter(..) | Term::Diff(..));
    if deep && (opens || restricts) {
        let lift = parts.iter().filter(|part| opens || !is_filter(model, part));
        lift.for_each(|part| flatten(model, part, false, deep, depth + 1, out));
    }
}

/// Whether a part of an intersection only says which kind of events or threads an edge is between.
fn is_filter(model: &Model, part: &Derivation) -> bool {
    let base = matches!(
        model.terms[part.edge().term].term,
        Term::BaseRel(BaseRel::Ext | BaseRel::Int | BaseRel::Loc | BaseRel::Id)
            | Term::Product(..)
            | Term::Complement(_)
    );
    base || matches!(part, Derivation::Absent(_))
}

/// The name of an edge; for a union, also of the operand that holds it, as far as operands have names: `com: fr`.
fn alternative(model: &Model, derivation: &Derivation) -> String {
    let edge = derivation.edge();
    let name = treville_model::label(model, edge.term);
    let has_name = |d: &Derivation| {
        let info = &model.terms[d.edge().term];
        info.name.is_some() || matches!(info.term, Term::BaseRel(_) | Term::Pick(_))
    };
    match derivation {
        Derivation::Rule(_, parts) if matches!(model.terms[edge.term].term, Term::Union(..)) => {
            match parts.as_slice() {
                [part] if has_name(part) => format!("{name}: {}", alternative(model, part)),
                _ => name,
            }
        }
        _ => name,
    }
}
