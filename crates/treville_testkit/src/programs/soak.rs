//! Campaigns over ranges of seeds. A seed gives a program, its profile and its model, so that a range can be run again, and a
//! campaign goes on where another one ended.

use super::answers::{Answer, Panel, own_texts};
use super::ast::{Claim, Order, Place, Program, Stmt};
use super::check::{Difference, Report, check, check_changed, recheck};
use super::compile::compile;
use super::draw::{PROFILES, Profile, draw};
use super::morph::{self, Morph};
use super::print::file;
use super::shrink::shrink;
use super::turns;
use crate::Rng;
use std::collections::BTreeMap;
use std::fmt::{self, Display, Write};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The stack of a worker, in bytes.
const STACK: usize = 64 << 20;

/// Answers that take longer are reported: effort is limited, so that something does not count its effort.
const SLOW: Duration = Duration::from_secs(2);

/// Programs that clang gets at once.
const AT_ONCE: u64 = 100;

#[derive(Clone, Debug)]
pub struct Plan {
    pub seeds: Range<u64>,
    pub n_threads: usize,
    /// Only this one; otherwise one after the other.
    pub profile: Option<Profile>,
    /// For each question to an engine.
    pub effort: u64,
    /// Only these engines are asked; all, if there are none.
    pub engines: Vec<String>,
    /// After so many differences the campaign ends.
    pub most_differences: usize,
    pub shrinks: bool,
    /// No batch begins after so long; the seeds that are done are printed.
    pub time: Option<Duration>,
}

impl Plan {
    pub fn new(seeds: Range<u64>) -> Plan {
        Plan {
            seeds,
            n_threads: 1,
            profile: None,
            effort: 300,
            engines: Vec::new(),
            most_differences: 3,
            shrinks: true,
            time: None,
        }
    }
}

/// What a seed stands for.
#[derive(Clone, Debug)]
pub struct Drawn {
    pub seed: u64,
    pub profile: Profile,
    pub model: &'static str,
    pub program: Program,
}

/// The program of a seed.
pub fn of_seed(seed: u64, profile: Option<Profile>) -> Drawn {
    let mut rng = Rng::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5eed);
    rng.draw();
    let profile = profile.unwrap_or_else(|| PROFILES[(seed % PROFILES.len() as u64) as usize].1);
    let model = rng.pick(profile.models());
    let mut program = draw(&mut rng, profile);
    program.claim = claim(&program, profile, &mut rng);
    Drawn { seed, profile, model, program }
}

/// Values that one run leads to, or nearly: most executions have others, and an engine that loses this one is found out.
fn claim(program: &Program, profile: Profile, rng: &mut Rng) -> Option<Claim> {
    let mut places: Vec<Place> = Vec::new();
    let mut see = |place: &Place, order: Order| {
        let seen = matches!(place, Place::Left(..)) || matches!(place, Place::Atomic(_)) && order != Order::Plain;
        if seen && !places.contains(place) {
            places.push(place.clone());
        }
    };
    program.visit(&mut |stmt| {
        if let Stmt::Store(place, _, order) | Stmt::Fetch(_, _, place, _, order) | Stmt::Cas { place, order, .. } = stmt
        {
            see(place, *order);
        }
    });
    let joined = |t: u8| program.main.contains(&Stmt::Join(t));
    places.retain(|place| !matches!(place, Place::Left(t, _) if !joined(*t)));
    if places.is_empty() || rng.percent(30) {
        return None;
    }
    if profile.forbids() > 0 && rng.percent(profile.forbids()) {
        let left = |place: &Place| matches!(place, Place::Left(..));
        if rng.percent(60) && places.iter().filter(|place| left(place)).count() > 1 {
            places.retain(left);
        }
        let values = forbidden(program, &places, rng)?;
        return Some(Claim { values: places.into_iter().zip(values).collect() });
    }
    let sampled = (0..4).find_map(|_| turns::sample(program, &places, rng));
    let mut values = sampled.unwrap_or_else(|| places.iter().map(|_| rng.below(3) as i32).collect());
    if rng.percent(15) {
        let i = rng.below(values.len());
        values[i] += 1;
    }
    Some(Claim { values: places.into_iter().zip(values).collect() })
}

