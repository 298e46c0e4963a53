//! What a thread does that others, or later iterations of a loop, can see; the rest of a loop's work is waiting.

use super::attempts::Done;
use super::code::{Image, Site, SiteId, SiteKind};
use super::run::{LoopState, NO_ADDRESS, Runner};
use super::step::address;
use super::symbols::{is_term, term_of};
use super::track::Track;

impl<T: Track> Runner<T> {
    /// A store to shared memory is an effect, but for what a hazard pointer protects.
    pub(super) fn note_store(&mut self, image: &Image, site: SiteId, addr: u64, words: [u64; 2]) {
        if image.sites[site].protects {
            self.note_done(Done { site, addr, words });
            self.effects += u32::from(image.changes.hazards);
            return self.protect(addr, words[0]);
        }
        let site = &image.sites[site];
        self.effects += 1;
        words.into_iter().for_each(|word| self.publish(image, word));
        if site.kind != SiteKind::Unlock {
            self.note_first(site, addr);
        } else if !image.changes.releases {
            self.note_release(site);
        }
    }

    /// If a store is the first thing that a loop does, and nobody else knows of the object, the next iteration has it anew.
    fn note_first(&mut self, site: &Site, addr: u64) {
        let depth = self.frames.len() as u16;
        let unknown = self.keeps_to_itself(addr);
        let here = |l: &&mut LoopState| l.depth == depth && site.first_in == Some(l.id);
        if let Some(state) = self.loops.last_mut().filter(here) {
            state.repeated = state.repeated.saturating_add(u16::from(unknown));
        }
    }

    /// A lock that is taken and released again in the same iteration is no effect, where nobody tries locks and so sees it.
    /// What others did next in the order of the lock they could also have done right after what came before it.
    fn note_release(&mut self, site: &Site) {
        const BOTH: u32 = 2;
        let depth = self.frames.len() as u16;
        // Loops inside this one that have ended may still be there.
        let here = |l: &&mut LoopState| l.depth == depth && site.first_in == Some(l.id);
        let Some(state) = self.loops.iter_mut().rfind(here) else { return };
        let taken_here = |since: u32| since > state.effects;
        if taken_here(self.released) {
            let others = self.held.iter_mut().filter(|(_, since)| taken_here(*since));
            others.for_each(|(_, since)| *since += BOTH);
            state.effects += BOTH;
        }
    }

    /// Whether an address is in an object that this thread has made and no other thread knows of.
    pub fn keeps_to_itself(&self, addr: u64) -> bool {
        self.own_object(addr).is_some_and(|n| n < 64 && self.published & (1 << n) == 0)
    }

    /// The number of the object that an address is in, whatever its upper bits say, if this thread has made it.
    pub(super) fn own_object(&self, addr: u64) -> Option<u32> {
        let (thread, number) = address::heap_object(addr & NO_ADDRESS)?;
        (thread == self.thread).then_some(number)
    }

    /// A value that others get to see may be the address of an object.
    #[inline]
    pub(super) fn publish(&mut self, image: &Image, value: u64) {
        if let Some(n) = self.own_object(value).filter(|n| *n < 64) {
            self.published |= 1 << n;
        } else if T::SYMBOLIC && is_term(value) {
            self.publish_term(image, value);
        }
    }

    /// It may be computed from addresses.
    #[cold]
    fn publish_term(&mut self, image: &Image, word: u64) {
        let Some(symbols) = image.symbols() else { return };
        let constants = symbols.lock().constants_of(term_of(word));
        let own = constants.into_iter().filter_map(|constant| self.own_object(constant)).filter(|n| *n < 64);
        self.published |= own.fold(0, |all, n| all | 1 << n);
    }
}
