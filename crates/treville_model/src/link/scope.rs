//! Names and what they stand for while linking: local bindings over captured or global ones, over the vocabulary's.

use super::{Eval, Linker};
use crate::mentions;
use crate::model::{Prim, Shape, Static, TermId};
use crate::syntax::{Exp, Pattern};
use std::collections::BTreeMap;
use std::sync::Arc;
use treville_base::{Diagnostic, Name, Span};
use treville_event::{BaseRel, scope_set};

pub(super) type Captured = Arc<BTreeMap<Name, Static>>;

/// The bindings that an expression sees.
#[derive(Default)]
pub(super) struct Scope {
    locals: Vec<(Name, Static)>,
    /// What surrounds the locals: a function's captured names, or (`None`) the global ones.
    captured: Option<Captured>,
}

impl Scope {
    pub(super) fn over(captured: &Captured) -> Self {
        Scope { locals: Vec::new(), captured: Some(Arc::clone(captured)) }
    }

    pub(super) fn is_global(&self) -> bool {
        self.captured.is_none()
    }

    pub(super) fn push(&mut self, name: Name, value: Static) {
        self.locals.push((name, value));
    }

    pub(super) fn mark(&self) -> usize {
        self.locals.len()
    }

    pub(super) fn reset(&mut self, mark: usize) {
        self.locals.truncate(mark);
    }
}

/// What a capture found: the names, the terms behind them, and whether something only the run knows is among them.
pub(super) struct Capture {
    pub(super) env: Captured,
    pub(super) looks_at: Vec<TermId>,
    pub(super) open: bool,
}

