//! The case study of Concurrency Kit: each structure with its clients, as shipped and with the fixes of the study, beside the figures
//! of the thesis and beside GenMC if it is given.

mod check;
mod machines;

pub(crate) use check::check;

use crate::process::run;
use crate::programs::{Explored, explored_by_genmc, genmc, number_after};
use std::fmt::Write;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

pub(crate) struct Options<'a> {
    pub(crate) bin: &'a Path,
    pub(crate) peer: Option<&'a Path>,
    /// Where `case-studies` is.
    pub(crate) root: &'a Path,
    /// The library's source.
    pub(crate) source: &'a Path,
    pub(crate) limit: u64,
    pub(crate) out: &'a Path,
}

/// A run: writers, readers and noise threads of a client on a structure.
struct Row {
    client: Client,
    structure: &'static str,
    threads: [u32; 3],
    flags: &'static str,
    /// Executions, blocked ones, seconds.
    thesis: Option<[&'static str; 3]>,
}

#[derive(Clone, Copy)]
enum Client {
    Bag = 1,
    Fifo = 2,
    Lifo = 3,
    /// A writer and readers of a hash set.
    Set,
}

/// A row of the thesis.
const fn row(client: Client, structure: &'static str, threads: [u32; 3], thesis: [&'static str; 3]) -> Row {
    Row { client, structure, threads, flags: "", thesis: Some(thesis) }
}

/// One that the thesis does not have.
const fn own(client: Client, structure: &'static str, threads: [u32; 3], flags: &'static str) -> Row {
    Row { client, structure, threads, flags, thesis: None }
}

impl Row {
    const fn with(self, flags: &'static str) -> Row {
        Row { flags, ..self }
    }
}

/// The model of the study.
const C11: &str = "rc11";
/// The fence for dependencies that the thesis uses.
const DEPENDS: &str = "-DCK_PR_DEPENDS_ORDER=__ATOMIC_SEQ_CST";
/// The same, and noise threads remove.
const DEPENDS_REMOVE: &str = "-DCK_PR_DEPENDS_ORDER=__ATOMIC_SEQ_CST -DCHOICE=0";
/// Two words at once, and the same fence.
const WIDE: &str = "-DCK_PR_DWCAS=1 -mcx16 -DCK_PR_DEPENDS_ORDER=__ATOMIC_SEQ_CST";

