//! Cooperative cancellation: a flag that anyone may raise, a deadline and a limit on memory that raise it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

/// Shared by everything that works on one question. Clones share the flag; each clone may have its own deadline.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    raised: Arc<AtomicBool>,
    deadline: Option<Instant>,
    memory: Option<MemoryLimit>,
}

/// How much memory may be in use; somebody else keeps the gauge up to date.
#[derive(Clone, Debug)]
struct MemoryLimit {
    used_mb: Arc<AtomicU64>,
    limit_mb: u64,
    /// Somebody has seen more than the limit in use, whatever has been given back since.
    passed: Arc<AtomicBool>,
}

impl MemoryLimit {
    fn is_passed(&self) -> bool {
        if self.used_mb.load(Ordering::Relaxed) > self.limit_mb {
            self.passed.store(true, Ordering::Relaxed);
        }
        self.passed.load(Ordering::Relaxed)
    }
}

impl Cancel {
    pub fn new() -> Self {
        Self::default()
    }

    /// Raised through a flag that somebody else holds, such as a signal handler.
    pub fn from_flag(raised: Arc<AtomicBool>) -> Self {
        Cancel { raised, ..Cancel::default() }
    }

    /// The same flag, with a deadline (the earlier one if there was one already).
    #[must_use]
    pub fn with_deadline(&self, deadline: Instant) -> Self {
        let deadline = Some(self.deadline.map_or(deadline, |d| d.min(deadline)));
        Cancel { deadline, ..self.clone() }
    }

    /// The same flag, and due once the gauge shows more than `limit_mb`.
    #[must_use]
    pub fn with_memory_limit(&self, used_mb: Arc<AtomicU64>, limit_mb: u64) -> Self {
        Cancel { memory: Some(MemoryLimit { used_mb, limit_mb, passed: Arc::default() }), ..self.clone() }
    }

    pub fn cancel(&self) {
        self.raised.store(true, Ordering::Relaxed);
    }

    /// True once somebody asked to stop; costs one relaxed load.
    pub fn is_raised(&self) -> bool {
        self.raised.load(Ordering::Relaxed)
    }

    /// True once the flag is raised, the deadline is over or memory is used up; reads the clock, so call it every few
    /// hundred steps.
    pub fn is_due(&self) -> bool {
        self.is_raised() || self.is_late() || self.is_full()
    }

    pub fn is_full(&self) -> bool {
        self.memory.as_ref().is_some_and(MemoryLimit::is_passed)
    }

    pub fn is_late(&self) -> bool {
        self.deadline.is_some_and(|d| Instant::now() >= d)
    }
}
