//! A solution of the clauses, run again: the paths that it takes, the values that follow from its sources, and the execution
//! that they make, for the reference evaluator to judge. Nothing that the encoding says of the model is taken over.

use crate::encode::Encoder;
use crate::events::Events;
use crate::layout::Layout;
use std::collections::BTreeMap;
use std::sync::Arc;
use treville_event::{Cell, Graph, Relation};
use treville_ir::ThreadId;
use treville_term::Bv;
use treville_unfold::{
    Finals, Misfit, Oracle, Ordered, PreExecution, Prepared, Solution, Traces, Values, register_values, skeleton,
};
use treville_vm::Shape;

/// Why a solution is not an execution of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mismatch {
    /// A value depends on itself.
    Circular,
    /// The clauses and the interpreter disagree.
    Wrong(&'static str),
}

impl From<Misfit> for Mismatch {
    fn from(misfit: Misfit) -> Self {
        match misfit {
            Misfit::Circular => Mismatch::Circular,
            Misfit::Unread => Mismatch::Wrong("a read has no source"),
            Misfit::Path => Mismatch::Wrong("a condition of a path does not hold"),
            Misfit::Cell => Mismatch::Wrong("an access is at another place"),
            Misfit::Source => Mismatch::Wrong("a read has its source in another cell"),
        }
    }
}

/// What the solution says of one thread.
struct Answers {
    reads: Vec<Option<Bv>>,
    choices: std::vec::IntoIter<Bv>,
}

impl Oracle for Answers {
    fn read(&mut self, event: usize) -> Option<Bv> {
        self.reads.get(event).copied().flatten()
    }

    fn choose(&mut self) -> Option<bool> {
        self.any().map(|value| !value.is_zero())
    }

    fn any(&mut self) -> Option<Bv> {
        self.choices.next()
    }
}