const ROWS: &[Row] = &[
    row(Client::Bag, "stack", [3, 3, 0], ["40 296", "35 072", "51.23"]),
    row(Client::Bag, "stack", [5, 0, 0], ["122 880", "0", "122.67"]),
    row(Client::Bag, "hp_stack", [3, 3, 0], ["64 920", "179 912", "170.10"]),
    row(Client::Bag, "hp_stack", [5, 0, 0], ["122 880", "0", "159.26"]),
    row(Client::Bag, "hp_fifo", [3, 3, 0], ["43 434", "1 181 360", "853.54"]).with(DEPENDS),
    row(Client::Bag, "hp_fifo", [5, 0, 0], ["687 960", "2 593 905", "1591.59"]).with(DEPENDS),
    row(Client::Bag, "ring", [3, 3, 0], ["31 992", "24 110", "65.48"]).with("-DRING=4"),
    row(Client::Bag, "ring", [5, 0, 0], ["60", "3 929", "4.60"]).with("-DRING=4"),
    row(Client::Bag, "array", [1, 3, 0], ["8", "0", "0.10"]),
    row(Client::Bag, "bitmap", [3, 3, 0], ["8 124", "0", "10.80"]),
    row(Client::Bag, "bitmap", [5, 0, 0], ["120", "0", "0.47"]),
    // The thesis has one value for what is not determined: noise threads remove. Its readers of a stack read twice.
    row(Client::Fifo, "hp_fifo", [2, 2, 1], ["1 104", "20 068", "13.06"]).with(DEPENDS_REMOVE),
    row(Client::Fifo, "ring", [2, 2, 1], ["31 992", "24 079", "64.16"]).with("-DRING=4 -DCHOICE=0"),
    row(Client::Fifo, "bitmap", [2, 2, 1], ["590", "0", "0.79"]).with("-DCHOICE=0"),
    row(Client::Lifo, "stack", [2, 2, 1], ["7 152", "1 324", "6.40"]).with("-DREADS=2 -DCHOICE=0"),
    row(Client::Lifo, "hp_stack", [2, 2, 1], ["11 128", "10 224", "16.12"]).with("-DREADS=2 -DCHOICE=0"),
    own(Client::Fifo, "hp_fifo", [2, 2, 1], DEPENDS),
    own(Client::Fifo, "ring", [2, 2, 1], "-DRING=4"),
    own(Client::Fifo, "ring", [3, 3, 0], "-DRING=4"),
    own(Client::Fifo, "bitmap", [2, 2, 1], ""),
    own(Client::Lifo, "stack", [2, 2, 1], "-DREADS=2"),
    own(Client::Lifo, "hp_stack", [2, 2, 1], "-DREADS=2"),
    own(Client::Bag, "fifo", [3, 3, 0], WIDE),
    own(Client::Bag, "fifo", [2, 2, 0], WIDE),
    own(Client::Bag, "fifo", [4, 0, 0], WIDE),
    own(Client::Fifo, "fifo", [2, 2, 1], WIDE),
    own(Client::Fifo, "fifo", [3, 1, 0], WIDE),
    own(Client::Fifo, "spsc", [1, 1, 0], "-DCK_PR_DEPENDS_ORDER=__ATOMIC_SEQ_CST -DWRITES=3 -DREADS=3"),
    own(Client::Fifo, "ring", [1, 1, 0], "-DRING=4 -DKIND=spsc -DWRITES=3 -DREADS=3"),
    own(Client::Fifo, "ring", [1, 2, 0], "-DRING=4 -DKIND=spmc -DWRITES=3 -DREADS=2"),
    own(Client::Fifo, "ring", [2, 1, 0], "-DRING=4 -DKIND=mpsc -DWRITES=2 -DREADS=2"),
    own(Client::Fifo, "ring", [2, 2, 0], "-DRING=4 -DWRITES=2"),
    // The library's own reclamation, beside the mocks in the same client.
    own(Client::Bag, "hp_stack", [2, 2, 0], ""),
    own(Client::Bag, "hp_stack_real", [2, 2, 0], ""),
    own(Client::Bag, "hp_stack_real", [5, 0, 0], ""),
    own(Client::Bag, "hp_fifo", [1, 2, 0], DEPENDS),
    own(Client::Bag, "hp_fifo_real", [1, 2, 0], DEPENDS),
    own(Client::Bag, "hp_fifo_real", [1, 2, 0], "-DCK_PR_DEPENDS_ORDER=__ATOMIC_SEQ_CST -DCK_HP_CACHE=1"),
    own(Client::Bag, "stack", [2, 2, 0], ""),
    own(Client::Bag, "stack_epoch", [2, 2, 0], "-DRECLAIM=1"),
    own(Client::Bag, "stack_epoch", [2, 2, 0], "-DRECLAIM=2"),
    own(Client::Bag, "stack_epoch", [2, 2, 0], "-DRECLAIM=3"),
    own(Client::Bag, "stack_epoch", [1, 2, 0], "-DRECLAIM=1 -DWRITES=2 -DREADS=2"),
    own(Client::Bag, "stack_epoch", [1, 2, 0], "-DRECLAIM=2 -DWRITES=2 -DREADS=2"),
    own(Client::Set, "hs", [1, 2, 0], "-DGROW"),
    own(Client::Set, "hs", [1, 2, 0], "-DPUTS=2 -DREMOVE -DGROW -DOTHERS"),
    own(Client::Set, "ht", [1, 2, 0], "-DGROW"),
    own(Client::Set, "ht", [1, 2, 0], "-DPUTS=2 -DREMOVE -DGROW -DOTHERS"),
    own(Client::Set, "rhs", [1, 2, 0], "-DGROW"),
    own(Client::Set, "rhs", [1, 2, 0], "-DPUTS=2 -DREMOVE -DGROW -DOTHERS"),
];

