//! What is assumed of a program until an exploration shows that it is otherwise. Then the assumption is retracted, and everything is
//! explored anew. What the bytecode assumes is not assumed again; what is assumed of its executions is, once for each bytecode.

use crate::search::{Explored, Options};
use std::collections::BTreeSet;
use treville_bytecode::{Access, Changes, Image, Keeps, Parts, address};
use treville_ir::{Op, Program};
use treville_task::{Child, Reduction, Unsupported};

/// Why everything is explored anew.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Retraction {
    MoreThreads,
    /// Somebody tells equal threads apart.
    Asymmetric,
    /// What a thread could do is impossible only because another goes on with what it assumes.
    Assumed,
    /// The object at this address changes while somebody looks at it at an unknown place.
    Unsettled(u64),
    /// A write has other cells than another access that it has a cell in common with.
    Mixed,
    /// The access is to be made in parts that begin at these bytes, too.
    InParts(Access, u16),
}

/// What a search assumes of the executions of its bytecode.
#[derive(Clone, Debug)]
pub(crate) struct Assumptions {
    /// How many threads there are at most.
    pub(crate) stride: usize,
    /// Whether equal threads are told apart by nobody.
    pub(crate) symmetry: bool,
    /// Whether some write has other cells than another access to several that it has a cell in common with.
    pub(crate) mixed: bool,
    /// Whether what one thread assumes keeps another from what it could do before (`search/choices.rs`).
    pub(crate) forks: bool,
    /// The addresses of objects that change while somebody looks at them at an unknown place (`search/places.rs`).
    pub(crate) unsettled: BTreeSet<u64>,
}

impl Assumptions {
    const FEW_THREADS: usize = 8;
    pub(crate) const MOST_THREADS: usize = address::MAX_THREADS as usize;

    pub(crate) fn new(program: &Program, options: &Options) -> Self {
        Assumptions {
            stride: program.roots.len().next_power_of_two().max(Self::FEW_THREADS),
            symmetry: options.reductions.has(Reduction::Symmetry) && may_be_symmetric(program),
            mixed: false,
            forks: !options.reductions.has(Reduction::Assumptions),
            unsettled: BTreeSet::new(),
        }
    }

    /// Assumes less; of parts of accesses the bytecode says what they are.
    pub(crate) fn retract(&mut self, why: Retraction) {
        match why {
            Retraction::MoreThreads => self.stride *= 2,
            Retraction::Asymmetric => self.symmetry = false,
            Retraction::Assumed => self.forks = true,
            Retraction::Unsettled(object) => {
                self.unsettled.insert(object);
            }
            // A thread that is stuck would keep the threads that are equal to it from going on.
            Retraction::Mixed => (self.mixed, self.symmetry) = (true, false),
            Retraction::InParts(..) => {}
        }
    }
}

/// Whether no thread asks which one it is.
fn may_be_symmetric(program: &Program) -> bool {
    let mut insts = program.funcs.iter().flat_map(|f| &f.blocks).flat_map(|b| &b.insts);
    !insts.any(|inst| matches!(inst.op, Op::Current { .. }))
}

/// A program that is explored: its bytecode, which leaves out what is taken on trust, and what is assumed of its executions.
pub(crate) struct Speculation<'t> {
    program: &'t Program,
    pub(crate) options: Options,
    pub(crate) image: Image,
    pub(crate) assumptions: Assumptions,
    /// The accesses that are made in parts.
    parts: Parts,
    /// Locks are looked at as memory; hazard pointers are set by several threads.
    changes: Changes,
    /// Whether the model itself may find fault with iterations that are dropped.
    faults: bool,
    /// What was explored, and which iterations are still to be kept, each in a pass of its own.
    first: Option<(Explored, Vec<Keeps>)>,
}

impl<'t> Speculation<'t> {
    pub(crate) fn new(program: &'t Program, options: Options, image: Image, changes: Changes, faults: bool) -> Self {
        Speculation {
            program,
            assumptions: Assumptions::new(program, &options),
            options,
            image,
            parts: Parts::new(),
            changes,
            faults,
            first: None,
        }
    }

    /// The numbers that threads had in the first pass.
    pub(crate) fn children(&self) -> &[(Child, u16)] {
        self.first.as_ref().map_or(&[], |(first, _)| &first.children)
    }

    /// What was explored, if nothing is to be explored again; `compile` makes the bytecode with some accesses in parts.
    pub(crate) fn next(
        &mut self,
        explored: Result<Explored, Retraction>,
        compile: impl Fn(&Parts) -> Result<Image, Unsupported>,
    ) -> Result<Option<Explored>, Unsupported> {
        let explored = match explored {
            Ok(explored) => explored,
            Err(Retraction::InParts(access, cuts)) => {
                *self.parts.entry(access).or_default() |= cuts;
                self.image = compile(&self.parts)?;
                self.restart();
                return Ok(None);
            }
            Err(why) => {
                self.assumptions.retract(why);
                return Ok(None);
            }
        };
        if self.options.run.speculative && self.image.speculation_failed() && !self.options.cancel.is_due() {
            // What was taken on trust, and has failed since, is looked at once more.
            self.options.run.speculative = false;
        } else if !self.changes.hazards && explored.dropped.share_hazards() && explored.is_all() {
            // Who sets a hazard pointer of another thread changes what that one sees of it.
            (self.changes.hazards, self.options.run.attempt_blocks) = (true, false);
        } else if !self.changes.releases && explored.dropped.sees_locks() && explored.is_all() {
            // Who reads a lock as memory sees that it was taken in an iteration that is dropped.
            self.changes.releases = true;
        } else {
            return Ok(self.confirm(explored));
        }
        self.restart();
        Ok(None)
    }

    /// Begins anew, with what is known of the program by now.
    fn restart(&mut self) {
        self.image.note_changes(self.changes);
        self.keep_rounds(None);
        self.first = None;
    }

    /// Keeps these iterations in the next pass.
    fn keep_rounds(&mut self, keeps: Option<Keeps>) {
        self.image.keep_rounds(keeps);
        self.assumptions = Assumptions::new(self.program, &self.options);
    }

    /// What was explored in all passes, if this was the last one. Otherwise the next one keeps other iterations.
    fn confirm(&mut self, explored: Explored) -> Option<Explored> {
        let (explored, mut doubts) = match self.first.take() {
            Some((first, doubts)) => (first.confirmed_by(explored), doubts),
            None => {
                let doubts = explored.doubts(self.faults);
                (explored, doubts)
            }
        };
        let Some(keeps) = doubts.pop().filter(|_| explored.is_all()) else { return Some(explored) };
        self.keep_rounds(Some(keeps));
        self.first = Some((explored, doubts));
        None
    }
}
