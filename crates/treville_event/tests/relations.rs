//! Relations between events: the laws that models and engines rely on, on all relations between few events, and the names that
//! models may use; classes of executions.

use std::collections::BTreeSet;
use treville_event::{Act, BaseRel, Byte, EventSet, Relation, graph_class, scope_set};

/// All relations between three events.
fn all() -> Vec<Relation> {
    let pairs: Vec<(usize, usize)> = (0..3).flat_map(|a| (0..3).map(move |b| (a, b))).collect();
    let chosen = |bits: usize| pairs.iter().enumerate().filter(move |(i, _)| bits >> i & 1 == 1).map(|(_, pair)| *pair);
    (0..1 << pairs.len()).map(|bits| Relation::from_pairs(3, chosen(bits))).collect()
}

/// Some of them, which are enough where two or three are looked at together.
fn some() -> Vec<Relation> {
    all().into_iter().step_by(23).collect()
}

#[test]
fn composition_distributes_over_union_and_turns_round() {
    let some = some();
    for (a, b) in some.iter().flat_map(|a| some.iter().map(move |b| (a, b))) {
        assert_eq!(a.compose(b).inverse(), b.inverse().compose(&a.inverse()));
        assert_eq!(a.union(b).complement(), a.complement().intersection(&b.complement()));
        for c in &some {
            assert_eq!(a.compose(&b.compose(c)), a.compose(b).compose(c));
            assert_eq!(a.compose(&b.union(c)), a.compose(b).union(&a.compose(c)));
            assert!(a.compose(&b.intersection(c)).is_subset(&a.compose(b).intersection(&a.compose(c))));
        }
    }
}

#[test]
fn a_closure_is_the_least_transitive_relation_above() {
    let all = all();
    let transitive: Vec<&Relation> = all.iter().filter(|r| r.compose(r).is_subset(r)).collect();
    // So many of the 512 relations between three events are transitive.
    assert_eq!(transitive.len(), 171);
    for relation in &all {
        let closed = relation.transitive_closure();
        let above = transitive.iter().filter(|other| relation.is_subset(other));
        let least = above.fold(Relation::full(3), |least, other| least.intersection(other));
        assert_eq!(closed, least);
    }
}

#[test]
fn what_is_acyclic_has_a_total_order_above() {
    let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    let orders = orders.map(|[a, b, c]| Relation::from_pairs(3, [(a, b), (a, c), (b, c)]));
    let mut n = 0;
    for relation in all() {
        let acyclic = relation.is_acyclic();
        assert_eq!(acyclic, orders.iter().any(|order| relation.is_subset(order)), "{relation:?}");
        assert_eq!(acyclic, relation.transitive_closure().is_irreflexive());
        assert_eq!(acyclic, relation.shortest_cycle().is_none());
        n += usize::from(acyclic);
    }
    // Directed graphs on three named nodes without a cycle.
    assert_eq!(n, 25);
}

#[test]
fn sets_restrict_relations() {
    let (writes, reads) = (EventSet::from_members(4, [0, 1]), EventSet::from_members(4, [2, 3]));
    let rf = Relation::from_pairs(4, [(0, 2), (1, 3)]);
    assert!(rf.is_subset(&Relation::product(&writes, &reads)));
    assert_eq!((rf.domain(), rf.range()), (writes.clone(), reads.clone()));
    assert_eq!(Relation::identity_on(&writes).compose(&rf), rf);
    assert!(Relation::identity_on(&reads).compose(&rf).is_empty());
    // What reads before a write that comes after its source: fr = rf^-1; co.
    let co = Relation::from_pairs(4, [(0, 1)]);
    assert_eq!(rf.inverse().compose(&co), Relation::from_pairs(4, [(2, 1)]));
}

#[test]
fn names_of_relations_are_their_own() {
    let names: BTreeSet<&str> = BaseRel::ALL.iter().map(|rel| rel.name()).collect();
    assert_eq!(names.len(), BaseRel::ALL.len());
    assert!(BaseRel::ALL.iter().all(|rel| BaseRel::from_name(rel.name()) == Some(*rel)));
    assert_eq!((BaseRel::from_name("sm"), BaseRel::from_name("fr")), (Some(BaseRel::Si), None));
    assert_ne!(scope_set("near", 1), scope_set("near", 11));
}

/// Writes of threads 0 and 1 to one byte in both orders, and a thread that reads either of them or the start.
#[test]
fn executions_with_other_sources_or_orders_are_of_other_classes() {
    let [first, second] = [0, 1].map(|thread| Some(Byte { thread, index: 0 }));
    let mut classes = BTreeSet::new();
    for orders in [[None, first], [second, None]] {
        for source in [None, first, second] {
            let writes = orders.map(|before| vec![Act::Write(vec![before])]);
            let [a, b] = writes;
            let class = graph_class(&[a.clone(), b.clone(), vec![Act::Read(vec![source])]]);
            // A thread that does nothing is no difference, a choice is one.
            assert_eq!(class, graph_class(&[a.clone(), b.clone(), vec![Act::Read(vec![source])], Vec::new()]));
            assert!(classes.insert(class));
            assert!(classes.insert(graph_class(&[a, b, vec![Act::Read(vec![source]), Act::Choice(1)]])));
        }
    }
    assert_eq!(classes.len(), 12);
}
