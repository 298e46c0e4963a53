//! The interpreter of general expressions: those that handle single events, sets of sets, functions over run-time sets.
//! It reads syntax directly; names stand for what the linker captured.

use super::prims::delift;
use super::terms::{Evaluator, Nesting};
use super::value::{Env, Function, Value};
use super::{Extent, Stop, operators};
use std::collections::BTreeSet;
use std::sync::Arc;
use treville_base::{Name, Span};
use treville_event::{EventSet, Relation};
use treville_model::syntax::{Binding, Cond, Exp, ExpKind, Pattern, Split};
use treville_model::{GeneralId, Shape, Static, TermId};

/// How deeply expressions may nest on the stack of whoever calls.
const SHALLOW: u32 = 120;
/// How deeply on a stack of our own, and its size.
const DEEP: u32 = 30_000;
const DEEP_STACK: usize = 512 << 20;

impl Evaluator<'_> {
    /// The set or relation that a general term stands for.
    pub(crate) fn general_extent(&mut self, general: GeneralId, term: TermId) -> Result<Arc<Extent>, Stop> {
        let span = self.model.generals[general].exp.span;
        let shape = self.model.shape(term);
        let value = self.general(general)?;
        self.as_extent(value, shape, span).map(Arc::new)
    }

    fn as_extent(&self, value: Value, shape: Shape, span: Span) -> Result<Extent, Stop> {
        let n = self.n_events();
        match shape {
            Shape::Set => value.into_set(n, span).map(Extent::Set),
            Shape::Rel if matches!(value, Value::ClassRel(_)) => delift(value, n, span).map(Extent::Rel),
            Shape::Rel => value.into_rel(n, span).map(Extent::Rel),
        }
    }

    /// The elements of a general set of sets or relations.
    pub(crate) fn elements(&mut self, general: GeneralId, shape: Shape) -> Result<Vec<Extent>, Stop> {
        let span = self.model.generals[general].exp.span;
        match self.general(general)? {
            Value::Empty => Ok(Vec::new()),
            Value::SetOf(elements) => elements.into_iter().map(|v| self.as_extent(v, shape, span)).collect(),
            other => Stop::fault(span, format!("a set of relations is needed here, this is {}", other.type_name())),
        }
    }

    /// The value of a general expression: first on the stack at hand, then, if that is too small, on a large one.
    pub(crate) fn general(&mut self, general: GeneralId) -> Result<Value, Stop> {
        let general = &self.model.generals[general];
        let env = Env::Linked(Arc::clone(&general.env));
        if self.nesting.depth > 0 {
            return Interpreter { evaluator: self }.eval(&general.exp, &env);
        }
        self.nesting.limit = SHALLOW;
        match (Interpreter { evaluator: self }).eval(&general.exp, &env) {
            Err(Stop::TooDeep) => {}
            done => return done,
        }
        self.nesting = Nesting { depth: 0, limit: DEEP };
        let mut interpreter = Interpreter { evaluator: self };
        let result = std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(DEEP_STACK);
            let thread = thread.spawn_scoped(scope, || interpreter.eval(&general.exp, &env));
            thread.map(|t| t.join())
        });
        self.nesting = Nesting::default();
        match result {
            Ok(Ok(Err(Stop::TooDeep)) | Err(_)) | Err(_) => {
                Stop::fault(general.exp.span, "the recursion here is too deep")
            }
            Ok(Ok(done)) => done,
        }
    }
}

pub(crate) struct Interpreter<'i, 'a> {
    pub(crate) evaluator: &'i mut Evaluator<'a>,
}

impl Interpreter<'_, '_> {
    pub(crate) fn n_events(&self) -> usize {
        self.evaluator.n_events()
    }

    pub(crate) fn eval(&mut self, exp: &Exp, env: &Env) -> Result<Value, Stop> {
        let Nesting { depth, limit } = self.evaluator.nesting;
        if depth >= limit {
            return Err(Stop::TooDeep);
        }
        if self.evaluator.cancel.is_due() {
            return Err(Stop::Cancelled);
        }
        self.evaluator.nesting.depth = depth + 1;
        let value = self.eval_kind(exp, env);
        self.evaluator.nesting.depth = depth;
        value
    }

