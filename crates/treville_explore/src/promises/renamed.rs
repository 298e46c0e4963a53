//! Whether anything could be promised if equal threads changed names.
//!
//! Where one of several executions is explored that differ in the names of equal threads only, what is noted is what these
//! have. The others have the same with the names changed: all threads that are equal become one name here, which may come twice
//! in a row, and so do the locations that are each thread's own.

use super::{Clock, Flow, Notes, Offers, Promise};
use crate::execution::{start_or_end_of, start_or_end_renamed};
use crate::rules::Rules;
use std::collections::{BTreeMap, BTreeSet};
use treville_bytecode::address;

/// New names of threads: those of equal ones are two for all of them, beyond those that cycles keep apart.
struct Names {
    /// Of each thread, the first that is equal to it.
    first: Vec<u16>,
    several: BTreeSet<u16>,
}

impl Names {
    fn of(notes: &Notes) -> Names {
        let threads =
            notes.flows.keys().map(|flow| flow.thread as u16).chain(notes.equal_threads.iter().map(|(t, _)| *t));
        let n = threads.max().map_or(0, |t| t + 1);
        let mut first: Vec<u16> = (0..n).collect();
        let mut several = BTreeSet::new();
        for (thread, predecessor) in &notes.equal_threads {
            let (a, b) = (first[usize::from(*thread)], first[usize::from(*predecessor)]);
            first.iter_mut().filter(|class| **class == a.max(b)).for_each(|class| *class = a.min(b));
            several.remove(&a.max(b));
            several.insert(a.min(b));
        }
        Names { first, several }
    }

    fn first(&self, thread: u16) -> u16 {
        self.first.get(usize::from(thread)).copied().unwrap_or(thread)
    }

    /// The names of a thread.
    fn names(&self, thread: u16) -> Vec<u16> {
        let first = self.first(thread);
        if self.several.contains(&first) { vec![SEVERAL + 2 * first, SEVERAL + 2 * first + 1] } else { vec![first] }
    }

    /// The thread whose own a location is, if it is one's.
    fn owner(addr: u64) -> Option<u16> {
        let heap = address::heap_object(addr).map(|(thread, _)| thread as u16);
        heap.or_else(|| address::local_thread(addr).map(|thread| thread as u16)).or_else(|| start_or_end_of(addr))
    }

    fn address(&self, addr: u64) -> u64 {
        let Some(owner) = Names::owner(addr) else { return addr };
        let first = self.first(owner);
        let delta = |shift: u32| addr - (u64::from(owner) << shift) + (u64::from(first) << shift);
        if address::heap_object(addr).is_some() {
            delta(address::THREAD_SHIFT)
        } else if let Some(origin) = address::local_origin(addr) {
            address::local(u32::from(first), origin)
        } else {
            start_or_end_renamed(addr, first)
        }
    }

    /// Whether a location stands for one of each of several threads.
    fn is_several(&self, addr: u64) -> bool {
        Names::owner(addr).is_some_and(|owner| self.several.contains(&self.first(owner)))
    }

    /// For each new name, how many events of any of its threads, the writer aside, happen before a write.
    fn clock(&self, clock: &Clock, writer: u16) -> Clock {
        let mut fewest: BTreeMap<u16, u16> = BTreeMap::new();
        for (thread, n) in (0u16..).zip(clock).filter(|(thread, _)| *thread != writer) {
            for name in self.names(thread) {
                let known = fewest.entry(name).or_insert(*n);
                *known = (*known).min(*n);
            }
        }
        let n = fewest.keys().last().map_or(0, |name| usize::from(*name) + 1);
        (0..n as u16).map(|name| fewest.get(&name).copied().unwrap_or(0)).collect()
    }
}

/// Beyond the threads that there can be.
const SEVERAL: u16 = address::MAX_THREADS as u16;

impl Notes {
    /// Whether something could be promised in an execution that differs from those seen in the names of equal threads.
    pub(crate) fn may_promise(&self, rules: &Rules) -> bool {
        let names = Names::of(self);
        let mut renamed = Notes::default();
        for (flow, weak) in &self.flows {
            let (from, to) = (names.address(flow.from), names.address(flow.to));
            renamed.several.extend([from, to].into_iter().filter(|addr| names.is_several(*addr)));
            for name in names.names(flow.thread as u16) {
                *renamed.flows.entry(Flow { thread: u32::from(name), from, to }).or_default() |= *weak;
            }
        }
        for ((thread, addr), last) in &self.weak_reads {
            for name in names.names(*thread) {
                let known = renamed.weak_reads.entry((name, names.address(*addr))).or_default();
                *known = (*known).max(*last);
            }
        }
        for (promise, clock) in &self.writes {
            let (addr, clock) = (names.address(promise.addr), names.clock(clock, promise.thread));
            for thread in names.names(promise.thread) {
                let known = renamed.writes.entry(Promise { addr, thread, ..*promise }).or_insert_with(|| clock.clone());
                known.iter_mut().zip(&clock).for_each(|(n, m)| *n = (*n).min(*m));
            }
        }
        renamed.offer(rules, &Offers::default()).is_some()
    }
}
