//! Classes of executions: two executions that agree in program order, reads-from and coherence have the same class, and so
//! have two that end in the same state. One definition for all who compare sets of executions.
//!
//! Accesses are described byte by byte, so that it does not matter whether an engine makes an access in one piece or in parts.
//! A description names neither addresses nor values: the program, its choices and the sources of its reads determine both.

/// A byte that a thread has accessed: the thread, and the byte's number among all that the thread has accessed so far.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Byte {
    pub thread: u32,
    pub index: u32,
}

/// What a thread does, as far as it matters to the class of its execution. Where a byte has no predecessor, that is the
/// initial write.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Act {
    /// Of each byte that is read, the write that it is read from.
    Read(Vec<Option<Byte>>),
    /// Of each byte that is written, the write that comes right before it in coherence order.
    Write(Vec<Option<Byte>>),
    /// A value that nothing determines.
    Choice(u64),
}

/// The class of an execution, given the acts of each thread in program order. Threads without acts do not count.
pub fn graph_class(threads: &[Vec<Act>]) -> u64 {
    let mut class = 0;
    for (thread, acts) in threads.iter().enumerate().filter(|(_, acts)| !acts.is_empty()) {
        class = mix(class, thread as u64);
        acts.iter().for_each(|act| class = mix_act(class, act));
    }
    class
}

fn mix_act(class: u64, act: &Act) -> u64 {
    let bytes = |class: u64, bytes: &[Option<Byte>]| {
        bytes.iter().fold(class, |class, byte| {
            let name = byte.map_or(u64::MAX, |byte| u64::from(byte.thread) << 32 | u64::from(byte.index));
            mix(class, name)
        })
    };
    match act {
        Act::Read(sources) => bytes(mix(class, 1), sources),
        Act::Write(before) => bytes(mix(class, 2), before),
        Act::Choice(value) => mix(mix(class, 3), *value),
    }
}

/// Memory with the value that it had at the start and the one that it has at the end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ended {
    pub address: u64,
    pub size: u8,
    pub before: u64,
    pub after: u64,
}

/// The class of a final state: which bytes of memory are not what they were, and what threads have returned, in any order.
/// Words that may be made of addresses or names of threads count as equal if there is one: which thread is which, and how
/// often it has allocated, is not part of the state.
pub fn state_class(memory: impl Iterator<Item = Ended>, results: impl Iterator<Item = u64>) -> u64 {
    let mut class = 0_u64;
    for ended in memory.filter(|ended| ended.before != ended.after) {
        if is_name_like(ended.after) {
            class = class.wrapping_add(mix(ended.address, u64::MAX));
            continue;
        }
        for at in 0..ended.size.min(8) {
            let byte = |word: u64| (word >> (8 * at)) as u8;
            if byte(ended.before) != byte(ended.after) {
                let value = mix(ended.address.wrapping_add(u64::from(at)), u64::from(byte(ended.after)));
                class = class.wrapping_add(value);
            }
        }
    }
    results.fold(class, |class, result| class.wrapping_add(mix(RESULT, if is_name_like(result) { 1 } else { result })))
}

/// Stands for no address.
const RESULT: u64 = u64::MAX;

/// Whether a word is so far from 0 that an address may be part of it.
fn is_name_like(word: u64) -> bool {
    word.min(word.wrapping_neg()) >= 1 << 36
}

/// One step of a hash that scatters well (that of splitmix64).
fn mix(state: u64, word: u64) -> u64 {
    let mut z = state.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(word).wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    fn byte(thread: u32, index: u32) -> Option<Byte> {
        Some(Byte { thread, index })
    }

    #[test]
    fn sources_and_coherence_make_a_class() {
        let of = |source: Option<Byte>| {
            vec![vec![Act::Write(vec![None, None])], vec![Act::Read(vec![source]), Act::Choice(0)]]
        };
        assert_eq!(graph_class(&of(None)), graph_class(&of(None)));
        let all = [of(None), of(byte(0, 0)), of(byte(0, 1))].map(|threads| graph_class(&threads));
        assert!(all[0] != all[1] && all[1] != all[2] && all[0] != all[2]);
        let swapped: Vec<Vec<Act>> = of(None).into_iter().rev().collect();
        assert_ne!(graph_class(&swapped), graph_class(&of(None)));
    }

    #[test]
    fn a_state_is_what_has_changed() {
        let word = |address: u64, before: u64, after: u64| Ended { address, size: 4, before, after };
        let state = |memory: &[Ended], results: &[u64]| state_class(memory.iter().copied(), results.iter().copied());
        assert_eq!(state(&[word(8, 1, 1)], &[]), state(&[], &[]));
        assert_ne!(state(&[word(8, 0, 1)], &[]), state(&[], &[]));
        // In two parts it is the same.
        let half = |address: u64, after: u64| Ended { address, size: 2, before: 0, after };
        assert_eq!(state(&[word(8, 0, 0x0001_0002)], &[]), state(&[half(8, 2), half(10, 1)], &[]));
        // Whose object it is does not matter, nor in which order threads return.
        assert_eq!(state(&[word(8, 0, 1 << 46)], &[1, 2]), state(&[word(8, 0, 1 << 46 | 1 << 38)], &[2, 1]));
        assert_ne!(state(&[], &[1, 1]), state(&[], &[2]));
    }
}
