//! Programs for engines that take tests: they are made finite, and what threads start and how they fail becomes a question about
//! final states and flags.

mod telling;

use crate::engines::Engines;
use crate::executions::unknown;
use crate::programs::model_for_programs;
use crate::proofs::{query_of, say};
use crate::session::Prepared;
use crate::{Loaded, Options, Session, States, failure, front_ends, library, refusal, unreadable};
use std::collections::BTreeSet;
use std::sync::Arc;
use telling::{Standstill, story};
use treville_base::{Cancel, Diagnostic, Name, SourceMap, Span};
use treville_eval::{Evidence, judge};
use treville_event::EventId;
use treville_ir::{Dialect, Failure as Failing, Formula, Op, Program, Question, Wait};
use treville_model::Model;
use treville_model::syntax::CheckMode;
use treville_passes::close::{Closed, End, LATEST, Words, close, ends};
use treville_passes::target::{self, Exclusives};
use treville_passes::{Unrolling, loop_free};
use treville_report::Failure;
use treville_task::{
    Answer, Bounds, Counts, Engine, FinalValue, Goal, Limits, Monitor, Outcome, Proof, Query, Reduction, Semantics,
    StopReason, Story, Task, Unsupported, Violation, Witness,
};

/// The flag that only counts if all threads have ended.
const LEAK: &str = "leak";

/// Flags that mean a failure, with what is said of it, in the order in which they are told.
const FLAGS: &[(&str, Failing, &str)] = &[
    ("invalid-access", Failing::InvalidAccess, "an access outside of every object, or not after its allocation"),
    ("double-free", Failing::DoubleFree, "an object is freed twice"),
    ("invalid-free", Failing::InvalidFree, "an object is freed whose allocation may come later"),
    ("uninitialized", Failing::Uninitialized, "memory is read that nobody has written"),
    ("data-race", Failing::Race, "two accesses race"),
    ("use-after-free", Failing::UseAfterFree, "an object is used after its end, or not ordered before it"),
    (LEAK, Failing::Leak, "an object is never freed"),
];

/// Memory orders of C11.
const OF_C11: &[&str] = &["RLX", "CON", "ACQ", "REL", "ACQ_REL", "SC"];

/// More threads than this are not for engines that list executions.
const MOST_LISTED: usize = 16;

/// Whether the engine takes tests only.
pub(crate) fn is_for_tests(engine: &dyn Engine) -> bool {
    engine.info().name != Engines::FOR_PROGRAMS
}

/// A program that an engine for tests is to check.
pub(crate) struct Source<'a> {
    /// In C, whatever machine it is for.
    pub(crate) program: &'a Program,
    pub(crate) sources: &'a SourceMap,
    pub(crate) model: &'a str,
    /// Whether the passes may drop dependencies.
    pub(crate) algebraic: bool,
}

