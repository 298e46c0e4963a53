//! Programs on remote memory, state by state.

mod common;
mod random;
mod table;