/// Calls `visit` with the execution that the solver's last model describes.
pub(crate) fn replay<R>(
    encoder: &Encoder<'_>,
    events: &Events<'_>,
    shape: Shape,
    visit: impl FnOnce(&Finals<'_>, &mut dyn FnMut() -> Graph) -> R,
) -> Result<R, Mismatch> {
    let prepared = events.prepared;
    let layout = encoder.layout();
    let moved = layout.as_ref().map(|layout| prepared.moved(&layout.program));
    // Threads run where the solution has its objects; what they do is told of the addresses that engines share.
    let here = moved.as_ref().unwrap_or(prepared);
    let mut traces = Traces::default();
    // For each event of all paths that happens, thread and place on its path.
    let mut places: BTreeMap<(ThreadId, u32), u32> = BTreeMap::new();
    for thread in prepared.program.roots.ids() {
        let path = happening(encoder, events, thread);
        places.extend(path.iter().enumerate().map(|(k, i)| ((thread, *i as u32), k as u32)));
        let of_thread = events.pre.of_thread(thread);
        let reads = path.iter().map(|i| of_thread[*i].read.and_then(|var| encoder.value_of(var))).collect();
        let choices = encoder.choices_made(thread).into_iter();
        let trace = traces
            .follow(here.program, thread, shape, &mut Answers { reads, choices })
            .ok_or(Mismatch::Wrong("a thread takes another path"))?;
        if trace.events.len() != path.len() {
            return Err(Mismatch::Wrong("a thread has other events"));
        }
        traces.threads.push(vec![trace]);
    }
    let origins: BTreeMap<(ThreadId, u32), u32> = places.iter().map(|(&(thread, i), &k)| ((thread, k), i)).collect();
    let origin = |thread, k| origins.get(&(thread, k)).copied();
    let along = here.along(traces, origin).map_err(|_| Mismatch::Wrong("an access is made in other parts"))?;
    let mut pre = along.pre(&vec![0; prepared.program.roots.len()]);
    let mut image = vec![None; events.len()];
    for (e, event) in events.pre.events.iter().enumerate() {
        image[e] = match event.at {
            None => Some(e),
            Some((thread, i)) => places.get(&(thread, i)).map(|k| {
                let part = e - events.pre.parts(thread, i).start;
                pre.parts(thread, *k).start + part
            }),
        };
    }
    let chosen = encoder.rf.iter().filter(|(_, lit)| encoder.is_true(**lit));
    let mut rf: Vec<(usize, usize)> =
        chosen.filter_map(|(&(w, r), _)| Some((image[w as usize]?, image[r as usize]?))).collect();
    rf.sort_unstable();
    let mut values = Values::new(&along.traces.domain.store, along.traces.n_vars);
    pre.joined.iter().for_each(|&(var, term)| values.bind(var, term));
    for &(w, r) in &rf {
        if let (Some(var), Some(term)) = (pre.events[r].read, pre.events[w].written) {
            values.bind(var, term);
        }
    }
    let mut solution = Solution::of(&along, &pre, &rf, &mut values)?;
    let mut registers = register_values(&pre, &mut values);
    if let Some(layout) = &layout {
        share(layout, &mut pre, &mut solution, &mut registers);
    }
    let mut orders: Vec<Vec<usize>> = solution.writes(&pre).into_values().collect();
    sort_writes(encoder, &image, prepared, &mut orders);
    let Ordered { co, finals, memory } = solution.ordered(prepared, &orders);
    let state = Finals { program: prepared.program, registers: &registers, memory };
    Ok(visit(&state, &mut || {
        let skeleton = Arc::new(skeleton(prepared.program, prepared.vocabulary, &pre, &solution.solved));
        Graph {
            skeleton,
            rf: Relation::from_pairs(pre.events.len(), rf.iter().copied()),
            co: co.clone(),
            finals: finals.clone(),
        }
    }))
}

/// Tells what was solved with the addresses that engines share.
fn share(layout: &Layout, pre: &mut PreExecution<'_>, solution: &mut Solution, registers: &mut [Vec<Option<Bv>>]) {
    let value = |value: &mut Option<Bv>| *value = value.map(|v| layout.shared_value(v));
    let cell = |cell: &mut Option<Cell>| *cell = cell.map(|c| layout.shared_cell(c));
    pre.events.iter_mut().for_each(|event| cell(&mut event.cell));
    for solved in &mut solution.solved {
        cell(&mut solved.cell);
        value(&mut solved.read);
        value(&mut solved.written);
    }
    registers.iter_mut().flatten().for_each(value);
}

/// The events of a thread that happen, by position in its trace, in the order in which they do.
fn happening(encoder: &Encoder<'_>, events: &Events<'_>, thread: ThreadId) -> Vec<usize> {
    let guarded = &events.threads[thread];
    let n = events.pre.of_thread(thread).len();
    let first = |i: usize| events.pre.parts(thread, i as u32).start;
    let mut path: Vec<usize> = (0..n).filter(|&i| encoder.happened(first(i))).collect();
    path.sort_by_key(|i| guarded.index(*i));
    path
}

/// Puts the writes of each cell into the order that the solution says; where models make orders, the last one last.
fn sort_writes(encoder: &Encoder<'_>, image: &[Option<usize>], prepared: &Prepared<'_>, orders: &mut [Vec<usize>]) {
    let mut earlier: BTreeMap<usize, usize> = BTreeMap::new();
    if prepared.free_co {
        let mut later: Vec<usize> = encoder
            .co
            .iter()
            .filter(|((x, _), lit)| encoder.is_true(**lit) && image[*x as usize].is_some())
            .filter_map(|((_, y), _)| image[*y as usize])
            .collect();
        later.sort_unstable();
        for y in later {
            *earlier.entry(y).or_default() += 1;
        }
    } else {
        for (w, lit) in encoder.last.values().flatten() {
            if let (true, Some(w)) = (encoder.is_true(*lit), image[*w]) {
                earlier.insert(w, usize::MAX);
            }
        }
    }
    for order in orders {
        order.sort_by_key(|w| (earlier.get(w).copied().unwrap_or(0), *w));
    }
}
