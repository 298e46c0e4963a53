//! What a model forces on one cell's reads and writes, read off its axioms.
//!
//! An axiom `acyclic t` or `irreflexive t` is expanded into the short chains of `po-loc`, `rf`, `rf^-1` and `co` that `t`
//! contains; the shapes of coherence and atomicity that are among them can then be excluded while an execution is built.
//! Whether a term of the program alone contains `po-loc` is decided on the skeleton at hand, so nothing depends on names.

use crate::Staged;
use treville_base::BitMatrix;
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

/// Which pairs of `po-loc` a term contains: all of these kinds.
type Kinds = u8;
const WW: Kinds = 1;
const WR: Kinds = 2;
const RW: Kinds = 4;
const RR: Kinds = 8;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Atom {
    Po(Kinds),
    Rf,
    RfInverse,
    Co,
}

type Chain = Vec<Atom>;

const MAX_CHAIN: usize = 4;
const MAX_CHAINS: usize = 400;

struct Expander<'a, 'm> {
    model: &'m Model,
    staged: &'a mut Staged<'m>,
    /// `po & loc` between memory events, by kind.
    po_loc: [(Kinds, BitMatrix); 4],
    loc: BitMatrix,
    memory: treville_base::BitSet,
}

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
                CheckKind::Empty => pairs |= e.excludes_intervening(check.test.term, skeleton),
            }
        }
        let has = |pattern: &[Atom]| chains.iter().any(|c| matches_rotated(c, pattern));
        use Atom::{Co, Po, Rf, RfInverse};
        Coherence {
            ww: has(&[Po(WW), Co]),
            rw: has(&[Po(RW), Rf]),
            rw_other: has(&[Po(RW), Co, Rf]),
            wr: has(&[RfInverse, Co, Po(WR)]),
            rr: has(&[RfInverse, Co, Rf, Po(RR)]),
            fused: has(&[Co, Rf]) && has(&[RfInverse, Co, Co]),
            pairs,
        }
    }
}

fn matches_rotated(chain: &[Atom], pattern: &[Atom]) -> bool {
    let n = pattern.len();
    let covers = |have: Atom, want: Atom| match (have, want) {
        (Atom::Po(h), Atom::Po(w)) => h & w == w,
        (h, w) => h == w,
    };
    chain.len() == n && (0..n).any(|shift| (0..n).all(|i| covers(chain[(i + shift) % n], pattern[i])))
}

impl<'a, 'm> Expander<'a, 'm> {
    fn new(model: &'m Model, staged: &'a mut Staged<'m>, skeleton: &Skeleton) -> Self {
        let n = skeleton.n_events();
        let get = |rel| skeleton.rels.get(&rel).cloned().unwrap_or_else(|| BitMatrix::new(n));
        let loc = get(BaseRel::Loc);
        let po = get(BaseRel::Po).intersection(&loc);
        let events = skeleton.events.as_slice();
        let of_kind = |first: fn(Kind) -> bool, second: fn(Kind) -> bool| {
            BitMatrix::from_pairs(n, po.iter().filter(|&(i, j)| first(events[i].kind) && second(events[j].kind)))
        };
        let po_loc = [
            (WW, of_kind(Kind::writes, Kind::writes)),
            (WR, of_kind(Kind::writes, Kind::reads)),
            (RW, of_kind(Kind::reads, Kind::writes)),
            (RR, of_kind(Kind::reads, Kind::reads)),
        ];
        let memory = (0..n).filter(|&i| events[i].kind.reads() || events[i].kind.writes());
        let memory = treville_base::BitSet::from_members(n, memory);
        Expander { model, staged, po_loc, loc, memory }
    }

