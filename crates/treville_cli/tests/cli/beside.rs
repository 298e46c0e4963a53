//! Claims in a file beside a program of another language: litmus tests and programs in C.

use crate::common::treville;
use treville_trials::{Trial, of_file};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        of_file("cases/inv/SB.litmus.inv", litmus_tests),
        of_file("cases/inv/addresses.litmus.inv", addresses_in_registers),
        of_file("cases/inv/handover.c.inv", programs_in_c),
        of_file("cases/inv/unsigned.c.inv", unsigned_values),
        of_file("cases/inv/wide.litmus.inv", wide_registers_in_steps_from_everywhere),
        of_file("cases/inv/parts.c.inv", unsigned_parts),
        of_file("cases/inv/returns.c.inv", the_process_ends_with_main),
        of_file("case-studies/peterson/peterson.c.inv", peterson_in_c_as_in_rar),
    ]
}

/// Whether each invariant holds, and each outcome can be reached, from the command line.
fn check(args: &[&str], status: i32, parts: &[&str]) {
    let run = treville(&[&["verify", "--json"], args].concat());
    assert_eq!(run.status, status, "{args:?}: {}{}", run.stdout, run.stderr);
    for part in parts {
        assert!(run.stdout.contains(part), "{args:?}: {part} in {}", run.stdout);
    }
}

fn litmus_tests(sb: &str) {
    let own = r#"{"name":"own","verdict":"yes"}"#;
    let both = |reachable| format!(r#"{{"name":"both_miss","reachable":{reachable}"#);
    let others = r#"{"name":"others","verdict":"no","steps":2}"#;
    check(&[sb], 1, &[r#""model":"tso""#, own, others, &both(true), r#"SB.litmus.inv","line":3"#]);
    check(&[sb, "--model=sc"], 0, &[own, r#"{"name":"others","verdict":"yes"}"#, &both(false)]);
    // Buffers by variable are no weaker here.
    check(&[sb, "--model=pso"], 1, &[own, others, &both(true)]);
}

fn addresses_in_registers(claims: &str) {
    let test = "cases/inv/addresses.litmus";
    check(&[claims, "--model=sc"], 0, &[r#"{"name":"missed","reachable":false}"#]);
    check(&[test, "--engine=machine", "--model=sc"], 1, &[r#""observation":"Never""#]);
    // No machine is usual for its architecture.
    let run = treville(&["verify", claims]);
    assert!(run.status == 2 && run.stderr.contains("a machine has to be named"), "{}", run.stderr);
}

fn programs_in_c(file: &str) {
    let relaxed = "--cflags=-DORDER=memory_order_relaxed";
    let seen = |verdict| format!(r#"{{"name":"seen","verdict":"{verdict}"#);
    let sent = r#"{"name":"sent","reachable":true"#;
    check(&[file], 0, &[r#""model":"rar""#, &seen("yes"), sent]);
    check(&[file, relaxed], 1, &[&seen("no\",\"steps\":7}"), sent]);
    for model in ["sc", "tso", "ra"] {
        check(&[file, relaxed, &format!("--model={model}")], 0, &[&seen("yes"), sent]);
    }
    check(&[file, relaxed, "--model=ra"], 0, &[r#""relative_to":["on ra every access releases or acquires"]"#]);
}

/// Values of unsigned variables have no sign, in claims and in runs.
fn unsigned_values(file: &str) {
    for model in ["sc", "rar", "tso"] {
        check(
            &[file, "--model", model],
            0,
            &[
                r#"{"name":"small","verdict":"yes"}"#,
                r#"{"name":"usmall","verdict":"yes"}"#,
                r#"{"name":"c200","verdict":"yes"}"#,
            ],
        );
    }
}

/// A number that an invariant names is one of each width.
fn wide_registers_in_steps_from_everywhere(file: &str) {
    let parts = [r#"{"name":"n","verdict":"no","steps":1}"#];
    for model in ["sc", "rar"] {
        check(&[file, "--model", model, "--inductive"], 1, &parts);
    }
}

/// Members of structures and elements of arrays have no sign either.
fn unsigned_parts(file: &str) {
    for model in ["sc", "rar", "tso"] {
        let holds = |name: &str| format!(r#"{{"name":"{name}","verdict":"yes"}}"#);
        let holds = ["element", "member", "with_sign"].map(holds);
        check(&[file, "--model", model], 0, &holds.each_ref().map(String::as_str));
    }
}

/// When `main` returns, nobody waits any more, and what was never started does not wait either.
fn the_process_ends_with_main(file: &str) {
    for model in ["sc", "rar", "tso"] {
        let model = format!("--model={model}");
        let early = r#"{"name":"early","reachable":true"#;
        check(&[file, &model, "--property=deadlock"], 0, &[early]);
        check(&[file, &model], 0, &[early]);
        // Without its return, the others wait.
        check(&[file, &model, "--property=deadlock", "--cflags=-DSTAY"], 1, &[r#""kind":"deadlock""#]);
    }
    let run = treville(&["verify", file, "--property=race"]);
    assert!(run.status == 2 && run.stderr.contains("--property race"), "{}", run.stderr);
}

/// The C of the case study has the verdicts of the same program in .rar.
fn peterson_in_c_as_in_rar(file: &str) {
    for (flags, model, verdicts) in [
        ("", "rar", ["yes", "yes", "yes"]),
        ("", "sc", ["yes", "yes", "yes"]),
        ("", "tso", ["yes", "yes", "yes"]),
        ("-DRELAXED_FLAGS", "rar", ["yes", "no", "no"]),
        ("-DRELAXED_FLAGS", "sc", ["yes", "yes", "yes"]),
        ("-DRELAXED_WAIT", "rar", ["yes", "no", "no"]),
        ("-DRELAXED_TURN", "rar", ["no", "no", "no"]),
        ("-DRELAXED_TURN", "sc", ["yes", "yes", "yes"]),
    ] {
        let rows = ["inv3", "inv4", "inv5"].iter().zip(verdicts);
        let rows: Vec<String> = rows.map(|(name, is)| format!(r#"{{"name":"{name}","verdict":"{is}""#)).collect();
        let status = i32::from(verdicts.contains(&"no"));
        let parts: Vec<&str> = rows.iter().map(String::as_str).collect();
        check(&[file, &format!("--cflags={flags}"), &format!("--model={model}")], status, &parts);
    }
}
