//! Memory that only its own thread can reach: bytes of the runner, without events.

use super::code::Image;
use super::run::Runner;
use super::step::address;
use super::symbols::{Symbols, is_term};
use super::track::Track;
use std::ops::Range;

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

    fn private_range(&self, addr: u64, size: u8) -> Option<Range<usize>> {
        let begin = usize::try_from(addr - address::PRIVATE).ok()?;
        let end = begin.checked_add(usize::from(size))?;
        let inside = |(b, s): &(u32, u32)| *b as usize <= begin && end <= (*b + *s) as usize;
        self.private_objects.iter().any(inside).then_some(begin..end)
    }

    /// The words of a value, with the bytes that it came from.
    #[inline]
    pub(super) fn private_load(&self, image: &Image, addr: u64, size: u8) -> Option<([u64; 2], Range<usize>)> {
        let range = self.private_range(addr, size)?;
        let mut words = [0; 2];
        for (word, bytes) in words.iter_mut().zip(self.private[range.clone()].chunks(8)) {
            let mut all = [0; 8];
            all[..bytes.len()].copy_from_slice(bytes);
            *word = u64::from_le_bytes(all);
        }
        if T::SYMBOLIC
            && let Some(symbols) = image.symbols()
        {
            for (word, begin) in words.iter_mut().zip(range.clone().step_by(8)) {
                *word = self.with_terms(symbols, *word, begin..range.end.min(begin + 8));
            }
        }
        Some((words, range))
    }

    /// The bytes that were written.
    pub(super) fn private_store(
        &mut self,
        image: &Image,
        addr: u64,
        size: u8,
        mut words: [u64; 2],
    ) -> Option<Range<usize>> {
        let range = self.private_range(addr, size)?;
        self.note_bytes(image, &range);
        self.note_placed(image, range.start, words);
        let mut changed = false;
        if T::SYMBOLIC
            && let Some(symbols) = image.symbols()
        {
            changed = self.forget_terms(symbols, &range);
            for (word, begin) in words.iter_mut().zip(range.clone().step_by(8)) {
                changed |= self.put_term(symbols, word, begin..range.end.min(begin + 8));
            }
        }
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

    /// The value of up to 8 bytes whose numbers are known: `word`, where they are not 0 for want of a number.
    fn with_terms(&self, symbols: &Symbols, word: u64, range: Range<usize>) -> u64 {
        let mut word = if is_term(word) { symbols.number(word) } else { word };
        for (begin, size, term) in &self.private_terms {
            let (begin, end) = (*begin as usize, *begin as usize + usize::from(*size));
            let (from, to) = (begin.max(range.start), end.min(range.end));
            if from < to {
                let bytes = symbols.bytes(*term, (from - begin) as u8, (to - from) as u8);
                word = symbols.with_bytes(word, (from - range.start) as u8, bytes);
            }
        }
        word
    }

    /// Forgets the unknown values of a range; what they have outside of it stays.
    fn forget_terms(&mut self, symbols: &Symbols, range: &Range<usize>) -> bool {
        let before = self.private_terms.len();
        let overlaps = |(begin, size, _): &(u32, u8, u64)| {
            (*begin as usize) < range.end && range.start < *begin as usize + usize::from(*size)
        };
        if !self.private_terms.iter().any(overlaps) {
            return false;
        }
        for i in (0..before).filter(|i| overlaps(&self.private_terms[*i])).collect::<Vec<_>>().into_iter().rev() {
            let (begin, size, term) = self.private_terms.remove(i);
            let end = begin as usize + usize::from(size);
            if (begin as usize) < range.start {
                let kept = (range.start - begin as usize) as u8;
                self.put_back(symbols.bytes(term, 0, kept), begin, kept);
            }
            if end > range.end {
                let kept = (end - range.end) as u8;
                self.put_back(symbols.bytes(term, size - kept, kept), range.end as u32, kept);
            }
        }
        true
    }

    /// Part of an unknown value that was overwritten elsewhere.
    fn put_back(&mut self, word: u64, begin: u32, size: u8) {
        if is_term(word) {
            self.private_terms.push((begin, size, word));
        } else {
            let bytes = &word.to_le_bytes()[..usize::from(size)];
            self.private[begin as usize..][..bytes.len()].copy_from_slice(bytes);
        }
    }

    /// Notes an unknown value; the bytes themselves are 0 then.
    fn put_term(&mut self, symbols: &Symbols, word: &mut u64, range: Range<usize>) -> bool {
        if let Some(value) = symbols.known(*word) {
            *word = value;
            return false;
        }
        let size = range.len() as u8;
        let term = symbols.low(8 * size, *word);
        if !is_term(term) {
            *word = term;
            return false;
        }
        self.private_terms.push((range.start as u32, size, term));
        *word = 0;
        true
    }
}
