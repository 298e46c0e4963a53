//! What a model forces on one cell's reads and writes, read off its axioms.
//!
//! An axiom `acyclic t` or `irreflexive t` is expanded into the short chains of steps that `t` certainly contains: program
//! order within a cell, reads-from, coherence and from-read, each inside a thread or between threads. The shapes of coherence
//! and atomicity that are among them can then be excluded while an execution is built. Whether a term of the program alone
//! contains program order within a cell is decided on the skeleton at hand, so nothing depends on names.
//!
//! Shapes with everything in one thread follow from those listed in [`Coherence`]: for `a rf b` and `b fr c` inside a thread,
//! program order relates the two ends one way or the other, and both ways are excluded already.

use crate::Staged;
use treville_base::{BitMatrix, BitSet};
use treville_event::{BaseRel, Kind, Skeleton};
use treville_model::syntax::CheckMode;
use treville_model::{CheckKind, Model, Stage, Term, TermId};

/// Which shapes no accepted execution of this skeleton has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Coherence {
    /// Program order between writes of a cell is coherence.
    pub ww: bool,
    /// A read does not see a write that comes later in program order.
    pub rw: bool,
    /// What a read sees is before a write that comes later in program order.
    pub rw_other: bool,
    /// A read sees nothing before a write that comes earlier in program order.
    pub wr: bool,
    /// Two reads in program order see writes in coherence order.
    pub rr: bool,
    /// An update that is one event comes after what it reads, and nothing comes between.
    pub fused: bool,
    /// Nothing of another thread comes between what the read of an update sees and its write.
    pub pairs: bool,
}

/// A set of kinds of program-order pairs.
type Pairs = u8;
const WW: Pairs = 1;
const WR: Pairs = 2;
const RW: Pairs = 4;
const RR: Pairs = 8;

/// Whether ends are in one thread, in different ones, or either.
type Where = u8;
const INSIDE: Where = 1;
const BETWEEN: Where = 2;
const ANYWHERE: Where = INSIDE | BETWEEN;

/// Reads, writes, or both.
type Ends = u8;
const READ: Ends = 1;
const WRITE: Ends = 2;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Atom {
    /// Program order within a cell, all pairs of these kinds.
    Po(Pairs),
    /// The identity, on all events of these kinds.
    Same(Ends),
    Rf(Where),
    Co(Where),
    Fr(Where),
    RfInverse,
}

impl Atom {
    /// What the step may start from and end in.
    fn ends(self) -> (Ends, Ends) {
        let some = |pairs: Pairs, of: Pairs, end: Ends| if pairs & of == 0 { 0 } else { end };
        match self {
            Atom::Po(p) => {
                (some(p, WW | WR, WRITE) | some(p, RW | RR, READ), some(p, WW | RW, WRITE) | some(p, WR | RR, READ))
            }
            Atom::Same(e) => (e, e),
            Atom::Rf(_) => (WRITE, READ),
            Atom::Co(_) => (WRITE, WRITE),
            Atom::Fr(_) | Atom::RfInverse => (READ, WRITE),
        }
    }

    /// The same step, only inside a thread or only between threads.
    fn restricted(self, to: Where) -> Option<Atom> {
        let keep = |w: Where| Some(w & to).filter(|w| *w != 0);
        match self {
            Atom::Rf(w) => keep(w).map(Atom::Rf),
            Atom::Co(w) => keep(w).map(Atom::Co),
            Atom::Fr(w) => keep(w).map(Atom::Fr),
            Atom::Po(_) | Atom::Same(_) if to & INSIDE != 0 => Some(self),
            Atom::Po(_) | Atom::Same(_) | Atom::RfInverse => None,
        }
    }

    fn covers(self, want: Atom) -> bool {
        match (self, want) {
            (Atom::Po(h), Atom::Po(w))
            | (Atom::Rf(h), Atom::Rf(w))
            | (Atom::Co(h), Atom::Co(w))
            | (Atom::Fr(h), Atom::Fr(w)) => h & w == w,
            (h, w) => h == w,
        }
    }
}

