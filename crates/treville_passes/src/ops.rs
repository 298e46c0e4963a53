//! What operations read, write and contain, in one place for all passes.

use treville_base::IndexVec;
use treville_ir::{BlockId, Callee, Expr, LockOp, Op, Reg, RegInfo, TagId, Terminator};

/// The register that an operation assigns. (A store-conditional, a lock and a call may; nothing assigns two.)
pub(crate) fn def(op: &Op) -> Option<Reg> {
    match op {
        Op::Assign { dst, .. }
        | Op::Load { dst, .. }
        | Op::Update { old: dst, .. }
        | Op::StoreConditional { status: dst, .. }
        | Op::Lock { op: LockOp::Try { dst } | LockOp::IsHeld { dst }, .. }
        | Op::Spawn { dst, .. }
        | Op::Alloc { dst, .. }
        | Op::Current { dst, .. }
        | Op::Handle { dst, .. }
        | Op::Nondet { dst } => Some(*dst),
        Op::Opaque { dst, .. } | Op::Call { dst, .. } | Op::Join { dst, .. } => *dst,
        Op::Store { .. }
        | Op::Fence { .. }
        | Op::Lock { op: LockOp::Acquire | LockOp::Release, .. }
        | Op::Wait { .. }
        | Op::Free { .. }
        | Op::Copy { .. }
        | Op::Fill { .. }
        | Op::Fail { .. }
        | Op::Mark(_) => None,
    }
}

/// The assigned register, to be renamed.
pub(crate) fn def_mut(op: &mut Op) -> Option<&mut Reg> {
    match op {
        Op::Assign { dst, .. }
        | Op::Load { dst, .. }
        | Op::Update { old: dst, .. }
        | Op::StoreConditional { status: dst, .. }
        | Op::Lock { op: LockOp::Try { dst } | LockOp::IsHeld { dst }, .. }
        | Op::Spawn { dst, .. }
        | Op::Alloc { dst, .. }
        | Op::Current { dst, .. }
        | Op::Handle { dst, .. }
        | Op::Nondet { dst } => Some(dst),
        Op::Opaque { dst, .. } | Op::Call { dst, .. } | Op::Join { dst, .. } => dst.as_mut(),
        Op::Store { .. }
        | Op::Fence { .. }
        | Op::Lock { op: LockOp::Acquire | LockOp::Release, .. }
        | Op::Wait { .. }
        | Op::Free { .. }
        | Op::Copy { .. }
        | Op::Fill { .. }
        | Op::Fail { .. }
        | Op::Mark(_) => None,
    }
}

/// The expressions of an operation, left to right. Those of an update that may mention `old` are among them.
pub(crate) fn exprs_mut(op: &mut Op) -> Vec<&mut Expr> {
    match op {
        Op::Assign { value, .. } => vec![value],
        Op::Load { addr, .. } | Op::Lock { addr, .. } | Op::Free { addr, .. } => vec![addr],
        Op::Store { addr, value, .. } | Op::StoreConditional { addr, value, .. } => vec![addr, value],
        Op::Update { addr, guard, new, .. } => std::iter::once(addr).chain(guard).chain([new]).collect(),
        Op::Opaque { addr, value, .. } => addr.iter_mut().chain(value).collect(),
        Op::Wait { cond, .. } => vec![cond],
        Op::Call { callee, args, .. } | Op::Spawn { callee, args, .. } => {
            let pointer = match callee {
                Callee::Pointer(e) => Some(e),
                Callee::Func(_) => None,
            };
            pointer.into_iter().chain(args).collect()
        }
        Op::Join { thread, .. } => vec![thread],
        Op::Handle { arg, .. } => vec![arg],
        Op::Alloc { size, .. } => vec![size],
        Op::Copy { to, from, len, tags: _ } => vec![to, from, len],
        Op::Fill { to, byte, len, tags: _ } => vec![to, byte, len],
        Op::Current { .. } | Op::Fence { .. } | Op::Fail { .. } | Op::Nondet { .. } | Op::Mark(_) => Vec::new(),
    }
}

pub(crate) fn exprs(op: &Op) -> Vec<&Expr> {
    match op {
        Op::Assign { value, .. } => vec![value],
        Op::Load { addr, .. } | Op::Lock { addr, .. } | Op::Free { addr, .. } => vec![addr],
        Op::Store { addr, value, .. } | Op::StoreConditional { addr, value, .. } => vec![addr, value],
        Op::Update { addr, guard, new, .. } => std::iter::once(addr).chain(guard).chain([new]).collect(),
        Op::Opaque { addr, value, .. } => addr.iter().chain(value).collect(),
        Op::Wait { cond, .. } => vec![cond],
        Op::Call { callee, args, .. } | Op::Spawn { callee, args, .. } => {
            let pointer = match callee {
                Callee::Pointer(e) => Some(e),
                Callee::Func(_) => None,
            };
            pointer.into_iter().chain(args).collect()
        }
        Op::Join { thread, .. } => vec![thread],
        Op::Handle { arg, .. } => vec![arg],
        Op::Alloc { size, .. } => vec![size],
        Op::Copy { to, from, len, tags: _ } => vec![to, from, len],
        Op::Fill { to, byte, len, tags: _ } => vec![to, byte, len],
        Op::Current { .. } | Op::Fence { .. } | Op::Fail { .. } | Op::Nondet { .. } | Op::Mark(_) => Vec::new(),
    }
}

