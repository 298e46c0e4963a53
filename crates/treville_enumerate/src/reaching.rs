//! The candidates that reach the outcome in question, and no others: a choice of sources whose values contradict the question
//! is given up at once. If asked, so is one that breaks coherence or the atomicity of an update at one location.

use crate::addresses::each_fixed_frame;
use crate::order::{CellAccesses, Forced};
use crate::search::{TooLarge, accesses};
use std::ops::ControlFlow;
use std::sync::Arc;
use treville_base::Cancel;
use treville_eval::{Coherence, Staged};
use treville_event::{BaseRel, Cell, Graph, Relation};
use treville_ir::{Formula, Place, Question};
use treville_term::Bv;
use treville_unfold::{
    Finals, Ordered, PreExecution, Prepared, Solution, Solved, Values, holds, register_values, skeleton,
};

type Visit<'v> = dyn FnMut(&Graph, &Finals<'_>) -> ControlFlow<()> + 'v;

pub(crate) struct Reaching<'a, 'm> {
    pub(crate) prepared: &'a Prepared<'a>,
    pub(crate) question: &'a Question,
    /// Knows what coherence the model asks for; without it, every order of writes is a candidate.
    pub(crate) staged: Option<Staged<'m>>,
    pub(crate) cancel: &'a Cancel,
    /// Choices that may still be made.
    pub(crate) steps: u64,
}

/// The choices made so far in one pre-execution.
struct State<'f> {
    pre: &'f PreExecution<'f>,
    po: Relation,
    coherence: Coherence,
    cells: Vec<(Cell, CellAccesses)>,
    /// For each cell, the sources chosen for its reads, as positions.
    sources: Vec<Vec<usize>>,
    forced: Vec<Forced>,
    rf: Vec<(usize, usize)>,
}

impl Reaching<'_, '_> {
    /// Calls `visit` with each of them; breaks if it does, or if the steps are used up.
    pub(crate) fn each(&mut self, visit: &mut Visit<'_>) -> Result<ControlFlow<()>, TooLarge> {
        let mut failed = None;
        let flow = each_fixed_frame(self.prepared, self.cancel, |pre| {
            pre.ok_or(TooLarge::Addresses).and_then(|pre| self.pre(pre, visit)).unwrap_or_else(|e| {
                failed = Some(e);
                ControlFlow::Break(())
            })
        });
        failed.map_or(Ok(flow), Err)
    }

    fn pre(&mut self, pre: &PreExecution<'_>, visit: &mut Visit<'_>) -> Result<ControlFlow<()>, TooLarge> {
        let store = &self.prepared.traces.domain.store;
        let mut values = Values::new(store, self.prepared.traces.n_vars);
        pre.joined.iter().for_each(|&(var, term)| values.bind(var, term));
        if self.hopeless(pre, &mut values) {
            return Ok(ControlFlow::Continue(()));
        }
        let known: Vec<Option<Cell>> = pre.events.iter().map(|e| e.cell).collect();
        let unsolved: Vec<_> = known.iter().map(|c| Solved { cell: *c, ..Solved::default() }).collect();
        let mut skeleton = skeleton(self.prepared.program, self.prepared.vocabulary, pre, &unsolved);
        let coherence = self.staged.as_mut().map_or_else(Coherence::default, |staged| {
            staged.enter(&skeleton);
            Coherence::of(staged, &skeleton)
        });
        let po = skeleton.rels.remove(&BaseRel::Po).unwrap_or_else(|| Relation::new(pre.events.len()));
        let cells = accesses(pre, &known)?;
        let forced = cells.iter().map(|(_, a)| a.forced(coherence, &po)).collect::<Option<Vec<_>>>();
        let Some(forced) = forced else { return Ok(ControlFlow::Continue(())) };
        let sources = vec![Vec::new(); cells.len()];
        let mut state = State { pre, po, coherence, cells, sources, forced, rf: Vec::new() };
        Ok(self.choose_source(&mut state, &mut values, 0, visit))
    }

    /// Chooses sources for the reads of cell `c` and those after it.
    fn choose_source(
        &mut self,
        state: &mut State<'_>,
        values: &mut Values<'_>,
        c: usize,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        if self.steps == 0 || self.cancel.is_due() {
            return ControlFlow::Break(());
        }
        self.steps -= 1;
        let Some((_, accesses)) = state.cells.get(c) else { return self.sources_chosen(state, values, visit) };
        let Some(&read) = accesses.reads.get(state.sources[c].len()) else {
            return self.choose_source(state, values, c + 1, visit);
        };
        let before = state.forced[c].clone();
        for position in 0..state.cells[c].1.writes.len() {
            let source = state.cells[c].1.writes[position];
            let (Some(var), Some(value)) = (state.pre.events[read].read, state.pre.events[source].written) else {
                continue;
            };
            if !self.prepared.may_read(state.pre, read, source) {
                continue;
            }
            state.sources[c].push(position);
            if let Some(forced) =
                state.cells[c].1.forced_by_last(state.coherence, &state.po, &before, &state.sources[c])
            {
                values.bind(var, value);
                state.forced[c] = forced;
                state.rf.push((source, read));
                let hopeless = self.hopeless(state.pre, values);
                let flow =
                    if hopeless { ControlFlow::Continue(()) } else { self.choose_source(state, values, c, visit) };
                state.rf.pop();
                values.unbind(var);
                flow?;
            }
            state.sources[c].pop();
        }
        state.forced[c] = before;
        ControlFlow::Continue(())
    }

