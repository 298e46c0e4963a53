//! Sets of small integers and square binary relations over them, as rows of 64-bit words.
//!
//! All operands of an operation have the same size `n`; bits at and above `n` are always zero. The `…_into` and
//! `…_assign` forms reuse memory and are what inner loops call; the others allocate and are for reading.

use std::fmt;

const WORD: usize = 64;

fn words(n: usize) -> usize {
    n.div_ceil(WORD)
}

/// The last word's valid bits.
fn tail_mask(n: usize) -> u64 {
    if n.is_multiple_of(WORD) { !0 } else { (1 << (n % WORD)) - 1 }
}

/// Iterates over the positions of the bits that are set, ascending.
#[derive(Clone, Debug)]
pub struct Bits<'a> {
    words: &'a [u64],
    current: u64,
    base: usize,
}

impl<'a> Bits<'a> {
    fn new(words: &'a [u64]) -> Self {
        let (current, rest) = words.split_first().map_or((0, words), |(w, r)| (*w, r));
        Bits { words: rest, current, base: 0 }
    }
}

impl Iterator for Bits<'_> {
    type Item = usize;
    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.current == 0 {
            let (w, rest) = self.words.split_first()?;
            self.current = *w;
            self.words = rest;
            self.base += WORD;
        }
        let bit = self.current.trailing_zeros() as usize;
        self.current &= self.current - 1;
        Some(self.base + bit)
    }
}

/// A subset of `0..n`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct BitSet {
    n: usize,
    words: Vec<u64>,
}

impl BitSet {
    pub fn new(n: usize) -> Self {
        BitSet { n, words: vec![0; words(n)] }
    }

    pub fn full(n: usize) -> Self {
        let mut set = Self::new(n);
        set.fill();
        set
    }

    pub fn from_members(n: usize, members: impl IntoIterator<Item = usize>) -> Self {
        let mut set = Self::new(n);
        for i in members {
            set.insert(i);
        }
        set
    }

    /// The size of the universe, not of the set.
    pub fn universe(&self) -> usize {
        self.n
    }

    pub fn len(&self) -> usize {
        self.words.iter().map(|w| w.count_ones() as usize).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&w| w == 0)
    }

    #[inline]
    pub fn contains(&self, i: usize) -> bool {
        self.words[i / WORD] >> (i % WORD) & 1 != 0
    }

    /// Adds `i`; true if it was not there.
    pub fn insert(&mut self, i: usize) -> bool {
        debug_assert!(i < self.n);
        let word = &mut self.words[i / WORD];
        let old = *word;
        *word |= 1 << (i % WORD);
        *word != old
    }

    pub fn remove(&mut self, i: usize) {
        self.words[i / WORD] &= !(1 << (i % WORD));
    }

    pub fn clear(&mut self) {
        self.words.fill(0);
    }

    pub fn fill(&mut self) {
        self.words.fill(!0);
        if let Some(last) = self.words.last_mut() {
            *last &= tail_mask(self.n);
        }
    }

    pub fn iter(&self) -> Bits<'_> {
        Bits::new(&self.words)
    }

    pub fn as_words(&self) -> &[u64] {
        &self.words
    }

    pub fn as_words_mut(&mut self) -> &mut [u64] {
        &mut self.words
    }

    pub fn is_subset(&self, other: &BitSet) -> bool {
        self.words.iter().zip(&other.words).all(|(a, b)| a & !b == 0)
    }

    pub fn intersects(&self, other: &BitSet) -> bool {
        self.words.iter().zip(&other.words).any(|(a, b)| a & b != 0)
    }

    pub fn assign(&mut self, other: &BitSet) {
        self.words.copy_from_slice(&other.words);
    }

    pub fn union_assign(&mut self, other: &BitSet) {
        self.words.iter_mut().zip(&other.words).for_each(|(a, b)| *a |= b);
    }

    pub fn intersect_assign(&mut self, other: &BitSet) {
        self.words.iter_mut().zip(&other.words).for_each(|(a, b)| *a &= b);
    }

    pub fn subtract_assign(&mut self, other: &BitSet) {
        self.words.iter_mut().zip(&other.words).for_each(|(a, b)| *a &= !b);
    }

    pub fn complement_assign(&mut self) {
        self.words.iter_mut().for_each(|w| *w = !*w);
        if let Some(last) = self.words.last_mut() {
            *last &= tail_mask(self.n);
        }
    }

    #[must_use]
    pub fn union(&self, other: &BitSet) -> BitSet {
        let mut r = self.clone();
        r.union_assign(other);
        r
    }

    #[must_use]
    pub fn intersection(&self, other: &BitSet) -> BitSet {
        let mut r = self.clone();
        r.intersect_assign(other);
        r
    }

    #[must_use]
    pub fn difference(&self, other: &BitSet) -> BitSet {
        let mut r = self.clone();
        r.subtract_assign(other);
        r
    }

    #[must_use]
    pub fn complement(&self) -> BitSet {
        let mut r = self.clone();
        r.complement_assign();
        r
    }
}

