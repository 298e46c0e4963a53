//! The engine `enumerate`: every execution of a finite (unrolled) program, judged by the model.
//!
//! It answers as herd does (Alglave, Maranget, Tautschnig, "Herding Cats: Modelling, Simulation, Testing, and Data Mining for Weak
//! Memory", TOPLAS 2014): candidates are all choices of reads-from and coherence for all paths of the threads, and the model is a
//! filter over them.
//!
//! There are two ways to the same answer. `plain` is the definition: all candidates ([`candidates`]), each judged by the reference
//! evaluator, nothing pruned. The default ([`search`]) prunes while it builds and evaluates in stages; it is tested against
//! the definition. Models that the staged evaluator does not take go the plain way. Whoever asks why an outcome is forbidden
//! gets the candidates that would reach it ([`reaching`]).
//!
//! Where it differs: values are solved as terms; a choice that the model forbids already is not completed; and a loop must have been
//! unrolled before.

mod addresses;
mod candidates;
mod order;
mod reaching;
mod search;

use reaching::Reaching;
use search::{Learning, Search, TooLarge, Worth};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use treville_base::Cancel;
use treville_eval::{Plan, Staged};
use treville_model::Model;
use treville_task::{
    Candidate, Candidates, Engine, EngineInfo, Outcome, Reached, Ready, Semantics, Stats, StopReason, Task, Unsupported,
};
use treville_unfold::{Collector, Failed, Prepared, holds};

/// A model with its plan, if the staged evaluator takes it.
type Planned = (Arc<Model>, Option<Arc<Plan>>);

/// The engine.
#[derive(Debug, Default)]
pub struct Enumerate {
    plain: bool,
    /// What was computed for the models seen so far: a batch of tests mostly has one.
    plans: Mutex<Vec<Planned>>,
}

impl Enumerate {
    /// The pruned search.
    pub fn fast() -> Self {
        Self::default()
    }

    /// The definition itself.
    pub fn plain() -> Self {
        Enumerate { plain: true, plans: Mutex::default() }
    }

    /// The plan of a model, if the staged evaluator takes it.
    fn plan(&self, model: &Arc<Model>) -> Option<Arc<Plan>> {
        if self.plain {
            return None;
        }
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, plan)) = plans.iter().find(|(known, _)| Arc::ptr_eq(known, model)) {
            return plan.clone();
        }
        let plan = Plan::new(model).map(Arc::new);
        plans.push((Arc::clone(model), plan.clone()));
        plan
    }
}

pub const INFO: EngineInfo = EngineInfo {
    name: "enumerate",
    about: "every execution of a finite program, pruned while it is built (the default)",
};

/// The reference, with [`Enumerate::plain`].
pub const PLAIN: EngineInfo = EngineInfo { name: "plain", about: "the definition: the same without any pruning, slow" };

/// Operations on relations between more events take longer than a limit may be overrun by.
const MOST_EVENTS: usize = 1 << 12;

const NO_AXIOMS: &str = "the model is not linked for this program";

impl Engine for Enumerate {
    fn info(&self) -> &EngineInfo {
        &INFO
    }

    fn prepare<'t>(&'t self, task: &'t Task) -> Result<Ready<'t>, Vec<Unsupported>> {
        match task.program.unlistable_feature() {
            None if !matches!(task.semantics, Semantics::Axioms(..)) => {
                Err(vec![Unsupported { what: NO_AXIOMS.into(), span: None }])
            }
            None => Ok(Box::new(|_| self.enumerate(task))),
            Some((what, span)) => {
                Err(vec![Unsupported { what: format!("{what} is not enumerated"), span: Some(span) }])
            }
        }
    }

    fn candidates(&self) -> Option<&dyn Candidates> {
        Some(self)
    }
}

