//! Choosing the vocabulary for a dialect and a model: which names exist and which shape events have. Frozen after that.

use std::collections::BTreeSet;
use treville_base::Name;
use treville_event::{LockShape, RmwShape, Vocabulary};
use treville_ir::Dialect;
use treville_model::syntax::{Binding, Ins, InsKind, Pattern, Unit};

/// Sets that every model may mention: kinds of events, and kinds that only some dialects fill.
const KINDS: &[&str] = &[
    "M", "R", "W", "F", "B", "BCC", "PRED", "Rreg", "Wreg", "ADDR", "DATA", "IW", "FW", "Exp", "NExp", "SPEC", "EXEC",
    "SPURIOUS",
];

/// Relations that are only there if registers have events.
const REGISTER_NAMES: &[&str] = &["iico_data", "iico_ctrl", "iico_order", "rf-reg", "Rreg", "Wreg", "depend"];

/// `units` are the standard library, a bell file if there is one, and the model.
pub(crate) fn choose(dialect: &Dialect, units: &[Unit], variants: &BTreeSet<Name>) -> Vocabulary {
    let mentions: BTreeSet<Name> = units.iter().flat_map(treville_model::mentions).collect();
    let mut sets: BTreeSet<Name> = KINDS.iter().map(|k| Name::new(k)).chain(dialect.sets.iter().cloned()).collect();
    units.iter().for_each(|unit| declared_tags(&unit.body, &mut sets));
    Vocabulary {
        sets,
        rmw: if dialect.fused_updates { RmwShape::Fused } else { RmwShape::Pair },
        locks: lock_shape(units, &mentions),
        registers: REGISTER_NAMES.iter().any(|name| mentions.contains(*name)),
        branches: dialect.branch_events,
        po_inside: dialect.po_inside,
        variants: variants.clone(),
    }
}

/// A model that speaks of unlocking either relates lock events itself (it has its own `rf` for them, or an order of locks),
/// or takes them for reads and writes.
fn lock_shape(units: &[Unit], mentions: &BTreeSet<Name>) -> LockShape {
    let own_rf = units.iter().any(|unit| binds(&unit.body, "rf"));
    let own_order = own_rf || mentions.contains("LK") || mentions.contains("LS");
    if mentions.contains("UL") && own_order { LockShape::Opaque } else { LockShape::ValueRmw }
}

/// Whether a definition at the top level, or of an included file, gives a meaning to the name.
fn binds(body: &[Ins], name: &str) -> bool {
    let is_name = |binding: &Binding| matches!(&binding.pattern, Pattern::Var(Some(bound)) if *bound == name);
    body.iter().any(|ins| match &ins.kind {
        InsKind::Let(bindings) | InsKind::LetRec(bindings, _) => bindings.iter().any(is_name),
        InsKind::Include { unit: Some(unit), .. } => binds(&unit.body, name),
        _ => false,
    })
}

/// Each tag that a bell declares names a set, its first letter in upper case.
fn declared_tags(body: &[Ins], sets: &mut BTreeSet<Name>) {
    for ins in body {
        match &ins.kind {
            InsKind::Enum { tags, .. } => sets.extend(tags.iter().map(|tag| set_of_tag(tag))),
            InsKind::Include { unit: Some(unit), .. } => declared_tags(&unit.body, sets),
            _ => {}
        }
    }
}

fn set_of_tag(tag: &str) -> Name {
    let mut letters = tag.chars();
    match letters.next() {
        Some(first) => Name::from(first.to_uppercase().chain(letters).collect::<String>()),
        None => Name::new(tag),
    }
}
