//! The sets of encountered, observable and covered writes in the states of the paper's Example 2.1, on both forms of the memory.

use super::{Choice, Graph, Memory, Seen, Views, Written};
use treville_ir::{Aware, MemoryOrder};

const D: usize = 0;
const F: usize = 1;
const BOTH: [usize; 2] = [D, F];

fn write<M: Memory>(m: &M, s: &mut M::State, thread: usize, var: usize, value: u64, release: bool) {
    let mut choices = Vec::new();
    m.writes(s, thread, var, &mut choices);
    let last = choices.last().map_or(0, |choice| choice.at);
    m.write(s, thread, var, last, Written { value, origin: 0 }, release);
}

fn choose<M: Memory>(m: &M, s: &M::State, thread: usize, var: usize, value: u64) -> Option<Choice> {
    let mut choices = Vec::new();
    m.reads(s, thread, var, &mut choices);
    choices.into_iter().find(|choice| choice.value == value)
}

/// d := 5, then the flag, by thread 1; thread 2 reads the flag.
fn example<M: Memory>(m: &M, synchronised: bool) -> M::State {
    let mut s = m.initial();
    write(m, &mut s, 0, D, 5, false);
    write(m, &mut s, 0, F, 1, synchronised);
    let read = choose(m, &s, 1, F, 1).unwrap_or_else(|| panic!("the flag can be read"));
    m.read(&mut s, 1, F, read.at, synchronised);
    s
}

fn seen<M: Memory>(m: &M, s: &M::State, thread: usize, aware: Aware) -> Vec<Vec<u64>> {
    let of = |var: usize| {
        let mut seen = Vec::new();
        m.aware(s, thread, var, aware, &mut seen);
        seen.iter().map(|seen| seen.value).collect()
    };
    BOTH.map(of).to_vec()
}

fn covered<M: Memory>(m: &M, s: &M::State) -> Vec<Seen> {
    let mut all = Vec::new();
    for (thread, var) in [(0, D), (0, F), (1, D), (1, F)] {
        m.aware(s, thread, var, Aware::Encountered, &mut all);
        m.aware(s, thread, var, Aware::Observable, &mut all);
    }
    all.into_iter().filter(|seen| seen.covered).collect()
}

fn check<M: Memory>(m: &M) {
    let (initial_too, last) = (vec![vec![0, 5], vec![0, 1]], vec![vec![5], vec![1]]);
    let first = example(m, true);
    for thread in [0, 1] {
        assert_eq!(seen(m, &first, thread, Aware::Encountered), initial_too);
        assert_eq!(seen(m, &first, thread, Aware::Observable), last);
    }
    let second = example(m, false);
    assert_eq!(seen(m, &second, 0, Aware::Encountered), initial_too);
    assert_eq!(seen(m, &second, 0, Aware::Observable), last);
    assert_eq!(seen(m, &second, 1, Aware::Encountered), [vec![0], vec![0, 1]]);
    assert_eq!(seen(m, &second, 1, Aware::Observable), [vec![0, 5], vec![1]]);
    for state in [&first, &second] {
        assert_eq!(covered(m, state), []);
    }
    // A thread that has done nothing has encountered nothing, and may observe everything.
    let start = m.initial();
    assert_eq!(seen(m, &start, 1, Aware::Encountered), [Vec::<u64>::new(), Vec::new()]);
    assert_eq!(seen(m, &start, 1, Aware::Observable), [[0], [0]]);
    // An update covers what it reads: nobody writes, and no other update is, right after that.
    let mut s = m.initial();
    let mut choices = Vec::new();
    m.updates(&s, 0, F, &mut choices);
    m.update(&mut s, 0, F, choices[0].at, Written { value: 7, origin: 0 }, MemoryOrder::AcquireRelease);
    assert!(covered(m, &s).iter().all(|seen| seen.value == 0) && !covered(m, &s).is_empty());
    assert_eq!(seen(m, &s, 1, Aware::Observable), [vec![0], vec![0, 7]]);
    for list in [Memory::writes, Memory::updates] {
        choices.clear();
        list(m, &s, 1, F, &mut choices);
        assert_eq!(choices.iter().map(|choice| choice.value).collect::<Vec<_>>(), [7]);
    }
}

#[test]
fn example_2_1_by_views() {
    check(&Views { init: vec![0, 0], n_threads: 2, always: false, keep: vec![true, true] });
}

#[test]
fn example_2_1_by_graphs() {
    check(&Graph { init: vec![0, 0] });
}
