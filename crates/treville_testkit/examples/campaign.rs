//! Longer campaigns of random litmus tests: `campaign SEED PROGRAMS [MAX-CANDIDATES [DIALECT]] [--engine NAME]` compares an engine
//! (`enumerate`, `explore` or `bmc`) with the definition; `campaign SEED PROGRAMS MAX-CANDIDATES DIALECT FOLDER` writes the programs to
//! a folder instead, for use with other tools.

use std::time::Instant;
use treville_bmc::{Bmc, Options};
use treville_enumerate::Enumerate;
use treville_explore::Explore;
use treville_task::Engine;
use treville_testkit::Lab;
use treville_testkit::campaign::{Plan, run, sketch};
use treville_testkit::random::SYNTAXES;

#[expect(clippy::print_stdout, reason = "it is a program for people")]
fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let option = arguments.iter().position(|a| a == "--engine");
    let engine = option.map(|i| arguments.drain(i..).nth(1).unwrap_or_default());
    let engine: fn() -> Box<dyn Engine> = match engine.as_deref() {
        None | Some("enumerate") => || Box::new(Enumerate::fast()),
        Some("explore") => || Box::new(Explore),
        Some("bmc") => || Box::new(Bmc::new(Options::default())),
        Some(other) => panic!("no engine is called {other}"),
    };
    let number = |i: usize, otherwise: u64| arguments.get(i).and_then(|a| a.parse().ok()).unwrap_or(otherwise);
    let dialect = arguments.get(3).and_then(|name| SYNTAXES.iter().map(|s| s.name()).find(|n| n == name));
    let plan = Plan {
        engine,
        seed: number(0, 1),
        n_programs: number(1, 10_000) as usize,
        n_threads: 2,
        max_candidates: number(2, 1_000) as f64,
        dialect,
    };
    if let Some(folder) = arguments.get(4) {
        for i in 0..plan.n_programs {
            let text = sketch(&plan, i).text().unwrap_or_default();
            let name = format!("{}-{i:05}", dialect.unwrap_or("random"));
            let text = text.replacen(" random\n", &format!(" {name}\n"), 1);
            std::fs::write(format!("{folder}/{name}.litmus"), text).expect("a writable folder");
        }
        return;
    }
    let start = Instant::now();
    let (tally, failures) = run(&Lab::new(), &plan);
    println!("seed {}: {tally}{:.1?}", plan.seed, start.elapsed());
    failures.iter().for_each(|failure| println!("\n{failure}"));
    if !failures.is_empty() {
        std::process::exit(1);
    }
}
