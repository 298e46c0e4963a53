//! Random programs: a declared symmetry that is accepted changes no answer, and views answer as the published graphs do.

use crate::common::{queries, task};
use treville_ir::{Claims, Failure, Program, Prop, Term, Type};
use treville_machine::Machine;
use treville_task::{Answer, Engine, Goal, Limits, Outcome, Query, Reductions, Silent, Task};
use treville_testkit::seeds;

/// A generator of numbers, the same on every machine.
struct Random(u64);

/// What a program is about.
#[derive(Clone, Copy, PartialEq)]
enum About {
    Anything,
    Filling,
    Passing,
    Racing,
}

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

    /// A statement of a thread that calls itself ME and the other one YOU, and has a variable of its own.
    fn stmt(&mut self, nested: bool) -> String {
        let var = self.pick(&["fME", "fYOU", "x", "turn", "turn"]);
        // Mostly as in real algorithms: turns in one register, other numbers in the other one.
        let is_turn = (var == "turn") != (self.below(4) == 0);
        let (r, s) = if is_turn { ("r", "s") } else { ("s", "r") };
        let value =
            self.pick(if is_turn { &["0", "ME", "YOU", "ME", "YOU", "r"] } else { &["-1", "0", "1", "2", "s"] });
        let order = self.pick(&["", "R"]);
        match self.below(if nested { 8 } else { 13 }) {
            0 | 1 => format!("{var} :={order} {value};"),
            2 | 3 => format!("{r} := {var};"),
            4 => format!("{r} := {var}^A;"),
            5 => format!("{r} := {};", self.pick(&[value, value, value, s])),
            6 => format!("{r} := {var}.{}({value})^RA;", self.pick(&["swap", "swap", "faa"])),
            7 => "skip;".to_owned(),
            8 => format!("{var}.cas({}, {value});", self.pick(&["0", "1", "ME", "YOU"])),
            9 => format!("if ({var} == {value}) {{ {} }}", self.stmt(true)),
            10 => format!("{r} := {var}; if ({r} == {value}) {{ {} }}", self.stmt(true)),
            11 => format!("while ({var}^A == {value}) {}", self.pick(&["skip;", "turn.cas(ME, YOU);"])),
            _ => format!("assume({r} != {value});"),
        }
    }

    /// One of few statements: about a register that is filled from several variables, about turns, or about who comes first. In
    /// short programs of them names and values matter.
    fn short_stmt(&mut self, about: About) -> String {
        let all: &[&str] = match about {
            About::Filling => &["r := turn;", "r := turn;", "r := x;", "r := x;", "r := x;", "skip;", "r := 0;"],
            About::Passing => &["turn.cas(0, ME);", "while (1 == 1) turn.cas(ME, YOU);", "skip;", "r := turn;"],
            About::Racing | About::Anything => &[
                "r := turn.swap(YOU)^RA;",
                "assume(r != ME);",
                "r := x.swap(2)^RA;",
                "assume(r != 2);",
                "r := turn;",
                "skip;",
            ],
        };
        self.pick(all).to_owned()
    }

    fn thread(stmts: &[String], me: &str, you: &str) -> String {
        let number = |(i, stmt): (usize, &String)| format!("{}: {stmt} ", i + 1);
        let body: String = stmts.iter().enumerate().map(number).collect();
        format!("thread t{me} {{ r := 0; s := 0; {} }}\n", body.replace("ME", me).replace("YOU", you))
    }

    /// What changes places besides the threads.
    fn exchanges(&mut self) -> String {
        let vars = self.pick(&["f1 <-> f2", "f1 <-> f2", "f1 <-> f2", "f1 <-> f2", "value x 1 <-> 2", ""]);
        let values =
            self.pick(&["value turn 1 <-> 2", "value turn 1 <-> 2", "value turn 1 <-> 2", "value turn 1 <-> -1", ""]);
        let with: Vec<&str> = [vars, values].into_iter().filter(|part| !part.is_empty()).collect();
        with.join(", ")
    }

    /// A claim about registers, places and variables.
    fn invariant(&mut self, name: &str, labels: u64) -> String {
        let (a, b) = (self.below(labels) + 1, self.below(labels) + 1);
        let (t, u) = (self.pick(&["t1", "t2"]), self.pick(&["t1", "t2"]));
        let (r, value) = (self.pick(&["r", "s"]), self.pick(&["-1", "0", "1", "2"]));
        match self.below(4) {
            0 => format!("invariant {name}: pc(t1) == {a} && pc(t2) == {b} => r@{t} != {value};\n"),
            1 => format!("invariant {name}: {r}@t1 + {r}@t2 != {value};\n"),
            2 => format!("invariant {name}: pc({t}) == {a} => definite({u}, turn, {value});\n"),
            _ => format!("invariant {name}: pc({t}) == end => possible({u}, x, {value});\n"),
        }
    }

    /// Claims about one register. At certain places of both threads: a state and its image differ there. Or at any: then threads
    /// need not rest at every place.
    fn short_invariants(&mut self, labels: u64, about: About) -> String {
        if about != About::Filling {
            return format!("invariant i: r@t1 + r@t2 != {};\n", self.pick(&["0", "1", "2", "5"]));
        }
        // If claims are about one thread only, a register is needed in one thread and not in the other.
        let threads: &[&str] = if self.below(3) == 0 { &["t1", "t2"] } else { &["t1"] };
        let claim = |name: &str| {
            let (a, b) = (self.below(labels) + 1, self.below(labels) + 1);
            let (t, value) = (self.pick(threads), self.pick(&["0", "1", "1", "2"]));
            format!("invariant {name}: pc(t1) == {a} && pc(t2) == {b} => r@{t} != {value};\n")
        };
        ["i", "j", "k"].map(claim).concat()
    }

    /// Two threads that are often the same under other names, and what is declared and claimed of them.
    fn program(&mut self) -> String {
        let about = match self.below(6) {
            0..3 => About::Anything,
            3 => About::Filling,
            4 => About::Passing,
            _ => About::Racing,
        };
        let is_short = about != About::Anything;
        let n = 2 + self.below(3);
        let stmts: Vec<String> =
            (0..n).map(|_| if is_short { self.short_stmt(about) } else { self.stmt(false) }).collect();
        let mut others = stmts.clone();
        if !is_short && self.below(3) == 0 {
            let at = self.below(others.len() as u64) as usize;
            others[at] = self.stmt(false);
        }
        let mut text = format!(
            "init f1 = 0, f2 = 0, x = {}, turn = {};\n",
            self.pick(&["0", "1"]),
            self.pick(&["0", "0", "0", "1", "-1"])
        );
        text += &Self::thread(&stmts, "1", "2");
        text += &Self::thread(&others, "2", "1");
        let with = if is_short && self.below(4) != 0 { "value turn 1 <-> 2".to_owned() } else { self.exchanges() };
        let with = if with.is_empty() { with } else { format!(" with {with}") };
        text += &format!("symmetric t1, t2{with};\n");
        if is_short {
            text += &self.short_invariants(n, about);
        } else {
            ["i", "j", "k"].iter().for_each(|name| text += &self.invariant(name, n));
        }
        let (a, b) = (self.pick(&["0", "1", "2"]), self.pick(&["0", "1", "2"]));
        text + &format!("outcome o: r@t1 == {a} && s@t2 == {b};\n")
    }
}

