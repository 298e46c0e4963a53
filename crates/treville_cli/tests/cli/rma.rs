//! Programs in .rma from the command line: verdicts, runs, placements of flushes, and what scripts read.

use crate::common::{read, treville, write};
use treville_trials::{Trial, test};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        test!(the_example_of_the_paper),
        test!(a_failure_is_a_run),
        test!(both_reductions_and_both_abstractions),
        test!(stages_can_be_followed),
        test!(smallest_placements),
        test!(the_published_search_finds_the_same),
        test!(a_direct_abstraction_finds_the_same),
        test!(costs_and_initial_placements),
        test!(the_repaired_program_holds),
        test!(a_time_limit_leaves_the_best_so_far),
        test!(calls_that_mean_nothing_are_refused),
    ]
}

fn study(name: &str) -> String {
    format!("case-studies/rma/{name}.rma")
}

fn the_example_of_the_paper() {
    let program = study("fig2");
    for engine in ["auto", "machine", "abstract"] {
        for (flushes, status) in [("none", 1), ("1", 0), ("2", 1), ("1,2", 0), ("all", 0)] {
            let run = treville(&["verify", &program, "--engine", engine, "--flush", flushes]);
            assert_eq!(run.status, status, "{engine} with {flushes}: {}{}", run.stdout, run.stderr);
        }
    }
    assert_eq!(treville(&["verify", &program, "--model=sc"]).status, 0);
    assert_eq!(treville(&["verify", &program, "--model=sc", "--engine=abstract"]).status, 0);
}

