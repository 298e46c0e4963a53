//! Programs with put, get and flush on remote memory: the language of Baumann, Dan, Meshman, Hoefler and Vechev, "Automatic
//! Verification of RMA Programs via Abstraction Extrapolation" (VMCAI 2018), with remote atomic operations, blocks that are not
//! interrupted, and arrays as a shorthand.
//!
//! Behind every remote statement is a slot for a flush. A statement on elements of arrays is one remote statement for each
//! choice of elements, with one slot.

mod annotate;
mod lints;
mod lower;
mod parse;
mod resolve;
mod syntax;
#[cfg(test)]
mod tests;

pub use annotate::annotated;

use crate::lexer::Word;
use lower::{Lower, Remotes};
use resolve::{Named, Names, Scope};
use std::collections::{BTreeMap, BTreeSet};
use syntax::{Decl, Source};
use treville_base::{Diagnostic, FileId, Idx, IndexVec, Name};
use treville_rma::{Atom, Cond, Init, ProcId, Process, Program, PropKind, Property, VarId, VarKind, Variable};

/// The most elements of an array.
const MAX_ARRAY: i64 = 64;

/// Reads a program, with warnings about it. All errors that can be found in one run are returned.
///
/// # Errors
/// What is wrong with it, in the order of the text.
pub fn parse(file: FileId, name: &str, text: &str) -> Result<(Program, Vec<Diagnostic>), Vec<Diagnostic>> {
    if u32::try_from(text.len()).is_err() {
        return Err(vec![Diagnostic::error(None, "the program is larger than 4 GiB")]);
    }
    let source = parse::parse(file, text)?;
    let mut errors = Vec::new();
    let mut without_init = BTreeSet::new();
    let mut names = names(&source, &mut without_init, &mut errors);
    let mut remotes = Remotes::default();
    for (p, proc) in source.procs.iter().enumerate() {
        remotes.add(&proc.body, 0, ProcId::from_usize(p), &names, &mut errors);
    }
    let procs = processes(&source, &names, &remotes, &mut errors);
    names.labels = procs.iter().map(|proc| proc.labels.clone()).collect();
    let properties = properties(&source, &names, text, &mut errors);
    let predicates = predicates(&source, &names, &mut errors);
    if !errors.is_empty() {
        errors.sort_by_key(|e| e.span);
        errors.dedup();
        return Err(errors);
    }
    let Remotes { remotes, slots, .. } = remotes;
    let name = Name::new(source.name.map_or(name, |word| word.text));
    let program =
        Program { name, procs, vars: names.vars, remotes, slots, domain: source.domain, properties, predicates };
    let warnings = lints::lints(&program, &without_init);
    Ok((program, warnings))
}

/// The processes and variables that are declared.
fn names<'a>(source: &Source<'a>, without_init: &mut BTreeSet<VarId>, errors: &mut Vec<Diagnostic>) -> Names<'a> {
    let mut names = Names::default();
    for (p, proc) in source.procs.iter().enumerate() {
        if let Some(first) = names.procs.iter().find(|first| first.text == proc.name.text) {
            errors.push(twice("process", &proc.name, first.span));
        }
        names.procs.push(proc.name);
        names.locals.push(BTreeMap::new());
        for decl in &proc.decls {
            declare(decl, p, &mut names, without_init, errors);
        }
    }
    for locals in &names.locals {
        for (text, local) in locals {
            if let Some(shared) = names.shared.get(text) {
                let word = Word { text, span: local.span };
                errors.push(twice("variable", &word, shared.span));
            }
        }
    }
    names
}

fn twice(what: &str, word: &Word<'_>, first: treville_base::Span) -> Diagnostic {
    Diagnostic::error(word.span, format!("the {what} `{}` is there already", word.text)).label(first, "here")
}

fn declare<'a>(
    decl: &Decl<'a>,
    proc: usize,
    names: &mut Names<'a>,
    without_init: &mut BTreeSet<VarId>,
    errors: &mut Vec<Diagnostic>,
) {
    if let Some(size) = decl.size {
        if !decl.shared {
            return errors.push(Diagnostic::error(decl.name.span, "only shared variables can be arrays"));
        }
        if !(1..=MAX_ARRAY).contains(&size) {
            let message = format!("an array has from 1 to {MAX_ARRAY} elements");
            return errors.push(Diagnostic::error(decl.name.span, message));
        }
    }
    let kind = if decl.shared { VarKind::Shared } else { VarKind::Local };
    let mut vars = Vec::new();
    for i in 0..decl.size.unwrap_or(1) {
        let text = if decl.size.is_some() { format!("{}[{i}]", decl.name.text) } else { decl.name.text.to_owned() };
        let var = names.vars.push(Variable {
            name: Name::new(&text),
            kind,
            proc: ProcId::from_usize(proc),
            init: decl.init.clone().unwrap_or(Init::Value(0)),
            span: decl.name.span,
        });
        if decl.init.is_none() {
            without_init.insert(var);
        }
        vars.push(var);
    }
    let named = Named { vars, array: decl.size.is_some(), span: decl.name.span };
    let scope = if decl.shared { &mut names.shared } else { &mut names.locals[proc] };
    if let Some(first) = scope.insert(decl.name.text, named) {
        errors.push(twice("variable", &decl.name, first.span));
    }
}

fn processes(
    source: &Source<'_>,
    names: &Names<'_>,
    remotes: &Remotes,
    errors: &mut Vec<Diagnostic>,
) -> IndexVec<ProcId, Process> {
    let mut procs = IndexVec::new();
    for proc in &source.procs {
        let mut lower = Lower::new(names, remotes, ProcId::from_usize(procs.len()), errors);
        let entry = lower.process(&proc.body, proc.name.span);
        let Lower { nodes, labels, out_of_bounds, .. } = lower;
        let name = Name::new(proc.name.text);
        procs.push(Process { name, entry, nodes, labels, out_of_bounds, span: proc.name.span });
    }
    procs
}

fn properties(source: &Source<'_>, names: &Names<'_>, text: &str, errors: &mut Vec<Diagnostic>) -> Vec<Property> {
    let mut properties: Vec<Property> = Vec::new();
    for (kind, expr) in &source.properties {
        match names.cond(expr, Scope::Property) {
            Ok(cond) => {
                let word = match kind {
                    PropKind::Always => "always",
                    PropKind::Final => "final",
                    PropKind::Quiescent => "quiescent",
                };
                let said = text.get(expr.span.start as usize..expr.span.end as usize).unwrap_or("");
                let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
                let name = Name::new(&format!("{word} {said}"));
                properties.push(Property { name, kind: *kind, cond, span: expr.span });
            }
            Err(error) => errors.push(error),
        }
    }
    properties
}

fn predicates(source: &Source<'_>, names: &Names<'_>, errors: &mut Vec<Diagnostic>) -> Vec<Atom> {
    let mut predicates: Vec<Atom> = Vec::new();
    for expr in &source.predicates {
        match names.cond(expr, Scope::Property) {
            Ok(Cond::Atom(atom)) => {
                if !predicates.contains(&atom) {
                    predicates.push(atom);
                }
            }
            Ok(_) => {
                let error = Diagnostic::error(expr.span, "a predicate is one comparison of sums of variables");
                errors.push(error.help("the parts of `&&` and `||` can be predicates of their own"));
            }
            Err(error) => errors.push(error),
        }
    }
    predicates
}
