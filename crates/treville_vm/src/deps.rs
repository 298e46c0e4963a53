//! Sets of events of one thread, by index.

/// A growable bit set; threads have few events, so it is mostly one word.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Deps(Vec<u64>);

impl Deps {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn one(index: u32) -> Self {
        let mut deps = Self::new();
        deps.insert(index);
        deps
    }

    pub fn insert(&mut self, index: u32) {
        let word = index as usize / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (index % 64);
    }

    pub fn contains(&self, index: u32) -> bool {
        self.0.get(index as usize / 64).is_some_and(|w| w >> (index % 64) & 1 != 0)
    }

    pub fn extend(&mut self, other: &Deps) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }

    /// The union.
    pub fn with(&self, other: &Deps) -> Deps {
        let mut all = self.clone();
        all.extend(other);
        all
    }

    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&w| w == 0)
    }

    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.0
            .iter()
            .enumerate()
            .flat_map(|(i, &word)| (0..64).filter(move |bit| word >> bit & 1 != 0).map(move |bit| i as u32 * 64 + bit))
    }
}