/// The program, if it is one: an exchange may name a value of a variable that also changes places.
fn parsed(text: &str) -> Option<(Program, Claims)> {
    treville_lang::rar::parse(treville_base::FileId(0), "random", text).ok()
}

fn asked(program: Program, claims: &Claims, machine: &str, symmetry: bool) -> Task {
    let plain = task(program, machine);
    let reductions = if symmetry { Reductions::all() } else { plain.reductions };
    // Threads rest at the same places whether the symmetry is used or not.
    let symmetries = claims.symmetries.clone();
    let deadlock = Query { goal: Goal::Failure(Failure::Deadlock) };
    let queries = queries(claims).into_iter().chain([deadlock]).collect();
    let limits = Limits { states: Some(20_000), ..Limits::default() };
    Task { queries, symmetries, reductions, limits, ..plain }
}

/// What a search says, if it has seen all: the lengths of runs, and places that no run comes to.
fn answers(task: &Task) -> Option<(Vec<Option<usize>>, String)> {
    let outcome: Outcome = Machine::default().run(task, &Silent);
    if outcome.stopped.is_some() || outcome.cut {
        return None;
    }
    let length = |answer: &Answer| match answer {
        Answer::Reached(run) => Some(run.steps.len()),
        Answer::Absent(_) => None,
        other => panic!("{other:?}"),
    };
    Some((
        outcome.answers.iter().map(length).collect(),
        format!("{:?} completes {:?}", outcome.unreached, outcome.completes),
    ))
}

