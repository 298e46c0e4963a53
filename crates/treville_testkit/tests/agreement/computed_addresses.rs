//! Random tests with wide and narrow accesses at addresses that are read from memory, beside the definition: an access may cover
//! several cells at one place and one cell at another.

use treville_base::Cancel;
use treville_bmc::{Alias, Bmc, Level, Options};
use treville_enumerate::Enumerate;
use treville_task::{Engine, Silent};
use treville_testkit::differ::compare;
use treville_testkit::{Lab, Rng, seeds};

/// An access of 4 or 8 bytes, of the place that a register has.
fn access(rng: &mut Rng, base: &str, to: &str) -> String {
    let (width, at) = rng.pick(&[("W", ""), ("W", ",#4"), ("X", "")]);
    if rng.percent(50) { format!("LDR {width}{to},[{base}{at}]") } else { format!("STR {width}9,[{base}{at}]") }
}

fn test(rng: &mut Rng) -> String {
    let known = rng.pick(&["X4", "X5"]);
    let first = [access(rng, known, "6"), rng.pick(&["STR X5,[X1]", "STR W9,[X4,#4]", "LDR X7,[X5]"]).to_owned()];
    let base = rng.pick(&["X0", "X4"]);
    let second = [access(rng, "X0", "3"), access(rng, base, "6")];
    let mut rows = vec!["P0 | P1 ;".to_owned(), "MOV W9,#1 | LDR X0,[X1] ;".to_owned()];
    rows.extend(first.iter().zip(&second).map(|(a, b)| format!("{a} | {b} ;")));
    let threads = [0, 1].map(|t| format!("{t}:X1=p; {t}:X4=x; {t}:X5=y; uint64_t {t}:X6; uint64_t {t}:X3;")).join(" ");
    let init = format!("uint64_t x=4294967298; uint64_t y; uint64_t p=x; {threads} 1:X9=3;");
    let locations = "locations [x; y; 0:X6; 1:X3; 1:X6;]";
    format!("AArch64 drawn\n{{ {init} }}\n {}\n{locations}\nexists (1:X3=2)\n", rows.join("\n "))
}

#[test]
#[expect(clippy::print_stdout, reason = "the counts are part of what the test shows")]
fn accesses_have_the_same_parts_wherever_they_lie() {
    let seeds = seeds(60);
    let lab = Lab::new();
    let engines: [Box<dyn Engine>; 4] = [
        Box::new(Enumerate::fast()),
        Box::new(Bmc::new(Options::default())),
        Box::new(Bmc::new(Options { level: Level::None, active: false, local: false, ..Options::default() })),
        Box::new(Bmc::new(Options { alias: Alias::None, ..Options::default() })),
    ];
    let (mut compared, mut wrong) = (0, Vec::new());
    for seed in seeds.clone() {
        let text = test(&mut Rng::new(seed));
        let litmus = lab.parse(&text, None).unwrap_or_else(|why| panic!("{why}\n{text}"));
        for model in ["sc", "aarch64"] {
            let linked = lab.link_for(model, &litmus.program).expect("a correct model");
            let task = lab.task(&litmus, &linked, Cancel::new());
            let plain = Enumerate::plain();
            if plain.run(&task, &Silent).stopped.is_some() {
                continue;
            }
            for (i, engine) in engines.iter().enumerate() {
                if engine.run(&task, &Silent).stopped.is_some() {
                    continue;
                }
                compared += 1;
                if let Err(why) = compare(&**engine, &plain, &task, &task, &linked) {
                    wrong.push(format!("seed {seed} under {model}, engine {i}:\n{text}{why}"));
                }
            }
        }
    }
    println!("seeds {seeds:?}, {compared} comparisons");
    assert!(wrong.is_empty(), "{} differ\n{}", wrong.len(), wrong[..wrong.len().min(3)].join("\n\n"));
    assert!(compared as u64 > 2 * (seeds.end - seeds.start), "{compared}");
}
