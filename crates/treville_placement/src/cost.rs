//! What flushes cost.

use treville_abstract::{MOST_COST, by_loops};
use treville_rma::Program;

/// What a flush costs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cost {
    Unit,
    /// Ten times as much in each loop.
    Loops,
    /// Of these slots so much, of others 1.
    Slots(Vec<(usize, u64)>),
}

impl std::str::FromStr for Cost {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "unit" => return Ok(Cost::Unit),
            "loops" => return Ok(Cost::Loops),
            _ => {}
        }
        let pair = |part: &str| {
            let (slot, cost) = part.split_once('=')?;
            let cost = cost.trim().parse::<u64>().ok().filter(|cost| (1..=MOST_COST).contains(cost))?;
            Some((slot.trim().parse().ok()?, cost))
        };
        let pairs = text.split(',').map(|part| {
            pair(part).ok_or_else(|| format!("`{part}` is not SLOT=COST, with a cost from 1 to {MOST_COST}"))
        });
        pairs.collect::<Result<Vec<_>, String>>().map(Cost::Slots)
    }
}

impl Cost {
    /// Of each slot.
    ///
    /// # Errors
    /// If a slot is named that the program does not have.
    pub(crate) fn of(&self, program: &Program) -> Result<Vec<u64>, String> {
        let n = program.slots.len();
        match self {
            Cost::Unit => Ok(vec![1; n]),
            Cost::Loops => Ok(by_loops(program, 10)),
            Cost::Slots(pairs) => {
                let mut costs = vec![1; n];
                for (slot, cost) in pairs {
                    let at = slot.checked_sub(1).and_then(|i| costs.get_mut(i));
                    *at.ok_or_else(|| format!("there is no slot {slot}: the program has {n}, from 1 on"))? = *cost;
                }
                Ok(costs)
            }
        }
    }
}
