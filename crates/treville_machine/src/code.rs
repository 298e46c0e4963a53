//! Threads as graphs of steps, for machines that run them often: one node for each access, assignment and branch, with what of
//! a thread's registers matters there.
//!
//! A thread rests only at *visible* nodes: accesses, places where somebody may look at its program counter, and its ends.
//! Everything between is run at once with the step before. Temporaries are 0 where nobody will look at them, so that a loop
//! that waits comes back to the very same state.

mod compile;
mod live;

use std::collections::BTreeSet;
use treville_base::{BitSet, Name, Span};
use treville_ir::{MemoryOrder, ObjectId};
use treville_term::{BinOp, Cast, UnOp};

pub(crate) use compile::{STUCK, compile};

#[derive(Debug)]
pub(crate) struct Code {
    pub(crate) threads: Vec<Thread>,
    pub(crate) vars: Vec<Var>,
    /// Of all threads.
    pub(crate) n_regs: usize,
    /// The number of every node is one byte in states.
    pub(crate) has_small_nodes: bool,
}

impl Code {
    /// Whether it has an assertion.
    pub(crate) fn can_fail(&self) -> bool {
        self.threads.iter().flat_map(|thread| &thread.nodes).any(|node| matches!(node.step, Step::Fail))
    }
}

/// A shared variable.
#[derive(Debug)]
pub(crate) struct Var {
    pub(crate) object: ObjectId,
    pub(crate) init: u64,
    /// In bits.
    pub(crate) width: u8,
    /// Its values are numbers with a sign.
    pub(crate) is_signed: bool,
    /// Some loop writes it.
    pub(crate) in_loop: bool,
}

#[derive(Debug)]
pub(crate) struct Thread {
    pub(crate) nodes: Vec<Node>,
    pub(crate) entry: usize,
    /// Where its registers begin among those of all threads.
    pub(crate) first_reg: usize,
    /// With their values at the start.
    pub(crate) regs: Vec<u64>,
    /// In bits, of each register.
    pub(crate) widths: Vec<u8>,
    /// Labels that are somewhere in it.
    pub(crate) labels: BTreeSet<Name>,
    /// Some way through its text leads to its end.
    pub(crate) can_end: bool,
    /// Its end is the end of all.
    pub(crate) ends_process: bool,
}

#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) step: Step,
    pub(crate) label: Option<Name>,
    pub(crate) span: Span,
    /// The thread rests here.
    pub(crate) visible: bool,
    /// Registers, of those of the thread, that are not always 0 here.
    pub(crate) kept: Vec<u16>,
    /// The others.
    pub(crate) dropped: Vec<u16>,
    /// Those of the others that a thread may come here with.
    pub(crate) cleared: Vec<u16>,
}

