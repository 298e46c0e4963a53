//! The engine as others see it.

use crate::assumptions::Speculation;
use crate::axiomatic;
use crate::execution::Builder;
use crate::judge::Judge;
use crate::path::PathStats;
use crate::rules::{Coherence, Rules};
use crate::search::{self, CompleteExecution, Explored, MakeJudge, report};
use std::collections::BTreeMap;
use treville_base::Idx;
use treville_bytecode::{Changes, Image, Parts, RunOptions, SiteKind};
use treville_eval::Plan;
use treville_event::Vocabulary;
use treville_ir::{Dialect, Failure, Formula, FuncId, Place, Program, Question, Reg, ThreadId};
use treville_model::syntax::CheckMode;
use treville_model::{HappensBefore, KnownModel, Model, ModelFacts, Step};
use treville_task::{
    Answer, Bounds, Counts, Engine, EngineInfo, FinalState, FinalValue, Goal, Monitor, Outcome, Ready, Reduction,
    Reductions, Scope, Semantics, Silent, Stats, StopReason, Task, Unsupported,
};
use treville_term::Bv;

#[derive(Default)]
pub struct Explore;

pub const INFO: EngineInfo = EngineInfo {
    name: "explore",
    about: "every execution of a program or test, each once, by extending graphs event by event (the default for programs)",
};

/// Instructions that a thread may run without an event.
const FUEL: u32 = 10_000_000;

impl Engine for Explore {
    fn info(&self) -> &EngineInfo {
        &INFO
    }

    fn prepare<'t>(&'t self, task: &'t Task) -> Result<Ready<'t>, Vec<Unsupported>> {
        if !is_axiomatic(task) {
            let prepared = prepare(task).map_err(|why| vec![why])?;
            return Ok(Box::new(move |monitor| match self.explore_prepared(task, prepared, monitor) {
                Ok(outcome) => self.resting_on_assumptions(task, outcome),
                Err(why) => Outcome::refused(task, vec![why]),
            }));
        }
        match task.program.unlistable_feature() {
            None => Ok(Box::new(|monitor| self.counted(task, monitor).unwrap_or_else(|| axiomatic::explore(task)))),
            Some((what, span)) => {
                let what = format!("{what} is not explored under a model that is not built in");
                Err(vec![Unsupported { what, span: Some(span) }])
            }
        }
    }
}

impl Explore {
    /// The answer to a question where the model is built in and no execution has a race, which the fast search would stop at:
    /// counted by that search, with the first witnesses that the general one finds.
    fn counted(&self, task: &Task, monitor: &dyn Monitor) -> Option<Outcome> {
        let question = task.question.as_deref()?;
        // Consume is acquire in the built-in form of the models, but not in all of the models.
        let consumes = task.program.tags.iter().any(|tag| *tag == "CON");
        if consumes || !notes_only_races(task) {
            return None;
        }
        let mut outcome = self.watched(task, monitor).ok().filter(|o| o.stopped.is_none() && o.violation.is_none())?;
        let Counts { executions, positive, .. } = outcome.counts?;
        let mut wanted = Vec::new();
        for (i, query) in task.queries.iter().enumerate() {
            let n = match &query.goal {
                Goal::Final { condition, .. } if *condition == question.condition => positive,
                Goal::Final { condition: Formula::Not(c), .. } if **c == question.condition => executions - positive,
                _ => return None,
            };
            if n > 0 {
                wanted.push(i);
            }
        }
        let mut found = if wanted.is_empty() { Vec::new() } else { axiomatic::witnesses(task, wanted.clone()) };
        let scope = scope(task, outcome.cut);
        for (i, answer) in outcome.answers.iter_mut().enumerate() {
            *answer = match found.get_mut(i).filter(|_| wanted.contains(&i)) {
                Some(found) => std::mem::replace(found, Answer::Absent(scope.clone())),
                None => Answer::Absent(scope.clone()),
            };
        }
        Some(outcome)
    }

    /// If no execution completes, one that blocks only by an assumption will do. Stale waits may have hidden it: the thread then
    /// goes on with the latest write, and waits later for another reason.
    fn resting_on_assumptions(&self, task: &Task, outcome: Outcome) -> Outcome {
        let is_open = outcome.completes == Some(false) && outcome.violation.is_none() && !outcome.cut;
        if !is_open || !task.reductions.has(Reduction::StaleWaits) || !task.program.has_assumptions() {
            return outcome;
        }
        let reductions = task.reductions.without(Reduction::StaleWaits);
        let again = Task { reductions, observer: None, ..task.clone() };
        let completes = self.watched(&again, &Silent).is_ok_and(|again| again.completes == Some(true));
        Outcome { completes: Some(completes), ..outcome }
    }

