//! The states that were found, each once: their bytes one after the other, where each begins, which state it was found from,
//! and a table that finds them by their hash. The order is that in which they were found, so it is also what is left to do.

use rustc_hash::FxHasher;
use std::hash::Hasher;

pub(crate) struct Store {
    bytes: Vec<u8>,
    /// Where each state ends, counted from the beginning of its block of states.
    ends: Vec<u32>,
    /// Where each block begins.
    blocks: Vec<usize>,
    parents: Vec<u32>,
    /// A part of the hash above, the number of a state plus one below; 0 where there is none.
    table: Vec<u64>,
}

/// States in a block.
const BLOCK: usize = 1 << 12;
const SMALLEST: usize = 1 << 10;

impl Store {
    pub(crate) fn new() -> Self {
        Store { bytes: Vec::new(), ends: Vec::new(), blocks: Vec::new(), parents: Vec::new(), table: vec![0; SMALLEST] }
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn get(&self, state: usize) -> &[u8] {
        let base = self.blocks[state / BLOCK];
        let start = if state % BLOCK == 0 { 0 } else { self.ends[state - 1] as usize };
        &self.bytes[base + start..base + self.ends[state] as usize]
    }

    pub(crate) fn parent(&self, state: usize) -> usize {
        self.parents[state] as usize
    }

    /// Bytes in use, roughly.
    pub(crate) fn size(&self) -> usize {
        self.bytes.capacity() + 4 * self.ends.capacity() + 4 * self.parents.capacity() + 8 * self.table.capacity()
    }

    /// The number of a state, and whether it is new.
    pub(crate) fn insert(&mut self, state: &[u8], parent: usize) -> (usize, bool) {
        if 2 * self.len() >= self.table.len() {
            self.grow();
        }
        let hash = hash(state);
        let mask = self.table.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let entry = self.table[at];
            if entry == 0 {
                break;
            }
            let known = (entry as u32 - 1) as usize;
            if entry >> 32 == hash >> 32 && self.get(known) == state {
                return (known, false);
            }
            at = (at + 1) & mask;
        }
        let new = self.len();
        if new % BLOCK == 0 {
            self.blocks.push(self.bytes.len());
        }
        self.bytes.extend_from_slice(state);
        self.ends.push((self.bytes.len() - self.blocks[new / BLOCK]) as u32);
        self.parents.push(parent as u32);
        self.table[at] = hash >> 32 << 32 | (new as u64 + 1);
        (new, true)
    }

    fn grow(&mut self) {
        let mut table = vec![0; 2 * self.table.len()];
        let mask = table.len() - 1;
        for state in 0..self.len() {
            let hash = hash(self.get(state));
            let mut at = hash as usize & mask;
            while table[at] != 0 {
                at = (at + 1) & mask;
            }
            table[at] = hash >> 32 << 32 | (state as u64 + 1);
        }
        self.table = table;
    }
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    // The low bits choose the place, and have to depend on all bytes.
    let mixed = hasher.finish().wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ (mixed >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_found_again() {
        let mut store = Store::new();
        let state = |i: u32| [&i.to_le_bytes()[..], &vec![7; i as usize % 50]].concat();
        for i in 0..20_000 {
            assert_eq!(store.insert(&state(i), i as usize / 2), (i as usize, true));
        }
        for i in 0..20_000 {
            assert_eq!(store.insert(&state(i), 0), (i as usize, false));
            assert_eq!(store.get(i as usize), state(i));
            assert_eq!(store.parent(i as usize), i as usize / 2);
        }
        assert_eq!(store.len(), 20_000);
    }
}
