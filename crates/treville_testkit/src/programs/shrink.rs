//! Makes a program smaller as long as something stays wrong with it: threads, statements, branches, conditions and orders
//! are left out or made simpler, one after the other.

use super::ast::{Bin, Expr, Mutex, Order, Program, Stmt};

/// The smallest program that `keeps` still accepts. It is asked about several candidates at once and names the first that it
/// accepts.
pub fn shrink(program: &Program, keeps: &mut dyn FnMut(&[Program]) -> Option<usize>) -> Program {
    const AT_ONCE: usize = 12;
    let mut best = program.clone();
    'again: loop {
        let all = candidates(&best);
        for some in all.chunks(AT_ONCE) {
            if let Some(i) = keeps(some) {
                best = some[i].clone();
                continue 'again;
            }
        }
        return best;
    }
}

/// Programs that are a step smaller, the largest steps first.
pub fn candidates(program: &Program) -> Vec<Program> {
    let mut all = Vec::new();
    let mut change = |f: &mut dyn FnMut(&mut Program) -> bool| {
        let mut smaller = program.clone();
        if f(&mut smaller) && smaller != *program {
            all.push(smaller);
        }
    };
    for t in 0..4 {
        change(&mut |p| {
            p.visit_blocks(&mut |block| block.retain(|s| !concerns_thread(s, t)));
            if let Some(claim) = &mut p.claim {
                claim.values.retain(|(place, _)| !matches!(place, super::ast::Place::Left(u, _) if *u == t));
            }
            true
        });
    }
    change(&mut |p| p.claim.take().is_some());
    for i in 0..program.claim.as_ref().map_or(0, |claim| claim.values.len()) {
        change(&mut |p| {
            let Some(claim) = p.claim.as_mut().filter(|claim| claim.values.len() > 1) else { return false };
            claim.values.remove(i);
            true
        });
    }
    let n = program.n_statements();
    for size in [8, 4, 2, 1] {
        for at in (0..n).step_by(size) {
            change(&mut |p| remove(p, at, size));
        }
    }
    for at in 0..n {
        for part in 0..2 {
            change(&mut |p| replace(p, at, |stmt| unwrap(stmt, part)));
        }
        change(&mut |p| alter(p, at, simplify));
        change(&mut |p| alter(p, at, |stmt| set_order(stmt, Order::SeqCst)));
        change(&mut |p| alter(p, at, |stmt| set_order(stmt, Order::Relaxed)));
    }
    change(&mut |p| {
        let changed = p.mutexes != [Mutex::Normal; 2];
        p.mutexes = [Mutex::Normal; 2];
        changed
    });
    change(&mut |p| std::mem::replace(&mut p.shared_handles, false));
    all
}

fn concerns_thread(stmt: &Stmt, t: u8) -> bool {
    match stmt {
        Stmt::Create(handle, ..) | Stmt::Join(handle) | Stmt::Detach(handle) => *handle == t,
        _ => false,
    }
}

impl Program {
    /// Changes every block, the inner ones first.
    fn visit_blocks(&mut self, change: &mut dyn FnMut(&mut Vec<Stmt>)) {
        fn walk(block: &mut Vec<Stmt>, change: &mut dyn FnMut(&mut Vec<Stmt>)) {
            for stmt in block.iter_mut() {
                stmt.blocks_mut().into_iter().for_each(|inner| walk(inner, change));
            }
            change(block);
        }
        self.blocks_mut().for_each(|block| walk(block, change));
    }
}

/// Takes out statements from number `at` on, as many as `size`, in the order in which they stand.
fn remove(program: &mut Program, at: usize, size: usize) -> bool {
    fn walk(block: &mut Vec<Stmt>, next: &mut usize, gone: std::ops::Range<usize>) {
        block.retain_mut(|stmt| {
            let number = *next;
            *next += 1;
            stmt.blocks_mut().into_iter().for_each(|inner| walk(inner, next, gone.clone()));
            !gone.contains(&number)
        });
    }
    let mut next = 0;
    program.blocks_mut().for_each(|block| walk(block, &mut next, at..at + size));
    true
}

/// Puts something else in the place of statement number `at`.
fn replace(program: &mut Program, at: usize, by: impl Fn(&Stmt) -> Option<Vec<Stmt>>) -> bool {
    fn walk(block: &mut Vec<Stmt>, next: &mut usize, at: usize, by: &dyn Fn(&Stmt) -> Option<Vec<Stmt>>) -> bool {
        for i in 0..block.len() {
            let number = *next;
            *next += 1;
            if number == at {
                let Some(new) = by(&block[i]) else { return false };
                block.splice(i..=i, new);
                return true;
            }
            for inner in block[i].blocks_mut() {
                if walk(inner, next, at, by) {
                    return true;
                }
            }
        }
        false
    }
    let mut next = 0;
    program.blocks_mut().any(|block| walk(block, &mut next, at, &by))
}

fn alter(program: &mut Program, at: usize, by: impl Fn(&mut Stmt) -> bool) -> bool {
    replace(program, at, |stmt| {
        let mut new = stmt.clone();
        by(&mut new).then(|| vec![new])
    })
}

/// A block in place of the statement around it.
fn unwrap(stmt: &Stmt, part: usize) -> Option<Vec<Stmt>> {
    let block = stmt.blocks().get(part).copied().cloned()?;
    match stmt {
        Stmt::Loop(_) => Some(block.into_iter().filter(|s| !matches!(s, Stmt::BreakIf(_))).collect()),
        _ => Some(block),
    }
}

fn simplify(stmt: &mut Stmt) -> bool {
    match stmt {
        Stmt::Set(_, e) | Stmt::Store(_, e, _) | Stmt::Fetch(_, _, _, e, _) | Stmt::Cas { new: e, .. } => {
            let simple = *e == Expr::Const(1);
            *e = Expr::Const(1);
            !simple
        }
        Stmt::If(e, ..) | Stmt::Assert(e) | Stmt::Assume(e) | Stmt::BreakIf(e) => match e.clone() {
            Expr::Bin(Bin::LogicalAnd | Bin::LogicalOr, a, _) => {
                *e = *a;
                true
            }
            _ => false,
        },
        Stmt::Repeat(n, _) if *n > 1 => {
            *n -= 1;
            true
        }
        Stmt::Call { by_pointer, .. } => std::mem::replace(by_pointer, false),
        _ => false,
    }
}

/// Gives an atomic access another order; false if it has that one, or cannot have it.
fn set_order(stmt: &mut Stmt, new: Order) -> bool {
    let mut orders: Vec<&mut Order> = match stmt {
        Stmt::Load(_, _, o)
        | Stmt::Store(_, _, o)
        | Stmt::Fetch(_, _, _, _, o)
        | Stmt::LoadNode(_, _, o)
        | Stmt::StoreNode(_, _, o)
        | Stmt::SwapNode(_, _, _, o)
        | Stmt::LoadWord(_, _, o)
        | Stmt::StoreWord(_, _, o)
        | Stmt::SwapWord(_, _, _, o) => vec![o],
        Stmt::Cas { order, fail, .. } | Stmt::CasNode { order, fail, .. } => vec![order, fail],
        _ => return false,
    };
    let same =
        orders.iter().all(|o| **o == new || **o == Order::Plain || **o == Order::SeqCst && new == Order::Relaxed);
    if same {
        return false;
    }
    orders.iter_mut().for_each(|o| **o = new);
    true
}
