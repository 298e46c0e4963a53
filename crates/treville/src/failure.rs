//! Ways not to get an answer.

use std::sync::Arc;
use treville_base::{Diagnostic, SourceMap};
use treville_report::{Failure, VerdictWord};
use treville_task::Unsupported;

/// A wrong input: the first error is the reason, all of them are shown.
pub fn failure(diagnostics: Vec<Diagnostic>, sources: Arc<SourceMap>) -> Failure {
    let first = diagnostics.iter().filter(|d| d.is_error()).min_by_key(|d| d.span.map(|s| (s.file, s.start)));
    let position = first.and_then(|d| d.span).map(|s| (sources.file(s.file).name.clone(), sources.start(s)));
    let reason = first.map_or_else(|| "wrong input".into(), |d| d.message.clone());
    Failure { word: VerdictWord::Error, reason, position, diagnostics, sources, evidence: None }
}

/// A wrong call, or a file that cannot be read.
pub fn unreadable(reason: impl Into<String>) -> Failure {
    Failure {
        word: VerdictWord::Error,
        reason: reason.into(),
        position: None,
        diagnostics: Vec::new(),
        sources: Arc::default(),
        evidence: None,
    }
}

/// A check of our own has failed; the evidence goes into a file to send.
pub fn internal(reason: impl Into<String>, evidence: String) -> Failure {
    Failure { evidence: Some(evidence.into()), ..unreadable(reason) }
}

/// An engine that does not take the task.
pub fn refusal(engine: &str, why: &[Unsupported], sources: &SourceMap) -> Failure {
    let show = |u: &Unsupported| match u.span {
        Some(span) => format!("{} (line {})", u.what, sources.start(span).line),
        None => u.what.clone(),
    };
    let list = why.iter().map(show).collect::<Vec<_>>().join("; ");
    let position = why.iter().find_map(|u| u.span).map(|s| (sources.file(s.file).name.clone(), sources.start(s)));
    Failure {
        word: VerdictWord::Unknown,
        reason: format!("the engine {engine} does not take this: {list}"),
        position,
        diagnostics: Vec::new(),
        sources: Arc::default(),
        evidence: None,
    }
}
