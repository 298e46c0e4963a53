//! Addresses as numbers: what a program computes from the address of an object.
//!
//! Two reductions rely on addresses being used as pointers only. A retry loop may write to an object again and again as long as
//! no other thread can know its address, and equal threads may change places as long as nothing tells them apart by the
//! addresses of what they have made, in which the thread's number is. So an operator on an address is looked at where it is
//! applied, before its result can go anywhere. What stays an address of the same object hides nothing. Everything else
//! (a complement, a shift, a part of the bytes, an order between two addresses) publishes the object, and if
//! the result depends on the thread's number, it tells threads apart.
//!
//! Two uses are common and reveal nothing: a comparison with null, and whether two addresses are the same.

use super::code::Image;
use super::run::{NO_ADDRESS, Runner};
use super::step::address;
use super::symbols::is_term;
use super::track::Track;
use std::ops::Range;
use treville_term::BinOp;

/// Every address in which the number of a thread is has one of these bits.
const NAMED: u64 = address::HEAP | address::LOCAL;

/// Below this bit, addresses of equal objects of different threads are the same.
const NAME_SHIFT: u32 = address::LOCAL_SHIFT;

/// Where the number of a thread can be.
const NAME: u64 = NO_ADDRESS & !((1 << NAME_SHIFT) - 1);

/// The same, as bytes of a word.
const NAME_BYTES: Range<usize> = NAME_SHIFT as usize / 8..NO_ADDRESS.count_ones() as usize / 8;

/// The bytes of an address.
const WORD: usize = 8;

/// Whether a word may be an address with the number of a thread; asked first, since it is cheap.
#[inline]
pub(super) fn may_be_named(word: u64) -> bool {
    word & NAMED != 0
}

/// The kind of memory, and the thread that an address names; upper bits are for tags.
fn owner(word: u64) -> Option<(bool, u32)> {
    let addr = word & NO_ADDRESS;
    let heap = address::heap_object(addr).map(|(thread, _)| (true, thread));
    heap.or_else(|| address::local_thread(addr).map(|thread| (false, thread)))
}

/// Whether a word has the number of a thread in it.
pub fn names_thread(word: u64) -> bool {
    owner(word).is_some()
}

/// Whether the result of an operator is the same for all threads, or the address that the other thread would get.
#[inline]
fn is_nameless(op: BinOp, x: u64, y: u64, result: u64) -> bool {
    let stays = |from: u64, number: u64| {
        let small = number < 1 << NAME_SHIFT || number.wrapping_neg() < 1 << NAME_SHIFT;
        small && owner(result) == owner(from)
    };
    match (op, owner(x), owner(y)) {
        (_, None, None) => true,
        _ if is_term(x) || is_term(y) => false,
        (BinOp::Eq | BinOp::Ne, ..) => true,
        (BinOp::Sub, Some(a), Some(b)) => a == b,
        (_, Some(_), Some(_)) => false,
        (BinOp::Add | BinOp::Sub, Some(_), None) => stays(x, y),
        (BinOp::Add, None, Some(_)) => stays(y, x),
        (BinOp::And, Some(_), None) => [0, NAME].contains(&(y & NAME)),
        (BinOp::And, None, Some(_)) => [0, NAME].contains(&(x & NAME)),
        (BinOp::Or | BinOp::Xor, Some(_), None) => y & NAME == 0,
        (BinOp::Or | BinOp::Xor, None, Some(_)) => x & NAME == 0,
        _ => false,
    }
}

impl<T: Track> Runner<T> {
    /// An operator was applied to what may be an address.
    #[cold]
    pub(super) fn note_operator(&mut self, image: &Image, op: BinOp, x: u64, y: u64, result: u64) {
        if !is_nameless(op, x, y, result) {
            image.note_told_apart();
        }
        let compared = |other: u64| matches!(op, BinOp::Eq | BinOp::Ne) && (other == 0 || names_thread(other));
        if !compared(y) {
            self.note_result(x, result);
        }
        if !compared(x) {
            self.note_result(y, result);
        }
    }

