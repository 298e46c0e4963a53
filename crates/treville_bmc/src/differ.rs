//! Executions that one model allows and another forbids, by one formula for both.
//!
//! The program is there twice, as each of the models sees it (compiled for its machine, if it has one). Reads and writes of the
//! two correspond, and have the same sources and the same order. The one model has to allow the execution, the other to object to it: its
//! checks are turned round, so that one of them has to fail.

use crate::encode::Encoder;
use crate::events::Events;
use crate::replay::{Mismatch, replay};
use crate::solve::{Ground, STRAY, Search, Stop, disagree, new_formula, with_ground};
use crate::{Addresses, Options};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use treville_base::Idx;
use treville_eval::judge;
use treville_event::{Cell, Graph};
use treville_ir::ThreadId;
use treville_model::syntax::CheckMode;
use treville_model::{Model, Step};
use treville_sat::Lit;
use treville_task::{Bounds, FinalValue, Semantics, StopReason, Task};

/// An execution that only one of two models allows.
#[derive(Clone, PartialEq, Debug)]
pub struct OnlyAllowed {
    /// As the model sees it that allows it.
    pub allowed: Graph,
    /// As the other one does.
    pub forbidden: Graph,
    /// Final values of what the test observes.
    pub state: Vec<FinalValue>,
    /// No execution that the other one allows ends in this state. Otherwise some does, and a search for a state of its own has not
    /// come to an end or has found none.
    pub own_state: bool,
}

/// What a search has found.
#[derive(Clone, PartialEq, Debug)]
pub struct Compared {
    pub found: Option<OnlyAllowed>,
    /// Executions that are longer than the bound were not looked at.
    pub cut: bool,
}

/// Final states that are looked at one by one until the search for one that only one model has is given up.
const MAX_STATES: usize = 200;

/// An execution that the first task's model allows and the second one's forbids, one with a final state of its own if there is
/// one. The tasks ask the same question of the same program.
///
/// # Errors
/// Why it was not found out whether there is one.
pub fn difference(allowing: &Task, forbidding: &Task, options: &Options) -> Result<Compared, StopReason> {
    let mut bound = allowing.bounds.unroll;
    if options.addresses == Addresses::Solver {
        return Err(StopReason::Refused("models are compared in the layout that engines share".into()));
    }
    loop {
        let result = at_bound(allowing, forbidding, options, bound).map_err(|Stop(why)| why)?;
        match Bounds::after(allowing.bounds.given, bound) {
            Some(larger) if result.cut && result.found.is_none() => bound = larger,
            _ => return Ok(result),
        }
    }
}

fn at_bound(allowing: &Task, forbidding: &Task, options: &Options, bound: u32) -> Result<Compared, Stop> {
    let objecting = objecting(forbidding)?;
    let none = BTreeSet::new();
    with_ground(allowing, options, bound, &none, |a| {
        with_ground(&objecting, options, bound, &none, |b| {
            with_ground(forbidding, options, bound, &none, |other| {
                let mut pair = Pair::new(a, b, forbidding)?;
                let found = pair.find(&mut other.search(new_formula())?)?;
                Ok(Compared { cut: pair.is_cut(found.is_none())?, found })
            })
        })
    })
}

fn refused(why: &str) -> Stop {
    Stop(StopReason::Refused(why.to_owned()))
}

/// The task, with a model that raises a flag for each required check that fails, and requires nothing.
fn objecting(task: &Task) -> Result<Task, Stop> {
    let Semantics::Axioms(model, vocabulary) = &task.semantics else {
        return Err(refused("the model is not linked for this program"));
    };
    let mut objecting = Model::clone(model);
    if objecting.steps.iter().any(|step| matches!(step, Step::Pick(_))) {
        return Err(refused(
            "a model that chooses orders forbids an execution only if no choice allows it, which is not looked for",
        ));
    }
    let required = |step: &Step| matches!(step, Step::Check(check) if model.checks[*check].mode == CheckMode::Require);
    objecting.steps.retain(required);
    for check in objecting.checks.iter_mut().filter(|check| check.mode == CheckMode::Require) {
        check.mode = CheckMode::Flag;
        check.test.negated = !check.test.negated;
    }
    Ok(Task { semantics: Semantics::Axioms(Arc::new(objecting), Arc::clone(vocabulary)), ..task.clone() })
}

/// The program as two models see it.
struct Pair<'a> {
    /// Has the formula of both.
    a: Search<'a>,
    b: Search<'a>,
    /// The model that is to forbid, as it is.
    forbidding: &'a Model,
    /// What is looked for.
    wanted: Vec<Lit>,
}

