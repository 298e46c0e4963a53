//! A bounded run of the fuzz targets: seeds, mutated with a fixed seed. Each input runs to an end, without a panic and
//! within a time; the counts are printed. `TREVILLE_FUZZ_INPUTS` and `TREVILLE_FUZZ_SEED` change how many and which.
//!
//! The input at work is kept in a file, so that a stack overflow or a hang leaves it behind.

// The counts are this test's output.
#![allow(clippy::print_stdout)]

use std::collections::{BTreeMap, BTreeSet};
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use std::{env, fs, thread};
use treville_fuzz::{Mutator, Reached, cat, litmus, llvm, pts, rar, rma};

const INPUTS: u64 = 1000;
const SEED: u64 = 1;
/// Far above what an input may take, so that a busy machine does not fail.
const PATIENCE: Duration = Duration::from_secs(60);

fn number(variable: &str, default: u64) -> u64 {
    env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// All files below a folder with one of the extensions, sorted.
fn collect(folder: &Path, extensions: &[&str], seeds: &mut Vec<String>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, extensions, seeds);
        } else if path.extension().is_some_and(|e| extensions.iter().any(|x| e == *x)) {
            seeds.extend(fs::read_to_string(&path));
        }
    }
}

/// Texts that are right, each as often as makes them three quarters of all, and texts that are wrong.
fn seeds(right: &[&str], wrong: &[&str], extensions: &[&str]) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (mut seeds, mut others) = (Vec::new(), Vec::new());
    right.iter().for_each(|folder| collect(&root.join(folder), extensions, &mut seeds));
    wrong.iter().for_each(|folder| collect(&root.join(folder), extensions, &mut others));
    assert!(!seeds.is_empty() && !others.is_empty(), "there are seeds");
    let times = 1 + 3 * others.len() / seeds.len();
    [vec![seeds; times].concat(), others].concat()
}

fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|t| (*t).to_owned())).unwrap_or_default()
}

/// Runs a target on the seeds and on mutations of them.
fn bounded(name: &'static str, target: fn(&str) -> Reached, seeds: Vec<String>) {
    let inputs = number("TREVILLE_FUZZ_INPUTS", INPUTS);
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fuzz-{name}-input.txt"));
    let (send, receive) = mpsc::channel();
    let place = kept.clone();
    let worker = thread::spawn(move || {
        let mut mutator = Mutator::new(&seeds, number("TREVILLE_FUZZ_SEED", SEED));
        let mut failures: BTreeMap<String, String> = BTreeMap::new();
        let originals: BTreeSet<String> = seeds.iter().cloned().collect();
        for input in originals.into_iter().chain((0..inputs).map(|_| mutator.text())) {
            fs::write(&place, &input).expect("the input can be kept");
            let start = Instant::now();
            let reached = catch_unwind(|| target(&input));
            if let Err(panic) = &reached {
                failures.entry(message(&**panic)).or_insert(input);
            }
            let _ = send.send((reached.ok(), start.elapsed()));
        }
        failures
    });
    let mut counts: BTreeMap<Option<Reached>, u32> = BTreeMap::new();
    let mut longest = Duration::ZERO;
    loop {
        match receive.recv_timeout(PATIENCE) {
            Ok((reached, time)) => {
                *counts.entry(reached).or_default() += 1;
                longest = longest.max(time);
            }
            Err(mpsc::RecvTimeoutError::Timeout) => panic!("{name}: no end with {}", kept.display()),
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
        }
    }
    let failures = worker.join().expect("the worker catches panics");
    let count = |reached| counts.get(&reached).copied().unwrap_or(0);
    println!(
        "{name}: {} inputs: {} rejected, {} read, {} run to an end, {} panics; the longest took {longest:.1?}",
        counts.values().sum::<u32>(),
        count(Some(Reached::Rejected)),
        count(Some(Reached::Read)),
        count(Some(Reached::Ran)),
        count(None)
    );
    let shown: Vec<String> = failures.iter().map(|(why, input)| format!("--- {why}\n{input}")).collect();
    assert!(shown.is_empty(), "{name}: {} kinds of panic\n{}", shown.len(), shown.join("\n"));
}

#[test]
fn models() {
    let right = ["fuzz/seeds/cat", "models", "crates/treville_cat/test_data/ok"];
    bounded("cat", cat, seeds(&right, &["crates/treville_cat/test_data/err"], &["cat", "bell"]));
}

#[test]
fn tests() {
    let right = ["fuzz/seeds/litmus", "cases", "crates/treville_litmus/test_data/ok"];
    bounded("litmus", litmus, seeds(&right, &["crates/treville_litmus/test_data/err"], &["litmus"]));
}

#[test]
fn modules() {
    let right = ["fuzz/seeds/llvm", "crates/treville_llvm/test_data/ok", "crates/treville_llvm/test_data/run"];
    bounded("llvm", llvm, seeds(&right, &["crates/treville_llvm/test_data/err"], &["ll"]));
}

#[test]
fn programs() {
    bounded("pts", pts, seeds(&["fuzz/seeds/pts", "cases/pts"], &["cases/bad-input"], &["pts"]));
}

#[test]
fn programs_with_invariants() {
    let right = ["fuzz/seeds/rar", "cases/guide", "case-studies/peterson"];
    bounded("rar", rar, seeds(&right, &["cases/bad-input"], &["rar"]));
}

#[test]
fn programs_on_remote_memory() {
    bounded("rma", rma, seeds(&["fuzz/seeds/rma", "case-studies/rma"], &["cases/bad-input"], &["rma"]));
}