type Chain = Vec<Atom>;

const MAX_CHAIN: usize = 4;
const MAX_CHAINS: usize = 300;

impl Coherence {
    /// The skeleton must be the one that `staged` has entered.
    pub fn of(staged: &mut Staged<'_>, skeleton: &Skeleton) -> Coherence {
        let model = staged.model();
        let mut e = Expander::new(model, staged, skeleton);
        let mut chains = Vec::new();
        let mut pairs = false;
        for check in model.checks.iter().filter(|c| c.mode == CheckMode::Require && !c.test.negated) {
            match check.test.kind {
                CheckKind::Acyclic => chains.extend(e.closure(check.test.term)),
                CheckKind::Irreflexive => chains.extend(e.expand(check.test.term)),
                CheckKind::Empty => pairs |= e.excludes_intervening(check.test.term),
            }
        }
        let has = |pattern: &[Atom]| chains.iter().any(|c| forbids(c, pattern));
        let ww = has(&[Atom::Po(WW), Atom::Co(INSIDE)]);
        let rw = has(&[Atom::Po(RW), Atom::Rf(INSIDE)]);
        let wr = has(&[Atom::Po(WR), Atom::Fr(INSIDE)]);
        let sound = ww && rw && wr;
        Coherence {
            ww,
            rw,
            wr,
            rw_other: sound && has(&[Atom::Po(RW), Atom::Co(BETWEEN), Atom::Rf(BETWEEN)]),
            rr: sound && has(&[Atom::Po(RR), Atom::Fr(BETWEEN), Atom::Rf(BETWEEN)]),
            fused: sound
                && has(&[Atom::Co(BETWEEN), Atom::Rf(BETWEEN)])
                && has(&[Atom::Fr(BETWEEN), Atom::Co(BETWEEN)]),
            pairs,
        }
    }
}

/// Whether the absence of cycles of the chain's form excludes the pattern: some rotation of the chain covers it.
fn forbids(chain: &[Atom], pattern: &[Atom]) -> bool {
    // An identity is no step if it covers an end that meets it.
    let n = chain.len();
    let mut steps = Vec::new();
    for (i, atom) in chain.iter().enumerate() {
        if let Atom::Same(ends) = *atom {
            let before = chain[(i + n - 1) % n].ends().1;
            let after = chain[(i + 1) % n].ends().0;
            if before & !ends != 0 && after & !ends != 0 {
                return false;
            }
        } else {
            steps.push(*atom);
        }
    }
    let n = pattern.len();
    steps.len() == n && (0..n).any(|shift| (0..n).all(|i| steps[(i + shift) % n].covers(pattern[i])))
}

struct Expander<'a, 'm> {
    model: &'m Model,
    staged: &'a mut Staged<'m>,
    skeleton: &'a Skeleton,
    po_loc: [(Pairs, BitMatrix); 4],
    loc: BitMatrix,
    reads: BitMatrix,
    writes: BitMatrix,
}

impl<'a, 'm> Expander<'a, 'm> {
    fn new(model: &'m Model, staged: &'a mut Staged<'m>, skeleton: &'a Skeleton) -> Self {
        let n = skeleton.n_events();
        let get = |rel| skeleton.rels.get(&rel).cloned().unwrap_or_else(|| BitMatrix::new(n));
        let loc = get(BaseRel::Loc);
        let po = get(BaseRel::Po).intersection(&loc);
        let events = skeleton.events.as_slice();
        let of_kind = |first: fn(Kind) -> bool, second: fn(Kind) -> bool| {
            BitMatrix::from_pairs(n, po.iter().filter(|&(i, j)| first(events[i].kind) && second(events[j].kind)))
        };
        let identity = |kind: fn(Kind) -> bool| {
            BitMatrix::identity_on(&BitSet::from_members(n, (0..n).filter(|&i| kind(events[i].kind))))
        };
        let po_loc = [
            (WW, of_kind(Kind::writes, Kind::writes)),
            (WR, of_kind(Kind::writes, Kind::reads)),
            (RW, of_kind(Kind::reads, Kind::writes)),
            (RR, of_kind(Kind::reads, Kind::reads)),
        ];
        let (reads, writes) = (identity(Kind::reads), identity(Kind::writes));
        Expander { model, staged, skeleton, po_loc, loc, reads, writes }
    }

