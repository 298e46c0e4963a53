//! Why a search ends before everything is explored.

use crate::assumptions::Retraction;
use crate::graph::EventId;
use crate::path::Cancelled;
use treville_base::{Cancel, Name, Span};
use treville_bytecode::SiteId;
use treville_ir::{Failure, Wait};
use treville_task::StopReason;

#[derive(Debug)]
pub(super) enum Stop {
    /// Something is wrong with the execution at hand.
    Fault(Box<Fault>),
    /// A violation was found.
    Violation,
    Cancelled,
    /// An execution has so many events, the last one here.
    TooManyEvents(u32, Option<Span>),
    /// What is assumed is wrong.
    Retract(Retraction),
    /// Another one has stopped.
    Elsewhere,
    Endless,
    Refused(String, Option<Span>),
}

/// What is wrong with an execution: at some events, or where some threads stand.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) failure: Failure,
    pub(super) message: String,
    pub(super) events: Vec<EventId>,
    pub(super) stuck: Vec<StuckThread>,
    /// What the model calls it.
    pub(super) name: Option<Name>,
    /// Another place in the program that it is about.
    pub(super) other: Option<Span>,
}

/// Where a thread stands after its events.
#[derive(Clone, Copy, Debug)]
pub(super) struct StuckThread {
    pub(super) thread: u16,
    pub(super) site: Option<SiteId>,
    /// Waits in this way; fails if there is none.
    pub(super) wait: Option<Wait>,
}

impl Fault {
    /// Of a whole execution.
    pub(super) fn new(failure: Failure, message: impl Into<String>) -> Fault {
        let (message, events, stuck) = (message.into(), Vec::new(), Vec::new());
        Fault { failure, message, events, stuck, name: None, other: None }
    }

    /// At an event, and because of another one, if it is given.
    pub(super) fn at(failure: Failure, message: impl Into<String>, e: EventId, other: Option<EventId>) -> Fault {
        Fault { events: std::iter::once(e).chain(other).collect(), ..Fault::new(failure, message) }
    }

    /// Of a thread, where it stands.
    pub(super) fn of_thread(failure: Failure, message: impl Into<String>, thread: u16, site: Option<SiteId>) -> Fault {
        Fault { stuck: vec![StuckThread { thread, site, wait: None }], ..Fault::new(failure, message) }
    }

    /// Of threads that are stuck.
    pub(super) fn of_stuck(failure: Failure, message: impl Into<String>, stuck: &[StuckThread]) -> Fault {
        Fault { stuck: stuck.to_vec(), ..Fault::new(failure, message) }
    }
}

impl From<Cancelled> for Stop {
    fn from(Cancelled: Cancelled) -> Stop {
        Stop::Cancelled
    }
}

impl Stop {
    pub(super) fn reason(self, cancel: &Cancel) -> Option<StopReason> {
        let (why, place) = match self {
            Stop::Fault(_) | Stop::Violation | Stop::Retract(_) | Stop::Elsewhere => return None,
            Stop::Cancelled => return StopReason::of(cancel),
            Stop::TooManyEvents(n, place) => (
                format!(
                    "an execution has more than {n} events (option `max-events` is the limit, option `bound` bounds loops)"
                ),
                place,
            ),
            Stop::Endless => ("a thread runs on without an end (option `bound` bounds loops)".to_owned(), None),
            Stop::Refused(why, place) => (why, place),
        };
        Some(match place {
            Some(place) => StopReason::RefusedAt(why, place),
            None => StopReason::Refused(why),
        })
    }
}
