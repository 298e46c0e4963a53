//! Reads and writes of a trial.

use super::{End, Halt, Memory, Trial};
use crate::memory::{Owner, owner};
use crate::rows::{Id, Source};
use crate::setup::{Part, Shape};
use treville_bytecode::{SiteId, Step, StepDeps};
use treville_event::{Cell, Kind};
use treville_ir::Failure;
use treville_term::Bv;

/// Values of one address that are kept for guessing.
const MOST_VALUES: usize = 16;

impl Trial<'_, '_> {
    /// The bytes of an access; none if it is outside every object, which its thread has failed by.
    fn cell(&mut self, number: u16, site: SiteId, addr: u64) -> Result<Option<Cell>, Halt> {
        let size = self.setup.image.site(site).size;
        if !self.setup.image.site(site).parts.is_empty() {
            return Err(End::Refused("an access to several cells at once".into(), Some(site)));
        }
        if !self.cells.contains_key(&addr) {
            let owner = owner(self.setup.program, addr, size);
            if owner == Owner::Nothing {
                self.fail(number, Failure::InvalidAccess, "an access outside every object".to_owned());
                return Ok(None);
            }
            let initial = if let Owner::Static { initial, .. } = owner { initial } else { 0 };
            self.meet(site, addr, size)?;
            let memory = Memory { size, initial, owner, writes: Vec::new(), lock: false, site };
            self.cells.insert(addr, memory);
        }
        let memory = &self.cells[&addr];
        if memory.size != size {
            return Err(self.overlap(site, (addr, size), (memory.site, addr, memory.size)));
        }
        if memory.owner == Owner::Made && self.object(addr, size).is_none() {
            if self.has_guessed {
                // It may be made later: nothing is known of this.
                return Err(End::Stuck);
            }
            self.fail(number, Failure::InvalidAccess, "an access to an object that is not there".to_owned());
            return Ok(None);
        }
        if let Some(memory) = self.cells.get_mut(&addr) {
            memory.lock |= self.setup.is_lock(site);
        }
        Ok(Some(Cell { address: addr, size }))
    }

    /// Makes sure that bytes which are new overlap no others.
    fn meet(&self, site: SiteId, addr: u64, size: u8) -> Result<(), Halt> {
        let near = self.cells.range(addr.saturating_sub(15)..addr.saturating_add(u64::from(size)));
        for (other, memory) in near {
            if other + u64::from(memory.size) > addr {
                return Err(self.overlap(site, (addr, size), (memory.site, *other, memory.size)));
            }
        }
        Ok(())
    }

    fn overlap(&self, site: SiteId, own: (u64, u8), other: (SiteId, u64, u8)) -> Halt {
        match self.setup.cut(site, own, other) {
            Some(parts) => End::Cut(parts),
            None => End::Refused("atomic accesses of different sizes overlap".into(), Some(site)),
        }
    }

    /// Where a write is in the order of its cell; the initial one is at 0.
    fn position(&self, addr: u64, write: Id) -> usize {
        self.cells[&addr].writes.iter().rposition(|w| *w == write).map_or(0, |i| i + 1)
    }

    /// The first place that a thread may still read from, as far as it has seen itself.
    fn bound(&self, number: u16, addr: u64) -> usize {
        if self.style.incoherent {
            return 0;
        }
        self.threads[usize::from(number)].seen.get(&addr).map_or(0, |write| self.position(addr, *write))
    }

    /// Notes that a thread has seen a write.
    pub(super) fn see(&mut self, number: u16, addr: u64, write: Id) {
        let known = self.threads[usize::from(number)].seen.get(&addr).copied();
        if known.is_none_or(|known| self.position(addr, known) < self.position(addr, write)) {
            self.threads[usize::from(number)].seen.insert(addr, write);
        }
    }

    /// Any write that is there, the initial one included, with its value; or a value that may be written later.
    fn source(&mut self, number: u16, addr: u64, may_guess: bool) -> (Source, u64) {
        if may_guess && self.style.guesses && self.random.percent(30) {
            let known = self.experience.written.get(&addr).map_or(&[][..], Vec::as_slice);
            if let Some(value) = self.random.pick(known) {
                return (Source::Guessed(value), value);
            }
        }
        let (first, last) = (self.bound(number, addr), self.cells[&addr].writes.len());
        let place = match self.random.percent(self.style.latest) {
            true => last,
            false => first + self.random.below(last - first + 1),
        };
        match place.checked_sub(1).map(|i| self.cells[&addr].writes[i]) {
            None => (Source::Init, self.cells[&addr].initial),
            Some(write) => (Source::Write(write), self.written(write)),
        }
    }

