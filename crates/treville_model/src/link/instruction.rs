//! Executing instructions.

use super::expression::pattern_names;
use super::scope::{Captured, Scope};
use super::{Definition, Eval, Linker, fault};
use crate::bell::set_of_tag;
use crate::mentions;
use crate::model::{Check, Closure, Known, Pick, PickSource, RecOrder, Shape, Stage, Static, Step, Term, Test, Type};
use crate::syntax::{self, Binding, CheckKind, CheckMode, Exp, Ins, InsKind, Pattern};
use std::sync::Arc;
use treville_base::{Diagnostic, Idx, Name, Span};

/// A procedure with what its names stood for where it was defined.
pub(super) struct Procedure {
    params: Pattern,
    body: Arc<Vec<Ins>>,
    env: Captured,
}

impl Linker<'_> {
    /// Executes instructions in order. An error in one does not stop the others.
    pub(super) fn run(&mut self, body: &[Ins], scope: &mut Scope) {
        for ins in body {
            let span = ins.span;
            if let Err(faults) = self.nested(span, |linker| linker.execute(ins, scope)) {
                self.errors.extend(faults);
            }
        }
    }

    fn execute(&mut self, ins: &Ins, scope: &mut Scope) -> Eval<()> {
        match &ins.kind {
            InsKind::Let(bindings) => self.execute_let(bindings, scope),
            InsKind::LetRec(bindings, when) => self.execute_let_rec(bindings, when.as_ref(), ins.span, scope)?,
            InsKind::Check(mode, check) => self.execute_check(*mode, check, ins.span, scope)?,
            InsKind::Show(names) => names.iter().for_each(|name| self.show(name, scope)),
            InsKind::Unshow(names) => self.shows.retain(|(name, _)| !names.contains(name)),
            InsKind::ShowAs(exp, name) => self.show_as(exp, name, scope),
            InsKind::Include { file, unit: None } => return fault(ins.span, format!("cannot find the file '{file}'")),
            InsKind::Include { file, unit: Some(unit) } => {
                self.including.push(file.clone());
                self.run(&unit.body, scope);
                self.including.pop();
            }
            InsKind::Procedure { name, params, body, .. } => {
                let mut names = Vec::new();
                mentions::in_body(body, &mut |n| names.push(n.clone()));
                let env = self.capture_names(names, scope).env;
                let procedure = Procedure { params: params.clone(), body: Arc::clone(body), env };
                self.procedures.insert(name.clone(), Arc::new(procedure));
            }
            InsKind::Call { procedure, argument, name } => {
                self.call(procedure, argument, name.as_ref(), ins.span, scope)?
            }
            InsKind::Enum { name, tags } => self.declare(name, tags, scope),
            InsKind::Forall { var, set, body } => self.forall(var, set, body, scope)?,
            InsKind::WithFrom { var, set } => self.execute_with(var, set, ins.span, scope)?,
            InsKind::Instructions { .. } | InsKind::Debug(_) => {}
            InsKind::If { cond, then, els } => match self.decide(cond, scope)? {
                Some(true) => self.run(then, scope),
                Some(false) => self.run(els, scope),
                None => return fault(ins.span, "only variants and tags can choose between instructions"),
            },
            InsKind::Match { subject, clauses, default } => {
                let Static::Tag(tag) = self.eval(subject, scope)? else {
                    return fault(subject.span, "a tag is needed here");
                };
                let clause = clauses.iter().find(|(t, _)| *t == tag).map(|(_, body)| body).or(default.as_ref());
                match clause {
                    Some(body) => self.run(body, scope),
                    None => return fault(ins.span, format!("no clause for the tag '{tag}")),
                }
            }
        }
        Ok(())
    }

    /// Binds a name for the instructions that follow.
    fn define(&mut self, name: Name, value: Static, scope: &mut Scope) {
        if let Static::Faulty(faults) = &value {
            self.suspect(faults);
        }
        self.own_now.remove(&name);
        if scope.is_global() {
            self.globals.insert(name, value);
        } else {
            scope.push(name, value);
        }
    }

    fn execute_let(&mut self, bindings: &[Binding], scope: &mut Scope) {
        for (name, value) in self.eval_bindings(bindings, scope) {
            let value = self.mark_library(&name, value);
            self.define(name, value, scope);
        }
        self.note_own(bindings, scope);
    }

    /// Remembers what is wrong, and harmless so far, in the model's own file.
    pub(super) fn suspect(&mut self, faults: &[Diagnostic]) {
        if self.in_own_file() && self.tried == 0 {
            self.suspects.extend(faults.iter().cloned());
        }
    }

    fn in_own_file(&self) -> bool {
        !self.in_prelude && self.including.is_empty()
    }

    /// Remembers definitions of the model's own file, to tell which of them are used.
    fn note_own(&mut self, bindings: &[Binding], scope: &Scope) {
        if self.in_own_file() && scope.is_global() {
            for (binding, name) in bindings.iter().flat_map(|b| pattern_names(&b.pattern).map(move |n| (b, n))) {
                self.own_now.insert(name.clone(), self.own.len());
                self.own.push(Definition { name: name.clone(), span: binding.span, used: false });
            }
        }
    }

    /// Marks the library's generator of orders, so that its calls are understood and not interpreted.
    fn mark_library(&self, name: &Name, value: Static) -> Static {
        let library = self.including.last().is_some_and(|f| f.rsplit('/').next() == Some("cross.cat"));
        match value {
            Static::Closure(closure) if library && name == "generate_orders" => {
                Static::Closure(Arc::new(Closure { generates_orders: true, ..(*closure).clone() }))
            }
            other => other,
        }
    }

    fn execute_let_rec(
        &mut self,
        bindings: &[Binding],
        when: Option<&syntax::Check>,
        span: Span,
        scope: &mut Scope,
    ) -> Eval<()> {
        match self.eval_recursive(bindings, scope) {
            Ok(bound) => bound.into_iter().for_each(|(name, value)| self.define(name, value, scope)),
            Err(faults) => {
                let faulty = Static::Faulty(Arc::new(faults));
                for name in bindings.iter().flat_map(|b| pattern_names(&b.pattern)) {
                    self.define(name.clone(), faulty.clone(), scope);
                }
            }
        }
        if let [_] = bindings {
            self.note_own(bindings, scope);
        }
        match when {
            Some(check) => self.execute_when(check, span, scope),
            None => Ok(()),
        }
    }

    /// `let rec … when test`: the test holds at every step of the iteration. If all only grows, that is: at its end.
    fn execute_when(&mut self, check: &syntax::Check, span: Span, scope: &mut Scope) -> Eval<()> {
        let last_group = self.recs.iter().next_back();
        if check.negated || last_group.is_some_and(|g| g.order == RecOrder::Iterated) {
            return fault(span, "'when' is only supported where the definitions and the test are monotone");
        }
        self.execute_check(CheckMode::Require, check, span, scope)
    }

    fn execute_check(&mut self, mode: CheckMode, check: &syntax::Check, span: Span, scope: &mut Scope) -> Eval<()> {
        let value = self.eval(&check.exp, scope)?;
        let want = (check.kind != CheckKind::Empty).then_some(Shape::Rel);
        let term = self.as_term(&value, want, check.exp.span)?;
        let test = Test { kind: check.kind, negated: check.negated, term };
        self.add_check(mode, test, check.name.clone(), span);
        Ok(())
    }

    pub(super) fn add_check(&mut self, mode: CheckMode, test: Test, name: Option<Name>, span: Span) {
        let name = name.unwrap_or_else(|| {
            let kind = match test.kind {
                CheckKind::Acyclic => "acyclic",
                CheckKind::Irreflexive => "irreflexive",
                CheckKind::Empty => "empty",
            };
            Name::from(format!("{kind}#{}", self.checks.len() + self.vacuous.len() + 1))
        });
        // Nothing is wrong with an empty relation; a flag is raised by a test that holds.
        let nothing = matches!(self.terms.infos[test.term].term, Term::Empty);
        if nothing && test.negated == (mode == CheckMode::Flag) {
            self.vacuous.push((name, span));
            return;
        }
        let monotone = !test.negated && self.terms.infos[test.term].monotone;
        let check = self.checks.push(Check { mode, test, name, span, monotone });
        self.steps.push(Step::Check(check));
    }

    /// What cannot be shown is not: drawings are no reason to refuse a model.
    fn show(&mut self, name: &Name, scope: &mut Scope) {
        let exp = Exp { kind: syntax::ExpKind::Var(name.clone()), span: Span::new(Idx::from_usize(0), 0, 0) };
        self.show_as(&exp, name, scope);
    }

    fn show_as(&mut self, exp: &Exp, name: &Name, scope: &mut Scope) {
        self.tried += 1;
        let term = self.eval(exp, scope).and_then(|v| self.as_term(&v, None, exp.span));
        self.tried -= 1;
        let Ok(term) = term else { return };
        match self.shows.iter_mut().find(|(n, _)| n == name) {
            Some(shown) => shown.1 = term,
            None => self.shows.push((name.clone(), term)),
        }
    }

    fn call(
        &mut self,
        procedure: &Name,
        argument: &Exp,
        name: Option<&Name>,
        span: Span,
        scope: &mut Scope,
    ) -> Eval<()> {
        let Some(called) = self.procedures.get(procedure).cloned() else {
            return fault(span, format!("unknown procedure '{procedure}'"));
        };
        let argument = self.eval(argument, scope)?;
        let mut inner = Scope::over(&called.env);
        self.bind(&called.params, argument, span, &mut inner)?;
        let first_check = self.checks.len();
        self.run(&called.body, &mut inner);
        // Checks without a name of their own take the call's.
        for check in self.checks.iter_mut().skip(first_check) {
            if check.name.contains('#') {
                let position = check.name.rsplit('#').next().unwrap_or("");
                check.name = match name {
                    Some(name) => name.clone(),
                    None => Name::from(format!("{procedure}#{position}")),
                };
            }
        }
        Ok(())
    }

    fn declare(&mut self, name: &Name, tags: &[Name], scope: &mut Scope) {
        self.enums.push((name.clone(), tags.to_vec()));
        self.tag_sets.extend(tags.iter().map(|t| set_of_tag(t)));
        let mut sorted = tags.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        self.define(name.clone(), Static::Tags(sorted), scope);
    }

    fn forall(&mut self, var: &Name, set: &Exp, body: &[Ins], scope: &mut Scope) -> Eval<()> {
        let value = self.eval(set, scope)?;
        let tags = match value {
            Static::Empty => Vec::new(),
            Static::Tag(tag) => vec![tag],
            Static::Tags(tags) => tags,
            other => {
                let ty = self.type_of(&other);
                return fault(set.span, format!("forall is supported over sets of tags, this is {ty}"));
            }
        };
        let mut names = Vec::new();
        mentions::in_body(body, &mut |n| names.push(n.clone()));
        let env = self.capture_names(names, scope).env;
        for tag in tags {
            let mut inner = Scope::over(&env);
            inner.push(var.clone(), Static::Tag(tag));
            self.run(body, &mut inner);
        }
        Ok(())
    }

    fn execute_with(&mut self, var: &Name, set: &Exp, span: Span, scope: &mut Scope) -> Eval<()> {
        let value = self.eval(set, scope)?;
        let value = match value {
            Static::Empty | Static::Tags(_) => self.general(set, Type::SetOf(Box::new(Type::Any)), scope),
            other => other,
        };
        let Static::General(general) = value else {
            let ty = self.type_of(&value);
            return fault(set.span, format!("a set of relations is needed here, this is {ty}"));
        };
        match self.generals[general].known {
            Some(Known::Only(term)) => {
                self.terms.name(term, var, span);
                self.define(var.clone(), Static::Term(term), scope);
                return Ok(());
            }
            Some(Known::Orders(orders)) => {
                match self.free_coherence(orders, var, span) {
                    Some(co) => self.define(var.clone(), Static::Term(co), scope),
                    None => self.define_pick(var, PickSource::Orders(orders), Shape::Rel, span, scope),
                }
                return Ok(());
            }
            None => {}
        }
        let shape = match &self.generals[general].ty {
            Type::SetOf(t) => match &**t {
                // An order of sets of events is handled as the relation on events that it stands for.
                Type::Any | Type::ClassRel => Shape::Rel,
                t => match t.shape() {
                    Some(shape) => shape,
                    None => {
                        return fault(
                            set.span,
                            format!("a set of relations is needed here, its elements are each {t}"),
                        );
                    }
                },
            },
            Type::Any => Shape::Rel,
            ty => return fault(set.span, format!("a set of relations is needed here, this is {ty}")),
        };
        self.define_pick(var, PickSource::AnyOf(general, shape), shape, span, scope);
        Ok(())
    }

    fn define_pick(&mut self, var: &Name, source: PickSource, shape: Shape, span: Span, scope: &mut Scope) {
        let pick = self.picks.push(Pick { name: var.clone(), source, span });
        self.steps.push(Step::Pick(pick));
        let term = self.terms.leaf(Term::Pick(pick), shape, Stage::Pick(pick.0));
        self.terms.name(term, var, span);
        self.define(var.clone(), Static::Term(term), scope);
    }
}

/// Removes repetitions, keeping the first of each.
pub(super) fn distinct(diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut kept: Vec<Diagnostic> = Vec::new();
    for diagnostic in diagnostics {
        if !kept.contains(&diagnostic) {
            kept.push(diagnostic);
        }
    }
    kept
}