/// Values that a run with delayed stores leads to and no other, or each of which some run leads to, and no run to all of them
/// together, as far as runs were tried.
fn forbidden(program: &Program, places: &[Place], rng: &mut Rng) -> Option<Vec<i32>> {
    let runs: Vec<Vec<i32>> = (0..20).filter_map(|_| turns::sample(program, places, rng)).collect();
    if rng.percent(70) {
        let late = (0..12).filter_map(|_| turns::sample_delayed(program, places, rng));
        let found = late.filter(|run| !runs.contains(run)).take(3).find(|run| !is_reached(program, places, run));
        if found.is_some() {
            return found;
        }
    }
    (0..8).find_map(|_| {
        let mixed: Vec<i32> =
            (0..places.len()).map(|i| runs.get(rng.below(runs.len())).map_or(0, |run| run[i])).collect();
        (!runs.is_empty() && !runs.contains(&mixed)).then_some(mixed)
    })
}

/// Whether some run by turns leads to these values, or it is not known.
fn is_reached(program: &Program, places: &[Place], values: &[i32]) -> bool {
    const MOST_STATES: usize = 2_000;
    let claim = Claim { values: places.iter().cloned().zip(values.iter().copied()).collect() };
    let claiming = Program { claim: Some(claim), ..program.clone() };
    let turns = turns::explore(&claiming, MOST_STATES);
    turns.is_none_or(|turns| !turns.complete || turns.faults.contains(&turns::Fault::Assertion))
}

/// What a campaign has seen.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    pub programs: usize,
    /// Programs that could not be compiled or lowered.
    pub unread: usize,
    /// By profile: programs, of these failing, of these undecided by `explore`.
    pub profiles: BTreeMap<&'static str, [usize; 3]>,
    pub models: BTreeMap<&'static str, usize>,
    /// Answers of each way: yes, yes up to the bound, no, unknown.
    pub ways: BTreeMap<&'static str, [usize; 4]>,
    /// How programs fail, by the first answer.
    pub kinds: BTreeMap<&'static str, usize>,
    /// Programs that also ran by taking turns, of these with every state visited, of these failing.
    pub turns: [usize; 3],
    pub times: BTreeMap<&'static str, Duration>,
    /// Programs that were changed, by how.
    pub changes: BTreeMap<&'static str, usize>,
    /// Why an answer is unknown.
    pub reasons: BTreeMap<String, usize>,
}

impl Tally {
    fn note(&mut self, drawn: &Drawn, report: &Report) {
        self.programs += 1;
        let profile = self.profiles.entry(drawn.profile.name()).or_default();
        profile[0] += 1;
        *self.models.entry(drawn.model).or_default() += 1;
        for (i, (name, answer)) in report.answers.iter().enumerate() {
            let way = self.ways.entry(name).or_default();
            match answer {
                Answer::Yes { complete: true, .. } => way[0] += 1,
                Answer::Yes { .. } => way[1] += 1,
                Answer::No(kind) => {
                    way[2] += 1;
                    if i == 0 {
                        profile[1] += 1;
                        *self.kinds.entry(kind).or_default() += 1;
                    }
                }
                Answer::Unknown(why) | Answer::Broken(why) => {
                    way[3] += 1;
                    profile[2] += usize::from(i == 0);
                    let why: String = why.chars().filter(|c| !c.is_ascii_digit()).take(70).collect();
                    *self.reasons.entry(format!("{name}: {why}")).or_default() += 1;
                }
            }
        }
        for (name, time) in &report.times {
            *self.times.entry(name).or_default() += *time;
        }
        if let Some(turns) = &report.turns {
            self.turns[0] += 1;
            self.turns[1] += usize::from(turns.complete);
            self.turns[2] += usize::from(!turns.faults.is_empty());
        }
    }

    fn add(&mut self, other: &Tally) {
        self.programs += other.programs;
        self.unread += other.unread;
        other.profiles.iter().for_each(|(k, v)| sum(self.profiles.entry(k).or_default(), v));
        other.ways.iter().for_each(|(k, v)| sum(self.ways.entry(k).or_default(), v));
        other.models.iter().for_each(|(k, v)| *self.models.entry(k).or_default() += v);
        other.kinds.iter().for_each(|(k, v)| *self.kinds.entry(k).or_default() += v);
        other.reasons.iter().for_each(|(k, v)| *self.reasons.entry(k.clone()).or_default() += v);
        other.times.iter().for_each(|(k, v)| *self.times.entry(k).or_default() += *v);
        other.changes.iter().for_each(|(k, v)| *self.changes.entry(k).or_default() += v);
        sum(&mut self.turns, &other.turns);
    }
}

