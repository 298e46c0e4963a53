//! Memory models with an incremental form: what an access orders, and the check of a new event against a whole graph.
//!
//! Clocks (see [`crate::graph::Row`]) decide coherence. What they do not decide can only be broken by a choice that is not
//! the latest one: an event that reads the latest write, or writes the latest one, has no successor in any order.

//!
//! An access to several cells at once is several events but one node of every order.

mod psc;

use crate::graph::{EventId, Graph, INIT, Kind, NO_LOC};
use treville_ir::MemoryOrder;
use treville_model::KnownModel;

/// How strong an access or a fence is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Mode(u8);

impl Mode {
    const ATOMIC: u8 = 1;
    const ACQUIRE: u8 = 2;
    const RELEASE: u8 = 4;
    const SEQ_CST: u8 = 8;
    /// A write that is said to be the last one.
    const LAST: u8 = 16;

    pub(crate) const PLAIN: Mode = Mode(0);
    pub(crate) const RELAXED: Mode = Mode(Mode::ATOMIC);
    pub(crate) const ACQUIRING: Mode = Mode(Mode::ATOMIC | Mode::ACQUIRE);
    pub(crate) const RELEASING: Mode = Mode(Mode::ATOMIC | Mode::RELEASE);
    pub(crate) const BOTH: Mode = Mode(Mode::ATOMIC | Mode::ACQUIRE | Mode::RELEASE);
    pub(crate) const SEQUENTIAL: Mode = Mode(Mode::ATOMIC | Mode::ACQUIRE | Mode::RELEASE | Mode::SEQ_CST);

    pub(crate) fn atomic(self) -> bool {
        self.0 & Mode::ATOMIC != 0
    }

    pub(crate) fn acquire(self) -> bool {
        self.0 & Mode::ACQUIRE != 0
    }

    pub(crate) fn release(self) -> bool {
        self.0 & Mode::RELEASE != 0
    }

    pub(crate) fn last(self) -> bool {
        self.0 & Mode::LAST != 0
    }

    pub(crate) fn seq_cst(self) -> bool {
        self.0 & Mode::SEQ_CST != 0
    }

    /// Of a set of C11 tags; the weakest atomic one if it has none that is known and is an atomic's.
    pub(crate) fn of<'a>(tags: impl Iterator<Item = &'a str>) -> Mode {
        let mut mode = Mode::PLAIN;
        for tag in tags {
            mode.0 |= match tag {
                "A" => Mode::RELAXED.0,
                "LAST" => Mode::LAST,
                tag => MemoryOrder::of_tag(tag).map_or(0, |order| Mode::of_order(order).0),
            };
        }
        mode
    }

    fn of_order(order: MemoryOrder) -> Mode {
        match order {
            MemoryOrder::Relaxed => Mode::RELAXED,
            MemoryOrder::Consume | MemoryOrder::Acquire => Mode::ACQUIRING,
            MemoryOrder::Release => Mode::RELEASING,
            MemoryOrder::AcquireRelease => Mode::BOTH,
            MemoryOrder::SeqCst => Mode::SEQUENTIAL,
        }
    }

    /// As C names it; none if it is not atomic.
    pub(crate) fn order(self) -> Option<MemoryOrder> {
        let order = if self.seq_cst() { MemoryOrder::SeqCst } else { MemoryOrder::of(self.acquire(), self.release()) };
        self.atomic().then_some(order)
    }

    /// As strong as both.
    pub(crate) fn with(self, other: Mode) -> Mode {
        Mode(self.0 | other.0)
    }

    fn without_seq_cst(self) -> Mode {
        Mode(self.0 & !Mode::SEQ_CST)
    }
}

/// What else than coherence and atomicity a model asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Order {
    /// Nothing.
    None,
    /// One order of all events.
    Sequential,
    /// One order of all events in which reads may overtake earlier writes of their thread.
    StoreBuffers,
    /// RC11's order of seq_cst events.
    Rc11,
    /// The same, and what hardware keeps in order around seq_cst fences.
    Imm,
    /// What a judge knows.
    Judged,
}

/// What bounds the writes that an access may see or overwrite.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Coherence {
    /// Nothing that is known.
    Unknown,
    /// What its own thread did before.
    Local,
    /// What happens before it.
    HappensBefore,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Rules {
    pub(crate) order: Order,
    pub(crate) coherence: Coherence,
    /// Accesses without a tag that says otherwise are atomic, as those of a machine.
    pub(crate) machine: bool,
    /// Hardware: reading from a write always orders.
    pub(crate) every_read_synchronises: bool,
    /// A later write of the same thread is in the release sequence too.
    pub(crate) sequence_in_thread: bool,
    /// Plain writes can be read by who synchronises with a release fence before them.
    pub(crate) plain_sequences: bool,
    /// seq_cst counts as acquire and release.
    pub(crate) weaken_seq_cst: bool,
}

