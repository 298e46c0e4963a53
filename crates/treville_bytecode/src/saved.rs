//! States of a runner as words: small enough to keep one for every read of an execution.

use super::attempts::Done;
use super::code::{Image, Ins, SiteId, Slot};
use super::hazards::Protection;
use super::run::{Frame, LoopState, NO_ADDRESS, Runner};

/// Set in the number of unknown values in private memory if handles follow.
const HAS_HANDLES: u32 = 1 << 31;

impl Runner {
    /// Appends the state of a runner that waits for an answer.
    pub fn save(&self, image: &Image, out: &mut Vec<u64>) {
        out.push(pair(self.n_allocs, self.effects));
        out.push(pair(self.spin, self.pc));
        out.push(pair(self.frames.len() as u32, self.loops.len() as u32));
        out.push(pair(self.private.len() as u32, self.private_objects.len() as u32));
        out.push(pair(self.stack.len() as u32, self.held.len() as u32));
        out.push(self.published);
        out.push(pair(self.reads.all, self.reads.keeping));
        out.push(pair(self.reads.kept, self.reads.spin));
        for (i, frame) in self.frames.iter().enumerate() {
            out.push(pair(frame.func, frame.pc));
            out.push(u64::from(frame.dst) | u64::from(frame.n_private) << 16 | u64::from(frame.n_stack) << 32);
            out.push(u64::from(frame.private));
            let live = live(image, frame, if i + 1 == self.frames.len() { Some(self.pc) } else { None });
            out.extend(live.iter().map(|s| self.slots[frame.base as usize + usize::from(*s)]));
        }
        for l in &self.loops {
            out.push(u64::from(l.depth) | u64::from(l.id) << 16 | u64::from(l.count) << 32);
            out.push(pair(l.effects, l.start));
            out.push(l.seed | u64::from(l.repeated) << 48);
            out.push(u64::from(l.reads));
        }
        let has_handles = self.handles.made > 0;
        let n_terms = self.private_terms.len() as u32 | if has_handles { HAS_HANDLES } else { 0 };
        out.push(pair(self.loop_slots.len() as u32, n_terms));
        out.extend(&self.loop_slots);
        out.extend(&self.stack);
        out.extend(self.held.iter().flat_map(|(lock, since)| [*lock, u64::from(*since)]));
        out.extend(self.private_objects.iter().map(|(b, s)| pair(*b, *s)));
        out.extend(self.private.chunks(8).map(|c| {
            let mut word = [0; 8];
            word[..c.len()].copy_from_slice(c);
            u64::from_le_bytes(word)
        }));
        out.extend(self.private_terms.iter().flat_map(|(begin, size, word)| [pair(*begin, u32::from(*size)), *word]));
        if image.has_hazards {
            self.save_hazards(out);
        }
        if has_handles {
            out.push(pair(self.handles.made, self.handles.before_round));
            out.push(self.handles.moved.len() as u64);
            out.extend(self.handles.moved.iter().map(|(id, site)| pair(*id, site.0)));
        }
    }