impl Enumerate {
    fn enumerate(&self, task: &Task) -> Outcome {
        let cancel = &task.limits.cancel;
        let mut collector = Collector::new(task);
        let prepared = match Prepared::of(task, cancel) {
            Ok(prepared) => prepared,
            Err(failed) => return collector.outcome(Some(reason(failed, cancel)), false, Stats::new()),
        };
        let Semantics::Axioms(model, _) = &task.semantics else {
            return collector.outcome(Some(reason(Failed::NoAxioms, cancel)), false, Stats::new());
        };
        if prepared.n_events > MOST_EVENTS {
            let why = format!("an execution may have {} events, more than {MOST_EVENTS}", prepared.n_events);
            return collector.outcome(Some(StopReason::Refused(why)), false, Stats::new());
        }
        let searched = self.plan(model).map(|plan| {
            let staged = Staged::new(model, &plan).until(cancel);
            let mut search = Search {
                prepared: &prepared,
                staged,
                notes: &plan.notes,
                collector: &mut collector,
                cancel,
                steps: 0,
                worth: Worth::default(),
                learning: Learning::default(),
                answers_only: !task.states && plan.notes.is_empty(),
            };
            search.all()
        });
        let refused = match searched {
            Some(Ok(())) => None,
            Some(Err(TooLarge::Writes)) => Some(StopReason::Refused(
                "one location has more than 64 writes (option `engine` explore has no such limit)".into(),
            )),
            None | Some(Err(TooLarge::Addresses)) => {
                collector = Collector::new(task);
                judge_all(&prepared, &mut collector, cancel).err()
            }
        };
        let missed = || {
            let why = "an access with a computed address touches a part of a location, which is not supported";
            prepared.missed.get().then(|| StopReason::Refused(why.into()))
        };
        let stopped = refused.or_else(|| StopReason::of(cancel)).or_else(missed);
        let mut stats = Stats::new();
        stats.insert("candidates", collector.counts.candidates);
        collector.outcome(stopped, prepared.cut, stats)
    }
}

impl Candidates for Enumerate {
    fn visit(&self, task: &Task, visit: &mut dyn FnMut(Candidate<'_>) -> ControlFlow<()>) {
        let cancel = &task.limits.cancel;
        let Ok(prepared) = Prepared::of(task, cancel) else { return };
        let question = task.question.as_deref();
        let _ = candidates::each_candidate(&prepared, cancel, &mut |graph, finals| {
            let observed = question.map_or(&[][..], |q| &q.observed);
            let state: Vec<_> = observed.iter().map(|o| finals.values(&o.place)).collect();
            let holds = question.is_some_and(|q| q.filter.iter().chain([&q.condition]).all(|f| holds(f, finals)));
            visit(Candidate { graph, state: &state, holds })
        });
    }

    fn are_cut(&self, task: &Task) -> bool {
        Prepared::of(task, &task.limits.cancel).is_ok_and(|prepared| prepared.cut)
    }

    fn reaching(
        &self,
        task: &Task,
        which: Reached,
        steps: u64,
        visit: &mut dyn FnMut(Candidate<'_>) -> ControlFlow<()>,
    ) -> bool {
        let cancel = &task.limits.cancel;
        let Ok(prepared) = Prepared::of(task, cancel) else { return false };
        let Some(question) = task.question.as_deref() else { return true };
        let Semantics::Axioms(model, _) = &task.semantics else { return false };
        let plan = if which == Reached::Coherent { self.plan(model) } else { None };
        let staged = plan.as_deref().map(|plan| Staged::new(model, plan));
        let mut search = Reaching { prepared: &prepared, question, staged, cancel, steps };
        let walked = search.each(&mut |graph, finals| {
            let state: Vec<_> = question.observed.iter().map(|o| finals.values(&o.place)).collect();
            visit(Candidate { graph, state: &state, holds: true })
        });
        walked.is_ok_and(|flow| flow.is_continue()) && !prepared.missed.get()
    }
}

/// The definition: every candidate, judged by the reference evaluator.
fn judge_all(prepared: &Prepared<'_>, collector: &mut Collector<'_>, cancel: &Cancel) -> Result<(), StopReason> {
    let mut judged = Ok(());
    let _ = candidates::each_candidate(prepared, cancel, &mut |graph, finals| {
        if !collector.keeps(finals) {
            return ControlFlow::Continue(());
        }
        collector.counts.candidates += 1;
        judged = collector.judge(prepared.model, graph, finals, cancel);
        if judged.is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    judged
}

fn reason(failed: Failed, cancel: &Cancel) -> StopReason {
    match failed {
        Failed::NoAxioms => StopReason::Refused(NO_AXIOMS.into()),
        Failed::TooManyPaths => {
            StopReason::of(cancel).unwrap_or(StopReason::Refused("the threads have too many paths".into()))
        }
        Failed::Refused(refusal) => StopReason::Refused(refusal),
    }
}
