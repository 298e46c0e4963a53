//! The worklist: what is left to explore. Choices with their alternatives are on a stack, and under them the graphs to go back to. All
//! alternatives are independent of each other, so that any of them can be given to another worker.

use super::Move;
use super::execution::Execution;
use crate::graph::{EventId, Graph, Kind};

/// An alternative of a choice that is not explored yet.
#[derive(Clone, Copy, Debug)]
pub(super) enum Alternative {
    /// The read with the choice's number reads from this write.
    Source(EventId),
    /// The read with the choice's number reads what was promised.
    Promise(u32),
    /// The write with the choice's number comes at this place of its location's order.
    Place(u32),
    /// The undetermined value with the choice's number is this one.
    Value(u64),
    /// This read reads from the write with the choice's number.
    Revisit(EventId),
    /// The same, in the graph that remains then, with the write at this place.
    Revisited { read: EventId, place: u32 },
    /// The write with the choice's number is not made, and its thread stands still ([`super::parts`]).
    Stay,
}

/// An alternative that a worker has given away, with the graph that it belongs to.
pub(super) struct WorkItem {
    pub(super) graph: Graph,
    event: EventId,
    alternative: Alternative,
    share: f64,
}

/// What comes next.
pub(super) enum Next {
    /// The graph to go back to.
    Outer(Box<Graph>),
    /// This event has another alternative.
    Alternative(EventId, Alternative),
}

enum Entry {
    /// The event with this number has this many alternatives left, at the end of their list. Each has this share of all.
    Choice {
        event: EventId,
        alternatives: u32,
        share: f64,
    },
    Outer(Box<Graph>),
}

pub(super) struct Worklist {
    stack: Vec<Entry>,
    alternatives: Vec<Alternative>,
    /// The share of the whole search that is below the graph at hand.
    share: f64,
    /// All alternatives of a choice are put on the stack, none is taken at once.
    defers_choices: bool,
    /// Graphs that are not used any more.
    free_graphs: Vec<Graph>,
    /// Of each event of the graph that was restricted last, its number in what remains.
    number: Vec<EventId>,
}

impl Worklist {
    pub(super) fn new() -> Self {
        Worklist {
            stack: Vec::new(),
            alternatives: Vec::new(),
            share: 1.0,
            defers_choices: false,
            free_graphs: Vec::new(),
            number: Vec::new(),
        }
    }

    /// The share of the whole search that is below the graph at hand.
    pub(super) fn share(&self) -> f64 {
        self.share
    }

    pub(super) fn defers_choices(&self) -> bool {
        self.defers_choices
    }

    /// Where the alternatives of a choice begin that are noted from now on.
    #[inline]
    pub(super) fn begin_choice(&self) -> usize {
        self.alternatives.len()
    }

    #[inline]
    pub(super) fn push(&mut self, alternative: Alternative) {
        self.alternatives.push(alternative);
    }

    /// Whether the choice that begins here has alternatives.
    pub(super) fn has_alternatives(&self, begin: usize) -> bool {
        self.alternatives.len() > begin
    }

    /// The choice that begins here is that of `e`, which has taken one alternative already that was not noted.
    pub(super) fn end_choice(&mut self, e: EventId, begin: usize) {
        self.note(e, begin, 1);
    }

    /// The choice that begins here is that of `e`: the alternative that was noted last is next, if there is one.
    pub(super) fn choose(&mut self, e: EventId, begin: usize) -> Move {
        if self.note(e, begin, 0) == 0 { Move::Back } else { Move::Choose }
    }

    /// Notes alternatives as those that `e` leaves, besides so many that are taken now.
    fn note(&mut self, e: EventId, begin: usize, taken: usize) -> u32 {
        let alternatives = self.alternatives.len() - begin;
        if alternatives > 0 {
            self.share /= (alternatives + taken) as f64;
            self.stack.push(Entry::Choice { event: e, alternatives: alternatives as u32, share: self.share });
        }
        alternatives as u32
    }

    /// The places that coherence and atomicity leave to a write, the latest on top.
    pub(super) fn push_places(&mut self, execution: &Execution<'_>, e: EventId) {
        let label = *execution.graph.label(e);
        if let Some(place) = execution.forced_place(e) {
            let in_time = label.kind == Kind::UpdateWrite || place >= execution.bound(e);
            if in_time && !execution.graph.joined(label.loc, place) {
                self.push(Alternative::Place(place as u32));
            }
            return;
        }
        let last = execution.graph.locations[label.loc as usize].writes.len();
        let bound = execution.bound(e);
        for place in (bound..=last).filter(|p| !execution.graph.joined(label.loc, *p)) {
            self.push(Alternative::Place(place as u32));
        }
    }

