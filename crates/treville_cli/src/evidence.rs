//! What is needed to look into a mistake of our own, as a file that can be sent.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use treville_verifier::task::Report;

/// Writes the evidence of an internal error to a file of its own in the system's folder for these, and names it in the report.
pub(crate) fn keep(report: &mut Report) {
    let Err(failure) = &mut report.result else { return };
    let Some(evidence) = &failure.evidence else { return };
    let call: Vec<String> = std::env::args().collect();
    let text = format!("treville {}\n{}\n\n{evidence}\n", env!("CARGO_PKG_VERSION"), call.join(" "));
    let path = unused();
    failure.reason += &match std::fs::write(&path, text) {
        Ok(()) => format!("; please send {}", path.display()),
        Err(error) => format!("; please report it ({} cannot be written: {error})", path.display()),
    };
}

/// A name that no other file of this process has, nor one of another.
fn unused() -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let n = NEXT.fetch_add(1, Ordering::Relaxed);
    std::env::temp_dir().join(format!("treville-internal-{}-{n}.txt", std::process::id()))
}
