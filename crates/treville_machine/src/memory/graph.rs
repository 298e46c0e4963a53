//! The graph semantics of Doherty, Dongol, Wehrheim and Derrick ("Verifying C11 programs operationally", PPoPP 2019), as it is
//! written: a state is ((D, sb), rf, mo), and the writes that a thread has encountered, can observe, and that are covered are
//! computed from these relations. This is the reference for `views`: nothing here is fast, and a loop never comes back to a
//! state, since every action stays.

use super::{Bytes, Choice, Memory, Renaming, Seen, Written, put};
use treville_base::{BitMatrix, BitSet};
use treville_ir::{Aware, MemoryOrder};

pub(crate) struct Graph {
    pub(crate) init: Vec<u64>,
}

#[derive(Clone)]
pub(crate) struct GraphState {
    /// D, in the order in which they came. The initial writes are first.
    actions: Vec<Action>,
    /// mo: the writes of each variable in order.
    orders: Vec<Vec<u16>>,
}

#[derive(Clone, Copy)]
struct Action {
    /// None: the thread of initial writes.
    thread: Option<u16>,
    var: u16,
    /// rf: the write that it reads.
    source: Option<u16>,
    /// What it writes, if it does.
    written: Option<Written>,
    acquire: bool,
    release: bool,
}

/// The derived relations of a state.
struct Relations {
    mo: BitMatrix,
    hb: BitMatrix,
    eco: BitMatrix,
}

impl GraphState {
    fn relations(&self) -> Relations {
        let n = self.actions.len();
        let all = || (0..n).flat_map(|a| (0..n).map(move |b| (a, b)));
        // sb: earlier actions of the same thread, and the initial writes.
        let sb = all().filter(|(a, b)| {
            let (a_thread, b_thread) = (self.actions[*a].thread, self.actions[*b].thread);
            a < b && b_thread.is_some() && (a_thread.is_none() || a_thread == b_thread)
        });
        let rf: Vec<(usize, usize)> =
            self.actions.iter().enumerate().filter_map(|(r, action)| Some((usize::from(action.source?), r))).collect();
        let sw = rf.iter().copied().filter(|(w, r)| self.actions[*w].release && self.actions[*r].acquire);
        let mut hb = BitMatrix::from_pairs(n, sb.chain(sw));
        hb.close_transitively();
        let after = |i: usize, order: &Vec<u16>| order[i + 1..].to_vec();
        let mo: Vec<(usize, usize)> = self
            .orders
            .iter()
            .flat_map(|order| {
                (0..order.len()).flat_map(move |i| after(i, order).into_iter().map(move |b| (order[i], b)))
            })
            .map(|(a, b)| (usize::from(a), usize::from(b)))
            .collect();
        let fr = rf.iter().flat_map(|(w, r)| mo.iter().filter(move |(a, _)| a == w).map(move |(_, b)| (*r, *b)));
        let fr: Vec<(usize, usize)> = fr.filter(|(r, w)| r != w).collect();
        let mut eco = BitMatrix::from_pairs(n, fr.into_iter().chain(mo.iter().copied()).chain(rf.iter().copied()));
        eco.close_transitively();
        Relations { mo: BitMatrix::from_pairs(n, mo), hb, eco }
    }

    /// EW(t) = { w ∈ Wr ∩ D | ∃ e ∈ D. tid(e) = t ∧ (w, e) ∈ eco?; hb? }
    fn encountered(&self, r: &Relations, thread: usize) -> BitSet {
        let n = self.actions.len();
        let mut found = BitSet::new(n);
        let own = |e: &usize| self.actions[*e].thread == Some(thread as u16);
        for e in (0..n).filter(own) {
            for middle in (0..n).filter(|m| *m == e || r.hb.contains(*m, e)) {
                for w in (0..n).filter(|w| *w == middle || r.eco.contains(*w, middle)) {
                    if self.actions[w].written.is_some() {
                        found.insert(w);
                    }
                }
            }
        }
        found
    }

    /// OW(t) = { w ∈ Wr ∩ D | ∀ w' ∈ EW(t). (w, w') ∉ mo }
    fn observable(&self, r: &Relations, thread: usize) -> BitSet {
        let encountered = self.encountered(r, thread);
        let n = self.actions.len();
        let free = |w: &usize| self.actions[*w].written.is_some() && encountered.iter().all(|e| !r.mo.contains(*w, e));
        BitSet::from_members(n, (0..n).filter(free))
    }

    /// CW = { w ∈ Wr ∩ D | ∃ u ∈ U. (w, u) ∈ rf }
    fn covered(&self, w: usize) -> bool {
        self.actions.iter().any(|u| u.written.is_some() && u.source == Some(w as u16))
    }

    fn choices(&self, thread: usize, var: usize, covered: bool, out: &mut Vec<Choice>) {
        let observable = self.observable(&self.relations(), thread);
        for w in self.orders[var].iter().map(|w| usize::from(*w)).filter(|w| observable.contains(*w)) {
            if let Some(Written { value, origin }) = self.actions[w].written.filter(|_| covered || !self.covered(w)) {
                out.push(Choice { at: w as u32, value, origin });
            }
        }
    }

    fn add(&mut self, action: Action) -> u16 {
        self.actions.push(action);
        (self.actions.len() - 1) as u16
    }

    /// Puts a write right after another in modification order.
    fn order_after(&mut self, var: usize, at: u32, new: u16) {
        let order = &mut self.orders[var];
        let position = order.iter().position(|w| u32::from(*w) == at).map_or(order.len(), |p| p + 1);
        order.insert(position, new);
    }
}

impl Memory for Graph {
    type State = GraphState;

