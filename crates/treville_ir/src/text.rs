//! A text form of programs: for reading, for tests, for reports of bugs. What [`print()`] writes, [`parse`] reads back; only
//! spans do not survive.
//!
//! ```text
//! program "MP"
//! dialect C c11 fused po_inside sets [A RLX]
//! tags [A RLX]
//! object x at 0x5a000000 size 4 type i32 init [0 4 0:32]
//! func P0 () regs [r:32 "odd name":64] {
//! b0:
//!   @0 r = load &x 4 [A RLX]
//!   @1 branch (eq r 0:32) b0 b1
//! b1:
//!   end
//! }
//! thread P0 P0 []
//! ```
//!
//! Expressions are a constant `value:width`, a register, an address `&x` or `(addr x 4)`, or an operator in parentheses.
//! A thing whose name is not a plain word, or not the only one of its kind, is written by its number: `#3`. `@4'` before an
//! operation is its instruction, with `'` if it is not sequenced; without it each operation is one of its own. `//` begins
//! a comment.

mod lexer;
mod parse;
mod print;
#[cfg(test)]
mod tests;

pub use parse::parse;
pub use print::print;

use crate::{HandleOp, Storage, Wait};
use treville_term::BinOp;

const BINARY: &[(&str, BinOp)] = &[
    ("add", BinOp::Add),
    ("sub", BinOp::Sub),
    ("mul", BinOp::Mul),
    ("udiv", BinOp::UDiv),
    ("sdiv", BinOp::SDiv),
    ("urem", BinOp::URem),
    ("srem", BinOp::SRem),
    ("and", BinOp::And),
    ("or", BinOp::Or),
    ("xor", BinOp::Xor),
    ("shl", BinOp::Shl),
    ("lshr", BinOp::LShr),
    ("ashr", BinOp::AShr),
    ("eq", BinOp::Eq),
    ("ne", BinOp::Ne),
    ("ult", BinOp::ULt),
    ("ule", BinOp::ULe),
    ("slt", BinOp::SLt),
    ("sle", BinOp::SLe),
];

const WAITS: &[(&str, Wait)] =
    &[("assume", Wait::Assume), ("spin", Wait::Spin), ("resource", Wait::Resource), ("owner", Wait::Owner)];

const HANDLES: &[(&str, HandleOp)] = &[
    ("make", HandleOp::Make),
    ("take", HandleOp::Take),
    ("look", HandleOp::Look),
    ("send", HandleOp::Send),
    ("receive", HandleOp::Receive),
    ("decide", HandleOp::Decide),
];

const STORAGES: &[(&str, Storage)] =
    &[("heap", Storage::Heap), ("stack", Storage::Stack), ("private", Storage::Private)];

/// Words that begin what comes after `r =`, so that no register is written like one.
const YIELDING: &[&str] = &[
    "load",
    "update",
    "store_conditional",
    "lock",
    "opaque",
    "call",
    "spawn",
    "join",
    "current",
    "alloc",
    "nondet",
    "handle",
];

/// Whether a name can stand as it is.
fn is_word(name: &str) -> bool {
    let mut chars = name.chars();
    // These two words declare, wherever they stand.
    chars.next().is_some_and(lexer::begins_word) && chars.all(lexer::in_word) && !matches!(name, "func" | "object")
}

fn word_of<T: PartialEq + Copy>(table: &[(&'static str, T)], value: T) -> &'static str {
    table.iter().find(|(_, v)| *v == value).map_or("?", |(word, _)| word)
}
