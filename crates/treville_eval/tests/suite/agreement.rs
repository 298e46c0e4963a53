//! The staged evaluator against the reference: every bundled model on random graphs.

use crate::graph::Sketch;
use crate::model::linked;
use treville_base::{Cancel, Name, SourceMap};
use treville_cat::{BUNDLED_ONLY, bundled, bundled_files, parse_unit};
use treville_eval::{Plan, Staged, judge, plain};
use treville_event::{BaseRel, Graph, LockShape, RmwShape, Vocabulary};
use treville_model::syntax::Unit;
use treville_model::{Model, link, mentions};

/// A small generator of numbers that is the same everywhere.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.roll(100) < percent
    }
}

/// A bundled model, and the sets that it mentions: tags for events to carry.
fn bundled_model(names: &[&str]) -> (Model, Vec<String>) {
    let mut sources = SourceMap::new();
    let mut parse = |name: &&str| {
        let file = bundled(name).unwrap_or_else(|| panic!("{name} is bundled"));
        parse_unit(name, file.text, &mut sources, &BUNDLED_ONLY).unwrap_or_else(|errors| panic!("{errors:#?}"))
    };
    let units: Vec<Unit> = names.iter().map(&mut parse).collect();
    let units: Vec<&Unit> = units.iter().collect();
    let is_set = |n: &Name| n.starts_with(|c: char| c.is_ascii_uppercase()) && BaseRel::from_name(n).is_none();
    let sets: Vec<Name> = units.iter().flat_map(|u| mentions(u)).filter(is_set).collect();
    let vocabulary = Vocabulary {
        sets: sets.iter().cloned().chain(["M", "R", "W", "F", "IW", "FW"].map(Name::new)).collect(),
        empty: Default::default(),
        rmw: RmwShape::Pair,
        locks: LockShape::ValueRmw,
        registers: true,
        branches: true,
        po_inside: false,
        variants: Default::default(),
    };
    let model = link(&units, &vocabulary).unwrap_or_else(|errors| panic!("{names:?}: {errors:#?}"));
    let kinds = ["M", "R", "W", "F", "IW", "FW", "B", "BCC", "Rreg", "Wreg"];
    (model, sets.iter().filter(|s| !kinds.contains(&s.as_str())).map(ToString::to_string).collect())
}

/// Three threads of up to three events each on two locations.
fn random_graph(dice: &mut Dice, tags: &[String]) -> Graph {
    let mut g = Sketch::new();
    let mut writes = [vec![g.init(0)], vec![g.init(8)]];
    let (mut reads, mut all) = (Vec::new(), Vec::new());
    for thread in 0..3 {
        for _ in 0..=dice.roll(3) {
            let place = dice.roll(2);
            let mut carried: Vec<&str> = Vec::new();
            while !tags.is_empty() && dice.chance(60) && carried.len() < 3 {
                carried.push(&tags[dice.roll(tags.len())]);
            }
            let event = match dice.roll(5) {
                0 | 1 => g.read(thread, 8 * place as u64, 0, &carried),
                2 | 3 => g.write(thread, 8 * place as u64, 1, &carried),
                _ => g.fence(thread, &carried),
            };
            all.push((thread, event));
            match g.kind_of(event) {
                treville_event::Kind::Read => reads.push((place, event)),
                treville_event::Kind::Write => writes[place].push(event),
                _ => {}
            }
        }
    }
    for (place, read) in reads {
        g.rf(writes[place][dice.roll(writes[place].len())], read);
    }
    for order in &mut writes {
        for i in (2..order.len()).rev() {
            order.swap(i, 1 + dice.roll(i));
        }
        g.co(order);
    }
    for rel in [BaseRel::Addr, BaseRel::Data, BaseRel::Ctrl, BaseRel::IicoData, BaseRel::RfReg, BaseRel::SameInstance] {
        for (i, &(t, a)) in all.iter().enumerate() {
            for &(_, b) in all[i + 1..].iter().filter(|&&(u, _)| u == t) {
                if dice.chance(25) {
                    g.rel(rel, &[(a, b)]);
                }
            }
        }
    }
    g.build()
}

/// Compares all checks on `rounds` random graphs; says on how many all required ones held.
fn compare(model: &Model, tags: &[String], rounds: u64) -> usize {
    let plan = Plan::new(model).expect("the staged evaluator takes the model");
    let mut staged = Staged::new(model, &plan);
    let mut accepted = 0;
    for seed in 0..rounds {
        let graph = random_graph(&mut Dice(seed), tags);
        let judgement = &judge(model, &graph, &Cancel::new()).expect("the reference evaluates")[0];
        staged.enter(&graph.skeleton);
        staged.set_rf(&graph.rf);
        staged.set_different_values(&plain::different_values(&graph.skeleton));
        staged.set_finals(&graph.finals);
        staged.set_co(&graph.co);
        for result in &judgement.checks {
            let name = &model.checks[result.check].name;
            assert_eq!(staged.passes(result.check), result.holds, "check {name}, seed {seed}");
        }
        assert_eq!(staged.plausible() && staged.rest_holds(), judgement.accepted, "seed {seed}");
        accepted += usize::from(judgement.accepted);
    }
    accepted
}

#[test]
fn bundled_models_mean_the_same_to_both() {
    let models = bundled_files().iter().filter(|file| file.model().is_some() && file.name != "linux-kernel.cat");
    for name in models.map(|file| file.name) {
        let (model, tags) = bundled_model(&["stdlib", name]);
        let accepted = compare(&model, &tags, 150);
        assert!(accepted > 0 && accepted < 150, "{name} accepts {accepted}");
    }
    let (model, tags) = bundled_model(&["stdlib", "linux-kernel.bell", "linux-kernel"]);
    compare(&model, &tags, 150);
}

#[test]
fn values_are_compared_alike() {
    let model = linked("flag ~empty different-values(rf | co) as different\nacyclic po | rf");
    let accepted = compare(&model, &[], 100);
    assert!(accepted > 0);
}

#[test]
fn recursion_that_shrinks_means_the_same_to_both() {
    let model = linked(
        "let rec a = W \\ range([b]; po) and b = b | R \\ range([a]; po)\nflag ~empty a as a\nflag ~empty b as b\nacyclic po | rf",
    );
    compare(&model, &["A".to_owned(), "L".to_owned()], 300);
    let model = linked("let rec y = y | (W \\ range([x]; po)) and x = W \\ y\nflag ~empty x as x\nflag ~empty y as y");
    compare(&model, &[], 50);
    let model = linked("let rec x = x | (W \\ range([x]; po))\nflag ~empty x as x\nflag ~empty W \\ x as rest");
    compare(&model, &[], 50);
}
