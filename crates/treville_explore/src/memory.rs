//! Locations: which accesses touch the same memory, and which object they belong to.

use crate::graph::LocId;
use std::collections::HashMap;
use treville_ir::{ObjectId, Program};
use treville_vm::bytecode::address;

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
}

/// All locations met so far. They are never forgotten: their numbers are the same in every graph.
#[derive(Default)]
pub(crate) struct Locations {
    by_address: HashMap<u64, LocId>,
    pub(crate) places: Vec<Place>,
    /// Of each allocation, its locations.
    pub(crate) of_made: HashMap<(u32, u32), Vec<LocId>>,
}

/// Two accesses overlap without being the same.
pub(crate) struct Overlap {
    pub(crate) addr: u64,
    pub(crate) size: u8,
}

impl Locations {
    /// The location of an access that was met.
    pub(crate) fn known(&self, addr: u64, size: u8) -> Option<LocId> {
        self.by_address.get(&addr).copied().filter(|loc| self.places[*loc as usize].size == size)
    }

    pub(crate) fn find(&mut self, program: &Program, addr: u64, size: u8) -> Result<LocId, Overlap> {
        if let Some(loc) = self.by_address.get(&addr) {
            let place = self.places[*loc as usize];
            return if place.size == size { Ok(*loc) } else { Err(Overlap { addr: place.addr, size: place.size }) };
        }
        let near = addr.saturating_sub(7)..addr.saturating_add(u64::from(size));
        for other in near.filter_map(|a| self.by_address.get(&a)) {
            let place = self.places[*other as usize];
            if place.addr < addr + u64::from(size) && addr < place.addr + u64::from(place.size) {
                return Err(Overlap { addr: place.addr, size: place.size });
            }
        }
        let loc = self.places.len() as LocId;
        let owner = owner(program, addr, size);
        if let Owner::Made { thread, number } = owner {
            self.of_made.entry((thread, number)).or_default().push(loc);
        }
        let init = match owner {
            Owner::Static(object) => initial(program, object, addr, size),
            _ => 0,
        };
        self.places.push(Place { addr, size, owner, init });
        self.by_address.insert(addr, loc);
        Ok(loc)
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
    for cell in &object.init {
        let value = match &cell.value {
            treville_ir::Expr::Const(v) => v.unsigned(),
            treville_ir::Expr::Addr(o, by) => u128::from(program.objects[*o].address.wrapping_add_signed(*by)),
            _ => 0,
        };
        for i in 0..u64::from(cell.size) {
            if let Some(byte) = (cell.offset + i).checked_sub(offset).and_then(|at| bytes.get_mut(at as usize)) {
                *byte = (value >> (8 * i)) as u8;
            }
        }
    }
    let spare = 64 - 8 * u32::from(size.clamp(1, 8));
    (u64::from_le_bytes(bytes) << spare) >> spare
}