fn sum<const N: usize>(to: &mut [usize; N], from: &[usize; N]) {
    to.iter_mut().zip(from).for_each(|(a, b)| *a += b);
}

impl Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} programs, {} unreadable", self.programs, self.unread)?;
        for (name, [all, fail, open]) in &self.profiles {
            writeln!(f, "  profile {name:<12} {all:>6} programs, {fail:>6} fail, {open:>5} undecided by explore")?;
        }
        for (name, n) in &self.models {
            writeln!(f, "  model {name:<12} {n:>6} programs")?;
        }
        for (name, [yes, bounded, no, unknown]) in &self.ways {
            writeln!(f, "  {name:<28} {yes:>6} yes, {bounded:>6} up to the bound, {no:>6} no, {unknown:>6} unknown")?;
        }
        for (name, n) in &self.kinds {
            writeln!(f, "  fails by {name:<18} {n:>6} programs")?;
        }
        let [all, complete, fail] = self.turns;
        writeln!(f, "  by taking turns {all} programs, {complete} with every state, {fail} fail")?;
        for (name, n) in &self.changes {
            writeln!(f, "  changed: {name:<28} {n:>6} programs")?;
        }
        for (name, time) in &self.times {
            writeln!(f, "  time {name:<28} {time:>9.1?}")?;
        }
        let mut reasons: Vec<_> = self.reasons.iter().collect();
        reasons.sort_by_key(|(why, n)| (std::cmp::Reverse(**n), why.as_str()));
        for (why, n) in reasons.into_iter().take(12) {
            writeln!(f, "  unknown {n:>6} {why}")?;
        }
        Ok(())
    }
}

/// A difference, with the program that shows it.
#[derive(Clone, Debug)]
pub struct Finding {
    pub drawn: Drawn,
    pub difference: Difference,
    /// A file of its own.
    pub text: String,
}

