//! Variants. Most are names that a model tests with `if "name"`, and any name will do. Some ask a tool to make other
//! executions of a program; those that we cannot make are refused, as the answer would be that of another question.

use treville_base::SourceMap;
use treville_task::CheckError;

/// What each variant would change, for those that we do not have.
const REFUSED: &[(&str, &str)] = &[
    ("deps", "both sides of a branch in one execution"),
    ("instances", "several instances of one execution"),
    ("normw", "updates of C as pairs of events"),
    ("splittedrmw", "atomic instructions of RISC-V as pairs of events"),
    ("acqrelasfence", "fences for annotations of RISC-V"),
    ("specialx0", "atomic instructions without a result that order nothing"),
    ("success", "dependencies on the success of a store"),
    ("fullscdepend", "other dependencies of a store-conditional"),
    ("switchdepscwrite", "other dependencies of a store-conditional"),
    ("switchdepscresult", "other dependencies of a store-conditional"),
    ("lrscdiffok", "a store-conditional of another address"),
    ("constrainedunpredictable", "a store-exclusive of another address or size"),
    ("notweakpredicated", "conditional selection that reads both sources"),
    ("unaligned", "accesses that are not aligned"),
    ("oota", "executions whose values come from nowhere"),
    ("s128", "integers of 128 bits"),
];

/// Names that other tools know. They concern instructions and features that a test either does not use, and then they change
/// nothing, or that are refused where it uses them; or how a tool goes about its work.
const WITHOUT_EFFECT: &[&str] = &[
    "mixed",
    "dontcheckmixed",
    "backcompat",
    "back",
    "instr",
    "lkmmv1",
    "lkmmv2",
    "tagmem",
    "memtag",
    "mte",
    "store-only",
    "precise",
    "async",
    "asynchronous",
    "fatal",
    "handled",
    "faulttoleft",
    "cutoff",
    "morello",
    "neon",
    "sve",
    "sme",
    "kvm",
    "vmsa",
    "ets",
    "ets2",
    "ets3",
    "exs",
    "eis",
    "eos",
    "noptebranch",
    "nobranch",
    "pte2",
    "optrfrmw",
    "exp",
    "ifetch",
    "self",
    "dic",
    "idc",
    "shadowstack",
    "cos-opt",
    "test",
    "asl",
    "asl_aarch64",
    "aslv0",
    "aslv1",
    "strict",
    "warn",
    "telechat",
    "nv2",
    "oldsolver",
    "pauth1",
    "pauth2",
    "const-pac-field",
    "fpac",
    "d128",
];

/// # Errors
/// If one of the variants asks for executions that we cannot make.
pub(crate) fn check(variants: &[String]) -> Result<(), CheckError> {
    let refused = |variant: &String| REFUSED.iter().find(|(name, _)| variant.eq_ignore_ascii_case(name));
    match variants.iter().find_map(refused) {
        Some((name, what)) => Err(CheckError::usage(format!("the variant `{name}` is not supported ({what})"))),
        None => Ok(()),
    }
}

/// # Errors
/// If one of the variants is known to nobody: not to other tools, not to a bundled model, not to the texts of this one.
pub(crate) fn check_known(variants: &[String], texts: &SourceMap) -> Result<(), CheckError> {
    let tested = |variant: &str| {
        let quoted = format!("\"{variant}\"");
        texts.files().any(|(_, file)| file.text.contains(&quoted))
            || treville_cat::bundled_files().iter().any(|file| file.text.contains(&quoted))
    };
    let known = |variant: &str| WITHOUT_EFFECT.iter().any(|name| variant.eq_ignore_ascii_case(name)) || tested(variant);
    match variants.iter().find(|variant| !known(variant)) {
        Some(variant) => Err(CheckError::usage(format!("no model asks for a variant `{variant}`"))),
        None => Ok(()),
    }
}
