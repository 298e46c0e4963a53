//! Programs in .rar from the command line: verdicts, exit statuses, and what scripts read.

use crate::common::{self, treville};
use treville_trials::{Trial, test};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        test!(the_case_study_has_the_verdicts_that_it_says),
        test!(a_violation_is_a_run),
        test!(answers_up_to_a_bound_and_limits_are_unknown),
        test!(deadlocks_are_told_and_violations_if_asked),
        test!(calls_that_mean_nothing_are_refused),
        test!(inductive_is_more_than_true),
        test!(somebody_can_go_through_a_run),
    ]
}

fn the_case_study_has_the_verdicts_that_it_says() {
    for (file, model, status, invariants, states) in [
        ("peterson", "rar", 0, ["yes", "yes", "yes"], 104),
        ("peterson", "sc", 0, ["yes", "yes", "yes"], 68),
        ("relaxed-flags", "rar", 1, ["yes", "no\",\"steps\":11,", "no\",\"steps\":11,"], 104),
        ("relaxed-flags", "sc", 0, ["yes", "yes", "yes"], 68),
        ("relaxed-turn", "rar", 1, ["no\",\"steps\":8,", "no\",\"steps\":8,", "no\",\"steps\":8,"], 270),
    ] {
        let path = format!("case-studies/peterson/{file}.rar");
        let run = treville(&["verify", &path, "--engine=machine", &format!("--model={model}"), "--json"]);
        assert_eq!(run.status, status, "{path}: {}", run.stdout);
        for (name, verdict) in ["inv3", "inv4", "inv5"].iter().zip(invariants) {
            let row = format!("{{\"name\":\"{name}\",\"verdict\":\"{verdict}").trim_end_matches(',').to_owned();
            assert!(run.stdout.contains(&row), "{path} on {model}, {row}: {}", run.stdout);
        }
        assert!(run.stdout.contains(&format!("\"visited\":{states},")), "{}", run.stdout);
    }
}

fn a_violation_is_a_run() {
    let run = treville(&["verify", "cases/guide/message-relaxed.rar", "--json", "--witness"]);
    assert_eq!(run.status, 1);
    for part in [
        r#""engine":"machine","verdict":"no","scope":"complete""#,
        r#""violation":{"kind":"invariant","name":"seen","#,
        r#""witness":{"steps":[{"thread":"t1","line":5,"label":"1","action":"writes d = 5, after 0 initial","#,
        r#""action":"reads f = 1 of step 2""#,
        r#"{"thread":"t2","variable":"d","values":[0,5]}"#,
    ] {
        assert!(run.stdout.contains(part), "{part} in {}", run.stdout);
    }
}

fn answers_up_to_a_bound_and_limits_are_unknown() {
    let endless = "cases/bad-input/endless.rar";
    assert_eq!(treville(&["verify", endless, "--accept-bounded"]).status, 0);
    let run = treville(&["verify", endless, "--max-messages=3", "--json"]);
    assert!(run.status == 3 && run.stdout.contains("at most 3 writes to x are kept"), "{}", run.stdout);
    let graph = treville(&["verify", "cases/guide/message.rar", "--model=rar-graph", "--max-actions=6", "--json"]);
    assert!(graph.status == 3 && graph.stdout.contains("a run has at most 6 actions"), "{}", graph.stdout);
    let few = treville(&["verify", "case-studies/peterson/peterson.rar", "--max-states=0", "--json"]);
    assert!(few.status == 3 && few.stdout.contains("the limit of 0 states was reached"), "{}", few.stdout);
}

