//! Programs in .rar and .rma get the answers that the comments at their tops say: `// VERB OPTIONS… => STATUS TEXT`, where the text
//! is part of what is printed, or `// VERB OPTIONS… => not: TEXT` for what must not be.

use crate::common::{read, root, treville};
use treville_trials::{Needs, Trial, files, relative, trial};

pub(crate) fn trials() -> Vec<Trial> {
    [of_folder("cases/rar", "rar"), of_folder("cases/rma", "rma")].into_iter().flatten().collect()
}

fn of_folder(folder: &str, ending: &str) -> Vec<Trial> {
    let names = files(&root().join(folder), &[ending]).into_iter().map(|file| relative(&root(), &file));
    let names: Vec<String> = names.collect();
    let n_calls: usize = names.iter().map(|file| calls(&read(file)).count()).sum();
    assert!(n_calls > 15, "only {n_calls} calls in {folder}");
    names.into_iter().map(|file| trial(file.clone(), Needs::Nothing, move || check(&file))).collect()
}

/// Each call with what is wanted of it.
fn calls(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines().map_while(|line| line.strip_prefix("// ")).filter_map(|line| line.split_once(" => "))
}

fn check(file: &str) -> Result<(), String> {
    let text = read(file);
    if calls(&text).next().is_none() {
        return Err("it says no answer".to_owned());
    }
    let wrong: Vec<String> = calls(&text).filter_map(|(call, wanted)| wrong(file, call, wanted)).collect();
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

fn wrong(file: &str, call: &str, wanted: &str) -> Option<String> {
    let mut words: Vec<&str> = call.split_whitespace().collect();
    words.insert(1, file);
    let run = treville(&words);
    let printed = format!("{}{}", run.stdout, run.stderr);
    let right = match wanted.strip_prefix("not: ") {
        Some(unwanted) => !printed.contains(unwanted),
        None => {
            let (status, part) = wanted.split_once(' ').unwrap_or((wanted, ""));
            run.status.to_string() == status && printed.contains(part)
        }
    };
    (!right).then(|| format!("{call} => {wanted}\nis {}\n{printed}", run.status))
}
