//! Values as scalars: which registers a value of a type has, and where they are in memory.

use super::{Lowered, unsupported};
use crate::module::Module;
use crate::types::{Type, TypeId};
use std::ops::Range;

/// A scalar of a value: an integer, a pointer, or the bits of a floating-point number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Leaf {
    /// In bytes, from the beginning of the value in memory.
    pub(super) offset: u64,
    pub(super) bits: u8,
}

impl Leaf {
    /// The bytes that it has in memory.
    pub(super) fn size(self) -> u8 {
        self.bits.div_ceil(8)
    }

    /// Its width there, in bits.
    pub(super) fn stored_bits(self) -> u8 {
        8 * self.size()
    }
}

/// A value with more scalars than this stays in memory.
const MOST_LEAVES: u64 = 4096;

/// How deep types may nest.
const DEPTH: u32 = 100;

/// The scalars of a type, in order.
pub(super) fn shape(module: &Module, ty: TypeId) -> Lowered<Vec<Leaf>> {
    let mut leaves = Vec::new();
    add(module, ty, 0, 0, &mut leaves)?;
    Ok(leaves)
}

/// The width of a type that is one scalar.
pub(super) fn width(module: &Module, ty: TypeId) -> Lowered<u8> {
    match shape(module, ty)?.as_slice() {
        [leaf] => Ok(leaf.bits),
        _ => unsupported(format!("a value of type `{}` here", module.types.display(ty))),
    }
}

/// Which of the scalars of a type those of a member are.
pub(super) fn member(module: &Module, ty: TypeId, indices: &[u32]) -> Lowered<Range<usize>> {
    let (mut at, mut first) = (ty, 0);
    for &index in indices {
        let Some(part) = module.types.member(at, index.into()) else {
            return unsupported("a member that does not exist");
        };
        first += match module.types.get(at) {
            Type::Struct(body) => {
                let before = body.fields.iter().flatten().take(index as usize);
                before.map(|field| Ok(shape(module, *field)?.len())).sum::<Lowered<usize>>()?
            }
            _ => shape(module, part)?.len() * index as usize,
        };
        at = part;
    }
    Ok(first..first + shape(module, at)?.len())
}

fn add(module: &Module, ty: TypeId, offset: u64, depth: u32, leaves: &mut Vec<Leaf>) -> Lowered<()> {
    if depth > DEPTH {
        return unsupported("a type that nests so deeply");
    }
    let mut leaf = |bits: u64| match u8::try_from(bits) {
        Ok(bits @ 1..=128) => {
            leaves.push(Leaf { offset, bits });
            Ok(())
        }
        _ => unsupported(format!("a number of {bits} bits")),
    };
    match module.types.get(ty) {
        Type::Void | Type::Label | Type::Metadata | Type::Token | Type::Function { .. } => Ok(()),
        Type::Int(128) => {
            leaves.extend([0, 8].map(|at| Leaf { offset: offset + at, bits: 64 }));
            Ok(())
        }
        Type::Int(bits) => leaf((*bits).into()),
        Type::Float(kind) => leaf(kind.bits().into()),
        Type::Ptr => leaf(module.layout.pointer_bits()),
        Type::Array { element, length } => {
            let step = module.layout.of(*element).map_or(0, |l| l.size);
            repeat(module, *element, *length, (offset, step), depth, leaves)
        }
        Type::Vector { element, .. } if super::wide::is_wide(module, *element) => {
            unsupported("a vector of numbers of 128 bits")
        }
        Type::Vector { element, length } => {
            let step = module.layout.of(*element).map_or(0, |l| l.bits / 8);
            repeat(module, *element, (*length).into(), (offset, step), depth, leaves)
        }
        Type::Struct(body) => {
            let Ok(layout) = module.layout.of(ty) else { return unsupported("a struct of unknown size") };
            for (field, at) in body.fields.iter().flatten().zip(&layout.offsets) {
                add(module, *field, offset + at, depth + 1, leaves)?;
            }
            Ok(())
        }
    }
}

fn repeat(
    module: &Module,
    element: TypeId,
    length: u64,
    (offset, step): (u64, u64),
    depth: u32,
    leaves: &mut Vec<Leaf>,
) -> Lowered<()> {
    for i in 0..length {
        let before = leaves.len();
        add(module, element, offset + i * step, depth + 1, leaves)?;
        if leaves.len() == before {
            break;
        }
        if leaves.len() as u64 > MOST_LEAVES {
            return unsupported("so large an array, struct or vector as a value");
        }
    }
    Ok(())
}
