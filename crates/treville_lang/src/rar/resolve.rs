//! Properties with their names resolved: threads, registers, variables, labels, writes. Quantifiers over threads are unrolled.

use super::lower::{Scope, label_name};
use super::syntax::{Prop as Syntax, PropKind};
use crate::lexer::Word;
use std::collections::BTreeSet;
use treville_base::{Diagnostic, Idx, Name, Span};
use treville_ir::{Comparison, ObjectId, Program, Prop, Term, ThreadId, WriteVar};

pub(super) type Resolved<T> = Result<T, Diagnostic>;

/// What names in a program stand for.
pub(super) struct Names<'p> {
    pub(super) program: &'p Program,
    /// Of each thread.
    pub(super) scopes: Vec<Scope>,
    /// The program is written elsewhere.
    pub(super) beside: bool,
}

/// Unrolled properties are not larger than this.
const MAX_SIZE: usize = 100_000;

impl Names<'_> {
    pub(super) fn thread(&self, word: &Word<'_>) -> Resolved<ThreadId> {
        let found = self.program.roots.iter_enumerated().find(|(_, root)| root.name == word.text).map(|(id, _)| id);
        found.ok_or_else(|| {
            let error = Diagnostic::error(word.span, format!("there is no thread `{}`", word.text));
            let names = || self.program.roots.iter().map(|root| root.name.as_str()).take(10).collect::<Vec<_>>();
            if self.beside { error.help(format!("the threads are {}", names().join(", "))) } else { error }
        })
    }

    pub(super) fn object(&self, word: &Word<'_>) -> Resolved<ObjectId> {
        self.program.object_named(word.text).ok_or_else(|| {
            let error = Diagnostic::error(word.span, format!("there is no shared variable `{}`", word.text));
            let names = || self.program.objects.iter().map(|object| object.name.as_str()).take(10).collect::<Vec<_>>();
            if self.beside {
                error.help(format!("the threads of the program access {}", names().join(", ")))
            } else {
                error.help("shared variables are declared by `init`")
            }
        })
    }

    fn scope(&self, thread: ThreadId) -> &Scope {
        &self.scopes[thread.index()]
    }

    pub(super) fn prop(&self, syntax: &Syntax<'_>) -> Resolved<Prop> {
        let mut resolver = Resolver { names: self, threads: Vec::new(), writes: Vec::new(), size: 0 };
        resolver.prop(syntax)
    }
}

struct Resolver<'n, 'a> {
    names: &'n Names<'n>,
    /// Threads that quantifiers have given names, innermost last.
    threads: Vec<(&'a str, ThreadId)>,
    /// Writes that quantifiers range over, outermost first.
    writes: Vec<&'a str>,
    size: usize,
}

impl<'a> Resolver<'_, 'a> {
    /// A thread, and whether a quantifier has given it this name.
    fn thread(&self, word: &Word<'_>) -> Resolved<(ThreadId, bool)> {
        match self.threads.iter().rev().find(|(name, _)| *name == word.text) {
            Some((_, thread)) => Ok((*thread, true)),
            None => Ok((self.names.thread(word)?, false)),
        }
    }

    fn write(&self, word: &Word<'_>) -> Resolved<WriteVar> {
        let found = self.writes.iter().rposition(|name| *name == word.text).and_then(|i| u8::try_from(i).ok());
        found.map(WriteVar).ok_or_else(|| {
            Diagnostic::error(word.span, format!("there is no write `{}` here", word.text))
                .help(format!("`forall {} in OW(thread, variable): …` gives it a meaning", word.text))
        })
    }

