//! The search: encode, ask the solver, run its solutions again, and gather what they show.

use crate::encode::{Encoder, Formula, Registers};
use crate::events::Events;
#[cfg(feature = "cadical")]
use crate::prove::prove;
use crate::replay::{Mismatch, replay};
use crate::symmetry::exchanges;
use crate::unrolled::unrolled;
use crate::{Addresses, Encoding, Options};
use std::collections::BTreeSet;
use std::sync::Arc;
use treville_event::Cell;
use treville_ir::Question;
use treville_model::Model;
use treville_relations::{Analysis, analyse, local};
use treville_sat::{Backend, Gates, Lit, Orders, Solver, Verdict};
use treville_task::{Answer, Bounds, Goal, Outcome, Reduction, Semantics, Stats, StopReason, Task};
use treville_term::TermId;
use treville_unfold::{Collector, Failed, Guarded, Prepared};
use treville_vm::Shape;

/// What formulas are made of: the program, unfolded up to a bound, and what is known of its executions.
pub(crate) struct Ground<'a> {
    pub(crate) task: &'a Task,
    pub(crate) options: &'a Options,
    pub(crate) events: &'a Events<'a>,
    pub(crate) model: &'a Model,
    pub(crate) analysis: &'a Analysis,
    pub(crate) shape: Shape,
    required: Vec<TermId>,
    complete: TermId,
    cuts: Vec<TermId>,
    pub(crate) registers: Registers,
}

/// The questions that are put to one formula.
pub(crate) struct Search<'a> {
    pub(crate) ground: &'a Ground<'a>,
    pub(crate) encoder: Encoder<'a>,
    collector: Collector<'a>,
    /// What holds of every execution that counts: all threads end, and the filter keeps it.
    pub(crate) counted: Vec<Lit>,
    /// Everything will be asked again at a larger bound: what takes longer than [`PATIENCE`] is left for then.
    hurried: bool,
    /// Something was left.
    left: bool,
    /// Where accesses go astray that touch no object.
    out_of_bounds: BTreeSet<Cell>,
}

/// Cells outside of all objects that are made one after the other for accesses that go there.
const MOST_OUTSIDE: usize = 8;

/// Conflicts of a search that is going to be repeated at a larger bound.
const PATIENCE: u32 = 4000;

pub(crate) const STRAY: &str =
    "an access with a computed address touches no location, or a part of one, which is not supported";

/// The search ends here.
pub(crate) struct Stop(pub(crate) StopReason);

/// Answers at the bound that was given or, if none was, at growing ones until nothing is cut.
pub(crate) fn run(task: &Task, options: &Options) -> Outcome {
    let outcome = deepen(task, options);
    match &outcome.stopped {
        // The layout that engines share is one of all: what is found there is there.
        Some(StopReason::Refused(_)) if options.addresses == Addresses::Solver => {
            let shared = deepen(task, &Options { addresses: Addresses::Shared, ..*options });
            found_in_either(outcome, shared)
        }
        _ => outcome,
    }
}

/// What was found before the search stopped, and what another one has found.
fn found_in_either(stopped: Outcome, other: Outcome) -> Outcome {
    let either = |(first, second)| {
        if matches!(first, Answer::Open(_)) && matches!(second, Answer::Found(_)) { second } else { first }
    };
    let mut flags = stopped.flags;
    flags.extend(other.flags);
    Outcome {
        answers: stopped.answers.into_iter().zip(other.answers).map(either).collect(),
        flags,
        undefined: stopped.undefined || other.undefined,
        ..stopped
    }
}

fn deepen(task: &Task, options: &Options) -> Outcome {
    let mut bound = task.bounds.unroll;
    let mut outside = BTreeSet::new();
    loop {
        match run_at(task, options, bound, &outside) {
            Err(more) => outside.extend(more),
            Ok(outcome) => match larger(task, &outcome, bound) {
                Some(larger) => bound = larger,
                None => return outcome,
            },
        }
    }
}

