//! Inline assembly: nothing, a hint, or a fence of some machine. Anything else is refused.

use super::code::Code;
use super::{Lowered, unsupported};
use crate::inst::{Arg, InlineAsm};
use crate::module::ValueId;
use treville_base::Name;
use treville_ir::{Dialect, Mark, Op};

/// The dialects in which an instruction means this.
const ON_X86: &str = "X86 X86_64";
const ON_POWER: &str = "PPC MIPS";
const ON_ARM: &str = "ARM AArch64";
/// The barriers for loads came with version 8 of the architecture.
const ON_ARM_8: &str = Dialect::AARCH64;
const ON_RISCV: &str = Dialect::RISCV;

/// Instructions that order memory, as the fence of C11 that is mapped to them, and where they are one.
const FENCES: &[(&str, &str, &str)] = &[
    ("mfence", "SC", ON_X86),
    ("lfence", "ACQ", ON_X86),
    ("sfence", "REL", ON_X86),
    ("lock; addl $$0,0(%rsp)", "SC", ON_X86),
    ("lock; addl $$0,-4(%rsp)", "SC", ON_X86),
    ("sync", "SC", ON_POWER),
    ("hwsync", "SC", ON_POWER),
    ("lwsync", "ACQ_REL", ON_POWER),
    ("dmb", "SC", ON_ARM),
    ("dmb ish", "SC", ON_ARM),
    ("dmb sy", "SC", ON_ARM),
    ("dmb ishld", "ACQ", ON_ARM_8),
    ("dmb ld", "ACQ", ON_ARM_8),
    ("dmb ishst", "REL", ON_ARM),
    ("dmb st", "REL", ON_ARM),
    ("dsb", "SC", ON_ARM),
    ("dsb sy", "SC", ON_ARM),
    ("fence rw,rw", "SC", ON_RISCV),
    ("fence r,rw", "ACQ", ON_RISCV),
    ("fence rw,w", "REL", ON_RISCV),
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
        match FENCES.iter().find(|(fence, ..)| *fence == text) {
            Some((_, order, dialects)) if result.is_none() => {
                let tags = self.out.unit.tags([order]);
                self.out.emit(Op::Mark(Mark::Assembly(Name::new(dialects))));
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
