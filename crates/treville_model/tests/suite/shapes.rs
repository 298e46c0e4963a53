//! What models become.

use crate::{errors, linked, parsed, vocabulary};
use treville_base::Name;
use treville_model::{Model, PickSource, RecOrder, Stage, TermId, link};

fn def(model: &Model, name: &str) -> TermId {
    model.defs[name]
}

#[test]
fn equal_terms_are_one() {
    let model = linked(
        "let a = po | rf\nlet b = (po | rf)?\nlet c = ((po | rf)+)?\nlet d = ((rf | rf) & _)^-1^-1\nlet e = (po | rf)*\nlet f = [R]; [W]\nlet g = [R & W]\nacyclic a",
    );
    assert_eq!(def(&model, "c"), def(&model, "e"));
    assert_eq!(def(&model, "f"), def(&model, "g"));
    assert_eq!(model.terms[def(&model, "d")].stage, Stage::Rf);
    assert_eq!(model.terms[def(&model, "a")].name.as_deref(), Some("a"));
}

#[test]
fn stages_and_monotonicity() {
    let text = "let a = po; [R]\nlet b = rf & ext\nlet c = rf^-1; co\nlet coi = co & int\nlet d = co \\ coi\nlet e = po \\ rf\nlet f = ~po\nlet g = [FW]; co\nlet rec r = a | (r; b)\nlet rec s = po | (s; (po \\ rf)) | (s & c)\nacyclic d\nacyclic e\n~acyclic b";
    let model = linked(text);
    let class = |name| (model.terms[def(&model, name)].stage, model.terms[def(&model, name)].monotone);
    assert_eq!(class("a"), (Stage::Skeleton, true));
    assert_eq!(class("b"), (Stage::Rf, true));
    assert_eq!(class("c"), (Stage::Co, true));
    assert_eq!(class("d"), (Stage::Co, true), "what is not internal is external");
    assert_eq!(class("e"), (Stage::Rf, false));
    assert_eq!(class("f"), (Stage::Skeleton, true));
    assert_eq!(class("g"), (Stage::Co, false));
    assert_eq!(class("r"), (Stage::Rf, true));
    assert_eq!(class("s"), (Stage::Co, false));
    assert_eq!(model.checks.iter().map(|c| c.monotone).collect::<Vec<_>>(), [true, false, false]);
}

#[test]
fn recursion_through_difference_is_iterated() {
    let order = |text| linked(text).recs.iter().map(|r| r.order).collect::<Vec<_>>();
    assert_eq!(order("let rec a = po | (a; b) and b = rf | (a & b)\nacyclic a"), [RecOrder::Least]);
    assert_eq!(order("let rec a = po \\ b and b = b | (rf; a)\nacyclic a"), [RecOrder::Iterated]);
    assert_eq!(order("let rec a = po | a | (~a & rf)\nacyclic a"), [RecOrder::Iterated]);
    assert_eq!(order("let rec a = po | ~(~a | rf)\nacyclic a"), [RecOrder::Iterated]);
}

#[test]
fn recursion_that_need_not_have_a_solution_is_refused() {
    for text in [
        "let rec r = po \\ r\nempty r",
        "let rec r = po \\ (r; r)\nacyclic r",
        "let rec a = ~a\nacyclic a",
        "let rec a = po \\ b and b = rf; a\nacyclic a",
        "let rec a = po | (~a & rf)\nacyclic a",
        "let rec a = po \\ b and b = po \\ a\nacyclic a",
        "acyclic (let rec a = po \\ a in a)",
    ] {
        let found = errors(text);
        assert!(found.iter().any(|e| e.contains("not monotone")), "{text}: {found:?}");
    }
}

#[test]
fn checks_that_are_decided_by_their_form() {
    use treville_model::Foregone::{Accepts, Rejects};
    let outcomes = |text: &str| linked(text).foregone().into_iter().map(|(_, o)| o).collect::<Vec<_>>();
    for text in ["irreflexive po*", "acyclic po | id", "empty rf?", "~irreflexive po", "~acyclic [R]; po; [W]"] {
        assert_eq!(outcomes(text), [Rejects], "{text}");
    }
    for text in ["acyclic po", "irreflexive [R]; (po | data)+; [W]", "acyclic co", "~empty po*"] {
        assert_eq!(outcomes(text), [Accepts], "{text}");
    }
    for text in ["acyclic po | rf", "irreflexive co; po", "empty rf", "irreflexive rf*; co", "~empty [R]"] {
        assert_eq!(outcomes(text), [], "{text}");
    }
}

