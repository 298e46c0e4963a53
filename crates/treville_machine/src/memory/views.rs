//! Release-acquire-relaxed memory by views: for each variable its writes in modification order, and for each thread, and each
//! write that releases, how far in each of these lists it is. A thread may read what is not before its view, and write after
//! any such write that no update has read.
//!
//! This is the graph semantics (`graph`) without what no later step looks at: the writes that a thread has encountered are a
//! beginning of each list, since encountering is closed under modification order, and so one number for each variable says
//! them all. Writes that are before the views of all threads are dropped, which makes the states of waiting loops finite.

use super::{Bytes, Choice, Memory, Renaming, Seen, Written, put};
use treville_ir::Aware;

pub(crate) struct Views {
    pub(crate) init: Vec<u64>,
    pub(crate) n_threads: usize,
    /// All writes release and all reads acquire.
    pub(crate) always: bool,
    /// Variables of which nothing is dropped: somebody asks which writes threads have encountered.
    pub(crate) keep: Vec<bool>,
}

#[derive(Clone)]
pub(crate) struct ViewState {
    /// For each thread and variable, a position in the list of the variable.
    pub(super) views: Vec<u16>,
    /// Where the list of each variable begins; one more at the end.
    pub(super) starts: Vec<u16>,
    pub(super) messages: Vec<Message>,
    /// For each message and variable, how far the writer was; of those that release only.
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

impl ViewState {
    fn list(&self, var: usize) -> std::ops::Range<usize> {
        usize::from(self.starts[var])..usize::from(self.starts[var + 1])
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

    /// Moves the view of a thread to a message.
    fn observe(&self, s: &mut ViewState, thread: usize, var: usize, at: u32, acquire: bool) {
        let n = self.n_vars();
        let message = s.list(var).start + at as usize;
        let view = &mut s.views[thread * n..(thread + 1) * n];
        view[var] = at as u16;
        if (acquire || self.always) && s.messages[message].releases {
            let released = &s.released[message * n..(message + 1) * n];
            view.iter_mut().zip(released).for_each(|(a, b)| *a = (*a).max(*b));
        }
        s.acted |= 1 << thread;
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
        let row = message * n;
        s.released.splice(row..row, std::iter::repeat_n(0, n));
        if releases {
            s.released[row..row + n].copy_from_slice(&s.views[thread * n..(thread + 1) * n]);
        }
        s.starts[var + 1..].iter_mut().for_each(|start| *start += 1);
        s.acted |= 1 << thread;
    }

    /// Drops what no thread can observe any more.
    fn normalise(&self, s: &mut ViewState) {
        let n = self.n_vars();
        for var in 0..n {
            let low = s.views.iter().skip(var).step_by(n).min().copied().unwrap_or(0);
            if low == 0 || self.keep[var] {
                continue;
            }
            s.views.iter_mut().skip(var).step_by(n).for_each(|p| *p -= low);
            s.released.iter_mut().skip(var).step_by(n).for_each(|p| *p = p.saturating_sub(low));
            let first = s.list(var).start;
            let gone = first..first + usize::from(low);
            s.messages.drain(gone.clone());
            s.released.drain(gone.start * n..gone.end * n);
            s.starts[var + 1..].iter_mut().for_each(|start| *start -= low);
        }
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
            released: vec![0; n * n],
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
        self.observe(s, thread, var, at, acquire);
        self.normalise(s);
    }

    fn write(&self, s: &mut ViewState, thread: usize, var: usize, at: u32, written: Written, release: bool) {
        self.insert(s, thread, var, at, written, release);
        self.normalise(s);
    }

    fn update(&self, s: &mut ViewState, thread: usize, var: usize, at: u32, written: Written, orders: (bool, bool)) {
        let (acquire, release) = orders;
        self.observe(s, thread, var, at, acquire);
        let message = s.list(var).start + at as usize;
        s.messages[message].covered = true;
        self.insert(s, thread, var, at, written, release);
        self.normalise(s);
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
                let row = new.released.len();
                new.released.resize(row + n, 0);
                for old in 0..n {
                    new.released[row + renaming.vars[old]] = s.released[i * n + old];
                }
            }
            new.starts[new_var + 1] = new.messages.len() as u16;
        }
        new
    }

    fn encode(&self, s: &ViewState, out: &mut Vec<u8>) {
        let n = self.n_vars();
        if self.keep.contains(&true) {
            put(s.acted, out);
        }
        s.views.iter().for_each(|position| put(u64::from(*position), out));
        for var in 0..n {
            let list = s.list(var);
            put(list.len() as u64, out);
            for i in list {
                let Message { written, releases, covered } = s.messages[i];
                out.push(u8::from(releases) | u8::from(covered) << 1);
                put(written.value, out);
                if releases {
                    s.released[i * n..(i + 1) * n].iter().for_each(|position| put(u64::from(*position), out));
                }
            }
        }
    }

    fn decode(&self, bytes: &mut Bytes<'_>, s: &mut ViewState) {
        let n = self.n_vars();
        s.acted = if self.keep.contains(&true) { bytes.get() } else { 0 };
        s.views.iter_mut().for_each(|position| *position = bytes.get() as u16);
        s.messages.clear();
        s.released.clear();
        for var in 0..n {
            let len = bytes.get();
            for _ in 0..len {
                let flags = bytes.get();
                let written = Written { value: bytes.get(), origin: 0 };
                let releases = flags & 1 != 0;
                s.messages.push(Message { written, releases, covered: flags & 2 != 0 });
                s.released.extend((0..n).map(|_| if releases { bytes.get() as u16 } else { 0 }));
            }
            s.starts[var + 1] = s.starts[var] + len as u16;
        }
    }
}
