//! Locations: which accesses touch the same memory, and which object they belong to. Their numbers, and those of threads,
//! are the same in every graph and for everyone who explores the same program.

use crate::graph::LocId;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use treville_bytecode::{SiteId, address};
use treville_ir::{Expr, ObjectId, Program};
use treville_task::Child;

/// What an address belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Owner {
    /// An object of the program's text (of this thread, if it is thread-local).
    Static(ObjectId),
    /// The allocation of a thread with this number.
    Made {
        thread: u32,
        number: u32,
    },
    Nothing,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) addr: u64,
    pub(crate) size: u8,
    pub(crate) owner: Owner,
    /// The value that it has at the start, of a static object.
    pub(crate) init: u64,
    /// Where it was first accessed, and which byte of that access it begins at.
    pub(crate) site: SiteId,
    pub(crate) at: u8,
}

/// The bytes that an access has.
pub(crate) type Extent = (u64, u8);

/// All numbers given so far. They are never taken back.
#[derive(Default)]
pub(crate) struct Numbers(Mutex<Table>);

#[derive(Default)]
struct Table {
    by_address: Addresses,
    places: Vec<Place>,
    /// Threads by who started them and as which one; the first ones are there from the start.
    children: HashMap<(u16, u32), u16>,
    threads: u16,
    /// Of locations in programs with accesses to several, the bytes of the accesses to them.
    extents: HashMap<LocId, Extent>,
}

impl Numbers {
    /// For a program that starts with so many threads, and in which some others have numbers already.
    pub(crate) fn new(threads: u16, children: &[(Child, u16)]) -> Self {
        let threads = children.iter().map(|(_, number)| number + 1).fold(threads, u16::max);
        let children = children.iter().copied().collect();
        Numbers(Mutex::new(Table { threads, children, ..Table::default() }))
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn threads(&self) -> u16 {
        self.table().threads
    }

    /// The numbers of threads that others have started.
    pub(crate) fn children(&self) -> Vec<(Child, u16)> {
        let mut all: Vec<(Child, u16)> =
            self.table().children.iter().map(|(child, number)| (*child, *number)).collect();
        all.sort_unstable();
        all
    }

    /// The thread that another starts as its n-th.
    pub(crate) fn child(&self, parent: u16, n: u32) -> u16 {
        let mut table = self.table();
        let next = table.threads;
        let child = *table.children.entry((parent, n)).or_insert(next);
        table.threads = table.threads.max(child + 1);
        child
    }
}

/// What one who explores knows of the locations.
pub(crate) struct Locations {
    numbers: Arc<Numbers>,
    by_address: Addresses,
    /// For each site, its last access: most sites stay with one location.
    recent: Vec<(u64, LocId)>,
    pub(crate) places: Vec<Place>,
    extents: HashMap<LocId, Extent>,
    /// Of each allocation, its locations.
    pub(crate) of_made: HashMap<(u32, u32), Vec<LocId>>,
}

/// Two accesses overlap without being the same.
pub(crate) struct Overlap {
    pub(crate) addr: u64,
    pub(crate) size: u8,
    /// Of the access that came first, and which byte of it these begin at.
    pub(crate) site: SiteId,
    pub(crate) at: u8,
}

impl Overlap {
    fn with(place: &Place) -> Self {
        Overlap { addr: place.addr, size: place.size, site: place.site, at: place.at }
    }
}

/// The bytes of an access at which another one begins or ends, as bits.
pub(crate) fn cuts((addr, size): Extent, (other, other_size): Extent) -> u16 {
    let inside = |at: u64| at.checked_sub(addr).filter(|at| 0 < *at && *at < u64::from(size));
    let cuts = [other, other + u64::from(other_size)].into_iter().filter_map(inside);
    cuts.fold(0, |cuts, at| cuts | 1 << at)
}

impl Locations {
    pub(crate) fn new(numbers: Arc<Numbers>, n_sites: usize) -> Self {
        let recent = vec![(u64::MAX, 0); n_sites];
        let (by_address, extents, of_made) = (Addresses::default(), HashMap::new(), HashMap::new());
        Locations { numbers, by_address, recent, places: Vec::new(), extents, of_made }
    }

    /// The location of an access that was met.
    pub(crate) fn known(&self, addr: u64, size: u8) -> Option<LocId> {
        self.by_address.get(&addr).copied().filter(|loc| self.places[*loc as usize].size == size)
    }

    pub(crate) fn find(&mut self, program: &Program, site: SiteId, addr: u64, size: u8) -> Result<LocId, Overlap> {
        let recent = &self.recent[site.0 as usize];
        if recent.0 == addr {
            return Ok(recent.1);
        }
        let loc = self.find_part(program, site, 0, addr, size)?;
        self.recent[site.0 as usize] = (addr, loc);
        Ok(loc)
    }

