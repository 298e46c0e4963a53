//! Coherence orders of one cell: what reads-from forces on them, and all orders that respect it.
//!
//! Writes of a cell are named by position, the initial write being 0, and sets of positions are machine words.

use std::ops::ControlFlow;
use treville_eval::Coherence;
use treville_event::Relation;

/// The accesses of one cell.
#[derive(Clone, Debug, Default)]
pub(crate) struct CellAccesses {
    /// Events that write, the initial write first; at most 64.
    pub(crate) writes: Vec<usize>,
    /// Events that read.
    pub(crate) reads: Vec<usize>,
    /// For each read that belongs to an update, the position of the update's write; whether it is the same event.
    pub(crate) updates: Vec<Option<(usize, bool)>>,
    /// The thread of each write, by position.
    pub(crate) threads: Vec<Option<u32>>,
}

/// Writes (positions) that must come after each write; closed under transitivity.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Forced(Vec<u64>);

/// An update that read from `source` and wrote `write`: nothing that `excludes` contains may come between.
#[derive(Clone, Copy, Debug)]
struct Atomic {
    source: usize,
    write: usize,
    excludes: u64,
}

impl CellAccesses {
    /// What is forced before any read has a source.
    pub(crate) fn forced(&self, coherence: Coherence, po: &Relation) -> Option<Forced> {
        let n = self.writes.len();
        let mut after = vec![0u64; n];
        if let Some(first) = after.first_mut() {
            *first = all(n) & !1;
        }
        if coherence.ww {
            for (row, &write) in after.iter_mut().zip(&self.writes) {
                for j in (0..n).filter(|&j| po.contains(write, self.writes[j])) {
                    *row |= 1 << j;
                }
            }
        }
        self.settled(Forced(after), &[])
    }

    /// What the sources of the first reads (positions of writes) force, given what all of them but the last do; `None` if
    /// that contradicts coherence.
    pub(crate) fn forced_by_last(
        &self,
        coherence: Coherence,
        po: &Relation,
        before: &Forced,
        sources: &[usize],
    ) -> Option<Forced> {
        let (&source, earlier) = sources.split_last()?;
        let r = earlier.len();
        let read = self.reads[r];
        let mut forced = before.clone();
        let after = &mut forced.0;
        for (w, &write) in self.writes.iter().enumerate() {
            if po.contains(read, write) {
                if w == source && coherence.rw {
                    return None;
                }
                if w != source && coherence.rw_other {
                    after[source] |= 1 << w;
                }
            }
            if w != source && coherence.wr && po.contains(write, read) {
                after[w] |= 1 << source;
            }
        }
        if coherence.rr {
            for (&other, &source2) in self.reads.iter().zip(earlier).filter(|(_, source2)| **source2 != source) {
                if po.contains(read, other) {
                    after[source] |= 1 << source2;
                }
                if po.contains(other, read) {
                    after[source2] |= 1 << source;
                }
            }
        }
        if let (Some((write, true)), true) = (self.updates[r], coherence.fused) {
            after[source] |= 1 << write;
        }
        self.settled(forced, &self.atomics(coherence, sources))
    }

    /// Everything that follows, or `None` if that is a contradiction.
    fn settled(&self, mut forced: Forced, atomics: &[Atomic]) -> Option<Forced> {
        loop {
            forced.close();
            if (0..self.writes.len()).any(|i| forced.has(i, i)) {
                return None;
            }
            if !forced.apply(atomics) {
                return Some(forced);
            }
        }
    }

    fn atomics(&self, coherence: Coherence, sources: &[usize]) -> Vec<Atomic> {
        let mut atomics = Vec::new();
        for (r, &source) in sources.iter().enumerate() {
            let Some((write, same)) = self.updates[r] else { continue };
            if source == write {
                continue;
            }
            let mut excludes = 0;
            if same && coherence.fused {
                excludes = all(self.writes.len());
            } else if !same && coherence.pairs {
                let external = |k: &usize| self.threads[*k] != self.threads[write];
                excludes = (0..self.writes.len()).filter(external).fold(0, |m, k| m | 1 << k);
            }
            atomics.push(Atomic { source, write, excludes: excludes & !(1 << source | 1 << write) });
        }
        atomics
    }

