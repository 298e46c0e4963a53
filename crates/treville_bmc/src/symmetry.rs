//! Symmetric threads: a clause that is learnt about one thread is added for the threads that are equal to it.

use crate::events::Events;
use rustc_hash::FxHashMap;
use treville_base::Idx;
use treville_event::Event;

/// For each two neighbours among the threads with the same events in the same order: each event with its counterpart. Places are
/// not compared; whether something of the one holds of the other is for those to find out who ask.
pub(crate) fn exchanges(events: &Events<'_>) -> Vec<FxHashMap<usize, usize>> {
    let all = &events.skeleton.events;
    let mut threads: Vec<Vec<usize>> = vec![Vec::new(); events.threads.len()];
    for (id, event) in all.iter_enumerated() {
        if let Some(thread) = event.thread.and_then(|thread| threads.get_mut(thread as usize)) {
            thread.push(id.index());
        }
    }
    let shape = |e: &usize| -> &Event { &all[Idx::from_usize(*e)] };
    let same = |a: &Event, b: &Event| a.kind == b.kind && a.tags == b.tags;
    let alike = |a: &[usize], b: &[usize]| {
        !a.is_empty() && a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(shape(a), shape(b)))
    };
    let mut found = Vec::new();
    for (i, thread) in threads.iter().enumerate() {
        if let Some(next) = threads[i + 1..].iter().find(|next| alike(thread, next)) {
            let there = thread.iter().copied().zip(next.iter().copied());
            found.push(there.clone().chain(there.map(|(a, b)| (b, a))).collect());
        }
    }
    found
}
