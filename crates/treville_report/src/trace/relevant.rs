//! Which steps of a story lead to what it is about.

use std::collections::{BTreeMap, BTreeSet};
use treville_ir::ThreadId;
use treville_task::{Action, Bytes, Trace};

/// More steps than this do not fit a screen; the earliest are left out then.
const MOST: usize = 26;

pub(crate) struct Relevant {
    /// In the order of the story.
    pub(crate) steps: Vec<usize>,
    /// How many that lead there are left out for their number.
    pub(crate) left_out: usize,
}

pub(crate) fn steps(trace: &Trace) -> Relevant {
    let essential = essential(trace);
    let mut kept: Vec<usize> = prefix(trace).into_iter().collect();
    let shared = shared(trace, &kept);
    let threads: BTreeSet<ThreadId> = kept.iter().map(|i| trace.steps[*i].thread).collect();
    let places: Vec<Bytes> = essential.iter().filter_map(|i| trace.steps[*i].action.place()).collect();
    kept.retain(|i| {
        essential.contains(i)
            || match trace.steps[*i].action {
                Action::End => false,
                Action::Start(thread) | Action::Join(thread) => threads.contains(&thread),
                Action::Allocate(address) | Action::Free(address) | Action::Retire(address) => {
                    let object = trace.objects.iter().find(|o| o.address == address);
                    places
                        .iter()
                        .any(|p| object.is_some_and(|o| o.address <= p.address && p.address < o.address + o.size))
                }
                ref action => action.place().is_none_or(|place| shared.contains(&place) || !is_made(trace, place)),
            }
    });
    let mut left_out = kept.len().saturating_sub(MOST);
    let whole = kept.len();
    kept.retain(|i| {
        let drop = left_out > 0 && !essential.contains(i);
        left_out -= usize::from(drop);
        !drop
    });
    Relevant { left_out: whole - kept.len(), steps: kept }
}

/// What the story is about, the ends of its gaps, the values that lead there, and what these read.
fn essential(trace: &Trace) -> BTreeSet<usize> {
    let mut all: BTreeSet<usize> = trace.about.iter().copied().collect();
    all.extend(trace.missing_syncs.iter().flat_map(|gap| [gap.write, gap.read]));
    // What only weak memory explains.
    if let Some((read, write)) = weak(trace) {
        all.extend([read, write]);
    }
    // Values that nothing determines.
    all.extend(prefix(trace).into_iter().filter(|i| matches!(trace.steps[*i].action, Action::Choose(_))));
    let sources: Vec<usize> = all.iter().filter_map(|i| trace.steps[*i].action.source().flatten()).collect();
    all.extend(sources);
    all
}

/// The first step that reads what had been overwritten, with the last write that it misses, or that reads what is written
/// only later, with that write: no interleaving has one.
pub(crate) fn weak(trace: &Trace) -> Option<(usize, usize)> {
    let ahead = |i: usize| trace.steps[i].action.source().flatten().filter(|_| trace.reads_ahead(i));
    prefix(trace).into_iter().find_map(|i| Some((i, trace.missed_by(i).or_else(|| ahead(i))?)))
}

/// The steps from which those in question follow, by program order, reading, starting and ending.
fn prefix(trace: &Trace) -> BTreeSet<usize> {
    let mut before: BTreeMap<ThreadId, usize> = BTreeMap::new();
    let mut starts: BTreeMap<ThreadId, usize> = BTreeMap::new();
    let mut ends: BTreeMap<ThreadId, usize> = BTreeMap::new();
    let mut from: Vec<Vec<usize>> = Vec::new();
    for (i, step) in trace.steps.iter().enumerate() {
        let mut causes: Vec<usize> = before.insert(step.thread, i).into_iter().collect();
        causes.extend(starts.get(&step.thread));
        causes.extend(step.action.source().flatten());
        match step.action {
            Action::Start(thread) => {
                starts.insert(thread, i);
            }
            Action::Join(thread) => causes.extend(ends.get(&thread)),
            Action::End => {
                ends.insert(step.thread, i);
            }
            _ => {}
        }
        from.push(causes);
    }
    let mut all = BTreeSet::new();
    // Of threads that wait, all that the others did: what is waited for is not there. All as well, if it is about no step.
    let waits = trace.about.iter().any(|i| matches!(trace.steps[*i].action, Action::Wait(_)));
    let mut todo: Vec<usize> =
        if waits || trace.about.is_empty() { before.into_values().collect() } else { trace.about.clone() };
    while let Some(i) = todo.pop() {
        if all.insert(i) {
            todo.extend(&from[i]);
        }
    }
    all
}

/// Whether it is part of an object that was made on the way: others may never have seen it.
fn is_made(trace: &Trace, place: Bytes) -> bool {
    trace.objects.iter().any(|o| o.address <= place.address && place.address < o.address + o.size)
}

/// Places that more than one thread touches among these steps.
fn shared(trace: &Trace, steps: &[usize]) -> BTreeSet<Bytes> {
    let mut by: BTreeMap<Bytes, BTreeSet<ThreadId>> = BTreeMap::new();
    for step in steps.iter().map(|i| &trace.steps[*i]) {
        if let Some(place) = step.action.place() {
            by.entry(place).or_default().insert(step.thread);
        }
    }
    by.into_iter().filter(|(_, threads)| threads.len() > 1).map(|(place, _)| place).collect()
}
