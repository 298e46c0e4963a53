//! Programs to text.

use super::{BINARY, STORAGES, WAITS, YIELDING, is_word, word_of};
use crate::{
    Callee, Expr, Func, Inst, LockOp, Mark, Object, Op, Program, Reg, StatusDependency, TagId, Terminator, Type,
};
use std::fmt::Write;
use treville_base::{Idx, IndexVec, Name};
use treville_term::{Bv, Cast, UnOp};

/// The text form of a program.
pub fn print(program: &Program) -> String {
    let mut out = format!("program {}\n{}\n", quote(&program.name), dialect(program));
    if !program.tags.is_empty() {
        let _ = writeln!(out, "tags [{}]", words(program.tags.iter()));
    }
    let p = Printer { program, func: None };
    for object in &program.objects {
        let _ = writeln!(out, "{}", p.object(object));
    }
    for func in &program.funcs {
        Printer { program, func: Some(func) }.func(func, &mut out);
    }
    for root in &program.roots {
        let p = Printer { program, func: program.funcs.get(root.func) };
        let init: Vec<String> = root.init.iter().map(|(r, e)| format!("{} {}", p.reg(*r), p.expr(e))).collect();
        let scopes: Vec<String> = root.scopes.iter().map(|(scope, n)| format!("{} {n}", word(scope))).collect();
        let scopes = if scopes.is_empty() { String::new() } else { format!(" scopes [{}]", scopes.join(" ")) };
        let _ = writeln!(out, "thread {} {} [{}]{scopes}", word(&root.name), p.func_ref(root.func), init.join(" "));
    }
    out
}

fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

fn word(name: &str) -> String {
    if is_word(name) { name.to_owned() } else { quote(name) }
}

fn words<'a>(names: impl Iterator<Item = &'a Name>) -> String {
    names.map(|n| word(n)).collect::<Vec<_>>().join(" ")
}

fn dialect(program: &Program) -> String {
    let d = &program.dialect;
    let mut out = format!("dialect {} {}", word(&d.name), word(&d.default_model));
    let flags = [
        (d.fused_updates, " fused"),
        (d.po_inside, " po_inside"),
        (d.branch_events, " branch_events"),
        (d.conditional_store_data, " conditional_store_data"),
        (d.loose_compare, " loose_compare"),
        (d.status == StatusDependency::Operands, " status_operands"),
        (d.status == StatusDependency::Store, " status_store"),
    ];
    flags.iter().filter(|(set, _)| *set).for_each(|(_, flag)| out.push_str(flag));
    if let Some(tag) = &d.exclusive {
        let _ = write!(out, " exclusive {}", word(tag));
    }
    let _ = write!(out, " sets [{}]", words(d.sets.iter()));
    out
}

/// A name if it is a word that nothing else of the kind has, else the number.
fn reference<I: Idx, T>(all: &IndexVec<I, T>, id: I, name: impl Fn(&T) -> &Name) -> String {
    let unique = |n: &Name| all.iter().filter(|other| name(other) == n).count() == 1;
    match all.get(id).map(&name) {
        Some(n) if is_word(n) && *n != "_" && !YIELDING.contains(&n.as_str()) && unique(n) => n.to_string(),
        _ => format!("#{}", id.index()),
    }
}

fn constant(v: Bv) -> String {
    let bits = v.unsigned();
    if bits < 1 << 16 { format!("{bits}:{}", v.width()) } else { format!("{bits:#x}:{}", v.width()) }
}

struct Printer<'a> {
    program: &'a Program,
    func: Option<&'a Func>,
}

