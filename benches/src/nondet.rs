//! Unknown values: what data costs that nobody looks at, and how many executions data has that decides something, beside the
//! figures of Leutenegger's thesis (chapter 4).
//!
//! What is measured is `treville` on LLVM IR, so that clang is not.

mod payload;
mod tables;

use crate::process::{Run, run};
use crate::programs::number_after;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

pub(crate) struct Options<'a> {
    pub(crate) bin: &'a Path,
    /// The folder that has `case-studies`, `crates` and `docs`.
    pub(crate) root: &'a Path,
    pub(crate) limit: u64,
    /// Where what clang makes is written.
    pub(crate) out: &'a Path,
}

/// Runs everything, and writes the tables into a file, with plots beside it.
pub(crate) fn nondet(options: &Options<'_>, file: &Path) -> io::Result<()> {
    let mut text = String::from(HEAD);
    tables::sets(options, &mut text)?;
    tables::stamps(options, &mut text)?;
    payload::payload(options, &mut text)?;
    fs::write(file, text)
}

const HEAD: &str = "# What unknown values cost

Written by `treville_bench nondet` (see [benches](../benches/README.md)): the programs of [case-studies/nondet](../case-studies/nondet/README.md), which are
similar to those of C. Leutenegger, *Enabling Automatic Verification of Concurrent Data Structures* (2025), chapter 4. In parentheses are the figures of
the thesis, on another machine; its programs are not printed there, so that only counts that follow from mathematics must agree. All under rc11, on one thread
and without symmetry reduction; memory is the most that was resident at a time, seconds are of CPU; clang is not counted.
";

/// What one run explored, and what it cost.
#[derive(Clone, Copy, Debug, Default)]
struct Cost {
    complete: u64,
    blocked: u64,
    cpu: Duration,
    /// The most memory at a time, in kilobytes.
    peak: u64,
    /// If they can be counted here.
    instructions: Option<u64>,
}

impl Cost {
    fn executions(&self) -> (u64, u64) {
        (self.complete, self.blocked)
    }

    fn megabytes(&self) -> f64 {
        self.peak as f64 / 1024.0
    }
}

/// What every program is compiled with, as `treville` does it.
const CLANG: &[&str] =
    &["-S", "-emit-llvm", "-g", "-fno-discard-value-names", "-Xclang", "-disable-O0-optnone", "-D__TREVILLE__=1"];

impl Options<'_> {
    /// A program of the case study as LLVM IR.
    fn compile(&self, name: &str, flags: &str) -> io::Result<PathBuf> {
        let file = self.out.join(format!("{name}.ll"));
        let mut clang = Command::new("clang");
        clang.args(CLANG).arg("-idirafter").arg(self.root.join("crates/treville_llvm/include"));
        clang.args(flags.split_whitespace()).arg("-o").arg(&file);
        let done = run(clang.arg(self.root.join(format!("case-studies/nondet/{name}.c"))), None)?;
        if done.status != Some(0) {
            return Err(io::Error::other(format!("clang does not compile {name}.c with {flags}")));
        }
        Ok(file)
    }

    fn verify<'a>(&self, command: &'a mut Command, file: &Path) -> &'a mut Command {
        let limit = self.limit.to_string();
        command.arg("verify").arg(file).args([
            "--json",
            "--engine",
            "explore",
            "--symmetry",
            "off",
            "--timeout",
            &limit,
        ])
    }

    /// Explores a program.
    fn explore(&self, name: &str, flags: &str) -> io::Result<Cost> {
        let file = self.compile(name, flags)?;
        let peak = self.out.join("peak");
        // A process of its own sees how much memory its only child had.
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("peak").arg(&peak).arg(self.bin);
        let Run { cpu, stdout, .. } = run(self.verify(&mut command, &file), None)?;
        let number = |key: &str| number_after(&stdout, &format!("\"{key}\":"));
        let holds = stdout.contains("\"verdict\":\"yes\"");
        let counts = number("executions").zip(number("blocked")).filter(|_| holds);
        let (complete, blocked) = counts
            .ok_or_else(|| io::Error::other(format!("{name}.c with {flags}: no answer that it holds: {stdout}")))?;
        let peak = fs::read_to_string(peak)?.trim().parse().map_err(io::Error::other)?;
        Ok(Cost { complete, blocked, cpu, peak, instructions: None })
    }

    /// The same, with its instructions counted by valgrind, if that is there.
    fn count(&self, name: &str, flags: &str) -> io::Result<Cost> {
        let cost = self.explore(name, flags)?;
        let counts = self.out.join("cachegrind");
        let mut command = Command::new("valgrind");
        command.args(["--tool=cachegrind", "--cache-sim=no"]);
        command.arg(format!("--cachegrind-out-file={}", counts.display())).arg(self.bin);
        // It is many times slower.
        let slow = Options { limit: 100 * self.limit, ..*self };
        let file = self.out.join(format!("{name}.ll"));
        let counted = run(slow.verify(&mut command, &file), None).is_ok_and(|done| done.status == Some(0));
        let instructions = if counted { number_after(&fs::read_to_string(counts)?, "summary:") } else { None };
        Ok(Cost { instructions, ..cost })
    }
}

/// Runs a command, and writes into a file how much memory it had at most; its status is that of the command.
pub(crate) fn peak(file: &Path, command: &[String]) -> io::Result<i32> {
    let (program, args) = command.split_first().ok_or_else(|| io::Error::other("no command"))?;
    let status = Command::new(program).args(args).status()?;
    fs::write(file, crate::process::peak_of_children()?.to_string())?;
    Ok(status.code().unwrap_or(3))
}
