//! Engines beside the definition, beside each other and beside machines: on all cases, and on random programs and models.

mod bmc;
mod chosen_orders;
mod computed_addresses;
mod explore;
mod machine;
mod mixed;
mod models;
mod programs;
mod proofs;
mod random;
mod reaching;
mod thin_air;

use treville_base::Cancel;
use treville_task::{Limits, Task};

/// How often `enumerate` may look whether it is to stop, for a case that others are compared on; longer ones are left out.
const EFFORT: u64 = 2_000;

/// The task with that limit.
fn limited(task: &Task) -> Task {
    let limits = Limits { cancel: Cancel::new().with_effort(EFFORT), ..task.limits.clone() };
    Task { limits, ..task.clone() }
}
