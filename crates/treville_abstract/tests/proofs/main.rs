//! Proofs of programs on remote memory, and the solver that they need.

#[path = "../../../treville_rma_machine/tests/programs/common.rs"]
mod common;
mod lia;
mod studies;