    fn eval_kind(&mut self, exp: &Exp, env: &Env) -> Result<Value, Stop> {
        let n = self.n_events();
        match &exp.kind {
            ExpKind::Var(name) => self.lookup(name, env, exp.span),
            ExpKind::Tag(tag) => Ok(Value::Tag(tag.clone())),
            ExpKind::EmptyRelation => Ok(Value::Rel(Relation::new(n))),
            ExpKind::Universe => Ok(Value::Universe),
            ExpKind::ExplicitSet(elements) => elements.iter().rev().try_fold(Value::Empty, |set, element| {
                let element = self.eval(element, env)?;
                operators::binary(treville_model::syntax::Nary::Add, element, set, n, exp.span)
            }),
            ExpKind::Un(op, operand) => operators::unary(*op, self.eval(operand, env)?, n, operand.span),
            ExpKind::Nary(op, operands) => self.nary(*op, operands, exp.span, env),
            ExpKind::Tuple(parts) => {
                parts.iter().map(|p| self.eval(p, env)).collect::<Result<_, _>>().map(Value::Tuple)
            }
            ExpKind::App(function, argument) => {
                let function = self.eval(function, env)?;
                let argument = self.eval(argument, env)?;
                self.apply(function, argument, exp.span)
            }
            ExpKind::Fun(params, body) => Ok(closure(params, body, env, exp.span)),
            ExpKind::Let(bindings, body) => {
                let env = self.bind_all(bindings, env)?;
                self.eval(body, &env)
            }
            ExpKind::LetRec(bindings, body) => {
                let env = self.bind_recursive(bindings, env, exp.span)?;
                self.eval(body, &env)
            }
            ExpKind::MatchTag { subject, clauses, default } => match self.eval(subject, env)? {
                Value::Tag(tag) => match clauses.iter().find(|(t, _)| *t == tag).map(|(_, e)| e).or(default.as_deref())
                {
                    Some(clause) => self.eval(clause, env),
                    None => Stop::fault(exp.span, format!("no clause for the tag '{tag}")),
                },
                other => Stop::fault(subject.span, format!("a tag is needed here, this is {}", other.type_name())),
            },
            ExpKind::MatchSet { subject, empty, split, nonempty } => {
                let value = self.eval(subject, env)?;
                if value.is_empty_set() {
                    return self.eval(empty, env);
                }
                let env = bind_split(value, split, env, subject.span)?;
                self.eval(nonempty, &env)
            }
            ExpKind::Try(tried, otherwise) => match self.eval(tried, env) {
                Err(Stop::Fault(_)) => self.eval(otherwise, env),
                done => done,
            },
            ExpKind::If(cond, then, els) => {
                let branch = if self.decide(cond, env, exp.span)? { then } else { els };
                self.eval(branch, env)
            }
        }
    }

    fn nary(
        &mut self,
        op: treville_model::syntax::Nary,
        operands: &[Exp],
        span: Span,
        env: &Env,
    ) -> Result<Value, Stop> {
        use treville_model::syntax::Nary;
        let n = self.n_events();
        let mut values = Vec::with_capacity(operands.len());
        for operand in operands {
            values.push(self.eval(operand, env)?);
        }
        // `a ++ b ++ S` adds both to S; the other operators are left-associative (or associative).
        let rest_first = op == Nary::Add;
        if rest_first {
            values.reverse();
        }
        let combined = values.into_iter().map(Ok).reduce(|a, b| {
            let (a, b) = (a?, b?);
            if rest_first { operators::binary(op, b, a, n, span) } else { operators::binary(op, a, b, n, span) }
        });
        combined.unwrap_or(Ok(Value::Empty))
    }

    fn lookup(&mut self, name: &Name, env: &Env, span: Span) -> Result<Value, Stop> {
        let mut at = env;
        loop {
            match at {
                Env::Bound(binding) if binding.0 == *name => return Ok(binding.1.clone()),
                Env::Bound(binding) => at = &binding.2,
                Env::Linked(names) => {
                    return match names.get(name) {
                        Some(value) => self.value_of(value, span),
                        None => Stop::fault(span, format!("unbound name '{name}'")),
                    };
                }
            }
        }
    }

