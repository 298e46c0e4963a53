//! The parts of objects that become registers.

use super::Site;
use super::pointers::{Access, Pointers};
use std::collections::BTreeMap;
use treville_base::Name;
use treville_ir::{Expr, Func, Inst, Op, Reg, RegInfo};
use treville_term::{BinOp, Bv};

/// The parts of one object: sizes by offset.
type Layout = BTreeMap<u64, u64>;

/// The objects that are to become registers, with their parts.
pub(super) struct Parts {
    layouts: BTreeMap<usize, Layout>,
    sizes: Vec<Option<u64>>,
    /// Registers of the parts, by object and offset.
    regs: BTreeMap<(usize, u64), Reg>,
}

impl Parts {
    pub(super) fn new(pointers: &Pointers, sites: &[Site]) -> Parts {
        let candidates = sites.iter().enumerate().filter(|(i, s)| pointers.may_promote(*i) && s.size.is_some());
        let layouts = candidates.map(|(i, _)| (i, Layout::new())).collect();
        Parts { layouts, sizes: sites.iter().map(|s| s.size).collect(), regs: BTreeMap::new() }
    }

    pub(super) fn is_promoted(&self, site: usize) -> bool {
        self.layouts.contains_key(&site)
    }

    pub(super) fn reject(&mut self, site: usize) {
        self.layouts.remove(&site);
    }

    pub(super) fn registers(&self, site: usize) -> impl Iterator<Item = Reg> {
        self.regs.range((site, 0)..=(site, u64::MAX)).map(|(_, r)| *r)
    }

    /// Finds the parts, and rejects objects until those that are left agree with each other.
    pub(super) fn settle(&mut self, pointers: &Pointers) {
        loop {
            let n = self.layouts.len();
            self.layouts.values_mut().for_each(Layout::clear);
            for access in pointers.accesses.values() {
                self.add_access(*access);
            }
            while self.spread(pointers) {}
            self.check(pointers);
            if self.layouts.len() == n {
                return;
            }
        }
    }

    /// The bytes of an access, if they are inside the object.
    fn range(&self, site: usize, offset: i64, size: u64) -> Option<(u64, u64)> {
        let start = u64::try_from(offset).ok()?;
        let end = start.checked_add(size)?;
        self.sizes[site].is_some_and(|n| end <= n).then_some((start, end))
    }

    fn add_access(&mut self, access: Access) {
        match access {
            Access::Part { site, offset, size } => match self.range(site, offset, size) {
                Some((start, _)) => self.add_part(site, start, size),
                None => self.reject(site),
            },
            Access::Fill { site, offset, size } => {
                if self.range(site, offset, size).is_none() {
                    self.reject(site);
                }
            }
            Access::Copy { to, from, size } => {
                let inside = |(site, offset)| self.range(site, offset, size).is_some();
                let both = self.is_promoted(to.0) && self.is_promoted(from.0);
                if !both || !inside(to) || !inside(from) {
                    self.reject(to.0);
                    self.reject(from.0);
                }
            }
        }
    }

    /// Adds a part; one at the same offset with another size overlaps it, which rejects the object.
    fn add_part(&mut self, site: usize, start: u64, size: u64) {
        let Some(layout) = self.layouts.get_mut(&site) else { return };
        let other = *layout.entry(start).or_insert(size);
        let before = layout.range(..start).next_back().is_some_and(|(o, s)| o + s > start);
        let after = layout.range(start + 1..).next().is_some_and(|(o, _)| *o < start + size);
        if other != size || before || after {
            self.reject(site);
        }
    }

    /// What a copy moves has the same parts on both sides. Says whether there are new ones.
    fn spread(&mut self, pointers: &Pointers) -> bool {
        let n_parts = |parts: &Self| parts.layouts.values().map(Layout::len).sum::<usize>();
        let before = (self.layouts.len(), n_parts(self));
        for access in pointers.accesses.values() {
            let Access::Copy { to, from, size } = *access else { continue };
            for (one, other) in [(to, from), (from, to)] {
                let (Some((start, end)), Some((target, _))) =
                    (self.range(one.0, one.1, size), self.range(other.0, other.1, size))
                else {
                    continue;
                };
                let Some(layout) = self.layouts.get(&one.0) else { continue };
                let inside: Vec<(u64, u64)> = layout.range(start..end).map(|(o, s)| (*o, *s)).collect();
                for (offset, part) in inside {
                    self.add_part(other.0, target + (offset - start), part);
                }
            }
        }
        before != (self.layouts.len(), n_parts(self))
    }

