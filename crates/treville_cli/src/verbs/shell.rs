//! `treville completions` and `treville man`, made from the definitions of the options.

use crate::args::Cli;
use crate::exit::Status;
use crate::output::Output;
use clap::CommandFactory;

pub(crate) fn completions(shell: clap_complete::Shell, output: &mut Output) -> Status {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "treville", &mut script);
    let _ = output.print(&String::from_utf8_lossy(&script));
    Status::Yes
}

pub(crate) fn man(output: &mut Output) -> Status {
    let mut page = Vec::new();
    if let Err(error) = clap_mangen::Man::new(Cli::command()).render(&mut page) {
        output.error(&error.to_string());
        return Status::Wrong;
    }
    let _ = output.print(&String::from_utf8_lossy(&page));
    Status::Yes
}
