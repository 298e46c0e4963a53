//! What the search knows of unknown values: a solver for path conditions, and whether something was selected from an array. What it
//! answers holds for the path of the execution at hand, which is what its decisions say ([`super::choices`]).

use super::code::Code;
use super::execution::Execution;
use super::stop::Stop;
use super::threads::Threads;
use crate::assumptions::Retraction;
use crate::graph::{EventId, Graph, INIT, Kind, Label, NO_PROMISE};
use crate::path::{PathStats, Paths, Values};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use treville_bytecode::{Step, Symbols, is_term, term_of};
use treville_ir::Wait;
use treville_term::{TermId, UnOp};

pub(super) struct Symbolic {
    /// If there are unknown values.
    paths: Option<Paths>,
    /// Whether something was selected from a settled array.
    selects: bool,
}

impl Symbolic {
    pub(super) fn new(code: &Code<'_>) -> Self {
        let paths = |symbols: &Arc<Symbols>| Paths::new(Arc::clone(symbols), code.options.cancel.clone());
        Symbolic { paths: code.image.symbols().map(paths), selects: false }
    }

    /// With what was asked before, for another search.
    pub(super) fn restarted(self) -> Self {
        Symbolic { selects: false, ..self }
    }

    pub(super) fn stats(&self) -> PathStats {
        self.paths.as_ref().map_or_else(PathStats::default, |paths| paths.stats)
    }

    /// Notes that something is selected from a settled array.
    pub(super) fn note_selection(&mut self) {
        self.selects = true;
    }

    /// The values that a term can have on a path, in order; if there are more than so many, some of them.
    pub(super) fn values(&mut self, path: &[TermId], term: TermId, most: usize) -> Result<Vec<u64>, Stop> {
        let Some(paths) = &mut self.paths else { return Ok(Vec::new()) };
        Ok(paths.range(path, term, most)?)
    }

    /// What a word stands for, if there is only one possibility.
    pub(super) fn only_value(&mut self, execution: &Execution<'_>, word: u64) -> Option<u64> {
        let (path, term) = (execution.decided(|_| true), execution.code.narrowed(word));
        let values = self.paths.as_mut()?.range(&path, term, 1).ok()?;
        values.first().copied().filter(|_| values.len() == 1)
    }

    /// Whether a decision is as it would be added first to what was there before it and what leads to `w`.
    pub(super) fn is_first_decision(&mut self, execution: &Execution<'_>, e: EventId, w: EventId) -> bool {
        let label = *execution.graph.label(e);
        if label.value == 0 || label.kind == Kind::Assumption {
            return true;
        }
        let path = execution.decided(|x| x < e || (x != e && execution.graph.porf(x, w)));
        let Some((symbols, paths)) = execution.code.image.symbols().zip(self.paths.as_mut()) else { return true };
        let less = symbols.lock().less(TermId(label.promise), label.value);
        // If it was cancelled, that is noticed soon.
        matches!(paths.solve(&path, less), Ok(None))
    }

