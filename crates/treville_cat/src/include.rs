//! Files that include files.
//!
//! This crate reads no file itself: a [`Loader`], given by the caller, knows where they are. A file that is included
//! twice is read once, but stands twice in the tree: including is not idempotent.

use crate::parser;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use treville_base::{Diagnostic, SourceMap, Span};
use treville_model::syntax::{Ins, InsKind, Unit};

/// How deep includes may nest.
const MAX_DEPTH: usize = 50;

/// A file that was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loaded {
    /// The name by which a person knows it; the same for the same file.
    pub name: String,
    pub text: Arc<str>,
}

/// Finds the files that a model includes.
pub trait Loader {
    /// The file called `name` in an `include` of the file called `from` (a display name), if it exists.
    fn load(&self, name: &str, from: &str) -> Option<Loaded>;
}

impl<F: Fn(&str, &str) -> Option<Loaded>> Loader for F {
    fn load(&self, name: &str, from: &str) -> Option<Loaded> {
        self(name, from)
    }
}

/// Reads a model or bell file and, through `loader`, what it includes. A file that is not found leaves its `include`
/// without a unit: whether that is an error depends on whether the instruction is reached.
///
/// # Errors
/// All errors of the text and of the files that it includes.
pub fn parse_unit(
    name: &str,
    text: &str,
    sources: &mut SourceMap,
    loader: &dyn Loader,
) -> Result<Unit, Vec<Diagnostic>> {
    let mut reader = Reader { sources, loader, open: Vec::new(), known: FxHashMap::default(), diagnostics: Vec::new() };
    let unit = reader.unit(name.to_string(), Arc::from(text));
    if reader.diagnostics.is_empty() { Ok(unit) } else { Err(reader.diagnostics) }
}

struct Reader<'a> {
    sources: &'a mut SourceMap,
    loader: &'a dyn Loader,
    /// The files being read, from the outermost.
    open: Vec<String>,
    known: FxHashMap<String, Arc<Unit>>,
    diagnostics: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn unit(&mut self, name: String, text: Arc<str>) -> Unit {
        let file = self.sources.add(name.clone(), text.clone());
        let mut unit = parser::parse(file, &text, &mut self.diagnostics);
        self.open.push(name);
        self.attach(&mut unit.body);
        self.open.pop();
        unit
    }

    /// Gives each include its unit.
    fn attach(&mut self, body: &mut [Ins]) {
        for Ins { kind, span } in body {
            match kind {
                InsKind::Include { file, unit } => *unit = self.included(file, *span),
                InsKind::Procedure { body, .. } => self.attach(&mut Arc::make_mut(body)[..]),
                InsKind::Forall { body, .. } => self.attach(body),
                InsKind::If { then, els, .. } => {
                    self.attach(then);
                    self.attach(els);
                }
                InsKind::Match { clauses, default, .. } => {
                    clauses.iter_mut().for_each(|(_, body)| self.attach(body));
                    default.iter_mut().for_each(|body| self.attach(body));
                }
                InsKind::Let(_)
                | InsKind::LetRec(..)
                | InsKind::Check(..)
                | InsKind::Show(_)
                | InsKind::Unshow(_)
                | InsKind::ShowAs(..)
                | InsKind::Call { .. }
                | InsKind::Enum { .. }
                | InsKind::WithFrom { .. }
                | InsKind::Instructions { .. }
                | InsKind::Debug(_) => {}
            }
        }
    }

    fn included(&mut self, file: &str, span: Span) -> Option<Arc<Unit>> {
        let from = self.open.last().map_or("", |name| name.as_str());
        let Loaded { name, text } = self.loader.load(file, from)?;
        if let Some(first) = self.open.iter().position(|open| *open == name) {
            let cycle = self.open[first..].join("`, which includes `");
            let message = format!("a file cannot include itself: `{cycle}`, which includes `{name}`");
            self.diagnostics.push(Diagnostic::error(span, message));
            return None;
        }
        if let Some(unit) = self.known.get(&name) {
            return Some(unit.clone());
        }
        if self.open.len() == MAX_DEPTH {
            self.diagnostics.push(Diagnostic::error(span, format!("includes nest more than {MAX_DEPTH} files deep")));
            return None;
        }
        let unit = Arc::new(self.unit(name.clone(), text));
        self.known.insert(name, unit.clone());
        Some(unit)
    }
}
