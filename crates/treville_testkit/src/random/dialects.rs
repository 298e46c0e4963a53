//! The machine dialects, and the question that all dialects ask in one syntax.

pub(super) mod aarch64;
pub(super) mod arm;
pub(super) mod bpf;
pub(super) mod lisa;
pub(super) mod mips;
pub(super) mod ppc;
pub(super) mod riscv;
pub(super) mod x86;
pub(super) mod x86_64;

use crate::Rng;
use std::fmt::Write;

/// Observes everything, and asks for some values of it, as `ask` decides.
pub(super) fn question(text: &mut String, ask: u64, observed: &[String]) {
    let _ = writeln!(text, "locations [{}]", observed.iter().map(|o| format!("{o};")).collect::<Vec<_>>().join(" "));
    let mut rng = Rng::new(ask);
    let quantifier = rng.pick(&["exists", "exists", "exists", "~exists", "forall"]);
    let mut atoms = Vec::new();
    for place in observed {
        // Each place has its own numbers, so that the question for it stays while others go.
        let own = place.bytes().fold(ask, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
        let mut rng = Rng::new(own);
        if rng.percent(60) {
            atoms.push(format!("{place}={}", rng.below(3)));
        }
    }
    let connective = if rng.percent(80) { " /\\ " } else { " \\/ " };
    let condition = if atoms.is_empty() { "true".to_owned() } else { atoms.join(connective) };
    let _ = writeln!(text, "{quantifier} ({condition})");
}
