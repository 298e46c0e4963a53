//! Attempts: what a thread that uses hazard pointers has done since its last effect, and whether it could have got to the same
//! place with less.
//!
//! Such a thread finds an object, protects it, looks again whether the object is still there, and if not, or if somebody is
//! faster in the end, goes on with the object that it finds then, often in another loop than the one it began with. It is then
//! where it would be if it had found that object at once, which is another execution. So it may wait, like one whose round was
//! idle. To see this, the code is run once more from the first read after the last effect, with what was read later. What hazard
//! pointers say in the end they must not have said for longer then: what was unprotected for a moment may be gone.

use super::code::{Image, Ins, SiteId};
use super::hazards::Protection;
use super::run::Runner;
use super::step::{RunOptions, Step};
use super::track::Track;

/// What has been done since the last effect; over when its function returns.
#[derive(Clone, Default, Debug)]
pub(crate) struct Attempt {
    /// The first read, and the effects before it.
    pub(crate) pc: u32,
    pub(crate) depth: u16,
    pub(crate) effects: u32,
    /// The address of that read, and the slots that are needed after it.
    pub(crate) slots: Vec<u64>,
    pub(crate) protected: Vec<[u64; 2]>,
    pub(crate) done: Vec<Done>,
}

/// A step that is no effect. Of a read, where and what; of a protection, the hazard pointer and the object.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Done {
    pub(crate) site: SiteId,
    pub(crate) addr: u64,
    pub(crate) words: [u64; 2],
}

/// Longer ones are not looked at.
const MOST: usize = 32;

impl<T: Track> Runner<T> {
    /// A read was answered, at the present instruction.
    pub(super) fn note_read(&mut self, image: &Image, done: Done) {
        if self.goal.is_some() {
            return;
        }
        let Some(frame) = self.frames.last() else { return };
        let ins = image.codes[frame.func as usize].ins[self.pc as usize];
        let depth = self.frames.len() as u16;
        let goes_on = (self.attempt.effects, self.attempt.depth) == (self.effects, depth);
        match ins {
            Ins::Load { addr, site, .. } if !goes_on => {
                let slots = image.sites[site].live.iter().chain([&addr]);
                let slots = slots.map(|s| self.slots[frame.base as usize + usize::from(*s)]).collect();
                let protected =
                    self.protections.iter().filter(|p| p.object != 0).map(|p| [p.hazard, p.object]).collect();
                let (pc, effects) = (self.pc, self.effects);
                self.attempt = Attempt { pc, depth, effects, slots, protected, done: vec![done] };
            }
            _ => self.note_done(done),
        }
    }

    pub(super) fn note_done(&mut self, done: Done) {
        if self.attempt.effects == self.effects && self.attempt.depth > 0 && self.attempt.done.len() <= MOST {
            self.attempt.done.push(done);
        }
    }

    /// Whether the thread, at the head of a loop, could have come here with fewer of the steps since its last effect.
    pub(super) fn came_in_vain(&self, image: &Image, id: u16, base: usize, options: &RunOptions) -> bool {
        let attempt = &self.attempt;
        let here = (attempt.effects, attempt.depth) == (self.effects, self.frames.len() as u16);
        if !here || attempt.done.len() > MOST {
            return false;
        }
        let first = attempt.done[0];
        let again = |(_, done): &(usize, &Done)| done.addr == first.addr && serves(image, done.site, first.site);
        let mut starts = attempt.done.iter().enumerate().skip(1).filter(again);
        starts.any(|(from, _)| self.comes(image, id, base, from, options))
    }

    /// How many reads there were since the last effect.
    pub(super) fn attempted_reads(&self, image: &Image) -> u32 {
        self.attempt.done.iter().filter(|done| image.sites[done.site].is_read()).count() as u32
    }

