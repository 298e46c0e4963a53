//! The engine: which memory a task means, what it looks for, and what it answers.

use crate::code::{Code, compile};
use crate::induction::Induction;
use crate::memory::{Anywhere, Graph, Memory, Sequential, Views};
use crate::operational::{OnMemory, Operational};
use crate::props::{Check, encountered_objects, observed, watched_threads};
use crate::remote::{self, RemoteOptions};
use crate::replay;
use crate::search::{Searched, Target, Wanted, holds, search};
use crate::stepping::step_through;
use crate::symmetry::Symmetries;
use crate::system::{Bounds, Effect, Move, State, System};
use std::collections::BTreeSet;
use treville_base::{Idx, Name, Span, now};
use treville_ir::{DialectKind, Failure, ObjectId, Place, Prop, Symmetry, ThreadId};
use treville_task::{
    Answer, Command, Engine, EngineInfo, FinalState, Goal, Moment, Monitor, Outcome, Query, Ready, Reduction,
    RemoteTask, Run, Scope, Semantics, Stats, StopReason, Task, Unsupported,
};

/// The engine.
#[derive(Default)]
pub struct Machine {
    remote: RemoteOptions,
}

pub const INFO: EngineInfo = EngineInfo {
    name: "machine",
    about: "every state of a program on an operational machine, step by step (the default for .rar, .inv and .rma)",
};

/// States that are visited if the caller does not say.
const MOST_STATES: u64 = 50_000_000;

/// Writes of a variable that are kept, if some loop writes it and the caller does not say how many.
const KEPT_IN_LOOPS: usize = 8;

/// Accesses beside the initial writes, on a machine that never forgets one, if the program has loops.
const ACTIONS_IN_LOOPS: u32 = 12;

/// Longer runs are not repeated on the reference, which would take long.
const LONGEST_REPEATED: usize = 150;

/// More threads are not run.
const MOST_THREADS: usize = 64;

impl Machine {
    pub fn new(remote: RemoteOptions) -> Self {
        Machine { remote }
    }

    /// Lets somebody go through a run of a task, whose queries ask for violations of invariants.
    ///
    /// # Errors
    /// If the machine does not run it.
    pub fn step_through(&self, task: &Task, choose: &mut dyn FnMut(&Moment) -> Command) -> Result<(), Unsupported> {
        let prepared = prepare(task)?;
        let keep = vec![true; prepared.code.vars.len()];
        prepared.model.run(&prepared.code, keep, StepThrough { prepared: &prepared, task, choose })
    }
}

impl Engine for Machine {
    fn info(&self) -> &EngineInfo {
        &INFO
    }

    fn prepare<'t>(&'t self, task: &'t Task) -> Result<Ready<'t>, Vec<Unsupported>> {
        let prepared = prepare(task).map_err(|why| vec![why])?;
        Ok(Box::new(move |monitor| prepared.run(task, monitor)))
    }

    fn prepare_remote<'t>(&'t self, task: &'t RemoteTask) -> Result<Ready<'t>, Vec<Unsupported>> {
        Ok(Box::new(move |_| remote::run(task, self.remote)))
    }
}

struct StepThrough<'a> {
    prepared: &'a Prepared,
    task: &'a Task,
    choose: &'a mut dyn FnMut(&Moment) -> Command,
}

impl OnMemory for StepThrough<'_> {
    type Answer = Result<(), Unsupported>;

    fn on<M: Memory>(self, memory: M) -> Self::Answer {
        self.prepared.go_through(self.task, memory, self.choose)
    }
}

struct Answering<'a> {
    prepared: &'a Prepared,
    task: &'a Task,
    monitor: &'a dyn Monitor,
}

impl OnMemory for Answering<'_> {
    type Answer = Outcome;

    fn on<M: Memory>(self, memory: M) -> Outcome {
        self.prepared.answer(self.task, memory, self.monitor)
    }
}

struct Prepared {
    model: Operational,
    code: Code,
    targets: Vec<Target>,
    symmetries: Symmetries,
}

fn refuse(what: impl Into<String>) -> Unsupported {
    Unsupported { what: what.into(), span: None }
}

