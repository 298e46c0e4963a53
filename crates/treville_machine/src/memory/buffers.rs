//! Store buffers: a thread's writes wait in order before all others see them; it sees its own at once. On TSO a thread has one
//! buffer, on PSO one for each variable; a write that
//! releases then leaves after all that are there before it, as after the fence that C is compiled to. An update empties the buffers of its thread first, also one
//! that then does not write, as instructions of x86 do.

use super::{Bytes, Choice, Flush, Memory, Renaming, Seen, Written, put, put_values};
use std::collections::VecDeque;
use treville_ir::{Aware, MemoryOrder};

pub(crate) struct Buffers {
    pub(crate) init: Vec<u64>,
    pub(crate) n_threads: usize,
    /// PSO: writes to different variables overtake each other.
    pub(crate) by_variable: bool,
}

pub(crate) struct Buffered {
    memory: Vec<Written>,
    /// For each thread, those first that may leave first.
    waiting: Vec<VecDeque<Waiting>>,
    /// For each thread with writes that wait, whether its next write leaves after all of them.
    fenced: Vec<bool>,
}

#[derive(Clone, Copy)]
struct Waiting {
    /// On PSO a write that releases leaves after all that are there before it: they have smaller numbers.
    turn: u32,
    var: u32,
    written: Written,
}

impl Clone for Buffered {
    fn clone(&self) -> Self {
        Buffered { memory: self.memory.clone(), waiting: self.waiting.clone(), fenced: self.fenced.clone() }
    }

    /// Uses the room that is there: states are copied for every step.
    #[inline]
    fn clone_from(&mut self, other: &Self) {
        self.memory.clone_from(&other.memory);
        self.waiting.clone_from(&other.waiting);
        self.fenced.clone_from(&other.fenced);
    }
}

impl Buffers {
    /// What a thread sees.
    fn seen(s: &Buffered, thread: usize, var: usize) -> Written {
        let own = s.waiting[thread].iter().rev().find(|w| w.var as usize == var);
        own.map_or(s.memory[var], |waiting| waiting.written)
    }

    fn drain(s: &mut Buffered, thread: usize) {
        while let Some(waiting) = s.waiting[thread].pop_front() {
            s.memory[waiting.var as usize] = waiting.written;
        }
        s.fenced[thread] = false;
    }
}

impl Memory for Buffers {
    type State = Buffered;

    const READS_LEAVE_NO_TRACE: bool = true;

    fn initial(&self) -> Buffered {
        let memory = self.init.iter().map(|value| Written { value: *value, origin: 0 }).collect();
        Buffered { memory, waiting: vec![VecDeque::new(); self.n_threads], fenced: vec![false; self.n_threads] }
    }

    fn reads(&self, s: &Buffered, thread: usize, var: usize, out: &mut Vec<Choice>) {
        let seen = Self::seen(s, thread, var);
        out.push(Choice { at: 0, value: seen.value, origin: seen.origin });
    }

    fn writes(&self, s: &Buffered, thread: usize, var: usize, out: &mut Vec<Choice>) {
        self.reads(s, thread, var, out);
    }

    fn updates(&self, s: &Buffered, thread: usize, var: usize, out: &mut Vec<Choice>) {
        self.reads(s, thread, var, out);
    }

    fn read(&self, _: &mut Buffered, _: usize, _: usize, _: u32, _: bool) {}

    fn write(&self, s: &mut Buffered, thread: usize, var: usize, _: u32, written: Written, release: bool) {
        let buffer = &mut s.waiting[thread];
        let var = var as u32;
        if !self.by_variable {
            return buffer.push_back(Waiting { turn: 0, var, written });
        }
        let after_all = std::mem::take(&mut s.fenced[thread]) || release;
        let turn = buffer.back().map_or(0, |last| last.turn + u32::from(after_all));
        // In the order of variables: how writes to different ones were ordered means nothing.
        let at = buffer.partition_point(|waiting| (waiting.turn, waiting.var) <= (turn, var));
        buffer.insert(at, Waiting { turn, var, written });
    }

    fn update(&self, s: &mut Buffered, thread: usize, var: usize, _: u32, written: Written, _: MemoryOrder) {
        Self::drain(s, thread);
        s.memory[var] = written;
    }

