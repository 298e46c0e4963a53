//! Variants. Most are names that a model tests with `if "name"`, and any name will do. Some ask a tool to make other
//! executions of a program; those that we cannot make are refused, as the answer would be that of another question.

use crate::unreadable;
use treville_report::Failure;

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

/// # Errors
/// If one of the variants asks for executions that we cannot make.
pub(crate) fn check(variants: &[String]) -> Result<(), Failure> {
    let refused = |variant: &String| REFUSED.iter().find(|(name, _)| variant.eq_ignore_ascii_case(name));
    match variants.iter().find_map(refused) {
        Some((name, what)) => Err(unreadable(format!("the variant `{name}` is not supported ({what})"))),
        None => Ok(()),
    }
}
