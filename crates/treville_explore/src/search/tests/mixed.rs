//! Accesses of different sizes to the same bytes: as many executions as there are by definition, each once. Under sc and tso
//! the definition is a machine, whose runs are all tried; under ra and rc11, all graphs and what the model says of them.

use super::explore;
use super::{Random, options};
use crate::search::{Explored, Job};
use std::collections::{BTreeMap, BTreeSet};
use treville_base::FileId;
use treville_bytecode::Parts;
use treville_ir::{Program, text};
use treville_task::Silent;

#[derive(Clone, Copy, PartialEq, Debug)]
enum Does {
    Load,
    Store(u64),
    Exchange(u64),
    Add(u64),
    /// If all cells have the first value, they get the second.
    Replace(u64, u64),
}

/// An access of an object of several cells: `at` and `n` count cells. All cells that it writes get the same value.
#[derive(Clone, Copy, Debug)]
struct Access {
    does: Does,
    at: usize,
    n: usize,
    /// Acquires or releases, or both.
    strong: bool,
}

type Threads = Vec<Vec<Access>>;

impl Access {
    fn cells(&self) -> std::ops::Range<usize> {
        self.at..self.at + self.n
    }

    fn reads(&self) -> bool {
        !matches!(self.does, Does::Store(_))
    }

    fn updates(&self) -> bool {
        !matches!(self.does, Does::Store(_) | Does::Load)
    }

    /// What is written where this was read, if anything is.
    fn written(&self, read: &[u64]) -> Option<Vec<u64>> {
        match self.does {
            Does::Load => None,
            Does::Store(v) | Does::Exchange(v) => Some(vec![v; self.n]),
            Does::Add(v) => Some(read.iter().map(|old| old + v).collect()),
            Does::Replace(old, new) => read.iter().all(|v| *v == old).then(|| vec![new; self.n]),
        }
    }
}

/// The program that makes these accesses, with cells of so many bytes.
fn program(threads: &Threads, cell: usize) -> Program {
    let mut out = String::from("program test dialect C rc11 fused po_inside sets []\nobject x size 16\n");
    for (t, accesses) in threads.iter().enumerate() {
        out += &format!("func f{t} () regs [r8:8 r16:16 r32:32 r64:64 r128:128] {{\nb0:\n");
        for a in accesses {
            let (bytes, bits) = (a.n * cell, 8 * a.n * cell);
            let all = |v: u64| {
                let value = (0..a.n).fold(0_u128, |sum, i| sum | u128::from(v) << (8 * cell * i));
                format!("{value}:{bits}")
            };
            let (addr, reg) = (format!("(add &x {}:64)", a.at * cell), format!("r{bits}"));
            let [load, store, both] = if a.strong { ["ACQ", "REL", "ACQ_REL"] } else { ["RLX"; 3] };
            let tags = format!("[{load}] [{store}] [{both}] [{load}]");
            out += &match a.does {
                Does::Load => format!("  {reg} = load {addr} {bytes} [{load}]\n"),
                Does::Store(v) => format!("  store {addr} {} {bytes} [{store}]\n", all(v)),
                Does::Exchange(v) => format!("  {reg} = update {addr} {bytes} {} {tags}\n", all(v)),
                Does::Add(v) => format!("  {reg} = update {addr} {bytes} (add {reg} {}) {tags}\n", all(v)),
                Does::Replace(old, new) => {
                    format!("  {reg} = update {addr} {bytes} {} if (eq {reg} {}) {tags}\n", all(new), all(old))
                }
            };
        }
        out += "  return 0:64\n}\n";
    }
    out += "func main () regs [h:64] {\nb0:\n";
    (0..threads.len()).for_each(|t| out += &format!("  h = spawn f{t} ()\n"));
    out += "  return 0:64\n}\nthread P0 main []\n";
    text::parse(FileId(0), &out).unwrap_or_else(|why| panic!("{why:?}\n{out}"))
}

/// How many executions the search finds; none of them twice.
fn explored(program: &Program, model: &str) -> Explored {
    let rules = super::rules(model);
    let options = options();
    let mut parts = Parts::new();
    loop {
        let image = treville_bytecode::compile(program, &[], &parts).expect("it compiles");
        let job =
            Job { program, image: &image, rules, judge: None, options: &options, monitor: &Silent, children: &[] };
        let mut seen = Vec::new();
        let explored = explore(&job, &mut |ended| seen.push(super::described(&ended.execution.graph, &[], &[])));
        match explored {
            Ok(explored) => {
                // The search may have begun anew.
                let last = &seen[seen.len() - explored.complete as usize..];
                let graphs: BTreeSet<&String> = last.iter().collect();
                assert_eq!(graphs.len(), last.len(), "an execution is found twice, of {}", text::print(program));
                return explored;
            }
            Err((access, cuts)) => *parts.entry(access).or_default() |= cuts,
        }
    }
}

