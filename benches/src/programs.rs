//! Programs in C: how many executions a second are explored, complete ones and blocked ones, and beside it the same by a peer
//! that explores execution graphs too (GenMC), in the same run.

use crate::process::run;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// A program, with the sizes that make it last.
struct Bench {
    file: &'static str,
    sizes: &'static str,
    /// What the peer has to be told besides.
    peer: &'static [&'static str],
}

const fn bench(file: &'static str, sizes: &'static str) -> Bench {
    Bench { file, sizes, peer: &[] }
}

const BENCHES: &[Bench] = &[
    bench("case-studies/structures/treiber.c", "-DPUSHERS=4 -DPOPPERS=3"),
    bench("case-studies/structures/msqueue.c", "-DENQUEUERS=4 -DDEQUEUERS=1"),
    bench("case-studies/structures/mpmc.c", "-DPRODUCERS=4 -DCONSUMERS=3"),
    bench("case-studies/structures/deque.c", "-DTHIEVES=4"),
    bench("case-studies/locks/ticket.c", "-DN=8"),
    // It takes writes that nothing orders for a mistake of the program otherwise.
    Bench { file: "case-studies/locks/ttas.c", sizes: "-DN=5", peer: &["--disable-ipr"] },
    bench("case-studies/locks/mcs.c", "-DN=5"),
    bench("case-studies/locks/clh.c", "-DN=7"),
    bench("case-studies/locks/rwlock.c", "-DREADERS=3 -DWRITERS=3"),
    bench("benches/programs/counter.c", "-DN=9"),
    bench("benches/programs/exchange.c", "-DN=6"),
    bench("benches/programs/fibonacci.c", "-DN=6"),
    bench("benches/programs/ring.c", "-DN=16"),
    bench("benches/programs/readers.c", "-DN=11"),
];

pub(crate) struct Options<'a> {
    pub(crate) bin: &'a Path,
    pub(crate) peer: Option<&'a Path>,
    /// Where the programs are.
    pub(crate) root: &'a Path,
    pub(crate) limit: u64,
    pub(crate) threads: u32,
}

/// What a tool has explored.
pub(crate) struct Explored {
    pub(crate) complete: u64,
    pub(crate) blocked: u64,
    pub(crate) cpu: Duration,
    pub(crate) wall: Duration,
}

impl Explored {
    /// Executions in a second of CPU.
    fn rate(&self) -> f64 {
        (self.complete + self.blocked) as f64 / self.cpu.as_secs_f64().max(1e-3)
    }
}

/// Prints a line for each program whose file name contains one of the words, or for all.
pub(crate) fn programs(options: &Options<'_>, words: &[String]) -> io::Result<()> {
    println!(
        "{:<22} {:>10} {:>10} {:>8} {:>8} {:>10}   {:>10} {:>10} {:>8} {:>10}   {:>6}",
        "program",
        "complete",
        "blocked",
        "cpu s",
        "wall s",
        "a second",
        "peer's",
        "blocked",
        "cpu s",
        "a second",
        "ratio"
    );
    for bench in BENCHES {
        let name = Path::new(bench.file).file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        if !words.is_empty() && !words.iter().any(|w| name.contains(w.as_str())) {
            continue;
        }
        let Some(ours) = ours(options, bench)? else {
            println!("{name:<22} not explored within the limit");
            continue;
        };
        let (cpu, wall) = (ours.cpu.as_secs_f64(), ours.wall.as_secs_f64());
        print!("{name:<22} {:>10} {:>10} {cpu:>8.2} {wall:>8.2} {:>10.0}", ours.complete, ours.blocked, ours.rate());
        if let Some(theirs) = theirs(options, bench)? {
            let (cpu, ratio) = (theirs.cpu.as_secs_f64(), ours.rate() / theirs.rate());
            print!(
                "   {:>10} {:>10} {cpu:>8.2} {:>10.0}   {ratio:>6.1}",
                theirs.complete,
                theirs.blocked,
                theirs.rate()
            );
        }
        println!();
    }
    Ok(())
}

fn file(options: &Options<'_>, bench: &Bench) -> PathBuf {
    options.root.join(bench.file)
}

fn ours(options: &Options<'_>, bench: &Bench) -> io::Result<Option<Explored>> {
    let mut command = Command::new(options.bin);
    command.arg("verify").arg(file(options, bench)).args(["--json", "--symmetry", "off"]);
    command.args(["--threads", &options.threads.to_string(), &format!("--cflags={}", bench.sizes)]);
    let done = run(&mut command, Some(options.limit))?;
    let number = |key: &str| number_after(&done.stdout, &format!("\"{key}\":"));
    let explored = |complete, blocked| Explored { complete, blocked, cpu: done.cpu, wall: done.wall };
    Ok(number("executions").zip(number("blocked")).map(|(complete, blocked)| explored(complete, blocked)))
}

fn theirs(options: &Options<'_>, bench: &Bench) -> io::Result<Option<Explored>> {
    let Some(peer) = options.peer else { return Ok(None) };
    let mut command = genmc(peer);
    command.args(bench.peer).arg("--").args(bench.sizes.split_whitespace()).arg(file(options, bench));
    explored_by_genmc(&mut command, options.limit)
}

/// A call of GenMC that explores as treville does: without guesses beforehand, and with all of equal threads.
pub(crate) fn genmc(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.args(["--rc11", "--disable-mm-detector", "--disable-estimation", "--disable-sr"]);
    command
}

/// What a call of GenMC has explored, if it came to its end.
pub(crate) fn explored_by_genmc(command: &mut Command, limit: u64) -> io::Result<Option<Explored>> {
    let done = run(command, Some(limit))?;
    let blocked = number_after(&done.stdout, "blocked executions seen: ").unwrap_or(0);
    let complete = number_after(&done.stdout, "complete executions explored: ");
    let complete = complete.filter(|_| !done.stdout.contains("Verification unsuccessful"));
    Ok(complete.map(|complete| Explored { complete, blocked, cpu: done.cpu, wall: done.wall }))
}

/// The number that follows some words in a text.
pub(crate) fn number_after(text: &str, words: &str) -> Option<u64> {
    let (_, rest) = text.split_once(words)?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_in_both_outputs() {
        assert_eq!(number_after(r#"{"executions":12,"blocked":3}"#, "\"blocked\":"), Some(3));
        assert_eq!(number_after("Number of complete executions explored: 7\n", "executions explored: "), Some(7));
        assert_eq!(number_after("no", "yes"), None);
    }

    #[test]
    fn every_program_is_there() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
        for bench in BENCHES {
            assert!(root.join(bench.file).exists(), "{}", bench.file);
        }
    }
}
