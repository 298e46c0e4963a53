//! The value of an expression, as far as the text determines it.

use super::scope::Scope;
use super::{Eval, Linker, fault, merge};
use crate::model::{Closure, Known, Shape, Static, Term, TermId, Type};
use crate::syntax::{Binding, Cond, Exp, ExpKind, Nary, Pattern, Split, Unary};
use std::collections::BTreeSet;
use std::sync::Arc;
use treville_base::{Diagnostic, Name, Span};

impl Linker<'_> {
    pub(super) fn eval(&mut self, exp: &Exp, scope: &mut Scope) -> Eval {
        self.nested(exp.span, |linker| {
            let mark = scope.mark();
            let value = linker.eval_kind(exp, scope);
            scope.reset(mark);
            value
        })
    }

    fn eval_kind(&mut self, exp: &Exp, scope: &mut Scope) -> Eval {
        match &exp.kind {
            ExpKind::Var(name) => self.lookup(name, exp.span, scope),
            ExpKind::Tag(tag) if self.enum_of(tag).is_none() => fault(exp.span, format!("unknown tag '{tag}")),
            ExpKind::Tag(tag) => Ok(Static::Tag(tag.clone())),
            ExpKind::EmptyRelation => Ok(Static::Term(self.terms.empty(Shape::Rel))),
            ExpKind::Universe => Ok(Static::Universe),
            ExpKind::ExplicitSet(elements) => self.explicit_set(exp, elements, scope),
            ExpKind::Un(op, operand) => self.unary(exp, *op, operand, scope),
            ExpKind::Nary(op, operands) => self.nary(exp, *op, operands, scope),
            ExpKind::Tuple(parts) => self.eval_all(parts, scope).map(Static::Tuple),
            ExpKind::App(function, argument) => {
                let function_value = self.eval(function, scope);
                let argument = self.eval(argument, scope);
                let (function_value, argument) = both(function_value, argument)?;
                self.apply(&function_value, argument, exp, scope)
            }
            ExpKind::Fun(params, body) => Ok(self.closure(params, body, exp.span, scope)),
            ExpKind::Let(bindings, body) => {
                for (name, value) in self.eval_bindings(bindings, scope) {
                    scope.push(name, value);
                }
                self.eval(body, scope)
            }
            ExpKind::LetRec(bindings, body) => {
                for (name, value) in self.eval_recursive(bindings, scope)? {
                    scope.push(name, value);
                }
                self.eval(body, scope)
            }
            ExpKind::MatchTag { subject, clauses, default } => {
                self.match_tag(exp, subject, clauses, default.as_deref(), scope)
            }
            ExpKind::MatchSet { subject, empty, split, nonempty } => {
                self.match_set(exp, subject, empty, split, nonempty, scope)
            }
            ExpKind::Try(tried, otherwise) => self.try_with(exp, tried, otherwise, scope),
            ExpKind::If(cond, then, els) => match self.decide(cond, scope)? {
                Some(true) => self.eval(then, scope),
                Some(false) => self.eval(els, scope),
                None => self.either(exp, then, els, scope),
            },
        }
    }

    /// The values of all expressions; what is wrong with any of them otherwise.
    fn eval_all(&mut self, exps: &[Exp], scope: &mut Scope) -> Eval<Vec<Static>> {
        let mut values = Vec::with_capacity(exps.len());
        let mut faults = Vec::new();
        for exp in exps {
            match self.eval(exp, scope) {
                Ok(value) => values.push(value),
                Err(more) => merge(&mut faults, more),
            }
        }
        if faults.is_empty() { Ok(values) } else { Err(faults) }
    }

    /// The operands of a sequence; `None` if it is empty already up to where something is wrong: then that does not matter.
    fn sequence(&mut self, operands: &[Exp], scope: &mut Scope) -> Eval<Option<Vec<Static>>> {
        let mut values = Vec::with_capacity(operands.len());
        for (i, operand) in operands.iter().enumerate() {
            match self.eval(operand, scope) {
                Ok(value) => values.push(value),
                Err(faults) if values.iter().any(|v| self.is_empty(v)) => {
                    self.suspect(&faults);
                    return Ok(None);
                }
                Err(mut faults) => {
                    self.eval_all(&operands[i + 1..], scope)
                        .err()
                        .into_iter()
                        .for_each(|more| merge(&mut faults, more));
                    return Err(faults);
                }
            }
        }
        Ok(Some(values))
    }

    /// Whether it is known to be empty before any run.
    fn is_empty(&self, value: &Static) -> bool {
        match value {
            Static::Empty => true,
            Static::Term(t) => matches!(self.terms.infos[*t].term, Term::Empty),
            _ => false,
        }
    }

    /// What `let` binds: all bodies see the scope before it. A faulty body makes a faulty name.
    pub(super) fn eval_bindings(&mut self, bindings: &[Binding], scope: &mut Scope) -> Vec<(Name, Static)> {
        let mut bound = Vec::new();
        for binding in bindings {
            let value = match &binding.params {
                Some(params) => Ok(self.closure(params, &binding.body, binding.span, scope)),
                None => self.eval(&binding.body, scope),
            };
            let values = value.and_then(|v| self.destructure(&binding.pattern, v, binding.span));
            let values = values.unwrap_or_else(|faults| {
                let faulty = Static::Faulty(Arc::new(faults));
                pattern_names(&binding.pattern).map(|n| (n.clone(), faulty.clone())).collect()
            });
            for (name, value) in values {
                self.note_name(&name, &value, binding.span);
                bound.push((name, value));
            }
        }
        bound
    }

    /// Remembers the name of a set or relation, for messages and drawings.
    pub(super) fn note_name(&mut self, name: &Name, value: &Static, span: Span) {
        match value {
            Static::Term(t) => self.terms.name(*t, name, span),
            Static::General(g) if self.generals[*g].ty.shape().is_some() => {
                if let Ok(t) = self.as_term(value, None, span) {
                    self.terms.name(t, name, span);
                }
            }
            _ => {}
        }
    }

    pub(super) fn closure(&mut self, params: &Pattern, body: &Arc<Exp>, span: Span, scope: &Scope) -> Static {
        let capture = self.capture([&**body], scope);
        Static::Closure(Arc::new(Closure {
            params: params.clone(),
            body: Arc::clone(body),
            env: capture.env,
            recursive: Arc::default(),
            span,
            looks_at: capture.looks_at,
            open: capture.open,
            generates_orders: false,
        }))
    }

    fn explicit_set(&mut self, exp: &Exp, elements: &[Exp], scope: &mut Scope) -> Eval {
        if elements.is_empty() {
            return Ok(Static::Empty);
        }
        let values = self.eval_all(elements, scope)?;
        if let Some(tags) = as_tags(&values) {
            return Ok(Static::Tags(tags));
        }
        let mut ty = Type::Any;
        for value in &values {
            ty = ty.join(&self.type_of(value));
        }
        let ty = if ty == Type::Any { Type::SetOf(Box::new(ty)) } else { ty.set_of() };
        let set = self.general(exp, ty, scope);
        if let [only] = &values[..] {
            self.note_only(&set, only);
        }
        Ok(set)
    }

    /// Remembers that a general set has one element, which is a term.
    fn note_only(&mut self, set: &Static, element: &Static) {
        if let (Static::General(g), Static::Term(t)) = (set, element) {
            self.generals[*g].known = Some(Known::Only(*t));
        }
    }

    fn unary(&mut self, exp: &Exp, op: Unary, operand: &Exp, scope: &mut Scope) -> Eval {
        let value = self.eval(operand, scope)?;
        match (op, &value) {
            (Unary::Complement, Static::Tags(tags)) => return self.other_tags(tags, operand.span),
            (Unary::Complement, Static::Empty) => return Ok(Static::Universe),
            (Unary::Complement, Static::Universe) => return Ok(Static::Empty),
            _ => {}
        }
        let ty = self.type_of(&value);
        let known_by_run = value.is_open() || matches!(ty, Type::Pair | Type::Event | Type::ClassRel);
        if known_by_run {
            let ty = match (op, ty) {
                (Unary::Inverse, Type::Pair) => Type::Pair,
                (Unary::Inverse, Type::ClassRel) => Type::ClassRel,
                (Unary::Complement, ty) => ty,
                (Unary::ToId, Type::Any | Type::Set | Type::Event) => Type::Rel,
                (Unary::Inverse, Type::Any) => Type::Any,
                (_, Type::Any | Type::Rel | Type::Pair) => Type::Rel,
                (_, found) => {
                    let want = if op == Unary::ToId { Shape::Set } else { Shape::Rel };
                    return super::mismatch(Some(want), &found, operand.span);
                }
            };
            return Ok(self.general(exp, ty, scope));
        }
        let want = match op {
            Unary::ToId => Some(Shape::Set),
            Unary::Complement => None,
            Unary::Plus | Unary::Star | Unary::Opt | Unary::Inverse => Some(Shape::Rel),
        };
        let term = self.as_term(&value, want, operand.span)?;
        let terms = &mut self.terms;
        Ok(Static::Term(match op {
            Unary::Plus => terms.plus(term),
            Unary::Star => terms.star(term),
            Unary::Opt => terms.opt(term),
            Unary::Inverse => terms.inverse(term),
            Unary::Complement => terms.complement(term),
            Unary::ToId => terms.identity_on(term),
        }))
    }

    fn nary(&mut self, exp: &Exp, op: Nary, operands: &[Exp], scope: &mut Scope) -> Eval {
        let values = match op {
            Nary::Seq => match self.sequence(operands, scope)? {
                Some(values) => values,
                None => return Ok(Static::Term(self.terms.empty(Shape::Rel))),
            },
            _ => self.eval_all(operands, scope)?,
        };
        if let Some(tags) = tag_operation(op, &values) {
            return Ok(Static::Tags(tags));
        }
        let types: Vec<Type> = values.iter().map(|v| self.type_of(v)).collect();
        let known_by_run = op == Nary::Add
            || values.iter().any(Static::is_open)
            || types.iter().any(|t| matches!(t, Type::Event | Type::Pair | Type::ClassRel | Type::SetOf(_)));
        if known_by_run {
            self.check_types(op, &types, operands)?;
            let ty = Type::of_operator(op, &types);
            let value = self.general(exp, ty, scope);
            if let (Nary::Add, [only, Static::Empty]) = (op, &values[..]) {
                self.note_only(&value, only);
            }
            return Ok(value);
        }
        let want = match op {
            Nary::Seq => Some(Shape::Rel),
            Nary::Product => Some(Shape::Set),
            _ => match types.iter().find_map(Type::shape) {
                Some(shape) => Some(shape),
                None => return self.of_any_shape(op, values, exp.span),
            },
        };
        let mut terms = Vec::with_capacity(values.len());
        let mut faults = Vec::new();
        for (value, operand) in values.iter().zip(operands) {
            match self.as_term(value, want, operand.span) {
                Ok(term) => terms.push(term),
                Err(more) => merge(&mut faults, more),
            }
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        if op == Nary::Product && terms.len() > 2 {
            return fault(exp.span, "a product of more than two sets is no relation");
        }
        Ok(Static::Term(self.fold(op, &terms)))
    }

    /// Whether operands of these types, of which the run knows more, can be right.
    fn check_types(&self, op: Nary, types: &[Type], operands: &[Exp]) -> Eval<()> {
        let shape = types.iter().find_map(Type::shape);
        for (ty, operand) in types.iter().zip(operands) {
            let (want, fits) = match op {
                Nary::Seq => (Shape::Rel, matches!(ty, Type::Any | Type::Rel | Type::Pair | Type::ClassRel)),
                Nary::Product => (Shape::Set, matches!(ty, Type::Any | Type::Set | Type::Event)),
                Nary::Union | Nary::Inter | Nary::Diff => match shape {
                    Some(Shape::Rel) => (Shape::Rel, matches!(ty, Type::Any | Type::Rel | Type::Pair)),
                    Some(Shape::Set) => (Shape::Set, matches!(ty, Type::Any | Type::Set | Type::Event)),
                    None => continue,
                },
                Nary::Add => continue,
            };
            if !fits {
                return super::mismatch(Some(want), ty, operand.span);
            }
        }
        Ok(())
    }

    fn fold(&mut self, op: Nary, operands: &[TermId]) -> TermId {
        let terms = &mut self.terms;
        let step = |a: TermId, &b: &TermId| match op {
            Nary::Union => terms.union(a, b),
            Nary::Inter => terms.inter(a, b),
            Nary::Diff => terms.diff(a, b),
            Nary::Seq => terms.seq(a, b),
            Nary::Product => terms.product(a, b),
            Nary::Add => a,
        };
        let (first, rest) = operands.split_first().expect("an operator has operands");
        rest.iter().fold(*first, step)
    }

    /// Union, intersection and difference of operands that are all `{}` or `_`.
    fn of_any_shape(&mut self, op: Nary, values: Vec<Static>, span: Span) -> Eval {
        let mut full = Vec::with_capacity(values.len());
        for value in values {
            match value {
                Static::Empty => full.push(false),
                Static::Universe => full.push(true),
                other => {
                    let ty = self.type_of(&other);
                    return super::mismatch(None, &ty, span);
                }
            }
        }
        let is_full = match op {
            Nary::Union => full.contains(&true),
            Nary::Inter => !full.contains(&false),
            _ => full[0] && !full[1..].contains(&true),
        };
        Ok(if is_full { Static::Universe } else { Static::Empty })
    }

    fn match_tag(
        &mut self,
        exp: &Exp,
        subject: &Exp,
        clauses: &[(Name, Exp)],
        default: Option<&Exp>,
        scope: &mut Scope,
    ) -> Eval {
        let value = self.eval(subject, scope)?;
        match &value {
            Static::Tag(tag) => {
                let clause = clauses.iter().find(|(t, _)| t == tag).map(|(_, e)| e).or(default);
                match clause {
                    Some(clause) => self.eval(clause, scope),
                    None => fault(exp.span, format!("no clause for the tag '{tag}")),
                }
            }
            _ if matches!(self.type_of(&value), Type::Tag | Type::Any) && value.is_open() => {
                let mut ty = Type::Any;
                for clause in clauses.iter().map(|(_, e)| e).chain(default) {
                    let value = self.eval(clause, scope)?;
                    ty = ty.join(&self.type_of(&value));
                }
                Ok(self.general(exp, ty, scope))
            }
            _ => fault(subject.span, format!("a tag is needed here, this is {}", self.type_of(&value))),
        }
    }

    fn match_set(
        &mut self,
        exp: &Exp,
        subject: &Exp,
        empty: &Exp,
        split: &Split,
        nonempty: &Exp,
        scope: &mut Scope,
    ) -> Eval {
        let value = self.eval(subject, scope)?;
        let (element, rest) = match &value {
            value if self.is_empty(value) => return self.eval(empty, scope),
            Static::Tags(tags) => match tags.split_first() {
                None => return self.eval(empty, scope),
                Some((first, rest)) => {
                    let rest = Static::Tags(rest.to_vec());
                    self.bind_split(split, Static::Tag(first.clone()), Static::Empty, rest, scope);
                    return self.eval(nonempty, scope);
                }
            },
            Static::Universe => return fault(subject.span, "the universe cannot be taken apart"),
            _ => {
                let ty = self.type_of(&value);
                let Some(element) = ty.element() else {
                    return fault(subject.span, format!("a set is needed here, this is {ty}"));
                };
                (Static::Unknown(element), Static::Unknown(ty))
            }
        };
        let if_empty = self.eval(empty, scope);
        let mark = scope.mark();
        self.bind_split(split, element, rest.clone(), rest, scope);
        let if_not = self.eval(nonempty, scope);
        scope.reset(mark);
        let (if_empty, if_not) = both(if_empty, if_not)?;
        let ty = self.type_of(&if_empty).join(&self.type_of(&if_not));
        Ok(self.general(exp, ty, scope))
    }

    fn bind_split(&mut self, split: &Split, element: Static, before: Static, after: Static, scope: &mut Scope) {
        if let Some(name) = &split.before {
            scope.push(name.clone(), before);
        }
        scope.push(split.element.clone(), element);
        scope.push(split.after.clone(), after);
    }

    fn try_with(&mut self, exp: &Exp, tried: &Exp, otherwise: &Exp, scope: &mut Scope) -> Eval {
        self.tried += 1;
        let value = self.eval(tried, scope);
        self.tried -= 1;
        match value {
            // It may still fail in a run.
            Ok(value @ (Static::General(_) | Static::Unknown(_))) => match self.eval(otherwise, scope) {
                Ok(other) => {
                    let ty = self.type_of(&value).join(&self.type_of(&other));
                    Ok(self.general(exp, ty, scope))
                }
                Err(_) => Ok(value),
            },
            Ok(value) => Ok(value),
            Err(_) => self.eval(otherwise, scope),
        }
    }

    /// An `if` that only the run can decide.
    fn either(&mut self, exp: &Exp, then: &Exp, els: &Exp, scope: &mut Scope) -> Eval {
        let then = self.eval(then, scope);
        let els = self.eval(els, scope);
        let (then, els) = both(then, els)?;
        let ty = self.type_of(&then).join(&self.type_of(&els));
        Ok(self.general(exp, ty, scope))
    }

    /// Whether a condition holds, if the text alone decides it.
    pub(super) fn decide(&mut self, cond: &Cond, scope: &mut Scope) -> Eval<Option<bool>> {
        let (a, b) = match cond {
            Cond::Variant(variant) => return Ok(Some(variant.holds(&self.vocabulary.variants))),
            Cond::Eq(a, b) | Cond::Subset(a, b) | Cond::In(a, b) => (self.eval(a, scope), self.eval(b, scope)),
        };
        let (a, b) = both(a, b)?;
        Ok(match (cond, &a, &b) {
            (Cond::Eq(..), Static::Tag(a), Static::Tag(b)) => Some(a == b),
            (Cond::Eq(..), Static::Tags(a), Static::Tags(b)) => Some(a == b),
            (Cond::In(..), Static::Tag(a), Static::Tags(b)) => Some(b.contains(a)),
            (Cond::Subset(..), Static::Tags(a), Static::Tags(b)) => Some(a.iter().all(|t| b.contains(t))),
            _ => None,
        })
    }

    pub(super) fn enum_of(&self, tag: &Name) -> Option<&[Name]> {
        self.enums.iter().rev().map(|(_, tags)| &tags[..]).find(|tags| tags.contains(tag))
    }

    fn other_tags(&self, tags: &[Name], span: Span) -> Eval {
        let Some(all) = tags.first().and_then(|t| self.enum_of(t)) else {
            return fault(span, "the complement of an empty set of tags is not known");
        };
        let rest: BTreeSet<&Name> = all.iter().filter(|t| !tags.contains(t)).collect();
        Ok(Static::Tags(rest.into_iter().cloned().collect()))
    }
}