    /// Whether some thread fails an assumption right after a decision that could have been otherwise.
    pub(super) fn is_discarded(&mut self, execution: &Execution<'_>, threads: &mut Threads) -> Result<bool, Stop> {
        let n_threads = if execution.code.assumptions.forks { execution.graph.threads.len() as u16 } else { 0 };
        for thread in 0..n_threads {
            // What is known of a thread that was not started is of another graph.
            if !execution.graph.threads[usize::from(thread)].present {
                continue;
            }
            let last = execution.graph.last_of(thread);
            let label = *execution.graph.label(last);
            if label.kind != Kind::Decision
                || !matches!(threads.step(execution, thread), Step::Blocked { wait: Wait::Assume, .. })
            {
                continue;
            }
            let path = execution.decided(|x| x < last);
            let Some((symbols, paths)) = execution.code.image.symbols().zip(self.paths.as_mut()) else { continue };
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
    pub(super) fn an_execution(
        &mut self,
        execution: &mut Execution<'_>,
    ) -> Result<Option<(Graph, Vec<EventId>)>, Stop> {
        let Some(symbols) = execution.code.image.symbols() else { return Ok(None) };
        let values = self.smallest_values(execution, execution.decided(|_| true))?;
        let graph = self.with_reads(execution, &values)?;
        let (mut shared, mut known) = (symbols.lock(), FxHashMap::default());
        let mut value = |word: u64| {
            shared.with_values(word, |shared, word| match is_term(word) {
                true => shared.eval(term_of(word), &values, &mut known).unsigned() as u64,
                false => word,
            })
        };
        let mut number = Vec::new();
        let graph = graph.with_values(&execution.code.rules, &mut value, &mut number);
        Ok(Some((graph, number)))
    }

    /// Does something with one execution of those that the graph stands for.
    pub(super) fn with_values<R>(
        &mut self,
        execution: &mut Execution<'_>,
        act: impl FnOnce(&Execution<'_>) -> R,
    ) -> Result<R, Stop> {
        let Some((graph, _)) = self.an_execution(execution)? else { return Ok(act(execution)) };
        let graph = std::mem::replace(&mut execution.graph, graph);
        let result = act(execution);
        execution.graph = graph;
        Ok(result)
    }

    /// The smallest value of each variable that a path leaves to it, one after the other.
    pub(super) fn smallest_values(&mut self, execution: &Execution<'_>, mut path: Vec<TermId>) -> Result<Values, Stop> {
        let mut variables: Vec<Label> = Vec::new();
        for thread in execution.graph.threads.iter().filter(|t| t.present) {
            let labels = thread.events.iter().map(|e| *execution.graph.label(*e));
            variables.extend(labels.filter(|l| l.kind == Kind::Choice && is_term(l.value)));
        }
        let Some((symbols, paths)) = execution.code.image.symbols().zip(self.paths.as_mut()) else {
            return Ok(Values::default());
        };
        for label in variables {
            let term = term_of(label.value);
            let value = paths.smallest(&path, term)?.unwrap_or_default();
            path.push(symbols.lock().equals(term, value));
        }
        Ok(paths.values(&path)?)
    }

    pub(super) fn solve(&mut self, path: &[TermId], condition: TermId) -> Result<Option<Values>, Stop> {
        let Some(paths) = &mut self.paths else { return Ok(None) };
        Ok(paths.solve(path, condition)?)
    }

    /// The graph in which selections are reads of the element that variables with these values make them.
    fn with_reads(&self, execution: &mut Execution<'_>, values: &Values) -> Result<Graph, Stop> {
        let mut graph = execution.graph.clone();
        if !self.selects {
            return Ok(graph);
        }
        for e in (1..graph.len()).filter(|e| graph.label(*e).kind == Kind::Selection).collect::<Vec<_>>() {
            let Label { thread, promise, site, .. } = *graph.label(e);
            let (Some(site), Some(paths)) = (site, &self.paths) else { continue };
            let addr = paths.value(TermId(promise), values);
            let loc = execution.location(thread, site, addr)?;
            let n_locations = execution.graph.locations.len();
            graph.locations.resize_with(n_locations, Default::default);
            let writes = &graph.locations[loc as usize].writes;
            let rf = writes.iter().rfind(|w| graph.hb(**w, e)).copied().unwrap_or(INIT);
            let mode = execution.code.modes(site).read;
            let label = &mut graph.labels[e as usize];
            (label.kind, label.loc, label.rf, label.mode, label.promise) = (Kind::Read, loc, rf, mode, NO_PROMISE);
            graph.locations[loc as usize].plain += u32::from(!mode.atomic());
        }
        Ok(graph)
    }

    /// Notes what a graph that another one has begun brings with it.
    pub(super) fn look_for_selections(&mut self, execution: &Execution<'_>) {
        self.selects |= execution.graph.labels.iter().any(|label| label.kind == Kind::Selection);
    }

    /// # Errors
    /// If a thread changes or frees an object at this address while another may select from it.
    pub(super) fn check_settled(
        &self,
        execution: &Execution<'_>,
        threads: &Threads,
        thread: u16,
        addr: u64,
    ) -> Result<(), Stop> {
        if !self.selects {
            return Ok(());
        }
        let last = execution.graph.last_of(thread);
        for e in 1..execution.graph.len() {
            let label = execution.graph.label(e);
            if label.kind == Kind::Selection && !execution.graph.hb(e, last) {
                let object = threads.objects_of(execution, label.thread, TermId(label.promise));
                if let Some((begin, _)) = object.into_iter().find(|(begin, len)| (*begin..begin + len).contains(&addr))
                {
                    return Err(Stop::Retract(Retraction::Unsettled(begin)));
                }
            }
        }
        Ok(())
    }

    /// The value of a term, given those of the variables.
    pub(super) fn value(&self, term: TermId, values: &Values) -> u64 {
        self.paths.as_ref().map_or(0, |paths| paths.value(term, values))
    }
}
