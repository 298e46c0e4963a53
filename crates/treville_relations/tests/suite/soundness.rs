//! Bounds hold of every execution; those that come from checks, of every consistent one.

use crate::dice::Dice;
use crate::executions::{Execution, random_execution};
use crate::models::{BUNDLED, Tagged, bundled_model, model};
use crate::programs::random_program;
use treville_base::Cancel;
use treville_eval::{Plan, Staged, plain};
use treville_model::{Model, Shape, TermId};
use treville_relations::{Analysis, Level, Options, analyse};

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

fn bounds_hold(model: &Model, analysis: &Analysis, staged: &mut Staged<'_>, execution: &Execution, what: &str) {
    for t in model.terms.ids() {
        let known = &analysis.knowledge[t];
        let n = execution.events.len();
        let pairs = (0..n).flat_map(|a| (0..n).map(move |b| (a, b)));
        for (a, b) in pairs.filter(|(a, b)| model.shape(t) == Shape::Rel || a == b) {
            let holds = value(model, staged, t, a, b);
            let (x, y) = (execution.events[a], execution.events[b]);
            let told = || format!("{what}: {t:?} {:?} {:?}, ({x}, {y})", model.terms[t].name, model.term(t));
            assert!(!holds || known.may.contains(x, y), "not in may: {}", told());
            assert!(holds || !known.must.contains(x, y), "in must: {}", told());
        }
    }
}

pub(crate) fn value(model: &Model, staged: &mut Staged<'_>, t: TermId, a: usize, b: usize) -> bool {
    match model.shape(t) {
        Shape::Set => staged.set(t).expect("a set").contains(a),
        Shape::Rel => staged.relation(t).expect("a relation").contains(a, b),
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
            for (level, analysis) in LEVELS.iter().zip(&analyses) {
                if accepted || *level != Level::Extended {
                    bounds_hold(model, analysis, &mut staged, &execution, &format!("{name} {level:?} {seed}.{run}"));
                }
            }
        }
    }
    consistent
}

#[test]
fn bounds_of_bundled_models() {
    for name in BUNDLED {
        let consistent = check(&bundled_model(name), name, 25, 4);
        assert!(consistent > 10, "{name}: {consistent} consistent executions");
    }
}

/// Operators that bundled models use little.
#[test]
fn bounds_of_operators() {
    let text = r"
let rec a = po; [R] | rf; b and b = a^-1 | co | (b; b & ext)
let s = domain(rf; po) | range(~(co | id))
acyclic (a & po?) | (rf & ext) | co
irreflexive (fr | rf)+; [s]; po*
empty ([s]; loc; [W \ s]) & po \ (A * _) & ~rf
flag ~empty (a | b)+ as recursive
flag empty ~(s * s) as square
undefined_unless acyclic (po | ~rf) & ext as odd
let A = domain(amo)
";
    let tagged = model(&text.replace("let A = domain(amo)\n", "").replace("A * _", "domain(amo) * _"));
    let consistent = check(&tagged, "operators", 60, 4);
    assert!(consistent > 10, "{consistent} consistent executions");
}
