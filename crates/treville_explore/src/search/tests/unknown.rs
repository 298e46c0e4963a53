//! Programs with values that nothing determines: what is explored at once is what is explored value by value.

use super::explore;
use super::{HEADER, Random, options};
use crate::graph::{Kind, Location};
use crate::search::{Explored, Job, Options};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;
use treville_base::FileId;
use treville_bytecode::{Symbols, is_term, term_of};
use treville_ir::{Program, text};
use treville_task::{Reductions, Silent};
use treville_term::{Bv, TermId, VarId};

/// Values of the two variables: 3 bits each.
const VALUES: u64 = 8;

/// What can be observed of a complete execution: the last write to each location, and what threads return.
type Observed = Vec<u64>;

/// How many executions have each observation.
type Counts = BTreeMap<Observed, usize>;

/// Arrays besides: `k` that nobody writes, `g` that others than the main thread hardly write, and `q`, which is on the heap.
const ARRAYS: &str =
    "object t size 16\nobject k size 16 init [0 4 5:32  4 4 2:32  8 4 0:32  12 4 7:32]\nobject g size 16\n";

/// The second says whether programs have to do with arrays mostly.
struct Generator(Random, bool);

impl Generator {
    /// A program; `n` and `m` are made by these.
    fn program(&mut self) -> impl Fn(&str, &str) -> String + use<> {
        let threads = 1 + self.0.below(2);
        let mut funcs = String::new();
        for t in 0..threads {
            let length = 2 + self.0.below(2);
            funcs += &self.func(&format!("f{t}"), "a b q", length);
        }
        let early = self.0.below(2) == 0;
        let length = 1 + self.0.below(2);
        let body = self.body(length, 1);
        let before = if self.1 { self.before() } else { String::new() };
        let spawns: String = (0..threads).map(|t| format!("  h{t} = spawn f{t} (a b q)\n")).collect();
        let joined = if self.1 { self.0.below(threads + 1) } else { 0 };
        let joins: String = (0..joined).map(|t| format!("  join h{t}\n")).collect();
        let frees = if self.1 { self.0.of(&["", "", "  free q\n"]) } else { "" };
        move |n: &str, m: &str| {
            let (first, last) = if early { (m, "") } else { ("0:3", m) };
            let last = if last.is_empty() { String::new() } else { format!("  m = {last}\n  b = (zext 32 m)\n") };
            format!(
                "{HEADER}{ARRAYS}{funcs}func main () regs [n:3 m:3 h0:64 h1:64 a:32 b:32 c:32 p:64 q:64] {{\nb0:\n  \
                 p = alloc private 8:64\n  n = {n}\n  m = {first}\n  a = (zext 32 n)\n  b = (zext 32 m)\n\
                 {before}{spawns}{last}{joins}{body}{frees}  return (zext 64 a)\n}}\nthread P0 main []\n"
            )
        }
    }

    fn func(&mut self, name: &str, params: &str, n: u64) -> String {
        let body = self.body(n, 1);
        format!(
            "func {name} ({params}) regs [a:32 b:32 c:32 p:64 q:64] {{\nb0:\n  p = alloc private 8:64\n{body}  return (zext 64 a)\n}}\n"
        )
    }

    /// What happens to arrays before there are other threads.
    fn before(&mut self) -> String {
        let zeroed = self.0.of(&["", " zeroed", " zeroed"]);
        let heap = self.0.of(&["heap", "heap", "stack"]);
        let mut text = format!("  q = alloc {heap} 16:64{zeroed}\n");
        for array in ["&g", "q"] {
            for i in 0..self.0.below(5) {
                text +=
                    &format!("  store (add {array} {}:64) {} 4 [NA]\n", 4 * i, self.0.of(&["a", "b", "1:32", "6:32"]));
            }
        }
        text
    }

    /// An access to an array at an unknown place.
    fn access(&mut self) -> String {
        let reg = self.0.of(&["a", "b", "c"]);
        let (array, mode) = (self.0.of(&["&t", "&k", "&k", "&g", "&g", "q"]), self.0.of(&["NA", "NA", "RLX", "SC"]));
        let mode = if array == "&t" && mode == "NA" { "RLX" } else { mode };
        let index = self.0.of(&["a", "b", "c"]);
        let index = match self.0.below(12) {
            0 => format!("(and {index} 7:32)"),
            1 => format!("(ite (ult {index} 4:32) {index} 0:32)"),
            2 => format!("(urem {index} 4:32)"),
            _ => format!("(and {index} 3:32)"),
        };
        let at = match self.0.below(20) {
            // Not by elements, which others then access in parts.
            0 if array != "&t" => return format!("  {reg} = load (add {array} (zext 64 {index})) 4 [NA]\n"),
            1 => format!("(ite (eq a b) {array} (add &k (mul (zext 64 {index}) 4:64)))"),
            _ => format!("(add {array} (mul (zext 64 {index}) 4:64))"),
        };
        let writes = match array {
            "&k" => 0,
            "&g" | "q" => 1,
            _ => 5,
        };
        match self.0.below(10) {
            n if n < writes => format!("  store {at} {} 4 [{mode}]\n", self.value()),
            9 if array == "&t" => format!("  c = update {at} 4 (add a 1:32) if (ult c b) [RLX] [RLX] [RLX] [RLX]\n"),
            _ => format!("  {reg} = load {at} 4 [{mode}]\n"),
        }
    }