impl Session<'_> {
    /// Runs an engine for tests on a program, whatever other engine the task was made for. Without a bound, it is asked at
    /// growing ones until nothing is cut.
    pub(crate) fn run_closed(
        &self,
        engine: &dyn Engine,
        task: &Task,
        source: &Source<'_>,
        options: &Options,
        monitor: &dyn Monitor,
    ) -> Result<Outcome, Failure> {
        let mut bound = options.run.bound.unwrap_or(Bounds::FIRST);
        loop {
            let outcome = self.run_closed_at(bound, engine, task, source, options, monitor)?;
            let stopped = outcome.stopped.as_ref().is_some_and(|why| *why != StopReason::Effort);
            let decided = outcome.violation.is_some() || stopped || !outcome.cut;
            match Bounds::after(options.run.bound, bound) {
                Some(larger) if !decided => bound = larger,
                _ => return Ok(outcome),
            }
        }
    }

    fn run_closed_at(
        &self,
        bound: u32,
        engine: &dyn Engine,
        task: &Task,
        source: &Source<'_>,
        options: &Options,
        monitor: &dyn Monitor,
    ) -> Result<Outcome, Failure> {
        let name = engine.info().name;
        let refused =
            |why: Diagnostic| refusal(name, &[Unsupported { what: why.message, span: why.span }], source.sources);
        let liveness = task.properties.contains(&Failing::Liveness);
        let cancel = &task.limits.cancel;
        let closed = match closed(source, bound, task.reductions.has(Reduction::AwaitLoops), liveness, cancel) {
            Ok(closed) => closed,
            Err(why) => {
                let stopped = StopReason::of(cancel).ok_or_else(|| refused(why))?;
                return Ok(Outcome { stopped: Some(stopped), ..Outcome::default() });
            }
        };
        let lists = engine.candidates().is_some();
        if lists && closed.program.roots.len() > MOST_LISTED {
            return Err(unknown(format!("so many threads are not for the engine {name}")));
        }
        let unasked = |failure: &Failing| *failure == Failing::Assertion && !task.properties.contains(failure);
        if let Some((failure, _, span)) = closed.failures.iter().find(|(failure, ..)| unasked(failure)) {
            // What comes after an assertion that nobody looks at is not seen. Whatever else is wrong has no meaning after it.
            let what = format!("{} is not looked for, and how the program goes on not seen", failure.name());
            return Err(refused(Diagnostic::error(*span, what)));
        }
        let mut named = model_for_programs(&options.model, source.model);
        named.safety = true;
        let unasked = FLAGS.iter().filter(|(_, failure, _)| !task.properties.contains(failure));
        named.skip_checks.extend(unasked.map(|(flag, ..)| (*flag).to_owned()));
        let linked = self.library.linked(&named, &closed.program)?;
        let queries = Queries::of(&closed, &task.properties, &linked.model);
        let inner = Task {
            program: Arc::new(closed.program.clone()),
            semantics: Semantics::Axioms(Arc::clone(&linked.model), Arc::clone(&linked.vocabulary)),
            bundled: None,
            queries: queries.all.iter().map(|(_, goal)| Query { goal: goal.clone() }).collect(),
            question: Some(Arc::new(closed.asked.question.clone())),
            // There are no loops left.
            bounds: Bounds { unroll: 1, given: Some(1), ..Bounds::default() },
            states: lists,
            reference: None,
            symmetries: Vec::new(),
            stories: 0,
            retry: Bounds::after(options.run.bound, bound).and_then(|_| queries.cut()),
            ..task.clone()
        };
        engine.supports(&inner).map_err(|why| refusal(name, &why, source.sources))?;
        let told = |task: &Task, queries: &Queries| {
            let told = Told { closed: &closed, model: &linked.model, task, queries, program: source.program };
            told.outcome(engine.run(task, monitor))
        };
        let outcome = told(&inner, &queries);
        if !task.properties.contains(&Failing::Leak) || outcome.violation.is_some() || outcome.stopped.is_some() {
            return Ok(outcome);
        }
        let leaks = Queries { all: vec![(Meaning::Flag, Goal::Flag(Name::new(LEAK)))] };
        let question = Question { filter: Some(closed.asked.complete.clone()), ..closed.asked.question.clone() };
        let ended = Task {
            question: Some(Arc::new(question)),
            queries: leaks.all.iter().map(|(_, goal)| Query { goal: goal.clone() }).collect(),
            retry: None,
            observer: None,
            ..inner.clone()
        };
        let leaking = told(&ended, &leaks);
        let mut proofs = outcome.proofs;
        // These are about executions in which all threads end.
        proofs.extend(leaking.proofs.into_iter().map(|proof| Proof { name: format!("ended-{}", proof.name), ..proof }));
        Ok(Outcome { violation: leaking.violation, stopped: leaking.stopped, proofs, ..outcome })
    }
}

/// A program under one model, as a test about those of its executions that come to an end or fail.
pub(crate) struct Ended {
    pub(crate) prepared: Prepared,
    closed: Closed,
}

impl Ended {
    /// Whether there are longer executions.
    pub(crate) fn is_cut(&self) -> bool {
        self.closed.cut_at.is_some()
    }

    /// How an execution ends.
    pub(crate) fn tell(&self, state: &[FinalValue]) -> String {
        let failed = ends(state).into_iter().find_map(|(thread, end)| match end {
            End::Failed(n) => self.closed.failures.get(n).map(|(failure, message, _)| (thread, failure, message)),
            _ => None,
        });
        match failed {
            Some((thread, failure, message)) => format!("thread {} fails: {}, {message}", thread.0, failure.name()),
            None => "all threads come to their end".to_owned(),
        }
    }
}

