//! CAT text to the tree of [`treville_model::syntax`].

mod include;
mod lexer;
mod parser;
mod print;
mod token;

pub use include::{Loaded, Loader, parse_model, parse_unit};
pub use print::{Parens, print};