    fn body(&mut self, n: u64, first_block: usize) -> String {
        let mut blocks = first_block;
        (0..n).map(|_| self.instruction(&mut blocks)).collect()
    }

    fn value(&mut self) -> String {
        let (a, b) = (self.0.of(&["a", "b", "c"]), self.0.of(&["a", "b", "c", "1:32", "3:32"]));
        match self.0.below(4) {
            0 => a.to_owned(),
            1 => format!("(ite {} {a} {b})", self.condition()),
            _ => {
                format!("({} {a} {b})", self.0.of(&["add", "sub", "mul", "xor", "and", "udiv", "urem", "shl", "lshr"]))
            }
        }
    }

    fn condition(&mut self) -> String {
        let (a, b) = (self.0.of(&["a", "b", "c"]), self.0.of(&["a", "b", "c", "2:32", "5:32"]));
        let less = format!("({} {a} {b})", self.0.of(&["eq", "ne", "ult", "ule", "slt", "sle"]));
        match self.0.below(5) {
            0 => format!("(and {less} (ult {b} 6:32))"),
            1 => format!("(not {less})"),
            _ => less,
        }
    }

    fn instruction(&mut self, blocks: &mut usize) -> String {
        if self.1 && self.0.below(3) > 0 {
            return self.access();
        }
        let at = self.0.of(&["&x", "&y"]);
        let reg = self.0.of(&["a", "b", "c"]);
        match self.0.below(14) {
            0 | 1 => format!("  {reg} = load {at} 4 [{}]\n", self.0.of(&["RLX", "ACQ", "SC"])),
            2 | 3 => format!("  store {at} {} 4 [{}]\n", self.value(), self.0.of(&["RLX", "REL", "SC"])),
            4 => format!("  {reg} = {}\n", self.value()),
            5 => {
                let guard = self.0.of(&["", " if (eq c a)", " if (ult c b)", " if (ne c 0:32)"]);
                let mode = self.0.of(&["RLX", "ACQ", "SC"]);
                format!("  c = update {at} 4 (add a 1:32){guard} [{mode}] [RLX] [RLX] [RLX]\n")
            }
            6 => {
                let element = "(add &t (mul (zext 64 (and a 3:32)) 4:64))";
                match self.0.below(2) {
                    0 => format!("  {reg} = load {element} 4 [RLX]\n"),
                    _ => format!("  store {element} b 4 [RLX]\n"),
                }
            }
            // Memory of its own, at an unknown place.
            7 => {
                let index = format!("(add p (mul (zext 64 (and {} 3:32)) 2:64))", self.0.of(&["a", "b"]));
                match self.0.below(2) {
                    0 => format!("  {reg} = (zext 32 (zext 8 {reg}))\n  store {index} (zext 16 {reg}) 2 [NA]\n"),
                    _ => format!("  {reg} = load (add p (zext 64 (and {reg} 4:32))) 4 [NA]\n"),
                }
            }
            // Memory of its own, in overlapping pieces.
            8 => {
                let (to, from) = (self.0.below(5), self.0.below(5));
                let (low, size) = *[("a", 4), ("(zext 16 b)", 2), ("(zext 8 a)", 1), ("(add a b)", 4)]
                    .get(self.0.below(4) as usize)
                    .expect("one of them");
                format!("  store (add p {to}:64) {low} {size} [NA]\n  {reg} = load (add p {from}:64) 4 [NA]\n")
            }
            9 => format!("  wait assume {}\n", self.condition()),
            10 => {
                let (yes, no) = (*blocks, *blocks + 1);
                *blocks += 2;
                let (cond, more) = (self.condition(), self.condition());
                format!(
                    "  branch (and {cond} {more}) b{yes} b{no}\nb{yes}:\n  fail assertion \"it\"\n  goto b{no}\nb{no}:\n"
                )
            }
            _ => {
                let (yes, no, after) = (*blocks, *blocks + 1, *blocks + 2);
                *blocks += 3;
                let cond = self.condition();
                let (one, other) = (self.value(), self.value());
                format!(
                    "  branch {cond} b{yes} b{no}\nb{yes}:\n  store {at} {one} 4 [RLX]\n  goto b{after}\n\
                     b{no}:\n  {reg} = {other}\n  goto b{after}\nb{after}:\n"
                )
            }
        }
    }
}