impl fmt::Debug for BitSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// Rows that are worked on between looks at the clock.
const ROWS_BETWEEN_LOOKS: usize = 256;

/// A relation on `0..n`: row `i` holds the successors of `i`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct BitMatrix {
    n: usize,
    stride: usize,
    words: Vec<u64>,
}

impl BitMatrix {
    pub fn new(n: usize) -> Self {
        let stride = words(n);
        BitMatrix { n, stride, words: vec![0; n * stride] }
    }

    pub fn full(n: usize) -> Self {
        let mut m = Self::new(n);
        m.complement_assign();
        m
    }

    pub fn identity(n: usize) -> Self {
        Self::from_pairs(n, (0..n).map(|i| (i, i)))
    }

    pub fn from_pairs(n: usize, pairs: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut m = Self::new(n);
        for (i, j) in pairs {
            m.insert(i, j);
        }
        m
    }

    /// `{(a, b) | a ∈ from, b ∈ to}`.
    pub fn product(from: &BitSet, to: &BitSet) -> Self {
        let mut m = Self::new(from.n);
        m.product_into(from, to);
        m
    }

    /// The identity on `set`.
    pub fn identity_on(set: &BitSet) -> Self {
        Self::from_pairs(set.n, set.iter().map(|i| (i, i)))
    }

    pub fn universe(&self) -> usize {
        self.n
    }

