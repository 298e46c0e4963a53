//! The states that were found, each once: their bytes one after the other, which state each was found from, and a table that
//! finds them by their hash. The order is that in which they were found, so it is also what is left to do.

use crate::memory::{Bytes, put};
use rustc_hash::FxHasher;
use std::hash::Hasher;

pub(crate) struct Store {
    /// Each state with its length before it.
    bytes: Vec<u8>,
    parents: Vec<u32>,
    /// A part of the hash above, and below where the state begins, plus one; 0 where there is none.
    table: Vec<u64>,
}

/// A state is in the store.
struct Known;

/// Bits of the table for a place.
const PLACE: u32 = 40;
const SMALLEST: usize = 1 << 10;

impl Store {
    pub(crate) fn new() -> Self {
        Store { bytes: Vec::new(), parents: Vec::new(), table: vec![0; SMALLEST] }
    }

    pub(crate) fn len(&self) -> usize {
        self.parents.len()
    }

    /// The state at a place, and the place of the next.
    pub(crate) fn at(&self, place: usize) -> (&[u8], usize) {
        let mut rest = Bytes(&self.bytes[place..]);
        let len = rest.get() as usize;
        let start = self.bytes.len() - rest.0.len();
        (&self.bytes[start..start + len], start + len)
    }

    /// States by their numbers, which ascend.
    pub(crate) fn get<'s>(&'s self, numbers: &[usize]) -> Vec<&'s [u8]> {
        let (mut found, mut place) = (Vec::new(), 0);
        for number in 0..self.len() {
            let (state, next) = self.at(place);
            match numbers.get(found.len()) {
                Some(wanted) if *wanted == number => found.push(state),
                Some(_) => {}
                None => break,
            }
            place = next;
        }
        found
    }

    pub(crate) fn parent(&self, number: usize) -> usize {
        self.parents[number] as usize
    }

    /// Bytes in use.
    pub(crate) fn size(&self) -> usize {
        self.bytes.len() + 4 * self.parents.len() + 8 * self.table.len()
    }

    /// Looks where these states would be: memory is slow, and waits for many places at the same time as for one.
    pub(crate) fn warm(&self, hashes: impl Iterator<Item = u64> + Clone) -> u64 {
        let mask = self.table.len() - 1;
        let entries = hashes.clone().map(|hash| (hash, self.table[hash as usize & mask]));
        let slots = entries.clone().fold(0, |sum: u64, (_, entry)| sum.wrapping_add(entry));
        let known = entries.filter(|(hash, entry)| *entry != 0 && entry >> PLACE == hash >> PLACE);
        let places = known.map(|(_, entry)| u64::from(self.bytes[place_of(entry)]));
        places.fold(slots, u64::wrapping_add)
    }

    /// Whether a state with this hash is here.
    pub(crate) fn has(&self, state: &[u8], hash: u64) -> bool {
        self.slot(state, hash).is_err()
    }

    /// Stores a state with this hash, unless it is here. `parent` is a number.
    pub(crate) fn insert(&mut self, state: &[u8], hash: u64, parent: u32) {
        if 4 * self.len() >= 3 * self.table.len() {
            self.grow();
        }
        let Ok(slot) = self.slot(state, hash) else { return };
        let place = self.bytes.len();
        put(state.len() as u64, &mut self.bytes);
        self.bytes.extend_from_slice(state);
        self.parents.push(parent);
        self.table[slot] = entry_of(hash, place);
    }

    /// Where a state belongs in the table; an error if it is there.
    #[inline]
    fn slot(&self, state: &[u8], hash: u64) -> Result<usize, Known> {
        let mask = self.table.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            let entry = self.table[slot];
            if entry == 0 {
                return Ok(slot);
            }
            if entry >> PLACE == hash >> PLACE && self.at(place_of(entry)).0 == state {
                return Err(Known);
            }
            slot = (slot + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let mut table = vec![0; 2 * self.table.len()];
        let mask = table.len() - 1;
        let mut place = 0;
        for _ in 0..self.len() {
            let (state, next) = self.at(place);
            let hash = hash(state);
            let mut slot = hash as usize & mask;
            while table[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            table[slot] = entry_of(hash, place);
            place = next;
        }
        self.table = table;
    }
}

fn entry_of(hash: u64, place: usize) -> u64 {
    hash >> PLACE << PLACE | (place as u64 + 1)
}

fn place_of(entry: u64) -> usize {
    (entry & ((1 << PLACE) - 1)) as usize - 1
}

/// By which states are found.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    // The low bits choose the slot, and have to depend on all bytes.
    let mixed = hasher.finish().wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ (mixed >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_found_again() {
        let mut store = Store::new();
        let state =
            |i: u32| [&i.to_le_bytes()[..], &vec![7; i as usize % 50 + if i % 1000 == 3 { 300 } else { 0 }]].concat();
        for i in 0..20_000 {
            assert!(!store.has(&state(i), hash(&state(i))));
            store.insert(&state(i), hash(&state(i)), i / 2);
        }
        for i in 0..20_000 {
            assert!(store.has(&state(i), hash(&state(i))));
            store.insert(&state(i), hash(&state(i)), 0);
            assert_eq!(store.parent(i as usize), i as usize / 2);
        }
        assert_eq!(store.len(), 20_000);
        assert_eq!(store.get(&[3, 1003, 19_999]), [state(3), state(1003), state(19_999)]);
    }
}
