//! Memory orders of C11, and the tags that say them.

/// A memory order of C11. An access without one is not atomic.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum MemoryOrder {
    Relaxed,
    Consume,
    Acquire,
    Release,
    AcquireRelease,
    SeqCst,
}

impl MemoryOrder {
    pub const ALL: [MemoryOrder; 6] = [
        MemoryOrder::Relaxed,
        MemoryOrder::Consume,
        MemoryOrder::Acquire,
        MemoryOrder::Release,
        MemoryOrder::AcquireRelease,
        MemoryOrder::SeqCst,
    ];

    /// As in C, without `memory_order_`.
    pub fn name(self) -> &'static str {
        match self {
            MemoryOrder::Relaxed => "relaxed",
            MemoryOrder::Consume => "consume",
            MemoryOrder::Acquire => "acquire",
            MemoryOrder::Release => "release",
            MemoryOrder::AcquireRelease => "acq_rel",
            MemoryOrder::SeqCst => "seq_cst",
        }
    }

    /// As models of C call the set of its events.
    pub fn tag(self) -> &'static str {
        match self {
            MemoryOrder::Relaxed => "RLX",
            MemoryOrder::Consume => "CON",
            MemoryOrder::Acquire => "ACQ",
            MemoryOrder::Release => "REL",
            MemoryOrder::AcquireRelease => "ACQ_REL",
            MemoryOrder::SeqCst => "SC",
        }
    }

    /// The order of that name in C: `memory_order_acquire`.
    pub fn named(name: &str) -> Option<MemoryOrder> {
        let name = name.strip_prefix("memory_order_")?;
        MemoryOrder::ALL.into_iter().find(|order| order.name() == name)
    }

    /// The order that a tag says.
    pub fn of_tag(tag: &str) -> Option<MemoryOrder> {
        MemoryOrder::ALL.into_iter().find(|order| order.tag() == tag)
    }

    /// The order that acquires and releases as said.
    pub fn of(acquires: bool, releases: bool) -> MemoryOrder {
        match (acquires, releases) {
            (false, false) => MemoryOrder::Relaxed,
            (true, false) => MemoryOrder::Acquire,
            (false, true) => MemoryOrder::Release,
            (true, true) => MemoryOrder::AcquireRelease,
        }
    }

    /// Whether a read with it synchronises. Consume counts as acquire, as compilers have it.
    pub fn acquires(self) -> bool {
        !matches!(self, MemoryOrder::Relaxed | MemoryOrder::Release)
    }

    /// Whether a write with it synchronises.
    pub fn releases(self) -> bool {
        matches!(self, MemoryOrder::Release | MemoryOrder::AcquireRelease | MemoryOrder::SeqCst)
    }

    /// Whether a read alone can have it.
    pub fn is_of_reads(self) -> bool {
        !matches!(self, MemoryOrder::Release | MemoryOrder::AcquireRelease)
    }

    /// Whether a write alone can have it.
    pub fn is_of_writes(self) -> bool {
        matches!(self, MemoryOrder::Relaxed | MemoryOrder::Release | MemoryOrder::SeqCst)
    }

    /// At least as strong as both.
    #[must_use]
    pub fn join(self, other: MemoryOrder) -> MemoryOrder {
        if self == MemoryOrder::SeqCst || other == MemoryOrder::SeqCst {
            return MemoryOrder::SeqCst;
        }
        MemoryOrder::of(self.acquires() || other.acquires(), self.releases() || other.releases())
    }

    /// The orders of the read and of the write, where an update is two events.
    pub fn split(self) -> (MemoryOrder, MemoryOrder) {
        match self {
            MemoryOrder::Relaxed | MemoryOrder::SeqCst => (self, self),
            MemoryOrder::Consume | MemoryOrder::Acquire => (self, MemoryOrder::Relaxed),
            MemoryOrder::Release => (MemoryOrder::Relaxed, self),
            MemoryOrder::AcquireRelease => (MemoryOrder::Acquire, MemoryOrder::Release),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_tags_are_read_back() {
        for order in MemoryOrder::ALL {
            assert_eq!(MemoryOrder::named(&format!("memory_order_{}", order.name())), Some(order));
            assert_eq!(MemoryOrder::of_tag(order.tag()), Some(order));
        }
        assert_eq!(MemoryOrder::named("acquire"), None);
        assert_eq!(MemoryOrder::of_tag("NA"), None);
    }

    #[test]
    fn a_join_is_as_strong_as_both() {
        for a in MemoryOrder::ALL {
            for b in MemoryOrder::ALL {
                let joined = a.join(b);
                assert_eq!(joined, b.join(a));
                assert_eq!(joined.acquires(), a.acquires() || b.acquires());
                assert_eq!(joined.releases(), a.releases() || b.releases());
            }
            let (read, write) = a.split();
            assert!(read.is_of_reads() && write.is_of_writes());
            assert_eq!((read.acquires(), write.releases()), (a.acquires(), a.releases()));
        }
    }
}