impl Printer<'_> {
    fn object(&self, o: &Object) -> String {
        let ty = match o.ty {
            Type::Int { bytes, signed } => format!("{}{}", if signed { 'i' } else { 'u' }, 8 * u32::from(bytes)),
            Type::Pointer => "pointer".to_owned(),
            Type::Untyped => "untyped".to_owned(),
        };
        let array = if o.array { " array" } else { "" };
        let local = if o.thread_local { " thread_local" } else { "" };
        let cells: Vec<String> =
            o.init.iter().map(|c| format!("{} {} {}", c.offset, c.size, self.expr(&c.value))).collect();
        let (name, cells) = (word(&o.name), cells.join("  "));
        format!("object {name} at {:#x} size {} type {ty}{array}{local} init [{cells}]", o.address, o.size)
    }

    fn func(&self, func: &Func, out: &mut String) {
        let params: Vec<String> = func.params.iter().map(|r| self.reg(*r)).collect();
        let regs: Vec<String> = func.regs.iter().map(|r| format!("{}:{}", word(&r.name), r.width)).collect();
        let _ = writeln!(out, "func {} ({}) regs [{}] {{", word(&func.name), params.join(" "), regs.join(" "));
        for (id, block) in func.blocks.iter_enumerated() {
            let _ = writeln!(out, "{id:?}:");
            for inst in &block.insts {
                let _ = writeln!(out, "  {}", self.inst(inst));
            }
            let _ = writeln!(out, "  {}", self.end(&block.end));
        }
        out.push_str("}\n");
    }

    fn reg(&self, r: Reg) -> String {
        self.func.map_or_else(|| format!("#{}", r.0), |f| reference(&f.regs, r, |i| &i.name))
    }

    fn opt_reg(&self, r: Option<Reg>) -> String {
        r.map_or(String::new(), |r| format!("{} = ", self.reg(r)))
    }

    fn func_ref(&self, f: crate::FuncId) -> String {
        reference(&self.program.funcs, f, |f| &f.name)
    }

    fn tags(&self, tags: &[TagId]) -> String {
        let names = tags.iter().filter_map(|t| self.program.tags.get(*t));
        format!("[{}]", words(names))
    }

    fn expr(&self, e: &Expr) -> String {
        match e {
            Expr::Const(v) => constant(*v),
            Expr::Reg(r) => self.reg(*r),
            Expr::Addr(o, offset) => {
                let object = reference(&self.program.objects, *o, |o| &o.name);
                if *offset == 0 { format!("&{object}") } else { format!("(addr {object} {offset})") }
            }
            Expr::Un(op, a) => {
                format!("({} {})", if *op == UnOp::Not { "not" } else { "neg" }, self.expr(a))
            }
            Expr::Bin(op, a, b) => format!("({} {} {})", word_of(BINARY, *op), self.expr(a), self.expr(b)),
            Expr::Cast(kind, width, a) => {
                format!("({} {width} {})", if *kind == Cast::Zero { "zext" } else { "sext" }, self.expr(a))
            }
            Expr::Ite(c, a, b) => format!("(ite {} {} {})", self.expr(c), self.expr(a), self.expr(b)),
        }
    }

    fn exprs(&self, all: &[Expr]) -> String {
        all.iter().map(|e| self.expr(e)).collect::<Vec<_>>().join(" ")
    }

    fn callee(&self, callee: &Callee, args: &[Expr]) -> String {
        match callee {
            Callee::Func(f) => format!("{} ({})", self.func_ref(*f), self.exprs(args)),
            Callee::Pointer(e) => format!("* {} ({})", self.expr(e), self.exprs(args)),
        }
    }

    fn inst(&self, inst: &Inst) -> String {
        let mark = if inst.sequenced { "" } else { "'" };
        format!("@{}{mark} {}", inst.instr.0, self.op(&inst.op))
    }

    fn op(&self, op: &Op) -> String {
        let expr = |e: &Expr| self.expr(e);
        match op {
            Op::Assign { dst, value } => format!("{} = {}", self.reg(*dst), expr(value)),
            Op::Load { dst, addr, size, tags } => {
                format!("{} = load {} {size} {}", self.reg(*dst), expr(addr), self.tags(tags))
            }
            Op::Store { addr, value, size, tags } => {
                format!("store {} {} {size} {}", expr(addr), expr(value), self.tags(tags))
            }
            Op::Update { old, addr, size, guard, new, tags } => {
                let guard = guard.as_ref().map_or(String::new(), |g| format!(" if {}", expr(g)));
                let fences = tags.fences.as_ref().map_or(String::new(), |f| format!(" fences {}", self.tags(f)));
                let tags = [&tags.read, &tags.write, &tags.fused, &tags.fail].map(|t| self.tags(t)).join(" ");
                format!("{} = update {} {size} {}{guard} {tags}{fences}", self.reg(*old), expr(addr), expr(new))
            }
            Op::StoreConditional { status, addr, value, size, tags } => {
                let (addr, value, tags) = (expr(addr), expr(value), self.tags(tags));
                format!("{} = store_conditional {addr} {value} {size} {tags}", self.reg(*status))
            }
            Op::Fence { tags } => format!("fence {}", self.tags(tags)),
            Op::Lock { op, addr, size } => {
                let (dst, name) = match op {
                    LockOp::Acquire => (None, "acquire"),
                    LockOp::Release => (None, "release"),
                    LockOp::Try { dst } => (Some(*dst), "try"),
                    LockOp::IsHeld { dst } => (Some(*dst), "is_held"),
                };
                format!("{}lock {name} {} {size}", self.opt_reg(dst), expr(addr))
            }
            Op::Opaque { addr, value, dst, tags } => {
                let part = |e: &Option<Expr>| e.as_ref().map_or("_".to_owned(), expr);
                format!("{}opaque {} {} {}", self.opt_reg(*dst), part(addr), part(value), self.tags(tags))
            }
            Op::Wait { cond, kind } => format!("wait {} {}", word_of(WAITS, *kind), expr(cond)),
            Op::Call { dst, callee, args } => format!("{}call {}", self.opt_reg(*dst), self.callee(callee, args)),
            Op::Spawn { dst, callee, args } => format!("{} = spawn {}", self.reg(*dst), self.callee(callee, args)),
            Op::Join { dst, thread } => format!("{}join {}", self.opt_reg(*dst), expr(thread)),
            Op::Alloc { dst, size, storage, zeroed } => {
                let zeroed = if *zeroed { " zeroed" } else { "" };
                format!("{} = alloc {} {}{zeroed}", self.reg(*dst), word_of(STORAGES, *storage), expr(size))
            }
            Op::Free { addr } => format!("free {}", expr(addr)),
            Op::Copy { to, from, len, tags } => {
                format!("copy {} {} {} {}", expr(to), expr(from), expr(len), self.tags(tags))
            }
            Op::Fill { to, byte, len, tags } => {
                format!("fill {} {} {} {}", expr(to), expr(byte), expr(len), self.tags(tags))
            }
            Op::Fail { failure, message } => format!("fail {} {}", failure.name(), quote(message)),
            Op::Current { dst } => format!("{} = current", self.reg(*dst)),
            Op::Nondet { dst } => format!("{} = nondet", self.reg(*dst)),
            Op::Mark(Mark::SpinStart) => "mark spin_start".to_owned(),
            Op::Mark(Mark::SpinEnd) => "mark spin_end".to_owned(),
            Op::Mark(Mark::LoopBound(n)) => format!("mark loop_bound {n}"),
        }
    }

    fn end(&self, end: &Terminator) -> String {
        match end {
            Terminator::Goto(b) => format!("goto {b:?}"),
            Terminator::Branch { cond, then, els, join, instr, span: _ } => {
                let join = join.map_or(String::new(), |b| format!(" join {b:?}"));
                format!("@{} branch {} {then:?} {els:?}{join}", instr.0, self.expr(cond))
            }
            Terminator::End => "end".to_owned(),
            Terminator::Exit(value) => format!("exit {}", self.expr(value)),
            Terminator::Return(None) => "return _".to_owned(),
            Terminator::Return(Some(e)) => format!("return {}", self.expr(e)),
        }
    }
}
