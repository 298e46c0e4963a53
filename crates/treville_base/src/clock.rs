//! The one place that reads the clock: where there is none, such as in a page, only this has to change.

use std::time::Instant;

/// The time now, to measure how long something takes or to set a deadline.
pub fn now() -> Instant {
    Instant::now()
}
