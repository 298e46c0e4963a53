//! What a search works on and never changes: the program, its bytecode, the rules of the model, and what is assumed of the program.

use super::stop::{Fault, Stop};
use super::{Job, Options};
use crate::assumptions::Assumptions;
use crate::rules::{Mode, Rules};
use treville_base::{IndexVec, Span};
use treville_bytecode::{Image, SiteId, SiteKind, is_term, term_of};
use treville_ir::{Failure, FuncId, Mark, Op, Program, may_run};
use treville_term::TermId;

pub(super) struct Code<'j> {
    pub(super) program: &'j Program,
    pub(super) image: &'j Image,
    pub(super) rules: Rules,
    pub(super) options: &'j Options,
    pub(super) assumptions: Assumptions,
    /// Whether a judge knows the model, beyond the rules.
    pub(super) judged: bool,
    modes: Vec<Modes>,
    /// Whether some write is said to be the last one.
    pub(super) lasts: bool,
    /// Whether some thread takes a lock.
    pub(super) has_locks: bool,
    /// Whether some access is to several cells at once.
    pub(super) in_parts: bool,
    /// The functions that may give what other threads wait for, whoever these are.
    givers: IndexVec<FuncId, bool>,
}

/// The modes of a site's events.
#[derive(Clone, Copy)]
pub(super) struct Modes {
    /// Of a read, a fence, or an update's read if it turns out to write nothing.
    pub(super) read: Mode,
    pub(super) write: Mode,
    /// Of the read of an update that writes.
    pub(super) update: Mode,
}

impl<'j> Code<'j> {
    pub(super) fn new(job: &Job<'j>, assumptions: Assumptions) -> Self {
        let Job { program, image, rules, options, .. } = *job;
        let modes: Vec<Modes> = image.sites().iter().map(|s| Modes::of(program, &s.kind, &rules)).collect();
        Code {
            program,
            image,
            rules,
            options,
            assumptions,
            judged: job.judge.is_some(),
            lasts: modes.iter().any(|m| m.write.last()),
            modes,
            has_locks: image.sites().iter().any(|site| site.kind == SiteKind::Lock),
            in_parts: image.sites().iter().any(|site| !site.parts.is_empty()),
            givers: may_run(program, |op| matches!(op, Op::Mark(Mark::Gives))),
        }
    }

    #[inline]
    pub(super) fn modes(&self, site: SiteId) -> Modes {
        self.modes[site.0 as usize]
    }

    pub(super) fn span(&self, site: SiteId) -> Span {
        self.image.site(site).span
    }

    /// Whether a function may give what other threads wait for.
    pub(super) fn gives(&self, func: FuncId) -> bool {
        self.givers[func]
    }

    pub(super) fn has_hazards(&self) -> bool {
        self.image.sites().iter().any(|site| site.protects)
    }

    /// Whether a failure is looked for; what else goes wrong is passed over.
    pub(super) fn looks_for(&self, failure: Failure) -> bool {
        self.options.properties.contains(&failure)
    }

    /// # Errors
    /// The fault, if it is one that is looked for.
    pub(super) fn fault(&self, fault: Fault) -> Result<(), Stop> {
        if self.looks_for(fault.failure) { Err(Stop::Fault(Box::new(fault))) } else { Ok(()) }
    }

    /// An initial value as a word.
    pub(super) fn initial(&self, value: u64) -> u64 {
        match self.image.symbols() {
            Some(symbols) if is_term(value) => symbols.number(value),
            _ => value,
        }
    }

    /// So many bytes of a word, from this one on.
    pub(super) fn bytes(&self, word: u64, at: u8, size: u8) -> u64 {
        match self.image.symbols() {
            Some(symbols) if is_term(word) => symbols.bytes(word, at, size),
            _ => low_bytes(word >> (8 * at), size),
        }
    }

    /// The term of a word, without the zeros above it.
    pub(super) fn narrowed(&self, word: u64) -> TermId {
        self.image.symbols().map_or(term_of(word), |symbols| symbols.lock().narrowed(term_of(word)))
    }
}

impl Modes {
    fn of(program: &Program, kind: &SiteKind, rules: &Rules) -> Modes {
        let of = |tags: &treville_ir::Tags| rules.mode_of(tags.iter().map(|t| program.tags[*t].as_str()));
        match kind {
            SiteKind::Load(tags) | SiteKind::Store(tags) | SiteKind::Fence(tags) => {
                Modes { read: of(tags), write: of(tags), update: of(tags) }
            }
            SiteKind::Update(tags) => Modes { read: of(&tags.fail), write: of(&tags.write), update: of(&tags.read) },
            SiteKind::Lock => Modes { read: Mode::RELAXED, write: Mode::RELAXED, update: Mode::ACQUIRING },
            SiteKind::Unlock => Modes { read: Mode::RELAXED, write: Mode::RELEASING, update: Mode::RELAXED },
            _ => Modes { read: Mode::RELAXED, write: Mode::RELAXED, update: Mode::RELAXED },
        }
    }
}

/// The value that so many of the lowest bytes have.
pub(super) fn low_bytes(value: u64, size: u8) -> u64 {
    if size >= 8 { value } else { value & ((1 << (8 * size)) - 1) }
}
