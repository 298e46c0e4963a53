//! Numbers as bytes: small ones are one byte, and most numbers of a state are small.

/// Numbers below this are one byte; from here on, the first byte says how many more there are.
pub(crate) const SMALL: u64 = 253;
/// If the bits of some numbers together are less than this, each is small.
const SMALL_BITS: u64 = 128;
const TWO: u8 = 253;
const FOUR: u8 = 254;
const EIGHT: u8 = 255;

#[inline]
pub(crate) fn put(value: u64, out: &mut Vec<u8>) {
    if value < SMALL { out.push(value as u8) } else { put_large(value, out) }
}

#[cold]
fn put_large(value: u64, out: &mut Vec<u8>) {
    let (first, n) = match value {
        0..=0xffff => (TWO, 2),
        0x1_0000..=0xffff_ffff => (FOUR, 4),
        _ => (EIGHT, 8),
    };
    out.push(first);
    out.extend_from_slice(&value.to_le_bytes()[..n]);
}

/// The same as one after the other, in one go if all are small.
#[inline]
pub(crate) fn put_positions(positions: &[u16], out: &mut Vec<u8>) {
    let all_bits = positions.iter().fold(0, |bits, position| bits | *position);
    if u64::from(all_bits) < SMALL_BITS {
        out.extend(positions.iter().map(|position| *position as u8));
    } else {
        positions.iter().for_each(|position| put(u64::from(*position), out));
    }
}

#[inline]
pub(crate) fn put_values(values: impl ExactSizeIterator<Item = u64> + Clone, out: &mut Vec<u8>) {
    let all_bits = values.clone().fold(0, |bits, value| bits | value);
    if all_bits < SMALL_BITS {
        out.extend(values.map(|value| value as u8));
    } else {
        values.for_each(|value| put(value, out));
    }
}

/// Bytes that are read from the front. They are our own: what is missing reads as 0.
pub(crate) struct Bytes<'a>(pub(crate) &'a [u8]);

impl<'a> Bytes<'a> {
    #[inline]
    pub(crate) fn get(&mut self) -> u64 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        if u64::from(*first) < SMALL { u64::from(*first) } else { self.get_large(*first) }
    }

    #[cold]
    fn get_large(&mut self, first: u8) -> u64 {
        let n = match first {
            TWO => 2,
            FOUR => 4,
            _ => 8,
        };
        let mut word = [0; 8];
        word.iter_mut().zip(self.take(n)).for_each(|(to, from)| *to = *from);
        u64::from_le_bytes(word)
    }

    /// So many bytes as they are.
    #[inline]
    pub(crate) fn take(&mut self, n: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(n.min(self.0.len()));
        self.0 = rest;
        taken
    }

    #[inline]
    pub(crate) fn get_positions(&mut self, positions: &mut [u16]) {
        let are_small = |bytes: &&[u8]| u64::from(bytes.iter().fold(0, |bits, byte| bits | byte)) < SMALL_BITS;
        let small = self.0.get(..positions.len()).filter(are_small);
        if let Some(small) = small {
            positions.iter_mut().zip(small).for_each(|(position, byte)| *position = u16::from(*byte));
            self.0 = &self.0[positions.len()..];
        } else {
            positions.iter_mut().for_each(|position| *position = self.get() as u16);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_were_put() {
        let numbers = [0, 1, 252, 253, 254, 255, 256, 0xffff, 0x1_0000, 0xffff_ffff, 0x1_0000_0000, u64::MAX];
        let mut bytes = Vec::new();
        numbers.iter().for_each(|number| put(*number, &mut bytes));
        put_values(numbers.iter().copied(), &mut bytes);
        put_values([7, 8].into_iter(), &mut bytes);
        let mut read = Bytes(&bytes);
        for number in numbers.iter().chain(&numbers).chain(&[7, 8]) {
            assert_eq!(read.get(), *number);
        }
        assert!(read.0.is_empty());
    }

    #[test]
    fn positions_are_read_as_they_were_put() {
        for positions in [vec![], vec![0, 1, 252], vec![3, 253, 4], vec![u16::MAX; 3]] {
            let mut bytes = Vec::new();
            put_positions(&positions, &mut bytes);
            put(9, &mut bytes);
            let mut read = Bytes(&bytes);
            let mut again = vec![5; positions.len()];
            read.get_positions(&mut again);
            assert_eq!((again, read.get()), (positions, 9));
        }
    }
}
