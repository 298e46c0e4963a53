//! Accesses to private arrays at an unknown index: conditions on the elements, not one way for each index.
//!
//! It is decided that the access is to some element of the object, and then a load is that element which has the address, and a
//! store changes each element if it has the address. What is not an element, or in no private object, is decided as any
//! other address.

use super::code::Image;
use super::run::Runner;
use super::step::address;
use super::symbols::{Symbols, term_of};
use super::track::Track;
use treville_term::BinOp;

/// Larger arrays are accessed at one index after the other.
const MOST_ELEMENTS: u64 = 64;

/// Where an access at an unknown address goes.
pub(super) enum Index {
    /// To one of so many elements, from this address on.
    Element(u64, u64),
    /// What this word stands for must be known first.
    Ask(u64),
}

impl<T: Track> Runner<T> {
    /// Where an access of this size goes whose address is not known.
    #[cold]
    pub(super) fn index(&self, symbols: &Symbols, addr: u64, size: u8) -> Index {
        let size = u64::from(size);
        if size > 8 {
            return Index::Ask(addr);
        }
        let Some((begin, len)) =
            self.array(symbols, addr).filter(|(_, len)| (1..=MOST_ELEMENTS).contains(&(len / size)))
        else {
            return Index::Ask(addr);
        };
        let offset = symbols.bin(BinOp::Sub, 64, addr, begin);
        let rest = symbols.bin(BinOp::URem, 64, offset, size);
        let aligned = symbols.bin(BinOp::Eq, 64, rest, 0);
        let below = symbols.bin(BinOp::ULt, 64, offset, len / size * size);
        let inside = symbols.bin(BinOp::And, 1, aligned, below);
        let decided = self.decided.filter(|(word, _)| *word == inside).map(|(_, value)| value);
        match symbols.known(inside).or(decided) {
            None => Index::Ask(inside),
            Some(0) => Index::Ask(addr),
            Some(_) => Index::Element(begin, len / size),
        }
    }

    /// The private object that an address is computed from, if it is one.
    fn array(&self, symbols: &Symbols, addr: u64) -> Option<(u64, u64)> {
        let constants = symbols.lock().constants_of(term_of(addr));
        let mut found = None;
        for (begin, len) in &self.private_objects {
            let begin = address::PRIVATE + u64::from(*begin);
            let is_inside = |c: &u64| (begin..begin + u64::from(*len)).contains(c);
            if constants.iter().any(is_inside) && found.replace((begin, u64::from(*len))).is_some() {
                return None;
            }
        }
        found
    }

    /// The value of the element with this address.
    pub(super) fn load_element(&self, image: &Image, addr: u64, size: u8, (begin, n): (u64, u64)) -> u64 {
        let Some(symbols) = image.symbols() else { return 0 };
        let elements = (0..n).map(|i| begin + i * u64::from(size));
        let load = |at: u64| self.private_load(image, at, size).map_or(0, |(words, _)| words[0]);
        let last = load(begin + (n - 1) * u64::from(size));
        elements.take(n as usize - 1).fold(last, |other, at| symbols.if_equal(addr, at, load(at), other))
    }

    /// Writes to the element with this address.
    pub(super) fn store_element(&mut self, image: &Image, addr: u64, size: u8, (begin, n): (u64, u64), value: u64) {
        let Some(symbols) = image.symbols() else { return };
        for at in (0..n).map(|i| begin + i * u64::from(size)) {
            let old = self.private_load(image, at, size).map_or(0, |(words, _)| words[0]);
            self.private_store(image, at, size, [symbols.if_equal(addr, at, value, old), 0]);
        }
    }
}
