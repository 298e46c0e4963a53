//! Memory as bytes in objects; an address says which object, and where in it.

use super::Fault;

const OBJECT_BITS: u32 = 20;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Life {
    Global,
    Heap,
    Stack,
    /// Retired; the threads whose hazard pointers protect it, as bits.
    Retired(u8),
    Freed,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Object {
    start: u32,
    size: u32,
    life: Life,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Memory {
    bytes: Vec<u8>,
    written: Vec<bool>,
    objects: Vec<Object>,
}

impl Memory {
    fn add(&mut self, size: u32, life: Life, written: bool) -> u64 {
        let start = self.bytes.len() as u32;
        self.bytes.resize((start + size) as usize, 0);
        self.written.resize((start + size) as usize, written);
        self.objects.push(Object { start, size, life });
        (self.objects.len() as u64) << OBJECT_BITS
    }

    pub(super) fn global(&mut self, size: u32) -> u64 {
        self.add(size, Life::Global, true)
    }

    pub(super) fn stack(&mut self, size: u32) -> u64 {
        self.add(size, Life::Stack, true)
    }

    pub(super) fn allocate(&mut self, size: u32) -> u64 {
        self.add(size, Life::Heap, false)
    }

    fn find(&self, address: u64) -> Option<(usize, u32)> {
        let object = (address >> OBJECT_BITS).checked_sub(1)? as usize;
        (object < self.objects.len()).then_some((object, (address & ((1 << OBJECT_BITS) - 1)) as u32))
    }

    fn range(&self, thread: usize, address: u64, size: u32) -> Result<std::ops::Range<usize>, Fault> {
        let (object, offset) = self.find(address).ok_or(Fault::Memory)?;
        let object = &self.objects[object];
        let alive = match object.life {
            Life::Freed => false,
            Life::Retired(protectors) => protectors & 1 << thread != 0,
            Life::Global | Life::Heap | Life::Stack => true,
        };
        if !alive || offset + size > object.size {
            return Err(Fault::Memory);
        }
        let start = (object.start + offset) as usize;
        Ok(start..start + size as usize)
    }

    pub(super) fn read(&self, thread: usize, address: u64, size: u32) -> Result<u64, Fault> {
        let range = self.range(thread, address, size)?;
        if !self.written[range.clone()].iter().all(|written| *written) {
            return Err(Fault::Memory);
        }
        Ok(self.bytes[range].iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)))
    }

    pub(super) fn write(&mut self, thread: usize, address: u64, size: u32, value: u64) -> Result<(), Fault> {
        let range = self.range(thread, address, size)?;
        for (i, at) in range.enumerate() {
            self.bytes[at] = (value >> (8 * i)) as u8;
            self.written[at] = true;
        }
        Ok(())
    }

    /// Ends the life of what was allocated; `protectors` if it is only retired.
    pub(super) fn end(&mut self, address: u64, protectors: Option<u8>) -> Result<(), Fault> {
        if address == 0 {
            return Ok(());
        }
        let (object, offset) = self.find(address).ok_or(Fault::Memory)?;
        let object = &mut self.objects[object];
        if object.life != Life::Heap || offset != 0 {
            return Err(Fault::Memory);
        }
        object.life = match protectors {
            Some(protectors) if protectors != 0 => Life::Retired(protectors),
            _ => Life::Freed,
        };
        Ok(())
    }

    /// A hazard pointer of a thread no longer says what it said.
    pub(super) fn unprotect(&mut self, thread: usize) {
        for object in &mut self.objects {
            if let Life::Retired(protectors) = object.life {
                let left = protectors & !(1 << thread);
                object.life = if left == 0 { Life::Freed } else { Life::Retired(left) };
            }
        }
    }

    /// The stack of a thread that has ended is gone.
    pub(super) fn leave(&mut self, objects: &[u64]) {
        for address in objects {
            if let Some((object, _)) = self.find(*address) {
                self.objects[object].life = Life::Freed;
            }
        }
    }
}
