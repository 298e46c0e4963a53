//! Random programs on remote memory: every engine answers as the definition does, and what `synth` proves minimal is.

use crate::rma_definition::{Definition, Slow};
use treville_base::{BitSet, FileId};
use treville_rma::Program;
use treville_testkit::seeds;
use treville_verifier::base::Cancel;
use treville_verifier::task::{Silent, Verdict, VerdictKind};
use treville_verifier::{
    Cost, Flushes, MemoryFiles, ModelOptions, Options, RmaOptions, RunOptions, Session, SynthOptions,
};

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
            _ => match self.below(5) {
                0 => format!("assume({u} != {});", self.below(2)),
                // It may run in a circle, and nobody but its process notices.
                2 => format!("while ({u} == {}) skip;", self.below(2)),
                3 => format!("if ({u} == {}) while ({v} < 5) {v} = 1 - {v};", self.below(2)),
                1 => format!(
                    "{u} = {}; while ({u} > 0) {{ {u} = {u} + {u}; {v} = {v} + 1; if ({v} > {}) {{ {u} = 0; }} }}",
                    1 + self.below(2),
                    2 + self.below(68)
                ),
                _ => format!("assert({u} + {v} != {n});"),
            },
        }
    }

    /// A program of any statements, or a short one in which a few of them matter.
    fn program(&mut self) -> String {
        match self.below(16) {
            0..3 => self.conditions(),
            3..6 => self.own_variable(),
            6..8 => self.large_numbers(),
            8..10 => self.blocks(),
            10..12 => self.message(),
            12 => self.circle(),
            _ => self.statements(),
        }
    }

    /// One process, whose assertion follows from several conditions, or from local statements alone.
    fn conditions(&mut self) -> String {
        let mut body = String::new();
        for _ in 0..1 + self.below(4) {
            body += self.pick(&[
                "load z = S; ",
                "load z = S; ",
                "assume(n >= 0); ",
                "assume(i < n); ",
                "i = i + 1; ",
                "i = n; ",
                "y = i; ",
                "store S = i; ",
                "while (i < n) { i = i + 1; } ",
                "if (n > i) { y = n; } else { y = i; } ",
            ]);
        }
        let n = self.pick(&["-2..2", "0..2", "{-1, 1}", "1"]);
        let claim = self.pick(&["i <= n", "i >= 0", "y > 0", "y >= i", "i == n", "i > z"]);
        format!("process 1: shared S = 0; local i = {}, n = {n}, y = 1, z = 0; {body}assert({claim});", self.below(2))
    }

    /// A process that may run in a circle without a look at memory, after something that the other one may see.
    fn circle(&mut self) -> String {
        let get = self.pick(&["x = get(y, 2); flush(2);", "x = get(y, 2);", ""]);
        let before =
            self.pick(&["store y = 1;", "put(x, 1, y);", "put(x, 1, y); flush(1);", "atomic { store y = 1; }"]);
        let circle = self.pick(&[
            "while (true) skip;",
            "while (k == 0) skip;",
            "do { k = 1 - k; k = 1 - k; } while (k == 1);",
            "if (k == 1) { L: assume(k == 1); goto L; }",
            "choose { L: goto L; } or { k = 1; }",
        ]);
        format!(
            "process 1: shared x = 0; local r = 0; {get} load r = x; assert(r != {}); \
             process 2: shared y = {}; local k = {}; {before} {circle} store y = 2;",
            self.below(3),
            self.below(3),
            self.pick(&["0", "1", "0..1"])
        )
    }

    /// A remote operation on memory of its own, perhaps with one variable as source and target.
    fn own_variable(&mut self) -> String {
        let (a, b) = (self.pick(&["x", "x", "x", "w"]), self.pick(&["x", "x", "x", "w"]));
        let operation = match self.below(4) {
            0 => format!("{a} = get({b}, 1);"),
            1 => format!("{a} = cas({b}, 1, {}, 2);", self.below(2)),
            _ => format!("{a} = {}({b}, 1, {});", self.pick(&["faa", "swap"]), 1 + self.below(2)),
        };
        let flush = self.pick(&["flush(1);", "flush(1);", ""]);
        let (n, op) = (self.below(3), self.pick(&["==", "!="]));
        format!(
            "process 1: shared x = {}, w = 1; local r = 0; {operation} {flush} load r = {}; assert(r {op} {n});",
            // Some ways to begin complete, and others fail.
            self.pick(&["0", "1", "0..1", "0..1", "0..2"]),
            self.pick(&["x", "x", "w"])
        )
    }

    /// A number that gets beyond what 32, 64 or 128 bits hold.
    fn large_numbers(&mut self) -> String {
        let rounds = self.pick(&["4", "30", "33", "62", "64", "70", "70", "126", "130"]);
        let step = self.pick(&["a + a", "a + a", "a + a + 1", "a - a - a"]);
        let (n, op) = (self.pick(&["0", "0", "1", "16", "-1"]), self.pick(&["==", "==", "!=", ">"]));
        let local = format!("while (i < {rounds}) {{ a = {step}; i = i + 1; }}");
        let remote =
            self.pick(&["store x = a; load a = x;", "store x = a; x = faa(x, 1, 1); flush(1); load a = x;", ""]);
        // What stays 0 completes whatever becomes of the other.
        let a = self.pick(&["1", "0..1", "0..1"]);
        format!("process 1: shared x = 0; local a = {a}, i = 0; {local} {remote} assert(a {op} {n});")
    }

    /// A block that is not interrupted, in which an operation is issued whose effect the other process looks at. It waits for what
    /// comes after the block, or its values count at the end.
    fn blocks(&mut self) -> String {
        let (g, r) = (self.pick(&["g = get(a, 2); flush(2);", "g = get(a, 2);", ""]), self.pick(&["r", "r", "d"]));
        let reads = self.pick(&["load r = g; load q = b;", "load q = b; load r = g;"]);
        let waits = self.pick(&["while (d == 0) load d = c;", "while (d == 0) load d = c;", "load d = c;"]);
        let block = self.pick(&[
            "atomic { store a = 1; put(b, 1, a); }",
            "atomic { store a = 1; put(b, 1, a); }",
            "atomic { put(b, 1, one); store a = 1; }",
            "store a = 1; put(b, 1, a);",
        ]);
        let flush = self.pick(&["", "flush(1);"]);
        // Perhaps something else must go wrong as well, which a flush elsewhere prevents.
        let (before, puts, holds) = match self.below(2) {
            0 => ("load rn = n; load rm = m;", "put(m, 1, one); put(n, 1, one);", "|| rn == 0 || rm == 1"),
            _ => ("", "", ""),
        };
        let holds = format!("{r} == 0 || q == 1 {holds}");
        // Few states are left where nobody waits.
        let (waits, tells, at_the_end) = match self.below(2) {
            0 => (format!("{waits} assert({holds});"), self.pick(&["put(c, 1, one);", "put(c, 1, a);"]), String::new()),
            _ => (String::new(), "", format!("assert final {holds};")),
        };
        format!(
            "process 1: shared b = 0, c = 0, g = 0, m = 0, n = 0; local r = 0, q = 0, d = 0, rn = 0, rm = 0; \
             {before} {g} {reads} {waits} process 2: shared a = 0, one = 1; {puts} {block} {flush} {tells} {at_the_end}"
        )
    }

    /// Two writes to the other process, of which the second tells of the first, with a flush between them or not.
    fn message(&mut self) -> String {
        let first = self.pick(&["put(C, 2, A);", "put(C, 2, A);", "B = faa(C, 2, 1);", "B = swap(C, 2, 1);"]);
        let flush = self.pick(&["flush(2);", "flush(2);", "flush(2);", ""]);
        let second = self.pick(&["put(D, 2, A);", "put(D, 2, A);", "B = swap(D, 2, 1);"]);
        let reads = self.pick(&["load r = D; load s = C;", "load r = D; load s = C;", "load s = C; load r = D;"]);
        format!(
            "process 1: shared A = 1, B = 0; {first} {flush} {second} \
             process 2: shared C = 0, D = 0; local r = 0, s = 0; {reads} assert(r == 0 || s == {});",
            self.pick(&["1", "1", "0"])
        )
    }

    fn statements(&mut self) -> String {
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
    Definition { program, placement, sequential: false, most_states: 2000 }.run()
}

/// How often an engine may look whether it is to stop.
const EFFORT: u64 = 2_000;

fn options(model: &str, engine: &str, flushes: Flushes) -> Options {
    Options {
        model: ModelOptions { name: Some(model.to_owned()), ..ModelOptions::default() },
        run: RunOptions {
            engine: Some(engine.to_owned()),
            max_states: Some(2_000),
            effort: Some(EFFORT),
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
                    VerdictKind::Yes => assert_eq!(defined, Slow::Holds { completes: true }, "{said}"),
                    VerdictKind::No => assert_eq!(defined, Slow::Fails, "{said}"),
                    VerdictKind::Unknown => {}
                    other => panic!("{other:?}: {said}"),
                }
                match report.verdict() {
                    VerdictKind::Yes => yes += 1,
                    VerdictKind::No => no += 1,
                    _ => open += 1,
                }
                let Some(checked) = report.finding() else { panic!("{said}") };
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
        if !(1..=5).contains(&slots) {
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