impl Linker<'_> {
    pub(super) fn lookup(&mut self, name: &Name, span: Span, scope: &Scope) -> Eval {
        let found = self.find(name, scope);
        if let Some(rel) = BaseRel::from_name(name).filter(|r| !r.is_built()) {
            self.unbuilt.push((rel, span));
        }
        match found {
            Some(Static::Faulty(diagnostics)) => Err(diagnostics.to_vec()),
            Some(value) => Ok(value),
            None => Err(vec![self.unbound(name, span, scope)]),
        }
    }

    fn find(&mut self, name: &Name, scope: &Scope) -> Option<Static> {
        if let Some((_, value)) = scope.locals.iter().rev().find(|(n, _)| n == name) {
            return Some(value.clone());
        }
        let outer = match &scope.captured {
            Some(captured) => captured.get(name),
            None => {
                if let Some(&own) = self.own_now.get(name) {
                    self.own[own].used = true;
                }
                self.globals.get(name)
            }
        };
        outer.cloned().or_else(|| self.base(name))
    }

    /// What a name stands for that no instruction defines.
    fn base(&mut self, name: &Name) -> Option<Static> {
        if let Some(prim) = Prim::from_name(name) {
            return Some(Static::Prim(prim));
        }
        if let Some(rel) = BaseRel::from_name(name) {
            return Some(Static::Term(self.terms.rel(rel)));
        }
        if self.is_base_set(name) {
            return Some(Static::Term(self.base_set(name)));
        }
        self.scope_relation(name).map(Static::Term)
    }

    /// Relates events whose threads are in the same instance of a scope, if the test has that scope.
    pub(super) fn scope_relation(&mut self, scope: &str) -> Option<TermId> {
        let instances = (0..).map(|i| scope_set(scope, i)).take_while(|n| self.vocabulary.sets.contains(n));
        let instances: Vec<Name> = instances.collect();
        let same = instances.iter().map(|instance| {
            let threads = self.terms.set(instance);
            self.terms.product(threads, threads)
        });
        let same: Vec<TermId> = same.collect();
        same.into_iter().reduce(|a, b| self.terms.union(a, b))
    }

    pub(super) fn is_base_set(&self, name: &str) -> bool {
        self.vocabulary.sets.contains(name) || self.tag_sets.contains(name)
    }

    pub(super) fn base_set(&mut self, name: &Name) -> TermId {
        match self.vocabulary.empty.contains(name) {
            true => self.terms.empty(Shape::Set),
            false => self.terms.set(name),
        }
    }

    fn unbound(&self, name: &Name, span: Span, scope: &Scope) -> Diagnostic {
        let error = Diagnostic::error(span, format!("unbound name '{name}'"));
        if self.tried > 0 {
            return error; // will be thrown away: do not look for suggestions
        }
        let mut names: Vec<&str> = scope.locals.iter().map(|(n, _)| n.as_str()).collect();
        match &scope.captured {
            Some(captured) => names.extend(captured.keys().map(Name::as_str)),
            None => names.extend(self.globals.keys().map(Name::as_str)),
        }
        names.extend(self.vocabulary.sets.iter().map(Name::as_str));
        for name in BaseRel::ALL.iter().map(|r| r.name()).chain(Prim::names()) {
            names.push(name);
        }
        names.sort_unstable();
        match closest(name, &names) {
            Some(similar) => error.help(format!("did you mean '{similar}'?")),
            None => error,
        }
    }

    /// What the names in an expression stand for here.
    pub(super) fn capture<'e>(&mut self, exps: impl IntoIterator<Item = &'e Exp>, scope: &Scope) -> Capture {
        let mut names = Vec::new();
        exps.into_iter().for_each(|e| mentions::in_exp(e, &mut |n| names.push(n.clone())));
        self.capture_names(names, scope)
    }

    pub(super) fn capture_names(&mut self, names: Vec<Name>, scope: &Scope) -> Capture {
        let mut env = BTreeMap::new();
        let mut looks_at = Vec::new();
        let mut open = false;
        for name in names {
            if env.contains_key(&name) {
                continue;
            }
            if let Some(value) = self.find(&name, scope) {
                open |= value.is_open();
                self.terms_behind(&value, &mut looks_at);
                env.insert(name, value);
            }
        }
        looks_at.sort_unstable();
        looks_at.dedup();
        Capture { env: Arc::new(env), looks_at, open }
    }

    fn terms_behind(&self, value: &Static, out: &mut Vec<TermId>) {
        match value {
            Static::Term(t) => out.push(*t),
            Static::General(g) => out.extend(&self.generals[*g].looks_at),
            Static::Closure(c) => out.extend(&c.looks_at),
            Static::Tuple(vs) => vs.iter().for_each(|v| self.terms_behind(v, out)),
            Static::Empty | Static::Universe | Static::Tag(_) | Static::Tags(_) => {}
            Static::Prim(_) | Static::Faulty(_) | Static::Unknown(_) => {}
        }
    }

    /// Binds a pattern to a value in the scope.
    pub(super) fn bind(
        &mut self,
        pattern: &Pattern,
        value: Static,
        span: Span,
        scope: &mut Scope,
    ) -> Result<(), Vec<Diagnostic>> {
        for (name, value) in self.destructure(pattern, value, span)? {
            scope.push(name, value);
        }
        Ok(())
    }

    pub(super) fn destructure(
        &self,
        pattern: &Pattern,
        value: Static,
        span: Span,
    ) -> Result<Vec<(Name, Static)>, Vec<Diagnostic>> {
        let names = match pattern {
            Pattern::Var(None) => return Ok(Vec::new()),
            Pattern::Var(Some(name)) => return Ok(vec![(name.clone(), value)]),
            Pattern::Tuple(names) => names,
        };
        let values = match value {
            Static::Tuple(values) => values,
            Static::Unknown(crate::Type::Any) => vec![value; names.len()],
            Static::Unknown(crate::Type::Tuple(types)) => types.into_iter().map(Static::Unknown).collect(),
            Static::Faulty(_) => vec![value; names.len()],
            single if names.len() == 1 => vec![single],
            other => {
                let ty = other.type_in(&self.terms, &self.generals);
                let message = format!("{} values are needed here, this is {ty}", names.len());
                return Err(vec![Diagnostic::error(span, message)]);
            }
        };
        if values.len() != names.len() {
            let message = format!("{} values are needed here, {} are given", names.len(), values.len());
            return Err(vec![Diagnostic::error(span, message)]);
        }
        Ok(names.iter().zip(values).filter_map(|(n, v)| n.clone().map(|n| (n, v))).collect())
    }
}

/// The candidate that is nearest to a name, if one is near enough to be a slip.
fn closest<'c>(name: &str, candidates: &[&'c str]) -> Option<&'c str> {
    let limit = if name.len() < 3 { 1 } else { 2 };
    candidates
        .iter()
        .filter(|c| c.len().abs_diff(name.len()) <= limit && **c != name)
        .map(|&c| (if c.eq_ignore_ascii_case(name) { 0 } else { distance(name, c) }, c))
        .filter(|&(d, _)| d <= limit)
        .min_by_key(|&(d, _)| d)
        .map(|(_, c)| c)
}

/// How many characters must be inserted, deleted or replaced to turn one word into the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[b.len()]
}