    /// An address was changed, or cut down to some of its bits.
    #[cold]
    pub(super) fn note_part(&mut self, image: &Image, src: u64, result: u64) {
        let low = src & ((1 << NAME_SHIFT) - 1);
        if names_thread(src) && owner(result) != owner(src) && result & !low != 0 {
            image.note_told_apart();
        }
        self.note_result(src, result);
    }

    /// One of these words was chosen by an unknown value, and is the name of a term now.
    #[cold]
    pub(super) fn note_choice(&mut self, image: &Image, words: [u64; 2]) {
        for word in words.into_iter().filter(|word| names_thread(*word)) {
            image.note_told_apart();
            self.publish(image, word);
        }
    }

    /// What was computed from the address of an object lets others find the object, unless it is an address in it.
    fn note_result(&mut self, from: u64, result: u64) {
        if let Some(n) = self.own_object(from).filter(|n| *n < 64 && self.own_object(result) != Some(*n)) {
            self.published |= 1 << n;
        }
    }

    /// These bytes of private memory are read or overwritten. Where they are some of those of an address, and there is a part of a
    /// thread's number in them, that shows by itself, or is missing in what is left.
    #[inline]
    pub(super) fn note_bytes(&self, image: &Image, range: &Range<usize>) {
        let whole = range.start.is_multiple_of(WORD) && range.len() >= WORD;
        if !whole {
            self.note_split(image, range);
        }
    }

    fn note_split(&self, image: &Image, range: &Range<usize>) {
        let word = |begin: usize| self.private.get(begin..begin + WORD)?.try_into().ok().map(u64::from_le_bytes);
        let has_name = |begin: &usize| begin + NAME_BYTES.start < range.end && range.start < begin + NAME_BYTES.end;
        let mut begins = (range.start / WORD * WORD..range.end).step_by(WORD).filter(has_name);
        if begins.any(|begin| word(begin).is_some_and(names_thread)) {
            image.note_told_apart();
        }
    }

    /// Words are put into private memory, the first one at this byte. Only where a word begins is an address found again.
    #[inline]
    pub(super) fn note_placed(&self, image: &Image, begin: usize, words: [u64; 2]) {
        if !begin.is_multiple_of(WORD) && words.into_iter().any(names_thread) {
            image.note_told_apart();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OF_ONE: u64 = address::HEAP | 1 << address::THREAD_SHIFT | 3 << address::OBJECT_SHIFT | 8;
    const OF_TWO: u64 = address::HEAP | 2 << address::THREAD_SHIFT | 3 << address::OBJECT_SHIFT | 8;

    fn nameless(op: BinOp, x: u64, y: u64) -> bool {
        is_nameless(op, x, y, op.eval_word(64, x, y))
    }

    #[test]
    fn pointers_tell_nothing() {
        assert!(nameless(BinOp::Add, OF_ONE, 16));
        assert!(nameless(BinOp::Add, OF_ONE, 8_u64.wrapping_neg()));
        assert!(nameless(BinOp::Sub, OF_ONE + 24, OF_ONE));
        assert!(nameless(BinOp::Eq, OF_ONE, OF_TWO));
        assert!(nameless(BinOp::Eq, OF_ONE, 0));
        // Tags in the lowest and in the highest bits.
        assert!(nameless(BinOp::And, OF_ONE, 7) && nameless(BinOp::And, OF_ONE, !7));
        assert!(nameless(BinOp::Or, OF_ONE, 1) && nameless(BinOp::Or, OF_ONE, 5 << 48));
    }

    #[test]
    fn numbers_tell_threads_apart() {
        for op in [BinOp::ULt, BinOp::Sub, BinOp::Xor] {
            assert!(!nameless(op, OF_ONE, OF_TWO), "{op:?}");
        }
        assert!(!nameless(BinOp::LShr, OF_ONE, 4));
        assert!(!nameless(BinOp::ULt, OF_ONE, 4096));
        assert!(!nameless(BinOp::And, OF_ONE, 1 << address::THREAD_SHIFT));
        assert!(!nameless(BinOp::Add, OF_ONE, 1 << address::THREAD_SHIFT));
    }
}
