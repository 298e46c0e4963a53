//! The analysis against executions: what it claims holds of each, and what it leaves out makes no difference to any.

mod choices;
mod dice;
mod encoding;
mod executions;
mod local;
mod models;
mod paper;
mod programs;
mod soundness;
