//! The example of the paper: an exchange and a write in one thread, two reads in the other, under x86-TSO.
//!
//! ```text
//! f: Winit x = 0   g: Winit y = 0
//! a: Rx  \ rmw     d: Ry
//! b: Wx=1/         e: Rx
//! c: Wy = 1
//! ```

use crate::models::model_alone;
use treville_base::{Cancel, Name};
use treville_event::{BaseRel, EventSet, Relation};
use treville_model::{Model, TermId};
use treville_relations::{Analysis, Facts, Known, Level, Options, analyse};

const TSO: &str = r"
let rfe = rf & ext
let fr = rf^-1; co
let fre = fr & ext
let coe = co & ext
let com = co | fr | rf
let com-tso = co | fr | rfe
let mfence = po; [MFENCE]; po
let po-tso = (po \ (W * R)) | mfence
let implied = po & (W * R) & ((M * A) | (A * M))
let ghb-tso = po-tso | com-tso | implied
acyclic (po & loc) | com as uniproc
acyclic ghb-tso as tso
empty amo & (fre; coe) as atomicity
";

const N: usize = 7;
const A: usize = 0;
const B: usize = 1;
const C: usize = 2;
const D: usize = 3;
const E: usize = 4;
const F: usize = 5;
const G: usize = 6;

fn facts() -> Facts {
    let mut facts = Facts::new(N);
    let mut set = |name: &str, members: &[usize]| {
        let members = EventSet::from_members(N, members.iter().copied());
        facts.sets.insert(Name::new(name), Known { may: members.clone(), must: members });
    };
    set("R", &[A, D, E]);
    set("W", &[B, C, F, G]);
    set("M", &[A, B, C, D, E, F, G]);
    set("A", &[A, B]);
    let thread = |e: usize| [Some(0), Some(0), Some(0), Some(1), Some(1), None, None][e];
    let x = |e: usize| [A, B, E, F].contains(&e);
    let pairs = || (0..N).flat_map(|a| (0..N).map(move |b| (a, b)));
    let relation = |holds: &dyn Fn(usize, usize) -> bool| {
        let r = Relation::from_pairs(N, pairs().filter(|&(a, b)| holds(a, b)));
        Known { may: r.clone(), must: r }
    };
    facts.rels.insert(BaseRel::Po, relation(&|a, b| a < b && thread(a).is_some() && thread(a) == thread(b)));
    facts.rels.insert(BaseRel::Ext, relation(&|a, b| thread(a) != thread(b)));
    facts.rels.insert(BaseRel::Loc, relation(&|a, b| x(a) == x(b)));
    facts.rels.insert(BaseRel::Amo, relation(&|a, b| (a, b) == (A, B)));
    facts.rels.insert(BaseRel::Co, relation(&|a, b| (a, b) == (F, B) || (a, b) == (G, C)));
    let sources = Relation::from_pairs(N, [(F, A), (B, A), (F, E), (B, E), (G, D), (C, D)]);
    facts.rels.insert(BaseRel::Rf, Known { may: sources, must: Relation::new(N) });
    facts.reads = EventSet::from_members(N, [A, D, E]);
    facts.writes = EventSet::from_members(N, [B, C, F, G]);
    facts
}

fn analysis(model: &Model, level: Level) -> Analysis {
    analyse(model, &facts(), &Options { level, active: true, notes: true }, &Cancel::new()).expect("nobody cancels")
}

fn term(model: &Model, name: &str) -> TermId {
    match BaseRel::from_name(name) {
        Some(rel) => model.terms.iter_enumerated().find(|(_, i)| i.term == treville_model::Term::BaseRel(rel)),
        None => model.terms.iter_enumerated().find(|(_, i)| i.name.as_ref().is_some_and(|n| n == name)),
    }
    .map(|(t, _)| t)
    .unwrap_or_else(|| panic!("there is no {name}"))
}

/// The pairs that the check of `ghb-tso` looks at.
fn looked_at(model: &Model, analysis: &Analysis) -> Relation {
    let of_tso = |r: &&treville_relations::Relevance| model.checks[r.obligation.check].name == "tso";
    analysis.relevance.iter().find(of_tso).expect("the check").pairs.rel().clone()
}

/// The figure: fourteen edges that may be in `ghb-tso` (counted with their labels: `po-tso` and `fr` both lead from a to b), of
/// which six can be in a cycle.
#[test]
fn the_edges_of_the_figure() {
    let model = model_alone(TSO).model;
    let may = analysis(&model, Level::May);
    let count = |name: &str| may.knowledge[term(&model, name)].may.len();
    assert_eq!(["po-tso", "rfe", "co", "fr"].map(count), [4, 5, 2, 3]);
    assert_eq!(["implied", "mfence"].map(count), [0, 0]);
    let on_cycles = [(B, C), (B, E), (C, D), (D, C), (D, E), (E, B)];
    assert_eq!(looked_at(&model, &may), Relation::from_pairs(N, on_cycles));
    assert_eq!(may.active[term(&model, "ghb-tso")].up.len(), 6);
    let active = |name: &str| may.active[term(&model, name)].up.rel().clone();
    assert_eq!(active("po-tso"), Relation::from_pairs(N, [(B, C), (D, E)]));
    assert_eq!(active("rfe"), Relation::from_pairs(N, [(B, E), (C, D)]));
    assert_eq!(active("fr"), Relation::from_pairs(N, [(A, B), (D, C), (E, B)]));
}

/// With lower bounds, four of the six are left: program order needs no literal. With the checks, the read of the exchange can
/// only see the initial write, which the first check says (it cannot see its own write), so that nothing about it is unknown.
#[test]
fn more_is_known_than_the_figure_shows() {
    let model = model_alone(TSO).model;
    let open = [(B, E), (C, D), (D, C), (E, B)];
    for level in [Level::Must, Level::Extended] {
        let analysis = analysis(&model, level);
        assert_eq!(looked_at(&model, &analysis).len(), 6);
        assert_eq!(*analysis.active[term(&model, "ghb-tso")].any().rel(), Relation::from_pairs(N, open));
    }
    let [must, extended] = [Level::Must, Level::Extended].map(|l| analysis(&model, l));
    let sources = |a: &Analysis| a.active[term(&model, "rf")].any().rel().clone();
    assert_eq!(sources(&must).len(), 6);
    assert_eq!(sources(&extended), Relation::from_pairs(N, [(B, E), (C, D), (F, E), (G, D)]));
    assert!(extended.knowledge[term(&model, "fr")].must.contains(A, B));
    // No other term says that the read does not see its own write: an encoder has to.
    let stated = &extended.stated[term(&model, "rf")];
    assert_eq!((stated.up.rel().clone(), stated.down.rel().clone()), {
        (Relation::from_pairs(N, [(B, A)]), Relation::from_pairs(N, [(F, A)]))
    });
}

/// The paper: 221 edges of all relations, 58 with its analysis. Which relations it counts is not said; here are ours, base
/// relations and sets included.
#[test]
fn all_terms_together() {
    let model = model_alone(TSO).model;
    let figures = [Level::None, Level::May, Level::Must, Level::Extended].map(|level| {
        let sizes = analysis(&model, level).sizes;
        (sizes.base.may + sizes.derived.may, sizes.base.active + sizes.derived.active)
    });
    assert_eq!(figures, [(1262, 1119), (240, 50), (240, 36), (240, 32)]);
}