    /// Whether the values so far already contradict a path or the question.
    fn hopeless(&self, pre: &PreExecution<'_>, values: &mut Values<'_>) -> bool {
        if pre.contradicts(values) {
            return true;
        }
        let mut value = |place: &Place| register_so_far(pre, values, place);
        let asked = self.question.filter.iter().chain([&self.question.condition]);
        asked.into_iter().any(|formula| so_far(formula, &mut value) == Some(false))
    }

    /// Every read has a source: solve for values, then choose orders.
    fn sources_chosen(&mut self, state: &State<'_>, values: &mut Values<'_>, visit: &mut Visit<'_>) -> ControlFlow<()> {
        let Ok(solution) = Solution::of(self.prepared, state.pre, &state.rf, values) else {
            return ControlFlow::Continue(());
        };
        let n = state.pre.events.len();
        let complete = Complete {
            prepared: self.prepared,
            question: self.question,
            solution: &solution,
            skeleton: Arc::new(skeleton(self.prepared.program, self.prepared.vocabulary, state.pre, &solution.solved)),
            rf: Relation::from_pairs(n, state.rf.iter().copied()),
            registers: register_values(state.pre, values),
        };
        self.choose_order(state, &complete, &mut Vec::new(), visit)
    }

    /// Extends `orders`, one for each of the first cells, in every way. Of a model that makes its own coherence only the last
    /// writes matter.
    fn choose_order(
        &mut self,
        state: &State<'_>,
        complete: &Complete<'_>,
        orders: &mut Vec<Vec<usize>>,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        let Some((_, accesses)) = state.cells.get(orders.len()) else { return complete.visit(orders, visit) };
        let c = orders.len();
        let mut extend = |order: &[usize]| {
            if self.steps == 0 || self.cancel.is_due() {
                return ControlFlow::Break(());
            }
            self.steps -= 1;
            orders.push(order.iter().map(|&p| accesses.writes[p]).collect());
            let flow = self.choose_order(state, complete, orders, visit);
            orders.pop();
            flow
        };
        if complete.prepared.free_co {
            return accesses.each_order(state.coherence, &state.forced[c], &state.sources[c], &mut extend);
        }
        accesses.each_last(&mut extend)
    }
}

/// A choice of sources, with what follows from it.
struct Complete<'a> {
    prepared: &'a Prepared<'a>,
    question: &'a Question,
    solution: &'a Solution,
    skeleton: Arc<treville_event::Skeleton>,
    rf: Relation,
    registers: Vec<Vec<Option<Bv>>>,
}

impl Complete<'_> {
    /// Every order is chosen: it is a candidate if it reaches the outcome.
    fn visit(&self, orders: &[Vec<usize>], visit: &mut Visit<'_>) -> ControlFlow<()> {
        let Complete { prepared, question, solution, .. } = self;
        let Ordered { co, finals, memory } = solution.ordered(prepared, orders);
        let state = Finals { program: prepared.program, registers: &self.registers, memory };
        if !question.filter.iter().chain([&question.condition]).all(|f| holds(f, &state)) {
            return ControlFlow::Continue(());
        }
        let graph = Graph { skeleton: Arc::clone(&self.skeleton), rf: self.rf.clone(), co, finals };
        visit(&graph, &state)
    }
}

/// The final value of a register, if the values so far tell.
pub(crate) fn register_so_far(pre: &PreExecution<'_>, values: &mut Values<'_>, place: &Place) -> Option<Bv> {
    let Place::Reg(thread, reg) = place else { return None };
    let term = pre.traces.get(thread.0 as usize)?.registers.get(reg.0 as usize)?;
    values.eval(*term).ok().filter(|v| !v.is_thin_air())
}

/// What a formula is, as far as the values of places are known.
pub(crate) fn so_far(formula: &Formula, value: &mut dyn FnMut(&Place) -> Option<Bv>) -> Option<bool> {
    match formula {
        Formula::True => Some(true),
        Formula::False => Some(false),
        Formula::Not(a) => so_far(a, value).map(|a| !a),
        Formula::And(all) => conjunction(all, value, true),
        Formula::Or(any) => conjunction(any, value, false),
        Formula::Implies(a, b) => match (so_far(a, value), so_far(b, value)) {
            (Some(false), _) | (_, Some(true)) => Some(true),
            (Some(true), Some(false)) => Some(false),
            _ => None,
        },
        Formula::Atom(_) => {
            let mut known = Vec::new();
            let mut unknown = false;
            formula.visit_places(&mut |place| match value(place) {
                Some(v) => known.push((place.clone(), v)),
                None => unknown = true,
            });
            let found = |place: &Place| known.iter().find(|(p, _)| p == place).map(|(_, v)| *v);
            (!unknown).then(|| formula.holds(&found))
        }
    }
}

/// All of them, or with `all` false any of them.
fn conjunction(parts: &[Formula], value: &mut dyn FnMut(&Place) -> Option<Bv>, all: bool) -> Option<bool> {
    let mut open = false;
    for part in parts {
        match so_far(part, value) {
            Some(holds) if holds != all => return Some(!all),
            Some(_) => {}
            None => open = true,
        }
    }
    (!open).then_some(all)
}