#[test]
fn coherence_is_the_engines_choice_where_it_can_be() {
    let co0 = "let co0 = loc & ((IW * (W \\ IW)) | ((W \\ FW) * FW))\ninclude \"cross.cat\"\n";
    let model = linked(&format!("{co0}with co from generate_cos(co0)\nacyclic co"));
    assert!(model.free_co && model.picks.is_empty() && model.generals.is_empty());
    let model = linked(&format!(
        "{co0}let obs = rf; (po & loc & (R * W))\nwith co from generate_cos(co0 | obs)\nacyclic po | co"
    ));
    assert!(model.free_co && model.picks.is_empty());
    assert_eq!(model.checks.len(), 2, "what the order must extend is a check: {model}");
    assert!(model.checks.iter().all(|c| c.monotone));
    for other in ["generate_orders(W & X, co0)", "generate_cos(co0 | po)", "generate_cos(loc & (W * FW))"] {
        let model = linked(&format!("{co0}with co from {other}\nacyclic co"));
        assert!(!model.free_co, "{other}");
        assert!(matches!(model.picks.iter().next().map(|p| &p.source), Some(PickSource::Orders(_))), "{other}");
    }
}

#[test]
fn sets_known_to_be_empty_disappear() {
    let mut small = vocabulary("M R W F IW FW X");
    small.empty.insert(Name::new("X"));
    let unit =
        parsed("let atomic = [R & X]; po; [W & X]\nempty atomic & rf as atomicity\nacyclic po | atomic as order");
    let model = link(&[&unit], &small).expect("it links");
    assert_eq!(model.vacuous.iter().map(|(n, _)| n.as_str()).collect::<Vec<_>>(), ["atomicity"]);
    assert_eq!(model.to_string(), "acyclic po as order (* monotone *)\n");
}

#[test]
fn fingerprints_ignore_names_and_places() {
    let print = |text| linked(text).fingerprint;
    let model = print("let hb = po | rf\nacyclic hb as one");
    assert_eq!(model, print("\"A title\"\nlet unused = co\n\nlet a = po\nlet order = a | rf\nacyclic order"));
    assert_ne!(model, print("acyclic po | co"));
    assert_ne!(model, print("irreflexive po | rf"));
    assert_ne!(
        print("let rec a = po | (a; b) and b = rf; a\nacyclic a"),
        print("let rec a = po | (a; b) and b = rf; b\nacyclic a")
    );
}

#[test]
fn a_model_prints() {
    let text = "\"TSO\"\nlet po-loc = po & loc\nlet fr = rf^-1; co\nlet com = rf | co | fr\nlet rec ob = com | (po-loc; ob; [W]) when irreflexive ob\nacyclic po-loc | com as coherence\nflag ~empty (po \\ loc) & (W * R) as reorders";
    assert_eq!(
        linked(text).to_string(),
        "\"TSO\"
let rec ob = com | (po-loc ; ob ; [W])
let po-loc = po & loc (* Skeleton *)
let fr = rf^-1 ; co (* Co *)
let com = rf | co | fr (* Co *)
irreflexive ob as irreflexive#1 (* monotone *)
acyclic po-loc | com as coherence (* monotone *)
flag ~empty (po \\ loc) & (W * R) as reorders
"
    );
}

#[test]
fn shows_are_those_at_the_end() {
    let model = linked("let a = po\nshow a, rf, nothing\nlet a = rf\nshow a\nunshow rf\nshow a | po as both");
    let names: Vec<_> = model.shows.iter().map(|(n, _)| n.as_str()).collect();
    assert_eq!(names, ["a", "both"]);
    assert_eq!(model.shows[0].1, model.defs["a"]);
}
