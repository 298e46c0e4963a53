//! Trees back to CAT text. What is printed reads as the same tree, apart from places in the text.

use treville_base::Name;
use treville_model::syntax::{
    Binding, Check, CheckKind, CheckMode, Cond, Exp, ExpKind, Ins, InsKind, Nary, Pattern, Unary, Unit, VariantCond,
};

/// Where parentheses are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parens {
    /// Where the text would be read differently without them.
    Needed,
    /// Around every operator: shows how a text was read.
    All,
}

/// The text of a model. Included files appear as the `include` that names them.
pub fn print(unit: &Unit, parens: Parens) -> String {
    let mut printer = Printer { out: String::new(), indent: 0, parens };
    printer.head(unit);
    printer.body(&unit.body);
    printer.out
}

/// How tightly the outermost operator of a text must bind where it stands.
type Level = u8;

const ANY: Level = 0;
const UNION: Level = 1;
const INVERSE: Level = 7;
const SIMPLE: Level = 9;

/// The sign of an operator, its level, and the levels that its first and its other operands need.
fn nary(op: Nary) -> (&'static str, Level, Level, Level) {
    match op {
        Nary::Union => (" | ", UNION, 2, 2),
        Nary::Add => (" ++ ", 2, 3, 2),
        Nary::Seq => (" ; ", 3, 4, 4),
        Nary::Diff => (" \\ ", 4, 4, 5),
        Nary::Inter => (" & ", 5, 6, 6),
        Nary::Product => (" * ", 6, INVERSE, INVERSE),
    }
}

fn level(exp: &Exp) -> Level {
    match &exp.kind {
        ExpKind::Var(_)
        | ExpKind::Tag(_)
        | ExpKind::EmptyRelation
        | ExpKind::Universe
        | ExpKind::ExplicitSet(_)
        | ExpKind::Un(Unary::ToId, _) => SIMPLE,
        ExpKind::Tuple(parts) => {
            if parts.is_empty() {
                SIMPLE
            } else {
                ANY
            }
        }
        ExpKind::App(..) => 8,
        ExpKind::Un(Unary::Inverse, _) => INVERSE,
        ExpKind::Un(Unary::Plus | Unary::Star | Unary::Opt | Unary::Complement, _) => 6,
        ExpKind::Nary(op, _) => nary(*op).1,
        ExpKind::Fun(..)
        | ExpKind::Let(..)
        | ExpKind::LetRec(..)
        | ExpKind::MatchTag { .. }
        | ExpKind::MatchSet { .. }
        | ExpKind::Try(..)
        | ExpKind::If(..) => ANY,
    }
}

struct Printer {
    out: String,
    indent: usize,
    parens: Parens,
}

