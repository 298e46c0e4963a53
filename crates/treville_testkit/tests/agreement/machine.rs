//! Machines beside the models of the same names: random programs without loops have the same final states by steps, on every
//! form of a machine, and by axioms. What is compared is all registers and the last value of every variable.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;
use treville_base::{FileId, Name};
use treville_enumerate::Enumerate;
use treville_ir::{Dialect, Formula, Observable, Place, Program, Quantifier, Question, Type};
use treville_machine::Machine;
use treville_passes::target;
use treville_task::{Engine, FinalValue, Semantics, Silent, Task};
use treville_testkit::{Lab, Rng};

const SEED: u64 = 0x7a12;
const PROGRAMS: u64 = 3000;

/// Which orders accesses may have.
#[derive(Clone, Copy, PartialEq)]
enum Orders {
    Any,
    ReleaseAcquire,
}

/// A program of two or three threads with at most seven accesses.
fn program(rng: &mut Rng, orders: Orders) -> String {
    let n_threads = 2 + rng.below(2);
    let mut text = "init x=0, y=0;\n".to_owned();
    let mut accesses = 7;
    for thread in 0..n_threads {
        let _ = write!(text, "thread t{thread} {{ a := 0; b := 0; ");
        let here = (2 + rng.below(2)).min(accesses);
        accesses -= here;
        for i in 0..here {
            let access = access(rng, orders, if i % 2 == 0 { "a" } else { "b" });
            match rng.below(6) {
                0 => {
                    let other = if i % 2 == 0 { "b" } else { "a" };
                    let _ = write!(text, "if ({other} != {}) {{ {access} }} ", rng.below(2));
                }
                _ => text += &access,
            }
        }
        text += "}\n";
    }
    text
}

fn access(rng: &mut Rng, orders: Orders, reg: &str) -> String {
    let var = ["x", "y"][rng.below(2)];
    let strong = |rng: &mut Rng| orders == Orders::ReleaseAcquire || rng.below(2) == 0;
    let value = match rng.below(5) {
        0 => "a + 1".to_owned(),
        n => n.to_string(),
    };
    match rng.below(10) {
        0..4 => format!("{reg} := {var}{}; ", if strong(rng) { "^A" } else { "" }),
        4..8 => format!("{var} :={} {value}; ", if strong(rng) { "R" } else { "" }),
        kind => {
            let order = if orders == Orders::ReleaseAcquire { "RA" } else { ["RA", "R", "A", "X"][rng.below(4)] };
            let op = match (kind, rng.below(2)) {
                (8, _) => format!("cas({}, {value})", rng.below(3)),
                (_, 0) => format!("swap({value})"),
                _ => "faa(1)".to_owned(),
            };
            format!("{reg} := {var}.{op}^{order}; ")
        }
    }
}

fn question(program: &Program) -> Question {
    let ty = Type::Int { bytes: 4, signed: true };
    let mut observed = Vec::new();
    for (thread, root) in program.roots.iter_enumerated() {
        let regs = program.funcs[root.func].regs.iter_enumerated().filter(|(_, info)| !info.is_temporary());
        let named = |(reg, _)| Observable { place: Place::Reg(thread, reg), ty, name: String::new() };
        observed.extend(regs.map(named));
    }
    for object in program.objects.ids() {
        observed.push(Observable { place: Place::Mem { object, offset: 0, size: 4 }, ty, name: String::new() });
    }
    Question { quantifier: Quantifier::Exists, condition: Formula::True, filter: None, observed, span: None }
}

fn finals(
    engine: &dyn Engine,
    program: &Arc<Program>,
    question: &Arc<Question>,
    semantics: Semantics,
) -> BTreeSet<Vec<FinalValue>> {
    let task = Task { question: Some(Arc::clone(question)), states: true, ..Task::new(Arc::clone(program), semantics) };
    let outcome = engine.run(&task, &Silent);
    assert!(outcome.stopped.is_none() && !outcome.cut, "{:?}", outcome.stopped);
    outcome.states.unwrap_or_default().into_iter().map(|state| state.values).collect()
}

struct Comparison {
    model: &'static str,
    machines: &'static [&'static str],
    orders: Orders,
    /// The dialect that the program is compiled to first.
    dialect: Option<Arc<Dialect>>,
}

