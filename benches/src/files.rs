//! Given files: each tool takes every file in a process of its own, and then all files that both finished in one process
//! for each model.

use crate::process::run;
use crate::table::{milliseconds, ratio};
use crate::tools::{Case, Group, Tool, json_string};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What a tool did with one file.
struct Measured {
    cpu: Duration,
    wall: Duration,
    /// None if it did not end within the limit.
    answer: Option<String>,
}

/// What is measured of the files.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    /// Seconds of CPU for one file.
    pub(crate) limit: u64,
    /// Every how many-th file is taken.
    pub(crate) step: usize,
    /// How many of our slowest files are listed.
    pub(crate) slowest: usize,
    /// Whether each file also gets a process of its own.
    pub(crate) single: bool,
}

/// Measures the files of folders and lists, and prints totals, our slowest files, and every file where the peer is faster.
pub(crate) fn files(tools: &[Tool], inputs: &[String], options: Options, scratch: &Path) -> io::Result<()> {
    let mut cases = Vec::new();
    for input in inputs {
        collect(input, &mut cases)?;
    }
    let mut cases: Vec<Case> = cases.into_iter().step_by(options.step).collect();
    println!("{} rows (a file under a model)", cases.len());
    if options.single {
        let rows = each_alone(tools, &cases, options.limit)?;
        print_alone(tools, &cases, &rows, options.slowest);
        let finished = |row: &[Option<Measured>]| row.iter().flatten().all(|m| m.answer.is_some());
        cases = cases.into_iter().zip(&rows).filter(|(_, row)| finished(row)).map(|(case, _)| case).collect();
    }
    together(tools, &cases, scratch)
}

/// The cases of a folder, of a list (`@list`), or a single file. A folder with a table of expectations names the models.
fn collect(input: &str, cases: &mut Vec<Case>) -> io::Result<()> {
    if let Some(list) = input.strip_prefix('@') {
        return fs::read_to_string(list)?.lines().filter(|l| !l.is_empty()).try_for_each(|line| collect(line, cases));
    }
    let path = PathBuf::from(input);
    if !path.is_dir() {
        cases.push(case(path, None));
        return Ok(());
    }
    if let Ok(table) = fs::read_to_string(path.join("expected.jsonl")) {
        let row = |line: &str| Some(case(path.join(json_string(line, "file")?), json_string(line, "model")));
        cases.extend(table.lines().filter_map(row));
        return Ok(());
    }
    let entries: io::Result<BTreeSet<PathBuf>> = fs::read_dir(&path)?.map(|e| Ok(e?.path())).collect();
    for entry in entries? {
        if entry.is_dir() || entry.extension().is_some_and(|e| e == "litmus") {
            collect(&entry.to_string_lossy(), cases)?;
        }
    }
    Ok(())
}

/// Tests in a folder `mixed` have accesses of different sizes that overlap.
fn case(path: PathBuf, model: Option<String>) -> Case {
    let mixed = path.parent().is_some_and(|p| p.components().any(|c| c.as_os_str() == "mixed"));
    Case { path, group: Group { model, mixed } }
}

fn each_alone(tools: &[Tool], cases: &[Case], limit: u64) -> io::Result<Vec<Vec<Option<Measured>>>> {
    let mut rows = Vec::new();
    for case in cases {
        let mut row = Vec::new();
        for tool in tools {
            let Some(mut command) = tool.call(case) else {
                row.push(None);
                continue;
            };
            let done = run(&mut command, Some(limit))?;
            let answer = done.status.and(tool.answer(&done.stdout));
            row.push(Some(Measured { cpu: done.cpu, wall: done.wall, answer }));
        }
        rows.push(row);
    }
    Ok(rows)
}

