//! Programs for other tools.

use crate::claims::machine_for;
use crate::engines::MACHINE;
use crate::{Options, Session};
use treville_ir::{Aware, Claims, Prop, Term};
use treville_machine::{LeastActions, Operational, guarded, least_actions};
use treville_report::{Exported, ExportedMemory};
use treville_task::{Annotated, CheckError, Subject};

impl Session<'_> {
    /// A program that says what holds of its runs, ready to be written in B. Without a bound on accesses the least is taken
    /// that leads to every state.
    ///
    /// # Errors
    /// If the file is wrong, is no such program, or cannot be said in B.
    pub fn export(&self, path: &str, options: &Options) -> Result<Exported, CheckError> {
        let cancel = self.cancel_for(&options.run);
        let annotated = match self.read(path, options, &cancel)? {
            Subject::Claims(annotated) if is_written_for_machines(&annotated) => annotated,
            _ => return Err(CheckError::usage("only programs in .rar are written in B")),
        };
        let machine = machine_for(&annotated, options)?;
        let Annotated { program, claims, sources, .. } = annotated;
        let memory = match machine {
            Operational::Rar | Operational::RarGraph => ExportedMemory::Rar,
            Operational::Sc => ExportedMemory::Sequential,
            other => {
                return Err(CheckError::usage(format!(
                    "the memory {} is not written in B (rar and sc are)",
                    other.name()
                )));
            }
        };
        if program.objects.is_empty() || program.roots.is_empty() {
            return Err(CheckError::usage("a program without threads or without shared variables is not written in B"));
        }
        if let (ExportedMemory::Sequential, Some(what)) = (memory, not_sequential(&claims)) {
            return Err(CheckError::usage(format!("on sc there is no {what}")));
        }
        let refused = |why| CheckError::unsupported(MACHINE, &[why], &sources);
        let guarded = guarded(&program, &claims).map_err(refused)?;
        let given = options.run.max_actions;
        let most_states = options.run.max_states.or(given.map(|_| STATES_FOR_A_COMMENT));
        let least = least_actions(&program, &claims, most_states, &cancel).map_err(refused)?;
        let max_actions = match (given, &least) {
            (Some(given), _) => given,
            (None, LeastActions::Found(least)) => *least,
            (None, LeastActions::Never) => {
                return Err(CheckError::unknown(
                    "no number of accesses leads to every state; option `max-actions` N bounds them".to_owned(),
                ));
            }
            (None, LeastActions::Stopped(why)) => {
                return Err(CheckError::unknown(format!(
                    "{why} before it was known how many accesses lead to every state; option `max-actions` N bounds them"
                )));
            }
        };
        if (max_actions as usize) < program.objects.len() {
            let n = program.objects.len();
            return Err(CheckError::usage(format!(
                "option `max-actions` {max_actions}: there are {n} initial writes already"
            )));
        }
        Ok(Exported { program, claims, sources, guarded, memory, max_actions, least_actions: found(&least) })
    }
}

/// States that are looked at to say whether the bound of the call is enough, which is a comment only.
const STATES_FOR_A_COMMENT: u64 = 50_000;

fn found(least: &LeastActions) -> Option<u32> {
    match least {
        LeastActions::Found(least) => Some(*least),
        LeastActions::Never | LeastActions::Stopped(_) => None,
    }
}

/// What a claim speaks of that a memory of values does not have.
fn not_sequential(claims: &Claims) -> Option<&'static str> {
    let mut found = None;
    for prop in claims.props() {
        prop.visit(&mut |part| match part {
            Prop::Writes { aware: Aware::Encountered, .. } => {
                found = Some("set of writes that a thread has encountered")
            }
            Prop::Compare { left, right, .. } if is_released(left) || is_released(right) => {
                found = Some("write that releases");
            }
            _ => {}
        });
    }
    found
}

fn is_released(term: &Term) -> bool {
    match term {
        Term::Released(_) => true,
        Term::Add(a, b) | Term::Sub(a, b) => is_released(a) || is_released(b),
        Term::Int(_) | Term::Reg(..) | Term::Value(_) | Term::Covered(_) => false,
    }
}

/// Whether the claims are in the text of the program: then it is one file.
fn is_written_for_machines(annotated: &Annotated) -> bool {
    annotated.sources.files().count() == 1
}
