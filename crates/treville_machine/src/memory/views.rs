//! Release-acquire-relaxed memory by views: for each variable its writes in modification order, and for each thread, and each
//! write that releases, how far in each of these lists it is. A thread may read what is not before its view, and write after
//! any such write that no update has read.
//!
//! This is the graph semantics (`graph`) without what no later step looks at: the writes that a thread has encountered are a
//! beginning of each list, since encountering is closed under modification order, and so one number for each variable says
//! them all. Writes that are before the views of all threads are dropped, which makes the states of waiting loops finite.

use super::{Bytes, Choice, Memory, Renaming, Seen, Written, are_small, put, put_positions, put_values};
use treville_ir::{Aware, MemoryOrder};

pub(crate) struct Views {
    pub(crate) init: Vec<u64>,
    pub(crate) n_threads: usize,
    /// All writes release and all reads acquire.
    pub(crate) always: bool,
    /// Variables of which nothing is dropped: somebody asks which writes threads have encountered.
    pub(crate) keep: Vec<bool>,
}

pub(crate) struct ViewState {
    /// For each thread and variable, a position in the list of the variable.
    pub(super) views: Vec<u16>,
    /// Where the list of each variable begins; one more at the end.
    pub(super) starts: Vec<u16>,
    pub(super) messages: Vec<Message>,
    /// For each message that releases, and each variable, how far the writer was.
    pub(super) released: Vec<u16>,
    /// Threads that have done something, if anybody asks.
    pub(super) acted: u64,
}

#[derive(Clone, Copy)]
pub(super) struct Message {
    pub(super) written: Written,
    pub(super) releases: bool,
    /// An update has read it.
    pub(super) covered: bool,
}

/// Longer lists are not made.
pub(crate) const MAX_MESSAGES: usize = 4000;

impl Clone for ViewState {
    fn clone(&self) -> Self {
        ViewState {
            views: self.views.clone(),
            starts: self.starts.clone(),
            messages: self.messages.clone(),
            released: self.released.clone(),
            acted: self.acted,
        }
    }

    /// Uses the room that is there: states are copied for every step.
    #[inline]
    fn clone_from(&mut self, other: &Self) {
        self.views.clone_from(&other.views);
        self.starts.clone_from(&other.starts);
        self.messages.clone_from(&other.messages);
        self.released.clone_from(&other.released);
        self.acted = other.acted;
    }
}

impl ViewState {
    fn list(&self, var: usize) -> std::ops::Range<usize> {
        usize::from(self.starts[var])..usize::from(self.starts[var + 1])
    }

    /// The row of a message among what is released: how many before it release.
    pub(super) fn row(&self, message: usize) -> usize {
        self.messages[..message].iter().filter(|message| message.releases).count()
    }
}

impl Views {
    fn n_vars(&self) -> usize {
        self.init.len()
    }

    fn choices(&self, s: &ViewState, thread: usize, var: usize, covered: bool, out: &mut Vec<Choice>) {
        let list = s.list(var);
        let from = s.views[thread * self.n_vars() + var];
        for (at, message) in s.messages[list].iter().enumerate().skip(usize::from(from)) {
            if covered || !message.covered {
                let Written { value, origin } = message.written;
                out.push(Choice { at: at as u32, value, origin });
            }
        }
    }

    /// Moves the view of a thread to a message; whether that says something of other variables.
    fn observe(&self, s: &mut ViewState, thread: usize, var: usize, at: u32, acquire: bool) -> bool {
        let n = self.n_vars();
        let message = s.list(var).start + at as usize;
        s.views[thread * n + var] = at as u16;
        let synchronises = (acquire || self.always) && s.messages[message].releases;
        if synchronises {
            let row = s.row(message);
            let view = &mut s.views[thread * n..(thread + 1) * n];
            let released = &s.released[row * n..(row + 1) * n];
            view.iter_mut().zip(released).for_each(|(a, b)| *a = (*a).max(*b));
        }
        s.acted |= 1 << thread;
        synchronises
    }

