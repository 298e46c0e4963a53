//! Loops that try again: a read, and then a loop that ends if a compare-exchange finds what was read, and otherwise goes on
//! with what the compare-exchange has read. An iteration that fails leaves the thread as if it had read that at once, which
//! is another execution: so it may block, like an idle one.
//!
//! For that the loop must be entered right after the read, with nothing but its value carried over. An iteration may also
//! begin with stores into memory that nobody else knows, always to the same place: the next iteration does them anew.

use super::code::{Ins, Seed, SiteId, Slot};
use super::flow::{Facts, Loop};

/// The code of a function, to be looked at.
pub(crate) struct Shape<'a> {
    pub(crate) ins: &'a [Ins],
    pub(crate) facts: &'a [Facts],
    /// Where blocks begin.
    pub(crate) starts: &'a [u32],
    pub(crate) loops: &'a [Loop],
}

impl Shape<'_> {
    fn block(&self, block: usize) -> std::ops::Range<usize> {
        let end = self.starts.get(block + 1).map_or(self.ins.len(), |s| *s as usize);
        self.starts[block] as usize..end
    }

    /// The read right before a loop, and the slots that have its value, if the loop is entered in one way only.
    pub(crate) fn seed(&self, id: usize) -> Option<Seed> {
        let head = self.loops[id].head;
        let enters = |block: &usize| !self.loops[id].body.contains(*block) && self.goes_to(*block, head);
        let mut entries = (0..self.starts.len()).filter(enters);
        let (entry, None) = (entries.next()?, entries.next()) else { return None };
        let range = self.block(entry);
        let at = range.clone().rev().find(|at| matches!(self.ins[*at], Ins::Load { .. }))?;
        let Ins::Load { dst, site, .. } = self.ins[at] else { return None };
        let mut words = [vec![dst], Vec::new()];
        for ins in &self.ins[at + 1..range.end] {
            match *ins {
                Ins::Move { dst, src } => words.iter_mut().find(|slots| slots.contains(&src))?.push(dst),
                Ins::High { dst, .. } => words[1].push(dst),
                Ins::Goto(_) => {}
                _ => return None,
            }
        }
        Some(Seed { site, words })
    }

    fn goes_to(&self, block: usize, head: usize) -> bool {
        let range = self.block(block);
        let to = self.starts[head];
        range.clone().any(|at| match self.ins[at] {
            Ins::Goto(target) => target == to,
            Ins::If { then, els, .. } => then == to || els == to,
            _ => false,
        })
    }

    /// Whether something in a loop may update memory.
    pub(crate) fn updates(&self, l: &Loop) -> bool {
        l.body.iter().flat_map(|block| self.block(block)).any(|at| matches!(self.ins[at], Ins::UpdateRead { .. }))
    }

    /// The stores that a loop does first of all in each iteration, to a place that does not change.
    pub(crate) fn first_stores(&self) -> Vec<(SiteId, u16)> {
        let mut found = Vec::new();
        for (id, l) in self.loops.iter().enumerate() {
            for at in self.block(l.head) {
                match self.ins[at] {
                    Ins::Loop(_) => {}
                    Ins::Store { addr, site, .. } if self.is_fixed(l, addr, 0) => found.push((site, id as u16)),
                    _ if self.is_pure(at) => {}
                    _ => break,
                }
            }
        }
        found
    }

    /// The stores in loops, with the innermost one of each.
    pub(crate) fn stores_in_loops(&self) -> Vec<(SiteId, u16)> {
        let mut found = Vec::new();
        for block in 0..self.starts.len() {
            let around = self.loops.iter().enumerate().filter(|(_, l)| l.body.contains(block));
            let Some((id, _)) = around.min_by_key(|(_, l)| l.body.len()) else { continue };
            found.extend(self.block(block).filter_map(|at| match self.ins[at] {
                Ins::Store { site, .. } => Some((site, id as u16)),
                _ => None,
            }));
        }
        found
    }

    /// All stores, with the slot that has what is stored.
    pub(crate) fn stores(&self) -> impl Iterator<Item = (SiteId, Slot)> {
        self.ins.iter().filter_map(|ins| match *ins {
            Ins::Store { value, site, .. } => Some((site, value)),
            _ => None,
        })
    }

    /// Whether a slot has nothing but what starting a thread gives.
    pub(crate) fn is_handle(&self, slot: Slot, depth: u32) -> bool {
        let writers: Vec<usize> = (0..self.ins.len()).filter(|at| self.facts[*at].def == Some(slot)).collect();
        let gives = |at: &usize| match self.ins[*at] {
            Ins::Spawn { .. } => true,
            Ins::Move { src, .. } => depth < 8 && self.is_handle(src, depth + 1),
            _ => false,
        };
        !writers.is_empty() && writers.iter().all(gives)
    }

    fn is_pure(&self, at: usize) -> bool {
        matches!(
            self.ins[at],
            Ins::Move { .. }
                | Ins::Bin { .. }
                | Ins::Not { .. }
                | Ins::Neg { .. }
                | Ins::Low { .. }
                | Ins::Sign { .. }
                | Ins::Select { .. }
                | Ins::Local { .. }
        )
    }

    /// Whether a slot has the same value in all iterations: nothing in the loop writes it, or one operation on such slots.
    fn is_fixed(&self, l: &Loop, slot: Slot, depth: u32) -> bool {
        let blocks = (0..self.starts.len()).filter(|b| l.body.contains(*b));
        let mut writers = blocks.flat_map(|b| self.block(b)).filter(|at| self.facts[*at].def == Some(slot));
        match (writers.next(), writers.next()) {
            (None, _) => true,
            (Some(at), None) if depth < 8 && self.is_pure(at) => {
                self.facts[at].uses.iter().all(|used| self.is_fixed(l, *used, depth + 1))
            }
            _ => false,
        }
    }
}
