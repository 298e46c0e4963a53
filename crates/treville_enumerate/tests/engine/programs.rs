//! Small programs in the text form, as tasks, whose executions can be counted by hand.

use std::sync::Arc;
use treville_base::{FileId, MemoryFiles};
use treville_ir::{Formula, Observable, Place, Program, Quantifier, Question, Type};
use treville_models::{Library, ModelOptions};
use treville_task::{FinalValue, Outcome, Semantics, Task};

/// Threads with these bodies, on `x` and `y`, with registers `r` and `s`.
pub(crate) fn program(bodies: &[String]) -> Program {
    let mut text = "program \"small\"\ndialect X86 tso branch_events sets [X MFENCE]\ntags [X]\n".to_owned();
    // Each is one cell, not four of a byte.
    ["x", "y"].into_iter().for_each(|name| text += &format!("object {name} init [0 4 0:32]\n"));
    for (i, body) in bodies.iter().enumerate() {
        text += &format!("func P{i} () regs [r:32 s:32] {{\nb0:\n{body}\n  end\n}}\n");
    }
    (0..bodies.len()).for_each(|i| text += &format!("thread P{i} P{i} []\n"));
    treville_ir::text::parse(FileId(0), &text).unwrap_or_else(|e| panic!("{text}: {e:?}"))
}

pub(crate) fn store(to: &str, value: u32) -> String {
    format!("store &{to} {value}:32 4 []\n")
}

pub(crate) fn load(reg: &str, from: &str) -> String {
    format!("{reg} = load &{from} 4 []\n")
}

/// Adds one, as one instruction.
pub(crate) fn increment(place: &str) -> String {
    format!("r = update &{place} 4 (add r 1:32) [X] [X] [X] [X]\n")
}

/// The programs that everybody knows, by name.
pub(crate) fn known(name: &str) -> Program {
    let (w, r) = (|x: &str| store(x, 1), load);
    program(&match name {
        "SB" => vec![w("x") + &r("r", "y"), w("y") + &r("r", "x")],
        "MP" => vec![w("x") + &w("y"), r("r", "y") + &r("s", "x")],
        "LB" => vec![r("r", "x") + &w("y"), r("r", "y") + &w("x")],
        "IRIW" => vec![w("x"), w("y"), r("r", "x") + &r("s", "y"), r("r", "y") + &r("s", "x")],
        "2+2W" => vec![store("x", 1) + &store("y", 2), store("y", 1) + &store("x", 2)],
        "CoRR" => vec![w("x"), r("r", "x") + &r("s", "x")],
        other => panic!("{other} is not known"),
    })
}

/// All registers and locations are looked at; what is asked is whether this holds in the end.
pub(crate) fn task(program: &Program, model: &str, condition: Formula) -> Task {
    let library = Library::new(MemoryFiles::default());
    let options = ModelOptions { name: Some(model.to_owned()), ..ModelOptions::default() };
    let linked = library.linked(&options, program).unwrap_or_else(|e| panic!("{model}: {e:?}"));
    let semantics = Semantics::Axioms(Arc::clone(&linked.model), Arc::clone(&linked.vocabulary));
    let ty = Type::Int { bytes: 4, signed: true };
    let regs = program
        .roots
        .iter_enumerated()
        .flat_map(|(thread, root)| program.funcs[root.func].regs.ids().map(move |reg| Place::Reg(thread, reg)));
    let memory = program.objects.ids().map(|object| Place::Mem { object, offset: 0, size: 4 });
    let observed = regs.chain(memory).map(|place| Observable { place, ty, name: String::new() }).collect();
    let question = Question { quantifier: Quantifier::Exists, condition, filter: None, observed, span: None };
    Task {
        queries: Task::litmus_queries(&question),
        question: Some(Arc::new(question)),
        states: true,
        ..Task::new(Arc::new(program.clone()), semantics)
    }
}

/// Final states as numbers: the registers of each thread, then `x` and `y`.
pub(crate) fn states(outcome: &Outcome) -> Vec<Vec<u64>> {
    let number = |value: &FinalValue| value.first().map_or(u64::MAX, |value| value.unsigned() as u64);
    let mut states: Vec<Vec<u64>> =
        outcome.states.iter().flatten().map(|state| state.values.iter().map(number).collect()).collect();
    states.sort();
    states
}
