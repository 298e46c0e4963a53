//! Running compiled code: one thread, up to the next step that the engine has to know of.

use super::addresses::may_be_named;
use super::attempts::{Attempt, Done};
use super::code::{Code, Image, Ins, NOWHERE, SiteId, SiteKind, Slot};
use super::handles::Handles;
use super::hazards::Protection;
use super::index::Index;
use super::rounds::Reads;
use super::step::{RunOptions, Step, address};
use super::symbols::is_term;
use super::track::{Dependencies, StepDeps, Track};
use treville_ir::{Failure, FuncId, HandleOp, Program, Reg, Storage, Wait};
use treville_term::UnOp;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) func: u32,
    /// Where to go on; kept here for all frames but the last.
    pub(crate) pc: u32,
    pub(crate) base: u32,
    /// Where the caller wants the result.
    pub(crate) dst: Slot,
    /// How much private memory, how many private objects and how many escaping ones there were before.
    pub(crate) private: u32,
    pub(crate) n_private: u16,
    pub(crate) n_stack: u16,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct LoopState {
    pub(crate) depth: u16,
    pub(crate) id: u16,
    pub(crate) count: u32,
    pub(crate) effects: u32,
    /// How many reads there were before this iteration; the one that the loop was entered after is part of the first.
    pub(crate) reads: u32,
    /// Where its part of `loop_slots` begins.
    pub(crate) start: u32,
    /// The effects of this iteration that the next one has anew.
    pub(crate) repeated: u16,
    /// The address of the read that the loop was entered after; [`NO_ADDRESS`] if there is none.
    pub(crate) seed: u64,
}

/// A read of shared memory: where, what, and which.
#[derive(Clone, Copy, Debug)]
pub(super) struct LastRead {
    pub(super) addr: u64,
    pub(super) words: [u64; 2],
    pub(super) site: SiteId,
}

/// No address is this large: they have 48 bits.
pub(crate) const NO_ADDRESS: u64 = (1 << 48) - 1;

/// One thread; with [`Dependencies`], it also keeps what its values depend on.
#[derive(Clone, Debug, Default)]
pub struct Runner<T = ()> {
    pub(crate) thread: u32,
    pub(crate) slots: Vec<u64>,
    pub(crate) frames: Vec<Frame>,
    pub(crate) pc: u32,
    pub(crate) n_allocs: u32,
    /// How many things it has done that others, or later iterations, can see.
    pub(crate) effects: u32,
    pub(crate) spin: u32,
    /// What the update that is under way has read.
    pub(super) updated: [u64; 2],
    /// The upper word of 16 bytes that were just read, or are about to be written; and where that came from.
    pub(super) upper: u64,
    pub(super) upper_slot: Option<usize>,
    /// The last read of shared memory.
    pub(super) last_read: Option<LastRead>,
    /// Which of its first 64 objects others may know of.
    pub(crate) published: u64,
    pub(crate) private: Vec<u8>,
    /// Begin and size of each private object.
    pub(crate) private_objects: Vec<(u32, u32)>,
    /// Where private memory has unknown values: begin, size and the word, none overlapping.
    pub(crate) private_terms: Vec<(u32, u8, u64)>,
    /// The word that [`Step::Decide`] or [`Step::Place`] is about.
    pub(super) asked: u64,
    /// The last word that was decided, and its value.
    pub(super) decided: Option<(u64, u64)>,
    /// Escaping objects of the active functions.
    pub(crate) stack: Vec<u64>,
    /// Locks that it holds, and how many effects there were when it had taken each.
    pub(crate) held: Vec<(u64, u32)>,
    /// What its hazard pointers say, of those that have ever protected anything.
    pub(crate) protections: Vec<Protection>,
    /// How often it has set them.
    pub(crate) n_protected: u32,
    /// What it has done since its last effect, if it uses hazard pointers.
    pub(crate) attempt: Attempt,
    /// The loop at which it stops, if it only runs to see whether it gets there.
    pub(super) goal: Option<u16>,
    /// The number of effects with the lock that was released last.
    pub(super) released: u32,
    pub(crate) reads: Reads,
    /// How many of them are in the round that was dropped last.
    pub(super) dropped: u32,
    pub(crate) loops: Vec<LoopState>,
    pub(crate) loop_slots: Vec<u64>,
    pub(crate) handles: Handles,
    pub(super) track: T,
}

