//! Programs for the bounded engines: lowered to finite tests at increasing bounds, and the answers lifted back to the program.
//!
//! A program is made free of calls and loops, compiled for the architecture of the model if it has one, and lowered to a test whose registers
//! say how its threads end. What the engine finds of the test is an outcome of the program, violations with a trace.

mod lift;

use lift::trace;
use std::collections::BTreeSet;
use std::sync::Arc;
use treville_base::{Cancel, Diagnostic, Name, SourceMap, Span};
use treville_eval::{Evidence, judge};
use treville_event::EventId;
use treville_ir::{Dialect, Failure as Failing, Formula, MemoryOrder, Op, Program, Question, ThreadId, Wait, may_run};
use treville_model::Model;
use treville_model::syntax::CheckMode;
use treville_models::{Library, Linked, ModelOptions};
use treville_passes::lower_to_test::{End, LATEST, LoweredTest, SyncTags, ends, lower_to_test};
use treville_passes::target::{self, Exclusives};
use treville_passes::{Unrolling, loop_free};
use treville_task::{
    Answer, Bounds, CheckError, Code, Counts, Engine, FinalValue, Goal, Limits, Monitor, Outcome, Proof, Query,
    Reduction, Reductions, Semantics, StopReason, StuckThread, Task, Test, Trace, TraceStep, Unsupported, Violation,
    Witness,
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

/// More threads than this are not for engines that list executions.
const MOST_LISTED: usize = 16;

/// What is the same for all programs of a call.
pub struct Bounded<'a> {
    pub library: &'a Library<'a>,
    pub model: &'a ModelOptions,
    /// Iterations of a loop, if the call says how many.
    pub bound: Option<u32>,
}

/// A program that a bounded engine is to check.
pub struct Source<'a> {
    /// In C, whatever machine it is for.
    pub program: &'a Program,
    pub sources: &'a SourceMap,
    pub model: &'a str,
    /// Whether the passes may drop dependencies.
    pub algebraic: bool,
}

