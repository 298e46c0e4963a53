//! What every crate needs and nobody owns: typed ids and index vectors, names, bit sets and bit
//! matrices, components of graphs, source files with spans, diagnostics, and cancellation.
//!
//! This crate knows no word of the domain: no event, no program, no model. It does no IO.

mod bits;
mod cancel;
mod clock;
mod components;
mod diagnostic;
mod files;
mod index;
mod name;
mod source;

pub use bits::{BitMatrix, BitSet, Bits};
pub use cancel::Cancel;
pub use clock::now;
pub use components::components;
pub use diagnostic::{Diagnostic, Label, Severity};
pub use files::{Files, MemoryFiles, folder_of, join_path};
pub use index::{Idx, IndexVec};
pub use name::Name;
pub use source::{FileId, LineCol, SourceFile, SourceMap, Span};