    /// Puts a message right after another; the thread's view is then there.
    fn insert(&self, s: &mut ViewState, thread: usize, var: usize, at: u32, written: Written, release: bool) {
        let n = self.n_vars();
        let at = at as u16;
        let shift = |position: &mut u16| *position += u16::from(*position > at);
        s.views.iter_mut().skip(var).step_by(n).for_each(shift);
        s.released.iter_mut().skip(var).step_by(n).for_each(shift);
        s.views[thread * n + var] = at + 1;
        let message = s.list(var).start + usize::from(at) + 1;
        let releases = release || self.always;
        s.messages.insert(message, Message { written, releases, covered: false });
        if releases {
            let row = n * s.row(message);
            s.released.splice(row..row, s.views[thread * n..(thread + 1) * n].iter().copied());
        }
        s.starts[var + 1..].iter_mut().for_each(|start| *start += 1);
        s.acted |= 1 << thread;
    }

    /// Drops what no thread can observe any more, after a thread has moved its view of a variable, or of several.
    fn normalise(&self, s: &mut ViewState, thread: usize, var: usize, several: bool) {
        if several {
            (0..self.n_vars()).for_each(|var| self.normalise_one(s, thread, var));
        } else {
            self.normalise_one(s, thread, var);
        }
    }

    fn normalise_one(&self, s: &mut ViewState, thread: usize, var: usize) {
        let n = self.n_vars();
        // Before the step somebody could observe the first write; only this thread may have been the last who did.
        if s.views[thread * n + var] == 0 || self.keep[var] {
            return;
        }
        let of_var = s.views.iter().skip(var).step_by(n);
        if !of_var.clone().any(|position| *position == 0) {
            let low = of_var.min().copied().unwrap_or(0);
            self.forget(s, var, low);
        }
    }

    /// Drops the first writes of a variable.
    fn forget(&self, s: &mut ViewState, var: usize, low: u16) {
        let n = self.n_vars();
        s.views.iter_mut().skip(var).step_by(n).for_each(|p| *p -= low);
        s.released.iter_mut().skip(var).step_by(n).for_each(|p| *p = p.saturating_sub(low));
        let first = s.list(var).start;
        let gone = first..first + usize::from(low);
        let rows = s.row(gone.start)..s.row(gone.end);
        s.released.drain(rows.start * n..rows.end * n);
        s.messages.drain(gone);
        s.starts[var + 1..].iter_mut().for_each(|start| *start -= low);
    }
}

impl Memory for Views {
    type State = ViewState;

    fn initial(&self) -> ViewState {
        let n = self.n_vars();
        let message =
            |value: &u64| Message { written: Written { value: *value, origin: 0 }, releases: false, covered: false };
        ViewState {
            views: vec![0; self.n_threads * n],
            starts: (0..=n as u16).collect(),
            messages: self.init.iter().map(message).collect(),
            released: Vec::new(),
            acted: 0,
        }
    }

    fn reads(&self, s: &ViewState, thread: usize, var: usize, out: &mut Vec<Choice>) {
        self.choices(s, thread, var, true, out);
    }

    fn writes(&self, s: &ViewState, thread: usize, var: usize, out: &mut Vec<Choice>) {
        self.choices(s, thread, var, false, out);
    }

    fn updates(&self, s: &ViewState, thread: usize, var: usize, out: &mut Vec<Choice>) {
        self.choices(s, thread, var, false, out);
    }

    fn read(&self, s: &mut ViewState, thread: usize, var: usize, at: u32, acquire: bool) {
        let several = self.observe(s, thread, var, at, acquire);
        self.normalise(s, thread, var, several);
    }

    fn write(&self, s: &mut ViewState, thread: usize, var: usize, at: u32, written: Written, release: bool) {
        self.insert(s, thread, var, at, written, release);
        self.normalise(s, thread, var, false);
    }

    fn update(&self, s: &mut ViewState, thread: usize, var: usize, at: u32, written: Written, order: MemoryOrder) {
        let several = self.observe(s, thread, var, at, order.acquires());
        let message = s.list(var).start + at as usize;
        s.messages[message].covered = true;
        self.insert(s, thread, var, at, written, order.releases());
        self.normalise(s, thread, var, several);
    }

