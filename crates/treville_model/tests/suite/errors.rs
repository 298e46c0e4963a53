//! Messages about models that do not link.

use crate::{errors, linked};

#[test]
fn sets_and_relations_do_not_mix() {
    assert_eq!(
        errors("acyclic R;po"),
        [
            "R: a relation is needed here, this is a set of events ([S] is the identity on the set S, S * T relates all of S to all of T)"
        ]
    );
    assert_eq!(
        errors("acyclic po | R\nempty [rf]"),
        [
            "R: a relation is needed here, this is a set of events ([S] is the identity on the set S, S * T relates all of S to all of T)",
            "rf: a set of events is needed here, this is a relation (domain(r) and range(r) are sets)",
        ]
    );
    assert_eq!(
        errors("acyclic W"),
        [
            "W: a relation is needed here, this is a set of events ([S] is the identity on the set S, S * T relates all of S to all of T)"
        ]
    );
}

#[test]
fn unbound_names_are_all_reported_with_suggestions() {
    assert_eq!(
        errors("let poo = po\nacyclic pooo | rff | nonsense"),
        [
            "pooo: unbound name 'pooo' (did you mean 'poo'?)",
            "rff: unbound name 'rff' (did you mean 'rf'?)",
            "nonsense: unbound name 'nonsense'",
        ]
    );
    assert_eq!(errors("acyclic later\nlet later = po"), ["later: unbound name 'later'"]);
}

#[test]
fn a_faulty_definition_is_reported_where_it_is_wrong_if_it_is_used() {
    assert_eq!(errors("let a = R;po\nlet b = a | rf\nacyclic b\nacyclic b").len(), 1);
    let model = linked("let unused = R;po\nacyclic po");
    assert_eq!(model.warnings.len(), 1);
    assert!(linked("let maybe = try missing with 0\nacyclic maybe | po").warnings.is_empty());
}

#[test]
fn what_follows_nothing_in_a_sequence_does_not_matter() {
    let model = linked("let none = domain(0)\nacyclic po | [none]; missing; po");
    assert_eq!(model.checks.len(), 1);
    assert_eq!(model.warnings.len(), 1, "it is still said");
    assert_eq!(errors("let none = domain(0)\nacyclic missing; [none]"), ["missing: unbound name 'missing'"]);
    assert_eq!(errors("acyclic po; missing; none").len(), 2);
}

#[test]
fn unused_definitions_are_known() {
    let model = linked("let a = po\nlet b = a\nlet a = rf\nlet f(x) = x | c\nlet c = 0\nshow c\nacyclic a");
    assert_eq!(model.unused.iter().map(|(n, _)| n.as_str()).collect::<Vec<_>>(), ["b", "f"]);
}

#[test]
fn functions_want_their_arguments() {
    assert_eq!(errors("let f(a, b) = a | b\nacyclic f(po)"), ["f(po): 2 values are needed here, this is a relation"]);
    assert_eq!(
        errors("let f(a, b) = a | b\nacyclic f(po, rf, co)"),
        ["f(po, rf, co): 2 values are needed here, 3 are given"]
    );
    assert_eq!(errors("acyclic po(rf)"), ["po: a function is needed here, this is a relation"]);
    assert_eq!(
        errors("empty domain(W)"),
        [
            "(W): a relation is needed here, this is a set of events ([S] is the identity on the set S, S * T relates all of S to all of T)"
        ]
    );
}

#[test]
fn tags_procedures_files() {
    assert_eq!(errors("empty tag2events('a)"), ["('a): unknown tag 'a"]);
    assert_eq!(errors("call nothing(po)"), ["call nothing(po): unknown procedure 'nothing'"]);
    assert_eq!(
        errors("include \"missing.cat\"\nacyclic po"),
        ["include \"missing.cat\": cannot find the file 'missing.cat'"]
    );
    assert_eq!(
        errors("enum E = 'a || 'b\nlet f t = match t with || 'a -> po end\nacyclic f 'b"),
        ["match t with || 'a -> po end: no clause for the tag 'b"]
    );
}

#[test]
fn what_is_picked_must_be_a_set_of_relations() {
    assert_eq!(errors("with x from W"), ["W: a set of relations is needed here, this is a set of events"]);
    assert_eq!(errors("with x from {'a}"), ["'a: unknown tag 'a"]);
}

#[test]
fn general_expressions_are_typed_too() {
    assert_eq!(
        errors("let f S = match S with || {} -> 0 || e ++ S -> wrong end\nacyclic f W"),
        ["wrong: unbound name 'wrong'"]
    );
    assert_eq!(
        errors("let f S = match S with || {} -> 0 || e ++ S -> e; po end\nacyclic f W"),
        ["e: a relation is needed here, this is an event"]
    );
}

#[test]
fn runaways_end() {
    assert!(errors("let rec f(x) = f(x | po)\nacyclic f(po)")[0].contains("nest too deeply"));
    let doubling: String = (1..40).map(|i| format!("let f{i}(x) = f{}(x) | f{0}(x)\n", i - 1)).collect();
    let text = format!("let f0(x) = x | po\n{doubling}acyclic f39(rf)");
    assert!(errors(&text)[0].contains("too many function calls"));
}

#[test]
fn relations_that_are_not_built_may_be_named_but_not_needed() {
    assert!(linked("let s = same-low-order-bits & po\nacyclic po | (0; s)").checks.len() == 1);
    assert_eq!(
        errors("acyclic same-low-order-bits"),
        ["same-low-order-bits: the relation 'same-low-order-bits' is not supported"]
    );
}
