//! Random programs on remote memory: every engine answers as the definition does, and what `synth` proves minimal is.

mod rma_definition;

use rma_definition::{Definition, Slow};
use std::time::Duration;
use treville::base::Cancel;
use treville::report::{Content, VerdictWord};
use treville::task::{Silent, Verdict};
use treville::{Cost, Flushes, MemoryFiles, ModelOptions, Options, RmaOptions, RunOptions, Session, SynthOptions};
use treville_base::{BitSet, FileId};
use treville_rma::Program;
use treville_testkit::seeds;

/// A generator of numbers, the same on every machine.
struct Random(u64);

/// The names of a process, those of the other one, and what each calls the other.
struct Names {
    own: [&'static str; 2],
    other: [&'static str; 2],
    locals: [&'static str; 2],
    me: u8,
    you: u8,
}

/// Small numbers, and the largest that a text can have: sums and loops get beyond 64 bits.
const NUMBERS: &[&str] = &["0", "1", "2", "1", "0", "3", "-1", "2147483647", "-2147483647"];

impl Random {
    fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }

    fn pick<'a>(&mut self, among: &[&'a str]) -> &'a str {
        among[self.below(among.len() as u64) as usize]
    }

    fn stmt(&mut self, names: &Names, deep: bool) -> String {
        let Names { own, other, locals, me, you } = names;
        let (x, z, y, u, v) = (self.pick(own), self.pick(own), self.pick(other), self.pick(locals), self.pick(locals));
        let n = self.pick(NUMBERS);
        match self.below(if deep { 19 } else { 12 }) {
            0 | 1 => format!("load {u} = {x};"),
            2 => format!("store {x} = {n};"),
            3 => format!("store {x} = {u};"),
            4 | 5 => format!("put({y}, {you}, {x});"),
            6 => format!("{x} = get({y}, {you});"),
            7 => format!("{u} = {};", self.pick(&[n, "u + u", "v + 1", "u + v", "v - u"]).replace(['u', 'v'], v)),
            8 => format!("{x} = {}({y}, {you}, {});", self.pick(&["swap", "faa"]), self.below(2)),
            9 => format!("{x} = cas({y}, {you}, {}, {});", self.below(2), self.below(3)),
            // Memory of its own, and perhaps one variable for both.
            10 => match self.below(3) {
                0 => format!("put({z}, {me}, {x});"),
                1 => format!("{x} = get({z}, {me});"),
                _ => format!("{x} = {}({z}, {me}, 1);", self.pick(&["faa", "swap"])),
            },
            11 => match self.below(4) {
                0 => format!("flush({you});"),
                1 => format!("load {u} = E{me}[{v}];"),
                2 => format!("put(E{you}[{v}], {you}, {x});"),
                _ => format!("store E{me}[{v}] = {n};"),
            },
            12 | 13 => {
                let [a, b] = [0, 1].map(|_| self.stmt(names, false));
                format!("if ({u} {} {}) {{ {a} }} else {{ {b} }}", self.pick(&["==", "<", ">="]), self.below(3))
            }
            14 => {
                let body: Vec<String> = (0..1 + self.below(3)).map(|_| self.stmt(names, false)).collect();
                format!("atomic {{ {} }}", body.join(" "))
            }
            15 => format!("choose {{ {u} = 1; }} or {{ {} }}", self.stmt(names, false)),
            16 => format!("do {{ {x} = get({y}, {you}); load {u} = {x}; }} while ({u} != {});", self.below(2)),
            17 => {
                format!("{u} = 0; while ({u} < {}) {{ {u} = {u} + 1; {} }}", 1 + self.below(2), self.stmt(names, false))
            }
            _ => match self.below(3) {
                0 => format!("assume({u} != {});", self.below(2)),
                1 => format!(
                    "{u} = {}; while ({u} > 0) {{ {u} = {u} + {u}; {v} = {v} + 1; if ({v} > {}) {{ {u} = 0; }} }}",
                    1 + self.below(2),
                    2 + self.below(68)
                ),
                _ => format!("assert({u} + {v} != {n});"),
            },
        }
    }

    fn program(&mut self) -> String {
        let of = |me, own, other, locals| Names { own, other, locals, me, you: 3 - me };
        let mut text = String::new();
        for names in [of(1, ["A", "B"], ["C", "D"], ["u", "v"]), of(2, ["C", "D"], ["A", "B"], ["r", "s"])] {
            let init: Vec<&str> = (0..4).map(|_| self.pick(&["0", "0", "1", "2", "2147483647"])).collect();
            let Names { me, own, locals, .. } = &names;
            text += &format!(
                "process {me}: shared {} = {}, {} = {}, E{me}[2] = 0; local {} = {}, {} = 0; ",
                own[0], init[0], own[1], init[1], locals[0], init[2], locals[1]
            );
            for _ in 0..1 + self.below(4) {
                text += &self.stmt(&names, true);
                text.push(' ');
            }
            text += &format!("l{me}: skip; ");
        }
        let [a, b] = [0, 1].map(|_| self.below(3));
        let (x, y) = (self.pick(&["u", "v"]), self.pick(&["r", "s"]));
        text += &match self.below(4) {
            0 => format!("assert final !({x} == {a} && {y} == {b});"),
            1 => format!("assert always !(at(1, l1) && at(2, l2) && {x} == {a});"),
            2 => format!("assert final {x} + {y} != {a};"),
            _ => format!("assert always !(at(1, l1) && {x} == {a} && {y} == {b});"),
        };
        text
    }
}

