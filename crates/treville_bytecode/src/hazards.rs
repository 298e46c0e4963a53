//! What a thread protects with hazard pointers, and what that means for its loops.
//!
//! To protect is for this thread only, and no effect that keeps a round of a loop from being idle: without the round the
//! thread gets to the same place. But what its hazard pointers said before the round is still protected then, and with the
//! round it may not be: an execution that fails may be lost. So a round in which something was protected in the place of
//! something else is taken for idle on trust, which is noted, and so is an access to what has been protected since before
//! some round. Only if both happen for a loop must all be explored again, without trust.

use super::code::Image;
use super::run::Runner;
use super::step::address;
use super::track::Track;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// What a hazard pointer says.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Protection {
    pub(crate) hazard: u64,
    pub(crate) object: u64,
    /// The loops of which a round has begun since; see [`Loops`].
    pub(crate) rounds: u64,
    /// The loops of which it said something else when the present round began.
    pub(crate) replaced: u64,
}

impl Protection {
    pub(crate) fn new(hazard: u64, object: u64) -> Protection {
        Protection { hazard, object, rounds: 0, replaced: 0 }
    }
}

/// Some loops of a program, one bit for each; if there are many, some share one.
pub(crate) type Loops = u64;

/// What the threads of a program have noted.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    trusted: AtomicU64,
    relied_on: AtomicU64,
    told_apart: AtomicBool,
}

fn note(notes: &AtomicU64, loops: Loops) {
    if notes.load(Ordering::Relaxed) & loops != loops {
        notes.fetch_or(loops, Ordering::Relaxed);
    }
}

impl Image {
    /// Whether a thread has computed something from an address that shows which thread made the object.
    pub fn tells_threads_apart(&self) -> bool {
        self.notes.told_apart.load(Ordering::Relaxed)
    }

    pub(super) fn note_told_apart(&self) {
        self.notes.told_apart.store(true, Ordering::Relaxed);
    }

    /// Whether a round was taken for idle that may have left unprotected what is accessed later.
    pub fn speculation_failed(&self) -> bool {
        self.notes.trusted.load(Ordering::Relaxed) & self.notes.relied_on.load(Ordering::Relaxed) != 0
    }

    /// Takes a round of a loop for idle in which something was protected in the place of something else, if that is allowed
    /// and not known to be wrong.
    pub(super) fn trust(&self, bit: Loops, allowed: bool) -> bool {
        let speculative = allowed && self.notes.relied_on.load(Ordering::Relaxed) & bit == 0;
        if speculative {
            note(&self.notes.trusted, bit);
        }
        speculative
    }
}

impl<T: Track> Runner<T> {
    pub(super) fn protect(&mut self, hazard: u64, object: u64) {
        self.n_protected += 1;
        match self.protections.iter_mut().find(|p| p.hazard == hazard) {
            Some(p) => {
                p.replaced |= if p.object == 0 { 0 } else { p.rounds };
                (p.object, p.rounds) = (object, 0);
            }
            None if object == 0 => {}
            None => self.protections.push(Protection::new(hazard, object)),
        }
    }

    /// Whether something was protected in the place of something else in this round of a loop.
    pub(super) fn has_replaced(&self, bit: Loops) -> bool {
        self.protections.iter().any(|p| p.replaced & bit != 0)
    }

    /// How many things it has done, to protect objects included.
    pub(super) fn changes(&self) -> u32 {
        self.effects.wrapping_add(self.n_protected)
    }

    /// A round of a loop begins.
    pub(super) fn note_round(&mut self, bit: Loops) {
        for p in &mut self.protections {
            p.rounds |= bit;
            p.replaced &= !bit;
        }
    }

    /// An access may rely on what hazard pointers said before a round.
    #[inline]
    pub(super) fn note_access(&self, image: &Image, addr: u64) {
        if !self.protections.is_empty() {
            self.note_reliance(image, addr);
        }
    }

    fn note_reliance(&self, image: &Image, addr: u64) {
        let Some(accessed) = address::heap_object(addr) else { return };
        let protecting = || self.protections.iter().filter(|p| address::heap_object(p.object) == Some(accessed));
        if protecting().all(|p| p.rounds != 0) {
            note(&image.notes.relied_on, protecting().fold(0, |loops, p| loops | p.rounds));
        }
    }
}