/// Runs a campaign; `seen` is called for each difference, and for each batch that is done.
pub fn run(plan: &Plan, seen: &(dyn Fn(Event<'_>) + Sync)) -> (Tally, Vec<Finding>) {
    let next = AtomicU64::new(plan.seeds.start);
    let total = Mutex::new((Tally::default(), Vec::new()));
    let start = Instant::now();
    let is_late = || plan.time.is_some_and(|time| start.elapsed() > time);
    let lock = || total.lock().unwrap_or_else(PoisonError::into_inner);
    std::thread::scope(|scope| {
        for _ in 0..plan.n_threads.max(1) {
            let worker = || {
                loop {
                    let from = next.fetch_add(AT_ONCE, Ordering::Relaxed);
                    if from >= plan.seeds.end || is_late() || lock().1.len() >= plan.most_differences {
                        return;
                    }
                    let (tally, findings) = batch(plan, from..plan.seeds.end.min(from + AT_ONCE), seen);
                    let mut total = lock();
                    total.0.add(&tally);
                    total.1.extend(findings);
                    seen(Event::Batch(from, total.0.programs));
                }
            };
            // As much as the command line gives its workers, which engines may need for deep terms.
            let spawned = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, worker);
            spawned.expect("a thread can be started");
        }
    });
    total.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// What happens in a campaign.
pub enum Event<'a> {
    Found(&'a Finding),
    /// The first seed, and all programs so far.
    Batch(u64, usize),
    /// A seed, what took longest about it, and how long.
    Slow(u64, &'static str, Duration),
}

fn batch(plan: &Plan, seeds: Range<u64>, seen: &dyn Fn(Event<'_>)) -> (Tally, Vec<Finding>) {
    let all: Vec<Drawn> = seeds.map(|seed| of_seed(seed, plan.profile)).collect();
    let programs: Vec<Program> = all.iter().map(|drawn| drawn.program.clone()).collect();
    let files = own_texts();
    let panel = Panel::new(&files, plan.effort).with_engines(&plan.engines);
    let (mut tally, mut findings) = (Tally::default(), Vec::new());
    let start = Instant::now();
    let lowered = compile(&programs);
    let changes: Vec<Option<Morph>> = all.iter().map(change).collect();
    let changed = |(drawn, morph): (&Drawn, &Option<Morph>)| {
        morph.and_then(|morph| morph.apply(&drawn.program)).unwrap_or_else(|| drawn.program.clone())
    };
    let changed = compile(&all.iter().zip(&changes).map(changed).collect::<Vec<_>>());
    tally.times.insert("clang and lowering", start.elapsed());
    for (((drawn, lowered), morph), changed) in all.iter().zip(lowered).zip(changes).zip(changed) {
        let lowered = match lowered {
            Ok(lowered) => lowered,
            Err(why) => {
                tally.unread += 1;
                *tally.reasons.entry(format!("clang or lowering: {why}")).or_default() += 1;
                continue;
            }
        };
        let mut report = check(&panel, &drawn.program, &lowered, drawn.model);
        if let (Some(morph), Ok(changed)) = (morph, &changed) {
            let start = Instant::now();
            let answer = (&drawn.program, &report.answers[0].1);
            let wrong = check_changed(&panel, morph, answer, changed, drawn.model);
            *tally.changes.entry(morph.name()).or_default() += 1;
            report.times.push(("changed programs", start.elapsed()));
            report.differences.extend(wrong);
        }
        if drawn.profile == Profile::Compiled {
            let wrong = compiled(&panel, drawn, &lowered, &report.answers[0].1, &mut tally);
            report.differences.extend(wrong);
        }
        tally.note(drawn, &report);
        if let Some((way, time)) = report.times.iter().max_by_key(|(_, time)| *time).filter(|(_, time)| *time >= SLOW) {
            seen(Event::Slow(drawn.seed, way, *time));
        }
        if let Some(difference) = report.differences.first() {
            let finding = found(plan, &panel, drawn, difference);
            seen(Event::Found(&finding));
            findings.push(finding);
            if findings.len() >= plan.most_differences {
                break;
            }
        }
    }
    (tally, findings)
}

/// What does not fail where C allows it must not fail on machines either.
fn compiled(
    panel: &Panel<'_>,
    drawn: &Drawn,
    lowered: &treville_ir::Program,
    answer: &Answer,
    tally: &mut Tally,
) -> Option<Difference> {
    if !matches!(answer, Answer::Yes { complete: true, .. }) {
        return None;
    }
    morph::compilations(&drawn.program, drawn.model).find_map(|morph| {
        *tally.changes.entry(morph.name()).or_default() += 1;
        check_changed(panel, morph, (&drawn.program, answer), lowered, drawn.model)
    })
}

/// A change to the program of a seed.
fn change(drawn: &Drawn) -> Option<Morph> {
    let mut rng = Rng::new(drawn.seed ^ 0xc4a9_6e00);
    rng.draw();
    morph::choose(&drawn.program, drawn.model, &mut rng)
}

fn found(plan: &Plan, panel: &Panel<'_>, drawn: &Drawn, difference: &Difference) -> Finding {
    let (mut program, mut difference) = (drawn.program.clone(), difference.clone());
    if plan.shrinks {
        let model = drawn.model;
        let keeps = &mut |all: &[Program]| {
            compile(all)
                .into_iter()
                .enumerate()
                .find_map(|(i, lowered)| Some((i, recheck(panel, &all[i], &lowered.ok()?, model, &difference)?)))
        };
        let mut last = None;
        program = shrink(&program, &mut |all| {
            let (i, same) = keeps(all)?;
            last = Some(same);
            Some(i)
        });
        difference = last.unwrap_or(difference);
    }
    if let Ok(lowered) = &compile(std::slice::from_ref(&program))[0] {
        // For the record, all that is said of the small one.
        let all = check(panel, &program, lowered, drawn.model);
        difference = all.differences.into_iter().find(|d| d.is_like(&difference)).unwrap_or(difference);
    }
    let drawn = Drawn { program, ..drawn.clone() };
    let text = describe(&drawn, &difference);
    Finding { drawn, difference, text }
}

/// The program as a file that says how it was answered.
pub fn describe(drawn: &Drawn, difference: &Difference) -> String {
    let mut text = format!(
        "// Seed {}, profile {}, model {}: {:?} between {} and {}\n",
        drawn.seed,
        drawn.profile.name(),
        drawn.model,
        difference.kind,
        difference.between[0],
        difference.between[1]
    );
    for (name, answer) in &difference.answers {
        let _ = writeln!(text, "//   {name}: {answer}");
    }
    text + &file(&drawn.program)
}