impl Session<'_> {
    /// A program as a test under a model, up to a bound.
    pub(crate) fn ended(
        &self,
        program: &Program,
        sources: &Arc<SourceMap>,
        model: &str,
        bound: u32,
        options: &Options,
    ) -> Result<Ended, Failure> {
        if is_for_kernel(program) && options.model.is_bundled(model) {
            library::fits(model, &program.dialect)?;
        }
        let source = Source { program, sources, model, algebraic: false };
        let cancel = self.cancel_for(&options.run);
        let closed = closed(&source, bound, options.run.reductions.has(Reduction::AwaitLoops), false, &cancel)
            .map_err(|why| failure(vec![why], Arc::clone(sources)))?;
        let linked = self.library.linked(&model_for_programs(&options.model, model), &closed.program)?;
        let asked = &closed.asked;
        let filter = Formula::Or(vec![asked.complete.clone(), asked.question.condition.clone()]);
        let question = Arc::new(Question { filter: Some(filter), ..asked.question.clone() });
        let program = Arc::new(closed.program.clone());
        let semantics = Semantics::Axioms(Arc::clone(&linked.model), Arc::clone(&linked.vocabulary));
        let cancel = self.cancel_for(&options.run);
        let task = Task {
            question: Some(Arc::clone(&question)),
            // There are no loops left.
            bounds: Bounds { unroll: 1, given: Some(1), ..Bounds::default() },
            limits: Limits { cancel, memory_mb: options.run.memory_mb, threads: options.run.threads, states: None },
            reductions: options.run.reductions,
            ..Task::new(Arc::clone(&program), semantics)
        };
        let loaded = Loaded { program, question, sources: Arc::clone(sources), info: Vec::new() };
        let engine = self.engines.named("bmc").map_err(unreadable)?;
        engine.supports(&task).map_err(|why| refusal(engine.info().name, &why, sources))?;
        let states = States::Unlisted;
        let prepared = Prepared { loaded, model: linked, engine, spares: None, second: None, task, states };
        Ok(Ended { prepared, closed })
    }
}

/// The program as a test, up to a bound.
fn closed(source: &Source<'_>, bound: u32, idle: bool, liveness: bool, cancel: &Cancel) -> Result<Closed, Diagnostic> {
    let passes = treville_passes::Options {
        algebraic: source.algebraic,
        cancel: cancel.clone(),
        ..treville_passes::Options::default()
    };
    let mut program = source.program.clone();
    let latest = liveness.then(|| program.tag(LATEST));
    let mut finite = loop_free(&program, Unrolling { bound, idle, latest }, &passes)?;
    let machine = target::dialect_for(source.model).filter(|_| source.model != "sc");
    let words = match machine {
        Some(machine) => {
            let dialect = front_ends::dialect(machine)?;
            finite = target::compile_with(&finite, source.model, &dialect, Exclusives::Together)?;
            target::words(source.model).unwrap_or_else(Words::of_c)
        }
        None if is_for_kernel(&finite) => {
            refuse_c11(&finite)?;
            Words::of_kernel()
        }
        None => Words::of_c(),
    };
    let base = if machine.is_some() || is_for_kernel(&finite) {
        Dialect::clone(&finite.dialect)
    } else {
        Dialect::c11("rc11")
    };
    let more = Words::more().into_iter().chain(["NA", "UNWRITTEN"].map(Name::new));
    let mut sets: Vec<Name> = base.sets.iter().cloned().chain(more).collect();
    sets.sort();
    sets.dedup();
    // What depends on a branch of compiled code never ends, and a compare-exchange writes if and only if it succeeds.
    finite.dialect = Arc::new(Dialect { sets, branch_events: true, loose_compare: false, ..base });
    close(&finite, &words, liveness, cancel)
}

/// Whether a program has the memory orders of the Linux kernel.
pub(crate) fn is_for_kernel(program: &Program) -> bool {
    program.dialect.name == Dialect::KERNEL
}