    /// All executions of a task, with the final states that its question observes; answers to queries stay open.
    pub fn explore(&self, task: &Task) -> Result<Outcome, Unsupported> {
        self.watched(task, &Silent)
    }

    fn watched(&self, task: &Task, monitor: &dyn Monitor) -> Result<Outcome, Unsupported> {
        self.explore_prepared(task, prepare(task)?, monitor)
    }

    fn explore_prepared(
        &self,
        task: &Task,
        prepared: Prepared<'_>,
        monitor: &dyn Monitor,
    ) -> Result<Outcome, Unsupported> {
        let Prepared { rules, image, judged } = prepared;
        // Final states are counted with their executions, all of them.
        let reduces = |reduction| task.reductions.has(reduction) && task.question.is_none();
        let options = search::Options {
            run: RunOptions {
                idle_blocks: reduces(Reduction::AwaitLoops),
                retry_blocks: reduces(Reduction::RetryLoops),
                attempt_blocks: reduces(Reduction::HazardRounds),
                speculative: true,
                bound: task.question.as_ref().map_or(task.bounds.given, |_| Some(task.bounds.unroll)),
                fuel: FUEL,
            },
            max_events: task.bounds.events.unwrap_or(Bounds::MOST_EVENTS).min(Bounds::MOST_EVENTS),
            traces: task.traces,
            properties: match task.question {
                Some(_) => Failure::USUAL.iter().copied().collect(),
                None => task.properties.clone(),
            },
            reference: task.reference.clone(),
            observed: task.question.is_some(),
            has_assumptions: task.program.has_assumptions(),
            reductions: task.question.as_ref().map_or(task.reductions, |_| Reductions::NONE),
            // What is told of executions one by one is told by one.
            workers: match (&task.question, task.traces) {
                (None, 0) => task.limits.threads.map_or(1, |n| n as usize),
                _ => 1,
            },
            cancel: task.limits.cancel.clone(),
            observer: task.observer.clone(),
        };
        let finds_fault = |model: &Model| report::finds_fault(model, judged.is_none());
        let faults = task.reference.as_ref().is_some_and(|reference| finds_fault(&reference.model));
        let program = &*task.program;
        let changes = Changes { releases: !task.reductions.has(Reduction::LockRounds), hazards: false };
        let mut speculation = Speculation::new(program, options, image, changes, faults);
        loop {
            let Speculation { options, image, assumptions, .. } = &speculation;
            let mut states = task.question.as_deref().map(|question| States::new(&task.program, question));
            let judge = judged.as_ref().map(|Judged { model, vocabulary, plan }| {
                || {
                    let fence = task.reference.as_ref().and_then(|reference| reference.fence.as_deref());
                    let builder = Builder::new(program, image, vocabulary, options.run, fence);
                    Judge::new(model, plan, builder, task.bundled.is_some())
                }
            });
            let judge: Option<&MakeJudge<'_>> = judge.as_ref().map(|judge| judge as _);
            let has_updates = image.sites().iter().any(|s| matches!(s.kind, SiteKind::Update(_) | SiteKind::Lock));
            // A judge does not know what is accessed at once, and what is observed has one location.
            let in_parts = image.sites().iter().find(|site| !site.parts.is_empty());
            if let Some(site) = in_parts.filter(|_| judged.is_some() || task.question.is_some()) {
                let what = format!("an atomic access of {} bytes is not explored under this model", site.size);
                return Err(Unsupported { what, span: Some(site.span) });
            }
            if let Some(what) = judge.and_then(|judge| judge().refusal(has_updates)) {
                return Err(Unsupported { what, span: None });
            }
            let children = speculation.children();
            let job = search::Job { program, image, rules, judge, options, monitor, children };
            let explored = search::explore(&job, assumptions, &mut |ended| {
                if let Some(states) = &mut states {
                    states.add(ended);
                }
            });
            if let Some(explored) = speculation.next(explored, |parts| compile(task, parts, judged.is_some()))? {
                return Ok(outcome(task, explored, states));
            }
        }
    }
}

/// Whether all that the model says of an execution is that it is one, or that it has a race.
fn notes_only_races(task: &Task) -> bool {
    let Semantics::Axioms(model, _) = &task.semantics else { return false };
    model.steps.iter().all(|step| match step {
        Step::Check(check) => {
            let check = &model.checks[*check];
            check.mode == CheckMode::Require || check.name == "data-race"
        }
        Step::Pick(_) => false,
    })
}