/// Numbers of nodes and registers are those of the thread.
#[derive(Debug)]
pub(crate) enum Step {
    Read {
        var: usize,
        acquire: bool,
        dst: usize,
        next: usize,
    },
    Write {
        var: usize,
        release: bool,
        value: Word,
        next: usize,
    },
    Update {
        var: usize,
        order: UpdateOrder,
        old: usize,
        guard: Option<Word>,
        new: Word,
        next: usize,
    },
    /// Nothing, for others to look at the program counter.
    Pause {
        next: usize,
    },
    Fence {
        kind: Fence,
        next: usize,
    },
    Set {
        dst: usize,
        value: Word,
        next: usize,
    },
    Branch {
        cond: Word,
        then: usize,
        els: usize,
    },
    Goto {
        next: usize,
    },
    /// Goes on only if the condition holds.
    Assume {
        cond: Word,
        next: usize,
    },
    Done,
    /// An assumption was wrong.
    Stuck,
    Fail,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fence {
    /// Waits until what the thread has written is there for all.
    All,
    /// What the thread writes from now on is there for all later than what it has written.
    Writes,
    /// Of a machine that is none of ours: where everything is in order it does nothing.
    Other,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct UpdateOrder {
    /// If it writes.
    pub(crate) order: MemoryOrder,
    /// If it does not.
    pub(crate) fail_acquire: bool,
}

/// An expression over the registers of a thread. Values are words with zeros above their width.
#[derive(Clone, Debug)]
pub(crate) enum Word {
    Const(u64),
    Reg(usize),
    Un(UnOp, u8, Box<Word>),
    Bin(BinOp, u8, Box<Word>, Box<Word>),
    /// From a width to a width.
    Cast(Cast, u8, u8, Box<Word>),
    Ite(Box<Word>, Box<Word>, Box<Word>),
}

impl Word {
    pub(crate) fn eval(&self, regs: &[u64]) -> u64 {
        match self {
            Word::Const(value) => *value,
            Word::Reg(reg) => regs[*reg],
            Word::Un(op, width, a) => {
                let a = a.eval(regs);
                let bits = match op {
                    UnOp::Not => !a,
                    UnOp::Neg => a.wrapping_neg(),
                };
                low(bits, *width)
            }
            Word::Bin(op, width, a, b) => op.eval_word(*width, a.eval(regs), b.eval(regs)),
            Word::Cast(Cast::Zero, _, to, a) => low(a.eval(regs), *to),
            Word::Cast(Cast::Sign, from, to, a) => low(signed(a.eval(regs), *from) as u64, *to),
            Word::Ite(c, a, b) => if c.eval(regs) == 1 { a } else { b }.eval(regs),
        }
    }

    pub(crate) fn visit_regs(&self, visit: &mut impl FnMut(usize)) {
        self.visit(&mut |part| {
            if let Word::Reg(reg) = part {
                visit(*reg);
            }
        });
    }

    /// Its value, if no register is in it.
    fn constant(&self) -> Option<u64> {
        let mut has_reg = false;
        self.visit_regs(&mut |_| has_reg = true);
        (!has_reg).then(|| self.eval(&[]))
    }

    /// Calls `visit` for this and every part of it.
    pub(crate) fn visit(&self, visit: &mut impl FnMut(&Word)) {
        visit(self);
        match self {
            Word::Const(_) | Word::Reg(_) => {}
            Word::Un(_, _, a) | Word::Cast(_, _, _, a) => a.visit(visit),
            Word::Bin(_, _, a, b) => {
                a.visit(visit);
                b.visit(visit);
            }
            Word::Ite(c, a, b) => {
                c.visit(visit);
                a.visit(visit);
                b.visit(visit);
            }
        }
    }
}

impl Step {
    /// The expressions in it.
    pub(crate) fn words(&self) -> Vec<&Word> {
        match self {
            Step::Write { value, .. } | Step::Set { value, .. } => vec![value],
            Step::Branch { cond, .. } | Step::Assume { cond, .. } => vec![cond],
            Step::Update { guard, new, .. } => guard.iter().chain([new]).collect(),
            Step::Read { .. }
            | Step::Pause { .. }
            | Step::Fence { .. }
            | Step::Goto { .. }
            | Step::Done
            | Step::Stuck
            | Step::Fail => Vec::new(),
        }
    }

    /// The variable that it accesses.
    pub(crate) fn var(&self) -> Option<usize> {
        match self {
            Step::Read { var, .. } | Step::Write { var, .. } | Step::Update { var, .. } => Some(*var),
            _ => None,
        }
    }
}

impl Var {
    /// The number that a word of it stands for.
    pub(crate) fn number(&self, value: u64) -> i128 {
        number(value, self.width, self.is_signed)
    }
}

/// The number that a word stands for, with a sign or without.
pub(crate) fn number(value: u64, width: u8, is_signed: bool) -> i128 {
    if is_signed { i128::from(signed(value, width)) } else { i128::from(value) }
}

/// The value of a word with a sign.
pub(crate) fn signed(value: u64, width: u8) -> i64 {
    let spare = 64 - u32::from(width);
    ((value << spare) as i64) >> spare
}

pub(crate) fn low(value: u64, width: u8) -> u64 {
    let spare = 64 - u32::from(width);
    (value << spare) >> spare
}

impl Step {
    /// The nodes that may come next.
    pub(crate) fn nexts(&self) -> impl Iterator<Item = usize> {
        let (first, second) = match self {
            Step::Read { next, .. }
            | Step::Write { next, .. }
            | Step::Update { next, .. }
            | Step::Pause { next }
            | Step::Fence { next, .. }
            | Step::Set { next, .. }
            | Step::Goto { next }
            | Step::Assume { next, .. } => (Some(*next), None),
            Step::Branch { then, els, .. } => (Some(*then), Some(*els)),
            Step::Done | Step::Stuck | Step::Fail => (None, None),
        };
        first.into_iter().chain(second)
    }

    /// Those that may come next whatever registers hold: a condition without any goes one way.
    pub(crate) fn possible_nexts(&self) -> Vec<usize> {
        match self {
            Step::Branch { cond, then, els } => match cond.constant() {
                Some(1) => vec![*then],
                Some(_) => vec![*els],
                None => vec![*then, *els],
            },
            step => step.nexts().collect(),
        }
    }

    /// Whether nobody but the thread notices it.
    fn is_silent(&self) -> bool {
        matches!(
            self,
            Step::Pause { .. } | Step::Set { .. } | Step::Branch { .. } | Step::Goto { .. } | Step::Assume { .. }
        )
    }
}

impl Thread {
    /// Its registers among those of all threads.
    #[inline]
    pub(crate) fn own_regs(&self) -> std::ops::Range<usize> {
        self.first_reg..self.first_reg + self.regs.len()
    }

    /// Nodes that can come again after themselves: those that share a strongly connected component with a successor.
    pub(crate) fn looping(&self) -> BitSet {
        let n = self.nodes.len();
        let component = self.components();
        let in_loop = |node: &usize| self.nodes[*node].step.nexts().any(|next| component[next] == component[*node]);
        BitSet::from_members(n, (0..n).filter(in_loop))
    }

    /// The strongly connected component of each node (Kosaraju: the order in which nodes are left, then backwards).
    fn components(&self) -> Vec<usize> {
        let n = self.nodes.len();
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); n];
        for (node, facts) in self.nodes.iter().enumerate() {
            facts.step.nexts().for_each(|next| before[next].push(node));
        }
        let mut seen = BitSet::new(n);
        let mut left = Vec::with_capacity(n);
        for start in 0..n {
            let mut path: Vec<(usize, Vec<usize>)> = Vec::new();
            if seen.insert(start) {
                path.push((start, self.nodes[start].step.nexts().collect()));
            }
            while let Some((at, rest)) = path.last_mut() {
                match rest.pop() {
                    Some(next) if seen.insert(next) => path.push((next, self.nodes[next].step.nexts().collect())),
                    Some(_) => {}
                    None => {
                        left.push(*at);
                        path.pop();
                    }
                }
            }
        }
        let mut component = vec![usize::MAX; n];
        for start in left.into_iter().rev() {
            let mut open = vec![start];
            while let Some(at) = open.pop() {
                if component[at] == usize::MAX {
                    component[at] = start;
                    open.extend(&before[at]);
                }
            }
        }
        component
    }
}
