//! Changes to programs whose effect on the answer is known beforehand, whatever the answer is.

use super::ast::{Argument, Copying, Expr, Order, Place, Program, Stmt};
use super::draw::joins;
use crate::Rng;

/// A change to a program, or to what it is asked under.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Morph {
    /// Two threads are created in the other order.
    Creation,
    /// Variables have other names, and so other addresses.
    Renaming,
    /// Statements that are never reached, and writes to registers that are never read.
    DeadCode,
    /// Structs are copied field by field.
    CopyByFields,
    /// The first round of each loop stands before it.
    Unrolled,
    /// Atomic accesses have the strongest order.
    StrongerOrders,
    /// A fence before each access.
    MoreFences,
    /// A model that allows more.
    WeakerModel,
    /// The text of the model as a file of the user's.
    OwnText,
    /// Threads end where an assertion of theirs fails.
    EndInstead,
    /// Atomic operations become instructions of the machine that a model is for.
    Compiled(&'static str),
}

pub const MORPHS: &[(Morph, &str)] = &[
    (Morph::Creation, "other order of creation"),
    (Morph::Renaming, "variables renamed"),
    (Morph::DeadCode, "dead code added"),
    (Morph::CopyByFields, "structs copied by field"),
    (Morph::Unrolled, "loops unrolled once"),
    (Morph::StrongerOrders, "stronger orders"),
    (Morph::MoreFences, "more fences"),
    (Morph::WeakerModel, "weaker model"),
    (Morph::OwnText, "text of the model as a file"),
    (Morph::EndInstead, "threads end where assertions fail"),
    (Morph::Compiled("sc"), "compiled for sc"),
    (Morph::Compiled("tso"), "compiled for tso"),
    (Morph::Compiled("pso"), "compiled for pso"),
    (Morph::Compiled("power"), "compiled for power"),
    (Morph::Compiled("arm"), "compiled for arm"),
    (Morph::Compiled("aarch64"), "compiled for aarch64"),
    (Morph::Compiled("riscv"), "compiled for riscv"),
];

/// How the answer of the changed program relates to that of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    /// Both fail or neither; the same number of executions.
    Equal,
    /// Both fail or neither.
    SameVerdict,
    /// It fails only if the program does.
    FailsLess,
    /// It fails if the program does.
    FailsMore,
    /// Both have a race or neither, if only races are looked for.
    SameRaces,
}

