//! Data that decides something: the thesis's tables 4.1 and 4.2.

use super::{Cost, Options};
use std::fmt::Write as _;
use std::io;

/// A list-based set with one lock or one for each node, over all keys.
pub(super) fn sets(options: &Options<'_>, text: &mut String) -> io::Result<()> {
    text.push_str(
        "
## Sets (table 4.1)

A sorted list, two writers and two readers (`listset.c`). With numbers, each of the 256 assignments of 1 to 4 to the four keys is a run of its own,
and has 24 executions, the orders of the critical sections; the row has their sum, and the most memory of one. With handles every comparison
is decided: orders and outcomes combine in 600 ways, which the test `nondet.rs` counts. In plain C, whether a key was found is a value
like others until somebody branches on it.

| locks | keys | executions | blocked | MB | seconds |
| --- | --- | ---: | ---: | ---: | ---: |
",
    );
    for (locks, fine, thesis) in
        [("one", "", ["71", "25.85", "76", "0.64"]), ("one for each node", "-DFINE", ["71", "26.17", "76", "0.66"])]
    {
        let mut all = Cost::default();
        for n in 0..256 {
            let keys = [n % 4, n / 4 % 4, n / 16 % 4, n / 64].map(|k| k + 1);
            let [a, b, c, d] = keys;
            let cost = options.explore("listset", &format!("{fine} -DT1={a} -DT2={b} -DT3={c} -DT4={d}"))?;
            if cost.executions() != (24, 0) {
                println!("listset {fine} {keys:?}: {:?}, not 24 orders", cost.executions());
            }
            all.complete += cost.complete;
            all.blocked += cost.blocked;
            all.cpu += cost.cpu;
            all.peak = all.peak.max(cost.peak);
        }
        let [number_mb, number_s, any_mb, any_s] = thesis;
        row(text, &[locks, "256 × numbers"], &all, Some(["6144", "0", number_mb, number_s]));
        let handles = options.explore("listset", &format!("{fine} -DHANDLES"))?;
        row(text, &[locks, "any, handles"], &handles, Some(["464", "165", any_mb, any_s]));
        let unknown = options.explore("listset", &format!("{fine} -DUNKNOWN"))?;
        row(text, &[locks, "any, plain C"], &unknown, None);
    }
    Ok(())
}

/// The stack of time stamps.
pub(super) fn stamps(options: &Options<'_>, text: &mut String) -> io::Result<()> {
    text.push_str(
        "
## A stack of time stamps (table 4.2)

Two writers push twice each, a reader pops once (`tsstack.c`). Executions in which a stamp is not as assumed are no executions here, and
are not counted; in the thesis they are blocked ones.

| stamps | from | executions | blocked | MB | seconds |
| --- | --- | ---: | ---: | ---: | ---: |
",
    );
    for (stamps, from, flags, thesis) in [
        ("one counter", "numbers", "", ["1418", "24", "125", "1.06"]),
        ("one counter", "any, handles", "-DHANDLES", ["2393", "19165", "132", "17.63"]),
        ("stuttering", "numbers", "-DSTUTTER", ["10171", "76", "76", "4.69"]),
        ("stuttering", "any, handles", "-DHANDLES -DSTUTTER", ["1476", "4829", "125", "4.33"]),
    ] {
        let cost = options.explore("tsstack", flags)?;
        row(text, &[stamps, from], &cost, Some(thesis));
    }
    Ok(())
}

/// A row of a table, with the figures of the thesis in parentheses.
fn row(text: &mut String, names: &[&str], cost: &Cost, thesis: Option<[&str; 4]>) {
    let ours = [
        cost.complete.to_string(),
        cost.blocked.to_string(),
        format!("{:.1}", cost.megabytes()),
        format!("{:.2}", cost.cpu.as_secs_f64()),
    ];
    let cells = ours.into_iter().enumerate().map(|(i, own)| match thesis {
        Some(thesis) => format!("{own} ({})", thesis[i]),
        None => own,
    });
    let cells: Vec<String> = names.iter().map(|name| (*name).to_owned()).chain(cells).collect();
    println!("| {} |", cells.join(" | "));
    let _ = writeln!(text, "| {} |", cells.join(" | "));
}
