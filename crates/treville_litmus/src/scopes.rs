//! Trees of scopes after the code of a LISA test: `scopes: (system (gpu P0 P1) (gpu P2))`. Each instance of a scope is a
//! group of threads.

use crate::init::proc_number;
use crate::lexer::{Cursor, Tok};
use std::collections::BTreeMap;
use treville_base::{Diagnostic, Name};

/// How deeply scopes may nest.
const MAX_DEPTH: usize = 50;

/// A scope, and which instance of it.
type Instance = (Name, u32);

/// The scopes of each thread, outermost first.
pub(crate) fn scopes(c: &mut Cursor<'_, '_>, n_threads: usize) -> Result<Vec<Vec<Instance>>, Diagnostic> {
    let mut trees = Trees { scopes: vec![Vec::new(); n_threads], instances: BTreeMap::new(), open: Vec::new() };
    while !c.done() {
        let at = c.span();
        match c.name("`scopes`")? {
            "scopes" | "levels" => {
                c.expect(":")?;
                trees.tree(c)?;
            }
            _ => return Err(Diagnostic::error(at, "regions of memory are not supported")),
        }
    }
    Ok(trees.scopes)
}

struct Trees<'a> {
    scopes: Vec<Vec<Instance>>,
    /// How many instances of each scope there are so far.
    instances: BTreeMap<&'a str, u32>,
    /// The instances around the current place.
    open: Vec<Instance>,
}

impl<'a> Trees<'a> {
    /// `(scope thread… tree…)`.
    fn tree(&mut self, c: &mut Cursor<'_, 'a>) -> Result<(), Diagnostic> {
        if self.open.len() == MAX_DEPTH {
            return Err(Diagnostic::error(c.span(), "scopes nest too deeply here"));
        }
        c.expect("(")?;
        let scope = c.name("a scope")?;
        let instance = self.instances.entry(scope).or_default();
        self.open.push((Name::new(scope), *instance));
        *instance += 1;
        while !c.eat(")") {
            if c.is("(") {
                self.tree(c)?;
            } else {
                self.thread(c)?;
            }
        }
        self.open.pop();
        Ok(())
    }

    fn thread(&mut self, c: &mut Cursor<'_, 'a>) -> Result<(), Diagnostic> {
        let at = c.span();
        let number = match c.next() {
            Tok::Name(word) => proc_number(word).map(|n| n as usize),
            Tok::Num(n) => usize::try_from(n).ok(),
            _ => None,
        };
        let Some(scopes) = number.and_then(|n| self.scopes.get_mut(n)) else {
            return Err(Diagnostic::error(at, "expected a thread or a scope in parentheses"));
        };
        scopes.extend(self.open.iter().cloned());
        Ok(())
    }
}