    fn written(&self, write: Id) -> u64 {
        let row = &self.threads[usize::from(write.thread)].rows[write.row as usize];
        row.event.written.map_or(0, |value| value.unsigned() as u64)
    }

    /// Whether reading something makes a thread wait.
    fn waits(&mut self, number: u16) -> bool {
        matches!(self.step(number), Step::Blocked { .. })
    }

    fn next_row(&self, number: u16) -> u32 {
        self.threads[usize::from(number)].rows.len() as u32
    }

    pub(super) fn load(&mut self, number: u16, site: SiteId, addr: u64) -> Result<bool, Halt> {
        let Some(cell) = self.cell(number, site, addr)? else { return Ok(true) };
        let (source, value) = self.source(number, addr, true);
        let (deps, row) = (self.deps(number), self.next_row(number));
        self.give(number, value, row + 1..row + 2);
        if self.waits(number) {
            self.take_back(number);
            return Ok(false);
        }
        let tags = self.setup.tags(site, Part::Whole);
        let shape = Shape { kind: Kind::Read, tags, cell: Some(cell), value, site: Some(site) };
        let id = self.add(number, shape, deps, source);
        self.note_read(number, site, cell, id, source);
        Ok(true)
    }

    /// What follows from reading.
    fn note_read(&mut self, number: u16, site: SiteId, cell: Cell, id: Id, source: Source) {
        let thread = &mut self.threads[usize::from(number)];
        thread.idles = thread.last_read.replace((site, source)) == Some((site, source));
        match source {
            Source::Write(write) => self.see(number, cell.address, write),
            Source::Guessed(_) => {
                self.has_guessed = true;
                self.guessed.insert(id);
            }
            Source::Init if self.cells[&cell.address].owner == Owner::Made => {
                if !self.is_zeroed(cell.address, cell.size) && !self.setup.may_be_unwritten(site) {
                    let what = "memory is read that was never written".to_owned();
                    self.wrong.push((Failure::Uninitialized, what));
                }
            }
            Source::Init | Source::None => {}
        }
    }

    pub(super) fn store(&mut self, number: u16, site: SiteId, addr: u64, word: u64) -> Result<(), Halt> {
        let Some(cell) = self.cell(number, site, addr)? else { return Ok(()) };
        let deps = self.deps(number);
        if self.setup.releases(site) {
            self.fence(number);
        }
        let tags = self.setup.tags(site, Part::Whole);
        let shape = Shape { kind: Kind::Write, tags, cell: Some(cell), value: word, site: Some(site) };
        let id = self.add(number, shape, deps, Source::None);
        let place = self.free_place(number, addr);
        self.put(number, addr, id, place);
        if self.setup.acquires(site, Part::Whole) {
            self.fence(number);
        }
        self.threads[usize::from(number)].step = None;
        Ok(())
    }

    /// Any place in the order of a cell that comes between no update and its source.
    fn free_place(&mut self, number: u16, addr: u64) -> usize {
        let (first, last) = (self.bound(number, addr), self.cells[&addr].writes.len());
        let mut place = match self.random.percent(self.style.latest) {
            true => last,
            false => first + self.random.below(last - first + 1),
        };
        while self.is_joined(addr, place) {
            place += 1;
        }
        place
    }

    /// Whether the write at a place is that of an update that reads the one before.
    fn is_joined(&self, addr: u64, place: usize) -> bool {
        let memory = &self.cells[&addr];
        let Some(next) = memory.writes.get(place) else { return false };
        let rows = &self.threads[usize::from(next.thread)].rows;
        let row = &rows[next.row as usize];
        let read = if row.event.kind == Kind::Update { Some(row) } else { row.read.map(|r| &rows[r as usize]) };
        read.is_some_and(|read| match read.source {
            Source::Init => place == 0,
            Source::Write(source) => place > 0 && memory.writes[place - 1] == source,
            Source::None | Source::Guessed(_) => false,
        })
    }

    /// Puts a write in its place; reads that have guessed its value may read it.
    fn put(&mut self, number: u16, addr: u64, id: Id, place: usize) {
        let value = self.written(id);
        if let Some(memory) = self.cells.get_mut(&addr) {
            memory.writes.insert(place, id);
        }
        self.threads[usize::from(number)].seen.insert(addr, id);
        let known = self.experience.written.entry(addr).or_default();
        if !known.contains(&value) && known.len() < MOST_VALUES {
            known.push(value);
        }
        for read in self.guessed.iter().copied().collect::<Vec<Id>>() {
            if self.fits(read, id) && self.random.percent(50) {
                self.settle(read, id);
            }
        }
    }