impl Bounded<'_> {
    /// Runs a bounded engine on a program, whatever other engine the task was made for. Without a bound, it is asked at
    /// growing ones until nothing is cut.
    ///
    /// # Errors
    /// What the lowering or the engine does not support.
    pub fn run(
        &self,
        engine: &dyn Engine,
        task: &Task,
        source: &Source<'_>,
        monitor: &dyn Monitor,
    ) -> Result<Outcome, CheckError> {
        let mut bound = self.bound.unwrap_or(Bounds::FIRST);
        loop {
            let outcome = self.run_at(bound, engine, task, source, monitor)?;
            let stopped = outcome.stopped.as_ref().is_some_and(|why| *why != StopReason::Effort);
            let decided = outcome.violation.is_some() || stopped || !outcome.cut;
            match Bounds::after(self.bound, bound) {
                Some(larger) if !decided => bound = larger,
                _ => return Ok(outcome),
            }
        }
    }

    fn run_at(
        &self,
        bound: u32,
        engine: &dyn Engine,
        task: &Task,
        source: &Source<'_>,
        monitor: &dyn Monitor,
    ) -> Result<Outcome, CheckError> {
        let name = engine.info().name;
        let refused = |why: Diagnostic| {
            CheckError::unsupported(name, &[Unsupported { what: why.message, span: why.span }], source.sources)
        };
        let looks_again = task.properties.contains(&Failing::Liveness)
            || task.properties.contains(&Failing::Deadlock) && how_it_goes_on_matters(source.program);
        let cancel = &task.limits.cancel;
        let loops = Loops { bound, idle: task.reductions.has(Reduction::AwaitLoops), looks_again };
        let lowered = match lowered(source, loops, cancel) {
            Ok(lowered) => lowered,
            Err(why) => {
                let stopped = StopReason::of(cancel).ok_or_else(|| refused(why))?;
                return Ok(Outcome { stopped: Some(stopped), ..Outcome::default() });
            }
        };
        let lists = engine.candidates().is_some();
        if lists && lowered.program.roots.len() > MOST_LISTED {
            return Err(CheckError::unknown(format!("so many threads are not for the engine {name}")));
        }
        let unasked = |failure: &Failing| *failure == Failing::Assertion && !task.properties.contains(failure);
        if let Some((failure, _, span)) = lowered.failures.iter().find(|(failure, ..)| unasked(failure)) {
            // What comes after an assertion that nobody looks at is not seen. Whatever else is wrong has no meaning after it.
            let what = format!("{} is not looked for, and how the program goes on not seen", failure.name());
            return Err(refused(Diagnostic::error(*span, what)));
        }
        let mut named = self.library.catalogue.for_programs(self.model, source.model);
        named.safety = true;
        let unasked = FLAGS.iter().filter(|(_, failure, _)| !task.properties.contains(failure));
        named.skip_checks.extend(unasked.map(|(flag, ..)| (*flag).to_owned()));
        let linked = self.library.linked(&named, &lowered.program)?;
        let queries = Queries::of(&lowered, &task.properties, &linked.model);
        let inner = Task {
            program: Arc::new(lowered.program.clone()),
            semantics: Semantics::Axioms(Arc::clone(&linked.model), Arc::clone(&linked.vocabulary)),
            bundled: None,
            happens_before: task.happens_before,
            queries: queries.all.iter().map(|(_, goal)| Query { goal: goal.clone() }).collect(),
            question: Some(Arc::new(lowered.asked.question.clone())),
            // There are no loops left.
            bounds: Bounds { unroll: 1, given: Some(1), ..Bounds::default() },
            states: lists,
            reference: None,
            symmetries: Vec::new(),
            traces: 0,
            retry: Bounds::after(self.bound, bound).and_then(|_| queries.cut()),
            ..task.clone()
        };
        let ready = engine.prepare(&inner);
        let ready = ready.map_err(|why| CheckError::unsupported(name, &why, source.sources))?;
        let lift = |outcome: Outcome, task: &Task, queries: &Queries| {
            let lifting = Lifting { lowered: &lowered, model: &linked.model, task, queries, program: source.program };
            lifting.outcome(outcome)
        };
        let outcome = lift(ready(monitor), &inner, &queries);
        if outcome.violation.is_none() && outcome.stopped.is_none() && !source.algebraic && lowered.has_private_events {
            // Ordered by more than the program is, an execution that fails is one of the program; that none fails says nothing.
            let what = "no execution fails, but local memory at computed addresses adds dependencies that the program does not have";
            return Err(CheckError::unknown(format!("{what}; use option `engine` explore")));
        }
        if !task.properties.contains(&Failing::Leak) || outcome.violation.is_some() || outcome.stopped.is_some() {
            return Ok(outcome);
        }
        let leaks = Queries { all: vec![(Meaning::Flag, Goal::Flag(Name::new(LEAK)))] };
        let question = Question { filter: Some(lowered.asked.complete.clone()), ..lowered.asked.question.clone() };
        let ended = Task {
            question: Some(Arc::new(question)),
            queries: leaks.all.iter().map(|(_, goal)| Query { goal: goal.clone() }).collect(),
            retry: None,
            observer: None,
            ..inner.clone()
        };
        let leaking = lift(engine.run(&ended, monitor), &ended, &leaks);
        let mut proofs = outcome.proofs;
        // These are about executions in which all threads end.
        proofs.extend(leaking.proofs.into_iter().map(|proof| Proof { name: format!("ended-{}", proof.name), ..proof }));
        Ok(Outcome { violation: leaking.violation, stopped: leaking.stopped, proofs, ..outcome })
    }
}

/// A program under one model, as a test about those of its executions that come to an end or fail.
pub struct Ended {
    pub test: Test,
    pub model: Arc<Linked>,
    pub task: Task,
    lowered: LoweredTest,
}