fn scope(task: &Task, cut: bool) -> Scope {
    let bound = || format!("loops run at most {} times", task.bounds.unroll);
    Scope { complete: !cut, relative_to: cut.then(bound).into_iter().collect() }
}

/// A question about final states, under a model that the evaluator knows.
fn is_axiomatic(task: &Task) -> bool {
    task.question.is_some() && matches!(task.semantics, Semantics::Axioms(..))
}

/// What is needed to run.
struct Prepared<'t> {
    rules: Rules,
    image: Image,
    /// The model, if it has no built-in form.
    judged: Option<Judged<'t>>,
}

struct Judged<'t> {
    model: &'t Model,
    vocabulary: &'t Vocabulary,
    plan: Plan,
}

/// What is needed to run, or why it cannot be.
fn prepare(task: &Task) -> Result<Prepared<'_>, Unsupported> {
    let refuse = |what: String| Unsupported { what, span: None };
    let (rules, judged) = match (&task.semantics, &task.question) {
        (Semantics::BuiltIn(model), _) => (Rules::known(*model, true), None),
        (Semantics::Machine(_), _) => return Err(refuse("a machine is not explored".into())),
        (Semantics::Axioms(..), Some(_)) => {
            let known = task.bundled.and_then(ModelFacts::built_in);
            let rules = known.map(|model| Rules::known(model, false));
            // Those of machines are for programs in C, after the mapping, only.
            let fits = |rules: &Rules| *task.program.dialect.name == *Dialect::C && !rules.every_read_synchronises;
            let rules = rules.filter(fits).ok_or_else(|| refuse("the model is not built in".into()))?;
            (rules, None)
        }
        (Semantics::Axioms(model, vocabulary), None) => {
            let Some(plan) = Plan::new(model) else {
                return Err(refuse("a model that makes choices of its own is not explored".into()));
            };
            if vocabulary.registers || vocabulary.branches {
                return Err(refuse("a model that looks inside instructions is not explored".into()));
            }
            let machine = *task.program.dialect.name != *Dialect::C;
            let coherence = match task.bundled {
                Some(_) if machine => Coherence::Local,
                Some(_) if task.happens_before != HappensBefore::Own => Coherence::HappensBefore,
                Some(_) | None => Coherence::Unknown,
            };
            let cxx20 = vocabulary.variants.iter().any(|v| *v == "cxx20");
            let rules = match task.bundled.and_then(|facts| facts.known) {
                Some(KnownModel::Imm) if !machine && cxx20 => Rules::imm(),
                _ if machine => Rules::judged(true, coherence, cxx20),
                _ if task.happens_before == HappensBefore::Own && task.properties.iter().any(is_by_happens_before) => {
                    let why = "a model whose happens-before or races are not those of C11 is not explored: option `engine` bmc takes it";
                    return Err(refuse(why.into()));
                }
                _ => Rules::judged(false, coherence, task.happens_before == HappensBefore::Cxx20),
            };
            (rules, Some(Judged { model, vocabulary, plan }))
        }
    };
    let image = compile(task, &Parts::new(), judged.is_some())?;
    Ok(Prepared { rules, image, judged })
}

/// Whether it depends on what happens before what whether a program fails in this way.
fn is_by_happens_before(failure: &Failure) -> bool {
    match failure {
        Failure::Race | Failure::InvalidAccess | Failure::UseAfterFree | Failure::DoubleFree | Failure::InvalidFree => {
            true
        }
        Failure::Assertion
        | Failure::Uninitialized
        | Failure::Leak
        | Failure::Deadlock
        | Failure::Liveness
        | Failure::ApiMisuse
        | Failure::Flag => false,
    }
}

/// The task's program, with some accesses made in parts. Where values that are not determined must be judged or observed, bits
/// that are not determined are each of their values.
fn compile(task: &Task, parts: &Parts, judged: bool) -> Result<Image, Unsupported> {
    let observed = task.question.as_deref().map_or_else(Vec::new, |q| observed_registers(&task.program, q));
    let image = treville_bytecode::compile(&task.program, &observed, parts)
        .map_err(|why| Unsupported { what: format!("{} is not explored", why.what), span: why.span })?;
    let counts = |reduction| !task.reductions.has(reduction);
    let (releases, hazards) = (counts(Reduction::LockRounds), counts(Reduction::HazardRounds));
    let image = image.with_changes(Changes { releases, hazards });
    Ok(if judged || task.question.is_some() { image.with_bits_at_once() } else { image })
}

