//! Each construct of the language, on small graphs.

use crate::graph::Sketch;
use crate::model::{accepted, judged, linked, linked_with, members, pairs};
use std::time::Instant;
use treville_base::Cancel;
use treville_eval::{Stop, judge};
use treville_event::Graph;
use treville_model::{PickSource, Step};

/// Initial writes 0 and 1; thread 0 writes 2 and 3 (one to each location); thread 1 reads 4 and 5 from them.
fn message() -> Graph {
    let mut g = Sketch::new();
    let (x, y) = (g.init(0), g.init(8));
    let (wx, wy) = (g.write(0, 0, 1, &[]), g.write(0, 8, 1, &["L"]));
    let (ry, rx) = (g.read(1, 8, 1, &["A"]), g.read(1, 0, 0, &[]));
    g.rf(wy, ry);
    g.rf(x, rx);
    g.co(&[x, wx]);
    g.co(&[y, wy]);
    g.build()
}

#[test]
fn shadowing_sees_the_binding_before() {
    let model = linked("let a = po\nlet a = a | rf\nlet b = a and a = co\nlet c = a");
    let graph = message();
    assert_eq!(pairs(&model, &graph, "b"), [(0, 5), (2, 3), (3, 4), (4, 5)]);
    assert_eq!(pairs(&model, &graph, "c"), pairs(&linked("let c = co"), &graph, "c"));
}

#[test]
fn functions_are_inlined() {
    let text = r"
let restrict(r, S) = [S]; r; [S]
let twice f = fun x -> f(f x)
let inverse r = r^-1
let (first, second) = (po, rf)
let result = restrict(first | second, M \ IW)
let same = twice inverse second
";
    let (model, graph) = (linked(text), message());
    assert!(model.generals.is_empty());
    assert_eq!(pairs(&model, &graph, "result"), [(2, 3), (3, 4), (4, 5)]);
    assert_eq!(pairs(&model, &graph, "same"), [(0, 5), (3, 4)]);
}

#[test]
fn a_failed_try_gives_the_alternative() {
    let text = r#"
let a = try NoSuchSet with W
let b = try (R; po) with 0
let c = try fail(0) with R
let d = (try {} with R) | W
let e = try (map (fun x -> fail x) W) with {R}
with f from e
empty f & W as never
"#;
    let (model, graph) = (linked(text), message());
    assert_eq!(members(&model, &graph, "a"), [0, 1, 2, 3]);
    assert!(pairs(&model, &graph, "b").is_empty());
    assert_eq!(members(&model, &graph, "c"), [4, 5]);
    assert_eq!(members(&model, &graph, "d"), [0, 1, 2, 3]);
    assert!(accepted(&model, &graph));
}

/// Each definition uses the one before it twice: what is done for a use must not be done for each way to it.
#[test]
fn shared_definitions_are_looked_at_once() {
    for step in ["x; x | rf", "x; x", "x | x^-1", "(x+ | rf) & x"] {
        let definitions: String =
            (0..500).map(|i| format!("let x{} = {}\n", i + 1, step.replace('x', &format!("x{i}")))).collect();
        let model = linked(&format!("let x0 = po | rf\n{definitions}acyclic x500 as last"));
        assert!(treville_eval::Plan::new(&model).is_some(), "{step}");
    }
}

#[test]
fn variants_choose() {
    let text = r#"let a = if "on" && not "off" then W else R
if "on"
let b = W
else
let b = R
end
let c = map (fun e -> if "on" then e else e) R
flag ~empty c as c
flag ~empty (if "on" then _ else 0) as on"#;
    let graph = message();
    let on = linked_with(text, &["on"]);
    assert_eq!(members(&on, &graph, "a"), members(&on, &graph, "b"));
    assert_eq!(members(&on, &graph, "c"), [4, 5]);
    assert_eq!(judged(&on, &graph)[0].flags(&on).count(), 2);
    let off = linked_with(text, &["on", "off"]);
    assert_eq!(members(&off, &graph, "a"), [4, 5]);
}

#[test]
fn procedures_check_with_their_own_names() {
    let text = r"
procedure within(r, s) =
  empty r \ s
end
let r = rf
procedure acyclic-with(s) =
  let both = r | s
  acyclic both as named
end
let r = 0
call within(rf, loc)
call within(loc, rf) as other
call acyclic-with(po)
";
    let (model, graph) = (linked(text), message());
    let names: Vec<_> = model.checks.iter().map(|c| c.name.to_string()).collect();
    assert_eq!(names, ["within#1", "other", "named"]);
    let holds: Vec<_> = judged(&model, &graph)[0].checks.iter().map(|c| c.holds).collect();
    assert_eq!(holds, [true, false, true]);
}

