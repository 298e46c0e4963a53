//! What a model forces on one cell's reads and writes, read off its axioms.
//!
//! An axiom `acyclic t` or `irreflexive t` is expanded, once for a model, into the short chains that `t` certainly contains: of
//! reads-from, coherence and from-read steps, inside a thread or between threads, with terms of the program alone (leaves)
//! between them. A chain excludes a shape of incoherence if its leaves contain program order within a cell, or the identity,
//! where the shape has it; that is decided on the skeleton at hand, so nothing depends on names. Excluded shapes need not be
//! tried when an execution is built.
//!
//! Shapes with everything in one thread follow from those listed in [`Coherence`]: for `a rf b` and `b fr c` inside a thread,
//! program order relates the two ends one way or the other, and both ways are excluded already.

use crate::Staged;
use std::collections::HashMap;
use treville_base::{BitMatrix, BitSet};
use treville_event::{BaseRel, Kind, Skeleton};
use treville_model::syntax::CheckMode;
use treville_model::{CheckKind, Model, Stage, Term, TermId};

/// Which shapes no accepted execution of a skeleton has.
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

/// Reads, writes, or events that are both.
type Ends = u8;
const READ: Ends = 1;
const WRITE: Ends = 2;
const UPDATE: Ends = 4;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Atom {
    Rf(Where),
    Co(Where),
    Fr(Where),
    RfInverse,
    /// A term that the program alone determines.
    Leaf(u16),
}

impl Atom {
    /// What a step of communication starts from and ends in.
    fn ends(self) -> Option<(Ends, Ends)> {
        match self {
            Atom::Rf(_) => Some((WRITE, READ)),
            Atom::Co(_) => Some((WRITE, WRITE)),
            Atom::Fr(_) | Atom::RfInverse => Some((READ, WRITE)),
            Atom::Leaf(_) => None,
        }
    }

    /// The same step, only inside a thread or only between threads.
    fn restricted(self, to: Where) -> Option<Atom> {
        let keep = |w: Where| Some(w & to).filter(|w| *w != 0);
        match self {
            Atom::Rf(w) => keep(w).map(Atom::Rf),
            Atom::Co(w) => keep(w).map(Atom::Co),
            Atom::Fr(w) => keep(w).map(Atom::Fr),
            Atom::RfInverse | Atom::Leaf(_) => None,
        }
    }

    fn covers(self, want: Atom) -> bool {
        match (self, want) {
            (Atom::Rf(h), Atom::Rf(w)) | (Atom::Co(h), Atom::Co(w)) | (Atom::Fr(h), Atom::Fr(w)) => h & w == w,
            (h, w) => h == w,
        }
    }
}

const MAX_CHAIN: usize = 6;
const MAX_CHAINS: usize = 300;

/// Longer sequences than this are not looked into, and definitions no deeper than the other.
const MAX_FACTORS: usize = 64;
const MAX_DEPTH: usize = 200;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Chain {
    len: u8,
    atoms: [Atom; MAX_CHAIN],
}

impl Chain {
    const EMPTY: Chain = Chain { len: 0, atoms: [Atom::RfInverse; MAX_CHAIN] };

    fn one(atom: Atom) -> Chain {
        let mut chain = Chain::EMPTY;
        chain.atoms[0] = atom;
        chain.len = 1;
        chain
    }

    fn atoms(&self) -> &[Atom] {
        &self.atoms[..usize::from(self.len)]
    }

    /// `None` if that is longer than any shape that we look for.
    fn then(mut self, other: &Chain) -> Option<Chain> {
        for &atom in other.atoms() {
            let last = self.len.checked_sub(1).map(usize::from);
            match (last.map(|i| self.atoms[i]), atom) {
                (Some(Atom::RfInverse), Atom::Co(ANYWHERE)) => {
                    self.atoms[usize::from(self.len) - 1] = Atom::Fr(ANYWHERE)
                }
                _ => {
                    *self.atoms.get_mut(usize::from(self.len))? = atom;
                    self.len += 1;
                }
            }
        }
        let steps = self.atoms().iter().filter(|a| a.ends().is_some() && **a != Atom::RfInverse).count();
        (steps <= 2).then_some(self)
    }
}

