//! One JSON object a file, on one line. The keys and their order are an interface that scripts rely on: a key that does
//! not apply is left out, none changes its meaning.

use crate::view::{ProgramView, TestView, View};
use crate::{Drawing, Node, NodeKind, claims, rma, show_state, state};
use std::fmt::Write;
use treville_base::{SourceMap, Span};
use treville_ir::Quantifier;
use treville_task::{
    Action, Audit, CheckError, Finding, Observation, Report, Scope, StopReason, TraceStep, Verdict, Violation,
};

/// What the caller asked to see beyond the verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Details {
    pub states: bool,
    pub witness: bool,
    pub stats: bool,
}

pub fn json(report: &Report, details: Details) -> String {
    let mut object = Object::new();
    object.string("file", &report.file);
    if !report.model.is_empty() {
        object.string("model", &report.model);
    }
    if !report.engine.is_empty() {
        object.string("engine", &report.engine);
    }
    if let Some(chosen) = report.choice_to_report(details.stats) {
        object.string("engine_why", &chosen.why);
    }
    object.string("verdict", report.verdict().as_str());
    let finding = match &report.result {
        Err(failure) => {
            failed(&mut object, failure);
            None
        }
        Ok(finding) => {
            answered(&mut object, &View::of(finding), details);
            Some(finding)
        }
    };
    object.raw("time_ms", &format!("{:.3}", report.time.as_secs_f64() * 1e3));
    let audit = finding.and_then(|finding| finding.audit.as_ref());
    if let (Some(finding), true) = (finding, details.stats || audit.is_some()) {
        let mut stats = Object::new();
        let figures = finding.outcome.stats.iter().filter(|_| details.stats);
        figures.for_each(|(name, value)| stats.number(name, *value));
        if let Some(audit) = audit {
            stats.raw("audit", &audited(audit));
        }
        object.raw("stats", &stats.end());
    }
    object.end()
}

fn audited(audit: &Audit) -> String {
    let mut object = Object::new();
    if let Some(why) = &audit.skipped {
        object.string("skipped", why);
        return object.end();
    }
    object.string("compared", audit.compared);
    object.number("samples", audit.samples);
    object.number("tried", audit.tried);
    object.raw("accepted", &format!("{:.4}", audit.samples as f64 / audit.tried.max(1) as f64));
    object.number("classes", audit.classes);
    object.number("visited", audit.visited);
    object.raw("non_sc", &format!("{:.4}", audit.beyond_sc as f64 / audit.samples.max(1) as f64));
    object.raw("cyclic", &format!("{:.4}", audit.cyclic as f64 / audit.samples.max(1) as f64));
    object.end()
}

fn failed(object: &mut Object, failure: &CheckError) {
    object.string("reason", &failure.reason);
    if failure.evidence.is_some() {
        object.raw("internal", "true");
    }
    if let Some((_, at)) = &failure.position {
        object.number("line", at.line as u64);
        object.number("column", at.column as u64);
    }
}

fn answered(object: &mut Object, view: &View<'_>, details: Details) {
    match view {
        View::Test(checked) => {
            head(object, checked, &[]);
            test(object, checked, details);
        }
        View::Program(checked) => {
            head(object, checked, &[]);
            program(object, checked, details);
        }
        View::Claims(checked) => {
            head(object, checked, &checked.annotated().assumes);
            claims::json(object, checked, details);
        }
        View::Remote(checked) => {
            head(object, checked, &[]);
            rma::json(object, checked, details);
        }
    }
}

/// What every answer has: its scope, and why there is none.
fn head(object: &mut Object, finding: &Finding, assumes: &[String]) {
    let relative_to = [finding.scope.relative_to.as_slice(), assumes].concat();
    scope(object, &finding.verdict, &Scope { relative_to, ..finding.scope.clone() });
    if let Some(reason) = finding.verdict.reason() {
        object.string("reason", &reason);
    }
}

