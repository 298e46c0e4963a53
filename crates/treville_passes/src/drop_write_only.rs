//! Drops write-only objects: atomic objects that are written and perhaps read, but whose values nothing depends on.
//!
//! Accesses to such an object can only order other accesses, and the axioms of a monotone model only forbid: what is allowed with
//! these accesses is allowed without them. So the smaller program has all behaviours of the program, perhaps more, and what holds of it
//! holds of the program. A loop that writes nothing else becomes a loop that only waits.

use crate::cfg::Cfg;
use crate::ops;
use std::collections::BTreeSet;
use treville_ir::{Expr, Func, MemoryOrder, ObjectId, Op, Program, Reg, TagId};

/// What an atomic access may be, beside where it is. Others (hazard pointers) mean something by themselves.
fn is_order(tag: &str) -> bool {
    tag == "A" || MemoryOrder::of_tag(tag).is_some()
}

/// The program without the objects that it never looks at; none if no loop writes one.
pub fn drop_write_only(program: &Program) -> Option<Program> {
    let mut smaller = program.clone();
    let mut loops = false;
    loop {
        let objects = unobserved(&smaller);
        let accesses = |op: &Op| access(op).is_some_and(|access| objects.contains(&access.object));
        loops |= smaller.funcs.iter().any(|func| writes_in_loop(func, &accesses));
        let mut found = false;
        for block in smaller.funcs.iter_mut().flat_map(|func| func.blocks.iter_mut()) {
            let before = block.insts.len();
            block.insts.retain(|inst| !accesses(&inst.op));
            found |= block.insts.len() != before;
        }
        // What was read only to be written there is not looked at any more, either.
        if !found {
            return loops.then_some(smaller);
        }
    }
}

fn writes_in_loop(func: &Func, accesses: &impl Fn(&Op) -> bool) -> bool {
    let loops = Cfg::new(func).loops();
    let mut insts = loops.values().flatten().flat_map(|block| &func.blocks[*block].insts);
    insts.any(|inst| !matches!(inst.op, Op::Load { .. }) && accesses(&inst.op))
}

/// An access at a place that is known.
struct Access<'a> {
    object: ObjectId,
    offset: i64,
    size: u8,
    /// None if it is atomic anyway.
    tags: Option<&'a [TagId]>,
    /// Where it puts what it has read.
    dst: Option<Reg>,
}

impl Access<'_> {
    /// Whether it is atomic, and within its object.
    fn is_simple(&self, program: &Program) -> bool {
        let names = |tags: &'_ [TagId]| tags.iter().map(|tag| program.tags[*tag].as_str()).collect::<Vec<_>>();
        let atomic =
            self.tags.map(names).is_none_or(|names| names.contains(&"A") && names.iter().all(|name| is_order(name)));
        let end = u64::try_from(self.offset).map(|offset| offset.saturating_add(u64::from(self.size)));
        atomic && end.is_ok_and(|end| end <= program.objects[self.object].size)
    }
}

fn access(op: &Op) -> Option<Access<'_>> {
    let (addr, size, tags, dst) = match op {
        Op::Load { addr, dst, size, tags } => (addr, *size, Some(&tags[..]), Some(*dst)),
        Op::Store { addr, size, tags, .. } => (addr, *size, Some(&tags[..]), None),
        Op::Update { addr, old, size, .. } => (addr, *size, None, Some(*old)),
        _ => return None,
    };
    let Expr::Addr(object, offset) = addr else { return None };
    Some(Access { object: *object, offset: *offset, size, tags, dst })
}

/// Objects with atomic accesses at known places only, of which nobody uses what was read.
fn unobserved(program: &Program) -> BTreeSet<ObjectId> {
    accessed_simply(program, used)
}

/// Objects with atomic accesses at known places only: no access to them can race, or be outside of all objects.
pub fn atomic_objects(program: &Program) -> BTreeSet<ObjectId> {
    accessed_simply(program, |_| BTreeSet::new())
}

/// Objects with atomic accesses at known places only, none of which reads into a register that is used.
fn accessed_simply(program: &Program, used: impl Fn(&Func) -> BTreeSet<Reg>) -> BTreeSet<ObjectId> {
    let candidate = |id: &ObjectId| !program.objects[*id].uninitialized && !program.objects[*id].thread_local;
    let mut objects: BTreeSet<ObjectId> = program.objects.ids().filter(candidate).collect();
    let initial = program.objects.iter().flat_map(|object| object.init.iter().map(|cell| &cell.value));
    let given = program.roots.iter().flat_map(|root| root.init.iter().map(|(_, value)| value));
    initial.chain(given).for_each(|expr| keep(expr, &mut objects));
    program.funcs.iter().for_each(|func| keep_observed(program, func, &used(func), &mut objects));
    objects
}

