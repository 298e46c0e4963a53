//! From a module to a [`Program`]: what its entry reaches, instruction by instruction, without any optimisation.
//!
//! Every scalar value becomes a register of its width; structs, arrays and vectors as values become one register for each
//! scalar in them. Memory is that of the module's data layout. Functions that the module does not define are those of the
//! [`runtime`]. Undefined and poisoned values are 0, a weak compare-exchange fails for no reason only if [`LowerOptions`] say so, and volatile accesses
//! are plain ones. What cannot be lowered is an error with its place, in the source where it is known.
//!
//! Results of more than one scalar go through memory: the caller passes, as the first argument, the address of an object
//! that only its thread can reach.

mod aggregate;
mod arith;
mod asm;
mod atomic;
mod bits;
mod call;
mod code;
mod constant;
mod control;
mod emitter;
mod fold;
mod globals;
mod intrinsic;
mod kernel;
mod libatomic;
mod members;
mod memory;
mod places;
mod runtime;
mod shape;
#[cfg(test)]
mod tests;
mod unit;
mod wide;

use crate::module::Module;
use treville_base::{Cancel, Diagnostic, SourceMap};
use treville_ir::Program;
use unit::Unit;

/// Why something cannot be lowered, in words for a person.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Unsupported(String);

type Lowered<T> = Result<T, Unsupported>;

fn unsupported<T>(what: impl std::fmt::Display) -> Lowered<T> {
    refused(format!("{what} is not supported"))
}

fn refused<T>(why: impl Into<String>) -> Lowered<T> {
    Err(Unsupported(why.into()))
}

/// How a module is read.
#[derive(Clone, Copy, Debug)]
pub struct LowerOptions<'a> {
    /// The program's name.
    pub name: &'a str,
    /// The function that the first thread runs: `main`, unless one module holds several programs.
    pub entry: &'a str,
    /// A weak compare-exchange may fail for no reason.
    pub weak_cas: bool,
    /// When to stop: there is no program then.
    pub cancel: &'a Cancel,
}

/// The program that a module is, with its entry as the only thread at the start.
///
/// Places are in the source files that the debug information names: those that `sources` has already, or that `read` finds,
/// which are then added. Where there are none, they are in the module's own text.
///
/// # Errors
/// One for each thing that cannot be lowered; or that it was cancelled.
pub fn lower(
    module: &Module,
    options: &LowerOptions<'_>,
    sources: &mut SourceMap,
    read: &mut dyn FnMut(&str) -> Option<String>,
) -> Result<Program, Vec<Diagnostic>> {
    Unit::new(module, options, places::Places::new(module, sources, read)).lower(options.entry)
}
