//! Litmus tests on machines: the states are those of the models of the same names.

use std::path::{Path, PathBuf};
use treville_verifier::base::Cancel;
use treville_verifier::report::state_items;
use treville_verifier::task::{About, Silent, VerdictKind};
use treville_verifier::{MemoryFiles, ModelOptions, Options, RunOptions, Session, States};

fn tests_below(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            tests_below(&path, out);
        } else if path.extension().is_some_and(|ending| ending == "litmus") {
            out.push(path);
        }
    }
}

/// The verdict and the states, or nothing if there is no answer.
fn answer(text: &str, engine: &str, model: &str) -> Option<(VerdictKind, Vec<String>)> {
    let files = MemoryFiles([("test.litmus".to_owned(), text.to_owned())].into());
    let options = Options {
        model: ModelOptions { name: Some(model.to_owned()), ..ModelOptions::default() },
        run: RunOptions {
            engine: Some(engine.to_owned()),
            states: States::Listed,
            // A loop that counts has as many states as there are numbers.
            max_states: (engine == "machine").then_some(200_000),
            ..RunOptions::default()
        },
    };
    let report = Session::new(&files, Cancel::new()).verify("test.litmus", &options, &Silent);
    let checked = report.finding()?;
    let About::Test(test) = &checked.about else { return None };
    let states = checked.outcome.states.as_ref()?;
    let mut shown: Vec<String> =
        states.iter().map(|state| format!("{:?}", state_items(&test.program, &test.question, &state.values))).collect();
    shown.sort();
    Some((report.verdict(), shown))
}

#[test]
fn machines_and_models_of_one_name_agree() {
    let mut paths = Vec::new();
    tests_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases"), &mut paths);
    paths.sort();
    let mut compared = std::collections::BTreeMap::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        if text.len() > 2000 {
            continue;
        }
        let is_ours = ["X86", "C ", "X86_64"].iter().any(|dialect| text.starts_with(dialect));
        // On the others, everything is in order.
        let models: &[&str] = if is_ours { &["sc", "tso", "pso", "ra", "rar"] } else { &["sc"] };
        for model in models {
            let Some(on_machine) = answer(&text, "machine", model) else { continue };
            if text.contains("while") && on_machine.0 == VerdictKind::Unknown {
                continue;
            }
            let listed = answer(&text, "enumerate", model);
            if text.contains("while") && listed.as_ref().is_some_and(|(word, _)| *word == VerdictKind::Unknown) {
                // A machine runs loops as they are, the list ends at a bound.
                continue;
            }
            assert_eq!(Some(on_machine), listed, "{} under {model}", path.display());
            *compared.entry(*model).or_insert(0) += 1;
        }
    }
    eprintln!("tests that were compared: {compared:?}");
    for (model, least) in [("sc", 40), ("tso", 5), ("pso", 3), ("rar", 2)] {
        assert!(compared.get(model).copied().unwrap_or(0) >= least, "{model}: {compared:?}");
    }
}

#[test]
fn what_machines_do_not_take_is_refused() {
    let relaxed =
        "C test\n{}\nP0 (atomic_int* x) { atomic_store_explicit(x, 1, memory_order_relaxed); }\nexists (x=1)\n";
    assert_eq!(answer(relaxed, "machine", "rar").map(|(word, _)| word), Some(VerdictKind::Yes));
    assert_eq!(answer(relaxed, "machine", "ra"), None);
    let fence = "C test\n{}\nP0 (atomic_int* x) { atomic_thread_fence(memory_order_seq_cst); }\nexists (x=0)\n";
    assert_eq!(answer(fence, "machine", "rar"), None);
    assert_eq!(answer(fence, "machine", "sc").map(|(word, _)| word), Some(VerdictKind::Yes));
}