    fn prop(&mut self, syntax: &Syntax<'a>) -> Resolved<Prop> {
        self.size += 1;
        if self.size > MAX_SIZE {
            return Err(Diagnostic::error(syntax.span, "this property is too large when it is written out"));
        }
        Ok(match &syntax.kind {
            PropKind::Truth(value) => Prop::Const(*value),
            PropKind::Not(inner) => Prop::Not(Box::new(self.prop(inner)?)),
            PropKind::And(a, b) => Prop::And(vec![self.prop(a)?, self.prop(b)?]),
            PropKind::Or(a, b) => Prop::Or(vec![self.prop(a)?, self.prop(b)?]),
            PropKind::Implies(a, b) => Prop::Implies(Box::new(self.prop(a)?), Box::new(self.prop(b)?)),
            PropKind::Compare(a, op, b) => self.compare(a, *op, b, syntax.span)?,
            PropKind::Writes { all, write, aware, thread, object, body } => {
                let thread = self.thread(thread)?.0;
                let object = self.names.object(object)?;
                self.writes.push(write.text);
                let body = self.prop(body);
                self.writes.pop();
                Prop::Writes { all: *all, aware: *aware, thread, object, body: Box::new(body?) }
            }
            PropKind::Threads { all, thread, but, body } => self.each_thread(*all, thread, but.as_ref(), body)?,
            PropKind::Sees { all, thread, object, value } => {
                let thread = self.thread(thread)?.0;
                let object = self.names.object(object)?;
                // No write has this name.
                self.writes.push("");
                let right = self.term(value);
                self.writes.pop();
                let var = u8::try_from(self.writes.len()).unwrap_or(u8::MAX);
                let body = Prop::Compare { left: Term::Value(WriteVar(var)), op: Comparison::Eq, right: right? };
                let aware = treville_ir::Aware::Observable;
                Prop::Writes { all: *all, aware, thread, object, body: Box::new(body) }
            }
            PropKind::Pc(_) => {
                let error = Diagnostic::error(syntax.span, "a program counter is compared with a label");
                return Err(error.help("as in `pc(t1) == 6`"));
            }
            PropKind::Int(_)
            | PropKind::Name(..)
            | PropKind::Value(_)
            | PropKind::Released(_)
            | PropKind::Covered(_)
            | PropKind::Add(..)
            | PropKind::Sub(..) => Prop::Compare { left: self.term(syntax)?, op: Comparison::Ne, right: Term::Int(0) },
        })
    }

    fn each_thread(&mut self, all: bool, name: &Word<'a>, but: Option<&Word<'a>>, body: &Syntax<'a>) -> Resolved<Prop> {
        let but = but.map(|word| self.thread(word)).transpose()?.map(|(thread, _)| thread);
        let mut parts = Vec::new();
        for thread in self.names.program.roots.ids().filter(|thread| Some(*thread) != but) {
            self.threads.push((name.text, thread));
            let part = self.prop(body);
            self.threads.pop();
            parts.push(part?);
        }
        Ok(if all { Prop::And(parts) } else { Prop::Or(parts) })
    }

    fn compare(&mut self, left: &Syntax<'a>, op: Comparison, right: &Syntax<'a>, span: Span) -> Resolved<Prop> {
        match (&left.kind, &right.kind) {
            (PropKind::Pc(a), PropKind::Pc(b)) => self.same_place(a, b, op, span),
            (PropKind::Pc(thread), _) => self.place(thread, op, right),
            (_, PropKind::Pc(thread)) => self.place(thread, mirrored(op), left),
            _ => Ok(Prop::Compare { left: self.term(left)?, op, right: self.term(right)? }),
        }
    }

    /// `pc(t) == label`: at one of the labels for which this is so.
    fn place(&self, thread: &Word<'_>, op: Comparison, label: &Syntax<'_>) -> Resolved<Prop> {
        let (thread, quantified) = self.thread(thread)?;
        let text = match &label.kind {
            PropKind::Int(n) => n.to_string(),
            PropKind::Name(word, None) => word.text.to_owned(),
            _ => return Err(Diagnostic::error(label.span, "a program counter is compared with a label")),
        };
        let wanted = label_name(&text);
        let known = |scope: &Scope| scope.labels.contains_key(&wanted);
        let scope = self.names.scope(thread);
        let anywhere = quantified && self.names.scopes.iter().any(known);
        if wanted != Prop::END && !known(scope) && !anywhere {
            let of =
                if quantified { "no thread".to_owned() } else { self.names.program.roots[thread].name.to_string() };
            let message = match (self.names.beside, quantified) {
                (true, true) => format!("no thread has something to do in line {wanted}"),
                (true, false) => format!("the thread `{of}` has nothing to do in line {wanted}"),
                (false, true) => format!("no thread has a label `{wanted}`"),
                (false, false) => format!("the thread `{of}` has no label `{wanted}`"),
            };
            let error = Diagnostic::error(label.span, message);
            let mut lines: Vec<u64> = scope.labels.keys().filter_map(|label| label.parse().ok()).collect();
            lines.sort_unstable();
            let lines: Vec<String> = lines.iter().map(u64::to_string).collect();
            return Err(if self.names.beside && !quantified && !lines.is_empty() {
                error.help(format!("it has in {}", lines.join(", ")))
            } else {
                error
            });
        }
        let at = |labels| Prop::At { thread, labels };
        match op {
            Comparison::Eq => Ok(at(BTreeSet::from([wanted]))),
            Comparison::Ne => Ok(Prop::Not(Box::new(at(BTreeSet::from([wanted]))))),
            Comparison::Lt | Comparison::Le | Comparison::Gt | Comparison::Ge => {
                let Ok(number) = wanted.parse::<i64>() else {
                    return Err(Diagnostic::error(label.span, "only labels that are numbers have an order"));
                };
                let fits = |label: &&Name| label.parse::<i64>().is_ok_and(|n| op.compares(n, number));
                Ok(at(scope.labels.keys().filter(fits).cloned().collect()))
            }
        }
    }