impl Ended {
    /// Whether there are longer executions.
    pub fn is_cut(&self) -> bool {
        self.lowered.cut_at.is_some()
    }

    /// How an execution ends.
    pub fn tell(&self, state: &[FinalValue]) -> String {
        let failed = ends(state).into_iter().find_map(|(thread, end)| match end {
            End::Failed(n) => self.lowered.failures.get(n).map(|(failure, message, _)| (thread, failure, message)),
            _ => None,
        });
        match failed {
            Some((thread, failure, message)) => format!("thread {} fails: {}, {message}", thread.0, failure.name()),
            None => "all threads come to their end".to_owned(),
        }
    }
}

impl Bounded<'_> {
    /// A program as a test under a model, up to a bound.
    ///
    /// # Errors
    /// What the lowering or the model does not support.
    pub fn ended(
        &self,
        code: &Code,
        model: &str,
        bound: u32,
        limits: &Limits,
        reductions: Reductions,
    ) -> Result<Ended, CheckError> {
        let Code { program, sources } = code;
        if is_for_kernel(program) && self.library.catalogue.is_bundled(self.model, model) {
            self.library.catalogue.check_fits(model, &program.dialect)?;
        }
        let source = Source { program, sources, model, algebraic: false };
        let loops = Loops { bound, idle: reductions.has(Reduction::AwaitLoops), looks_again: false };
        let lowered =
            lowered(&source, loops, &limits.cancel).map_err(|why| CheckError::input(vec![why], Arc::clone(sources)))?;
        let linked = self.library.linked(&self.library.catalogue.for_programs(self.model, model), &lowered.program)?;
        let asked = &lowered.asked;
        let filter = Formula::Or(vec![asked.complete.clone(), asked.question.condition.clone()]);
        let question = Arc::new(Question { filter: Some(filter), ..asked.question.clone() });
        let program = Arc::new(lowered.program.clone());
        let semantics = Semantics::Axioms(Arc::clone(&linked.model), Arc::clone(&linked.vocabulary));
        let task = Task {
            question: Some(Arc::clone(&question)),
            // There are no loops left.
            bounds: Bounds { unroll: 1, given: Some(1), ..Bounds::default() },
            limits: limits.clone(),
            reductions,
            ..Task::new(Arc::clone(&program), semantics)
        };
        let test = Test { program, question, sources: Arc::clone(sources), info: Vec::new() };
        Ok(Ended { test, model: linked, task, lowered })
    }
}

/// Whether a deadlock may depend on how threads outside of it go on. One that goes on may fail an assumption; and where some thread
/// waits for what any other could give, it may give that, or end the process.
fn how_it_goes_on_matters(program: &Program) -> bool {
    let asks = may_run(program, |op| matches!(op, Op::Wait { kind: Wait::Resource, .. }));
    program.has_assumptions() || program.roots.iter().any(|root| asks[root.func])
}

/// What becomes of loops.
#[derive(Clone, Copy)]
struct Loops {
    bound: u32,
    /// Whether what only waits is left out.
    idle: bool,
    /// Whether threads that wait in a loop look once more before they do so for ever.
    looks_again: bool,
}

