//! Names to variables and processes; expressions to sums and conditions.

use super::syntax::{Binary, Expr, ExprKind, Place};
use crate::lexer::Word;
use std::collections::BTreeMap;
use treville_base::{Diagnostic, Idx, IndexVec, Name, Span};
use treville_rma::{Cond, Linear, NodeId, ProcId, Rel, VarId, Variable};

pub(super) type Resolved<T> = Result<T, Diagnostic>;

/// What a name stands for.
#[derive(Clone, Debug)]
pub(super) struct Named {
    /// One variable, or the elements of an array.
    pub(super) vars: Vec<VarId>,
    pub(super) array: bool,
    pub(super) span: Span,
}

/// All names of a program.
#[derive(Debug, Default)]
pub(super) struct Names<'a> {
    pub(super) procs: Vec<Word<'a>>,
    pub(super) shared: BTreeMap<&'a str, Named>,
    /// Of each process.
    pub(super) locals: Vec<BTreeMap<&'a str, Named>>,
    pub(super) labels: Vec<BTreeMap<Name, NodeId>>,
    pub(super) vars: IndexVec<VarId, Variable>,
}

/// Where an expression stands: in a process, where it sees its local variables; or in a property, where it sees all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Scope {
    Process(ProcId),
    Property,
}

/// What an expression is.
pub(super) enum Value {
    Number(Linear),
    Truth(Cond),
}