    /// Brings back a state that [`Runner::save`] wrote, of the same thread.
    pub fn restore(&mut self, image: &Image, thread: u32, words: &[u64]) {
        let mut words = words.iter().copied();
        let mut next = || words.next().unwrap_or_default();
        self.thread = thread;
        self.decided = None;
        (self.n_allocs, self.effects) = split(next());
        (self.spin, self.pc) = split(next());
        let (n_frames, n_loops) = split(next());
        let (n_bytes, n_private) = split(next());
        let (n_stack, n_held) = split(next());
        self.published = next();
        (self.reads.all, self.reads.keeping) = split(next());
        (self.reads.kept, self.reads.spin) = split(next());
        let same = self.frames.len() == n_frames as usize && n_frames == 1;
        let resident = same.then(|| self.frames[0].func);
        self.frames.clear();
        if resident.is_none() {
            self.slots.clear();
        }
        for i in 0..n_frames {
            let (func, pc) = split(next());
            let word = next();
            let private = next() as u32;
            let code = &image.codes[func as usize];
            // The constants of the one frame are still there if it is of the same function.
            let base = if resident == Some(func) { 0 } else { self.slots.len() };
            if resident != Some(func) {
                if same {
                    self.slots.clear();
                }
                let base = self.slots.len();
                self.slots.resize(base + usize::from(code.slots), 0);
                for (slot, value) in &code.constants {
                    self.slots[base + usize::from(*slot)] = *value;
                }
            }
            let base = if same { 0 } else { base };
            let frame = Frame {
                func,
                pc,
                base: base as u32,
                dst: word as Slot,
                private,
                n_private: (word >> 16) as u16,
                n_stack: (word >> 32) as u16,
            };
            let at = if i + 1 == n_frames { Some(self.pc) } else { None };
            for slot in live(image, &frame, at) {
                self.slots[base + usize::from(*slot)] = next();
            }
            self.frames.push(frame);
        }
        self.loops.clear();
        for _ in 0..n_loops {
            let word = next();
            let (effects, start) = split(next());
            let last = next();
            self.loops.push(LoopState {
                depth: word as u16,
                id: (word >> 16) as u16,
                count: (word >> 32) as u32,
                effects,
                reads: next() as u32,
                start,
                repeated: (last >> 48) as u16,
                seed: last & NO_ADDRESS,
            });
        }
        let (n, n_terms) = split(next());
        self.loop_slots.clear();
        self.loop_slots.extend((0..n).map(|_| next()));
        self.stack.clear();
        self.stack.extend((0..n_stack).map(|_| next()));
        self.held.clear();
        self.held.extend((0..n_held).map(|_| (next(), next() as u32)));
        self.private_objects.clear();
        self.private_objects.extend((0..n_private).map(|_| split(next())));
        self.private.clear();
        while self.private.len() < n_bytes as usize {
            self.private.extend(next().to_le_bytes());
        }
        self.private.truncate(n_bytes as usize);
        self.private_terms.clear();
        self.private_terms.extend((0..n_terms & !HAS_HANDLES).map(|_| {
            let (begin, size) = split(next());
            (begin, size as u8, next())
        }));
        if image.has_hazards {
            self.restore_hazards(&mut next);
        }
        self.handles.moved.clear();
        (self.handles.made, self.handles.before_round) = (0, 0);
        if n_terms & HAS_HANDLES != 0 {
            (self.handles.made, self.handles.before_round) = split(next());
            let n_moved = next();
            self.handles.moved.extend((0..n_moved).map(|_| split(next())).map(|(id, site)| (id, SiteId(site))));
        }
    }
}

/// What its hazard pointers say, and what it has done since its last effect.
impl Runner {
    fn save_hazards(&self, out: &mut Vec<u64>) {
        let attempt = &self.attempt;
        out.push(pair(self.n_protected, self.protections.len() as u32));
        out.extend(self.protections.iter().flat_map(|p| [p.hazard, p.object, p.rounds, p.replaced]));
        out.push(pair(attempt.pc, attempt.effects));
        out.push(pair(u32::from(attempt.depth), attempt.slots.len() as u32));
        out.push(pair(attempt.protected.len() as u32, attempt.done.len() as u32));
        out.extend(&attempt.slots);
        out.extend(attempt.protected.iter().flatten());
        out.extend(attempt.done.iter().flat_map(|d| [u64::from(d.site.0), d.addr, d.words[0], d.words[1]]));
    }

    fn restore_hazards(&mut self, next: &mut dyn FnMut() -> u64) {
        let (n_protected, n) = split(next());
        self.n_protected = n_protected;
        self.protections.clear();
        self.protections.extend((0..n).map(|_| {
            let (hazard, object) = (next(), next());
            Protection { hazard, object, rounds: next(), replaced: next() }
        }));
        let attempt = &mut self.attempt;
        (attempt.pc, attempt.effects) = split(next());
        let (depth, n_slots) = split(next());
        let (n_objects, n_done) = split(next());
        attempt.depth = depth as u16;
        attempt.slots.clear();
        attempt.slots.extend((0..n_slots).map(|_| next()));
        attempt.protected.clear();
        attempt.protected.extend((0..n_objects).map(|_| [next(), next()]));
        attempt.done.clear();
        attempt.done.extend((0..n_done).map(|_| {
            let (site, addr) = (SiteId(next() as u32), next());
            Done { site, addr, words: [next(), next()] }
        }));
    }
}

/// The slots of a frame that matter: of the frame on top, those that its waiting instruction leaves live; of the others,
/// those that are needed after their call.
fn live<'a>(image: &'a Image, frame: &Frame, top: Option<u32>) -> &'a [Slot] {
    let code = &image.codes[frame.func as usize];
    match top {
        Some(pc) => match code.ins[pc as usize] {
            Ins::Load { site, .. }
            | Ins::UpdateRead { site, .. }
            | Ins::Spawn { site, .. }
            | Ins::Join { site, .. }
            | Ins::Nondet { site, .. } => &image.sites[site].live,
            _ => &[],
        },
        // It goes on after the call.
        None => {
            let at = code.after_call.binary_search_by_key(&(frame.pc.wrapping_sub(1)), |(pc, _)| *pc);
            at.map_or(&[], |i| &code.after_call[i].1)
        }
    }
}

fn pair(a: u32, b: u32) -> u64 {
    u64::from(a) | u64::from(b) << 32
}

fn split(word: u64) -> (u32, u32) {
    (word as u32, (word >> 32) as u32)
}
