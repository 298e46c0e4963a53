//! Memory orders of C11 and the tags that say them.

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Order {
    Relaxed,
    Consume,
    Acquire,
    Release,
    AcquireRelease,
    SeqCst,
}

impl Order {
    pub(super) fn named(name: &str) -> Option<Order> {
        Some(match name.strip_prefix("memory_order_")? {
            "relaxed" => Order::Relaxed,
            "consume" => Order::Consume,
            "acquire" => Order::Acquire,
            "release" => Order::Release,
            "acq_rel" => Order::AcquireRelease,
            "seq_cst" => Order::SeqCst,
            _ => return None,
        })
    }

    /// Its name, without `memory_order_`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Order::Relaxed => "relaxed",
            Order::Consume => "consume",
            Order::Acquire => "acquire",
            Order::Release => "release",
            Order::AcquireRelease => "acq_rel",
            Order::SeqCst => "seq_cst",
        }
    }

    pub(super) fn tag(self) -> &'static str {
        match self {
            Order::Relaxed => "RLX",
            Order::Consume => "CON",
            Order::Acquire => "ACQ",
            Order::Release => "REL",
            Order::AcquireRelease => "ACQ_REL",
            Order::SeqCst => "SC",
        }
    }

    /// Whether a read alone can have this order.
    pub(super) fn is_of_reads(self) -> bool {
        !matches!(self, Order::Release | Order::AcquireRelease)
    }

    /// Whether a write alone can have this order.
    pub(super) fn is_of_writes(self) -> bool {
        matches!(self, Order::Relaxed | Order::Release | Order::SeqCst)
    }

    /// The orders of the read and of the write, where an update is two events.
    pub(super) fn split(self) -> (Order, Order) {
        match self {
            Order::Relaxed | Order::SeqCst => (self, self),
            Order::Consume | Order::Acquire => (self, Order::Relaxed),
            Order::Release => (Order::Relaxed, self),
            Order::AcquireRelease => (Order::Acquire, Order::Release),
        }
    }
}