#[test]
fn tags_are_evaluated_away() {
    let text = r"
enum Order = 'a || 'l || 't
let events t = tag2events(t)
let stronger t = match t with || 'a -> 'l || 'l -> 't || _ -> 'a end
let acquires = events('a)
let next = events(stronger 'a)
let few = Order \ {'t}
let rec all S = match S with || {} -> emptyset || t ++ S -> events t | all S end
let chosen = all few
forall t in few do
  flag ~empty events(t) as seen
end
";
    let (model, graph) = (linked(text), message());
    assert!(model.generals.is_empty());
    assert_eq!(members(&model, &graph, "acquires"), [4]);
    assert_eq!(members(&model, &graph, "next"), [3]);
    assert_eq!(members(&model, &graph, "chosen"), [3, 4]);
    assert_eq!(model.checks.len(), 2);
}

#[test]
fn recursion_of_relations_is_a_fixpoint() {
    let text = r"
let rec reach = po | rf | reach; reach
let plain = (po | rf)+
let rec even = [W] | odd; po
and odd = even; po
let rec set = IW | range([set]; rf)
";
    let (model, graph) = (linked(text), message());
    assert_eq!(pairs(&model, &graph, "reach"), pairs(&model, &graph, "plain"));
    assert_eq!(model.defs["reach"], model.defs["plain"], "a closure in other words");
    assert_eq!(pairs(&model, &graph, "odd"), [(2, 3)]);
    assert_eq!(members(&model, &graph, "set"), [0, 1, 5]);
}

#[test]
fn recursion_that_does_not_settle_is_an_error() {
    // What a function returns is known only on an execution.
    let text = "let f s = match s with || {} -> IW || e ++ t -> emptyset end\nlet rec a = f a | a & R\nempty a & R";
    match judge(&linked(text), &message(), &Cancel::new()) {
        Err(Stop::Fault(d)) => assert!(d.message.contains("does not settle"), "{d:?}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_test_of_a_recursive_definition_is_required() {
    let model = linked("let rec r = po | rf | r; r when irreflexive r\nlet done = r");
    assert_eq!(model.checks.len(), 1);
    assert!(accepted(&model, &message()));
}

#[test]
fn sets_of_values() {
    let text = r"
let singles = map (fun e -> {e}) R
let rec count (n, S) = match S with || {} -> n || s ++ S -> count(s | n, S) end
let all = count(emptyset, singles)
let first = match R with || {} -> emptyset || e ++ S -> {e} end
let rest = match R with || {} -> emptyset || e ++ S -> S end
let pairs-of r = map (fun p -> p ++ 0) r
let back = let rec go (acc, S) = match S with || {} -> acc || r ++ S -> go (acc | r^-1, S) end in go (0, pairs-of rf)
let same = if rf subset loc then W else R
let inside = match R with || {} -> W || e ++ S -> (if e in R then R else W) end
flag ~empty all | first | rest | same | inside as sets
flag ~empty back as relations
";
    let (model, graph) = (linked(text), message());
    assert_eq!(members(&model, &graph, "all"), [4, 5]);
    assert_eq!(members(&model, &graph, "first"), [4]);
    assert_eq!(members(&model, &graph, "rest"), [5]);
    assert_eq!(pairs(&model, &graph, "back"), [(4, 3), (5, 0)]);
    assert_eq!(members(&model, &graph, "same"), [0, 1, 2, 3]);
    assert_eq!(members(&model, &graph, "inside"), [4, 5]);
}

#[test]
fn functions_that_are_given() {
    let text = r"
let rec unite (acc, S) = match S with || {} -> acc || C ++ S -> unite (acc | C * C, S) end
let by-location = unite (0, classes-loc (M))
let by-thread = unite (0, classes (po))
let lifted = delift (lift (classes-loc (M), rf))
let changed = different-values(rf | (loc & (W * W)) \ id)
let alike = bisimulation (po, (M * M))
let closed = as_transitive(po | rf)
flag ~empty by-location | by-thread | lifted | changed | alike as all
";
    let (model, graph) = (linked(text), message());
    assert_eq!(pairs(&model, &graph, "by-location").len(), 18);
    assert_eq!(pairs(&model, &graph, "by-thread"), [(2, 2), (2, 3), (3, 2), (3, 3), (4, 4), (4, 5), (5, 4), (5, 5)]);
    assert_eq!(pairs(&model, &graph, "lifted").len(), 18);
    assert_eq!(pairs(&model, &graph, "changed"), [(0, 2), (1, 3), (2, 0), (3, 1)]);
    assert_eq!(pairs(&model, &graph, "alike").len(), 4 * 4 + 2 * 2);
    assert_eq!(pairs(&model, &graph, "closed"), pairs(&linked("let c = (po | rf)+"), &graph, "c"));
}

#[test]
fn picks_fork() {
    let text = r"
with order from linearisations(W, po)
let after = order
empty [W \ IW]; order; [IW] as initial-first
with chosen from {rf, co, 0}
empty chosen & ext & (IW * R) as not-from-initial
";
    let (model, graph) = (linked(text), message());
    assert!(matches!(model.picks.iter().next().map(|p| &p.source), Some(PickSource::Orders(_))));
    assert!(matches!(model.steps[..], [Step::Pick(_), Step::Check(_), Step::Pick(_), Step::Check(_)]));
    let judgements = judged(&model, &graph);
    // 4!/2 orders of four writes with one pair fixed, of which 2 put the initial writes first; each of those forks again.
    assert_eq!(judgements.len(), 10 + 2 * 3);
    assert_eq!(judgements.iter().filter(|j| j.accepted).count(), 2 * 2);
    assert!(judgements.iter().filter(|j| j.accepted).all(|j| j.picks.len() == 2));
}

#[test]
fn a_choice_of_one_is_a_definition() {
    let model = linked("with a from {rf}\nwith b from (po ++ {})\nlet c = a | b\nacyclic c");
    assert!(model.picks.is_empty() && model.generals.is_empty());
    assert!(accepted(&model, &message()));
}

#[test]
fn interpreted_orders_are_the_known_ones() {
    let known = linked("include \"cross.cat\"\nwith co from generate_orders(W & M, co0)\nshow co");
    let text = "let cross = fun S -> S\ninclude \"cross.cat\"\nwith co from cross (map (fun C -> linearisations(C, co0)) (classes-loc W))";
    let interpreted = linked(text);
    assert!(matches!(known.picks.iter().next().map(|p| &p.source), Some(PickSource::Orders(_))));
    assert!(matches!(interpreted.picks.iter().next().map(|p| &p.source), Some(PickSource::AnyOf(..))));
    let orders = |model| judged(model, &message()).into_iter().map(|j| j.picks).collect::<Vec<_>>();
    assert_eq!(orders(&known), orders(&interpreted));
}

#[test]
fn deep_recursion_gets_a_stack_of_its_own() {
    let mut g = Sketch::new();
    for i in 0..60 {
        g.write(i % 3, 8 * u64::from(i), 1, &[]);
    }
    let graph = g.build();
    let model = linked(
        "let back = let rec go (acc, S) = match S with || {} -> acc || p ++ S -> go (p^-1 ++ acc, S) end in go (0, po)\nempty back",
    );
    assert_eq!(pairs(&model, &graph, "back").len(), 3 * (20 * 19) / 2);
}

#[test]
fn endless_recursion_is_an_error() {
    let model = linked(
        "let rec f S = match S with || {} -> emptyset || e ++ rest -> f (e ++ rest) end\nempty (try f W with emptyset) | W",
    );
    assert!(judge(&model, &message(), &Cancel::new()).is_err());
}

#[test]
fn evaluation_can_be_cancelled() {
    let mut g = Sketch::new();
    for i in 0..40 {
        g.write(i, 0, 1, &[]);
    }
    let graph = g.build();
    let model = linked("with order from linearisations(W, 0)\nlet one = linearisations(W, 0)\nwith other from one");
    let soon = Cancel::new().with_deadline(Instant::now() + std::time::Duration::from_millis(20));
    assert_eq!(judge(&model, &graph, &soon), Err(Stop::Cancelled));
}

#[test]
fn modes_of_checks() {
    let text = r"
undefined_unless empty rf & ext as defined
assert empty po as no-order
flag acyclic po as harmless
flag ~empty co as two-writes
~empty po as ordered
";
    let (model, graph) = (linked(text), message());
    let judgement = &judged(&model, &graph)[0];
    assert!(judgement.accepted && judgement.undefined);
    let names = |it: Vec<&treville_model::Check>| it.into_iter().map(|c| c.name.to_string()).collect::<Vec<_>>();
    assert_eq!(names(judgement.flags(&model).map(|(c, _)| c).collect()), ["harmless", "two-writes"]);
    assert_eq!(names(judgement.failed_assertions(&model).map(|(c, _)| c).collect()), ["no-order"]);
}
