//! Random concurrent programs in C: drawn by profiles, compared across engines and reductions, and shrunk where answers
//! contradict each other.
//!
//! - [`ast`] is the grammar, [`mod@print`] writes C, [`draw`] draws.
//! - [`turns`] gives programs a meaning of their own, under sequential consistency.
//! - [`compile`] takes many of them through clang at once, [`answers`] asks the engines.
//! - [`morph`] changes programs in ways whose effect on the answer is known.
//! - [`check`] compares, [`shrink`] makes what differs smaller, [`soak`] does all that for ranges of seeds.

pub mod answers;
pub mod ast;
pub mod check;
pub mod compile;
pub mod draw;
pub mod morph;
pub mod print;
pub mod shrink;
pub mod soak;
pub mod turns;
