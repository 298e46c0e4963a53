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

use super::{Move, Search, Stop};
use crate::graph::{Graph, INIT, Kind, Label, NO_LOC, NO_PROMISE};
use crate::memory::initial;
use crate::path::Values;
use crate::rules::{Coherence, Mode};
use treville_ir::Failure;
use treville_task::Reduction;
use treville_term::{BinOp, Bv, TermId, UnOp};
use treville_vm::bytecode::{Array, Shared, SiteId, SiteKind, address, names_thread, term_of};

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
        let path = self.decided(|_| true);
        let reach = self.reach(thread, site, addr, &path)?;
        if let Some(without) = self.without_assumptions(thread, &path)
            && self.reach(thread, site, addr, &without)? != reach
        {
            return Err(Stop::Assumed);
        }
        let values = match reach {
            Reach::Outside(at) => vec![at],
            Reach::Places(values) => values,
            Reach::Element(array) => match self.elements(thread, array)? {
                Some(values) => return self.select(thread, site, addr, array, &values),
                None => self.range(&path, addr)?,
            },
        };
        let term = self.narrowed(addr);
        self.decide_among(thread, Some(site), term, Kind::Decision, (&values, MOST_PLACES))
    }

    fn reach(&mut self, thread: u16, site: SiteId, addr: u64, path: &[TermId]) -> Result<Reach, Stop> {
        if !self.options.properties.contains(&Failure::InvalidAccess) {
            return Ok(Reach::Places(self.range(path, addr)?));
        }
        let size = self.image.site(site).size;
        let mut objects = self.objects_of(thread, term_of(addr));
        let mut outside = self.outside(addr, size, &objects);
        let mut computed = true;
        if self.solve(path, outside)?.is_some() {
            (objects, computed) = (self.objects(thread), false);
            outside = self.outside(addr, size, &objects);
            if self.solve(path, outside)?.is_some() {
                let path: Vec<TermId> = path.iter().copied().chain([outside]).collect();
                let values = self.smallest_values(path)?;
                let at = self.paths.as_ref().map_or(0, |paths| paths.value(term_of(addr), &values));
                return Ok(Reach::Outside(at));
            }
        }
        // What the address is not computed from, [`Self::check_settled`] does not find again.
        if let [object] = objects[..]
            && computed
            && let Some(array) = self.array(site, object)
            && self.is_element(path, addr, array)?
        {
            return Ok(Reach::Element(array));
        }
        Ok(Reach::Places(self.range(path, addr)?))
    }

    /// The addresses that a word can stand for.
    fn range(&mut self, path: &[TermId], addr: u64) -> Result<Vec<u64>, Stop> {
        let term = self.narrowed(addr);
        let Some(paths) = &mut self.paths else { return Ok(Vec::new()) };
        Ok(paths.range(path, term, MOST_PLACES)?)
    }

    fn solve(&mut self, path: &[TermId], condition: TermId) -> Result<Option<Values>, Stop> {
        let Some(paths) = &mut self.paths else { return Ok(None) };
        Ok(paths.solve(path, condition)?)
    }

    /// All objects that a thread can have an address of.
    fn objects(&self, thread: u16) -> Vec<Extent> {
        let threads = 0..self.graph.threads.len() as u32;
        let text = self.program.objects.iter().flat_map(|object| {
            let copies = if object.thread_local { threads.clone() } else { 0..0 };
            let shared = (!object.thread_local).then_some(object.address);
            let begins = copies.map(|t| address::local(t, object.address)).chain(shared);
            begins.map(|begin| (begin, object.size))
        });
        let made = self.graph.made.iter().map(|made| (made.addr, made.size));
        text.chain(made).chain(self.threads[usize::from(thread)].runner.private_objects()).collect()
    }

    /// The objects that an address is computed from.
    fn objects_of(&self, thread: u16, addr: TermId) -> Vec<Extent> {
        let Some(symbols) = self.image.symbols() else { return Vec::new() };
        let constants = symbols.lock().constants_of(addr);
        let is_base = |(begin, len): &Extent| constants.iter().any(|c| (*begin..begin + len).contains(c));
        self.objects(thread).into_iter().filter(is_base).collect()
    }

    /// That an access is in none of these objects.
    fn outside(&self, addr: u64, size: u8, objects: &[Extent]) -> TermId {
        let Some(symbols) = self.image.symbols() else { return term_of(addr) };
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
    fn array(&self, site: SiteId, (begin, len): Extent) -> Option<Array> {
        let (mode, site) = (self.modes[site.0 as usize].read, self.image.site(site));
        let selects = self.options.reductions.has(Reduction::Selection)
            && matches!(site.kind, SiteKind::Load(_))
            && site.parts.is_empty()
            && !mode.seq_cst()
            && self.judge.is_none()
            && self.rules.coherence == Coherence::HappensBefore;
        let (size, len) = (site.size, len / u64::from(site.size));
        let is_array = (1..=MOST_ELEMENTS).contains(&len) && !self.unsettled.contains(&begin);
        (selects && is_array).then_some(Array { begin, size, len })
    }

    fn is_element(&mut self, path: &[TermId], addr: u64, array: Array) -> Result<bool, Stop> {
        let Some(symbols) = self.image.symbols() else { return Ok(false) };
        let is = symbols.is_element(addr, array);
        if let Some(is) = symbols.known(is) {
            return Ok(is != 0);
        }
        let is_not = symbols.lock().equals(term_of(is), 0);
        Ok(self.solve(path, is_not)?.is_none())
    }

    /// What the elements of an array are for a thread, if all of them are something.
    ///
    /// # Errors
    /// If the array is not settled.
    fn elements(&mut self, thread: u16, array: Array) -> Result<Option<Vec<u64>>, Stop> {
        let Some(mut values) = self.first_values(thread, array)? else { return Ok(None) };
        let unsettled = || Err(Stop::Unsettled(array.begin));
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

    /// What the elements are before anybody has written them; nothing where that must not be read. None of all if the object
    /// is no such array for the thread.
    fn first_values(&self, thread: u16, array: Array) -> Result<Option<Vec<Option<u64>>>, Stop> {
        let Array { begin, size, len } = array;
        if let Some(made) = self.graph.made.iter().find(|made| made.addr == begin) {
            let last = self.graph.last_of(thread);
            let lives = made.free == INIT || !self.graph.hb(made.free, last);
            if self.has_hazards() || lives && made.free != INIT {
                return Err(Stop::Unsettled(begin));
            }
            let usable = lives && self.graph.hb(made.alloc, last);
            return Ok(usable.then(|| vec![made.zeroed.then_some(0); len as usize]));
        }
        let object = self.program.object_at(address::local_origin(begin).unwrap_or(begin)).map(|(id, _)| id);
        let object = object.filter(|id| !self.program.objects[*id].uninitialized);
        let first = |id| array.elements().map(move |at| Some(self.initial(initial(self.program, id, at, size))));
        Ok(object.map(|id| first(id).collect()))
    }

    fn has_hazards(&self) -> bool {
        self.image.sites().iter().any(|site| site.protects)
    }

    /// Adds a load of some element.
    fn select(&mut self, thread: u16, site: SiteId, addr: u64, array: Array, values: &[u64]) -> Result<Move, Stop> {
        let Some(symbols) = self.image.symbols() else { return Ok(Move::Back) };
        if self.symmetry && values.iter().any(|value| names_thread(*value)) {
            return Err(Stop::Asymmetric);
        }
        let value = symbols.element(addr, array, values);
        self.threads[usize::from(thread)].runner.give(self.image, value);
        let label = self.blank(thread, Kind::Selection, Mode::RELAXED, NO_LOC, value);
        self.push(Label { site: Some(site), promise: term_of(addr).0, ..label });
        self.selects = true;
        Ok(Move::Go)
    }

    /// # Errors
    /// If a thread changes or frees an object at this address while another may select from it.
    pub(super) fn check_settled(&mut self, thread: u16, addr: u64) -> Result<(), Stop> {
        if !self.selects {
            return Ok(());
        }
        let last = self.graph.last_of(thread);
        for e in 1..self.graph.len() {
            let label = self.graph.label(e);
            if label.kind == Kind::Selection && !self.graph.hb(e, last) {
                let object = self.objects_of(label.thread, TermId(label.promise));
                if let Some((begin, _)) = object.into_iter().find(|(begin, len)| (*begin..begin + len).contains(&addr))
                {
                    return Err(Stop::Unsettled(begin));
                }
            }
        }
        Ok(())
    }

    /// The graph in which selections are reads of the element that variables with these values make them.
    pub(super) fn with_reads(&mut self, values: &Values) -> Result<Graph, Stop> {
        let mut graph = self.graph.clone();
        if !self.selects {
            return Ok(graph);
        }
        for e in (1..graph.len()).filter(|e| graph.label(*e).kind == Kind::Selection).collect::<Vec<_>>() {
            let Label { thread, promise, site, .. } = *graph.label(e);
            let (Some(site), Some(paths)) = (site, &self.paths) else { continue };
            let addr = paths.value(TermId(promise), values);
            let loc = self.location(thread, site, addr)?;
            let n_locations = self.graph.locations.len();
            graph.locations.resize_with(n_locations, Default::default);
            let writes = &graph.locations[loc as usize].writes;
            let rf = writes.iter().rfind(|w| graph.hb(**w, e)).copied().unwrap_or(INIT);
            let mode = self.modes[site.0 as usize].read;
            let label = &mut graph.labels[e as usize];
            (label.kind, label.loc, label.rf, label.mode, label.promise) = (Kind::Read, loc, rf, mode, NO_PROMISE);
            graph.locations[loc as usize].plain += u32::from(!mode.atomic());
        }
        Ok(graph)
    }

    /// Notes what a graph that another one has begun brings with it.
    pub(super) fn look_for_selections(&mut self) {
        self.selects |= self.graph.labels.iter().any(|label| label.kind == Kind::Selection);
    }
}

/// That an address is at least `begin`, and not further from it than `most`.
fn within(shared: &mut Shared, addr: TermId, begin: u64, most: u64) -> TermId {
    let begin = shared.number(begin);
    let offset = shared.store.bin(BinOp::Sub, addr, begin);
    let most = shared.number(most);
    shared.store.bin(BinOp::ULe, offset, most)
}
