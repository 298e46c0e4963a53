//! `treville verify --interactive`: somebody goes through a run, step by step.

use super::say_failure;
use crate::exit::Status;
use crate::output::Output;
use std::io::BufRead;
use treville_verifier::report::moment;
use treville_verifier::task::Command;
use treville_verifier::{Options, Session};

const HELP: &str = "a number takes that step, b goes back, q ends";

pub(crate) fn run(session: &Session<'_>, files: &[String], options: &Options, output: &mut Output) -> Status {
    let [file] = files else {
        output.error("--interactive takes one program");
        return Status::Wrong;
    };
    let mut lines = std::io::stdin().lock().lines();
    let walked = session.step_through(file, options, &mut |now, subject| {
        let palette = output.palette;
        if output.print(&format!("{}> ", moment(now, subject, palette))).is_err() {
            return Command::Quit;
        }
        loop {
            let Some(Ok(line)) = lines.next() else { return Command::Quit };
            match line.trim() {
                "q" | "quit" => return Command::Quit,
                "b" | "back" => return Command::Back,
                // The only step, if there is one.
                "" if now.steps.len() == 1 => return Command::Take(0),
                word => match word.parse::<usize>() {
                    Ok(n) if (1..=now.steps.len()).contains(&n) => return Command::Take(n - 1),
                    _ => output.note(&format!("{HELP}\n")),
                },
            }
        }
    });
    let _ = output.print("\n");
    match walked {
        Ok(()) => Status::Yes,
        Err(failure) => say_failure(file, &failure, output),
    }
}