impl<'a> Pair<'a> {
    fn new(a: &'a Ground<'a>, b: &'a Ground<'a>, forbidding: &'a Task) -> Result<Self, Stop> {
        let Semantics::Axioms(model, _) = &forbidding.semantics else {
            return Err(refused("the model is not linked for this program"));
        };
        let mut a = a.search(new_formula())?;
        let formula = a.encoder.lend(new_formula());
        let mut b = b.search(formula)?;
        let objections: Vec<Lit> = b.encoder.notes.values().copied().collect();
        let objects = b.encoder.or(&objections);
        a.encoder.swap_formula(&mut b.encoder);
        a.encoder.tie(&b.encoder)?;
        let wanted = a.counted.iter().chain(&b.counted).copied().chain([objects]).collect();
        Ok(Pair { a, b, forbidding: model, wanted })
    }

    /// An execution, one with a state that the other model does not have if there is one.
    fn find(&mut self, other: &mut Search<'_>) -> Result<Option<OnlyAllowed>, Stop> {
        let thin_air_cycles = self.a.encoder.thin_air_cycles();
        // Values out of thin air are not of the formula: each of these executions is judged by itself.
        let mut first = if thin_air_cycles == Lit::FALSE { None } else { self.next(&[thin_air_cycles])? };
        let bits = self.a.state_bits();
        for _ in 0..MAX_STATES {
            let Some(found) = self.next(&[])? else { break };
            let unlike: Vec<Lit> = bits.iter().map(|bit| bit.negated_if(self.a.encoder.is_true(*bit))).collect();
            if !other.has_state(&found.state)? {
                return Ok(Some(OnlyAllowed { own_state: true, ..found }));
            }
            first.get_or_insert(found);
            self.a.encoder.solver().add_clause(&unlike);
        }
        Ok(first)
    }

    /// Whether there are executions that are longer than the bound. Where the answer is that there is no difference, those in which an
    /// access touches nothing known would have to be looked at too.
    fn is_cut(&mut self, whole: bool) -> Result<bool, Stop> {
        let cut = self.a.is_cut(whole)?;
        self.a.encoder.swap_formula(&mut self.b.encoder);
        let other = self.b.is_cut(whole);
        self.a.encoder.swap_formula(&mut self.b.encoder);
        Ok(other? || cut)
    }

    /// The next execution that only one model allows. One with values out of thin air is not met again.
    fn next(&mut self, properties: &[Lit]) -> Result<Option<OnlyAllowed>, Stop> {
        let assumptions: Vec<Lit> = self.wanted.iter().chain(properties).copied().collect();
        loop {
            if !self.a.solve(&assumptions)? {
                return Ok(None);
            }
            let replayed = self.a.replayed();
            self.a.encoder.swap_formula(&mut self.b.encoder);
            let other = self.b.replayed();
            self.a.encoder.swap_formula(&mut self.b.encoder);
            let lenient = self.a.encoder.lenient || self.b.encoder.lenient;
            match (replayed, other) {
                (Ok(a), Ok(b)) => {
                    let differs = self.a.is_allowed(self.a.ground.model, &a.graph)?
                        && !self.a.is_allowed(self.forbidding, &b.graph)?;
                    if a.thin_air || !differs {
                        self.a.exclude();
                    }
                    if differs {
                        let found =
                            OnlyAllowed { allowed: a.graph, forbidden: b.graph, state: a.state, own_state: false };
                        return Ok(Some(found));
                    }
                    if !a.thin_air && !lenient {
                        return Err(disagree("the models do not differ where the clauses say so"));
                    }
                }
                (Err(Mismatch::Wrong(why)), _) | (_, Err(Mismatch::Wrong(why))) => return Err(disagree(why)),
                (Err(Mismatch::Circular), _) | (_, Err(Mismatch::Circular)) => self.a.exclude(),
            }
        }
    }
}

/// An execution that a solution describes.
struct Replayed {
    graph: Graph,
    state: Vec<FinalValue>,
    thin_air: bool,
}