fn parse(program: &str) -> Program {
    text::parse(FileId(0), program).unwrap_or_else(|why| panic!("{why:?}\n{program}"))
}

/// What a complete execution stands for: what its decisions say, the last write to each address, and what threads return.
struct Class {
    path: Vec<(TermId, u64)>,
    /// Of each address how many bytes, and the word.
    memory: BTreeMap<u64, (u8, u64)>,
    ends: Vec<u64>,
    /// How often some element of an array was selected.
    selections: usize,
}

fn run(program: &Program, model: &str, options: &Options) -> (Explored, Vec<Class>, Option<Arc<Symbols>>) {
    run_in_parts(program, model, options, treville_bytecode::Parts::new())
}

fn run_in_parts(
    program: &Program,
    model: &str,
    options: &Options,
    mut parts: treville_bytecode::Parts,
) -> (Explored, Vec<Class>, Option<Arc<Symbols>>) {
    let image = treville_bytecode::compile(program, &[], &parts).expect("it compiles");
    let rules = super::rules(model);
    let job = Job { program, image: &image, rules, judge: None, options, monitor: &Silent, children: &[] };
    let mut classes = Vec::new();
    let explored = explore(&job, &mut |ended| {
        let graph = &ended.execution.graph;
        let decisions = graph.labels.iter().filter(|l| l.kind.decides());
        let last = |l: &Location| l.writes.last().map_or(0, |w| graph.label(*w).value);
        classes.push(Class {
            path: decisions.map(|l| (TermId(l.promise), l.value)).collect(),
            memory: graph
                .locations
                .iter()
                .zip(&ended.execution.locations.places)
                .map(|(l, p)| (p.addr, (p.size, last(l))))
                .collect(),
            selections: graph.labels.iter().filter(|l| l.kind == Kind::Selection).count(),
            ends: graph.threads.iter().filter_map(|t| Some(graph.label(*t.events.last()?).value)).collect(),
        });
    });
    let explored = match explored {
        Ok(explored) => explored,
        Err((access, cuts)) => {
            *parts.entry(access).or_default() |= cuts;
            return run_in_parts(program, model, options, parts);
        }
    };
    // It may have started anew.
    let classes = classes.split_off(classes.len().saturating_sub(explored.complete as usize));
    (explored, classes, image.symbols().cloned())
}

/// How many executions have each observation if the variables have these values.
fn counts(classes: &[Class], symbols: Option<&Symbols>, values: &FxHashMap<VarId, Bv>) -> Counts {
    let value = |word: u64| match symbols {
        Some(symbols) if is_term(word) => {
            symbols.lock().eval(term_of(word), values, &mut FxHashMap::default()).unsigned() as u64
        }
        _ => word,
    };
    let holds = |(term, wanted): &(TermId, u64)| {
        let shared = symbols.expect("decisions are about terms").lock();
        shared.eval(*term, values, &mut FxHashMap::default()).unsigned() == u128::from(*wanted)
    };
    let mut counts = Counts::new();
    for Class { memory, ends, .. } in classes.iter().filter(|class| class.path.iter().all(holds)) {
        // What nobody has written is 0, whether it was looked at or not, and in whatever pieces.
        let bytes = |(addr, (size, word)): (&u64, &(u8, u64))| {
            let (addr, bytes) = (*addr, value(*word).to_le_bytes());
            (0..u64::from(*size)).map(move |i| (addr + i, bytes[i as usize])).filter(|(_, byte)| *byte != 0)
        };
        let memory = memory.iter().flat_map(bytes).flat_map(|(addr, byte)| [addr, u64::from(byte)]);
        let observed = memory.chain(ends.iter().map(|w| value(*w)));
        *counts.entry(observed.collect()).or_default() += 1;
    }
    counts
}

/// The values that variables of a program have, which are made by the events of the main thread in order.
fn assigned(symbols: &Symbols, n: u64, m: u64) -> FxHashMap<VarId, Bv> {
    let shared = symbols.lock();
    let mut origins: Vec<(u16, VarId)> =
        (0..shared.n_variables()).map(|i| VarId(i as u32)).map(|v| (shared.origin(v).1, v)).collect();
    origins.sort_unstable();
    assert!(origins.len() <= 2, "each is made at one place");
    origins.into_iter().zip([n, m]).map(|((_, var), value)| (var, Bv::new(u128::from(value), 3))).collect()
}