/// Runs every row, and writes the table into a file.
pub(crate) fn ck(options: &Options<'_>, table: &Path) -> io::Result<()> {
    let study = options.root.join("case-studies/ck");
    let fixed = options.out.join("ck-fixed");
    apply(&study.join("fixes.txt"), options.source, &fixed)?;
    let mut text = String::from(HEAD);
    let mut cpu = Duration::ZERO;
    for row in ROWS {
        let (shipped, first) = ours(options, &study, row, None, C11)?;
        let mut mended = None;
        cpu += first;
        if shipped.as_ref().is_err_and(|why| why != TIME_OVER) {
            let (result, second) = ours(options, &study, row, Some(&fixed), C11)?;
            mended = Some(result);
            cpu += second;
        }
        let include = mended.is_some().then_some(fixed.as_path());
        let peer = theirs(options, &study, row, include)?;
        let line = told(row, &shipped, mended.as_ref(), peer.as_ref());
        println!("{line}");
        let _ = writeln!(text, "{line}");
    }
    let _ = write!(
        text,
        "\nThe whole table took {:.0} seconds of CPU, without GenMC; the slowest row of the thesis 1,592.\n",
        cpu.as_secs_f64()
    );
    text.push_str(&machines::table(options, &study, &fixed)?);
    fs::write(table, text)
}

const TIME_OVER: &str = "the time limit was reached";

const HEAD: &str = "# Concurrency Kit, measured

Written by `treville_bench ck`; what it means is in the [case study](../case-studies/ck/README.md). Seconds are of CPU. Threads are writers,
readers and noise threads; `CHOICE=0` lets noise threads remove, as GenMC does, which takes one value for what is not determined. Figures are with
the fixes of the study where a run as shipped fails. GenMC has no figures where it refuses a program, crashes or does not end in time.

| client | structure | threads | parameters | as shipped | with the fixes | executions | blocked | seconds | GenMC: executions | blocked | seconds | thesis: executions | blocked | seconds |
| --- | --- | --- | --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
";

/// Copies of the files that fixes are for, changed.
fn apply(fixes: &Path, source: &Path, fixed: &Path) -> io::Result<()> {
    if fixed.exists() {
        fs::remove_dir_all(fixed)?;
    }
    for line in fs::read_to_string(fixes)?.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let parts: Vec<&str> = line.split(" | ").map(str::trim).collect();
        let [file, there, instead] = parts.as_slice() else { return Err(wrong(format!("{line}: three parts"))) };
        let to = fixed.join(file);
        if !source.join(file).exists() && source.join("include").exists() {
            // Headers alone are enough for some structures.
            continue;
        }
        let text = fs::read_to_string(if to.exists() { to.clone() } else { source.join(file) })?;
        if !text.contains(there) {
            return Err(wrong(format!("{file} is not that of the version with this mistake: {there}")));
        }
        fs::create_dir_all(to.parent().unwrap_or(fixed))?;
        fs::write(&to, text.replace(there, instead))?;
    }
    Ok(())
}

