//! What the program says: which events happen, what they touch, which values they read and write, who reads from whom, in
//! which order writes come, and which are the last.

use super::{Encoder, pair};
use std::collections::BTreeSet;
use treville_event::{BaseRel, Cell, Kind, Relation};
use treville_ir::{ObjectId, ThreadId};
use treville_sat::Lit;
use treville_term::{Bv, TermId, TermNode, VarId};

impl Encoder<'_> {
    /// `required` must hold; `complete` and `cut` say how threads end.
    pub(crate) fn program(&mut self, required: &[TermId], complete: TermId, cuts: &[TermId]) {
        self.place_objects();
        self.values_read();
        for e in 0..self.events.len() {
            if self.is_stopped() {
                self.happens.push(Lit::FALSE);
                continue;
            }
            let guard = self.events.guard(e);
            let happens = guard.map_or(Lit::TRUE, |guard| self.condition(guard));
            self.happens.push(happens);
        }
        self.join_parts();
        for thread in self.events.threads {
            let made =
                thread.choices.iter().map(|(guard, var, width)| (self.condition(*guard), *var, *width)).collect();
            self.choices.push(made);
        }
        for term in required {
            let held = self.condition(*term);
            self.clause([held]);
        }
        self.complete = self.condition(complete);
        let cuts: Vec<Lit> = cuts.iter().map(|cut| self.condition(*cut)).collect();
        self.cut = self.or(&cuts);
        self.places();
        self.sources();
        self.orders_of_writes();
        self.last_writes();
    }

    /// Whether both events happen.
    pub(super) fn both(&mut self, x: usize, y: usize) -> Lit {
        let (x, y) = (self.happens[x], self.happens[y]);
        self.and(&[x, y])
    }

    /// Values that are read: bits that are the same in all values that a read may return are known.
    fn values_read(&mut self) {
        let reads: Vec<(VarId, u8)> =
            self.events.pre.events.iter().filter_map(|event| Some((event.read?, 8 * event.size))).collect();
        let mut seen = BTreeSet::new();
        // Two events of one update share a variable.
        for (var, width) in reads.into_iter().filter(|(var, _)| seen.insert(*var)) {
            let bits = match self.events.prepared.values_of(var) {
                Some(values) if !values.is_empty() => {
                    let all = values.iter().fold(u128::MAX, |all, v| all & v.unsigned());
                    let some = values.iter().fold(0, |some, v| some | v.unsigned());
                    let known = |i: u8| (all >> i & 1 != 0).then_some(true).or((some >> i & 1 == 0).then_some(false));
                    (0..width).map(|i| known(i).map_or_else(|| self.fresh(), Lit::constant)).collect()
                }
                _ => (0..width).map(|_| self.fresh()).collect(),
            };
            self.bits.bind(var, bits);
        }
        let wholes = self.wholes();
        for (i, (_, var, term)) in wholes.iter().enumerate() {
            let whole = self.term_bits(*term);
            let shared = wholes.iter().enumerate().any(|(j, (_, other, _))| i != j && other == var);
            let bits = if shared { (0..whole.len()).map(|_| self.fresh()).collect() } else { whole };
            if self.bits.lits(*var).is_empty() {
                self.bits.bind(*var, bits);
            }
        }
    }

    /// Reads that are made in parts: the event, the variable for the whole, and the term that puts the parts together.
    fn wholes(&self) -> Vec<(usize, VarId, TermId)> {
        let pre = self.events.pre;
        let in_parts = pre.traces.iter().enumerate().flat_map(|(t, trace)| {
            let thread = ThreadId(t as u32);
            let parts = move |i: usize| pre.parts(thread, i as u32);
            let reads = trace.events.iter().enumerate().filter(move |(i, e)| e.read.is_some() && parts(*i).len() > 1);
            reads.map(move |(i, _)| parts(i).start)
        });
        in_parts.zip(&pre.joined).map(|(e, (var, term))| (e, *var, *term)).collect()
    }

    /// Where two events of an update share a variable, it is put together from the parts of the one that happens.
    fn join_parts(&mut self) {
        for (e, var, term) in self.wholes() {
            let (parts, whole, happens) = (self.term_bits(term), self.bits.lits(var).to_vec(), self.happens[e]);
            self.equal_if(happens, &parts, &whole);
        }
    }

    /// Which cells events touch whose address is computed.
    fn places(&mut self) {
        for e in 0..self.events.len() {
            if self.is_stopped() {
                return;
            }
            let event = &self.events.pre.events[e];
            let (None, Some(address)) = (event.cell, event.address) else { continue };
            let address = self.term_bits(address);
            let mut somewhere = Vec::new();
            for cell in self.events.cells[e].clone() {
                // Events that are neither reads nor writes may lie anywhere in a cell.
                let n_starts = if event.kind == Kind::Opaque { u64::from(cell.size) } else { 1 };
                let mut here = Vec::new();
                for at in 0..n_starts {
                    let value = self.address_bits(cell.address.wrapping_add(at));
                    here.push(self.gates.equal(&address, &value));
                }
                let here = self.or(&here);
                self.touches.insert((e as u32, cell), here);
                somewhere.push(here);
            }
            if self.floating().is_some() {
                self.gates.at_most_one(&somewhere);
            }
            let somewhere = self.or(&somewhere);
            let happens = self.happens[e];
            let unresolved = self.and(&[happens, !somewhere]);
            self.unresolved_accesses.insert(e, unresolved);
        }
        let unresolved_accesses: Vec<Lit> = self.unresolved_accesses.values().copied().collect();
        self.unresolved = self.or(&unresolved_accesses);
        self.out_of_bounds = self.out_of_bounds();
    }

    /// Whether some access lies before or behind all objects.
    fn out_of_bounds(&mut self) -> Lit {
        if self.floating().is_some() {
            return Lit::FALSE;
        }
        let objects = &self.events.prepared.program.objects;
        let end = objects.iter().map(|object| object.address.saturating_add(object.size)).max().unwrap_or(0);
        let start = objects.iter().map(|object| object.address).min().unwrap_or(0);
        let mut out_of_bounds = Vec::new();
        for (e, unresolved) in self.unresolved_accesses.clone() {
            let Some(address) = self.access_at(e).filter(|_| unresolved != Lit::FALSE) else { continue };
            let before = self.gates.unsigned_less(&address, &constant(start.saturating_sub(16)), false);
            let behind = self.gates.unsigned_less(&constant(end), &address, true);
            let outside = self.or(&[before, behind]);
            out_of_bounds.push(self.and(&[unresolved, outside]));
        }
        self.or(&out_of_bounds)
    }

    /// The computed address of a read or write.
    fn access_at(&mut self, e: usize) -> Option<Vec<Lit>> {
        let event = &self.events.pre.events[e];
        let address = event.address.filter(|_| event.kind != Kind::Opaque)?;
        Some(self.term_bits(address))
    }

    /// The places of accesses that touch no cell in the last model, nor any object.
    pub(crate) fn cells_out_of_bounds(&mut self) -> BTreeSet<Cell> {
        let mut cells = BTreeSet::new();
        if self.floating().is_some() {
            return cells;
        }
        for (e, unresolved) in self.unresolved_accesses.clone() {
            let Some(bits) = self.access_at(e).filter(|_| self.is_true(unresolved)) else { continue };
            let address = bits.iter().rev().fold(0, |address, bit| address << 1 | u64::from(self.is_true(*bit)));
            let cell = Cell { address, size: self.events.pre.events[e].size };
            let end = address.checked_add(cell.size.into());
            let objects = &self.events.prepared.program.objects;
            let touches = |end: u64| objects.iter().any(|o| o.address < end && address < o.address + o.size);
            if end.is_some_and(|end| !touches(end)) {
                cells.insert(cell);
            }
        }
        cells
    }

    /// Whether an event that happens touches a cell.
    fn touches(&self, e: usize, cell: Cell) -> Lit {
        let fixed = || Lit::constant(self.events.cells[e].contains(&cell));
        self.touches.get(&(e as u32, cell)).copied().unwrap_or_else(fixed)
    }

    /// Whether two events touch the same cell, if both happen.
    pub(super) fn same_place(&mut self, x: usize, y: usize) -> Lit {
        if self.events.facts.rels[&BaseRel::Loc].must.contains(x, y) {
            return Lit::TRUE;
        }
        let cells: Vec<Cell> =
            self.events.cells[x].iter().copied().filter(|cell| self.events.cells[y].contains(cell)).collect();
        let mut same = Vec::new();
        for cell in cells {
            let both = [self.touches(x, cell), self.touches(y, cell)];
            same.push(self.and(&both));
        }
        self.or(&same)
    }

    /// Whether two events touch the same object, if both happen.
    pub(super) fn same_object(&mut self, x: usize, y: usize) -> Lit {
        let (of_x, of_y) = (self.events.objects(x), self.events.objects(y));
        let mut same = Vec::new();
        for object in of_x.intersection(&of_y) {
            let both = [self.is_in(x, *object), self.is_in(y, *object)];
            same.push(self.and(&both));
        }
        self.or(&same)
    }

    /// Whether an event that happens touches an object.
    fn is_in(&mut self, e: usize, object: ObjectId) -> Lit {
        let program = self.events.prepared.program;
        let here = |cell: &&Cell| program.object_at(cell.address).is_some_and(|(found, _)| found == object);
        let touched: Vec<Lit> = self.events.cells[e].iter().filter(here).map(|cell| self.touches(e, *cell)).collect();
        self.or(&touched)
    }

    fn may(&self, rel: BaseRel) -> &Relation {
        &self.events.facts.rels[&rel].may
    }

    pub(super) fn written(&mut self, e: usize) -> Vec<Lit> {
        let written = self.events.pre.events[e].written;
        written.map_or_else(Vec::new, |term| self.term_bits(term))
    }

    pub(super) fn read(&mut self, e: usize) -> Vec<Lit> {
        let read = self.events.pre.events[e].read;
        let width = 8 * self.events.pre.events[e].size;
        read.map_or_else(Vec::new, |var| self.bits.var(&mut self.gates, var, width).to_vec())
    }

    /// Each read that happens has one source, with its value.
    fn sources(&mut self) {
        let n = self.events.len();
        let mut sources: Vec<Vec<Lit>> = vec![Vec::new(); n];
        let pairs: Vec<(usize, usize)> = self.may(BaseRel::Rf).iter().collect();
        for (w, r) in pairs {
            if self.is_stopped() {
                return;
            }
            let lit = self.fresh();
            self.rf.insert(pair(w, r), lit);
            let (from, to) = (self.happens[w], self.happens[r]);
            self.clause([!lit, from]);
            self.clause([!lit, to]);
            let same = self.same_place(w, r);
            self.clause([!lit, same]);
            let (written, read) = (self.written(w), self.read(r));
            self.equal_if(lit, &written, &read);
            self.pass_on(lit, w, r);
            sources[r].push(lit);
        }
        for (r, sources) in sources.into_iter().enumerate().filter(|(r, _)| self.events.reads(*r)) {
            let happens = self.happens[r];
            let unresolved = self.unresolved_accesses.get(&r).copied().unwrap_or(Lit::FALSE);
            self.clause(sources.iter().copied().chain([!happens, unresolved]));
            self.gates.at_most_one(&sources);
        }
    }

    /// Whether reads get their values from each other in a circle, each write of which only copies what was read: such a value
    /// is out of thin air, and equal to nothing else, whatever its bits are.
    pub(crate) fn thin_air_cycles(&mut self) -> Lit {
        let n = self.events.len();
        // An event that reads and writes is two nodes.
        let written = |w: usize| n + w;
        let mut flow = Relation::new(2 * n);
        for (r, w) in (0..n).flat_map(|r| (0..n).map(move |w| (r, w))) {
            let (Some(var), Some(term)) = (self.events.pre.events[r].read, self.events.pre.events[w].written) else {
                continue;
            };
            if matches!(self.store().node(term), TermNode::Var(v, _) if v == var) && !self.events.is_exclusive(r, w) {
                flow.insert(r, written(w));
            }
        }
        self.may(BaseRel::Rf).iter().for_each(|(w, r)| flow.insert(written(w), r));
        let mut around = flow.transitive_closure().inverse();
        around.intersect_assign(&flow);
        let mut edges = Vec::new();
        for (x, y) in around.iter() {
            let lit = if x < n { self.both(x, y - n) } else { self.rf[&pair(x - n, y)] };
            edges.push((x, y, lit));
        }
        self.cycle(edges)
    }

    /// Writes of one cell come one after the other.
    fn orders_of_writes(&mut self) {
        let known = self.events.facts.rels[&BaseRel::Co].clone();
        let order = self.new_order("co, on events");
        for (x, y) in known.may.iter() {
            if self.is_stopped() {
                return;
            }
            if self.co.contains_key(&pair(x, y)) {
                continue;
            }
            let both = self.both(x, y);
            let same = self.same_place(x, y);
            let ordered = self.and(&[both, same]);
            if !known.may.contains(y, x) {
                self.co.insert(pair(x, y), ordered);
                continue;
            }
            let first = self.fresh();
            let (forth, back) = (self.and(&[ordered, first]), self.and(&[ordered, !first]));
            self.co.insert(pair(x, y), forth);
            self.co.insert(pair(y, x), back);
        }
        // Two writes of one cell are ordered: if neither may come first, they are not both there.
        let ordered = |e: &usize| self.events.prepared.free_co && self.events.writes(*e);
        let writes: Vec<usize> = (0..self.events.len()).filter(ordered).collect();
        for (i, &x) in writes.iter().enumerate() {
            for &y in &writes[i + 1..] {
                let related = known.may.contains(x, y) || known.may.contains(y, x);
                if related || self.events.is_exclusive(x, y) || !self.may(BaseRel::Loc).contains(x, y) {
                    continue;
                }
                let (both, same) = (self.both(x, y), self.same_place(x, y));
                self.clause([!both, !same]);
            }
        }
        // Initial writes come first anyway.
        let among: Vec<(usize, usize, Lit)> = self
            .co
            .iter()
            .map(|(&(x, y), lit)| (x as usize, y as usize, *lit))
            .filter(|(x, ..)| self.events.pre.events[*x].kind != Kind::Init)
            .collect();
        let mut among = among;
        among.sort_unstable();
        for (x, y, lit) in among {
            self.before(order, x, y, lit);
        }
    }

    /// The last write of each observed cell, and its value.
    fn last_writes(&mut self) {
        for cell in self.events.prepared.observed().clone() {
            if self.is_stopped() {
                return;
            }
            let writes: Vec<usize> = (0..self.events.len())
                .filter(|&e| self.events.writes(e) && self.events.cells[e].contains(&cell))
                .collect();
            let mut last = Vec::new();
            for &w in &writes {
                let lit = if writes.len() == 1 { Lit::TRUE } else { self.fresh() };
                let (happens, touches) = (self.happens[w], self.touches(w, cell));
                self.clause([!lit, happens]);
                self.clause([!lit, touches]);
                if self.events.prepared.free_co {
                    for &other in &writes {
                        if let Some(&later) = self.co.get(&pair(w, other)) {
                            self.clause([!lit, !later]);
                        }
                    }
                }
                last.push((w, lit));
            }
            let lits: Vec<Lit> = last.iter().map(|(_, lit)| *lit).collect();
            self.clause(lits.iter().copied());
            self.gates.at_most_one(&lits);
            if !self.events.prepared.free_co && writes.len() > 1 {
                // The initial write is last only if there is no other, as in every order that a model makes.
                let (init, rest) = last.split_at(1);
                for (w, _) in rest {
                    let (happens, touches) = (self.happens[*w], self.touches(*w, cell));
                    self.clause([!init[0].1, !happens, !touches]);
                }
            }
            let value: Vec<Lit> = (0..8 * cell.size).map(|_| self.fresh()).collect();
            for (w, lit) in &last {
                let written = self.written(*w);
                self.equal_if(*lit, &written, &value);
            }
            self.finals.insert(cell, value);
            self.last.insert(cell, last);
        }
    }

    /// The value of a read or a free choice in the last model; of one that nothing depends on, none.
    pub(crate) fn value_of(&self, var: VarId) -> Option<Bv> {
        self.bits.var_value(var, |lit| self.is_true(lit))
    }

    /// Whether an event happens in the last model.
    pub(crate) fn happened(&self, e: usize) -> bool {
        self.is_true(self.happens[e])
    }

    /// The free choices that a thread makes in the last model, in order.
    pub(crate) fn choices_made(&self, thread: ThreadId) -> Vec<Bv> {
        let made = self.choices[thread].iter().filter(|(made, ..)| self.is_true(*made));
        made.map(|(_, var, width)| self.value_of(*var).unwrap_or(Bv::zero(*width))).collect()
    }
}