fn deadlocks_are_told_and_violations_if_asked() {
    let run = treville(&["verify", "cases/bad-input/waits.rar", "--json"]);
    assert!(run.status == 0 && run.stdout.contains(r#""deadlock":{"steps":0,"threads":["t1"]}"#), "{}", run.stdout);
    assert!(run.stdout.contains(r#""outcomes":[{"name":"comes","reachable":false}]"#), "{}", run.stdout);
    let asked = treville(&["verify", "cases/bad-input/waits.rar", "--property=deadlock", "--json"]);
    assert!(asked.status == 1 && asked.stdout.contains(r#""violation":{"kind":"deadlock""#), "{}", asked.stdout);
}

fn calls_that_mean_nothing_are_refused() {
    let program = "cases/guide/message.rar";
    for (option, status) in [
        ("--engine=enumerate", 3),
        ("--model=rc11", 2),
        ("--bound=3", 0),
        ("--cross-check=enumerate", 2),
        ("--variant=cxx20", 2),
    ] {
        let run = treville(&["verify", program, option]);
        assert_eq!(run.status, status, "{option}: {}{}", run.stdout, run.stderr);
    }
    assert_eq!(treville(&["explain", program]).status, 2);
}

fn inductive_is_more_than_true() {
    let program = "cases/guide/message.rar";
    let run = treville(&["verify", program, "--inductive", "--json", "--witness"]);
    assert!(run.status == 1 && run.stdout.contains(r#""inductive":true"#), "{}", run.stdout);
    assert!(run.stdout.contains(r#""message":"seen is not inductive""#), "{}", run.stdout);
    let own = common::write(
        "own.rar",
        "init x = 0;\nthread t { 1: x := 1; }\nthread u { r := x; }\ninvariant own: pc(t) == end => definite(t, x, 1);\n",
    );
    let bounded = treville(&["verify", &own, "--inductive"]);
    assert!(bounded.status == 3 && bounded.stdout.contains("values are among 0, 1"), "{}", bounded.stdout);
    assert_eq!(treville(&["verify", &own, "--inductive", "--accept-bounded"]).status, 0);
    assert_eq!(treville(&["verify", &own, "--inductive", "--model=tso"]).status, 3);
    assert_eq!(treville(&["verify", "cases/guide/MP.litmus", "--inductive"]).status, 2);
    assert_eq!(treville(&["verify", "cases/bad-input/waits.rar", "--inductive"]).status, 2);
}

/// Goes through a run with these lines as input.
fn step(args: &[&str], input: &str) -> (i32, String) {
    use std::io::Write;
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_treville"))
        .args(["verify", "--engine=machine", "--interactive"])
        .args(args)
        .current_dir(common::root())
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the binary runs");
    child.stdin.take().expect("an input").write_all(input.as_bytes()).expect("it is read");
    let output = child.wait_with_output().expect("it ends");
    let said = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&said).into_owned())
}

fn somebody_can_go_through_a_run() {
    let program = "cases/guide/message-relaxed.rar";
    let (status, said) = step(&[program], "1\n1\n1\nb\nnonsense\n9\n2\nq\n");
    assert_eq!(status, 0, "{said}");
    for part in [
        "start\n  t1 at 1\n    d: encountered {}, observable {0}\n",
        "step 1: t1, line 5: writes d = 5, after 0 initial\n  t1 at 2\n    d: encountered {0, 5}, observable {5}\n",
        "  t2 at 2, r = 0\n    d: encountered {0}, observable {0, 5}\n    f: encountered {0, 1}, observable {1}\n  seen does not hold\n",
        "a number takes that step, b goes back, q ends\n",
    ] {
        assert!(said.contains(part), "{part} in {said}");
    }
    // Once before, and once after going back.
    assert_eq!(said.matches("step 2: t1, line 6").count(), 2, "{said}");
    let (_, covered) = step(&["case-studies/peterson/peterson.rar"], "1\n1\nq\n");
    assert!(covered.contains("turn: encountered {}, observable {1, 2}, covered {1}"), "{covered}");
    let (status, buffered) = step(&[program, "--model=tso"], "1\n3\nq\n");
    assert!(status == 0 && buffered.contains("memory of t1: d = 5 of step 1 arrives"), "{buffered}");
    assert_eq!(step(&["cases/guide/SB.litmus"], "").0, 2);
    assert_eq!(step(&[program, "cases/guide/message.rar"], "").0, 2);
}
