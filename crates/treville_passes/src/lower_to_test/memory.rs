//! Objects that are made on the way, copies of memory, and what each thread has for itself.

use super::{Body, Closer};
use crate::flatten::resized;
use crate::ops;
use std::collections::BTreeMap;
use treville_base::{Diagnostic, Name, Span};
use treville_ir::{BlockId, Expr, Failure, Func, InitCell, Object, ObjectId, Op, Reg, Storage, Tags, Type};
use treville_term::BinOp;

/// The tag of the beginning of an object.
pub const ALLOC: &str = "ALLOC";
/// The tag of the beginning of an object that lives until it is freed.
pub const HEAP: &str = "HEAP";
/// The tag of initial writes of memory that has no value.
pub const UNINIT: &str = "UNINIT";
/// The tag of stores to hazard pointers.
pub const HAZARD: &str = "HAZARD";
/// The tag of an event in the object that a hazard pointer protects, right after the store that says so.
pub const PROTECT: &str = "PROTECT";
/// The tag of the end of an object that lives on for those that protect it.
pub const RETIRED: &str = "RETIRED";

/// Larger objects and copies than this are refused.
const MAX_BYTES: u128 = 1 << 16;

impl Closer<'_> {
    /// A new object, which consists of whatever is accessed.
    pub(super) fn object(&mut self, name: &str, size: u64, uninitialized: bool) -> ObjectId {
        if uninitialized {
            self.out.tag(UNINIT);
        }
        self.out.objects.push(Object {
            name: Name::new(&format!("{name}{}", self.out.objects.len())),
            address: self.out.next_address(),
            size,
            ty: Type::Untyped,
            array: false,
            thread_local: false,
            members: Vec::new(),
            init: Vec::new(),
            uninitialized,
            span: Span::new(treville_base::FileId(0), 0, 0),
        })
    }

    /// Thread-local objects of a thread; those of the first one are the originals.
    pub(super) fn own_copies(&mut self, func: &mut Func, is_started: bool) {
        if !is_started || !self.program.objects.iter().any(|object| object.thread_local) {
            self.out.objects.iter_mut().for_each(|object| object.thread_local = false);
            return;
        }
        let mut copies: BTreeMap<ObjectId, ObjectId> = BTreeMap::new();
        let program = self.program;
        let out = &mut self.out;
        let mut rename = |e: &mut Expr| {
            each_address(e, &mut |object| {
                if program.objects.get(*object).is_some_and(|o| o.thread_local) {
                    *object = *copies.entry(*object).or_insert_with(|| {
                        let mut copy = program.objects[*object].clone();
                        copy.address = out.next_address();
                        copy.thread_local = false;
                        out.objects.push(copy)
                    });
                }
            });
        };
        for block in func.blocks.iter_mut() {
            block.insts.iter_mut().flat_map(|inst| ops::exprs_mut(&mut inst.op)).for_each(&mut rename);
            ops::end_expr_mut(&mut block.end).into_iter().for_each(&mut rename);
        }
    }

    pub(super) fn alloc(
        &mut self,
        body: &mut Body,
        dst: Reg,
        size: &Expr,
        storage: Storage,
        zeroed: bool,
    ) -> Result<(), Diagnostic> {
        let size = constant(size, body.span(), "an object whose size is not known")?;
        let shared = storage != Storage::Private;
        let name = match storage {
            Storage::Heap => "%heap",
            Storage::Stack | Storage::Private => "%local",
        };
        // Private memory is 0 where nobody has written it.
        let object = self.object(name, size, shared && !zeroed);
        match storage {
            Storage::Heap => self.heap.push(object),
            Storage::Private => self.private.push(object),
            Storage::Stack => {}
        }
        if shared {
            let addr = Some(Expr::Addr(object, 0));
            let tags = if storage == Storage::Heap { &self.tags.on_heap } else { &self.tags.alloc };
            body.emit(Op::Opaque { addr, value: None, dst: None, tags: tags.clone() });
        }
        body.emit(Op::Assign { dst, value: Expr::Addr(object, 0) });
        Ok(())
    }

    /// Ends the life of an object on the heap, which this must be.
    pub(super) fn free(&mut self, body: &mut Body, addr: &Expr, retired: bool) {
        let tags = if retired { &self.tags.retire } else { &self.tags.free };
        let event = Op::Opaque { addr: Some(addr.clone()), value: None, dst: None, tags: tags.clone() };
        match addr {
            Expr::Const(v) if v.is_zero() => return,
            Expr::Addr(object, 0) if self.heap.contains(object) => return body.emit(event),
            _ => {}
        }
        let is = |value: Expr| Expr::bin(BinOp::Eq, addr.clone(), value);
        let bases = self.heap.iter().map(|object| is(Expr::Addr(*object, 0)));
        let known = bases.reduce(|a, b| Expr::bin(BinOp::Or, a, b)).unwrap_or(Expr::int(0, 1));
        let nothing = is(Expr::int(0, 64));
        let wrong = body.new_block();
        body.go_on_or(Expr::bin(BinOp::Or, nothing.clone(), known), wrong, false);
        let next = Self::emit_unless(body, nothing, event);
        body.go_to(wrong);
        self.fail(body, Failure::InvalidFree, Name::new("what is freed is not the start of an object on the heap"));
        body.go_to(next);
    }

    /// Emits an event if a condition does not hold. Returns the block where both ways meet, which is the next one to write to.
    fn emit_unless(body: &mut Body, cond: Expr, event: Op) -> BlockId {
        let (next, otherwise) = (body.new_block(), body.new_block());
        body.branch(cond, next, otherwise, Some(next));
        body.go_to(otherwise);
        body.emit(event);
        body.end(treville_ir::Terminator::Goto(next));
        body.go_to(next);
        next
    }

    /// Whether a store is to a hazard pointer.
    pub(super) fn is_hazard(&self, tags: &Tags) -> bool {
        tags.iter().any(|tag| self.program.tags[*tag] == HAZARD)
    }

    /// A hazard pointer has got this value: an event in the object that it protects says so.
    pub(super) fn protect(&mut self, body: &mut Body, value: &Expr) {
        let event = Op::Opaque { addr: Some(value.clone()), value: None, dst: None, tags: self.tags.protect.clone() };
        match value {
            Expr::Const(v) if v.is_zero() => {}
            Expr::Addr(..) => body.emit(event),
            _ => drop(Self::emit_unless(body, Expr::bin(BinOp::Eq, value.clone(), Expr::int(0, 64)), event)),
        }
    }

    pub(super) fn copy(
        &mut self,
        body: &mut Body,
        to: &Expr,
        from: &Expr,
        len: &Expr,
        tags: &Tags,
    ) -> Result<(), Diagnostic> {
        let len = constant(len, body.span(), "a copy whose length is not known")?;
        let (to, from) = (body.held(to.clone()), body.held(from.clone()));
        let pieces = self.pieces(&[to.clone(), from.clone()], len);
        let mut values = Vec::new();
        for (offset, size) in &pieces {
            let value = body.temporary(8 * size);
            body.emit(Op::Load { dst: value, addr: plus(&from, *offset), size: *size, tags: tags.clone() });
            values.push(value);
        }
        for ((offset, size), value) in pieces.into_iter().zip(values) {
            body.emit(Op::Store { addr: plus(&to, offset), value: Expr::Reg(value), size, tags: tags.clone() });
        }
        Ok(())
    }

    pub(super) fn fill(
        &mut self,
        body: &mut Body,
        to: &Expr,
        byte: &Expr,
        len: &Expr,
        tags: &Tags,
    ) -> Result<(), Diagnostic> {
        let len = constant(len, body.span(), "a part of memory whose length is not known")?;
        let to = body.held(to.clone());
        let byte = body.held(byte.clone());
        for (offset, size) in self.pieces(std::slice::from_ref(&to), len) {
            let width = 8 * size;
            let ones = Expr::Const(treville_term::Bv::new(0x0101_0101_0101_0101, width));
            let value = Expr::bin(BinOp::Mul, resized(byte.clone(), 8, width), ones);
            body.emit(Op::Store { addr: plus(&to, offset), value, size, tags: tags.clone() });
        }
        Ok(())
    }

    /// The parts in which memory is copied: as the objects say that they consist of, or in words.
    fn pieces(&self, places: &[Expr], len: u64) -> Vec<(u64, u8)> {
        let mut borders: Vec<u64> = Vec::new();
        for place in places {
            if let Expr::Addr(object, at) = place
                && let Ok(at) = u64::try_from(*at)
            {
                let cells = self.out.objects[*object].init.iter();
                let ends = cells.flat_map(|cell: &InitCell| [cell.offset, cell.offset + u64::from(cell.size)]);
                borders.extend(ends.filter_map(|border| border.checked_sub(at)));
            }
        }
        borders.sort_unstable();
        let mut pieces = Vec::new();
        let mut offset = 0;
        while offset < len {
            let end = borders.iter().copied().find(|border| *border > offset).unwrap_or(len).min(len);
            let size = [8, 4, 2, 1].into_iter().find(|size| offset + size <= end).unwrap_or(1);
            pieces.push((offset, size as u8));
            offset += size;
        }
        pieces
    }
}

