//! The programs in case-studies/ get the answers that their comments say: ` * verify OPTIONS… VERDICT`, with the kinds of
//! violation of which one must be found after `no`, and after `yes` how many executions there are, complete and blocked, as `24+0`.

use crate::common::{read, root, treville, words};
use treville_trials::{Needs, Trial, files, relative, trial};

struct Check {
    file: String,
    options: Vec<String>,
    verdict: String,
    kinds: Vec<String>,
    /// Complete and blocked executions.
    counts: Option<(u64, u64)>,
}

pub(crate) fn trials() -> Vec<Trial> {
    let folders = ["locks", "mutex", "nondet", "peterson", "structures"];
    let programs = folders.iter().flat_map(|folder| files(&root().join("case-studies").join(folder), &["c"]));
    let names: Vec<String> = programs.map(|file| relative(&root(), &file)).collect();
    let n_checks: usize = names.iter().map(|name| checks(name).len()).sum();
    assert!(n_checks >= 150, "only {n_checks} answers are said in case-studies");
    let by = |name: &String, kind, wrong: fn(Check) -> Option<String>| {
        let name = name.clone();
        let check = {
            let name = name.clone();
            move || {
                let checks = checks(&name);
                if !["yes", "no"].iter().all(|verdict| checks.iter().any(|check| check.verdict == *verdict)) {
                    return Err("it does not say what is answered yes and what no".to_owned());
                }
                let wrong: Vec<String> = checks.into_iter().filter_map(wrong).collect();
                if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
            }
        };
        trial(name, Needs::Clang, check).with_kind(kind)
    };
    names.iter().flat_map(|name| [by(name, "", |check| answer(&check, &[])), by(name, "bmc", by_bmc)]).collect()
}

/// Whether it takes `bmc` longer than all the rest together, such as locks on each node of a list and three threads on a queue.
fn is_too_much(check: &Check) -> bool {
    let has = |flag: &str| check.options.iter().any(|option| option.contains(flag));
    match check.file.as_str() {
        "case-studies/nondet/listset.c" => has("-DFINE") || has("-DUNKNOWN"),
        "case-studies/nondet/payload.c" => has("-DREADERS=2") && !has("-DQUEUE") && !has("-DHANDLES"),
        "case-studies/nondet/tsstack.c" => has("-DWEAK_TAKE") && !has("-DHANDLES"),
        "case-studies/structures/helped-queue.c" => !has("-DENQUEUERS=2"),
        "case-studies/structures/treiber-counted.c" => !has("-DNO_COUNT") && !has("-DSPLIT"),
        "case-studies/structures/treiber.c" => has("-DPUSHERS=2") && has("-DPOPPERS=2"),
        _ => false,
    }
}

/// The engine that takes programs up to a bound, which grows until nothing is cut, says the same of what it takes.
fn by_bmc(check: Check) -> Option<String> {
    if is_too_much(&check) {
        return None;
    }
    // Executions are not its business: it may count others as blocked.
    answer(&Check { counts: None, ..check }, &["--engine=bmc", "--timeout=300"])
}

/// Why engines for tests do not take programs with words of which halves are accessed, too.
const IN_PARTS: &str = "an atomic access to memory of which parts are accessed by themselves is not supported";

/// Why they do not take the explicit interface to unknown values.
const HANDLES: &str = "a handle of a value that is not determined is not for this engine";

fn checks(name: &str) -> Vec<Check> {
    read(name).lines().filter_map(|line| line.strip_prefix(" * verify")).map(|call| check(name, call)).collect()
}

fn check(file: &str, call: &str) -> Check {
    let mut options = words(call);
    let mut last = options.pop().expect("a verdict");
    let counts = last.split_once('+').and_then(|(n, m)| Some((n.parse().ok()?, m.parse().ok()?)));
    if counts.is_some() {
        last = options.pop().expect("a verdict");
    }
    let (verdict, kinds) = match options.last().map(String::as_str) {
        Some("no") => {
            options.pop();
            ("no".to_owned(), last.split('/').map(str::to_owned).collect())
        }
        _ => (last, Vec::new()),
    };
    Check { file: file.to_owned(), options, verdict, kinds, counts }
}

/// What is wrong with the answer, if something is and the engine takes the program.
fn answer(check: &Check, more: &[&str]) -> Option<String> {
    let mut args = vec!["verify", check.file.as_str(), "--json"];
    args.extend(check.options.iter().map(String::as_str).chain(more.iter().copied()));
    let run = treville(&args);
    let says = |key: &str, value: &str| run.stdout.contains(&format!("\"{key}\":\"{value}\""));
    let status = match check.verdict.as_str() {
        "yes" => 0,
        "no" => 1,
        _ => 3,
    };
    let right = run.status == status
        && says("verdict", &check.verdict)
        && (check.verdict != "no" || check.kinds.iter().any(|kind| says("kind", kind)))
        && check.counts.is_none_or(|(executions, blocked)| {
            run.stdout.contains(&format!("\"executions\":{executions},\"blocked\":{blocked},"))
        });
    let is_taken = more.is_empty() || !says("reason", IN_PARTS) && !run.stdout.contains(HANDLES);
    (!right && is_taken).then(|| format!("{}: {}{}", check.options.join(" "), run.stdout, run.stderr))
}
