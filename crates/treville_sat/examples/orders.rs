//! Measures ways to keep an order free of cycles: the theory, with and without propagation, in both solvers, and clauses.
//!
//! `cargo run --release -p treville_sat --example orders -- NODES THREADS CLAUSES WIDTH SEEDS [WAY...]`: nodes in chains, one for
//! each thread, and clauses of WIDTH random edges of which one must be there; a sum over SEEDS such problems for each way.
#![allow(clippy::print_stdout, reason = "its output is its purpose")]

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use std::collections::BTreeMap;
use treville_base::Cancel;
use treville_sat::{Backend, ClauseSink, Lit, Orders, Solver, Stats, Theory, Verdict, encode_acyclic};

struct Problem {
    n_nodes: usize,
    edges: Vec<(usize, usize, Lit)>,
    n_vars: usize,
    clauses: Vec<Vec<Lit>>,
}

/// A generator of numbers with no ambition (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n
    }
}

fn random_problem(n_nodes: usize, n_threads: usize, n_clauses: usize, width: usize, seed: u64) -> Problem {
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    for _ in 0..16 {
        random.below(2);
    }
    let mut edges = Vec::new();
    for thread in 0..n_threads {
        let length = n_nodes / n_threads;
        edges.extend((1..length).map(|at| (thread * length + at - 1, thread * length + at, Lit::TRUE)));
    }
    let mut lits = BTreeMap::new();
    let mut clauses = Vec::new();
    for _ in 0..n_clauses {
        let mut clause = Vec::new();
        while clause.len() < width {
            let ends = (random.below(n_nodes), random.below(n_nodes));
            if ends.0 != ends.1 {
                let next = Lit::new(lits.len() as i32 + 2);
                clause.push(*lits.entry(ends).or_insert(next));
            }
        }
        clauses.push(clause);
    }
    edges.extend(lits.iter().map(|((from, to), lit)| (*from, *to, *lit)));
    Problem { n_nodes, edges, n_vars: lits.len(), clauses }
}

fn give(problem: &Problem, sink: &mut impl ClauseSink) {
    for _ in 0..problem.n_vars {
        sink.new_var();
    }
    for clause in &problem.clauses {
        sink.add_clause(clause);
    }
}

fn search<T: Theory + 'static>(mut solver: Solver<T>) -> (Verdict, Stats) {
    (solver.solve(&[], &Cancel::new()), solver.stats())
}

fn by_theory(backend: Backend, orders: Orders, problem: &Problem) -> (Verdict, Stats) {
    let mut solver = Solver::with_theory(backend, orders);
    give(problem, &mut solver);
    let order = solver.theory_mut().add_order();
    for (from, to, lit) in &problem.edges {
        solver.theory_mut().add_edge(order, *from, *to, *lit);
    }
    search(solver)
}

fn by_clauses(backend: Backend, problem: &Problem) -> (Verdict, Stats) {
    let mut solver = Solver::new(backend);
    give(problem, &mut solver);
    encode_acyclic(&mut solver, problem.n_nodes, &problem.edges, &|| false);
    search(solver)
}

/// CPU time of this process so far, in seconds.
fn cpu() -> f64 {
    let usage = getrusage(UsageWho::RUSAGE_SELF).expect("every system has it");
    (usage.user_time().num_microseconds() + usage.system_time().num_microseconds()) as f64 / 1e6
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut number = |default: usize| arguments.next().and_then(|text| text.parse().ok()).unwrap_or(default);
    let (n_nodes, n_threads, n_clauses, width, seeds) = (number(60), number(4), number(240), number(3), number(10));
    let only: Vec<String> = arguments.collect();
    let mut ways: Vec<(String, Backend, Option<bool>)> = Vec::new();
    for backend in Backend::ALL {
        for (name, propagates) in [("theory", Some(true)), ("conflicts", Some(false)), ("clauses", None)] {
            let name = format!("{backend:?}-{name}").to_lowercase();
            if only.is_empty() || only.contains(&name) {
                ways.push((name, *backend, propagates));
            }
        }
    }
    println!("{n_nodes} nodes, {n_threads} threads, {n_clauses} clauses of {width} edges, {seeds} problems");
    let mut verdicts = BTreeMap::new();
    for (name, backend, propagates) in ways {
        let (mut conflicts, mut lemmas, mut n_sat, start) = (0, 0, 0, cpu());
        for seed in 1..=seeds as u64 {
            let problem = random_problem(n_nodes, n_threads, n_clauses, width, seed);
            let (verdict, stats) = match propagates {
                Some(true) => by_theory(backend, Orders::new(), &problem),
                Some(false) => by_theory(backend, Orders::new().without_propagation(), &problem),
                None => by_clauses(backend, &problem),
            };
            assert_eq!(*verdicts.entry(seed).or_insert(verdict), verdict, "{name} disagrees on problem {seed}");
            n_sat += u32::from(verdict == Verdict::Sat);
            conflicts += stats.conflicts;
            lemmas += stats.theory_conflicts;
        }
        println!("{name:18} {:9.3} s  {n_sat} sat  {conflicts} conflicts  {lemmas} lemmas", cpu() - start);
    }
}
