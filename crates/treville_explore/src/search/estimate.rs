//! How many executions there will be, before they are explored: walks down the search that take one way at random at each
//! choice. If a walk ends in an execution, the product of the numbers of ways that it had is an unbiased guess (Knuth,
//! *Estimating the Efficiency of Backtrack Programs*, 1975); the mean of several is the estimate.

use super::crew::Member;
use super::{Entry, Job, Move, Search, Shape, Stop};

/// How many walks there are.
const WALKS: u32 = 200;
/// How many events all of them may add.
const EVENTS: u32 = 100_000;

/// The mean of some walks; nothing if one of them stops the search.
pub(super) fn before(job: &Job<'_>, shape: Shape, member: Member<'_>) -> Option<u64> {
    let mut random = Random(0x853c_49e6_748f_ea9b);
    let (mut sum, mut walks, mut events) = (0.0, 0.0, 0);
    while walks < f64::from(WALKS) && events < EVENTS {
        let mut nobody = |_: &super::Ended<'_>| {};
        let mut search = Search::new(job, shape, member, &mut nobody);
        sum += search.walk(&mut random, &mut events).ok()?;
        walks += 1.0;
    }
    Some((sum / walks).round() as u64)
}

impl Search<'_, '_> {
    /// One walk: how many executions there would be if all were like the one that it ends in.
    fn walk(&mut self, random: &mut Random, events: &mut u32) -> Result<f64, Stop> {
        loop {
            let mut moved = self.advance()?;
            *events += 1;
            while let Some(entry) = self.stack.pop() {
                let Entry::Choice { event, ways, .. } = entry else { continue };
                let first = self.ways.len() - ways as usize;
                // The way that is taken already, if there is one, is the last.
                let all = ways as usize + usize::from(matches!(moved, Move::Go));
                let choice = random.below(all);
                let way = self.ways.get(first + choice).copied();
                self.ways.truncate(first);
                let Some(way) = way else { continue };
                moved = self.follow(event, way)?;
            }
            if let Move::Back = moved {
                let seen = self.explored.complete + self.explored.blocked;
                return Ok(if seen > 0 { 1.0 / self.share } else { 0.0 });
            }
        }
    }
}

/// Numbers that look random: xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 32) as usize) % n.max(1)
    }
}