impl Runner<Dependencies> {
    /// Starts the thread anew; its arguments come from this event.
    pub fn start_after(&mut self, image: &Image, thread: u32, func: FuncId, args: &[u64], event: u32) {
        self.start(image, thread, func, args);
        self.track.set_events(event..event + 1);
        image.codes[func.0 as usize].params.iter().for_each(|param| self.track.answer(usize::from(*param)));
    }

    /// Answers with what these events have read.
    pub fn give_from(&mut self, image: &Image, words: [u64; 2], events: std::ops::Range<u32>) {
        self.track.set_events(events);
        self.give_words(image, words);
    }

    /// What the step that the runner stopped at depends on.
    pub fn step_deps(&self) -> &StepDeps {
        self.track.of_step()
    }
}

impl<T: Track> Runner<T> {
    /// Starts the thread anew.
    pub fn start(&mut self, image: &Image, thread: u32, func: FuncId, args: &[u64]) {
        self.thread = thread;
        self.slots.clear();
        self.frames.clear();
        self.private.clear();
        self.private_objects.clear();
        self.private_terms.clear();
        self.stack.clear();
        self.held.clear();
        self.protections.clear();
        self.loops.clear();
        self.loop_slots.clear();
        (self.n_allocs, self.effects, self.n_protected, self.spin, self.published) = (0, 0, 0, 0, 0);
        self.last_read = None;
        self.reads = Reads::default();
        self.attempt = Attempt::default();
        self.handles = Handles::default();
        self.decided = None;
        self.track = T::default();
        self.enter(image, func.0, NOWHERE);
        for (param, arg) in image.codes[func.0 as usize].params.iter().zip(args) {
            self.slots[usize::from(*param)] = *arg;
        }
    }

    /// The value of a register of the function that the thread began with, once that has ended.
    pub fn register(&self, reg: Reg) -> u64 {
        self.slots.get(reg.0 as usize).copied().unwrap_or_default()
    }

    /// The arguments of the thread that a [`Step::Spawn`] is about.
    pub fn spawn_args(&self, image: &Image, out: &mut Vec<u64>) {
        let Some(frame) = self.frames.last() else { return };
        let code = &image.codes[frame.func as usize];
        if let Ins::Spawn { args, .. } = code.ins[self.pc as usize] {
            let base = frame.base as usize;
            out.extend(code.args[args as usize].iter().map(|s| self.slots[base + usize::from(*s)]));
        }
    }

    /// A frame for a call of `func`.
    fn enter(&mut self, image: &Image, func: u32, dst: Slot) {
        let code = &image.codes[func as usize];
        let base = self.slots.len();
        self.frames.push(Frame {
            func,
            pc: 0,
            base: base as u32,
            dst,
            private: self.private.len() as u32,
            n_private: self.private_objects.len() as u16,
            n_stack: self.stack.len() as u16,
        });
        self.slots.resize(base + usize::from(code.slots), 0);
        self.track.slots(self.slots.len());
        for (slot, value) in &code.constants {
            self.slots[base + usize::from(*slot)] = *value;
        }
        self.pc = 0;
    }

    /// Answers the step that is waited on.
    pub fn give(&mut self, image: &Image, value: u64) {
        self.give_words(image, [value, 0]);
    }

    /// Answers with the words of up to 16 bytes.
    pub fn give_words(&mut self, image: &Image, words: [u64; 2]) {
        let Some(frame) = self.frames.last().copied() else { return };
        let [value, upper] = words;
        (self.updated, self.upper) = (words, upper);
        let ins = image.codes[frame.func as usize].ins[self.pc as usize];
        if let Ins::Load { addr, site, .. } | Ins::UpdateRead { addr, site, .. } = ins {
            let addr = self.slots[frame.base as usize + usize::from(addr)];
            self.count_read(image, site);
            // No loop waits for what is at an unknown address.
            self.last_read = (!is_term(addr)).then_some(LastRead { addr, words, site });
            if image.has_hazards {
                self.note_read(image, Done { site, addr, words });
            }
        }
        let dst = match ins {
            Ins::Load { dst, .. }
            | Ins::UpdateRead { dst, .. }
            | Ins::Spawn { dst, .. }
            | Ins::Join { dst, .. }
            | Ins::Nondet { dst, .. } => dst,
            _ => return,
        };
        if dst != NOWHERE {
            self.slots[frame.base as usize + usize::from(dst)] = value;
            self.track.answer(frame.base as usize + usize::from(dst));
        }
        self.pc += 1;
    }

