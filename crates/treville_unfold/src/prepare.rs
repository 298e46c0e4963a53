//! What is computed once for a task, before any candidate: paths, cells, parts, initial writes.

use crate::cells::{Cells, fixed_accesses};
use crate::pre_execution::{Parts, PreExecution, Refusal, initial_value};
use crate::shapes::{Shapes, events, missed, pieces, shapes, slots};
use crate::symbolic_layout::Initial;
use crate::traces::{Trace, Traces};
use crate::value_sets::ValueSets;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use treville_base::{Cancel, Idx};
use treville_event::{Cell, Kind, Vocabulary};
use treville_ir::{Place, Program, Question, ThreadId};
use treville_model::Model;
use treville_task::{Semantics, Task};
use treville_term::{Bv, Cast, TermId, VarId};
use treville_vm::{Domain, Shape};

pub struct Prepared<'a> {
    pub program: &'a Program,
    pub model: &'a Model,
    pub vocabulary: &'a Vocabulary,
    pub traces: Traces,
    pub cells: Cells,
    parts: Parts,
    shapes: Shapes,
    init: Vec<(Cell, TermId)>,
    observed: BTreeSet<Cell>,
    possible: ValueSets,
    /// How many events an execution has at the most.
    pub n_events: usize,
    /// Some path that can be taken was cut at the bound.
    pub cut: bool,
    /// Some access with a computed address cut through a cell, so that its execution could not be built.
    pub missed: std::cell::Cell<bool>,
    /// The engine chooses a coherence order; otherwise the model makes its own.
    pub free_co: bool,
}

/// Relations between so many initial writes and other events are still of a size to work with.
const MOST_CELLS: usize = 1 << 14;

/// Relations between so many events take 32 MB each. Engines keep dozens of them.
const MOST_EVENTS: usize = 1 << 14;

/// Why a task has no executions to look for.
pub enum Failed {
    NoAxioms,
    TooManyPaths,
    Refused(Refusal),
}

impl<'a> Prepared<'a> {
    pub fn of(task: &'a Task, cancel: &Cancel) -> Result<Prepared<'a>, Failed> {
        let Semantics::Axioms(_, vocabulary) = &task.semantics else { return Err(Failed::NoAxioms) };
        let shape = Shape::new(&task.program, vocabulary, task.bounds.unroll);
        let traces = Traces::of(&task.program, shape, cancel).ok_or(Failed::TooManyPaths)?;
        Prepared::over(task, traces, &BTreeSet::new(), cancel)
    }

    /// The same for paths that are there already. `outside` are cells that accesses may touch whose addresses cannot be listed,
    /// besides those of objects.
    pub fn over(
        task: &'a Task,
        mut traces: Traces,
        outside: &BTreeSet<Cell>,
        cancel: &Cancel,
    ) -> Result<Prepared<'a>, Failed> {
        let Semantics::Axioms(model, vocabulary) = &task.semantics else { return Err(Failed::NoAxioms) };
        let program = &*task.program;
        let mut memory = Memory::of(program, &traces, true, cancel).ok_or(Failed::TooManyPaths)?;
        let mut parts = memory.parts(program, &mut traces, outside, cancel);
        if parts.is_err() {
            // What may only seem to touch several cells is left whole.
            memory = Memory::of(program, &traces, false, cancel).ok_or(Failed::TooManyPaths)?;
            parts = memory.parts(program, &mut traces, outside, cancel);
        }
        if cancel.is_stopped() {
            // What was not finished says nothing of the program.
            return Err(Failed::TooManyPaths);
        }
        let parts = parts.map_err(Failed::Refused)?;
        let Memory { cells, possible, shapes } = memory;
        let cut = traces.cut.iter().any(|path| possible.can_take(&traces.domain.store, path));
        let observed = task.question.as_ref().map_or_else(BTreeSet::new, |q| observed_cells(program, q, &cells));
        let init = initial_writes(program, &mut traces, &possible, &cells, &shapes, &observed, cancel);
        if cancel.is_stopped() {
            return Err(Failed::TooManyPaths);
        }
        let init = init
            .ok_or_else(|| Failed::Refused("a part of an address that is not fixed, in memory at the start".into()))?;
        if init.len() > MOST_CELLS {
            let what = format!("{} places in memory are read or written, more than {MOST_CELLS}", init.len());
            return Err(Failed::Refused(what));
        }
        let longest = |paths: &Vec<Trace>| paths.iter().map(|path| path.events.len()).max().unwrap_or(0);
        let n_events = init.len() + traces.threads.iter().map(longest).sum::<usize>();
        if n_events > MOST_EVENTS {
            return Err(Failed::Refused(format!("an execution may have {n_events} events, more than {MOST_EVENTS}")));
        }
        Ok(Prepared {
            program,
            model,
            vocabulary,
            traces,
            cells,
            parts,
            shapes,
            init,
            observed,
            possible,
            n_events,
            cut,
            missed: false.into(),
            free_co: model.free_co,
        })
    }

