//! Many random programs, each under several models: an engine beside the definition. Everything follows from the seed.

use crate::differ::{Findings, compare};
use crate::random::{SYNTAXES, Sketch, Syntax, generate, shrink};
use crate::{Lab, Rng};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use treville_base::Cancel;
use treville_enumerate::Enumerate;
use treville_litmus::Litmus;
use treville_task::{Engine, FinalValue, Silent};

#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub seed: u64,
    pub n_programs: usize,
    pub n_threads: usize,
    /// A bound on the estimated number of candidates.
    pub max_candidates: f64,
    /// The engine that is compared with the definition.
    pub engine: fn() -> Box<dyn Engine>,
    /// Only programs of this dialect.
    pub dialect: Option<&'static str>,
}

/// What was in the programs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    pub programs: usize,
    /// Pairs of a program and a model.
    pub runs: usize,
    pub executions: u64,
    /// Programs with an outcome, under the dialect's own model, that sequential consistency does not have.
    pub weak: usize,
    pub updates: usize,
    pub fences: usize,
    pub dependencies: usize,
    /// Pairs of dialect and model, with their runs.
    pub pairs: BTreeMap<(&'static str, &'static str), usize>,
}

impl Tally {
    fn add(&mut self, other: &Tally) {
        self.programs += other.programs;
        self.runs += other.runs;
        self.executions += other.executions;
        self.weak += other.weak;
        self.updates += other.updates;
        self.fences += other.fences;
        self.dependencies += other.dependencies;
        for (pair, n) in &other.pairs {
            *self.pairs.entry(*pair).or_default() += n;
        }
    }
}

impl Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |n: usize| 100.0 * n as f64 / self.programs.max(1) as f64;
        writeln!(f, "{} programs, {} runs, {} executions", self.programs, self.runs, self.executions)?;
        let shares = [
            ("weak", self.weak),
            ("updates", self.updates),
            ("fences", self.fences),
            ("dependencies", self.dependencies),
        ];
        for (name, n) in shares {
            writeln!(f, "  {name:<12} {n:>6} programs, {:.1} %", percent(n))?;
        }
        for ((dialect, model), n) in &self.pairs {
            writeln!(f, "  {dialect:<8} {model:<12} {n:>6} runs")?;
        }
        Ok(())
    }
}

/// Programs that failed, shrunk, with what differs.
pub type Failures = Vec<String>;

/// Runs a campaign; stops soon after the first few failures.
pub fn run(lab: &Lab, plan: &Plan) -> (Tally, Failures) {
    let next = AtomicUsize::new(0);
    let total = Mutex::new((Tally::default(), Failures::new()));
    let lock = || total.lock().unwrap_or_else(PoisonError::into_inner);
    std::thread::scope(|scope| {
        for _ in 0..plan.n_threads.max(1) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= plan.n_programs || lock().1.len() >= 3 {
                        return;
                    }
                    match one(lab, plan, number) {
                        Ok(tally) => lock().0.add(&tally),
                        Err(failure) => lock().1.push(failure),
                    }
                }
            });
        }
    });
    total.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Program number `number` of a campaign.
pub fn sketch(plan: &Plan, number: usize) -> Sketch {
    let chosen: Vec<&'static dyn Syntax> =
        SYNTAXES.iter().copied().filter(|s| plan.dialect.is_none_or(|d| d == s.name())).collect();
    let mut rng = Rng::new(Rng::new(plan.seed).draw() ^ number as u64);
    rng.draw();
    generate(&mut rng, chosen[number % chosen.len()], plan.max_candidates)
}

/// The models for a program: the dialect's own, and another one in turn.
fn models(syntax: &dyn Syntax, number: usize) -> Vec<&'static str> {
    let (own, others) = syntax.models().split_first().expect("every dialect has a model");
    let turn = (number / SYNTAXES.len()) % others.len();
    vec![own, others[turn]]
}

fn one(lab: &Lab, plan: &Plan, number: usize) -> Result<Tally, String> {
    let sketch = sketch(plan, number);
    let mut tally = Tally {
        programs: 1,
        updates: usize::from(sketch.has_updates()),
        fences: usize::from(sketch.has_fences()),
        dependencies: usize::from(sketch.has_dependencies()),
        ..Tally::default()
    };
    let mut weak_states = None;
    for model in models(sketch.syntax, number) {
        let specialise = number.is_multiple_of(3);
        let findings = check(lab, plan, &sketch, model, specialise).map_err(|_| {
            let seed = plan.seed;
            let fails = &mut |s: &Sketch| matches!(check(lab, plan, s, model, specialise), Err(Failure::Differs(_)));
            let small = if fails(&sketch) { shrink(&sketch, fails) } else { sketch.clone() };
            let why = check(lab, plan, &small, model, specialise).err().map_or_else(String::new, |f| f.to_string());
            let text = small.text().unwrap_or_default();
            format!("seed {seed}, program {number}, model {model}, specialised {specialise}\n{text}\n{why}")
        })?;
        tally.runs += 1;
        tally.executions += findings.executions.unwrap_or(0);
        *tally.pairs.entry((sketch.syntax.name(), model)).or_default() += 1;
        weak_states.get_or_insert(findings);
    }
    if let Some(findings) = weak_states {
        tally.weak = usize::from(is_weak(lab, &sketch, &findings)?);
    }
    Ok(tally)
}

#[derive(Clone, Debug)]
enum Failure {
    /// The test or the model is wrong.
    Broken(String),
    Differs(String),
}

impl Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Failure::Broken(why) | Failure::Differs(why)) = self;
        f.write_str(why)
    }
}

/// Runs one program under one model both ways. `specialise`: the engine's model knows which tags the program lacks.
fn check(lab: &Lab, plan: &Plan, sketch: &Sketch, model: &str, specialise: bool) -> Result<Findings, Failure> {
    let litmus = parse(lab, sketch).map_err(Failure::Broken)?;
    let reference = lab.link(model, &litmus.program.dialect).map_err(Failure::Broken)?;
    let linked = match specialise {
        true => lab.link_for(model, &litmus.program).map_err(Failure::Broken)?,
        false => std::sync::Arc::clone(&reference),
    };
    let task = lab.task(&litmus, &linked, Cancel::new());
    let definition = lab.task(&litmus, &reference, Cancel::new());
    let (engine, plain) = ((plan.engine)(), Enumerate::plain());
    compare(&*engine, &plain, &task, &definition, &reference).map_err(Failure::Differs)
}

fn parse(lab: &Lab, sketch: &Sketch) -> Result<Litmus, String> {
    let text = sketch.text().ok_or("the dialect cannot write this sketch")?;
    lab.parse(&text, Some(sketch.syntax.is_kernel()))
}

/// Whether some state is not one of sequential consistency.
fn is_weak(lab: &Lab, sketch: &Sketch, findings: &Findings) -> Result<bool, String> {
    let litmus = parse(lab, sketch)?;
    let sc = lab.link("sc", &litmus.program.dialect)?;
    let task = lab.task(&litmus, &sc, Cancel::new());
    let outcome = Enumerate::fast().run(&task, &Silent);
    let strong: BTreeSet<Vec<FinalValue>> = outcome.states.into_iter().flatten().map(|s| s.values).collect();
    Ok(findings.states.iter().any(|s| !strong.contains(&s.values)))
}
