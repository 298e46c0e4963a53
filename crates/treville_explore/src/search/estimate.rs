//! How many executions there will be, before they are explored: walks down the search that take one way at random at each
//! choice, of those that lead to an execution at all. The product of the numbers of such ways is an unbiased guess (Knuth,
//! *Estimating the Efficiency of Backtrack Programs*, 1975); the mean of several is the estimate.

use super::crew::Member;
use super::{Entry, Job, Move, Search, Shape, Stop, Way};
use crate::graph::{EventId, Graph};

/// How many walks there are at most.
const WALKS: u32 = 200;
/// How often all of them may go back.
const STEPS: u32 = 20_000;

/// The mean of some walks; nothing if not even one comes to its end soon.
pub(super) fn before(job: &Job<'_>, shape: &Shape, member: Member<'_>) -> Option<u64> {
    let mut walk = Walk { random: 0x9e37_79b9_7f4a_7c15, steps: 0 };
    let (mut sum, mut walks) = (0.0, 0);
    while walks < WALKS {
        let mut nobody = |_: &super::Ended<'_>| {};
        let mut search = Search::new(job, shape, member, &mut nobody);
        match walk.down(&mut search) {
            Ok(Some(guess)) => sum += guess,
            Ok(None) => break,
            Err(_) => return None,
        }
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
        search.hesitates = true;
        search.onward()?;
        while let Some(Entry::Choice { event, .. }) = search.stack.pop() {
            let mut ways = std::mem::take(&mut search.ways);
            let graph = search.graph.clone();
            let mut good = Vec::new();
            for way in ways.drain(..) {
                match self.leads_on(search, &graph, event, way)? {
                    Some(true) => good.push(way),
                    Some(false) => {}
                    None => return Ok(None),
                }
            }
            if good.is_empty() {
                return Ok(Some(0.0));
            }
            product *= good.len() as f64;
            let way = good[self.below(good.len())];
            search.step_into(&graph, event, way, true)?;
        }
        Ok(Some(product))
    }

    /// Whether some execution lies this way.
    fn leads_on(
        &mut self,
        search: &mut Search<'_, '_>,
        graph: &Graph,
        event: EventId,
        way: Way,
    ) -> Result<Option<bool>, Stop> {
        let seen = |search: &Search<'_, '_>| search.explored.complete + search.explored.blocked;
        let before = seen(search);
        search.step_into(graph, event, way, false)?;
        while seen(search) == before {
            self.steps += 1;
            if self.steps > STEPS {
                return Ok(None);
            }
            if !search.back()? {
                return Ok(Some(false));
            }
            search.onward()?;
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

impl Search<'_, '_> {
    /// Forgets what is left and goes on from a choice, up to the next one if it is to hesitate there.
    fn step_into(&mut self, graph: &Graph, event: EventId, way: Way, hesitates: bool) -> Result<(), Stop> {
        self.stack.clear();
        self.ways.clear();
        self.graph.clone_from(graph);
        self.grow();
        self.hesitates = hesitates;
        match self.follow(event, way)? {
            Move::Go => self.onward(),
            Move::Choose | Move::Back => Ok(()),
        }
    }
}
