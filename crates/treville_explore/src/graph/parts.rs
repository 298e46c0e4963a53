//! Accesses to several cells at once: their parts are events next to each other in their thread, one for each cell, and what
//! leads to one of them leads to all. First come the reads of an update, then its writes.

use super::{EventId, Graph, INIT, Kind, Label, LocId, NO_PROMISE, Row};
use treville_bytecode::Image;

impl Graph {
    /// The parts of an access, as far as they are there, given one of them.
    pub(crate) fn group(&self, e: EventId) -> &[EventId] {
        let label = self.label(e);
        let (thread, pos, part, parts) = (label.thread, label.pos, label.part(), label.parts());
        let events = &self.threads[usize::from(thread)].events;
        let first = usize::from(pos) - usize::from(part);
        &events[first..events.len().min(first + usize::from(parts))]
    }

    /// What an access has read or written: two words of up to 16 bytes.
    pub(crate) fn words(&self, image: &Image, e: EventId) -> [u64; 2] {
        let label = self.label(e);
        let Some(site) = label.site.filter(|_| label.parts() > 1) else { return [label.value, 0] };
        let mut words = [0; 2];
        for (i, part) in self.group(e).iter().enumerate() {
            let (at, _) = image.site(site).part(i);
            image.put_bytes(&mut words, at, self.label(*part).value);
        }
        words
    }

    /// Whether all parts of an access are there.
    pub(crate) fn is_whole(&self, e: EventId) -> bool {
        let parts = self.label(e).parts();
        parts == 1 || self.group(e).len() == usize::from(parts)
    }

    /// The part of an access to this location.
    pub(crate) fn part_at(&self, e: EventId, loc: LocId) -> Option<EventId> {
        self.group(e).iter().copied().find(|p| self.label(*p).loc == loc)
    }

    /// Whether `a` has no cell in common with `b`, which has this label.
    #[inline]
    pub(crate) fn is_elsewhere(&self, a: EventId, b: EventId, label: &Label) -> bool {
        let other = self.label(a);
        match other.parts() == 1 && label.parts() == 1 {
            true => other.loc != label.loc,
            false => !self.group(a).iter().any(|p| self.part_at(b, self.label(*p).loc).is_some()),
        }
    }

    /// The read of the same cell of the update that an event is the write of. Whether it writes may have been decided between.
    pub(crate) fn update_read(&self, write: EventId) -> EventId {
        let label = self.label(write);
        let (thread, pos, part, parts) = (label.thread, label.pos, label.part(), label.parts());
        let events = &self.threads[usize::from(thread)].events;
        let read = usize::from(pos) - usize::from(parts);
        if !self.label(events[usize::from(pos) - usize::from(part) - 1]).kind.decides() {
            return events[read];
        }
        let before = &events[..usize::from(pos) - usize::from(part)];
        events[read - before.iter().rev().take_while(|e| self.label(**e).kind.decides()).count()]
    }

    /// The last event of the instruction that an event is of.
    pub(crate) fn instruction_end(&self, e: EventId) -> EventId {
        let label = self.label(e);
        let (thread, pos, part, parts, kind) = (label.thread, label.pos, label.part(), label.parts(), label.kind);
        let events = &self.threads[usize::from(thread)].events;
        let mut next = usize::from(pos) + usize::from(parts - part);
        if kind == Kind::UpdateRead {
            next += events[next.min(events.len())..].iter().take_while(|e| self.label(**e).kind.decides()).count();
        }
        let writes = |w: &&EventId| kind == Kind::UpdateRead && self.label(**w).kind == Kind::UpdateWrite;
        let end = events.get(next).filter(writes).map_or(next, |_| next + usize::from(parts));
        events[end.min(events.len()) - 1]
    }

    /// Whether an access reads the latest writes, or makes them, as far as it is there.
    pub(crate) fn is_latest(&self, e: EventId) -> bool {
        self.group(e).iter().all(|p| {
            let label = self.label(*p);
            let write = if label.kind.reads() { label.rf } else { *p };
            let latest = self.locations[label.loc as usize].writes.last().copied().unwrap_or(INIT);
            label.promise == NO_PROMISE && latest == write
        })
    }

    /// All parts of an access happen at once: what leads to one of them leads to all.
    pub(crate) fn unite(&mut self, e: EventId) {
        let label = self.label(e);
        let (thread, pos, part, parts) = (label.thread, label.pos, label.part(), label.parts());
        let first = usize::from(pos) - usize::from(part);
        for from in 0..usize::from(parts) {
            for to in (0..usize::from(parts)).filter(|to| *to != from) {
                let events = &self.threads[usize::from(thread)].events;
                let (from, to) = (events[first + from], events[first + to]);
                for row in [Row::Hb, Row::Porf, Row::Released, Row::Acquirable, Row::Message] {
                    self.join(to, row, from, row);
                }
            }
        }
    }
}
