//! Sizes, alignments and offsets of types in memory, as the module's `target datalayout` says.

use crate::types::{FloatKind, Type, TypeId, Types};
use treville_base::{Idx, IndexVec};

/// The layout of every type of a module.
#[derive(Clone, Debug)]
pub struct Layout {
    rules: Rules,
    types: IndexVec<TypeId, Result<TypeLayout, NoLayout>>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TypeLayout {
    /// In bits, without padding at the end of numbers.
    pub bits: u64,
    /// The distance of neighbours in an array, in bytes.
    pub size: u64,
    /// In bytes, a power of two.
    pub align: u64,
    /// Of the fields of a struct, in bytes.
    pub offsets: Vec<u64>,
}

impl TypeLayout {
    /// The bytes that a store writes.
    pub fn store_size(&self) -> u64 {
        self.bits.div_ceil(8)
    }
}

/// Why a type has no size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoLayout {
    /// Functions, labels, opaque structs.
    Unsized,
    /// More than 2^60 bytes.
    TooLarge,
    /// It contains itself.
    Infinite,
}

/// What the text of a data layout says. Alignments are pairs of bits and bytes, ascending.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Rules {
    pub(crate) big_endian: bool,
    pointer_bits: u64,
    pointer_align: u64,
    ints: Vec<(u64, u64)>,
    floats: Vec<(u64, u64)>,
    vectors: Vec<(u64, u64)>,
    aggregate_align: u64,
    /// Address spaces whose pointers are of another size.
    pub(crate) odd_spaces: Vec<u32>,
    /// What is `f` in C is `_f` for the linker.
    pub(crate) underscores: bool,
}

const MOST: u64 = 1 << 60;

impl Rules {
    /// Of x86-64, for a module that does not say.
    pub(crate) fn x86_64() -> Self {
        let mut rules = Self::base();
        rules.read("e-i64:64-i128:128-f80:128");
        rules
    }

    /// What holds where a data layout says nothing.
    fn base() -> Self {
        Rules {
            big_endian: false,
            pointer_bits: 64,
            pointer_align: 8,
            ints: vec![(1, 1), (8, 1), (16, 2), (32, 4), (64, 4)],
            floats: vec![(16, 2), (32, 4), (64, 8), (128, 16)],
            vectors: vec![(64, 8), (128, 16)],
            aggregate_align: 1,
            odd_spaces: Vec::new(),
            underscores: false,
        }
    }

    /// The rules of a data layout.
    pub(crate) fn parse(text: &str) -> Self {
        let mut rules = Self::base();
        rules.read(text);
        rules
    }

    fn read(&mut self, text: &str) {
        for entry in text.split('-') {
            let mut parts = entry.split(':');
            let head = parts.next().unwrap_or_default();
            let numbers: Vec<u64> = parts.map_while(|p| p.parse().ok()).collect();
            let size = head.get(1..).and_then(|n| n.parse::<u64>().ok());
            match (head.as_bytes().first(), size, numbers.as_slice()) {
                (Some(b'E'), ..) if head == "E" => self.big_endian = true,
                (Some(b'm'), ..) => self.underscores = matches!(entry, "m:o" | "m:x"),
                (Some(b'i'), Some(bits), &[abi, ..]) => set(&mut self.ints, bits, abi),
                (Some(b'f'), Some(bits), &[abi, ..]) => set(&mut self.floats, bits, abi),
                (Some(b'v'), Some(bits), &[abi, ..]) => set(&mut self.vectors, bits, abi),
                (Some(b'a'), _, &[abi, ..]) => self.aggregate_align = bytes(abi),
                (Some(b'p'), None | Some(0), &[bits, abi, ..]) => {
                    self.pointer_bits = bits.clamp(8, 64);
                    self.pointer_align = bytes(abi);
                }
                (Some(b'p'), Some(space), &[bits, ..]) if bits != self.pointer_bits => {
                    self.odd_spaces.extend(u32::try_from(space));
                }
                _ => {}
            }
        }
    }

    fn int_align(&self, bits: u64) -> u64 {
        // The next larger width that has a rule, else the largest.
        let rule = self.ints.iter().find(|&&(b, _)| b >= bits).or(self.ints.last());
        rule.map_or(1, |&(_, align)| align)
    }

    fn exact(rules: &[(u64, u64)], bits: u64) -> u64 {
        let known = rules.iter().find(|&&(b, _)| b == bits).map(|&(_, align)| align);
        known.unwrap_or_else(|| bits.div_ceil(8).next_power_of_two())
    }
}

/// Bits of an alignment as bytes, at least one.
fn bytes(bits: u64) -> u64 {
    (bits / 8).clamp(1, 1 << 16).next_power_of_two()
}

fn set(rules: &mut Vec<(u64, u64)>, bits: u64, abi: u64) {
    rules.retain(|&(b, _)| b != bits);
    rules.push((bits, bytes(abi)));
    rules.sort_unstable();
}

/// An address computation: the base, plus a constant, plus indices times sizes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GepOffset<I> {
    pub constant: i64,
    pub scaled: Vec<(I, u64)>,
}

impl Layout {
    pub(crate) fn new(types: &Types, rules: Rules) -> Self {
        let mut layout = Layout { rules, types: IndexVec::new() };
        let mut found = vec![None; types.len()];
        let mut open = vec![false; types.len()];
        for (id, _) in types.iter() {
            layout.visit(types, id, &mut found, &mut open);
        }
        layout.types = found.into_iter().map(|l| l.unwrap_or(Err(NoLayout::Infinite))).collect();
        layout
    }