/// The program as a test, up to a bound.
fn lowered(source: &Source<'_>, loops: Loops, cancel: &Cancel) -> Result<LoweredTest, Diagnostic> {
    let Loops { bound, idle, looks_again } = loops;
    let passes = treville_passes::Options {
        algebraic: source.algebraic,
        cancel: cancel.clone(),
        ..treville_passes::Options::default()
    };
    if cancel.is_stopped() {
        return Err(Diagnostic::error(None, "stopped"));
    }
    let mut program = source.program.clone();
    let latest = looks_again.then(|| program.tag(LATEST));
    let mut finite = loop_free(&program, Unrolling { bound, idle, latest }, &passes)?;
    let machine = target::hardware_dialect_for(source.model);
    let words = match machine {
        Some(machine) => {
            let dialect = dialect(machine)?;
            finite = target::compile_with(&finite, source.model, &dialect, Exclusives::Together)?;
            target::sync_tags(source.model).unwrap_or_else(SyncTags::of_c)
        }
        None if is_for_kernel(&finite) => {
            refuse_c11(&finite)?;
            SyncTags::of_kernel()
        }
        None => SyncTags::of_c(),
    };
    let base = if machine.is_some() || is_for_kernel(&finite) {
        Dialect::clone(&finite.dialect)
    } else {
        Dialect::c11(Dialect::MODEL_OF_PROGRAMS)
    };
    let more = SyncTags::more().into_iter().chain(["NA", "UNWRITTEN"].map(Name::new));
    let mut sets: Vec<Name> = base.sets.iter().cloned().chain(more).collect();
    sets.sort();
    sets.dedup();
    // What depends on a branch of compiled code never ends, and a compare-exchange writes if and only if it succeeds.
    finite.dialect = Arc::new(Dialect { sets, branch_events: true, loose_compare: false, ..base });
    lower_to_test(&finite, source.program, &words, looks_again, cancel)
}

/// The dialect of this name.
///
/// # Errors
/// If there is none.
pub fn dialect(name: &str) -> Result<Arc<Dialect>, Diagnostic> {
    let found = treville_litmus::dialects().find(|dialect| *dialect.name == *name);
    found.cloned().ok_or_else(|| Diagnostic::error(None, format!("there is no dialect {name}")))
}

/// The program after the compilation of its atomics for the architecture with this dialect.
///
/// # Errors
/// What the architecture does not have.
pub fn compiled(program: &Program, model: &str, architecture: &str) -> Result<Program, Diagnostic> {
    target::compile_with(program, model, &*dialect(architecture)?, Exclusives::Together)
}

