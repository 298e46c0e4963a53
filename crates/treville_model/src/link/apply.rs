//! Applying functions: those that the model defines are inlined, those that exist without being defined become terms
//! where they can.

use super::scope::Scope;
use super::{Eval, Linker, MAX_CALLS, fault};
use crate::bell::set_of_tag;
use crate::model::{Closure, Known, Orders, Prim, Shape, Static, Type};
use crate::syntax::{Binding, Exp, ExpKind, Pattern};
use std::sync::Arc;
use treville_base::{Diagnostic, Name, Span};
use treville_event::BaseRel;

/// A function of one argument that could not do with several: that is wrong where it is called.
fn too_many(n: usize, call: Span, faults: &[Diagnostic]) -> Diagnostic {
    let error = Diagnostic::error(call, format!("this function takes one argument, and {n} are given"));
    match faults.first().and_then(|fault| Some((fault.span?, &fault.message))) {
        Some((span, message)) => error.label(span, message.clone()),
        None => error,
    }
}

impl Linker<'_> {
    /// The value of `function(argument)`; `exp` is the application, for what a run must do.
    pub(super) fn apply(&mut self, function: &Static, argument: Static, exp: &Exp, scope: &mut Scope) -> Eval {
        self.calls += 1;
        if self.calls > MAX_CALLS {
            return fault(exp.span, "the model needs too many function calls");
        }
        match function {
            Static::Prim(prim) => self.apply_prim(*prim, argument, exp, scope),
            Static::Closure(closure) if closure.generates_orders => self.generate_orders(closure, argument, exp, scope),
            Static::Closure(closure) => self.inline(closure, argument, exp.span),
            other => match self.type_of(other) {
                Type::Function | Type::Any if other.is_open() => Ok(self.general(exp, Type::Any, scope)),
                ty => fault(function_span(exp), format!("a function is needed here, this is {ty}")),
            },
        }
    }

    fn inline(&mut self, closure: &Arc<Closure>, argument: Static, span: Span) -> Eval {
        let body = Arc::as_ptr(&closure.body);
        let open = closure.open || argument.is_open();
        let recursive = !closure.recursive.is_empty();
        if recursive && open && self.typing.contains(&body) {
            return Ok(Static::Unknown(Type::Any)); // what it gives is found out by the call that is under way
        }
        let mut scope = Scope::over(&closure.env);
        for (name, value) in group_closures(closure) {
            scope.push(name, value);
        }
        let several = match (&closure.params, &argument) {
            (Pattern::Var(_), Static::Tuple(parts)) => Some(parts.len()),
            _ => None,
        };
        self.bind(&closure.params, argument, span, &mut scope)?;
        if recursive && open {
            self.typing.push(body);
        }
        let value = self.eval(&closure.body, &mut scope);
        if recursive && open {
            self.typing.pop();
        }
        value.map_err(|faults| several.map_or(faults.clone(), |n| vec![too_many(n, span, &faults)]))
    }

    /// The library's orders on a set, by location, that extend a relation.
    fn generate_orders(&mut self, closure: &Arc<Closure>, argument: Static, exp: &Exp, scope: &mut Scope) -> Eval {
        let Static::Tuple(parts) = &argument else { return self.inline(closure, argument, exp.span) };
        let [on, extends] = &parts[..] else { return self.inline(closure, argument, exp.span) };
        if on.is_open() || extends.is_open() {
            return Ok(Static::Unknown(Type::SetOf(Box::new(Type::Rel))));
        }
        let on = self.as_term(on, Some(Shape::Set), exp.span)?;
        let extends = self.as_term(extends, Some(Shape::Rel), exp.span)?;
        let classes = self.terms.rel(BaseRel::Loc);
        Ok(self.orders(Orders { on, classes, extends }, exp, scope))
    }

    /// A general expression that is known to be a set of orders.
    fn orders(&mut self, orders: Orders, exp: &Exp, scope: &Scope) -> Static {
        let value = self.general(exp, Type::SetOf(Box::new(Type::Rel)), scope);
        if let Static::General(g) = value {
            self.generals[g].known = Some(Known::Orders(orders));
        }
        value
    }

    fn apply_prim(&mut self, prim: Prim, argument: Static, exp: &Exp, scope: &mut Scope) -> Eval {
        let open = argument.is_open();
        match prim {
            Prim::Domain | Prim::Range => {
                if matches!(argument, Static::Empty | Static::Universe) {
                    return Ok(argument);
                }
                if open || self.type_of(&argument) == Type::Pair {
                    return Ok(self.general(exp, Type::Set, scope));
                }
                let r = self.as_term(&argument, Some(Shape::Rel), argument_span(exp))?;
                let set = if prim == Prim::Domain { self.terms.domain(r) } else { self.terms.range(r) };
                Ok(Static::Term(set))
            }
            Prim::DifferentValues | Prim::AsTransitive | Prim::SameOa | Prim::AtLeastOneWritable if open => {
                Ok(self.general(exp, Type::Rel, scope))
            }
            Prim::DifferentValues => {
                let r = self.as_term(&argument, Some(Shape::Rel), argument_span(exp))?;
                let different = self.terms.rel(BaseRel::DifferentValues);
                Ok(Static::Term(self.terms.inter(r, different)))
            }
            Prim::AsTransitive => {
                let r = self.as_term(&argument, Some(Shape::Rel), argument_span(exp))?;
                Ok(Static::Term(self.terms.plus(r)))
            }
            // No event of ours is an access to a page table.
            Prim::SameOa | Prim::AtLeastOneWritable => Ok(Static::Term(self.terms.empty(Shape::Rel))),
            Prim::Fromto if !open => {
                let fences = self.as_term(&argument, Some(Shape::Set), argument_span(exp))?;
                Ok(Static::Term(self.between(fences)))
            }
            Prim::Tag2Events | Prim::Tag2Fenced if !open => {
                let tag = self.as_tag(&argument, exp)?;
                let set = self.tag_set(&tag, argument_span(exp))?;
                Ok(Static::Term(if prim == Prim::Tag2Events { set } else { self.between(set) }))
            }
            Prim::Tag2Scope | Prim::Tag2Level => {
                let scope = self.as_tag(&argument, exp)?;
                let none = || fault(exp.span, format!("the test has no scope '{scope}"));
                self.scope_relation(&scope).map_or_else(none, |r| Ok(Static::Term(r)))
            }
            Prim::Fail => fault(exp.span, "the model calls fail here"),
            Prim::Linearisations => self.linearisations(&argument, exp, scope),
            Prim::ClassesLoc | Prim::Classes => Ok(self.general(exp, Type::SetOf(Box::new(Type::Set)), scope)),
            Prim::Delift if !open && self.type_of(&argument) == Type::Rel => Ok(argument),
            Prim::Fromto | Prim::Tag2Fenced | Prim::Delift | Prim::Deliftinter => {
                Ok(self.general(exp, Type::Rel, scope))
            }
            Prim::Tag2Events | Prim::Loc2Events => Ok(self.general(exp, Type::Set, scope)),
            Prim::Lift => Ok(self.general(exp, Type::ClassRel, scope)),
            Prim::Bisimulation => {
                let Type::Tuple(parts) = self.type_of(&argument) else {
                    return Ok(self.general(exp, Type::Any, scope));
                };
                let ty = if parts.contains(&Type::ClassRel) { Type::ClassRel } else { Type::Rel };
                Ok(self.general(exp, ty, scope))
            }
        }
    }

    fn linearisations(&mut self, argument: &Static, exp: &Exp, scope: &mut Scope) -> Eval {
        let types = match self.type_of(argument) {
            Type::Tuple(types) if types.len() == 2 => types,
            Type::Any => return Ok(self.general(exp, Type::SetOf(Box::new(Type::Any)), scope)),
            _ => return fault(argument_span(exp), "a set and a relation are needed here"),
        };
        if types.contains(&Type::ClassRel) {
            return Ok(self.general(exp, Type::SetOf(Box::new(Type::ClassRel)), scope));
        }
        let Static::Tuple(parts) = argument else {
            return Ok(self.general(exp, Type::SetOf(Box::new(Type::Rel)), scope));
        };
        if parts.iter().any(Static::is_open) {
            return Ok(self.general(exp, Type::SetOf(Box::new(Type::Rel)), scope));
        }
        let on = self.as_term(&parts[0], Some(Shape::Set), exp.span)?;
        let extends = self.as_term(&parts[1], Some(Shape::Rel), exp.span)?;
        let classes = self.terms.universe(Shape::Rel);
        Ok(self.orders(Orders { on, classes, extends }, exp, scope))
    }

    /// `po ; [fences] ; po`.
    fn between(&mut self, fences: crate::TermId) -> crate::TermId {
        let po = self.terms.rel(BaseRel::Po);
        let fences = self.terms.identity_on(fences);
        let before = self.terms.seq(po, fences);
        self.terms.seq(before, po)
    }

    fn as_tag(&self, value: &Static, exp: &Exp) -> Eval<Name> {
        match value {
            Static::Tag(tag) => Ok(tag.clone()),
            Static::Tags(tags) if tags.len() == 1 => Ok(tags[0].clone()),
            other => fault(argument_span(exp), format!("a tag is needed here, this is {}", self.type_of(other))),
        }
    }

    fn tag_set(&mut self, tag: &Name, span: Span) -> Eval<crate::TermId> {
        let set = set_of_tag(tag);
        if self.is_base_set(&set) {
            Ok(self.base_set(&set))
        } else {
            fault(span, format!("no event set for the tag '{tag}"))
        }
    }
}

/// The functions of a recursive group, as each of them sees the others.
fn group_closures(member: &Arc<Closure>) -> Vec<(Name, Static)> {
    member.recursive.iter().filter_map(|b| group_member(member, b)).collect()
}

/// A function of a recursive group, made from a binding and any closure over the group.
pub fn group_member(member: &Closure, binding: &Binding) -> Option<(Name, Static)> {
    let Pattern::Var(Some(name)) = &binding.pattern else { return None };
    let (params, body) = match (&binding.params, &binding.body.kind) {
        (Some(params), _) => (params, &binding.body),
        (None, ExpKind::Fun(params, body)) => (params, body),
        (None, _) => return None,
    };
    let closure = Closure { params: params.clone(), body: Arc::clone(body), ..member.clone() };
    Some((name.clone(), Static::Closure(Arc::new(closure))))
}

fn function_span(exp: &Exp) -> Span {
    match &exp.kind {
        ExpKind::App(function, _) => function.span,
        _ => exp.span,
    }
}

fn argument_span(exp: &Exp) -> Span {
    match &exp.kind {
        ExpKind::App(_, argument) => argument.span,
        _ => exp.span,
    }
}