    /// The same for the part of an access that begins at this byte of it.
    pub(crate) fn find_part(
        &mut self,
        program: &Program,
        site: SiteId,
        at: u8,
        addr: u64,
        size: u8,
    ) -> Result<LocId, Overlap> {
        let loc = match self.by_address.get(&addr) {
            Some(loc) => *loc,
            None => {
                self.numbers.table().find(program, (site, at), addr, size)?;
                self.catch_up();
                self.by_address[&addr]
            }
        };
        let place = &self.places[loc as usize];
        if place.size != size { Err(Overlap::with(place)) } else { Ok(loc) }
    }

    /// Notes which bytes an access to a location has. False if another one has others.
    pub(crate) fn note_extent(&mut self, loc: LocId, extent: Extent) -> bool {
        let numbers = &self.numbers;
        let known = self.extents.entry(loc).or_insert_with(|| *numbers.table().extents.entry(loc).or_insert(extent));
        *known == extent
    }

    /// Learns what others have met.
    pub(crate) fn catch_up(&mut self) {
        let table = self.numbers.table();
        for place in &table.places[self.places.len()..] {
            let loc = self.places.len() as LocId;
            if let Owner::Made { thread, number } = place.owner {
                self.of_made.entry((thread, number)).or_default().push(loc);
            }
            self.by_address.insert(place.addr, loc);
            self.places.push(*place);
        }
    }
}

impl Table {
    /// Makes sure that an access has its location.
    fn find(&mut self, program: &Program, (site, at): (SiteId, u8), addr: u64, size: u8) -> Result<(), Overlap> {
        if self.by_address.contains_key(&addr) {
            return Ok(());
        }
        let near = addr.saturating_sub(7)..addr.saturating_add(u64::from(size));
        for other in near.filter_map(|a| self.by_address.get(&a)) {
            let place = &self.places[*other as usize];
            // Addresses may lie near the end of memory.
            let overlaps = if place.addr < addr {
                addr - place.addr < u64::from(place.size)
            } else {
                place.addr - addr < u64::from(size)
            };
            if overlaps {
                return Err(Overlap::with(place));
            }
        }
        let owner = owner(program, addr, size);
        let init = match owner {
            Owner::Static(object) => initial(program, object, addr, size),
            _ => 0,
        };
        self.by_address.insert(addr, self.places.len() as LocId);
        self.places.push(Place { addr, size, owner, init, site, at });
        Ok(())
    }
}

type Addresses = HashMap<u64, LocId, BuildHasherDefault<AddressHasher>>;

/// Addresses are few and the program's own: one multiplication scatters them.
#[derive(Default)]
pub(crate) struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|b| self.write_u64(u64::from(*b)));
    }

    fn write_u64(&mut self, word: u64) {
        let mixed = (self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 32);
    }
}

fn owner(program: &Program, addr: u64, size: u8) -> Owner {
    if let Some((thread, number)) = address::heap_object(addr) {
        return Owner::Made { thread, number };
    }
    let origin = address::local_origin(addr).unwrap_or(addr);
    match program.object_at(origin) {
        Some((object, offset)) if offset + u64::from(size) <= program.objects[object].size => Owner::Static(object),
        _ => Owner::Nothing,
    }
}

/// The bytes of a static object before the program runs.
pub(crate) fn initial(program: &Program, object: ObjectId, addr: u64, size: u8) -> u64 {
    let object = &program.objects[object];
    let origin = address::local_origin(addr).unwrap_or(addr);
    let offset = origin - object.address;
    let mut bytes = [0; 8];
    let from = object.init.partition_point(|cell| cell.offset + u64::from(cell.size) <= offset);
    for cell in object.init[from..].iter().take_while(|cell| cell.offset < offset + 8) {
        let value = constant(program, &cell.value);
        for i in 0..u64::from(cell.size.min(8)) {
            if let Some(byte) = (cell.offset + i).checked_sub(offset).and_then(|at| bytes.get_mut(at as usize)) {
                *byte = (value >> (8 * i)) as u8;
            }
        }
    }
    let spare = 64 - 8 * u32::from(size.clamp(1, 8));
    (u64::from_le_bytes(bytes) << spare) >> spare
}

/// The value of an expression without registers.
pub(crate) fn constant(program: &Program, e: &Expr) -> u64 {
    match e {
        Expr::Const(v) => v.unsigned() as u64,
        Expr::Addr(object, offset) => program.objects[*object].address.wrapping_add_signed(*offset),
        // A pointer in a narrower register.
        Expr::Cast(_, width, inner) if *width < 64 => constant(program, inner) & ((1 << width) - 1),
        Expr::Cast(_, _, inner) => constant(program, inner),
        _ => 0,
    }
}