    fn fail(&self, s: &mut Buffered, thread: usize, _: usize, _: u32, _: bool) {
        Self::drain(s, thread);
    }

    fn order_writes(&self, s: &mut Buffered, thread: usize) {
        s.fenced[thread] = self.by_variable && !s.waiting[thread].is_empty();
    }

    fn flushes(&self, s: &Buffered, out: &mut Vec<Flush>) {
        for (thread, buffer) in s.waiting.iter().enumerate() {
            let Some(first) = buffer.front() else { continue };
            let mut before = None;
            for waiting in buffer.iter().take_while(|waiting| waiting.turn == first.turn) {
                if before != Some(waiting.var) {
                    out.push(Flush { thread, var: waiting.var as usize, written: waiting.written });
                }
                if !self.by_variable {
                    break;
                }
                before = Some(waiting.var);
            }
        }
    }

    fn flush(&self, s: &mut Buffered, flush: &Flush) {
        let buffer = &mut s.waiting[flush.thread];
        if let Some(at) = buffer.iter().position(|waiting| waiting.var as usize == flush.var) {
            buffer.remove(at);
            s.memory[flush.var] = flush.written;
        }
        let first = buffer.front().map_or(0, |waiting| waiting.turn);
        buffer.iter_mut().for_each(|waiting| waiting.turn -= first);
        s.fenced[flush.thread] &= !buffer.is_empty();
    }

    fn is_quiet(&self, s: &Buffered) -> bool {
        s.waiting.iter().all(VecDeque::is_empty)
    }

    fn is_drained(&self, s: &Buffered, thread: usize) -> bool {
        s.waiting[thread].is_empty()
    }

    fn aware(&self, s: &Buffered, thread: usize, var: usize, _: Aware, out: &mut Vec<Seen>) {
        let seen = Self::seen(s, thread, var);
        out.push(Seen { value: seen.value, released: false, covered: false, origin: seen.origin });
    }

    fn last(&self, s: &Buffered, var: usize) -> u64 {
        s.memory[var].value
    }

    fn n_kept(&self, s: &Buffered, var: usize) -> usize {
        let waiting = |buffer: &VecDeque<Waiting>| buffer.iter().filter(|w| w.var as usize == var).count();
        1 + s.waiting.iter().map(waiting).max().unwrap_or(0)
    }

    fn renamed(&self, s: &Buffered, renaming: &Renaming) -> Buffered {
        let mut new = s.clone();
        for (var, written) in s.memory.iter().enumerate() {
            new.memory[renaming.vars[var]] = renaming.written(var, *written);
        }
        for (thread, buffer) in s.waiting.iter().enumerate() {
            let rename = |waiting: &Waiting| {
                let var = waiting.var as usize;
                Waiting { var: renaming.vars[var] as u32, written: renaming.written(var, waiting.written), ..*waiting }
            };
            let mut renamed: Vec<Waiting> = buffer.iter().map(rename).collect();
            if self.by_variable {
                renamed.sort_by_key(|waiting| (waiting.turn, waiting.var));
            }
            new.waiting[renaming.threads[thread]] = renamed.into();
            new.fenced[renaming.threads[thread]] = s.fenced[thread];
        }
        new
    }

    fn encode(&self, s: &Buffered, out: &mut Vec<u8>) {
        put_values(s.memory.iter().map(|written| written.value), out);
        for (buffer, fenced) in s.waiting.iter().zip(&s.fenced) {
            put(2 * buffer.len() as u64 + u64::from(*fenced), out);
            for waiting in buffer {
                put(u64::from(waiting.turn), out);
                put(u64::from(waiting.var), out);
                put(waiting.written.value, out);
            }
        }
    }

    fn decode(&self, bytes: &mut Bytes<'_>, s: &mut Buffered) {
        s.memory.iter_mut().for_each(|written| *written = Written { value: bytes.get(), origin: 0 });
        for (buffer, fenced) in s.waiting.iter_mut().zip(&mut s.fenced) {
            buffer.clear();
            let head = bytes.get();
            *fenced = head % 2 == 1;
            for _ in 0..head / 2 {
                let (turn, var) = (bytes.get() as u32, bytes.get() as u32);
                buffer.push_back(Waiting { turn, var, written: Written { value: bytes.get(), origin: 0 } });
            }
        }
    }
}
