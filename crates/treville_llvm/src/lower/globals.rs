//! Variables of the module as objects with their initial contents.

use super::unit::Unit;
use super::{Lowered, fold, members, refused, shape, unsupported};
use crate::constant::{ConstId, ConstKind};
use crate::debug::{SourceType, SourceTypeId};
use crate::module::{GlobalId, Module, Variable};
use crate::types::{Type, TypeId};
use treville_base::Name;
use treville_ir::{Expr, InitCell, Object, ObjectId, Type as Shown};

/// Larger objects are refused: their contents are listed cell by cell.
const MOST_BYTES: u64 = 1 << 22;

/// Zeros of more bytes than this are listed in words.
const MOST_TYPED_ZEROS: u64 = 4096;

/// Variables of libraries that programs name but whose value no function here looks at.
fn is_of_library(name: &str) -> bool {
    // The last is the table of what threads are to do before they know what that is.
    let known = ["stdin", "stdout", "stderr", "__dso_handle", "_ZTVNSt6thread6_StateE"];
    // What types are at run time.
    known.contains(&name) || name.starts_with("_ZTVN10__cxxabiv1") || name.starts_with("_ZTI")
}

impl Unit<'_> {
    /// The object of a variable.
    pub(super) fn object(&mut self, global: GlobalId) -> Lowered<ObjectId> {
        if let Some(id) = self.objects.get(&global) {
            return Ok(*id);
        }
        let module = self.module;
        let it = &module.globals[global];
        let Some(variable) = it.variable() else { return unsupported(format!("`{}` as a variable", it.name)) };
        if variable.init.is_none() && !is_of_library(&it.name) {
            return refused(format!("the variable `{}` is not defined in this program", it.name));
        }
        let size = module.layout.of(variable.ty).map_or(0, |l| l.size);
        if size > MOST_BYTES {
            return refused(format!("the variable `{}` of {size} bytes is too large", it.name));
        }
        let (ty, array) = shown_type(module, variable);
        let id = self.program.objects.push(Object {
            name: it.name.clone(),
            address: self.program.next_address(),
            size,
            ty,
            array,
            thread_local: variable.thread_local,
            members: members::of(module, variable),
            init: Vec::new(),
            uninitialized: false,
            span: it.span,
        });
        self.objects.insert(global, id);
        self.objects_to_do.push_back((global, id));
        Ok(id)
    }

    /// Gives an object its initial contents.
    pub(super) fn initialise(&mut self, global: GlobalId, id: ObjectId) {
        let module = self.module;
        let Some(variable) = module.globals[global].variable() else { return };
        let mut cells = Vec::new();
        if let Some(init) = variable.init
            && let Err(why) = self.cells(init, 0, &mut cells)
        {
            return self.error(module.globals[global].span, why);
        }
        self.program.objects[id].init = fill_gaps(cells, self.program.objects[id].size);
    }

    fn cells(&mut self, id: ConstId, offset: u64, out: &mut Vec<InitCell>) -> Lowered<()> {
        let module = self.module;
        let constant = module.constant(id);
        let layout = module.layout.of(constant.ty).map_or((0, &[][..]), |l| (l.size, l.offsets.as_slice()));
        match (&constant.kind, module.types.get(constant.ty)) {
            (ConstKind::Aggregate(members), Type::Struct(_)) => {
                for (member, at) in members.iter().zip(layout.1) {
                    self.cells(*member, offset + at, out)?;
                }
                Ok(())
            }
            (ConstKind::Aggregate(members), Type::Array { element, .. }) => {
                let step = module.layout.of(*element).map_or(0, |l| l.size);
                for (i, member) in members.iter().enumerate() {
                    self.cells(*member, offset + i as u64 * step, out)?;
                }
                Ok(())
            }
            (ConstKind::Bytes(bytes), _) => {
                let cell = |(i, b): (usize, &u8)| InitCell {
                    offset: offset + i as u64,
                    size: 1,
                    value: fold::number((*b).into(), 8),
                };
                out.extend(bytes.iter().enumerate().map(cell));
                Ok(())
            }
            (ConstKind::Zero | ConstKind::Undef | ConstKind::Poison, _) if layout.0 > MOST_TYPED_ZEROS => Ok(()),
            _ => {
                let values = self.constant(id)?;
                for (leaf, value) in shape::shape(module, constant.ty)?.into_iter().zip(values) {
                    if !matches!(value, Expr::Const(_) | Expr::Addr(..)) {
                        return unsupported("an initial value that is not known before the program runs");
                    }
                    let value = fold::zext(value, leaf.bits, leaf.stored_bits());
                    out.push(InitCell { offset: offset + leaf.offset, size: leaf.size(), value });
                }
                Ok(())
            }
        }
    }

    /// The arguments of `main`: an array with the program's name.
    pub(super) fn arguments(&mut self) -> ObjectId {
        let zeros = |size| fill_gaps(Vec::new(), size);
        let name = self.runtime_object("argv0", 8, zeros(8), false);
        let first = InitCell { offset: 0, size: 8, value: Expr::Addr(name, 0) };
        self.runtime_object("argv", 16, fill_gaps(vec![first], 16), false)
    }

    /// An object that no variable of the module stands for.
    pub(super) fn runtime_object(
        &mut self,
        name: &str,
        size: u64,
        init: Vec<InitCell>,
        thread_local: bool,
    ) -> ObjectId {
        let address = self.program.next_address();
        let span = treville_base::Span::new(treville_base::FileId(0), 0, 0);
        let (name, ty) = (Name::new(name), Shown::Untyped);
        self.program.objects.push(Object {
            name,
            address,
            size,
            ty,
            array: false,
            thread_local,
            members: Vec::new(),
            init,
            uninitialized: false,
            span,
        })
    }
}

