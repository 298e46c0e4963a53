//! Limits and signals end every phase. Apart from the other tests of the binary, which keep the machine busy.

#[path = "../cli/common.rs"]
mod common;
mod engines;
mod machines;

use std::process::ExitCode;

fn main() -> ExitCode {
    treville_trials::run([engines::trials(), machines::trials()].into_iter().flatten().collect())
}
