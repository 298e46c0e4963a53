//! Comparing models by an execution that only one allows must find what listing all outcomes finds.

use std::collections::BTreeMap;
use std::path::Path;
use treville_verifier::base::Cancel;
use treville_verifier::report::Comparison;
use treville_verifier::task::{Report, Silent, VerdictKind};
use treville_verifier::{MemoryFiles, ModelOptions, Options, RunOptions, Session, States};

/// Two models for the tests of each language, by the first word of their text.
const PAIRS: &[(&str, [&str; 2])] = &[
    ("X86", ["sc", "tso"]),
    ("AArch64", ["sc", "aarch64"]),
    ("PPC", ["power", "sc"]),
    ("RISCV", ["riscv", "sc"]),
    ("C", ["rc11", "ra"]),
    ("C", ["tso", "power"]),
    ("{", ["tso", "power"]),
    ("{", ["arm", "tso"]),
    ("{", ["rc11", "imm"]),
];

fn tests() -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())).flatten() {
            let path = entry.path();
            let ending = path.extension().and_then(|e| e.to_str());
            match ending {
                None => folders.push(path),
                Some("litmus" | "pts") => {
                    let text = std::fs::read_to_string(&path).unwrap_or_default();
                    found.insert(path.to_string_lossy().into_owned(), text);
                }
                Some(_) => {}
            }
        }
    }
    found
}

fn compare(files: &MemoryFiles, path: &str, models: [&str; 2], engine: &str) -> Option<Comparison> {
    let session = Session::new(files, Cancel::new());
    let run = RunOptions { engine: Some(engine.to_owned()), bound: Some(2), ..RunOptions::default() };
    let options = Options { model: ModelOptions::default(), run };
    session.compare(path, &models.map(str::to_owned), &options).ok()
}

#[test]
fn an_execution_is_found_where_outcomes_differ() {
    let (mut compared, mut differing, mut refused) = (0, 0, 0);
    for (path, text) in tests() {
        let mut files = MemoryFiles::default();
        files.0.insert(path.clone(), text.clone());
        for (_, models) in PAIRS.iter().filter(|(start, _)| text.trim_start().starts_with(start)) {
            let listed = compare(&files, &path, *models, "enumerate");
            let Some(listed) = listed else { continue };
            let Some(solved) = compare(&files, &path, *models, "bmc") else {
                refused += 1;
                continue;
            };
            for (outcomes, execution) in listed.differences.iter().zip(&solved.differences) {
                compared += 1;
                let found = execution.execution.as_ref();
                differing += u32::from(found.is_some());
                let own = found.filter(|found| found.own_state);
                assert_eq!(!outcomes.states.is_empty(), own.is_some(), "{path} under {models:?}: {outcomes:?}");
                assert!(own.is_none_or(|own| outcomes.states.contains(&own.state)), "{path} under {models:?}");
                // Who forbids it says why.
                assert!(found.is_none_or(|found| found.reason.is_some()), "{path} under {models:?}");
            }
        }
    }
    let counts = format!("{compared} comparisons, {differing} with an execution, {refused} refused");
    assert!(compared > 200 && differing > 30 && refused < 10, "{counts}");
}

/// Message passing beside writers that have a great many executions.
fn crowded(writers: usize) -> String {
    let mut text = "{ x, y, z }\n".to_owned();
    for i in 0..writers {
        text += &format!("thread t{i} {{ z.store(_rx, {}); a = z.load(_rx); b = z.load(_rx); }}\n", i + 1);
    }
    let (sender, receiver) = (writers, writers + 1);
    text += &format!("thread t{sender} {{ x.store(_rx, 1); y.store(_rx, 1); }}\n");
    text += &format!("thread t{receiver} {{ c = y.load(_rx); d = x.load(_rx); }}\n");
    text + &format!("exists ({receiver}:c = 1 /\\ {receiver}:d = 0)\n")
}

fn files(writers: usize) -> MemoryFiles {
    let mut files = MemoryFiles::default();
    files.0.insert("crowded.pts".to_owned(), crowded(writers));
    files
}