/// The names of a pattern.
pub(super) fn pattern_names(pattern: &Pattern) -> impl Iterator<Item = &Name> {
    let (one, many) = match pattern {
        Pattern::Var(name) => (name.as_ref(), &[][..]),
        Pattern::Tuple(names) => (None, &names[..]),
    };
    one.into_iter().chain(many.iter().flatten())
}

/// Both values, or all that is wrong with either.
pub(super) fn both<A, B>(a: Eval<A>, b: Eval<B>) -> Result<(A, B), Vec<Diagnostic>> {
    match (a, b) {
        (Ok(a), Ok(b)) => Ok((a, b)),
        (Err(mut a), Err(b)) => {
            merge(&mut a, b);
            Err(a)
        }
        (Err(faults), Ok(_)) | (Ok(_), Err(faults)) => Err(faults),
    }
}

/// The tags that values are, if all are tags; sorted.
fn as_tags(values: &[Static]) -> Option<Vec<Name>> {
    let mut tags = BTreeSet::new();
    for value in values {
        match value {
            Static::Tag(tag) => drop(tags.insert(tag.clone())),
            _ => return None,
        }
    }
    Some(tags.into_iter().collect())
}

/// An operator on tags and sets of tags, if that is what the operands are.
fn tag_operation(op: Nary, values: &[Static]) -> Option<Vec<Name>> {
    if !values.iter().any(|v| matches!(v, Static::Tag(_) | Static::Tags(_))) {
        return None;
    }
    let mut sets = Vec::with_capacity(values.len());
    for value in values {
        sets.push(match value {
            Static::Tag(tag) => BTreeSet::from([tag]),
            Static::Tags(tags) => tags.iter().collect(),
            Static::Empty => BTreeSet::new(),
            _ => return None,
        });
    }
    let first = sets.remove(0);
    let result = match op {
        Nary::Union | Nary::Add => sets.into_iter().fold(first, |a, b| &a | &b),
        Nary::Inter => sets.into_iter().fold(first, |a, b| &a & &b),
        Nary::Diff => sets.into_iter().fold(first, |a, b| &a - &b),
        Nary::Seq | Nary::Product => return None,
    };
    Some(result.into_iter().cloned().collect())
}
