//! A symbolic layout of memory: objects without fixed addresses, and what is known of values in every layout.
//!
//! Each object begins at an address that is a variable. Cells keep the addresses of the default layout, which all engines share and
//! which name object and offset; a value is a number, the same in all layouts, or a [`Value::Spot`].

use std::collections::BTreeMap;
use treville_base::IndexVec;
use treville_ir::{Expr, ObjectId, Program};
use treville_term::{BinOp, Bv, Cast, TermId, TermNode, TermStore, UnOp, VarId};

/// No object begins before this address: what a null pointer leads to is outside of all objects.
pub const FIRST_ADDRESS: u64 = 0x1000;

/// Objects end before 2 to the power of this: addresses fit registers of 32 bits, whatever their sign.
pub const ADDRESS_BITS: u8 = 31;

/// A value as far as it is the same wherever objects lie.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Value {
    Number(Bv),
    /// The address of the object and so many bytes.
    Spot(ObjectId, i64),
}

impl Value {
    pub(crate) fn number(self) -> Option<Bv> {
        match self {
            Value::Number(v) => Some(v),
            Value::Spot(..) => None,
        }
    }
}

/// Objects whose addresses are variables.
#[derive(Clone, Debug)]
pub struct SymbolicLayout {
    objects: IndexVec<ObjectId, Base>,
    by_var: BTreeMap<VarId, ObjectId>,
}

/// The beginning of an object.
#[derive(Clone, Copy, Debug)]
pub struct Base {
    pub var: VarId,
    /// In the layout that engines share.
    pub address: u64,
    pub size: u64,
}

impl Base {
    /// Addresses of the object are multiples of 2 to the power of this, in all layouts: of its size, as far as that makes sense.
    pub fn aligned_bits(&self) -> u8 {
        self.size.next_power_of_two().min(16).trailing_zeros() as u8
    }

    fn low_bits(&self) -> u64 {
        (1 << self.aligned_bits()) - 1
    }

    /// Whether an offset is one of its bytes or the end.
    fn has(&self, offset: i64) -> bool {
        u64::try_from(offset).is_ok_and(|offset| offset <= self.size)
    }
}

impl SymbolicLayout {
    /// Takes a variable for each object; `None` if there is not room for all of them.
    pub fn new(program: &Program, mut fresh: impl FnMut() -> VarId) -> Option<SymbolicLayout> {
        let mut room = 1_u64 << (ADDRESS_BITS - 1);
        let mut objects = IndexVec::new();
        for object in &program.objects {
            room = room.checked_sub(object.size.checked_add(32)?)?;
            objects.push(Base { var: fresh(), address: object.address, size: object.size.max(1) });
        }
        let by_var = objects.iter_enumerated().map(|(id, base): (ObjectId, &Base)| (base.var, id)).collect();
        Some(SymbolicLayout { objects, by_var })
    }

    pub fn bases(&self) -> &IndexVec<ObjectId, Base> {
        &self.objects
    }

    /// The object and offset that an address of the layout that engines share stands for.
    pub fn object_at(&self, address: u64) -> Option<(ObjectId, u64)> {
        let mut objects = self.objects.iter_enumerated();
        let inside = |base: &Base| base.address <= address && address - base.address < base.size;
        objects.find(|(_, base)| inside(base)).map(|(id, base)| (id, address - base.address))
    }

    /// What an address variable is; other variables are none.
    pub(crate) fn of_var(&self, var: VarId) -> Option<Value> {
        self.by_var.get(&var).map(|object| Value::Spot(*object, 0))
    }

    /// Where an access of so many bytes at a value lies, in the layout that engines share; `None` if it may be anywhere.
    pub(crate) fn place(&self, value: Value, size: u8) -> Option<u64> {
        match value {
            Value::Number(v) => {
                let address = u64::try_from(v.unsigned()).ok()?;
                (address < FIRST_ADDRESS - u64::from(size)).then_some(address)
            }
            Value::Spot(object, offset) => {
                let base = self.objects[object];
                let inside = u64::try_from(offset).is_ok_and(|at| at < base.size && at + u64::from(size) <= base.size);
                inside.then(|| base.address.wrapping_add_signed(offset))
            }
        }
    }

