//! Many files in parallel, reported in their order. A panic in one file is that file's error, not the batch's end.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use treville_verifier::base::Cancel;

/// Deep inputs are refused long before this is used up; it is only reserved, not touched.
const STACK: usize = 64 << 20;

thread_local! {
    /// Where the last panic of this thread was, for the report.
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// What became of one item.
pub(crate) enum Done<T> {
    Result(T),
    Panicked(String),
    /// The batch was cancelled before the item began.
    Skipped,
}

/// Runs `work` on every item with `workers` threads; calls `report` on this thread, in the order of the items, as soon as
/// all before it are done. When `report` returns false, `cancel` is raised and the rest is dropped.
pub(crate) fn run<I: Sync, T: Send>(
    items: &[I],
    workers: usize,
    cancel: &Cancel,
    work: impl Fn(&I) -> T + Sync,
    mut report: impl FnMut(&I, Done<T>) -> bool,
) {
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map(|l| format!(" at {}:{}", l.file(), l.line())).unwrap_or_default();
        let what = info.payload_as_str().unwrap_or("panic");
        PANIC.with(|panic| *panic.borrow_mut() = Some(format!("{what}{place}")));
    }));
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..workers.clamp(1, items.len().max(1)) {
            let (sender, next, work) = (sender.clone(), &next, &work);
            let worker = move || {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(i) else { break };
                    let done = if cancel.is_raised() { Done::Skipped } else { guarded(|| work(item)) };
                    if sender.send((i, done)).is_err() {
                        break;
                    }
                }
            };
            if thread::Builder::new().stack_size(STACK).spawn_scoped(scope, worker).is_err() {
                // The threads that there are take the items; if there are none, `report` is never called for them.
                break;
            }
        }
        drop(sender);
        if !deliver(items, &receiver, &mut report) {
            cancel.cancel();
        }
    });
}

/// Reports results in order. False if `report` wants no more.
fn deliver<I, T>(
    items: &[I],
    receiver: &mpsc::Receiver<(usize, Done<T>)>,
    report: &mut impl FnMut(&I, Done<T>) -> bool,
) -> bool {
    let mut waiting = BTreeMap::new();
    let mut at = 0;
    for (i, done) in receiver {
        waiting.insert(i, done);
        while let Some(done) = waiting.remove(&at) {
            if !report(&items[at], done) {
                return false;
            }
            at += 1;
        }
    }
    true
}

fn guarded<T>(work: impl FnOnce() -> T) -> Done<T> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => Done::Result(result),
        Err(_) => Done::Panicked(PANIC.with(|panic| panic.borrow_mut().take()).unwrap_or_else(|| "panic".into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_and_panics_stay_with_their_item() {
        let items: Vec<u32> = (0..50).collect();
        let mut seen = Vec::new();
        let work = |i: &u32| {
            assert!(*i != 7, "seven");
            i * 2
        };
        run(&items, 4, &Cancel::new(), work, |i, done| {
            seen.push((
                *i,
                match done {
                    Done::Result(r) => r.to_string(),
                    Done::Panicked(why) => why,
                    Done::Skipped => "skipped".into(),
                },
            ));
            true
        });
        assert_eq!(seen.len(), 50);
        assert!(seen.iter().enumerate().all(|(i, (n, _))| i == *n as usize));
        assert!(seen[7].1.starts_with("seven at "), "{}", seen[7].1);
        assert_eq!(seen[8].1, "16");
    }

    #[test]
    fn a_cancelled_batch_skips_the_rest() {
        let cancel = Cancel::new();
        let items: Vec<u32> = (0..20).collect();
        let mut skipped = 0;
        run(
            &items,
            1,
            &cancel,
            |i| {
                if *i == 3 {
                    cancel.cancel()
                }
            },
            |_, done| {
                skipped += u32::from(matches!(done, Done::Skipped));
                true
            },
        );
        assert_eq!(skipped, 16);
    }
}
