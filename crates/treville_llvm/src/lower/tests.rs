//! The runtime's own text.

use super::runtime::LIBRARY;
use treville_ir::{Op, Reg};

/// What an operation writes.
fn target(op: &Op) -> Option<Reg> {
    match op {
        Op::Assign { dst, .. } | Op::Load { dst, .. } | Op::Update { old: dst, .. } | Op::Nondet { dst } => Some(*dst),
        Op::Call { dst, .. } | Op::Join { dst, .. } => *dst,
        Op::Spawn { dst, .. } | Op::Current { dst, .. } | Op::Alloc { dst, .. } => Some(*dst),
        _ => None,
    }
}

/// Copies of templates have the arguments in place of the parameters.
#[test]
fn templates_do_not_change_their_parameters() {
    for func in &LIBRARY.funcs {
        for inst in func.blocks.iter().flat_map(|b| &b.insts) {
            let changed = target(&inst.op).is_some_and(|reg| func.params.contains(&reg));
            assert!(!changed, "{} changes a parameter", func.name);
        }
    }
}

#[test]
fn templates_have_names_of_their_own() {
    let mut names: Vec<&str> = LIBRARY.funcs.iter().map(|f| f.name.as_str()).collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all);
}

/// A name leads to one thing only.
#[test]
fn names_lead_to_templates() {
    let has = |name: &str| LIBRARY.funcs.iter().any(|f| f.name == name || f.name.starts_with(&format!("{name}.")));
    for (alias, name) in super::runtime::ALIASES {
        assert!(has(name), "{alias} is another name of {name}, which is missing");
        assert!(!has(alias), "{alias} has two meanings");
    }
    for name in super::runtime::SWALLOWED {
        assert!(!has(name) && super::runtime::assertion(name).is_none(), "{name} has two meanings");
    }
}