    /// Calls `visit` with each order (of positions) that respects what is forced and the updates' atomicity.
    pub(crate) fn each_order(
        &self,
        coherence: Coherence,
        forced: &Forced,
        sources: &[usize],
        visit: &mut dyn FnMut(&[usize]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let atomics = self.atomics(coherence, sources);
        let n = self.writes.len();
        let mut before = vec![0u64; n];
        for (i, after) in forced.0.iter().enumerate() {
            (0..n).filter(|j| after >> j & 1 != 0).for_each(|j| before[j] |= 1 << i);
        }
        extend(&before, &atomics, 0, &mut Vec::with_capacity(n), visit)
    }

    /// Calls `visit` with one order for each write that may be the last one: all that counts where the model does not use the
    /// engine's coherence order.
    pub(crate) fn each_last(&self, visit: &mut dyn FnMut(&[usize]) -> ControlFlow<()>) -> ControlFlow<()> {
        let n = self.writes.len();
        if n == 0 {
            return visit(&[]);
        }
        // The initial write is the last one only if it is the only one.
        for last in n.min(2) - 1..n {
            let mut order: Vec<usize> = (0..n).collect();
            order.swap(last, n - 1);
            visit(&order)?;
        }
        ControlFlow::Continue(())
    }
}

/// Appends every write that may come next.
fn extend(
    before: &[u64],
    atomics: &[Atomic],
    placed: u64,
    order: &mut Vec<usize>,
    visit: &mut dyn FnMut(&[usize]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    if order.len() == before.len() {
        return visit(order);
    }
    for next in 0..before.len() {
        let ready = placed >> next & 1 == 0 && before[next] & !placed == 0;
        // Between an update's source and its write, nothing that would intervene.
        let intervenes =
            |a: &Atomic| a.excludes >> next & 1 != 0 && placed >> a.source & 1 != 0 && placed >> a.write & 1 == 0;
        if ready && !atomics.iter().any(intervenes) {
            order.push(next);
            let flow = extend(before, atomics, placed | 1 << next, order, visit);
            order.pop();
            flow?;
        }
    }
    ControlFlow::Continue(())
}

impl Forced {
    /// The order itself, if nothing is left open.
    pub(crate) fn total(&self) -> Option<Vec<usize>> {
        let n = self.0.len();
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by_key(|&i| std::cmp::Reverse(self.0[i].count_ones()));
        order.iter().enumerate().all(|(at, &i)| self.0[i].count_ones() as usize == n - 1 - at).then_some(order)
    }

    /// Whether `j` must come after `i`.
    pub(crate) fn has(&self, i: usize, j: usize) -> bool {
        self.0[i] >> j & 1 != 0
    }

    /// The same with `j` after `i`.
    pub(crate) fn with(&self, i: usize, j: usize) -> Forced {
        let mut forced = self.clone();
        forced.0[i] |= 1 << j;
        forced.close();
        forced
    }

    pub(crate) fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let n = self.0.len();
        self.0
            .iter()
            .enumerate()
            .flat_map(move |(i, &after)| (0..n).filter(move |j| after >> j & 1 != 0).map(move |j| (i, j)))
    }

    fn close(&mut self) {
        for k in 0..self.0.len() {
            let via = self.0[k];
            for row in &mut self.0 {
                if *row >> k & 1 != 0 {
                    *row |= via;
                }
            }
        }
    }

    /// Adds what atomicity forces; true if that was something new.
    fn apply(&mut self, atomics: &[Atomic]) -> bool {
        let mut changed = false;
        for a in atomics {
            for k in (0..self.0.len()).filter(|k| a.excludes >> k & 1 != 0) {
                let known = |i: usize, j: usize, rows: &[u64]| rows[i] >> j & 1 != 0;
                if known(a.source, k, &self.0) && !known(a.write, k, &self.0) {
                    self.0[a.write] |= 1 << k;
                    changed = true;
                }
                if known(k, a.write, &self.0) && !known(k, a.source, &self.0) {
                    self.0[k] |= 1 << a.source;
                    changed = true;
                }
            }
        }
        changed
    }
}

fn all(n: usize) -> u64 {
    if n >= 64 { !0 } else { (1 << n) - 1 }
}
