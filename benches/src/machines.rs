//! Programs on machines: how many states a second are visited, and how many bytes each takes.

use crate::process::run;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

/// A lock that some threads take on a machine.
struct Bench {
    name: &'static str,
    model: &'static str,
    n_threads: usize,
    /// Threads take the lock again and again, not once.
    again: bool,
    more: &'static [&'static str],
}

const BENCHES: &[Bench] = &[
    Bench { name: "peterson-rar", model: "rar", n_threads: 2, again: true, more: &["--max-messages", "60"] },
    Bench { name: "filter-3-rar", model: "rar", n_threads: 3, again: false, more: &[] },
    Bench { name: "filter-3-again-rar", model: "rar", n_threads: 3, again: true, more: &["--max-messages", "4"] },
    Bench { name: "filter-4-again-sc", model: "sc", n_threads: 4, again: true, more: &[] },
    Bench { name: "filter-4-again-tso", model: "tso", n_threads: 4, again: true, more: &[] },
    Bench { name: "filter-5-sc", model: "sc", n_threads: 5, again: false, more: &[] },
    Bench { name: "filter-5-again-sc", model: "sc", n_threads: 5, again: true, more: &[] },
];

pub(crate) struct Options<'a> {
    pub(crate) bin: &'a Path,
    pub(crate) limit: u64,
    pub(crate) threads: u32,
    /// Where programs are written.
    pub(crate) out: &'a Path,
}

/// Prints a line for each program whose name contains one of the words, or for all.
pub(crate) fn machines(options: &Options<'_>, words: &[String]) -> io::Result<()> {
    println!(
        "{:<20} {:>10} {:>12} {:>8} {:>8} {:>14} {:>12}",
        "program", "states", "transitions", "cpu s", "wall s", "states/s (cpu)", "bytes/state"
    );
    for bench in BENCHES.iter().filter(|bench| words.is_empty() || words.iter().any(|w| bench.name.contains(w))) {
        let path = options.out.join(format!("{}.rar", bench.name));
        fs::write(&path, filter(bench.n_threads, bench.again))?;
        let mut command = Command::new(options.bin);
        command.arg("verify").arg(&path).args(["--model", bench.model, "--json", "--stats", "--symmetry", "off"]);
        command.args(["--threads", &options.threads.to_string()]).args(bench.more);
        let done = run(&mut command, Some(options.limit))?;
        let number = |key: &str| crate::programs::number_after(&done.stdout, &format!("\"{key}\":"));
        let (Some(states), Some(transitions)) = (number("states"), number("transitions")) else {
            println!("{:<20} not done within the limit", bench.name);
            continue;
        };
        let (cpu, wall) = (done.cpu.as_secs_f64(), done.wall.as_secs_f64());
        let (rate, bytes) = (states as f64 / cpu.max(1e-3), number("bytes_per_state").unwrap_or(0));
        println!("{:<20} {states:>10} {transitions:>12} {cpu:>8.2} {wall:>8.2} {rate:>14.0} {bytes:>12}", bench.name);
    }
    Ok(())
}

/// The filter lock of n threads; of two it is Peterson's.
fn filter(n: usize, again: bool) -> String {
    let levels = (1..=n).map(|i| format!("level{i} = 0"));
    let victims = (1..n).map(|l| format!("victim{l} = 0"));
    let mut text = format!("init {};\n", levels.chain(victims).collect::<Vec<_>>().join(", "));
    for i in 1..=n {
        let _ = writeln!(text, "\nthread t{i} {{{}", if again { " while (true) {" } else { "" });
        for l in 1..n {
            let others = (1..=n).filter(|k| *k != i).map(|k| format!("level{k}^A >= {l}"));
            let ahead = others.collect::<Vec<_>>().join(" || ");
            let _ = writeln!(text, "  level{i} := {l};\n  victim{l}.swap({i});");
            let _ = writeln!(text, "  while (({ahead}) && victim{l}^A == {i}) skip;");
        }
        let _ = writeln!(text, "  cs: skip;\n  level{i} :=R 0;\n{}}}", if again { "} " } else { "" });
    }
    text.push_str("\ninvariant mutex: forall p in threads: forall q in threads \\ p: pc(p) != cs || pc(q) != cs;\n");
    text
}
