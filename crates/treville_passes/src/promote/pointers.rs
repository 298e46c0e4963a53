//! Which registers may hold addresses of the function's own objects, and what is done with them.
//!
//! Registers are looked at once for the whole function, not for each place: front ends assign most of them once.

use super::Site;
use crate::Boundary;
use crate::cfg::{Cfg, Liveness};
use crate::ops;
use std::collections::{BTreeMap, BTreeSet};
use treville_base::IndexVec;
use treville_ir::{BlockId, Expr, Func, Op, Reg, RegInfo, TagId};
use treville_term::BinOp;

/// What a value may be.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Value {
    /// Addresses in these objects.
    pub(super) bases: BTreeSet<usize>,
    /// At this offset, if it is always the same. Then no read has had a part in it either.
    pub(super) offset: Option<i64>,
    /// Null, perhaps with an offset added.
    pub(super) null: bool,
    /// Something else.
    pub(super) other: bool,
}

impl Value {
    fn other() -> Value {
        Value { other: true, ..Value::default() }
    }

    fn null() -> Value {
        Value { null: true, ..Value::default() }
    }

    fn join(&mut self, with: Value) {
        if with.bases.is_empty() {
        } else if self.bases.is_empty() {
            self.offset = with.offset;
        } else if self.offset != with.offset {
            self.offset = None;
        }
        self.bases.extend(with.bases);
        self.null |= with.null;
        self.other |= with.other;
    }

    /// The one object and the offset in it, if there is only one possibility.
    fn exact(&self) -> Option<(usize, i64)> {
        let only = self.bases.first().filter(|_| self.bases.len() == 1 && !self.null && !self.other)?;
        Some((*only, self.offset?))
    }
}

/// An access to exactly known bytes of one object (or of two).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Access {
    /// A load or a store.
    Part {
        site: usize,
        offset: i64,
        size: u64,
    },
    Fill {
        site: usize,
        offset: i64,
        size: u64,
    },
    Copy {
        to: (usize, i64),
        from: (usize, i64),
        size: u64,
    },
}

pub(super) struct Pointers {
    regs: IndexVec<Reg, RegInfo>,
    values: IndexVec<Reg, Value>,
    /// Sites whose address others may learn.
    escaped: BTreeSet<usize>,
    /// Sites whose address matters, or that are accessed at unknown offsets: they must stay memory.
    memory: BTreeSet<usize>,
    pub(super) accesses: BTreeMap<(BlockId, usize), Access>,
}

impl Pointers {
    pub(super) fn new(
        func: &Func,
        cfg: &Cfg,
        sites: &[Site],
        boundary: &Boundary,
        live: &Liveness,
        order_free: &impl Fn(&[TagId]) -> bool,
    ) -> Pointers {
        let mut values: IndexVec<Reg, Value> = func.regs.iter().map(|_| Value::default()).collect();
        live.live_in(BlockId(0)).iter().for_each(|r| values[*r] = Value::null());
        boundary.entry.iter().for_each(|r| values[*r] = Value::other());
        // Two objects of one register are not told apart.
        let twice = |s: &Site| sites.iter().filter(|other| other.dst == s.dst).count() > 1;
        let escaped = sites.iter().enumerate().filter(|(_, s)| twice(s)).map(|(i, _)| i).collect();
        let mut found =
            Pointers { regs: func.regs.clone(), values, escaped, memory: BTreeSet::new(), accesses: BTreeMap::new() };
        found.flow(func, cfg, sites);
        for &b in &cfg.order {
            let block = &func.blocks[b];
            for (i, inst) in block.insts.iter().enumerate() {
                let ordered = !ops::tags(&inst.op).iter().all(|t| order_free(t));
                found.look_at((b, i), &inst.op, ordered);
            }
            if let Some(e) = ops::end_expr(&block.end) {
                found.give_away(e);
            }
        }
        found.exit_escapes(boundary);
        found
    }

    pub(super) fn escapes(&self, site: usize) -> bool {
        self.escaped.contains(&site)
    }

    /// Whether accesses and addresses allow that the object becomes registers.
    pub(super) fn may_promote(&self, site: usize) -> bool {
        !self.escaped.contains(&site) && !self.memory.contains(&site)
    }

