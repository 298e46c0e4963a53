//! The names that a piece of syntax mentions, whether bound there or not. Nothing is linked.

use crate::syntax::{Binding, Check, Cond, Exp, ExpKind, Ins, InsKind, Pattern, Unit};
use std::collections::BTreeSet;
use treville_base::Name;

/// Every name that the unit, with all that it includes, uses as a value.
pub fn mentions(unit: &Unit) -> BTreeSet<Name> {
    let mut names = BTreeSet::new();
    in_body(&unit.body, &mut |name| {
        names.insert(name.clone());
    });
    names
}

/// Whether the unit uses a name that it does not define itself.
pub fn takes(unit: &Unit, name: &str) -> bool {
    !defines(unit, name) && mentions(unit).contains(name)
}

/// Whether a top-level binding of the unit, or of what it includes, has the name.
pub fn defines(unit: &Unit, name: &str) -> bool {
    let mut defined = false;
    bindings(&unit.body, &mut |binding| defined |= matches!(&binding.pattern, Pattern::Var(Some(n)) if n == name));
    defined
}

/// Calls `see` for each use of a name in the expression.
pub(crate) fn in_exp(exp: &Exp, see: &mut dyn FnMut(&Name)) {
    match &exp.kind {
        ExpKind::Var(name) => see(name),
        ExpKind::Tag(_) | ExpKind::EmptyRelation | ExpKind::Universe => {}
        ExpKind::ExplicitSet(es) | ExpKind::Nary(_, es) | ExpKind::Tuple(es) => {
            es.iter().for_each(|e| in_exp(e, see));
        }
        ExpKind::Un(_, e) => in_exp(e, see),
        ExpKind::App(f, e) | ExpKind::Try(f, e) => {
            in_exp(f, see);
            in_exp(e, see);
        }
        ExpKind::Fun(_, body) => in_exp(body, see),
        ExpKind::Let(bindings, e) | ExpKind::LetRec(bindings, e) => {
            bindings.iter().for_each(|b| in_exp(&b.body, see));
            in_exp(e, see);
        }
        ExpKind::MatchTag { subject, clauses, default } => {
            in_exp(subject, see);
            clauses.iter().for_each(|(_, e)| in_exp(e, see));
            default.iter().for_each(|e| in_exp(e, see));
        }
        ExpKind::MatchSet { subject, empty, nonempty, .. } => {
            in_exp(subject, see);
            in_exp(empty, see);
            in_exp(nonempty, see);
        }
        ExpKind::If(cond, then, els) => {
            in_cond(cond, see);
            in_exp(then, see);
            in_exp(els, see);
        }
    }
}

fn in_cond(cond: &Cond, see: &mut dyn FnMut(&Name)) {
    match cond {
        Cond::Variant(_) => {}
        Cond::Eq(a, b) | Cond::Subset(a, b) | Cond::In(a, b) => {
            in_exp(a, see);
            in_exp(b, see);
        }
    }
}

/// Calls `see` for each use of a name in the instructions and in the units that they include.
pub(crate) fn in_body(body: &[Ins], see: &mut dyn FnMut(&Name)) {
    in_instructions(body, &|_| true, see);
}

/// As [`in_body`], but not for what stands in the standard library.
pub(crate) fn outside_library(body: &[Ins], see: &mut dyn FnMut(&Name)) {
    in_instructions(body, &|file| file.rsplit('/').next() != Some("stdlib.cat"), see);
}

/// Calls `see` for each top-level binding of the instructions and of the units that they include.
pub(crate) fn bindings(body: &[Ins], see: &mut dyn FnMut(&Binding)) {
    for ins in body {
        match &ins.kind {
            InsKind::Let(found) | InsKind::LetRec(found, _) => found.iter().for_each(&mut *see),
            InsKind::Include { unit, .. } => unit.iter().for_each(|u| bindings(&u.body, see)),
            InsKind::If { then, els, .. } => {
                bindings(then, see);
                bindings(els, see);
            }
            _ => {}
        }
    }
}

/// Whether a model, or what it includes, has a check of this name.
pub fn has_check(unit: &Unit, name: &str) -> bool {
    fn is_in(body: &[Ins], name: &str) -> bool {
        body.iter().any(|ins| match &ins.kind {
            InsKind::Check(_, check) => check.name.as_ref().is_some_and(|own| *own == name),
            InsKind::Include { unit, .. } => unit.iter().any(|unit| is_in(&unit.body, name)),
            InsKind::If { then, els, .. } => is_in(then, name) || is_in(els, name),
            _ => false,
        })
    }
    is_in(&unit.body, name)
}

fn in_instructions(body: &[Ins], enters: &dyn Fn(&Name) -> bool, see: &mut dyn FnMut(&Name)) {
    let in_body = |body: &[Ins], see: &mut dyn FnMut(&Name)| in_instructions(body, enters, see);
    for ins in body {
        match &ins.kind {
            InsKind::Let(bindings) => bindings.iter().for_each(|b| in_exp(&b.body, see)),
            InsKind::LetRec(bindings, check) => {
                bindings.iter().for_each(|b| in_exp(&b.body, see));
                check.iter().for_each(|Check { exp, .. }| in_exp(exp, see));
            }
            InsKind::Check(_, check) => in_exp(&check.exp, see),
            InsKind::ShowAs(exp, _) | InsKind::Debug(exp) => in_exp(exp, see),
            InsKind::Show(_) | InsKind::Unshow(_) | InsKind::Enum { .. } => {}
            InsKind::Include { file, unit } if enters(file) => unit.iter().for_each(|u| in_body(&u.body, see)),
            InsKind::Include { .. } => {}
            InsKind::Procedure { body, .. } => in_body(body, see),
            InsKind::Call { procedure, argument, .. } => {
                see(procedure);
                in_exp(argument, see);
            }
            InsKind::Forall { set, body, .. } => {
                in_exp(set, see);
                in_body(body, see);
            }
            InsKind::WithFrom { set, .. } => in_exp(set, see),
            InsKind::Instructions { arguments, .. } => arguments.iter().for_each(|e| in_exp(e, see)),
            InsKind::If { cond, then, els } => {
                in_cond(cond, see);
                in_body(then, see);
                in_body(els, see);
            }
            InsKind::Match { subject, clauses, default } => {
                in_exp(subject, see);
                clauses.iter().for_each(|(_, body)| in_body(body, see));
                default.iter().for_each(|body| in_body(body, see));
            }
        }
    }
}
