//! Values that nothing determines.
//!
//! A bit that is branched on at once has either value, one way each. Others stand for all of their values: such a one is a word
//! that names a variable ([`treville_bytecode::Symbols`]), and goes through memory, calls and arithmetic like a number. Only
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

use super::execution::Execution;
use super::stop::Stop;
use super::worklist::Alternative;
use super::{Move, Search};
use crate::assumptions::Retraction;
use crate::graph::{EventId, Kind, Label};
use treville_base::Span;
use treville_bytecode::{SiteId, SiteKind, Step};
use treville_term::TermId;

/// How many values something may have where it must be decided.
const MOST_VALUES: usize = 256;

impl Search<'_, '_> {
    /// Adds an undetermined value: of a bit that must be known 0 first, of another a new variable.
    pub(super) fn choose(&mut self, thread: u16, site: SiteId) -> Result<Move, Stop> {
        let SiteKind::Nondet { width, at_once } = self.code.image.site(site).kind else { return Ok(Move::Back) };
        let value = match self.code.image.symbols() {
            _ if at_once => 0,
            Some(symbols) if !self.code.options.observed => {
                let pos = self.execution.graph.threads[usize::from(thread)].events.len() as u16;
                symbols.lock().variable(thread, pos, width)
            }
            _ => {
                let why = "a value that is not determined, of more than one bit".to_owned();
                return Err(Stop::Refused(why, Some(self.code.span(site))));
            }
        };
        self.threads.answer(&self.execution, thread, value);
        let e = self.push(Label { site: Some(site), ..self.execution.event(thread, Kind::Choice, value) });
        if at_once {
            let choice = self.worklist.begin_choice();
            self.worklist.push(Alternative::Value(1));
            self.worklist.end_choice(e, choice);
        }
        Ok(Move::Go)
    }

    /// Takes another value.
    pub(super) fn chosen(&mut self, e: EventId, value: u64) -> Result<Move, Stop> {
        let state = self.threads.new_state();
        let label = &mut self.execution.graph.labels[e as usize];
        (label.value, label.state) = (value, state);
        if label.kind.decides() { self.has_decided(e) } else { Ok(Move::Go) }
    }

    /// Decides what a word stands for, so that its thread can go on.
    pub(super) fn decide(&mut self, thread: u16, site: Option<SiteId>, word: u64) -> Result<Move, Stop> {
        let term = self.code.narrowed(word);
        let path = self.execution.decided(|_| true);
        let without = self.execution.without_assumptions(thread, &path);
        let mut values = self.symbolic.values(&path, term, MOST_VALUES)?;
        if let Some(without) = without
            && self.symbolic.values(&without, term, MOST_VALUES)? != values
        {
            return Err(Stop::Retract(Retraction::Assumed));
        }
        let mut kind = Kind::Decision;
        if let ([0, 1], false) = (values.as_slice(), self.code.assumptions.forks)
            && let Some(value) = self.threads.assumed(&self.execution, thread)
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
            let place = self.execution.place_of(thread, site);
            self.refused.get_or_insert((why, place));
        }
        let Some((first, rest)) = values.split_first() else { return Ok(Move::Back) };
        self.threads.decide(thread, *first);
        let label = self.execution.event(thread, kind, *first);
        let e = self.push(Label { site, promise: term.0, ..label });
        let choice = self.worklist.begin_choice();
        rest.iter().rev().for_each(|value| self.worklist.push(Alternative::Value(*value)));
        self.worklist.end_choice(e, choice);
        self.has_decided(e)
    }

    /// If it was decided whether an update writes, its read is as strong as that makes it.
    fn has_decided(&mut self, e: EventId) -> Result<Move, Stop> {
        let label = *self.execution.graph.label(e);
        let events = &self.execution.graph.threads[usize::from(label.thread)].events;
        let before = events.iter().rev().copied().find(|x| !self.execution.graph.label(*x).kind.decides());
        let Some(read) = before.filter(|x| self.execution.graph.label(*x).kind == Kind::UpdateRead) else {
            return Ok(Move::Go);
        };
        let next = self.threads.step(&self.execution, label.thread);
        self.threads.set_unfinished(Some(label.thread));
        if matches!(next, Step::Decide { .. }) {
            return Ok(Move::Go);
        }
        let first = self.execution.graph.group(read)[0];
        self.threads.settle(&mut self.execution, first);
        let after: Vec<EventId> = self.execution.graph.threads[usize::from(label.thread)].events.clone();
        for x in after.into_iter().filter(|x| *x > read) {
            self.execution.graph.set_clocks(x, &self.code.rules);
            self.execution.follow_predecessor(x);
        }
        if !self.holds_together(first) {
            return Ok(Move::Back);
        }
        self.check_parts(first)?;
        Ok(Move::Go)
    }
}

impl Execution<'_> {
    /// What the decisions say that are kept.
    pub(super) fn decided(&self, keep: impl Fn(EventId) -> bool) -> Vec<TermId> {
        let Some(symbols) = self.code.image.symbols() else { return Vec::new() };
        let mut shared = symbols.lock();
        let decisions = (1..self.graph.len()).filter(|e| self.graph.label(*e).kind.decides() && keep(*e));
        decisions.map(|e| self.graph.label(e)).map(|l| shared.equals(TermId(l.promise), l.value)).collect()
    }

    /// The path without assumptions that do not lead to what a thread decides next, and what comes of them; none if there are
    /// no such. If the thread could decide otherwise then, they must be decided like other conditions.
    pub(super) fn without_assumptions(&self, thread: u16, path: &[TermId]) -> Option<Vec<TermId>> {
        let last = self.graph.last_of(thread);
        let foreign = |a: &EventId| self.graph.label(*a).kind == Kind::Assumption && !self.graph.porf(*a, last);
        let foreign: Vec<EventId> = (1..self.graph.len()).filter(foreign).collect();
        if foreign.is_empty() || self.code.assumptions.forks {
            return None;
        }
        let without = self.decided(|x| !foreign.iter().any(|a| self.graph.porf(*a, x)));
        (without.len() < path.len()).then_some(without)
    }

    fn place_of(&self, thread: u16, site: Option<SiteId>) -> Option<Span> {
        let events = self.graph.threads[usize::from(thread)].events.iter().rev();
        let site = site.or_else(|| events.filter_map(|e| self.graph.label(*e).site).next());
        site.map(|site| self.code.span(site))
    }
}
