//! Four tests that between them need everything unusual: store buffering; spinlocks with nested RCU; an access in two
//! parts; dependencies that the model computes.

use crate::graph::Sketch;
use crate::model::{accepted, judged, linked, pairs};
use treville_event::{BaseRel, Graph};
use treville_model::RecOrder;

const TSO: &str = r#"
"TSO"
include "cross.cat"
with co from generate_cos(co0)
let fr = rf^-1; co
let coe = co & ext and fre = fr & ext
acyclic po-loc | rf | co | fr as coherence
empty [R & X]; ((same-instance \ id) & loc); [W & X] & (fre; coe) as atomicity
let ppo = po \ (W * R)
acyclic ppo | fencerel(MFENCE) | rfe | co | fr as tso
"#;

/// Both threads write one location and read 0 from the other, perhaps with fences between.
fn store_buffering(fenced: bool) -> Graph {
    let mut g = Sketch::new();
    let (x, y) = (g.init(0), g.init(8));
    for (thread, (mine, other), initial) in [(0, (0, 8), y), (1, (8, 0), x)] {
        let own_initial = if thread == 0 { x } else { y };
        let write = g.write(thread, mine, 1, &[]);
        if fenced {
            g.fence(thread, &["MFENCE"]);
        }
        let read = g.read(thread, other, 0, &[]);
        g.rf(initial, read);
        g.co(&[own_initial, write]);
    }
    g.build()
}

#[test]
fn tso_allows_store_buffering_without_fences() {
    let model = linked(TSO);
    assert!(model.picks.is_empty() && model.generals.is_empty() && model.free_co, "co is the engine's choice");
    assert!(accepted(&model, &store_buffering(false)));
    let judgements = judged(&model, &store_buffering(true));
    assert_eq!(judgements.len(), 1);
    let failed = judgements[0].first_failure(&model).expect("the fences forbid it");
    assert_eq!(model.checks[failed.check].name, "tso");
    assert!(failed.evidence.is_some());
}

/// Locks as events that the model makes reads and writes of, by choosing an order of lock writes.
const LOCKS: &str = r#"
"Locks"
let rcu-rscs = let rec
      open-locks = Rcu-lock \ domain(matched)
  and open-unlocks = Rcu-unlock \ range(matched)
  and open-events = open-locks | open-unlocks
  and open-po = [open-events]; po; [open-events]
  and candidates = [open-locks]; po; [open-unlocks]
  and matched = matched | (candidates \ (open-po; open-po))
  in matched
flag ~empty Rcu-lock \ domain(rcu-rscs) as unmatched-rcu-lock
let lk-rmw = ([LKR]; po-loc; [LKW]) \ (po; po)
let R = R | LKR
let W = W | LKW
let critical = ([LKW]; po-loc; [UL]) \ (po-loc; [LKW | UL]; po-loc)
let co0 = co0 | ([IW]; loc; [LKW])
include "cross.cat"
with co from generate_cos(co0)
let W = W | UL
let co = (co | critical | (critical^-1; co))+
let rf = rf | ([IW | UL]; (co \ (co; co)); lk-rmw^-1)
let fr = rf^-1; co
acyclic po-loc | rf | co | fr as coherence
empty lk-rmw & ((fr & ext); (co & ext)) as atomic
acyclic po | rf | co | fr as sc
"#;

#[test]
fn nested_read_side_sections_pair_inner_with_inner() {
    let mut g = Sketch::new();
    let events: Vec<usize> = ["Rcu-lock", "Rcu-lock", "Rcu-unlock", "Rcu-unlock", "Rcu-lock"]
        .into_iter()
        .map(|tag| g.fence(0, &[tag]))
        .collect();
    let graph = g.build();
    let model = linked(LOCKS);
    assert_eq!(model.recs.iter().filter(|r| r.order == RecOrder::Iterated).count(), 1);
    assert_eq!(pairs(&model, &graph, "rcu-rscs"), [(events[0], events[3]), (events[1], events[2])]);
    let flags: Vec<_> = judged(&model, &graph)[0].flags(&model).map(|(c, _)| c.name.to_string()).collect();
    assert_eq!(flags, ["unmatched-rcu-lock"]);
}

/// Two critical sections, each reading 0 (wrong for the second) or in sequence, with a plain counter inside.
fn critical_sections(lost_update: bool) -> Graph {
    let mut g = Sketch::new();
    let (lock, counter) = (g.init(0), g.init(8));
    let mut accesses = Vec::new();
    for thread in 0..2 {
        g.opaque(thread, 0, &["LKR"]);
        g.opaque(thread, 0, &["LKW"]);
        let seen = if lost_update { 0 } else { u64::from(thread) };
        let read = g.read(thread, 8, seen, &[]);
        let write = g.write(thread, 8, seen + 1, &[]);
        g.opaque(thread, 0, &["UL"]);
        accesses.push((read, write));
    }
    g.rf(counter, accesses[0].0);
    g.rf(if lost_update { counter } else { accesses[0].1 }, accesses[1].0);
    g.last(accesses[1].1);
    let _ = lock;
    g.build()
}