/// The bound that is tried after this outcome, if one is.
fn larger(task: &Task, outcome: &Outcome, bound: u32) -> Option<u32> {
    let decided = outcome.stopped.is_some() || !outcome.cut || is_answered(task, outcome);
    if decided { None } else { Bounds::after(task.bounds.given, bound) }
}

/// Whether what was found is all that was asked for, whatever longer executions there are.
fn is_answered(task: &Task, outcome: &Outcome) -> bool {
    let settled = outcome.undefined || !task.may_be_undefined();
    settled && !task.states && outcome.answers.iter().all(|a| matches!(a, Answer::Found(_)))
}

/// At one bound, with cells `outside` of all objects. If more of these are needed, they come back.
fn run_at(task: &Task, options: &Options, bound: u32, outside: &BTreeSet<Cell>) -> Result<Outcome, BTreeSet<Cell>> {
    let outcome = with_ground(task, options, bound, outside, |ground| {
        let mut search = ground.search(new_formula())?;
        let found = search.all();
        let out_of_bounds: BTreeSet<Cell> = search.out_of_bounds.difference(outside).copied().collect();
        if !out_of_bounds.is_empty() && outside.len() < MOST_OUTSIDE && !search.encoder.notes.is_empty() {
            // With a cell there, the model may say what is wrong with it.
            return Ok(Err(out_of_bounds));
        }
        let stats = search.stats();
        let outcome = match found {
            Ok(cut) => search.collector.outcome(None, cut, stats),
            Err(Stop(why)) => search.collector.outcome(Some(why), false, stats),
        };
        let outcome = Outcome { counts: None, ..outcome };
        if !options.proofs || outcome.stopped.is_some() || larger(ground.task, &outcome, bound).is_some() {
            return Ok(Ok(outcome));
        }
        let proofs = prove(ground, &outcome)?;
        Ok(Ok(Outcome { proofs, ..outcome }))
    });
    outcome.unwrap_or_else(|Stop(why)| {
        let outcome = Collector::new(task).outcome(Some(why), false, Stats::new());
        Ok(Outcome { counts: None, ..outcome })
    })
}

/// A build without the solver that records proofs has refused to make any.
#[cfg(not(feature = "cadical"))]
fn prove(_: &Ground<'_>, _: &Outcome) -> Result<Vec<treville_task::Proof>, Stop> {
    Ok(Vec::new())
}

/// An empty formula with a solver.
pub(crate) fn new_formula() -> Formula {
    Gates::new(Solver::with_theory(Backend::ALL[0], Orders::new()))
}

