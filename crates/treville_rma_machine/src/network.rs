//! What becomes of remote operations between their issue and their end. A state is a run of words: the local state of each
//! process, the value of each shared variable, and then, in order, the pending operations.

mod exact;
mod sets;

use crate::locals::Stop;
use rustc_hash::FxHashMap;
use treville_base::{Cancel, Idx};
use treville_rma::{Action, Init, Number, Program, RemoteId, RemoteKind, VarId, VarKind, Variable};

pub(crate) use exact::Exact;
pub(crate) use sets::Sets;

/// What remote operations do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Semantics {
    /// A remote statement is done at once.
    Sequential,
    /// The network takes each operation in two steps, whenever it likes.
    Remote(Pending),
    /// The reduction to SC, with finite sets of values in place of pending operations.
    Reduced(Reduction),
}

/// How many instances of a remote statement can be pending.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pending {
    /// So many; no more are issued. Its failures are real.
    Bounded(u8),
    /// So many, or more: nobody knows. What it finds safe is.
    Sticky(u8),
}

/// How the reduction tells whether something is pending.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Reduction {
    /// As published: a flag, and an operation may land several times.
    Table2,
    /// None, one, or more.
    Counted,
}

/// The most instances of a statement.
pub(crate) const MAX_COUNT: u8 = 30;

/// The fixed part of states, values as numbers, and what was cut.
#[derive(Debug)]
pub(crate) struct Memory<'p> {
    pub(crate) program: &'p Program,
    /// Of each shared variable, its word.
    word: Vec<usize>,
    fixed: usize,
    values: Vec<Number>,
    ids: FxHashMap<Number, u32>,
    operands: Vec<Vec<Number>>,
    operand_ids: FxHashMap<Vec<Number>, u32>,
    domain: Option<(i64, i64)>,
    /// Without a domain, values for what may be any number, if some are enough.
    guesses: Option<Vec<Number>>,
    /// A run left the domain and was not followed.
    pub(crate) pruned: bool,
    /// A number did not fit what is computed with, and the run was not followed.
    pub(crate) overflowed: bool,
    /// An operation was not issued since too many are pending.
    pub(crate) capped: bool,
    /// Nothing more is computed when this is due.
    cancel: Cancel,
}

impl<'p> Memory<'p> {
    pub(crate) fn new(program: &'p Program, domain: Option<(i64, i64)>, cancel: Cancel) -> Self {
        let mut word = vec![usize::MAX; program.vars.len()];
        let mut fixed = program.procs.len();
        for var in program.shared() {
            word[var.index()] = fixed;
            fixed += 1;
        }
        Memory {
            program,
            word,
            fixed,
            values: Vec::new(),
            ids: FxHashMap::default(),
            operands: Vec::new(),
            operand_ids: FxHashMap::default(),
            domain,
            guesses: None,
            pruned: false,
            overflowed: false,
            capped: false,
            cancel,
        }
    }

    /// Unless the time is over.
    pub(crate) fn in_time(&self) -> Result<(), Stop> {
        if self.cancel.is_due() { Err("the time is over".to_owned()) } else { Ok(()) }
    }

    /// Some numbers are enough for what may be any.
    pub(crate) fn guess(&mut self, guesses: Vec<Number>) {
        self.guesses = Some(guesses);
    }

    /// The word of a shared variable.
    pub(crate) fn word(&self, var: VarId) -> usize {
        self.word[var.index()]
    }

    /// Where the pending operations begin.
    pub(crate) fn fixed(&self) -> usize {
        self.fixed
    }

    pub(crate) fn value(&self, id: u32) -> Number {
        self.values[id as usize]
    }

    pub(crate) fn intern(&mut self, value: Number) -> Result<u32, Stop> {
        if let Some(&id) = self.ids.get(&value) {
            return Ok(id);
        }
        let id = self.values.len() as u32;
        if id > Entry::MAX_VALUE {
            return Err("there are too many values".to_owned());
        }
        self.values.push(value);
        self.ids.insert(value, id);
        Ok(id)
    }