    fn value_of(&mut self, value: &Static, span: Span) -> Result<Value, Stop> {
        Ok(match value {
            Static::Term(t) => Value::from_extent(&*self.evaluator.eval(*t)?),
            Static::Empty => Value::Empty,
            Static::Universe => Value::Universe,
            Static::General(g) => {
                let general = &self.evaluator.model.generals[*g];
                let env = Env::Linked(Arc::clone(&general.env));
                self.eval(&general.exp, &env)?
            }
            Static::Tag(tag) => Value::Tag(tag.clone()),
            Static::Tags(tags) => Value::SetOf(tags.iter().cloned().map(Value::Tag).collect()),
            Static::Tuple(parts) => {
                Value::Tuple(parts.iter().map(|p| self.value_of(p, span)).collect::<Result<_, _>>()?)
            }
            Static::Closure(c) => Value::Function(Function::Closure {
                params: c.params.clone(),
                body: Arc::clone(&c.body),
                env: Env::Linked(Arc::clone(&c.env)),
                group: Arc::clone(&c.recursive),
                span: c.span,
            }),
            Static::Prim(prim) => Value::Function(Function::Prim(*prim)),
            Static::Faulty(faults) => match faults.first() {
                Some(fault) => return Err(Stop::Fault(Box::new(fault.clone()))),
                None => return Stop::fault(span, "a faulty definition"),
            },
            Static::Unknown(_) => return Stop::fault(span, "a value that is not known"),
        })
    }

    pub(crate) fn apply(&mut self, function: Value, argument: Value, span: Span) -> Result<Value, Stop> {
        match function {
            Value::Function(Function::Prim(prim)) => self.apply_prim(prim, argument, span),
            Value::Function(Function::Closure { params, body, env, group, .. }) => {
                let env = bind_group(&group, &env);
                let env = bind_pattern(&params, argument, &env, span)?;
                self.eval(&body, &env)
            }
            other => Stop::fault(span, format!("a function is needed here, this is {}", other.type_name())),
        }
    }

    /// `let`: a faulty definition is an error only if it is used, as in the linker; here, where values are few, it is
    /// simply an error.
    fn bind_all(&mut self, bindings: &[Binding], env: &Env) -> Result<Env, Stop> {
        let mut extended = env.clone();
        for binding in bindings {
            let value = match &binding.params {
                Some(params) => closure(params, &binding.body, env, binding.span),
                None => self.eval(&binding.body, env)?,
            };
            extended = bind_pattern(&binding.pattern, value, &extended, binding.span)?;
        }
        Ok(extended)
    }

    /// `let rec`: functions see their group; values are iterated from empty.
    fn bind_recursive(&mut self, bindings: &[Binding], env: &Env, span: Span) -> Result<Env, Stop> {
        let is_function = |b: &Binding| b.params.is_some() || matches!(b.body.kind, ExpKind::Fun(..));
        let (functions, values): (Vec<_>, Vec<_>) = bindings.iter().cloned().partition(is_function);
        let functions = Arc::new(functions);
        let mut now: Vec<Value> = vec![Value::Empty; values.len()];
        let rounds = values.len() * self.n_events() * self.n_events() + 2;
        for _ in 0..rounds {
            let mut changed = false;
            for (i, binding) in values.iter().enumerate() {
                let env = bind_members(&values, &now, &functions, env)?;
                let value = self.eval(&binding.body, &env)?;
                let (before, span) = (&now[i], binding.span);
                changed |= !self.is_subset(&value, before, span)? || !self.is_subset(before, &value, span)?;
                now[i] = value;
            }
            if !changed {
                return bind_members(&values, &now, &functions, env);
            }
        }
        Stop::fault(span, "this recursive definition does not settle")
    }

    fn decide(&mut self, cond: &Cond, env: &Env, span: Span) -> Result<bool, Stop> {
        match cond {
            Cond::Variant(variant) => Ok(variant.holds(&self.evaluator.model.variants)),
            Cond::Eq(a, b) => {
                let (a, b) = (self.eval(a, env)?, self.eval(b, env)?);
                Ok(a == b || a.is_empty_set() && b.is_empty_set())
            }
            Cond::Subset(a, b) => {
                let (a, b) = (self.eval(a, env)?, self.eval(b, env)?);
                self.is_subset(&a, &b, span)
            }
            Cond::In(a, b) => {
                let n = self.n_events();
                let (element, set) = (self.eval(a, env)?, self.eval(b, env)?);
                match element {
                    Value::Event(e) => Ok(set.into_set(n, b.span)?.contains(e)),
                    Value::Pair(x, y) => Ok(set.into_rel(n, b.span)?.contains(x, y)),
                    element => match set {
                        Value::SetOf(s) => Ok(s.contains(&element)),
                        Value::Empty => Ok(false),
                        other => Stop::fault(b.span, format!("a set is needed here, this is {}", other.type_name())),
                    },
                }
            }
        }
    }