fn test(object: &mut Object, checked: &TestView<'_>, details: Details) {
    let outcome = &checked.outcome;
    let condition = match checked.question.quantifier {
        Quantifier::Exists => "exists",
        Quantifier::NotExists => "not exists",
        Quantifier::Forall => "forall",
    };
    object.string("condition", condition);
    if let Some(observation) = Observation::of(outcome) {
        object.string("observation", observation_word(observation));
    }
    if let (Some(states), true) = (&outcome.states, details.states) {
        let show = |s: &treville_task::FinalState| show_state(checked.program, checked.question, &s.values);
        let shown: Vec<String> = state::sorted(checked.program, states).into_iter().map(show).collect();
        object.raw("states", &strings(&shown));
        if let (Some((positive, negative)), Some(counts)) = (checked.witnesses(), &outcome.counts) {
            object.number("positive", positive);
            object.number("negative", negative);
            object.number("executions", counts.executions);
            object.number("blocked", counts.blocked);
        }
    }
    if !checked.warnings.is_empty() {
        object.raw("warnings", &strings(&checked.warnings));
    }
    if !outcome.flags.is_empty() {
        let names: Vec<String> = outcome.flags.keys().map(ToString::to_string).collect();
        object.raw("flags", &strings(&names));
    }
    if let (Some(witness), true) = (checked.witness(), details.witness) {
        let drawing = Drawing::new(checked.program, checked.sources, &witness.graph, &witness.picks, &[]);
        object.raw("witness", &execution(&drawing));
    }
}

fn program(object: &mut Object, checked: &ProgramView<'_>, details: Details) {
    if let Verdict::Unknown(StopReason::RefusedAt(_, span)) = &checked.verdict {
        let at = checked.sources.start(*span);
        object.number("line", at.line as u64);
        object.number("column", at.column as u64);
    }
    if let Some(counts) = &checked.outcome.counts {
        object.number("executions", counts.executions);
        object.number("blocked", counts.blocked);
    }
    if !checked.warnings.is_empty() {
        object.raw("warnings", &strings(&checked.warnings));
    }
    if let Some(violation) = &checked.outcome.violation {
        let mut found = Object::new();
        found.string("kind", violation.failure.name());
        if let Some(name) = &violation.name {
            found.string("name", name);
        }
        found.string("message", &violation.message);
        if let Some(span) = violation.span {
            found.raw("location", &location(checked.sources, span));
        }
        if let Some(span) = violation.other {
            found.raw("other", &location(checked.sources, span));
        }
        found.number("thread", u64::from(violation.thread.0));
        let inputs = inputs(checked.sources, violation);
        if !inputs.is_empty() {
            found.raw("inputs", &array(&inputs));
        }
        object.raw("violation", &found.end());
        let drawing = Drawing::of_violation(checked.program, checked.sources, violation);
        if let (Some(drawing), true) = (drawing, details.witness) {
            object.raw("witness", &execution(&drawing));
        }
    }
}

/// The values that nothing determines, in the execution that shows a violation.
fn inputs(sources: &SourceMap, violation: &Violation) -> Vec<String> {
    let steps = violation.trace.iter().flat_map(|trace| &trace.steps);
    let input = |step: &TraceStep| {
        let Action::Choose(value) = step.action else { return None };
        let mut object = Object::new();
        object.number("value", value);
        object.number("thread", u64::from(step.thread.0));
        if let Some(span) = step.span {
            object.raw("location", &location(sources, span));
        }
        Some(object.end())
    };
    steps.filter_map(input).collect()
}

pub(crate) fn location(sources: &SourceMap, span: Span) -> String {
    let at = sources.start(span);
    let mut object = Object::new();
    object.string("file", &sources.file(span.file).name);
    object.number("line", at.line as u64);
    object.number("column", at.column as u64);
    object.end()
}

fn scope(object: &mut Object, verdict: &Verdict, scope: &Scope) {
    if !matches!(verdict, Verdict::Unknown(_)) {
        object.string("scope", if scope.complete { "complete" } else { "bounded" });
        if !scope.relative_to.is_empty() {
            object.raw("relative_to", &strings(&scope.relative_to));
        }
    }
}

pub(crate) fn observation_word(observation: Observation) -> &'static str {
    match observation {
        Observation::Always => "Always",
        Observation::Sometimes => "Sometimes",
        Observation::Never => "Never",
    }
}

/// An execution: its events, and reads-from and coherence (its immediate steps) as pairs of event ids.
fn execution(drawing: &Drawing) -> String {
    let thread_of = |i| drawing.columns.iter().position(|c| c.nodes.contains(&i));
    let events: Vec<String> = (0..drawing.nodes.len()).map(|i| event(&drawing.nodes[i], thread_of(i))).collect();
    let mut object = Object::new();
    object.raw("events", &array(&events));
    for relation in ["rf", "co"] {
        let name = |i: usize| &drawing.nodes[i].name;
        let pairs: Vec<String> = drawing
            .edges
            .iter()
            .filter(|e| e.relation == relation)
            .map(|e| array(&[quoted(name(e.from)), quoted(name(e.to))]))
            .collect();
        object.raw(relation, &array(&pairs));
    }
    object.end()
}

