//! What people and scripts read: outcomes, executions, explanations and diagnostics as text. Pure functions from data to
//! strings, one file per format; no IO, no engine, no front end.
//!
//! Formats never compute an answer: verdicts come from `treville_task`, executions from an engine, evidence from the
//! evaluator. What is written here is order, names and layout. The same input gives the same bytes.

mod claims;
mod comparison;
mod diagnostics;
mod dot;
mod drawing;
mod drawn_trace;
mod event_b;
mod execution;
mod explanation;
#[cfg(test)]
mod fixture;
mod formats;
mod formula;
mod herd;
mod html;
mod json;
mod moment;
mod names;
mod paint;
mod placement;
mod rma;
mod state;
mod summary;
mod svg;
mod text;
mod trace;
mod view;

pub use comparison::{Comparison, Difference, OnlyExecution, comparison, comparison_json};
pub use diagnostics::render_diagnostics;
pub use dot::dot;
pub use drawing::{Column, Drawing, Edge, Node, NodeKind, Shown};
pub use event_b::{Exported, ExportedFile, ExportedMemory, classical_b, event_b};
pub use execution::execution;
pub(crate) use explanation::rejected;
pub use explanation::{Explained, Explanation, Incoherent, Reason, ReasonStep, explanation};
pub use formats::{FORMATS, Format};
pub use formula::{show_condition, show_formula};
pub use herd::herd;
pub use html::html;
pub use json::{Details, json};
pub use moment::moment;
pub use names::{describe_event, event_source};
pub use paint::{Paint, Palette};
pub use placement::{Placed, SynthReport, Synthesised, placement, placement_json};
pub use rma::plural;
pub use state::{show_state, state_items};
pub use summary::{Summary, summary_row};
pub use svg::svg;
pub use text::text;
pub use trace::trace;