/// The kernel's model does not know the memory orders of C11.
fn refuse_c11(program: &Program) -> Result<(), Diagnostic> {
    for inst in program.funcs.iter().flat_map(|func| func.blocks.iter()).flat_map(|block| &block.insts) {
        let tags = match &inst.op {
            Op::Load { tags, .. } | Op::Store { tags, .. } | Op::Fence { tags } => tags,
            Op::Update { tags, .. } => &tags.fused,
            _ => continue,
        };
        if tags.iter().any(|tag| OF_C11.contains(&program.tags[*tag].as_str())) {
            return Err(Diagnostic::error(inst.span, "an atomic operation of C11 beside those of the Linux kernel"));
        }
    }
    Ok(())
}

/// What is asked, and what it would mean.
struct Queries {
    all: Vec<(Meaning, Goal)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Meaning {
    Fails,
    Deadlock,
    /// It is not known whether it is a deadlock.
    MayBeDeadlock,
    Liveness,
    MayBeLiveness,
    Cut,
    Flag,
    /// An execution that completes: nothing is wrong with it, but a yes needs one.
    Completes,
}

impl Queries {
    fn of(closed: &Closed, properties: &BTreeSet<Failing>, model: &Model) -> Queries {
        let end = |condition: &Formula| Goal::Final { condition: condition.clone(), filter: None };
        let asked = &closed.asked;
        let mut all = Vec::new();
        let says = |mode: CheckMode| matches!(mode, CheckMode::Flag | CheckMode::UndefinedUnless);
        let flags = model.made_checks().filter(|(_, check)| says(check.mode)).map(|(_, check)| &check.name);
        let known = |flag: &Name| FLAGS.iter().position(|(name, ..)| *flag == *name);
        let wanted = flags.filter(|flag| known(flag).is_some() || properties.contains(&Failing::Flag));
        let mut wanted: Vec<&Name> = wanted.filter(|flag| **flag != LEAK).collect();
        wanted.sort_by_key(|flag| known(flag).unwrap_or(FLAGS.len()));
        // An execution that races may fail in any way afterwards.
        all.extend(wanted.into_iter().map(|flag| (Meaning::Flag, Goal::Flag(flag.clone()))));
        let failures = closed.failures.iter().map(|(failure, ..)| properties.contains(failure));
        let failures: Vec<usize> = failures.enumerate().filter(|(_, asked)| *asked).map(|(n, _)| n).collect();
        if failures.len() == closed.failures.len() {
            all.push((Meaning::Fails, end(&asked.question.condition)));
        } else {
            all.push((Meaning::Fails, end(&asked.fails_by(&failures))));
        }
        if properties.contains(&Failing::Deadlock) {
            all.push((Meaning::Deadlock, end(&asked.deadlock)));
            all.push((Meaning::MayBeDeadlock, end(&asked.unclear)));
        }
        if properties.contains(&Failing::Liveness) {
            all.push((Meaning::Liveness, end(&asked.spinning)));
            all.push((Meaning::MayBeLiveness, end(&asked.perhaps_spinning)));
        }
        all.push((Meaning::Cut, end(&asked.cut)));
        all.push((Meaning::Completes, end(&asked.ended)));
        Queries { all }
    }

    /// The query whether a loop goes on beyond the bound.
    fn cut(&self) -> Option<usize> {
        self.all.iter().position(|(meaning, _)| *meaning == Meaning::Cut)
    }
}

/// What an engine for tests says, told of the program.
struct Told<'a> {
    closed: &'a Closed,
    model: &'a Model,
    task: &'a Task,
    queries: &'a Queries,
    /// The program as it is.
    program: &'a Program,
}

