//! States as runs of words, each kept once.

/// The number of a state in a [`Store`].
pub(crate) type StateId = u32;

const EMPTY: u32 = u32::MAX;

#[derive(Debug)]
pub(crate) struct Store {
    words: Vec<u32>,
    /// Where each state begins, and the end of the last one.
    starts: Vec<usize>,
    /// Open addressing; its length is a power of two.
    table: Vec<StateId>,
}

impl Store {
    pub(crate) fn new() -> Self {
        Store { words: Vec::new(), starts: vec![0], table: vec![EMPTY; 64] }
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub(crate) fn clear(&mut self) {
        self.words.clear();
        self.starts.truncate(1);
        if self.table.len() > 1024 {
            self.table = vec![EMPTY; 64];
        } else {
            self.table.fill(EMPTY);
        }
    }

    pub(crate) fn get(&self, id: StateId) -> &[u32] {
        &self.words[self.starts[id as usize]..self.starts[id as usize + 1]]
    }

    /// Its number, and whether it is new.
    pub(crate) fn insert(&mut self, state: &[u32]) -> (StateId, bool) {
        if self.len() * 2 >= self.table.len() {
            self.grow();
        }
        let mask = self.table.len() - 1;
        let mut at = hash(state) as usize & mask;
        while self.table[at] != EMPTY {
            if self.get(self.table[at]) == state {
                return (self.table[at], false);
            }
            at = (at + 1) & mask;
        }
        let id = self.len() as StateId;
        self.table[at] = id;
        self.words.extend_from_slice(state);
        self.starts.push(self.words.len());
        (id, true)
    }

    fn grow(&mut self) {
        let mask = self.table.len() * 4 - 1;
        let mut table = vec![EMPTY; mask + 1];
        for id in 0..self.len() as StateId {
            let mut at = hash(self.get(id)) as usize & mask;
            while table[at] != EMPTY {
                at = (at + 1) & mask;
            }
            table[at] = id;
        }
        self.table = table;
    }
}

fn hash(state: &[u32]) -> u64 {
    let mix = |h: u64, w: &u32| (h.rotate_left(5) ^ u64::from(*w)).wrapping_mul(0x517c_c1b7_2722_0a95);
    let h = state.iter().fold(state.len() as u64, mix);
    h ^ (h >> 32)
}
