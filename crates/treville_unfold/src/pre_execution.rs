//! A pre-execution: one path for each thread, or the beginning of one, put together. Its events are fixed; who reads from whom is not.

use crate::cells::Cells;
use crate::shapes::{Shapes, events, pieces};
use crate::traces::{Trace, TraceEvent, Traces};
use crate::values::{Stuck, Values};
use std::collections::BTreeMap;
use treville_base::Idx;
use treville_event::{Cell, Kind};
use treville_ir::{Expr, InitCell, Program, ThreadId};
use treville_term::{BinOp, Bv, Cast, TermId, TermNode, TermStore, VarId};

/// An event of a pre-execution, or one part of an access that is split.
#[derive(Clone, Debug)]
pub struct PreEvent {
    /// Thread and position in its trace; `None` for an initial write.
    pub at: Option<(ThreadId, u32)>,
    pub kind: Kind,
    /// Known from the start unless the address depends on what is read.
    pub cell: Option<Cell>,
    /// The address, if the event has one.
    pub address: Option<TermId>,
    pub size: u8,
    pub read: Option<VarId>,
    pub written: Option<TermId>,
}

#[derive(Clone, Debug)]
pub struct PreExecution<'t> {
    /// Initial writes first, then the threads in order.
    pub events: Vec<PreEvent>,
    pub traces: Vec<&'t Trace>,
    /// For each thread, the id of the first part of each event of its trace; one more at the end.
    pub first: Vec<Vec<usize>>,
    /// Values of reads that are put together from parts.
    pub joined: Vec<(VarId, TermId)>,
    /// Every address is known.
    pub fixed: bool,
    /// Addresses that were fixed: they must turn out so.
    pub assumed: Vec<(TermId, u64)>,
}

/// Why a program cannot be handled, in words.
pub type Refusal = String;

/// The tag of accesses that are not atomic, in programs.
const PLAIN: &str = "NA";

/// Whether a program tells atomic accesses from others: those of C, also after their compilation.
pub(crate) fn is_in_c(program: &Program) -> bool {
    program.dialect.sets.iter().any(|set| *set == PLAIN)
}

/// The parts of memory accesses that frames need, made once for all of them.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    /// By thread, trace and event: for each part its cell or address, and the variable or term.
    of: BTreeMap<(u32, u32, u32), Vec<Part>>,
    joined: BTreeMap<(u32, u32, u32), (VarId, TermId)>,
}

#[derive(Clone, Debug)]
struct Part {
    /// Known unless the address depends on what is read.
    cell: Option<Cell>,
    address: Option<TermId>,
    size: u8,
    read: Option<VarId>,
    written: Option<TermId>,
}

impl Parts {
    /// Splits every access with a known address that covers more than one cell, and those with computed ones into their shapes.
    pub(crate) fn of(traces: &mut Traces, cells: &Cells, shapes: &Shapes) -> Result<Parts, Refusal> {
        let mut parts = Parts::default();
        let all: Vec<_> = events(traces).map(|(key, event)| (key, event.clone())).collect();
        for (key, event) in all {
            let Some((term, size)) = event.action.place.filter(|_| event.action.kind != Kind::Opaque) else {
                continue;
            };
            if shapes.contains_key(&key) {
                let places = pieces(shapes, key, size);
                let place = |traces: &mut Traces, offset: u64| {
                    let store = &mut traces.domain.store;
                    let offset = store.constant(Bv::new(u128::from(offset), store.width(term)));
                    Place::Moving(store.bin(BinOp::Add, term, offset))
                };
                parts.split(traces, key, &places, place, event.read, event.action.value);
                continue;
            }
            let Some(address) = traces.place(term, size) else { continue };
            if cells.exact(address, size).is_some() {
                continue;
            }
            let Some(covered) = cells.covering(address, size) else {
                return Err(format!("an access of {size} bytes crosses the border of an object"));
            };
            if covered.len() > 1 {
                let places: Vec<(u64, u8)> = covered.iter().map(|cell| (cell.address - address, cell.size)).collect();
                let place = |_: &mut Traces, offset: u64| Place::At(address + offset);
                parts.split(traces, key, &places, place, event.read, event.action.value);
            }
        }
        Ok(parts)
    }