impl Morph {
    pub fn name(self) -> &'static str {
        MORPHS.iter().find(|(morph, _)| *morph == self).map_or("", |(_, name)| name)
    }

    pub fn named(name: &str) -> Option<Morph> {
        MORPHS.iter().find(|(_, known)| *known == name).map(|(morph, _)| *morph)
    }

    pub fn relation(self) -> Relation {
        match self {
            Morph::Creation | Morph::Renaming | Morph::DeadCode | Morph::OwnText => Relation::Equal,
            Morph::CopyByFields | Morph::Unrolled => Relation::SameVerdict,
            Morph::StrongerOrders | Morph::MoreFences | Morph::Compiled(_) => Relation::FailsLess,
            Morph::WeakerModel => Relation::FailsMore,
            Morph::EndInstead => Relation::SameRaces,
        }
    }

    /// The changed program; none if there is nothing to change.
    pub fn apply(self, program: &Program) -> Option<Program> {
        let mut changed = program.clone();
        match self {
            // Whoever joins a thread reads its handle, which is written when it is created.
            Morph::Creation if program.threads.iter().any(|thread| joins(thread)) => {}
            Morph::Creation => swap_creation(&mut changed.main),
            Morph::Renaming => rename(&mut changed),
            Morph::DeadCode => add_dead_code(&mut changed),
            Morph::CopyByFields => changed.visit_mut(&mut |stmt| {
                if let Stmt::Copy(_, _, how) = stmt {
                    *how = Copying::Fields;
                }
            }),
            Morph::Unrolled => changed.blocks_mut().for_each(|block| *block = unroll(block)),
            Morph::StrongerOrders => changed.visit_mut(&mut strengthen),
            Morph::MoreFences => changed.threads.iter_mut().for_each(fence_all),
            // What a thread does after an assertion that fails would be seen otherwise, and so would what `main` does after the others.
            Morph::EndInstead => {
                let joins = |handle: &u8| program.main.contains(&Stmt::Join(*handle));
                let asserts = |block: &Vec<Stmt>| has_assertion(block);
                let elsewhere = program.helpers.iter().chain([&program.main]).any(asserts);
                if !elsewhere && created(program).iter().all(joins) {
                    changed.threads.iter_mut().for_each(|thread| end_instead(thread));
                }
            }
            // An instruction that is an update does not keep it before later writes as a pair with a branch does, which imm has for all.
            Morph::Compiled("aarch64" | "riscv") if program.has(updates_without_acquire) => {}
            Morph::WeakerModel | Morph::OwnText | Morph::Compiled(_) => return Some(changed),
        }
        (changed != *program).then_some(changed)
    }

    /// The model for the changed program; none if there is none that fits.
    pub fn model(self, model: &'static str) -> Option<&'static str> {
        match (self, model) {
            (Morph::WeakerModel, "sc") => Some("rc11"),
            (Morph::WeakerModel, "tso") => Some("pso"),
            (Morph::WeakerModel, "rc11") => Some("imm"),
            (Morph::OwnText, "rc11") => Some("own-rc11.cat"),
            (Morph::OwnText, "ra") => Some("own-ra.cat"),
            (Morph::OwnText, "imm") => Some("own-imm.cat"),
            // Machines that keep a read before what comes after it have no load buffering, as rc11; imm allows what the others have.
            (Morph::Compiled(machine @ ("sc" | "tso" | "pso")), "rc11") | (Morph::Compiled(machine), "imm") => {
                Some(machine)
            }
            (Morph::WeakerModel | Morph::OwnText | Morph::Compiled(_), _) => None,
            _ => Some(model),
        }
    }
}

/// One that can be applied, chosen at random, other than those of [`compilations`].
pub fn choose(program: &Program, model: &'static str, rng: &mut Rng) -> Option<Morph> {
    let all: Vec<Morph> = fitting(program, model).filter(|morph| !matches!(morph, Morph::Compiled(_))).collect();
    (!all.is_empty()).then(|| rng.pick(&all))
}

/// The machines that a program may be compiled for. It stays as it is.
pub fn compilations(program: &Program, model: &'static str) -> impl Iterator<Item = Morph> {
    fitting(program, model).filter(|morph| matches!(morph, Morph::Compiled(_)))
}

fn fitting(program: &Program, model: &'static str) -> impl Iterator<Item = Morph> {
    let all = MORPHS.iter().map(|(morph, _)| *morph);
    all.filter(move |morph| morph.model(model).is_some() && morph.apply(program).is_some())
}

fn updates_without_acquire(stmt: &Stmt) -> bool {
    let acquires = |order: &Order| matches!(order, Order::Acquire | Order::Both | Order::SeqCst);
    match stmt {
        Stmt::Fetch(_, _, _, _, order) => !acquires(order),
        Stmt::Cas { order, fail, .. } => !acquires(order) || !acquires(fail),
        _ => false,
    }
}

fn swap_creation(main: &mut [Stmt]) {
    let free = |stmt: &Stmt| matches!(stmt, Stmt::Create(_, _, Argument::Null | Argument::Number(_)));
    if let Some(i) = (1..main.len()).find(|i| free(&main[i - 1]) && free(&main[*i])) {
        main.swap(i - 1, i);
    }
}

fn created(program: &Program) -> Vec<u8> {
    let mut all = Vec::new();
    program.visit(&mut |stmt| {
        if let Stmt::Create(handle, ..) = stmt {
            all.push(*handle);
        }
    });
    all
}

fn has_assertion(block: &[Stmt]) -> bool {
    block
        .iter()
        .any(|stmt| matches!(stmt, Stmt::Assert(_)) || stmt.blocks().into_iter().any(|inner| has_assertion(inner)))
}