    fn initial(&self) -> GraphState {
        let initial = |(var, value): (usize, &u64)| Action {
            thread: None,
            var: var as u16,
            source: None,
            written: Some(Written { value: *value, origin: 0 }),
            acquire: false,
            release: false,
        };
        let actions: Vec<Action> = self.init.iter().enumerate().map(initial).collect();
        GraphState { orders: (0..actions.len()).map(|w| vec![w as u16]).collect(), actions }
    }

    fn reads(&self, s: &GraphState, thread: usize, var: usize, out: &mut Vec<Choice>) {
        s.choices(thread, var, true, out);
    }

    fn writes(&self, s: &GraphState, thread: usize, var: usize, out: &mut Vec<Choice>) {
        s.choices(thread, var, false, out);
    }

    fn updates(&self, s: &GraphState, thread: usize, var: usize, out: &mut Vec<Choice>) {
        s.choices(thread, var, false, out);
    }

    fn read(&self, s: &mut GraphState, thread: usize, var: usize, at: u32, acquire: bool) {
        let (thread, var, source) = (Some(thread as u16), var as u16, Some(at as u16));
        s.add(Action { thread, var, source, written: None, acquire, release: false });
    }

    fn write(&self, s: &mut GraphState, thread: usize, var: usize, at: u32, written: Written, release: bool) {
        let thread = Some(thread as u16);
        let action = Action { thread, var: var as u16, source: None, written: Some(written), acquire: false, release };
        let new = s.add(action);
        s.order_after(var, at, new);
    }

    fn update(&self, s: &mut GraphState, thread: usize, var: usize, at: u32, written: Written, order: MemoryOrder) {
        let (acquire, release) = (order.acquires(), order.releases());
        let (thread, source) = (Some(thread as u16), Some(at as u16));
        let new = s.add(Action { thread, var: var as u16, source, written: Some(written), acquire, release });
        s.order_after(var, at, new);
    }

    fn aware(&self, s: &GraphState, thread: usize, var: usize, aware: Aware, out: &mut Vec<Seen>) {
        let relations = s.relations();
        let set = match aware {
            Aware::Observable => s.observable(&relations, thread),
            Aware::Encountered => s.encountered(&relations, thread),
        };
        for w in s.orders[var].iter().map(|w| usize::from(*w)).filter(|w| set.contains(*w)) {
            if let Some(Written { value, origin }) = s.actions[w].written {
                out.push(Seen { value, released: s.actions[w].release, covered: s.covered(w), origin });
            }
        }
    }

    fn last(&self, s: &GraphState, var: usize) -> u64 {
        let last = s.orders[var].last().and_then(|w| s.actions[usize::from(*w)].written);
        last.map_or(0, |written| written.value)
    }

    fn n_kept(&self, s: &GraphState, var: usize) -> usize {
        s.orders[var].len()
    }

    fn renamed(&self, s: &GraphState, renaming: &Renaming) -> GraphState {
        let mut new = s.clone();
        for action in &mut new.actions {
            let var = usize::from(action.var);
            action.written = action.written.map(|written| renaming.written(var, written));
            action.thread = action.thread.map(|thread| renaming.threads[usize::from(thread)] as u16);
            action.var = renaming.vars[var] as u16;
        }
        for (var, order) in s.orders.iter().enumerate() {
            new.orders[renaming.vars[var]].clone_from(order);
        }
        // Initial writes come first, in the order of their variables.
        let n = s.orders.len();
        let place = |a: u16| if usize::from(a) < n { renaming.vars[usize::from(a)] as u16 } else { a };
        let initial: Vec<Action> = new.actions[..n].to_vec();
        initial.into_iter().for_each(|action| new.actions[usize::from(action.var)] = action);
        new.actions.iter_mut().for_each(|action| action.source = action.source.map(place));
        new.orders.iter_mut().flatten().for_each(|a| *a = place(*a));
        new
    }

    /// Actions by thread: in which order those of different threads came is no part of the state.
    fn encode(&self, s: &GraphState, out: &mut Vec<u8>) {
        let mut by_thread: Vec<usize> = (0..s.actions.len()).collect();
        by_thread.sort_by_key(|a| s.actions[*a].thread);
        let mut place = vec![0; s.actions.len()];
        by_thread.iter().enumerate().for_each(|(i, a)| place[*a] = i as u64);
        put(s.actions.len() as u64, out);
        for a in by_thread {
            let action = &s.actions[a];
            put(action.thread.map_or(0, |t| u64::from(t) + 1), out);
            put(u64::from(action.var), out);
            put(action.source.map_or(0, |w| place[usize::from(w)] + 1), out);
            let writes = action.written.is_some();
            out.push(u8::from(action.acquire) | u8::from(action.release) << 1 | u8::from(writes) << 2);
            put(action.written.map_or(0, |w| w.value), out);
        }
        for order in &s.orders {
            put(order.len() as u64, out);
            order.iter().for_each(|w| put(place[usize::from(*w)], out));
        }
    }

    fn decode(&self, bytes: &mut Bytes<'_>, s: &mut GraphState) {
        s.actions.clear();
        for _ in 0..bytes.get() {
            let thread = bytes.get().checked_sub(1).map(|t| t as u16);
            let var = bytes.get() as u16;
            let source = bytes.get().checked_sub(1).map(|w| w as u16);
            let flags = bytes.get();
            let value = bytes.get();
            s.actions.push(Action {
                thread,
                var,
                source,
                written: (flags & 4 != 0).then_some(Written { value, origin: 0 }),
                acquire: flags & 1 != 0,
                release: flags & 2 != 0,
            });
        }
        for order in &mut s.orders {
            order.clear();
            let len = bytes.get();
            order.extend((0..len).map(|_| bytes.get() as u16));
        }
    }
}
