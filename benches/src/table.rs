//! How figures are written.

use std::time::Duration;

/// A time in milliseconds, to a tenth.
pub(crate) fn milliseconds(time: Duration) -> String {
    format!("{:.1}", time.as_secs_f64() * 1e3)
}

/// How many times longer the first took; the floor keeps a time below the clock's resolution from making it infinite.
pub(crate) fn ratio(theirs: Duration, ours: Duration) -> String {
    format!("{:.1}x", theirs.as_secs_f64() / ours.as_secs_f64().max(1e-5))
}
