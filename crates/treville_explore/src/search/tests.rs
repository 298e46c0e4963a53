//! Programs with equal threads: the reductions leave out what they may, and nothing else; several find what one finds.

mod locks;
mod mixed;
mod unknown;

use super::{CompleteExecution, Explored, Job, Options};
use crate::assumptions::{Assumptions, Retraction};
use crate::graph::{Graph, INIT, Kind};
use crate::rules::Rules;
use std::collections::BTreeSet;
use treville_base::{Cancel, FileId};
use treville_bytecode::{Access, RunOptions};
use treville_ir::{Program, text};
use treville_model::KnownModel;
use treville_task::{Monitor, Progress, Reduction, Reductions, Silent};

const HEADER: &str = "program test dialect C rc11 fused po_inside sets []\nobject x size 4\nobject y size 4\n";

fn program(text: &str) -> Program {
    text::parse(FileId(0), &format!("{HEADER}{text}")).unwrap_or_else(|why| panic!("{why:?}\n{text}"))
}

fn options() -> Options {
    Options {
        run: RunOptions {
            bound: None,
            fuel: 10_000,
            speculative: true,
            idle_blocks: true,
            retry_blocks: true,
            attempt_blocks: true,
        },
        max_events: 1000,
        traces: 0,
        properties: treville_ir::Failure::USUAL.iter().copied().collect(),
        reference: None,
        observed: false,
        has_assumptions: false,
        reductions: Reductions::all().without(Reduction::Symmetry),
        workers: 1,
        cancel: Cancel::default(),
        observer: None,
    }
}

/// The rules of a model, of imm as far as it has some.
fn rules(model: &str) -> Rules {
    let known = match model {
        "sc" => KnownModel::Sc,
        "tso" => KnownModel::Tso,
        "ra" => KnownModel::Ra,
        "imm" => KnownModel::Imm,
        _ => KnownModel::Rc11,
    };
    Rules::known(known, true)
}

fn run(program: &Program, model: &str, options: &Options, ended: &mut dyn FnMut(&CompleteExecution<'_>)) -> Explored {
    watched(program, model, options, &Silent, ended)
}

fn watched(
    program: &Program,
    model: &str,
    options: &Options,
    monitor: &dyn Monitor,
    ended: &mut dyn FnMut(&CompleteExecution<'_>),
) -> Explored {
    let image = treville_bytecode::compile(program, &[], &treville_bytecode::Parts::new()).expect("it compiles");
    let rules = rules(model);
    let job = Job { program, image: &image, rules, judge: None, options, monitor, children: &[] };
    explore(&job, ended).unwrap_or_else(|part| panic!("an access is to be made in parts: {part:?}"))
}

/// Explores with fewer assumptions until they are right; an access that is to be made in parts is for others to make so.
fn explore(job: &Job<'_>, ended: &mut dyn FnMut(&CompleteExecution<'_>)) -> Result<Explored, (Access, u16)> {
    let mut assumptions = Assumptions::new(job.program, job.options);
    loop {
        match super::explore(job, &assumptions, ended) {
            Ok(explored) => return Ok(explored),
            Err(Retraction::InParts(access, cuts)) => return Err((access, cuts)),
            Err(why) => assumptions.retract(why),
        }
    }
}

/// A program whose main thread starts `equal` threads that run `f` and one that runs `g`.
fn with_equal(equal: usize, f: &str, g: &str) -> Program {
    let spawns = "  h = spawn f ()\n".repeat(equal);
    program(&format!(
        "func f () regs [a:32 b:32] {{\nb0:\n{f}  return 0:64\n}}\n\
         func g () regs [a:32 b:32] {{\nb0:\n{g}  return 0:64\n}}\n\
         func main () regs [h:64] {{\nb0:\n{spawns}  h = spawn g ()\n  return 0:64\n}}\nthread P0 main []\n"
    ))
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    fn of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len() as u64) as usize]
    }

    fn body(&mut self, n: u64) -> String {
        (0..n).map(|_| self.instruction()).collect()
    }

    fn instruction(&mut self) -> String {
        let at = self.of(&["&x", "&y"]);
        let reg = self.of(&["a", "b"]);
        match self.below(6) {
            0 | 1 => format!("  {reg} = load {at} 4 [{}]\n", self.of(&["RLX", "ACQ", "SC"])),
            2 => format!("  store {at} {}:32 4 [{}]\n", 1 + self.below(2), self.of(&["RLX", "REL", "SC"])),
            3 => format!("  store {at} (add {reg} 1:32) 4 [{}]\n", self.of(&["RLX", "REL", "SC"])),
            4 => {
                let mode = self.of(&["RLX", "ACQ", "SC"]);
                let guard = self.of(&["", " if (eq a 0:32)"]);
                format!("  a = update {at} 4 (add a 1:32){guard} [{mode}] [RLX] [RLX] [RLX]\n")
            }
            _ => format!("  fence [{}]\n", self.of(&["ACQ", "REL", "SC"])),
        }
    }
}

