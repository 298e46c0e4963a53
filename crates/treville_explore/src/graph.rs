//! Execution graphs as the search builds them: events in the order in which they were added, so that an event's number is
//! its time stamp and the search goes back by cutting off the end.

mod parts;
mod values;

use crate::rules::{Coherence, Mode, Rules};
use std::sync::Arc;
use treville_bytecode::SiteId;
use treville_ir::FuncId;

/// An event; also its place in the order of adding. 0 stands for the initial write of every location.
pub(crate) type EventId = u32;
pub(crate) type LocId = u32;

pub(crate) const INIT: EventId = 0;
pub(crate) const NO_LOC: LocId = LocId::MAX;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Init,
    Read,
    /// The read of an update.
    UpdateRead,
    Write,
    /// The write of an update; its read comes right before it in the thread.
    UpdateWrite,
    Fence,
    Spawn,
    Join,
    Alloc,
    Free,
    /// A value that nothing determines.
    Choice,
    /// What an unknown value is, or whether a condition on such holds: where the way on depends on it.
    Decision,
    /// A decision that leaves out what would only fail an assumption.
    Assumption,
    /// A load at an unknown address: of an element that nobody changes meanwhile.
    Selection,
    /// The thread has returned.
    End,
}

impl Kind {
    pub(crate) fn reads(self) -> bool {
        matches!(self, Kind::Read | Kind::UpdateRead)
    }

    pub(crate) fn writes(self) -> bool {
        matches!(self, Kind::Write | Kind::UpdateWrite)
    }

