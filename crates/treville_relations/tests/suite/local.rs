//! Pruning by coherence takes out nothing that a consistent execution has, and what every coherent model excludes.

use crate::dice::Dice;
use crate::executions::random_execution;
use crate::models::{bundled_model, bundled_models, model};
use crate::programs::{Happening, Program, random_program};
use crate::soundness::enter;
use std::collections::BTreeMap;
use treville_base::Cancel;
use treville_eval::{Plan, Staged};
use treville_event::{BaseRel, Kind, Relation};
use treville_relations::{Facts, local};

fn rel(facts: &Facts, rel: BaseRel) -> (Relation, Relation) {
    (facts.rels[&rel].may.clone(), facts.rels[&rel].must.clone())
}

#[test]
fn consistent_executions_are_kept() {
    for name in bundled_models() {
        let tagged = bundled_model(name);
        let model = &tagged.model;
        let plan = Plan::new(model).expect("the staged evaluator takes the model");
        let mut staged = Staged::new(model, &plan);
        let (mut pruned, mut consistent) = (0, 0);
        for seed in 0..40 {
            let mut dice = Dice::new(seed);
            let program = random_program(&mut dice, &tagged.tags, 4);
            let before = program.facts();
            let after = local(model, &before, &Cancel::new()).expect("nobody cancels");
            pruned += rel(&before, BaseRel::Rf).0.len() - rel(&after, BaseRel::Rf).0.len();
            for run in 0..12 {
                let execution = random_execution(&mut dice, &program);
                if !enter(&mut staged, &execution) {
                    continue;
                }
                consistent += 1;
                for (which, value) in [(BaseRel::Rf, &execution.graph.rf), (BaseRel::Co, &execution.graph.co)] {
                    let (may, must) = rel(&after, which);
                    let all = execution.events.iter().enumerate();
                    for (a, &x) in all {
                        for (b, &y) in execution.events.iter().enumerate() {
                            let holds = value.contains(a, b);
                            assert!(!holds || may.contains(x, y), "{name} {seed}.{run}: {which:?} ({x}, {y}) is gone");
                            assert!(holds || !must.contains(x, y), "{name} {seed}.{run}: {which:?} ({x}, {y}) is not");
                        }
                    }
                }
            }
        }
        assert!(pruned > 0 && consistent > 10, "{name}: {pruned} sources, {consistent} executions");
    }
}

/// One thread that writes, reads and writes one place: two initial writes come first.
fn three_in_a_row() -> Facts {
    let event = |kind: Kind| Happening { thread: Some(0), kind, places: vec![0], tags: Vec::new(), when: Vec::new() };
    let init = |place: u64| Happening { thread: None, places: vec![place], ..event(Kind::Init) };
    let events = vec![init(0), init(8), event(Kind::Write), event(Kind::Read), event(Kind::Write)];
    Program { events, n_decisions: 0, inside: BTreeMap::new() }.facts()
}

/// Except for c11, which says what a plain read sees by an emptiness check: that is not looked at.
#[test]
fn a_thread_alone_has_one_execution() {
    for name in bundled_models().filter(|n| *n != "c11") {
        let after = local(&bundled_model(name).model, &three_in_a_row(), &Cancel::new()).expect("nobody cancels");
        assert_eq!(rel(&after, BaseRel::Rf).0, Relation::from_pairs(5, [(2, 3)]), "{name}");
        let co = Relation::from_pairs(5, [(0, 2), (0, 4), (2, 4)]);
        assert_eq!(rel(&after, BaseRel::Co), (co.clone(), co), "{name}");
    }
}

/// A model that lets a thread overlook its own writes is taken at its word.
#[test]
fn nothing_is_taken_for_granted() {
    let before = three_in_a_row();
    for text in [
        "acyclic (po & ext) | rf | co | fr",
        "acyclic (po & loc) | (rf & ext) | (co & ext) | (fr & ext)",
        "flag ~empty (po & loc); co as odd\nacyclic rf",
        "irreflexive (po & loc); (rf & ext)",
    ] {
        assert_eq!(local(&model(text).model, &before, &Cancel::new()), Some(before.clone()), "{text}");
    }
    let after = local(&model("irreflexive (po & loc); rf").model, &before, &Cancel::new()).expect("nobody cancels");
    assert_eq!(rel(&after, BaseRel::Rf).0, Relation::from_pairs(5, [(0, 3), (2, 3)]));
    assert_eq!(rel(&after, BaseRel::Co), rel(&before, BaseRel::Co));
}
