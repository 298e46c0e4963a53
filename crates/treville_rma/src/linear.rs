//! Sums of variables with integer factors. Factors and constants have 64 bits, values of variables 128; what does not fit is
//! `None`, never wrapped.

use crate::VarId;

/// A value of a variable. Numbers of these programs are integers without a width: what does not fit here is not computed with.
pub type Number = i128;

/// `constant + Σ factor · variable`; variables ascend, and no factor is 0.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Linear {
    terms: Vec<(VarId, i64)>,
    constant: i64,
}

impl Linear {
    pub fn constant(constant: i64) -> Self {
        Linear { terms: Vec::new(), constant }
    }

    pub fn var(var: VarId) -> Self {
        Linear { terms: vec![(var, 1)], constant: 0 }
    }

    pub fn terms(&self) -> &[(VarId, i64)] {
        &self.terms
    }

    /// The number that is added.
    pub fn offset(&self) -> i64 {
        self.constant
    }

    /// Its value, if it has no variable.
    pub fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// The variable that it is, if it is one and nothing else.
    pub fn as_var(&self) -> Option<VarId> {
        match self.terms.as_slice() {
            [(var, 1)] if self.constant == 0 => Some(*var),
            _ => None,
        }
    }

    pub fn factor(&self, var: VarId) -> i64 {
        self.terms.binary_search_by_key(&var, |t| t.0).map_or(0, |i| self.terms[i].1)
    }

    pub fn mentions(&self, var: VarId) -> bool {
        self.factor(var) != 0
    }

    pub fn vars(&self) -> impl Iterator<Item = VarId> + '_ {
        self.terms.iter().map(|t| t.0)
    }

    /// `self + factor · other`
    pub fn plus(&self, factor: i64, other: &Linear) -> Option<Linear> {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut left, mut right) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let (var, value) = match (left.peek(), right.peek()) {
                (Some(&&(a, x)), Some(&&(b, y))) if a == b => {
                    left.next();
                    right.next();
                    (a, x.checked_add(y.checked_mul(factor)?)?)
                }
                (Some(&&(a, x)), other) if other.is_none_or(|o| a < o.0) => {
                    left.next();
                    (a, x)
                }
                (_, Some(&&(b, y))) => {
                    right.next();
                    (b, y.checked_mul(factor)?)
                }
                (_, None) => break,
            };
            if value != 0 {
                terms.push((var, value));
            }
        }
        let constant = self.constant.checked_add(other.constant.checked_mul(factor)?)?;
        Some(Linear { terms, constant })
    }

    pub fn times(&self, factor: i64) -> Option<Linear> {
        Linear::default().plus(factor, self)
    }

    /// With `value` in place of a variable.
    pub fn substitute(&self, var: VarId, value: &Linear) -> Option<Linear> {
        let factor = self.factor(var);
        if factor == 0 {
            return Some(self.clone());
        }
        let mut rest = self.clone();
        rest.terms.retain(|t| t.0 != var);
        rest.plus(factor, value)
    }

    pub fn eval(&self, value: &impl Fn(VarId) -> Number) -> Option<Number> {
        let term =
            |sum: Number, &(var, factor): &(VarId, i64)| sum.checked_add(Number::from(factor).checked_mul(value(var))?);
        self.terms.iter().try_fold(Number::from(self.constant), term)
    }
}
