//! Running programs in .rar on machines.

use std::sync::Arc;
use treville_base::{FileId, Name};
use treville_ir::{Claims, Formula, Observable, Place, Program, Prop, Quantifier, Question, Type};
use treville_machine::Machine;
use treville_task::{Answer, Engine, FinalState, Goal, Query, Reduction, Reductions, Semantics, Silent, Task};

/// What was found out about a program.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) states: u64,
    pub(crate) transitions: u64,
    /// For each invariant the length of the shortest run that violates it, if there is one.
    pub(crate) violated: Vec<Option<usize>>,
    /// For each outcome whether it is reached.
    pub(crate) reached: Vec<bool>,
}

pub(crate) fn read(text: &str) -> (Program, Claims) {
    treville_lang::rar::parse(FileId(0), "test", text).unwrap_or_else(|errors| panic!("{text}: {errors:?}"))
}

pub(crate) fn task(program: Program, machine: &str) -> Task {
    Task {
        reductions: Reductions::all().without(Reduction::Symmetry),
        ..Task::new(Arc::new(program), Semantics::Machine(Name::new(machine)))
    }
}

/// The queries of a program's own claims.
pub(crate) fn queries(claims: &Claims) -> Vec<Query> {
    let violated = |prop: &Prop| Goal::State(Prop::Not(Box::new(prop.clone())));
    let invariants = claims.invariants.iter().map(|claim| violated(&claim.prop));
    let outcomes = claims.outcomes.iter().map(|claim| Goal::End(claim.prop.clone()));
    invariants.chain(outcomes).map(|goal| Query { goal }).collect()
}

pub(crate) fn look(text: &str, machine: &str) -> Found {
    let (program, claims) = read(text);
    look_at(&Task { queries: queries(&claims), ..task(program, machine) }, &claims)
}

pub(crate) fn look_at(task: &Task, claims: &Claims) -> Found {
    let outcome = Machine::default().run(task, &Silent);
    let run = |answer: &Answer| match answer {
        Answer::Reached(run) => Some(run.steps.len()),
        Answer::Absent(scope) => {
            assert!(scope.complete, "{scope:?}");
            None
        }
        Answer::Found(_) | Answer::Fails(_) | Answer::Open(_) => panic!("{answer:?}"),
    };
    let runs: Vec<Option<usize>> = outcome.answers.iter().map(run).collect();
    let (violated, reached) = runs.split_at(claims.invariants.len());
    Found {
        states: outcome.stats["states"],
        transitions: outcome.stats["transitions"],
        violated: violated.to_vec(),
        reached: reached.iter().map(Option::is_some).collect(),
    }
}

/// A question about all registers that a program names.
pub(crate) fn about_registers(program: &Program) -> Question {
    let ty = Type::Int { bytes: 4, signed: true };
    let mut observed = Vec::new();
    for (thread, root) in program.roots.iter_enumerated() {
        for (reg, info) in program.funcs[root.func].regs.iter_enumerated().filter(|(_, info)| !info.is_temporary()) {
            let name = format!("{}:{}", root.name, info.name);
            observed.push(Observable { place: Place::Reg(thread, reg), ty, name });
        }
    }
    Question { quantifier: Quantifier::Exists, condition: Formula::True, filter: None, observed, span: None }
}

/// The final values of all registers.
pub(crate) fn finals(text: &str, machine: &str) -> Vec<FinalState> {
    let (program, _) = read(text);
    let question = Some(Arc::new(about_registers(&program)));
    let outcome = Machine::default().run(&Task { question, states: true, ..task(program, machine) }, &Silent);
    assert!(outcome.stopped.is_none() && !outcome.cut, "{text}: {:?} {}", outcome.stopped, outcome.cut);
    outcome.states.unwrap_or_default()
}
