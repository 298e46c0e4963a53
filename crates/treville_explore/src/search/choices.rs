//! Values that nothing determines.
//!
//! A bit that is branched on at once has either value, one way each. Others stand for all of their values: such a one is a word
//! that names a variable ([`treville_vm::bytecode::Symbols`]), and goes through memory, calls and arithmetic like a number. Only
//! where the way on depends on it (a branch, an address, whether a compare-exchange succeeds) its thread asks, and gets a
//! *decision*: an event that says which value a term has, or whether a condition holds. What an unknown address means is in
//! [`super::places`].
//!
//! **What a graph stands for.** The *path* of a graph is what its decisions say. A graph is consistent if the memory model
//! allows it and there are values of the variables for which all of its path holds, and it stands for the executions with these
//! values. Leaving out decisions leaves this so, and there is always some value that a term can still have: this is what the
//! search asks of a memory model, so that it may treat the two alike.
//!
//! **Each class once.** A decision is a choice like that of a read's source: what a term can be, given the path, are its ways, the
//! smallest value first. No event revisits a decision. A revisit of a read keeps the decisions of the events that
//! it keeps, and so their part of the path; a decision that it removes must be as it would be added first, to what was there before
//! it and what leads to the write: no smaller value is possible, given *their* path. As for other events, there is one such value, so
//! that each pair of a graph and a path is built from one other and in one way. A variable is named by the thread and the
//! position of its event, so that it is the same one if it is added again, and answers of the solver can be remembered.
//!
//! **Assumptions.** Where one value of a condition leads a thread to an assumption that fails, before it does anything else, and
//! the other does not, only the other is a way on: its values are assumed. That could hide what others do meanwhile: a thread that fails in an interleaving before the assumption
//! is made. So at each decision it is asked whether something is impossible only by assumptions that do not lead to it
//! (with what comes of them). Only then everything starts anew, and assumptions are decided like other conditions;
//! executions in which one fails are looked at for violations, and not counted.
//!
//! **Telling.** What is judged by a model or told to a user is one execution: the smallest values of the variables, one after the
//! other, put in place of all words ([`Graph::with_values`]).
//!
//! [`Graph::with_values`]: crate::graph::Graph::with_values

use super::{Move, Search, Stop, Way};
use crate::graph::{EventId, Graph, INIT, Kind, Label, NO_LOC};
use crate::path::{Cancelled, Values};
use crate::rules::Mode;
use rustc_hash::FxHashMap;
use treville_base::Span;
use treville_ir::Wait;
use treville_term::{TermId, UnOp};
use treville_vm::bytecode::{SiteId, SiteKind, Step, is_term, term_of};

/// How many values something may have where it must be decided.
const MOST_VALUES: usize = 256;

impl From<Cancelled> for Stop {
    fn from(Cancelled: Cancelled) -> Stop {
        Stop::Cancelled
    }
}

impl Search<'_, '_> {
    /// Adds an undetermined value: of a bit that must be known 0 first, of another a new variable.
    pub(super) fn choose(&mut self, thread: u16, site: SiteId) -> Result<Move, Stop> {
        let SiteKind::Nondet { width, at_once } = self.image.site(site).kind else { return Ok(Move::Back) };
        let value = match self.image.symbols() {
            _ if at_once => 0,
            Some(symbols) if !self.options.observed => {
                let pos = self.graph.threads[usize::from(thread)].events.len() as u16;
                symbols.lock().variable(thread, pos, width)
            }
            _ => {
                let why = "a value that is not determined, of more than one bit".to_owned();
                return Err(Stop::Refused(why, Some(self.image.site(site).span)));
            }
        };
        self.threads[usize::from(thread)].runner.give(self.image, value);
        let e = self.add(thread, Kind::Choice, Mode::RELAXED, value, INIT, Some(site));
        if at_once {
            let first_way = self.ways.len();
            self.ways.push(Way::Value(1));
            self.note_ways(e, first_way, 1);
        }
        Ok(Move::Go)
    }

    /// Takes another value.
    pub(super) fn chosen(&mut self, e: EventId, value: u64) -> Result<Move, Stop> {
        let state = self.new_state();
        let label = &mut self.graph.labels[e as usize];
        (label.value, label.state) = (value, state);
        if label.kind.decides() { self.has_decided(e) } else { Ok(Move::Go) }
    }

