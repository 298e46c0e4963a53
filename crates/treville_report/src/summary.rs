//! A batch in a terminal: one line a file, then how many of each verdict.

use crate::view::View;
use crate::{Paint, Palette, json::observation_word};
use std::fmt::Write;
use std::time::Duration;
use treville_task::{Observation, Report, VerdictKind};

/// How many files got which verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    pub files: u64,
    pub yes: u64,
    pub no: u64,
    pub undefined: u64,
    pub unknown: u64,
    pub error: u64,
}

impl Summary {
    pub fn add(&mut self, verdict: VerdictKind) {
        self.files += 1;
        *match verdict {
            VerdictKind::Yes => &mut self.yes,
            VerdictKind::No => &mut self.no,
            VerdictKind::Undefined => &mut self.undefined,
            VerdictKind::Unknown => &mut self.unknown,
            VerdictKind::Error => &mut self.error,
        } += 1;
    }

    /// `12 files in 0.1 s: 8 yes, 4 no`.
    pub fn line(&self, time: Duration, palette: Palette) -> String {
        let parts = [
            (self.yes, "yes", Paint::Good),
            (self.no, "no", Paint::Bad),
            (self.undefined, "undefined", Paint::Bad),
            (self.unknown, "unknown", Paint::Doubt),
            (self.error, "error", Paint::Bad),
        ];
        let parts: Vec<String> = parts
            .into_iter()
            .filter(|(n, ..)| *n > 0)
            .map(|(n, word, role)| palette.paint(role, &format!("{n} {word}")))
            .collect();
        let files = if self.files == 1 { "file" } else { "files" };
        format!("{} {files} in {:.1} s: {}\n", self.files, time.as_secs_f64(), parts.join(", "))
    }
}

/// A file's line in the table; `width` is that of the longest file name.
pub fn summary_row(report: &Report, width: usize, palette: Palette) -> String {
    let role = match report.verdict() {
        VerdictKind::Yes => Paint::Good,
        VerdictKind::No | VerdictKind::Undefined | VerdictKind::Error => Paint::Bad,
        VerdictKind::Unknown => Paint::Doubt,
    };
    let mut line = format!("{:width$}  {}", report.file, palette.pad(role, report.verdict().as_str(), 10));
    let time = report.time.as_secs_f64() * 1e3;
    match report.result.as_deref().ok().map(View::of) {
        Some(View::Test(checked)) => {
            let observation = Observation::of(&checked.outcome).map_or("", observation_word);
            let _ = write!(line, "{observation:<10} {time:>9.1} ms");
            let flags: Vec<&str> = checked.outcome.flags.keys().map(|f| f.as_str()).collect();
            if !flags.is_empty() {
                let _ = write!(line, "  {}", flags.join(", "));
            }
        }
        Some(View::Program(checked)) => {
            let kind = checked.outcome.violation.as_ref().map_or("", |v| v.failure.name());
            let _ = write!(line, "{kind:<10} {time:>9.1} ms");
        }
        Some(View::Claims(checked)) => {
            let names: Vec<&str> = checked.violations().map(|(_, name, _)| name).collect();
            let _ = write!(line, "{:<10} {time:>9.1} ms", names.join(", "));
        }
        Some(View::Remote(checked)) => {
            let steps = checked.run.map_or(String::new(), |run| format!("{} steps", run.trace.steps.len()));
            let _ = write!(line, "{steps:<10} {time:>9.1} ms");
        }
        None => {}
    }
    if let Some(reason) = report.reason() {
        let _ = write!(line, "  {reason}");
    }
    format!("{}\n", line.trim_end())
}