impl Printer {
    fn text(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// Parts with `between` between them.
    fn list<T>(&mut self, parts: &[T], between: &str, mut part: impl FnMut(&mut Self, &T)) {
        for (i, p) in parts.iter().enumerate() {
            if i > 0 {
                self.text(between);
            }
            part(self, p);
        }
    }

    fn names(&mut self, names: &[Name]) {
        self.list(names, ", ", |printer, name| printer.text(name));
    }

    fn head(&mut self, unit: &Unit) {
        let (after, before): (Vec<Name>, Vec<Name>) =
            unit.options.iter().cloned().partition(|option| crate::parser::OPTIONS.contains(&option.as_str()));
        let title = unit.title.iter().map(|title| Name::from(format!("\"{title}\"")));
        let words: Vec<Name> = before.into_iter().chain(title).chain(after).collect();
        if !words.is_empty() {
            self.list(&words, " ", |printer, word| printer.text(word));
            self.text("\n");
        }
    }

    fn body(&mut self, body: &[Ins]) {
        for ins in body {
            self.margin();
            self.ins(&ins.kind);
            self.text("\n");
        }
    }

    fn margin(&mut self) {
        self.out.extend(std::iter::repeat_n("  ", self.indent));
    }

    /// A block between two lines.
    fn block(&mut self, body: &[Ins]) {
        self.text("\n");
        self.indent += 1;
        self.body(body);
        self.indent -= 1;
        self.margin();
    }

    fn ins(&mut self, kind: &InsKind) {
        match kind {
            InsKind::Let(bindings) => self.bindings("let ", bindings),
            InsKind::LetRec(bindings, when) => {
                self.bindings("let rec ", bindings);
                if let Some(check) = when {
                    self.text(" when ");
                    self.check(check);
                }
            }
            InsKind::Check(mode, check) => {
                self.text(match mode {
                    CheckMode::Require => "",
                    CheckMode::Flag => "flag ",
                    CheckMode::UndefinedUnless => "undefined_unless ",
                    CheckMode::Assert => "assert ",
                });
                self.check(check);
            }
            InsKind::Show(names) => {
                self.text("show ");
                self.names(names);
            }
            InsKind::Unshow(names) => {
                self.text("unshow ");
                self.names(names);
            }
            InsKind::ShowAs(exp, name) => {
                self.text("show ");
                self.exp(exp, UNION);
                self.as_name(Some(name));
            }
            InsKind::Include { file, .. } => {
                self.text("include \"");
                self.text(file);
                self.text("\"");
            }
            InsKind::Debug(exp) => {
                self.text("debug ");
                self.exp(exp, ANY);
            }
            InsKind::Call { procedure, argument, name } => {
                self.text("call ");
                self.text(procedure);
                self.argument(argument);
                self.as_name(name.as_ref());
            }
            InsKind::WithFrom { var, set } => {
                self.text("with ");
                self.text(var);
                self.text(" from ");
                self.exp(set, ANY);
            }
            InsKind::Enum { name, tags } => {
                self.text("enum ");
                self.text(name);
                self.text(" = ");
                self.list(tags, " || ", Self::tag);
            }
            InsKind::Instructions { name, arguments, default } => {
                self.text(if *default { "default " } else { "instructions " });
                self.text(name);
                self.text("[");
                self.exps(arguments);
                self.text("]");
            }
            InsKind::Procedure { .. } | InsKind::Forall { .. } | InsKind::If { .. } | InsKind::Match { .. } => {
                self.compound(kind);
                self.text("end");
            }
        }
    }

    /// Instructions with blocks, up to the final `end`.
    fn compound(&mut self, kind: &InsKind) {
        match kind {
            InsKind::Procedure { name, params, body, recursive } => {
                self.text(if *recursive { "procedure rec " } else { "procedure " });
                self.text(name);
                self.params(params);
                self.text(" =");
                self.block(body);
            }
            InsKind::Forall { var, set, body } => {
                self.text("forall ");
                self.text(var);
                self.text(" in ");
                self.exp(set, UNION);
                self.text(" do");
                self.block(body);
            }
            InsKind::If { cond, then, els } => {
                self.text("if ");
                self.cond(cond);
                self.block(then);
                if !els.is_empty() {
                    self.text("else");
                    self.block(els);
                }
            }
            InsKind::Match { subject, clauses, default } => {
                self.text("match ");
                self.exp(subject, UNION);
                self.text(" with ");
                for (tag, body) in clauses {
                    self.text("|| ");
                    self.tag(tag);
                    self.text(" ->");
                    self.block(body);
                }
                if let Some(body) = default {
                    self.text("|| _ ->");
                    self.block(body);
                }
            }
            _ => {}
        }
    }

    fn check(&mut self, check: &Check) {
        self.text(if check.negated { "~" } else { "" });
        self.text(match check.kind {
            CheckKind::Acyclic => "acyclic ",
            CheckKind::Irreflexive => "irreflexive ",
            CheckKind::Empty => "empty ",
        });
        self.exp(&check.exp, ANY);
        self.as_name(check.name.as_ref());
    }

    fn as_name(&mut self, name: Option<&Name>) {
        if let Some(name) = name {
            self.text(" as ");
            self.text(name);
        }
    }

    fn tag(&mut self, tag: &Name) {
        self.text("'");
        self.text(tag);
    }

    fn bindings(&mut self, open: &str, bindings: &[Binding]) {
        self.text(open);
        self.list(bindings, " and ", |printer, binding| {
            match &binding.pattern {
                Pattern::Var(name) => printer.formal(name),
                Pattern::Tuple(_) => printer.params(&binding.pattern),
            }
            if let Some(params) = &binding.params {
                printer.params(params);
            }
            printer.text(" = ");
            printer.exp(&binding.body, ANY);
        });
    }

    fn formal(&mut self, name: &Option<Name>) {
        self.text(name.as_ref().map_or("_", |name| name.as_str()));
    }

    fn params(&mut self, params: &Pattern) {
        self.text("(");
        match params {
            Pattern::Var(name) => self.formal(name),
            Pattern::Tuple(names) => self.list(names, ", ", Self::formal),
        }
        self.text(")");
    }

    /// An argument, always in parentheses.
    fn argument(&mut self, argument: &Exp) {
        self.text("(");
        match &argument.kind {
            ExpKind::Tuple(parts) => self.exps(parts),
            _ => self.exp(argument, ANY),
        }
        self.text(")");
    }

    fn exps(&mut self, exps: &[Exp]) {
        self.list(exps, ", ", |printer, exp| printer.exp(exp, UNION));
    }

    fn exp(&mut self, exp: &Exp, needed: Level) {
        let level = level(exp);
        let needed = match self.parens {
            Parens::All if (UNION..8).contains(&level) && needed > UNION => SIMPLE,
            _ => needed,
        };
        if level < needed {
            self.text("(");
            self.inner(&exp.kind);
            self.text(")");
        } else {
            self.inner(&exp.kind);
        }
    }

    fn inner(&mut self, kind: &ExpKind) {
        match kind {
            ExpKind::Var(name) => self.text(name),
            ExpKind::Tag(tag) => self.tag(tag),
            ExpKind::EmptyRelation => self.text("0"),
            ExpKind::Universe => self.text("_"),
            ExpKind::ExplicitSet(elements) => {
                self.text("{");
                self.exps(elements);
                self.text("}");
            }
            ExpKind::Tuple(parts) if parts.is_empty() => self.text("()"),
            ExpKind::Tuple(parts) => self.exps(parts),
            ExpKind::Un(op, exp) => self.unary(*op, exp),
            ExpKind::Nary(op, operands) => {
                let (sign, _, first, rest) = nary(*op);
                let mut needed = first;
                self.list(operands, sign, |printer, operand| {
                    printer.exp(operand, needed);
                    needed = rest;
                });
            }
            ExpKind::App(function, argument) => {
                self.exp(function, 8);
                self.argument(argument);
            }
            ExpKind::Fun(params, body) => {
                self.text("fun ");
                self.params(params);
                self.text(" -> ");
                self.exp(body, ANY);
            }
            ExpKind::Let(bindings, body) => self.let_in("let ", bindings, body),
            ExpKind::LetRec(bindings, body) => self.let_in("let rec ", bindings, body),
            ExpKind::Try(attempt, instead) => {
                self.text("try ");
                self.exp(attempt, UNION);
                self.text(" with ");
                self.exp(instead, ANY);
            }
            ExpKind::If(cond, then, els) => {
                self.text("if ");
                self.cond(cond);
                self.text(" then ");
                self.exp(then, UNION);
                self.text(" else ");
                self.exp(els, ANY);
            }
            ExpKind::MatchTag { subject, clauses, default } => {
                self.text("match ");
                self.exp(subject, UNION);
                self.text(" with");
                for (tag, body) in clauses {
                    self.text(" || ");
                    self.tag(tag);
                    self.text(" -> ");
                    self.exp(body, UNION);
                }
                if let Some(body) = default {
                    self.text(" || _ -> ");
                    self.exp(body, UNION);
                }
                self.text(" end");
            }
            ExpKind::MatchSet { subject, empty, split, nonempty } => {
                self.text("match ");
                self.exp(subject, UNION);
                self.text(" with || {} -> ");
                self.exp(empty, UNION);
                self.text(" || ");
                if let Some(before) = &split.before {
                    self.text(before);
                    self.text(" | ");
                }
                self.text(&split.element);
                self.text(" ++ ");
                self.text(&split.after);
                self.text(" -> ");
                self.exp(nonempty, UNION);
                self.text(" end");
            }
        }
    }

    fn unary(&mut self, op: Unary, exp: &Exp) {
        match op {
            Unary::ToId => {
                self.text("[");
                self.exp(exp, ANY);
                self.text("]");
            }
            Unary::Complement => {
                self.text("~");
                self.exp(exp, INVERSE);
            }
            Unary::Plus | Unary::Star | Unary::Opt | Unary::Inverse => {
                self.exp(exp, INVERSE);
                self.text(match op {
                    Unary::Plus => "+",
                    Unary::Star => "*",
                    Unary::Opt => "?",
                    _ => "^-1",
                });
            }
        }
    }

    fn let_in(&mut self, open: &str, bindings: &[Binding], body: &Exp) {
        self.bindings(open, bindings);
        self.text(" in ");
        self.exp(body, ANY);
    }

    fn cond(&mut self, cond: &Cond) {
        let (left, sign, right) = match cond {
            Cond::Variant(variant) => return self.variant(variant, 0),
            Cond::Eq(left, right) => (left, " = ", right),
            Cond::Subset(left, right) => (left, " subset ", right),
            Cond::In(left, right) => (left, " in ", right),
        };
        self.exp(left, UNION);
        self.text(sign);
        self.exp(right, UNION);
    }

    fn variant(&mut self, variant: &VariantCond, needed: Level) {
        let (level, sign, left, right) = match variant {
            VariantCond::Is(name) => {
                self.text("\"");
                self.text(name);
                return self.text("\"");
            }
            VariantCond::Not(inner) => {
                self.text("not ");
                return self.variant(inner, 2);
            }
            VariantCond::And(left, right) => (1, " && ", left, right),
            VariantCond::Or(left, right) => (0, " || ", left, right),
        };
        self.text(if level < needed { "(" } else { "" });
        self.variant(left, level);
        self.text(sign);
        self.variant(right, level + 1);
        self.text(if level < needed { ")" } else { "" });
    }
}