impl Rules {
    /// The rules of a model for programs, with its variant `cxx20` or without.
    pub(crate) fn known(model: KnownModel, cxx20: bool) -> Rules {
        let rc11 = Rules {
            order: Order::Rc11,
            coherence: Coherence::HappensBefore,
            machine: false,
            every_read_synchronises: false,
            sequence_in_thread: !cxx20,
            plain_sequences: false,
            weaken_seq_cst: false,
        };
        match model {
            KnownModel::Rc11 => rc11,
            KnownModel::Imm => Rules::imm(),
            KnownModel::Ra => Rules { order: Order::None, weaken_seq_cst: true, ..rc11 },
            KnownModel::Sc => Rules { order: Order::Sequential, every_read_synchronises: true, ..rc11 },
            KnownModel::Tso => Rules { order: Order::StoreBuffers, every_read_synchronises: true, ..rc11 },
        }
    }

    /// Those of a model that a judge knows: what happens before what is C11's, or a machine's.
    pub(crate) fn judged(machine: bool, coherence: Coherence, cxx20: bool) -> Rules {
        Rules {
            order: Order::Judged,
            coherence,
            machine,
            every_read_synchronises: machine,
            sequence_in_thread: !cxx20,
            plain_sequences: false,
            weaken_seq_cst: false,
        }
    }

    /// IMM's for programs in C: where program order and reads-from have no cycle it is RC11, but for [`Self::needs_judge`].
    pub(crate) fn imm() -> Rules {
        Rules { order: Order::Imm, plain_sequences: true, ..Rules::judged(false, Coherence::HappensBefore, true) }
    }

    /// How strong an access or fence with these tags is.
    pub(crate) fn mode_of<'a>(&self, tags: impl Iterator<Item = &'a str> + Clone) -> Mode {
        if self.machine {
            let mode = if tags.clone().any(|tag| tag == "NA") { Mode::PLAIN } else { Mode::RELAXED };
            return if tags.clone().any(|tag| tag == "LAST") { mode.with(Mode(Mode::LAST)) } else { mode };
        }
        self.mode(Mode::of(tags))
    }

    fn mode(&self, mode: Mode) -> Mode {
        if self.weaken_seq_cst { mode.without_seq_cst() } else { mode }
    }

    /// Whether the graph is consistent, given that it was before `e` made a choice that is not the latest one and that
    /// coherence holds.
    pub(crate) fn allows(&self, graph: &Graph, e: EventId, scratch: &mut Scratch) -> bool {
        match self.order {
            Order::None | Order::Judged => true,
            Order::Sequential | Order::StoreBuffers => !self.in_cycle(graph, e, scratch),
            Order::Rc11 | Order::Imm => graph.seq_cst < 2 || !psc::in_cycle(graph, e, scratch),
        }
    }

    /// Whether only a judge can tell if a graph is consistent that [`Self::allows`].
    ///
    /// Under IMM what hardware keeps in order leads, from one seq_cst fence to another, along program order and reads-from,
    /// and without a cycle of these two all that IMM forbids beyond RC11 goes through such a path. If the first fence happens
    /// before the second one, it is in RC11's order as well.
    pub(crate) fn needs_judge(&self, graph: &Graph) -> bool {
        match self.order {
            Order::Judged => true,
            Order::Imm => graph.seq_cst >= 2 && psc::has_fences_apart(graph),
            Order::None | Order::Sequential | Order::StoreBuffers | Order::Rc11 => false,
        }
    }

    /// The same for a graph that may have accesses to several cells: none of them is torn. What others see of it, and what it
    /// sees of others, has one order: reads-from other threads, coherence and from-reads have no cycle.
    pub(crate) fn allows_with_parts(&self, graph: &Graph, e: EventId, scratch: &mut Scratch) -> bool {
        let all = |graph: &Graph, e: EventId, out: &mut Vec<EventId>| self.successors(graph, e, out);
        let memory = |graph: &Graph, e: EventId, out: &mut Vec<EventId>| memory_successors(graph, e, true, out);
        match self.order {
            Order::Sequential | Order::StoreBuffers => !group_in_cycle(graph, e, scratch, &all),
            // Judged models do not come here: they refuse such accesses.
            Order::None | Order::Rc11 | Order::Imm | Order::Judged => {
                !group_in_cycle(graph, e, scratch, &memory) && self.allows(graph, e, scratch)
            }
        }
    }

    /// Whether all events of a graph can be put in one order.
    pub(crate) fn is_sequential(&self, graph: &Graph, scratch: &mut Scratch) -> bool {
        let Scratch { todo, places: before, .. } = scratch;
        before.clear();
        before.resize(graph.len() as usize, 0);
        let mut next = Vec::new();
        for e in 1..graph.len() {
            self.successors(graph, e, &mut next);
            next.drain(..).for_each(|later| before[later as usize] += 1);
        }
        todo.clear();
        todo.extend((1..graph.len()).filter(|e| before[*e as usize] == 0));
        let mut ordered = 1;
        while let Some(e) = todo.pop() {
            ordered += 1;
            self.successors(graph, e, &mut next);
            for later in next.drain(..) {
                before[later as usize] -= 1;
                if before[later as usize] == 0 {
                    todo.push(later);
                }
            }
        }
        ordered == graph.len()
    }

    fn in_cycle(&self, graph: &Graph, start: EventId, scratch: &mut Scratch) -> bool {
        scratch.reset(graph.len());
        self.successors(graph, start, &mut scratch.todo);
        while let Some(e) = scratch.todo.pop() {
            if e == start {
                return true;
            }
            if scratch.visit(e) {
                self.successors(graph, e, &mut scratch.todo);
            }
        }
        false
    }

    /// The events that come right after `e` in the order that must have no cycle.
    fn successors(&self, graph: &Graph, e: EventId, out: &mut Vec<EventId>) {
        let label = graph.label(e);
        let buffers = self.order == Order::StoreBuffers;
        self.program_successors(graph, e, buffers, out);
        if label.kind == Kind::Spawn {
            out.extend(graph.threads[label.value as usize].events.first());
        }
        if label.kind == Kind::End {
            let joins = |j: &EventId| graph.label(*j).kind == Kind::Join && graph.label(*j).rf == e;
            out.extend((1..graph.len()).filter(joins));
        }
        if label.loc != NO_LOC {
            memory_successors(graph, e, buffers, out);
        }
    }

    fn program_successors(&self, graph: &Graph, e: EventId, buffers: bool, out: &mut Vec<EventId>) {
        let label = graph.label(e);
        let later = &graph.threads[usize::from(label.thread)].events[usize::from(label.pos) + 1..];
        if !buffers {
            out.extend(later.first());
            return;
        }
        // A write waits in the buffer: what follows overtakes it, up to the next write or whatever empties the buffer.
        let buffered = label.kind == Kind::Write && !label.mode.seq_cst();
        for next in later {
            let kind = graph.label(*next).kind;
            let drains = match kind {
                Kind::UpdateRead | Kind::UpdateWrite | Kind::Spawn | Kind::Join | Kind::End => true,
                Kind::Fence => graph.label(*next).mode.seq_cst(),
                _ => false,
            };
            if !buffered || drains || kind == Kind::Write {
                out.push(*next);
            }
            if drains || (if buffered { kind == Kind::Write } else { kind == Kind::Read }) {
                return;
            }
        }
    }
}