    /// Whether it comes here with the steps from one of them on.
    fn comes(&self, image: &Image, id: u16, base: usize, from: usize, options: &RunOptions) -> bool {
        let attempt = &self.attempt;
        let mut trial = Runner::<()> {
            thread: self.thread,
            slots: self.slots.clone(),
            frames: self.frames.clone(),
            pc: attempt.pc,
            n_allocs: self.n_allocs,
            effects: self.effects,
            private: self.private.clone(),
            private_objects: self.private_objects.clone(),
            private_terms: self.private_terms.clone(),
            goal: Some(id),
            ..Runner::default()
        };
        trial.protections =
            attempt.protected.iter().map(|[hazard, object]| Protection::new(*hazard, *object)).collect();
        let Some(frame) = self.frames.last() else { return false };
        let code = &image.codes[frame.func as usize];
        let Ins::Load { addr, site, .. } = code.ins[attempt.pc as usize] else { return false };
        for (slot, word) in image.sites[site].live.iter().chain([&addr]).zip(&attempt.slots) {
            trial.slots[base + usize::from(*slot)] = *word;
        }
        let options = RunOptions { bound: None, ..options.with_idle_rounds(false) };
        let mut said = Said::before(attempt);
        let mut left = attempt.done.iter().enumerate().skip(from);
        loop {
            match trial.run(image, &options) {
                Step::Load { site, addr } => {
                    let found = left.find(|(_, d)| d.addr == addr && serves(image, d.site, site));
                    let Some((_, done)) = found else { return false };
                    trial.give_words(image, done.words);
                }
                Step::Store { site, addr, words } if image.sites[site].protects => {
                    let same = |(_, d): &(usize, &Done)| (d.addr, d.words) == (addr, words);
                    let found = left.find(|d| image.sites[d.1.site].protects && same(d));
                    let Some((at, done)) = found else { return false };
                    said.note(at, done);
                }
                Step::Fence { site } => {
                    if !left.any(|(_, d)| image.sites[d.site].kind == image.sites[site].kind) {
                        return false;
                    }
                }
                Step::Cut => break,
                _ => return false,
            }
        }
        let live = &code.loops[usize::from(id)].live;
        trial.effects == self.effects
            && trial.frames.len() == self.frames.len()
            && (&trial.private, &trial.private_objects) == (&self.private, &self.private_objects)
            && live.iter().all(|s| trial.slots[base + usize::from(*s)] == self.slots[base + usize::from(*s)])
            && said.stands_for(&Said::after(image, attempt))
    }
}

/// What hazard pointers say, and since which step of an attempt.
struct Said(Vec<Saying>);

struct Saying {
    hazard: u64,
    object: u64,
    /// None if it said so before the attempt.
    since: Option<usize>,
}

impl Said {
    fn before(attempt: &Attempt) -> Said {
        let saying = |[hazard, object]: &[u64; 2]| Saying { hazard: *hazard, object: *object, since: None };
        Said(attempt.protected.iter().map(saying).collect())
    }

    fn after(image: &Image, attempt: &Attempt) -> Said {
        let mut said = Said::before(attempt);
        let steps = attempt.done.iter().enumerate().filter(|(_, done)| image.sites[done.site].protects);
        steps.for_each(|(at, done)| said.note(at, done));
        said
    }

    /// A hazard pointer is set. To set it to what it says already interrupts nothing.
    fn note(&mut self, at: usize, done: &Done) {
        let (hazard, object) = (done.addr, done.words[0]);
        match self.0.iter_mut().find(|s| s.hazard == hazard) {
            Some(saying) if saying.object == object => {}
            Some(saying) => (saying.object, saying.since) = (object, Some(at)),
            None => self.0.push(Saying { hazard, object, since: Some(at) }),
        }
    }

    /// Whether the same is protected, and nothing for longer: an access that fails later fails as well.
    fn stands_for(&self, other: &Said) -> bool {
        let pointing = |said: &Said| said.0.iter().filter(|s| s.object != 0).count();
        let counterpart = |s: &Saying| other.0.iter().find(|o| (o.hazard, o.object) == (s.hazard, s.object));
        let mut all = self.0.iter().filter(|s| s.object != 0);
        pointing(self) == pointing(other) && all.all(|s| counterpart(s).is_some_and(|o| o.since <= s.since))
    }
}

/// Whether a read can stand for another one, at the same place.
fn serves(image: &Image, done: SiteId, wanted: SiteId) -> bool {
    let (done, wanted) = (&image.sites[done], &image.sites[wanted]);
    done.size == wanted.size && done.is_read() && wanted.order & !done.order == 0
}
