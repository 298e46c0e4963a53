//! Derivations of edges.

use crate::graph::{Sketch, event};
use crate::model::linked;
use treville_base::Cancel;
use treville_eval::{Derivation, Edge, Trace};
use treville_event::Graph;
use treville_model::Model;

/// Four events of one thread, and a write that the second reads.
fn line() -> Graph {
    let mut g = Sketch::new();
    let write = g.write(1, 0, 1, &[]);
    let events: Vec<usize> = (0..4).map(|_| g.read(0, 0, 1, &[])).collect();
    events.iter().for_each(|&r| g.rf(write, r));
    g.co(&[write]);
    g.build()
}

fn why(model: &Model, graph: &Graph, name: &str, from: usize, to: usize) -> Derivation {
    let cancel = Cancel::new();
    let edge = Edge { term: model.defs[name], from: event(from), to: event(to) };
    Trace::new(model, graph, &[], &cancel).why(edge).unwrap_or_else(|stop| panic!("{stop:?}"))
}

/// `name(from,to)` with what is below it in brackets.
fn text(model: &Model, derivation: &Derivation) -> String {
    let Edge { term, from, to } = derivation.edge();
    let info = &model.terms[term];
    let name = match (&info.name, &info.term) {
        (Some(name), _) => name.to_string(),
        (None, treville_model::Term::BaseRel(rel)) => rel.name().to_owned(),
        (None, treville_model::Term::BaseSet(name)) => name.to_string(),
        (None, _) => "_".to_owned(),
    };
    let here = format!("{name}({},{})", from.0, to.0);
    match derivation {
        Derivation::Base(_) => here,
        Derivation::Absent(_) => format!("no {here}"),
        Derivation::Opaque(..) => format!("general {here}"),
        Derivation::Rule(_, parts) => {
            let parts: Vec<_> = parts.iter().map(|p| text(model, p)).collect();
            format!("{here}[{}]", parts.join(" "))
        }
    }
}

#[test]
fn operators_are_explained_by_their_operands() {
    let graph = line();
    let model = linked(
        r"
let next = po \ (po; po)
let chain = next+
let far = chain; next
let mixed = rf^-1 | far | [R]
let reads = domain(next)
",
    );
    let of = |name, a, b| text(&model, &why(&model, &graph, name, a, b));
    assert_eq!(of("next", 1, 2), "next(1,2)[po(1,2) no _(1,2)]");
    assert_eq!(of("next", 1, 3), "no next(1,3)");
    assert_eq!(
        of("far", 1, 4),
        "far(1,4)[chain(1,3)[next(1,2)[po(1,2) no _(1,2)] next(2,3)[po(2,3) no _(2,3)]] next(3,4)[po(3,4) no _(3,4)]]"
    );
    assert_eq!(of("mixed", 2, 0), "mixed(2,0)[_(2,0)[rf(0,2)]]");
    assert_eq!(of("mixed", 2, 2), "mixed(2,2)[_(2,2)[R(2,2)]]");
    assert_eq!(of("reads", 1, 1), "reads(1,1)[next(1,2)[po(1,2) no _(1,2)]]");
}

#[test]
fn recursion_is_explained_by_what_was_known_before() {
    let graph = line();
    let model = linked(
        r"
let next = po \ (po; po)
let rec even = [R] | odd; next
and odd = even; next
",
    );
    let derivation = why(&model, &graph, "even", 1, 3);
    assert_eq!(
        text(&model, &derivation).replace("[po(1,2) no _(1,2)]", "").replace("[po(2,3) no _(2,3)]", ""),
        "even(1,3)[_(1,3)[_(1,3)[odd(1,2)[_(1,2)[even(1,1)[_(1,1)[_(1,1)[R(1,1)]]] next(1,2)]] next(2,3)]]]"
    );
}

#[test]
fn iterated_recursion_is_explained() {
    let mut g = Sketch::new();
    for tag in ["Rcu-lock", "Rcu-lock", "Rcu-unlock", "Rcu-unlock"] {
        g.fence(0, &[tag]);
    }
    let graph = g.build();
    let model = linked(
        r"
let rec open = [Rcu-lock \ domain(matched)]; po; [Rcu-unlock \ range(matched)]
and busy = (Rcu-lock | Rcu-unlock) \ (domain(matched) | range(matched))
and matched = matched | (open \ (po; [busy]; po))
",
    );
    let derivation = why(&model, &graph, "matched", 0, 3);
    assert!(text(&model, &derivation).contains("po(0,3)"), "{}", text(&model, &derivation));
}
