//! What is asked of a closed program: how its threads end.

use super::body::{AWAITS, CUT, FAILED, WAITS};
use treville_ir::{
    Atom, Comparison, Formula, Func, Observable, Operand, Place, Program, Quantifier, Question, Reg, ThreadId, Type,
};
use treville_term::Bv;

/// How a thread ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// As it should, or it was never started.
    Complete,
    Failed(usize),
    /// At a bound.
    Cut,
    /// The program assumes that it does not come here.
    Assume,
    /// In a loop that changes nothing.
    Spin,
    /// It waits for what another thread must give, and nobody will.
    Resource,
    /// It waits for the end of another thread.
    Join,
    /// It has waited for what another thread must give, and would have got it later.
    Impatient,
    /// It waits for what another thread must give; whether it would get it is not seen.
    Unclear,
    /// In a loop that changes nothing; whether it would go on is not seen.
    MaySpin,
    /// It ends the process, and with it the waiting of all.
    ExitProcess,
}

const WAITING: [End; 8] =
    [End::Assume, End::Spin, End::Resource, End::Join, End::Impatient, End::Unclear, End::MaySpin, End::ExitProcess];

impl End {
    pub(super) fn code(self) -> u32 {
        WAITING.iter().position(|end| *end == self).map_or(0, |i| i as u32 + 1)
    }
}

/// What a thread may wait for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiter {
    pub(super) locks: bool,
    pub(super) joins: bool,
    /// For what any thread that gives something could give.
    pub(super) asks: bool,
    /// Whether it, or a thread that it starts, gives something.
    pub(super) gives: bool,
}

/// More cycles of threads than this are not listed.
const MOST_CYCLES: usize = 3000;

/// Whether a thread may wait for a certain other one.
fn may_wait(waiters: &[Waiter], a: usize, b: usize) -> bool {
    waiters[a].joins || waiters[a].locks && waiters[b].locks
}

/// The cycles in which threads may wait for each other, each from its first thread on; none if there are too many.
fn cycles(waiters: &[Waiter]) -> Option<Vec<Vec<usize>>> {
    let mut found = Vec::new();
    let mut paths: Vec<Vec<usize>> = (0..waiters.len()).map(|first| vec![first]).collect();
    while let Some(path) = paths.pop() {
        let (first, last) = (path[0], path[path.len() - 1]);
        if may_wait(waiters, last, first) {
            found.push(path.clone());
        }
        if found.len() > MOST_CYCLES || paths.len() > MOST_CYCLES {
            return None;
        }
        let next = (first + 1..waiters.len()).filter(|n| may_wait(waiters, last, *n) && !path.contains(n));
        paths.extend(next.map(|n| [&path[..], &[n]].concat()));
    }
    Some(found)
}

/// Formulas over final states.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Whether some thread fails; a state lists how each thread ends.
    pub question: Question,
    /// All threads come to their end.
    pub complete: Formula,
    /// The same, or nothing but assumptions keeps threads from their end, or the process ends before.
    pub ended: Formula,
    /// Some thread is cut, and what it would still have done could matter.
    pub cut: Formula,
    /// Some threads wait for what others must give, and nobody will.
    pub deadlock: Formula,
    /// The same, as far as it is seen.
    pub unclear: Formula,
    /// Some loops wait for what nobody will do.
    pub spinning: Formula,
    /// The same, as far as it is seen.
    pub perhaps_spinning: Formula,
}

impl Asked {
    /// Some thread fails in one of these ways.
    pub fn fails_by(&self, failures: &[usize]) -> Formula {
        let failed = self.question.observed.iter().step_by(SAID);
        let is = |place: &Place, n: usize| {
            let right = Operand::Value(Bv::new(n as u128 + 1, 32));
            Formula::Atom(Atom { left: place.clone(), op: Comparison::Eq, right })
        };
        Formula::Or(failed.flat_map(|observed| failures.iter().map(move |n| is(&observed.place, *n))).collect())
    }