    /// Chains that the term certainly contains (on events where each step is possible).
    fn expand(&mut self, term: TermId) -> Vec<Chain> {
        let info = &self.model.terms[term];
        if info.stage == Stage::Skeleton {
            return self.expand_fixed(term);
        }
        let mut chains = match info.term {
            Term::BaseRel(BaseRel::Rf) => vec![vec![Atom::Rf]],
            Term::BaseRel(BaseRel::Co) => vec![vec![Atom::Co]],
            Term::Inverse(a) if matches!(self.model.terms[a].term, Term::BaseRel(BaseRel::Rf)) => {
                vec![vec![Atom::RfInverse]]
            }
            Term::Union(a, b) => {
                let mut chains = self.expand(a);
                chains.extend(self.expand(b));
                chains
            }
            Term::Seq(a, b) => concatenate(&self.expand(a), &self.expand(b)),
            Term::Plus(a) => self.closure(a),
            Term::Star(a) => {
                let mut chains = self.closure(a);
                chains.push(Vec::new());
                chains
            }
            Term::Opt(a) => {
                let mut chains = self.expand(a);
                chains.push(Vec::new());
                chains
            }
            // Communication is within one cell anyway.
            Term::Inter(a, b) if self.contains_loc(b) => self.expand(a),
            Term::Inter(a, b) if self.contains_loc(a) => self.expand(b),
            // `\ id`: the shapes that we look for have distinct ends.
            Term::Diff(a, b) if self.is_within_identity(b) => self.expand(a),
            _ => Vec::new(),
        };
        chains.sort();
        chains.dedup();
        chains.truncate(MAX_CHAINS);
        chains
    }

    fn closure(&mut self, term: TermId) -> Vec<Chain> {
        let step = self.expand(term);
        let mut all = step.clone();
        for _ in 1..MAX_CHAIN {
            let longer = concatenate(&all, &step);
            all.extend(longer);
            all.sort();
            all.dedup();
            all.truncate(MAX_CHAINS);
        }
        all
    }

    fn expand_fixed(&mut self, term: TermId) -> Vec<Chain> {
        let Some(value) = self.staged.relation(term).cloned() else { return Vec::new() };
        let kinds = self.po_loc.iter().filter(|(_, pairs)| pairs.is_subset(&value)).map(|(k, _)| *k).sum();
        let mut chains = if kinds == 0 { Vec::new() } else { vec![vec![Atom::Po(kinds)]] };
        if BitMatrix::identity_on(&self.memory).is_subset(&value) {
            chains.push(Vec::new());
        }
        chains
    }

    fn contains_loc(&mut self, term: TermId) -> bool {
        let fixed = self.model.terms[term].stage == Stage::Skeleton;
        fixed && self.staged.relation(term).is_some_and(|r| self.loc.is_subset(r))
    }

    fn is_within_identity(&mut self, term: TermId) -> bool {
        let fixed = self.model.terms[term].stage == Stage::Skeleton;
        fixed && self.staged.relation(term).is_some_and(|r| r.iter().all(|(i, j)| i == j))
    }

    /// Whether `empty term` is atomicity: update pairs, intersected with a from-read and a coherence step.
    fn excludes_intervening(&mut self, term: TermId, skeleton: &Skeleton) -> bool {
        let Term::Inter(a, b) = self.model.terms[term].term else { return false };
        [(a, b), (b, a)].into_iter().any(|(pairs, between)| {
            if self.model.terms[pairs].stage != Stage::Skeleton {
                return false;
            }
            let Some(value) = self.staged.relation(pairs).cloned() else { return false };
            let covers = |rel| skeleton.rels.get(&rel).is_none_or(|r: &BitMatrix| r.is_subset(&value));
            let Term::Seq(fr, co) = self.model.terms[between].term else { return false };
            let (fr, co) = (self.without_ext(fr), self.without_ext(co));
            covers(BaseRel::Amo)
                && covers(BaseRel::Lxsx)
                && self.expand(fr).contains(&vec![Atom::RfInverse, Atom::Co])
                && self.expand(co).contains(&vec![Atom::Co])
        })
    }

    /// `r & ext` as `r`.
    fn without_ext(&self, term: TermId) -> TermId {
        let is_ext = |t: TermId| matches!(self.model.terms[t].term, Term::BaseRel(BaseRel::Ext));
        match self.model.terms[term].term {
            Term::Inter(a, b) if is_ext(b) => a,
            Term::Inter(a, b) if is_ext(a) => b,
            _ => term,
        }
    }
}

fn concatenate(a: &[Chain], b: &[Chain]) -> Vec<Chain> {
    let mut out = Vec::new();
    for x in a {
        for y in b.iter().filter(|y| x.len() + y.len() <= MAX_CHAIN) {
            let mut chain = x.clone();
            chain.extend(y);
            out.push(chain);
        }
    }
    out.truncate(4 * MAX_CHAINS);
    out
}
