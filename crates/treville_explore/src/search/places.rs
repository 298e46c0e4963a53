//! Accesses at an unknown address to memory that others can reach.
//!
//! **One location.** What an execution graph says of an access it says of its location, so in general the address is decided: one
//! way for each that is possible, which is in some object. If it may be in none, that is a violation, and the only way.
//!
//! **All elements.** No location is needed where nobody else is there: if all writes to an array happen before a load of
//! an element of it or after that, the load can only read the last one before, whichever element it is. Then it is a *selection*:
//! an event that has no location, and whose value is a term, the element that has the address. An array is taken to be
//! like that (*settled*) until a write to it turns out to be at the same time as a selection; then everything starts
//! anew, and the array is accessed at one location after the other. Nothing is lost before: of an execution with such a write, what
//! leads to the first one is an execution without. Whether a load is a selection depends on nothing but what happens before it,
//! so that it is added again as it was.
//!
//! Loads that are seq_cst take part in an order of their own, and are no selections; nor is anything under a model that a judge knows.

use super::execution::Execution;
use super::stop::Stop;
use super::symbolic::Symbolic;
use super::threads::Threads;
use super::{Move, Search};
use crate::assumptions::Retraction;
use crate::graph::{INIT, Kind, Label};
use crate::memory::initial;
use crate::rules::Coherence;
use treville_bytecode::{Array, Shared, SiteId, SiteKind, address, names_thread, term_of};
use treville_ir::Failure;
use treville_task::Reduction;
use treville_term::{BinOp, Bv, TermId, UnOp};

/// How many places an access may have.
const MOST_PLACES: usize = 1 << 12;

/// Of larger arrays, the location is decided.
const MOST_ELEMENTS: u64 = 1 << 12;

/// Begin and size of an object.
type Extent = (u64, u64);

/// Where an access can go.
#[derive(PartialEq)]
enum Reach {
    /// To no object, for instance there.
    Outside(u64),
    /// To some element of a settled array.
    Element(Array),
    /// To these addresses.
    Places(Vec<u64>),
}

impl Search<'_, '_> {
    /// Adds what an access at an unknown address needs to go on: the address, or of a load the value.
    pub(super) fn locate(&mut self, thread: u16, site: SiteId, addr: u64) -> Result<Move, Stop> {
        let path = self.execution.decided(|_| true);
        let reach = self.symbolic.reach(&self.execution, &self.threads, thread, site, addr, &path)?;
        if let Some(without) = self.execution.without_assumptions(thread, &path)
            && self.symbolic.reach(&self.execution, &self.threads, thread, site, addr, &without)? != reach
        {
            return Err(Stop::Retract(Retraction::Assumed));
        }
        let values = match reach {
            Reach::Outside(at) => vec![at],
            Reach::Places(values) => values,
            Reach::Element(array) => match self.execution.elements(thread, array)? {
                Some(values) => return self.select(thread, site, addr, array, &values),
                None => self.symbolic.range(&self.execution, &path, addr)?,
            },
        };
        let term = self.code.narrowed(addr);
        self.decide_among(thread, Some(site), term, Kind::Decision, (&values, MOST_PLACES))
    }

    /// Adds a load of some element.
    fn select(&mut self, thread: u16, site: SiteId, addr: u64, array: Array, values: &[u64]) -> Result<Move, Stop> {
        let Some(symbols) = self.code.image.symbols() else { return Ok(Move::Back) };
        if self.code.assumptions.symmetry && values.iter().any(|value| names_thread(*value)) {
            return Err(Stop::Retract(Retraction::Asymmetric));
        }
        let value = symbols.element(addr, array, values);
        self.threads.answer(&self.execution, thread, value);
        let label = self.execution.event(thread, Kind::Selection, value);
        self.push(Label { site: Some(site), promise: term_of(addr).0, ..label });
        self.symbolic.note_selection();
        Ok(Move::Go)
    }
}