fn prepare(task: &Task) -> Result<Prepared, Unsupported> {
    let Semantics::Machine(machine) = &task.semantics else { return Err(refuse("a model that is given by axioms")) };
    let Some(model) = Operational::named(machine) else {
        return Err(refuse(format!("there is no machine {machine} (there are: {})", Operational::names())));
    };
    let mut watched = BTreeSet::new();
    let mut encountered = BTreeSet::new();
    for prop in props(&task.queries) {
        watched_threads(prop, &mut watched);
        encountered_objects(prop, &mut encountered);
    }
    watch_equals(&task.symmetries, &mut watched);
    if !encountered.is_empty() && !model.has_encountered_writes() {
        return Err(refuse(format!("on {machine} there is no set of writes that a thread has encountered")));
    }
    if task.queries.iter().any(is_step) && !model.has_induction() {
        return Err(refuse(format!(
            "whether an invariant is inductive is not looked at on {machine} (on sc, ra and rar it is)"
        )));
    }
    let code = compile(&task.program, &watched)?;
    takes_dialect(model, task)?;
    if let Some(fence) = unknown_fence(&code, model) {
        return Err(Unsupported { what: format!("this fence is not run on {machine}"), span: Some(fence) });
    }
    if code.threads.len() > MOST_THREADS {
        return Err(refuse(format!("more than {MOST_THREADS} threads")));
    }
    if let Some(places) = task.question.as_ref().map(|q| &q.observed)
        && places.iter().any(|o| matches!(o.place, Place::Array { .. }))
    {
        return Err(refuse("an array"));
    }
    let target = |query: &Query| {
        Ok(match &query.goal {
            Goal::State(prop) => Target::State(Check::compile(prop, &code)?),
            Goal::End(prop) => Target::End(Check::compile(prop, &code)?),
            Goal::Final { condition, filter } => Target::Final(condition.clone(), filter.clone()),
            Goal::Failure(Failure::Assertion) if code.can_fail() => Target::Failed,
            Goal::Failure(Failure::Deadlock) => Target::Deadlock,
            Goal::Failure(Failure::Assertion) | Goal::Step { .. } => Target::Never,
            Goal::Failure(_) | Goal::Flag(_) => return Err(refuse("a question about races, memory or flags")),
        })
    };
    let targets = task.queries.iter().map(target).collect::<Result<_, Unsupported>>()?;
    let declared = Symmetries::of(&code, &task.symmetries)?;
    let symmetries = if task.reductions.has(Reduction::Symmetry) { declared } else { Symmetries::default() };
    Ok(Prepared { model, code, targets, symmetries })
}

/// Whether programs in these words mean something on a machine.
fn takes_dialect(model: Operational, task: &Task) -> Result<(), Unsupported> {
    let dialect = &task.program.dialect;
    let has = |names: &[&str]| task.program.tags.iter().any(|tag| names.iter().any(|name| *tag == *name));
    if model == Operational::Pso && dialect.kind() == DialectKind::C && has(&["SC"]) {
        return Err(refuse("what seq_cst means on pso is not said: this"));
    }
    // The model of that name leaves them as they are.
    if model.strengthens_accesses() && task.question.is_some() && has(&["RLX", "NA"]) {
        return Err(refuse("on the machine ra every access releases or acquires: a test with relaxed accesses"));
    }
    if model.takes(dialect) {
        return Ok(());
    }
    Err(refuse(format!("a program in {} on the machine {}", dialect.name, model.name())))
}

/// A fence that a machine does not know.
fn unknown_fence(code: &Code, model: Operational) -> Option<Span> {
    let mut nodes = code.threads.iter().flat_map(|thread| &thread.nodes);
    nodes.find(|node| model.is_unknown(&node.step)).map(|node| node.span)
}

/// Threads that do the same rest at the same places.
fn watch_equals(symmetries: &[Symmetry], watched: &mut BTreeSet<usize>) {
    let mut before = usize::MAX;
    while before != watched.len() {
        before = watched.len();
        for (a, b) in symmetries.iter().map(|symmetry| (symmetry.threads.0.index(), symmetry.threads.1.index())) {
            if watched.contains(&a) || watched.contains(&b) {
                watched.extend([a, b]);
            }
        }
    }
}