/// What an execution is, up to the names of the threads that run the first function.
fn up_to_names(graph: &Graph) -> String {
    let equal: Vec<usize> = (0..graph.threads.len()).filter(|t| graph.threads[*t].func.0 == 0).collect();
    permutations(equal.len()).iter().map(|order| described(graph, &equal, order)).min().unwrap_or_default()
}

fn described(graph: &Graph, equal: &[usize], order: &[usize]) -> String {
    let name = |thread: u16| match equal.iter().position(|t| *t == usize::from(thread)) {
        Some(i) => equal[order[i]],
        None => usize::from(thread),
    };
    let event = |e: u32| (e != INIT).then(|| (name(graph.label(e).thread), graph.label(e).pos));
    let mut threads: Vec<_> = graph.threads.iter().enumerate().map(|(t, thread)| (name(t as u16), thread)).collect();
    threads.sort_by_key(|(name, _)| *name);
    let mut out = String::new();
    for (_, thread) in threads {
        for e in &thread.events {
            let label = graph.label(*e);
            let source = label.kind.reads().then(|| event(label.rf));
            out += &format!("{:?} {} {source:?};", label.kind, label.loc as i32);
        }
        out.push('|');
    }
    for location in &graph.locations {
        out += &format!("{:?}", location.writes.iter().map(|w| event(*w)).collect::<Vec<_>>());
    }
    out
}

fn permutations(n: usize) -> Vec<Vec<usize>> {
    if n == 0 {
        return vec![Vec::new()];
    }
    let smaller = permutations(n - 1);
    let with = |p: &Vec<usize>, at: usize| {
        let mut p = p.clone();
        p.insert(at, n - 1);
        p
    };
    smaller.iter().flat_map(|p| (0..n).map(move |at| with(p, at))).collect()
}

#[test]
fn one_execution_of_each_orbit_is_explored() {
    let mut random = Random(11);
    let mut reduced = 0;
    for _ in 0..300 {
        let equal = 2 + random.below(2) as usize;
        let (long, short) = (2 + random.below(2) * u64::from(equal == 2), 1 + random.below(2));
        let program = with_equal(equal, &random.body(long), &random.body(short));
        for model in ["sc", "tso", "ra", "rc11", "imm"] {
            let mut orbits = BTreeSet::new();
            let all = run(&program, model, &options(), &mut |ended| {
                orbits.insert(up_to_names(&ended.execution.graph));
            });
            let mut seen = BTreeSet::new();
            let symmetric = Options { reductions: Reductions::all(), ..options() };
            let one = run(&program, model, &symmetric, &mut |ended| {
                seen.insert(up_to_names(&ended.execution.graph));
            });
            let text = text::print(&program);
            assert_eq!(one.complete as usize, orbits.len(), "{model}, of {}:\n{text}", all.complete);
            assert_eq!(seen, orbits, "{model}:\n{text}");
            reduced += usize::from(one.complete < all.complete);
        }
    }
    assert!(reduced > 600, "only {reduced} runs were reduced");
}

#[test]
fn as_many_threads_may_be_there_from_the_start_as_there_are() {
    let reader = "func f () regs [a:32 b:32] {\nb0:\n  a = load &x 4 [RLX]\n  return 0:64\n}\n";
    let writer = "func g () regs [a:32 b:32] {\nb0:\n  store &x 1:32 4 [RLX]\n  return 0:64\n}\n";
    let threads: String = (0..8).map(|i| format!("thread P{i} f []\n")).collect();
    let program = program(&format!("{reader}{writer}{threads}thread P8 g []\n"));
    assert_eq!(run(&program, "rc11", &options(), &mut |_| {}).complete, 256);
}

#[test]
fn who_tells_equal_threads_apart_gets_all_executions() {
    let f = "func f () regs [a:32] {\nb0:\n  a = update &x 4 (add a 1:32) [RLX] [RLX] [RLX] [RLX]\n  return (zext 64 a)\n}\n";
    let main = |rest: &str| {
        let spawns = "  h = spawn f ()\n  i = spawn f ()\n";
        program(&format!(
            "{f}func main () regs [h:64 i:64 v:64] {{\nb0:\n{spawns}{rest}  return 0:64\n}}\nthread P0 main []\n"
        ))
    };
    let symmetric = Options { reductions: Reductions::all(), ..options() };
    let count = |rest: &str| run(&main(rest), "rc11", &symmetric, &mut |_| {}).complete;
    assert_eq!(count(""), 1);
    // They return different values.
    assert_eq!(count("  v = join h\n  v = join i\n"), 2);
    // One is awaited before the write that the other may come after.
    assert_eq!(count("  v = join h\n  store &y 1:32 4 [RLX]\n  v = join i\n"), 2);
    assert_eq!(count("  v = current\n"), 2);
}

