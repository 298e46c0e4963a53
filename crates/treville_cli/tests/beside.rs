//! Claims in a file beside a program of another language: litmus tests and programs in C.

mod common;

use common::{has_clang, treville};

/// Whether each invariant holds, and each outcome can be reached, from the command line.
fn check(args: &[&str], status: i32, parts: &[&str]) {
    let run = treville(&[&["verify", "--json"], args].concat());
    assert_eq!(run.status, status, "{args:?}: {}{}", run.stdout, run.stderr);
    for part in parts {
        assert!(run.stdout.contains(part), "{args:?}: {part} in {}", run.stdout);
    }
}

#[test]
fn litmus_tests() {
    let sb = "cases/inv/SB.litmus.inv";
    let own = r#"{"name":"own","verdict":"yes"}"#;
    let both = |reachable| format!(r#"{{"name":"both_miss","reachable":{reachable}"#);
    let others = r#"{"name":"others","verdict":"no","steps":2}"#;
    check(&[sb], 1, &[r#""model":"tso""#, own, others, &both(true), r#"SB.litmus.inv","line":3"#]);
    check(&[sb, "--model=sc"], 0, &[own, r#"{"name":"others","verdict":"yes"}"#, &both(false)]);
    // Buffers by variable are no weaker here.
    check(&[sb, "--model=pso"], 1, &[own, others, &both(true)]);
}

#[test]
fn addresses_in_registers() {
    let test = "cases/inv/addresses.litmus";
    check(&[&format!("{test}.inv"), "--model=sc"], 0, &[r#"{"name":"missed","reachable":false}"#]);
    check(&[test, "--engine=machine", "--model=sc"], 1, &[r#""observation":"Never""#]);
    // No machine is usual for its architecture.
    let run = treville(&["verify", &format!("{test}.inv")]);
    assert!(run.status == 2 && run.stderr.contains("a machine has to be named"), "{}", run.stderr);
}

#[test]
fn programs_in_c() {
    if !has_clang() {
        return;
    }
    let file = "cases/inv/handover.c.inv";
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

/// The C of the case study has the verdicts of the same program in .rar.
/// Values of unsigned variables have no sign, in claims and in runs.
#[test]
fn unsigned_values() {
    if !has_clang() {
        return;
    }
    for model in ["sc", "rar", "tso"] {
        check(
            &["cases/inv/unsigned.c.inv", "--model", model],
            0,
            &[
                r#"{"name":"small","verdict":"yes"}"#,
                r#"{"name":"usmall","verdict":"yes"}"#,
                r#"{"name":"c200","verdict":"yes"}"#,
            ],
        );
    }
}

#[test]
fn peterson_in_c_as_in_rar() {
    if !has_clang() {
        return;
    }
    let file = "case-studies/peterson/peterson.c.inv";
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
