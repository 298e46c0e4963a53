//! Words: sequences of literals, the lowest bit first, and arithmetic on them with the meaning of `treville_term`'s operators.
//!
//! Operands of one operator have one width. All of it is made of gates, so that constants fold: shifting by a constant costs
//! nothing, and multiplying by one costs an addition for each of its ones.

use crate::{ClauseSink, Gates, Lit};
use treville_term::Bv;

pub type Word = Vec<Lit>;

pub fn constant(value: Bv) -> Word {
    (0..value.width()).map(|i| Lit::constant(value.unsigned() >> i & 1 == 1)).collect()
}

/// The value of `word`, of 1 to 128 bits, where literals have `value`s.
pub fn value(word: &[Lit], value: impl Fn(Lit) -> bool) -> Bv {
    let bits = word.iter().enumerate().map(|(i, lit)| u128::from(value(*lit)) << i).sum();
    Bv::new(bits, word.len() as u8)
}

pub fn not(a: &[Lit]) -> Word {
    a.iter().map(|lit| !*lit).collect()
}

fn zero(width: usize) -> Word {
    vec![Lit::FALSE; width]
}

/// To a larger width with copies of `fill`, or to a smaller one by dropping high bits.
pub fn resize(a: &[Lit], width: usize, fill: Lit) -> Word {
    a.iter().copied().chain(std::iter::repeat(fill)).take(width).collect()
}

fn sign(a: &[Lit]) -> Lit {
    a.last().copied().unwrap_or(Lit::FALSE)
}

impl<S: ClauseSink> Gates<S> {
    pub fn fresh_word(&mut self, width: u8) -> Word {
        (0..width).map(|_| self.fresh()).collect()
    }

    pub fn and_words(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        a.iter().zip(b).map(|(a, b)| self.and(*a, *b)).collect()
    }

    pub fn or_words(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        a.iter().zip(b).map(|(a, b)| self.or(*a, *b)).collect()
    }

    pub fn xor_words(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        a.iter().zip(b).map(|(a, b)| self.xor(*a, *b)).collect()
    }

    pub fn ite_words(&mut self, c: Lit, a: &[Lit], b: &[Lit]) -> Word {
        a.iter().zip(b).map(|(a, b)| self.ite(c, *a, *b)).collect()
    }

    pub fn equal(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let bits: Vec<Lit> = a.iter().zip(b).map(|(a, b)| self.iff(*a, *b)).collect();
        self.and_all(bits)
    }

    /// Requires that `a` and `b` are equal if `condition` holds; without gates for the single bits.
    pub fn require_equal_if(&mut self, condition: Lit, a: &[Lit], b: &[Lit]) {
        for (a, b) in a.iter().zip(b) {
            self.clause(&[!condition, !*a, *b]);
            self.clause(&[!condition, *a, !*b]);
        }
    }

    /// `a` < `b`, and if `or_equal`, also where they are equal; unsigned.
    pub fn unsigned_less(&mut self, a: &[Lit], b: &[Lit], or_equal: bool) -> Lit {
        a.iter().zip(b).fold(Lit::constant(or_equal), |less, (a, b)| {
            let differ = self.xor(*a, *b);
            self.ite(differ, *b, less)
        })
    }

    /// As [`Gates::unsigned_less`], signed.
    pub fn signed_less(&mut self, a: &[Lit], b: &[Lit], or_equal: bool) -> Lit {
        let (Some((a_sign, a_rest)), Some((b_sign, b_rest))) = (a.split_last(), b.split_last()) else {
            return Lit::constant(or_equal);
        };
        let less = self.unsigned_less(a_rest, b_rest, or_equal);
        let differ = self.xor(*a_sign, *b_sign);
        self.ite(differ, *a_sign, less)
    }

    fn add_carry(&mut self, a: &[Lit], b: &[Lit], mut carry: Lit) -> Word {
        let mut sum = Word::with_capacity(a.len());
        for (a, b) in a.iter().zip(b) {
            let half = self.xor(*a, *b);
            sum.push(self.xor(half, carry));
            carry = self.majority(*a, *b, carry);
        }
        sum
    }