    /// Rejects objects of which a fill or a copy covers a part in part only, and both sides of a copy if one is rejected.
    fn check(&mut self, pointers: &Pointers) {
        for access in pointers.accesses.values() {
            match *access {
                Access::Part { .. } => {}
                Access::Fill { site, offset, size } => {
                    if !self.covers_whole_parts(site, offset, size) {
                        self.reject(site);
                    }
                }
                Access::Copy { to, from, size } => {
                    let whole = [to, from].iter().all(|(site, at)| self.covers_whole_parts(*site, *at, size));
                    if !whole {
                        self.reject(to.0);
                        self.reject(from.0);
                    }
                }
            }
        }
    }

    fn covers_whole_parts(&self, site: usize, offset: i64, size: u64) -> bool {
        let (Some(layout), Some((start, end))) = (self.layouts.get(&site), self.range(site, offset, size)) else {
            return false;
        };
        let apart = |o: u64, s: u64| o + s <= start || end <= o;
        layout.iter().all(|(&o, &s)| apart(o, s) || (start <= o && o + s <= end))
    }

    /// The function with accesses to parts as assignments; the objects are still made.
    pub(super) fn rewrite(&mut self, func: &Func, sites: &[Site], pointers: &Pointers) -> Func {
        let mut new = func.clone();
        self.regs.clear();
        for (site, layout) in &self.layouts {
            let base = &func.regs[sites[*site].dst].name;
            for (offset, size) in layout {
                let name = Name::from(format!("{base}.{offset}"));
                let width = u8::try_from(8 * size).unwrap_or(128);
                self.regs.insert((*site, *offset), new.regs.push(RegInfo { name, width }));
            }
        }
        for (b, block) in func.blocks.iter_enumerated() {
            let mut insts = Vec::with_capacity(block.insts.len());
            for (i, inst) in block.insts.iter().enumerate() {
                match pointers.accesses.get(&(b, i)) {
                    Some(access) if self.replaces(*access) => {
                        let assigns = self.assignments(*access, &inst.op, &mut new);
                        insts.extend(assigns.into_iter().map(|op| Inst { op, ..inst.clone() }));
                    }
                    _ => insts.push(inst.clone()),
                }
            }
            new.blocks[b].insts = insts;
        }
        new
    }

    fn replaces(&self, access: Access) -> bool {
        match access {
            Access::Part { site, .. } | Access::Fill { site, .. } => self.is_promoted(site),
            Access::Copy { to, .. } => self.is_promoted(to.0),
        }
    }

    /// The registers of the parts in a range.
    fn in_range(&self, site: usize, offset: i64, size: u64) -> Vec<Reg> {
        let Some((start, end)) = self.range(site, offset, size) else { return Vec::new() };
        self.regs.range((site, start)..(site, end)).map(|(_, r)| *r).collect()
    }

    fn assignments(&self, access: Access, op: &Op, func: &mut Func) -> Vec<Op> {
        let assign = |dst, value| Op::Assign { dst, value };
        match (access, op) {
            (Access::Part { site, offset, size }, Op::Load { dst, .. }) => {
                self.in_range(site, offset, size).into_iter().map(|part| assign(*dst, Expr::Reg(part))).collect()
            }
            (Access::Part { site, offset, size }, Op::Store { value, .. }) => {
                self.in_range(site, offset, size).into_iter().map(|part| assign(part, value.clone())).collect()
            }
            (Access::Fill { site, offset, size }, Op::Fill { byte, .. }) => {
                let parts = self.in_range(site, offset, size);
                parts.into_iter().map(|part| assign(part, repeated(byte, func.regs[part].width))).collect()
            }
            (Access::Copy { to, from, size }, _) => {
                let (to, from) = (self.in_range(to.0, to.1, size), self.in_range(from.0, from.1, size));
                // Through a buffer, since the sides may overlap.
                let buffer: Vec<Reg> = to.iter().map(|r| func.regs.push(func.regs[*r].clone())).collect();
                let read = buffer.iter().zip(from).map(|(via, from)| assign(*via, Expr::Reg(from)));
                let write = to.iter().zip(&buffer).map(|(to, via)| assign(*to, Expr::Reg(*via)));
                read.chain(write).collect()
            }
            (Access::Part { .. } | Access::Fill { .. }, _) => vec![op.clone()],
        }
    }
}

/// A value of this width, all of whose bytes are `byte`.
fn repeated(byte: &Expr, width: u8) -> Expr {
    let ones = (0..width / 8).fold(0u128, |n, _| n << 8 | 1);
    match byte {
        Expr::Const(v) => Expr::Const(Bv::new(v.unsigned().wrapping_mul(ones), width)),
        _ if width == 8 => byte.clone(),
        _ => Expr::bin(BinOp::Mul, byte.clone().zext(width), Expr::Const(Bv::new(ones, width))),
    }
}
