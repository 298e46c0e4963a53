//! Handles: the explicit interface to unknown values.
//!
//! A handle is an opaque number, which names what is known of it: which thread made it where, as which of its handles, its value, and
//! whether it was sent. All that a runner keeps is which handles were moved, so that handles go through memory like other
//! numbers, and what one that was sent stands for is known to whoever has it.

use super::code::{Image, SiteId};
use super::run::Runner;
use super::symbols::Symbols;
use super::track::Track;
use treville_ir::HandleOp;

/// The upper half of a handle.
const MARK: u64 = 0xe5b1_0001;

/// Whether a word is a handle, if the program has some.
pub(super) fn is_handle(word: u64) -> bool {
    word >> 32 == MARK
}

/// What a handle says.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Handle {
    thread: u32,
    number: u32,
    sent: bool,
    pub(super) value: u64,
    site: SiteId,
}

/// What is wrong with the use of a handle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Misuse {
    /// It was moved, there.
    Moved(SiteId),
    /// Another thread has made it, there.
    Foreign(SiteId),
    /// It was sent, there, and is used without being received.
    Sent(SiteId),
    /// It is received, but what was made there was not sent.
    NotSent(SiteId),
    /// It is no handle.
    Nothing,
}

impl Misuse {
    pub fn message(self) -> &'static str {
        match self {
            Misuse::Moved(_) => "a Nondet is used after it was moved",
            Misuse::Foreign(_) => "a Nondet of another thread is used that was not sent",
            Misuse::Sent(_) => "a Nondet that was sent is used without being received",
            Misuse::NotSent(_) => "a Nondet is received that was not sent",
            Misuse::Nothing => "what is used as a Nondet is none",
        }
    }

    /// The other place that it is about.
    pub fn other(self) -> Option<SiteId> {
        match self {
            Misuse::Moved(site) | Misuse::Foreign(site) | Misuse::Sent(site) | Misuse::NotSent(site) => Some(site),
            Misuse::Nothing => None,
        }
    }
}

/// The handles of a runner.
#[derive(Clone, Debug, Default)]
pub(crate) struct Handles {
    /// How many it has made.
    pub(crate) made: u32,
    /// How many it had made when the round of a loop began that it is in.
    pub(crate) before_round: u32,
    /// Which of them, by the lower half, were moved, and where.
    pub(crate) moved: Vec<(u32, SiteId)>,
}

impl<T: Track> Runner<T> {
    pub(super) fn handle(&mut self, image: &Image, op: HandleOp, word: u64, site: SiteId) -> Result<u64, Misuse> {
        let Some(symbols) = image.symbols() else { return Err(Misuse::Nothing) };
        match op {
            HandleOp::Make => return Ok(self.make(symbols, word, false, site)),
            HandleOp::Decide => return Ok(word),
            _ => {}
        }
        let handle = symbols.handle(word).ok_or(Misuse::Nothing)?;
        if op == HandleOp::Receive {
            return match handle.sent {
                true => Ok(self.make(symbols, handle.value, false, site)),
                false => Err(Misuse::NotSent(handle.site)),
            };
        }
        if handle.sent {
            return Err(Misuse::Sent(handle.site));
        }
        if handle.thread != self.thread {
            return Err(Misuse::Foreign(handle.site));
        }
        if let Some((_, at)) = self.handles.moved.iter().find(|(moved, _)| *moved == word as u32) {
            return Err(Misuse::Moved(*at));
        }
        if op != HandleOp::Look {
            // Others, or later rounds of a loop, can see that if they have the handle.
            self.effects += u32::from(handle.number < self.handles.before_round);
            self.handles.moved.push((word as u32, site));
        }
        match op {
            HandleOp::Send => Ok(self.make(symbols, handle.value, true, site)),
            _ => Ok(handle.value),
        }
    }

    fn make(&mut self, symbols: &Symbols, value: u64, sent: bool, site: SiteId) -> u64 {
        let number = self.handles.made;
        self.handles.made += 1;
        symbols.handle_word(Handle { thread: self.thread, number, sent, value, site })
    }
}

impl Symbols {
    fn handle(&self, word: u64) -> Option<Handle> {
        self.lock().handles.get(word as u32 as usize).copied().filter(|_| is_handle(word))
    }

    fn handle_word(&self, handle: Handle) -> u64 {
        self.lock().handle_word(handle)
    }
}

impl super::symbols::Shared {
    pub(super) fn handle_word(&mut self, handle: Handle) -> u64 {
        let next = self.handles.len() as u32;
        let id = *self.handle_ids.entry(handle).or_insert(next);
        if id == next {
            self.handles.push(handle);
        }
        MARK << 32 | u64::from(id)
    }

    /// A word with values in place of what is unknown: handles are those of the values.
    pub fn with_values(&mut self, word: u64, value: impl FnOnce(&Self, u64) -> u64) -> u64 {
        match self.handles.get(word as u32 as usize).copied().filter(|_| is_handle(word)) {
            Some(handle) => {
                let value = value(self, handle.value);
                self.handle_word(Handle { value, ..handle })
            }
            None => value(self, word),
        }
    }
}
