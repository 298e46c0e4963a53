//! Ctrl-C: the first one ends the work with what there is, the second one ends the process.

use signal_hook::consts::{SIGINT, SIGTERM};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use treville_verifier::base::Cancel;

/// Raised by a signal. If handlers cannot be installed, signals end the process as usual.
pub(crate) fn on_signal() -> Cancel {
    let flag = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // The order matters: the second signal finds the flag raised.
        let _ = signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&flag));
        let _ = signal_hook::flag::register(signal, Arc::clone(&flag));
    }
    Cancel::from_flag(flag)
}