/// Unfolds the program of a task up to a bound, and finds out what is known of its executions.
pub(crate) fn with_ground<R>(
    task: &Task,
    options: &Options,
    bound: u32,
    outside: &BTreeSet<Cell>,
    visit: impl FnOnce(&Ground<'_>) -> Result<R, Stop>,
) -> Result<R, Stop> {
    let cancel = &task.limits.cancel;
    let program = Arc::new(unrolled(task, bound));
    let bounds = Bounds { unroll: bound, ..task.bounds.clone() };
    let task = &Task { program, bounds, ..task.clone() };
    let late = || Stop(late(task));
    let Semantics::Axioms(model, vocabulary) = &task.semantics else {
        return Err(Stop(StopReason::Refused("the model is not linked for this program".into())));
    };
    let shape = Shape::new(&task.program, vocabulary, bound);
    let mut guarded =
        Guarded::of(&task.program, shape, options.addresses == Addresses::Solver, cancel).ok_or_else(late)?;
    let complete = guarded.complete();
    let registers: Registers = task.program.roots.ids().map(|thread| guarded.registers(thread)).collect();
    let cuts: Vec<TermId> = guarded.threads.iter().flat_map(|thread| thread.cuts.iter().copied()).collect();
    let Guarded { traces, threads, required } = guarded;
    let prepared = match Prepared::over(task, traces, outside, cancel) {
        Ok(prepared) => prepared,
        Err(Failed::Refused(why)) => return Err(Stop(StopReason::Refused(why))),
        Err(Failed::NoAxioms | Failed::TooManyPaths) => return Err(late()),
    };
    let pre = prepared.pre(&vec![0; task.program.roots.len()]);
    let mut events = Events::new(&prepared, &pre, &threads, options.alias, cancel).ok_or_else(late)?;
    if options.local {
        events.facts = local(model, &events.facts, cancel).ok_or_else(late)?;
    }
    let notes = treville_relations::Options { level: options.level, active: options.active, notes: true };
    let analysis = &analyse(model, &events.facts, &notes, cancel).ok_or_else(late)?;
    let events = &events;
    visit(&Ground { task, options, events, model, analysis, shape, required, complete, cuts, registers })
}

/// Why something was not finished.
fn late(task: &Task) -> StopReason {
    StopReason::of(&task.limits.cancel).unwrap_or(StopReason::Refused("the program is too large".into()))
}

impl Ground<'_> {
    /// The checks that an execution may fail and still be one, by name.
    #[cfg(feature = "cadical")]
    pub(crate) fn flags(&self) -> BTreeSet<treville_base::Name> {
        let noted = self.analysis.relevance.iter().filter(|relevant| !relevant.obligation.required);
        noted.map(|relevant| self.model.checks[relevant.obligation.check].name.clone()).collect()
    }

    /// What is known, added to a formula.
    pub(crate) fn search(&self, formula: Formula) -> Result<Search<'_>, Stop> {
        let mut encoder = Encoder::new(self, formula);
        let cancel = &self.task.limits.cancel;
        encoder.program(&self.required, self.complete, &self.cuts);
        encoder.model();
        if cancel.is_stopped() {
            return Err(Stop(late(self.task)));
        }
        if self.task.reductions.has(Reduction::Symmetry) && self.options.encoding == Encoding::Lazy {
            encoder.learn_alike(exchanges(self.events));
        }
        let mut counted = vec![encoder.complete, !encoder.unresolved];
        if let Some(filter) = self.task.question.as_ref().and_then(|q| q.filter.as_ref()) {
            counted.push(encoder.formula(filter, &self.registers));
        }
        Ok(Search {
            ground: self,
            encoder,
            collector: Collector::new(self.task),
            counted,
            hurried: false,
            left: false,
            out_of_bounds: BTreeSet::new(),
        })
    }
}