    pub(super) fn of(program: &Program, waiters: &[Waiter], has_assumptions: bool) -> Asked {
        let regs: Vec<[Place; SAID]> = program
            .roots
            .iter_enumerated()
            .map(|(thread, root)| said_at_the_end(&program.funcs[root.func]).map(|reg| Place::Reg(thread, reg)))
            .collect();
        let some = |of: &dyn Fn(&[Place; SAID]) -> Formula| Formula::Or(regs.iter().map(of).collect());
        let waits = |ends: &[End]| {
            let ends = ends.to_vec();
            move |places: &[Place; SAID]| waits_as(places, &ends)
        };
        let fails = some(&|[failed, ..]| not(is(failed, 0)));
        let cut = some(&|[_, _, cut, _]| not(is(cut, 0)));
        // All threads have ended or wait, and none of them for something else than these.
        let still = |ends: &[End]| {
            let all = regs.iter().map(waits(ends)).collect();
            Formula::And(vec![not(fails.clone()), not(cut.clone()), Formula::And(all)])
        };
        let (some_waits, some_spin) = (waits(&[End::Resource, End::Join]), waits(&[End::Spin]));
        let for_good = [End::Complete, End::Resource, End::Join];
        let spinning = [End::Complete, End::Resource, End::Join, End::Spin, End::ExitProcess];
        let perhaps = [&spinning[..], &[End::Unclear, End::MaySpin]].concat();
        // Of a thread that only waits because it has read an old write, there is another execution in which it goes on. One in which
        // an assumption fails does not count.
        let impatient = some(&waits(&[End::Impatient]));
        let counts = vec![not(fails.clone()), not(some(&waits(&[End::Assume]))), not(impatient)];
        let over = some(&waits(&[End::ExitProcess]));
        let (unclear, may_spin) = (some(&waits(&[End::Unclear])), some(&waits(&[End::MaySpin])));
        // Others go on in a way that is not seen: to fail an assumption, to give what is waited for, or to end the process.
        let unseen = Formula::Or(vec![unclear.clone(), may_spin.clone()]);
        let among = each_other(&regs, waiters);
        let unlisted = if among.is_none() { some(&|places| awaits_some(places)) } else { Formula::Or(Vec::new()) };
        let each_other = with(&counts, [among.unwrap_or(Formula::Or(Vec::new()))]);
        let (each_other, beside) = match has_assumptions {
            true => split(each_other, &Formula::Or(vec![cut.clone(), unseen.clone()])),
            false => (each_other, Formula::Or(Vec::new())),
        };
        let in_vain = ask_in_vain(&regs, waiters);
        let unlisted_askers = if in_vain.is_none() { some(&|places| asks(places)) } else { Formula::Or(Vec::new()) };
        let in_vain = in_vain.unwrap_or(Formula::Or(Vec::new()));
        let (in_vain, perhaps_in_vain) = split(with(&counts, [not(cut.clone()), not(over.clone()), in_vain]), &unseen);
        let too_many = with(&[not(fails.clone())], [Formula::Or(vec![unlisted, unlisted_askers])]);
        let ty = Type::Int { bytes: 4, signed: true };
        let mut observed = Vec::new();
        for (thread, places) in regs.iter().enumerate() {
            for (place, what) in places.iter().zip(["failed", "waits", "cut", "awaits"]) {
                observed.push(Observable { place: place.clone(), ty, name: format!("{thread}:{what}") });
            }
        }
        let question =
            Question { quantifier: Quantifier::Exists, condition: fails.clone(), filter: None, observed, span: None };
        let assumed = [End::Complete, End::Join, End::Assume];
        let complete = still(&[End::Complete, End::ExitProcess]);
        let discarded = Formula::And(vec![still(&assumed), some(&waits(&[End::Assume]))]);
        Asked {
            ended: Formula::Or(vec![complete.clone(), discarded, Formula::And(vec![not(fails.clone()), over])]),
            complete,
            deadlock: Formula::Or(vec![Formula::And(vec![still(&for_good), some(&some_waits)]), each_other, in_vain]),
            unclear: Formula::Or(vec![with(&counts, [unclear.clone()]), too_many, beside, perhaps_in_vain]),
            spinning: Formula::And(vec![still(&spinning), some(&some_spin)]),
            perhaps_spinning: with(
                &[still(&perhaps)],
                [Formula::Or(vec![may_spin, with(&[unclear], [some(&some_spin)])])],
            ),
            cut: Formula::And(vec![not(fails), cut]),
            question,
        }
    }
}

fn is(place: &Place, value: u32) -> Formula {
    let right = Operand::Value(Bv::new(u128::from(value), 32));
    Formula::Atom(Atom { left: place.clone(), op: Comparison::Eq, right })
}

/// What holds without something, and with it.
fn split(formula: Formula, by: &Formula) -> (Formula, Formula) {
    let (without, both) = ([formula.clone(), not(by.clone())], [formula, by.clone()]);
    (with(&[], without), with(&[], both))
}

/// All of these hold.
fn with<const N: usize>(some: &[Formula], more: [Formula; N]) -> Formula {
    Formula::And(some.iter().cloned().chain(more).collect())
}

fn not(formula: Formula) -> Formula {
    Formula::Not(Box::new(formula))
}

/// A thread ends in one of these ways.
fn waits_as([_, waits, ..]: &[Place; SAID], ends: &[End]) -> Formula {
    Formula::Or(ends.iter().map(|end| is(waits, end.code())).collect())
}

