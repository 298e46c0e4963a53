//! Arbitrary texts through the whole tool: [`cat()`] takes a text as a model, [`litmus()`] as a test, [`pts()`], [`rar()`] and [`rma()`]
//! as programs in these languages. These read it, link it, run it under a time limit, and print what a person would get; [`llvm()`] takes it as LLVM
//! IR and lowers it. A panic, a stack overflow or a long run is a bug; so is a model that prints as a different one, or a
//! fast answer that differs from the definition's.
//!
//! Two callers: the fuzz targets in `fuzz/`, guided by coverage, and the bounded run in this crate's tests, which mutates
//! seeds ([`Mutator`]) with a fixed seed and needs no special toolchain. Development only; nothing depends on it.

mod mutate;
mod targets;

pub use mutate::Mutator;
pub use targets::{Reached, cat, litmus, llvm, pts, rar, rma};
