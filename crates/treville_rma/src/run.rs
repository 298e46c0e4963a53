//! A run, step by step: what processes do, and what the network does with their remote operations.

use crate::{NodeId, Number, Op, ProcId, Program, RemoteId, Shown, show_op};
use treville_base::{BitSet, Span};

/// A step of a process or of the network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// A process executes the statement at this node; `value` is what it reads or writes.
    Process { proc: ProcId, node: NodeId, value: Option<Number> },
    /// The network reads the source of an operation; an atomic one also writes it.
    Reads { remote: RemoteId, value: Number },
    /// The network writes the target of an operation.
    Writes { remote: RemoteId, value: Number },
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Trace {
    pub steps: Vec<Action>,
    /// The slots where a flush would have stopped this run, if that is known.
    pub blocking: Option<BitSet>,
}

/// What a run ends in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Failure {
    /// This one of the program's properties is false.
    Property(usize),
    Assertion(ProcId, NodeId),
}

/// Why nothing is said to hold of a program of which no run completes.
pub const NO_RUN_COMPLETES: &str = "no run completes, so a yes would say nothing: some process never comes to its end";

/// A run that fails.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FailingRun {
    pub failure: Failure,
    pub trace: Trace,
    /// No other is shorter.
    pub shortest: bool,
}

impl Action {
    /// `process 2`, `network`
    pub fn who(self, program: &Program) -> String {
        match self {
            Action::Process { proc, .. } => format!("process {}", program.procs[proc].name),
            Action::Reads { .. } | Action::Writes { .. } => "network".to_owned(),
        }
    }

    /// The statement that it is about.
    pub fn statement(self, program: &Program) -> String {
        match self {
            Action::Process { proc, node, .. } => show_op(program, &program.procs[proc].nodes[node].op),
            Action::Reads { remote, .. } | Action::Writes { remote, .. } => {
                Shown(program, &program.remotes[remote]).to_string()
            }
        }
    }

    pub fn span(self, program: &Program) -> Span {
        match self {
            Action::Process { proc, node, .. } => program.procs[proc].nodes[node].span,
            Action::Reads { remote, .. } | Action::Writes { remote, .. } => program.remotes[remote].span,
        }
    }

    /// `reads X = 3`, `is issued`; nothing if the statement says it all.
    pub fn effect(self, program: &Program) -> String {
        match self {
            Action::Process { proc, node, value } => effect(program, &program.procs[proc].nodes[node].op, value),
            Action::Reads { remote, value } => {
                let of = &program.remotes[remote];
                let also = if of.is_rmw() { ", and changes it" } else { "" };
                format!("reads {} = {value}{also}", program.var_name(of.src))
            }
            Action::Writes { remote, value } => {
                format!("writes {} = {value}", program.var_name(program.remotes[remote].dst))
            }
        }
    }
}

/// What a statement of a process does, with the value that it reads or writes.
fn effect(program: &Program, op: &Op, value: Option<Number>) -> String {
    match (op, value) {
        (Op::Load { shared, .. }, Some(value)) => format!("reads {} = {value}", program.var_name(*shared)),
        (Op::Store { shared, .. }, Some(value)) => format!("writes {} = {value}", program.var_name(*shared)),
        (Op::Issue { remote, .. }, Some(value)) => {
            format!("writes {} = {value}", program.var_name(program.remotes[*remote].dst))
        }
        (Op::Issue { .. }, None) => "is issued".to_owned(),
        (Op::Flush { .. }, _) => "nothing is on its way".to_owned(),
        _ => String::new(),
    }
}
