//! Sequential consistency: one value for each variable, which all threads see.

use super::{Bytes, Choice, Memory, Renaming, Seen, Written, put_values};
use treville_ir::{Aware, MemoryOrder};

pub(crate) struct Sequential {
    pub(crate) init: Vec<u64>,
}

impl Memory for Sequential {
    type State = Vec<Written>;

    const READS_LEAVE_NO_TRACE: bool = true;

    fn initial(&self) -> Vec<Written> {
        self.init.iter().map(|value| Written { value: *value, origin: 0 }).collect()
    }

    fn reads(&self, s: &Vec<Written>, _: usize, var: usize, out: &mut Vec<Choice>) {
        out.push(Choice { at: 0, value: s[var].value, origin: s[var].origin });
    }

    fn writes(&self, s: &Vec<Written>, thread: usize, var: usize, out: &mut Vec<Choice>) {
        self.reads(s, thread, var, out);
    }

    fn updates(&self, s: &Vec<Written>, thread: usize, var: usize, out: &mut Vec<Choice>) {
        self.reads(s, thread, var, out);
    }

    fn read(&self, _: &mut Vec<Written>, _: usize, _: usize, _: u32, _: bool) {}

    fn write(&self, s: &mut Vec<Written>, _: usize, var: usize, _: u32, written: Written, _: bool) {
        s[var] = written;
    }

    fn update(&self, s: &mut Vec<Written>, _: usize, var: usize, _: u32, written: Written, _: MemoryOrder) {
        s[var] = written;
    }

    fn aware(&self, s: &Vec<Written>, _: usize, var: usize, _: Aware, out: &mut Vec<Seen>) {
        out.push(Seen { value: s[var].value, released: false, covered: false, origin: s[var].origin });
    }

    fn last(&self, s: &Vec<Written>, var: usize) -> u64 {
        s[var].value
    }

    fn n_kept(&self, _: &Vec<Written>, _: usize) -> usize {
        1
    }

    fn renamed(&self, s: &Vec<Written>, renaming: &Renaming) -> Vec<Written> {
        let mut new = s.clone();
        for (var, written) in s.iter().enumerate() {
            new[renaming.vars[var]] = renaming.written(var, *written);
        }
        new
    }

    fn encode(&self, s: &Vec<Written>, out: &mut Vec<u8>) {
        put_values(s.iter().map(|written| written.value), out);
    }

    fn decode(&self, bytes: &mut Bytes<'_>, s: &mut Vec<Written>) {
        s.iter_mut().for_each(|written| *written = Written { value: bytes.get(), origin: 0 });
    }
}