    /// The value of a term that is an address by itself, without anything that is read.
    pub(crate) fn fixed(&self, store: &TermStore, term: TermId) -> Option<Value> {
        match store.node(term) {
            TermNode::Const(v) => Some(Value::Number(v)),
            TermNode::Var(var, _) => self.of_var(var),
            TermNode::Cast(kind, width, a) => self.cast(kind, width, self.fixed(store, a)?),
            TermNode::Bin(op, a, b) => match store.as_const(b) {
                Some(b) => self.bin(op, self.fixed(store, a)?, Value::Number(b)),
                None => None,
            },
            TermNode::Un(..) | TermNode::Ite(..) => None,
        }
    }

    pub(crate) fn un(&self, op: UnOp, a: Value) -> Option<Value> {
        a.number().map(|a| Value::Number(op.eval(a)))
    }

    pub(crate) fn cast(&self, kind: Cast, width: u8, a: Value) -> Option<Value> {
        match a {
            Value::Number(v) => Some(Value::Number(kind.eval(v, width))),
            Value::Spot(object, offset) => (width > ADDRESS_BITS && self.objects[object].has(offset)).then_some(a),
        }
    }

    /// The result of an operation if it is the same in all layouts, or a spot in all of them.
    pub(crate) fn bin(&self, op: BinOp, a: Value, b: Value) -> Option<Value> {
        match (a, b) {
            (Value::Number(a), Value::Number(b)) => Some(Value::Number(op.eval(a, b))),
            (Value::Spot(object, offset), Value::Number(n)) => self.with_number(op, object, offset, n),
            (Value::Number(n), Value::Spot(object, offset)) if op.is_commutative() => {
                self.with_number(op, object, offset, n)
            }
            (Value::Number(_), Value::Spot(..)) => None,
            (Value::Spot(x, i), Value::Spot(y, j)) => self.of_spots(op, (x, i), (y, j)),
        }
    }

    fn with_number(&self, op: BinOp, object: ObjectId, offset: i64, n: Bv) -> Option<Value> {
        let base = self.objects[object];
        let low = base.low_bits();
        let (signed, bits) = (n.signed() as i64, n.signed() as u64);
        let spot = |offset: u64| Some(Value::Spot(object, offset as i64));
        match op {
            BinOp::Add => Some(Value::Spot(object, offset.wrapping_add(signed))),
            BinOp::Sub => Some(Value::Spot(object, offset.wrapping_sub(signed))),
            // Its lowest bits are those of the offset.
            BinOp::And if bits & !low == 0 => Some(Value::Number(Bv::new(u128::from(offset as u64 & bits), n.width()))),
            BinOp::And if bits | low == u64::MAX => spot(offset as u64 & bits),
            BinOp::Or if bits & !low == 0 => spot(offset as u64 | bits),
            BinOp::Xor if bits & !low == 0 => spot(offset as u64 ^ bits),
            BinOp::Eq | BinOp::Ne if base.has(offset) && n.unsigned() < u128::from(FIRST_ADDRESS) => {
                Some(Value::Number(Bv::bool(op == BinOp::Ne)))
            }
            _ => None,
        }
    }

    fn of_spots(&self, op: BinOp, (x, i): (ObjectId, i64), (y, j): (ObjectId, i64)) -> Option<Value> {
        let inside = |object: ObjectId, offset: i64| self.objects[object].has(offset);
        let number = |v: i64| Bv::new(i128::from(v) as u128, 64);
        match op {
            _ if !inside(x, i) || !inside(y, j) => None,
            BinOp::Eq | BinOp::Ne | BinOp::ULt | BinOp::ULe | BinOp::SLt | BinOp::SLe if x == y => {
                Some(Value::Number(op.eval(number(i), number(j))))
            }
            // The end of one object may be where another begins.
            BinOp::Eq | BinOp::Ne if x != y && self.place(Value::Spot(x, i), 1).is_some() => {
                self.place(Value::Spot(y, j), 1).map(|_| Value::Number(Bv::bool(op == BinOp::Ne)))
            }
            _ => None,
        }
    }

    /// The value of an expression without registers.
    fn constant(&self, e: &Expr) -> Option<Value> {
        match e {
            Expr::Const(v) => Some(Value::Number(*v)),
            Expr::Reg(_) => Some(Value::Number(Bv::zero(64))),
            Expr::Addr(object, offset) => Some(Value::Spot(*object, *offset)),
            Expr::Un(op, a) => self.un(*op, self.constant(a)?),
            Expr::Bin(op, a, b) => self.bin(*op, self.constant(a)?, self.constant(b)?),
            Expr::Cast(kind, width, a) => self.cast(*kind, *width, self.constant(a)?),
            Expr::Ite(c, a, b) => {
                let c = self.constant(c)?.number()?;
                self.constant(if c.is_zero() { b } else { a })
            }
        }
    }

