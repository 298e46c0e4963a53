//! Loads, stores and copies: in one piece, or in parts where other accesses cut through them. Parts of an atomic access are
//! accessed at once, by one instruction; those of a plain one one after the other.

use super::{Compiler, INSIDE, NotCompiled};
use crate::code::{Ins, NOWHERE, Site, SiteId, SiteKind, Slot};
use std::collections::BTreeMap;
use treville_ir::{Expr, InstrId, Tags};
use treville_term::BinOp;

/// A load, store or update of an instruction, one of several if it copies memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Access {
    instr: InstrId,
    number: u16,
}

/// Accesses that are made in parts, atomic ones at once: bit n is set if one begins at byte n.
pub type Parts = BTreeMap<Access, u16>;

/// A copy of at most this many bytes, known when compiling, is done without a loop.
const UNROLLED_COPY: u64 = 128;

/// What is written into memory.
pub(super) enum Source<'a> {
    Memory(&'a Expr),
    Byte(&'a Expr),
}

/// The same, in a slot: memory from this address, or the same 8 bytes everywhere.
#[derive(Clone, Copy)]
enum Piece {
    From(Slot),
    All(Slot),
}

impl Compiler<'_> {
    pub(super) fn load(&mut self, dst: Slot, addr: Slot, size: u8, tags: &Tags) -> Result<(), NotCompiled> {
        if !self.is_plain(tags) {
            let site = self.atomic(SiteKind::Load(tags.clone()), size)?;
            return self.push(Ins::Load { dst, addr, site });
        }
        let pieces = self.pieces(size)?;
        if let [(access, at, size)] = pieces[..] {
            let site = self.access(SiteKind::Load(tags.clone()), size, access, at);
            return self.push(Ins::Load { dst, addr, site });
        }
        let mut whole = None;
        for (access, at, size) in pieces {
            let (from, value) = (self.offset(addr, u64::from(at)), self.temporary());
            let site = self.access(SiteKind::Load(tags.clone()), size, access, at);
            self.push(Ins::Load { dst: value, addr: from, site })?;
            whole = Some(self.joined(whole, value, at));
        }
        self.push(Ins::Move { dst, src: whole.unwrap_or(NOWHERE) })
    }

    /// The parts of a value so far, with one more that begins at this byte.
    fn joined(&mut self, so_far: Option<Slot>, value: Slot, at: u8) -> Slot {
        let Some(so_far) = so_far else { return value };
        let (shifted, sum, by) = (self.temporary(), self.temporary(), self.constant(8 * u64::from(at)));
        self.bin(BinOp::Shl, shifted, value, by);
        self.bin(BinOp::Or, sum, so_far, shifted);
        sum
    }

    pub(super) fn store(&mut self, addr: Slot, value: Slot, size: u8, tags: &Tags) -> Result<(), NotCompiled> {
        if !self.is_plain(tags) {
            let site = self.atomic(SiteKind::Store(tags.clone()), size)?;
            return self.push(Ins::Store { addr, value, site });
        }
        for (access, at, size) in self.pieces(size)? {
            let to = self.offset(addr, u64::from(at));
            let mut part = value;
            if at > 0 {
                part = self.temporary();
                let by = self.constant(8 * u64::from(at));
                self.bin(BinOp::LShr, part, value, by);
            }
            let site = self.access(SiteKind::Store(tags.clone()), size, access, at);
            self.push(Ins::Store { addr: to, value: part, site })?;
        }
        Ok(())
    }

    fn is_plain(&self, tags: &Tags) -> bool {
        tags.iter().any(|tag| self.program.tags[*tag] == "NA")
    }

    /// The parts of the next access of the current instruction: where each begins, and its size.
    fn pieces(&mut self, size: u8) -> Result<Vec<(Access, u8, u8)>, NotCompiled> {
        if size > 8 {
            return Err(self.refuse(&format!("an access of {size} bytes")));
        }
        let access = self.next_access();
        let cuts = self.parts.get(&access).copied().unwrap_or(0);
        Ok(pieces(size, cuts).into_iter().map(|(at, length)| (access, at, length)).collect())
    }

    fn next_access(&mut self) -> Access {
        self.accesses += 1;
        Access { instr: self.instr, number: self.accesses - 1 }
    }

    /// The site of an atomic access, the next one of the current instruction.
    pub(super) fn atomic(&mut self, kind: SiteKind, size: u8) -> Result<SiteId, NotCompiled> {
        if !matches!(size, 1 | 2 | 4 | 8 | 16) {
            return Err(self.refuse(&format!("an atomic access of {size} bytes")));
        }
        let access = self.next_access();
        let site = self.access(kind, size, access, 0);
        let parts = pieces(size, self.parts.get(&access).copied().unwrap_or(0));
        if parts.len() > 1 {
            self.sites[site].parts = parts;
        }
        Ok(site)
    }

    /// The site of the write of an update whose read has this one.
    pub(super) fn atomic_again(&mut self, read: SiteId) -> SiteId {
        let Site { kind, size, access, parts, .. } = self.sites[read].clone();
        let site = self.site(kind, size);
        (self.sites[site].access, self.sites[site].parts) = (access, parts);
        site
    }

    /// The site of a part of an access.
    fn access(&mut self, kind: SiteKind, size: u8, access: Access, at: u8) -> SiteId {
        let site = self.site(kind, size);
        self.sites[site].access = Some((access, at));
        site
    }

    /// Copies or fills memory in pieces of 8 bytes and then smaller ones, from the end if the ranges would otherwise destroy
    /// each other.
    pub(super) fn copy(&mut self, to: &Expr, source: Source<'_>, len: &Expr, tags: &Tags) -> Result<(), NotCompiled> {
        let to_slot = self.temporary();
        self.value_into(to_slot, to)?;
        let from = match source {
            Source::Memory(from) => {
                let slot = self.temporary();
                self.value_into(slot, from)?;
                Piece::From(slot)
            }
            Source::Byte(byte) => {
                let (all, ones) = (self.temporary(), self.constant(0x0101_0101_0101_0101));
                let byte = self.value(byte)?;
                self.ins.push(Ins::Bin { op: BinOp::Mul, width: 64, dst: all, a: byte, b: ones });
                Piece::All(all)
            }
        };
        match len {
            Expr::Const(n) if n.unsigned() <= u128::from(UNROLLED_COPY) => {
                self.copy_unrolled(to_slot, from, n.unsigned() as u64, tags)
            }
            _ => self.copy_loop(to_slot, from, len, tags),
        }
    }

    fn copy_unrolled(&mut self, to: Slot, from: Piece, len: u64, tags: &Tags) -> Result<(), NotCompiled> {
        let mut pieces = Vec::new();
        let mut offset = 0;
        while offset < len {
            let size = [8, 4, 2, 1].into_iter().find(|s| offset + s <= len).unwrap_or(1);
            let value = match from {
                Piece::All(value) => value,
                Piece::From(base) => {
                    let (value, addr) = (self.temporary(), self.offset(base, offset));
                    self.load(value, addr, size as u8, tags)?;
                    value
                }
            };
            pieces.push((offset, size, value));
            offset += size;
        }
        for (offset, size, value) in pieces {
            let addr = self.offset(to, offset);
            self.store(addr, value, size as u8, tags)?;
        }
        Ok(())
    }

    fn offset(&mut self, base: Slot, offset: u64) -> Slot {
        if offset == 0 {
            return base;
        }
        let (dst, by) = (self.temporary(), self.constant(offset));
        self.ins.push(Ins::Bin { op: BinOp::Add, width: 64, dst, a: base, b: by });
        dst
    }

    fn copy_loop(&mut self, to: Slot, from: Piece, len: &Expr, tags: &Tags) -> Result<(), NotCompiled> {
        let total = self.temporary();
        self.value_into(total, len)?;
        let backward = match from {
            Piece::All(_) => self.constant(0),
            // From the end if the target begins inside the source.
            Piece::From(from) => {
                let (distance, backward) = (self.temporary(), self.temporary());
                self.bin(BinOp::Sub, distance, to, from);
                self.bin(BinOp::ULt, backward, distance, total);
                backward
            }
        };
        let done = self.temporary();
        let zero = self.constant(0);
        self.ins.push(Ins::Move { dst: done, src: zero });
        for size in [8, 4, 2, 1] {
            let step = self.constant(size);
            let (after, fits, at, rest) = (self.temporary(), self.temporary(), self.temporary(), self.temporary());
            let head = self.ins.len() as u32;
            self.bin(BinOp::Add, after, done, step);
            self.bin(BinOp::ULe, fits, after, total);
            let exit = self.ins.len();
            self.ins.push(Ins::If { cond: fits, then: INSIDE | (exit as u32 + 1), els: 0 });
            self.bin(BinOp::Sub, rest, total, after);
            self.ins.push(Ins::Select { dst: at, cond: backward, yes: rest, no: done });
            let target = self.temporary();
            let value = match from {
                Piece::All(value) => value,
                Piece::From(from) => {
                    let (value, source) = (self.temporary(), self.temporary());
                    self.bin(BinOp::Add, source, from, at);
                    self.load(value, source, size as u8, tags)?;
                    value
                }
            };
            self.bin(BinOp::Add, target, to, at);
            self.store(target, value, size as u8, tags)?;
            self.ins.push(Ins::Move { dst: done, src: after });
            let yes = self.constant(1);
            self.ins.push(Ins::If { cond: yes, then: INSIDE | head, els: INSIDE | head });
            self.leave_at(exit);
        }
        Ok(())
    }
}

/// What an access is made of if it is cut at these bytes: where each part begins, and its size.
fn pieces(size: u8, cuts: u16) -> Vec<(u8, u8)> {
    if cuts == 0 && size <= 8 {
        return vec![(0, size)];
    }
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < size {
        let end = (at + 1..size).find(|i| cuts >> i & 1 != 0).unwrap_or(size);
        let length = [8, 4, 2, 1].into_iter().find(|n| at.is_multiple_of(*n) && at + n <= end).unwrap_or(1);
        pieces.push((at, length));
        at += length;
    }
    pieces
}