    /// The same memory with other paths of the same program, one for each thread. `origin` says which event of the first paths
    /// here an event of a thread is: it has the same parts.
    pub fn along(
        &self,
        mut traces: Traces,
        origin: impl Fn(ThreadId, u32) -> Option<u32>,
    ) -> Result<Prepared<'a>, Failed> {
        let shape = |(key, _)| {
            let (thread, _, i): (u32, u32, u32) = key;
            let origin = origin(ThreadId(thread), i)?;
            Some((key, self.shapes.get(&(thread, 0, origin))?.clone()))
        };
        let shapes: Shapes = events(&traces).filter_map(shape).collect();
        let parts = Parts::of(&mut traces, &self.cells, &shapes).map_err(Failed::Refused)?;
        let value = |cell: &Cell| initial_value(self.program, cell.address, cell.size);
        let init = self.init.iter().map(|(cell, _)| (*cell, traces.domain.store.constant(value(cell)))).collect();
        Ok(Prepared {
            traces,
            cells: self.cells.clone(),
            parts,
            shapes,
            init,
            observed: self.observed.clone(),
            possible: ValueSets::anything(),
            missed: false.into(),
            ..*self
        })
    }

    /// The values that a read may return, if they can be listed and are the same wherever objects lie.
    pub fn values_of(&self, var: VarId) -> Option<BTreeSet<Bv>> {
        self.possible.numbers(var)
    }

    /// The values that a read of so many bits may return if some are addresses that are not fixed, see [`ValueSets::with_spots`].
    pub fn spots_of(&self, var: VarId, width: u8) -> Option<BTreeSet<Bv>> {
        self.possible.with_spots(var, width)
    }

    /// The same cells in a program that differs in nothing but the addresses of objects; without paths.
    pub fn moved<'b>(&self, program: &'b Program) -> Prepared<'b>
    where
        'a: 'b,
    {
        let moved = |cell: &Cell| match self.program.object_at(cell.address) {
            Some((object, offset)) => Cell { address: program.objects[object].address + offset, size: cell.size },
            None => *cell,
        };
        let mut all: Vec<Cell> = self.cells.all.iter().map(moved).collect();
        all.sort_unstable();
        Prepared {
            program,
            traces: Traces::default(),
            cells: Cells { all, outside: self.cells.outside.clone() },
            parts: Parts::default(),
            shapes: self.shapes.clone(),
            init: self.init.iter().map(|(cell, value)| (moved(cell), *value)).collect(),
            observed: self.observed.iter().map(moved).collect(),
            possible: ValueSets::anything(),
            missed: false.into(),
            ..*self
        }
    }

    /// What these bytes are at the start.
    pub fn initial_value(&self, address: u64, size: u8) -> Bv {
        initial_value(self.program, address, size)
    }

    /// For each thread, the paths whose conditions can hold.
    pub fn possible_paths(&self) -> Vec<Vec<usize>> {
        let possible = |t: &Trace| self.possible.can_take(&self.traces.domain.store, t);
        self.traces.threads.iter().map(|ts| (0..ts.len()).filter(|&i| possible(&ts[i])).collect()).collect()
    }

    /// One path for each thread, put together.
    pub fn pre(&self, choice: &[usize]) -> PreExecution<'_> {
        PreExecution::new(&self.traces, &self.parts, &self.cells, &self.init, choice, None)
    }

    /// The beginnings of one path for each thread, this many events of each.
    pub fn beginning(&self, choice: &[usize], limits: &[u32]) -> PreExecution<'_> {
        PreExecution::new(&self.traces, &self.parts, &self.cells, &self.init, choice, Some(limits))
    }

    /// Where accesses of so many bytes may lie, whatever is read: addresses as in the layout that engines share. `None` if these are
    /// too many to list.
    pub fn possible_addresses(&self, address: TermId, size: u8) -> Option<BTreeSet<u64>> {
        self.possible.addresses(&self.traces.domain.store, address, size)
    }

    /// Every combination of one path for each thread, in lexicographic order.
    pub fn each_pre_execution(&self, mut visit: impl FnMut(&PreExecution<'_>) -> ControlFlow<()>) -> ControlFlow<()> {
        let all: Vec<Vec<usize>> = self.traces.threads.iter().map(|ts| (0..ts.len()).collect()).collect();
        self.each_choice(&all, |choice| visit(&self.pre(choice)))
    }

    /// Every way to take one element of each list, in lexicographic order.
    pub fn each_choice(
        &self,
        lists: &[Vec<usize>],
        mut visit: impl FnMut(&[usize]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if lists.iter().any(Vec::is_empty) {
            return ControlFlow::Continue(());
        }
        let mut at = vec![0; lists.len()];
        loop {
            let choice: Vec<usize> = at.iter().zip(lists).map(|(i, list)| list[*i]).collect();
            visit(&choice)?;
            let Some(digit) = (0..lists.len()).rev().find(|&i| at[i] + 1 < lists[i].len()) else {
                return ControlFlow::Continue(());
            };
            at[digit] += 1;
            at[digit + 1..].fill(0);
        }
    }

    /// Whether a read could see a write as far as their instructions tell: not its own, and of the same size.
    pub fn may_read(&self, pre: &PreExecution<'_>, read: usize, write: usize) -> bool {
        let own = read == write || write > read && self.same_instance(pre, read, write);
        !own && pre.events[read].size == pre.events[write].size
    }

    fn same_instance(&self, pre: &PreExecution<'_>, a: usize, b: usize) -> bool {
        let instance = |e: usize| {
            let (thread, index) = pre.events[e].at?;
            Some((thread, pre.traces[thread.index()].events[index as usize].action.instance))
        };
        instance(a).is_some() && instance(a) == instance(b)
    }

    /// The cell of an access whose address turned out to be `address`. That none fits is remembered if it can happen at all.
    pub fn exact_cell(&self, term: TermId, address: u64, size: u8) -> Option<Cell> {
        let cell = self.cells.exact(address, size);
        if cell.is_none() {
            let can_happen = self.possible_addresses(term, size).is_none_or(|all| all.contains(&address));
            self.missed.set(self.missed.get() || can_happen);
        }
        cell
    }

    /// The cells whose final values the question looks at.
    pub fn observed(&self) -> &BTreeSet<Cell> {
        &self.observed
    }

    pub fn is_observed(&self, cell: Option<Cell>) -> bool {
        cell.is_some_and(|c| self.observed.contains(&c))
    }
}

/// How often cells are made smaller since more accesses turn out to be possible, or to have parts.
const ROUNDS: u32 = 8;

/// Memory as accesses divide it.
struct Memory {
    cells: Cells,
    possible: ValueSets,
    shapes: Shapes,
}

impl Memory {
    /// Splits objects until every access, or every part of one, has a cell of its own wherever it may lie; `None` if cancelled. If
    /// they are not to be split (`in_parts`), accesses with computed addresses have no parts.
    fn of(program: &Program, traces: &Traces, in_parts: bool, cancel: &Cancel) -> Option<Memory> {
        let mut accesses = fixed_accesses(traces);
        let mut memory = Memory::over(program, traces, Cells::split(program, &accesses), in_parts, cancel)?;
        for round in 0..ROUNDS {
            let Memory { cells, possible, shapes } = &memory;
            let mut more = missed(program, traces, possible, cells, shapes, cancel);
            if more.is_empty() || round + 1 == ROUNDS {
                more.extend(slots(program, traces, possible, cells, cancel));
            }
            if more.is_subset(&accesses) {
                break;
            }
            accesses.extend(more);
            memory = Memory::over(program, traces, Cells::split(program, &accesses), in_parts, cancel)?;
        }
        Some(memory)
    }

    fn over(program: &Program, traces: &Traces, cells: Cells, in_parts: bool, cancel: &Cancel) -> Option<Memory> {
        let possible = ValueSets::of(program, traces, &cells, cancel)?;
        let shapes = if in_parts { shapes(traces, &possible, &cells, cancel) } else { Shapes::new() };
        (!cancel.is_stopped()).then_some(Memory { cells, possible, shapes })
    }

    /// Memory is total: what lies outside of every object is 0 and can be accessed like anything else. With that, accesses are
    /// split into parts. Not all of them, if cancelled.
    fn parts(
        &mut self,
        program: &Program,
        traces: &mut Traces,
        outside: &BTreeSet<Cell>,
        cancel: &Cancel,
    ) -> Result<Parts, Refusal> {
        for (key, event) in events(traces).take_while(|_| !cancel.is_stopped()) {
            let Some((address, size)) = event.action.place else { continue };
            for a in self.possible.addresses(&traces.domain.store, address, size).into_iter().flatten() {
                for (offset, size) in pieces(&self.shapes, key, size) {
                    self.cells.add_outside(a.wrapping_add(offset), size);
                }
            }
        }
        outside.iter().for_each(|cell| self.cells.add_outside(cell.address, cell.size));
        let parts = Parts::of(traces, &self.cells, &self.shapes)?;
        parts.refuse_atomic(program, traces)?;
        Ok(parts)
    }
}

/// The cells whose final values a question looks at.
fn observed_cells(program: &Program, question: &Question, cells: &Cells) -> BTreeSet<Cell> {
    let mut observed = BTreeSet::new();
    let mut add = |place: &Place| {
        let (object, offset, size) = match place {
            Place::Reg(..) => return,
            Place::Mem { object, offset, size } => (*object, *offset, u64::from(*size)),
            Place::Array { object, size, count } => (*object, 0, u64::from(*size) * u64::from(*count)),
        };
        let start = program.objects[object].address + offset;
        observed.extend(cells.all.iter().filter(|c| c.address < start + size && start < c.end()));
    };
    question.observed.iter().for_each(|o| add(&o.place));
    question.condition.visit_places(&mut add);
    question.filter.iter().for_each(|f| f.visit_places(&mut add));
    observed
}

/// Initial writes of the cells that some access may touch, and of those that are observed; `None` if one is a part of an address
/// that is not fixed. Not all of them, if cancelled.
fn initial_writes(
    program: &Program,
    traces: &mut Traces,
    possible: &ValueSets,
    cells: &Cells,
    shapes: &Shapes,
    observed: &BTreeSet<Cell>,
    cancel: &Cancel,
) -> Option<Vec<(Cell, TermId)>> {
    let mut touched = observed.clone();
    let mut anywhere = false;
    for (key, event) in events(traces).take_while(|_| !cancel.is_stopped()) {
        let Some((address, size)) = event.action.place else { continue };
        let Some(addresses) = possible.addresses(&traces.domain.store, address, size) else {
            anywhere = true;
            continue;
        };
        let parts = pieces(shapes, key, size);
        for (a, size) in addresses.iter().flat_map(|a| parts.iter().map(move |(at, size)| (a.wrapping_add(*at), *size)))
        {
            match cells.exact(a, size) {
                _ if event.action.kind == Kind::Opaque => touched.extend(cells.at(a)),
                Some(cell) => drop(touched.insert(cell)),
                None => touched.extend(cells.covering(a, size).unwrap_or_default()),
            }
        }
    }
    let init = cells.all.iter().chain(&cells.outside).filter(|c| anywhere || touched.contains(c));
    let init: Vec<Cell> = init.copied().collect();
    init.into_iter().map(|cell| Some((cell, initial_term(program, traces, cell)?))).collect()
}

/// What a cell has at the start; `None` if that is a part of an address that is not fixed.
fn initial_term(program: &Program, traces: &mut Traces, cell: Cell) -> Option<TermId> {
    match traces.floating.as_ref().map(|floating| floating.initial(program, cell.address, cell.size)) {
        None | Some(Initial::Numbers) => {
            Some(traces.domain.store.constant(initial_value(program, cell.address, cell.size)))
        }
        Some(Initial::Spot(object, offset)) => {
            let address = traces.domain.address(program, object, offset);
            Some(traces.domain.store.cast(Cast::Zero, 8 * cell.size, address))
        }
        Some(Initial::Unclear) => None,
    }
}