fn parsed(text: &str) -> Program {
    match treville_lang::rma::parse(FileId(0), "random", text) {
        Ok((program, _)) => program,
        Err(errors) => panic!("{text}: {errors:?}"),
    }
}

fn slow(program: &Program, placement: &BitSet, sequential: bool) -> Slow {
    Definition { program, placement, sequential, most_states: 3000 }.run()
}

/// The same for one of many placements.
fn slow_soon(program: &Program, placement: &BitSet) -> Slow {
    Definition { program, placement, sequential: false, most_states: 500 }.run()
}

fn options(model: &str, engine: &str, flushes: Flushes) -> Options {
    Options {
        model: ModelOptions { name: Some(model.to_owned()), ..ModelOptions::default() },
        run: RunOptions {
            engine: Some(engine.to_owned()),
            max_states: Some(2_000),
            timeout: Some(Duration::from_millis(100)),
            rma: RmaOptions { flushes, ..RmaOptions::default() },
            ..RunOptions::default()
        },
    }
}

fn files(text: &str) -> MemoryFiles {
    MemoryFiles([("random.rma".to_owned(), text.to_owned())].into())
}

/// Slots as people count them.
fn numbers(placement: &BitSet) -> Vec<usize> {
    placement.iter().map(|slot| slot + 1).collect()
}