    /// `pc(t) == pc(u)`: both at the same label.
    fn same_place(&self, a: &Word<'_>, b: &Word<'_>, op: Comparison, span: Span) -> Resolved<Prop> {
        let (a, b) = (self.thread(a)?.0, self.thread(b)?.0);
        let labels = self.names.scope(a).labels.keys().filter(|l| self.names.scope(b).labels.contains_key(*l));
        let end = Name::new(Prop::END);
        let both = |label: &Name| {
            let at = |thread| Prop::At { thread, labels: BTreeSet::from([label.clone()]) };
            Prop::And(vec![at(a), at(b)])
        };
        let same = Prop::Or(labels.chain([&end]).map(both).collect());
        match op {
            Comparison::Eq => Ok(same),
            Comparison::Ne => Ok(Prop::Not(Box::new(same))),
            _ => Err(Diagnostic::error(span, "program counters of two threads are equal or not, and have no order")),
        }
    }

    fn term(&mut self, syntax: &Syntax<'a>) -> Resolved<Term> {
        Ok(match &syntax.kind {
            PropKind::Int(n) => Term::Int(i64::from(*n)),
            PropKind::Truth(value) => Term::Int(i64::from(*value)),
            PropKind::Name(name, thread) => self.register(name, thread.as_ref())?,
            PropKind::Value(write) => Term::Value(self.write(write)?),
            PropKind::Released(write) => Term::Released(self.write(write)?),
            PropKind::Covered(write) => Term::Covered(self.write(write)?),
            PropKind::Add(a, b) => Term::Add(Box::new(self.term(a)?), Box::new(self.term(b)?)),
            PropKind::Sub(a, b) => Term::Sub(Box::new(self.term(a)?), Box::new(self.term(b)?)),
            PropKind::Pc(_) => {
                return Err(Diagnostic::error(syntax.span, "a program counter is compared with a label"));
            }
            _ => return Err(Diagnostic::error(syntax.span, "this is true or false, where a number is needed")),
        })
    }

    fn register(&self, name: &Word<'_>, thread: Option<&Word<'_>>) -> Resolved<Term> {
        if let Some(thread) = thread {
            let id = self.thread(thread)?.0;
            let found = self.names.scope(id).registers.get(name.text);
            return found.map(|reg| Term::Reg(id, *reg)).ok_or_else(|| {
                let message = format!("the thread `{}` has no register `{}`", thread.text, name.text);
                Diagnostic::error(name.span, message)
            });
        }
        let scopes = self.names.program.roots.ids().zip(&self.names.scopes);
        let found: Vec<Term> =
            scopes.filter_map(|(id, scope)| Some(Term::Reg(id, *scope.registers.get(name.text)?))).collect();
        match found.as_slice() {
            [one] => Ok(one.clone()),
            [] if self.names.program.object_named(name.text).is_some() => {
                let error =
                    Diagnostic::error(name.span, format!("`{}` is a shared variable, not a register", name.text));
                Err(error.help(format!("what a thread can see of it: `forall w in OW(t, {}): val(w) == …`", name.text)))
            }
            [] => Err(Diagnostic::error(name.span, format!("there is no register `{}`", name.text))),
            _ => {
                let error = Diagnostic::error(name.span, format!("several threads have a register `{}`", name.text));
                Err(error.help(format!("say which: `{}@{}`", name.text, self.names.program.roots[ThreadId(0)].name)))
            }
        }
    }
}

fn mirrored(op: Comparison) -> Comparison {
    match op {
        Comparison::Eq => Comparison::Eq,
        Comparison::Ne => Comparison::Ne,
        Comparison::Lt => Comparison::Gt,
        Comparison::Le => Comparison::Ge,
        Comparison::Gt => Comparison::Lt,
        Comparison::Ge => Comparison::Le,
    }
}