    pub(crate) fn decides(self) -> bool {
        matches!(self, Kind::Decision | Kind::Assumption)
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Label {
    pub(crate) kind: Kind,
    pub(crate) mode: Mode,
    pub(crate) thread: u16,
    /// Position in its thread.
    pub(crate) pos: u16,
    pub(crate) loc: LocId,
    /// Read or written; a thread's number; an address.
    pub(crate) value: u64,
    /// Of a read, its source; of a join, the end of the thread.
    pub(crate) rf: EventId,
    pub(crate) site: Option<SiteId>,
    /// Where the thread's state before the answer is kept, if there is one.
    pub(crate) saved: u32,
    /// What the read was promised, if that is its source ([`crate::promises`]); of a decision, the term that it is about; of a selection,
    /// the address.
    pub(crate) promise: u32,
    /// Names the state of the thread after this event: no other state has this number.
    pub(crate) state: u64,
    /// Its thread has done the same as its predecessor, up to here.
    pub(crate) same: bool,
    /// Of an access to several cells at once, one event each, which one it is of how many.
    pub(crate) share: Share,
}

/// A part of an access: its number and how many there are, in one byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Share(u8);

impl Share {
    /// An access to one cell.
    pub(crate) const ALL: Share = Share(0);

    /// There are at most 16 parts.
    pub(crate) fn new(part: u8, parts: u8) -> Share {
        Share(part << 4 | (parts - 1))
    }
}

impl Label {
    /// Which part of its access it is.
    #[inline]
    pub(crate) fn part(&self) -> u8 {
        self.share.0 >> 4
    }

    /// How many parts its access has.
    #[inline]
    pub(crate) fn parts(&self) -> u8 {
        (self.share.0 & 15) + 1
    }
}

/// There are many of them.
const _: () = assert!(size_of::<Label>() <= 48);

pub(crate) const NO_PROMISE: u32 = u32::MAX;
pub(crate) const NOT_SAVED: u32 = u32::MAX;

/// The clocks of an event: for each thread, how many of its events …
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Row {
    /// … happen before it or are it.
    Hb,
    /// … lead to it by program order and reads-from, or are it.
    Porf,
    /// … happened before the last release fence.
    Released,
    /// … an acquire fence would add.
    Acquirable,
    /// … a reader of this write synchronises with.
    Message,
}

const ROWS: usize = 5;

#[derive(Clone, Debug)]
pub(crate) struct Thread {
    pub(crate) present: bool,
    pub(crate) events: Vec<EventId>,
    /// The event that started it; [`INIT`] if it was there from the start.
    pub(crate) spawn: EventId,
    pub(crate) func: FuncId,
    pub(crate) args: Arc<[u64]>,
    /// An earlier thread that differs from this one in name only.
    pub(crate) predecessor: Option<u16>,
}

impl Default for Thread {
    fn default() -> Self {
        Thread {
            present: false,
            events: Vec::new(),
            spawn: INIT,
            func: FuncId(0),
            args: Arc::default(),
            predecessor: None,
        }
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Location {
    /// In coherence order, after the initial write.
    pub(crate) writes: Vec<EventId>,
    /// In the order of adding.
    pub(crate) reads: Vec<EventId>,
    /// How many of these are not atomic.
    pub(crate) plain: u32,
}

/// An object that the program made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Made {
    pub(crate) addr: u64,
    pub(crate) size: u64,
    pub(crate) alloc: EventId,
    /// [`INIT`] while it lives.
    pub(crate) free: EventId,
    pub(crate) heap: bool,
    pub(crate) zeroed: bool,
}

/// A lock acquisition that is not in the graph any more: another thread has taken the lock first (`search/locks.rs`).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Overtaken {
    /// The acquisition came before the event that has this number now.
    pub(crate) at: EventId,
    /// The write of the acquisition that came first.
    pub(crate) by: EventId,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    pub(crate) labels: Vec<Label>,
    rows: Vec<u16>,
    stride: usize,
    pub(crate) threads: Vec<Thread>,
    pub(crate) locations: Vec<Location>,
    pub(crate) made: Vec<Made>,
    pub(crate) overtaken: Vec<Overtaken>,
    pub(crate) saved: Vec<u64>,
    /// How many events take part in the order of seq_cst events.
    pub(crate) seq_cst: u32,
}

impl Graph {
    pub(crate) fn new(stride: usize) -> Self {
        let mut graph = Graph { stride, ..Graph::default() };
        graph.labels.push(Label {
            kind: Kind::Init,
            mode: Mode::RELAXED,
            thread: 0,
            pos: 0,
            loc: NO_LOC,
            value: 0,
            rf: INIT,
            site: None,
            saved: NOT_SAVED,
            promise: NO_PROMISE,
            state: 0,
            same: false,
            share: Share::ALL,
        });
        graph.rows.resize(ROWS * stride, 0);
        graph
    }

    pub(crate) fn stride(&self) -> usize {
        self.stride
    }

    pub(crate) fn len(&self) -> EventId {
        self.labels.len() as EventId
    }

    pub(crate) fn label(&self, e: EventId) -> &Label {
        &self.labels[e as usize]
    }

    pub(crate) fn row(&self, e: EventId, row: Row) -> &[u16] {
        let begin = (e as usize * ROWS + row as usize) * self.stride;
        &self.rows[begin..begin + self.stride]
    }

    fn row_mut(&mut self, e: EventId, row: Row) -> &mut [u16] {
        let begin = (e as usize * ROWS + row as usize) * self.stride;
        &mut self.rows[begin..begin + self.stride]
    }

    /// Takes the larger of each component of two rows of two events, into the first. The first comes later.
    fn join(&mut self, e: EventId, into: Row, from: EventId, row: Row) {
        let source = (from as usize * ROWS + row as usize) * self.stride;
        let target = (e as usize * ROWS + into as usize) * self.stride;
        let (low, high) = (source.min(target), source.max(target));
        let (before, after) = self.rows.split_at_mut(high);
        let (one, other) = (&mut before[low..low + self.stride], &mut after[..self.stride]);
        let (target, source) = if source < target { (other, one) } else { (one, other) };
        target.iter_mut().zip(source).for_each(|(t, s)| *t = (*t).max(*s));
    }

    /// Whether `a` happens before `b`, or is it.
    pub(crate) fn hb(&self, a: EventId, b: EventId) -> bool {
        let label = self.label(a);
        a == INIT || label.pos < self.row(b, Row::Hb)[usize::from(label.thread)]
    }

    /// Whether `a` leads to `b` by program order and reads-from, or is it.
    pub(crate) fn porf(&self, a: EventId, b: EventId) -> bool {
        let label = self.label(a);
        a == INIT || label.pos < self.row(b, Row::Porf)[usize::from(label.thread)]
    }

    /// The last event of a thread, or the one that started it.
    #[inline]
    pub(crate) fn last_of(&self, thread: u16) -> EventId {
        let thread = &self.threads[usize::from(thread)];
        thread.events.last().copied().unwrap_or(thread.spawn)
    }

    /// The event before `e` in its thread, or the one that started the thread.
    pub(crate) fn previous(&self, e: EventId) -> EventId {
        let label = self.label(e);
        let thread = &self.threads[usize::from(label.thread)];
        match label.pos {
            0 => thread.spawn,
            pos => thread.events[usize::from(pos) - 1],
        }
    }

    /// Adds an event at the end of its thread. Reads and writes are put in their location's lists by the caller.
    #[inline]
    pub(crate) fn push(&mut self, label: Label) -> EventId {
        let e = self.len();
        self.threads[usize::from(label.thread)].events.push(e);
        self.seq_cst += u32::from(label.mode.seq_cst());
        if label.loc != NO_LOC {
            let location = &mut self.locations[label.loc as usize];
            location.plain += u32::from(!label.mode.atomic());
            if label.kind.reads() {
                location.reads.push(e);
            }
        }
        self.labels.push(label);
        self.rows.resize(self.labels.len() * ROWS * self.stride, 0);
        e
    }

    /// Changes how strong an event is.
    pub(crate) fn set_mode(&mut self, e: EventId, mode: Mode) {
        let before = std::mem::replace(&mut self.labels[e as usize].mode, mode);
        self.seq_cst = self.seq_cst + u32::from(mode.seq_cst()) - u32::from(before.seq_cst());
    }

    /// Computes the clocks of the last event of a thread from its predecessor and its source.
    pub(crate) fn set_clocks(&mut self, e: EventId, rules: &Rules) {
        let label = *self.label(e);
        let before = self.previous(e);
        // The message is set below, where there is one.
        let (source, target) = (before as usize * ROWS * self.stride, e as usize * ROWS * self.stride);
        self.rows.copy_within(source..source + Row::Message as usize * self.stride, target);
        if label.pos == 0 {
            // Fences of the thread that started it are not its own.
            self.row_mut(e, Row::Released).fill(0);
            self.row_mut(e, Row::Acquirable).fill(0);
        }
        self.row_mut(e, Row::Hb)[usize::from(label.thread)] = label.pos + 1;
        self.row_mut(e, Row::Porf)[usize::from(label.thread)] = label.pos + 1;
        match label.kind {
            Kind::Read | Kind::UpdateRead if label.rf != INIT => {
                self.join(e, Row::Porf, label.rf, Row::Porf);
                if rules.every_read_synchronises {
                    self.join(e, Row::Hb, label.rf, Row::Hb);
                } else if label.mode.acquire() {
                    self.join(e, Row::Hb, label.rf, Row::Message);
                } else if label.mode.atomic() {
                    self.join(e, Row::Acquirable, label.rf, Row::Message);
                }
            }
            Kind::Join => {
                self.join(e, Row::Porf, label.rf, Row::Porf);
                self.join(e, Row::Hb, label.rf, Row::Hb);
            }
            Kind::Fence => {
                if label.mode.acquire() {
                    self.join(e, Row::Hb, e, Row::Acquirable);
                }
                if label.mode.release() {
                    self.join(e, Row::Released, e, Row::Hb);
                }
            }
            Kind::Write | Kind::UpdateWrite => self.set_message(e, &label, rules),
            _ => {}
        }
    }

    /// Computes all clocks anew where sources may come later than their reads.
    pub(crate) fn settle_clocks(&mut self, rules: &Rules) {
        loop {
            let before = self.rows.clone();
            (1..self.len()).for_each(|e| self.set_clocks(e, rules));
            if self.rows == before {
                return;
            }
        }
    }

    /// What the predecessor of its thread has done in place of `e`, if they have done the same before.
    pub(crate) fn event_of_predecessor(&self, e: EventId) -> Option<EventId> {
        let label = self.label(e);
        let thread = &self.threads[usize::from(label.thread)];
        let predecessor = thread.predecessor?;
        let pos = usize::from(label.pos);
        let same = pos == 0 || self.label(thread.events[pos - 1]).same;
        let events = &self.threads[usize::from(predecessor)].events;
        events.get(pos).copied().filter(|_| same)
    }

    /// Lets what leads to `a` also lead to `b`.
    pub(crate) fn lead(&mut self, a: EventId, b: EventId) {
        self.join(b, Row::Porf, a, Row::Porf);
    }

    /// What a reader of the write synchronises with: the release sequences that it is in.
    fn set_message(&mut self, e: EventId, label: &Label, rules: &Rules) {
        self.row_mut(e, Row::Message).fill(0);
        if !label.mode.atomic() && !rules.plain_sequences {
            return;
        }
        if label.mode.release() {
            self.join(e, Row::Message, e, Row::Hb);
        } else {
            self.join(e, Row::Message, e, Row::Released);
            if rules.sequence_in_thread {
                let writes = &self.locations[label.loc as usize].writes;
                let own = |w: &&EventId| {
                    let other = self.label(**w);
                    other.thread == label.thread && other.mode.release() && **w != e
                };
                if let Some(last) = writes.iter().filter(own).max().copied() {
                    self.join(e, Row::Message, last, Row::Hb);
                }
            }
        }
        if label.kind == Kind::UpdateWrite {
            let source = self.label(self.update_read(e)).rf;
            self.join(e, Row::Message, source, Row::Message);
        }
    }

    /// Removes the events from number `len` on.
    pub(crate) fn cut(&mut self, len: EventId) {
        while self.len() > len {
            let e = self.len() - 1;
            let label = *self.label(e);
            let thread = &mut self.threads[usize::from(label.thread)];
            thread.events.pop();
            self.seq_cst -= u32::from(label.mode.seq_cst());
            if label.loc != NO_LOC {
                let location = &mut self.locations[label.loc as usize];
                location.plain -= u32::from(!label.mode.atomic());
                if label.kind.reads() {
                    location.reads.pop();
                } else if let Some(at) = location.writes.iter().rposition(|w| *w == e) {
                    location.writes.remove(at);
                }
            }
            match label.kind {
                Kind::Spawn => self.threads[label.value as usize].present = false,
                Kind::Alloc => {
                    self.made.pop();
                }
                Kind::Free => {
                    if let Some(made) = self.made.iter_mut().find(|m| m.free == e) {
                        made.free = INIT;
                    }
                }
                _ => {}
            }
            if label.saved != NOT_SAVED {
                self.saved.truncate(label.saved as usize);
            }
            self.labels.pop();
        }
        self.rows.truncate(self.labels.len() * ROWS * self.stride);
    }

    /// Where a write is in its location's order: 0 for the initial one.
    pub(crate) fn co_position(&self, loc: LocId, w: EventId) -> usize {
        if w == INIT {
            return 0;
        }
        self.locations[loc as usize].writes.iter().rposition(|x| *x == w).map_or(0, |i| i + 1)
    }

    /// The write at a position of a location's order.
    pub(crate) fn co_at(&self, loc: LocId, position: usize) -> EventId {
        match position {
            0 => INIT,
            _ => self.locations[loc as usize].writes[position - 1],
        }
    }

    /// The first position of its location's order that coherence leaves to `e`: that of the latest write that happens
    /// before `e` or is read by a read that does.
    pub(crate) fn coherence_bound(&self, e: EventId, coherence: Coherence) -> usize {
        self.coherence_bound_at(self.label(e).loc, e, e, coherence)
    }

    /// The same for an access that comes right after `e`, or is `e`; what itself does, if it is an event, is left out.
    pub(crate) fn coherence_bound_at(&self, loc: LocId, e: EventId, itself: EventId, coherence: Coherence) -> usize {
        let location = &self.locations[loc as usize];
        let seen = self.row(e, Row::Hb);
        let own = self.label(itself);
        let before = |a: EventId| {
            let label = self.label(a);
            match coherence {
                Coherence::Unknown => false,
                Coherence::Local => label.thread == own.thread && label.pos < own.pos,
                Coherence::HappensBefore => a != itself && label.pos < seen[usize::from(label.thread)],
            }
        };
        let mut bound = location.writes.iter().rposition(|w| before(*w)).map_or(0, |i| i + 1);
        for r in &location.reads {
            if bound == location.writes.len() {
                break;
            }
            let source = self.label(*r).rf;
            if source != INIT && source != itself && before(*r) {
                let later = &location.writes[bound..];
                bound += later.iter().rposition(|w| *w == source).map_or(0, |i| i + 1);
            }
        }
        bound
    }

    /// Whether the writes at this position and the next are the two ends of an update, between which nothing comes.
    pub(crate) fn joined(&self, loc: LocId, position: usize) -> bool {
        let writes = &self.locations[loc as usize].writes;
        writes.get(position).is_some_and(|next| {
            self.label(*next).kind == Kind::UpdateWrite && {
                let read = self.label(self.update_read(*next));
                read.promise == NO_PROMISE && read.rf == self.co_at(loc, position)
            }
        })
    }

    /// The graph that remains when `read` is made to read from `write`: what was added before `read` or leads to `write`, and the
    /// read itself unless it is `removed`. The write is in no order yet, and the clocks of the read are those of before.
    pub(crate) fn restricted(
        &self,
        (read, removed): (EventId, bool),
        write: EventId,
        out: &mut Graph,
        number: &mut Vec<EventId>,
    ) {
        let last = read - EventId::from(removed);
        // A source may have been added after its reader, by an earlier revisit: numbers come first.
        number.clear();
        number.extend(0..=last);
        let mut kept = last + 1;
        for e in last + 1..self.len() {
            let keep = e == write || self.porf(e, write);
            number.push(if keep { kept } else { INIT });
            kept += EventId::from(keep);
        }
        out.begin_like(self, last, number);
        for e in (last + 1..self.len()).filter(|e| number[*e as usize] != INIT) {
            out.append_copy(self, e, number);
        }
        for (location, kept) in self.locations.iter().zip(&mut out.locations) {
            kept.writes.clear();
            kept.writes.extend(location.writes.iter().map(|w| number[*w as usize]).filter(|w| *w != INIT));
        }
        out.overtaken.clear();
        let before = self.overtaken.iter().filter(|o| o.at <= read);
        out.overtaken.extend(before.map(|o| Overtaken { by: number[o.by as usize], ..*o }));
        out.made.clear();
        for made in &self.made {
            let alloc = number[made.alloc as usize];
            if alloc != INIT {
                out.made.push(Made { alloc, free: number[made.free as usize], ..*made });
            }
        }
    }

    /// Makes this graph a copy of another up to event `last`, coherence and objects aside.
    fn begin_like(&mut self, other: &Graph, last: EventId, number: &[EventId]) {
        let n = last as usize + 1;
        self.stride = other.stride;
        self.labels.clear();
        self.labels.extend_from_slice(&other.labels[..n]);
        for label in &mut self.labels {
            label.rf = number[label.rf as usize];
        }
        self.rows.clear();
        self.rows.extend_from_slice(&other.rows[..n * ROWS * other.stride]);
        let saved =
            other.labels[n..].iter().find(|l| l.saved != NOT_SAVED).map_or(other.saved.len(), |l| l.saved as usize);
        self.saved.clear();
        self.saved.extend_from_slice(&other.saved[..saved]);
        self.seq_cst = other.seq_cst;
        for label in &other.labels[n..] {
            self.seq_cst -= u32::from(label.mode.seq_cst());
        }
        self.threads.resize_with(other.threads.len(), Thread::default);
        for (thread, like) in self.threads.iter_mut().zip(&other.threads) {
            thread.present = like.present && like.spawn <= last;
            (thread.spawn, thread.func, thread.predecessor) = (like.spawn, like.func, like.predecessor);
            if !Arc::ptr_eq(&thread.args, &like.args) {
                thread.args = Arc::clone(&like.args);
            }
            let kept = like.events.partition_point(|e| *e <= last);
            thread.events.clear();
            thread.events.extend_from_slice(&like.events[..kept]);
        }
        self.locations.resize_with(other.locations.len(), Location::default);
        for (location, like) in self.locations.iter_mut().zip(&other.locations) {
            let kept = like.reads.partition_point(|e| *e <= last);
            location.reads.clear();
            location.reads.extend_from_slice(&like.reads[..kept]);
            location.plain = like.plain;
        }
        for label in other.labels[n..].iter().filter(|l| l.loc != NO_LOC) {
            self.locations[label.loc as usize].plain -= u32::from(!label.mode.atomic());
        }
    }

    /// Adds a copy of an event of another graph.
    fn append_copy(&mut self, other: &Graph, e: EventId, number: &[EventId]) {
        let mut label = *other.label(e);
        label.rf = number[label.rf as usize];
        if let Some(words) = other.saved_at(e) {
            label.saved = self.saved.len() as u32;
            self.saved.extend_from_slice(words);
        }
        let new = self.len();
        self.threads[usize::from(label.thread)].events.push(new);
        self.seq_cst += u32::from(label.mode.seq_cst());
        if label.loc != NO_LOC {
            let location = &mut self.locations[label.loc as usize];
            location.plain += u32::from(!label.mode.atomic());
            if label.kind.reads() {
                location.reads.push(new);
            }
        }
        if label.kind == Kind::Spawn {
            let thread = &mut self.threads[label.value as usize];
            (thread.present, thread.spawn) = (true, new);
        }
        self.labels.push(label);
        let begin = e as usize * ROWS * other.stride;
        self.rows.extend_from_slice(&other.rows[begin..begin + ROWS * other.stride]);
    }

    /// The state that was kept at `e`; the first word says how long it is.
    pub(crate) fn saved_at(&self, e: EventId) -> Option<&[u64]> {
        let begin = self.label(e).saved;
        (begin != NOT_SAVED).then(|| {
            let begin = begin as usize;
            &self.saved[begin..begin + self.saved[begin] as usize]
        })
    }
}
