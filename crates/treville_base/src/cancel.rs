//! Cooperative cancellation: a flag that anyone may raise and a deadline that raises it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Shared by everything that works on one question. Clones share the flag; each clone may have its own deadline.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    raised: Arc<AtomicBool>,
    deadline: Option<Instant>,
}

impl Cancel {
    pub fn new() -> Self {
        Self::default()
    }

    /// Raised through a flag that somebody else holds, such as a signal handler.
    pub fn from_flag(raised: Arc<AtomicBool>) -> Self {
        Cancel { raised, deadline: None }
    }

    /// The same flag, with a deadline (the earlier one if there was one already).
    #[must_use]
    pub fn with_deadline(&self, deadline: Instant) -> Self {
        let deadline = Some(self.deadline.map_or(deadline, |d| d.min(deadline)));
        Cancel { raised: Arc::clone(&self.raised), deadline }
    }

    pub fn cancel(&self) {
        self.raised.store(true, Ordering::Relaxed);
    }

    /// True once somebody asked to stop; costs one relaxed load.
    pub fn is_raised(&self) -> bool {
        self.raised.load(Ordering::Relaxed)
    }

    /// True once the flag is raised or the deadline is over; reads the clock, so call it every few hundred steps.
    pub fn is_due(&self) -> bool {
        self.is_raised() || self.is_late()
    }

    pub fn is_late(&self) -> bool {
        self.deadline.is_some_and(|d| Instant::now() >= d)
    }
}
