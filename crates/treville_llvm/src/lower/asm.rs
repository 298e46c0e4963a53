//! Inline assembly: nothing, a hint, or a fence of some machine. Anything else is refused.

use super::code::Code;
use super::{Lowered, unsupported};
use crate::inst::{Arg, InlineAsm};
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
    pub(super) fn asm(&mut self, result: Option<ValueId>, asm: &InlineAsm, args: &[Arg]) -> Lowered<()> {
        let text = asm.text.trim().trim_end_matches(';').to_ascii_lowercase();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ").replace(", ", ",");
        let nothing = text.is_empty() || HINTS.contains(&text.as_str());
        match (result, tied_argument(&asm.constraints).and_then(|i| args.get(i))) {
            // What goes in comes out.
            (Some(_), Some(arg)) if nothing => {
                let value = self.operand(arg.value)?;
                return self.set(result, value);
            }
            (None, _) if nothing => return Ok(()),
            _ => {}
        }
        match FENCES.iter().find(|(fence, _)| *fence == text) {
            Some((_, order)) if result.is_none() => {
                let tags = self.out.unit.tags([order]);
                self.out.emit(Op::Fence { tags });
                Ok(())
            }
            _ => unsupported(format!("the inline assembly `{}`", asm.text.trim())),
        }
    }
}

/// The argument that shares its register with the only output.
fn tied_argument(constraints: &str) -> Option<usize> {
    let all: Vec<&str> = constraints.split(',').collect();
    // An output in memory is an address, and so an argument.
    let outputs = all.iter().filter(|c| c.starts_with('=') && !c.contains('*')).count();
    let mut arguments = all.iter().filter(|c| c.contains('*') || !c.starts_with(['=', '~']));
    let tied = arguments.position(|c| *c == "0")?;
    (outputs == 1).then_some(tied)
}

#[cfg(test)]
mod tests {
    use super::tied_argument;

    #[test]
    fn inputs_that_share_a_register_with_the_output() {
        assert_eq!(tied_argument("=r,0,~{memory}"), Some(0));
        assert_eq!(tied_argument("=r,=*m,r,0"), Some(2));
        assert_eq!(tied_argument("=r,=r,0,1"), None);
        assert_eq!(tied_argument("~{memory}"), None);
    }
}