    pub(crate) fn operands(&mut self, operands: Vec<Number>) -> Result<u32, Stop> {
        if let Some(&id) = self.operand_ids.get(&operands) {
            return Ok(id);
        }
        let id = self.operands.len() as u32;
        if id > Entry::MAX_VALUE {
            return Err("there are too many values".to_owned());
        }
        self.operands.push(operands.clone());
        self.operand_ids.insert(operands, id);
        Ok(id)
    }

    /// A number that is computed, unless it is outside of what is followed.
    pub(crate) fn kept(&mut self, value: Option<Number>) -> Option<Number> {
        let Some((first, last)) = self.domain else {
            self.overflowed |= value.is_none();
            return value;
        };
        let kept = value.filter(|v| (Number::from(first)..=Number::from(last)).contains(v));
        self.pruned |= kept.is_none();
        kept
    }

    /// A number does not fit, and so a run is not followed any more.
    pub(crate) fn overflow(&mut self) {
        self.overflowed = true;
    }

    /// The values that a variable may get out of nowhere.
    pub(crate) fn any(&mut self, var: &Variable) -> Result<Vec<Number>, Stop> {
        // Others were possible.
        self.pruned = true;
        match (self.domain, &self.guesses) {
            (Some((first, last)), _) => range(first, last),
            (None, Some(guesses)) => Ok(guesses.clone()),
            (None, None) => {
                Err(format!("`{}` may be any number, and the program has no `domain` to choose from", var.name))
            }
        }
    }

    pub(crate) fn initial_values(&mut self, var: &Variable) -> Result<Vec<Number>, Stop> {
        match (&var.init, &self.guesses) {
            (Init::Value(value), _) => Ok(vec![Number::from(*value)]),
            (Init::Among(values), _) => Ok(values.iter().copied().map(Number::from).collect()),
            (Init::Within(first, last), Some(guesses)) => {
                self.pruned = true;
                let within = |n: &Number| (Number::from(*first)..=Number::from(*last)).contains(n);
                Ok(guesses.iter().copied().filter(within).chain([Number::from(*first)]).collect())
            }
            (Init::Within(first, last), None) => range(*first, *last),
            (Init::Any, _) => self.any(var),
        }
    }

    /// Every way in which memory may begin.
    pub(crate) fn initial(&mut self) -> Result<Vec<Vec<u32>>, Stop> {
        let mut all: Vec<Vec<u32>> = vec![Vec::new()];
        for var in self.program.vars.iter().filter(|v| v.kind == VarKind::Shared) {
            let values = self.initial_values(var)?;
            let ids = values.into_iter().map(|v| self.intern(v)).collect::<Result<Vec<_>, _>>()?;
            few_ways(all.len(), ids.len())?;
            all = all
                .iter()
                .flat_map(|before| ids.iter().map(|id| before.iter().copied().chain([*id]).collect()))
                .collect();
        }
        Ok(all)
    }

    /// What an atomic operation writes when it finds this.
    pub(crate) fn applied(&mut self, remote: RemoteId, found: u32, operands: u32) -> Result<Option<u32>, Stop> {
        let RemoteKind::Rmw(rmw, _) = &self.program.remotes[remote].kind else { return Ok(None) };
        let written = rmw.apply(self.value(found), &self.operands[operands as usize]);
        match self.kept(written) {
            Some(value) => self.intern(value).map(Some),
            None => Ok(None),
        }
    }
}

/// Unless there are too many ways to begin, of so many with so many more for each.
pub(crate) fn few_ways(ways: usize, more: usize) -> Result<(), Stop> {
    if ways.saturating_mul(more) > 1_000_000 { Err("there are too many ways to begin".to_owned()) } else { Ok(()) }
}

