//! The case studies on remote memory, as one table beside the figures of the paper.

use crate::process::{Run, run};
use std::fmt::Write;
use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// A program with what is known of it: the smallest number of flushes by the exact machine, and the paper's row (predicates
/// and lines under SC, the same after extrapolation, seconds of the model checker, flushes).
struct Study {
    name: &'static str,
    exact: usize,
    paper: Option<([u32; 4], u32, u32)>,
    /// Why the minimum is not that of the paper.
    note: &'static str,
}

const LARGER: &str = "the paper's program must be another one: its method is sound, and ours fails with fewer";
const SMALLER: &str = "another program, or a weaker abstraction there";

const STUDIES: [Study; 15] = [
    study("fig2", 1, None, ""),
    study("dekker", 4, Some(([11, 498, 29, 2068], 876, 4)), ""),
    study("peterson", 5, Some(([10, 356, 21, 1045], 4, 4)), LARGER),
    study("abp", 1, Some(([16, 485, 20, 662], 1, 1)), ""),
    study("pc1", 5, Some(([18, 658, 35, 3797], 126, 2)), LARGER),
    study("pgsql", 2, Some(([12, 418, 18, 1549], 1, 2)), ""),
    study("qw", 3, Some(([13, 487, 29, 1544], 1345, 4)), SMALLER),
    study("sober", 0, Some(([23, 831, 48, 8466], 10, 0)), ""),
    study("kessel", 8, Some(([18, 534, 36, 1621], 16, 5)), LARGER),
    study("loop2_tlm", 4, Some(([29, 1068, 43, 1986], 3960, 4)), ""),
    study("szymanski", 8, Some(([34, 1182, 64, 7081], 316, 7)), LARGER),
    study("queue", 1, Some(([13, 572, 22, 1104], 13, 1)), ""),
    study("ticket", 2, Some(([17, 640, 43, 3615], 4320, 5)), SMALLER),
    study("bakery", 8, Some(([19, 828, 41, 2947], 288, 6)), LARGER),
    study("rmalock", 7, Some(([24, 763, 60, 5932], 65679, 9)), SMALLER),
];

const fn study(name: &'static str, exact: usize, paper: Option<([u32; 4], u32, u32)>, note: &'static str) -> Study {
    Study { name, exact, paper, note }
}

/// What was measured.
struct Row {
    slots: String,
    minimum: String,
    proved: bool,
    placement: String,
    synth: Duration,
    proof: Proof,
    direct: Proof,
}

struct Proof {
    holds: bool,
    /// Predicates, lines, predicates after extrapolation, lines.
    sizes: [String; 4],
    unaided: bool,
    cpu: Duration,
    in_time: bool,
}

/// Measures every program and writes the table.
pub(crate) fn rma(bin: &Path, root: &Path, table: &Path, limit: u64) -> io::Result<()> {
    let mut rows = Vec::new();
    for study in &STUDIES {
        let file = root.join(format!("case-studies/rma/{}.rma", study.name));
        let row = measured(bin, &file, limit)?;
        println!(
            "{:<10} {:>2} of {:>2} flushes in {}, proof {}, direct {}",
            study.name,
            row.minimum,
            row.slots,
            seconds(row.synth),
            told(&row.proof),
            told(&row.direct)
        );
        rows.push(row);
    }
    fs::write(table, markdown(&rows))
}

fn measured(bin: &Path, file: &Path, limit: u64) -> io::Result<Row> {
    let synth = run(Command::new(bin).arg("synth").arg(file).args(["--json", "--threads=1"]), Some(limit))?;
    let json = &synth.stdout;
    let placement = json.split("\"slots\":[").nth(1).and_then(|s| s.split(']').next()).unwrap_or("").to_owned();
    let flushes = if placement.is_empty() { "none".to_owned() } else { placement.clone() };
    let proof = |abstraction: &str| -> io::Result<Proof> {
        let mut command = Command::new(bin);
        command.arg("verify").arg(file).args(["--engine=abstract", "--json", "--stats", "--flush", &flushes]);
        Ok(proof(&run(command.args(["--abstraction", abstraction]), Some(limit))?))
    };
    Ok(Row {
        slots: field(json, "sites"),
        minimum: field(json, "minimum"),
        proved: field(json, "proved") == "true",
        synth: synth.cpu,
        proof: proof("extrapolated")?,
        direct: proof("direct")?,
        placement,
    })
}

