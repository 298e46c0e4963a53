//! Loops as a thread goes through them: how often, and whether a round has changed anything. One that has not, and would do the
//! same again, waits.

use super::code::{Code, Image, LoopInfo, Slot};
use super::run::{LoopState, NO_ADDRESS, Runner};
use super::step::{RunOptions, Step};
use super::track::Track;
use treville_ir::Wait;

impl<T: Track> Runner<T> {
    pub(super) fn pop_loop(&mut self) {
        if let Some(l) = self.loops.pop() {
            self.loop_slots.truncate(l.start as usize);
        }
    }

    /// At the head of a loop: has the last iteration changed anything, and may there be another?
    pub(super) fn at_loop(
        &mut self,
        image: &Image,
        code: &Code,
        base: usize,
        id: u16,
        options: &RunOptions,
    ) -> Option<Step> {
        let depth = self.frames.len() as u16;
        if self.goal == Some(id) {
            return Some(Step::Cut);
        }
        self.handles.before_round = self.handles.made;
        while self.loops.last().is_some_and(|l| l.depth == depth && !encloses(code, l.id, id)) {
            self.pop_loop();
        }
        let info = &code.loops[usize::from(id)];
        let is_round = self.loops.last().is_some_and(|l| (l.depth, l.id) == (depth, id));
        let tries = is_round && image.has_hazards && options.attempt_blocks && info.updates;
        let in_vain = tries && self.came_in_vain(image, id, base, options);
        let attempted = if in_vain { self.attempted_reads(image) } else { 0 };
        if in_vain && self.drops_round(self.reads.all.saturating_sub(attempted))
            || is_round && self.is_idle(image, base, info, options)
        {
            return Some(Step::Blocked { site: None, wait: Wait::Spin });
        }
        let read = self.last_read;
        let now = info.live.iter().map(|s| self.slots[base + usize::from(*s)]);
        match self.loops.last_mut().filter(|l| l.depth == depth && l.id == id) {
            None => {
                let start = self.loop_slots.len() as u32;
                self.loop_slots.extend(now);
                let has = |slots: &[Slot], word: u64| slots.iter().all(|s| self.slots[base + usize::from(*s)] == word);
                let seed = read.zip(info.seed.as_ref()).filter(|(read, seed)| {
                    seed.site == read.site && seed.words.iter().zip(read.words).all(|(slots, word)| has(slots, word))
                });
                let reads = self.reads.all - u32::from(seed.is_some());
                let seed = seed.map_or(NO_ADDRESS, |(read, _)| read.addr);
                let effects = self.effects;
                self.loops.push(LoopState { depth, id, count: 0, effects, reads, start, repeated: 0, seed });
            }
            Some(state) => {
                let start = state.start as usize;
                let before = &mut self.loop_slots[start..start + info.live.len()];
                state.count += 1;
                if options.bound.is_some_and(|bound| state.count > bound) {
                    return Some(Step::Cut);
                }
                (state.effects, state.repeated, state.reads) = (self.effects, 0, self.reads.all);
                // Only the first iteration comes right after the read.
                state.seed = NO_ADDRESS;
                before.iter_mut().zip(now).for_each(|(b, n)| *b = n);
            }
        }
        self.note_round(info.bit);
        None
    }

    /// At the head of the innermost loop: whether the last iteration has changed nothing, or has only failed to do what it
    /// may try again, and is dropped.
    fn is_idle(&mut self, image: &Image, base: usize, info: &LoopInfo, options: &RunOptions) -> bool {
        let Some(state) = self.loops.last() else { return false };
        let start = state.start as usize;
        let before = &self.loop_slots[start..start + info.live.len()];
        let now = info.live.iter().map(|s| self.slots[base + usize::from(*s)]);
        let same = || state.effects == self.effects && now.clone().eq(before.iter().copied());
        let again = || {
            state.effects + u32::from(state.repeated) == self.effects
                && self.last_read.zip(info.seed.as_ref()).is_some_and(|(read, seed)| {
                    let (of_seed, of_read) = (&image.sites[seed.site], &image.sites[read.site]);
                    read.addr == state.seed
                        && of_seed.order & !of_read.order == 0
                        && of_seed.size == of_read.size
                        && info.live.iter().zip(now.clone().zip(before)).all(|(slot, (now, before))| {
                            let word = seed.words.iter().position(|slots| slots.contains(slot));
                            now == word.map_or(*before, |word| read.words[word])
                        })
                })
        };
        let idle = options.idle_blocks && same() || options.retry_blocks && again();
        let since = state.reads;
        let trusted = || !self.has_replaced(info.bit) || image.trust(info.bit, options.speculative);
        idle && trusted() && self.drops_round(since)
    }

    /// Where a round of the innermost loop begins: has the last one changed anything? What there was then is kept after what
    /// there was at the head.
    pub(super) fn at_round(&mut self, code: &Code, base: usize, id: u16, options: &RunOptions) -> Option<Step> {
        let state = self.loops.last().filter(|l| l.id == id)?;
        let info = &code.loops[usize::from(id)];
        let kept = state.start as usize + info.live.len();
        let changes = u64::from(self.changes());
        let slots = info.round.iter().map(|s| base + usize::from(*s));
        let now = std::iter::once(changes).chain(slots.clone().map(|s| self.slots[s]));
        let last = self.loop_slots[kept..].split_first().filter(|_| options.idle_blocks);
        let since = last.filter(|(_, before)| now.eq(before.iter().copied())).map(|(since, _)| *since as u32);
        if since.is_some_and(|since| self.drops_round(since)) {
            return Some(Step::Blocked { site: None, wait: Wait::Spin });
        }
        self.loop_slots.truncate(kept);
        self.loop_slots.extend([u64::from(self.reads.all), changes]);
        self.loop_slots.extend(slots.map(|s| self.slots[s]));
        None
    }
}

/// Whether loop `outer` is `inner` or around it.
fn encloses(code: &Code, outer: u16, inner: u16) -> bool {
    let mut at = Some(inner);
    while let Some(id) = at {
        if id == outer {
            return true;
        }
        at = code.loops[usize::from(id)].parent;
    }
    false
}
