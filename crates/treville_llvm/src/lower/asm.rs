//! Inline assembly: nothing, a hint, or a fence of some machine. Anything else is refused.

use super::code::Code;
use super::{Lowered, unsupported};
use crate::inst::InlineAsm;
use crate::module::ValueId;
use treville_ir::Op;

/// Instructions that order memory, as the fence of C11 that is mapped to them.
const FENCES: &[(&str, &str)] = &[
    ("mfence", "SC"),
    ("lfence", "ACQ"),
    ("sfence", "REL"),
    ("sync", "SC"),
    ("hwsync", "SC"),
    ("lwsync", "ACQ_REL"),
    ("dmb", "SC"),
    ("dmb ish", "SC"),
    ("dmb sy", "SC"),
    ("dmb ishld", "ACQ"),
    ("dmb ld", "ACQ"),
    ("dmb ishst", "REL"),
    ("dmb st", "REL"),
    ("dsb", "SC"),
    ("dsb sy", "SC"),
    ("fence rw,rw", "SC"),
    ("fence r,rw", "ACQ"),
    ("fence rw,w", "REL"),
    ("lock; addl $$0,0(%rsp)", "SC"),
    ("lock; addl $$0,-4(%rsp)", "SC"),
];

/// Instructions without a meaning here.
const HINTS: &[&str] = &["pause", "rep; nop", "rep nop", "nop", "yield", "wfe", "sev", "isync", "isb", "hint #0"];

impl Code<'_, '_> {
    pub(super) fn asm(&mut self, result: Option<ValueId>, asm: &InlineAsm) -> Lowered<()> {
        let text = asm.text.trim().trim_end_matches(';').to_ascii_lowercase();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ").replace(", ", ",");
        if let Some((_, order)) = FENCES.iter().find(|(fence, _)| *fence == text) {
            let tags = self.out.unit.tags([order]);
            self.out.emit(Op::Fence { tags });
        } else if result.is_some() || !(text.is_empty() || HINTS.contains(&text.as_str())) {
            return unsupported(format!("the inline assembly `{}`", asm.text.trim()));
        }
        Ok(())
    }
}
