//! The experiments that the documentation of the engine `bmc` shows: each runs, and leaves a table (CSV) and plots (SVG).

mod bounds;
mod linux;
mod parts;

use crate::process::{Run, run};
use crate::tools::json_string;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Which experiment.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Experiment {
    /// The kernels, their loops followed, against the bound.
    Bounds,
    /// Linux tests one by one: how addresses are analysed, and herd7 beside it.
    Linux,
    /// Each part of the analysis switched off, over Linux tests and kernels.
    Parts,
}

pub(crate) struct Options<'a> {
    pub(crate) bin: &'a Path,
    /// The folder that has `case-studies`.
    pub(crate) root: &'a Path,
    /// The folder of Linux tests, with `expected.jsonl`.
    pub(crate) tests: Option<&'a Path>,
    /// Every how many-th test is taken.
    pub(crate) step: usize,
    /// Seconds of CPU for one run.
    pub(crate) limit: u64,
    /// Where tables and plots are written.
    pub(crate) out: &'a Path,
}

pub(crate) fn figures(options: &Options<'_>, experiment: Experiment) -> io::Result<()> {
    match experiment {
        Experiment::Bounds => bounds::bounds(options),
        Experiment::Linux => linux::linux(options),
        Experiment::Parts => parts::parts(options),
    }
}

/// The kernels, as the paper lists them.
const KERNELS: [&str; 7] = ["parker", "dekker", "peterson", "burns", "bakery", "lamport", "szymanski"];

/// What one run of the engine gave.
struct Measured {
    cpu: Duration,
    /// None if it did not end within the limit.
    answer: Option<String>,
    /// Pairs that got a literal, and clauses.
    pairs: u64,
    clauses: u64,
}

impl Measured {
    fn milliseconds(&self) -> f64 {
        self.cpu.as_secs_f64() * 1e3
    }
}

impl Options<'_> {
    /// Runs `treville verify --engine bmc` on a file.
    fn verify(&self, file: &Path, args: &[&str]) -> io::Result<Measured> {
        let mut command = Command::new(self.bin);
        command.arg("verify").arg(file).args(["--engine", "bmc", "--json", "--stats", "--accept-bounded"]).args(args);
        let Run { cpu, stdout, .. } = run(&mut command, Some(self.limit))?;
        let answer = json_string(&stdout, "verdict").filter(|verdict| verdict != "unknown");
        let count = |key| json_number(&stdout, key).unwrap_or(0.0) as u64;
        Ok(Measured { cpu, answer, pairs: count("pairs-active"), clauses: count("clauses") })
    }

    fn kernel(&self, name: &str) -> PathBuf {
        self.root.join("case-studies/mutex").join(format!("{name}.pts"))
    }

    /// Writes a table or a plot.
    fn write(&self, name: &str, text: &str) -> io::Result<()> {
        let path = self.out.join(name);
        fs::write(&path, text)?;
        println!("{}", path.display());
        Ok(())
    }

    /// The Linux tests that are taken: path, and the milliseconds of herd7 if they are known.
    fn linux_tests(&self) -> io::Result<Vec<(PathBuf, Option<f64>)>> {
        let missing = || io::Error::new(io::ErrorKind::InvalidInput, "--tests names the folder of Linux tests");
        let folder = self.tests.ok_or_else(missing)?;
        let table = fs::read_to_string(folder.join("expected.jsonl"))?;
        let row = |line: &str| Some((folder.join(json_string(line, "file")?), json_number(line, "herd_ms")));
        Ok(table.lines().filter_map(row).step_by(self.step).collect())
    }
}

/// The value of a key of a JSON object, if it is a number.
fn json_number(text: &str, key: &str) -> Option<f64> {
    let rest = text[text.find(&format!("\"{key}\":"))? + key.len() + 3..].trim_start();
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
    rest[..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_json_lines() {
        let line = r#"{"file": "a", "herd_ms": 20.1, "stats":{"clauses":7}}"#;
        assert_eq!(json_number(line, "herd_ms"), Some(20.1));
        assert_eq!(json_number(line, "clauses"), Some(7.0));
        assert_eq!((json_number(line, "file"), json_number(line, "x")), (None, None));
    }
}