fn is_step(query: &Query) -> bool {
    matches!(query.goal, Goal::Step { .. })
}

/// The properties of states that are asked for.
fn props(queries: &[Query]) -> impl Iterator<Item = &Prop> {
    queries.iter().flat_map(|query| match &query.goal {
        Goal::State(prop) | Goal::End(prop) => vec![prop],
        Goal::Step { given, prop } => given.iter().chain([prop]).collect(),
        Goal::Final { .. } | Goal::Flag(_) | Goal::Failure(_) => Vec::new(),
    })
}

/// Variables of which every write is kept, since somebody asks which of them threads have encountered.
pub(crate) fn kept<'p>(code: &Code, props: impl Iterator<Item = &'p Prop>) -> Vec<bool> {
    let mut encountered = BTreeSet::new();
    props.for_each(|prop| encountered_objects(prop, &mut encountered));
    code.vars.iter().map(|var| encountered.contains(&var.object)).collect()
}

/// How many writes of each variable are kept.
pub(crate) fn bounded_messages(code: &Code, given: Option<u32>) -> Vec<usize> {
    // Positions in all lists together have 16 bits.
    let longest = crate::memory::MAX_MESSAGES.min(usize::from(u16::MAX / 2) / code.vars.len().max(1));
    let most = |in_loop: bool| if in_loop { KEPT_IN_LOOPS.min(longest) } else { longest };
    code.vars.iter().map(|var| given.map_or_else(|| most(var.in_loop), |given| longest.min(given as usize))).collect()
}

impl Prepared {
    fn run(&self, task: &Task, monitor: &dyn Monitor) -> Outcome {
        let Prepared { code, model, .. } = self;
        let keep = kept(code, props(&task.queries));
        if task.queries.iter().any(is_step) {
            let init: Vec<u64> = code.vars.iter().map(|var| var.init).collect();
            let always = model.strengthens_accesses();
            return match model {
                Operational::Sc => self.induction(task, Sequential { init }),
                _ => self.induction(task, Views { init, n_threads: code.threads.len(), always, keep }),
            };
        }
        model.run(code, keep, Answering { prepared: self, task, monitor })
    }

    fn bounds(&self, task: &Task) -> Bounds {
        let messages = bounded_messages(&self.code, task.bounds.messages);
        let loops = || self.code.threads.iter().any(|thread| !thread.looping().is_empty());
        let actions = match task.bounds.actions {
            None if self.model.remembers_accesses() && loops() => Some(self.code.vars.len() as u32 + ACTIONS_IN_LOOPS),
            given => given,
        };
        Bounds { messages, actions }
    }

    fn go_through<M: Memory>(
        &self,
        task: &Task,
        memory: M,
        choose: &mut dyn FnMut(&Moment) -> Command,
    ) -> Result<(), Unsupported> {
        let messages = vec![crate::memory::MAX_MESSAGES; self.code.vars.len()];
        let system = System { code: &self.code, memory, bounds: Bounds { messages, actions: None } };
        let negated = task.queries.iter().filter_map(|query| match &query.goal {
            Goal::State(Prop::Not(prop)) => Some(Check::compile(prop, &self.code)),
            _ => None,
        });
        let invariants = negated.collect::<Result<Vec<_>, _>>()?;
        let encounters = self.model.has_encountered_writes();
        step_through(&system, &task.program, &invariants, encounters, choose);
        Ok(())
    }