/// What must hold of a leaf on the skeleton at hand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Need {
    /// It contains program order within a cell between events of these kinds.
    Po(Pairs),
    /// It contains the identity on reads, on writes, or on updates that are one event.
    Same(Ends),
    /// It contains the pairs of updates.
    Updates,
    /// No thread writes to the cell of an update of its own between its read and its write.
    Uninterrupted,
}

type Alternative = Vec<(u16, Need)>;

/// A shape that is excluded if one of the alternatives holds.
type Conditions = Vec<Alternative>;

/// The analysis of a model, before any program.
#[derive(Clone, Debug, Default)]
pub(crate) struct CoherencePlan {
    /// Sequences of terms, composed.
    leaves: Vec<Vec<TermId>>,
    ww: Conditions,
    rw: Conditions,
    wr: Conditions,
    rw_other: Conditions,
    rr: Conditions,
    fused_after: Conditions,
    fused_next: Conditions,
    pairs: Conditions,
    /// With an exception for a write of the thread itself; they need `ww` and `wr`, which say where such a write can be.
    pairs_uninterrupted: Conditions,
}

impl CoherencePlan {
    pub(crate) fn new(model: &Model) -> CoherencePlan {
        let mut e = Expander { model, leaves: Vec::new(), known: HashMap::new(), depth: 0 };
        let mut chains = Vec::new();
        let mut pairs = Vec::new();
        let mut fused = Vec::new();
        let required = model.made_checks().map(|(_, check)| check);
        for check in required.filter(|c| c.mode == CheckMode::Require && !c.test.negated) {
            match check.test.kind {
                CheckKind::Acyclic => chains.extend(e.closure(check.test.term)),
                CheckKind::Irreflexive => chains.extend(e.expand(check.test.term)),
                CheckKind::Empty => {
                    let needs = e.atomicity(check.test.term);
                    // What is related to itself by the term is the update that is one event.
                    fused.extend(needs.iter().map(|needs| vec![(needs[0].0, Need::Same(UPDATE))]));
                    pairs.extend(needs);
                }
            }
        }
        let excepts = |needs: &Alternative| needs.iter().any(|(_, need)| *need == Need::Uninterrupted);
        let (pairs_uninterrupted, pairs) = pairs.into_iter().partition(excepts);
        let chains = bounded(chains, 4 * MAX_CHAINS);
        let shape = |po: Option<Pairs>, steps: &[Atom]| {
            let mut found: Conditions = chains.iter().flat_map(|c| excluding(c, po, steps)).collect();
            found.sort_by_key(Vec::len);
            found.truncate(20);
            found
        };
        CoherencePlan {
            ww: shape(Some(WW), &[Atom::Co(INSIDE)]),
            rw: shape(Some(RW), &[Atom::Rf(INSIDE)]),
            wr: shape(Some(WR), &[Atom::Fr(INSIDE)]),
            rw_other: shape(Some(RW), &[Atom::Co(BETWEEN), Atom::Rf(BETWEEN)]),
            rr: shape(Some(RR), &[Atom::Fr(BETWEEN), Atom::Rf(BETWEEN)]),
            fused_after: shape(None, &[Atom::Co(BETWEEN), Atom::Rf(BETWEEN)]),
            fused_next: [fused, shape(None, &[Atom::Fr(BETWEEN), Atom::Co(BETWEEN)])].concat(),
            pairs,
            pairs_uninterrupted,
            leaves: e.leaves,
        }
    }
}

impl Coherence {
    /// The skeleton must be the one that `staged` has entered.
    pub fn of(staged: &mut Staged<'_>, skeleton: &Skeleton) -> Coherence {
        let plan = staged.coherence_plan();
        let mut facts = Facts::new(staged, skeleton);
        let mut holds =
            |conditions: &Conditions| conditions.iter().any(|all| all.iter().all(|need| facts.hold(plan, *need)));
        let (ww, rw, wr) = (holds(&plan.ww), holds(&plan.rw), holds(&plan.wr));
        let sound = ww && rw && wr;
        Coherence {
            ww,
            rw,
            wr,
            rw_other: sound && holds(&plan.rw_other),
            rr: sound && holds(&plan.rr),
            fused: sound && holds(&plan.fused_after) && holds(&plan.fused_next),
            pairs: holds(&plan.pairs) || ww && wr && holds(&plan.pairs_uninterrupted),
        }
    }
}