fn a_failure_is_a_run() {
    let run = treville(&["verify", &study("fig2"), "--json", "--witness"]);
    for part in [
        r#""model":"rma","engine":"machine","verdict":"no","scope":"complete","flushes":[]"#,
        r#""invariants":[{"name":"final (r != 3)","verdict":"no","steps":8}]"#,
        r#""violation":{"kind":"assertion","name":"final (r != 3)","#,
        r#"{"thread":"network","line":8,"statement":"put(Y, 1, X)","action":"reads X = 3"}"#,
        r#"{"thread":"process 2","line":11,"statement":"load r = R","action":"reads R = 3"}]}"#,
    ] {
        assert!(run.stdout.contains(part), "{part} in {}", run.stdout);
    }
    let always = treville(&["verify", &study("peterson"), "--json"]);
    assert!(always.stdout.contains(r#""violation":{"kind":"invariant","#), "{}", always.stdout);
}

fn both_reductions_and_both_abstractions() {
    let program = study("pgsql");
    let status = |options: &[&str]| treville(&[&["verify", &program, "--flush=all"], options].concat()).status;
    assert_eq!(status(&["--engine=machine", "--reduction=counted"]), 0);
    // As published, a put may land twice.
    assert_eq!(status(&["--engine=machine", "--reduction=table2"]), 3);
    assert_eq!(status(&["--engine=abstract", "--reduction=table2"]), 3);
    assert_eq!(status(&["--engine=abstract", "--abstraction=direct"]), 0);
    assert_eq!(status(&["--engine=abstract", "--abstraction=extrapolated"]), 0);
}

/// The reduction of the example as the paper prints it, with what was missing: sets are emptied, the get takes up only what
/// lands while it is on its way, and nothing has to land before the store, since the set keeps the value that X had.
fn stages_can_be_followed() {
    let reduced = treville(&["verify", &study("fig2"), "--emit=reduced", "--reduction=table2"]);
    let part = "
  // put(Y, 1, X);
  if (!Put1Active) {
    Put1Active = true;
    X1Set = {X};
  } else {
    addToSet(X1Set, X);
  }
  // store X = 3;
  store X = 3;
  if (Put1Active) addToSet(X1Set, X);
";
    assert!(reduced.status == 0 && reduced.stdout.contains(part), "{}", reduced.stdout);
    let fire = "
    if (Put1Active && ?) {
      Y = randomElem(X1Set);
      if (Get1Active) addToSet(Y1Set, Y);
      if (?) { Put1Active = false; X1Set = {}; }
    }
";
    assert!(reduced.stdout.contains(fire), "{}", reduced.stdout);
    let boolean = treville(&["verify", &study("fig2"), "--emit=boolean"]);
    assert!(boolean.stdout.contains("  // put(Y, 1, X)\n  b3 := choose(b4, !b4);\n"), "{}", boolean.stdout);
    let extrapolated = treville(&["verify", &study("fig2"), "--emit=extrapolated"]);
    assert!(extrapolated.stdout.contains("  b3 := choose(b4(X1), !b4(X1));\n"), "{}", extrapolated.stdout);
    let fails = write("fails.rma", "process 1: local u = 0; assert(u == 1);\n");
    assert_eq!(treville(&["verify", &fails, "--emit=boolean"]).status, 3);
}

fn smallest_placements() {
    for (name, sites, placements) in [
        ("fig2", 2, &["1"][..]),
        ("abp", 2, &["1", "2"]),
        ("pgsql", 4, &["1,3"]),
        ("qw", 5, &["1,2,4"]),
        ("queue", 2, &["2"]),
        ("loop2_tlm", 4, &["1,2,3,4"]),
        ("pc1", 7, &["1,2,4,5,7", "1,2,5,6,7"]),
        ("peterson", 7, &["1,2,3,4,5"]),
        ("kessel", 10, &["1,2,3,5,6,7,8,10"]),
        ("ticket", 6, &["1,2"]),
        ("bakery", 10, &["1,2,4,5,6,7,9,10"]),
    ] {
        let run = treville(&["synth", &study(name), "--json"]);
        let minimum = placements[0].split(',').count();
        let head = format!(r#""sites":{sites},"minimum":{minimum},"proved":true,"lower":{minimum},"#);
        assert!(run.status == 0 && run.stdout.contains(&head), "{name}: {}", run.stdout);
        let found: Vec<&str> = run.stdout.split(r#""slots":["#).skip(1).filter_map(|s| s.split(']').next()).collect();
        assert_eq!(found, placements, "{name}");
    }
}

fn the_published_search_finds_the_same() {
    for (name, flushes) in [("fig2", "1"), ("pgsql", "1,3"), ("qw", "1,2,4"), ("queue", "2"), ("peterson", "1,2,3,4,5")]
    {
        let run = treville(&["synth", &study(name), "--search=two-phase", "--json"]);
        assert!(run.stdout.contains(&format!(r#""slots":[{flushes}]"#)), "{name}: {}", run.stdout);
        assert!(run.stdout.contains(r#""proved":true"#), "{name}: {}", run.stdout);
    }
}

fn a_direct_abstraction_finds_the_same() {
    for (name, flushes) in [("fig2", "1"), ("pgsql", "1,3"), ("qw", "1,2,4"), ("queue", "2"), ("loop2_tlm", "1,2,3,4")]
    {
        let run = treville(&["synth", &study(name), "--engine=abstract", "--abstraction=direct", "--json"]);
        assert!(run.stdout.contains(&format!(r#""slots":[{flushes}]"#)), "{name}: {}", run.stdout);
        assert!(run.stdout.contains(r#""proved":true"#), "{name}: {}", run.stdout);
    }
}

fn costs_and_initial_placements() {
    let (abp, fig2) = (study("abp"), study("fig2"));
    let dear = treville(&["synth", &abp, "--cost=1=5", "--json"]);
    assert!(dear.stdout.contains(r#""minimum":1,"#) && !dear.stdout.contains(r#""slots":[1]"#), "{}", dear.stdout);
    let within = treville(&["synth", &abp, "--initial=1", "--json"]);
    assert!(within.stdout.contains(r#""placements":[{"cost":1,"slots":[1],"#), "{}", within.stdout);
    // Slot 2 of the example alone is not enough.
    let hopeless = treville(&["synth", &fig2, "--initial=2"]);
    assert!(
        hopeless.status == 1 && hopeless.stdout.contains("no placement within slot 2 makes it hold"),
        "{}",
        hopeless.stdout
    );
    assert!(hopeless.stdout.contains("load r = R"), "{}", hopeless.stdout);
    for wrong in [["--initial", "3"], ["--cost", "9=1"], ["--cost", "1=0"], ["--initial", "x"]] {
        assert_eq!(treville(&[&["synth", fig2.as_str()], &wrong[..]].concat()).status, 2, "{wrong:?}");
    }
}

fn the_repaired_program_holds() {
    let path = write("repaired.rma", "");
    let run = treville(&["synth", &study("peterson"), "--output", &path]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stdout.contains("without 3: line 23 flush(1): `always"), "{}", run.stdout);
    assert_eq!(treville(&["verify", &path]).status, 0);
    let text = read(&path);
    assert_eq!(text.matches("flush(").count(), 5, "{text}");
}

fn a_time_limit_leaves_the_best_so_far() {
    let run = treville(&["synth", &study("rmalock"), "--timeout=2", "--threads=1"]);
    assert!(run.stdout.contains("the best so far: the time limit was reached; at least"), "{}", run.stdout);
    assert!(run.status == 0 && !run.stdout.contains("proved minimal"), "{}", run.stdout);
    let none = treville(&["synth", &study("rmalock"), "--timeout=0.001", "--json"]);
    assert!(none.status == 3 && none.stdout.contains(r#""reason":"the time limit was reached""#), "{}", none.stdout);
    let verify = treville(&["verify", &study("dekker"), "--flush=1,5,7,11", "--timeout=0.05"]);
    assert!(verify.status == 3 && verify.stdout.contains("the time limit was reached"), "{}", verify.stdout);
    let few = treville(&["verify", &study("dekker"), "--engine=machine", "--flush=all", "--max-states=100"]);
    assert!(few.status == 3 && few.stdout.contains("more than 100 states"), "{}", few.stdout);
}

fn calls_that_mean_nothing_are_refused() {
    let program = study("fig2");
    for (option, status) in [
        ("--engine=enumerate", 3),
        ("--model=tso", 2),
        ("--bound=3", 1),
        ("--property=race", 2),
        ("--cross-check=machine", 2),
        ("--flush=7", 2),
        ("--flush=one", 2),
    ] {
        let run = treville(&["verify", &program, option]);
        assert_eq!(run.status, status, "{option}: {}{}", run.stdout, run.stderr);
    }
    assert_eq!(treville(&["verify", "cases/guide/SB.litmus", "--flush=all"]).status, 2);
    assert_eq!(treville(&["synth", "cases/guide/SB.litmus"]).status, 2);
    assert_eq!(treville(&["explain", &program]).status, 2);
}
