//! A run, step by step.

use treville_base::BitSet;
use treville_rma::{NodeId, ProcId, Program, Remote, RemoteId, Shown, show_op};

/// A step of a process or of the network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// A process executes the statement at this node; `value` is what it reads or writes.
    Process { proc: ProcId, node: NodeId, value: Option<i64> },
    /// The network reads the source of an operation.
    Reads { remote: RemoteId, value: i64 },
    /// The network writes the target of an operation.
    Writes { remote: RemoteId, value: i64 },
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    pub action: Action,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Trace {
    pub steps: Vec<Step>,
    /// The slots where a flush would have stopped this run.
    pub blocking: Option<BitSet>,
}

impl Step {
    /// `process 2: store X = 3`, `network: put(Y, 1, X) reads X = 3`
    pub fn show(&self, program: &Program) -> String {
        let operation = |remote: &Remote| Shown(program, remote).to_string();
        match self.action {
            Action::Process { proc, node, value } => {
                let of = &program.procs[proc];
                let op = show_op(program, &of.nodes[node].op);
                match value {
                    Some(value) => format!("process {}: {op}   [{value}]", of.name),
                    None => format!("process {}: {op}", of.name),
                }
            }
            Action::Reads { remote, value } => {
                let of = &program.remotes[remote];
                format!("network: {} reads {} = {value}", operation(of), program.var_name(of.src))
            }
            Action::Writes { remote, value } => {
                let of = &program.remotes[remote];
                format!("network: {} writes {} = {value}", operation(of), program.var_name(of.dst))
            }
        }
    }
}