    /// The choice of a place for a write.
    pub(super) fn choose_place(&mut self, execution: &Execution<'_>, e: EventId) -> Move {
        let choice = self.begin_choice();
        self.push_places(execution, e);
        self.choose(e, choice)
    }

    /// The choice of a place for a write, or a part of it, that a read is to read from.
    pub(super) fn choose_place_for(&mut self, execution: &Execution<'_>, read: EventId, write: EventId) -> Move {
        let choice = self.begin_choice();
        self.push_places(execution, write);
        for alternative in &mut self.alternatives[choice..] {
            if let Alternative::Place(place) = *alternative {
                *alternative = Alternative::Revisited { read, place };
            }
        }
        self.choose(write, choice)
    }

    /// What was noted last.
    pub(super) fn pop(&mut self) -> Option<Next> {
        match self.stack.last_mut()? {
            Entry::Outer(_) => match self.stack.pop() {
                Some(Entry::Outer(outer)) => Some(Next::Outer(outer)),
                Some(Entry::Choice { .. }) | None => None,
            },
            Entry::Choice { event, alternatives, share } => {
                let event = *event;
                self.share = *share;
                *alternatives -= 1;
                if *alternatives == 0 {
                    self.stack.pop();
                }
                Some(Next::Alternative(event, self.alternatives.pop()?))
            }
        }
    }

    /// Goes on with what remains of a graph when a read reads from a write, and without that read if it is `removed`; the graph is gone
    /// back to when all that is noted from now on is explored. Returns the number of the write in what remains.
    pub(super) fn enter(&mut self, graph: &mut Graph, (read, removed): (EventId, bool), write: EventId) -> EventId {
        let outer = self.restrict(graph, (read, removed), write);
        self.stack.push(Entry::Outer(Box::new(outer)));
        self.number(write)
    }

    /// Makes a graph what remains of it when a read reads from a write, and returns what it was.
    #[inline]
    pub(super) fn restrict(&mut self, graph: &mut Graph, (read, removed): (EventId, bool), write: EventId) -> Graph {
        let mut inner = self.free_graphs.pop().unwrap_or_default();
        graph.restricted((read, removed), write, &mut inner, &mut self.number);
        std::mem::replace(graph, inner)
    }

    /// Makes a graph what it was before; what it is now is used no more.
    #[inline]
    pub(super) fn go_back(&mut self, graph: &mut Graph, outer: Graph) {
        self.free_graphs.push(std::mem::replace(graph, outer));
    }

    /// The number of an event in what remained of the graph that was restricted last.
    #[inline]
    pub(super) fn number(&self, e: EventId) -> EventId {
        self.number[e as usize]
    }

    /// Takes the oldest alternative away, if there is one; `current` is the graph at hand.
    pub(super) fn split_off(&mut self, current: &Graph) -> Option<WorkItem> {
        let at = self.stack.iter().position(|entry| matches!(entry, Entry::Choice { .. }))?;
        let outer = self.stack[at..].iter().find_map(|entry| match entry {
            Entry::Outer(graph) => Some(&**graph),
            Entry::Choice { .. } => None,
        });
        let graph = outer.unwrap_or(current).clone();
        let Entry::Choice { event, alternatives, share } = &mut self.stack[at] else { return None };
        let item = WorkItem { graph, event: *event, alternative: self.alternatives.remove(0), share: *share };
        *alternatives -= 1;
        if *alternatives == 0 {
            self.stack.remove(at);
        }
        Some(item)
    }

    /// Takes over what another worker has given away, and returns its graph.
    pub(super) fn accept(&mut self, item: WorkItem) -> Graph {
        self.stack.push(Entry::Choice { event: item.event, alternatives: 1, share: item.share });
        self.alternatives.push(item.alternative);
        item.graph
    }

    /// Forgets all that is left; from now on choices are deferred, or not.
    pub(super) fn restart(&mut self, defers_choices: bool) {
        self.stack.clear();
        self.alternatives.clear();
        self.defers_choices = defers_choices;
    }

    /// Takes the last choice with all of its alternatives, if it was deferred.
    pub(super) fn take_choice(&mut self) -> Option<(EventId, Vec<Alternative>)> {
        match self.stack.pop() {
            Some(Entry::Choice { event, .. }) => Some((event, std::mem::take(&mut self.alternatives))),
            Some(Entry::Outer(_)) | None => None,
        }
    }
}
