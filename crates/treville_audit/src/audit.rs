//! Trials until there are enough executions, each looked up among those that were visited.

use crate::judge::{Judged, judge};
use crate::random::Random;
use crate::setup::Setup;
use crate::text::text;
use crate::trial::{End, Experience, Trial};
use crate::visits::{Visited, Visits};
use rustc_hash::{FxHashMap, FxHashSet};
use treville_base::{SourceMap, Span};
use treville_bytecode::{Image, NotCompiled, Parts, SiteKind, compile};
use treville_eval::Stop;
use treville_ir::Failure;
use treville_task::{Class, Reduction, Reductions, Reference, Task};

/// By what executions are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// Program order, reads-from and coherence: for a search that merges nothing.
    Graphs,
    /// Final states and failures.
    States,
}

impl Comparison {
    /// The finer one if the search merges no complete executions; if it leaves out rounds of loops, the other one as well, for
    /// samples that leave out nothing.
    fn all(reductions: Reductions, image: &Image) -> &'static [Comparison] {
        let has_loops = reductions.minus(reductions.minus(Reductions::of_loops())) != Reductions::NONE;
        // Rounds with hazard pointers are left out for reasons that only the search knows.
        let hazards = reductions.has(Reduction::HazardRounds) && image.sites().iter().any(|site| site.protects);
        match reductions.minus(Reductions::counted()) == Reductions::NONE && !hazards {
            true if has_loops => &[Comparison::Graphs, Comparison::States],
            true => &[Comparison::Graphs],
            false => &[Comparison::States],
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Comparison::Graphs => "graphs",
            Comparison::States => "states",
        }
    }
}

/// What was done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Figures {
    pub comparison: Comparison,
    /// Complete executions that the model allows, each counted as often as it was found.
    pub samples: u64,
    /// Trials that came to an end, whether the model allows them or not, and those that did not.
    pub judged: u64,
    pub abandoned: u64,
    /// Of the samples, those that no interleaving of the threads explains, and those in which a read depends on itself by
    /// program order and reads-from.
    pub beyond_sc: u64,
    pub cyclic: u64,
    /// Different classes among the samples, and among what was visited.
    pub classes: u64,
    pub visited: u64,
}

/// An execution that the search should have visited.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Missing {
    /// What is wrong, in one sentence.
    pub what: String,
    /// The execution.
    pub text: String,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    pub figures: Figures,
    pub missing: Option<Missing>,
}

impl Report {
    /// With more samples, compared in another way.
    fn and(self, more: Report) -> Report {
        let Figures { samples, judged, abandoned, beyond_sc, cyclic, .. } = more.figures;
        let figures = Figures {
            samples: self.figures.samples + samples,
            judged: self.figures.judged + judged,
            abandoned: self.figures.abandoned + abandoned,
            beyond_sc: self.figures.beyond_sc + beyond_sc,
            cyclic: self.figures.cyclic + cyclic,
            ..self.figures
        };
        Report { figures, missing: more.missing }
    }
}

/// Why nothing can be said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotAudited {
    pub why: String,
    pub place: Option<Span>,
}

impl NotAudited {
    fn because(why: impl Into<String>) -> Self {
        NotAudited { why: why.into(), place: None }
    }
}

impl From<NotCompiled> for NotAudited {
    fn from(why: NotCompiled) -> Self {
        NotAudited { why: format!("{} is not run", why.what), place: why.span }
    }
}

/// How many trials there may be for each execution that is wanted.
const TRIALS: u64 = 50;
/// How many trials are made if none is an execution.
const MOST_VAIN: u64 = 5000;
/// Executions that are remembered, so that none is judged twice.
const MOST_KNOWN: usize = 1 << 20;

/// Makes so many executions of a task's program, and looks for each among those that a search of it has visited, which has found nothing
/// wrong.
///
/// # Errors
/// If the program, or its model, cannot be run or judged here.
pub fn audit(task: &Task, visits: &Visits, samples: u64, sources: &SourceMap) -> Result<Report, NotAudited> {
    let reference = task.reference.as_ref().ok_or_else(|| NotAudited::because("the model has no axioms"))?;
    let mut parts = Parts::new();
    let comparisons = Comparison::all(task.reductions, &compile(&task.program, &[], &parts)?);
    let mut whole: Option<Report> = None;
    for comparison in comparisons {
        let wanted = samples.div_ceil(comparisons.len() as u64);
        let report = loop {
            match attempt(task, reference, *comparison, &parts, visits, wanted, sources)? {
                Attempt::Done(report) => break report,
                Attempt::Cut(more) => {
                    more.into_iter().for_each(|(access, cuts)| *parts.entry(access).or_default() |= cuts);
                }
            }
        };
        let report = match whole.take() {
            Some(before) => before.and(report),
            None => report,
        };
        if report.missing.is_some() {
            return Ok(report);
        }
        whole = Some(report);
    }
    whole.ok_or_else(|| NotAudited::because("there is nothing to compare"))
}

enum Attempt {
    Done(Report),
    /// Everything starts anew with these accesses in parts.
    Cut(Parts),
}

