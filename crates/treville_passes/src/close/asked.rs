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
}

const WAITING: [End; 6] = [End::Assume, End::Spin, End::Resource, End::Join, End::Impatient, End::Unclear];

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
}

/// More cycles of threads than this are not listed.
const MOST_CYCLES: usize = 3000;

/// The cycles in which threads may wait for each other, each from its first thread on; none if there are too many.
fn cycles(waiters: &[Waiter]) -> Option<Vec<Vec<usize>>> {
    let may_wait = |a: &usize, b: &usize| waiters[*a].joins || waiters[*a].locks && waiters[*b].locks;
    let mut found = Vec::new();
    let mut paths: Vec<Vec<usize>> = (0..waiters.len()).map(|first| vec![first]).collect();
    while let Some(path) = paths.pop() {
        let (first, last) = (path[0], path[path.len() - 1]);
        if may_wait(&last, &first) {
            found.push(path.clone());
        }
        if found.len() > MOST_CYCLES || paths.len() > MOST_CYCLES {
            return None;
        }
        let next = (first + 1..waiters.len()).filter(|n| may_wait(&last, n) && !path.contains(n));
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
    /// The same, or nothing but assumptions keeps threads from their end.
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

    pub(super) fn of(program: &Program, waiters: &[Waiter]) -> Asked {
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
        let some_waits = waits(&[End::Resource, End::Join]);
        let (some_unclear, some_spin) = (waits(&[End::Unclear]), waits(&[End::Spin]));
        let for_good = [End::Complete, End::Resource, End::Join];
        let unclear = [End::Complete, End::Resource, End::Join, End::Unclear];
        let spinning = [End::Complete, End::Resource, End::Join, End::Spin];
        let perhaps = [End::Complete, End::Resource, End::Join, End::Unclear, End::Spin];
        let among = each_other(&regs, waiters);
        let unlisted = if among.is_none() { some(&|places| awaits_some(places)) } else { Formula::Or(Vec::new()) };
        // An execution in which an assumption fails does not count.
        let counts = not(some(&waits(&[End::Assume])));
        let each_other = Formula::And(vec![not(fails.clone()), counts, among.unwrap_or(Formula::Or(Vec::new()))]);
        let too_many = Formula::And(vec![not(fails.clone()), unlisted]);
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
        let complete = still(&[End::Complete]);
        let discarded = Formula::And(vec![still(&assumed), some(&waits(&[End::Assume]))]);
        Asked {
            ended: Formula::Or(vec![complete.clone(), discarded]),
            complete,
            deadlock: Formula::Or(vec![Formula::And(vec![still(&for_good), some(&some_waits)]), each_other]),
            unclear: Formula::Or(vec![Formula::And(vec![still(&unclear), some(&some_unclear)]), too_many]),
            spinning: Formula::And(vec![still(&spinning), some(&some_spin)]),
            perhaps_spinning: Formula::And(vec![still(&perhaps), some(&some_unclear), some(&some_spin)]),
            cut: Formula::And(vec![not(fails), cut]),
            question,
        }
    }
}

fn is(place: &Place, value: u32) -> Formula {
    let right = Operand::Value(Bv::new(u128::from(value), 32));
    Formula::Atom(Atom { left: place.clone(), op: Comparison::Eq, right })
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
    let waits_for = |(a, b): (&usize, &usize), ends: &[End]| {
        Formula::And(vec![waits_as(&regs[*a], ends), is(&regs[*a][3], *b as u32 + 1)])
    };
    let cycle = |path: &Vec<usize>| {
        let arcs = path.iter().zip(path.iter().cycle().skip(1));
        Formula::And(arcs.map(|arc| waits_for(arc, &[End::Resource, End::Join])).collect())
    };
    let has_ended = |b: &usize| Formula::And(regs[*b][..3].iter().map(|place| is(place, 0)).collect());
    let lockers: Vec<usize> = (0..waiters.len()).filter(|t| waiters[*t].locks).collect();
    let pairs = lockers.iter().flat_map(|a| lockers.iter().map(move |b| (a, b))).filter(|(a, b)| a != b);
    let left = pairs.map(|arc| Formula::And(vec![waits_for(arc, &[End::Resource]), has_ended(arc.1)]));
    Some(Formula::Or(cycles(waiters)?.iter().map(cycle).chain(left).collect()))
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