    /// What is at a place of the layout that engines share at the start, if addresses play a part: a spot, or nothing that can be
    /// said.
    pub(crate) fn initial(&self, program: &Program, address: u64, size: u8) -> Initial {
        let Some((object, offset)) = program.object_at(address) else { return Initial::Numbers };
        let overlaps = |from: u64, n: u8| from < offset + u64::from(size) && offset < from + u64::from(n);
        for cell in program.objects[object].init.iter().filter(|cell| overlaps(cell.offset, cell.size)) {
            match self.constant(&cell.value) {
                Some(Value::Number(_)) => {}
                Some(Value::Spot(object, at)) if cell.offset == offset && cell.size == size && size >= 4 => {
                    return Initial::Spot(object, at);
                }
                _ => return Initial::Unclear,
            }
        }
        Initial::Numbers
    }
}

/// What memory has at the start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Initial {
    /// The same in all layouts.
    Numbers,
    Spot(ObjectId, i64),
    /// A part of an address, or something made of one.
    Unclear,
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: [u64; 4] = [1, 4, 12, 64];

    fn floating() -> SymbolicLayout {
        let base = |i: usize| Base { var: VarId(i as u32), address: 0x5a00_0000 + 0x1_0000 * i as u64, size: SIZES[i] };
        let objects: IndexVec<ObjectId, Base> = (0..SIZES.len()).map(base).collect();
        let by_var = objects.iter_enumerated().map(|(id, base)| (base.var, id)).collect();
        SymbolicLayout { objects, by_var }
    }

    /// Layouts with objects in different orders, next to each other, and at both ends of memory.
    const LAYOUTS: [[u64; 4]; 4] = [
        [0x1000, 0x1004, 0x1010, 0x1020],
        [0x7fff_fffe, 0x7fff_fff8, 0x7fff_ffe0, 0x7fff_ffa0],
        [0x2041, 0x1234, 0x7000_0000, 0x2000],
        [0x100c, 0x1008, 0x4000, 0x7fff_0000],
    ];

    fn here(layout: &[u64; 4], value: Value, width: u8) -> Bv {
        match value {
            Value::Number(v) => v,
            Value::Spot(o, at) => Bv::new(u128::from(layout[o.0 as usize].wrapping_add_signed(at)), width),
        }
    }

    #[test]
    fn what_is_known_of_results_is_so_in_every_layout() {
        use BinOp::{AShr, Add, And, Eq, LShr, Mul, Ne, Or, SDiv, SLe, SLt, SRem, Shl, Sub, UDiv, ULe, ULt, URem, Xor};
        let floating = floating();
        let ops = [Add, Sub, Mul, UDiv, SDiv, URem, SRem, And, Or, Xor, Shl, LShr, AShr, Eq, Ne, ULt, ULe, SLt, SLe];
        let (mut known, mut spots) = (0, 0);
        for width in [32, 64] {
            let offsets = [-8, -1, 0, 1, 3, 4, 5, 12, 64, 65];
            let places = (0..4).flat_map(|o| offsets.map(|at| Value::Spot(ObjectId(o), at)));
            let numbers = [0, 1, 3, 4, 7, 8, 15, 0x1000, 0x1004, -1, -4, -8, -16];
            let all: Vec<Value> = places.chain(numbers.map(|n| Value::Number(Bv::new(n as u128, width)))).collect();
            for (op, a, b) in ops.iter().flat_map(|op| all.iter().flat_map(|a| all.iter().map(|b| (*op, *a, *b)))) {
                let Some(result) = floating.bin(op, a, b) else { continue };
                known += 1;
                spots += usize::from(result.number().is_none());
                for layout in &LAYOUTS {
                    let value = op.eval(here(layout, a, width), here(layout, b, width));
                    assert_eq!(here(layout, result, width), value, "{a:?} {op:?} {b:?} at {layout:x?}");
                }
            }
        }
        assert!(known > 1000 && spots > 500, "{known} {spots}");
    }
}
