//! A program as guarded events, for tools that know no programs: one event for each way from where a thread rests to where it
//! rests next.

use crate::code::{STUCK, Step, Thread, UpdateOrder, Word, compile, signed};
use crate::props::watched_threads;
use std::collections::{BTreeMap, BTreeSet};
use treville_base::{Idx, Name};
use treville_ir::{Claims, Comparison, Program, Reg, ThreadId};
use treville_task::{
    GuardedAccess, GuardedEvent, GuardedProgram, GuardedThread, Number, Resting, RestingKind, Truth, Unsupported,
};
use treville_term::{BinOp, Cast, UnOp};

/// Of all numbers.
const WIDTH: u8 = 32;

/// More are not made.
const MOST_EVENTS: usize = 10_000;

/// # Errors
/// If machines do not run the program, or it computes what is not numbers.
pub fn guarded(program: &Program, claims: &Claims) -> Result<GuardedProgram, Unsupported> {
    let mut watched = BTreeSet::new();
    claims.props().for_each(|prop| watched_threads(prop, &mut watched));
    let code = compile(program, &watched)?;
    let widths = code.threads.iter().flat_map(|thread| &thread.widths).chain(code.vars.iter().map(|var| &var.width));
    if widths.into_iter().any(|width| *width != WIDTH) {
        return Err(no_number());
    }
    let mut made = GuardedProgram {
        threads: Vec::new(),
        vars: code.vars.iter().map(|var| (var.object, signed(var.init, var.width))).collect(),
        events: Vec::new(),
    };
    for (id, thread) in code.threads.iter().enumerate() {
        let id = ThreadId::from_usize(id);
        let walk = Walk::new(thread, id)?;
        made.threads.push(walk.told());
        for node in &walk.rests {
            walk.events(*node, &mut made.events)?;
        }
    }
    Ok(made)
}

/// What registers hold in the middle of an event, by what they held before it.
type Values = Vec<Number>;

/// A thread with all places where it rests.
struct Walk<'c> {
    thread: &'c Thread,
    id: ThreadId,
    /// Nodes that can be reached, in ascending order.
    rests: BTreeSet<usize>,
    pcs: BTreeMap<usize, i64>,
    start: usize,
    /// What registers hold where the thread first rests.
    initial: Vec<i64>,
}

impl<'c> Walk<'c> {
    fn new(thread: &'c Thread, id: ThreadId) -> Result<Self, Unsupported> {
        let mut walk =
            Walk { thread, id, rests: BTreeSet::new(), pcs: BTreeMap::new(), start: thread.entry, initial: Vec::new() };
        let number = |(value, width): (&u64, &u8)| Number::Int(signed(*value, *width));
        let values: Values = thread.regs.iter().zip(&thread.widths).map(number).collect();
        // Everything is known here, so there is one way.
        for way in walk.ways(thread.entry, values, Vec::new())? {
            let known = |value: &Number| if let Number::Int(value) = value { *value } else { 0 };
            walk.start = way.to;
            walk.initial = way.values.iter().map(known).collect();
        }
        let mut open = vec![walk.start];
        while let Some(at) = open.pop() {
            if walk.rests.insert(at) {
                for next in thread.nodes[at].step.nexts() {
                    let mut seen = BTreeSet::new();
                    walk.next_rests(next, &mut seen, &mut open);
                }
            }
        }
        walk.pcs = walk.program_counters();
        Ok(walk)
    }

    /// Where the thread may rest next.
    fn next_rests(&self, at: usize, seen: &mut BTreeSet<usize>, out: &mut Vec<usize>) {
        let mut open = vec![at];
        while let Some(at) = open.pop() {
            if !seen.insert(at) {
                continue;
            }
            let node = &self.thread.nodes[at];
            if node.visible {
                out.push(at);
                continue;
            }
            open.extend(node.step.nexts());
            if let Step::Assume { .. } = node.step {
                open.push(STUCK);
            }
        }
    }

    /// The first place of a label that is a number has that number, the others have numbers after all labels.
    fn program_counters(&self) -> BTreeMap<usize, i64> {
        let number = |label: &Name| label.parse::<i64>().ok().filter(|n| (0..i64::from(u32::MAX)).contains(n));
        let mut next = self.thread.labels.iter().filter_map(number).max().map_or(0, |most| most + 1);
        let mut taken = BTreeSet::new();
        let mut pcs = BTreeMap::new();
        // In the order of the text; the ends are last.
        let in_order = self.rests.iter().filter(|at| **at > STUCK).chain(self.rests.iter().filter(|at| **at <= STUCK));
        for at in in_order {
            let own = self.thread.nodes[*at].label.as_ref().and_then(number).filter(|n| taken.insert(*n));
            pcs.insert(
                *at,
                own.unwrap_or_else(|| {
                    next += 1;
                    next - 1
                }),
            );
        }
        pcs
    }