    /// Answers [`Step::Decide`] or [`Step::Place`]: what was asked for has this value, wherever the thread has it in its slots.
    pub fn decide(&mut self, value: u64) {
        let asked = self.asked;
        self.decided = Some((asked, value));
        self.slots.iter_mut().filter(|word| **word == asked).for_each(|word| *word = value);
    }

    /// Runs up to the next step.
    pub fn run(&mut self, image: &Image, options: &RunOptions) -> Step {
        match T::SYMBOLIC && image.symbols.is_some() {
            true => self.run_frames::<true>(image, options),
            false => self.run_frames::<false>(image, options),
        }
    }

    fn run_frames<const SYMBOLIC: bool>(&mut self, image: &Image, options: &RunOptions) -> Step {
        let mut fuel = options.fuel;
        loop {
            let Some(frame) = self.frames.last().copied() else { return Step::End(0) };
            let code = &image.codes[frame.func as usize];
            let outcome = self.run_frame::<SYMBOLIC>(image, code, frame, options, &mut fuel);
            if let Some(step) = outcome {
                return step;
            }
        }
    }

    /// Runs until a step, or until another frame is on top. Without `SYMBOLIC`, all words are numbers.
    fn run_frame<const SYMBOLIC: bool>(
        &mut self,
        image: &Image,
        code: &Code,
        frame: Frame,
        options: &RunOptions,
        fuel: &mut u32,
    ) -> Option<Step> {
        let base = frame.base as usize;
        let mut pc = self.pc;
        macro_rules! get {
            ($slot:expr) => {
                self.slots[base + usize::from($slot)]
            };
        }
        macro_rules! set {
            ($slot:expr, $value:expr) => {{
                let value = $value;
                self.slots[base + usize::from($slot)] = value;
            }};
        }
        // Some bits of a word, which may be an address.
        macro_rules! part {
            ($src:expr, $dst:expr, $value:expr) => {{
                let value = $value;
                if may_be_named($src) {
                    self.note_part(image, $src, value);
                }
                set!($dst, value);
            }};
        }
        // A number, kept apart from the names of terms.
        macro_rules! number {
            ($value:expr) => {{
                let value = $value;
                match (SYMBOLIC && is_term(value)).then_some(&image.symbols) {
                    Some(Some(symbols)) => symbols.number(value),
                    _ => value,
                }
            }};
        }
        // What is computed with terms if one of the words names one, and with numbers otherwise.
        macro_rules! either {
            ([$($word:expr),*], $symbols:ident => $term:expr, $value:expr) => {
                match (SYMBOLIC && ($(is_term($word))||*)).then_some(&image.symbols) {
                    Some(Some($symbols)) => $term,
                    _ => number!($value),
                }
            };
        }
        // Stops until what a word stands for is known.
        macro_rules! ask {
            ($word:expr, $step:expr) => {{
                self.asked = $word;
                self.pc = pc - 1;
                return Some($step);
            }};
        }
        // The address of an access, which must be known to go on, unless it is one to an element of a private array.
        macro_rules! place {
            ($slot:expr, $site:expr, ($addr:ident, $array:ident) => $access:expr) => {{
                let $addr = get!($slot);
                match (SYMBOLIC && is_term($addr)).then_some(&image.symbols) {
                    Some(Some(symbols)) => match symbols.known($addr) {
                        Some(value) => value,
                        None => match self.index(symbols, $addr, image.sites[$site].size) {
                            Index::Element($array) => {
                                $access;
                                continue;
                            }
                            Index::Ask(inside) => ask!(inside, Step::Decide { site: Some($site), word: inside }),
                            Index::Elsewhere => ask!($addr, Step::Place { site: $site, addr: $addr }),
                        },
                    },
                    _ => $addr,
                }
            }};
        }
        // The number in a slot, which must be known to go on; otherwise this step is the next.
        macro_rules! known {
            ($slot:expr, $site:expr) => {
                known!($slot, word => Step::Decide { site: $site, word })
            };
            ($slot:expr, $word:ident => $step:expr) => {{
                let $word = get!($slot);
                match (SYMBOLIC && is_term($word)).then_some(&image.symbols) {
                    Some(Some(symbols)) => match symbols.known($word) {
                        Some(value) => value,
                        None => ask!($word, $step),
                    },
                    _ => $word,
                }
            }};
        }
        macro_rules! flow {
            ($dst:expr $(, $from:expr)*) => {
                self.track.flow(base + usize::from($dst), &[$(base + usize::from($from)),*])
            };
        }
        macro_rules! at {
            ($slot:expr) => {
                base + usize::from($slot)
            };
        }
        macro_rules! stop {
            ($at:expr, $step:expr) => {{
                self.pc = $at;
                return Some($step);
            }};
        }
        loop {
            let ins = code.ins[pc as usize];
            pc += 1;
            match ins {
                Ins::Move { dst, src } => {
                    set!(dst, get!(src));
                    flow!(dst, src);
                }
                Ins::Bin { op, width, dst, a, b } => {
                    let (x, y) = (get!(a), get!(b));
                    let result = either!([x, y], symbols => symbols.bin(op, width, x, y), op.eval_word(width, x, y));
                    if may_be_named(x | y) {
                        self.note_operator(image, op, x, y, result);
                    }
                    set!(dst, result);
                    flow!(dst, a, b);
                }
                Ins::Not { width, dst, src } => {
                    let x = get!(src);
                    part!(x, dst, either!([x], symbols => symbols.un(UnOp::Not, width, x), low(width, !x)));
                    flow!(dst, src);
                }
                Ins::Neg { width, dst, src } => {
                    let x = get!(src);
                    let negated = low(width, x.wrapping_neg());
                    part!(x, dst, either!([x], symbols => symbols.un(UnOp::Neg, width, x), negated));
                    flow!(dst, src);
                }
                Ins::Low { width, dst, src } => {
                    let x = get!(src);
                    part!(x, dst, either!([x], symbols => symbols.low(width, x), low(width, x)));
                    flow!(dst, src);
                }
                Ins::Sign { from, to, dst, src } => {
                    let spare = 64 - u32::from(from);
                    let x = get!(src);
                    let extended = low(to, (((x << spare) as i64) >> spare) as u64);
                    part!(x, dst, either!([x], symbols => symbols.sign(from, to, x), extended));
                    flow!(dst, src);
                }
                Ins::Select { dst, cond, yes, no } => {
                    let (c, y, n) = (get!(cond), get!(yes), get!(no));
                    set!(
                        dst,
                        match (SYMBOLIC && is_term(c)).then_some(&image.symbols) {
                            Some(Some(symbols)) => {
                                self.note_choice(image, [y, n]);
                                symbols.select(c, y, n)
                            }
                            _ if c == 0 => n,
                            _ => y,
                        }
                    );
                    flow!(dst, cond, yes, no);
                }
                Ins::Local { dst, src } => {
                    set!(dst, address::local(self.thread, get!(src)));
                    flow!(dst, src);
                }
                Ins::Goto(to) => pc = jump(pc, to, fuel),
                Ins::If { cond, then, els } => {
                    let decided = known!(cond, None);
                    self.track.branch(at!(cond));
                    pc = jump(pc, if decided == 0 { els } else { then }, fuel);
                }
                Ins::Loop(id) => {
                    if let Some(step) = self.at_loop(image, code, base, id, options) {
                        stop!(pc - 1, step);
                    }
                    if *fuel == 0 {
                        stop!(pc - 1, Step::Endless);
                    }
                }
                Ins::Round(id) => {
                    if let Some(step) = self.at_round(code, base, id, options) {
                        stop!(pc - 1, step);
                    }
                }
                Ins::Load { dst, addr: place, site } => {
                    let addr = place!(place, site, (addr, array) => set!(dst, self.load_element(image, addr, array)));
                    if !is_private(addr) {
                        self.note_access(image, addr);
                        self.track.step(Some(at!(place)), &[]);
                        stop!(pc - 1, Step::Load { site, addr });
                    }
                    match self.private_load(image, addr, image.sites[site].size) {
                        Some((words, range)) => {
                            self.note_bytes(image, &range);
                            set!(dst, words[0]);
                            self.upper = words[1];
                            self.track.load(at!(dst), at!(place), range);
                        }
                        None => stop!(pc - 1, Step::Fail { site: Some(site), failure: Failure::InvalidAccess }),
                    }
                }
                Ins::High { dst, low } => {
                    set!(dst, self.upper);
                    flow!(dst, low);
                }
                Ins::Upper { src } => (self.upper, self.upper_slot) = (get!(src), Some(at!(src))),
                Ins::Store { addr: place, value: from, site } => {
                    let addr = place!(place, site, (addr, array) => self.store_element(image, addr, array, get!(from)));
                    let mut value = get!(from);
                    if SYMBOLIC && is_term(value) && image.sites[site].protects {
                        value = known!(from, Some(site));
                    }
                    let (words, sources) = self.written(value, at!(from));
                    if !is_private(addr) {
                        self.note_access(image, addr);
                        self.note_store(image, site, addr, words);
                        self.track.step(Some(at!(place)), &sources);
                        stop!(pc, Step::Store { site, addr, words });
                    }
                    // It may be read again byte by byte.
                    words.into_iter().for_each(|word| self.publish(image, word));
                    match self.private_store(image, addr, image.sites[site].size, words) {
                        Some(range) => self.track.store(range, at!(place), &sources),
                        None => stop!(pc - 1, Step::Fail { site: Some(site), failure: Failure::InvalidAccess }),
                    }
                }
                Ins::UpdateRead { dst, addr: place, site } => {
                    let addr = known!(place, addr => Step::Place { site, addr });
                    self.track.update(true);
                    if !is_private(addr) {
                        self.note_access(image, addr);
                        self.track.step(Some(at!(place)), &[]);
                        stop!(pc - 1, Step::UpdateRead { site, addr });
                    }
                    match self.private_load(image, addr, image.sites[site].size) {
                        Some((words, range)) => {
                            self.note_bytes(image, &range);
                            set!(dst, words[0]);
                            self.upper = words[1];
                            self.track.load(at!(dst), at!(place), range);
                        }
                        None => stop!(pc - 1, Step::Fail { site: Some(site), failure: Failure::InvalidAccess }),
                    }
                }
                Ins::UpdateWrite { addr: place, value: from, site } => {
                    let (addr, value) = (known!(place, Some(site)), get!(from));
                    let (words, sources) = self.written(value, at!(from));
                    self.track.update(false);
                    if !is_private(addr) {
                        // An update that writes what it has read changes nothing.
                        self.effects += u32::from(words != self.updated);
                        words.into_iter().for_each(|word| self.publish(image, word));
                        self.track.step(Some(at!(place)), &sources);
                        stop!(pc, Step::UpdateWrite { site, addr, words });
                    }
                    words.into_iter().for_each(|word| self.publish(image, word));
                    if let Some(range) = self.private_store(image, addr, image.sites[site].size, words) {
                        self.track.store(range, at!(place), &sources);
                    }
                }
                Ins::Fence { site } => {
                    if image.has_hazards {
                        self.note_done(Done { site, addr: 0, words: [0; 2] });
                    }
                    self.track.step(None, &[]);
                    stop!(pc, Step::Fence { site });
                }
                Ins::Hold { addr } => {
                    let lock = get!(addr);
                    self.held.push((lock, self.effects));
                }
                Ins::Release { addr, site } => {
                    let lock = known!(addr, Some(site));
                    match self.held.iter().rposition(|(l, _)| *l == lock) {
                        Some(at) => self.released = self.held.remove(at).1,
                        None => stop!(pc - 1, Step::Fail { site: Some(site), failure: Failure::ApiMisuse }),
                    }
                }
                Ins::Holder { dst } => {
                    set!(dst, u64::from(self.thread) + 1);
                    flow!(dst);
                }
                Ins::Wait { cond, site } => {
                    let decided = known!(cond, Some(site));
                    self.track.branch(at!(cond));
                    if decided == 0 {
                        let SiteKind::Wait(wait) = image.sites[site].kind else {
                            unreachable!("a wait has a wait's site")
                        };
                        stop!(pc - 1, Step::Blocked { site: Some(site), wait });
                    }
                }
                Ins::Call { dst, func, args } => {
                    self.pc = pc;
                    return self.call(image, code, base, func, dst, args);
                }
                Ins::CallPointer { dst, callee, args, site } => {
                    self.pc = pc;
                    self.track.branch(at!(callee));
                    let Some(func) = func_at(image, known!(callee, Some(site))) else {
                        stop!(pc - 1, Step::Fail { site: Some(site), failure: Failure::InvalidAccess });
                    };
                    return self.call(image, code, base, func.0, dst, args);
                }
                Ins::Return { value: from } => {
                    let value = if from == NOWHERE { 0 } else { get!(from) };
                    self.pc = pc - 1;
                    return self.leave(image, frame, value, (from != NOWHERE).then(|| at!(from)));
                }
                Ins::End { value } => {
                    // Objects of all its functions die first, one a step, if it ends in order.
                    if value != NOWHERE
                        && let Some(addr) = self.stack.pop()
                    {
                        stop!(pc - 1, Step::Free { site: None, addr });
                    }
                    let result = if value == NOWHERE { 0 } else { get!(value) };
                    self.track.step(None, (value != NOWHERE).then(|| at!(value)).as_slice());
                    stop!(pc - 1, Step::End(result));
                }
                Ins::ExitProcess => stop!(pc - 1, Step::ExitProcess),
                Ins::Spawn { func: from, args, site, .. } => match func_at(image, known!(from, Some(site))) {
                    Some(func) => {
                        self.effects += 1;
                        self.published = u64::MAX;
                        self.track_spawn(base, from, &code.args[args as usize]);
                        stop!(pc - 1, Step::Spawn { site, func });
                    }
                    None => stop!(pc - 1, Step::Fail { site: Some(site), failure: Failure::InvalidAccess }),
                },
                Ins::Join { thread, site, .. } => {
                    let handle = known!(thread, Some(site));
                    self.track.step(Some(at!(thread)), &[]);
                    stop!(pc - 1, Step::Join { site, thread: handle });
                }
                Ins::Alloc { dst, size, site } => {
                    let size = known!(size, Some(site));
                    let SiteKind::Alloc { storage, .. } = image.sites[site].kind else {
                        unreachable!("an allocation's site")
                    };
                    self.effects += 1;
                    if storage == Storage::Private {
                        let addr = self.private_alloc(size);
                        set!(dst, addr);
                        flow!(dst);
                        continue;
                    }
                    match self.allocate(size) {
                        Some(addr) => {
                            set!(dst, addr);
                            flow!(dst);
                            if storage == Storage::Stack {
                                self.stack.push(addr);
                            }
                            stop!(pc, Step::Alloc { site, addr, size });
                        }
                        None => stop!(pc - 1, Step::Endless),
                    }
                }
                Ins::Free { addr, site } => {
                    let addr = known!(addr, Some(site));
                    self.effects += 1;
                    if is_private(addr) {
                        stop!(pc - 1, Step::Fail { site: Some(site), failure: Failure::InvalidFree });
                    }
                    if addr != 0 {
                        stop!(pc, Step::Free { site: Some(site), addr });
                    }
                }
                Ins::Fail { site } => {
                    let SiteKind::Fail(failure, _) = image.sites[site].kind else { unreachable!("a failure's site") };
                    stop!(pc - 1, Step::Fail { site: Some(site), failure });
                }
                Ins::Nondet { site, .. } => stop!(pc - 1, Step::Nondet { site }),
                Ins::Handle { op, dst, src, site } => {
                    let word = if op == HandleOp::Make { get!(src) } else { known!(src, Some(site)) };
                    self.note_choice(image, [word, 0]);
                    match self.handle(image, op, word, site) {
                        Ok(word) => set!(dst, word),
                        Err(misuse) => stop!(pc - 1, Step::Misuse { site, misuse }),
                    }
                    flow!(dst, src);
                }
                Ins::SpinStart => (self.spin, self.reads.spin) = (self.changes(), self.reads.all),
                Ins::SpinEnd { site } => {
                    if options.idle_blocks && self.spin == self.changes() && self.drops_round(self.reads.spin) {
                        stop!(pc - 1, Step::Blocked { site: Some(site), wait: Wait::Spin });
                    }
                }
            }
        }
    }

