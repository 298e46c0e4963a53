//! Random programs in C: engines and reductions agree on them, and changes have the effect that they must have. A few with
//! fixed seeds; `just soak` runs many.

use std::collections::BTreeSet;
use std::process::ExitCode;
use treville_testkit::programs::ast::{Argument, Expr, Lock, Mutex, Order, Place, Program, Stmt};
use treville_testkit::programs::compile::compile;
use treville_testkit::programs::draw::PROFILES;
use treville_testkit::programs::shrink::{candidates, shrink};
use treville_testkit::programs::soak::{Plan, of_seed, run};
use treville_testkit::programs::turns::{Fault, explore};
use treville_testkit::seeds;
use treville_trials::test;

fn main() -> ExitCode {
    treville_trials::run(vec![
        test!(engines_and_reductions_agree_on_random_programs, Clang),
        test!(random_programs_are_programs, Clang),
        test!(threads_that_wait_for_each_other_are_stuck_whatever_others_do),
        test!(programs_shrink_to_what_matters),
    ])
}

#[expect(clippy::print_stdout, reason = "the counts are part of what the test shows")]
fn engines_and_reductions_agree_on_random_programs() {
    let plan = Plan { n_threads: 2, ..Plan::new(seeds(120)) };
    let (tally, findings) = run(&plan, &|_| {});
    println!("seeds {:?}\n{tally}", plan.seeds);
    assert!(findings.is_empty(), "{}", findings.iter().map(|f| f.text.as_str()).collect::<Vec<_>>().join("\n"));
    assert_eq!(tally.unread, 0);
    let failing: usize = tally.kinds.values().sum();
    assert!(5 * failing > tally.programs && 5 * failing < 4 * tally.programs, "{failing} of {} fail", tally.programs);
}

/// All programs of many seeds are C that clang takes and that can be lowered.
fn random_programs_are_programs() {
    let programs: Vec<Program> = (0..20 * PROFILES.len() as u64).map(|seed| of_seed(seed, None).program).collect();
    let wrong: BTreeSet<String> = compile(&programs).into_iter().filter_map(Result::err).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

fn program(threads: Vec<Vec<Stmt>>, main: Vec<Stmt>) -> Program {
    Program {
        mutexes: [Mutex::Normal; 2],
        semaphores: [0; 2],
        barrier: 2,
        threads,
        helpers: Vec::new(),
        main,
        shared_handles: true,
        claim: None,
    }
}

fn start(n: u8) -> Vec<Stmt> {
    (0..n).map(|t| Stmt::Create(t, t, Argument::Null)).chain((0..n).map(Stmt::Join)).collect()
}

fn faults(program: &Program) -> Vec<Fault> {
    let turns = explore(program, 10_000).expect("it has a meaning");
    assert!(turns.complete);
    turns.faults.into_iter().collect()
}

fn threads_that_wait_for_each_other_are_stuck_whatever_others_do() {
    let [a, b] = [Lock::Mutex(0), Lock::Mutex(1)];
    let locks = |first, second| vec![Stmt::Lock(first), Stmt::Lock(second), Stmt::Unlock(second), Stmt::Unlock(first)];
    let spins = Stmt::Loop(vec![Stmt::Load(0, Place::Atomic(0), Order::Relaxed), Stmt::BreakIf(Expr::Reg(0))]);
    assert_eq!(faults(&program(vec![locks(a, b), locks(a, b)], start(2))), []);
    assert_eq!(faults(&program(vec![locks(a, b), locks(b, a)], start(2))), [Fault::Deadlock]);
    assert_eq!(faults(&program(vec![locks(a, b), locks(b, a), vec![spins.clone()]], start(3))), [Fault::Deadlock]);
    // They join each other, and `main` may return.
    let go = Stmt::Store(Place::Atomic(0), Expr::Const(1), Order::Release);
    let joins = |other| vec![spins.clone(), Stmt::Join(other)];
    let creates = (0..2).map(|t| Stmt::Create(t, t, Argument::Null)).chain([go]).collect();
    assert_eq!(faults(&program(vec![joins(1), joins(0)], creates)), [Fault::Deadlock]);
    // The end of `main` ends the wait for its lock.
    let held = vec![Stmt::Lock(a), Stmt::Create(0, 0, Argument::Null)];
    assert_eq!(faults(&program(vec![locks(a, b)], held)), []);
}

fn programs_shrink_to_what_matters() {
    let writes = |n| Stmt::Store(Place::Atomic(n), Expr::Const(1), Order::Release);
    let body = vec![
        writes(0),
        Stmt::If(Expr::Reg(0), vec![writes(1), Stmt::Repeat(2, vec![writes(2)])], vec![writes(3)]),
        Stmt::Fence(Order::SeqCst),
    ];
    let large = program(vec![body.clone(), body], start(2));
    let matters = |p: &Program| p.has(|s| matches!(s, Stmt::Store(Place::Atomic(2), ..)));
    let small = shrink(&large, &mut |all| all.iter().position(matters));
    assert_eq!(small.n_statements(), 1);
    assert!(candidates(&small).iter().all(|p| !matters(p) || p.n_statements() == 1));
}