impl<'a> Search<'a> {
    pub(crate) fn question(&self) -> Option<&'a Question> {
        self.ground.task.question.as_deref()
    }

    /// Everything that is asked. Whether some execution is cut at the bound.
    fn all(&mut self) -> Result<bool, Stop> {
        let thin_air_cycles = self.encoder.thin_air_cycles();
        if thin_air_cycles != Lit::FALSE {
            // Each of these is seen once.
            while self.next(&[thin_air_cycles], true)? {
                self.exclude();
            }
        }
        if let Some(query) = self.ground.task.retry {
            self.hurried = true;
            self.query(query)?;
            // If it was not found soon, it is looked for together with everything else.
            self.left = false;
            self.hurried = self.collector.has_witness(query);
        }
        if self.ground.task.states {
            self.states()?;
        }
        let any = self.is_any_left()?;
        if self.left {
            return Err(Stop(StopReason::Effort));
        }
        if any {
            self.hurried |= self.ground.task.retry.is_some_and(|query| self.collector.has_witness(query));
            if !self.ground.task.states {
                self.queries()?;
            }
            self.notes()?;
        }
        for unresolved_accesses in [self.encoder.out_of_bounds, self.encoder.unresolved] {
            if self.is_possible(unresolved_accesses)? {
                self.out_of_bounds = self.encoder.cells_out_of_bounds();
                return Err(Stop(StopReason::Refused(STRAY.into())));
            }
        }
        if self.left {
            return Err(Stop(StopReason::Effort));
        }
        self.is_possible(self.encoder.cut)
    }

    /// Whether there may be an execution that shows something which was not found yet: to see at once that there is none takes
    /// less than to see it of one thing after the other.
    fn is_any_left(&mut self) -> Result<bool, Stop> {
        let mut wanted = Vec::new();
        if !self.ground.task.states {
            for query in 0..self.ground.task.queries.len() {
                let found = self.collector.has_witness(query);
                wanted.extend(self.asked(query).filter(|_| !found));
            }
        }
        for check in self.ground.model.checks.iter().filter(|check| !self.collector.has_noted(check)) {
            wanted.extend(self.encoder.notes.get(&check.name).copied());
        }
        // Of a condition and its negation, one holds anyway.
        let is_certain = wanted.iter().any(|lit| *lit == Lit::TRUE || wanted.contains(&!*lit));
        if wanted.len() < 2 || is_certain {
            return Ok(!wanted.is_empty());
        }
        let any = self.encoder.or(&wanted);
        self.next(&[any], true)
    }

    /// One execution for each query, if there is one.
    fn queries(&mut self) -> Result<(), Stop> {
        (0..self.ground.task.queries.len()).try_for_each(|query| self.query(query))
    }

    fn query(&mut self, query: usize) -> Result<(), Stop> {
        let Some(asked) = self.asked(query).filter(|_| !self.collector.has_witness(query)) else { return Ok(()) };
        if self.next(&[asked], true)? && !self.collector.has_witness(query) {
            return Err(disagree("its final state is another one"));
        }
        Ok(())
    }

    /// Whether the final state is the one that a query asks for, if it asks for one.
    pub(crate) fn asked(&mut self, query: usize) -> Option<Lit> {
        let Goal::Final { condition, .. } = &self.ground.task.queries[query].goal else { return None };
        Some(self.encoder.formula(condition, &self.ground.registers))
    }

    /// One execution for each final state.
    fn states(&mut self) -> Result<(), Stop> {
        let (bits, words) = (self.state_bits(), self.state_words());
        let another = self.encoder.fresh();
        // A mistake about a bundled model would show elsewhere.
        let judged = self.ground.task.bundled.is_none();
        while self.next(&[another], judged)? {
            let mut clause = vec![!another];
            if self.ground.options.addresses == Addresses::Solver {
                let same: Vec<Lit> = words.iter().map(|word| self.encoder.as_last(word)).collect();
                clause.extend(same.into_iter().map(|same| !same));
            } else {
                clause.extend(bits.iter().map(|bit| bit.negated_if(self.encoder.is_true(*bit))));
            }
            self.encoder.clause(clause);
        }
        Ok(())
    }

    /// The final values of all that is observed.
    fn state_words(&mut self) -> Vec<Vec<Lit>> {
        let observed = self.question().map_or(&[][..], |q| &q.observed);
        observed.iter().flat_map(|o| self.encoder.state_words(&o.place, &self.ground.registers)).collect()
    }

    /// All bits of the final state that are not the same in all executions.
    pub(crate) fn state_bits(&mut self) -> Vec<Lit> {
        let mut bits = self.state_words().concat();
        bits.retain(|bit| !bit.is_constant());
        bits.sort_unstable();
        bits.dedup();
        bits
    }

    /// One execution for each flag, and for whatever else a model says beside its axioms.
    fn notes(&mut self) -> Result<(), Stop> {
        let model = self.ground.model;
        for check in &model.checks {
            let Some(&noted) = self.encoder.notes.get(&check.name) else { continue };
            // One execution is enough, if the reference evaluator sees it there as well.
            while !self.collector.has_noted(check) && self.next(&[noted], true)? {
                if self.collector.has_noted(check) {
                    break;
                }
                if !self.encoder.lenient {
                    return Err(disagree(&format!("{} is not what it shows", check.name)));
                }
                self.exclude();
            }
        }
        Ok(())
    }

    /// Looks for an execution with these properties, and adds it to what was found. False if there is none. The reference
    /// evaluator judges it if it `matters`, or if it is the first that answers a query.
    pub(crate) fn next(&mut self, properties: &[Lit], matters: bool) -> Result<bool, Stop> {
        let cancel = &self.ground.task.limits.cancel;
        let Semantics::Axioms(model, _) = &self.ground.task.semantics else { return Ok(false) };
        let assumptions: Vec<Lit> = self.counted.iter().chain(properties).copied().collect();
        loop {
            if !self.solve(&assumptions)? {
                return Ok(false);
            }
            let before = self.collector.counts.executions;
            let (collector, events) = (&mut self.collector, self.ground.events);
            let matters = matters || self.encoder.lenient;
            let judged = replay(&self.encoder, events, self.ground.shape, |finals, graph| {
                let thin = finals.has_thin_air();
                if thin && !collector.keeps(finals) {
                    return Ok(true);
                }
                if matters || thin || collector.is_news(finals) {
                    return collector.judge(model, &graph(), finals, cancel).map(|()| thin);
                }
                collector.add(finals, &mut || (graph(), Vec::new()));
                Ok(thin)
            });
            match judged {
                Ok(Ok(false)) if self.collector.counts.executions > before => return Ok(true),
                Ok(Err(why)) => return Err(Stop(why)),
                // Of values out of thin air the clauses know nothing: what they say of this execution does not count.
                Ok(Ok(true)) | Err(Mismatch::Circular) => self.exclude(),
                Ok(Ok(false)) if self.encoder.lenient => self.exclude(),
                Ok(Ok(false)) => return Err(disagree("the model rejects what the clauses allow")),
                Err(Mismatch::Wrong(why)) => return Err(disagree(why)),
            }
        }
    }

    /// Excludes the execution of the last solution.
    pub(crate) fn exclude(&mut self) {
        let clause = self.encoder.unlike_last();
        self.encoder.solver().add_clause(&clause);
    }

    /// Whether something can be true in any execution, counted or not.
    pub(crate) fn is_possible(&mut self, lit: Lit) -> Result<bool, Stop> {
        if lit == Lit::FALSE { Ok(false) } else { self.solve(&[lit]) }
    }

    /// Whether there is a solution. Where it will be asked again, it is looked for a while only.
    pub(crate) fn solve(&mut self, assumptions: &[Lit]) -> Result<bool, Stop> {
        let cancel = &self.ground.task.limits.cancel;
        if self.hurried {
            self.encoder.solver().limit(PATIENCE);
        }
        match self.encoder.solver().solve(assumptions, cancel) {
            Verdict::Sat => Ok(true),
            Verdict::Unsat => Ok(false),
            Verdict::Unknown if self.hurried && !cancel.is_due() => {
                self.left = true;
                Ok(false)
            }
            Verdict::Unknown => Err(Stop(StopReason::of(cancel).unwrap_or(StopReason::Cancelled))),
        }
    }

    fn stats(&mut self) -> Stats {
        let solver = self.encoder.solver().stats();
        let (base, derived) = (&self.ground.analysis.sizes.base, &self.ground.analysis.sizes.derived);
        let mut stats = Stats::new();
        stats.insert("events", self.ground.events.len() as u64);
        stats.insert("pairs", (base.all + derived.all) as u64);
        stats.insert("pairs-may", (base.may + derived.may) as u64);
        stats.insert("pairs-unknown", (base.unknown + derived.unknown) as u64);
        stats.insert("pairs-extended", (base.extended + derived.extended) as u64);
        stats.insert("pairs-active", (base.active + derived.active) as u64);
        stats.insert("variables", solver.variables);
        stats.insert("clauses", solver.clauses);
        stats.insert("conflicts", solver.conflicts);
        stats.insert("decisions", solver.decisions);
        stats.insert("propagations", solver.propagations);
        stats.insert("theory-conflicts", solver.theory_conflicts);
        stats.insert("theory-propagations", solver.theory_propagations);
        stats
    }
}

pub(crate) fn disagree(why: &str) -> Stop {
    Stop(StopReason::Refused(format!("a solution was rejected when it was run again: {why}")))
}