    /// The words that an access writes, and the slots that they come from.
    #[inline]
    fn written(&mut self, value: u64, from: usize) -> ([u64; 2], [usize; 2]) {
        match self.upper_slot.take() {
            Some(upper) => ([value, self.upper], [from, upper]),
            None => ([value, 0], [from, from]),
        }
    }

    fn call(&mut self, image: &Image, code: &Code, base: usize, func: u32, dst: Slot, args: u32) -> Option<Step> {
        if self.frames.len() >= 1000 {
            return Some(Step::Endless);
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.pc = self.pc;
        }
        self.enter(image, func, dst);
        let to = self.slots.len() - usize::from(image.codes[func as usize].slots);
        for (param, arg) in image.codes[func as usize].params.iter().zip(&code.args[args as usize]) {
            self.slots[to + usize::from(*param)] = self.slots[base + usize::from(*arg)];
            self.track.flow(to + usize::from(*param), &[base + usize::from(*arg)]);
        }
        None
    }

    /// A thread is started: what it is given depends on the function and on all arguments.
    fn track_spawn(&mut self, base: usize, func: Slot, args: &[Slot]) {
        if args.len() < 8 {
            let mut from = [base + usize::from(func); 8];
            from.iter_mut().skip(1).zip(args).for_each(|(to, arg)| *to = base + usize::from(*arg));
            self.track.step(None, &from);
        } else {
            let from: Vec<usize> = args.iter().chain([&func]).map(|slot| base + usize::from(*slot)).collect();
            self.track.step(None, &from);
        }
    }

