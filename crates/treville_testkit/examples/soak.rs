//! Random programs in C, compared across engines and reductions. Programs on which answers contradict each other are shrunk and
//! written to a folder.

use std::time::{Duration, Instant};
use treville_testkit::programs::draw::Profile;
use treville_testkit::programs::print::file;
use treville_testkit::programs::soak::{Event, Plan, of_seed, run};

const USAGE: &str =
    "soak FROM TO [OPTION]…: compares engines and reductions on random C programs with the seeds FROM up to TO

  --profile P   only programs of this profile
  --engines E,… only these engines
  --threads N   workers
  --most N      stop after so many differences
  --effort N    of each run of an engine
  --seconds S   start no batch after so long
  --out FOLDER  write differences there
  --no-shrink   leave programs that show a difference as they are
  --show        print the programs instead of running them";

/// The options that have a value.
const VALUES: &[&str] = &["--profile", "--engines", "--threads", "--most", "--effort", "--seconds", "--out"];

/// Whether a call is one that the usage describes.
fn is_call(arguments: &[String]) -> bool {
    let [from, to, options @ ..] = arguments else { return false };
    let mut options = options.iter();
    while let Some(option) = options.next() {
        let known = match VALUES.contains(&option.as_str()) {
            true => options.next().is_some(),
            false => ["--no-shrink", "--show"].contains(&option.as_str()),
        };
        if !known {
            return false;
        }
    }
    [from, to].iter().all(|n| n.parse::<u64>().is_ok())
}

#[expect(clippy::print_stdout, reason = "it is a program for people")]
fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if !is_call(&arguments) {
        println!("{USAGE}");
        std::process::exit(2);
    }
    let number = |i: usize, otherwise: u64| arguments.get(i).and_then(|a| a.parse().ok()).unwrap_or(otherwise);
    let option = |name: &str| arguments.iter().position(|a| a == name).and_then(|i| arguments.get(i + 1));
    let has = |name: &str| arguments.iter().any(|a| a == name);
    let (from, to) = (number(0, 1), number(1, 1_001));
    let mut plan = Plan::new(from..to);
    plan.profile = option("--profile").and_then(|name| Profile::named(name));
    plan.n_threads = option("--threads").and_then(|n| n.parse().ok()).unwrap_or(1);
    plan.most_differences = option("--most").and_then(|n| n.parse().ok()).unwrap_or(3);
    plan.effort = option("--effort").and_then(|n| n.parse().ok()).unwrap_or(plan.effort);
    plan.engines = option("--engines").map_or_else(Vec::new, |all| all.split(',').map(str::to_owned).collect());
    plan.time = option("--seconds").and_then(|n| n.parse().ok()).map(Duration::from_secs);
    plan.shrinks = !has("--no-shrink");
    if has("--show") {
        for seed in plan.seeds.clone() {
            let drawn = of_seed(seed, plan.profile);
            println!(
                "// Seed {seed}, profile {}, model {}\n{}",
                drawn.profile.name(),
                drawn.model,
                file(&drawn.program)
            );
        }
        return;
    }
    let folder = option("--out");
    if let Some(folder) = folder {
        std::fs::create_dir_all(folder).expect("a writable folder");
    }
    let start = Instant::now();
    println!("seeds {from} to {to}");
    let (tally, findings) = run(&plan, &|event| match event {
        Event::Found(finding) => {
            println!("{}", finding.text);
            if let Some(folder) = folder {
                let name = format!("{folder}/{}-{}.c", finding.drawn.profile.name(), finding.drawn.seed);
                std::fs::write(name, &finding.text).expect("a writable folder");
            }
        }
        Event::Slow(seed, way, time) => println!("seed {seed}: {way} takes {time:.1?}"),
        Event::Batch(seed, n) => println!("batch from {seed} done, {n} programs, {:.1?}", start.elapsed()),
    });
    println!("{tally}{} differences, {:.1?}", findings.len(), start.elapsed());
    if !findings.is_empty() {
        std::process::exit(1);
    }
}
