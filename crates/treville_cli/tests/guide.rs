//! Runs the examples of the documentation: each ```` ```console ```` block of README.md and docs/ holds commands (`$ …`) and what
//! they print. A line `…` stands for any number of lines; times are not compared.
//!
//! With TREVILLE_BLESS=1 the blocks are rewritten with what the commands print now; the difference is for a person to review.

mod common;

use common::{has_clang, root, treville, words};
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn examples_print_what_the_guide_says() {
    let bless = std::env::var_os("TREVILLE_BLESS").is_some();
    let (mut commands, mut wrong) = (0, Vec::new());
    for page in pages() {
        let text = fs::read_to_string(&page).expect("the page can be read");
        let mut out = String::new();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            out += &format!("{line}\n");
            if line != "```console" {
                continue;
            }
            let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            for Example { command, expected } in examples(&block) {
                commands += 1;
                let is_c = command.split_whitespace().any(|word| word.ends_with(".c"));
                let printed = if is_c && !has_clang() { expected.clone() } else { run(&command) };
                if !matches(&expected, &printed) && !bless {
                    wrong.push(format!("{}: $ {command}\n{}", page.display(), printed.join("\n")));
                }
                let kept = if matches(&expected, &printed) { &expected } else { &printed };
                out += &format!("$ {command}\n");
                kept.iter().for_each(|line| out += &format!("{line}\n"));
            }
            out += "```\n";
        }
        if bless && out != text {
            fs::write(&page, out).expect("the page can be written");
        }
    }
    assert!(commands >= 20, "only {commands} commands were found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
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

#[test]
fn links_between_pages_lead_somewhere() {
    for page in pages() {
        let text = fs::read_to_string(&page).expect("the page can be read");
        let folder = page.parent().unwrap_or(Path::new("."));
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = target.split('#').next().unwrap_or("");
            if !file.is_empty() && !file.contains("://") {
                assert!(folder.join(file).exists(), "{}: {target}", page.display());
            }
        }
    }
}
