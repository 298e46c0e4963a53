//! Machine tests against files: `test_data/ok` holds programs in a compact form beside their tests, `test_data/err/machine`
//! the messages for broken ones. Set `TREVILLE_BLESS=1` to rewrite the expectations, then read the difference.
//!
//! In the compact form `X1 := R4[A] X0` is a load of 4 bytes, `W4[] x 1` a store, `%n` a register that the source does not
//! show; after `else` stand the tags of an update that does not write; a `'` marks an operation that nothing orders after the earlier ones of its instruction.

use crate::of_files;
use std::fmt::Write;
use std::path::Path;
use treville_base::{Diagnostic, Idx, SourceMap};
use treville_ir::{Expr, Formula, Func, Op, Operand, Place, Program, Question, Reg, Tags, Terminator};
use treville_litmus::{Litmus, Options, parse};
use treville_term::{BinOp, Cast, UnOp};
use treville_trials::Trial;

pub(crate) fn trials() -> Vec<Trial> {
    let programs = of_files("ok", "programs_are_as_expected", |path| match read(path) {
        (_, Ok(litmus)) => Show { program: &litmus.program }.litmus(&litmus),
        (sources, Err(errors)) => messages(&sources, &errors),
    });
    let broken = of_files("err/machine", "broken_tests_get_their_messages", |path| match read(path) {
        (_, Ok(_)) => "no message\n".to_owned(),
        (sources, Err(errors)) => messages(&sources, &errors),
    });
    [programs, broken].into_iter().flatten().collect()
}

fn read(path: &Path) -> (SourceMap, Result<Litmus, Vec<Diagnostic>>) {
    let text = std::fs::read_to_string(path).unwrap();
    let mut sources = SourceMap::new();
    let file = sources.add("input", text.as_str());
    (sources, parse(file, &text, &Options::default()))
}

fn messages(sources: &SourceMap, errors: &[Diagnostic]) -> String {
    let mut out = String::new();
    for error in errors {
        let place = error.span.map_or("nowhere".to_owned(), |span| {
            let at = sources.start(span);
            format!("{}:{}", at.line, at.column)
        });
        let _ = writeln!(out, "{place}: {}", error.message);
        for label in &error.labels {
            let at = sources.start(label.span);
            let _ = writeln!(out, "  {}:{}: {}", at.line, at.column, label.message);
        }
        if let Some(help) = &error.help {
            let _ = writeln!(out, "  help: {help}");
        }
    }
    out
}

struct Show<'p> {
    program: &'p Program,
}

