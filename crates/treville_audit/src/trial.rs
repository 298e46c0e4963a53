//! One trial: threads run in a random order, reads take any write, writes take any place.

mod access;
mod classes;
mod threads;

use crate::memory::Owner;
use crate::random::Random;
use crate::rows::{Id, Row, Source};
use crate::setup::Setup;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use treville_bytecode::{Dependencies, Parts, Runner, SiteId, Step};
use treville_ir::{Failure, FuncId};
use treville_task::Child;

/// Events of one trial, at most.
const MOST_EVENTS: usize = 400;
/// How often threads are tried in a row that cannot go on with the write they were offered.
const MOST_REFUSALS: u32 = 64;

/// How choices are made in one trial. Extremes are tried as well as what lies between.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    /// In per cent: how often a read or write takes the latest place at once, and how often a thread goes on that has just run.
    latest: u32,
    stay: u32,
    /// Reads may guess what will be written.
    guesses: bool,
    /// Not even what its own thread has seen keeps a read or write from an earlier place.
    incoherent: bool,
}

impl Style {
    pub(crate) fn random(random: &mut Random) -> Style {
        let latest = random.pick(&[0, 25, 50, 80, 100]).unwrap_or(50);
        let stay = random.pick(&[0, 50, 90]).unwrap_or(0);
        Style { latest, stay, guesses: random.percent(25), incoherent: random.percent(3) }
    }
}

/// What trials learn from earlier ones.
#[derive(Debug, Default)]
pub(crate) struct Experience {
    /// Values that were written, by address.
    pub(crate) written: FxHashMap<u64, Vec<u64>>,
    /// The numbers of threads.
    pub(crate) numbers: BTreeMap<Child, u16>,
    pub(crate) threads: u16,
}

/// How a trial ends.
#[derive(Debug)]
pub(crate) enum End {
    /// All threads have ended, or one has failed.
    Whole,
    /// A thread waits for good, is cut at the bound, or reads a value that is never written.
    Stuck,
    /// There are more events than a trial may have.
    Long,
    /// Two accesses overlap: these are to be made in parts.
    Cut(Parts),
    /// It cannot be said what happens.
    Refused(String, Option<SiteId>),
}

/// Why a trial does not go on.
type Halt = End;

/// The bytes that are always accessed together.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    pub(crate) size: u8,
    pub(crate) initial: u64,
    pub(crate) owner: Owner,
    /// In coherence order.
    pub(crate) writes: Vec<Id>,
    /// It is used as a lock.
    pub(crate) lock: bool,
    /// Where it was first accessed.
    site: SiteId,
}

/// An object that the program has made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Made {
    pub(crate) addr: u64,
    pub(crate) size: u64,
    heap: bool,
    zeroed: bool,
    dead: bool,
    /// The thread that has freed it, and how many events it had then; not if it was only retired.
    pub(crate) freed: Option<(u16, u32)>,
}

/// An answer that a thread was given, and the events that it comes from.
#[derive(Clone, Debug)]
struct Answer {
    value: u64,
    events: std::ops::Range<u32>,
}

#[derive(Default)]
pub(crate) struct Thread {
    present: bool,
    func: Option<(FuncId, Vec<u64>)>,
    runner: Runner<Dependencies>,
    step: Option<Step>,
    pub(crate) rows: Vec<Row>,
    answers: Vec<Answer>,
    /// Choices, each with how many rows there were before.
    choices: Vec<(usize, u64)>,
    pub(crate) result: Option<u64>,
    /// It stands where it fails.
    failed: bool,
    /// It has ended the process.
    exited: bool,
    /// The latest writes of each cell that it has seen.
    seen: BTreeMap<u64, Id>,
    children: u32,
    /// Its last read, and whether the one before was the same.
    last_read: Option<(SiteId, Source)>,
    idles: bool,
}

pub(crate) struct Trial<'a, 's> {
    setup: &'a Setup<'s>,
    random: &'a mut Random,
    experience: &'a mut Experience,
    style: Style,
    pub(crate) threads: Vec<Thread>,
    pub(crate) cells: BTreeMap<u64, Memory>,
    pub(crate) made: Vec<Made>,
    events: usize,
    /// Reads whose values are guessed, and whether there were any.
    guessed: BTreeSet<Id>,
    has_guessed: bool,
    /// What has gone wrong on the way.
    pub(crate) wrong: Vec<(Failure, String)>,
}

impl<'a, 's> Trial<'a, 's> {
    pub(crate) fn new(setup: &'a Setup<'s>, random: &'a mut Random, experience: &'a mut Experience) -> Self {
        let style = Style::random(random);
        let (threads, cells, made) = (Vec::new(), BTreeMap::new(), Vec::new());
        Trial {
            setup,
            random,
            experience,
            style,
            threads,
            cells,
            made,
            events: 0,
            guessed: BTreeSet::new(),
            has_guessed: false,
            wrong: Vec::new(),
        }
    }

    /// Runs until all threads have ended.
    pub(crate) fn run(&mut self) -> End {
        self.begin();
        match self.go_on() {
            Ok(()) => End::Whole,
            Err(halt) => halt,
        }
    }

    fn go_on(&mut self) -> Result<(), Halt> {
        let mut current = 0;
        let mut refusals = 0;
        loop {
            if self.is_over() {
                return self.settle_guesses();
            }
            if self.events > MOST_EVENTS {
                return Err(End::Long);
            }
            current = self.next_thread(current).ok_or(End::Stuck)?;
            // A thread that cannot go on with what it was offered is offered something else later.
            refusals = if self.advance(current)? { 0 } else { refusals + 1 };
            if refusals > MOST_REFUSALS {
                return Err(End::Stuck);
            }
        }
    }

    /// Whether nothing is left to do: all have ended, or one has failed and no read has guessed a value that is still to be written.
    fn is_over(&self) -> bool {
        let present = || self.threads.iter().filter(|thread| thread.present);
        let failed = present().any(|thread| thread.failed);
        let ended = present().all(|thread| thread.failed || thread.exited || thread.result.is_some());
        ended || failed && self.guessed.is_empty()
    }

    /// One of the threads that may go on; seldom one that has just read the same as before, as in a loop that waits.
    fn next_thread(&mut self, current: u16) -> Option<u16> {
        let mut may: Vec<u16> = (0..self.threads.len() as u16).filter(|thread| self.may_go_on(*thread)).collect();
        if self.random.percent(90) && may.iter().any(|thread| !self.threads[usize::from(*thread)].idles) {
            may.retain(|thread| !self.threads[usize::from(*thread)].idles);
        }
        if may.contains(&current) && self.random.percent(self.style.stay) {
            return Some(current);
        }
        self.random.pick(&may)
    }

    /// What went wrong, if a thread has failed or memory was not used as it must be.
    pub(crate) fn has_failed(&self) -> bool {
        self.threads.iter().any(|thread| thread.failed)
    }
}