    /// Leaves a function: its escaping objects die first, one a step.
    fn leave(&mut self, image: &Image, frame: Frame, value: u64, from: Option<usize>) -> Option<Step> {
        if self.stack.len() > usize::from(frame.n_stack) {
            let addr = self.stack.pop().unwrap_or_default();
            return Some(Step::Free { site: None, addr });
        }
        if self.frames.len() == 1 {
            if image.ending.contains(&self.thread) {
                return Some(Step::ExitProcess);
            }
            self.track.step(None, from.as_slice());
            return Some(Step::End(value));
        }
        if let Some(caller) = self.frames.len().checked_sub(2).map(|i| self.frames[i])
            && frame.dst != NOWHERE
        {
            self.track.flow(caller.base as usize + usize::from(frame.dst), from.as_slice());
        }
        self.private.truncate(frame.private as usize);
        self.private_terms.retain(|(begin, ..)| *begin < frame.private);
        self.private_objects.truncate(usize::from(frame.n_private));
        self.slots.truncate(frame.base as usize);
        self.track.bytes(self.private.len());
        self.track.slots(self.slots.len());
        self.frames.pop();
        let depth = self.frames.len() as u16;
        if self.attempt.depth > depth {
            self.attempt = Attempt::default();
        }
        while self.loops.last().is_some_and(|l| l.depth > depth) {
            self.pop_loop();
        }
        if let Some(caller) = self.frames.last() {
            self.pc = caller.pc;
            if frame.dst != NOWHERE {
                self.slots[caller.base as usize + usize::from(frame.dst)] = value;
            }
        }
        None
    }

