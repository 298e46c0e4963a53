//! Bounds hold of every execution; those that come from checks, of every consistent one.

use crate::dice::Dice;
use crate::executions::{Execution, random_execution};
use crate::models::{Tagged, bundled_model, bundled_models, model};
use crate::programs::random_program;
use treville_base::Cancel;
use treville_eval::{Plan, Staged, plain};
use treville_event::{EventSet, Relation};
use treville_model::{Model, Shape, TermId};
use treville_relations::{Analysis, Extent, Level, Options, analyse};

const LEVELS: [Level; 4] = [Level::None, Level::May, Level::Must, Level::Extended];

pub(crate) fn options(level: Level) -> Options {
    Options { level, active: true, notes: true }
}

pub(crate) fn enter(staged: &mut Staged<'_>, execution: &Execution) -> bool {
    let graph = &execution.graph;
    staged.enter(&graph.skeleton);
    staged.set_rf(&graph.rf);
    staged.set_different_values(&plain::different_values(&graph.skeleton));
    staged.set_finals(&graph.finals);
    staged.set_co(&graph.co);
    staged.plausible() && staged.rest_holds()
}

/// The values of all terms in the execution that was entered, on the program's events.
pub(crate) fn values(model: &Model, staged: &mut Staged<'_>, execution: &Execution, n: usize) -> Vec<Extent> {
    let event = |i: usize| execution.events[i];
    let value = |t: TermId| match model.shape(t) {
        Shape::Set => {
            let members = staged.set(t).expect("a set").iter().map(event);
            Extent::Set(EventSet::from_members(n, members))
        }
        Shape::Rel => {
            let pairs = staged.relation(t).expect("a relation").iter().map(|(a, b)| (event(a), event(b)));
            Extent::Rel(Relation::from_pairs(n, pairs))
        }
    };
    model.terms.ids().map(value).collect()
}

fn bounds_hold(model: &Model, analysis: &Analysis, values: &[Extent], events: &EventSet, what: &str) {
    for (t, value) in model.terms.ids().zip(values) {
        let known = &analysis.knowledge[t];
        let told = || format!("{what}: {t:?} {:?} {:?}", model.terms[t].name, model.term(t));
        let unexpected = value.difference(&known.may);
        assert!(unexpected.is_empty(), "not in may: {} {unexpected:?}", told());
        let mut missing = known.must.difference(value);
        match &mut missing {
            Extent::Set(s) => s.intersect_assign(events),
            Extent::Rel(r) => r.intersect_assign(&Relation::product(events, events)),
        }
        assert!(missing.is_empty(), "in must: {} {missing:?}", told());
    }
}

/// Compares bounds with values on random executions; how many of these were consistent.
fn check(tagged: &Tagged, name: &str, programs: u64, length: usize) -> usize {
    let model = &tagged.model;
    let plan = Plan::new(model).expect("the staged evaluator takes the model");
    let mut staged = Staged::new(model, &plan);
    let mut consistent = 0;
    for seed in 0..programs {
        let mut dice = Dice::new(seed);
        let program = random_program(&mut dice, &tagged.tags, length);
        let facts = program.facts();
        let analyses = LEVELS.map(|l| analyse(model, &facts, &options(l), &Cancel::new()).expect("nobody cancels"));
        for run in 0..12 {
            let execution = random_execution(&mut dice, &program);
            let accepted = enter(&mut staged, &execution);
            consistent += usize::from(accepted);
            let values = values(model, &mut staged, &execution, facts.n);
            let events = EventSet::from_members(facts.n, execution.events.iter().copied());
            for (level, analysis) in LEVELS.iter().zip(&analyses) {
                if accepted || *level != Level::Extended {
                    bounds_hold(model, analysis, &values, &events, &format!("{name} {level:?} {seed}.{run}"));
                }
            }
        }
    }
    consistent
}

#[test]
fn bounds_of_bundled_models() {
    for name in bundled_models() {
        let consistent = check(&bundled_model(name), name, 20, 4);
        assert!(consistent > 10, "{name}: {consistent} consistent executions");
    }
}

/// More events than bits in a word.
#[test]
fn bounds_of_larger_programs() {
    for name in ["tso", "power", "rc11"] {
        let tagged = bundled_model(name);
        assert!(random_program(&mut Dice::new(0), &tagged.tags, 90).n() > 64);
        check(&tagged, name, 1, 90);
    }
}

/// Operators that bundled models use little.
pub(crate) const OPERATORS: &str = r"
let rec a = po; [R] | rf; b and b = a^-1 | co | (b; b & ext)
let s = domain(rf; po) | range(~(co | id))
acyclic (a & po?) | (rf & ext) | co
irreflexive (fr | rf)+; [s]; po*
empty ([s]; loc; [W \ s]) & po \ (domain(amo) * _) & ~rf
~empty (rf & ext) | [R] | co as wanted
flag ~empty (a | b)+ as recursive
flag empty ~(s * s) as square
undefined_unless acyclic (po | ~rf) & ext as odd
";

#[test]
fn bounds_of_operators() {
    let consistent = check(&model(OPERATORS), "operators", 60, 4);
    assert!(consistent > 10, "{consistent} consistent executions");
}

/// Definitions that are not monotone; the first is about the program alone, as read-side sections of RCU are.
pub(crate) const ITERATED: &str = r"
let rec a = a | (W \ b) and b = b | (R \ range([a]; po)) | range([b]; po)
let rec c = c | (rf \ (c; po))
acyclic po | rf | co
flag ~empty a as a
flag ~empty b as b
flag ~empty c as c
";

#[test]
fn bounds_of_iterated_definitions() {
    let consistent = check(&model(ITERATED), "iterated", 120, 3);
    assert!(consistent > 10, "{consistent} consistent executions");
}