/// The ways in which a cyclic chain excludes the shape: a program-order step (if `po` is given) followed by communication.
fn excluding(chain: &Chain, po: Option<Pairs>, steps: &[Atom]) -> Vec<Alternative> {
    let cycle = Cycle::new(chain.atoms());
    let n = steps.len();
    if cycle.steps.len() != n {
        return Vec::new();
    }
    let mut found = Vec::new();
    for shift in 0..n {
        let at = |i: usize| &cycle.steps[(i + shift) % n];
        if !(0..n).all(|i| at(i).0.covers(steps[i])) {
            continue;
        }
        // Program order comes before the first step; of the leaves there, one is it and the others are identities.
        let gap = &at(n - 1).1;
        let choices: Vec<Option<usize>> = if po.is_some() { (0..gap.len()).map(Some).collect() } else { vec![None] };
        for choice in choices {
            let mut needs = cycle.inner.iter().map(|leaf| (*leaf, Need::Same(WRITE))).collect::<Vec<_>>();
            for i in 0..n {
                let (this, leaves) = at(i);
                let meets = junction(this.ends(), at((i + 1) % n).0.ends());
                let last = i == n - 1;
                for (position, leaf) in leaves.iter().enumerate() {
                    needs.push((
                        *leaf,
                        match (choice.filter(|_| last), po) {
                            (Some(c), Some(pairs)) if c == position => Need::Po(pairs),
                            (Some(c), Some(pairs)) => {
                                Need::Same(if position < c { source(pairs) } else { target(pairs) })
                            }
                            _ => Need::Same(meets),
                        },
                    ));
                }
            }
            needs.sort();
            needs.dedup();
            found.push(needs);
        }
    }
    found
}

/// What kind of event is at the end of one step and the start of the next.
fn junction(this: Option<(Ends, Ends)>, next: Option<(Ends, Ends)>) -> Ends {
    match (this, next) {
        (Some((_, end)), Some((start, _))) if end == start => end,
        _ => UPDATE,
    }
}

fn source(pairs: Pairs) -> Ends {
    if pairs & (WW | WR) != 0 { WRITE } else { READ }
}

fn target(pairs: Pairs) -> Ends {
    if pairs & (WW | RW) != 0 { WRITE } else { READ }
}

/// A chain as a cycle: steps of communication, each with the leaves after it.
struct Cycle {
    steps: Vec<(Atom, Vec<u16>)>,
    /// Leaves inside a from-read that is written as two steps; they are at the write that is read.
    inner: Vec<u16>,
}

impl Cycle {
    fn new(atoms: &[Atom]) -> Cycle {
        // Begin with a step that does not complete a from-read.
        let n = atoms.len();
        let previous = |i: usize| (1..=n).map(|d| atoms[(i + n - d) % n]).find(|a| a.ends().is_some());
        let begins = |i: &usize| atoms[*i].ends().is_some() && previous(*i) != Some(Atom::RfInverse);
        let mut cycle = Cycle { steps: Vec::new(), inner: Vec::new() };
        let Some(start) = (0..n).find(begins) else { return cycle };
        for i in 0..n {
            match (atoms[(start + i) % n], cycle.steps.last_mut()) {
                (Atom::Leaf(leaf), Some((_, after))) => after.push(leaf),
                (Atom::Co(ANYWHERE), Some((step @ Atom::RfInverse, after))) => {
                    *step = Atom::Fr(ANYWHERE);
                    cycle.inner.append(after);
                }
                (step, _) => cycle.steps.push((step, Vec::new())),
            }
        }
        cycle
    }
}