#[test]
#[expect(clippy::print_stdout, reason = "the seed is part of what the test shows")]
fn engines_answer_as_the_definition_does() {
    let seeds = seeds(40);
    let (mut yes, mut no, mut open) = (0, 0, 0);
    for seed in seeds.clone() {
        let mut random = Random::new(seed);
        let text = random.program();
        let program = parsed(&text);
        let slots = program.slots.len();
        let placement = BitSet::from_members(slots, (0..slots).filter(|_| random.below(2) == 0));
        for (model, sequential) in [("rma", false), ("sc", true)] {
            let defined = slow(&program, &placement, sequential);
            if defined == Slow::Unknown {
                continue;
            }
            for engine in ["machine", "abstract", "auto"] {
                let options = options(model, engine, Flushes::At(numbers(&placement)));
                let files = files(&text);
                let report = Session::new(&files, Cancel::new()).verify("random.rma", &options, &Silent);
                let said = format!(
                    "seed {seed}, {engine} under {model}, flushes {:?}: {:?}, and {defined:?}\n{text}",
                    numbers(&placement),
                    report.verdict()
                );
                match report.verdict() {
                    VerdictWord::Yes => assert_eq!(defined, Slow::Holds { completes: true }, "{said}"),
                    VerdictWord::No => assert_eq!(defined, Slow::Fails, "{said}"),
                    VerdictWord::Unknown => {}
                    other => panic!("{other:?}: {said}"),
                }
                match report.verdict() {
                    VerdictWord::Yes => yes += 1,
                    VerdictWord::No => no += 1,
                    _ => open += 1,
                }
                let Content::Remote(checked) = &report.content else { panic!("{said}") };
                // What is said of SC is right whatever the answer is.
                if let Verdict::Unknown(why) = &checked.verdict
                    && why.to_string().contains("fails under SC")
                {
                    let none = BitSet::new(slots);
                    assert!(!matches!(slow(&program, &none, true), Slow::Holds { .. }), "{why}: {said}");
                }
            }
        }
    }
    println!("seeds {seeds:?}: {yes} yes, {no} no, {open} unknown");
    assert!(yes > 10 && no > 10, "{yes} {no} {open}");
}

/// The cheapest placement that holds, by trying all.
fn cheapest(program: &Program, costs: &[u64]) -> Option<Option<u64>> {
    let n = program.slots.len();
    let mut best: Option<u64> = None;
    for bits in 0..1usize << n {
        let placement = BitSet::from_members(n, (0..n).filter(|slot| bits >> slot & 1 == 1));
        let cost = placement.iter().map(|slot| costs[slot]).sum();
        match slow_soon(program, &placement) {
            Slow::Holds { .. } if best.is_none_or(|best| cost < best) => best = Some(cost),
            Slow::Holds { .. } | Slow::Fails => {}
            Slow::Unknown => return None,
        }
    }
    Some(best)
}

#[test]
#[expect(clippy::print_stdout, reason = "the seed is part of what the test shows")]
fn what_is_proved_minimal_is() {
    let seeds = seeds(40);
    let (mut minimal, mut with_flushes) = (0, 0);
    for seed in seeds.clone() {
        let mut random = Random::new(seed);
        let text = random.program();
        let program = parsed(&text);
        let slots = program.slots.len();
        if !(1..=4).contains(&slots) {
            continue;
        }
        let costs: Vec<u64> = (0..slots).map(|_| 1 + random.below(5)).collect();
        let Some(best) = cheapest(&program, &costs) else { continue };
        let wanted = SynthOptions {
            cost: Cost::Slots(costs.iter().enumerate().map(|(slot, cost)| (slot + 1, *cost)).collect()),
            ..SynthOptions::default()
        };
        let files = files(&text);
        let options = options("rma", "auto", Flushes::None);
        let report = Session::new(&files, Cancel::new()).synthesise("random.rma", &options, &wanted);
        let Ok(found) = &report.content else { continue };
        let said = format!("seed {seed}, costs {costs:?}: {:?}, and {best:?}\n{text}", found.placements);
        for placed in &found.placements {
            let placement = BitSet::from_members(slots, placed.slots.iter().map(|slot| slot - 1));
            assert_ne!(slow(&program, &placement, false), Slow::Fails, "{said}");
        }
        if found.proved {
            assert_eq!(found.placements.first().map(|placed| placed.cost), best, "{said}");
            minimal += 1;
            with_flushes += usize::from(best != Some(0));
        }
        assert!(best.is_none_or(|best| found.lower <= best), "lower {}: {said}", found.lower);
        assert!(found.hopeless.is_none() || best.is_none(), "hopeless: {said}");
    }
    println!("seeds {seeds:?}: {minimal} proved minimal, {with_flushes} of them with flushes");
    assert!(minimal > 0, "{minimal} {with_flushes}");
}
