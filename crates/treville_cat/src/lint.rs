//! What is allowed in a model but looks like a mistake: names that nothing uses, files included for nothing, two checks
//! of one name, operators that group in a way that surprises.
//!
//! Only the text of the unit itself is judged; what it includes counts for the use of names. Types are the linker's
//! business.

mod scope;

use scope::{Entry, Role, Scope};
use treville_base::{Diagnostic, Name, Span};
use treville_model::syntax::{
    Binding, Check, CheckMode, Cond, Exp, ExpKind, Ins, InsKind, Nary, Pattern, Split, Unary, Unit,
};

/// Names that are looked up by the tool itself.
const KNOWN_OUTSIDE: &[&str] = &["co", "fr", "rf", "narrower", "wider"];

/// Warnings about a unit, in the order of the text.
pub fn lint(unit: &Unit) -> Vec<Diagnostic> {
    let mut lint = Lint {
        scope: Scope::default(),
        include: None,
        includes: Vec::new(),
        conditional: false,
        checks: Vec::new(),
        groups: 0,
        warnings: Vec::new(),
    };
    lint.body(&unit.body);
    lint.finish(is_library(unit));
    lint.warnings.sort_by_key(|warning| warning.span);
    lint.warnings
}

/// Whether a file is there for others, so that it need not use what it defines: it declares annotations, or neither it
/// nor what it includes restricts executions.
fn is_library(unit: &Unit) -> bool {
    let declares = |ins: &Ins| matches!(ins.kind, InsKind::Enum { .. } | InsKind::Instructions { .. });
    unit.body.iter().any(declares) || !restricts(&unit.body)
}

fn restricts(body: &[Ins]) -> bool {
    body.iter().any(|ins| match &ins.kind {
        InsKind::Check(CheckMode::Require, _) | InsKind::Call { .. } => true,
        InsKind::Include { unit: Some(unit), .. } => restricts(&unit.body),
        InsKind::Forall { body, .. } => restricts(body),
        InsKind::If { then, els, .. } => restricts(then) || restricts(els),
        _ => false,
    })
}

/// An include of the unit itself.
struct Include {
    file: Name,
    span: Span,
    used: bool,
}

/// A check with a name.
struct Named {
    name: Name,
    span: Span,
    flag: bool,
    conditional: bool,
    own: bool,
}

struct Lint {
    scope: Scope,
    /// The include, as an index of `includes`, that is being walked through; `None` in the unit itself.
    include: Option<usize>,
    includes: Vec<Include>,
    /// Inside a branch that may not be taken.
    conditional: bool,
    checks: Vec<Named>,
    /// How many recursive groups there were.
    groups: usize,
    warnings: Vec<Diagnostic>,
}

impl Lint {
    fn warn(&mut self, span: Span, message: String, help: &str) {
        if self.include.is_none() {
            self.warnings.push(Diagnostic::warning(span, message).help(help));
        }
    }

    fn body(&mut self, body: &[Ins]) {
        body.iter().for_each(|ins| self.ins(ins));
    }

    fn ins(&mut self, ins: &Ins) {
        match &ins.kind {
            InsKind::Let(bindings) => self.bindings(bindings, false, Role::Definition),
            InsKind::LetRec(bindings, when) => {
                self.bindings(bindings, true, Role::Definition);
                if let Some(check) = when {
                    self.check(check, CheckMode::Require, ins.span);
                }
            }
            InsKind::Check(mode, check) => self.check(check, *mode, ins.span),
            InsKind::Show(names) => {
                names.iter().for_each(|name| self.use_name(name));
                self.acts();
            }
            InsKind::Unshow(_) | InsKind::Instructions { .. } => self.acts(),
            InsKind::ShowAs(exp, _) | InsKind::Debug(exp) => {
                self.exp(exp);
                self.acts();
            }
            InsKind::Include { file, unit } => self.include(file, unit.as_deref(), ins.span),
            InsKind::Procedure { name, params, body, recursive } => {
                if *recursive {
                    self.define(name, ins.span, Role::Definition);
                }
                let mark = self.params(params, ins.span);
                self.body(body);
                self.leave(mark);
                if !*recursive {
                    self.define(name, ins.span, Role::Definition);
                }
            }
            InsKind::Call { procedure, argument, name } => {
                self.use_name(procedure);
                self.exp(argument);
                self.name_check(name.as_ref(), false, ins.span);
                self.acts();
            }
            InsKind::Enum { name, .. } => {
                self.define(name, ins.span, Role::Definition);
                self.acts();
            }
            InsKind::Forall { var, set, body } => {
                self.exp(set);
                let mark = self.scope.mark();
                self.define(var, ins.span, Role::Element);
                self.body(body);
                self.leave(mark);
            }
            InsKind::WithFrom { var, set } => {
                self.exp(set);
                self.define(var, ins.span, Role::Definition);
                self.acts();
            }
            InsKind::If { cond, then, els } => {
                self.cond(cond);
                self.branches([then, els]);
            }
            InsKind::Match { subject, clauses, default } => {
                self.exp(subject);
                self.branches(clauses.iter().map(|(_, body)| body).chain(default));
            }
        }
    }