impl Show<'_> {
    fn litmus(&self, litmus: &Litmus) -> String {
        let mut out = String::new();
        for object in &self.program.objects {
            let cells: Vec<String> = object
                .init
                .iter()
                .map(|c| format!("{}:{}", 8 * u32::from(c.size), self.expr(None, &c.value)))
                .collect();
            let array = if object.array { "[]" } else { "" };
            let _ = writeln!(out, "{}{array} = {{{}}} {:?}", object.name, cells.join(", "), object.ty);
        }
        for root in &self.program.roots {
            let func = &self.program.funcs[root.func];
            let init: Vec<String> =
                root.init.iter().map(|(r, e)| format!("{}={}", reg(func, *r), self.expr(Some(func), e))).collect();
            let _ = writeln!(out, "{} {}", root.name, init.join(" "));
            self.func(func, &mut out);
        }
        if let Some(question) = &litmus.question {
            self.question(question, &mut out);
        }
        out
    }

    fn func(&self, func: &Func, out: &mut String) {
        for (id, block) in func.blocks.iter_enumerated() {
            let _ = writeln!(out, " {id:?}:");
            for inst in &block.insts {
                let mark = if inst.sequenced { "" } else { "'" };
                let _ = writeln!(out, "  {}{mark} {}", inst.instr.index(), self.op(func, &inst.op));
            }
            let _ = match &block.end {
                Terminator::Goto(b) => writeln!(out, "  goto {b:?}"),
                Terminator::Branch { cond, then, els, join, .. } => {
                    let join = join.map_or(String::new(), |j| format!(" until {j:?}"));
                    writeln!(out, "  if {} {then:?} else {els:?}{join}", self.expr(Some(func), cond))
                }
                Terminator::End | Terminator::Exit(_) | Terminator::Return(_) | Terminator::ExitProcess => {
                    writeln!(out, "  end")
                }
            };
        }
    }

    fn op(&self, func: &Func, op: &Op) -> String {
        let e = |e: &Expr| self.expr(Some(func), e);
        match op {
            Op::Assign { dst, value } => format!("{} := {}", reg(func, *dst), e(value)),
            Op::Load { dst, addr, size, tags } => {
                format!("{} := R{size}{} {}", reg(func, *dst), self.tags(tags), e(addr))
            }
            Op::Store { addr, value, size, tags } => format!("W{size}{} {} {}", self.tags(tags), e(addr), e(value)),
            Op::Update { old, addr, size, guard, new, tags } => {
                let written = if self.program.dialect.fused_updates {
                    self.tags(&tags.fused)
                } else {
                    format!("{}{}", self.tags(&tags.read), self.tags(&tags.write))
                };
                let may_fail = |g: &Expr| format!(" if {} else {}", e(g), self.tags(&tags.fail));
                let guard = guard.as_ref().map_or(String::new(), may_fail);
                format!("{} := U{size}{written} {} {}{guard}", reg(func, *old), e(addr), e(new))
            }
            Op::StoreConditional { status, addr, value, size, tags } => {
                format!("{} := SC{size}{} {} {}", reg(func, *status), self.tags(tags), e(addr), e(value))
            }
            Op::Fence { tags } => format!("F{}", self.tags(tags)),
            other => format!("{other:?}"),
        }
    }

    fn tags(&self, tags: &Tags) -> String {
        let mut names: Vec<&str> = tags.iter().map(|t| self.program.tags[*t].as_str()).collect();
        names.sort_unstable();
        format!("[{}]", names.join(" "))
    }

    fn expr(&self, func: Option<&Func>, expr: &Expr) -> String {
        let e = |e: &Expr| self.expr(func, e);
        match expr {
            Expr::Const(v) => v.signed().to_string(),
            Expr::Reg(r) => func.map_or("?".to_owned(), |f| reg(f, *r)),
            Expr::Addr(o, 0) => self.program.objects[*o].name.to_string(),
            Expr::Addr(o, offset) => format!("{}+{offset}", self.program.objects[*o].name),
            Expr::Un(UnOp::Not, a) => format!("~{}", e(a)),
            Expr::Un(UnOp::Neg, a) => format!("-{}", e(a)),
            Expr::Bin(op, a, b) => format!("({} {} {})", e(a), operator(*op), e(b)),
            Expr::Cast(Cast::Zero, width, a) => format!("z{width}({})", e(a)),
            Expr::Cast(Cast::Sign, width, a) => format!("s{width}({})", e(a)),
            Expr::Ite(c, a, b) => format!("({} ? {} : {})", e(c), e(a), e(b)),
        }
    }

    fn question(&self, question: &Question, out: &mut String) {
        let _ = writeln!(out, "{:?} {}", question.quantifier, self.formula(&question.condition));
        if let Some(filter) = &question.filter {
            let _ = writeln!(out, "filter {}", self.formula(filter));
        }
        let shown: Vec<String> = question.observed.iter().map(|o| format!("{} {:?}", o.name, o.ty)).collect();
        let _ = writeln!(out, "shows {}", shown.join("; "));
    }

    fn formula(&self, formula: &Formula) -> String {
        let list = |all: &[Formula], op: &str| {
            format!("({})", all.iter().map(|f| self.formula(f)).collect::<Vec<_>>().join(op))
        };
        match formula {
            Formula::True => "true".to_owned(),
            Formula::False => "false".to_owned(),
            Formula::Not(a) => format!("~{}", self.formula(a)),
            Formula::And(all) => list(all, " & "),
            Formula::Or(any) => list(any, " | "),
            Formula::Implies(a, b) => format!("({} => {})", self.formula(a), self.formula(b)),
            Formula::Atom(atom) => {
                let right = match &atom.right {
                    Operand::Value(v) => match self.program.show_address(v.unsigned() as u64) {
                        Some(name) if v.width() == 64 => format!("&{name}"),
                        _ => format!("{v:?}"),
                    },
                    Operand::Place(place) => self.place(place),
                };
                format!("{} {:?} {right}", self.place(&atom.left), atom.op)
            }
        }
    }

    fn place(&self, place: &Place) -> String {
        match place {
            Place::Reg(thread, r) => {
                let func = &self.program.funcs[self.program.roots[*thread].func];
                format!("{}:{}", thread.index(), reg(func, *r))
            }
            Place::Mem { object, offset, size } => format!("{}+{offset}:{size}", self.program.objects[*object].name),
            Place::Array { object, size, count } => format!("{}[{count}]:{size}", self.program.objects[*object].name),
        }
    }
}

fn reg(func: &Func, reg: Reg) -> String {
    let info = &func.regs[reg];
    if info.is_temporary() { format!("%{}", reg.index()) } else { info.name.to_string() }
}

fn operator(op: BinOp) -> &'static str {
    match op {
        BinOp::Add => "+",
        BinOp::Sub => "-",
        BinOp::Mul => "*",
        BinOp::UDiv => "/u",
        BinOp::SDiv => "/s",
        BinOp::URem => "%u",
        BinOp::SRem => "%s",
        BinOp::And => "&",
        BinOp::Or => "|",
        BinOp::Xor => "^",
        BinOp::Shl => "<<",
        BinOp::LShr => ">>",
        BinOp::AShr => ">>s",
        BinOp::Eq => "==",
        BinOp::Ne => "!=",
        BinOp::ULt => "<u",
        BinOp::ULe => "<=u",
        BinOp::SLt => "<s",
        BinOp::SLe => "<=s",
    }
}
