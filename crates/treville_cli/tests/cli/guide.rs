//! Runs the examples of the documentation: each ```` ```console ```` block of README.md and docs/ holds commands (`$ …`) and what
//! they print. A line `…` stands for any number of lines; times are not compared.
//!
//! With TREVILLE_BLESS=1 the blocks are rewritten with what the commands print now; the difference is for a person to review.

use crate::common::{root, treville, words};
use std::fs;
use std::path::{Path, PathBuf};
use treville_trials::{Needs, Trial, differences, is_blessing, relative, trial};

pub(crate) fn trials() -> Vec<Trial> {
    let pages: Vec<(String, PathBuf)> = pages().into_iter().map(|page| (relative(&root(), &page), page)).collect();
    let n_commands: usize = pages.iter().map(|(_, page)| examples_of(page).len()).sum();
    assert!(n_commands >= 20, "only {n_commands} commands were found");
    pages.into_iter().flat_map(|(name, page)| of_page(&name, &page)).collect()
}

/// A trial for the examples of a page, one for those of them that are about C, and one for its links.
fn of_page(name: &str, page: &Path) -> Vec<Trial> {
    let needs = |example: &Example| {
        let is_c = |word: &str| word.ends_with(".c");
        if example.command.split_whitespace().any(is_c) { Needs::Clang } else { Needs::Nothing }
    };
    let of = |needed: Needs| {
        let examples: Vec<Example> = examples_of(page).into_iter().filter(|e| needs(e) == needed).collect();
        let kind = if needed == Needs::Clang { "in C" } else { "" };
        let has_some = !examples.is_empty();
        has_some.then(|| trial(name, needed, move || check(&examples)).with_kind(kind))
    };
    let (own, has_c) = (page.to_owned(), examples_of(page).iter().any(|e| needs(e) == Needs::Clang));
    let examples = if is_blessing() {
        let needed = if has_c { Needs::Clang } else { Needs::Nothing };
        vec![trial(name, needed, move || bless(&own))]
    } else {
        [Needs::Nothing, Needs::Clang].into_iter().filter_map(of).collect()
    };
    let page = page.to_owned();
    let links = trial(name, Needs::Nothing, move || links_lead_somewhere(&page)).with_kind("links");
    examples.into_iter().chain([links]).collect()
}

fn check(examples: &[Example]) -> Result<(), String> {
    let wrong = |Example { command, expected }: &Example| {
        let printed = run(command);
        let (old, new) = (expected.join("\n"), printed.join("\n"));
        (!matches(expected, &printed)).then(|| format!("$ {command}\n{}", differences(&old, &new)))
    };
    let wrong: Vec<String> = examples.iter().filter_map(wrong).collect();
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

/// Rewrites the blocks of a page with what the commands print.
fn bless(page: &Path) -> Result<(), String> {
    let text = fs::read_to_string(page).map_err(|e| e.to_string())?;
    let mut out = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        out += &format!("{line}\n");
        if line != "```console" {
            continue;
        }
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        for Example { command, expected } in examples(&block) {
            let printed = run(&command);
            let kept = if matches(&expected, &printed) { &expected } else { &printed };
            out += &format!("$ {command}\n");
            kept.iter().for_each(|line| out += &format!("{line}\n"));
        }
        out += "```\n";
    }
    if out == text { Ok(()) } else { fs::write(page, out).map_err(|e| e.to_string()) }
}

fn pages() -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join("docs")).expect("the folder docs");
    let mut pages: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    pages.retain(|page| page.extension().is_some_and(|e| e == "md"));
    pages.push(root().join("README.md"));
    pages.sort();
    pages
}

struct Example {
    command: String,
    expected: Vec<String>,
}

/// The examples of all blocks of a page.
fn examples_of(page: &Path) -> Vec<Example> {
    let text = fs::read_to_string(page).unwrap_or_else(|e| panic!("{}: {e}", page.display()));
    let mut lines = text.lines();
    let mut all = Vec::new();
    while lines.any(|line| line == "```console") {
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        all.extend(examples(&block));
    }
    all
}

fn examples(block: &[&str]) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    for line in block {
        match (line.strip_prefix("$ "), examples.last_mut()) {
            (Some(command), _) => examples.push(Example { command: command.to_owned(), expected: Vec::new() }),
            (None, Some(example)) => example.expected.push((*line).to_owned()),
            (None, None) => panic!("a block of the guide does not begin with a command: {line}"),
        }
    }
    examples
}

/// Runs `treville …`, or prints a file for `cat FILE`. An exit status other than 0 is printed last.
fn run(command: &str) -> Vec<String> {
    let words = words(command);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["cat", path] => {
            let text = fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"));
            text.lines().map(str::to_owned).collect()
        }
        ["treville", args @ ..] => {
            let run = treville(args);
            let printed = run.stdout + &run.stderr;
            let mut lines: Vec<String> = printed.lines().map(str::to_owned).collect();
            if run.status != 0 {
                lines.push(format!("[exit status {}]", run.status));
            }
            lines
        }
        _ => panic!("the guide can run `treville` and `cat` only, not: {command}"),
    }
}

fn matches(expected: &[String], printed: &[String]) -> bool {
    match expected.split_first() {
        None => printed.is_empty(),
        Some((line, rest)) if line == "…" => (0..=printed.len()).any(|skipped| matches(rest, &printed[skipped..])),
        Some((line, rest)) => printed.split_first().is_some_and(|(p, more)| fits(line, p) && matches(rest, more)),
    }
}

/// Equal, apart from times.
fn fits(expected: &str, printed: &str) -> bool {
    without_times(expected) == without_times(printed)
}

/// The line with each number that is followed by a unit of time, or that follows the name of a time, left out.
fn without_times(line: &str) -> String {
    let mut words: Vec<&str> = line.split_whitespace().collect();
    for i in 0..words.len() {
        let unit = words.get(i + 1).is_some_and(|next| matches!(*next, "ms" | "s:"));
        let last_of_time = i + 1 == words.len() && words.first() == Some(&"Time");
        if unit || last_of_time {
            words[i] = "?";
        }
    }
    let line = words.join(" ");
    match line.split_once("\"time_ms\":") {
        Some((before, after)) => {
            format!("{before}{}", after.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.'))
        }
        None => line,
    }
}

fn links_lead_somewhere(page: &Path) -> Result<(), String> {
    let text = fs::read_to_string(page).map_err(|e| e.to_string())?;
    let folder = page.parent().unwrap_or(Path::new("."));
    for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
        let file = target.split('#').next().unwrap_or("");
        if !file.is_empty() && !file.contains("://") && !folder.join(file).exists() {
            return Err(format!("{target} is not there"));
        }
    }
    Ok(())
}
