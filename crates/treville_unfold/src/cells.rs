//! The granules of memory: objects split at every place where some access begins or ends.

use crate::pre_execution::is_in_c;
use crate::traces::Traces;
use std::collections::BTreeSet;
use treville_event::{Cell, Kind};
use treville_ir::{Object, Program};

#[derive(Clone, Debug)]
pub struct Cells {
    /// Those of objects, ascending by address.
    pub all: Vec<Cell>,
    /// Those outside of every object that some access may touch.
    pub outside: BTreeSet<Cell>,
}

/// Addresses and sizes of accesses.
pub(crate) type Accesses = BTreeSet<(u64, u8)>;

/// The accesses whose addresses are known.
pub(crate) fn fixed_accesses(traces: &Traces) -> Accesses {
    let events = traces.threads.iter().flatten().flat_map(|t| &t.events);
    let accesses = events.filter(|event| event.action.kind != Kind::Opaque).filter_map(|event| {
        let (address, size) = event.action.place?;
        Some((traces.place(address, size)?, size))
    });
    accesses.collect()
}

impl Cells {
    /// Accesses with addresses that depend on what is read do not split anything here: they must hit a cell exactly.
    pub fn of(program: &Program, traces: &Traces) -> Cells {
        Cells::split(program, &fixed_accesses(traces))
    }

    /// The objects, split where these accesses begin and end.
    pub(crate) fn split(program: &Program, accesses: &Accesses) -> Cells {
        let mut ranges: Vec<Vec<(u64, u64)>> = vec![Vec::new(); program.objects.len()];
        for (address, size) in accesses {
            if let Some((object, offset)) = program.object_at(*address) {
                ranges[object.0 as usize].push((offset, offset + u64::from(*size)));
            }
        }
        let objects = program.objects.iter().zip(&ranges);
        let at_once = is_in_c(program);
        let all = objects.flat_map(|(object, ranges)| parts(object, ranges, at_once)).collect();
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
        let end = address.saturating_add(u64::from(size));
        let first = self.all.partition_point(|c| c.address < address);
        let last = self.all.partition_point(|c| c.address < end);
        let cells = &self.all[first..last];
        let exact = cells.first()?.address == address && cells.last()?.end() == end;
        let contiguous = cells.windows(2).all(|w| w[0].end() == w[1].address);
        (exact && contiguous).then_some(cells)
    }

    /// Whether some cell of an object has some of these bytes.
    pub(crate) fn overlap(&self, address: u64, size: u8) -> bool {
        let end = address.saturating_add(u64::from(size));
        let first = self.all.partition_point(|c| c.end() <= address);
        self.all.get(first).is_some_and(|c| c.address < end)
    }

    /// The cell that contains this byte.
    pub fn at(&self, address: u64) -> Option<Cell> {
        let i = self.all.partition_point(|c| c.address <= address).checked_sub(1)?;
        Some(self.all[i]).filter(|c| address < c.end())
    }
}

/// The cells of an object that is accessed in these ranges. What is accessed `at_once` is not split where initial values are.
fn parts(object: &Object, ranges: &[(u64, u64)], at_once: bool) -> Vec<Cell> {
    let limit = object.size;
    let mut borders: BTreeSet<u64> = ranges.iter().flat_map(|(a, b)| [*a, *b]).filter(|b| *b <= limit).collect();
    let whole = !object.init.is_empty();
    if whole {
        let inside = |at: &u64| at_once && ranges.iter().any(|(from, to)| from < at && at < to);
        borders.extend(object.init.iter().map(|c| c.offset).filter(|at| !inside(at)).chain([limit]));
    } else if !ranges.iter().any(|(a, _)| *a == 0) {
        // It has a beginning, in any case.
        borders.extend([0, 1]);
    }
    let is_accessed = |a: u64, b: u64| b == 1 || ranges.iter().any(|(from, to)| *from <= a && b <= *to);
    let pairs = borders.iter().zip(borders.iter().skip(1));
    pairs
        .filter(|(a, b)| whole || is_accessed(**a, **b))
        .map(|(a, b)| Cell { address: object.address + a, size: (b - a) as u8 })
        .collect()
}
