//! What is asked of a closed program: how its threads end.

use super::body::{CUT, FAILED, WAITS};
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
        let failed = self.question.observed.iter().step_by(3);
        let is = |place: &Place, n: usize| {
            let right = Operand::Value(Bv::new(n as u128 + 1, 32));
            Formula::Atom(Atom { left: place.clone(), op: Comparison::Eq, right })
        };
        Formula::Or(failed.flat_map(|observed| failures.iter().map(move |n| is(&observed.place, *n))).collect())
    }

    pub(super) fn of(program: &Program) -> Asked {
        let regs: Vec<[Place; 3]> = program
            .roots
            .iter_enumerated()
            .map(|(thread, root)| said_at_the_end(&program.funcs[root.func]).map(|reg| Place::Reg(thread, reg)))
            .collect();
        let is = |place: &Place, value: u32| {
            let right = Operand::Value(Bv::new(u128::from(value), 32));
            Formula::Atom(Atom { left: place.clone(), op: Comparison::Eq, right })
        };
        let not = |formula: Formula| Formula::Not(Box::new(formula));
        let some = |of: &dyn Fn(&[Place; 3]) -> Formula| Formula::Or(regs.iter().map(of).collect());
        let waits = |ends: &[End]| {
            let ends: Vec<u32> = ends.iter().map(|end| end.code()).collect();
            move |[_, waits, _]: &[Place; 3]| Formula::Or(ends.iter().map(|code| is(waits, *code)).collect())
        };
        let fails = some(&|[failed, ..]| not(is(failed, 0)));
        let cut = some(&|[_, _, cut]| not(is(cut, 0)));
        // All threads have ended or wait, and none of them for something else than these.
        let still = |ends: &[End]| {
            let all = regs.iter().map(waits(ends)).collect();
            Formula::And(vec![not(fails.clone()), not(cut.clone()), Formula::And(all)])
        };
        let (some_resource, some_unclear, some_spin) =
            (waits(&[End::Resource]), waits(&[End::Unclear]), waits(&[End::Spin]));
        let for_good = [End::Complete, End::Resource, End::Join];
        let unclear = [End::Complete, End::Resource, End::Join, End::Unclear];
        let spinning = [End::Complete, End::Resource, End::Join, End::Spin];
        let perhaps = [End::Complete, End::Resource, End::Join, End::Unclear, End::Spin];
        let ty = Type::Int { bytes: 4, signed: true };
        let mut observed = Vec::new();
        for (thread, places) in regs.iter().enumerate() {
            for (place, what) in places.iter().zip(["failed", "waits", "cut"]) {
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
            deadlock: Formula::And(vec![still(&for_good), some(&some_resource)]),
            unclear: Formula::And(vec![still(&unclear), some(&some_unclear)]),
            spinning: Formula::And(vec![still(&spinning), some(&some_spin)]),
            perhaps_spinning: Formula::And(vec![still(&perhaps), some(&some_unclear), some(&some_spin)]),
            cut: Formula::And(vec![not(fails), cut]),
            question,
        }
    }
}

pub(super) fn said_at_the_end(func: &Func) -> [Reg; 3] {
    [FAILED, WAITS, CUT].map(|name| {
        let found = func.regs.iter_enumerated().find(|(_, info)| info.name == name);
        found.map_or(Reg(0), |(reg, _)| reg)
    })
}

/// How each thread ends, in a final state.
pub fn ends(values: &[Vec<Bv>]) -> Vec<(ThreadId, End)> {
    let value = |v: &Vec<Bv>| v.first().map_or(0, |v| v.unsigned() as usize);
    let end = |said: &[Vec<Bv>]| match said {
        [failed, ..] if value(failed) > 0 => End::Failed(value(failed) - 1),
        [_, _, cut] if value(cut) > 0 => End::Cut,
        [_, waits, _] if value(waits) > 0 => WAITING.get(value(waits) - 1).copied().unwrap_or(End::Unclear),
        _ => End::Complete,
    };
    values.chunks(3).enumerate().map(|(thread, said)| (ThreadId(thread as u32), end(said))).collect()
}
