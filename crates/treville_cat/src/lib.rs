//! CAT, the language of memory models: text to the tree of [`treville_model::syntax`] and back.
//!
//! [`parse_unit`] reads a model or bell file with all that it includes and reports every error that it finds;
//! [`print()`] writes a tree as text; [`lint()`] warns about what looks like a mistake; [`bell()`] takes the annotations out of
//! a bell file; [`parse_config`] reads the configuration files of other tools. [`bundled()`] has the models of this tool.
//!
//! The whole language of the reference simulator is read, and what Dartagnan adds to it: `r^+`, `r^*`, `r -1`,
//! `/* … */`. Nothing is evaluated here, names and types are the linker's business, and no file is opened: a [`Loader`]
//! finds what is included.
//!
//! ```
//! use treville_base::SourceMap;
//! use treville_cat::{BUNDLED_ONLY, Parens, parse_unit, print};
//!
//! let mut sources = SourceMap::new();
//! let unit = parse_unit("my.cat", "acyclic po | rf ; co \\ id as order", &mut sources, &BUNDLED_ONLY).unwrap();
//! assert_eq!(print(&unit, Parens::All), "acyclic po | (rf ; (co \\ id)) as order\n");
//!
//! let errors = parse_unit("my.cat", "let a = (po", &mut sources, &BUNDLED_ONLY).unwrap_err();
//! assert_eq!(errors[0].message, "expected `)` to close `(`, found the end of the file");
//! ```

mod bell;
mod bundled;
mod config;
mod include;
mod lexer;
mod lint;
mod parser;
mod print;
mod token;

pub use bell::bell;
pub use bundled::{BUNDLED_ONLY, Bundled, Role, WithBundled, bundled, bundled_files, model_facts};
pub use config::{Config, Setting, parse_config};
pub use include::{Loaded, Loader, parse_unit};
pub use lint::lint;
pub use print::{Parens, print};