    /// Parts have sources of their own, which is how machines make accesses; an atomic access of a program has them at once.
    pub fn refuse_atomic(&self, program: &Program, traces: &Traces) -> Result<(), Refusal> {
        let plain = program.tags.iter_enumerated().find(|(_, tag)| **tag == PLAIN).map(|(id, _)| id);
        let in_c = is_in_c(program);
        let is_atomic = |(thread, path, i): &&(u32, u32, u32)| {
            let trace = &traces.threads[ThreadId(*thread)][*path as usize];
            !plain.is_some_and(|plain| trace.events[*i as usize].action.tags.contains(&plain))
        };
        match self.of.keys().find(is_atomic) {
            Some(_) if in_c => {
                Err("an atomic access to memory of which parts are accessed by themselves is not supported".into())
            }
            _ => Ok(()),
        }
    }

    fn split(
        &mut self,
        traces: &mut Traces,
        key: (u32, u32, u32),
        places: &[(u64, u8)],
        place: impl Fn(&mut Traces, u64) -> Place,
        read: Option<VarId>,
        written: Option<TermId>,
    ) {
        let width = places.iter().map(|(_, size)| 8 * size).sum();
        let mut whole = read.map(|_| traces.domain.store.constant(Bv::zero(width)));
        let mut parts = Vec::new();
        for &(offset, size) in places {
            let (cell, address) = match place(traces, offset) {
                Place::At(address) => (Some(Cell { address, size }), None),
                Place::Moving(address) => (None, Some(address)),
            };
            let part_read = read.map(|_| traces.fresh_var());
            let store = &mut traces.domain.store;
            let shift = store.constant(Bv::new(u128::from(8 * offset), width));
            if let (Some(var), Some(acc)) = (part_read, whole) {
                let part = store.var(var, 8 * size);
                let part = store.cast(Cast::Zero, width, part);
                let part = store.bin(BinOp::Shl, part, shift);
                whole = Some(store.bin(BinOp::Or, acc, part));
            }
            let part_written = written.map(|value| {
                let shifted = store.bin(BinOp::LShr, value, shift);
                store.cast(Cast::Zero, 8 * size, shifted)
            });
            parts.push(Part { cell, address, size, read: part_read, written: part_written });
        }
        if let (Some(var), Some(whole)) = (read, whole) {
            self.joined.insert(key, (var, whole));
        }
        self.of.insert(key, parts);
    }
}

/// Where a part lies.
enum Place {
    At(u64),
    /// At an address that depends on what is read.
    Moving(TermId),
}

/// The initial value of a byte range of an object.
pub(crate) fn initial_value(program: &Program, address: u64, size: u8) -> Bv {
    let mut bits = 0;
    if let Some((id, _)) = program.object_at(address) {
        let object = &program.objects[id];
        let end = |cell: &InitCell| object.address + cell.offset + u64::from(cell.size);
        let first = object.init.partition_point(|cell| end(cell) <= address);
        let range = address..address.saturating_add(u64::from(size));
        for cell in object.init[first..].iter().take_while(|cell| object.address + cell.offset < range.end) {
            let value = constant(program, &cell.value).unsigned();
            let start = object.address + cell.offset;
            for byte in (0..u64::from(cell.size)).filter(|byte| range.contains(&(start + byte))) {
                bits |= (value >> (8 * byte) & 0xff) << (8 * (start + byte - address));
            }
        }
    }
    Bv::new(bits, 8 * size)
}

/// The value of an expression without registers.
pub(crate) fn constant(program: &Program, e: &Expr) -> Bv {
    match e {
        Expr::Const(v) => *v,
        Expr::Reg(_) => Bv::zero(64),
        Expr::Addr(object, offset) => {
            Bv::new(u128::from(program.objects[*object].address.wrapping_add_signed(*offset)), 64)
        }
        Expr::Un(op, a) => op.eval(constant(program, a)),
        Expr::Bin(op, a, b) => op.eval(constant(program, a), constant(program, b)),
        Expr::Cast(kind, width, a) => kind.eval(constant(program, a), *width),
        Expr::Ite(c, a, b) => constant(program, if constant(program, c).is_zero() { b } else { a }),
    }
}