/// The events that come right after an access in the order of its location: the next write, and readers of what it wrote, of
/// other threads only if so asked.
fn memory_successors(graph: &Graph, e: EventId, others: bool, out: &mut Vec<EventId>) {
    let label = graph.label(e);
    let location = &graph.locations[label.loc as usize];
    let write = if label.kind.reads() { label.rf } else { e };
    let position = graph.co_position(label.loc, write);
    if label.parts() > 1 && position == 0 && write != INIT {
        // It has no place yet.
        return;
    }
    out.extend(location.writes.get(position));
    if label.kind.writes() {
        let external = |r: &EventId| !others || graph.label(*r).thread != label.thread;
        out.extend(location.reads.iter().copied().filter(|r| graph.label(*r).rf == e && external(r)));
    }
}

/// Whether an order has a cycle through an access, all parts of which are one node of it.
fn group_in_cycle(
    graph: &Graph,
    start: EventId,
    scratch: &mut Scratch,
    successors: &dyn Fn(&Graph, EventId, &mut Vec<EventId>),
) -> bool {
    scratch.reset(graph.len());
    let first = graph.group(start)[0];
    let mut next = Vec::new();
    let mut e = first;
    loop {
        for part in graph.group(e) {
            next.clear();
            successors(graph, *part, &mut next);
            let firsts = next.iter().map(|n| graph.group(*n)[0]).filter(|n| *n != e);
            scratch.todo.extend(firsts);
        }
        loop {
            match scratch.todo.pop() {
                None => return false,
                Some(found) if found == first => return true,
                Some(found) if scratch.visit(found) => {
                    e = found;
                    break;
                }
                Some(_) => {}
            }
        }
    }
}

/// Room for searches.
#[derive(Default)]
pub(crate) struct Scratch {
    seen: Vec<bool>,
    todo: Vec<EventId>,
    places: Vec<u32>,
    reach: Vec<u16>,
}

impl Scratch {
    fn reset(&mut self, n: EventId) {
        self.seen.clear();
        self.seen.resize(n as usize, false);
        self.todo.clear();
    }

    fn visit(&mut self, e: EventId) -> bool {
        !std::mem::replace(&mut self.seen[e as usize], true)
    }
}
