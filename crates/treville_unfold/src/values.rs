//! Solving for values: given who reads from whom, what does each read return?
//!
//! A read returns what its source writes, which may depend on other reads. Reads that only copy from each other in a circle
//! have a value out of thin air, equal to nothing else; a circle through any computation has no solution.

use treville_term::{Bv, Cast, TermId, TermNode, TermStore, VarId};

/// No value, at least not yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stuck {
    /// Some read that matters has no source yet.
    Unbound,
    /// Values depend on themselves, or something is computed from a value out of thin air.
    Circular,
}

#[derive(Clone, Copy, Debug)]
enum Memo {
    Unknown,
    Busy,
    Known(Bv),
}

#[derive(Clone, Debug)]
pub struct Values<'s> {
    store: &'s TermStore,
    bound: Vec<Option<TermId>>,
    /// Valid in the epoch that it was made in.
    memo: Vec<(u32, Memo)>,
    epoch: u32,
}

impl<'s> Values<'s> {
    pub fn new(store: &'s TermStore, n_vars: u32) -> Self {
        Values { store, bound: vec![None; n_vars as usize], memo: vec![(0, Memo::Unknown); n_vars as usize], epoch: 1 }
    }

    pub fn store(&self) -> &'s TermStore {
        self.store
    }

    /// Says what a variable is. Values computed so far that did not need it stay valid.
    pub fn bind(&mut self, var: VarId, term: TermId) {
        self.bound[var.0 as usize] = Some(term);
    }

    pub fn is_bound(&self, var: VarId) -> bool {
        self.bound[var.0 as usize].is_some()
    }

    /// Takes back the binding of a variable; everything is computed anew.
    pub fn unbind(&mut self, var: VarId) {
        self.bound[var.0 as usize] = None;
        self.epoch += 1;
    }

    pub fn eval(&mut self, term: TermId) -> Result<Bv, Stuck> {
        match self.store.node(term) {
            TermNode::Const(v) => Ok(v),
            TermNode::Var(v, _) => self.var(v),
            TermNode::Un(op, a) => Ok(op.eval(self.solid(a)?)),
            TermNode::Bin(op, a, b) => {
                let a = self.solid(a)?;
                Ok(op.eval(a, self.solid(b)?))
            }
            TermNode::Cast(kind, width, a) => Ok(self.eval(a).map(|v| cast(kind, v, width))?),
            TermNode::Ite(c, a, b) => {
                let c = self.solid(c)?;
                self.eval(if c.is_zero() { b } else { a })
            }
        }
    }

    /// A value that something is computed from, or that decides something: not one out of thin air.
    pub fn solid(&mut self, term: TermId) -> Result<Bv, Stuck> {
        let value = self.eval(term)?;
        if value.is_thin_air() { Err(Stuck::Circular) } else { Ok(value) }
    }

    pub fn var(&mut self, v: VarId) -> Result<Bv, Stuck> {
        match self.memo[v.0 as usize] {
            (epoch, Memo::Known(value)) if epoch == self.epoch => return Ok(value),
            (epoch, Memo::Busy) if epoch == self.epoch => return Err(Stuck::Circular),
            _ => {}
        }
        if let Some(cycle) = self.copies_itself(v) {
            self.memo[v.0 as usize] = (self.epoch, Memo::Known(cycle));
            return Ok(cycle);
        }
        let term = self.bound[v.0 as usize].ok_or(Stuck::Unbound)?;
        self.memo[v.0 as usize] = (self.epoch, Memo::Busy);
        let value = self.eval(term);
        self.memo[v.0 as usize] = (self.epoch, value.map_or(Memo::Unknown, Memo::Known));
        value
    }

    /// If following plain copies from `v` leads back to `v`: the circle's value, named after its last variable.
    fn copies_itself(&self, v: VarId) -> Option<Bv> {
        let mut last = v;
        let mut at = v;
        for _ in 0..self.bound.len() {
            let TermNode::Var(next, _) = self.store.node(self.bound[at.0 as usize]?) else { return None };
            if next == v {
                return Some(Bv::thin_air(last.0));
            }
            last = last.max(next);
            at = next;
        }
        None
    }
}

fn cast(kind: Cast, v: Bv, width: u8) -> Bv {
    if v.is_thin_air() { v } else { kind.eval(v, width) }
}
