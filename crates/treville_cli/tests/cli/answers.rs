//! What an answer needs, whoever gives it: an execution that completes, another engine where one has no answer, no engine that
//! says otherwise.

use crate::common::{self, case, treville, write};
use treville_trials::{Trial, of_file, test};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        of_file("cases/vacuous/lock-twice.litmus", says_nothing),
        of_file("cases/vacuous/nothing.cat", rejects_everything),
        of_file("cases/vacuous/endless.c", waits_for_ever),
        of_file("cases/vacuous/unset-flag.c", waits_for_a_flag),
        of_file("cases/vacuous/assumed.c", completes_but_for_assumptions),
        of_file("cases/vacuous/assumed-before-spin.c", completes_but_for_assumptions),
        of_file("cases/vacuous/never-created.c", has_a_thread_that_is_not_created),
        of_file("cases/vacuous/race-beside-assertion.c", fails_in_two_ways),
        of_file("cases/auto/wait-loop.litmus", |file| goes_to_an_engine_that_deepens(file, 1)),
        of_file("cases/auto/wait-for-release.litmus", |file| goes_to_an_engine_that_deepens(file, 0)),
        of_file("cases/auto/three-rounds.litmus", |file| goes_to_an_engine_that_deepens(file, 0)),
        of_file("cases/auto/three-stores.pts", |file| goes_to_an_engine_that_deepens(file, 0)),
        of_file("cases/auto/ten-thousand-rounds.c", is_explored_up_to_a_limit_that_can_be_given),
        test!(an_option_of_another_input_is_named),
        test!(an_unreachable_outcome_is_not_drawn),
        test!(what_an_answer_may_miss_is_warned_of),
        test!(what_an_answer_about_c_may_miss_is_warned_of, Clang),
        test!(a_second_opinion_changes_no_answer),
    ]
}

/// The first line of what is said, and the exit status.
fn said(args: &[&str]) -> (String, i32) {
    let run = treville(&[&["verify"], args].concat());
    (run.stdout.lines().next().unwrap_or(&run.stderr).to_owned(), run.status)
}

const NOTHING: &str = "unknown, no execution completes, so a yes would say nothing";

fn says_nothing(file: &str) {
    for engine in ["auto", "enumerate", "bmc", "explore"] {
        let (line, status) = said(&[file, "--engine", engine]);
        assert!(line.contains(NOTHING) && status == 3, "{engine}: {line}");
    }
}

fn rejects_everything(model: &str) {
    let (line, status) = said(&[&case("SB+mfences.litmus"), "--model", model]);
    assert!(line.contains("no, no execution satisfies") && status == 1, "{line}");
    let text = common::read("cases/guide/SB.litmus").replace("exists", "~exists");
    let forbidden = write("answers/not-SB.litmus", &text);
    let (line, status) = said(&[&forbidden, "--model", model]);
    assert!(line.contains(NOTHING) && status == 3, "{line}");
}

fn waits_for_ever(file: &str) {
    for engine in ["auto", "explore", "bmc", "enumerate"] {
        let (line, status) = said(&[file, "--engine", engine]);
        assert!(line.contains(NOTHING) && line.contains("--property liveness") && status == 3, "{engine}: {line}");
    }
}

fn waits_for_a_flag(file: &str) {
    waits_for_ever(file);
    let (line, status) = said(&[file, "--property", "liveness"]);
    assert!(line.contains("no, liveness") && status == 1, "{line}");
}

fn completes_but_for_assumptions(file: &str) {
    for engine in ["auto", "explore", "bmc"] {
        assert_eq!(said(&[file, "--engine", engine]).1, 0, "{engine}");
    }
}

