//! Cooperative cancellation: a flag that anyone may raise, a deadline and a limit on memory that raise it.

use crate::now;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

/// Shared by everything that works on one question. Clones share the flag; each clone may have its own deadline.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    raised: Arc<AtomicBool>,
    /// A flag of its own, beside the shared one.
    own: Option<Arc<AtomicBool>>,
    deadline: Option<Instant>,
    memory: Option<MemoryLimit>,
    /// How often somebody may still look.
    effort: Option<Arc<AtomicU64>>,
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

    /// The same flag, and due after so many looks, which all clones share: a limit that does not depend on the machine.
    #[must_use]
    pub fn with_effort(&self, looks: u64) -> Self {
        Cancel { effort: Some(Arc::new(AtomicU64::new(looks))), ..self.clone() }
    }

    /// Raised with this one, and by itself without it.
    #[must_use]
    pub fn child(&self) -> Self {
        Cancel { own: Some(Arc::default()), ..self.clone() }
    }

    /// Raises the flag; that of its own, if it has one.
    pub fn cancel(&self) {
        self.own.as_ref().unwrap_or(&self.raised).store(true, Ordering::Relaxed);
    }

    /// True once somebody asked to stop; costs a relaxed load.
    pub fn is_raised(&self) -> bool {
        self.raised.load(Ordering::Relaxed) || self.own.as_ref().is_some_and(|own| own.load(Ordering::Relaxed))
    }

    /// True once the flag is raised, the deadline is over, memory is used up or it was called too often; reads the clock, so
    /// call it every few hundred steps.
    pub fn is_due(&self) -> bool {
        if let Some(effort) = &self.effort {
            let less = |left: u64| left.checked_sub(1);
            let _ = effort.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        }
        self.is_stopped()
    }

    /// The same without counting as a look, for work that others have counted: true once there is no use in going on.
    pub fn is_stopped(&self) -> bool {
        self.is_raised() || self.is_late() || self.is_full() || self.is_spent()
    }

    /// Whether it was looked at as often as is allowed.
    pub fn is_spent(&self) -> bool {
        self.effort.as_ref().is_some_and(|effort| effort.load(Ordering::Relaxed) == 0)
    }

    pub fn is_full(&self) -> bool {
        self.memory.as_ref().is_some_and(MemoryLimit::is_passed)
    }

    pub fn is_late(&self) -> bool {
        self.deadline.is_some_and(|d| now() >= d)
    }
}
