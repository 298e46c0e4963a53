//! The granules of memory: objects split at every place where some access begins or ends.

use crate::traces::Traces;
use std::collections::BTreeSet;
use treville_event::{Cell, Kind};
use treville_ir::Program;

#[derive(Clone, Debug)]
pub struct Cells {
    /// Those of objects, ascending by address.
    pub all: Vec<Cell>,
    /// Those outside of every object that some access may touch.
    pub outside: BTreeSet<Cell>,
}

impl Cells {
    /// Accesses with addresses that depend on what is read do not split anything: they must hit a cell exactly.
    pub fn of(program: &Program, traces: &Traces) -> Cells {
        let mut borders: Vec<BTreeSet<u64>> =
            program.objects.iter().map(|o| o.init.iter().map(|c| c.offset).chain([o.size]).collect()).collect();
        for event in traces.threads.iter().flatten().flat_map(|t| &t.events) {
            let Some((address, size)) = event.action.place.filter(|_| event.action.kind != Kind::Opaque) else {
                continue;
            };
            let Some(address) = traces.domain.store.as_const(address) else { continue };
            if let Some((object, offset)) = program.object_at(address.unsigned() as u64) {
                let limit = program.objects[object].size;
                let end = offset + u64::from(size);
                borders[object.0 as usize].extend([offset, end].into_iter().filter(|b| *b <= limit));
            }
        }
        let all = program
            .objects
            .iter()
            .zip(&borders)
            .flat_map(|(o, borders)| {
                let ends = borders.iter().skip(1);
                borders
                    .iter()
                    .zip(ends)
                    .map(|(a, b)| Cell { address: o.address + a, size: (b - a) as u8 })
                    .collect::<Vec<_>>()
            })
            .collect();
        Cells { all, outside: BTreeSet::new() }
    }

    /// Adds a cell outside of every object. Memory there is total and made of whatever is accessed.
    pub fn add_outside(&mut self, address: u64, size: u8) {
        let cell = Cell { address, size };
        if size > 0 && !self.all.iter().any(|c| c.address < cell.end() && address < c.end()) {
            self.outside.insert(cell);
        }
    }

    /// The cell with exactly these bytes.
    pub fn exact(&self, address: u64, size: u8) -> Option<Cell> {
        let cell = Cell { address, size };
        self.outside.get(&cell).copied().or_else(|| self.at(address).filter(|c| *c == cell))
    }

    /// The cells that make up exactly these bytes, or `None` if there are none (the access leaves its object, or cuts a cell).
    pub fn covering(&self, address: u64, size: u8) -> Option<&[Cell]> {
        let end = address + u64::from(size);
        let first = self.all.partition_point(|c| c.address < address);
        let last = self.all.partition_point(|c| c.address < end);
        let cells = &self.all[first..last];
        let exact = cells.first()?.address == address && cells.last()?.end() == end;
        let contiguous = cells.windows(2).all(|w| w[0].end() == w[1].address);
        (exact && contiguous).then_some(cells)
    }

    /// The cell that contains this byte.
    pub fn at(&self, address: u64) -> Option<Cell> {
        let i = self.all.partition_point(|c| c.address <= address).checked_sub(1)?;
        Some(self.all[i]).filter(|c| address < c.end())
    }
}