#[test]
fn picked_lock_orders_exclude_each_other() {
    let model = linked(LOCKS);
    assert_eq!(model.picks.len(), 1, "{model}");
    let good: Vec<_> = judged(&model, &critical_sections(false)).into_iter().filter(|j| j.accepted).collect();
    assert_eq!(good.len(), 1, "only the order in which values were seen");
    assert!(!accepted(&model, &critical_sections(true)));
    // Every completion of the choice was looked at: two lock writes in any order, two counter writes with the last fixed.
    assert_eq!(judged(&model, &critical_sections(false)).len(), 2);
}

const MIXED: &str = r#"
"Mixed"
include "cross.cat"
with co from generate_cos(co0)
let fr = rf^-1; co
let sca = [M]; sm; [M]
acyclic po-loc | rf | co | fr as internal
let obs = (rf | co | fr) & ext
acyclic obs; sca | (po & (M * M)) as external
"#;

/// A read in two parts, of which one sees the old and the other the new value of a write in two parts; `again` reads once
/// more, the other way round.
fn torn_reads(again: bool) -> Graph {
    let mut g = Sketch::new();
    let (low, high) = (g.init(0), g.init(4));
    let writes = [g.write(0, 0, 1, &[]), g.write(0, 4, 1, &[])];
    g.together(&writes, true);
    let reads = [g.read(1, 0, 1, &[]), g.read(1, 4, 0, &[])];
    g.together(&reads, true);
    g.rf(writes[0], reads[0]);
    g.rf(high, reads[1]);
    if again {
        let reads = [g.read(1, 0, 0, &[]), g.read(1, 4, 1, &[])];
        g.together(&reads, true);
        g.rf(low, reads[0]);
        g.rf(writes[1], reads[1]);
    }
    g.co(&[low, writes[0]]);
    g.co(&[high, writes[1]]);
    g.build()
}

#[test]
fn parts_of_an_access_are_related() {
    let model = linked(MIXED);
    assert!(!accepted(&model, &torn_reads(false)), "one part is before the write, the other after");
    assert!(!accepted(&model, &torn_reads(true)));
    let sequenced = linked("let s = [M]; sm; [M]\nacyclic s \\ id as parts-are-unordered");
    assert_eq!(pairs(&sequenced, &torn_reads(false), "s").len(), 2 + 4 + 4);
}

const DEPENDENCIES: &str = r#"
"Dependencies"
catdep
include "cross.cat"
with co from generate_cos(co0)
let rec dtrm = rf-reg | iico_data | dtrm; dtrm
let data = [R]; dtrm; [DATA]; iico_data; [W]
let addr = [R]; dtrm; [ADDR]; iico_data; [M]
let ctrl = [R]; dtrm; [BCC]; po; [M]
let fr = rf^-1; co
acyclic data | addr | ctrl | rf | co | fr as no-thin-air
"#;

/// `r1 = x; if (r1) {}; y = r1`, the other thread the same with the locations exchanged; each reads the other's write.
fn load_buffering(copies: bool) -> (Graph, [usize; 4]) {
    let mut g = Sketch::new();
    let (x, y) = (g.init(0), g.init(8));
    let mut accesses = Vec::new();
    for (thread, from, to) in [(0, 0, 8), (1, 8, 0)] {
        let read = g.read(thread, from, 1, &[]);
        let kept = g.register(thread, "r1", true, &[]);
        g.together(&[read, kept], false);
        let branch_use = g.register(thread, "r1", false, &[]);
        let branch = g.branch(thread);
        g.together(&[branch_use, branch], false);
        let used = g.register(thread, if copies { "r1" } else { "r2" }, false, &["DATA"]);
        let write = g.write(thread, to, 1, &[]);
        g.together(&[used, write], false);
        g.rel(BaseRel::IicoData, &[(read, kept), (used, write)]);
        g.rel(BaseRel::RfReg, &[(kept, branch_use)]);
        if copies {
            g.rel(BaseRel::RfReg, &[(kept, used)]);
        }
        accesses.extend([read, write]);
    }
    g.rf(accesses[1], accesses[2]);
    g.rf(accesses[3], accesses[0]);
    g.co(&[x, accesses[3]]);
    g.co(&[y, accesses[1]]);
    (g.build(), [accesses[0], accesses[1], accesses[2], accesses[3]])
}

#[test]
fn dependencies_come_from_register_events() {
    let model = linked(DEPENDENCIES);
    assert!(model.catdep);
    let (graph, [r0, w0, r1, w1]) = load_buffering(true);
    assert_eq!(pairs(&model, &graph, "data"), [(r0, w0), (r1, w1)]);
    assert!(!accepted(&model, &graph));
    let (graph, _) = load_buffering(false);
    assert!(accepted(&model, &graph), "a value from elsewhere makes no dependency");
}