impl Encoder<'_> {
    /// The free choices of the same threads are the same. None if there are others.
    pub(crate) fn tie_choices(&mut self, other: &Encoder<'_>) -> Option<()> {
        let list = |encoder: &Encoder<'_>| -> Vec<(VarId, u8)> {
            encoder.choices.iter().flatten().map(|(_, var, width)| (*var, *width)).collect()
        };
        let count = |encoder: &Encoder<'_>| encoder.choices.iter().map(Vec::len).collect::<Vec<_>>();
        if count(self) != count(other) {
            return None;
        }
        for ((x, width), (y, of_other)) in list(self).into_iter().zip(list(other)) {
            if width != of_other {
                return None;
            }
            let (x, y) = (self.bits.lits(x).to_vec(), other.bits.lits(y).to_vec());
            self.equal_if(Lit::TRUE, &x, &y);
        }
        Some(())
    }

    /// A clause that the execution of the last model violates, and no other.
    pub(crate) fn unlike_last(&self) -> Vec<Lit> {
        let last = self.last.values().flatten().map(|(_, lit)| lit);
        let edges = self.rf.values().chain(self.co.values()).chain(last);
        let mut clause: Vec<Lit> = edges.filter(|lit| self.is_true(**lit)).map(|lit| !*lit).collect();
        for (made, var, _) in self.choices.iter().flatten().filter(|(made, ..)| self.is_true(*made)) {
            clause.push(!*made);
            clause.extend(self.bits.lits(*var).iter().map(|bit| bit.negated_if(self.is_true(*bit))));
        }
        if self.floating().is_some() {
            // What happens may depend on where objects lie.
            clause.extend(self.happens.iter().map(|happens| happens.negated_if(self.is_true(*happens))));
        }
        clause.retain(|lit| *lit != Lit::FALSE);
        clause
    }
}

/// An address as bits.
pub(super) fn constant(address: u64) -> Vec<Lit> {
    (0..64).map(|i| Lit::constant(address >> i & 1 != 0)).collect()
}