#[test]
#[expect(clippy::print_stdout, reason = "the seed is part of what the test shows")]
fn symmetry_changes_no_answer() {
    let seeds = seeds(1500);
    let (mut accepted, mut refused, mut violated) = (0, 0, 0);
    for seed in seeds.clone() {
        let text = Random::new(seed).program();
        let Some((program, claims)) = parsed(&text) else { continue };
        if Machine::default().supports(&asked(program.clone(), &claims, "rar", true)).is_err() {
            refused += 1;
            continue;
        }
        accepted += 1;
        for machine in ["sc", "tso", "pso", "rar"] {
            let [few, all] = [true, false].map(|symmetry| answers(&asked(program.clone(), &claims, machine, symmetry)));
            if let (Some(few), Some(all)) = (few, all) {
                assert_eq!(few, all, "seed {seed} on {machine}:\n{text}");
                violated += usize::from(all.0.iter().any(Option::is_some));
            }
        }
    }
    println!("seeds {seeds:?}: {accepted} accepted, {refused} refused, {violated} with an answer that has a run");
    assert!(accepted > 100 && refused > 100 && violated > 100, "{accepted} {refused} {violated}");
}

/// Values of variables without a sign are what they are with one, modulo 2^32: a claim that says so has the same answer.
#[test]
#[expect(clippy::print_stdout, reason = "the seed is part of what the test shows")]
fn claims_about_values_follow_the_type() {
    let seeds = seeds(300);
    let (mut compared, mut negative) = (0, 0);
    for seed in seeds.clone() {
        let mut random = Random::new(seed);
        let text = random.program();
        let Some(values) = text.find("symmetric").map(|end| text[..end].to_owned()) else { continue };
        let (t, var, n) = (random.pick(&["t1", "t2"]), random.pick(&["x", "turn", "f1"]), random.below(4) as i64 - 1);
        let op = random.pick(&["==", "!=", "<", ">="]);
        let text = format!("{values}invariant i: forall w in OW({t}, {var}): val(w) {op} {n};\n");
        // An order between values is the same for both only where no value is negative.
        let orders = op == "<" || op == ">=";
        if orders && (values.contains('-') || n < 0) || values.contains("while") {
            continue;
        }
        let Some((signed, claims)) = parsed(&text) else { continue };
        let (mut unsigned, mut of_unsigned) = (signed.clone(), claims.clone());
        unsigned.objects.iter_mut().for_each(|object| object.ty = Type::Int { bytes: 4, signed: false });
        for invariant in &mut of_unsigned.invariants {
            let Prop::Writes { body, .. } = &mut invariant.prop else { continue };
            if let Prop::Compare { right, .. } = &mut **body {
                *right = Term::Int(n.rem_euclid(1 << 32));
            }
        }
        for machine in ["sc", "rar"] {
            let [a, b] = [(&signed, &claims), (&unsigned, &of_unsigned)]
                .map(|(program, claims)| answers(&asked(program.clone(), claims, machine, false)));
            if let (Some(a), Some(b)) = (a, b) {
                assert_eq!(a, b, "seed {seed} on {machine}:\n{text}");
                compared += 1;
                negative += usize::from(n < 0);
            }
        }
    }
    println!("seeds {seeds:?}: {compared} compared, {negative} with a negative number");
    assert!(compared > 50 && negative > 10, "{compared} {negative}");
}

#[test]
#[expect(clippy::print_stdout, reason = "the seed is part of what the test shows")]
fn views_answer_as_graphs_do() {
    let seeds = seeds(300);
    let mut compared = 0;
    for seed in seeds.clone() {
        let text = Random::new(seed).program();
        if text.contains("while") {
            continue;
        }
        let Some((program, claims)) = parsed(&text) else { continue };
        let plain = |machine| Task { symmetries: Vec::new(), ..asked(program.clone(), &claims, machine, false) };
        let [views, graphs] = ["rar", "rar-graph"].map(|machine| answers(&plain(machine)));
        if let (Some(views), Some(graphs)) = (views, graphs) {
            assert_eq!(views, graphs, "seed {seed}:\n{text}");
            compared += 1;
        }
    }
    println!("seeds {seeds:?}: {compared} compared");
    assert!(compared > 50, "{compared}");
}