impl Symbolic {
    fn reach(
        &mut self,
        execution: &Execution<'_>,
        threads: &Threads,
        thread: u16,
        site: SiteId,
        addr: u64,
        path: &[TermId],
    ) -> Result<Reach, Stop> {
        if !execution.code.looks_for(Failure::InvalidAccess) {
            return Ok(Reach::Places(self.range(execution, path, addr)?));
        }
        let size = execution.code.image.site(site).size;
        let mut objects = threads.objects_of(execution, thread, term_of(addr));
        let mut outside = execution.outside(addr, size, &objects);
        let mut computed = true;
        if self.solve(path, outside)?.is_some() {
            (objects, computed) = (threads.objects(execution, thread), false);
            outside = execution.outside(addr, size, &objects);
            if self.solve(path, outside)?.is_some() {
                let path: Vec<TermId> = path.iter().copied().chain([outside]).collect();
                let values = self.smallest_values(execution, path)?;
                let at = self.value(term_of(addr), &values);
                return Ok(Reach::Outside(at));
            }
        }
        // What the address is not computed from, [`Symbolic::check_settled`] does not find again.
        if let [object] = objects[..]
            && computed
            && let Some(array) = execution.array(site, object)
            && self.is_element(execution, path, addr, array)?
        {
            return Ok(Reach::Element(array));
        }
        Ok(Reach::Places(self.range(execution, path, addr)?))
    }

    /// The addresses that a word can stand for.
    pub(super) fn range(&mut self, execution: &Execution<'_>, path: &[TermId], addr: u64) -> Result<Vec<u64>, Stop> {
        self.values(path, execution.code.narrowed(addr), MOST_PLACES)
    }

    fn is_element(
        &mut self,
        execution: &Execution<'_>,
        path: &[TermId],
        addr: u64,
        array: Array,
    ) -> Result<bool, Stop> {
        let Some(symbols) = execution.code.image.symbols() else { return Ok(false) };
        let is = symbols.is_element(addr, array);
        if let Some(is) = symbols.known(is) {
            return Ok(is != 0);
        }
        let is_not = symbols.lock().equals(term_of(is), 0);
        Ok(self.solve(path, is_not)?.is_none())
    }
}

impl Threads {
    /// All objects that a thread can have an address of.
    pub(super) fn objects(&self, execution: &Execution<'_>, thread: u16) -> Vec<Extent> {
        let threads = 0..execution.graph.threads.len() as u32;
        let text = execution.code.program.objects.iter().flat_map(|object| {
            let copies = if object.thread_local { threads.clone() } else { 0..0 };
            let shared = (!object.thread_local).then_some(object.address);
            let begins = copies.map(|t| address::local(t, object.address)).chain(shared);
            begins.map(|begin| (begin, object.size))
        });
        let made = execution.graph.made.iter().map(|made| (made.addr, made.size));
        text.chain(made).chain(self.runner(thread).private_objects()).collect()
    }

    /// The objects that an address is computed from.
    pub(super) fn objects_of(&self, execution: &Execution<'_>, thread: u16, addr: TermId) -> Vec<Extent> {
        let Some(symbols) = execution.code.image.symbols() else { return Vec::new() };
        let constants = symbols.lock().constants_of(addr);
        let is_base = |(begin, len): &Extent| constants.iter().any(|c| (*begin..begin + len).contains(c));
        self.objects(execution, thread).into_iter().filter(is_base).collect()
    }
}