    fn told(&self) -> GuardedThread {
        let nodes = &self.thread.nodes;
        let kept: BTreeSet<u16> = self.rests.iter().flat_map(|at| nodes[*at].kept.iter().copied()).collect();
        let register = |reg: u16| (Reg::from_usize(usize::from(reg)), self.initial[usize::from(reg)]);
        let mut places: Vec<Resting> = self
            .pcs
            .iter()
            .map(|(at, pc)| {
                let node = &nodes[*at];
                let kind = match node.step {
                    Step::Done => RestingKind::Done,
                    Step::Stuck => RestingKind::GivenUp,
                    Step::Fail => RestingKind::Failed,
                    _ => RestingKind::Statement(node.span),
                };
                Resting { pc: *pc, label: node.label.clone(), kind }
            })
            .collect();
        places.sort_by_key(|place| place.pc);
        GuardedThread {
            id: self.id,
            start: self.pcs[&self.start],
            registers: kept.into_iter().map(register).collect(),
            places,
        }
    }

    fn events(&self, from: usize, out: &mut Vec<GuardedEvent>) -> Result<(), Unsupported> {
        let node = &self.thread.nodes[from];
        let before: Values = (0..self.thread.regs.len()).map(|reg| Number::Reg(Reg::from_usize(reg))).collect();
        let mut begun: Vec<(GuardedAccess, Values, Vec<Truth>, usize)> = Vec::new();
        match &node.step {
            Step::Read { var, acquire, dst, next } => {
                let mut values = before;
                values[*dst] = Number::Read;
                begun.push((GuardedAccess::Read { var: *var, acquire: *acquire }, values, Vec::new(), *next));
            }
            Step::Write { var, release, value, next } => {
                let value = self.number(value, &before)?;
                let access = GuardedAccess::Write { var: *var, release: *release, value };
                begun.push((access, before, Vec::new(), *next));
            }
            Step::Update { var, order, old, guard, new, next } => {
                let UpdateOrder { order, fail_acquire } = *order;
                let mut values = before;
                values[*old] = Number::Read;
                let value = self.number(new, &values)?;
                let guard = guard.as_ref().map(|guard| self.truth(guard, &values)).transpose()?;
                let access = GuardedAccess::Update { var: *var, order, value };
                begun.push((access, values.clone(), guard.clone().into_iter().collect(), *next));
                if let Some(guard) = guard {
                    let access = GuardedAccess::Read { var: *var, acquire: fail_acquire };
                    begun.push((access, values, vec![guard.negated()], *next));
                }
            }
            Step::Pause { next } | Step::Fence { next, .. } => {
                begun.push((GuardedAccess::None, before, Vec::new(), *next))
            }
            // These rest only where a loop would run silently for ever.
            Step::Set { .. } | Step::Branch { .. } | Step::Goto { .. } | Step::Assume { .. } => {
                for (values, guards, next) in self.silent(&node.step, before, Vec::new())? {
                    begun.push((GuardedAccess::None, values, guards, next));
                }
            }
            Step::Done | Step::Stuck | Step::Fail => {}
        }
        for (access, values, guards, next) in begun {
            for way in self.ways(next, values, guards)? {
                if out.len() >= MOST_EVENTS {
                    let what = format!("a program of more than {MOST_EVENTS} events");
                    return Err(Unsupported { what, span: Some(node.span) });
                }
                out.push(GuardedEvent {
                    thread: self.id,
                    span: node.span,
                    from: self.pcs[&from],
                    to: self.pcs[&way.to],
                    access: access.clone(),
                    guards: way.guards,
                    sets: self.sets(from, &way.values),
                });
            }
        }
        Ok(())
    }

    /// The registers that change.
    fn sets(&self, from: usize, values: &Values) -> Vec<(Reg, Number)> {
        let dropped = &self.thread.nodes[from].dropped;
        let kept_somewhere = |reg: &usize| {
            let reg = *reg as u16;
            self.rests.iter().any(|at| self.thread.nodes[*at].kept.contains(&reg))
        };
        let changes = |reg: &usize| match &values[*reg] {
            Number::Reg(same) => same.index() != *reg,
            // It was 0 already.
            Number::Int(0) => !dropped.contains(&(*reg as u16)),
            _ => true,
        };
        let registers = (0..values.len()).filter(kept_somewhere).filter(changes);
        registers.map(|reg| (Reg::from_usize(reg), values[reg].clone())).collect()
    }

