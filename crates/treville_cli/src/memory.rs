//! The memory that the process uses, measured beside the work.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const INTERVAL: Duration = Duration::from_millis(10);
/// What Linux counts memory in, on every machine that this runs on.
const PAGE_KB: u64 = 4;

/// Megabytes in use, kept up to date by a thread of its own. None where the system does not say.
pub(crate) fn gauge() -> Option<Arc<AtomicU64>> {
    let gauge = Arc::new(AtomicU64::new(resident_mb()?));
    let shared = Arc::clone(&gauge);
    let watch = move || {
        while Arc::strong_count(&shared) > 1 {
            if let Some(used) = resident_mb() {
                shared.store(used, Ordering::Relaxed);
            }
            std::thread::sleep(INTERVAL);
        }
    };
    std::thread::Builder::new().spawn(watch).ok()?;
    Some(gauge)
}

fn resident_mb() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * PAGE_KB / 1024)
}