fn constant(e: &Expr, span: Span, what: &str) -> Result<u64, Diagnostic> {
    match e {
        Expr::Const(v) if v.unsigned() <= MAX_BYTES => Ok(v.unsigned() as u64),
        Expr::Const(_) => Err(Diagnostic::error(span, "so much memory is not for this engine")),
        _ => Err(Diagnostic::error(span, format!("{what} is not for this engine"))),
    }
}

fn plus(base: &Expr, offset: u64) -> Expr {
    match base {
        Expr::Addr(object, at) => Expr::Addr(*object, at + offset as i64),
        _ if offset == 0 => base.clone(),
        _ => Expr::bin(BinOp::Add, base.clone(), Expr::int(offset as i64, 64)),
    }
}

fn each_address(e: &mut Expr, visit: &mut impl FnMut(&mut ObjectId)) {
    match e {
        Expr::Const(_) | Expr::Reg(_) => {}
        Expr::Addr(object, _) => visit(object),
        Expr::Un(_, a) | Expr::Cast(_, _, a) => each_address(a, visit),
        Expr::Bin(_, a, b) => {
            each_address(a, visit);
            each_address(b, visit);
        }
        Expr::Ite(c, a, b) => {
            each_address(c, visit);
            each_address(a, visit);
            each_address(b, visit);
        }
    }
}
