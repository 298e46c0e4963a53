//! Predicates, cubes of them, and the weakest disjunction of cubes that implies a condition.

use crate::lia::{Answer, Lia, cases};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use treville_base::Cancel;
use treville_rma::{Atom, Cond, NodeId, Number, VarId};

/// A set of predicates, by number.
pub(crate) type Bits = u128;

/// The most predicates that there can be.
pub(crate) const MAX_PREDICATES: usize = 128;

pub(crate) fn bit(i: usize) -> Bits {
    1 << i
}

/// The members of a set.
pub(crate) fn members(mut bits: Bits) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let next = (bits != 0).then(|| bits.trailing_zeros() as usize)?;
        bits &= bits - 1;
        Some(next)
    })
}

/// A conjunction: these hold, and those do not.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(crate) struct Cube {
    pub(crate) pos: Bits,
    pub(crate) neg: Bits,
}

impl Cube {
    pub(crate) fn literal(predicate: usize, holds: bool) -> Cube {
        if holds { Cube { pos: bit(predicate), neg: 0 } } else { Cube { pos: 0, neg: bit(predicate) } }
    }

    pub(crate) fn and(self, other: Cube) -> Cube {
        Cube { pos: self.pos | other.pos, neg: self.neg | other.neg }
    }

    /// Whether it is certain, where these are known to hold and those not to.
    pub(crate) fn holds(self, one: Bits, zero: Bits) -> bool {
        self.pos & !one == 0 && self.neg & !zero == 0
    }

    pub(crate) fn within(self, other: Cube) -> bool {
        self.pos & !other.pos == 0 && self.neg & !other.neg == 0
    }
}

/// Truth values of random assignments, to tell without a solver that something is not implied.
const SAMPLES: usize = 512;
type Samples = [u64; SAMPLES / 64];

/// The search for cubes over a set of predicates.
pub(crate) struct Strengthener<'a, L> {
    solver: &'a L,
    pub(crate) predicates: &'a [Atom],
    /// The longest cube.
    longest: usize,
    samples: Vec<[Samples; 2]>,
    known: FxHashMap<Cond, Vec<Cube>>,
    /// For each literal, the literals that it implies: `[predicate][holds]`.
    pub(crate) implied: Vec<[Cube; 2]>,
    pub(crate) queries: usize,
    cancel: &'a Cancel,
}

