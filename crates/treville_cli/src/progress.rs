//! How far a batch is: one line on standard error that is overwritten, on a terminal only.

use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

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
