//! CAT text to the tree of [`treville_model::syntax`].

mod bell;
mod bundled;
mod config;
mod include;
mod lexer;
mod parser;
mod print;
mod token;

pub use bell::bell;
pub use bundled::{BUNDLED_ONLY, Bundled, Role, WithBundled, bundled, bundled_files};
pub use config::{Config, Setting, parse_config};
pub use include::{Loaded, Loader, parse_unit};
pub use print::{Parens, print};
