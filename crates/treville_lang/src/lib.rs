//! Small languages of programs, one module each: [`pts`], the C11-like language of the first Dartagnan; [`rar`], programs in
//! release-acquire C11 with invariants; [`rma`], programs with put, get and flush on remote memory.
//!
//! Each turns a text into a program and what it asks. Nothing is optimised or unrolled here, and no memory model is known:
//! accesses and fences become operations with tags.

mod front_ends;
mod lexer;
pub mod pts;
pub mod rar;
pub mod rma;
mod variable;

pub use front_ends::{IR, Language, PTS, RAR, RMA};