    /// Finds what every register may hold.
    fn flow(&mut self, func: &Func, cfg: &Cfg, sites: &[Site]) {
        let mut changed = true;
        while changed {
            changed = false;
            for &b in &cfg.order {
                for (i, inst) in func.blocks[b].insts.iter().enumerate() {
                    let Some(dst) = ops::def(&inst.op) else { continue };
                    let value = match &inst.op {
                        Op::Assign { value, .. } => self.value(value),
                        Op::Alloc { .. } => match sites.iter().position(|s| s.at == (b, i)) {
                            Some(site) => Value { bases: [site].into(), offset: Some(0), ..Value::default() },
                            None => Value::other(),
                        },
                        _ => Value::other(),
                    };
                    let before = self.values[dst].clone();
                    self.values[dst].join(value);
                    changed |= self.values[dst] != before;
                }
            }
        }
    }

    /// Registers that are read after the function must not hold addresses of its objects.
    fn exit_escapes(&mut self, boundary: &Boundary) {
        for r in &boundary.exit {
            self.escaped.extend(self.values[*r].bases.iter().copied());
        }
    }

    fn value(&self, e: &Expr) -> Value {
        match e {
            Expr::Const(v) if v.is_zero() => Value::null(),
            Expr::Const(_) | Expr::Addr(..) | Expr::Un(..) => Value::other(),
            Expr::Reg(r) => self.values[*r].clone(),
            Expr::Cast(_, 64, a) if ops::width(a, &self.regs) == Some(64) => self.value(a),
            Expr::Cast(..) => Value::other(),
            Expr::Bin(BinOp::Add, a, b) => {
                let (x, y) = (self.value(a), self.value(b));
                if x == Value::default() || y == Value::default() {
                    // Nothing has come here yet.
                    return Value::default();
                }
                match (x.bases.is_empty(), y.bases.is_empty()) {
                    (false, true) => shifted(x, b, false),
                    (true, false) => shifted(y, a, false),
                    _ => Value::other(),
                }
            }
            Expr::Bin(BinOp::Sub, a, b) => {
                let (x, y) = (self.value(a), self.value(b));
                if x == Value::default() || y == Value::default() {
                    Value::default()
                } else if y.bases.is_empty() && !x.bases.is_empty() {
                    shifted(x, b, true)
                } else {
                    Value::other()
                }
            }
            Expr::Bin(..) => Value::other(),
            Expr::Ite(c, a, b) => {
                let mut v = self.value(a);
                v.join(self.value(b));
                if crate::fold::has_regs(c) {
                    v.offset = None;
                }
                v
            }
        }
    }

    /// Records what computing an expression gives away.
    fn compute(&mut self, e: &Expr) {
        match e {
            Expr::Const(_) | Expr::Addr(..) | Expr::Reg(_) => {}
            Expr::Un(_, a) => self.give_away(a),
            Expr::Cast(_, 64, a) if ops::width(a, &self.regs) == Some(64) => self.compute(a),
            Expr::Cast(_, _, a) => self.give_away(a),
            Expr::Ite(c, a, b) => {
                self.give_away(c);
                self.compute(a);
                self.compute(b);
            }
            Expr::Bin(op, a, b) => {
                self.compute(a);
                self.compute(b);
                self.operator(*op, &self.value(a), &self.value(b));
            }
        }
    }

    /// Records what an operator on these values gives away.
    fn operator(&mut self, op: BinOp, x: &Value, y: &Value) {
        let bases: Vec<usize> = x.bases.union(&y.bases).copied().collect();
        let own = |v: &Value| !v.bases.is_empty() && !v.other;
        // An address, or null.
        let fine = |v: &Value| own(v) || (v.bases.is_empty() && !v.other);
        let one_of_two = x.bases.is_empty() || y.bases.is_empty();
        let same = x.bases == y.bases && bases.len() == 1 && own(x) && own(y) && !x.null && !y.null;
        match op {
            _ if bases.is_empty() => {}
            // Still a pointer into the object.
            BinOp::Add if one_of_two => {}
            BinOp::Sub if y.bases.is_empty() => {}
            // A distance inside one object.
            BinOp::Sub if same => self.memory.extend(bases),
            _ if self.null_check(op, x, y).is_some() => {}
            _ if op.is_comparison() && fine(x) && fine(y) => self.memory.extend(bases),
            _ => self.escaped.extend(bases),
        }
    }

