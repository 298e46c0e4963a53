//! Random programs with locks: what the reductions leave out is found all the same, and nothing twice.

use super::{Random, options, run};
use crate::graph::INIT;
use crate::search::{CompleteExecution, Explored, Options};
use std::collections::BTreeSet;
use treville_base::FileId;
use treville_ir::{Failure, Program, text};
use treville_task::{Reduction, Reductions};

const HEADER: &str = "program test dialect C rc11 fused po_inside sets []\n\
    object x size 4\nobject y size 4\nobject l size 4\nobject m size 4\n";

/// A function that takes and releases locks, with accesses in between.
struct Body<'r> {
    random: &'r mut Random,
    text: String,
    blocks: u32,
    held: Vec<&'static str>,
}

impl Body<'_> {
    fn line(&mut self, line: &str) {
        self.text += &format!("  {line}\n");
    }

    fn open(&mut self) -> u32 {
        self.blocks += 1;
        self.blocks
    }

    fn statement(&mut self, depth: u32) {
        match self.random.below(12) {
            0..=2 => self.acquire(),
            3 | 4 => self.release(),
            5 if depth == 0 => self.attempt(),
            6 | 7 if depth == 0 => self.branch(),
            _ => self.access(),
        }
    }

    fn access(&mut self) {
        let (at, reg) = (self.random.of(&["&x", "&y"]), self.random.of(&["a", "b"]));
        let line = match self.random.below(5) {
            0 | 1 => format!("{reg} = load {at} 4 [{}]", self.random.of(&["RLX", "ACQ"])),
            2 => format!("store {at} {}:32 4 [{}]", 1 + self.random.below(2), self.random.of(&["RLX", "REL"])),
            3 => format!("store {at} (add {reg} 1:32) 4 [RLX]"),
            _ => format!("{reg} = update {at} 4 (add {reg} 1:32) [RLX] [RLX] [RLX] [RLX]"),
        };
        self.line(&line);
    }

    fn acquire(&mut self) {
        let lock = self.random.of(&["&l", "&l", "&m"]);
        if !self.held.contains(&lock) {
            self.line(&format!("lock acquire {lock} 4"));
            self.held.push(lock);
        }
    }

    fn release(&mut self) {
        if !self.held.is_empty() {
            let at = self.random.below(self.held.len() as u64) as usize;
            let lock = self.held.remove(at);
            self.line(&format!("lock release {lock} 4"));
        }
    }

    /// Tries a lock, and if that succeeds does something with it.
    fn attempt(&mut self) {
        let lock = self.random.of(&["&l", "&m"]);
        if self.held.contains(&lock) {
            return;
        }
        let (then, on) = (self.open(), self.open());
        self.line(&format!("c = lock try {lock} 4"));
        self.line(&format!("branch (eq c 0:32) b{on} b{then}"));
        self.text += &format!("b{then}:\n");
        self.access();
        self.line(&format!("lock release {lock} 4"));
        self.line(&format!("goto b{on}"));
        self.text += &format!("b{on}:\n");
    }

    /// Does something only if what was read says so.
    fn branch(&mut self) {
        let (then, on) = (self.open(), self.open());
        let reg = self.random.of(&["a", "b"]);
        self.line(&format!("branch (eq {reg} 0:32) b{on} b{then}"));
        self.text += &format!("b{then}:\n");
        let held = self.held.clone();
        (0..=self.random.below(2)).for_each(|_| self.access());
        self.held = held;
        self.line(&format!("goto b{on}"));
        self.text += &format!("b{on}:\n");
    }
}

