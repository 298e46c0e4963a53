//! A concrete bit-vector.

use std::fmt;

/// A value of `width` bits (1 to 128), stored zero-extended; or, with width 0, a value out of thin air, of which nothing is
/// known but its number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bv {
    bits: u128,
    width: u8,
}

impl Bv {
    /// The low `width` bits of `bits`.
    pub fn new(bits: u128, width: u8) -> Self {
        debug_assert!((1..=128).contains(&width));
        Bv { bits: bits & mask(width), width }
    }

    /// A value that justifies itself: equal to itself and to nothing else.
    pub fn thin_air(number: u32) -> Self {
        Bv { bits: u128::from(number), width: 0 }
    }

    pub fn is_thin_air(self) -> bool {
        self.width == 0
    }

    pub fn from_i64(value: i64, width: u8) -> Self {
        Bv::new(i128::from(value) as u128, width)
    }

    pub fn bool(value: bool) -> Self {
        Bv::new(u128::from(value), 1)
    }

    pub fn zero(width: u8) -> Self {
        Bv::new(0, width)
    }

    pub fn width(self) -> u8 {
        self.width
    }

    pub fn unsigned(self) -> u128 {
        self.bits
    }

    pub fn signed(self) -> i128 {
        if self.is_thin_air() {
            return 0;
        }
        let shift = 128 - u32::from(self.width);
        ((self.bits << shift) as i128) >> shift
    }

    pub fn is_zero(self) -> bool {
        self.bits == 0
    }
}

pub(crate) fn mask(width: u8) -> u128 {
    if width >= 128 { !0 } else { (1 << width) - 1 }
}

impl fmt::Debug for Bv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}:{}", self.bits, self.width)
    }
}
