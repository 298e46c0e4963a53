//! The C11-like language of the first Dartagnan and Porthos: locations, threads, and a condition as in litmus tests.
//!
//! Numbers have 32 bits and a sign, and wrap around. Orders of accesses get the tags of C11; the words for fences of
//! architectures get the tags that these have there, and mean something only after the program was compiled for one.
//! `fence(order)`, a fence of C11, and initial values are ours.

mod expr;
mod lower;
mod parse;
mod syntax;
#[cfg(test)]
mod tests;

use crate::variable::{self, INT};
use lower::Registers;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};
use syntax::{Location, Source, Thread};
use treville_base::{Diagnostic, FileId, IndexVec, Name};
use treville_ir::{Dialect, Object, ObjectId, Program, Question, Root, ThreadId};
use treville_litmus::{Names, Register, parse_question};

static DIALECT: LazyLock<Arc<Dialect>> = LazyLock::new(|| {
    let fences: Vec<Name> = parse::FENCES.iter().map(|(_, tag)| Name::new(tag)).collect();
    Arc::new(Dialect::c(Dialect::PTS, Dialect::MODEL_OF_PROGRAMS, true, &fences))
});

/// Reads a program. All errors that can be found in one run are returned. Without a condition it asks `forall true`.
pub fn parse(file: FileId, name: &str, text: &str) -> Result<(Program, Question), Vec<Diagnostic>> {
    if u32::try_from(text.len()).is_err() {
        return Err(vec![Diagnostic::error(None, "the program is larger than 4 GiB")]);
    }
    let Source { locations, threads, condition } = parse::parse(file, text)?;
    let mut program = Program::new(name, Arc::clone(&DIALECT));
    let mut errors = Vec::new();
    add_locations(&locations, &mut program, &mut errors);
    let threads = add_threads(&threads, &mut program, &mut errors);
    let mut names = PtsNames { program: &program, threads };
    match parse_question(file, text, condition..text.len(), &mut names) {
        Ok(question) if errors.is_empty() => return Ok((program, question)),
        Ok(_) => {}
        Err(more) => errors.extend(more),
    }
    errors.sort_by_key(|e| e.span);
    Err(errors)
}

fn add_locations(locations: &[Location<'_>], program: &mut Program, errors: &mut Vec<Diagnostic>) {
    let mut firsts = BTreeMap::new();
    for Location { name, init } in locations {
        if let Some(first) = firsts.get(name.text) {
            let error = Diagnostic::error(name.span, format!("the location `{}` is there already", name.text));
            errors.push(error.label(*first, "the first is here"));
            continue;
        }
        firsts.insert(name.text, name.span);
        variable::add(program, name, *init);
    }
}

/// A thread by its number.
type Threads = BTreeMap<u32, (ThreadId, Registers)>;

fn add_threads(threads: &[Thread<'_>], program: &mut Program, errors: &mut Vec<Diagnostic>) -> Threads {
    let mut next_instr = 0;
    let mut added = Threads::new();
    for thread in threads {
        let (func, registers) = lower::thread(thread, program, &mut next_instr, errors);
        let name = func.name.clone();
        if added.contains_key(&thread.number) {
            let first = threads.iter().find(|t| t.number == thread.number).map_or(thread.span, |t| t.span);
            let error = Diagnostic::error(thread.span, format!("the thread `{name}` is there already"));
            errors.push(error.label(first, "the first is here"));
            continue;
        }
        let func = program.funcs.push(func);
        let id = program.roots.push(Root { name, func, init: Vec::new(), scopes: Vec::new(), ends_process: false });
        added.insert(thread.number, (id, registers));
    }
    added
}

/// What names in the condition stand for.
struct PtsNames<'p> {
    program: &'p Program,
    threads: Threads,
}

impl Names for PtsNames<'_> {
    fn object(&self, name: &str) -> Option<ObjectId> {
        self.program.object_named(name)
    }

    fn objects(&self) -> &IndexVec<ObjectId, Object> {
        &self.program.objects
    }

    fn register(&mut self, thread: u32, name: &str) -> Result<Register, String> {
        let (id, registers) = self.threads.get(&thread).ok_or_else(|| format!("there is no thread `t{thread}`"))?;
        let reg = registers.get(name).ok_or_else(|| format!("the thread `t{thread}` has no register `{name}`"))?;
        Ok(Register { thread: *id, reg: *reg, ty: INT, name: name.to_owned(), order: 0 })
    }

    fn names_are_values(&self) -> bool {
        true
    }
}
