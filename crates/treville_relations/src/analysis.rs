//! The analysis: its options, its result, and the order of its parts.

use crate::active::{self, Active, Needs};
use crate::bottom_up::bottom_up;
use crate::derive::{Context, Knowledge};
use crate::extended::{Tightened, extend};
use crate::obligations::obligations;
use crate::plan::Plan;
use crate::{ByPolarity, Extent, Facts, Obligation};
use std::collections::BTreeMap;
use treville_base::Cancel;
use treville_event::Relation;
use treville_model::{Model, Term, TermId};

/// How much is found out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Level {
    /// Every pair may be in every term that is derived, but for parts of the identity. Base sets and relations are always what
    /// the facts say: that is the program.
    None,
    /// Upper bounds of derived terms.
    May,
    /// Upper and lower bounds.
    Must,
    /// With what follows from the required checks, which then holds of the executions of the model only.
    Extended,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    pub level: Level,
    /// Only pairs that can make a difference to a check are active; otherwise, all unknown pairs of the terms below checks.
    pub active: bool,
    /// Flags, definedness and assertions are looked at, not only required checks.
    pub notes: bool,
}

/// A check with the pairs that it has to look at.
#[derive(Clone, PartialEq, Debug)]
pub struct Relevance {
    pub obligation: Obligation,
    /// Among the pairs that [`Obligation::term`] may have, those that can make the check fail; known ones are included. If the term
    /// is to be acyclic, those that other known pairs stand for are left out.
    pub pairs: Extent,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Analysis {
    /// The bounds of each term. Of terms that no check needs, nothing is known.
    pub knowledge: Knowledge,
    /// The unknown pairs that need a literal, by polarity.
    pub active: Active,
    /// For terms that others are closures of: the pairs of their upper bound that need be looked at as first steps. The others
    /// are made of certain steps through events that happen whenever they do.
    pub steps: BTreeMap<TermId, Relation>,
    /// Pairs that are known, although their term's definition alone does not say so: an engine has to state, for a pair of
    /// `up`, that the definition does not hold, and for one of `down` that it does if both events happen. For base relations
    /// that is what the facts leave open; where they are chosen (`rf`, `co`, picks), it is enough to choose within the bounds.
    pub stated: Active,
    pub relevance: Vec<Relevance>,
    /// Events that cannot both happen; an engine has to state it. A pair of an event with itself never happens.
    pub contradictions: Vec<(usize, usize)>,
    /// Terms that are not understood (general expressions, choices among their values, definitions by iteration that are not
    /// the same in every execution): they may have any pair, and solutions must be judged by evaluating them.
    pub opaque: Vec<TermId>,
    pub sizes: Sizes,
}

/// How many pairs (and members of sets) the terms below checks have, after each part of the analysis.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Sizes {
    /// Terms that are given, and terms that are derived.
    pub base: Counts,
    pub derived: Counts,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    pub terms: usize,
    /// All pairs there are.
    pub all: usize,
    pub may: usize,
    /// May, but need not.
    pub unknown: usize,
    /// Unknown after the checks were used.
    pub extended: usize,
    pub active: usize,
    pub stated: usize,
}

/// What is known of a model's terms on the events of a program; `None` if cancelled.
pub fn analyse(model: &Model, facts: &Facts, options: &Options, cancel: &Cancel) -> Option<Analysis> {
    let obligations = obligations(model, options.notes);
    let plan = Plan::new(model, &obligations);
    let context = Context::new(model, facts, options.level >= Level::Must, cancel);
    let (knowledge, opaque) = bottom_up(&context, &plan, options.level, cancel)?;
    let mut sizes = Sizes::default();
    sizes.each(model, &plan, |t, counts| {
        counts.terms += 1;
        counts.all += Extent::full(model.shape(t), facts.n).len();
        counts.may += knowledge[t].may.len();
        counts.unknown += knowledge[t].unknown().len();
    });
    let Tightened { context, known: knowledge, contradictions, stated } = if options.level == Level::Extended {
        extend(context, &plan, knowledge, &obligations, cancel)?
    } else {
        let stated = model.terms.iter().map(|info| ByPolarity::empty(info.shape, facts.n)).collect();
        Tightened { context, known: knowledge, contradictions: Vec::new(), stated }
    };
    let mut needs = Needs::new(&context, &plan, &knowledge, !options.active);
    needs.need_choices();
    let mut relevance = Vec::with_capacity(obligations.len());
    for obligation in obligations {
        let pairs = match options.active {
            true => active::relevant(&context, &obligation, &knowledge[obligation.term]),
            false => knowledge[obligation.term].may.clone(),
        };
        needs.need(obligation.term, obligation.polarity, &pairs);
        relevance.push(Relevance { obligation, pairs });
    }
    needs.pass_down(&stated);
    if cancel.is_stopped() {
        return None;
    }
    let Needs { active, steps, .. } = needs;
    sizes.each(model, &plan, |t, counts| {
        counts.extended += knowledge[t].unknown().len();
        counts.active += active[t].any().len();
        counts.stated += stated[t].any().len();
    });
    Some(Analysis { knowledge, active, steps, stated, relevance, contradictions, opaque, sizes })
}

impl Sizes {
    fn each(&mut self, model: &Model, plan: &Plan, count: impl Fn(TermId, &mut Counts)) {
        for t in plan.terms() {
            let base = matches!(model.term(t), Term::BaseSet(_) | Term::BaseRel(_) | Term::Empty | Term::Universe);
            count(t, if base { &mut self.base } else { &mut self.derived });
        }
    }
}