/// Whether a program has the memory orders of the Linux kernel.
pub fn is_for_kernel(program: &Program) -> bool {
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
        if tags.iter().any(|tag| MemoryOrder::of_tag(&program.tags[*tag]).is_some()) {
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
    fn of(lowered: &LoweredTest, properties: &BTreeSet<Failing>, model: &Model) -> Queries {
        let end = |condition: &Formula| Goal::Final { condition: condition.clone(), filter: None };
        let asked = &lowered.asked;
        let mut all = Vec::new();
        let says = |mode: CheckMode| matches!(mode, CheckMode::Flag | CheckMode::UndefinedUnless);
        let flags = model.made_checks().filter(|(_, check)| says(check.mode)).map(|(_, check)| &check.name);
        let known = |flag: &Name| FLAGS.iter().position(|(name, ..)| *flag == *name);
        let wanted = flags.filter(|flag| known(flag).is_some() || properties.contains(&Failing::Flag));
        let mut wanted: Vec<&Name> = wanted.filter(|flag| **flag != LEAK).collect();
        wanted.sort_by_key(|flag| known(flag).unwrap_or(FLAGS.len()));
        // An execution that races may fail in any way afterwards.
        all.extend(wanted.into_iter().map(|flag| (Meaning::Flag, Goal::Flag(flag.clone()))));
        let failures = lowered.failures.iter().map(|(failure, ..)| properties.contains(failure));
        let failures: Vec<usize> = failures.enumerate().filter(|(_, asked)| *asked).map(|(n, _)| n).collect();
        if failures.len() == lowered.failures.len() {
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

/// Lifts the outcome of a bounded engine from the test to the program.
struct Lifting<'a> {
    lowered: &'a LoweredTest,
    model: &'a Model,
    task: &'a Task,
    queries: &'a Queries,
    /// The program as it is.
    program: &'a Program,
}

impl Lifting<'_> {
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
        let cut_at = self.lowered.cut_at.filter(|_| cut);
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
        let meaning = proof.query.and_then(|query| self.queries.all.get(query)).map(|(meaning, _)| match meaning {
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
            proof.note(words.join(" "));
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
            let (failure, message, span) = self.lowered.failures.get(n)?;
            if !self.task.properties.contains(failure) {
                return None;
            }
            let name = (*failure == Failing::Assertion).then(|| message.clone());
            let fails = StuckThread { thread, span: Some(*span), wait: None };
            let trace = self.trace(witness, &[], &[fails]);
            Some(Violation { thread, span: Some(*span), trace, ..found(*failure, name, message.to_string()) })
        })
    }

    fn stuck(&self, failure: Failing, witness: &Witness) -> Option<Violation> {
        let ends = ends(&witness.state);
        let that = |why: End| ends.iter().filter(move |(_, end)| *end == why).map(|(thread, _)| *thread);
        let mut waiting: Vec<ThreadId> =
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
        // Its last read is where it waits.
        let last = |thread: ThreadId| {
            let events = witness.graph.skeleton.events.iter();
            events.filter(|e| e.thread == Some(thread.0) && e.kind.reads()).max_by_key(|e| e.index).and_then(|e| e.span)
        };
        let wait = Some(if failure == Failing::Liveness { Wait::Spin } else { Wait::Resource });
        let stand: Vec<StuckThread> =
            waiting.iter().map(|thread| StuckThread { thread: *thread, span: last(*thread), wait }).collect();
        let trace = self.trace(witness, &[], &stand)?;
        let TraceStep { thread, span, .. } = *trace.steps.get(*trace.about.first()?)?;
        Some(Violation { thread, span, trace: Some(trace), ..found(failure, None, what.to_owned()) })
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
        violation.thread = ThreadId(at.thread.unwrap_or(0));
        violation.span = at.span.filter(is_somewhere);
        violation.other = other.span.filter(|span| is_somewhere(span) && Some(*span) != violation.span);
        let about = if event(second).thread.is_some() { [second, first] } else { [first, second] };
        violation.trace = self.trace(witness, &about, &[]);
        violation
    }

    /// What leads to a violation.
    fn trace(&self, witness: &Witness, about: &[EventId], standstills: &[StuckThread]) -> Option<Box<Trace>> {
        Some(Box::new(trace(self.lowered, &witness.graph, self.program, about, standstills)))
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
    Violation { failure, name, message, thread: ThreadId(0), span: None, other: None, trace: None }
}

/// What two engines say differently of a program, as far as both have seen everything.
pub fn disagreement(first: &Outcome, second: &Outcome) -> Option<String> {
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
mod tests {
    use super::*;

    /// How a bounded engine sees it: by a flag, or otherwise. A new failure must say so here, and have its flag in the table, or else
    /// these engines say yes where it is looked for.
    fn is_a_flag(failure: Failing) -> bool {
        match failure {
            Failing::InvalidAccess
            | Failing::DoubleFree
            | Failing::InvalidFree
            | Failing::Uninitialized
            | Failing::Race
            | Failing::UseAfterFree
            | Failing::Leak => true,
            // Registers say how threads end; other flags are the model's own.
            Failing::Assertion | Failing::ApiMisuse | Failing::Deadlock | Failing::Liveness | Failing::Flag => false,
        }
    }

    #[test]
    fn every_failure_is_seen() {
        for failure in Failing::USUAL.iter().chain(Failing::ASKED) {
            let rows = FLAGS.iter().filter(|(_, of, _)| of == failure).count();
            assert_eq!(rows, usize::from(is_a_flag(*failure)), "{}", failure.name());
        }
        // What is read after the model of a program raises them all.
        let files = ["safety.cat", "leaks.cat", "races.cat"].map(|file| treville_cat::bundled(file).expect("bundled"));
        for (flag, ..) in FLAGS {
            let raised = format!(" as {flag}");
            assert!(files.iter().any(|file| file.text.lines().any(|line| line.ends_with(&raised))), "{flag}");
        }
    }
}
