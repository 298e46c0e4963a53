//! The binary `treville`: options, files, exit statuses, progress. What is computed lives in the library.

mod args;
mod batch;
mod disk;
mod evidence;
mod exit;
mod inputs;
mod interrupt;
mod memory;
mod output;
mod progress;
mod verbs;

use args::{Cli, Verb};
use clap::Parser;
use exit::Status;
use output::Output;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version come this way too, as errors with status 0.
            let _ = error.print();
            return if error.use_stderr() { Status::Wrong.into() } else { Status::Yes.into() };
        }
    };
    let mut output = Output::new(cli.color);
    run(cli, &mut output).into()
}

fn run(cli: Cli, output: &mut Output) -> Status {
    if cli.version {
        return verbs::models::version(output);
    }
    match cli.verb {
        None => {
            output.error("what is to be done? `treville verify FILE` checks a test, `treville --help` says more");
            Status::Wrong
        }
        Some(Verb::Verify(args)) => verbs::verify::run(&args, output),
        Some(Verb::Explain(args)) => verbs::explain::run(&args, output),
        Some(Verb::Compare(args)) => verbs::compare::run(&args, output),
        Some(Verb::Show(args)) => verbs::show::run(&args, output),
        Some(Verb::CheckProof(args)) => verbs::proofs::check(&args, output),
        Some(Verb::Models(args)) => verbs::models::run(&args, output),
        Some(Verb::Engines) => verbs::engines::run(output),
        Some(Verb::Completions { shell }) => verbs::shell::completions(shell, output),
        Some(Verb::Man) => verbs::shell::man(output),
        Some(Verb::Synth(args)) => verbs::synth::run(&args, output),
        Some(Verb::Serve(_)) => not_built("serve", output),
    }
}

fn not_built(verb: &str, output: &Output) -> Status {
    output.error(&format!("`treville {verb}` is not built yet"));
    Status::Wrong
}