/// Calls `visit` for every register that the operation reads before it assigns one: `old` inside an update's own
/// expressions is not among them.
pub(crate) fn visit_uses(op: &Op, visit: &mut impl FnMut(Reg)) {
    if let Op::Update { old, addr, guard, new, .. } = op {
        addr.visit_regs(visit);
        for e in guard.iter().chain([new]) {
            e.visit_regs(&mut |r| {
                if r != *old {
                    visit(r);
                }
            });
        }
        return;
    }
    for e in exprs(op) {
        e.visit_regs(visit);
    }
}

pub(crate) fn end_expr(end: &Terminator) -> Option<&Expr> {
    match end {
        Terminator::Branch { cond, .. } | Terminator::Exit(cond) => Some(cond),
        Terminator::Return(value) => value.as_ref(),
        Terminator::Goto(_) | Terminator::End | Terminator::ExitProcess => None,
    }
}

pub(crate) fn end_expr_mut(end: &mut Terminator) -> Option<&mut Expr> {
    match end {
        Terminator::Branch { cond, .. } | Terminator::Exit(cond) => Some(cond),
        Terminator::Return(value) => value.as_mut(),
        Terminator::Goto(_) | Terminator::End | Terminator::ExitProcess => None,
    }
}

/// The blocks that may come next.
pub(crate) fn successors(end: &Terminator) -> impl Iterator<Item = BlockId> + use<> {
    let (first, second) = match end {
        Terminator::Goto(b) => (Some(*b), None),
        Terminator::Branch { then, els, .. } => (Some(*then), (els != then).then_some(*els)),
        Terminator::End | Terminator::Exit(_) | Terminator::Return(_) | Terminator::ExitProcess => (None, None),
    };
    first.into_iter().chain(second)
}

pub(crate) fn join_of(end: &Terminator) -> Option<BlockId> {
    match end {
        Terminator::Branch { join, .. } => *join,
        Terminator::Goto(_)
        | Terminator::End
        | Terminator::Exit(_)
        | Terminator::Return(_)
        | Terminator::ExitProcess => None,
    }
}

/// Renames every block that a terminator mentions, the join included.
pub(crate) fn rename_blocks(end: &mut Terminator, rename: &impl Fn(BlockId) -> BlockId) {
    match end {
        Terminator::Goto(b) => *b = rename(*b),
        Terminator::Branch { then, els, join, .. } => {
            (*then, *els) = (rename(*then), rename(*els));
            *join = join.map(rename);
        }
        Terminator::End | Terminator::Exit(_) | Terminator::Return(_) | Terminator::ExitProcess => {}
    }
}

/// Renames the registers of an expression.
pub(crate) fn rename_regs(e: &mut Expr, new: &impl Fn(Reg) -> Reg) {
    match e {
        Expr::Const(_) | Expr::Addr(..) => {}
        Expr::Reg(r) => *r = new(*r),
        Expr::Un(_, a) | Expr::Cast(_, _, a) => rename_regs(a, new),
        Expr::Bin(_, a, b) => {
            rename_regs(a, new);
            rename_regs(b, new);
        }
        Expr::Ite(c, a, b) => {
            rename_regs(c, new);
            rename_regs(a, new);
            rename_regs(b, new);
        }
    }
}

/// Every list of tags that an operation carries.
pub(crate) fn tags(op: &Op) -> Vec<&[TagId]> {
    match op {
        Op::Load { tags, .. }
        | Op::Store { tags, .. }
        | Op::StoreConditional { tags, .. }
        | Op::Fence { tags }
        | Op::Opaque { tags, .. }
        | Op::Copy { tags, .. }
        | Op::Fill { tags, .. } => vec![tags],
        Op::Update { tags, .. } => {
            let fences = tags.fences.as_deref();
            [&tags.read[..], &tags.write, &tags.fused, &tags.fail].into_iter().chain(fences).collect()
        }
        _ => Vec::new(),
    }
}

/// The width of an expression, if its parts fit together.
pub(crate) fn width(e: &Expr, regs: &IndexVec<Reg, RegInfo>) -> Option<u8> {
    match e {
        Expr::Const(v) => Some(v.width()),
        Expr::Reg(r) => regs.get(*r).map(|r| r.width),
        Expr::Addr(..) => Some(64),
        Expr::Un(_, a) => width(a, regs),
        Expr::Cast(_, to, _) => Some(*to),
        Expr::Bin(op, a, b) => {
            let (a, b) = (width(a, regs)?, width(b, regs)?);
            (a == b).then(|| op.result_width(a))
        }
        Expr::Ite(_, a, b) => {
            let (a, b) = (width(a, regs)?, width(b, regs)?);
            (a == b).then_some(a)
        }
    }
}