    /// Decides what a word stands for, so that its thread can go on.
    pub(super) fn decide(&mut self, thread: u16, site: Option<SiteId>, word: u64) -> Result<Move, Stop> {
        let term = self.narrowed(word);
        let path = self.decided(|_| true);
        let without = self.without_assumptions(thread, &path);
        let Some(paths) = &mut self.paths else { return Ok(Move::Back) };
        let mut values = paths.range(&path, term, MOST_VALUES)?;
        if let Some(without) = without
            && paths.range(&without, term, MOST_VALUES)? != values
        {
            return Err(Stop::Assumed);
        }
        let mut kind = Kind::Decision;
        if let ([0, 1], false) = (values.as_slice(), self.forks)
            && let Some(value) = self.assumed(thread)
        {
            (values, kind) = (vec![value], Kind::Assumption);
        }
        self.decide_among(thread, site, term, kind, (&values, MOST_VALUES))
    }

    /// Adds the decision that a term has one of these values, of which there may be so many.
    pub(super) fn decide_among(
        &mut self,
        thread: u16,
        site: Option<SiteId>,
        term: TermId,
        kind: Kind,
        (values, most): (&[u64], usize),
    ) -> Result<Move, Stop> {
        if values.len() > most {
            let why = format!("what is done depends on a value that is not determined, in more than {most} ways");
            let place = self.place_of(thread, site);
            self.refused.get_or_insert((why, place));
        }
        let Some((first, rest)) = values.split_first() else { return Ok(Move::Back) };
        self.threads[usize::from(thread)].runner.decide(*first);
        let label = self.blank(thread, kind, Mode::RELAXED, NO_LOC, *first);
        let e = self.push(Label { site, promise: term.0, ..label });
        let first_way = self.ways.len();
        self.ways.extend(rest.iter().rev().map(|value| Way::Value(*value)));
        self.note_ways(e, first_way, 1);
        self.has_decided(e)
    }

    /// The term of a word, without the zeros above it.
    pub(super) fn narrowed(&self, word: u64) -> TermId {
        self.image.symbols().map_or(term_of(word), |symbols| symbols.lock().narrowed(term_of(word)))
    }

    /// What a word stands for, if there is only one possibility.
    pub(super) fn only_value(&mut self, word: u64) -> Option<u64> {
        let (path, term) = (self.decided(|_| true), self.narrowed(word));
        let values = self.paths.as_mut()?.range(&path, term, 1).ok()?;
        values.first().copied().filter(|_| values.len() == 1)
    }

    /// The one value of the condition that a thread asks about with which it does not fail an assumption at once.
    fn assumed(&self, thread: u16) -> Option<u64> {
        let fails = |value: u64| {
            let mut runner = self.threads[usize::from(thread)].runner.clone();
            runner.decide(value);
            matches!(runner.run(self.image, &self.options.run), Step::Blocked { wait: Wait::Assume, .. })
        };
        match (fails(0), fails(1)) {
            (true, false) => Some(1),
            (false, true) => Some(0),
            _ => None,
        }
    }

    /// If it was decided whether an update writes, its read is as strong as that makes it.
    fn has_decided(&mut self, e: EventId) -> Result<Move, Stop> {
        let label = *self.graph.label(e);
        let events = &self.graph.threads[usize::from(label.thread)].events;
        let before = events.iter().rev().copied().find(|x| !self.graph.label(*x).kind.decides());
        let Some(read) = before.filter(|x| self.graph.label(*x).kind == Kind::UpdateRead) else { return Ok(Move::Go) };
        let next = self.step(label.thread);
        self.next = Some(label.thread);
        if matches!(next, Step::Decide { .. }) {
            return Ok(Move::Go);
        }
        let first = self.graph.group(read)[0];
        self.settle(first);
        let after: Vec<EventId> = self.graph.threads[usize::from(label.thread)].events.clone();
        for x in after.into_iter().filter(|x| *x > read) {
            self.graph.set_clocks(x, &self.rules);
            self.follow_twin(x);
        }
        if !self.holds_together(first) {
            return Ok(Move::Back);
        }
        self.check_parts(first)?;
        Ok(Move::Go)
    }

    /// What the decisions say that are kept.
    pub(super) fn decided(&self, keep: impl Fn(EventId) -> bool) -> Vec<TermId> {
        let Some(symbols) = self.image.symbols() else { return Vec::new() };
        let mut shared = symbols.lock();
        let decisions = (1..self.graph.len()).filter(|e| self.graph.label(*e).kind.decides() && keep(*e));
        decisions.map(|e| self.graph.label(e)).map(|l| shared.equals(TermId(l.promise), l.value)).collect()
    }

