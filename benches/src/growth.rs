//! The growth families: each tool goes on with the next size until it needs more than the limit.

use crate::families::{FAMILIES, Family};
use crate::process::run;
use crate::table::{milliseconds, ratio};
use crate::tools::{Case, Group, Tool};
use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

/// What a tool did with one test.
struct Measured {
    cpu: Duration,
    answer: String,
}

/// Runs the families (all, or those named) and prints two tables: every size, and the largest that each tool manages.
pub(crate) fn growth(tools: &[Tool], names: &[String], limit: u64, folder: &Path) -> io::Result<()> {
    println!("{:<14} {:>3} {:<10} {:>12} {:>12} {:>9}", "family", "n", "answer", "treville ms", "herd7 ms", "ratio");
    let mut summary = Vec::new();
    for family in FAMILIES.iter().filter(|f| names.is_empty() || names.iter().any(|n| n == f.name)) {
        summary.push((family, grow(family, tools, limit, folder)?));
    }
    println!("\nlargest n within {limit} s of CPU (+: as far as was tried)");
    for (family, largest) in summary {
        print!("{:<14}", family.name);
        for (tool, n) in tools.iter().zip(largest) {
            let sign = if n == Some(family.sizes.1) { "+" } else { "" };
            print!("  {} {:>4}", tool.name(), n.map_or("none".to_owned(), |n| format!("{n}{sign}")));
        }
        println!("   {}", family.about);
    }
    Ok(())
}

/// The largest size that each tool manages.
fn grow(family: &Family, tools: &[Tool], limit: u64, folder: &Path) -> io::Result<Vec<Option<usize>>> {
    let mut largest = vec![None; tools.len()];
    let mut running = vec![true; tools.len()];
    for n in family.sizes.0..=family.sizes.1 {
        let path = folder.join(format!("{}-{n}.litmus", family.name));
        fs::write(&path, (family.test)(n))?;
        let case = Case { path, group: Group { model: Some(family.model.to_owned()), mixed: family.mixed } };
        let mut row = Vec::new();
        for (i, tool) in tools.iter().enumerate() {
            let measured = if running[i] { measure(tool, &case, limit)? } else { None };
            match measured {
                Some(_) => largest[i] = Some(n),
                None => running[i] = false,
            }
            row.push(measured);
        }
        if row.iter().all(Option::is_none) {
            break;
        }
        print_row(family, n, &row);
    }
    Ok(largest)
}

/// The cost of a test, if the tool answers it within the limit.
fn measure(tool: &Tool, case: &Case, limit: u64) -> io::Result<Option<Measured>> {
    let Some(mut command) = tool.call(case) else { return Ok(None) };
    let done = run(&mut command, Some(limit))?;
    let answer = tool.answer(&done.stdout).filter(|a| a != "unknown" && a != "error");
    Ok(answer.filter(|_| done.status.is_some()).map(|answer| Measured { cpu: done.cpu, answer }))
}

fn print_row(family: &Family, n: usize, row: &[Option<Measured>]) {
    let answers: Vec<&str> = row.iter().flatten().map(|m| m.answer.as_str()).collect();
    let answer = if answers.windows(2).all(|w| w[0] == w[1]) { answers[0].to_owned() } else { answers.join("/") };
    let cell = |m: Option<&Measured>| m.map_or("-".to_owned(), |m| milliseconds(m.cpu));
    let at = |i: usize| row.get(i).and_then(Option::as_ref);
    let times = match (at(0), at(1)) {
        (Some(ours), Some(theirs)) => ratio(theirs.cpu, ours.cpu),
        _ => String::new(),
    };
    println!("{:<14} {n:>3} {answer:<10} {:>12} {:>12} {times:>9}", family.name, cell(at(0)), cell(at(1)));
}
