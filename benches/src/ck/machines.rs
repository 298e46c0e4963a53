//! The same structures on machines, where an access that depends on another one comes after it: as shipped, and with the fixes.

use super::{Client, Options, Row, file, flags, said};
use crate::process::run;
use crate::programs::number_after;
use std::fmt::Write;
use std::io;
use std::path::Path;
use std::process::Command;

const MODELS: [&str; 4] = ["rc11", "arm", "aarch64", "power"];

const fn row(client: Client, structure: &'static str, threads: [u32; 3], flags: &'static str) -> Row {
    Row { client, structure, threads, flags, thesis: None }
}

const ROWS: &[Row] = &[
    row(Client::Bag, "stack", [2, 2, 0], ""),
    row(Client::Bag, "hp_stack", [2, 2, 0], ""),
    row(Client::Fifo, "hp_fifo", [3, 0, 0], ""),
    row(Client::Fifo, "hp_fifo", [2, 2, 0], ""),
    row(Client::Fifo, "spsc", [1, 1, 0], ""),
    row(Client::Bag, "ring", [2, 2, 0], "-DRING=4"),
    row(Client::Bag, "array", [1, 2, 0], ""),
    row(Client::Bag, "bitmap", [2, 2, 0], ""),
    row(Client::Set, "hs", [1, 1, 0], "-DGROW"),
    row(Client::Set, "ht", [1, 1, 0], "-DGROW"),
    row(Client::Set, "rhs", [1, 1, 0], "-DGROW"),
];

/// A table of what comes out under each model.
pub(super) fn table(options: &Options<'_>, study: &Path, fixed: &Path) -> io::Result<String> {
    let mut text = String::from(HEAD);
    for row in ROWS {
        for (name, with) in [("as shipped", None), ("with the fixes", Some(fixed))] {
            let [w, r, _] = row.threads;
            let mut line = format!("| {} {w}/{r} | {name} |", row.structure);
            for model in MODELS {
                let _ = write!(line, " {} |", under(options, study, row, with, model)?);
            }
            println!("{line}");
            let _ = writeln!(text, "{line}");
        }
    }
    Ok(text)
}

const HEAD: &str = "
## On machines

What comes out under C11 and on machines, with the number of executions and seconds of CPU. The fences for dependencies are none here.

| structure | | rc11 | arm | aarch64 | power |
| --- | --- | --- | --- | --- | --- |
";

fn under(options: &Options<'_>, study: &Path, row: &Row, fixed: Option<&Path>, model: &str) -> io::Result<String> {
    let mut command = Command::new(options.bin);
    command.arg("verify").arg(file(study, row)).args(["--json", "--model", model]);
    command.args(["--engine", "explore", "--timeout", &options.limit.to_string()]);
    command.arg(format!("--cflags={}", flags(options, study, row, fixed).join(" ")));
    let done = run(&mut command, None)?;
    let executions = number_after(&done.stdout, "\"executions\":");
    Ok(match executions.filter(|_| done.stdout.contains("\"verdict\":\"yes\"")) {
        Some(executions) => format!("holds: {executions}, {:.1} s", done.cpu.as_secs_f64()),
        None => said(&done.stdout),
    })
}