fn print_alone(tools: &[Tool], cases: &[Case], rows: &[Vec<Option<Measured>>], slowest: usize) {
    println!("\none process a file");
    let mut totals = Vec::new();
    for (i, tool) in tools.iter().enumerate() {
        let runs: Vec<&Measured> = rows.iter().filter_map(|row| row[i].as_ref()).collect();
        let cpu: Duration = runs.iter().map(|m| m.cpu).sum();
        let open = runs.iter().filter(|m| m.answer.is_none()).count();
        let mut walls: Vec<Duration> = runs.iter().map(|m| m.wall).collect();
        walls.sort_unstable();
        let median = walls.get(walls.len() / 2).copied().unwrap_or_default();
        let (ran, name) = (runs.len(), tool.name());
        println!(
            "  {name:<9} {:>12} ms of CPU over {ran} rows, {open} of them not answered within the limit;",
            milliseconds(cpu)
        );
        println!("  {:<9} {:>12} ms from start to exit in the middle", "", milliseconds(median));
        totals.push(cpu);
    }
    let mut ours: Vec<(&Case, &Measured)> =
        cases.iter().zip(rows).filter_map(|(c, r)| Some((c, r[0].as_ref()?))).collect();
    ours.sort_by_key(|(_, m)| std::cmp::Reverse(m.cpu));
    if let [us, them] = totals[..] {
        println!("  ratio {}", ratio(them, us));
        print_against(cases, rows);
    }
    println!("slowest of ours:");
    for (case, measured) in ours.into_iter().take(slowest) {
        println!("  {:>10} ms  {}", milliseconds(measured.cpu), shown(case));
    }
}

/// Every file where the peer needs less CPU, and every file where the answers differ.
fn print_against(cases: &[Case], rows: &[Vec<Option<Measured>>]) {
    let pairs = || cases.iter().zip(rows).filter_map(|(c, r)| Some((c, r[0].as_ref()?, r[1].as_ref()?)));
    let slower: Vec<_> = pairs().filter(|(_, us, them)| us.cpu > them.cpu).collect();
    println!("slower than the peer: {}", slower.len());
    for (case, us, them) in slower {
        println!("  {:>10} ms  peer {:>10} ms  {}", milliseconds(us.cpu), milliseconds(them.cpu), shown(case));
    }
    let different: Vec<_> = pairs()
        .filter(|(_, us, them)| us.answer.is_some() && them.answer.is_some() && us.answer != them.answer)
        .collect();
    println!("answers that differ: {}", different.len());
    for (case, us, them) in different {
        let said = |m: &Measured| m.answer.clone().unwrap_or_default();
        println!("  {} peer {}  {}", said(us), said(them), shown(case));
    }
}

fn together(tools: &[Tool], cases: &[Case], scratch: &Path) -> io::Result<()> {
    let mut groups: BTreeMap<&Group, Vec<&Path>> = BTreeMap::new();
    for case in cases {
        groups.entry(&case.group).or_default().push(&case.path);
    }
    println!("\none process a model, over the {} rows that were answered", cases.len());
    let mut totals = vec![Duration::ZERO; tools.len()];
    for (group, files) in groups {
        let mut row = Vec::new();
        for (total, tool) in totals.iter_mut().zip(tools) {
            let list = scratch.join(format!("@files-of-{}.txt", tool.name()));
            let Some(mut command) = tool.call_for_all(group, &files, &list)? else { continue };
            let cpu = run(&mut command, None)?.cpu;
            *total += cpu;
            row.push(format!("{} {:>10} ms", tool.name(), milliseconds(cpu)));
        }
        let model = group.model.as_deref().unwrap_or("default");
        let mixed = if group.mixed { " mixed" } else { "" };
        println!("  {:<20} {:>5} rows  {}", format!("{model}{mixed}"), files.len(), row.join("  "));
    }
    if let [us, them] = totals[..] {
        println!(
            "  total: treville {} ms, herd7 {} ms, ratio {}",
            milliseconds(us),
            milliseconds(them),
            ratio(them, us)
        );
    }
    Ok(())
}

fn shown(case: &Case) -> String {
    format!("{} ({})", case.path.display(), case.group.model.as_deref().unwrap_or("default model"))
}