    pub fn add(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        self.add_carry(a, b, Lit::FALSE)
    }

    pub fn sub(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        self.add_carry(a, &not(b), Lit::TRUE)
    }

    pub fn neg(&mut self, a: &[Lit]) -> Word {
        self.sub(&zero(a.len()), a)
    }

    pub fn mul(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        let n_constant = |word: &[Lit]| word.iter().filter(|lit| lit.is_constant()).count();
        let (a, b) = if n_constant(a) > n_constant(b) { (b, a) } else { (a, b) };
        let width = a.len();
        let mut product = zero(width);
        for (i, bit) in b.iter().enumerate().filter(|(_, bit)| **bit != Lit::FALSE) {
            let row: Word = a[..width - i].iter().map(|lit| self.and(*lit, *bit)).collect();
            let high = self.add(&product[i..], &row);
            product[i..].copy_from_slice(&high);
        }
        product
    }

    /// Quotient and remainder, unsigned; by zero, they are 0 and `a`.
    pub fn unsigned_div_rem(&mut self, a: &[Lit], b: &[Lit]) -> (Word, Word) {
        let is_zero = self.and_all(not(b));
        // One bit more, for the remainder before it is reduced.
        let wide = resize(b, b.len() + 1, Lit::FALSE);
        let mut quotient = zero(a.len());
        let mut rest = zero(wide.len());
        for (i, bit) in a.iter().enumerate().rev() {
            rest.rotate_right(1);
            rest[0] = *bit;
            let fits = self.unsigned_less(&wide, &rest, true);
            let reduced = self.sub(&rest, &wide);
            rest = self.ite_words(fits, &reduced, &rest);
            quotient[i] = self.and(fits, !is_zero);
        }
        rest.pop();
        let rest = self.ite_words(is_zero, a, &rest);
        (quotient, rest)
    }

    /// Quotient and remainder, signed, rounded towards zero; by zero, they are 0 and `a`.
    pub fn signed_div_rem(&mut self, a: &[Lit], b: &[Lit]) -> (Word, Word) {
        let (a_sign, b_sign) = (sign(a), sign(b));
        let (a_size, b_size) = (self.negate_if(a_sign, a), self.negate_if(b_sign, b));
        let (quotient, rest) = self.unsigned_div_rem(&a_size, &b_size);
        let differ = self.xor(a_sign, b_sign);
        (self.negate_if(differ, &quotient), self.negate_if(a_sign, &rest))
    }

    fn negate_if(&mut self, c: Lit, a: &[Lit]) -> Word {
        let flipped: Word = a.iter().map(|lit| self.xor(c, *lit)).collect();
        let mut carry = zero(a.len());
        if let Some(lowest) = carry.first_mut() {
            *lowest = c;
        }
        self.add(&flipped, &carry)
    }

    pub fn shift_left(&mut self, a: &[Lit], by: &[Lit]) -> Word {
        let reversed: Word = a.iter().rev().copied().collect();
        let mut shifted = self.shift_right(&reversed, by, Lit::FALSE);
        shifted.reverse();
        shifted
    }

    /// With `fill` from above; by the width or more, nothing but `fill` is left.
    pub fn shift_right(&mut self, a: &[Lit], by: &[Lit], fill: Lit) -> Word {
        let width = a.len();
        let mut shifted = a.to_vec();
        for (i, bit) in by.iter().enumerate() {
            let distance = u32::try_from(i).ok().and_then(|i| 1usize.checked_shl(i)).unwrap_or(width).min(width);
            let moved = resize(&shifted[distance..], width, fill);
            shifted = self.ite_words(*bit, &moved, &shifted);
        }
        shifted
    }

    pub fn arithmetic_shift_right(&mut self, a: &[Lit], by: &[Lit]) -> Word {
        self.shift_right(a, by, sign(a))
    }
}
