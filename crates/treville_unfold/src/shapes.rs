//! The parts in which accesses with computed addresses are made: the same ones wherever the access lies.
//!
//! An access with a known address has one part for each cell that it covers. One with a computed address may cover two cells
//! here and one cell there, but its events are made once. So it has a border wherever one of its places has one, and the cells
//! of all its places are split there.

use crate::cells::{Accesses, Cells};
use crate::traces::{TraceEvent, Traces};
use crate::value_sets::ValueSets;
use std::collections::{BTreeMap, BTreeSet};
use treville_base::Cancel;
use treville_event::Kind;
use treville_ir::Program;
use treville_term::TermId;

/// Thread, trace and event.
pub(crate) type Key = (u32, u32, u32);

/// The sizes of the parts, in the order of their addresses, of each access that has several.
pub(crate) type Shapes = BTreeMap<Key, Vec<u8>>;

/// Slots of memory that are made for accesses whose places cannot be listed; what goes elsewhere touches no cell.
const MOST_SLOTS: usize = 1024;

/// Every event with its key.
pub(crate) fn events(traces: &Traces) -> impl Iterator<Item = (Key, &TraceEvent)> {
    traces.threads.iter_enumerated().flat_map(|(thread, paths)| {
        paths.iter().enumerate().flat_map(move |(path, trace)| {
            trace.events.iter().enumerate().map(move |(i, event)| ((thread.0, path as u32, i as u32), event))
        })
    })
}

/// Reads and writes with computed addresses, and their sizes.
pub(crate) fn moving(traces: &Traces) -> impl Iterator<Item = (Key, TermId, u8)> {
    events(traces).filter_map(|(key, event)| {
        let (address, size) = event.action.place.filter(|_| event.action.kind != Kind::Opaque)?;
        traces.place(address, size).is_none().then_some((key, address, size))
    })
}

/// Offsets and sizes of the parts of an access.
pub(crate) fn pieces(shapes: &Shapes, key: Key, size: u8) -> Vec<(u64, u8)> {
    let Some(sizes) = shapes.get(&key) else { return vec![(0, size)] };
    let offset = |i: usize| sizes[..i].iter().map(|size| u64::from(*size)).sum();
    sizes.iter().enumerate().map(|(i, size)| (offset(i), *size)).collect()
}

/// The shapes of the accesses that cover several cells somewhere; not all, if cancelled.
pub(crate) fn shapes(traces: &Traces, possible: &ValueSets, cells: &Cells, cancel: &Cancel) -> Shapes {
    let mut shapes = Shapes::new();
    for (key, address, size) in moving(traces).take_while(|_| !cancel.is_stopped()) {
        let mut borders = BTreeSet::from([0, u64::from(size)]);
        for at in possible.addresses(&traces.domain.store, address, size).into_iter().flatten() {
            borders.extend(cells.covering(at, size).into_iter().flatten().map(|cell| cell.address - at));
        }
        if borders.len() > 2 {
            let sizes = borders.iter().zip(borders.iter().skip(1)).map(|(from, to)| (to - from) as u8);
            shapes.insert(key, sizes.collect());
        }
    }
    shapes
}

/// Accesses with computed addresses, and parts of them, that may lie in an object, and where no cell is; not all, if cancelled.
pub(crate) fn missed(
    program: &Program,
    traces: &Traces,
    possible: &ValueSets,
    cells: &Cells,
    shapes: &Shapes,
    cancel: &Cancel,
) -> Accesses {
    let mut missed = Accesses::new();
    for (key, address, size) in moving(traces).take_while(|_| !cancel.is_stopped()) {
        for at in possible.addresses(&traces.domain.store, address, size).into_iter().flatten() {
            let inside = program
                .object_at(at)
                .is_some_and(|(object, offset)| offset + u64::from(size) <= program.objects[object].size);
            let parts = pieces(shapes, key, size).into_iter().map(|(offset, size)| (at.wrapping_add(offset), size));
            missed.extend(parts.filter(|(at, size)| inside && cells.exact(*at, *size).is_none()));
        }
    }
    missed
}

/// Slots for accesses whose places cannot be listed: one after the other in memory where no cell is, in the objects whose
/// addresses the access is computed from or, if there are none, in all. Not all, if cancelled.
pub(crate) fn slots(
    program: &Program,
    traces: &Traces,
    possible: &ValueSets,
    cells: &Cells,
    cancel: &Cancel,
) -> Accesses {
    let store = &traces.domain.store;
    let mut slots = Accesses::new();
    let open = moving(traces).filter(|(_, a, size)| possible.addresses(store, *a, *size).is_none());
    for (_, address, size) in open.take_while(|_| !cancel.is_stopped()) {
        let numbers = store.parts(address).into_iter().filter_map(|part| store.as_const(part));
        let named: BTreeSet<_> = numbers.filter_map(|n| Some(program.object_at(n.unsigned() as u64)?.0)).collect();
        let objects = program.objects.iter_enumerated().filter(|(id, _)| named.is_empty() || named.contains(id));
        for (_, object) in objects {
            let starts = (0..object.size / u64::from(size.max(1))).map(|i| object.address + i * u64::from(size));
            let free = starts.take(MOST_SLOTS).filter(|at| !cells.overlap(*at, size));
            slots.extend(free.map(|at| (at, size)));
        }
    }
    slots.into_iter().take(MOST_SLOTS).collect()
}
