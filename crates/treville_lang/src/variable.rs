//! Shared variables of the small languages: signed numbers of 32 bits.

use crate::lexer::Word;
use treville_base::Name;
use treville_ir::{Expr, InitCell, Object, Program, Type};

/// In bytes.
pub(crate) const SIZE: u8 = 4;
pub(crate) const WIDTH: u8 = 8 * SIZE;
pub(crate) const INT: Type = Type::Int { bytes: SIZE, signed: true };

/// Adds a variable with its first value.
pub(crate) fn add(program: &mut Program, name: &Word<'_>, init: i32) {
    let object = Object {
        name: Name::new(name.text),
        address: program.next_address(),
        size: u64::from(SIZE),
        ty: INT,
        array: false,
        thread_local: false,
        members: Vec::new(),
        init: vec![InitCell { offset: 0, size: SIZE, value: Expr::int(i64::from(init), WIDTH) }],
        uninitialized: false,
        span: name.span,
    };
    program.objects.push(object);
}