fn range(first: i64, last: i64) -> Result<Vec<Number>, Stop> {
    if last.saturating_sub(first) > 10_000 {
        return Err("there are too many values to begin with".to_owned());
    }
    Ok((first..=last).map(Number::from).collect())
}

/// A pending operation as a word: of which statement, how far, with which value, how often.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Entry(pub(crate) u32);

impl Entry {
    pub(crate) const MAX_VALUE: u32 = 0xffff;
    pub(crate) const MAX_REMOTE: usize = 0x1ff;

    /// `phase` is 0 before it has read, and 1 before it has written.
    pub(crate) fn new(remote: u32, phase: u32, value: u32, count: u32) -> Self {
        Entry(remote << 23 | phase << 21 | value << 5 | count)
    }

    pub(crate) fn remote(self) -> u32 {
        self.0 >> 23
    }

    pub(crate) fn phase(self) -> u32 {
        self.0 >> 21 & 3
    }

    pub(crate) fn value(self) -> u32 {
        self.0 >> 5 & 0xffff
    }

    pub(crate) fn count(self) -> u32 {
        self.0 & 31
    }

    fn key(self) -> u32 {
        self.0 >> 5
    }
}

/// A state that is being made.
pub(crate) type State = Vec<u32>;

pub(crate) fn entries(state: &[u32], fixed: usize) -> impl Iterator<Item = Entry> + '_ {
    state[fixed..].iter().map(|w| Entry(*w))
}

/// Sets how often an operation is pending.
pub(crate) fn set(state: &mut State, fixed: usize, entry: Entry) {
    let at = fixed + state[fixed..].partition_point(|w| Entry(*w).key() < entry.key());
    let there = state.get(at).is_some_and(|w| Entry(*w).key() == entry.key());
    match (there, entry.count() > 0) {
        (true, true) => state[at] = entry.0,
        (true, false) => {
            state.remove(at);
        }
        (false, true) => state.insert(at, entry.0),
        (false, false) => {}
    }
}

pub(crate) fn count(state: &[u32], fixed: usize, remote: u32, phase: u32, value: u32) -> u32 {
    let key = Entry::new(remote, phase, value, 0).key();
    let at = fixed + state[fixed..].partition_point(|w| Entry(*w).key() < key);
    state.get(at).filter(|w| Entry(**w).key() == key).map_or(0, |w| Entry(*w).count())
}

/// How remote operations go on.
pub(crate) trait Network {
    /// A remote statement is executed. Nothing if it is not issued.
    fn issue(&self, state: &[u32], remote: u32, operands: u32, memory: &mut Memory<'_>) -> Result<Option<State>, Stop>;

    /// The steps of the network for these statements.
    fn steps(
        &self,
        state: &[u32],
        of: &[bool],
        memory: &mut Memory<'_>,
        out: &mut Vec<(Action, State)>,
    ) -> Result<(), Stop>;

    /// A process has written a variable.
    fn stored(&self, state: &mut State, var: VarId, memory: &Memory<'_>);
}

/// Remote statements are done at once.
pub(crate) struct Sequential;

impl Network for Sequential {
    fn issue(&self, state: &[u32], remote: u32, operands: u32, memory: &mut Memory<'_>) -> Result<Option<State>, Stop> {
        let of = &memory.program.remotes[RemoteId(remote)];
        let mut next = state.to_vec();
        let found = state[memory.word(of.src)];
        if of.is_rmw() {
            let Some(written) = memory.applied(RemoteId(remote), found, operands)? else { return Ok(None) };
            next[memory.word(of.src)] = written;
        }
        next[memory.word(of.dst)] = found;
        Ok(Some(next))
    }

    fn steps(&self, _: &[u32], _: &[bool], _: &mut Memory<'_>, _: &mut Vec<(Action, State)>) -> Result<(), Stop> {
        Ok(())
    }

    fn stored(&self, _: &mut State, _: VarId, _: &Memory<'_>) {}
}
