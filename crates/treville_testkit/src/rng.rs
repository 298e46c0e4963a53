//! A small deterministic generator of random numbers (splitmix64): the same seed gives the same programs for ever.

use std::ops::Range;

/// The seeds of a random test: `n` of them from 1 on. `TREVILLE_SEED` sets the first one, `TREVILLE_TIMES` multiplies their number.
pub fn seeds(n: u64) -> Range<u64> {
    let number = |variable| std::env::var(variable).ok().and_then(|text| text.parse().ok());
    let (first, times): (u64, u64) = (number("TREVILLE_SEED").unwrap_or(1), number("TREVILLE_TIMES").unwrap_or(1));
    first..first + n * times
}

#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Self {
        Rng(seed)
    }

    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number below `n`, or 0 if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        if n == 0 { 0 } else { (self.draw() % n as u64) as usize }
    }

    pub fn percent(&mut self, chance: u64) -> bool {
        self.draw() % 100 < chance
    }

    /// One of several; there must be one.
    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}