impl Search<'_> {
    fn is_cut(&mut self, whole: bool) -> Result<bool, Stop> {
        if whole && (self.is_possible(self.encoder.out_of_bounds)? || self.is_possible(self.encoder.unresolved)?) {
            return Err(refused(STRAY));
        }
        self.is_possible(self.encoder.cut)
    }

    fn replayed(&self) -> Result<Replayed, Mismatch> {
        let observed = self.question().map_or(&[][..], |question| &question.observed);
        replay(&self.encoder, self.ground.events, self.ground.shape, |finals, graph| Replayed {
            graph: graph(),
            state: observed.iter().map(|o| finals.values(&o.place)).collect(),
            thin_air: finals.has_thin_air(),
        })
    }

    fn is_allowed(&self, model: &Model, graph: &Graph) -> Result<bool, Stop> {
        let cancel = &self.ground.task.limits.cancel;
        match judge(model, graph, cancel) {
            Ok(judgements) => Ok(judgements.iter().any(|judgement| judgement.accepted)),
            Err(_) => {
                Err(Stop(StopReason::of(cancel).unwrap_or(StopReason::Refused("the model cannot judge it".into()))))
            }
        }
    }

    /// Whether some execution ends in this state.
    fn has_state(&mut self, state: &[FinalValue]) -> Result<bool, Stop> {
        let observed = self.question().map_or(&[][..], |question| &question.observed);
        let mut same = Vec::new();
        for (place, values) in observed.iter().zip(state) {
            let bits = self.encoder.state_words(&place.place, &self.ground.registers).concat();
            let values = values.iter().flat_map(|v| (0..v.width()).map(|i| v.unsigned() >> i & 1 != 0));
            same.extend(bits.into_iter().zip(values).map(|(bit, value)| bit.negated_if(!value)));
        }
        self.next(&same, false)
    }
}

/// For reads and writes of one program, those of the other.
struct Matching {
    reads: BTreeMap<u32, u32>,
    writes: BTreeMap<u32, u32>,
}

impl Matching {
    /// None if the two have not the same reads and writes.
    fn new(a: &Events<'_>, b: &Events<'_>) -> Option<Self> {
        let reads = matched(a, b, |events, e| events.reads(e))?;
        let writes = matched(a, b, |events, e| events.writes(e))?;
        Some(Matching { reads, writes })
    }
}

/// Where an access is made: an initial write by its cell, others by thread, size, and place in the text.
type Access = (Option<ThreadId>, Option<Cell>, u8, Option<(u32, u32)>);

fn matched(a: &Events<'_>, b: &Events<'_>, which: impl Fn(&Events<'_>, usize) -> bool) -> Option<BTreeMap<u32, u32>> {
    let list = |events: &Events<'_>| -> Vec<(Access, u32)> {
        let access = |e: usize| {
            let event = &events.pre.events[e];
            let span = events.skeleton.events[Idx::from_usize(e)].span.map(|span| (span.start, span.end));
            let (thread, cell) = (event.at.map(|at| at.0), event.cell.filter(|_| event.at.is_none()));
            ((thread, cell, event.size, span), e as u32)
        };
        (0..events.len()).filter(|e| which(events, *e)).map(access).collect()
    };
    let (of_a, of_b) = (list(a), list(b));
    let same = of_a.len() == of_b.len() && of_a.iter().zip(&of_b).all(|((x, _), (y, _))| x == y);
    same.then(|| of_a.into_iter().zip(of_b).map(|((_, x), (_, y))| (x, y)).collect())
}

impl Encoder<'_> {
    /// Both have the same executions: reads and writes that correspond happen together, with the same sources, in the same order, after
    /// the same free choices. This one has the formula.
    fn tie(&mut self, other: &Encoder<'_>) -> Result<(), Stop> {
        let apart = || refused("the models see programs with other reads and writes");
        let Matching { reads, writes } = Matching::new(self.events(), other.events()).ok_or_else(apart)?;
        for (x, y) in reads.iter().chain(&writes) {
            let (x, y) = (self.happens[*x as usize], other.happens[*y as usize]);
            self.tie_lits(x, y);
        }
        for (mine, others, targets) in [(self.rf.clone(), &other.rf, &reads), (self.co.clone(), &other.co, &writes)] {
            let theirs: BTreeMap<u32, u32> = writes.iter().map(|(x, y)| (*y, *x)).collect();
            let their_targets: BTreeMap<u32, u32> = targets.iter().map(|(x, y)| (*y, *x)).collect();
            let back = |(x, y): &(u32, u32)| Some((*theirs.get(x)?, *their_targets.get(y)?));
            let pairs: BTreeSet<(u32, u32)> = mine.keys().copied().chain(others.keys().filter_map(back)).collect();
            for (x, y) in pairs {
                let here = mine.get(&(x, y)).copied().unwrap_or(Lit::FALSE);
                let image = writes.get(&x).zip(targets.get(&y)).map(|(x, y)| (*x, *y));
                let there = image.and_then(|pair| others.get(&pair).copied()).unwrap_or(Lit::FALSE);
                self.tie_lits(here, there);
            }
        }
        self.tie_choices(other).ok_or_else(apart)
    }

    fn tie_lits(&mut self, x: Lit, y: Lit) {
        if x != y {
            self.clause([!x, y]);
            self.clause([x, !y]);
        }
    }
}
