//! The rows whose number of executions does not depend on what the client does beside: it must be that of the thesis.

use super::{C11, Client, DEPENDS_REMOVE, Options, Row, apply, ours, row, wrong};
use std::io;

struct Expected {
    row: Row,
    executions: u64,
    /// Whether headers are not enough.
    needs_source: bool,
}

const fn expected(client: Client, structure: &'static str, threads: [u32; 3], executions: u64) -> Expected {
    let row = row(client, structure, threads, [""; 3]);
    Expected { row, executions, needs_source: false }
}

impl Expected {
    const fn with(self, flags: &'static str) -> Expected {
        Expected { row: self.row.with(flags), ..self }
    }
}

const ROWS: &[Expected] = &[
    expected(Client::Bag, "stack", [5, 0, 0], 122_880),
    expected(Client::Bag, "hp_stack", [3, 3, 0], 64_920),
    expected(Client::Bag, "ring", [5, 0, 0], 60).with("-DRING=4"),
    expected(Client::Bag, "bitmap", [5, 0, 0], 120),
    Expected { needs_source: true, ..expected(Client::Bag, "array", [1, 3, 0], 8) },
    expected(Client::Fifo, "hp_fifo", [2, 2, 1], 1_104).with(DEPENDS_REMOVE),
];

/// Runs them with the fixes, and fails if one has another number. The headers of the library are enough for most.
pub(crate) fn check(options: &Options<'_>) -> io::Result<()> {
    let study = options.root.join("case-studies/ck");
    let fixed = options.out.join("ck-fixed");
    apply(&study.join("fixes.txt"), options.source, &fixed)?;
    let has_source = options.source.join("src").exists();
    for Expected { row, executions, .. } in ROWS.iter().filter(|e| has_source || !e.needs_source) {
        let (explored, cpu) = ours(options, &study, row, Some(&fixed), C11)?;
        let [w, r, noise] = row.threads;
        let name = format!("{} {w}/{r}/{noise}", row.structure);
        match explored {
            Ok(explored) if explored.complete == *executions => {
                println!("{name}: {executions} executions, {:.1} s", cpu.as_secs_f64());
            }
            Ok(explored) => return Err(wrong(format!("{name}: {} executions, not {executions}", explored.complete))),
            Err(why) => return Err(wrong(format!("{name}: {why}"))),
        }
    }
    Ok(())
}