#[test]
fn what_is_too_much_to_list_is_solved() {
    let files = files(6);
    let session = Session::new(&files, Cancel::new());
    let models = ["tso", "power"].map(str::to_owned);
    let found = session.compare("crowded.pts", &models, &Options::default()).unwrap_or_else(|e| panic!("{}", e.reason));
    let [tso, power] = &found.differences;
    assert!(found.by_execution && tso.execution.is_none());
    let only = power.execution.as_ref().unwrap_or_else(|| panic!("power allows it"));
    assert_eq!((only.state.as_str(), only.own_state), ("7:c=1; 7:d=0;", true));
}

fn verify(writers: usize) -> Report {
    let files = files(writers);
    let options = Options {
        model: ModelOptions { name: Some("power".into()), ..ModelOptions::default() },
        run: RunOptions { states: States::IfFew, ..RunOptions::default() },
    };
    Session::new(&files, Cancel::new()).verify("crowded.pts", &options, &Silent)
}

#[test]
fn the_engine_is_chosen_by_what_there_is_to_list() {
    let report = verify(2);
    assert_eq!(report.engine, "enumerate");
    assert_eq!(report.chosen.map(|chosen| chosen.first), Some(true));
    // What is long to list is solved beside the listing, and either may be first.
    let report = verify(6);
    assert!(["enumerate", "bmc"].contains(&report.engine.as_str()));
    assert_eq!(report.verdict(), VerdictKind::Yes);
}

/// Two threads that write and then read what the other writes; they fail if neither sees the other. `more` stands before the write.
fn store_buffering(more: &str) -> MemoryFiles {
    let text = format!(
        r#"
program "sb"
dialect C rc11
tags [A RLX]
object x size 4 type i32
object y size 4 type i32
func other (u) regs [u:64 r:32] {{
b0:
  {more}
  store &y 1:32 4 [A RLX]
  r = load &x 4 [A RLX]
  return (zext 64 r)
}}
func main () regs [h:64 r:32 s:64] {{
b0:
  h = spawn other (0:64)
  store &x 1:32 4 [A RLX]
  r = load &y 4 [A RLX]
  s = join h
  branch (and (eq r 0:32) (eq s 0:64)) b1 b2
b1:
  fail assertion "both are 0"
  end
b2:
  return _
}}
thread main main []
"#
    );
    let mut files = MemoryFiles::default();
    files.0.insert("sb.ir".to_owned(), text);
    files
}

#[test]
fn programs_are_compared_by_their_executions() {
    let files = store_buffering("");
    for (models, differs) in [(["sc", "tso"], true), (["sc", "power"], true), (["tso", "power"], false)] {
        let found = compare(&files, "sb.ir", models, "bmc").unwrap_or_else(|| panic!("{models:?}"));
        assert!(found.by_execution && !found.bounded);
        assert_eq!(found.differs(), differs, "{models:?}");
        assert_eq!(found.differences[0].execution, None, "{models:?}");
        if let Some(execution) = &found.differences[1].execution {
            // Under sc one of them sees the other.
            assert!(execution.own_state && execution.state.contains("both are 0"), "{execution:?}");
            assert!(execution.reason.as_ref().is_some_and(|reason| reason.axiom.contains("as sc")));
        }
    }
    assert!(compare(&files, "sb.ir", ["sc", "tso"], "enumerate").is_none());
}

#[test]
fn a_loop_that_goes_on_leaves_it_open() {
    // Whether there is a difference after more iterations than two is not known.
    let loops = "goto b1\nb1:\n  store &y 2:32 4 [A RLX]\n  r = load &x 4 [A RLX]\n  branch (eq r 5:32) b2 b1\nb2:";
    let files = store_buffering(loops);
    let compare = |accept_bounded| {
        let run =
            RunOptions { engine: Some("bmc".to_owned()), bound: Some(2), accept_bounded, ..RunOptions::default() };
        let options = Options { model: ModelOptions::default(), run };
        Session::new(&files, Cancel::new()).compare("sb.ir", &["tso", "tso"].map(str::to_owned), &options)
    };
    let open = compare(false).err().unwrap_or_else(|| panic!("concluded from a bound"));
    assert!(open.reason.contains("up to the loop bound"), "{}", open.reason);
    let found = compare(true).unwrap_or_else(|e| panic!("{}", e.reason));
    assert!(found.bounded && !found.differs());
}
