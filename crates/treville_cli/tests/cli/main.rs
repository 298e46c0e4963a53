//! The binary from outside: what it prints, how it ends, and the answers of everything that states its answers.
//!
//! Each case, case study and page of the guide is a test of its own: `cargo test -p treville_cli --test cli cases/pts/` runs
//! those of a folder, `… docs/programs.md` one page.

mod answers;
mod audit;
mod bad_input;
mod beside;
mod calls;
mod case_studies;
mod ck;
mod common;
mod export;
mod guide;
mod kernel;
mod loops;
mod nondet;
mod own_text;
mod pairs;
mod programs;
mod proofs;
mod pts;
mod rar;
mod registries;
mod rma;
mod solver;
mod stated;

use std::process::ExitCode;

fn main() -> ExitCode {
    let trials = [
        answers::trials(),
        audit::trials(),
        bad_input::trials(),
        beside::trials(),
        calls::trials(),
        case_studies::trials(),
        ck::trials(),
        export::trials(),
        guide::trials(),
        kernel::trials(),
        loops::trials(),
        nondet::trials(),
        own_text::trials(),
        pairs::trials(),
        programs::trials(),
        proofs::trials(),
        pts::trials(),
        rar::trials(),
        rma::trials(),
        solver::trials(),
        stated::trials(),
    ];
    let mut trials: Vec<_> = trials.into_iter().flatten().collect();
    let more = registries::trials(&trials);
    trials.extend(more);
    treville_trials::run(trials)
}