struct Expander<'m> {
    model: &'m Model,
    leaves: Vec<Vec<TermId>>,
    /// What was found before: definitions are shared, and would take exponential time one use at a time.
    known: HashMap<TermId, Vec<Chain>>,
    depth: usize,
}

impl Expander<'_> {
    fn leaf(&mut self, terms: Vec<TermId>) -> Option<Chain> {
        let id = self.leaves.iter().position(|l| *l == terms).unwrap_or_else(|| {
            self.leaves.push(terms);
            self.leaves.len() - 1
        });
        u16::try_from(id).ok().map(|id| Chain::one(Atom::Leaf(id)))
    }

    fn is_fixed(&self, term: TermId) -> bool {
        self.model.terms[term].stage == Stage::Skeleton
    }

    /// Chains that the term certainly contains.
    fn expand(&mut self, term: TermId) -> Vec<Chain> {
        if self.is_fixed(term) {
            return self.leaf(vec![term]).into_iter().collect();
        }
        if let Some(chains) = self.known.get(&term) {
            return chains.clone();
        }
        if self.depth == MAX_DEPTH {
            return Vec::new();
        }
        self.depth += 1;
        let chains = bounded(self.expand_anew(term), MAX_CHAINS);
        self.depth -= 1;
        self.known.insert(term, chains.clone());
        chains
    }

    fn expand_anew(&mut self, term: TermId) -> Vec<Chain> {
        match self.model.terms[term].term {
            Term::BaseRel(BaseRel::Rf) => vec![Chain::one(Atom::Rf(ANYWHERE))],
            Term::BaseRel(BaseRel::Co) => vec![Chain::one(Atom::Co(ANYWHERE))],
            Term::Inverse(_) if self.is_inverse_rf(term) => vec![Chain::one(Atom::RfInverse)],
            Term::Union(a, b) => [self.expand(a), self.expand(b)].concat(),
            Term::Seq(..) => self.sequence(term),
            Term::Plus(a) => self.closure(a),
            Term::Star(a) => [self.closure(a), vec![Chain::EMPTY]].concat(),
            Term::Opt(a) => [self.expand(a), vec![Chain::EMPTY]].concat(),
            Term::Inter(a, b) => self.intersection(a, b),
            // `\ id`: a step of communication has distinct ends in the shapes that we look for; longer chains may return.
            Term::Diff(a, b) if matches!(self.model.terms[b].term, Term::BaseRel(BaseRel::Id)) => {
                let mut chains = self.expand(a);
                chains.retain(|c| c.len == 1 && c.atoms[0].ends().is_some());
                chains
            }
            _ => Vec::new(),
        }
    }

    fn intersection(&mut self, a: TermId, b: TermId) -> Vec<Chain> {
        for (side, other) in [(a, b), (b, a)] {
            let to = match self.model.terms[side].term {
                Term::BaseRel(BaseRel::Int) => INSIDE,
                Term::BaseRel(BaseRel::Ext) => BETWEEN,
                // Communication is within one cell anyway.
                Term::BaseRel(BaseRel::Loc) => ANYWHERE,
                _ => continue,
            };
            let single = self.expand(other).into_iter().filter(|c| c.len == 1);
            return single.filter_map(|c| c.atoms[0].restricted(to)).map(Chain::one).collect();
        }
        Vec::new()
    }

    /// A sequence: neighbours that the program alone determines are one leaf, so that `[R]; po-loc; [W]` is one step.
    fn sequence(&mut self, term: TermId) -> Vec<Chain> {
        let Some(factors) = factors(self.model, term) else { return Vec::new() };
        let mut chains = vec![Chain::EMPTY];
        let mut fixed = Vec::new();
        for factor in factors.into_iter().map(Some).chain([None]) {
            if let Some(f) = factor.filter(|f| self.is_fixed(*f)) {
                fixed.push(f);
                continue;
            }
            if !fixed.is_empty() {
                let leaf = self.leaf(std::mem::take(&mut fixed));
                chains = concatenate(&chains, &leaf.into_iter().collect::<Vec<_>>());
            }
            if let Some(f) = factor {
                chains = concatenate(&chains, &self.expand(f));
            }
        }
        chains
    }

    fn closure(&mut self, term: TermId) -> Vec<Chain> {
        let step = self.expand(term);
        let mut all = step.clone();
        // Three steps make every shape: program order and two of communication.
        for _ in 0..2 {
            let longer = concatenate(&all, &step);
            all = bounded([all, longer].concat(), MAX_CHAINS);
        }
        all
    }

    /// If `empty term` is atomicity (update pairs, intersected with a from-read and a coherence step), what it rests on.
    fn atomicity(&mut self, term: TermId) -> Option<Alternative> {
        match self.model.terms[term].term {
            Term::Inter(a, b) => self.excludes_between(a, b).or_else(|| self.excludes_between(b, a)),
            // An exception for pairs with a write of their own thread in between: fine where there is none. Any other
            // exception may hold of any pair.
            Term::Diff(a, b) if self.is_own_write_between(b) => {
                let mut needs = self.atomicity(a)?;
                needs.push((needs.first()?.0, Need::Uninterrupted));
                Some(needs)
            }
            _ => None,
        }
    }

    /// Whether the term relates only a read and a write with another write of their thread between them in coherence:
    /// `fri; [W]; coi`.
    fn is_own_write_between(&self, term: TermId) -> bool {
        let Some(factors) = factors(self.model, term) else { return false };
        let identity = |t: &TermId| matches!(self.model.terms[*t].term, Term::ToId(_));
        let steps: Vec<TermId> = factors.into_iter().filter(|t| !identity(t)).collect();
        let [fr, co] = steps[..] else { return false };
        let inside = |t| self.is_within(t, &|t| *t == Term::BaseRel(BaseRel::Int));
        let from_read = |t: &Term| matches!(*t, Term::Seq(a, b) if self.is_inverse_rf(a) && self.is_co(b));
        inside(fr)
            && self.is_within(fr, &from_read)
            && inside(co)
            && self.is_within(co, &|t| *t == Term::BaseRel(BaseRel::Co))
    }

    /// Whether the term is certainly contained in one of this kind.
    fn is_within(&self, term: TermId, kind: &dyn Fn(&Term) -> bool) -> bool {
        let term = &self.model.terms[term].term;
        kind(term)
            || match *term {
                Term::Inter(a, b) => self.is_within(a, kind) || self.is_within(b, kind),
                Term::Diff(a, _) => self.is_within(a, kind),
                _ => false,
            }
    }

    fn is_inverse_rf(&self, term: TermId) -> bool {
        matches!(self.model.terms[term].term, Term::Inverse(a) if self.model.terms[a].term == Term::BaseRel(BaseRel::Rf))
    }

    fn is_co(&self, term: TermId) -> bool {
        self.model.terms[term].term == Term::BaseRel(BaseRel::Co)
    }

    fn excludes_between(&mut self, pairs: TermId, between: TermId) -> Option<Alternative> {
        if !self.is_fixed(pairs) {
            return None;
        }
        let factors = factors(self.model, between)?;
        let [fr @ .., co] = &factors[..] else { return None };
        let fr = fr.iter().fold(vec![Chain::EMPTY], |chains, f| concatenate(&chains, &self.expand(*f)));
        let covers = |chains: &[Chain], want: Atom| chains.iter().any(|c| c.len == 1 && c.atoms[0].covers(want));
        if !covers(&fr, Atom::Fr(BETWEEN)) || !covers(&self.expand(*co), Atom::Co(BETWEEN)) {
            return None;
        }
        let Atom::Leaf(leaf) = self.leaf(vec![pairs])?.atoms[0] else { return None };
        Some(vec![(leaf, Need::Updates)])
    }
}