    /// Whether a read that has guessed may read from a write.
    fn fits(&self, read: Id, write: Id) -> bool {
        let rows = |id: Id| &self.threads[usize::from(id.thread)].rows[id.row as usize];
        let (from, to) = (rows(write), rows(read));
        let same = from.event.cell == to.event.cell && to.source == Source::Guessed(self.written(write));
        // No thread reads what it writes itself later.
        same && (write.thread != read.thread || write.row < read.row)
    }

    fn settle(&mut self, read: Id, write: Id) {
        self.threads[usize::from(read.thread)].rows[read.row as usize].source = Source::Write(write);
        self.guessed.remove(&read);
    }

    /// Gives every read that has guessed a write with its value.
    pub(super) fn settle_guesses(&mut self) -> Result<(), Halt> {
        while let Some(read) = self.guessed.first().copied() {
            let row = &self.threads[usize::from(read.thread)].rows[read.row as usize];
            let memory = row.event.cell.and_then(|cell| self.cells.get(&cell.address));
            let writes = memory.map_or(&[][..], |memory| memory.writes.as_slice());
            let fitting: Vec<Id> = writes.iter().copied().filter(|write| self.fits(read, *write)).collect();
            let write = self.random.pick(&fitting).ok_or(End::Stuck)?;
            self.settle(read, write);
        }
        Ok(())
    }

    /// The two halves of an update, or one event if it has no others.
    pub(super) fn update(&mut self, number: u16, site: SiteId, addr: u64) -> Result<bool, Halt> {
        let Some(cell) = self.cell(number, site, addr)? else { return Ok(true) };
        let (source, value) = self.source(number, addr, false);
        let (deps, row) = (self.deps(number), self.next_row(number));
        self.give(number, value, row + 1..row + 2);
        let place = if let Source::Write(write) = source { self.position(addr, write) } else { 0 };
        let next = self.step(number);
        let writes = matches!(next, Step::UpdateWrite { .. });
        if self.waits(number) || writes && self.is_joined(addr, place) {
            self.take_back(number);
            return Ok(false);
        }
        let fused = self.setup.is_fused(site);
        let part = match (writes, fused) {
            (false, _) => Part::Failed,
            (true, false) => Part::Read,
            (true, true) => Part::Fused,
        };
        let tags = self.setup.tags(site, part);
        let read = StepDeps { addr: deps.addr, ctrl: deps.ctrl, ..StepDeps::default() };
        let shape = Shape { kind: Kind::Read, tags, cell: Some(cell), value, site: Some(site) };
        let id = self.add(number, shape, read, source);
        self.note_read(number, site, cell, id, source);
        let Step::UpdateWrite { words, .. } = next else {
            if self.setup.acquires(site, part) {
                self.fence(number);
            }
            return Ok(true);
        };
        let deps = self.deps_of_update(number);
        let write = match fused {
            true => self.fuse(number, id, words[0], deps),
            false => self.write_half(number, site, id, words[0], deps),
        };
        self.put(number, addr, write, place);
        if self.setup.acquires(site, if fused { Part::Fused } else { Part::Write }) {
            self.fence(number);
        }
        self.threads[usize::from(number)].step = None;
        Ok(true)
    }

    /// Makes the read of an update the whole of it.
    fn fuse(&mut self, number: u16, read: Id, written: u64, deps: StepDeps) -> Id {
        let row = &mut self.threads[usize::from(number)].rows[read.row as usize];
        row.event.kind = Kind::Update;
        row.event.written = row.event.cell.map(|cell| Bv::new(u128::from(written), 8 * cell.size));
        row.deps.data = deps.data;
        read
    }

    fn write_half(&mut self, number: u16, site: SiteId, read: Id, value: u64, deps: StepDeps) -> Id {
        let row = &self.threads[usize::from(number)].rows[read.row as usize];
        let (cell, instance) = (row.event.cell, row.event.instance);
        let tags = self.setup.tags(site, Part::Write);
        let shape = Shape { kind: Kind::Write, tags, cell, value, site: Some(site) };
        let id = self.add(number, shape, deps, Source::None);
        let row = &mut self.threads[usize::from(number)].rows[id.row as usize];
        row.read = Some(read.row);
        row.exclusive = self.setup.is_exclusive(&row.event);
        if row.exclusive {
            let guard = std::mem::take(&mut row.deps.guard);
            row.deps.ctrl.extend(&guard);
        } else {
            row.event.instance = instance;
        }
        id
    }
}