fn wrong(why: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

fn file(study: &Path, row: &Row) -> PathBuf {
    study.join(if matches!(row.client, Client::Set) { "clients/set.c" } else { "clients/client.c" })
}

fn flags(options: &Options<'_>, study: &Path, row: &Row, fixed: Option<&Path>) -> Vec<String> {
    let folders = fixed.into_iter().chain([options.source]).flat_map(|f| [f.join("include"), f.join("src")]);
    let mut flags: Vec<String> = [study.join("include"), study.join("clients")]
        .into_iter()
        .chain(folders)
        .map(|folder| format!("-I{}", folder.display()))
        .collect();
    let [w, r, noise] = row.threads;
    if matches!(row.client, Client::Set) {
        flags.push(format!("-DBACKEND=\"s_{}.h\"", row.structure));
    } else {
        flags.push(format!("-DBACKEND=\"b_{}.h\"", row.structure));
        flags.push(format!("-DSPEC={}", row.client as u32));
    }
    flags.extend([format!("-DW={w}"), format!("-DR={r}"), format!("-DNOISE={noise}")]);
    flags.extend(row.flags.split_whitespace().map(str::to_owned));
    flags
}

/// What was explored; what fails, or that there was no answer within the limit. And how long it took.
fn ours(
    options: &Options<'_>,
    study: &Path,
    row: &Row,
    fixed: Option<&Path>,
    model: &str,
) -> io::Result<(Result<Explored, String>, Duration)> {
    let mut command = Command::new(options.bin);
    command.arg("verify").arg(file(study, row)).args(["--json", "--symmetry", "off", "--model", model]);
    command.args(["--engine", "explore", "--timeout", &options.limit.to_string()]);
    command.arg(format!("--cflags={}", flags(options, study, row, fixed).join(" ")));
    let done = run(&mut command, None)?;
    let number = |key: &str| number_after(&done.stdout, &format!("\"{key}\":"));
    let complete = done.stdout.contains("\"verdict\":\"yes\"").then(|| number("executions")).flatten();
    let result = match complete.zip(number("blocked")) {
        Some((complete, blocked)) => Ok(Explored { complete, blocked, cpu: done.cpu, wall: done.wall }),
        None => Err(said(&done.stdout)),
    };
    Ok((result, done.cpu))
}

/// What a report says is wrong, with its place.
fn said(report: &str) -> String {
    let after = |words: &str| report.split_once(words).and_then(|(_, rest)| rest.split('"').next());
    let place = after("\"location\":{\"file\":\"").and_then(|file| Path::new(file).file_name()?.to_str());
    let line = report.split_once("\"location\":").and_then(|(_, rest)| number_after(rest, "\"line\":"));
    let what = after("\"message\":\"").or(after("\"reason\":\"")).unwrap_or("no answer");
    match (place, line) {
        (Some(place), Some(line)) => format!("{what} ({place}:{line})"),
        _ => what.to_owned(),
    }
}

fn theirs(options: &Options<'_>, study: &Path, row: &Row, fixed: Option<&Path>) -> io::Result<Option<Explored>> {
    let Some(peer) = options.peer else { return Ok(None) };
    let mut command = genmc(peer);
    // It gives them to a shell.
    let flags = flags(options, study, row, fixed).into_iter().map(|flag| flag.replace('"', "\\\""));
    command.arg("--").args(flags).args(["-include", "words.h"]).arg(file(study, row));
    explored_by_genmc(&mut command, options.limit)
}

fn told(
    row: &Row,
    shipped: &Result<Explored, String>,
    mended: Option<&Result<Explored, String>>,
    peer: Option<&Explored>,
) -> String {
    let client = match row.client {
        Client::Bag => "bag",
        Client::Fifo => "fifo",
        Client::Lifo => "lifo",
        Client::Set => "set",
    };
    let verdict = |result: &Result<Explored, String>| match result {
        Ok(_) => "holds".to_owned(),
        Err(why) => why.clone(),
    };
    let figures = |explored: Option<&Explored>| match explored {
        Some(e) => format!("{} | {} | {:.2}", e.complete, e.blocked, e.cpu.as_secs_f64()),
        None => "| |".to_owned(),
    };
    let [w, r, noise] = row.threads;
    let counted = mended.unwrap_or(shipped).as_ref().ok();
    let thesis = row.thesis.map_or_else(|| "| |".to_owned(), |thesis| thesis.join(" | "));
    let mended = mended.map(verdict).unwrap_or_default();
    format!(
        "| {client} | {} | {w}/{r}/{noise} | {} | {} | {mended} | {} | {} | {thesis} |",
        row.structure,
        parameters(row.flags),
        verdict(shipped),
        figures(counted),
        figures(peer)
    )
}

/// The parameters among the options of a row.
fn parameters(flags: &str) -> String {
    let names = flags.split_whitespace().filter_map(|flag| flag.strip_prefix("-D"));
    names.filter(|name| !name.starts_with("CK_PR_")).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_told_with_its_place() {
        let report = r#"{"verdict":"no","violation":{"kind":"race","message":"two accesses race","location":{"file":"a/ck_array.h","line":96,"column":5}}}"#;
        assert_eq!(said(report), "two accesses race (ck_array.h:96)");
        assert_eq!(said(r#"{"verdict":"unknown","reason":"the time limit was reached"}"#), TIME_OVER);
    }

    #[test]
    fn parameters_are_told_without_the_mapping() {
        assert_eq!(parameters("-DCK_PR_DWCAS=1 -mcx16 -DREADS=2 -DGROW"), "READS=2 GROW");
    }
}
