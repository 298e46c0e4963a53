//! Why an outcome is allowed or forbidden, for people: the execution, or the axioms that reject each way to reach it, with
//! their cycles edge by edge.

use crate::{Drawing, Paint, Palette, execution};
use std::fmt::Write;

#[derive(Clone, PartialEq, Debug)]
pub struct Explanation {
    pub test: String,
    pub model: String,
    /// The outcome in question.
    pub outcome: String,
    pub answer: Explained,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Explained {
    /// Some execution reaches it; one is drawn.
    Allowed { executions: Option<u64>, example: Drawing },
    /// Every candidate that would reach it is rejected; `unseen` says why not all of them were looked at.
    Forbidden { candidates: u64, reasons: Vec<Reason>, incoherent: Option<Incoherent>, unseen: Option<String> },
    /// No candidate has these values, whatever the model.
    Unreachable,
}

/// Candidates that break coherence, or the atomicity of an update, at one location: not counted among the others where
/// there are too many.
#[derive(Clone, PartialEq, Debug)]
pub struct Incoherent {
    pub at_least: u64,
    pub examples: Vec<Reason>,
}

/// Candidates that the same axiom rejects by the same cycle.
#[derive(Clone, PartialEq, Debug)]
pub struct Reason {
    /// The axiom as the model writes it.
    pub axiom: String,
    /// `tso.cat:12`.
    pub place: Option<String>,
    pub candidates: u64,
    /// What the steps are: `a cycle`.
    pub evidence: String,
    pub steps: Vec<ReasonStep>,
    /// One of the candidates.
    pub example: Drawing,
}

/// One edge, or one event if `to` is missing.
#[derive(Clone, PartialEq, Debug)]
pub struct ReasonStep {
    /// Steps that explain the one above are one deeper.
    pub depth: usize,
    pub relation: String,
    /// `a: W[x]=1`.
    pub from: String,
    pub to: Option<String>,
    /// The program's text at `from`, and at `to` if it is on another line.
    pub source: Option<String>,
}

/// At most `most` ways of rejecting are told.
pub fn explanation(explanation: &Explanation, most: usize, palette: Palette) -> String {
    let mut out = String::new();
    let (word, role) = match explanation.answer {
        Explained::Allowed { .. } => ("allowed", Paint::Good),
        Explained::Forbidden { .. } | Explained::Unreachable => ("forbidden", Paint::Bad),
    };
    let test = palette.paint(Paint::Strong, &explanation.test);
    let _ = writeln!(out, "{test} under {}: {}, {}", explanation.model, palette.paint(role, word), explanation.outcome);
    match &explanation.answer {
        Explained::Allowed { executions, example } => {
            let how_many = executions.map_or_else(
                || "reached, for example".to_owned(),
                |n| count(n, "execution reaches it, for example", "executions reach it, for example"),
            );
            let _ = writeln!(out, "  {how_many}\n");
            out += &execution(example, palette);
        }
        Explained::Unreachable => {
            out += "  No candidate has these values: whatever the model, no execution reaches them.\n";
        }
        Explained::Forbidden { candidates, reasons, incoherent, unseen } => {
            let coherent = if incoherent.is_some() { " and are coherent" } else { "" };
            let candidates = match candidates {
                0 => format!("no candidate executions have these values{coherent}"),
                1 => format!(
                    "1 candidate execution has these values{}; the model rejects it",
                    coherent.replace("are", "is")
                ),
                n => format!("{n} candidate executions have these values{coherent}; the model rejects each"),
            };
            let _ = writeln!(out, "  {candidates}");
            if let Some(why) = unseen {
                let _ = writeln!(out, "  {} there may be more: {why}", palette.paint(Paint::Doubt, "incomplete"));
            }
            for reason in reasons.iter().take(most) {
                out.push('\n');
                rejected(reason, palette, &mut out);
            }
            if reasons.len() > most {
                let _ = writeln!(
                    out,
                    "\n  … and {} (option `all` tells them)",
                    count((reasons.len() - most) as u64, "more way", "more ways")
                );
            }
            incoherent.iter().for_each(|others| told_by_examples(others, palette, &mut out));
        }
    }
    out
}

fn told_by_examples(others: &Incoherent, palette: Palette, out: &mut String) {
    let Incoherent { at_least, examples } = others;
    let _ = writeln!(
        out,
        "\n  {} candidates with these values that break coherence, or the atomicity of an update, at one location: too many \
         to tell each ({at_least} or more), and rejected as well{}",
        palette.paint(Paint::Doubt, "left out"),
        if examples.is_empty() { "" } else { ", for example" }
    );
    for reason in examples {
        out.push('\n');
        rejected(reason, palette, out);
    }
}

pub(crate) fn rejected(reason: &Reason, palette: Palette, out: &mut String) {
    let place = reason.place.as_ref().map(|p| format!("  ({p})")).unwrap_or_default();
    let axiom = palette.paint(Paint::Strong, &reason.axiom);
    let _ = writeln!(out, "  {axiom}{}", palette.paint(Paint::Place, &place));
    let candidates = count(reason.candidates, "candidate", "candidates");
    let _ = writeln!(out, "  rejects {candidates} by {}", reason.evidence);
    let width = |texts: &mut dyn Iterator<Item = &String>| texts.map(|t| t.chars().count()).max().unwrap_or(0);
    let from = width(&mut reason.steps.iter().map(|s| &s.from));
    let to = width(&mut reason.steps.iter().filter_map(|s| s.to.as_ref()));
    let relation = width(&mut reason.steps.iter().map(|s| &s.relation));
    for step in &reason.steps {
        let indent = 4 + 2 * step.depth;
        let name = palette.pad(Paint::Relation, &step.relation, relation);
        let source =
            step.source.as_deref().map(|s| format!("   {}", palette.paint(Paint::Faint, s))).unwrap_or_default();
        let line = match &step.to {
            Some(end) => format!("{:indent$}{:from$}  {name}  {end:to$}{source}", "", step.from),
            None => format!("{:indent$}{:from$}  {name}{source}", "", step.from),
        };
        let _ = writeln!(out, "{}", line.trim_end());
    }
    let _ = write!(out, "\n{}", indented(&execution(&reason.example, palette)));
}

fn count(n: u64, one: &str, many: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {many}") }
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    fn forbidden(ways: usize) -> Explanation {
        let step = |depth, relation: &str, from: &str, to: Option<&str>| ReasonStep {
            depth,
            relation: relation.into(),
            from: from.into(),
            to: to.map(str::to_owned),
            source: Some(format!("line {depth}")),
        };
        let reason = Reason {
            axiom: "acyclic hb as order".into(),
            place: Some("m.cat:3".into()),
            candidates: 2,
            evidence: "a cycle".into(),
            steps: vec![step(0, "po", "a: W[x]=1", Some("b: R[y]=0")), step(1, "hb", "b: R[y]=0", Some("a: W[x]=1"))],
            example: fixture::drawing(),
        };
        let answer = Explained::Forbidden {
            candidates: 2 * ways as u64,
            reasons: vec![reason; ways],
            incoherent: None,
            unseen: Some("the time limit was reached".into()),
        };
        Explanation { test: "SB".into(), model: "m".into(), outcome: "0:EAX=0".into(), answer }
    }

    #[test]
    fn a_cycle_step_by_step() {
        let text = explanation(&forbidden(1), 8, Palette::PLAIN);
        let expected = "SB under m: forbidden, 0:EAX=0\n  2 candidate executions have these values; the model rejects each\n  \
                        incomplete there may be more: the time limit was reached\n\n  acyclic hb as order  (m.cat:3)\n  \
                        rejects 2 candidates by a cycle\n    a: W[x]=1  po  b: R[y]=0   line 0\n      \
                        b: R[y]=0  hb  a: W[x]=1   line 1\n\n    P0           P1\n";
        assert!(text.starts_with(expected), "{text}");
    }

    #[test]
    fn many_ways_are_cut() {
        let text = explanation(&forbidden(5), 2, Palette::PLAIN);
        assert_eq!(text.matches("rejects 2 candidates").count(), 2);
        assert!(text.ends_with("\n  … and 3 more ways (option `all` tells them)\n"), "{text}");
    }
}
