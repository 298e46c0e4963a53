//! Conditions: linear comparisons and places of processes under `&&` and `||`. Negations are worked into the leaves.

use crate::{Linear, NodeId, Number, ProcId, VarId};

/// How a sum compares with 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Rel {
    Eq,
    Ne,
    Le,
}

/// `linear rel 0`, in a normal form: factors have no common divisor, and an (in)equality begins with a positive one.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Atom {
    linear: Linear,
    rel: Rel,
}

impl Atom {
    pub fn linear(&self) -> &Linear {
        &self.linear
    }

    pub fn rel(&self) -> Rel {
        self.rel
    }

    pub fn mentions(&self, var: VarId) -> bool {
        self.linear.mentions(var)
    }

    /// What holds when this does not. `None` only where a number gets too large.
    pub fn negated(&self) -> Option<Atom> {
        let rel = match self.rel {
            Rel::Eq => Rel::Ne,
            Rel::Ne => Rel::Eq,
            Rel::Le => {
                let linear = Linear::constant(1).plus(-1, &self.linear)?;
                return Some(Atom { linear, rel: Rel::Le });
            }
        };
        Some(Atom { linear: self.linear.clone(), rel })
    }

    pub fn eval(&self, value: &impl Fn(VarId) -> Number) -> Option<bool> {
        let sum = self.linear.eval(value)?;
        Some(match self.rel {
            Rel::Eq => sum == 0,
            Rel::Ne => sum != 0,
            Rel::Le => sum <= 0,
        })
    }
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Cond {
    Const(bool),
    Atom(Atom),
    /// Whether a process is about to execute this node.
    At {
        proc: ProcId,
        node: NodeId,
        holds: bool,
    },
    And(Vec<Cond>),
    Or(Vec<Cond>),
}

impl Cond {
    /// `linear rel 0`
    pub fn compare(linear: Linear, rel: Rel) -> Option<Cond> {
        let constant = linear.offset();
        let Some(divisor) = linear.terms().iter().map(|t| t.1.unsigned_abs()).reduce(gcd) else {
            return Some(Cond::Const(match rel {
                Rel::Eq => constant == 0,
                Rel::Ne => constant != 0,
                Rel::Le => constant <= 0,
            }));
        };
        let divisor = i64::try_from(divisor).ok()?;
        let sign = if rel != Rel::Le && linear.terms()[0].1 < 0 { -1 } else { 1 };
        let offset = match rel {
            Rel::Le => constant.div_euclid(divisor) + i64::from(constant.rem_euclid(divisor) != 0),
            _ if constant % divisor != 0 => return Some(Cond::Const(rel == Rel::Ne)),
            _ => (constant / divisor).checked_mul(sign)?,
        };
        let mut divided = Linear::constant(offset);
        for &(var, factor) in linear.terms() {
            divided = divided.plus((factor / divisor).checked_mul(sign)?, &Linear::var(var))?;
        }
        Some(Cond::Atom(Atom { linear: divided, rel }))
    }

    pub fn negated(&self) -> Option<Cond> {
        let all = |many: &[Cond]| many.iter().map(Cond::negated).collect::<Option<Vec<_>>>();
        Some(match self {
            Cond::Const(value) => Cond::Const(!value),
            Cond::Atom(atom) => Cond::Atom(atom.negated()?),
            Cond::At { proc, node, holds } => Cond::At { proc: *proc, node: *node, holds: !holds },
            Cond::And(many) => Cond::Or(all(many)?),
            Cond::Or(many) => Cond::And(all(many)?),
        })
    }

    pub fn and(parts: impl IntoIterator<Item = Cond>) -> Cond {
        let mut all = Vec::new();
        for part in parts {
            match part {
                Cond::Const(true) => {}
                Cond::Const(false) => return part,
                Cond::And(many) => all.extend(many),
                part => all.push(part),
            }
        }
        match all.len() {
            0 => Cond::Const(true),
            1 => all.remove(0),
            _ => Cond::And(all),
        }
    }

    pub fn or(parts: impl IntoIterator<Item = Cond>) -> Cond {
        let mut all = Vec::new();
        for part in parts {
            match part {
                Cond::Const(false) => {}
                Cond::Const(true) => return part,
                Cond::Or(many) => all.extend(many),
                part => all.push(part),
            }
        }
        match all.len() {
            0 => Cond::Const(false),
            1 => all.remove(0),
            _ => Cond::Or(all),
        }
    }

    /// With `value` in place of a variable.
    pub fn substitute(&self, var: VarId, value: &Linear) -> Option<Cond> {
        let each = |many: &[Cond]| many.iter().map(|c| c.substitute(var, value)).collect::<Option<Vec<_>>>();
        match self {
            Cond::Const(_) | Cond::At { .. } => Some(self.clone()),
            Cond::Atom(atom) if !atom.mentions(var) => Some(self.clone()),
            Cond::Atom(atom) => Cond::compare(atom.linear.substitute(var, value)?, atom.rel),
            Cond::And(many) => each(many).map(Cond::and),
            Cond::Or(many) => each(many).map(Cond::or),
        }
    }

    /// Its value; `None` where a number gets too large.
    pub fn eval(&self, value: &impl Fn(VarId) -> Number, at: &impl Fn(ProcId) -> NodeId) -> Option<bool> {
        match self {
            Cond::Const(value) => Some(*value),
            Cond::Atom(atom) => atom.eval(value),
            Cond::At { proc, node, holds } => Some((at(*proc) == *node) == *holds),
            Cond::And(many) => many.iter().try_fold(true, |all, part| Some(all & part.eval(value, at)?)),
            Cond::Or(many) => many.iter().try_fold(false, |any, part| Some(any | part.eval(value, at)?)),
        }
    }

    /// Calls `visit` for this and every part of it.
    pub fn visit(&self, visit: &mut impl FnMut(&Cond)) {
        visit(self);
        if let Cond::And(many) | Cond::Or(many) = self {
            many.iter().for_each(|part| part.visit(visit));
        }
    }

    /// The comparisons in it, from left to right.
    pub fn atoms(&self) -> Vec<Atom> {
        let mut atoms = Vec::new();
        self.visit(&mut |part| {
            if let Cond::Atom(atom) = part {
                atoms.push(atom.clone());
            }
        });
        atoms
    }

    pub fn mentions(&self, var: VarId) -> bool {
        self.atoms().iter().any(|atom| atom.mentions(var))
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