/// What a sequence is made of, from left to right; `None` if that is too much for the shapes that we look for.
fn factors(model: &Model, term: TermId) -> Option<Vec<TermId>> {
    let mut factors = Vec::new();
    let mut open = vec![term];
    while let Some(term) = open.pop() {
        match model.terms[term].term {
            Term::Seq(a, b) => open.extend([b, a]),
            _ => factors.push(term),
        }
        if open.len() + factors.len() > MAX_FACTORS {
            return None;
        }
    }
    Some(factors)
}

fn concatenate(a: &[Chain], b: &[Chain]) -> Vec<Chain> {
    let mut out = Vec::with_capacity(a.len() * b.len());
    for x in a {
        out.extend(b.iter().filter_map(|y| x.then(y)));
    }
    bounded(out, MAX_CHAINS)
}

/// Without repetitions; the shorter ones if there are too many.
fn bounded(mut chains: Vec<Chain>, most: usize) -> Vec<Chain> {
    chains.sort_unstable();
    chains.dedup();
    chains.truncate(most);
    chains
}

/// What holds of leaves on one skeleton, found when asked for.
struct Facts<'a, 'm> {
    staged: &'a mut Staged<'m>,
    skeleton: &'a Skeleton,
    po_loc: [(Pairs, BitMatrix); 4],
    reads: BitMatrix,
    writes: BitMatrix,
    updates: BitMatrix,
    known: Vec<((u16, Need), bool)>,
}

