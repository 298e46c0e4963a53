//! How many executions there will be, before they are explored: walks down the search that take one way at random at each
//! choice, of those that lead to an execution at all. The product of the numbers of such ways is an unbiased guess (Knuth,
//! *Estimating the Efficiency of Backtrack Programs*, 1975); the mean of several is the estimate.

use super::code::Code;
use super::pool::Worker;
use super::stop::Stop;
use super::symbolic::Symbolic;
use super::worklist::Alternative;
use super::{Job, Move, Search};
use crate::graph::{EventId, Graph};

/// How many walks there are at most.
const WALKS: u32 = 200;
/// How many ways all of them may try, and how often go back.
const STEPS: u32 = 20_000;

/// The mean of some walks; nothing if not even one comes to its end soon.
pub(super) fn before(job: &Job<'_>, code: &Code<'_>, member: Worker<'_>) -> Option<u64> {
    let mut walk = Walk { random: 0x9e37_79b9_7f4a_7c15, steps: 0 };
    let (mut sum, mut walks) = (0.0, 0);
    // What was asked about unknown values is asked again.
    let mut symbolic = None;
    while walks < WALKS {
        let mut unobserved = |_: &super::CompleteExecution<'_>| {};
        let mut search = Search::new(job, code, member, &mut unobserved);
        if let Some(before) = symbolic.take() {
            search.symbolic = Symbolic::restarted(before);
        }
        match walk.down(&mut search) {
            Ok(Some(guess)) => sum += guess,
            Ok(None) => break,
            Err(_) => return None,
        }
        symbolic = Some(search.symbolic);
        walks += 1;
    }
    (walks > 0).then(|| (sum / f64::from(walks)).round() as u64)
}

struct Walk {
    random: u64,
    steps: u32,
}

impl Walk {
    /// How many executions there would be if all were like the one that this walk ends in; nothing if that takes too long.
    fn down(&mut self, search: &mut Search<'_, '_>) -> Result<Option<f64>, Stop> {
        let mut product = 1.0;
        search.worklist.restart(true);
        search.extend_to_choice()?;
        while let Some((event, mut alternatives)) = search.worklist.take_choice() {
            let graph = search.execution.graph.clone();
            let mut good = Vec::new();
            for alternative in alternatives.drain(..) {
                match self.leads_on(search, &graph, event, alternative)? {
                    Some(true) => good.push(alternative),
                    Some(false) => {}
                    None => return Ok(None),
                }
            }
            if good.is_empty() {
                return Ok(Some(0.0));
            }
            product *= good.len() as f64;
            let alternative = good[self.below(good.len())];
            step_into(search, &graph, event, alternative, true)?;
        }
        Ok(Some(product))
    }

    /// Whether some execution lies this way.
    fn leads_on(
        &mut self,
        search: &mut Search<'_, '_>,
        graph: &Graph,
        event: EventId,
        alternative: Alternative,
    ) -> Result<Option<bool>, Stop> {
        let seen = |search: &Search<'_, '_>| search.explored.complete + search.explored.blocked;
        let before = seen(search);
        // Large graphs are copied for longer.
        self.steps += 1 + graph.locations.len() as u32 / 32;
        if self.steps > STEPS {
            return Ok(None);
        }
        step_into(search, graph, event, alternative, false)?;
        while seen(search) == before {
            self.steps += 1;
            if self.steps > STEPS {
                return Ok(None);
            }
            if !search.backtrack()? {
                return Ok(Some(false));
            }
            search.extend_to_choice()?;
        }
        Ok(Some(true))
    }

    /// A number that looks random: xorshift.
    fn below(&mut self, n: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        ((self.random >> 32) as usize) % n.max(1)
    }
}

/// Forgets what is left and goes on from a choice, up to the next one if it is to hesitate there.
fn step_into(
    search: &mut Search<'_, '_>,
    graph: &Graph,
    event: EventId,
    alternative: Alternative,
    defers_choices: bool,
) -> Result<(), Stop> {
    search.worklist.restart(defers_choices);
    search.execution.graph.clone_from(graph);
    search.execution.grow(search.threads.len());
    match search.follow(event, alternative)? {
        Move::Go => search.extend_to_choice(),
        Move::Choose | Move::Back => Ok(()),
    }
}
