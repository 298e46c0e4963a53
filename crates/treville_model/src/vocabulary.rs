//! Choosing the vocabulary for a dialect and a model: which names exist, and which shape events take.

use crate::link::computes_dependencies;
use crate::mentions::{self, bindings};
use crate::syntax::{Pattern, Unit};
use std::collections::BTreeSet;
use treville_base::Name;
use treville_event::{LockShape, RmwShape, Vocabulary};

/// Sets that exist in every dialect.
const KINDS: &[&str] =
    &["M", "R", "W", "F", "IW", "FW", "B", "BCC", "PRED", "Rreg", "Wreg", "ADDR", "DATA", "Exp", "EXEC"];
/// Sets that exist and that no event of ours is in: implicit, speculated and spurious events, executions that are
/// cut, memory tags, translations, faults.
const NEVER: &[&str] = &[
    "NExp",
    "SPEC",
    "SPURIOUS",
    "CutOff",
    "T",
    "GCS",
    "TLBI",
    "FAULT",
    "FAULT-RD",
    "FAULT-WR",
    "EXC-ENTRY",
    "EXC-RET",
];
const REGISTERS: &[&str] = &["Rreg", "Wreg", "ADDR", "DATA"];
const BRANCHES: &[&str] = &["B", "BCC", "PRED"];

/// What a dialect says of its programs.
#[derive(Clone, Copy, Debug)]
pub struct DialectFacts<'a> {
    /// Tags that a program of the dialect may carry.
    pub sets: &'a [Name],
    /// Those of them that the program at hand does not.
    pub absent: &'a [Name],
    /// Whether an update is one event, both read and write.
    pub fused_updates: bool,
    /// Whether program order relates events of one instruction.
    pub po_inside: bool,
    /// Whether branches can be events.
    pub branch_events: bool,
}

/// The vocabulary for a dialect, a standard library and a model (with a bell file before it). What the library mentions does
/// not count, as it mentions everything; only whether it defines updates itself or expects them as pairs from us.
pub fn vocabulary(
    dialect: &DialectFacts<'_>,
    library: &Unit,
    units: &[&Unit],
    variants: &BTreeSet<Name>,
) -> Vocabulary {
    let mut mentioned = BTreeSet::new();
    let mut see = |name: &Name| {
        mentioned.insert(name.clone());
    };
    units.iter().for_each(|u| mentions::outside_library(&u.body, &mut see));
    let mentions = |names: &[&str]| names.iter().any(|n| mentioned.contains(*n));
    let registers = units.iter().any(|u| computes_dependencies(u))
        || mentions(REGISTERS)
        || mentions(&["NDATA", "rf-reg", "iico_data", "iico_ctrl", "iico_order", "depend", "same-static"]);
    let branches = dialect.branch_events && (mentions(BRANCHES) || mentions(&["PoD", "BR"]));
    // Such a library also has every thread's events in one order, those of an instruction too.
    let takes_pairs = mentions::takes(library, "lxsx");
    let expects_pairs = mentions(&["amo"]) && !mentions::defines(library, "amo");
    let fused = dialect.fused_updates && !takes_pairs && !expects_pairs;
    let opaque_locks = mentions(&["LK", "LS"]) || units.iter().any(|u| makes_accesses_of_locks(u));
    let mut sets: BTreeSet<Name> = dialect.sets.iter().cloned().collect();
    let mut empty: BTreeSet<Name> = dialect.absent.iter().cloned().collect();
    empty.extend(NEVER.iter().map(|n| Name::new(n)).filter(|n| !sets.contains(n)));
    sets.extend(KINDS.iter().chain(NEVER).map(|n| Name::new(n)));
    if !registers {
        empty.extend(REGISTERS.iter().map(|n| Name::new(n)));
    }
    if !branches {
        empty.extend(BRANCHES.iter().map(|n| Name::new(n)));
    }
    Vocabulary {
        sets,
        empty,
        rmw: if fused { RmwShape::Fused } else { RmwShape::Pair },
        locks: if opaque_locks { LockShape::Opaque } else { LockShape::ValueRmw },
        registers,
        branches,
        po_inside: dialect.po_inside || takes_pairs,
        variants: variants.clone(),
    }
}

/// Whether the model itself puts lock events among reads or writes: then they are neither before.
fn makes_accesses_of_locks(unit: &Unit) -> bool {
    let mut found = false;
    bindings(&unit.body, &mut |binding| {
        if matches!(&binding.pattern, Pattern::Var(Some(name)) if name == "R" || name == "W") {
            mentions::in_exp(&binding.body, &mut |n| found |= ["LKR", "LKW", "UL", "LF", "RU"].contains(&n.as_str()));
        }
    });
    found
}
