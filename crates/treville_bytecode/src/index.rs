//! Accesses to private arrays at an unknown index: conditions on the elements, not one way for each index.
//!
//! It is decided that the access is to some element of the object, and then a load is that element which has the address, and a
//! store changes each element if it has the address. What is not an element, or in no private object, is for the engine to
//! place.

use super::code::Image;
use super::run::Runner;
use super::step::address;
use super::symbols::{Symbols, term_of};
use super::track::Track;
use treville_term::BinOp;

/// Larger arrays are accessed at one index after the other.
const MOST_ELEMENTS: u64 = 64;

/// Elements of one size beside each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Array {
    /// The address of the first.
    pub begin: u64,
    /// Of each, in bytes: a power of two.
    pub size: u8,
    pub len: u64,
}

impl Array {
    pub fn elements(self) -> impl DoubleEndedIterator<Item = u64> {
        (0..self.len).map(move |i| self.at(i))
    }

    fn at(self, i: u64) -> u64 {
        self.begin + i * u64::from(self.size)
    }
}

/// Where an access at an unknown address goes.
pub(super) enum Index {
    /// To some element.
    Element(Array),
    /// What this word stands for must be known first: whether it is to an element.
    Ask(u64),
    Elsewhere,
}

impl Symbols {
    /// Whether an address is that of an element, as a word.
    pub fn is_element(&self, addr: u64, array: Array) -> u64 {
        let offset = self.bin(BinOp::Sub, 64, addr, array.begin);
        let rest = self.bin(BinOp::And, 64, offset, u64::from(array.size) - 1);
        let aligned = self.bin(BinOp::Eq, 64, rest, 0);
        let below = self.bin(BinOp::ULt, 64, offset, array.len * u64::from(array.size));
        self.bin(BinOp::And, 1, aligned, below)
    }

    /// The value of the element that has the address, which is that of one; `values` has those of all, at least one.
    pub fn element(&self, addr: u64, array: Array, values: &[u64]) -> u64 {
        match values {
            [] => 0,
            [value] => *value,
            _ => {
                let (low, high) = values.split_at(values.len() / 2);
                let middle = Array { begin: array.at(low.len() as u64), ..array };
                let (yes, no) = (self.element(addr, array, low), self.element(addr, middle, high));
                match self.bin(BinOp::ULt, 64, addr, middle.begin) {
                    0 => no,
                    1 => yes,
                    before => self.select(before, yes, no),
                }
            }
        }
    }
}

impl<T: Track> Runner<T> {
    /// Where an access of this size goes whose address is not known.
    #[cold]
    pub(super) fn index(&self, symbols: &Symbols, addr: u64, size: u8) -> Index {
        let may = |len: u64| size <= 8 && (1..=MOST_ELEMENTS).contains(&(len / u64::from(size)));
        let Some((begin, len)) = self.array(symbols, addr).filter(|(_, len)| may(*len)) else {
            return Index::Elsewhere;
        };
        let array = Array { begin, size, len: len / u64::from(size) };
        let inside = symbols.is_element(addr, array);
        let decided = self.decided.filter(|(word, _)| *word == inside).map(|(_, value)| value);
        match symbols.known(inside).or(decided) {
            None => Index::Ask(inside),
            Some(0) => Index::Elsewhere,
            Some(_) => Index::Element(array),
        }
    }

    /// The private object that an address is computed from, if it is one.
    fn array(&self, symbols: &Symbols, addr: u64) -> Option<(u64, u64)> {
        let constants = symbols.lock().constants_of(term_of(addr));
        let is_base = |(begin, len): &(u64, u64)| constants.iter().any(|c| (*begin..begin + len).contains(c));
        let mut bases = self.private_objects().filter(is_base);
        bases.next().filter(|_| bases.next().is_none())
    }

    /// Begin and size of each object that only this thread can reach.
    pub fn private_objects(&self) -> impl Iterator<Item = (u64, u64)> {
        self.private_objects.iter().map(|(begin, len)| (address::PRIVATE + u64::from(*begin), u64::from(*len)))
    }

    /// The value of the element with this address.
    pub(super) fn load_element(&mut self, image: &Image, addr: u64, array: Array) -> u64 {
        let Some(symbols) = image.symbols() else { return 0 };
        let load = |at: u64| {
            self.private_load(image, at, array.size).map_or(0, |(words, range)| {
                self.note_bytes(image, &range);
                words[0]
            })
        };
        let values: Vec<u64> = array.elements().map(load).collect();
        values.iter().for_each(|value| self.note_choice(image, [*value, 0]));
        symbols.element(addr, array, &values)
    }

    /// Writes to the element with this address.
    pub(super) fn store_element(&mut self, image: &Image, addr: u64, array: Array, value: u64) {
        let Some(symbols) = image.symbols() else { return };
        self.note_choice(image, [value, 0]);
        for at in array.elements() {
            let old = self.private_load(image, at, array.size).map_or(0, |(words, _)| words[0]);
            self.private_store(image, at, array.size, [symbols.if_equal(addr, at, value, old), 0]);
        }
    }
}