fn keep_observed(program: &Program, func: &Func, used: &BTreeSet<Reg>, objects: &mut BTreeSet<ObjectId>) {
    for block in &func.blocks {
        for inst in &block.insts {
            let access = access(&inst.op);
            // The address is the first of its expressions.
            ops::exprs(&inst.op).into_iter().skip(access.iter().count()).for_each(|expr| keep(expr, objects));
            if let Some(access) = access {
                let is_used = access.dst.is_some_and(|dst| used.contains(&dst));
                if is_used || !access.is_simple(program) {
                    objects.remove(&access.object);
                }
            }
        }
        ops::end_expr(&block.end).into_iter().for_each(|expr| keep(expr, objects));
    }
}

/// Registers that something else than the operation which assigns them looks at.
fn used(func: &Func) -> BTreeSet<Reg> {
    let mut used = BTreeSet::new();
    let mut uses = |reg| {
        used.insert(reg);
    };
    for block in &func.blocks {
        block.insts.iter().for_each(|inst| ops::visit_uses(&inst.op, &mut uses));
        ops::end_expr(&block.end).into_iter().for_each(|expr| expr.visit_regs(&mut uses));
    }
    used
}

/// An object whose address is taken may be looked at.
fn keep(expr: &Expr, objects: &mut BTreeSet<ObjectId>) {
    match expr {
        Expr::Addr(object, _) => {
            objects.remove(object);
        }
        Expr::Const(_) | Expr::Reg(_) => {}
        Expr::Un(_, a) | Expr::Cast(_, _, a) => keep(a, objects),
        Expr::Bin(_, a, b) => [a, b].into_iter().for_each(|e| keep(e, objects)),
        Expr::Ite(c, a, b) => [c, a, b].into_iter().for_each(|e| keep(e, objects)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use treville_base::FileId;

    /// A thread that counts while it waits, and does `more` when it is done.
    fn waiting(counts: &str, more: &str) -> Program {
        let text = format!(
            r#"
program "waits"
dialect C rc11
tags [A RLX NA]
object go size 4 type i32
object count size 4 type i32
object copy size 4 type i32
object pointer size 8 type u64
func main () regs [r:32 c:32] {{
b0:
  r = load &go 4 [A RLX]
  branch (eq r 0:32) b1 b2
b1:
  {counts}
  goto b0
b2:
  {more}
  return _
}}
thread main main []
"#
        );
        treville_ir::text::parse(FileId(0), &text).unwrap_or_else(|e| panic!("{e:?}"))
    }

    fn accesses(program: &Program) -> usize {
        let insts = program.funcs.iter().flat_map(|func| &func.blocks).flat_map(|block| &block.insts);
        insts.filter(|inst| matches!(inst.op, Op::Load { .. } | Op::Store { .. } | Op::Update { .. })).count()
    }

    #[test]
    fn what_is_counted_for_nobody_is_forgotten() {
        let counts = "c = load &count 4 [A RLX]\n  store &count 1:32 4 [A RLX]\n  store &copy c 4 [A RLX]";
        // What was read is only copied to where nobody reads.
        assert_eq!(drop_write_only(&waiting(counts, "")).map(|p| accesses(&p)), Some(1));
    }

    #[test]
    fn what_somebody_may_look_at_is_kept() {
        let store = "store &count 1:32 4 [A RLX]";
        assert!(drop_write_only(&waiting(store, "c = load &count 4 [A RLX]")).is_some());
        for looks in [
            "c = load &count 4 [A RLX]\n  fail assertion \"late\"\n  r = c\n  return (zext 64 r)\nb3:",
            "store &pointer &count 8 [A RLX]\n  c = load &pointer 4 [NA]",
            "c = load &count 4 [NA]",
            "c = load (addr count 2) 4 [A RLX]",
        ] {
            assert_eq!(drop_write_only(&waiting(store, looks)), None, "{looks}");
        }
        // No loop writes it.
        assert_eq!(drop_write_only(&waiting("", store)), None);
    }
}