/// Two to four threads, some of which end with a lock that they hold.
fn random_program(random: &mut Random) -> (String, Program) {
    let threads = 2 + random.below(3);
    let mut out = HEADER.to_owned();
    for t in 0..threads {
        let mut body = Body { random, text: String::new(), blocks: 0, held: Vec::new() };
        let most = 7 - threads;
        let statements = 2 + body.random.below(most);
        (0..statements).for_each(|_| body.statement(0));
        while !body.held.is_empty() && body.random.below(8) != 0 {
            body.release();
        }
        out += &format!("func f{t} () regs [a:32 b:32 c:32] {{\nb0:\n{}  return 0:64\n}}\n", body.text);
    }
    let spawns: String = (0..threads).map(|t| format!("  h = spawn f{t} ()\n")).collect();
    out += &format!("func main () regs [h:64] {{\nb0:\n{spawns}  return 0:64\n}}\nthread P0 main []\n");
    let program = text::parse(FileId(0), &out).unwrap_or_else(|why| panic!("{why:?}\n{out}"));
    (out, program)
}

/// An execution: the events of all threads with their sources, and coherence. Locations have other numbers in other runs.
fn described(ended: &CompleteExecution<'_>) -> String {
    let graph = &ended.execution.graph;
    let event = |e: u32| (e != INIT).then(|| (graph.label(e).thread, graph.label(e).pos));
    let mut out = String::new();
    for thread in &graph.threads {
        for label in thread.events.iter().map(|e| graph.label(*e)) {
            let place = ended.execution.locations.places.get(label.loc as usize).map(|place| place.addr);
            out += &format!("{:?} {place:?} {:?};", label.kind, label.kind.reads().then(|| event(label.rf)));
        }
        out.push('|');
    }
    let places = ended.execution.locations.places.iter().map(|place| place.addr);
    let mut orders: Vec<_> = places.zip(&graph.locations).filter(|(_, l)| !l.writes.is_empty()).collect();
    orders.sort_by_key(|(place, _)| *place);
    for (place, location) in orders {
        out += &format!("{place} {:?}", location.writes.iter().map(|w| event(*w)).collect::<Vec<_>>());
    }
    out
}

/// The complete executions, and how they were explored.
fn complete(program: &Program, model: &str, reductions: Reductions) -> (BTreeSet<String>, Explored) {
    let options = Options { reductions, properties: BTreeSet::new(), ..options() };
    let mut found = BTreeSet::new();
    let explored = run(program, model, &options, &mut |ended| {
        found.insert(described(ended));
    });
    (found, explored)
}

fn has_deadlock(program: &Program, model: &str, reductions: Reductions) -> bool {
    let properties = [Failure::Deadlock].into_iter().collect();
    let options = Options { reductions, properties, ..options() };
    run(program, model, &options, &mut |_| {}).violation.is_some()
}

/// Compares so many programs; the figures are how many have several executions, and how many executions waited.
fn compare(seed: u64, programs: u32) -> (u32, u64, u64) {
    let mut random = Random(seed);
    let reduced = Reductions::all().without(Reduction::Symmetry);
    let (mut several, mut waiting, mut plain_waiting) = (0, 0, 0);
    for n in 0..programs {
        let (text, program) = random_program(&mut random);
        let model = ["sc", "tso", "ra", "rc11"][n as usize % 4];
        let (all, plain) = complete(&program, model, Reductions::NONE);
        let (found, explored) = complete(&program, model, reduced);
        assert_eq!((plain.complete, explored.complete), (all.len() as u64, found.len() as u64), "{model}\n{text}");
        assert_eq!((found.difference(&all).count(), all.difference(&found).count()), (0, 0), "{model}\n{text}");
        let deadlocks = has_deadlock(&program, model, Reductions::NONE);
        assert_eq!(has_deadlock(&program, model, reduced), deadlocks, "{model}\n{text}");
        several += u32::from(all.len() > 1);
        waiting += explored.blocked;
        plain_waiting += plain.blocked;
    }
    (several, waiting, plain_waiting)
}

#[test]
fn locks_lose_no_execution() {
    let (several, waiting, plain_waiting) = compare(7, 2000);
    assert!(several > 1000, "{several}");
    assert!(waiting < plain_waiting, "{waiting} {plain_waiting}");
}

/// `TREVILLE_TIMES` is how many times 500 programs there are.
#[test]
fn locks_lose_no_execution_of_more_programs() {
    let seeds = std::env::var("TREVILLE_TIMES").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    for seed in 100..100 + seeds {
        compare(seed, 500);
    }
}