/// Covers what the cells leave out, which is padding and large zeros, with zeros.
pub(super) fn fill_gaps(cells: Vec<InitCell>, size: u64) -> Vec<InitCell> {
    let mut all = Vec::with_capacity(cells.len());
    let mut at = 0;
    let zeros = |all: &mut Vec<InitCell>, mut at: u64, to: u64| {
        while at < to {
            let fits = |s: &u8| at.is_multiple_of((*s).into()) && at + u64::from(*s) <= to;
            let size = [8, 4, 2].into_iter().find(fits).unwrap_or(1);
            all.push(InitCell { offset: at, size, value: fold::zero(8 * size) });
            at += u64::from(size);
        }
    };
    for cell in cells {
        zeros(&mut all, at, cell.offset);
        at = cell.offset + u64::from(cell.size);
        all.push(cell);
    }
    zeros(&mut all, at, size);
    all
}

/// How the values of a variable are shown, and whether it is an array.
fn shown_type(module: &Module, variable: &Variable) -> (Shown, bool) {
    let source = variable.sources.iter().find_map(|v| module.debug.variables[*v].ty);
    let (ty, array) = match module.types.get(variable.ty) {
        Type::Array { element, .. } => (*element, true),
        _ => (variable.ty, false),
    };
    let shown = match module.types.get(ty) {
        Type::Ptr => Shown::Pointer,
        Type::Int(bits @ (8 | 16 | 32 | 64)) => Shown::Int { bytes: (bits / 8) as u8, signed: signed(module, source) },
        _ => Shown::Untyped,
    };
    (shown, array && shown != Shown::Untyped && one_dimension(module, variable.ty))
}

fn one_dimension(module: &Module, ty: TypeId) -> bool {
    matches!(module.types.get(ty), Type::Array { element, .. } if module.layout.of(*element).is_ok_and(|l| l.size <= 8))
}

/// Whether the source's numbers have a sign, looking into arrays and records of one member, as atomics are.
fn signed(module: &Module, source: Option<SourceTypeId>) -> bool {
    let mut at = source;
    for _ in 0..8 {
        let Some(ty) = at.and_then(|ty| module.debug.strip(ty)) else { return true };
        at = match &module.debug.types[ty] {
            SourceType::Basic { encoding, .. } => return encoding.is_signed(),
            SourceType::Array { element, .. } => *element,
            SourceType::Enum { base, .. } => *base,
            SourceType::Record { members, .. } if members.len() == 1 => members[0].ty,
            _ => return true,
        };
    }
    true
}