fn attempt(
    task: &Task,
    reference: &Reference,
    comparison: Comparison,
    parts: &Parts,
    visits: &Visits,
    samples: u64,
    sources: &SourceMap,
) -> Result<Attempt, NotAudited> {
    let setup = Setup::new(task, reference, comparison, parts)?;
    let in_terms = setup.image.sites().iter().find(|site| site.kind == SiteKind::Handle);
    if let Some(site) = in_terms {
        return Err(NotAudited { why: "a handle of an unknown value".into(), place: Some(site.span) });
    }
    let visited = visits.visited();
    let mut auditor = Auditor::new(task, &setup, &visited, sources);
    let (mut random, mut experience) = (Random::new(1), auditor.experience());
    while auditor.figures.samples < samples && auditor.is_worth_while(samples) {
        // What there is by then counts.
        if task.limits.cancel.is_due() {
            break;
        }
        let mut trial = Trial::new(&setup, &mut random, &mut experience);
        match trial.run() {
            End::Whole => {
                if let Some(missing) = auditor.look_up(&trial)? {
                    return Ok(Attempt::Done(auditor.report(Some(missing))));
                }
            }
            End::Stuck | End::Long => auditor.figures.abandoned += 1,
            End::Cut(parts) => return Ok(Attempt::Cut(parts)),
            End::Refused(why, site) => {
                return Err(NotAudited { why, place: site.map(|site| setup.image.site(site).span) });
            }
        }
    }
    Ok(Attempt::Done(auditor.report(None)))
}

struct Auditor<'a, 's> {
    task: &'a Task,
    setup: &'a Setup<'s>,
    visited: &'a Visited,
    sources: &'a SourceMap,
    figures: Figures,
    /// What was found of complete executions, by their class.
    known: FxHashMap<u64, Option<Judged>>,
    seen: FxHashSet<u64>,
}

impl<'a, 's> Auditor<'a, 's> {
    fn new(task: &'a Task, setup: &'a Setup<'s>, visited: &'a Visited, sources: &'a SourceMap) -> Self {
        let figures = Figures {
            comparison: setup.comparison,
            samples: 0,
            judged: 0,
            abandoned: 0,
            beyond_sc: 0,
            cyclic: 0,
            classes: 0,
            visited: 0,
        };
        Auditor { task, setup, visited, sources, figures, known: FxHashMap::default(), seen: FxHashSet::default() }
    }

    /// Threads have the numbers that the search has given them.
    fn experience(&self) -> Experience {
        let mut experience = Experience { threads: self.task.program.roots.len() as u16, ..Experience::default() };
        for (child, number) in &self.visited.threads {
            experience.numbers.insert(*child, *number);
            experience.threads = experience.threads.max(number + 1);
        }
        experience
    }

    /// Whether enough of the trials so far are executions that the others may be found by going on.
    fn is_worth_while(&self, samples: u64) -> bool {
        let trials = self.figures.judged + self.figures.abandoned;
        let found = self.figures.samples > 0 || trials < MOST_VAIN;
        found && trials < samples.saturating_mul(TRIALS)
    }

    /// Looks for an execution among those that were visited.
    fn look_up(&mut self, trial: &Trial<'_, '_>) -> Result<Option<Missing>, NotAudited> {
        self.figures.judged += 1;
        let class = trial.class();
        let Some(judged) = self.judged(trial, class)? else { return Ok(None) };
        let wanted = |(failure, _): &&(Failure, String)| self.task.properties.contains(failure);
        if let Some((failure, message)) = judged.failures.iter().find(wanted) {
            let what = format!("an execution fails ({}: {message}) that was not visited", failure.name());
            return Ok(Some(self.missing(what, trial)));
        }
        if trial.has_failed() {
            // What is not looked for ends an execution as well.
            return Ok(None);
        }
        self.figures.samples += 1;
        self.figures.beyond_sc += u64::from(judged.beyond_sc);
        self.figures.cyclic += u64::from(judged.cyclic);
        let (class, visited) = match self.figures.comparison {
            Comparison::Graphs => (class.graph, &self.visited.graphs),
            Comparison::States => (class.state, &self.visited.states),
        };
        self.seen.insert(class);
        let what = match self.figures.comparison {
            Comparison::Graphs => "an execution was not visited",
            Comparison::States => "no execution was visited that ends like this one",
        };
        Ok((!visited.contains(&class)).then(|| self.missing(what.to_owned(), trial)))
    }

    /// What is known of an execution, none if the model does not allow it; asked once for each class.
    fn judged(&mut self, trial: &Trial<'_, '_>, class: Class) -> Result<Option<Judged>, NotAudited> {
        let remembered = !trial.has_failed() && !self.setup.unknowns;
        if let Some(known) = self.known.get(&class.graph).filter(|_| remembered) {
            return Ok(known.clone());
        }
        let judged = match judge(self.setup, trial, &self.task.limits.cancel) {
            Ok(judged) => judged,
            Err(Stop::Cancelled) => return Ok(None),
            Err(Stop::TooDeep) => return Err(NotAudited::because("an execution is too large for the evaluator")),
            Err(Stop::Fault(why)) => return Err(NotAudited::because(why.message)),
        };
        if remembered && self.known.len() < MOST_KNOWN {
            self.known.insert(class.graph, judged.clone());
        }
        Ok(judged)
    }

    fn missing(&self, what: String, trial: &Trial<'_, '_>) -> Missing {
        Missing { what, text: text(self.setup, trial, self.sources) }
    }

    fn report(mut self, missing: Option<Missing>) -> Report {
        let visited = match self.figures.comparison {
            Comparison::Graphs => &self.visited.graphs,
            Comparison::States => &self.visited.states,
        };
        (self.figures.classes, self.figures.visited) = (self.seen.len() as u64, visited.len() as u64);
        Report { figures: self.figures, missing }
    }
}