fn goes_to_an_engine_that_deepens(file: &str, status: i32) {
    let run = treville(&["verify", file]);
    assert_eq!(run.status, status, "{}", run.stdout);
    assert!(run.stdout.contains("engine bmc: loops go on beyond the first bound"), "{}", run.stdout);
    let herd = treville(&["verify", file, "--format=herd"]);
    assert!(herd.status == status && !herd.stdout.contains("Never 0 0"), "{}", herd.stdout);
    // A bound that the user gives is kept.
    assert_eq!(treville(&["verify", file, "--bound=1"]).status, 3);
}

fn is_explored_up_to_a_limit_that_can_be_given(file: &str) {
    assert_eq!(said(&[file, "--engine=explore"]).1, 0);
    let (line, status) = said(&[file, "--engine=explore", "--max-events=100"]);
    assert!(line.contains("more than 100 events (--max-events") && status == 3, "{line}");
}

fn an_option_of_another_input_is_named() {
    for (option, value) in [("--solver", "z3"), ("--reduction", "counted"), ("--flush", "1")] {
        let run = treville(&["verify", &case("SB.litmus"), option, value]);
        assert_eq!(run.status, 2);
        assert!(run.stderr.contains(&format!("{option} is about programs in .rma")), "{}", run.stderr);
    }
}

fn an_unreachable_outcome_is_not_drawn() {
    let outcome = "0:EAX=0 /\\ 1:EAX=0";
    let run = treville(&["show", &case("SB.litmus"), "--model=sc", "--outcome", outcome]);
    assert!(run.status == 1 && run.stdout.is_empty(), "{}", run.stdout);
    assert!(
        run.stderr.contains("`explain` with --outcome") && run.stderr.contains("--which rejected"),
        "{}",
        run.stderr
    );
    let run = treville(&["show", &case("SB.litmus"), "--model=sc", "--outcome", outcome, "--which=rejected"]);
    assert!(run.status == 0 && run.stdout.contains("rejected by"), "{}", run.stdout);
}

fn what_an_answer_may_miss_is_warned_of() {
    let plain =
        write("answers/plain.litmus", "C plain\n{}\nP0(int *x, int *y) { int r = *x; *y = r; }\nexists (0:r=1)\n");
    let run = treville(&["verify", &plain]);
    assert!(run.stdout.contains("warning the model is c11, since only plain accesses"), "{}", run.stdout);
    assert!(!treville(&["verify", &plain, "--model=c11"]).stdout.contains("warning"));
}

fn what_an_answer_about_c_may_miss_is_warned_of() {
    let asserts = write("answers/asserts.c", "#include <assert.h>\nint main(void) { int x = 1; assert(x == 2); }\n");
    assert_eq!(said(&[&asserts]).1, 1);
    let run = treville(&["verify", &asserts, "--cflags=-DNDEBUG", "--json"]);
    assert!(run.status == 0 && run.stdout.contains("\"warnings\":[\"assert() is in the text"), "{}", run.stdout);
}

fn has_a_thread_that_is_not_created(file: &str) {
    let run = treville(&["verify", file]);
    assert_eq!(run.status, 0, "{}", run.stdout);
    let warning = format!("warning no execution creates the thread of {file}:26:9");
    assert!(run.stdout.contains(&warning), "{}", run.stdout);
}

/// A failure that is not looked for hides no other.
fn fails_in_two_ways(file: &str) {
    for reductions in ["--reductions=all", "--reductions=none"] {
        let run = treville(&["verify", file, "--property=race", reductions, "--bound=3"]);
        assert!(run.status == 1 && run.stdout.contains("no, race"), "{}", run.stdout);
    }
}

/// The plain definition and the engines agree on models that are not bundled; without it nothing else changes.
fn a_second_opinion_changes_no_answer() {
    let model = write("answers/mine.cat", "acyclic po | rf | co | fr as sc\n");
    for check in [&["--cross-check=none"][..], &[]] {
        let run = treville(&[&["verify", &case("SB.litmus"), "--model", &model, "--json"], check].concat());
        assert!(run.status == 1 && run.stdout.contains("\"verdict\":\"no\""), "{}", run.stdout);
    }
}