    pub fn len(&self) -> usize {
        self.words.iter().map(|w| w.count_ones() as usize).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&w| w == 0)
    }

    #[inline]
    pub fn row(&self, i: usize) -> &[u64] {
        &self.words[i * self.stride..(i + 1) * self.stride]
    }

    #[inline]
    pub fn row_mut(&mut self, i: usize) -> &mut [u64] {
        &mut self.words[i * self.stride..(i + 1) * self.stride]
    }

    #[inline]
    pub fn contains(&self, i: usize, j: usize) -> bool {
        self.row(i)[j / WORD] >> (j % WORD) & 1 != 0
    }

    pub fn insert(&mut self, i: usize, j: usize) {
        debug_assert!(i < self.n && j < self.n);
        self.row_mut(i)[j / WORD] |= 1 << (j % WORD);
    }

    pub fn remove(&mut self, i: usize, j: usize) {
        self.row_mut(i)[j / WORD] &= !(1 << (j % WORD));
    }

    pub fn clear(&mut self) {
        self.words.fill(0);
    }

    pub fn successors(&self, i: usize) -> Bits<'_> {
        Bits::new(self.row(i))
    }

    /// Pairs, ordered by source, then target.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.n).flat_map(move |i| self.successors(i).map(move |j| (i, j)))
    }

    pub fn as_words(&self) -> &[u64] {
        &self.words
    }

    pub fn as_words_mut(&mut self) -> &mut [u64] {
        &mut self.words
    }

    pub fn is_subset(&self, other: &BitMatrix) -> bool {
        self.words.iter().zip(&other.words).all(|(a, b)| a & !b == 0)
    }

    pub fn assign(&mut self, other: &BitMatrix) {
        self.words.copy_from_slice(&other.words);
    }

    pub fn union_assign(&mut self, other: &BitMatrix) {
        self.words.iter_mut().zip(&other.words).for_each(|(a, b)| *a |= b);
    }

    pub fn intersect_assign(&mut self, other: &BitMatrix) {
        self.words.iter_mut().zip(&other.words).for_each(|(a, b)| *a &= b);
    }

    pub fn subtract_assign(&mut self, other: &BitMatrix) {
        self.words.iter_mut().zip(&other.words).for_each(|(a, b)| *a &= !b);
    }

    pub fn complement_assign(&mut self) {
        self.words.iter_mut().for_each(|w| *w = !*w);
        let mask = tail_mask(self.n);
        for i in 0..self.n {
            if let Some(last) = self.row_mut(i).last_mut() {
                *last &= mask;
            }
        }
    }

    pub fn product_into(&mut self, from: &BitSet, to: &BitSet) {
        self.clear();
        for i in from.iter() {
            self.row_mut(i).copy_from_slice(&to.words);
        }
    }

    /// `self = a ; b`. `self` must be neither operand.
    pub fn compose_into(&mut self, a: &BitMatrix, b: &BitMatrix) {
        self.compose_into_unless(a, b, &mut || false);
    }

    /// The same, unless `stop` says that it takes too long: it is asked every few hundred rows. Whether it came to its end.
    pub fn compose_into_unless(&mut self, a: &BitMatrix, b: &BitMatrix, stop: &mut impl FnMut() -> bool) -> bool {
        self.clear();
        if self.stride == 1 {
            for (out, &row) in self.words.iter_mut().zip(&a.words) {
                let mut rest = row;
                let mut acc = 0;
                while rest != 0 {
                    acc |= b.words[rest.trailing_zeros() as usize];
                    rest &= rest - 1;
                }
                *out = acc;
            }
            return true;
        }
        for i in 0..self.n {
            if i % ROWS_BETWEEN_LOOKS == ROWS_BETWEEN_LOOKS - 1 && stop() {
                return false;
            }
            for k in Bits::new(a.row(i)) {
                let out = &mut self.words[i * self.stride..(i + 1) * self.stride];
                out.iter_mut().zip(b.row(k)).for_each(|(o, w)| *o |= w);
            }
        }
        true
    }

    /// `self = [set] ; a`: the pairs that begin in the set.
    pub fn restrict_domain_into(&mut self, set: &BitSet, a: &BitMatrix) {
        if self.stride == 1 {
            let members = set.words.first().copied().unwrap_or(0);
            for (i, (out, row)) in self.words.iter_mut().zip(&a.words).enumerate() {
                *out = row & (members >> i & 1).wrapping_neg();
            }
            return;
        }
        for i in 0..self.n {
            let out = &mut self.words[i * self.stride..(i + 1) * self.stride];
            if set.contains(i) { out.copy_from_slice(a.row(i)) } else { out.fill(0) }
        }
    }

    /// `self = a ; [set]`: the pairs that end in the set.
    pub fn restrict_range_into(&mut self, a: &BitMatrix, set: &BitSet) {
        if self.stride <= 1 {
            let members = set.words.first().copied().unwrap_or(0);
            self.words.iter_mut().zip(&a.words).for_each(|(out, row)| *out = row & members);
            return;
        }
        for (out, row) in self.words.chunks_exact_mut(self.stride).zip(a.words.chunks_exact(self.stride)) {
            out.iter_mut().zip(row).zip(set.as_words()).for_each(|((o, r), s)| *o = r & s);
        }
    }

    /// `self = a^-1`. `self` must not be `a`.
    pub fn inverse_into(&mut self, a: &BitMatrix) {
        self.clear();
        for i in 0..self.n {
            for j in Bits::new(a.row(i)) {
                self.words[j * self.stride + i / WORD] |= 1 << (i % WORD);
            }
        }
    }

    /// Warshall's algorithm on rows: `self = self+`.
    pub fn close_transitively(&mut self) {
        self.close_transitively_unless(&mut || false);
    }

    /// The same, unless `stop` says that it takes too long: it is asked every few hundred rows. Whether it came to its end.
    pub fn close_transitively_unless(&mut self, stop: &mut impl FnMut() -> bool) -> bool {
        if self.stride == 1 {
            for k in 0..self.n {
                let via = self.words[k];
                if via != 0 {
                    for row in &mut self.words {
                        if *row >> k & 1 != 0 {
                            *row |= via;
                        }
                    }
                }
            }
            return true;
        }
        let mut via = vec![0; self.stride];
        for k in 0..self.n {
            if k % ROWS_BETWEEN_LOOKS == ROWS_BETWEEN_LOOKS - 1 && stop() {
                return false;
            }
            via.copy_from_slice(self.row(k));
            for i in 0..self.n {
                if self.contains(i, k) {
                    self.row_mut(i).iter_mut().zip(&via).for_each(|(a, b)| *a |= b);
                }
            }
        }
        true
    }

    pub fn add_identity(&mut self) {
        for i in 0..self.n {
            self.insert(i, i);
        }
    }

    pub fn is_irreflexive(&self) -> bool {
        (0..self.n).all(|i| !self.contains(i, i))
    }

    /// True if no cycle exists. Repeatedly drops nodes without successors among those left.
    pub fn is_acyclic(&self) -> bool {
        if self.stride == 1 {
            let mut left = tail_mask(self.n) * u64::from(self.n > 0);
            loop {
                let mut next = left;
                let mut rest = left;
                // From the end: relations mostly go forward, and what comes last is done first.
                while rest != 0 {
                    let i = rest.ilog2() as usize;
                    rest &= !(1 << i);
                    if self.words[i] & next == 0 {
                        next &= !(1 << i);
                    }
                }
                if next == 0 {
                    return true;
                }
                if next == left {
                    return false;
                }
                left = next;
            }
        }
        let mut left = BitSet::full(self.n);
        loop {
            let before = left.len();
            if before == 0 {
                return true;
            }
            for i in (0..self.n).rev() {
                if left.contains(i) && self.row(i).iter().zip(left.as_words()).all(|(a, b)| a & b == 0) {
                    left.remove(i);
                }
            }
            if left.len() == before {
                return false;
            }
        }
    }

    /// The sources of pairs.
    pub fn domain_into(&self, out: &mut BitSet) {
        out.clear();
        for i in 0..self.n {
            if self.row(i).iter().any(|&w| w != 0) {
                out.insert(i);
            }
        }
    }

    /// The targets of pairs.
    pub fn range_into(&self, out: &mut BitSet) {
        out.clear();
        for i in 0..self.n {
            out.words.iter_mut().zip(self.row(i)).for_each(|(a, b)| *a |= b);
        }
    }

    #[must_use]
    pub fn union(&self, other: &BitMatrix) -> BitMatrix {
        let mut r = self.clone();
        r.union_assign(other);
        r
    }

    #[must_use]
    pub fn intersection(&self, other: &BitMatrix) -> BitMatrix {
        let mut r = self.clone();
        r.intersect_assign(other);
        r
    }

    #[must_use]
    pub fn difference(&self, other: &BitMatrix) -> BitMatrix {
        let mut r = self.clone();
        r.subtract_assign(other);
        r
    }

    #[must_use]
    pub fn complement(&self) -> BitMatrix {
        let mut r = self.clone();
        r.complement_assign();
        r
    }

    #[must_use]
    pub fn compose(&self, other: &BitMatrix) -> BitMatrix {
        let mut r = BitMatrix::new(self.n);
        r.compose_into(self, other);
        r
    }

    #[must_use]
    pub fn inverse(&self) -> BitMatrix {
        let mut r = BitMatrix::new(self.n);
        r.inverse_into(self);
        r
    }

    #[must_use]
    pub fn transitive_closure(&self) -> BitMatrix {
        let mut r = self.clone();
        r.close_transitively();
        r
    }

    #[must_use]
    pub fn domain(&self) -> BitSet {
        let mut r = BitSet::new(self.n);
        self.domain_into(&mut r);
        r
    }

    #[must_use]
    pub fn range(&self) -> BitSet {
        let mut r = BitSet::new(self.n);
        self.range_into(&mut r);
        r
    }

    /// A shortest cycle, as the nodes in order (the edge from the last to the first closes it).
    pub fn shortest_cycle(&self) -> Option<Vec<usize>> {
        if self.is_acyclic() {
            return None;
        }
        (0..self.n).filter_map(|i| self.shortest_path(i, i)).min_by_key(Vec::len).map(|mut path| {
            path.pop();
            path
        })
    }

    /// A shortest non-empty path from `from` to `to`, both included.
    pub fn shortest_path(&self, from: usize, to: usize) -> Option<Vec<usize>> {
        let mut parent = vec![usize::MAX; self.n];
        let mut queue = std::collections::VecDeque::from([from]);
        let mut seen = BitSet::new(self.n);
        while let Some(i) = queue.pop_front() {
            for j in self.successors(i) {
                if j == to {
                    let mut path = vec![to];
                    let mut at = i;
                    while at != from {
                        path.push(at);
                        at = parent[at];
                    }
                    path.push(from);
                    path.reverse();
                    return Some(path);
                }
                if j != from && seen.insert(j) {
                    parent[j] = i;
                    queue.push_back(j);
                }
            }
        }
        None
    }
}