impl Names<'_> {
    pub(super) fn proc(&self, word: &Word<'_>) -> Resolved<ProcId> {
        let found = self.procs.iter().position(|p| p.text == word.text).map(ProcId::from_usize);
        found.ok_or_else(|| {
            let known: Vec<&str> = self.procs.iter().map(|p| p.text).collect();
            let error = Diagnostic::error(word.span, format!("there is no process `{}`", word.text));
            error.help(format!("there are: {}", known.join(", ")))
        })
    }

    /// A shared variable of this process.
    pub(super) fn owned(&self, place: &Place<'_>, owner: ProcId, why: &str) -> Resolved<&Named> {
        let word = &place.name;
        let Some(named) = self.shared.get(word.text) else {
            let error = Diagnostic::error(word.span, format!("there is no shared variable `{}`", word.text));
            let local = self.locals.iter().find_map(|l| l.get(word.text));
            return Err(match local {
                Some(local) => error.label(local.span, "this is a local variable"),
                None => error,
            });
        };
        let actual = self.vars[named.vars[0]].proc;
        if actual != owner {
            let [is, should] = [actual, owner].map(|p| self.procs[p.index()].text);
            let message = format!("`{}` belongs to process {is}, not to process {should}{why}", word.text);
            return Err(Diagnostic::error(word.span, message).label(named.span, "it is declared here"));
        }
        match (&place.index, named.array) {
            (Some(_), false) => Err(Diagnostic::error(word.span, format!("`{}` is no array", word.text))),
            (None, true) => Err(Diagnostic::error(word.span, format!("`{}` is an array: which element?", word.text))),
            _ => Ok(named),
        }
    }

    pub(super) fn local(&self, word: &Word<'_>, proc: ProcId) -> Resolved<VarId> {
        if let Some(named) = self.locals[proc.index()].get(word.text) {
            return Ok(named.vars[0]);
        }
        let error = Diagnostic::error(word.span, format!("there is no local variable `{}` here", word.text));
        Err(match self.shared.get(word.text) {
            Some(named) => error
                .label(named.span, "this is a shared variable")
                .help("`load` brings it to a local variable, `store` writes it"),
            None => error,
        })
    }

    fn variable(&self, word: &Word<'_>, proc: Option<&Word<'_>>, scope: Scope) -> Resolved<&Named> {
        if let Scope::Process(here) = scope {
            if let Some(proc) = proc {
                return Err(Diagnostic::error(proc.span, "a statement sees the local variables of its own process"));
            }
            self.local(word, here)?;
            return Ok(&self.locals[here.index()][word.text]);
        }
        if let Some(proc) = proc {
            let id = self.proc(proc)?;
            let missing = || format!("process {} has no local variable `{}`", proc.text, word.text);
            return self.locals[id.index()].get(word.text).ok_or_else(|| Diagnostic::error(word.span, missing()));
        }
        if let Some(named) = self.shared.get(word.text) {
            return Ok(named);
        }
        let mut found = self.locals.iter().enumerate().filter_map(|(p, l)| Some((p, l.get(word.text)?)));
        match (found.next(), found.next()) {
            (Some((_, named)), None) => Ok(named),
            (Some((p, _)), Some((q, _))) => {
                let error = Diagnostic::error(word.span, format!("several processes have a local `{}`", word.text));
                let [p, q] = [p, q].map(|p| self.procs[p].text);
                Err(error.help(format!("`{0}@{p}` is that of process {p}, `{0}@{q}` that of process {q}", word.text)))
            }
            (None, _) => Err(Diagnostic::error(word.span, format!("there is no variable `{}`", word.text))),
        }
    }

    pub(super) fn value(&self, expr: &Expr<'_>, scope: Scope) -> Resolved<Value> {
        Ok(match &expr.kind {
            ExprKind::Int(value) => Value::Number(Linear::constant(*value)),
            ExprKind::Truth(value) => Value::Truth(Cond::Const(*value)),
            ExprKind::Name { name, proc, index } => {
                let named = self.variable(name, proc.as_ref(), scope)?;
                Value::Number(Linear::var(self.element(named, name, index.as_deref(), scope)?))
            }
            ExprKind::At { proc, label } => {
                if scope != Scope::Property {
                    return Err(Diagnostic::error(expr.span, "`at` is for properties, not for statements"));
                }
                let id = self.proc(proc)?;
                let node = self.labels[id.index()].get(label.text).ok_or_else(|| {
                    let message = format!("process {} has no label `{}`", proc.text, label.text);
                    Diagnostic::error(label.span, message)
                })?;
                Value::Truth(Cond::At { proc: id, node: *node, holds: true })
            }
            ExprKind::Not(inner) => Value::Truth(fits(self.cond(inner, scope)?.negated(), expr)?),
            ExprKind::Negate(inner) => Value::Number(fits(self.number(inner, scope)?.times(-1), expr)?),
            ExprKind::Binary(op, left, right) => self.binary(expr, *op, left, right, scope)?,
        })
    }

    fn binary(&self, expr: &Expr<'_>, op: Binary, left: &Expr<'_>, right: &Expr<'_>, scope: Scope) -> Resolved<Value> {
        if let Binary::And | Binary::Or = op {
            let both = [self.cond(left, scope)?, self.cond(right, scope)?];
            return Ok(Value::Truth(if op == Binary::And { Cond::and(both) } else { Cond::or(both) }));
        }
        let (a, b) = (self.number(left, scope)?, self.number(right, scope)?);
        let compare = |a: &Linear, b: &Linear, add: i64, rel: Rel| {
            let difference = a.plus(-1, b).and_then(|d| d.plus(1, &Linear::constant(add)));
            fits(difference.and_then(|d| Cond::compare(d, rel)), expr).map(Value::Truth)
        };
        match op {
            Binary::Eq => compare(&a, &b, 0, Rel::Eq),
            Binary::Ne => compare(&a, &b, 0, Rel::Ne),
            Binary::Le => compare(&a, &b, 0, Rel::Le),
            Binary::Lt => compare(&a, &b, 1, Rel::Le),
            Binary::Ge => compare(&b, &a, 0, Rel::Le),
            Binary::Gt => compare(&b, &a, 1, Rel::Le),
            Binary::Add => fits(a.plus(1, &b), expr).map(Value::Number),
            Binary::Sub => fits(a.plus(-1, &b), expr).map(Value::Number),
            Binary::Mul => match (a.as_constant(), b.as_constant()) {
                (Some(factor), _) => fits(b.times(factor), expr).map(Value::Number),
                (_, Some(factor)) => fits(a.times(factor), expr).map(Value::Number),
                (None, None) => {
                    let error = Diagnostic::error(expr.span, "a product of variables is not linear");
                    Err(error.help("one side of `*` must be a number"))
                }
            },
            Binary::And | Binary::Or => Ok(Value::Truth(Cond::Const(false))),
        }
    }

    /// An element that is known here: properties do not compute places.
    fn element(&self, named: &Named, name: &Word<'_>, index: Option<&Expr<'_>>, scope: Scope) -> Resolved<VarId> {
        match (index, named.array) {
            (None, false) => Ok(named.vars[0]),
            (Some(_), false) => Err(Diagnostic::error(name.span, format!("`{}` is no array", name.text))),
            (None, true) => Err(Diagnostic::error(name.span, format!("`{}` is an array: which element?", name.text))),
            (Some(index), true) => {
                let at = self.number(index, scope)?.as_constant();
                let at = at.ok_or_else(|| Diagnostic::error(index.span, "here the index must be a number"))?;
                let element = usize::try_from(at).ok().and_then(|at| named.vars.get(at));
                element.copied().ok_or_else(|| out_of_range(index.span, name, named))
            }
        }
    }

    /// An expression that is a number.
    pub(super) fn number(&self, expr: &Expr<'_>, scope: Scope) -> Resolved<Linear> {
        match self.value(expr, scope)? {
            Value::Number(linear) => Ok(linear),
            Value::Truth(_) => Err(Diagnostic::error(expr.span, "this is true or false, and a number is needed here")),
        }
    }

    /// An expression that is true or false; a number is true if it is not 0.
    pub(super) fn cond(&self, expr: &Expr<'_>, scope: Scope) -> Resolved<Cond> {
        match self.value(expr, scope)? {
            Value::Truth(cond) => Ok(cond),
            Value::Number(linear) => fits(Cond::compare(linear, Rel::Ne), expr),
        }
    }

    /// The variables that a place may be, each with the condition under which it is.
    pub(super) fn cases(&self, place: &Place<'_>, named: &Named, scope: Scope) -> Resolved<Vec<(Cond, VarId)>> {
        let Some(index) = &place.index else { return Ok(vec![(Cond::Const(true), named.vars[0])]) };
        let at = self.number(index, scope)?;
        let mut cases = Vec::new();
        for (i, &var) in named.vars.iter().enumerate() {
            let difference = at.plus(-1, &Linear::constant(i as i64));
            match fits(difference.and_then(|d| Cond::compare(d, Rel::Eq)), index)? {
                Cond::Const(false) => {}
                cond => cases.push((cond, var)),
            }
        }
        if cases.is_empty() { Err(out_of_range(index.span, &place.name, named)) } else { Ok(cases) }
    }
}

fn out_of_range(span: Span, name: &Word<'_>, named: &Named) -> Diagnostic {
    let message = format!("`{}` has the elements 0 to {}", name.text, named.vars.len().saturating_sub(1));
    Diagnostic::error(span, message)
}

pub(super) fn fits<T>(value: Option<T>, expr: &Expr<'_>) -> Resolved<T> {
    value.ok_or_else(|| Diagnostic::error(expr.span, "a number in this does not fit in 64 bits"))
}