/// What wrote: the initial value, or an access of a thread.
type Writer = Option<(usize, usize)>;

/// The sources of all cells that were read, and for each cell its writers in order.
type Seen = (BTreeMap<(usize, usize, usize), Writer>, Vec<Vec<Writer>>);

/// A store that is under way: which, and what it writes where.
type Pending = (usize, Vec<(usize, u64)>);

/// The state of a machine, with store buffers that are used or not.
#[derive(Clone)]
struct Machine<'a> {
    threads: &'a Threads,
    next: Vec<usize>,
    memory: Vec<(u64, Writer)>,
    /// Of each thread, stores that are under way.
    buffers: Vec<Vec<Pending>>,
    buffered: bool,
    seen: Seen,
}

impl Machine<'_> {
    fn outcomes(threads: &Threads, n: usize, buffered: bool) -> BTreeSet<Seen> {
        let machine = Machine {
            threads,
            next: vec![0; threads.len()],
            memory: vec![(0, None); n],
            buffers: vec![Vec::new(); threads.len()],
            buffered,
            seen: (BTreeMap::new(), vec![Vec::new(); n]),
        };
        let mut found = BTreeSet::new();
        machine.run(&mut found);
        found
    }

    fn run(&self, found: &mut BTreeSet<Seen>) {
        let mut moved = false;
        for t in 0..self.threads.len() {
            if !self.buffers[t].is_empty() {
                let mut then = self.clone();
                let (access, cells) = then.buffers[t].remove(0);
                then.write(t, access, &cells);
                then.run(found);
                moved = true;
            }
            let Some(access) = self.threads[t].get(self.next[t]) else { continue };
            if access.updates() && !self.buffers[t].is_empty() {
                continue;
            }
            let mut then = self.clone();
            then.step(t, *access);
            then.run(found);
            moved = true;
        }
        if !moved {
            found.insert(self.seen.clone());
        }
    }

    fn step(&mut self, t: usize, access: Access) {
        let number = self.next[t];
        self.next[t] += 1;
        let mut read = Vec::new();
        for cell in access.cells().filter(|_| access.reads()) {
            let own = self.buffers[t].iter().rev().find_map(|(store, cells)| {
                cells.iter().find(|(c, _)| *c == cell).map(|(_, value)| (*value, Some((t, *store))))
            });
            let (value, writer) = own.unwrap_or(self.memory[cell]);
            self.seen.0.insert((t, number, cell), writer);
            read.push(value);
        }
        let Some(values) = access.written(&read) else { return };
        let cells: Vec<(usize, u64)> = access.cells().zip(values).collect();
        if self.buffered && !access.updates() {
            self.buffers[t].push((number, cells));
        } else {
            self.write(t, number, &cells);
        }
    }

    fn write(&mut self, t: usize, access: usize, cells: &[(usize, u64)]) {
        for (cell, value) in cells {
            self.memory[*cell] = (*value, Some((t, access)));
            self.seen.1[*cell].push(Some((t, access)));
        }
    }
}

fn random(random: &mut Random, n_threads: u64, most: u64, n_cells: usize, strong: bool) -> Threads {
    let mut left = most;
    let mut threads = Vec::new();
    for _ in 0..n_threads {
        let n = (1 + random.below(3)).min(left);
        left -= n;
        threads.push((0..n).map(|_| access(random, n_cells, strong)).collect());
    }
    threads
}

fn access(random: &mut Random, n_cells: usize, strong: bool) -> Access {
    let n = 1 << random.below(u64::from(n_cells.trailing_zeros()) + 1);
    let at = n * random.below((n_cells / n) as u64) as usize;
    let value = 1 + random.below(2);
    let does = match random.below(7) {
        0..=2 => Does::Load,
        3 | 4 => Does::Store(value),
        5 => Does::Exchange(value),
        _ if n < 4 && random.below(2) == 0 => Does::Add(value),
        _ => Does::Replace(random.below(2), value),
    };
    Access { does, at, n, strong: strong && random.below(2) == 0 }
}

fn agrees(threads: &Threads, n_cells: usize, cell: usize, model: &str, expected: usize) {
    let found = explored(&program(threads, cell), model);
    assert_eq!(found.stopped, None, "{threads:?}");
    assert_eq!(found.complete as usize, expected, "{model}, {n_cells} cells of {cell} bytes: {threads:#?}");
}