impl fmt::Debug for BitMatrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sizes on both sides of a word's border, so that both code paths run.
    const SIZES: [usize; 4] = [1, 63, 64, 65];

    #[test]
    fn closure_and_acyclicity_agree() {
        for n in SIZES {
            let chain = BitMatrix::from_pairs(n, (1..n).map(|i| (i - 1, i)));
            assert!(chain.is_acyclic());
            let closed = chain.transitive_closure();
            assert_eq!(closed.len(), n * (n - 1) / 2);
            let mut ring = chain.clone();
            ring.insert(n - 1, 0);
            assert!(!ring.is_acyclic());
            assert_eq!(ring.shortest_cycle().map(|c| c.len()), Some(n));
            assert!(!ring.transitive_closure().is_irreflexive());
        }
    }

    #[test]
    fn complement_stays_within_the_universe() {
        for n in SIZES {
            assert_eq!(BitMatrix::full(n).len(), n * n);
            assert!(BitMatrix::full(n).complement().is_empty());
            assert_eq!(BitSet::new(n).complement().len(), n);
        }
    }

    #[test]
    fn composition_and_inverse() {
        for n in SIZES.into_iter().filter(|&n| n > 3) {
            let a = BitMatrix::from_pairs(n, [(0, 1), (2, n - 1)]);
            let b = BitMatrix::from_pairs(n, [(1, n - 1), (n - 1, 3)]);
            assert_eq!(a.compose(&b), BitMatrix::from_pairs(n, [(0, n - 1), (2, 3)]));
            assert_eq!(a.inverse().inverse(), a);
            assert_eq!(a.domain().iter().collect::<Vec<_>>(), [0, 2]);
            assert_eq!(a.range().iter().collect::<Vec<_>>(), [1, n - 1]);
        }
    }
}