/// Programs that the generator makes, all values at once and one by one. How many fail; how many of the others have several
/// executions, and how many select elements.
fn compare(mut generator: Generator) -> [usize; 3] {
    let (mut failing, mut forked, mut selecting, mut covered) = (0, 0, 0, 0);
    for i in 0..1000 {
        let program = generator.program();
        let model = ["rc11", "sc", "tso", "ra"][i % 4];
        let unknown = parse(&program("nondet", "nondet"));
        let (all, classes, symbols) = run(&unknown, model, &options());
        let symbols = symbols.expect("it has variables");
        if i % 16 == 0 && all.violation.is_none() {
            let (several, ..) = run(&unknown, model, &Options { workers: 3, ..options() });
            assert_eq!((several.complete, several.blocked), (all.complete, all.blocked), "{}", text::print(&unknown));
        }
        assert!(all.stopped.is_none(), "{:?}\n{}", all.stopped, text::print(&unknown));
        let (mut fails, mut differs) = (false, None);
        for (n, m) in (0..VALUES).flat_map(|n| (0..VALUES).map(move |m| (n, m))) {
            let known = parse(&program(&format!("{n}:3"), &format!("{m}:3")));
            let (one, listed, _) = run(&known, model, &options());
            fails |= one.violation.is_some();
            let here = counts(&classes, Some(&symbols), &assigned(&symbols, n, m));
            let there = counts(&listed, None, &FxHashMap::default());
            covered += there.len();
            if here != there {
                differs = differs.or(Some((n, m, here, there)));
            }
        }
        let text = || text::print(&unknown);
        assert_eq!(all.violation.is_some(), fails, "program {i}, {model}:\n{}", text());
        // What fails is not explored to the end.
        assert!(fails || differs.is_none(), "program {i}, {model}: {differs:?}\n{}", text());
        failing += usize::from(fails);
        forked += usize::from(!fails && all.complete > 1);
        selecting += usize::from(!fails && classes.iter().any(|class| class.selections > 0));
    }
    assert!(covered > 10_000, "{covered} outcomes");
    [failing, forked, selecting]
}

#[test]
fn all_values_at_once_are_all_values_one_by_one() {
    let [failing, forked, _] = compare(Generator(Random(7), false));
    assert!(failing > 100 && forked > 300, "{failing} fail, {forked} have several executions");
}

#[test]
fn all_elements_at_once_are_all_elements_one_by_one() {
    let [failing, forked, selecting] = compare(Generator(Random(11), true));
    let counts = format!("{failing} fail, {forked} have several executions, {selecting} select");
    assert!(failing > 100 && forked > 300 && selecting > 200, "{counts}");
}

#[test]
fn equal_threads_may_differ_in_their_values() {
    let mut random = Random(3);
    let (mut failing, mut reduced) = (0, 0);
    for _ in 0..200 {
        let middle = random.below(6);
        let (first, then) =
            (random.of(&["", "  store &y 1:32 4 [RLX]\n"]), random.of(&["add b 1:32", "xor a b", "add a 0:32"]));
        let element = "  b = load (add &k (mul (zext 64 (and b 3:32)) 4:64)) 4 [NA]\n";
        let first = format!("{first}{}", random.of(&["", element]));
        let text = format!(
            "{HEADER}{ARRAYS}func f () regs [n:3 a:32 b:32] {{\nb0:\n  b = load &x 4 [ACQ]\n{first}  n = nondet\n  a = (zext 32 n)\n  \
             branch (ult a {middle}:32) b1 b2\nb1:\n  store &x ({then}) 4 [REL]\n  goto b2\nb2:\n  b = load &y 4 [RLX]\n  \
             branch (and (eq b 1:32) (eq a {}:32)) b3 b4\nb3:\n  fail assertion \"it\"\n  goto b4\nb4:\n  return 0:64\n}}\n\
             func main () regs [h:64 a:32] {{\nb0:\n  h = spawn f ()\n  h = spawn f ()\n  a = load &x 4 [ACQ]\n  \
             branch (eq a {}:32) b1 b2\nb1:\n  fail assertion \"that\"\n  goto b2\nb2:\n  return 0:64\n}}\nthread P0 main []\n",
            random.below(10),
            random.below(10),
        );
        let program = parse(&text);
        let (all, ..) = run(&program, "rc11", &options());
        let (one, ..) = run(&program, "rc11", &Options { reductions: Reductions::all(), ..options() });
        assert_eq!(one.violation.is_some(), all.violation.is_some(), "{text}");
        failing += usize::from(all.violation.is_some());
        if all.violation.is_none() {
            assert!(one.complete <= all.complete && 2 * one.complete >= all.complete, "{text}");
            reduced += usize::from(one.complete < all.complete);
        }
    }
    assert!(failing > 30 && reduced > 30, "{failing} fail, {reduced} are reduced");
}