    /// Finds the layout of a type after those of its parts, without recursion: names allow any depth.
    fn visit(
        &self,
        types: &Types,
        root: TypeId,
        found: &mut [Option<Result<TypeLayout, NoLayout>>],
        open: &mut [bool],
    ) {
        let mut path = vec![(root, false)];
        while let Some((id, parts_done)) = path.pop() {
            if found[id.index()].is_some() {
                continue;
            }
            if parts_done {
                open[id.index()] = false;
                found[id.index()] = Some(self.compute(types.get(id), found));
            } else if open[id.index()] {
                found[id.index()] = Some(Err(NoLayout::Infinite));
            } else {
                open[id.index()] = true;
                path.push((id, true));
                path.extend(parts(types.get(id)).iter().rev().map(|&part| (part, false)));
            }
        }
    }

    fn compute(&self, ty: &Type, found: &[Option<Result<TypeLayout, NoLayout>>]) -> Result<TypeLayout, NoLayout> {
        let of = |id: TypeId| match &found[id.index()] {
            Some(Ok(layout)) => Ok(layout),
            Some(Err(why)) => Err(*why),
            None => Err(NoLayout::Infinite),
        };
        let scalar = |bits: u64, align: u64| TypeLayout {
            bits,
            size: bits.div_ceil(8).next_multiple_of(align),
            align,
            offsets: Vec::new(),
        };
        match ty {
            Type::Void | Type::Label | Type::Metadata | Type::Token | Type::Function { .. } => Err(NoLayout::Unsized),
            Type::Int(bits) => Ok(scalar((*bits).into(), self.rules.int_align((*bits).into()))),
            Type::Ptr => Ok(scalar(self.rules.pointer_bits, self.rules.pointer_align)),
            Type::Float(kind) => {
                let bits = u64::from(kind.bits());
                let align = match kind {
                    FloatKind::X86Fp80 => Rules::exact(&self.rules.floats, 80),
                    _ => Rules::exact(&self.rules.floats, bits),
                };
                Ok(scalar(bits, align))
            }
            Type::Array { element, length } => {
                let element = of(*element)?;
                let size = element.size.checked_mul(*length).filter(|&s| s <= MOST).ok_or(NoLayout::TooLarge)?;
                Ok(TypeLayout { bits: size * 8, size, align: element.align, offsets: Vec::new() })
            }
            Type::Vector { element, length } => {
                let bits = of(*element)?.bits.checked_mul((*length).into()).ok_or(NoLayout::TooLarge)?;
                Ok(scalar(bits, Rules::exact(&self.rules.vectors, bits)))
            }
            Type::Struct(body) => {
                let fields = body.fields.as_ref().ok_or(NoLayout::Unsized)?;
                let mut offsets = Vec::with_capacity(fields.len());
                let (mut end, mut align) = (0u64, if body.packed { 1 } else { self.rules.aggregate_align });
                for &field in fields {
                    let field = of(field)?;
                    if !body.packed {
                        end = end.next_multiple_of(field.align);
                        align = align.max(field.align);
                    }
                    offsets.push(end);
                    end = end.checked_add(field.size).filter(|&e| e <= MOST).ok_or(NoLayout::TooLarge)?;
                }
                let size = end.next_multiple_of(align);
                Ok(TypeLayout { bits: size * 8, size, align, offsets })
            }
        }
    }

    /// The layout of a type, or why it has none.
    pub fn of(&self, id: TypeId) -> Result<&TypeLayout, NoLayout> {
        match self.types.get(id) {
            Some(Ok(layout)) => Ok(layout),
            Some(Err(why)) => Err(*why),
            None => Err(NoLayout::Unsized),
        }
    }

    pub fn pointer_bits(&self) -> u64 {
        self.rules.pointer_bits
    }

    /// What `getelementptr` adds to its base. `known` gives the value of constant indices. `None` if an index leads
    /// nowhere, a type has no size, or the constant part does not fit.
    pub fn gep<I: Copy>(
        &self,
        types: &Types,
        element: TypeId,
        indices: &[I],
        known: impl Fn(I) -> Option<i64>,
    ) -> Option<GepOffset<I>> {
        let mut offset = GepOffset { constant: 0, scaled: Vec::new() };
        let (&first, rest) = indices.split_first()?;
        self.add(&mut offset, element, first, &known)?;
        let mut at = element;
        for &index in rest {
            match types.get(at) {
                Type::Struct(body) => {
                    let field = usize::try_from(known(index)?).ok()?;
                    let start = i64::try_from(*self.of(at).ok()?.offsets.get(field)?).ok()?;
                    offset.constant = offset.constant.checked_add(start)?;
                    at = *body.fields.as_ref()?.get(field)?;
                }
                Type::Array { element, .. } | Type::Vector { element, .. } => {
                    at = *element;
                    self.add(&mut offset, at, index, &known)?;
                }
                _ => return None,
            }
        }
        Some(offset)
    }

    fn add<I: Copy>(
        &self,
        offset: &mut GepOffset<I>,
        element: TypeId,
        index: I,
        known: &impl Fn(I) -> Option<i64>,
    ) -> Option<()> {
        let size = self.of(element).ok()?.size;
        match known(index) {
            Some(value) => {
                let bytes = value.checked_mul(i64::try_from(size).ok()?)?;
                offset.constant = offset.constant.checked_add(bytes)?;
            }
            None => offset.scaled.push((index, size)),
        }
        Some(())
    }
}

/// The types whose layouts a layout needs.
fn parts(ty: &Type) -> Vec<TypeId> {
    match ty {
        Type::Array { element, .. } | Type::Vector { element, .. } => vec![*element],
        Type::Struct(body) => body.fields.clone().unwrap_or_default(),
        Type::Void
        | Type::Int(_)
        | Type::Float(_)
        | Type::Ptr
        | Type::Function { .. }
        | Type::Label
        | Type::Metadata
        | Type::Token => Vec::new(),
    }
}
