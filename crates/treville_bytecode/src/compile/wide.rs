//! Values of 128 bits, which atomic accesses of 16 bytes read and write: two slots, for the lower and the upper word. They are
//! put together, taken apart, chosen and compared; arithmetic on them is made of words before.

use super::{Compiler, NotCompiled, slot};
use crate::code::{Ins, SiteKind, Slot};
use treville_base::Idx;
use treville_ir::{Expr, Reg, Tags};
use treville_term::BinOp;

impl Compiler<'_> {
    /// Gives registers of 128 bits a slot for their upper words.
    pub(super) fn make_wide_registers(&mut self) -> Result<(), NotCompiled> {
        for (reg, info) in self.func.regs.iter_enumerated().filter(|(_, info)| info.width > 64) {
            if info.width != 128 || self.func.params.contains(&reg) || self.observed.contains(&slot(reg)) {
                return Err(self.refuse(&format!("the value {} of {} bits", info.name, info.width)));
            }
            let upper = self.temporary();
            self.upper.insert(Reg::from_usize(reg.index()), upper);
        }
        Ok(())
    }

    /// The slots of the lower and the upper word of a value.
    pub(super) fn words(&mut self, e: &Expr) -> Result<[Slot; 2], NotCompiled> {
        let zero = self.constant(0);
        let by_word = |by: &Expr| matches!(by, Expr::Const(by) if by.unsigned() == 64);
        match e {
            Expr::Reg(r) if self.upper.contains_key(r) => Ok([slot(*r), self.upper[r]]),
            Expr::Const(v) => {
                let bits = v.unsigned();
                Ok([self.constant(bits as u64), self.constant((bits >> 64) as u64)])
            }
            Expr::Cast(treville_term::Cast::Zero, _, a) if self.width(a) <= 64 => Ok([self.value(a)?, zero]),
            Expr::Bin(BinOp::Shl, a, by) if by_word(by) => Ok([zero, self.words(a)?[0]]),
            Expr::Bin(BinOp::LShr, a, by) if by_word(by) => Ok([self.words(a)?[1], zero]),
            Expr::Bin(op @ (BinOp::And | BinOp::Or | BinOp::Xor), a, b) => {
                let (a, b) = (self.words(a)?, self.words(b)?);
                Ok([self.word(*op, a[0], b[0], zero), self.word(*op, a[1], b[1], zero)])
            }
            Expr::Ite(cond, a, b) => {
                let (cond, a, b) = (self.value(cond)?, self.words(a)?, self.words(b)?);
                Ok([0, 1].map(|i| {
                    let dst = self.temporary();
                    self.ins.push(Ins::Select { dst, cond, yes: a[i], no: b[i] });
                    dst
                }))
            }
            _ => Err(self.refuse(&format!("arithmetic on {} bits", self.width(e)))),
        }
    }

    fn word(&mut self, op: BinOp, a: Slot, b: Slot, zero: Slot) -> Slot {
        match op {
            BinOp::Or | BinOp::Xor if a == zero => b,
            BinOp::Or | BinOp::Xor if b == zero => a,
            _ => {
                let dst = self.temporary();
                self.bin(op, dst, a, b);
                dst
            }
        }
    }

    pub(super) fn compare_wide(&mut self, dst: Slot, equal: bool, a: &Expr, b: &Expr) -> Result<(), NotCompiled> {
        let (a, b) = (self.words(a)?, self.words(b)?);
        let (op, both) = if equal { (BinOp::Eq, BinOp::And) } else { (BinOp::Ne, BinOp::Or) };
        let halves = [0, 1].map(|i| {
            let half = self.temporary();
            self.bin(op, half, a[i], b[i]);
            half
        });
        self.bin(both, dst, halves[0], halves[1]);
        Ok(())
    }

    pub(super) fn assign_wide(&mut self, dst: Reg, value: &Expr) -> Result<(), NotCompiled> {
        let [low, high] = self.words(value)?;
        // What is assigned may have been computed from what was there, the one word from the other.
        let kept = self.temporary();
        self.ins.push(Ins::Move { dst: kept, src: high });
        self.ins.push(Ins::Move { dst: slot(dst), src: low });
        self.push(Ins::Move { dst: self.upper[&dst], src: kept })
    }

    pub(super) fn load_wide(&mut self, dst: Reg, addr: &Expr, tags: &Tags) -> Result<(), NotCompiled> {
        let addr = self.value(addr)?;
        self.load(slot(dst), addr, 16, tags)?;
        self.take_upper(dst);
        Ok(())
    }

    /// After 16 bytes were read into a register: its upper word.
    pub(super) fn take_upper(&mut self, reg: Reg) {
        if let Some(dst) = self.upper.get(&reg) {
            self.ins.push(Ins::High { dst: *dst, low: slot(reg) });
        }
    }

    pub(super) fn store_wide(&mut self, addr: &Expr, value: &Expr, tags: &Tags) -> Result<(), NotCompiled> {
        let addr = self.value(addr)?;
        let value = self.written(value, 16)?;
        let site = self.atomic(SiteKind::Store(tags.clone()), 16)?;
        self.push(Ins::Store { addr, value, site })
    }

    /// The slot of what is written next, or of its lower word if it has two.
    pub(super) fn written(&mut self, value: &Expr, size: u8) -> Result<Slot, NotCompiled> {
        if size < 16 {
            return self.value(value);
        }
        let [low, high] = self.words(value)?;
        self.ins.push(Ins::Upper { src: high });
        Ok(low)
    }
}
