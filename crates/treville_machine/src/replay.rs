//! From a state that was found to a run that leads there: the steps are run once more from the start, now with what each of
//! them observes, and who made that.

use crate::code::Step;
use crate::memory::{Memory, Seen};
use crate::store::Store;
use crate::symmetry::Symmetries;
use crate::system::{Actor, Effect, Move, State, System};
use treville_base::{Cancel, Idx};
use treville_ir::{Aware, MemoryOrder, ObjectId, ThreadId};
use treville_task::{Actor as Who, Observed, ObservedWrite, Run, RunAction, RunStep, StopReason};

/// Steps between looks at the clock.
const BETWEEN_LOOKS: usize = 256;

/// Steps, and the state that they lead to.
type Found<M> = (Vec<Move>, State<<M as Memory>::State>);

/// The steps that lead to a state that `is_it`, of those that a stored one stands for, and the state. None if they cannot be
/// run again, which would be a mistake of ours.
pub(crate) fn moves<M: Memory>(
    system: &System<'_, M>,
    symmetries: &Symmetries,
    store: &Store,
    target: usize,
    is_it: &impl Fn(&State<M::State>) -> bool,
    cancel: &Cancel,
) -> Result<Option<Found<M>>, StopReason> {
    let mut path = vec![target];
    while let Some(at) = path.last().copied().filter(|at| *at != 0) {
        path.push(store.parent(at));
    }
    path.reverse();
    let stored: Vec<Vec<u8>> = store.get(&path).into_iter().map(<[u8]>::to_vec).collect();
    let least = |state: &State<M::State>, out: &mut Vec<u8>| symmetries.encode(system, state, out);
    let Some((_, states)) = follow(system, &stored, &least, cancel)? else { return Ok(None) };
    let Some(run) = symmetries.images(system, states).find(|run| run.last().is_some_and(is_it)) else {
        return Ok(None);
    };
    let exact = |state: &State<M::State>, out: &mut Vec<u8>| system.encode(state, out);
    let bytes = |state| {
        let mut bytes = Vec::new();
        exact(state, &mut bytes);
        bytes
    };
    let followed = follow(system, &run.iter().map(bytes).collect::<Vec<_>>(), &exact, cancel)?;
    Ok(followed.and_then(|(moves, mut states)| Some((moves, states.pop()?))))
}

/// Steps, and the states before and after each.
type Followed<S> = (Vec<Move>, Vec<State<S>>);

/// The steps, and the states from the start, that have these bytes one after the other.
fn follow<M: Memory>(
    system: &System<'_, M>,
    path: &[Vec<u8>],
    encode: &impl Fn(&State<M::State>, &mut Vec<u8>),
    cancel: &Cancel,
) -> Result<Option<Followed<M::State>>, StopReason> {
    let mut room = system.room();
    let mut states = vec![system.initial(&mut room)];
    let mut moves = Vec::new();
    let mut bytes = Vec::new();
    for (i, wanted) in path.iter().enumerate().skip(1) {
        let mut found = None;
        system.steps(&states[i - 1], i as u32, &mut room, &mut |step, after| {
            if found.is_none() {
                encode(after, &mut bytes);
                if bytes == *wanted {
                    found = Some((step, after.clone()));
                }
            }
        });
        let Some((step, after)) = found else { return Ok(None) };
        moves.push(step);
        states.push(after);
        if i.is_multiple_of(BETWEEN_LOOKS)
            && let Some(why) = StopReason::of(cancel)
        {
            return Err(why);
        }
    }
    Ok(Some((moves, states)))
}

/// Runs the same steps, perhaps on another memory: each is the one of that actor with that number. Calls `visit` with each step
/// and the states before and after it. The last state, or none if the steps cannot be made.
pub(crate) fn repeat<M: Memory>(
    system: &System<'_, M>,
    moves: &[Move],
    visit: &mut impl FnMut(Move, &State<M::State>, &State<M::State>),
) -> Option<State<M::State>> {
    let mut room = system.room();
    let mut state = system.initial(&mut room);
    for (i, wanted) in moves.iter().enumerate() {
        let mut found = None;
        system.steps(&state, i as u32 + 1, &mut room, &mut |step, after| {
            if found.is_none() && step.actor == wanted.actor && step.pick == wanted.pick {
                found = Some((step, after.clone()));
            }
        });
        let (step, after) = found?;
        visit(step, &state, &after);
        state = after;
    }
    Some(state)
}