    /// Looks at steps from everywhere.
    fn induction<M: Anywhere>(&self, task: &Task, memory: M) -> Outcome {
        let messages = vec![usize::MAX; self.code.vars.len()];
        let system = System { code: &self.code, memory, bounds: Bounds { messages, actions: None } };
        let most_states = task.limits.states.unwrap_or(MOST_STATES);
        let mut outcome = Outcome::default();
        for query in &task.queries {
            let Goal::Step { given, prop } = &query.goal else {
                outcome
                    .answers
                    .push(Answer::Open(StopReason::Refused("a question about runs among those about steps".into())));
                continue;
            };
            let kept = task.bounds.messages;
            let asked = Induction::new(&self.code, given, prop, kept, most_states, &task.limits.cancel);
            let answer = match asked.map(|asked| (asked.run(&system), asked.assumptions(self.model.has_old_writes()))) {
                Ok((Ok(Some(run)), _)) => Answer::Reached(Box::new(run)),
                Ok((Ok(None), relative_to)) => Answer::Absent(Scope { complete: false, relative_to }),
                Ok((Err(why), _)) => Answer::Open(why),
                Err(why) => Answer::Open(StopReason::Refused(why.what)),
            };
            outcome.answers.push(answer);
        }
        outcome
    }

    fn answer<M: Memory>(&self, task: &Task, memory: M, monitor: &dyn Monitor) -> Outcome {
        let system = System { code: &self.code, memory, bounds: self.bounds(task) };
        let places: Option<Vec<Place>> = match (&task.question, task.states) {
            (Some(question), true) => Some(question.observed.iter().map(|o| o.place.clone()).collect()),
            _ => None,
        };
        let wanted = Wanted {
            targets: &self.targets,
            observed: places.as_deref(),
            most_states: task.limits.states.unwrap_or(MOST_STATES).min(u64::from(u32::MAX) - 2),
            n_workers: task.limits.threads.map_or(1, |n| n as usize),
            cancel: &task.limits.cancel,
        };
        let start = now();
        let searched = search(&system, &self.symmetries, &wanted, monitor);
        let seconds = start.elapsed().as_secs_f64();
        let mut outcome = self.outcome(task, &system, searched);
        if let Some(states) = outcome.stats.get("states").filter(|_| seconds > 0.0) {
            outcome.stats.insert("states_per_second", (*states as f64 / seconds) as u64);
        }
        outcome
    }

    fn outcome<M: Memory>(&self, task: &Task, system: &System<'_, M>, searched: Searched) -> Outcome {
        let scope = self.scope(task, system, &searched);
        let mut stopped = searched.stopped.clone();
        let mut answers = Vec::new();
        for ((query, target), reached) in task.queries.iter().zip(&self.targets).zip(&searched.reached) {
            answers.push(match (reached, &searched.stopped) {
                (Some(state), _) => match self.run_to(task, system, &searched, *state, &query.goal, target) {
                    Ok(run) => Answer::Reached(Box::new(run)),
                    Err(why) => {
                        stopped = Some(why.clone());
                        Answer::Open(why)
                    }
                },
                (None, Some(why)) => Answer::Open(why.clone()),
                (None, None) if searched.answered && !matches!(target, Target::Never) => {
                    Answer::Open(StopReason::Refused("the search ended when everything else was known".into()))
                }
                (None, None) if searched.may_wait && matches!(target, Target::Deadlock) => {
                    Answer::Open(StopReason::Refused("threads may wait in a loop of too many states".into()))
                }
                (None, None) => Answer::Absent(scope.clone()),
            });
        }
        let states = task.question.as_ref().filter(|_| task.states).map(|question| {
            let state = |values: &Vec<treville_task::FinalValue>| {
                let value = |place: &Place| {
                    let at = question.observed.iter().position(|o| o.place == *place)?;
                    values[at].first().copied()
                };
                (values.clone(), question.condition.holds(&value))
            };
            let all = searched.finals.keys().map(state);
            all.map(|(values, holds)| FinalState { values, executions: 0, holds }).collect()
        });
        let mut stats = Stats::new();
        stats.insert("states", searched.store.len() as u64);
        stats.insert("transitions", searched.transitions);
        stats.insert("depth", searched.depth);
        stats.insert("bytes", searched.store.size() as u64);
        stats.insert("bytes_per_state", searched.store.size() as u64 / searched.store.len().max(1) as u64);
        if searched.answered {
            stats.insert("answered_early", 1);
        }
        let saw_all = searched.stopped.is_none() && !searched.answered && scope.complete;
        let unreached = if saw_all { self.unreached(&searched) } else { Vec::new() };
        let (cut, completes) = (!scope.complete, searched.completes);
        Outcome { answers, states, stopped, cut, completes, stats, unreached, ..Outcome::default() }
    }