    /// Chains that the term certainly contains.
    fn expand(&mut self, term: TermId) -> Vec<Chain> {
        let info = &self.model.terms[term];
        if info.stage == Stage::Skeleton {
            return self.staged.relation(term).cloned().map_or_else(Vec::new, |value| self.fixed(&value));
        }
        let chains = match info.term {
            Term::BaseRel(BaseRel::Rf) => vec![vec![Atom::Rf(ANYWHERE)]],
            Term::BaseRel(BaseRel::Co) => vec![vec![Atom::Co(ANYWHERE)]],
            Term::Inverse(a) if matches!(self.model.terms[a].term, Term::BaseRel(BaseRel::Rf)) => {
                vec![vec![Atom::RfInverse]]
            }
            Term::Union(a, b) => [self.expand(a), self.expand(b)].concat(),
            Term::Seq(..) => self.sequence(term),
            Term::Plus(a) => self.closure(a),
            Term::Star(a) => [self.closure(a), vec![vec![]]].concat(),
            Term::Opt(a) => [self.expand(a), vec![vec![]]].concat(),
            Term::Inter(a, b) => self.intersection(a, b),
            // `\ id`: the shapes that we look for have distinct ends.
            Term::Diff(a, b) if self.is_within_identity(b) => self.expand(a),
            _ => Vec::new(),
        };
        bounded(chains)
    }

    fn intersection(&mut self, a: TermId, b: TermId) -> Vec<Chain> {
        for (side, other) in [(a, b), (b, a)] {
            if self.model.terms[side].stage != Stage::Skeleton {
                continue;
            }
            let to = match self.model.terms[side].term {
                Term::BaseRel(BaseRel::Int) => INSIDE,
                Term::BaseRel(BaseRel::Ext) => BETWEEN,
                // Communication is within one cell anyway.
                _ if self.staged.relation(side).is_some_and(|r| self.loc.is_subset(r)) => ANYWHERE,
                _ => continue,
            };
            let chains = self.expand(other).into_iter();
            return match to {
                ANYWHERE => chains.filter(|c| !c.is_empty()).collect(),
                _ => chains.filter(|c| c.len() == 1).filter_map(|c| c[0].restricted(to)).map(|a| vec![a]).collect(),
            };
        }
        Vec::new()
    }

    /// A sequence: neighbours that the program alone determines are composed first, so that `[R]; po-loc; [W]` is one step.
    fn sequence(&mut self, term: TermId) -> Vec<Chain> {
        let mut factors = Vec::new();
        flatten(self.model, term, &mut factors);
        let mut chains = vec![Vec::new()];
        let mut fixed: Option<BitMatrix> = None;
        for factor in factors {
            if self.model.terms[factor].stage == Stage::Skeleton {
                let Some(value) = self.staged.relation(factor) else { return Vec::new() };
                fixed = Some(fixed.map_or_else(|| value.clone(), |f| f.compose(value)));
                continue;
            }
            if let Some(value) = fixed.take() {
                chains = concatenate(&chains, &self.fixed(&value));
            }
            chains = concatenate(&chains, &self.expand(factor));
        }
        if let Some(value) = fixed {
            chains = concatenate(&chains, &self.fixed(&value));
        }
        chains
    }

    fn closure(&mut self, term: TermId) -> Vec<Chain> {
        let step = self.expand(term);
        let mut all = step.clone();
        for _ in 1..MAX_CHAIN {
            let longer = concatenate(&all, &step);
            all = bounded([all, longer].concat());
        }
        all
    }

