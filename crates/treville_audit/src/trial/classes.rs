//! The class of a trial.

use super::{Thread, Trial};
use crate::memory::Owner;
use crate::rows::{Id, Row, Source};
use rustc_hash::FxHashMap;
use treville_event::{Act, Byte, Ended, Kind, graph_class, state_class};
use treville_task::{Child, Class};

impl Trial<'_, '_> {
    pub(crate) fn class(&self) -> Class {
        let state = if self.setup.unknowns { 0 } else { self.state_class() };
        Class { graph: self.graph_class(), state }
    }

    fn graph_class(&self) -> u64 {
        let written: Vec<Vec<u32>> = self.threads.iter().map(first_written).collect();
        let before: FxHashMap<Id, Option<Id>> = self
            .cells
            .values()
            .flat_map(|memory| {
                let order = || memory.writes.iter().copied();
                order().zip(std::iter::once(None).chain(order().map(Some)))
            })
            .collect();
        let bytes = |size: u8, from: Option<Id>| -> Vec<Option<Byte>> {
            let byte = |i: u32, from: Id| Byte {
                thread: u32::from(from.thread),
                index: written[usize::from(from.thread)][from.row as usize] + i,
            };
            (0..u32::from(size)).map(|i| from.map(|from| byte(i, from))).collect()
        };
        let acts = |number: usize, thread: &Thread| {
            let mut acts = Vec::new();
            let mut choices = thread.choices.iter().peekable();
            for (i, row) in thread.rows.iter().enumerate() {
                while let Some((_, value)) = choices.next_if(|(rows, _)| *rows <= i) {
                    acts.push(Act::Choice(*value));
                }
                let Some(cell) = row.event.cell.filter(|_| row.in_memory) else { continue };
                if row.event.kind.reads() {
                    let source = if let Source::Write(write) = row.source { Some(write) } else { None };
                    acts.push(Act::Read(bytes(cell.size, source)));
                }
                if row.event.kind.writes() {
                    let id = Id { thread: number as u16, row: i as u32 };
                    acts.push(Act::Write(bytes(cell.size, before.get(&id).copied().flatten())));
                }
            }
            acts.extend(choices.map(|(_, value)| Act::Choice(*value)));
            acts
        };
        let all: Vec<Vec<Act>> = self.threads.iter().enumerate().map(|(i, thread)| acts(i, thread)).collect();
        graph_class(&all)
    }

    fn state_class(&self) -> u64 {
        let memory = self.cells.iter().filter_map(|(address, memory)| {
            let shared = matches!(memory.owner, Owner::Static { thread_local: false, .. }) && !memory.lock;
            let after = self.value(*memory.writes.last()?);
            shared.then_some(Ended { address: *address, size: memory.size, before: memory.initial, after })
        });
        state_class(memory, self.threads.iter().filter_map(|thread| thread.result))
    }

    fn value(&self, write: Id) -> u64 {
        let row: &Row = &self.threads[usize::from(write.thread)].rows[write.row as usize];
        row.event.written.map_or(0, |value| value.unsigned() as u64)
    }
}

/// Of each event that writes, how many bytes its thread has accessed before that.
fn first_written(thread: &Thread) -> Vec<u32> {
    let mut next = 0;
    let mut firsts = Vec::with_capacity(thread.rows.len());
    for row in &thread.rows {
        let size = row.event.cell.filter(|_| row.in_memory).map_or(0, |cell| u32::from(cell.size));
        firsts.push(next + if row.event.kind == Kind::Update { size } else { 0 });
        next += if row.event.kind == Kind::Update { 2 * size } else { size };
    }
    firsts
}

impl super::Experience {
    /// The number of the thread that another one starts as its n-th.
    pub(super) fn number(&mut self, child: Child) -> u16 {
        let next = self.threads;
        let number = *self.numbers.entry(child).or_insert(next);
        self.threads = next.max(number + 1);
        number
    }
}