fn proof(run: &Run) -> Proof {
    let keys = ["predicates", "boolean_lines", "extrapolated_predicates", "extrapolated_lines"];
    Proof {
        holds: field(&run.stdout, "verdict") == "\"yes\"",
        sizes: keys.map(|key| field(&run.stdout, key)),
        unaided: field(&run.stdout, "given_predicates") == "0",
        cpu: run.cpu,
        in_time: run.status.is_some(),
    }
}

/// The value of a key, as it is written.
fn field(json: &str, key: &str) -> String {
    let after = json.split(&format!("\"{key}\":")).nth(1).unwrap_or("");
    after.split([',', '}']).next().unwrap_or("").to_owned()
}

fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}

fn told(proof: &Proof) -> String {
    match (proof.holds, proof.in_time) {
        (true, _) => seconds(proof.cpu),
        (false, true) => format!("none, {}", seconds(proof.cpu)),
        (false, false) => "over the limit".to_owned(),
    }
}

fn markdown(rows: &[Row]) -> String {
    let mut out = String::from(HEAD);
    let mut total = Duration::ZERO;
    let mut unaided = 0;
    for (study, row) in STUDIES.iter().zip(rows) {
        total += row.synth + row.proof.cpu;
        unaided += usize::from(study.paper.is_some() && row.proof.holds && row.proof.unaided);
        let paper = study.paper.map_or("".to_owned(), |(_, _, minimum)| minimum.to_string());
        let proved = if row.proved { "" } else { " (not proved)" };
        let _ = writeln!(
            out,
            "| {} | {} | {}{proved} | {} | {paper} | {} | {} | {} | {} | {} |",
            study.name,
            row.slots,
            row.minimum,
            study.exact,
            if row.placement.is_empty() { "none" } else { &row.placement },
            seconds(row.synth),
            told(&row.proof),
            told(&row.direct),
            if row.proof.unaided { "found" } else { "given" },
        );
    }
    out += SIZES;
    for (study, row) in STUDIES.iter().zip(rows) {
        let [v, lines, extrapolated, more] = &row.proof.sizes;
        let theirs = match study.paper {
            Some(([v, lines, extrapolated, more], seconds, _)) => {
                format!("{v} | {lines} | {extrapolated} | {more} | {seconds}")
            }
            None => " | | | | ".to_owned(),
        };
        let _ = writeln!(out, "| {} | {v} | {lines} | {extrapolated} | {more} | {theirs} |", study.name);
    }
    let _ = writeln!(
        out,
        "\nAll placements and proofs together: {} of CPU on one thread. Predicates were found without help for {unaided} of the 14 \
         programs of the paper.",
        seconds(total)
    );
    out += "\n## Where the minimum is not the paper's\n\n";
    for study in STUDIES.iter().filter(|study| !study.note.is_empty()) {
        let _ = writeln!(out, "- {}: {}.", study.name, study.note);
    }
    out
}

const HEAD: &str = "# Programs on remote memory: figures

Written by `treville_bench rma` (see [benches](../benches/README.md)): the programs of [case-studies/rma](../case-studies/rma/README.md),
which rebuild those of Table 3 of Dan, Lam, Hoefler and Vechev, \"Modeling and Analysis of Remote Memory Access Programming\". The number
of slots is the paper's for every program; the texts are not, so that minima can differ. *flushes* is the smallest number that `treville
synth` finds, with a run that fails below it and a proof for all numbers at it; *exact* the same by looking at every state of a finite
domain; *synth* the CPU time of that, on one thread; *proof* and *direct* those of the proof of the placement by extrapolation, and by
predicate abstraction of the reduced program (where the paper needed more than three hours for Bakery); *predicates* whether they were
found by the tool or given with the program.

| program | slots | flushes | exact | paper | placement | synth | proof | direct | predicates |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
";

const SIZES: &str = "
## Sizes

Predicates and lines of the boolean program under SC, the same after extrapolation; then the paper's, with the seconds of its model
checker for the placement.

| program | V | lines | extrapolated V | lines | paper: V | lines | extrapolated V | lines | seconds |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
";
