//! Memory models, bundled by name or given as a path, linked once for each vocabulary and then shared; the examination of a
//! model without a program. Texts come through [`treville_base::Files`].

mod catalogue;
mod check;
mod library;
mod options;
mod variants;

pub use catalogue::Catalogue;
pub use check::ModelChecked;
pub use library::{BundledInfo, Library, Linked, bundled_library_hash};
pub use options::ModelOptions;