    fn branches<'a>(&mut self, bodies: impl IntoIterator<Item = &'a Vec<Ins>>) {
        let before = std::mem::replace(&mut self.conditional, true);
        bodies.into_iter().for_each(|body| self.body(body));
        self.conditional = before;
    }

    /// The included file does something besides defining names.
    fn acts(&mut self) {
        if let Some(include) = self.include {
            self.includes[include].used = true;
        }
    }

    fn include(&mut self, file: &Name, unit: Option<&Unit>, span: Span) {
        let Some(unit) = unit else { return };
        let before = self.include;
        if before.is_none() {
            self.includes.push(Include { file: file.clone(), span, used: false });
            self.include = Some(self.includes.len() - 1);
        }
        self.body(&unit.body);
        self.include = before;
    }

    fn check(&mut self, check: &Check, mode: CheckMode, span: Span) {
        self.exp(&check.exp);
        self.name_check(check.name.as_ref(), mode == CheckMode::Flag, span);
        self.acts();
    }

    /// Warns if another check has the name; flags may share one, and so may the branches of an `if`.
    fn name_check(&mut self, name: Option<&Name>, flag: bool, span: Span) {
        let Some(name) = name else { return };
        let named =
            Named { name: name.clone(), span, flag, conditional: self.conditional, own: self.include.is_none() };
        let clashes = |other: &Named| {
            other.name == named.name
                && (named.own || other.own)
                && !(other.flag && flag)
                && !(other.conditional && named.conditional)
        };
        if let Some(other) = self.checks.iter().find(|other| clashes(other)) {
            let message = format!("another check is called `{name}` too");
            let help = "leaving out a check by its name would leave out both";
            let warning = Diagnostic::warning(span, message).label(other.span, "the other one").help(help);
            self.warnings.push(warning);
        }
        self.checks.push(named);
    }

    fn use_name(&mut self, name: &str) {
        let includes = &mut self.includes;
        let user = self.include;
        self.scope.use_name(name, |entry| {
            if let Some(include) = entry.include.filter(|_| entry.include != user) {
                includes[include].used = true;
            }
        });
    }

    fn define(&mut self, name: &Name, span: Span, role: Role) {
        let (include, conditional) = (self.include, self.conditional);
        self.scope.push(Entry { include, conditional, ..Entry::new(name.clone(), span, role) });
    }

    /// Forgets the names since `mark` and warns about those that were not used.
    fn leave(&mut self, mark: usize) {
        for entry in self.scope.leave(mark) {
            if !entry.used && !entry.name.starts_with('_') {
                let help = match entry.role {
                    Role::Definition => "remove it",
                    Role::Parameter | Role::Element => "let its name start with `_` if that is meant",
                };
                let message = format!("{} `{}` is never used", entry.role, entry.name);
                self.warn(entry.span, message, help);
            }
        }
    }

    /// Definitions: the names of a recursive group are known in its bodies.
    fn bindings(&mut self, bindings: &[Binding], recursive: bool, role: Role) {
        let mark = self.scope.mark();
        if !recursive {
            bindings.iter().for_each(|binding| self.binding_body(binding));
        }
        for binding in bindings {
            match &binding.pattern {
                Pattern::Var(Some(name)) => self.define(name, name_span(name, binding.span), role),
                Pattern::Var(None) => {}
                Pattern::Tuple(names) => {
                    names.iter().flatten().for_each(|name| self.define(name, binding.span, role));
                }
            }
        }
        if recursive {
            bindings.iter().for_each(|binding| self.binding_body(binding));
            self.groups += 1;
            self.scope.close_group(mark, self.groups);
        }
    }

    fn binding_body(&mut self, binding: &Binding) {
        match &binding.params {
            Some(params) => {
                let mark = self.params(params, binding.span);
                self.exp(&binding.body);
                self.leave(mark);
            }
            None => self.exp(&binding.body),
        }
    }

    /// Makes parameters known; gives what to [`Self::leave`].
    fn params(&mut self, params: &Pattern, span: Span) -> usize {
        let mark = self.scope.mark();
        match params {
            Pattern::Var(name) => name.iter().for_each(|name| self.define(name, span, Role::Parameter)),
            Pattern::Tuple(names) => {
                names.iter().flatten().for_each(|name| self.define(name, span, Role::Parameter));
            }
        }
        mark
    }

    fn exps(&mut self, exps: &[Exp]) {
        exps.iter().for_each(|exp| self.exp(exp));
    }

    fn exp(&mut self, exp: &Exp) {
        match &exp.kind {
            ExpKind::Var(name) => self.use_name(name),
            ExpKind::Tag(_) | ExpKind::EmptyRelation | ExpKind::Universe => {}
            ExpKind::ExplicitSet(exps) | ExpKind::Tuple(exps) => self.exps(exps),
            ExpKind::Un(Unary::Plus | Unary::Star | Unary::Opt | Unary::Inverse, inner)
            | ExpKind::Un(Unary::Complement | Unary::ToId, inner) => self.exp(inner),
            ExpKind::Nary(op, operands) => {
                self.grouping(*op, operands);
                self.exps(operands);
            }
            ExpKind::App(a, b) | ExpKind::Try(a, b) => {
                self.exp(a);
                self.exp(b);
            }
            ExpKind::Fun(params, body) => {
                let mark = self.params(params, exp.span);
                self.exp(body);
                self.leave(mark);
            }
            ExpKind::Let(bindings, body) => self.let_in(bindings, false, body),
            ExpKind::LetRec(bindings, body) => self.let_in(bindings, true, body),
            ExpKind::MatchTag { subject, clauses, default } => {
                self.exp(subject);
                clauses.iter().map(|(_, body)| body).for_each(|body| self.exp(body));
                default.iter().for_each(|body| self.exp(body));
            }
            ExpKind::MatchSet { subject, empty, split, nonempty } => {
                self.exp(subject);
                self.exp(empty);
                self.split(split, nonempty, exp.span);
            }
            ExpKind::If(cond, then, els) => {
                self.cond(cond);
                self.exp(then);
                self.exp(els);
            }
        }
    }

    fn let_in(&mut self, bindings: &[Binding], recursive: bool, body: &Exp) {
        let mark = self.scope.mark();
        self.bindings(bindings, recursive, Role::Definition);
        self.exp(body);
        self.leave(mark);
    }

    fn split(&mut self, split: &Split, body: &Exp, span: Span) {
        let mark = self.scope.mark();
        for name in split.before.iter().chain([&split.element, &split.after]) {
            self.define(name, span, Role::Element);
        }
        self.exp(body);
        self.leave(mark);
    }

    fn cond(&mut self, cond: &Cond) {
        if let Cond::Eq(a, b) | Cond::Subset(a, b) | Cond::In(a, b) = cond {
            self.exp(a);
            self.exp(b);
        }
    }

    /// Warns about operands that group more tightly than a reader may think, if no parentheses show it.
    fn grouping(&mut self, op: Nary, operands: &[Exp]) {
        for operand in operands {
            let ExpKind::Nary(inner, parts) = &operand.kind else { continue };
            let (outer, tighter) = match (op, inner) {
                (Nary::Seq, Nary::Diff) => (";", "\\"),
                (Nary::Diff, Nary::Inter) if !std::ptr::eq(operand, &operands[0]) => ("\\", "&"),
                _ => continue,
            };
            let bare = parts.first().is_some_and(|first| first.span.start == operand.span.start);
            if bare {
                let message = format!("`{tighter}` binds more tightly than the `{outer}` beside it");
                self.warn(operand.span, message, "put this in parentheses, or the other part if that is meant");
            }
        }
    }

    /// Warns about what was not used at the end of the unit.
    fn finish(&mut self, library: bool) {
        for include in self.includes.iter().filter(|include| !include.used) {
            let message = format!("nothing of `{}` is used", include.file);
            self.warnings.push(Diagnostic::warning(include.span, message).help("remove this `include`"));
        }
        let unused = self.scope.unused_definitions();
        for (entry, again) in unused {
            if entry.name.starts_with('_') || KNOWN_OUTSIDE.contains(&entry.name.as_str()) {
                continue;
            }
            if let Some(again) = again {
                let message = format!("`{}` is defined again before it is used", entry.name);
                self.warnings.push(Diagnostic::warning(entry.span, message).label(again, "defined again here"));
            } else if !library {
                let message = format!("`{}` is never used", entry.name);
                self.warnings.push(Diagnostic::warning(entry.span, message).help("remove it"));
            }
        }
    }
}

/// Where a definition's name is.
fn name_span(name: &Name, binding: Span) -> Span {
    let end = binding.start.saturating_add(u32::try_from(name.len()).unwrap_or(u32::MAX));
    Span { end: end.min(binding.end), ..binding }
}
