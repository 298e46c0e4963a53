//! Memory that only its own thread can reach: bytes of the runner, without events.

use super::run::{Runner, address};
use super::track::Track;

impl<T: Track> Runner<T> {
    /// Private objects keep a distance, so that running over the end of one is seen.
    pub(super) fn private_alloc(&mut self, size: u64) -> u64 {
        let size = size.min(address::OBJECT_SIZE) as usize;
        let begin = (self.private.len() + 64).next_multiple_of(16);
        self.private.resize(begin + size, 0);
        self.private_objects.push((begin as u32, size as u32));
        self.track.bytes(self.private.len());
        address::PRIVATE + begin as u64
    }

    fn private_range(&self, addr: u64, size: u8) -> Option<std::ops::Range<usize>> {
        let begin = usize::try_from(addr - address::PRIVATE).ok()?;
        let end = begin.checked_add(usize::from(size))?;
        let inside = |(b, s): &(u32, u32)| *b as usize <= begin && end <= (*b + *s) as usize;
        self.private_objects.iter().any(inside).then_some(begin..end)
    }

    /// The words of a value, with the bytes that it came from.
    pub(super) fn private_load(&self, addr: u64, size: u8) -> Option<([u64; 2], std::ops::Range<usize>)> {
        let range = self.private_range(addr, size)?;
        let mut words = [0; 2];
        for (word, bytes) in words.iter_mut().zip(self.private[range.clone()].chunks(8)) {
            let mut all = [0; 8];
            all[..bytes.len()].copy_from_slice(bytes);
            *word = u64::from_le_bytes(all);
        }
        Some((words, range))
    }

    /// The bytes that were written.
    pub(super) fn private_store(&mut self, addr: u64, size: u8, words: [u64; 2]) -> Option<std::ops::Range<usize>> {
        let range = self.private_range(addr, size)?;
        let mut changed = false;
        for (bytes, word) in self.private[range.clone()].chunks_mut(8).zip(words) {
            let value = &word.to_le_bytes()[..bytes.len()];
            if *bytes != *value {
                bytes.copy_from_slice(value);
                changed = true;
            }
        }
        self.effects += u32::from(changed);
        Some(range)
    }
}
