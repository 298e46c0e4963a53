//! Who watches a search: it is told of every complete execution, so that what the search has visited can be compared with
//! executions that were found in another way.

/// Which execution it is, as far as executions are told apart; see [`treville_event::graph_class`] and
/// [`treville_event::state_class`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Class {
    pub graph: u64,
    /// 0 if values of the program are not determined.
    pub state: u64,
}

/// The thread that another one, by number, has started as its n-th.
pub type Child = (u16, u32);

/// May be called by several workers at the same time.
pub trait Observer: std::fmt::Debug + Send + Sync {
    /// The search begins, perhaps once more: what was visited before does not count.
    fn begin(&self);
    /// A complete execution is visited.
    fn visit(&self, class: Class);
    /// The search has ended; these numbers were given to threads, in any order.
    fn end(&self, threads: Vec<(Child, u16)>);
}
