//! The binary from outside: exit statuses, what goes to which stream, and the shape of JSON.

use crate::common::{self, Run, case, treville, write};
use treville_trials::{Trial, test};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        test!(exit_statuses_of_single_files),
        test!(every_engine_leaves_out_the_checks_that_are_skipped),
        test!(a_batch_has_the_worst_status),
        test!(wrong_calls_are_said_on_standard_error),
        test!(texts_of_a_batch_count_every_execution),
        test!(errors_have_file_line_and_column),
        test!(json_is_one_object_a_line_in_the_order_of_the_files),
        test!(herd_output_is_line_for_line),
        test!(folders_and_lists),
        test!(the_same_call_prints_the_same_bytes),
        test!(comparing_models),
        test!(explaining_both_ways),
        test!(drawing_in_every_format),
        test!(what_is_built_in),
        test!(models_check_warns),
        test!(limits_are_kept_and_said),
        test!(an_interrupt_ends_a_batch_with_what_there_is),
        test!(nobody_reading_is_no_error),
    ]
}

fn exit_statuses_of_single_files() {
    assert_eq!(treville(&["verify", &case("SB.litmus")]).status, 0);
    assert_eq!(treville(&["verify", &case("SB.litmus"), "--model", "sc"]).status, 1);
    assert_eq!(treville(&["verify", &case("MP.litmus"), "--model", "rc11"]).status, 0);
    assert_eq!(treville(&["verify", &case("MP+relaxed.litmus"), "--model", "rc11"]).status, 1);
    assert_eq!(treville(&["verify", "no-such-file.litmus"]).status, 2);
    assert_eq!(treville(&["verify", &case("SB.litmus"), "--timeout", "0.000000001"]).status, 3);
}

fn every_engine_leaves_out_the_checks_that_are_skipped() {
    for engine in ["enumerate", "explore", "bmc"] {
        let call = ["verify", &case("SB.litmus"), "--model", "sc", "--engine", engine];
        assert_eq!(treville(&call).status, 1, "{engine}");
        assert_eq!(treville(&[&call[..], &["--skip-check", "sc"]].concat()).status, 0, "{engine}");
    }
}

fn a_batch_has_the_worst_status() {
    let (yes, no) = (case("SB.litmus"), case("SB+mfences.litmus"));
    let bad = write("batch/bad.litmus", "X86 bad\n{}\n P0 ;\n NOSUCH ;\nexists (0:EAX=0)\n");
    assert_eq!(treville(&["verify", &yes, &yes]).status, 0);
    assert_eq!(treville(&["verify", &yes, &no]).status, 1);
    assert_eq!(treville(&["verify", &yes, &no, &bad]).status, 2);
    assert_eq!(treville(&["verify", &no, "missing.litmus", &yes]).status, 2);
}

fn wrong_calls_are_said_on_standard_error() {
    for call in [
        &["verify"][..],
        &["verify", "--nonsense"],
        &["nonsense"],
        &[],
        &["verify", "x.litmus", "--engine", "magic"],
        &["verify", "x.litmus", "--property", "leak"],
        &["compare", "x.litmus", "--model", "sc"],
        &["synth", "x.rma", "--initial", "y"],
        &["serve"],
        &["models", "check", "nonsense"],
    ] {
        let run = treville(call);
        assert_eq!(run.status, 2, "{call:?}");
        assert_eq!(run.stdout, "", "{call:?}");
        assert!(!run.stderr.is_empty(), "{call:?}");
    }
    let test = case("SB.litmus");
    for (option, value) in [
        ("--macros", "nothing.def"),
        ("--bell", "nothing.bell"),
        ("--include", "nothing"),
        ("--variant", "nothing"),
        ("--jobs", "0"),
        ("--model", "nothing"),
    ] {
        let run = treville(&["verify", &test, option, value]);
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{option}");
        assert!(run.stderr.contains(value), "{option}: {}", run.stderr);
    }
    assert!(treville(&["synth", "x.rma"]).stderr.contains("x.rma: no such file"));
    assert!(treville(&["verify", "x.c"]).stderr.contains("no such file"));
    let program = write("wrong/x.rs", "");
    assert!(treville(&["verify", &program]).stderr.contains(".rs are not built yet"));
}

