//! What is chosen: sources, relations that a model picks; and terms that only the evaluator understands.

use crate::dice::Dice;
use crate::executions::random_execution;
use crate::models::model;
use crate::programs::{Happening, Program, random_program};
use crate::soundness::options;
use std::collections::BTreeMap;
use treville_base::Cancel;
use treville_eval::{Extent, judge};
use treville_event::{BaseRel, EventSet, Kind, Relation};
use treville_model::Term;
use treville_relations::{Level, analyse};

const PICKS: &str = r"
with total from linearisations(W, po)
acyclic total | rf | (po & loc) as order
flag ~empty total & co^-1 as against
";

#[test]
fn bounds_of_picked_orders() {
    let tagged = model(PICKS);
    let (term, _) =
        tagged.model.terms.iter_enumerated().find(|(_, info)| matches!(info.term, Term::Pick(_))).expect("a pick");
    let mut seen = [0, 0];
    for seed in 0..60 {
        let mut dice = Dice::new(seed);
        let program = random_program(&mut dice, &[], 2);
        let n = program.n();
        let [must, extended] = [Level::Must, Level::Extended]
            .map(|l| analyse(&tagged.model, &program.facts(), &options(l), &Cancel::new()).expect("nobody cancels"));
        for _ in 0..6 {
            let execution = random_execution(&mut dice, &program);
            let happening = EventSet::from_members(n, execution.events.iter().copied());
            let happening = Relation::product(&happening, &happening);
            for judgement in judge(&tagged.model, &execution.graph, &Cancel::new()).expect("the reference evaluates") {
                let Extent::Rel(picked) = &*judgement.picks[0] else { panic!("a relation is picked") };
                let picked = picked.iter().map(|(a, b)| (execution.events[a], execution.events[b]));
                let picked = Relation::from_pairs(n, picked);
                seen[usize::from(judgement.accepted)] += 1;
                for analysis in [&must].into_iter().chain(judgement.accepted.then_some(&extended)) {
                    let known = &analysis.knowledge[term];
                    assert!(picked.is_subset(known.may.rel()), "{seed}: {picked:?} {:?}", known.may);
                    let lower = known.must.rel().intersection(&happening);
                    assert!(lower.is_subset(&picked), "{seed}: {picked:?} {lower:?}");
                }
            }
        }
    }
    assert!(seen.iter().all(|n| *n > 50), "{seen:?}");
}

/// A read that must see a write if that happens sees nothing else only if it certainly happens.
#[test]
fn a_certain_source_excludes_others_if_it_happens() {
    let event = |kind, when: &[(usize, bool)]| Happening {
        thread: Some(0),
        kind,
        places: vec![0],
        tags: Vec::new(),
        when: when.to_vec(),
    };
    let tagged = model("acyclic rf | co");
    let rf = |when: &[(usize, bool)]| {
        let init = Happening { thread: None, ..event(Kind::Init, &[]) };
        let events = vec![init, event(Kind::Write, when), event(Kind::Read, &[])];
        let mut facts = Program { events, n_decisions: 1, inside: BTreeMap::new() }.facts();
        facts.rels.get_mut(&BaseRel::Rf).expect("sources").must.insert(1, 2);
        let analysis = analyse(&tagged.model, &facts, &options(Level::Extended), &Cancel::new());
        let is_rf = |t: &Term| *t == Term::BaseRel(BaseRel::Rf);
        let (term, _) = tagged.model.terms.iter_enumerated().find(|(_, i)| is_rf(&i.term)).expect("rf");
        analysis.expect("nobody cancels").knowledge[term].may.rel().clone()
    };
    assert_eq!(rf(&[]), Relation::from_pairs(3, [(1, 2)]));
    assert_eq!(rf(&[(0, true)]), Relation::from_pairs(3, [(0, 2), (1, 2)]));
}

/// Two writes in one thread: program order decides where the order has to extend it.
#[test]
fn what_a_picked_order_extends_is_known() {
    let tagged = model(PICKS);
    let program = random_program(&mut Dice::new(1), &[], 8);
    let facts = program.facts();
    let analysis = analyse(&tagged.model, &facts, &options(Level::Must), &Cancel::new()).expect("nobody cancels");
    let (term, _) =
        tagged.model.terms.iter_enumerated().find(|(_, i)| matches!(i.term, Term::Pick(_))).expect("a pick");
    let known = &analysis.knowledge[term];
    let mut ordered = 0;
    for (a, b) in program.order() {
        if facts.writes.contains(a) && facts.writes.contains(b) && !facts.exclusive.contains(a, b) {
            assert!(known.must.contains(a, b) && !known.may.contains(b, a));
            ordered += 1;
        }
    }
    assert!(ordered > 0);
}

#[test]
fn what_only_the_evaluator_understands_is_listed() {
    let tagged = model(
        r"
let f = map (fun e -> e) (W | R)
let rec odd = odd | (W \ range([odd]; rf; po))
acyclic ([f]; po) | rf as order
flag ~empty odd as odd
",
    );
    let program = random_program(&mut Dice::new(3), &[], 3);
    let analysis =
        analyse(&tagged.model, &program.facts(), &options(Level::Extended), &Cancel::new()).expect("nobody cancels");
    let is = |wanted: fn(&Term) -> bool| analysis.opaque.iter().any(|t| wanted(tagged.model.term(*t)));
    assert!(is(|t| matches!(t, Term::General(_))), "{:?}", analysis.opaque);
    assert!(is(|t| matches!(t, Term::Rec(..))), "{:?}", analysis.opaque);
}