    fn scope<M: Memory>(&self, task: &Task, system: &System<'_, M>, searched: &Searched) -> Scope {
        let mut relative_to = Vec::new();
        for (var, most) in system.bounds.messages.iter().enumerate().filter(|(var, _)| searched.noticed.full[*var]) {
            let name = &task.program.objects[self.code.vars[var].object].name;
            relative_to.push(format!("at most {most} writes to {name} are kept"));
        }
        if let Some(most) = system.bounds.actions.filter(|_| searched.noticed.out_of_actions) {
            relative_to.push(format!("a run has at most {most} actions"));
        }
        Scope { complete: relative_to.is_empty(), relative_to }
    }

    /// The run to a state, after a second look at it.
    fn run_to<M: Memory>(
        &self,
        task: &Task,
        system: &System<'_, M>,
        searched: &Searched,
        state: usize,
        goal: &Goal,
        target: &Target,
    ) -> Result<Run, StopReason> {
        let disagree =
            || StopReason::Refused("internal disagreement, please report it: a run cannot be repeated".into());
        let is_it = |state: &State<M::State>| {
            matches!(target, Target::Deadlock) || holds(target, system, state, system.is_done(state))
        };
        let cancel = &task.limits.cancel;
        let found = replay::moves(system, &self.symmetries, &searched.store, state, &is_it, cancel)?;
        let (moves, last) = found.ok_or_else(disagree)?;
        if self.model == Operational::Rar && moves.len() <= LONGEST_REPEATED {
            self.check_on_graph(&moves, target).ok_or_else(disagree)?;
        }
        let mut run = replay::run(system, &moves, self.watched(task, goal));
        if matches!(target, Target::Deadlock) {
            run.waiting = replay::waiting(system, &last);
        }
        Ok(run)
    }

    /// Repeats a run on views on graphs: the same values, and the same at the end.
    fn check_on_graph(&self, moves: &[Move], target: &Target) -> Option<()> {
        let memory = Graph { init: self.code.vars.iter().map(|var| var.init).collect() };
        let messages = vec![usize::MAX; self.code.vars.len()];
        let system = System { code: &self.code, memory, bounds: Bounds { messages, actions: None } };
        let mut repeated = Vec::new();
        let last = replay::repeat(&system, moves, &mut |step, _, _| repeated.push(step))?;
        let values = |step: &Move| match step.effect {
            Effect::Read { var, from } => (var, from.value, from.origin, 0),
            Effect::Write { var, after, value } | Effect::Update { var, from: after, value } => {
                (var, after.value, after.origin, value)
            }
            Effect::Flush { .. } | Effect::Skip => (0, 0, 0, 0),
        };
        let same = moves.iter().map(values).eq(repeated.iter().map(values));
        let reached = matches!(target, Target::Deadlock) || holds(target, &system, &last, system.is_done(&last));
        (same && reached).then_some(())
    }

    /// What each thread can observe of the variables that somebody asks about.
    fn watched(&self, task: &Task, goal: &Goal) -> Vec<(ThreadId, ObjectId)> {
        let mut asked = BTreeSet::new();
        if let Goal::State(prop) | Goal::End(prop) = goal {
            observed(prop, &mut asked);
        }
        let objects: BTreeSet<ObjectId> = asked.into_iter().map(|(_, object)| object).collect();
        task.program.roots.ids().flat_map(|thread| objects.iter().map(move |object| (thread, *object))).collect()
    }

    fn unreached(&self, searched: &Searched) -> Vec<(ThreadId, Name)> {
        let mut unreached = Vec::new();
        for (id, (thread, passed)) in
            self.code.threads.iter().zip(self.symmetries.passed(&searched.noticed.passed)).enumerate()
        {
            let mut left = thread.labels.clone();
            let reached = thread.nodes.iter().zip(passed).filter(|(_, passed)| *passed);
            reached.filter_map(|(node, _)| node.label.as_ref()).for_each(|label| {
                left.remove(label);
            });
            unreached.extend(left.into_iter().map(|label| (ThreadId::from_usize(id), label)));
        }
        unreached
    }
}
