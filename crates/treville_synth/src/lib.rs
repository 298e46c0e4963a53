//! The cheapest set of sites that makes a property hold: flushes of remote memory, and whatever else only takes behaviour
//! away. What a site is, and who judges a placement, is behind the trait [`Judge`].
//!
//! Real failures give a lower bound, proofs an upper one; a placement is the cheapest when they meet.

mod hitting;
mod implicit;
mod phases;

pub use implicit::{Found, Options, Placement, synthesise};
pub use phases::{Phases, two_phases};

use treville_base::BitSet;

/// Judges placements. More sites never break what holds with fewer.
pub trait Judge: Sync {
    fn n_sites(&self) -> usize;

    /// What a site costs; at least 1.
    fn cost(&self, site: usize) -> u64;

    /// Looks for a real failure.
    fn refute(&self, placement: &BitSet, effort: Effort) -> Refutation;

    /// Looks for a proof.
    fn prove(&self, placement: &BitSet, effort: Effort) -> Proof;
}

/// How hard a failure or a proof is looked for: a short look at both comes before a thorough one at either.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Effort {
    Short,
    Thorough,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refutation {
    /// It fails; so does every placement without one of the `blocking` sites, if they are known.
    Fails { blocking: Option<BitSet> },
    /// None was found.
    Nothing,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Proof {
    Holds,
    /// Why there is none.
    Open(String),
}

#[cfg(test)]
mod tests;