    /// The result of comparing with null what certainly is an address.
    fn null_check(&self, op: BinOp, x: &Value, y: &Value) -> Option<bool> {
        let null = |v: &Value| v.null && !v.other && v.bases.is_empty();
        let address = |v: &Value| v.exact().is_some();
        let compares = (null(x) && address(y)) || (address(x) && null(y));
        match op {
            BinOp::Eq if compares => Some(false),
            BinOp::Ne if compares => Some(true),
            _ => None,
        }
    }

    /// Replaces comparisons of an address with null by what they always give.
    pub(super) fn fold_null_checks(&self, e: &mut Expr) {
        match e {
            Expr::Const(_) | Expr::Addr(..) | Expr::Reg(_) => {}
            Expr::Un(_, a) | Expr::Cast(_, _, a) => self.fold_null_checks(a),
            Expr::Ite(c, a, b) => [c, a, b].into_iter().for_each(|e| self.fold_null_checks(e)),
            Expr::Bin(op, a, b) => {
                // Registers that the rewriting has made are not known here, and hold no addresses.
                let known = |e: &Expr| {
                    let mut known = true;
                    e.visit_regs(&mut |r| known &= self.values.get(r).is_some());
                    known
                };
                if op.is_comparison()
                    && known(a)
                    && known(b)
                    && let Some(result) = self.null_check(*op, &self.value(a), &self.value(b))
                {
                    *e = Expr::int(i64::from(result), 1);
                    return;
                }
                self.fold_null_checks(a);
                self.fold_null_checks(b);
            }
        }
    }

    /// Records an expression whose value leaves the function's sight.
    fn give_away(&mut self, e: &Expr) {
        self.compute(e);
        let value = self.value(e);
        self.escaped.extend(value.bases);
    }

    fn look_at(&mut self, at: (BlockId, usize), op: &Op, ordered: bool) {
        match op {
            Op::Assign { value, .. } => self.compute(value),
            Op::Load { addr, .. } if ordered => self.give_away(addr),
            Op::Load { addr, size, .. } => self.access(at, addr, u64::from(*size)),
            Op::Store { addr, value, size, .. } => {
                self.give_away(value);
                if ordered { self.give_away(addr) } else { self.access(at, addr, u64::from(*size)) }
            }
            Op::Fill { .. } | Op::Copy { .. } if ordered => ops::exprs(op).into_iter().for_each(|e| self.give_away(e)),
            Op::Fill { to, byte, len, tags: _ } => {
                self.give_away(byte);
                self.give_away(len);
                if let Some((site, offset)) = self.address(to) {
                    match constant(len) {
                        Some(size) => self.found(at, Access::Fill { site, offset, size }),
                        None => self.memory.extend([site]),
                    }
                }
            }
            Op::Copy { to, from, len, tags: _ } => {
                self.give_away(len);
                let (to, from) = (self.address(to), self.address(from));
                match (to, from, constant(len)) {
                    (Some(to), Some(from), Some(size)) => self.found(at, Access::Copy { to, from, size }),
                    _ => self.memory.extend(to.into_iter().chain(from).map(|(site, _)| site)),
                }
            }
            _ => ops::exprs(op).into_iter().for_each(|e| self.give_away(e)),
        }
    }

    fn access(&mut self, at: (BlockId, usize), addr: &Expr, size: u64) {
        if let Some((site, offset)) = self.address(addr) {
            self.found(at, Access::Part { site, offset, size });
        }
    }

    fn found(&mut self, at: (BlockId, usize), access: Access) {
        self.accesses.insert(at, access);
    }

    /// An address that is accessed: the exact place, or nothing if it is unknown or not in an object of the function.
    fn address(&mut self, addr: &Expr) -> Option<(usize, i64)> {
        self.compute(addr);
        let value = self.value(addr);
        if let Some(exact) = value.exact() {
            return Some(exact);
        }
        if value.other {
            self.escaped.extend(value.bases);
        } else {
            self.memory.extend(value.bases);
        }
        None
    }
}

fn constant(e: &Expr) -> Option<u64> {
    if let Expr::Const(v) = e { u64::try_from(v.unsigned()).ok() } else { None }
}

/// A pointer with a number added, or subtracted.
fn shifted(mut pointer: Value, by: &Expr, minus: bool) -> Value {
    let by = if let Expr::Const(v) = by { i64::try_from(v.signed()).ok() } else { None };
    pointer.offset =
        pointer.offset.zip(by).and_then(|(at, by)| if minus { at.checked_sub(by) } else { at.checked_add(by) });
    pointer
}
