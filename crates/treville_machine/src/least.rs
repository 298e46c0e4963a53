//! How many accesses are enough to come to every state: the bound that tools need which keep every access.
//!
//! Graphs of accesses have no end if a loop waits, but what can be observed has: every state of `rar` is reached by some
//! run, and the least bound is the length of the longest of the shortest runs, counted in accesses.

use crate::code::compile;
use crate::engine::{bounded_messages, kept};
use crate::memory::Views;
use crate::props::watched_threads;
use crate::system::{Bounds, Effect, Layout, System};
use rustc_hash::FxHashSet;
use std::collections::{BTreeSet, VecDeque};
use treville_base::Cancel;
use treville_ir::{Claims, Program};
use treville_task::{StopReason, Unsupported};

/// More states are not visited, unless the caller says so.
const MOST_STATES: usize = 5_000_000;

/// How many accesses lead to every state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LeastActions {
    /// So many, the initial writes included.
    Found(u32),
    /// No number is enough: a loop writes without end.
    Never,
    /// A limit was reached before all states were.
    Stopped(StopReason),
}

/// The least number of accesses, the initial writes included, with which every state of a program on `rar` is reached, looking
/// at no more than `most_states`.
///
/// # Errors
/// If machines do not run the program.
pub fn least_actions(
    program: &Program,
    claims: &Claims,
    most_states: Option<u64>,
    cancel: &Cancel,
) -> Result<LeastActions, Unsupported> {
    let most_states = most_states.map_or(MOST_STATES, |n| usize::try_from(n).unwrap_or(usize::MAX));
    let mut watched = BTreeSet::new();
    claims.props().for_each(|prop| watched_threads(prop, &mut watched));
    let code = compile(program, &watched)?;
    let memory = Views {
        init: code.vars.iter().map(|var| var.init).collect(),
        n_threads: code.threads.len(),
        always: false,
        keep: kept(&code, claims.props()),
    };
    let bounds = Bounds { messages: bounded_messages(&code, None), actions: None };
    let system = System { code: &code, memory, bounds };
    let mut room = system.room();
    let start = system.initial(&mut room);
    let mut seen: FxHashSet<Vec<u8>> = FxHashSet::default();
    let mut state = start.clone();
    let mut bytes = Vec::new();
    system.encode(&start, &mut bytes);
    // Those with fewer accesses first, as bytes; a step without one goes to the front.
    let mut open = VecDeque::from([(bytes.clone(), 0)]);
    let mut most = 0;
    while let Some((encoded, accesses)) = open.pop_front() {
        if seen.contains(&encoded) {
            continue;
        }
        system.decode(&encoded, &mut state, &mut Layout::default());
        seen.insert(encoded);
        most = accesses;
        system.steps(&state, 0, &mut room, &mut |step, next| {
            system.encode(next, &mut bytes);
            match step.effect {
                _ if seen.contains(&bytes) => {}
                Effect::Skip => open.push_front((bytes.clone(), accesses)),
                _ => open.push_back((bytes.clone(), accesses + 1)),
            }
        });
        if let Some(why) = limit(seen.len(), most_states, cancel) {
            return Ok(LeastActions::Stopped(why));
        }
    }
    Ok(match room.noticed.is_cut() {
        true => LeastActions::Never,
        false => LeastActions::Found(code.vars.len() as u32 + most),
    })
}

/// The limit that is reached.
fn limit(n_states: usize, most_states: usize, cancel: &Cancel) -> Option<StopReason> {
    let too_many = || format!("the limit of {most_states} states was reached (option `max-states` N raises it)");
    let full = (n_states > most_states).then(|| StopReason::Refused(too_many()));
    full.or_else(|| StopReason::of(cancel))
}
