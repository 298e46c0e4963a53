//! The same structures on machines, where an access that depends on another one comes after it: as shipped, and with the fixes.

use super::{C11, Client, Options, Row, ours, own};
use std::fmt::Write;
use std::io;
use std::path::Path;

const MODELS: [&str; 4] = [C11, "arm", "aarch64", "power"];

const ROWS: &[Row] = &[
    own(Client::Bag, "stack", [2, 2, 0], ""),
    own(Client::Bag, "hp_stack", [2, 2, 0], ""),
    own(Client::Fifo, "hp_fifo", [3, 0, 0], ""),
    own(Client::Fifo, "hp_fifo", [2, 2, 0], ""),
    own(Client::Fifo, "spsc", [1, 1, 0], ""),
    own(Client::Bag, "ring", [2, 2, 0], "-DRING=4"),
    own(Client::Bag, "array", [1, 2, 0], ""),
    own(Client::Bag, "bitmap", [2, 2, 0], ""),
    own(Client::Set, "hs", [1, 1, 0], "-DGROW"),
    own(Client::Set, "ht", [1, 1, 0], "-DGROW"),
    own(Client::Set, "rhs", [1, 1, 0], "-DGROW"),
];

/// A table of what comes out under each model.
pub(super) fn table(options: &Options<'_>, study: &Path, fixed: &Path) -> io::Result<String> {
    let mut text = String::from(HEAD);
    for row in ROWS {
        for (name, with) in [("as shipped", None), ("with the fixes", Some(fixed))] {
            let [w, r, _] = row.threads;
            let mut line = format!("| {} {w}/{r} | {name} |", row.structure);
            for model in MODELS {
                let (explored, cpu) = ours(options, study, row, with, model)?;
                let held = explored.map(|e| format!("holds: {}, {:.1} s", e.complete, cpu.as_secs_f64()));
                let _ = write!(line, " {} |", held.unwrap_or_else(|why| why));
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