/// A value for a variable in a sample: small ones mostly.
fn sampled(sample: usize, var: VarId) -> Number {
    let mut x = (sample as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        ^ u64::from(var.0 + 1).wrapping_mul(0xd1b5_4a32_d192_ed03);
    x ^= x >> 31;
    x = x.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^= x >> 29;
    let range = [2, 3, 4, 6, 9][sample % 5];
    Number::from(x % range) - Number::from(sample.is_multiple_of(7)) * 2
}

fn samples(test: impl Fn(&dyn Fn(VarId) -> Number) -> bool) -> Samples {
    let mut bits = [0; SAMPLES / 64];
    for sample in 0..SAMPLES {
        if test(&|var| sampled(sample, var)) {
            bits[sample / 64] |= 1 << (sample % 64);
        }
    }
    bits
}

fn meet(a: &Samples, b: &Samples) -> Samples {
    std::array::from_fn(|i| a[i] & b[i])
}

fn is_empty(a: &Samples) -> bool {
    a.iter().all(|w| *w == 0)
}

impl<'a, L: Lia> Strengthener<'a, L> {
    pub(crate) fn new(solver: &'a L, predicates: &'a [Atom], longest: usize, cancel: &'a Cancel) -> Self {
        let of = |atom: &Atom| {
            let holds = samples(|value| atom.eval(&|v| value(v)) == Some(true));
            [holds.map(|w| !w), holds]
        };
        let samples = predicates.iter().map(of).collect();
        let (known, queries) = (FxHashMap::default(), 0);
        let mut this =
            Strengthener { solver, predicates, longest, samples, known, implied: Vec::new(), queries, cancel };
        this.implied = this.implications();
        this
    }

    /// A literal as a comparison.
    fn atom(&self, predicate: usize, holds: bool) -> Option<Atom> {
        let atom = &self.predicates[predicate];
        if holds { Some(atom.clone()) } else { atom.negated() }
    }

    fn implications(&mut self) -> Vec<[Cube; 2]> {
        let n = self.predicates.len();
        let mut all = vec![[Cube::default(); 2]; n];
        for (p, implied) in all.iter_mut().enumerate() {
            for q in (0..n).filter(|q| *q != p && shares(&self.predicates[p], &self.predicates[*q])) {
                for holds in [false, true] {
                    for then in [false, true] {
                        let against = meet(&self.samples[p][usize::from(holds)], &self.samples[q][usize::from(!then)]);
                        let (Some(a), Some(b)) = (self.atom(p, holds), self.atom(q, then)) else { continue };
                        if is_empty(&against) && self.asked(&[a], &Cond::Atom(b)) {
                            let cube = &mut implied[usize::from(holds)];
                            *cube = cube.and(Cube::literal(q, then));
                        }
                    }
                }
            }
        }
        all
    }

    fn asked(&mut self, atoms: &[Atom], cond: &Cond) -> bool {
        self.queries += 1;
        let Some(cases) = cond.negated().as_ref().and_then(cases) else { return false };
        // Nothing is implied once the time is over, which is never wrong; the result is discarded then.
        cases.iter().all(|case| {
            let all: Vec<Atom> = atoms.iter().chain(case).cloned().collect();
            !self.cancel.is_due() && self.solver.satisfiable(&all) == Answer::Unsat
        })
    }

    /// The predicates whose variables matter for a condition, directly or over others.
    fn cone(&self, cond: &Cond) -> Vec<usize> {
        let mut vars: BTreeSet<VarId> =
            cond.atoms().iter().flat_map(|a| a.linear().vars().collect::<Vec<_>>()).collect();
        let mut cone: BTreeSet<usize> = BTreeSet::new();
        for _ in 0..self.longest {
            let near = |p: &usize| self.predicates[*p].linear().vars().any(|v| vars.contains(&v));
            let more: Vec<usize> = (0..self.predicates.len()).filter(near).collect();
            cone.extend(&more);
            vars.extend(more.iter().flat_map(|p| self.predicates[*p].linear().vars().collect::<Vec<_>>()));
        }
        cone.into_iter().collect()
    }

    /// The smallest cubes that imply a condition without places.
    pub(crate) fn strengthen(&mut self, cond: &Cond) -> Vec<Cube> {
        match cond {
            Cond::Const(true) => return vec![Cube::default()],
            Cond::Const(false) => return Vec::new(),
            Cond::Atom(atom) => {
                for (p, predicate) in self.predicates.iter().enumerate() {
                    if predicate == atom {
                        return vec![Cube::literal(p, true)];
                    }
                    if predicate.negated().as_ref() == Some(atom) {
                        return vec![Cube::literal(p, false)];
                    }
                }
            }
            Cond::At { .. } | Cond::And(_) | Cond::Or(_) => {}
        }
        if let Some(known) = self.known.get(cond) {
            return known.clone();
        }
        let found = self.search(cond);
        self.known.insert(cond.clone(), found.clone());
        found
    }

    fn search(&mut self, cond: &Cond) -> Vec<Cube> {
        if self.cancel.is_due() || cond.negated().as_ref().and_then(cases).is_none() {
            return Vec::new();
        }
        let nowhere = |_| NodeId(u32::MAX);
        let against = samples(|value| cond.eval(&|v| value(v), &nowhere) != Some(true));
        if is_empty(&against) && self.asked(&[], cond) {
            return vec![Cube::default()];
        }
        let cone = self.cone(cond);
        let literals: Vec<(usize, bool)> = cone.iter().flat_map(|p| [(*p, true), (*p, false)]).collect();
        let mut found = Vec::new();
        for size in 1..=self.longest {
            self.extend(cond, &literals, size, Cube::default(), &against, &mut found);
        }
        found
    }

    /// The pairs of other literals that imply a literal.
    pub(crate) fn pairs_for(&mut self, target: usize, holds: bool) -> Vec<Cube> {
        let Some(atom) = self.atom(target, holds) else { return Vec::new() };
        let cond = Cond::Atom(atom);
        let against = self.samples[target][usize::from(!holds)];
        // Literals that imply it alone are known already.
        let alone = |p: usize, then: bool| Cube::literal(target, holds).within(self.implied[p][usize::from(then)]);
        let cone = self.cone(&cond);
        let others = cone.iter().filter(|p| **p != target).flat_map(|p| [(*p, true), (*p, false)]);
        let literals: Vec<(usize, bool)> = others.filter(|&(p, then)| !alone(p, then)).collect();
        let mut found = Vec::new();
        self.extend(&cond, &literals, 2, Cube::default(), &against, &mut found);
        found
    }

    /// Cubes with `size` literals more, from these literals on.
    fn extend(
        &mut self,
        cond: &Cond,
        literals: &[(usize, bool)],
        size: usize,
        cube: Cube,
        against: &Samples,
        found: &mut Vec<Cube>,
    ) {
        let implied = self.closure(cube);
        if size > 1 && self.cancel.is_due() {
            return;
        }
        for (i, &(p, holds)) in literals.iter().enumerate() {
            let literal = Cube::literal(p, holds);
            // A literal that another one contradicts or implies is of no use.
            if (implied.pos | implied.neg) & bit(p) != 0 {
                continue;
            }
            let more = cube.and(literal);
            let left = meet(against, &self.samples[p][usize::from(holds)]);
            if size > 1 {
                self.extend(cond, &literals[i + 1..], size - 1, more, &left, found);
            } else if is_empty(&left)
                && self.is_tied(more, cond)
                && self.is_new(more, found)
                && self.cube_implies(more, cond)
            {
                found.push(more);
            }
        }
    }

    /// Whether every variable is of use: one that only a single literal mentions can have any value.
    fn is_tied(&self, cube: Cube, cond: &Cond) -> bool {
        let literals = || members(cube.pos | cube.neg).map(|p| &self.predicates[p]);
        literals().all(|atom| {
            let alone = |v: VarId| literals().filter(|other| other.mentions(v)).count() == 1 && !cond.mentions(v);
            !atom.linear().terms().iter().any(|&(v, factor)| factor.abs() == 1 && alone(v))
        })
    }

    /// Whether no smaller cube says as much.
    fn is_new(&self, cube: Cube, found: &[Cube]) -> bool {
        let implied = self.closure(cube);
        !found.iter().any(|f| f.within(implied))
    }

    fn closure(&self, cube: Cube) -> Cube {
        let positive = members(cube.pos).map(|p| self.implied[p][1]);
        positive.chain(members(cube.neg).map(|p| self.implied[p][0])).fold(cube, Cube::and)
    }

    fn cube_implies(&mut self, cube: Cube, cond: &Cond) -> bool {
        let literals = members(cube.pos).map(|p| (p, true)).chain(members(cube.neg).map(|p| (p, false)));
        let atoms: Option<Vec<Atom>> = literals.map(|(p, holds)| self.atom(p, holds)).collect();
        let Some(atoms) = atoms else { return false };
        // What implies everything says nothing.
        self.asked(&atoms, cond) && self.solver.satisfiable(&atoms) != Answer::Unsat
    }
}

fn shares(a: &Atom, b: &Atom) -> bool {
    a.linear().vars().any(|v| b.mentions(v))
}