/// A thread waits for another one, whichever it is.
fn awaits_some(places: &[Place; SAID]) -> Formula {
    Formula::And(vec![waits_as(places, &[End::Resource, End::Join]), not(is(&places[3], 0))])
}

/// Some threads wait for each other, or for a lock that a thread held when it ended, whatever the rest does; none if there are
/// too many ways to do so.
fn each_other(regs: &[[Place; SAID]], waiters: &[Waiter]) -> Option<Formula> {
    let cycle = |path: &Vec<usize>| {
        let arcs = path.iter().zip(path.iter().cycle().skip(1));
        Formula::And(arcs.map(|(a, b)| waits_for(&regs[*a], *b, &[End::Resource, End::Join])).collect())
    };
    let lockers: Vec<usize> = (0..waiters.len()).filter(|t| waiters[*t].locks).collect();
    let pairs = lockers.iter().flat_map(|a| lockers.iter().map(move |b| (a, b))).filter(|(a, b)| a != b);
    let left = pairs.map(|(a, b)| Formula::And(vec![waits_for(&regs[*a], *b, &[End::Resource]), has_ended(&regs[*b])]));
    Some(Formula::Or(cycles(waiters)?.iter().map(cycle).chain(left).collect()))
}

/// A thread waits for what any thread could give.
fn asks(places: &[Place; SAID]) -> Formula {
    Formula::And(vec![waits_as(places, &[End::Resource]), is(&places[3], 0)])
}

/// A thread has come to its end.
fn has_ended(places: &[Place; SAID]) -> Formula {
    Formula::And(places[..3].iter().map(|place| is(place, 0)).collect())
}

/// Some threads wait for what any thread could give, and each thread that gives something has ended, is one of them, or waits
/// for one of them; none if there are too many ways to do so.
fn ask_in_vain(regs: &[[Place; SAID]], waiters: &[Waiter]) -> Option<Formula> {
    let askers: Vec<usize> = (0..waiters.len()).filter(|t| waiters[*t].asks).collect();
    if askers.is_empty() {
        return Some(Formula::Or(Vec::new()));
    }
    let mut all = vec![Formula::Or(askers.iter().map(|t| asks(&regs[*t])).collect())];
    let mut most = MOST_CYCLES;
    for giver in (0..waiters.len()).filter(|t| waiters[*t].gives) {
        let waits = leads_to_asker(regs, waiters, &[giver], &mut most)?;
        all.push(Formula::Or(vec![has_ended(&regs[giver]), waits]));
    }
    Some(Formula::And(all))
}

/// The last thread of a path asks, or waits for a thread that is not on the path and does so.
fn leads_to_asker(regs: &[[Place; SAID]], waiters: &[Waiter], path: &[usize], most: &mut usize) -> Option<Formula> {
    *most = most.checked_sub(1)?;
    let last = *path.last()?;
    let mut ways = Vec::new();
    if waiters[last].asks {
        ways.push(asks(&regs[last]));
    }
    for next in (0..waiters.len()).filter(|n| may_wait(waiters, last, *n) && !path.contains(n)) {
        let rest = leads_to_asker(regs, waiters, &[path, &[next]].concat(), most)?;
        ways.push(Formula::And(vec![waits_for(&regs[last], next, &[End::Resource, End::Join]), rest]));
    }
    Some(Formula::Or(ways))
}

/// A thread waits for this one, in one of these ways.
fn waits_for(places: &[Place; SAID], other: usize, ends: &[End]) -> Formula {
    Formula::And(vec![waits_as(places, ends), is(&places[3], other as u32 + 1)])
}

/// How many registers say how a thread has ended.
const SAID: usize = 4;

pub(super) fn said_at_the_end(func: &Func) -> [Reg; SAID] {
    [FAILED, WAITS, CUT, AWAITS].map(|name| {
        let found = func.regs.iter_enumerated().find(|(_, info)| info.name == name);
        found.map_or(Reg(0), |(reg, _)| reg)
    })
}

/// How each thread ends, in a final state.
pub fn ends(values: &[Vec<Bv>]) -> Vec<(ThreadId, End)> {
    let value = |v: &Vec<Bv>| v.first().map_or(0, |v| v.unsigned() as usize);
    let end = |said: &[Vec<Bv>]| match said {
        [failed, ..] if value(failed) > 0 => End::Failed(value(failed) - 1),
        [_, _, cut, ..] if value(cut) > 0 => End::Cut,
        [_, waits, ..] if value(waits) > 0 => WAITING.get(value(waits) - 1).copied().unwrap_or(End::Unclear),
        _ => End::Complete,
    };
    values.chunks(SAID).enumerate().map(|(thread, said)| (ThreadId(thread as u32), end(said))).collect()
}