fn event(node: &Node, thread: Option<usize>) -> String {
    let mut object = Object::new();
    object.string("id", &node.name);
    if let Some(thread) = thread {
        object.number("thread", thread as u64);
    }
    let kind = match node.kind {
        NodeKind::Initial => "init",
        NodeKind::Read => "read",
        NodeKind::Write => "write",
        NodeKind::Update => "update",
        NodeKind::Fence => "fence",
        NodeKind::Other => "other",
    };
    object.string("kind", kind);
    object.string("label", &node.label);
    if let Some(line) = node.line {
        object.number("line", line as u64);
    }
    object.end()
}

fn strings(items: &[String]) -> String {
    array(&items.iter().map(|s| quoted(s)).collect::<Vec<_>>())
}

/// An array of values that are JSON already.
pub(crate) fn array(items: &[String]) -> String {
    format!("[{}]", items.join(","))
}

/// A JSON string literal.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// An object under construction; keys appear in the order in which they are added.
pub(crate) struct Object {
    text: String,
}

impl Object {
    pub(crate) fn new() -> Self {
        Object { text: "{".into() }
    }

    /// A value that is JSON already.
    pub(crate) fn raw(&mut self, key: &str, value: &str) {
        if self.text.len() > 1 {
            self.text.push(',');
        }
        let _ = write!(self.text, "{}:{value}", quoted(key));
    }

    pub(crate) fn string(&mut self, key: &str, value: &str) {
        self.raw(key, &quoted(value));
    }

    pub(crate) fn number(&mut self, key: &str, value: u64) {
        self.raw(key, &value.to_string());
    }

    pub(crate) fn end(mut self) -> String {
        self.text.push('}');
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn strings_are_escaped() {
        assert_eq!(quoted("a\"\\\n\u{1}é"), "\"a\\\"\\\\\\n\\u0001é\"");
    }

    #[test]
    fn every_detail() {
        let report = fixture::report(Quantifier::Exists, Verdict::Yes);
        let text = json(&report, Details { states: true, witness: true, stats: true });
        let expected = concat!(
            r#"{"file":"SB.litmus","model":"tso","engine":"enumerate","verdict":"yes","scope":"complete","#,
            r#""condition":"exists","observation":"Sometimes","#,
            r#""states":["0:EAX=0; 1:EAX=0;","0:EAX=0; 1:EAX=1;","0:EAX=1; 1:EAX=0;","0:EAX=1; 1:EAX=1;"],"#,
            r#""positive":1,"negative":3,"executions":4,"blocked":0,"flags":["data-race"],"#,
            r#""witness":{"events":[{"id":"a","thread":0,"kind":"write","label":"W[x]=1","line":4},"#,
            r#"{"id":"b","thread":0,"kind":"read","label":"R[y]=0","line":5},"#,
            r#"{"id":"c","thread":1,"kind":"write","label":"W[y]=1","line":4},"#,
            r#"{"id":"d","thread":1,"kind":"read","label":"R[x]=0","line":5},"#,
            r#"{"id":"init x","kind":"init","label":"init [x]=0"},{"id":"init y","kind":"init","label":"init [y]=0"}],"#,
            r#""rf":[["init x","d"],["init y","b"]],"co":[["init x","a"],["init y","c"]]},"#,
            r#""time_ms":1.500,"stats":{"candidates":4}}"#
        );
        assert_eq!(text, expected);
    }

    #[test]
    fn only_what_was_asked() {
        let report = fixture::report(Quantifier::NotExists, Verdict::No);
        let expected = concat!(
            r#"{"file":"SB.litmus","model":"tso","engine":"enumerate","verdict":"no","scope":"complete","#,
            r#""condition":"not exists","observation":"Sometimes","flags":["data-race"],"time_ms":1.500}"#
        );
        assert_eq!(json(&report, Details::default()), expected);
    }

    #[test]
    fn objects_keep_the_order_of_their_keys() {
        let mut object = Object::new();
        object.string("b", "x");
        object.number("a", 1);
        assert_eq!(object.end(), r#"{"b":"x","a":1}"#);
    }
}
