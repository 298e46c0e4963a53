//! How far a batch is, or the one file that is checked: one line on standard error that is overwritten, on a terminal only.

use std::io::{IsTerminal, Write, stderr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use treville_verifier::task::{Monitor, Progress as Executions};

use crate::output::Output;

const INTERVAL: Duration = Duration::from_millis(100);

pub(crate) struct Progress {
    on: bool,
    total: usize,
    start: Instant,
    shown: Option<Instant>,
}

impl Progress {
    pub(crate) fn new(total: usize) -> Self {
        Progress { on: total > 1 && stderr().is_terminal(), total, start: Instant::now(), shown: None }
    }

    /// Takes the line away, before something else is printed.
    pub(crate) fn clear(&mut self, output: &Output) {
        if self.on && self.shown.is_some() {
            output.note("\r\x1b[K");
        }
    }

    pub(crate) fn show(&mut self, done: usize, output: &Output) {
        if !self.on || done == self.total || self.shown.is_some_and(|at| at.elapsed() < INTERVAL) {
            return;
        }
        let filled = done * 20 / self.total.max(1);
        let seconds = self.start.elapsed().as_secs();
        output.note(&format!(
            "\r\x1b[K[{}{}] {done}/{} files, {seconds} s",
            "#".repeat(filled),
            ".".repeat(20 - filled),
            self.total
        ));
        self.shown = Some(Instant::now());
    }
}

/// Watches an engine: how many executions it has seen, and of how many, as far as one can tell.
pub(crate) struct Watch {
    on: bool,
    /// Somebody will read the estimate, now or in the report.
    estimate: bool,
    start: Instant,
    shown: Mutex<Option<Instant>>,
}

impl Watch {
    /// For so many files; each has a line of its own only if it is the only one.
    pub(crate) fn new(files: usize, stats: bool) -> Self {
        let on = files == 1 && stderr().is_terminal();
        Watch { on, estimate: on || stats, start: Instant::now(), shown: Mutex::new(None) }
    }

    /// Takes the line away.
    pub(crate) fn clear(&self, output: &Output) {
        if self.shown.lock().unwrap_or_else(PoisonError::into_inner).take().is_some() {
            output.note("\r\x1b[K");
        }
    }
}

impl Monitor for Watch {
    fn progress(&self, progress: &Executions) {
        if !self.on {
            return;
        }
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if self.start.elapsed() < INTERVAL || shown.is_some_and(|at| at.elapsed() < INTERVAL) {
            return;
        }
        *shown = Some(Instant::now());
        let line = line(progress, self.start.elapsed());
        // Nobody can be told if that fails.
        let _ = stderr().lock().write_all(format!("\r\x1b[K{line}").as_bytes());
    }

    fn wants_estimate(&self) -> bool {
        self.estimate
    }
}

fn line(progress: &Executions, time: Duration) -> String {
    let done = progress.executions;
    let seconds = time.as_secs();
    match progress.expected {
        Some(all) if all > 0 => {
            let all = all.max(done);
            let filled = ((done as f64 / all as f64) * 20.0) as usize;
            let bar = format!("[{}{}]", "#".repeat(filled), ".".repeat(20 - filled.min(20)));
            format!("{bar} {done} executions of about {all}, {seconds} s")
        }
        _ => format!("{done} executions, {seconds} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_how_much_is_left() {
        let progress = |executions, expected| Executions { executions, candidates: executions, expected };
        let second = Duration::from_secs(1);
        assert_eq!(line(&progress(5, None), second), "5 executions, 1 s");
        assert_eq!(line(&progress(5, Some(20)), second), "[#####...............] 5 executions of about 20, 1 s");
        assert_eq!(line(&progress(30, Some(20)), second), "[####################] 30 executions of about 30, 1 s");
    }
}
