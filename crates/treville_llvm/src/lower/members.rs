//! The named parts of a variable, from the types of the source.

use crate::debug::{SourceType, SourceTypeId};
use crate::module::{Module, Variable};
use treville_base::Name;
use treville_ir::{Member, Type as Shown};

/// Of a larger variable only the first parts have names.
const MOST: usize = 4096;
/// Types inside each other.
const DEEPEST: usize = 16;

/// The parts of a record or of an array of records, ascending.
pub(super) fn of(module: &Module, variable: &Variable) -> Vec<Member> {
    let mut members = Vec::new();
    if let Some(ty) = variable.sources.iter().find_map(|v| module.debug.variables[*v].ty) {
        Names { module, members: &mut members }.add(ty, 0, String::new(), 0);
    }
    // Parts of unions begin at the same place: the first names it.
    members.sort_by_key(|m| m.offset);
    members.dedup_by_key(|m| m.offset);
    // What is one value, or an array of values, needs no names.
    if members.iter().any(|m| m.path.contains('.')) { members } else { Vec::new() }
}

struct Names<'a> {
    module: &'a Module,
    members: &'a mut Vec<Member>,
}

impl Names<'_> {
    fn add(&mut self, ty: SourceTypeId, offset: u64, path: String, depth: usize) {
        let debug = &self.module.debug;
        let Some(ty) = debug.strip(ty).filter(|_| depth < DEEPEST && self.members.len() < MOST) else { return };
        match &debug.types[ty] {
            SourceType::Record { members, .. } => {
                for member in members {
                    let name = member.name.as_ref().filter(|_| members.len() > 1);
                    let path = name.map_or_else(|| path.clone(), |name| format!("{path}.{name}"));
                    if let Some(ty) = member.ty {
                        self.add(ty, offset + member.offset_bits / 8, path, depth + 1);
                    }
                }
            }
            SourceType::Array { element: Some(element), counts, .. } => {
                let step = self.bytes(*element);
                let count = counts.iter().try_fold(1_u64, |n, c| n.checked_mul((*c)?)).unwrap_or(0);
                for i in (0..count.min(MOST as u64)).filter(|_| step > 0) {
                    self.add(*element, offset + i * step, format!("{path}[{i}]"), depth + 1);
                }
            }
            _ => self.members.push(Member { offset, path: Name::from(path), ty: self.shown(ty) }),
        }
    }

    fn bytes(&self, ty: SourceTypeId) -> u64 {
        let debug = &self.module.debug;
        let Some(ty) = debug.strip(ty) else { return 0 };
        match &debug.types[ty] {
            SourceType::Basic { bits, .. }
            | SourceType::Pointer { bits, .. }
            | SourceType::Record { bits, .. }
            | SourceType::Array { bits, .. }
            | SourceType::Enum { bits, .. }
            | SourceType::Other { bits, .. } => bits / 8,
            SourceType::Alias { .. } => 0,
        }
    }

    fn shown(&self, ty: SourceTypeId) -> Shown {
        match &self.module.debug.types[ty] {
            SourceType::Basic { bits: bits @ (8 | 16 | 32 | 64), encoding, .. } => {
                Shown::Int { bytes: (bits / 8) as u8, signed: encoding.is_signed() }
            }
            SourceType::Pointer { .. } => Shown::Pointer,
            _ => Shown::Untyped,
        }
    }
}
