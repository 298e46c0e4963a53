//! Variables and literals, numbered as in the DIMACS format: variables from 1, a negative number is a negated literal.

use std::fmt;
use std::ops::Not;

/// A propositional variable, from 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Var(u32);

/// A variable or its negation. Variable 1 is true in every model (see [`Lit::TRUE`]).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lit(i32);

impl Var {
    pub fn index(self) -> usize {
        self.0 as usize
    }

    pub fn lit(self) -> Lit {
        Lit(self.0 as i32)
    }
}

impl Lit {
    /// The constant: whoever makes variables keeps the first for it.
    pub const TRUE: Lit = Lit(1);
    pub const FALSE: Lit = Lit(-1);

    /// The literal that DIMACS writes as `number`, which is neither 0 nor the least number.
    pub fn new(number: i32) -> Self {
        debug_assert!(number != 0 && number != i32::MIN);
        Lit(number)
    }

    pub fn constant(value: bool) -> Self {
        if value { Lit::TRUE } else { Lit::FALSE }
    }

    /// As DIMACS writes it.
    pub fn number(self) -> i32 {
        self.0
    }

    pub fn var(self) -> Var {
        Var(self.0.unsigned_abs())
    }

    pub fn is_negated(self) -> bool {
        self.0 < 0
    }

    /// A small number of its own for each literal, for tables.
    pub fn code(self) -> usize {
        2 * self.var().index() + usize::from(self.is_negated())
    }

    pub fn is_constant(self) -> bool {
        self.var() == Lit::TRUE.var()
    }

    /// This literal, negated if `negate`.
    #[must_use]
    pub fn negated_if(self, negate: bool) -> Self {
        if negate { !self } else { self }
    }
}

impl Not for Lit {
    type Output = Lit;
    fn not(self) -> Lit {
        Lit(-self.0)
    }
}

impl fmt::Debug for Var {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "x{}", self.0)
    }
}

impl fmt::Debug for Lit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}