    /// Whether a decision is as it would be added first to what was there before it and what leads to `w`.
    pub(super) fn is_first_decision(&mut self, e: EventId, w: EventId) -> bool {
        let label = *self.graph.label(e);
        if label.value == 0 || label.kind == Kind::Assumption {
            return true;
        }
        let path = self.decided(|x| x < e || (x != e && self.graph.porf(x, w)));
        let Some((symbols, paths)) = self.image.symbols().zip(self.paths.as_mut()) else { return true };
        let less = symbols.lock().less(TermId(label.promise), label.value);
        // If it was cancelled, that is noticed soon.
        matches!(paths.solve(&path, less), Ok(None))
    }

    fn place_of(&self, thread: u16, site: Option<SiteId>) -> Option<Span> {
        let events = self.graph.threads[usize::from(thread)].events.iter().rev();
        let site = site.or_else(|| events.filter_map(|e| self.graph.label(*e).site).next());
        site.map(|site| self.image.site(site).span)
    }

    /// The path without assumptions that do not lead to what a thread decides next, and what comes of them; none if there are
    /// no such. If the thread could decide otherwise then, they must be decided like other conditions.
    pub(super) fn without_assumptions(&self, thread: u16, path: &[TermId]) -> Option<Vec<TermId>> {
        let last = self.graph.last_of(thread);
        let foreign = |a: &EventId| self.graph.label(*a).kind == Kind::Assumption && !self.graph.porf(*a, last);
        let foreign: Vec<EventId> = (1..self.graph.len()).filter(foreign).collect();
        if foreign.is_empty() || self.forks {
            return None;
        }
        let without = self.decided(|x| !foreign.iter().any(|a| self.graph.porf(*a, x)));
        (without.len() < path.len()).then_some(without)
    }

    /// Whether some thread fails an assumption right after a decision that could have been otherwise.
    pub(super) fn is_discarded(&mut self) -> Result<bool, Stop> {
        let n_threads = if self.forks { self.graph.threads.len() as u16 } else { 0 };
        for thread in 0..n_threads {
            // What is known of a thread that was not started is of another graph.
            if !self.graph.threads[usize::from(thread)].present {
                continue;
            }
            let last = self.graph.last_of(thread);
            let label = *self.graph.label(last);
            if label.kind != Kind::Decision || !matches!(self.step(thread), Step::Blocked { wait: Wait::Assume, .. }) {
                continue;
            }
            let path = self.decided(|x| x < last);
            let Some((symbols, paths)) = self.image.symbols().zip(self.paths.as_mut()) else { continue };
            let term = TermId(label.promise);
            let otherwise = {
                let mut shared = symbols.lock();
                let is = shared.equals(term, label.value);
                shared.store.un(UnOp::Not, is)
            };
            if paths.solve(&path, otherwise)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// One execution of those that the graph stands for, and the number of each event in it; none if the graph is one.
    pub(super) fn an_execution(&mut self) -> Result<Option<(Graph, Vec<EventId>)>, Stop> {
        let Some(symbols) = self.image.symbols() else { return Ok(None) };
        let values = self.smallest_values(self.decided(|_| true))?;
        let graph = self.with_reads(&values)?;
        let (mut shared, mut known) = (symbols.lock(), FxHashMap::default());
        let mut value = |word: u64| {
            shared.with_values(word, |shared, word| match is_term(word) {
                true => shared.eval(term_of(word), &values, &mut known).unsigned() as u64,
                false => word,
            })
        };
        let mut number = Vec::new();
        let graph = graph.with_values(&self.rules, &mut value, &mut number);
        Ok(Some((graph, number)))
    }

    /// The smallest value of each variable that a path leaves to it, one after the other.
    pub(super) fn smallest_values(&mut self, mut path: Vec<TermId>) -> Result<Values, Stop> {
        let mut variables: Vec<Label> = Vec::new();
        for thread in self.graph.threads.iter().filter(|t| t.present) {
            let labels = thread.events.iter().map(|e| *self.graph.label(*e));
            variables.extend(labels.filter(|l| l.kind == Kind::Choice && is_term(l.value)));
        }
        let Some((symbols, paths)) = self.image.symbols().zip(self.paths.as_mut()) else {
            return Ok(Values::default());
        };
        for label in variables {
            let term = term_of(label.value);
            let value = paths.smallest(&path, term)?.unwrap_or_default();
            path.push(symbols.lock().equals(term, value));
        }
        Ok(paths.values(&path)?)
    }

    /// Does something with one execution of those that the graph stands for in place of the graph.
    pub(super) fn with_values<R>(&mut self, act: impl FnOnce(&mut Self) -> R) -> Result<R, Stop> {
        let Some((graph, _)) = self.an_execution()? else { return Ok(act(self)) };
        let graph = std::mem::replace(&mut self.graph, graph);
        let result = act(self);
        self.graph = graph;
        Ok(result)
    }
}