    /// The ways on to where the thread rests.
    fn ways(&self, at: usize, values: Values, guards: Vec<Truth>) -> Result<Vec<Way>, Unsupported> {
        let (mut ways, mut open) = (Vec::new(), vec![(at, values, guards)]);
        while let Some((at, mut values, guards)) = open.pop() {
            let node = &self.thread.nodes[at];
            if node.visible {
                node.dropped.iter().for_each(|reg| values[usize::from(*reg)] = Number::Int(0));
                ways.push(Way { to: at, values, guards });
                continue;
            }
            for (values, guards, next) in self.silent(&node.step, values, guards)? {
                open.push((next, values, guards));
            }
            if ways.len() + open.len() > MOST_EVENTS {
                let what = format!("a statement of more than {MOST_EVENTS} ways");
                return Err(Unsupported { what, span: Some(node.span) });
            }
        }
        Ok(ways)
    }

    /// What a step that only the thread notices may do, later ways first.
    fn silent(
        &self,
        step: &Step,
        mut values: Values,
        guards: Vec<Truth>,
    ) -> Result<Vec<(Values, Vec<Truth>, usize)>, Unsupported> {
        let fork = |cond: Truth, then: usize, els: usize| {
            let mut ways = Vec::new();
            for (truth, next) in [(cond.clone().negated(), els), (cond, then)] {
                if truth != Truth::Const(false) {
                    let known = (truth != Truth::Const(true)).then_some(truth);
                    ways.push((values.clone(), guards.iter().cloned().chain(known).collect(), next));
                }
            }
            ways
        };
        Ok(match step {
            Step::Branch { cond, then, els } => fork(self.truth(cond, &values)?, *then, *els),
            Step::Assume { cond, next } => fork(self.truth(cond, &values)?, *next, STUCK),
            Step::Set { dst, value, next } => {
                values[*dst] = self.number(value, &values)?;
                vec![(values, guards, *next)]
            }
            Step::Pause { next } | Step::Goto { next } => vec![(values, guards, *next)],
            // These are visible.
            Step::Read { .. }
            | Step::Write { .. }
            | Step::Update { .. }
            | Step::Fence { .. }
            | Step::Done
            | Step::Stuck
            | Step::Fail => Vec::new(),
        })
    }

    fn number(&self, word: &Word, values: &Values) -> Result<Number, Unsupported> {
        let both = |a: &Word, b: &Word| Ok::<_, Unsupported>((self.number(a, values)?, self.number(b, values)?));
        Ok(match word {
            Word::Const(value) => Number::Int(signed(*value, WIDTH)),
            Word::Reg(reg) => values[*reg].clone(),
            Word::Un(UnOp::Neg, _, a) => match self.number(a, values)? {
                Number::Int(value) => Number::Int(-value),
                a => Number::Negate(Box::new(a)),
            },
            Word::Bin(BinOp::Add, _, a, b) => match both(a, b)? {
                (Number::Int(a), Number::Int(b)) => Number::Int(a + b),
                (a, b) => Number::Add(Box::new(a), Box::new(b)),
            },
            Word::Bin(BinOp::Sub, _, a, b) => match both(a, b)? {
                (Number::Int(a), Number::Int(b)) => Number::Int(a - b),
                (a, b) => Number::Sub(Box::new(a), Box::new(b)),
            },
            Word::Cast(Cast::Zero, 1, _, a) => Number::of(self.truth(a, values)?),
            _ => return Err(no_number()),
        })
    }

    fn truth(&self, word: &Word, values: &Values) -> Result<Truth, Unsupported> {
        let compare = |op, a: &Word, b: &Word| Ok(Truth::compare(op, self.number(a, values)?, self.number(b, values)?));
        match word {
            Word::Const(value) => Ok(Truth::Const(*value == 1)),
            Word::Un(UnOp::Not, 1, a) => Ok(self.truth(a, values)?.negated()),
            Word::Bin(BinOp::And, 1, a, b) => Ok(self.truth(a, values)?.and(self.truth(b, values)?)),
            Word::Bin(BinOp::Or, 1, a, b) => Ok(self.truth(a, values)?.or(self.truth(b, values)?)),
            Word::Bin(BinOp::Eq, _, a, b) => compare(Comparison::Eq, a, b),
            Word::Bin(BinOp::Ne, _, a, b) => compare(Comparison::Ne, a, b),
            Word::Bin(BinOp::SLt, _, a, b) => compare(Comparison::Lt, a, b),
            Word::Bin(BinOp::SLe, _, a, b) => compare(Comparison::Le, a, b),
            _ => Err(no_number()),
        }
    }
}

/// A way from one place to another.
struct Way {
    to: usize,
    values: Values,
    guards: Vec<Truth>,
}

fn no_number() -> Unsupported {
    Unsupported { what: "a computation on bits, which is not one on numbers,".to_owned(), span: None }
}
