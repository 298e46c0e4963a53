//! Why a file has no answer: its text, its model or the call is wrong, a limit ended the work, no engine supports the task,
//! or a check of our own has failed.

use crate::{Unsupported, VerdictKind};
use std::fmt;
use std::sync::Arc;
use treville_base::{Diagnostic, LineCol, SourceMap};

#[derive(Clone, Debug)]
pub struct CheckError {
    /// `Unknown` if a limit or an engine is the reason, `No` if what was to be shown does not exist, `Error` otherwise.
    pub verdict: VerdictKind,
    pub reason: String,
    /// Where the first error is.
    pub position: Option<(String, LineCol)>,
    pub diagnostics: Vec<Diagnostic>,
    /// The texts that the diagnostics point into.
    pub sources: Arc<SourceMap>,
    /// Of an internal error, what shows it: the text of a file to send.
    pub evidence: Option<Box<str>>,
}

impl CheckError {
    fn new(verdict: VerdictKind, reason: String) -> CheckError {
        let sources = Arc::default();
        CheckError { verdict, reason, position: None, diagnostics: Vec::new(), sources, evidence: None }
    }

    /// A wrong call, or a file that cannot be read.
    pub fn usage(reason: impl Into<String>) -> CheckError {
        CheckError::new(VerdictKind::Error, reason.into())
    }

    /// A wrong input: the first error is the reason, all of them are shown.
    pub fn input(diagnostics: Vec<Diagnostic>, sources: Arc<SourceMap>) -> CheckError {
        let first = diagnostics.iter().filter(|d| d.is_error()).min_by_key(|d| d.span.map(|s| (s.file, s.start)));
        let position = first.and_then(|d| d.span).map(|s| (sources.file(s.file).name.clone(), sources.start(s)));
        let reason = first.map_or_else(|| "wrong input".into(), |d| d.message.clone());
        CheckError { position, diagnostics, sources, ..CheckError::usage(reason) }
    }

    /// No answer within the limits, or none that this engine can give.
    pub fn unknown(reason: impl Into<String>) -> CheckError {
        CheckError::new(VerdictKind::Unknown, reason.into())
    }

    /// What was to be shown does not exist.
    pub fn absent(reason: impl Into<String>) -> CheckError {
        CheckError::new(VerdictKind::No, reason.into())
    }

    /// An engine that does not support the task.
    pub fn unsupported(engine: &str, why: &[Unsupported], sources: &SourceMap) -> CheckError {
        let show = |u: &Unsupported| match u.span {
            Some(span) => format!("{} (line {})", u.what, sources.start(span).line),
            None => u.what.clone(),
        };
        let list = why.iter().map(show).collect::<Vec<_>>().join("; ");
        let position = why.iter().find_map(|u| u.span).map(|s| (sources.file(s.file).name.clone(), sources.start(s)));
        CheckError { position, ..CheckError::unknown(format!("the engine {engine} does not take this: {list}")) }
    }

    /// A check of our own has failed; the evidence goes into a file to send.
    pub fn internal(reason: impl Into<String>, evidence: String) -> CheckError {
        CheckError { evidence: Some(evidence.into()), ..CheckError::usage(reason) }
    }

    /// Whether a check of our own has failed.
    pub fn is_internal(&self) -> bool {
        self.evidence.is_some()
    }
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.position {
            Some((file, at)) => write!(f, "{file}:{}:{}: {}", at.line, at.column, self.reason),
            None => f.write_str(&self.reason),
        }
    }
}

impl std::error::Error for CheckError {}