impl<'t> PreExecution<'t> {
    /// `init` are the initial writes of the cells that matter. Of each path, at most `limits` events are taken, if given.
    pub fn new(
        traces: &'t Traces,
        parts: &Parts,
        cells: &Cells,
        init: &[(Cell, TermId)],
        choice: &[usize],
        limits: Option<&[u32]>,
    ) -> Self {
        let mut pre = PreExecution {
            events: init
                .iter()
                .map(|(cell, value)| PreEvent {
                    at: None,
                    kind: Kind::Init,
                    cell: Some(*cell),
                    address: None,
                    size: cell.size,
                    read: None,
                    written: Some(*value),
                })
                .collect(),
            traces: Vec::new(),
            first: Vec::new(),
            joined: Vec::new(),
            fixed: true,
            assumed: Vec::new(),
        };
        for (thread, &path) in choice.iter().enumerate() {
            let trace = &traces.threads[ThreadId::from_usize(thread)][path];
            let mut first = Vec::with_capacity(trace.events.len() + 1);
            let limit = limits.map_or(usize::MAX, |limits| limits[thread] as usize);
            for (i, event) in trace.events.iter().take(limit).enumerate() {
                first.push(pre.events.len());
                let key = (thread as u32, path as u32, i as u32);
                let at = Some((ThreadId(thread as u32), i as u32));
                let (kind, written) = (event.action.kind, event.action.value);
                if let Some(split) = parts.of.get(&key) {
                    pre.joined.extend(parts.joined.get(&key));
                    pre.fixed &= split.iter().all(|p| p.cell.is_some());
                    pre.events.extend(split.iter().map(|p| PreEvent {
                        at,
                        kind,
                        cell: p.cell,
                        address: p.address,
                        size: p.size,
                        read: p.read,
                        written: p.written,
                    }));
                    continue;
                }
                let place = event.action.place;
                let cell = place.and_then(|(address, size)| {
                    let address = traces.place(address, size)?;
                    cells.exact(address, size).or_else(|| cells.at(address))
                });
                pre.fixed &= place.is_none_or(|(address, size)| traces.place(address, size).is_some());
                pre.events.push(PreEvent {
                    at,
                    kind,
                    cell,
                    address: place.map(|p| p.0),
                    size: place.map_or(0, |p| p.1),
                    read: event.read,
                    written: if kind.writes() { written } else { None },
                });
            }
            first.push(pre.events.len());
            pre.first.push(first);
            pre.traces.push(trace);
        }
        pre
    }

    /// Whether the address of an event depends on what is read.
    pub fn moves(&self, event: usize) -> bool {
        self.events[event].address.is_some() && self.events[event].cell.is_none()
    }

    /// Fixes the address of an event that moves.
    pub fn fix(&mut self, event: usize, cell: Cell) {
        self.assumed.extend(self.events[event].address.map(|a| (a, cell.address)));
        self.events[event].cell = Some(cell);
    }

    /// Whether some path's condition, or an address that was fixed, is already known to be otherwise.
    pub fn contradicts(&self, values: &mut Values<'_>) -> bool {
        let mut fails = |term, holds: &dyn Fn(Bv) -> bool| match values.eval(term) {
            Ok(v) => v.is_thin_air() || !holds(v),
            Err(Stuck::Unbound) => false,
            Err(Stuck::Circular) => true,
        };
        self.traces.iter().flat_map(|t| &t.constraints).any(|c| fails(*c, &|v| !v.is_zero()))
            || self.assumed.iter().any(|(a, at)| fails(*a, &|v| v.unsigned() == u128::from(*at)))
    }

    /// A value out of thin air gets its name from the write that passes it on last, counting what the threads read.
    pub fn named(&self, store: &TermStore, value: Bv) -> Bv {
        if !value.is_thin_air() {
            return value;
        }
        let is_copy = |t: TermId| matches!(store.node(t), TermNode::Var(v, _) if u128::from(v.0) == value.unsigned());
        let mut before = 0;
        let mut name = value.unsigned() as u32;
        for trace in &self.traces {
            let copies = trace.events.iter().filter(|e| e.action.kind.writes() && e.action.value.is_some_and(is_copy));
            name = copies.map(|e| before + e.action.serial).max().unwrap_or(name);
            before += trace.n_reads;
        }
        Bv::thin_air(name)
    }

    /// The events of a thread's trace that are in the pre-execution.
    pub fn of_thread(&self, thread: ThreadId) -> &'t [TraceEvent] {
        &self.traces[thread.index()].events[..self.first[thread.index()].len() - 1]
    }

    /// The parts of an event of a thread's trace.
    pub fn parts(&self, thread: ThreadId, index: u32) -> std::ops::Range<usize> {
        let first = &self.first[thread.index()];
        first[index as usize]..first[index as usize + 1]
    }
}