    fn aware(&self, s: &ViewState, thread: usize, var: usize, aware: Aware, out: &mut Vec<Seen>) {
        let list = &s.messages[s.list(var)];
        let view = usize::from(s.views[thread * self.n_vars() + var]);
        let some = match aware {
            Aware::Observable => &list[view..],
            Aware::Encountered if s.acted & (1 << thread) == 0 => &[],
            Aware::Encountered => &list[..=view],
        };
        out.extend(some.iter().map(|message| Seen {
            value: message.written.value,
            released: message.releases,
            covered: message.covered,
            origin: message.written.origin,
        }));
    }

    fn last(&self, s: &ViewState, var: usize) -> u64 {
        s.messages[s.list(var).end - 1].written.value
    }

    fn n_kept(&self, s: &ViewState, var: usize) -> usize {
        s.list(var).len()
    }

    fn renamed(&self, s: &ViewState, renaming: &Renaming) -> ViewState {
        let n = self.n_vars();
        let mut new = ViewState { messages: Vec::new(), released: Vec::new(), acted: 0, ..s.clone() };
        for (thread, var) in (0..self.n_threads).flat_map(|t| (0..n).map(move |v| (t, v))) {
            new.views[renaming.threads[thread] * n + renaming.vars[var]] = s.views[thread * n + var];
        }
        for thread in (0..self.n_threads).filter(|thread| s.acted & (1 << thread) != 0) {
            new.acted |= 1 << renaming.threads[thread];
        }
        for new_var in 0..n {
            let Some(var) = renaming.vars.iter().position(|to| *to == new_var) else { continue };
            for i in s.list(var) {
                new.messages.push(Message { written: renaming.written(var, s.messages[i].written), ..s.messages[i] });
                if s.messages[i].releases {
                    let (from, to) = (n * s.row(i), new.released.len());
                    new.released.resize(to + n, 0);
                    for old in 0..n {
                        new.released[to + renaming.vars[old]] = s.released[from + old];
                    }
                }
            }
            new.starts[new_var + 1] = new.messages.len() as u16;
        }
        new
    }

    fn encode(&self, s: &ViewState, out: &mut Vec<u8>) {
        if self.keep.contains(&true) {
            put(s.acted, out);
        }
        put_positions(&s.views, out);
        put_positions(&s.starts[1..], out);
        out.extend(s.messages.iter().map(|message| u8::from(message.releases) | u8::from(message.covered) << 1));
        put_values(s.messages.iter().map(|message| message.written.value), out);
        put_positions(&s.released, out);
    }

    /// If no write is dropped, a read changes no more than the view of its thread.
    fn encode_after_read(
        &self,
        (before, bytes): (&ViewState, &[u8]),
        after: &ViewState,
        thread: usize,
        out: &mut Vec<u8>,
    ) {
        let n = self.n_vars();
        let (row, row_end) = (thread * n, (thread + 1) * n);
        let same_writes = before.messages.len() == after.messages.len() && !self.keep.contains(&true);
        if same_writes && are_small(&before.views[..row_end]) && are_small(&after.views[row..row_end]) {
            let start = out.len();
            out.extend_from_slice(bytes);
            let view = &mut out[start + row..start + row_end];
            view.iter_mut().zip(&after.views[row..row_end]).for_each(|(byte, position)| *byte = *position as u8);
        } else {
            self.encode(after, out);
        }
    }

    fn decode(&self, bytes: &mut Bytes<'_>, s: &mut ViewState) {
        s.acted = if self.keep.contains(&true) { bytes.get() } else { 0 };
        bytes.get_positions(&mut s.views);
        bytes.get_positions(&mut s.starts[1..]);
        let n_messages = s.starts.last().map_or(0, |end| usize::from(*end));
        let flags = bytes.take(n_messages);
        s.messages.clear();
        s.messages.extend(flags.iter().map(|flags| {
            let written = Written { value: bytes.get(), origin: 0 };
            Message { written, releases: flags & 1 != 0, covered: flags & 2 != 0 }
        }));
        s.released.resize(self.n_vars() * s.row(n_messages), 0);
        bytes.get_positions(&mut s.released);
    }
}
