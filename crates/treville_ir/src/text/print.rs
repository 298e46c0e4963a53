//! Programs to text.

use super::{BINARY, HANDLES, STORAGES, WAITS, YIELDING, is_word, word_of};
use crate::{
    Again, Callee, Expr, Func, Inst, LockOp, Mark, Object, Op, Program, Reg, StatusDependency, TagId, Terminator, Type,
};
use std::collections::BTreeMap;
use std::fmt::Write;
use treville_base::{Idx, Name};
use treville_term::{Bv, Cast, UnOp};

/// The text form of a program.
pub fn print(program: &Program) -> String {
    let mut out = format!("program {}\n{}\n", quote(&program.name), dialect(program));
    if !program.tags.is_empty() {
        let _ = writeln!(out, "tags [{}]", words(program.tags.iter()));
    }
    let objects = references(program.objects.iter().map(|o| &o.name));
    let funcs = references(program.funcs.iter().map(|f| &f.name));
    let mut p = Printer { program, objects, funcs, regs: Vec::new() };
    for object in &program.objects {
        let _ = writeln!(out, "{}", p.object(object));
    }
    for func in &program.funcs {
        p.regs = references(func.regs.iter().map(|r| &r.name));
        p.func(func, &mut out);
    }
    for root in &program.roots {
        let regs = program.funcs.get(root.func).map(|f| references(f.regs.iter().map(|r| &r.name)));
        p.regs = regs.unwrap_or_default();
        let init: Vec<String> = root.init.iter().map(|(r, e)| format!("{} {}", p.reg(*r), p.expr(e))).collect();
        let scopes: Vec<String> = root.scopes.iter().map(|(scope, n)| format!("{} {n}", word(scope))).collect();
        let scopes = if scopes.is_empty() { String::new() } else { format!(" scopes [{}]", scopes.join(" ")) };
        let what = if root.ends_process { "process" } else { "thread" };
        let _ = writeln!(out, "{what} {} {} [{}]{scopes}", word(&root.name), p.func_ref(root.func), init.join(" "));
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

/// How each thing of a kind is referred to: by its name if that is a word that nothing else of the kind has, else by its
/// number.
fn references<'a>(names: impl Iterator<Item = &'a Name> + Clone) -> Vec<String> {
    let mut count: BTreeMap<&Name, u32> = BTreeMap::new();
    names.clone().for_each(|n| *count.entry(n).or_default() += 1);
    let plain = |n: &Name| is_word(n) && *n != "_" && !YIELDING.contains(&n.as_str()) && count.get(n) == Some(&1);
    names.enumerate().map(|(i, n)| if plain(n) { n.to_string() } else { format!("#{i}") }).collect()
}

fn refer(table: &[String], id: impl Idx) -> String {
    table.get(id.index()).cloned().unwrap_or_else(|| format!("#{}", id.index()))
}

fn constant(v: Bv) -> String {
    let bits = v.unsigned();
    if bits < 1 << 16 { format!("{bits}:{}", v.width()) } else { format!("{bits:#x}:{}", v.width()) }
}

struct Printer<'a> {
    program: &'a Program,
    objects: Vec<String>,
    funcs: Vec<String>,
    /// Those of the current function.
    regs: Vec<String>,
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
        let unwritten = if o.uninitialized { " uninitialized" } else { "" };
        let cells: Vec<String> =
            o.init.iter().map(|c| format!("{} {} {}", c.offset, c.size, self.expr(&c.value))).collect();
        let (name, cells) = (word(&o.name), cells.join("  "));
        format!("object {name} at {:#x} size {} type {ty}{array}{local}{unwritten} init [{cells}]", o.address, o.size)
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
        refer(&self.regs, r)
    }

    fn opt_reg(&self, r: Option<Reg>) -> String {
        r.map_or(String::new(), |r| format!("{} = ", self.reg(r)))
    }

    fn func_ref(&self, f: crate::FuncId) -> String {
        refer(&self.funcs, f)
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
                let object = refer(&self.objects, *o);
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
            Op::Free { addr, retired } => format!("{} {}", if *retired { "retire" } else { "free" }, expr(addr)),
            Op::Copy { to, from, len, tags } => {
                format!("copy {} {} {} {}", expr(to), expr(from), expr(len), self.tags(tags))
            }
            Op::Fill { to, byte, len, tags } => {
                format!("fill {} {} {} {}", expr(to), expr(byte), expr(len), self.tags(tags))
            }
            Op::Fail { failure, message } => format!("fail {} {}", failure.name(), quote(message)),
            Op::Current { dst, number } => {
                format!("{} = current{}", self.reg(*dst), if *number { " number" } else { "" })
            }
            Op::Nondet { dst } => format!("{} = nondet", self.reg(*dst)),
            Op::Handle { dst, op, arg } => {
                format!("{} = handle {} {}", self.reg(*dst), word_of(HANDLES, *op), expr(arg))
            }
            Op::Mark(Mark::SpinStart) => "mark spin_start".to_owned(),
            Op::Mark(Mark::SpinEnd) => "mark spin_end".to_owned(),
            Op::Mark(Mark::Cut) => "mark cut".to_owned(),
            Op::Mark(Mark::LooksAgain(Again::Waits)) => "mark still_waits".to_owned(),
            Op::Mark(Mark::LooksAgain(Again::GoesOn)) => "mark goes_on".to_owned(),
            Op::Mark(Mark::LooksAgain(Again::Unclear)) => "mark may_wait".to_owned(),
            Op::Mark(Mark::Gives) => "mark gives".to_owned(),
            Op::Mark(Mark::Step) => "mark step".to_owned(),
            Op::Mark(Mark::Assembly(dialects)) => format!("mark assembly {}", quote(dialects)),
            Op::Mark(Mark::At(None)) => "mark nowhere".to_owned(),
            Op::Mark(Mark::At(Some(label))) => format!("mark at {}", quote(label)),
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
            Terminator::ExitProcess => "exit_process".to_owned(),
            Terminator::Exit(value) => format!("exit {}", self.expr(value)),
            Terminator::Return(None) => "return _".to_owned(),
            Terminator::Return(Some(e)) => format!("return {}", self.expr(e)),
        }
    }
}
