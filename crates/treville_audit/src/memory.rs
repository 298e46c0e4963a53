//! Memory before the program runs: which object an address belongs to, and what is in it.

use treville_bytecode::address;
use treville_ir::{Expr, Object, Program};

/// What an address belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Owner {
    /// An object of the program's text; each thread may have its own copy.
    Static {
        initial: u64,
        thread_local: bool,
    },
    /// Something that a thread has made.
    Made,
    Nothing,
}

/// Who owns so many bytes at an address, and what a static object has there at the start.
pub(crate) fn owner(program: &Program, addr: u64, size: u8) -> Owner {
    if address::heap_object(addr).is_some() {
        return Owner::Made;
    }
    let origin = address::local_origin(addr);
    match program.object_at(origin.unwrap_or(addr)) {
        Some((object, offset)) if offset + u64::from(size) <= program.objects[object].size => {
            let initial = initial(program, &program.objects[object], offset, size);
            Owner::Static { initial, thread_local: origin.is_some() }
        }
        _ => Owner::Nothing,
    }
}

fn initial(program: &Program, object: &Object, offset: u64, size: u8) -> u64 {
    let byte = |at: u64| {
        let cell = object.init.iter().find(|cell| (cell.offset..cell.offset + u64::from(cell.size)).contains(&at));
        cell.map_or(0, |cell| (constant(program, &cell.value) >> (8 * (at - cell.offset)).min(63)) & 0xff)
    };
    (0..u64::from(size.min(8))).fold(0, |word, i| word | byte(offset + i) << (8 * i))
}

/// The value of an expression without registers.
pub(crate) fn constant(program: &Program, e: &Expr) -> u64 {
    match e {
        Expr::Const(v) => v.unsigned() as u64,
        Expr::Addr(object, offset) => program.objects[*object].address.wrapping_add_signed(*offset),
        Expr::Cast(_, width, inner) if *width < 64 => constant(program, inner) & ((1 << width) - 1),
        Expr::Cast(_, _, inner) => constant(program, inner),
        _ => 0,
    }
}

/// The bytes of an access at which another one begins or ends, as bits.
pub(crate) fn cuts((addr, size): (u64, u8), (other, other_size): (u64, u8)) -> u16 {
    let inside = |at: u64| at.checked_sub(addr).filter(|at| 0 < *at && *at < u64::from(size));
    let cuts = [other, other + u64::from(other_size)].into_iter().filter_map(inside);
    cuts.fold(0, |cuts, at| cuts | 1 << at)
}