impl Told<'_> {
    fn outcome(&self, inner: Outcome) -> Outcome {
        let candidates = inner.counts.map_or(0, |counts| counts.candidates);
        let mut counts = Counts { candidates, ..Counts::default() };
        for state in inner.states.iter().flatten() {
            let complete = ends(&state.values).iter().all(|(_, end)| matches!(end, End::Complete | End::ExitProcess));
            *(if complete { &mut counts.executions } else { &mut counts.blocked }) += state.executions;
        }
        let mut violation = None;
        let mut doubt = None;
        let mut cut = false;
        let mut completes = None;
        for ((meaning, goal), answer) in self.queries.all.iter().zip(&inner.answers) {
            if let (Meaning::Completes, Answer::Absent(_)) = (meaning, answer) {
                completes = Some(false);
            }
            let flag = match goal {
                Goal::Flag(name) => Some(name),
                _ => None,
            };
            let witness = match answer {
                Answer::Found(witness) => Some(&**witness),
                // Engines that list executions count flags, and keep no execution.
                _ if flag.is_some_and(|name| self.is_raised(&inner, name)) => None,
                _ => continue,
            };
            match meaning {
                Meaning::Cut => cut = true,
                Meaning::Completes => completes = Some(true),
                Meaning::MayBeDeadlock => doubt = Some("whether a thread that waits would go on is not seen"),
                Meaning::MayBeLiveness => doubt = Some("whether a loop waits for what no thread will do is not seen"),
                Meaning::Fails => violation = violation.or_else(|| self.failure(witness?)),
                Meaning::Deadlock => violation = violation.or_else(|| self.stuck(Failing::Deadlock, witness?)),
                Meaning::Liveness => violation = violation.or_else(|| self.stuck(Failing::Liveness, witness?)),
                Meaning::Flag => violation = violation.or_else(|| Some(self.flagged(flag?, witness))),
            }
        }
        // What was found needs no larger bound.
        let stopped = inner.stopped.filter(|why| *why != StopReason::Effort || violation.is_none());
        let stopped = stopped.or_else(|| doubt.map(|why| StopReason::Refused(why.to_owned())));
        let cut_at = self.closed.cut_at.filter(|_| cut);
        let counts = inner.counts.map(|_| counts);
        let mut proofs = inner.proofs;
        proofs.iter_mut().for_each(|proof| self.say_claim(proof, cut));
        Outcome {
            answers: Vec::new(),
            states: None,
            counts,
            completes,
            violation,
            cut,
            cut_at,
            stopped,
            proofs,
            ..inner
        }
    }

    /// Says what a proof is about: the loops of the program were cut before the engine saw it.
    fn say_claim(&self, proof: &mut Proof, cut: bool) {
        let meaning = query_of(proof).and_then(|query| self.queries.all.get(query)).map(|(meaning, _)| match meaning {
            Meaning::Cut => "a loop goes on beyond the bound",
            Meaning::MayBeDeadlock => "a thread may wait for ever",
            Meaning::MayBeLiveness => "a loop may wait for ever",
            Meaning::Fails => "an assertion or the like fails",
            Meaning::Deadlock => "a thread waits for ever",
            Meaning::Liveness => "a loop waits for ever",
            Meaning::Flag => "the model objects",
            Meaning::Completes => "an execution completes",
        });
        let bounded = cut.then_some("(executions that go beyond the loop bound aside)");
        let words: Vec<&str> = meaning.into_iter().chain(bounded).collect();
        if !words.is_empty() {
            say(proof, &words.join(" "));
        }
    }

    fn is_raised(&self, inner: &Outcome, flag: &Name) -> bool {
        let undefined = |flag: &Name| {
            self.model.checks.iter().any(|check| check.name == *flag && check.mode == CheckMode::UndefinedUnless)
        };
        inner.flags.contains_key(flag) || inner.undefined && undefined(flag)
    }

    fn failure(&self, witness: &Witness) -> Option<Violation> {
        ends(&witness.state).into_iter().find_map(|(thread, end)| {
            let End::Failed(n) = end else { return None };
            let (failure, message, span) = self.closed.failures.get(n)?;
            if !self.task.properties.contains(failure) {
                return None;
            }
            let name = (*failure == Failing::Assertion).then(|| message.clone());
            let fails = Standstill { thread: thread.0, span: Some(*span), wait: None };
            let story = self.story(witness, &[], &[fails]);
            Some(Violation { thread: thread.0, span: Some(*span), story, ..found(*failure, name, message.to_string()) })
        })
    }

    fn stuck(&self, failure: Failing, witness: &Witness) -> Option<Violation> {
        let ends = ends(&witness.state);
        let that = |why: End| ends.iter().filter(move |(_, end)| *end == why).map(|(thread, _)| thread.0);
        let mut waiting: Vec<u32> =
            that(if failure == Failing::Liveness { End::Spin } else { End::Resource }).collect();
        if waiting.is_empty() {
            waiting.extend(that(End::Join));
        }
        let what = match (failure, waiting.len()) {
            (Failing::Liveness, 1) => "a loop waits for what no thread will do",
            (Failing::Liveness, _) => "loops wait for what no thread will do",
            (_, 1) => "a thread waits for ever",
            _ => "threads wait for each other",
        };
        let thread = *waiting.first()?;
        // Its last read is where it waits.
        let last = |thread: u32| {
            let events = witness.graph.skeleton.events.iter();
            events.filter(|e| e.thread == Some(thread) && e.kind.reads()).max_by_key(|e| e.index).and_then(|e| e.span)
        };
        let wait = Some(if failure == Failing::Liveness { Wait::Spin } else { Wait::Resource });
        let stand: Vec<Standstill> =
            waiting.iter().map(|thread| Standstill { thread: *thread, span: last(*thread), wait }).collect();
        let story = self.story(witness, &[], &stand);
        Some(Violation { thread, span: last(thread), story, ..found(failure, None, what.to_owned()) })
    }

    /// A flag that is raised, with the events that raise it.
    fn flagged(&self, flag: &Name, witness: Option<&Witness>) -> Violation {
        let known = FLAGS.iter().find(|(name, ..)| *flag == *name);
        let mut violation = match known {
            Some((_, failure, message)) => found(*failure, None, (*message).to_owned()),
            None => found(Failing::Flag, Some(flag.clone()), format!("the model flags {flag}")),
        };
        let Some((witness, (first, second))) = witness.and_then(|w| Some((w, self.evidence(flag, w)?))) else {
            return violation;
        };
        let event = |e| &witness.graph.skeleton.events[e];
        // The access is told first, then what is wrong with it.
        let (at, other) =
            if event(second).thread.is_some() { (event(second), event(first)) } else { (event(first), event(second)) };
        violation.thread = at.thread.unwrap_or(0);
        violation.span = at.span.filter(is_somewhere);
        violation.other = other.span.filter(|span| is_somewhere(span) && Some(*span) != violation.span);
        let about = if event(second).thread.is_some() { [second, first] } else { [first, second] };
        violation.story = self.story(witness, &about, &[]);
        violation
    }

    /// What leads to a violation.
    fn story(&self, witness: &Witness, about: &[EventId], standstills: &[Standstill]) -> Option<Box<Story>> {
        Some(Box::new(story(self.closed, &witness.graph, self.program, about, standstills)))
    }

    /// The pair of events that a flag is raised by.
    fn evidence(&self, flag: &Name, witness: &Witness) -> Option<(EventId, EventId)> {
        let judgements = judge(self.model, &witness.graph, &self.task.limits.cancel).ok()?;
        let results = judgements.iter().flat_map(|judgement| &judgement.checks);
        let raised = results.filter(|result| self.model.checks[result.check].name == *flag);
        raised.filter_map(|result| result.evidence.as_ref()).find_map(|evidence| match evidence {
            Evidence::Edge(edge) => Some((edge.from, edge.to)),
            Evidence::Member(_, event) => Some((*event, *event)),
            Evidence::Cycle(edges) => edges.first().map(|edge| (edge.from, edge.to)),
        })
    }
}

fn is_somewhere(span: &Span) -> bool {
    span.start < span.end
}

/// A violation of which no more is known.
fn found(failure: Failing, name: Option<Name>, message: String) -> Violation {
    Violation { failure, name, message, thread: 0, span: None, other: None, story: None }
}

/// What two engines say differently of a program, as far as both have seen everything.
pub(crate) fn disagreement(first: &Outcome, second: &Outcome) -> Option<String> {
    match (&first.violation, &second.violation) {
        (Some(violation), None) if second.stopped.is_none() && !second.cut => {
            Some(format!("only the first finds: {}", violation.message))
        }
        (None, Some(violation)) if first.stopped.is_none() && !first.cut => {
            Some(format!("only the second finds: {}", violation.message))
        }
        (None, None) if [first, second].iter().all(|o| o.stopped.is_none() && !o.cut) => {
            let (a, b) = (first.counts?.executions, second.counts?.executions);
            (a != b).then(|| format!("{a} and {b} complete executions"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