/// A table of many files asks for verdicts only; what is said beside its rows is about all executions nevertheless.
fn texts_of_a_batch_count_every_execution() {
    let (a, b) = (case("SB.litmus"), case("MP.litmus"));
    for option in ["--stats", "--witness", "--states"] {
        let run = treville(&["verify", &a, &b, option]);
        let counted = "4 states; the condition holds in 1 of 4 executions (*): Sometimes";
        assert!(run.stdout.contains(counted), "{option}: {}", run.stdout);
    }
    let run = treville(&["verify", &a, &b]);
    assert!(!run.stdout.contains("executions"), "{}", run.stdout);
}

fn errors_have_file_line_and_column() {
    let bad =
        write("place/bad.litmus", "X86 bad\n{}\n P0          ;\n MOV EAX,$1  ;\n NOSUCH EAX  ;\nexists (0:EAX=0)\n");
    let run = treville(&["verify", &bad]);
    assert_eq!((run.status, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.starts_with(&format!("{bad}:5:2: error: ")), "{}", run.stderr);
    let json = treville(&["verify", &bad, "--json"]);
    assert!(
        json.stdout.contains("\"verdict\":\"error\"") && json.stdout.contains("\"line\":5,\"column\":2"),
        "{}",
        json.stdout
    );
    assert!(json.stderr.starts_with(&format!("{bad}:5:2: error: ")), "{}", json.stderr);
    let model = write("place/bad.cat", "acyclic po\nacyclic nothing-like-this\n");
    let run = treville(&["verify", &case("SB.litmus"), "--model", &model]);
    assert_eq!(run.status, 2);
    assert!(run.stderr.starts_with(&format!("{model}:2:9: error: ")), "{}", run.stderr);
}

fn json_is_one_object_a_line_in_the_order_of_the_files() {
    let files = [case("SB.litmus"), case("MP.litmus"), case("SB+mfences.litmus")];
    let call: Vec<&str> = ["verify"]
        .into_iter()
        .chain(files.iter().map(String::as_str))
        .chain(["--json", "--states", "--stats"])
        .collect();
    let run = treville(&call);
    assert_eq!(run.status, 1);
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines.len(), 3);
    for (line, file) in lines.iter().zip(&files) {
        assert!(line.starts_with(&format!("{{\"file\":\"{file}\",\"model\":")) && line.ends_with('}'), "{line}");
        for key in [
            "engine",
            "verdict",
            "scope",
            "condition",
            "observation",
            "states",
            "positive",
            "negative",
            "time_ms",
            "stats",
        ] {
            assert!(line.contains(&format!("\"{key}\":")), "{key}: {line}");
        }
    }
    assert!(lines[0].contains(r#""states":["0:EAX=0; 1:EAX=0;","0:EAX=0; 1:EAX=1;","0:EAX=1; 1:EAX=0;","0:EAX=1; 1:EAX=1;"],"positive":1,"negative":3"#));
    assert!(
        lines[1].contains(r#""verdict":"yes""#)
            && lines[1].contains(r#""condition":"not exists","observation":"Never""#)
    );
}

fn herd_output_is_line_for_line() {
    let run = treville(&["verify", &case("SB.litmus"), "--format", "herd"]);
    let lines: Vec<&str> = run.stdout.lines().collect();
    let expected = [
        "Test SB Allowed",
        "States 4",
        "0:EAX=0; 1:EAX=0;",
        "0:EAX=0; 1:EAX=1;",
        "0:EAX=1; 1:EAX=0;",
        "0:EAX=1; 1:EAX=1;",
        "Ok",
        "Witnesses",
        "Positive: 1 Negative: 3",
        "Condition exists (0:EAX=0 /\\ 1:EAX=0)",
        "Observation SB Sometimes 1 3",
    ];
    assert_eq!(&lines[..expected.len()], &expected);
    assert!(lines[expected.len()].starts_with("Time SB "));
}

fn folders_and_lists() {
    let folder = write("many/a.litmus", &common::read(&case("SB.litmus")));
    let folder = folder.trim_end_matches("/a.litmus").to_owned();
    write("many/b.litmus", &common::read(&case("SB+mfences.litmus")));
    write("many/list.txt", "# both\na.litmus\nb.litmus\n");
    for input in [folder.clone(), format!("@{folder}/list.txt")] {
        let run = treville(&["verify", &input]);
        assert_eq!(run.status, 1, "{}", run.stderr);
        let rows: Vec<&str> = run.stdout.lines().collect();
        assert_eq!(rows.len(), 3, "{}", run.stdout);
        assert!(rows[0].contains("a.litmus  yes") && rows[1].contains("b.litmus  no"), "{}", run.stdout);
        assert!(rows[2].starts_with("2 files in ") && rows[2].ends_with(": 1 yes, 1 no"), "{}", run.stdout);
    }
    assert_eq!(treville(&["verify", "@no-such-list"]).status, 2);
}

fn the_same_call_prints_the_same_bytes() {
    let call = ["verify", &case("MP.litmus"), &case("SB.litmus"), "--states", "--json"];
    let without_time = |run: Run| {
        let cut = |line: &str| line.split(",\"time_ms\"").next().map(str::to_owned);
        run.stdout.lines().filter_map(cut).collect::<Vec<_>>()
    };
    assert_eq!(without_time(treville(&call)), without_time(treville(&call)));
}

fn comparing_models() {
    let run = treville(&["compare", &case("SB.litmus"), "--model", "sc", "--model", "tso"]);
    assert_eq!((run.status, run.stdout.as_str()), (1, "SB: sc and tso differ\n  only tso  0:EAX=0; 1:EAX=0;\n"));
    let run = treville(&["compare", &case("SB+mfences.litmus"), "--model", "sc", "--model", "tso"]);
    assert_eq!((run.status, run.stdout.as_str()), (0, "SB+mfences: sc and tso allow the same outcomes\n"));
    let run = treville(&["compare", &case("SB.litmus"), "--model", "sc", "--model", "tso", "--json"]);
    assert!(run.stdout.contains(r#""equal":false,"only":[{"model":"sc","states":[],"flags":[]},"#), "{}", run.stdout);
}

fn explaining_both_ways() {
    let allowed = treville(&["explain", &case("SB.litmus")]);
    assert_eq!(allowed.status, 0);
    assert!(allowed.stdout.starts_with("SB under tso: allowed, 0:EAX=0 /\\ 1:EAX=0\n"), "{}", allowed.stdout);
    assert!(allowed.stdout.contains("fr  b → c, d → a"), "{}", allowed.stdout);
    let forbidden = treville(&["explain", &case("SB+mfences.litmus")]);
    assert_eq!(forbidden.status, 0);
    assert!(forbidden.stdout.contains("forbidden") && forbidden.stdout.contains("by a cycle"), "{}", forbidden.stdout);
    let never = treville(&["explain", &case("SB.litmus"), "--outcome", "0:EAX=5"]);
    assert!(never.stdout.contains("No candidate has these values"), "{}", never.stdout);
}

fn drawing_in_every_format() {
    for (format, start) in [("text", "SB under tso"), ("dot", "digraph"), ("svg", "<svg"), ("html", "<!DOCTYPE html>")]
    {
        let run = treville(&["show", &case("SB.litmus"), "--format", format]);
        assert_eq!(run.status, 0, "{format}: {}", run.stderr);
        assert!(run.stdout.starts_with(start), "{format}: {}", run.stdout);
    }
    let path = write("drawn/sb.svg", "");
    let run = treville(&["show", &case("SB.litmus"), "--format", "svg", "-o", &path]);
    assert_eq!((run.status, run.stdout.as_str()), (0, ""));
    assert!(common::read(&path).starts_with("<svg"));
    assert_eq!(treville(&["show", &case("SB.litmus"), "--model", "sc", "--which", "positive"]).status, 1);
    assert_eq!(treville(&["show", &case("SB.litmus"), "--relation", "nothing"]).status, 2);
}

fn what_is_built_in() {
    let models = treville(&["models"]).stdout;
    assert!(models.lines().any(|l| l.starts_with("tso ")) && models.lines().any(|l| l.starts_with("sc ")), "{models}");
    assert!(treville(&["engines"]).stdout.starts_with("enumerate "));
    let version = treville(&["--version"]).stdout;
    assert!(version.starts_with("treville ") && version.lines().count() > 5, "{version}");
    assert!(treville(&["completions", "bash"]).stdout.contains("_treville"));
    assert!(treville(&["man"]).stdout.contains(".TH"));
    assert_eq!(treville(&["--help"]).status, 0);
    assert_eq!(treville(&["models", "check", "tso"]).status, 0);
}

fn models_check_warns() {
    let model = write("warn/w.cat", "let unused = po\nacyclic po & 0 as nothing\n");
    let run = treville(&["models", "check", &model]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stdout.contains("`unused`") && run.stdout.contains("`nothing` tests nothing"), "{}", run.stdout);
}

/// Ten threads that each add to one counter: far more candidates than anybody waits for.
fn endless() -> String {
    let thread =
        |i: u32| format!("P{i}(atomic_int *x) {{ int r = atomic_fetch_add_explicit(x, 1, memory_order_relaxed); }}\n");
    let threads: String = (0..10).map(thread).collect();
    write("endless/endless.litmus", &format!("C endless\n{{}}\n{threads}exists (x=1)\n"))
}

fn limits_are_kept_and_said() {
    let start = std::time::Instant::now();
    let run = treville(&["verify", &endless(), "--plain", "--engine", "enumerate", "--timeout", "0.3", "--json"]);
    assert_eq!(run.status, 3, "{}", run.stdout);
    assert!(run.stdout.contains("\"verdict\":\"unknown\",\"reason\":\"the time limit was reached\""), "{}", run.stdout);
    let run = treville(&["explain", &endless(), "--plain", "--timeout", "0.3"]);
    assert_eq!(run.status, 3, "{}", run.stdout);
    assert!(start.elapsed().as_secs() < 20);
}

fn an_interrupt_ends_a_batch_with_what_there_is() {
    use std::process::{Command, Stdio};
    let child = Command::new(env!("CARGO_BIN_EXE_treville"))
        .args(["verify", &case("SB.litmus"), &endless(), &case("MP.litmus"), "--plain", "--json", "--jobs", "1"])
        .current_dir(common::root())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    std::thread::sleep(std::time::Duration::from_millis(700));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(killed.success());
    let done = child.wait_with_output().expect("the binary ends");
    let lines: Vec<String> = String::from_utf8_lossy(&done.stdout).lines().map(str::to_owned).collect();
    assert_eq!(done.status.code(), Some(3), "{lines:?}");
    assert_eq!(lines.len(), 3);
    assert!(lines[0].contains("\"verdict\":\"yes\""), "{}", lines[0]);
    assert!(lines[1..].iter().all(|l| l.contains("\"reason\":\"interrupted\"")), "{lines:?}");
}

fn nobody_reading_is_no_error() {
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_treville"))
        .args(["verify", &case("SB.litmus"), &case("SB.litmus"), "--json"])
        .current_dir(common::root())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    drop(child.stdout.take());
    let done = child.wait_with_output().expect("the binary ends");
    assert_eq!(String::from_utf8_lossy(&done.stderr), "");
    assert_eq!(done.status.code(), Some(0));
}