/// How many programs, final states, and programs with a final state that sc does not have.
type Counts = [u64; 3];

fn compare(lab: &Lab, comparison: &Comparison, seeds: impl Iterator<Item = u64>) -> Result<Counts, String> {
    let mut counts = [0; 3];
    for seed in seeds {
        let text = program(&mut Rng::new(SEED + seed), comparison.orders);
        let (program, _) =
            treville_lang::rar::parse(FileId(0), "random", &text).map_err(|e| format!("{text}: {e:?}"))?;
        let program = Arc::new(program);
        let question = Arc::new(question(&program));
        let on =
            |machine: &str| finals(&Machine::default(), &program, &question, Semantics::Machine(Name::new(machine)));
        let compiled = match &comparison.dialect {
            Some(dialect) => {
                let compiled = target::compile(&program, comparison.model, dialect);
                Arc::new(compiled.map_err(|e| format!("{text}: {e:?}"))?)
            }
            None => Arc::clone(&program),
        };
        let linked = lab.link_for(comparison.model, &compiled)?;
        let axioms = Semantics::Axioms(Arc::clone(&linked.model), Arc::clone(&linked.vocabulary));
        let expected = finals(&Enumerate::fast(), &compiled, &question, axioms);
        for machine in comparison.machines {
            let found = on(machine);
            if found != expected {
                let more = found.difference(&expected).next();
                let less = expected.difference(&found).next();
                return Err(format!(
                    "program {seed}, {machine} and {}: {more:?}, {less:?} of {text}",
                    comparison.model
                ));
            }
        }
        counts[0] += 1;
        counts[1] += expected.len() as u64;
        counts[2] += u64::from(!expected.is_subset(&on("sc")));
    }
    Ok(counts)
}

/// Two threads share the work.
fn agree(comparison: &Comparison) -> Counts {
    let lab = Lab::new();
    let parts = std::thread::scope(|scope| {
        let part = |rest| {
            let lab = &lab;
            scope.spawn(move || compare(lab, comparison, (0..PROGRAMS).filter(move |seed| seed % 2 == rest)))
        };
        let parts: Vec<_> = (0..2).map(part).collect();
        parts.into_iter().map(|part| part.join().unwrap_or_else(|_| Err("a panic".into()))).collect::<Vec<_>>()
    });
    let mut sum = [0; 3];
    for part in parts {
        let part = part.unwrap_or_else(|why| panic!("{why}"));
        sum.iter_mut().zip(part).for_each(|(a, b)| *a += b);
    }
    let [programs, states, weak] = sum;
    eprintln!("{}: {programs} programs, {states} final states, {weak} programs that sc differs on", comparison.model);
    sum
}

#[test]
fn release_acquire_relaxed() {
    let machines = &["rar", "rar-graph"];
    let [programs, states, weak] = agree(&Comparison { model: "rar", machines, orders: Orders::Any, dialect: None });
    assert_eq!(programs, PROGRAMS);
    assert!(states > 3 * PROGRAMS && weak > PROGRAMS / 20, "{states} {weak}");
}

#[test]
fn release_acquire() {
    let machines = &["ra", "rar", "rar-graph"];
    let orders = Orders::ReleaseAcquire;
    let [programs, _, weak] = agree(&Comparison { model: "ra", machines, orders, dialect: None });
    assert!(programs == PROGRAMS && weak > PROGRAMS / 30, "{weak}");
}

#[test]
fn sequential_consistency() {
    let [programs, _, weak] = agree(&Comparison { model: "sc", machines: &["sc"], orders: Orders::Any, dialect: None });
    assert!(programs == PROGRAMS && weak == 0, "{weak}");
}

#[test]
fn store_buffers() {
    let dialect =
        Lab::new().parse("X86 smallest\n{}\n P0 ;\nforall (true)\n", None).map(|litmus| litmus.program.dialect);
    for (model, machines) in [("tso", &["tso"]), ("pso", &["pso"])] {
        let dialect = Some(dialect.clone().unwrap_or_else(|e| panic!("{e}")));
        let [programs, _, weak] = agree(&Comparison { model, machines, orders: Orders::Any, dialect });
        assert!(programs == PROGRAMS && weak > 10, "{weak}");
    }
}