#[test]
fn several_find_what_one_finds() {
    let mut random = Random(5);
    for _ in 0..20 {
        let program = with_equal(3, &random.body(3), &random.body(2));
        let one = run(&program, "rc11", &options(), &mut |_| {});
        let several = run(&program, "rc11", &Options { workers: 3, ..options() }, &mut |_| {});
        let counts = |e: &Explored| (e.complete, e.blocked, e.revisits);
        assert_eq!(counts(&one), counts(&several), "{}", text::print(&program));
        assert!((one.done - 1.0).abs() < 1e-6 && (several.done - 1.0).abs() < 1e-6, "all is done");
    }
}

#[test]
fn a_violation_stops_all() {
    let g = "  a = load &x 4 [RLX]\n  branch (eq a 2:32) b1 b2\nb1:\n  fail assertion \"two\"\n  return 0:64\nb2:\n";
    let program = with_equal(3, "  a = update &x 4 (add a 1:32) [RLX] [RLX] [RLX] [RLX]\n", g);
    for workers in [1, 2, 4] {
        let found = run(&program, "sc", &Options { workers, ..options() }, &mut |_| {});
        assert!(found.violation.is_some_and(|v| v.failure == treville_ir::Failure::Assertion), "{workers} workers");
    }
}

#[test]
fn who_waits_for_its_turn_is_never_seen_waiting() {
    let threads: String = (0..4).rev().map(|i| format!("  h = spawn f ({i}:64)\n")).collect();
    let turns = program(&format!(
        "func f (n) regs [n:64 a:32] {{\nb0:\n  a = load &x 4 [ACQ]\n  wait spin (eq (zext 64 a) n)\n  \
         store &x (add a 1:32) 4 [REL]\n  return 0:64\n}}\n\
         func main () regs [h:64] {{\nb0:\n{threads}  return 0:64\n}}\nthread P0 main []\n"
    ));
    let found = run(&turns, "rc11", &options(), &mut |_| {});
    assert_eq!((found.complete, found.blocked), (1, 0));
}

/// Threads that increment by a compare-exchange, again until it succeeds; what they read first is read like this.
fn retrying(threads: usize, order: &str) -> Program {
    let spawns = "  h = spawn f ()\n".repeat(threads);
    program(&format!(
        "func f () regs [old:32 seen:32] {{\nb0:\n  old = load &x 4 [{order}]\n  goto b1\nb1:\n  \
         seen = update &x 4 (add old 1:32) if (eq seen old) [ACQ] [RLX] [RLX] [RLX]\n  \
         branch (eq seen old) b3 b2\nb2:\n  old = seen\n  goto b1\nb3:\n  return 0:64\n}}\n\
         func main () regs [h:64] {{\nb0:\n{spawns}  return 0:64\n}}\nthread P0 main []\n"
    ))
}

#[test]
fn who_tries_again_could_have_read_that_at_once() {
    let kept = Options { run: options().run.with_idle_rounds(false), ..options() };
    let count = |order: &str, options: &Options| run(&retrying(3, order), "rc11", options, &mut |_| {}).complete;
    // All that differs is the order of the increments.
    assert_eq!(count("RLX", &options()), 6);
    let all = count("RLX", &kept);
    assert!(all > 6, "{all}");
    // What is read first orders more than what a failing exchange reads: that is not the same.
    assert_eq!((count("ACQ", &options()), count("ACQ", &kept)), (all, all));
}

struct Curious;

impl Monitor for Curious {
    fn progress(&self, _: &Progress) {}

    fn wants_estimate(&self) -> bool {
        true
    }
}

#[test]
fn the_estimate_is_of_the_right_size() {
    let increment = "  a = update &x 4 (add a 1:32) [RLX] [RLX] [RLX] [RLX]\n";
    let load = "  a = load &x 4 [RLX]\n";
    for (f, g) in [(increment, load), (increment, increment), ("  store &x 1:32 4 [RLX]\n", load)] {
        let program = with_equal(5, f, g);
        let found = watched(&program, "rc11", &options(), &Curious, &mut |_| {});
        let (estimate, all) = (found.estimate.expect("an estimate") as f64, found.complete as f64);
        assert!((0.4..2.5).contains(&(estimate / all)), "{estimate} estimated, {all} found");
    }
}

#[test]
fn events_of_twins_are_told_apart_by_kind() {
    // A thread that has ended is never compared with one that goes on: the same code does the same.
    let program = with_equal(2, "  a = load &x 4 [RLX]\n", "  store &x 1:32 4 [RLX]\n");
    let mut ends = 0;
    run(&program, "rc11", &Options { reductions: Reductions::all(), ..options() }, &mut |ended| {
        ends += &ended.execution.graph.labels.iter().filter(|l| l.kind == Kind::End && l.same).count();
    });
    // Both read 0, or both read 1; if they differ, nothing after that is the same.
    assert_eq!(ends, 2);
}