fn observed_registers(program: &Program, question: &Question) -> Vec<(FuncId, Reg)> {
    let mut registers = Vec::new();
    let mut note = |place: &Place| {
        if let Place::Reg(thread, reg) = place {
            registers.push((program.roots[*thread].func, *reg));
        }
    };
    question.observed.iter().for_each(|o| note(&o.place));
    question.condition.visit_places(&mut note);
    if let Some(filter) = &question.filter {
        filter.visit_places(&mut note);
    }
    registers
}

/// Final states of the executions so far.
struct States<'a> {
    program: &'a Program,
    question: &'a Question,
    states: BTreeMap<Vec<FinalValue>, FinalState>,
    executions: u64,
    positive: u64,
}

impl<'a> States<'a> {
    fn new(program: &'a Program, question: &'a Question) -> Self {
        States { program, question, states: BTreeMap::new(), executions: 0, positive: 0 }
    }

    fn add(&mut self, ended: &CompleteExecution<'_>) {
        let holds = |f: &Formula| f.holds(&|place| self.value(ended, place));
        if self.question.filter.as_ref().is_some_and(|filter| !holds(filter)) {
            return;
        }
        let holds = holds(&self.question.condition);
        let values: Vec<FinalValue> = self.question.observed.iter().map(|o| self.values(ended, &o.place)).collect();
        self.executions += 1;
        self.positive += u64::from(holds);
        let state = FinalState { values: values.clone(), executions: 0, holds };
        self.states.entry(values).or_insert(state).executions += 1;
    }

    fn values(&self, ended: &CompleteExecution<'_>, place: &Place) -> FinalValue {
        match place {
            Place::Array { object, size, count } => (0..u64::from(*count))
                .map(|i| Place::Mem { object: *object, offset: i * u64::from(*size), size: *size })
                .filter_map(|element| self.value(ended, &element))
                .collect(),
            _ => self.value(ended, place).into_iter().collect(),
        }
    }

    fn value(&self, ended: &CompleteExecution<'_>, place: &Place) -> Option<Bv> {
        match place {
            Place::Reg(thread, reg) => {
                let width = self.width(*thread, *reg)?;
                Some(Bv::new(u128::from(ended.register(thread.index(), *reg)), width))
            }
            Place::Mem { object, offset, size } => {
                let addr = self.program.objects[*object].address + offset;
                let value = ended.memory(addr, *size);
                let value = value.unwrap_or_else(|| crate::memory::initial(self.program, *object, addr, *size));
                Some(Bv::new(u128::from(value), 8 * size))
            }
            Place::Array { .. } => None,
        }
    }

    fn width(&self, thread: ThreadId, reg: Reg) -> Option<u8> {
        let func = self.program.roots.get(thread)?.func;
        Some(self.program.funcs[func].regs.get(reg)?.width)
    }
}

fn outcome(task: &Task, mut explored: Explored, states: Option<States<'_>>) -> Outcome {
    if explored.doubtful && explored.is_all() {
        let why = "whether a thread that waits would go on is not seen";
        explored.stopped = Some(StopReason::Refused(why.to_owned()));
    }
    let mut stats = Stats::new();
    stats.insert("revisits", explored.revisits);
    if explored.violation.is_some() {
        stats.insert("replayed", explored.replayed);
    }
    let PathStats { queries, by_order, by_bits } = explored.paths;
    if queries > 0 {
        stats.insert("path_queries", queries);
        stats.insert("path_queries_by_order", by_order);
        stats.insert("path_queries_by_bits", by_bits);
    }
    if let Some(estimate) = explored.estimate {
        stats.insert("estimated_before", estimate);
    }
    if let (Some(expected), true) = (explored.expected(), explored.stopped.is_some()) {
        stats.insert("estimated_when_stopped", expected);
    }
    let open = explored.stopped.clone().unwrap_or(StopReason::Refused("exploration makes no witnesses yet".into()));
    // Of a test, the answers say it.
    let completes = task.question.is_none().then_some(explored.complete + explored.discarded > 0);
    let completes = completes.filter(|some| *some || explored.stopped.is_none());
    let (executions, positive) = states.as_ref().map_or((explored.complete, 0), |s| (s.executions, s.positive));
    Outcome {
        answers: task.queries.iter().map(|_| Answer::Open(open.clone())).collect(),
        states: states.map(|s| s.states.into_values().collect()),
        counts: Some(Counts {
            executions,
            positive,
            blocked: explored.blocked,
            candidates: executions + explored.blocked,
        }),
        completes,
        violation: explored.violation,
        traces: explored.traces,
        stopped: explored.stopped,
        cut: explored.cut,
        cut_at: explored.cut_at,
        stats,
        spawns: Some(explored.spawns),
        ..Outcome::default()
    }
}
