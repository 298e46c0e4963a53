//! What the reference evaluator, and a few definitions that need no model, say of an execution.

use crate::assemble::{Assembled, assemble};
use crate::setup::Setup;
use crate::trial::Trial;
use treville_base::Cancel;
use treville_eval::{Judgement, Stop, accepts};
use treville_event::{BaseRel, Graph, Relation};
use treville_ir::Failure;
use treville_model::Model;
use treville_model::syntax::CheckMode;

/// What is known of an execution that the model allows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Judged {
    /// No interleaving explains it.
    pub(crate) beyond_sc: bool,
    /// Some thread reads what is written only because it was read.
    pub(crate) cyclic: bool,
    /// What is wrong with it, as far as that is seen without a search.
    pub(crate) failures: Vec<(Failure, String)>,
}

/// What is known of a trial if the model allows it; none if it does not.
///
/// # Errors
/// If the evaluator cannot say.
pub(crate) fn judge(setup: &Setup<'_>, trial: &Trial<'_, '_>, cancel: &Cancel) -> Result<Option<Judged>, Stop> {
    let assembled = assemble(setup, trial);
    let model = &*setup.reference.model;
    let mut accepted = None;
    accepts(model, &assembled.graph, cancel, &mut |judgement| {
        accepted.get_or_insert_with(|| flags(model, judgement));
    })?;
    let Some(mut failures) = accepted else { return Ok(None) };
    let led = leads(&assembled.graph);
    failures.extend(trial.wrong.iter().cloned());
    failures.extend(late_accesses(trial, &assembled, &led));
    let cyclic = !led.is_irreflexive();
    Ok(Some(Judged { beyond_sc: cyclic || !is_sequential(&assembled.graph), cyclic, failures }))
}

/// What the model notes of an execution.
fn flags(model: &Model, judgement: &Judgement) -> Vec<(Failure, String)> {
    let noted = judgement.checks.iter().filter_map(|result| {
        let check = &model.checks[result.check];
        let raised = match check.mode {
            CheckMode::Flag => result.holds,
            CheckMode::UndefinedUnless => !result.holds,
            CheckMode::Require | CheckMode::Assert => false,
        };
        let failure = if check.name == "data-race" { Failure::Race } else { Failure::Flag };
        raised.then(|| (failure, format!("the model flags {}", check.name)))
    });
    noted.collect()
}

fn program_order(graph: &Graph) -> Relation {
    graph.skeleton.rels.get(&BaseRel::Po).cloned().unwrap_or_default()
}

/// What leads to what by program order and reads-from.
fn leads(graph: &Graph) -> Relation {
    program_order(graph).union(&graph.rf).transitive_closure()
}

/// Whether threads that take turns explain an execution.
fn is_sequential(graph: &Graph) -> bool {
    let from_reads = graph.rf.inverse().compose(&graph.co).difference(&Relation::identity(graph.skeleton.n_events()));
    program_order(graph).union(&graph.rf).union(&graph.co).union(&from_reads).is_acyclic()
}

/// Accesses to objects that were freed, and do not lead to that. What does not lead to something does not happen before it under any
/// model, so these are wrong whatever else happens before what.
fn late_accesses(trial: &Trial<'_, '_>, assembled: &Assembled, led: &Relation) -> Vec<(Failure, String)> {
    let mut late = Vec::new();
    for made in &trial.made {
        let Some((thread, rows)) = made.freed else { continue };
        let last = assembled.firsts[usize::from(thread)] + rows as usize;
        let of_thread = |event: usize| event >= assembled.firsts[usize::from(thread)] && event < last;
        let leads_to_it = |event: usize| of_thread(event) || rows > 0 && led.contains(event, last - 1);
        let inside = |addr: u64| addr >= made.addr && addr - made.addr < made.size.max(1);
        let events = assembled.graph.skeleton.events.as_slice();
        let accesses = events.iter().enumerate().filter(|(_, e)| e.thread.is_some());
        let found = accesses.filter(|(_, e)| e.cell.is_some_and(|cell| inside(cell.address)));
        if found.into_iter().any(|(event, _)| !leads_to_it(event)) {
            late.push((Failure::UseAfterFree, "an object is used that is freed, and not before that".to_owned()));
        }
    }
    late
}
