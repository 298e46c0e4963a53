//! `cargo xtask tidy`: what ARCHITECTURE.md and CONTRIBUTING.md say of the source, checked.
//! `cargo xtask figures`: the same as numbers, to compare two commits.

mod rust;
mod tidy;
mod tree;

use std::process::ExitCode;

const USAGE: &str = "cargo xtask COMMAND

  tidy      fails if the source is not as ARCHITECTURE.md and CONTRIBUTING.md say
  figures   prints what tidy counts";

#[expect(clippy::print_stdout, reason = "it is a program for people")]
fn main() -> ExitCode {
    let command = std::env::args().nth(1).unwrap_or_default();
    let tree = match tree::Tree::read() {
        Ok(tree) => tree,
        Err(why) => {
            println!("error: {why}");
            return ExitCode::from(2);
        }
    };
    match command.as_str() {
        "tidy" => {
            let findings = tidy::findings(&tree);
            findings.iter().for_each(|finding| println!("{finding}"));
            println!("{} files, {} findings", tree.files.len(), findings.len());
            if findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        "figures" => {
            print!("{}", tidy::figures(&tree));
            ExitCode::SUCCESS
        }
        _ => {
            println!("{USAGE}");
            ExitCode::from(2)
        }
    }
}