    fn allocate(&mut self, size: u64) -> Option<u64> {
        let objects = size.div_ceil(address::OBJECT_SIZE).max(1);
        let number = self.n_allocs;
        let after = u64::from(number) + objects;
        if after > u64::from(address::MAX_OBJECTS) {
            return None;
        }
        self.n_allocs = after as u32;
        if objects > 1 {
            // An address in one of its parts leads to the others.
            let parts = (u64::from(number)..after).filter(|n| *n < 64);
            self.published |= parts.fold(0, |all, n| all | 1 << n);
        }
        Some(
            address::HEAP
                | u64::from(self.thread) << address::THREAD_SHIFT
                | u64::from(number) << address::OBJECT_SHIFT,
        )
    }
}

fn is_private(addr: u64) -> bool {
    addr & !(address::PRIVATE - 1) == address::PRIVATE
}

fn low(width: u8, value: u64) -> u64 {
    let spare = 64 - u32::from(width);
    (value << spare) >> spare
}

/// Backward jumps cost fuel.
fn jump(from: u32, to: u32, fuel: &mut u32) -> u32 {
    if to < from {
        *fuel = fuel.saturating_sub(1);
    }
    to
}

fn func_at(image: &Image, addr: u64) -> Option<FuncId> {
    let first = Program::func_address(FuncId(0));
    let stride = Program::func_address(FuncId(1)) - first;
    let offset = addr.checked_sub(first)?;
    let id = offset / stride;
    (offset.is_multiple_of(stride) && id < image.codes.len() as u64).then_some(FuncId(id as u32))
}
