//! The shape of events follows from what a model mentions.

use crate::parsed;
use treville_base::Name;
use treville_event::{LockShape, RmwShape, Vocabulary};
use treville_model::{DialectFacts, mentions, vocabulary};

fn chosen(text: &str) -> Vocabulary {
    chosen_with("", text)
}

fn chosen_with(library: &str, text: &str) -> Vocabulary {
    let sets = ["X", "LKR", "LKW", "UL"].map(Name::new);
    let facts =
        DialectFacts { sets: &sets, absent: &sets[..1], fused_updates: true, po_inside: true, branch_events: true };
    vocabulary(&facts, &parsed(library), &[&parsed(text)], &Default::default())
}

#[test]
fn only_what_the_model_itself_mentions_counts() {
    let plain = chosen("include \"stdlib.cat\"\nacyclic po | rf");
    assert!(!plain.registers && !plain.branches);
    assert_eq!((plain.rmw, plain.locks), (RmwShape::Fused, LockShape::ValueRmw));
    assert!(plain.sets.contains("X") && plain.sets.contains("Rreg"));
    assert!(plain.empty.contains("X") && plain.empty.contains("Rreg") && !plain.empty.contains("R"));
    let rich = chosen("include \"stdlib.cat\"\nlet d = [R]; iico_data; [B]\nlet R = R | LKR\nempty amo & d");
    assert!(rich.registers && rich.branches);
    assert_eq!((rich.rmw, rich.locks), (RmwShape::Pair, LockShape::Opaque));
    assert!(chosen("catdep\nacyclic po").registers);
    assert_eq!(chosen_with("let rmw = amo | lxsx", "acyclic po").rmw, RmwShape::Pair, "the library expects pairs");
    assert_eq!(chosen_with("let amo = 0", "empty amo").rmw, RmwShape::Fused, "the library says what amo is");
}

#[test]
fn mentions_reach_into_includes() {
    let names = mentions(&parsed("include \"stdlib.cat\"\nprocedure p(r) =\nacyclic r | co\nend\ncall p(fun-of rf)"));
    assert_eq!(
        names.iter().map(Name::as_str).collect::<Vec<_>>(),
        ["ADDR", "B", "amo", "co", "fun-of", "p", "r", "rf"]
    );
}