impl<'a, 'm> Facts<'a, 'm> {
    fn new(staged: &'a mut Staged<'m>, skeleton: &'a Skeleton) -> Self {
        let n = skeleton.n_events();
        let events = skeleton.events.as_slice();
        let empty = BitMatrix::new(n);
        let get = |rel| skeleton.rels.get(&rel).unwrap_or(&empty);
        let po = get(BaseRel::Po).intersection(get(BaseRel::Loc));
        let of_kind = |kind: fn(Kind) -> bool| BitSet::from_members(n, (0..n).filter(|&i| kind(events[i].kind)));
        let (reads, writes) = (of_kind(Kind::reads), of_kind(Kind::writes));
        let between = |from: &BitSet, to: &BitSet| po.intersection(&BitMatrix::product(from, to));
        let po_loc = [
            (WW, between(&writes, &writes)),
            (WR, between(&writes, &reads)),
            (RW, between(&reads, &writes)),
            (RR, between(&reads, &reads)),
        ];
        let updates = BitMatrix::identity_on(&reads.intersection(&writes));
        let (reads, writes) = (BitMatrix::identity_on(&reads), BitMatrix::identity_on(&writes));
        Facts { staged, skeleton, po_loc, reads, writes, updates, known: Vec::new() }
    }

    fn hold(&mut self, plan: &CoherencePlan, (leaf, need): (u16, Need)) -> bool {
        if let Some((_, known)) = self.known.iter().find(|(k, _)| *k == (leaf, need)) {
            return *known;
        }
        let holds = self.find(&plan.leaves[usize::from(leaf)], need);
        self.known.push(((leaf, need), holds));
        holds
    }

    fn find(&mut self, leaf: &[TermId], need: Need) -> bool {
        if need == Need::Uninterrupted {
            let around = self.po_loc[2].1.compose(&self.po_loc[0].1);
            return self.update_pairs().iter().all(|r| r.intersection(&around).is_empty());
        }
        let mut value: Option<BitMatrix> = None;
        for &term in leaf {
            let Some(factor) = self.staged.relation(term) else { return false };
            value = Some(value.map_or_else(|| factor.clone(), |v| v.compose(factor)));
        }
        let Some(value) = value else { return false };
        match need {
            Need::Po(kinds) => {
                self.po_loc.iter().filter(|(k, _)| k & kinds != 0).all(|(_, pairs)| pairs.is_subset(&value))
            }
            Need::Same(READ) => self.reads.is_subset(&value),
            Need::Same(WRITE) => self.writes.is_subset(&value),
            Need::Same(_) => self.updates.is_subset(&value),
            Need::Updates => self.update_pairs().iter().all(|r| r.is_subset(&value)),
            Need::Uninterrupted => true,
        }
    }

    fn update_pairs(&self) -> Vec<&'a BitMatrix> {
        [BaseRel::Amo, BaseRel::Lxsx].iter().filter_map(|rel| self.skeleton.rels.get(rel)).collect()
    }
}
