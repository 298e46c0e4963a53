//! What an answer needs, whoever gives it: an execution that completes, another engine where one has no answer, no engine that
//! says otherwise.

mod common;

use common::{case, has_clang, treville, write};

/// The first line of what is said, and the exit status.
fn said(args: &[&str]) -> (String, i32) {
    let run = treville(&[&["verify"], args].concat());
    (run.stdout.lines().next().unwrap_or(&run.stderr).to_owned(), run.status)
}

const NOTHING: &str = "unknown, no execution completes, so a yes would say nothing";

#[test]
fn a_test_without_executions_is_no_yes() {
    for engine in ["auto", "enumerate", "bmc", "explore"] {
        let (line, status) = said(&["cases/vacuous/lock-twice.litmus", "--engine", engine]);
        assert!(line.contains(NOTHING) && status == 3, "{engine}: {line}");
    }
    let nothing = ["--model", "cases/vacuous/nothing.cat"];
    let (line, status) = said(&[&[case("SB+mfences.litmus").as_str()], &nothing[..]].concat());
    assert!(line.contains("no, no execution satisfies") && status == 1, "{line}");
    let text = common::read("cases/guide/SB.litmus").replace("exists", "~exists");
    let forbidden = write("answers/not-SB.litmus", &text);
    let (line, status) = said(&[&[forbidden.as_str()], &nothing[..]].concat());
    assert!(line.contains(NOTHING) && status == 3, "{line}");
}

#[test]
fn a_program_without_executions_is_no_yes() {
    if !has_clang() {
        return;
    }
    for engine in ["auto", "explore", "bmc", "enumerate"] {
        for file in ["cases/vacuous/endless.c", "cases/vacuous/unset-flag.c"] {
            let (line, status) = said(&[file, "--engine", engine]);
            assert!(line.contains(NOTHING) && line.contains("--property liveness") && status == 3, "{engine}: {line}");
        }
    }
    let (line, status) = said(&["cases/vacuous/unset-flag.c", "--property", "liveness"]);
    assert!(line.contains("no, liveness") && status == 1, "{line}");
    for engine in ["auto", "explore", "bmc"] {
        assert_eq!(said(&["cases/vacuous/assumed.c", "--engine", engine]).1, 0, "{engine}");
    }
}

#[test]
fn loops_beyond_the_bound_go_to_an_engine_that_deepens() {
    for (file, status) in
        [("wait-loop.litmus", 1), ("wait-for-release.litmus", 0), ("three-rounds.litmus", 0), ("three-stores.pts", 0)]
    {
        let file = format!("cases/auto/{file}");
        let run = treville(&["verify", &file]);
        assert_eq!(run.status, status, "{file}: {}", run.stdout);
        assert!(run.stdout.contains("engine bmc: loops go on beyond the first bound"), "{}", run.stdout);
        let herd = treville(&["verify", &file, "--format=herd"]);
        assert!(herd.status == status && !herd.stdout.contains("Never 0 0"), "{}", herd.stdout);
        // A bound that the user gives is kept.
        assert_eq!(treville(&["verify", &file, "--bound=1"]).status, 3, "{file}");
    }
    assert_eq!(said(&["case-studies/mutex/burns.pts", "--model=tso"]).1, 0);
}

#[test]
fn long_executions_are_explored_up_to_a_limit_that_can_be_given() {
    if !has_clang() {
        return;
    }
    let long = "cases/auto/ten-thousand-rounds.c";
    assert_eq!(said(&[long, "--engine=explore"]).1, 0);
    let (line, status) = said(&[long, "--engine=explore", "--max-events=100"]);
    assert!(line.contains("more than 100 events (--max-events") && status == 3, "{line}");
}

#[test]
fn an_option_of_another_input_is_named() {
    for (option, value) in [("--solver", "z3"), ("--reduction", "counted"), ("--flush", "1")] {
        let run = treville(&["verify", &case("SB.litmus"), option, value]);
        assert_eq!(run.status, 2);
        assert!(run.stderr.contains(&format!("{option} is about programs in .rma")), "{}", run.stderr);
    }
}

#[test]
fn an_unreachable_outcome_is_not_drawn() {
    let outcome = "0:EAX=0 /\\ 1:EAX=0";
    let run = treville(&["show", &case("SB.litmus"), "--model=sc", "--outcome", outcome]);
    assert!(run.status == 1 && run.stdout.is_empty(), "{}", run.stdout);
    assert!(run.stderr.contains("explain --outcome") && run.stderr.contains("--which rejected"), "{}", run.stderr);
    let run = treville(&["show", &case("SB.litmus"), "--model=sc", "--outcome", outcome, "--which=rejected"]);
    assert!(run.status == 0 && run.stdout.contains("rejected by"), "{}", run.stdout);
}

#[test]
fn what_an_answer_may_miss_is_warned_of() {
    let plain =
        write("answers/plain.litmus", "C plain\n{}\nP0(int *x, int *y) { int r = *x; *y = r; }\nexists (0:r=1)\n");
    let run = treville(&["verify", &plain]);
    assert!(run.stdout.contains("warning the model is c11, since only plain accesses"), "{}", run.stdout);
    assert!(!treville(&["verify", &plain, "--model=c11"]).stdout.contains("warning"));
    if !has_clang() {
        return;
    }
    let asserts = write("answers/asserts.c", "#include <assert.h>\nint main(void) { int x = 1; assert(x == 2); }\n");
    assert_eq!(said(&[&asserts]).1, 1);
    let run = treville(&["verify", &asserts, "--cflags=-DNDEBUG", "--json"]);
    assert!(run.status == 0 && run.stdout.contains("\"warnings\":[\"assert() is in the text"), "{}", run.stdout);
    let run = treville(&["verify", "cases/vacuous/never-created.c"]);
    assert_eq!(run.status, 0, "{}", run.stdout);
    assert!(
        run.stdout.contains("warning no execution creates the thread of cases/vacuous/never-created.c:26:9"),
        "{}",
        run.stdout
    );
}

#[test]
fn a_failure_that_is_not_looked_for_hides_no_other() {
    if !has_clang() {
        return;
    }
    for reductions in ["--reductions=all", "--reductions=none"] {
        let run =
            treville(&["verify", "cases/vacuous/race-beside-assertion.c", "--property=race", reductions, "--bound=3"]);
        assert!(run.status == 1 && run.stdout.contains("no, race"), "{}", run.stdout);
    }
}

/// The plain definition and the engines agree on models that are not bundled; without it nothing else changes.
#[test]
fn a_second_opinion_changes_no_answer() {
    let model = write("answers/mine.cat", "acyclic po | rf | co | fr as sc\n");
    for check in [&["--cross-check=none"][..], &[]] {
        let run = treville(&[&["verify", &case("SB.litmus"), "--model", &model, "--json"], check].concat());
        assert!(run.status == 1 && run.stdout.contains("\"verdict\":\"no\""), "{}", run.stdout);
    }
}