#[test]
fn accesses_of_different_sizes_are_what_machines_do() {
    let mut numbers = Random(11);
    for i in 0..600 {
        let (n_cells, cell) = [(2, 4), (2, 8), (4, 4), (2, 1), (4, 2)][i % 5];
        let mut threads = random(&mut numbers, 2 + (i as u64) % 2, 6, n_cells, false);
        // There is no sum of 16 bytes.
        let sums = threads.iter_mut().flatten().filter(|a| a.n * cell == 16 && matches!(a.does, Does::Add(_)));
        sums.for_each(|a| a.does = Does::Exchange(1));
        for (model, buffered) in [("sc", false), ("tso", true)] {
            let expected = Machine::outcomes(&threads, n_cells, buffered).len();
            agrees(&threads, n_cells, cell, model, expected);
        }
    }
}

/// An access with which it is in its thread, and whether it writes.
#[derive(Clone, Copy)]
struct Node {
    thread: usize,
    access: Access,
    writes: bool,
}

/// A graph: of each node and cell, what is read there; of each cell, its writers in order.
struct Candidate<'a> {
    nodes: &'a [Node],
    rf: BTreeMap<(usize, usize), Option<usize>>,
    co: Vec<Vec<usize>>,
}

/// All pairs of a relation that is closed under going on.
fn closed(n: usize, pairs: impl Iterator<Item = (usize, usize)>) -> Vec<Vec<bool>> {
    let mut all = vec![vec![false; n]; n];
    pairs.for_each(|(a, b)| all[a][b] = true);
    for k in 0..n {
        for a in 0..n {
            for b in 0..n {
                all[a][b] |= all[a][k] && all[k][b];
            }
        }
    }
    all
}

impl Candidate<'_> {
    /// In the order of a cell: behind how many writes it reads, and as which it writes.
    fn roles(&self, node: usize, cell: usize) -> [Option<usize>; 2] {
        let place = |w: usize| self.co[cell].iter().position(|x| *x == w).map(|i| i + 1);
        let read = self.rf.get(&(node, cell)).map(|source| source.and_then(place).unwrap_or(0));
        [read, place(node)]
    }

    /// Whether one access comes before another in the order of a cell.
    fn before(&self, a: usize, b: usize, cell: usize) -> bool {
        let ([ra, wa], [rb, wb]) = (self.roles(a, cell), self.roles(b, cell));
        let less = |x: Option<usize>, y: Option<usize>| x.zip(y).is_some_and(|(x, y)| x < y);
        let reads_from = wa.zip(rb).is_some_and(|(w, r)| w <= r);
        a != b && (less(wa, wb) || reads_from || less(ra, wb) || less(ra, rb))
    }

    fn sources(&self, node: usize) -> impl Iterator<Item = usize> {
        self.nodes[node].access.cells().filter_map(move |cell| *self.rf.get(&(node, cell))?)
    }

    fn po(&self, a: usize, b: usize) -> bool {
        a < b && self.nodes[a].thread == self.nodes[b].thread
    }

    fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        let n = self.nodes.len();
        (0..n).flat_map(move |a| (0..n).map(move |b| (a, b)))
    }

    /// Whether a write releases to whoever reads `w`: it is that one, or what that has updated.
    fn releases(&self, head: usize, w: usize) -> bool {
        let Node { access, writes, .. } = self.nodes[w];
        (head == w && access.strong && writes)
            || (access.updates() && writes && self.sources(w).any(|source| self.releases(head, source)))
    }

    fn is_consistent(&self) -> bool {
        let n = self.nodes.len();
        let cells = self.co.len();
        let porf = closed(n, self.pairs().filter(|(a, b)| self.po(*a, *b) || self.sources(*b).any(|s| s == *a)));
        if (0..n).any(|a| porf[a][a]) || !self.values_fit(&porf) {
            return false;
        }
        let updated = |node: usize, cell: usize| match self.roles(node, cell) {
            [Some(read), Some(written)] => read + 1 == written,
            _ => true,
        };
        let synchronises =
            |a: usize, b: usize| self.nodes[b].access.strong && self.sources(b).any(|source| self.releases(a, source));
        let hb = closed(n, self.pairs().filter(|(a, b)| self.po(*a, *b) || synchronises(*a, *b)));
        let coherent = |a: usize, b: usize| !hb[a][b] || !(0..cells).any(|cell| self.before(b, a, cell));
        // Reading from one's own thread orders nothing.
        let seen = |a: usize, b: usize| {
            (0..cells).any(|cell| {
                let ([ra, wa], [rb, wb]) = (self.roles(a, cell), self.roles(b, cell));
                let less = |x: Option<usize>, y: Option<usize>| x.zip(y).is_some_and(|(x, y)| x < y);
                let external = self.nodes[a].thread != self.nodes[b].thread;
                a != b && (less(wa, wb) || less(ra, wb) || (external && wa.is_some() && wa == rb))
            })
        };
        let order = closed(n, self.pairs().filter(|(a, b)| seen(*a, *b)));
        (0..n).all(|a| !order[a][a] && (0..cells).all(|cell| updated(a, cell)))
            && self.pairs().all(|(a, b)| coherent(a, b))
    }

    /// Whether what each access reads makes it write, or not, as is assumed.
    fn values_fit(&self, porf: &[Vec<bool>]) -> bool {
        let n = self.nodes.len();
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by_key(|b| (0..n).filter(|a| porf[*a][*b]).count());
        let mut written: BTreeMap<(usize, usize), u64> = BTreeMap::new();
        order.into_iter().all(|node| {
            let Node { access, writes, .. } = self.nodes[node];
            let value = |cell: usize| self.rf[&(node, cell)].map_or(0, |source| written[&(source, cell)]);
            let read: Vec<u64> = access.cells().filter(|_| access.reads()).map(value).collect();
            let values = access.written(&read);
            let fits = values.is_some() == writes;
            written.extend(access.cells().zip(values.unwrap_or_default()).map(|(cell, value)| ((node, cell), value)));
            fits
        })
    }
}