fn end_instead(block: &mut [Stmt]) {
    for stmt in block {
        if let Stmt::Assert(cond) = stmt {
            *stmt = Stmt::If(Expr::Not(Box::new(cond.clone())), vec![Stmt::Return], Vec::new());
        }
        stmt.blocks_mut().into_iter().for_each(|inner| end_instead(inner));
    }
}

/// The other way round, among those that programs use.
fn renamed(place: &mut Place) {
    match place {
        Place::Atomic(i) if *i < 3 => *i = 2 - *i,
        Place::Plain(i) if *i > 1 => *i = 5 - *i,
        _ => {}
    }
}

fn rename(program: &mut Program) {
    program.visit_mut(&mut |stmt| match stmt {
        Stmt::Load(_, place, _)
        | Stmt::Store(place, _, _)
        | Stmt::Fetch(_, _, place, _, _)
        | Stmt::Cas { place, .. } => {
            renamed(place);
        }
        _ => {}
    });
    if let Some(claim) = &mut program.claim {
        claim.values.iter_mut().for_each(|(place, _)| renamed(place));
    }
}

fn add_dead_code(program: &mut Program) {
    let dead = || vec![Stmt::Store(Place::Atomic(0), Expr::Const(7), Order::Relaxed), Stmt::Assert(Expr::Const(0))];
    for block in program.blocks_mut() {
        let middle = block.len() / 2;
        block.insert(middle, Stmt::If(Expr::Const(0), dead(), Vec::new()));
    }
}

/// The first round of a loop, then the loop.
fn unroll(block: &[Stmt]) -> Vec<Stmt> {
    let mut out = Vec::new();
    for stmt in block {
        match stmt {
            Stmt::Loop(body) => out.extend(peel(body, &Stmt::Loop(body.clone()))),
            Stmt::Repeat(n, body) if !breaks(body) => (0..*n).for_each(|_| out.extend(unroll(body))),
            other => out.push(other.clone()),
        }
    }
    out
}

/// The statements of a round, with the loop where the round ends.
fn peel(round: &[Stmt], again: &Stmt) -> Vec<Stmt> {
    match round.split_first() {
        None => vec![again.clone()],
        Some((Stmt::BreakIf(cond), rest)) => {
            vec![Stmt::If(Expr::Not(Box::new(cond.clone())), peel(rest, again), Vec::new())]
        }
        Some((first, rest)) => std::iter::once(first.clone()).chain(peel(rest, again)).collect(),
    }
}

/// Whether a block has a break of its own loop, at whatever depth.
fn breaks(block: &[Stmt]) -> bool {
    block.iter().any(|stmt| match stmt {
        Stmt::BreakIf(_) => true,
        Stmt::If(_, then, otherwise) => breaks(then) || breaks(otherwise),
        _ => false,
    })
}

pub(super) fn strengthen(stmt: &mut Stmt) {
    match stmt {
        Stmt::Load(_, _, o) | Stmt::Store(_, _, o) | Stmt::Fetch(_, _, _, _, o) if *o != Order::Plain => {
            *o = Order::SeqCst;
        }
        Stmt::LoadNode(_, _, o)
        | Stmt::StoreNode(_, _, o)
        | Stmt::SwapNode(_, _, _, o)
        | Stmt::LoadWord(_, _, o)
        | Stmt::StoreWord(_, _, o)
        | Stmt::SwapWord(_, _, _, o)
        | Stmt::Fence(o) => *o = Order::SeqCst,
        Stmt::Cas { order, fail, .. } | Stmt::CasNode { order, fail, .. } => {
            (*order, *fail) = (Order::SeqCst, Order::SeqCst);
        }
        _ => {}
    }
}

fn fence_all(block: &mut Vec<Stmt>) {
    let fenced = |stmt: &Stmt| matches!(stmt, Stmt::Load(..) | Stmt::Store(..) | Stmt::Fetch(..) | Stmt::LoadNode(..));
    let old = std::mem::take(block);
    for stmt in old {
        if fenced(&stmt) {
            block.push(Stmt::Fence(Order::SeqCst));
        }
        block.push(stmt);
    }
}
