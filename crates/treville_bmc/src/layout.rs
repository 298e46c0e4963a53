//! A layout of memory that a solution has chosen, beside the one that all engines share: addresses from one to the other.

use treville_base::IndexVec;
use treville_event::Cell;
use treville_ir::{ObjectId, Program};
use treville_term::Bv;
use treville_unfold::ADDRESS_BITS;

/// Where a solution has objects.
pub(crate) struct Layout {
    /// The program with these addresses.
    pub(crate) program: Program,
    /// Those of the layout that engines share.
    shared: IndexVec<ObjectId, u64>,
}

impl Layout {
    pub(crate) fn new(program: &Program, addresses: IndexVec<ObjectId, u64>) -> Layout {
        let mut program = program.clone();
        let shared = program.objects.iter().map(|object| object.address).collect();
        for (object, address) in program.objects.iter_mut().zip(&addresses) {
            object.address = *address;
        }
        Layout { program, shared }
    }

    /// The place that is at this address here.
    fn shared(&self, address: u64) -> u64 {
        self.program.object_at(address).map_or(address, |(object, offset)| self.shared[object] + offset)
    }

    pub(crate) fn shared_cell(&self, cell: Cell) -> Cell {
        Cell { address: self.shared(cell.address), ..cell }
    }

    /// A value, and if it is an address here, the one that engines share.
    pub(crate) fn shared_value(&self, value: Bv) -> Bv {
        match u64::try_from(value.unsigned()) {
            Ok(address) if !value.is_thin_air() && value.width() > ADDRESS_BITS => {
                Bv::new(u128::from(self.shared(address)), value.width())
            }
            _ => value,
        }
    }
}