/// How many graphs of these threads are consistent, if there are not too many to look at.
fn consistent(threads: &Threads, n_cells: usize) -> Option<usize> {
    let all: Vec<(usize, Access)> =
        threads.iter().enumerate().flat_map(|(t, accesses)| accesses.iter().map(move |a| (t, *a))).collect();
    let mut count = 0;
    for pattern in 0..1_u32 << all.len() {
        let may = |(i, (_, a)): (usize, &(usize, Access))| {
            let writes = pattern >> i & 1 != 0;
            matches!(a.does, Does::Replace(..)) || writes == (a.does != Does::Load)
        };
        if !all.iter().enumerate().all(may) {
            continue;
        }
        let node = |(i, (thread, access)): (usize, &(usize, Access))| Node {
            thread: *thread,
            access: *access,
            writes: pattern >> i & 1 != 0,
        };
        let nodes: Vec<Node> = all.iter().enumerate().map(node).collect();
        let writers = |cell: usize| -> Vec<usize> {
            (0..nodes.len()).filter(|i| nodes[*i].writes && nodes[*i].access.cells().contains(&cell)).collect()
        };
        let cells = (0..nodes.len()).filter(|i| nodes[*i].access.reads()).flat_map(|i| nodes[i].access.cells());
        let n_sources: usize = cells.map(|cell| writers(cell).len() + 1).product();
        let n_orders: usize = (0..n_cells).map(|cell| (1..=writers(cell).len()).product::<usize>()).product();
        if n_sources * n_orders > 3000 {
            return None;
        }
        let mut orders = vec![Vec::new()];
        for cell in 0..n_cells {
            let writers = writers(cell);
            let of_cell = super::permutations(writers.len());
            orders = orders
                .iter()
                .flat_map(|co: &Vec<Vec<usize>>| {
                    let then =
                        |p: &Vec<usize>| co.iter().cloned().chain([p.iter().map(|i| writers[*i]).collect()]).collect();
                    of_cell.iter().map(then).collect::<Vec<Vec<Vec<usize>>>>()
                })
                .collect();
        }
        let mut sources = vec![BTreeMap::new()];
        for (i, node) in nodes.iter().enumerate().filter(|(_, node)| node.access.reads()) {
            for cell in node.access.cells() {
                let options: Vec<Option<usize>> =
                    writers(cell).into_iter().filter(|w| *w != i).map(Some).chain([None]).collect();
                let with = |rf: &BTreeMap<(usize, usize), Option<usize>>| {
                    let one = |source: &Option<usize>| {
                        let mut rf = rf.clone();
                        rf.insert((i, cell), *source);
                        rf
                    };
                    options.iter().map(one).collect::<Vec<_>>()
                };
                sources = sources.iter().flat_map(with).collect();
            }
        }
        for co in orders {
            for rf in &sources {
                let candidate = Candidate { nodes: &nodes, rf: rf.clone(), co: co.clone() };
                count += usize::from(candidate.is_consistent());
            }
        }
    }
    Some(count)
}

#[test]
fn accesses_of_different_sizes_are_what_models_allow() {
    let (mut numbers, mut compared) = (Random(5), [0; 2]);
    for i in 0..1000 {
        let (n_cells, cell) = [(2, 4), (2, 8), (4, 4), (4, 2)][i % 4];
        let mut threads = random(&mut numbers, 2 + (i as u64) % 2, 5, n_cells, true);
        let sums = threads.iter_mut().flatten().filter(|a| a.n * cell == 16 && matches!(a.does, Does::Add(_)));
        sums.for_each(|a| a.does = Does::Exchange(1));
        let Some(expected) = consistent(&threads, n_cells) else { continue };
        agrees(&threads, n_cells, cell, "ra", expected);
        agrees(&threads, n_cells, cell, "rc11", expected);
        compared[i % 4 / 2] += 1;
    }
    assert!(compared.iter().all(|n| *n > 100), "{compared:?}");
}