/// A run for people. `watched` is what is shown of each state.
pub(crate) fn run<M: Memory>(system: &System<'_, M>, moves: &[Move], watched: Vec<(ThreadId, ObjectId)>) -> Run {
    let start = system.initial(&mut system.room());
    let mut steps = Vec::new();
    repeat(system, moves, &mut |step, before, after| {
        let seen = watched.iter().map(|(thread, object)| observed(system, after, *thread, *object)).collect();
        steps.push(told(system, step, before, seen));
    });
    let start = watched.iter().map(|(thread, object)| observed(system, &start, *thread, *object)).collect();
    Run { watched, start, steps, waiting: Vec::new(), begin: None }
}

/// Threads that are not done.
pub(crate) fn waiting<M: Memory>(system: &System<'_, M>, state: &State<M::State>) -> Vec<ThreadId> {
    let is_done =
        |thread: usize| matches!(system.code.threads[thread].nodes[usize::from(state.nodes[thread])].step, Step::Done);
    (0..state.nodes.len()).filter(|thread| !is_done(*thread)).map(ThreadId::from_usize).collect()
}

/// The writes to a variable that a thread can observe.
pub(crate) fn observed<M: Memory>(
    system: &System<'_, M>,
    state: &State<M::State>,
    thread: ThreadId,
    object: ObjectId,
) -> Vec<Observed> {
    observed_as(system, state, thread, object, Aware::Observable)
}

/// Those that it is aware of in this way.
pub(crate) fn observed_as<M: Memory>(
    system: &System<'_, M>,
    state: &State<M::State>,
    thread: ThreadId,
    object: ObjectId,
    aware: Aware,
) -> Vec<Observed> {
    let Some(var) = system.code.var_of(object) else { return Vec::new() };
    let mut seen = Vec::new();
    system.memory.aware(&state.memory, thread.index(), var, aware, &mut seen);
    let show = |seen: Seen| Observed {
        value: system.code.vars[var].number(seen.value),
        released: seen.released,
        covered: seen.covered,
        step: seen.origin.checked_sub(1),
    };
    seen.into_iter().map(show).collect()
}

pub(crate) fn told<M: Memory>(
    system: &System<'_, M>,
    step: Move,
    before: &State<M::State>,
    seen: Vec<Vec<Observed>>,
) -> RunStep {
    let object = |var: usize| system.code.vars[var].object;
    let number = |var: usize, value: u64| system.code.vars[var].number(value);
    let source = |var, value, origin: u32| ObservedWrite { value: number(var, value), step: origin.checked_sub(1) };
    let action = match step.effect {
        Effect::Read { var, from } => {
            RunAction::Read { object: object(var), from: source(var, from.value, from.origin) }
        }
        Effect::Write { var, after, value } => RunAction::Write {
            object: object(var),
            value: number(var, value),
            after: source(var, after.value, after.origin),
        },
        Effect::Update { var, from, value } => RunAction::Update {
            object: object(var),
            from: source(var, from.value, from.origin),
            value: number(var, value),
        },
        Effect::Flush { var, written } => {
            RunAction::Flush { object: object(var), from: source(var, written.value, written.origin) }
        }
        Effect::Skip => RunAction::Skip,
    };
    let (actor, thread) = match step.actor {
        Actor::Thread(thread) => (Who::Thread(ThreadId::from_usize(thread)), Some(thread)),
        Actor::Memory(thread) => (Who::Memory(ThreadId::from_usize(thread)), None),
    };
    let node = thread.map(|thread| &system.code.threads[thread].nodes[usize::from(before.nodes[thread])]);
    let order = match (node.map(|node| &node.step), step.effect) {
        (Some(Step::Read { acquire: true, .. }), _) => MemoryOrder::Acquire,
        (Some(Step::Write { release: true, .. }), _) => MemoryOrder::Release,
        (Some(Step::Update { order, .. }), Effect::Update { .. }) => order.order,
        (Some(Step::Update { order, .. }), _) if order.fail_acquire => MemoryOrder::Acquire,
        _ => MemoryOrder::Relaxed,
    };
    RunStep {
        actor,
        label: node.and_then(|node| node.label.clone()),
        span: node.map(|node| node.span),
        action,
        order,
        seen,
    }
}
