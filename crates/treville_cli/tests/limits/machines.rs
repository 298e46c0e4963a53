//! Limits hold in the long phases of machines, remote memory, proofs, placements and exports: each call would take far longer.

use crate::common::{root, treville, write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use treville_trials::{Trial, test};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        test!(machines),
        test!(lists_of_writes_of_inductive_invariants),
        test!(remote_memory),
        test!(cubes),
        test!(placements),
        test!(signals),
    ]
}

/// For a call with a limit of one second, on a machine that does other things as well.
const SOON: Duration = Duration::from_secs(4);

fn ends_soon(what: &str, args: &[&str], reason: &str) {
    let start = Instant::now();
    let run = treville(&[args, &["--timeout", "1"]].concat());
    let (took, printed) = (start.elapsed(), format!("{}{}", run.stdout, run.stderr));
    assert!(took < SOON, "{what}: {took:?}\n{printed}");
    assert!(run.status == 3 && printed.contains(reason), "{what}: {} {printed}", run.status);
}

const LATE: &str = "the time limit was reached";

/// Threads that write and read many variables.
const BIG: &str = "cases/rar/export-limits.rar";

fn machines() {
    for machine in ["sc", "tso", "pso", "rar"] {
        ends_soon(machine, &["verify", BIG, "--model", machine], LATE);
    }
    ends_soon("workers", &["verify", BIG, "--threads", "2"], LATE);
    ends_soon("export", &["show", BIG, "--format", "b"], LATE);
}

fn lists_of_writes_of_inductive_invariants() {
    let writes: String = (1..8).map(|i| format!("x :=R {i}; y := {i}; ")).collect();
    let text = format!("init x = 0, y = 0; thread a {{ {writes} }} thread b {{ r := x^A; s := y; }}\n");
    let text = text + "invariant i: forall w in OW(b, x): forall v in OW(b, y): val(w) + val(v) >= 0;\n";
    let file = write("limits/inductive.rar", &text);
    ends_soon("inductive", &["verify", &file, "--inductive", "--max-messages", "12"], LATE);
}

fn remote_memory() {
    let endless = "process 1: shared x = 0; local i = 0, r = 0; while (true) { i = i + 1; store x = i; load r = x; \
                   assert(r != -1); } process 2: shared y = 0; local s = 0; while (true) { s = s + 1; store y = s; \
                   put(x, 1, y); }\n";
    let file = write("limits/endless.rma", endless);
    ends_soon("machine", &["verify", &file, "--engine", "machine", "--max-states", "100000000"], "");
}

/// One step that can go in more ways than there is time, or memory, to list.
#[test]
fn ways_of_one_step() {
    let numbers = "process 1: shared x = 0; local a = 0, b = 0, c = 0; a = ?; b = ?; c = ?; store x = a + b + c; \
                   assert(a >= 0); domain 0..9999;\n";
    let file = write("limits/numbers.rma", numbers);
    ends_soon("numbers", &["verify", &file, "--engine", "machine"], "");
}

/// A proof with so many predicates over so many variables that cubes are looked for until the limit.
fn cubes() {
    let vars: Vec<String> = (0..8).map(|i| format!("v{i}")).collect();
    let sum = |i: usize, sign: &str| format!("{} + {} {sign} {}", vars[i % 8], vars[(i + 3) % 8], vars[(i + 5) % 8]);
    let conditions: String = (0..40)
        .map(|i| format!("if ({} <= {}) {{ {} = {}; }} ", sum(i, "-"), i % 7, vars[i % 8], sum(i + 1, "-")))
        .collect();
    let locals: Vec<String> = vars.iter().map(|v| format!("{v} = ?")).collect();
    let text =
        format!("process 1: shared S = 0; local {}; {conditions} assert({} != 77);\n", locals.join(", "), sum(2, "+"));
    let file = write("limits/cubes.rma", &text);
    ends_soon("cubes", &["verify", &file, "--engine", "abstract"], LATE);
}

fn placements() {
    let start = Instant::now();
    let run = treville(&["synth", "case-studies/rma/bakery.rma", "--timeout", "1"]);
    assert!(start.elapsed() < SOON, "{:?}: {} {}", start.elapsed(), run.status, run.stdout);
}

/// Ctrl-C and the signal that ends processes.
fn signals() {
    for signal in ["-INT", "-TERM"] {
        let child = Command::new(env!("CARGO_BIN_EXE_treville"))
            .args(["verify", BIG, "--timeout", "60"])
            .current_dir(root())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let mut child = child.expect("the binary runs");
        std::thread::sleep(Duration::from_millis(700));
        let start = Instant::now();
        let killed = Command::new("kill").args([signal, &child.id().to_string()]).status();
        assert!(killed.is_ok_and(|status| status.success()));
        let ended = child.wait().expect("it ends");
        assert!(start.elapsed() < SOON, "{signal}: {:?}, {ended}", start.elapsed());
        assert!(ended.code() != Some(0), "{ended}");
    }
}