    /// What a relation of the program alone contains.
    fn fixed(&self, value: &BitMatrix) -> Vec<Chain> {
        let pairs = self.po_loc.iter().filter(|(_, pairs)| pairs.is_subset(value)).map(|(k, _)| *k).sum();
        let mut chains = if pairs == 0 { Vec::new() } else { vec![vec![Atom::Po(pairs)]] };
        match (self.reads.is_subset(value), self.writes.is_subset(value)) {
            (true, true) => chains.push(vec![]),
            (true, false) => chains.push(vec![Atom::Same(READ)]),
            (false, true) => chains.push(vec![Atom::Same(WRITE)]),
            (false, false) => {}
        }
        chains
    }

    fn is_within_identity(&mut self, term: TermId) -> bool {
        let fixed = self.model.terms[term].stage == Stage::Skeleton;
        fixed && self.staged.relation(term).is_some_and(|r| r.iter().all(|(i, j)| i == j))
    }

    /// Whether `empty term` is atomicity: update pairs, intersected with a from-read and a coherence step.
    fn excludes_intervening(&mut self, term: TermId) -> bool {
        match self.model.terms[term].term {
            Term::Inter(a, b) => self.is_atomicity(a, b) || self.is_atomicity(b, a),
            // An exception for pairs with a write of their own thread in between: fine where there is none.
            Term::Diff(a, _) => !self.interrupts_itself() && self.excludes_intervening(a),
            _ => false,
        }
    }

    fn is_atomicity(&mut self, pairs: TermId, between: TermId) -> bool {
        if self.model.terms[pairs].stage != Stage::Skeleton {
            return false;
        }
        let Some(value) = self.staged.relation(pairs).cloned() else { return false };
        let covered = self.update_pairs().iter().all(|r| r.is_subset(&value));
        let Term::Seq(fr, co) = self.model.terms[between].term else { return false };
        let covers = |chains: Vec<Chain>, want: Atom| chains.iter().any(|c| c.len() == 1 && c[0].covers(want));
        covered && covers(self.expand(fr), Atom::Fr(BETWEEN)) && covers(self.expand(co), Atom::Co(BETWEEN))
    }

    fn update_pairs(&self) -> Vec<&'a BitMatrix> {
        [BaseRel::Amo, BaseRel::Lxsx].iter().filter_map(|rel| self.skeleton.rels.get(rel)).collect()
    }

    /// Whether some thread writes to the cell of one of its updates between its read and its write.
    fn interrupts_itself(&self) -> bool {
        let (rw, ww) = (&self.po_loc[2].1, &self.po_loc[0].1);
        let around = rw.compose(ww);
        self.update_pairs().iter().any(|r| !r.intersection(&around).is_empty())
    }
}

fn flatten(model: &Model, term: TermId, out: &mut Vec<TermId>) {
    match model.terms[term].term {
        Term::Seq(a, b) => {
            flatten(model, a, out);
            flatten(model, b, out);
        }
        _ => out.push(term),
    }
}

fn concatenate(a: &[Chain], b: &[Chain]) -> Vec<Chain> {
    let mut out = Vec::new();
    for x in a {
        for y in b {
            let mut chain = x.clone();
            let mut rest = &y[..];
            if let (Some(Atom::RfInverse), Some(Atom::Co(ANYWHERE))) = (chain.last(), rest.first()) {
                chain.pop();
                chain.push(Atom::Fr(ANYWHERE));
                rest = &rest[1..];
            }
            chain.extend(rest);
            if chain.len() <= MAX_CHAIN {
                out.push(chain);
            }
        }
    }
    bounded(out)
}

fn bounded(mut chains: Vec<Chain>) -> Vec<Chain> {
    chains.sort();
    chains.dedup();
    // The shapes that we look for are short.
    if chains.len() > MAX_CHAINS {
        chains.sort_by_key(Vec::len);
        chains.truncate(MAX_CHAINS);
    }
    chains
}