impl Execution<'_> {
    /// What the elements of an array are for a thread, if all of them are something.
    ///
    /// # Errors
    /// If the array is not settled.
    pub(super) fn elements(&self, thread: u16, array: Array) -> Result<Option<Vec<u64>>, Stop> {
        let Some(mut values) = self.first_values(thread, array)? else { return Ok(None) };
        let unsettled = || Err(Stop::Retract(Retraction::Unsettled(array.begin)));
        let (begin, last) = (array.begin, self.graph.last_of(thread));
        let end = begin + array.len * u64::from(array.size);
        for (place, location) in self.locations.places.iter().zip(&self.graph.locations) {
            if place.addr + u64::from(place.size) <= begin || end <= place.addr {
                continue;
            }
            let at = place.addr.wrapping_sub(begin);
            if place.size != array.size || at % u64::from(array.size) != 0 {
                return unsettled();
            }
            if !location.writes.iter().all(|w| self.graph.hb(*w, last)) {
                return unsettled();
            }
            if let Some(write) = location.writes.last() {
                values[(at / u64::from(array.size)) as usize] = Some(self.graph.label(*write).value);
            }
        }
        Ok(values.into_iter().collect())
    }

    /// That an access is in none of these objects.
    pub(super) fn outside(&self, addr: u64, size: u8, objects: &[Extent]) -> TermId {
        let Some(symbols) = self.code.image.symbols() else { return term_of(addr) };
        let mut shared = symbols.lock();
        let addr = shared.wide(addr);
        let fits = objects.iter().filter(|(_, len)| *len >= u64::from(size));
        let inside: Vec<TermId> =
            fits.map(|(begin, len)| within(&mut shared, addr, *begin, len - u64::from(size))).collect();
        let none = shared.store.constant(Bv::bool(false));
        let inside = inside.into_iter().fold(none, |all, one| shared.store.bin(BinOp::Or, all, one));
        shared.store.un(UnOp::Not, inside)
    }

    /// An object as an array of what a load reads, if that may be a selection.
    pub(super) fn array(&self, site: SiteId, (begin, len): Extent) -> Option<Array> {
        let (mode, site) = (self.code.modes(site).read, self.code.image.site(site));
        let selects = self.code.options.reductions.has(Reduction::Selection)
            && matches!(site.kind, SiteKind::Load(_))
            && site.parts.is_empty()
            && !mode.seq_cst()
            && !self.code.judged
            && self.code.rules.coherence == Coherence::HappensBefore;
        let (size, len) = (site.size, len / u64::from(site.size));
        let is_array = (1..=MOST_ELEMENTS).contains(&len) && !self.code.assumptions.unsettled.contains(&begin);
        (selects && is_array).then_some(Array { begin, size, len })
    }

    /// What the elements are before anybody has written them; nothing where that must not be read. None of all if the object
    /// is no such array for the thread.
    pub(super) fn first_values(&self, thread: u16, array: Array) -> Result<Option<Vec<Option<u64>>>, Stop> {
        let Array { begin, size, len } = array;
        if let Some(made) = self.graph.made.iter().find(|made| made.addr == begin) {
            let last = self.graph.last_of(thread);
            let lives = made.free == INIT || !self.graph.hb(made.free, last);
            if self.code.has_hazards() || lives && made.free != INIT {
                return Err(Stop::Retract(Retraction::Unsettled(begin)));
            }
            let usable = lives && self.graph.hb(made.alloc, last);
            return Ok(usable.then(|| vec![made.zeroed.then_some(0); len as usize]));
        }
        let object = self.code.program.object_at(address::local_origin(begin).unwrap_or(begin)).map(|(id, _)| id);
        let object = object.filter(|id| !self.code.program.objects[*id].uninitialized);
        let first =
            |id| array.elements().map(move |at| Some(self.code.initial(initial(self.code.program, id, at, size))));
        Ok(object.map(|id| first(id).collect()))
    }
}

/// That an address is at least `begin`, and not further from it than `most`.
fn within(shared: &mut Shared, addr: TermId, begin: u64, most: u64) -> TermId {
    let begin = shared.number(begin);
    let offset = shared.store.bin(BinOp::Sub, addr, begin);
    let most = shared.number(most);
    shared.store.bin(BinOp::ULe, offset, most)
}
