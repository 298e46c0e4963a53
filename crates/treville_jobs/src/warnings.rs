//! What a person should know beside an answer that is right: it may be about less than they think.

use std::collections::BTreeSet;
use treville_base::{SourceMap, Span};
use treville_ir::{Dialect, Failure, Op, Program};
use treville_task::{Outcome, Test};

/// Of a program: its assertions were compiled away, or some of its threads never run.
pub(crate) fn of_program(program: &Program, outcome: &Outcome, sources: &SourceMap) -> Vec<String> {
    let mut warnings: Vec<String> = without_assertions(program, sources).into_iter().collect();
    warnings.extend(without_threads(program, outcome, sources));
    warnings
}

/// Calls that create a thread and that no execution reaches, if all executions were explored.
fn without_threads(program: &Program, outcome: &Outcome, sources: &SourceMap) -> Vec<String> {
    let all = outcome.violation.is_none() && outcome.stopped.is_none() && !outcome.cut;
    let Some(reached) = outcome.spawns.as_ref().filter(|_| all) else { return Vec::new() };
    let insts = program.funcs.iter().flat_map(|func| func.blocks.iter()).flat_map(|block| &block.insts);
    let spawns: BTreeSet<Span> =
        insts.filter(|inst| matches!(inst.op, Op::Spawn { .. })).map(|inst| inst.span).collect();
    let never = |span: &Span| {
        let (file, place) = (&sources.file(span.file).name, sources.start(*span));
        format!(
            "no execution creates the thread of {file}:{}:{}: what it does was not checked",
            place.line, place.column
        )
    };
    spawns.difference(reached).map(never).collect()
}

fn without_assertions(program: &Program, sources: &SourceMap) -> Option<String> {
    let mut ops = program.funcs.iter().flat_map(|func| func.blocks.iter()).flat_map(|block| &block.insts);
    let asserts = ops.any(|inst| matches!(&inst.op, Op::Fail { failure: Failure::Assertion, .. }));
    let is_code = |name: &str| !name.ends_with(".ll");
    let written = sources.files().any(|(_, file)| is_code(&file.name) && calls_assert(&file.text));
    let why = "assert() is in the text, but no assertion is left in the program (NDEBUG?): none is checked";
    (written && !asserts).then(|| why.to_owned())
}

/// Whether a text calls `assert`, comments aside.
fn calls_assert(text: &str) -> bool {
    let code = text.lines().map(|line| line.split("//").next().unwrap_or(line).trim_start());
    let stands_alone = |line: &str, at: usize| {
        line[..at].chars().next_back().is_none_or(|before| !before.is_alphanumeric() && before != '_')
    };
    code.filter(|line| !line.starts_with('*') && !line.starts_with("/*") && !line.starts_with('#'))
        .any(|line| line.match_indices("assert(").any(|(at, _)| stands_alone(line, at)))
}

/// Of a test in C whose model nobody names: nothing in it says whether it is that of C11 or of the Linux kernel.
pub(crate) fn of_test(loaded: &Test) -> Vec<String> {
    let is_c =
        loaded.program.dialect.name == Dialect::C && !loaded.sources.files().any(|(_, f)| f.name.ends_with(".pts"));
    let plain = loaded.program.tags.iter().all(|tag| *tag == "NA");
    let why = format!(
        "the model is {}, since only plain accesses are in the test; for one of the Linux kernel, say option `model` linux-kernel",
        loaded.program.dialect.default_model
    );
    (is_c && plain).then_some(why).into_iter().collect()
}