    fn is_subset(&self, a: &Value, b: &Value, span: Span) -> Result<bool, Stop> {
        let n = self.n_events();
        match (a, b) {
            (Value::Empty, _) | (_, Value::Universe) => Ok(true),
            (Value::SetOf(a), Value::SetOf(b)) => Ok(a.is_subset(b)),
            (Value::ClassRel(a), Value::ClassRel(b)) => Ok(a.is_subset(b)),
            (a, Value::Empty) => Ok(a.is_empty_set()),
            (Value::Set(a), b) => Ok(a.is_subset(&b.clone().into_set(n, span)?)),
            (a, b) => Ok(a.clone().into_rel(n, span)?.is_subset(&b.clone().into_rel(n, span)?)),
        }
    }
}

fn closure(params: &Pattern, body: &Arc<Exp>, env: &Env, span: Span) -> Value {
    let (params, body) = (params.clone(), Arc::clone(body));
    Value::Function(Function::Closure { params, body, env: env.clone(), group: Arc::default(), span })
}

/// The environment extended by the functions of a recursive group.
fn bind_group(group: &Arc<Vec<Binding>>, env: &Env) -> Env {
    let mut extended = env.clone();
    for binding in group.iter() {
        let Pattern::Var(Some(name)) = &binding.pattern else { continue };
        let (params, body) = match (&binding.params, &binding.body.kind) {
            (Some(params), _) => (params, &binding.body),
            (None, ExpKind::Fun(params, body)) => (params, body),
            (None, _) => continue,
        };
        let (params, body) = (params.clone(), Arc::clone(body));
        let function =
            Function::Closure { params, body, env: env.clone(), group: Arc::clone(group), span: binding.span };
        extended = extended.bind(name, Value::Function(function));
    }
    extended
}

fn bind_members(values: &[Binding], now: &[Value], functions: &Arc<Vec<Binding>>, env: &Env) -> Result<Env, Stop> {
    let mut extended = env.clone();
    for (binding, value) in values.iter().zip(now) {
        extended = bind_pattern(&binding.pattern, value.clone(), &extended, binding.span)?;
    }
    Ok(bind_group(functions, &extended))
}

fn bind_pattern(pattern: &Pattern, value: Value, env: &Env, span: Span) -> Result<Env, Stop> {
    let names = match pattern {
        Pattern::Var(None) => return Ok(env.clone()),
        Pattern::Var(Some(name)) => return Ok(env.bind(name, value)),
        Pattern::Tuple(names) => names,
    };
    let values = match value {
        Value::Tuple(values) => values,
        single => vec![single],
    };
    if values.len() != names.len() {
        return Stop::fault(span, format!("{} values are needed here, {} are given", names.len(), values.len()));
    }
    let mut extended = env.clone();
    for (name, value) in names.iter().zip(values) {
        if let Some(name) = name {
            extended = extended.bind(name, value);
        }
    }
    Ok(extended)
}

/// Takes the least element out of a set that is not empty.
fn bind_split(value: Value, split: &Split, env: &Env, span: Span) -> Result<Env, Stop> {
    let (element, rest, none) = match value {
        Value::Set(mut s) => {
            let first = s.iter().next().unwrap_or_default();
            s.remove(first);
            let none = EventSet::new(s.universe());
            (Value::Event(first), Value::Set(s), Value::Set(none))
        }
        Value::Rel(mut r) => {
            let (a, b) = r.iter().next().unwrap_or_default();
            r.remove(a, b);
            let none = Relation::new(r.universe());
            (Value::Pair(a, b), Value::Rel(r), Value::Rel(none))
        }
        Value::SetOf(mut s) => {
            let Some(first) = s.pop_first() else { return Ok(env.clone()) };
            (first, Value::SetOf(s), Value::SetOf(BTreeSet::new()))
        }
        other => return Stop::fault(span, format!("a set is needed here, this is {}", other.type_name())),
    };
    let env = match &split.before {
        Some(before) => env.bind(before, none),
        None => env.clone(),
    };
    Ok(env.bind(&split.element, element).bind(&split.after, rest))
}
