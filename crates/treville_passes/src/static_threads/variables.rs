//! Objects as variables: each part that is accessed by itself is one.

use crate::ops;
use std::collections::BTreeMap;
use treville_base::{Diagnostic, IndexVec, Name, Span};
use treville_ir::{Block, Expr, InitCell, Inst, Object, ObjectId, Op, Program, Terminator, Type};

/// Parts of objects that are accessed, by where they begin: their sizes, and where one is accessed.
type Parts = BTreeMap<(ObjectId, i64), (u8, Span)>;

/// The program whose variables are the parts of objects that its threads access; other objects are gone.
pub(super) fn split(mut program: Program) -> Result<Program, Diagnostic> {
    let used: Vec<_> = program.roots.iter().map(|root| root.func).collect();
    let mut parts = Parts::new();
    for inst in used.iter().flat_map(|func| program.funcs[*func].blocks.iter()).flat_map(|block| &block.insts) {
        note(inst, &mut parts)?;
    }
    let mut before: Option<(ObjectId, i64)> = None;
    for ((object, offset), (size, span)) in &parts {
        if before.is_some_and(|(other, end)| other == *object && end > *offset) {
            return Err(Diagnostic::error(*span, "accesses that overlap"));
        }
        before = Some((*object, offset + i64::from(*size)));
    }
    let mut new = BTreeMap::new();
    let mut objects: IndexVec<ObjectId, Object> = IndexVec::new();
    for ((object, offset), (size, span)) in &parts {
        let part = part(&program.objects[*object], *offset, *size, *span)?;
        new.insert((*object, *offset), objects.push(part));
    }
    // Nobody calls the others, which speak of objects that are gone.
    for id in program.funcs.ids().filter(|id| !used.contains(id)).collect::<Vec<_>>() {
        let empty = Block { insts: Vec::new(), end: Terminator::Return(None) };
        program.funcs[id].blocks = std::iter::once(empty).collect();
    }
    for func in used {
        for inst in program.funcs[func].blocks.iter_mut().flat_map(|block| &mut block.insts) {
            rename(&mut inst.op, &new, &program.objects);
        }
        for block in program.funcs[func].blocks.iter_mut() {
            ops::end_expr_mut(&mut block.end).into_iter().for_each(|e| as_number(e, &program.objects));
        }
    }
    for (_, value) in program.roots.iter_mut().flat_map(|root| &mut root.init) {
        as_number(value, &program.objects);
    }
    program.objects = objects;
    Ok(program)
}

fn accessed(op: &Op) -> Option<(&Expr, u8)> {
    match op {
        Op::Load { addr, size, .. } | Op::Store { addr, size, .. } | Op::Update { addr, size, .. } => {
            Some((addr, *size))
        }
        _ => None,
    }
}

fn note(inst: &Inst, parts: &mut Parts) -> Result<(), Diagnostic> {
    let refused = match &inst.op {
        Op::Call { .. } => Some("a call that is not known before the run, or a recursion"),
        Op::Copy { .. } | Op::Fill { .. } => Some("a copy of memory"),
        Op::Alloc { .. } | Op::Free { .. } => {
            Some("an object that is made on the way, or a variable whose address is taken")
        }
        Op::Lock { .. } => Some("a lock"),
        _ => None,
    };
    if let Some(what) = refused {
        return Err(Diagnostic::error(inst.span, what));
    }
    let Some((addr, size)) = accessed(&inst.op) else { return Ok(()) };
    let Expr::Addr(object, offset) = addr else {
        return Err(Diagnostic::error(inst.span, "an access whose address is not known before the run"));
    };
    match parts.insert((*object, *offset), (size, inst.span)) {
        Some((other, _)) if other != size => Err(Diagnostic::error(inst.span, "accesses that overlap")),
        _ => Ok(()),
    }
}

fn part(object: &Object, offset: i64, size: u8, span: Span) -> Result<Object, Diagnostic> {
    let wrong = |what: &str| Diagnostic::error(span, what);
    let start = u64::try_from(offset).ok().filter(|start| start + u64::from(size) <= object.size);
    let Some(start) = start else { return Err(wrong("an access outside of its object")) };
    if object.thread_local || object.uninitialized {
        return Err(wrong("a variable that each thread has for itself, or that has no first value"));
    }
    let cell = object.init.iter().find(|cell| cell.offset == start && cell.size == size);
    let value = match cell {
        Some(cell) => cell.value.clone(),
        None if object.init.is_empty() => Expr::int(0, 8 * size),
        None => return Err(wrong("an access to a part of a variable")),
    };
    let whole = start == 0 && u64::from(size) == object.size;
    let member = object.members.iter().find(|member| member.offset == start);
    let name = match member {
        _ if whole => object.name.clone(),
        Some(member) => Name::from(format!("{}{}", object.name, member.path)),
        None => Name::from(format!("{}[{}]", object.name, start / u64::from(size))),
    };
    // An element of an array is of the object's own type.
    let ty = match member.map_or(object.ty, |member| member.ty) {
        ty if whole || matches!(ty, Type::Int { bytes, .. } if bytes == size) => ty,
        _ => Type::Int { bytes: size, signed: true },
    };
    Ok(Object {
        name,
        address: object.address + start,
        size: u64::from(size),
        ty,
        array: false,
        members: Vec::new(),
        init: vec![InitCell { offset: 0, size, value }],
        ..object.clone()
    })
}

/// Addresses of accesses are those of the new objects; all others are numbers.
fn rename(op: &mut Op, new: &BTreeMap<(ObjectId, i64), ObjectId>, objects: &IndexVec<ObjectId, Object>) {
    let is_access = accessed(op).is_some();
    for (i, e) in ops::exprs_mut(op).into_iter().enumerate() {
        match e {
            Expr::Addr(object, offset) if is_access && i == 0 => {
                if let Some(part) = new.get(&(*object, *offset)) {
                    *e = Expr::Addr(*part, 0);
                }
            }
            other => as_number(other, objects),
        }
    }
}

fn as_number(e: &mut Expr, objects: &IndexVec<ObjectId, Object>) {
    match e {
        Expr::Addr(object, offset) => {
            *e = Expr::int(objects[*object].address.wrapping_add_signed(*offset) as i64, 64);
        }
        Expr::Const(_) | Expr::Reg(_) => {}
        Expr::Un(_, a) | Expr::Cast(_, _, a) => as_number(a, objects),
        Expr::Bin(_, a, b) => {
            as_number(a, objects);
            as_number(b, objects);
        }
        Expr::Ite(c, a, b) => {
            as_number(c, objects);
            as_number(a, objects);
            as_number(b, objects);
        }
    }
}
