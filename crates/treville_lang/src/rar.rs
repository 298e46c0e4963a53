//! Programs in the release-acquire-relaxed fragment of C11, with invariants over what threads can observe: the notation of
//! Dalvandi and Dongol, "Towards Deductive Verification of C11 Programs with Event-B and ProB" (`FTfJP` 2019), as text.
//!
//! Numbers have 32 bits and a sign, and wrap around. Accesses get the tags of C11, so that the program also means something
//! to models of C. Labels become marks; they are where program counters can be.

mod lower;
mod parse;
mod props;
mod resolve;
mod syntax;
#[cfg(test)]
mod tests;

use crate::lexer::Word;
use crate::variable;
use lower::Scope;
use resolve::{Names, Resolved};
use std::collections::BTreeSet;
use std::collections::btree_map::{BTreeMap, Entry};
use std::sync::{Arc, LazyLock};
use syntax::Source;
use treville_base::{Diagnostic, FileId, Name, Span};
use treville_ir::{Claim, Claims, Dialect, Program, Root, Symmetry};

static DIALECT: LazyLock<Arc<Dialect>> = LazyLock::new(|| Arc::new(Dialect::c11("rar")));

/// Reads a program and what it claims. All errors that can be found in one run are returned.
///
/// # Errors
/// What is wrong with it, in the order of the text.
pub fn parse(file: FileId, name: &str, text: &str) -> Result<(Program, Claims), Vec<Diagnostic>> {
    if u32::try_from(text.len()).is_err() {
        return Err(vec![Diagnostic::error(None, "the program is larger than 4 GiB")]);
    }
    let source = parse::parse(file, text, true)?;
    let mut program = Program::new(name, Arc::clone(&DIALECT));
    let mut errors = Vec::new();
    add_variables(&source, &mut program, &mut errors);
    let mut scopes = Vec::new();
    let mut next_instr = 0;
    let swapped = source.symmetries.iter().flat_map(|s| &s.values);
    let apart: BTreeSet<&str> = swapped.map(|(variable, ..)| variable.text).collect();
    no_second("thread", source.threads.iter().map(|t| &t.name), &mut errors);
    for thread in &source.threads {
        let (func, scope) = lower::thread(thread, &apart, &mut program, &mut next_instr, &mut errors);
        let name = func.name.clone();
        let func = program.funcs.push(func);
        program.roots.push(Root { name, func, init: Vec::new(), scopes: Vec::new(), ends_process: false });
        scopes.push(scope);
    }
    let names = Names { program: &program, scopes, beside: false };
    let claims = claims(&source, &names, &mut errors);
    if errors.is_empty() {
        return Ok((program, claims));
    }
    errors.sort_by_key(|e| e.span);
    Err(errors)
}

/// Reads invariants and outcomes of a program that is written elsewhere, and whose labels are its marks. Claims may be comments
/// (`// invariant …`), so that they can be moved between the program and this text.
///
/// # Errors
/// What is wrong with them, in the order of the text.
pub fn parse_claims(file: FileId, text: &str, program: &Program) -> Result<Claims, Vec<Diagnostic>> {
    if u32::try_from(text.len()).is_err() {
        return Err(vec![Diagnostic::error(None, "the text is larger than 4 GiB")]);
    }
    let text = uncommented(text);
    let source = parse::parse(file, &text, false)?;
    let mut errors = Vec::new();
    let of_program = source.init.iter().map(|(name, _)| name).chain(source.threads.iter().map(|thread| &thread.name));
    errors.extend(of_program.map(|name| Diagnostic::error(name.span, "the program is in the file beside this one")));
    let scopes = program.roots.iter().map(|root| Scope::of(&program.funcs[root.func])).collect();
    let claims = claims(&source, &Names { program, scopes, beside: true }, &mut errors);
    if errors.is_empty() && claims.invariants.is_empty() && claims.outcomes.is_empty() {
        errors.push(Diagnostic::error(
            Span::new(file, 0, 0),
            "nothing is claimed here: there is no invariant or outcome",
        ));
    }
    if errors.is_empty() {
        return Ok(claims);
    }
    errors.sort_by_key(|e| e.span);
    Err(errors)
}

/// The text, in which claims in comments are none; every letter stays where it is.
fn uncommented(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let indent = line.len() - line.trim_start().len();
        let claim = line[indent..].strip_prefix("//").filter(|rest| {
            let word = rest.trim_start();
            CLAIMS
                .iter()
                .any(|claim| word.strip_prefix(claim).is_some_and(|rest| rest.starts_with(char::is_whitespace)))
        });
        match claim {
            Some(rest) => {
                out.push_str(&line[..indent]);
                out.push_str("  ");
                out.push_str(rest);
            }
            None => out.push_str(line),
        }
    }
    out
}

/// What claims begin with.
const CLAIMS: [&str; 3] = ["invariant", "outcome", "symmetric"];

/// A name must not have been used for something of the same kind before.
fn no_second<'a>(what: &str, all: impl Iterator<Item = &'a Word<'a>>, errors: &mut Vec<Diagnostic>) {
    let mut firsts = BTreeMap::new();
    for name in all {
        match firsts.entry(name.text) {
            Entry::Vacant(entry) => drop(entry.insert(name.span)),
            Entry::Occupied(first) => {
                let error = Diagnostic::error(name.span, format!("the {what} `{}` is there already", name.text));
                errors.push(error.label(*first.get(), "the first is here"));
            }
        }
    }
}

fn add_variables(source: &Source<'_>, program: &mut Program, errors: &mut Vec<Diagnostic>) {
    no_second("variable", source.init.iter().map(|(name, _)| name), errors);
    for (name, init) in &source.init {
        variable::add(program, name, *init);
    }
}

fn claims(source: &Source<'_>, names: &Names<'_>, errors: &mut Vec<Diagnostic>) -> Claims {
    let mut claims = Claims::default();
    for (what, from, to) in
        [("invariant", &source.invariants, &mut claims.invariants), ("outcome", &source.outcomes, &mut claims.outcomes)]
    {
        no_second(what, from.iter().map(|c| &c.name), errors);
        for claim in from {
            match names.prop(&claim.prop) {
                Ok(prop) => to.push(Claim { name: Name::new(claim.name.text), prop, span: claim.prop.span }),
                Err(error) => errors.push(error),
            }
        }
    }
    for symmetry in &source.symmetries {
        match self::symmetry(symmetry, names) {
            Ok(symmetry) => claims.symmetries.push(symmetry),
            Err(error) => errors.push(error),
        }
    }
    claims
}

fn symmetry(symmetry: &syntax::Symmetry<'_>, names: &Names<'_>) -> Resolved<Symmetry> {
    let (first, second) = &symmetry.threads;
    let object = |word: &Word<'_>| names.object(word);
    Ok(Symmetry {
        threads: (names.thread(first)?, names.thread(second)?),
        objects: symmetry.objects.iter().map(|(a, b)| Ok((object(a)?, object(b)?))).collect::<Resolved<_>>()?,
        values: symmetry
            .values
            .iter()
            .map(|(of, a, b)| Ok((object(of)?, i64::from(*a), i64::from(*b))))
            .collect::<Resolved<_>>()?,
        span: symmetry.span,
    })
}
