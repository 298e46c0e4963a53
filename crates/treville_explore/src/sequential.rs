//! Which axioms of a model every sequentially consistent execution satisfies, by their form.
//!
//! Let S be what comes before what: program order, reads-from, coherence and from-read, closed. In a sequentially consistent
//! execution it has no cycle, so that axioms hold which forbid cycles inside S. So do those that keep other writes from between the
//! two halves of an update, as the search does itself. A graph that is sequentially consistent needs a judge for the others only.

use treville_base::{Idx, IndexVec};
use treville_event::BaseRel;
use treville_model::syntax::{CheckKind, CheckMode};
use treville_model::{CheckId, Model, RecOrder, Term, TermId, Test};

/// What all pairs of a relation are.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Facts {
    /// In S.
    before: bool,
    /// In S, or an event and itself.
    not_after: bool,
    /// Of different events.
    apart: bool,
    /// In from-read, or an event and itself.
    from_read: bool,
    /// In coherence.
    coherence: bool,
    /// The two halves of an update.
    update: bool,
    /// In from-read and then coherence.
    overtaken: bool,
    /// Of one instruction.
    instance: bool,
    /// From reads; of a set: reads.
    reads: bool,
    /// To writes; of a set: writes.
    writes: bool,
}

const NOTHING: Facts = Facts {
    before: false,
    not_after: false,
    apart: false,
    from_read: false,
    coherence: false,
    update: false,
    overtaken: false,
    instance: false,
    reads: false,
    writes: false,
};
const ALL: Facts = Facts {
    before: true,
    not_after: true,
    apart: true,
    from_read: true,
    coherence: true,
    update: true,
    overtaken: true,
    instance: true,
    reads: true,
    writes: true,
};
const BEFORE: Facts = Facts { before: true, not_after: true, apart: true, ..NOTHING };

impl Facts {
    /// Of what is in both kinds of pairs.
    fn or(self, other: Facts) -> Facts {
        Facts {
            before: self.before || other.before,
            not_after: self.not_after || other.not_after,
            apart: self.apart || other.apart,
            from_read: self.from_read || other.from_read,
            coherence: self.coherence || other.coherence,
            update: self.update || other.update,
            overtaken: self.overtaken || other.overtaken,
            instance: self.instance || other.instance,
            reads: self.reads || other.reads,
            writes: self.writes || other.writes,
        }
        .closed()
    }

    /// Of what is in one of them.
    fn and(self, other: Facts) -> Facts {
        Facts {
            before: self.before && other.before,
            not_after: self.not_after && other.not_after,
            apart: self.apart && other.apart,
            from_read: self.from_read && other.from_read,
            coherence: self.coherence && other.coherence,
            update: self.update && other.update,
            overtaken: self.overtaken && other.overtaken,
            instance: self.instance && other.instance,
            reads: self.reads && other.reads,
            writes: self.writes && other.writes,
        }
    }

    fn closed(self) -> Facts {
        // Two events of one instruction are the halves of an update.
        let update = self.update || self.instance && self.apart && self.reads && self.writes;
        let before = self.before || update || self.not_after && self.apart;
        Facts { before, not_after: self.not_after || before, apart: self.apart || before, update, ..self }
    }
}

/// What the model requires that a sequentially consistent execution may violate, as far as one can see.
pub(crate) fn unproven(model: &Model) -> Vec<CheckId> {
    let facts = facts(model);
    let required = model.made_checks().filter(|(_, check)| check.mode == CheckMode::Require);
    let may_fail = |test: &Test| {
        let of_term = facts[test.term];
        let holds = match test.kind {
            CheckKind::Acyclic | CheckKind::Irreflexive => of_term.before,
            CheckKind::Empty => of_term.update && of_term.overtaken,
        };
        !holds || test.negated
    };
    required.filter(|(_, check)| may_fail(&check.test)).map(|(id, _)| id).collect()
}

/// Recursive definitions are taken to be inside until one of their bodies turns out not to.
fn facts(model: &Model) -> IndexVec<TermId, Facts> {
    let least = |order: RecOrder| if order == RecOrder::Least { ALL } else { NOTHING };
    let mut recursive: Vec<Facts> = model.recs.iter().map(|group| least(group.order)).collect();
    loop {
        let mut all: IndexVec<TermId, Facts> = IndexVec::new();
        for info in &model.terms {
            let facts = of_term(&info.term, &all, &recursive, model);
            all.push(facts);
        }
        let next: Vec<Facts> = model
            .recs
            .iter()
            .zip(&recursive)
            .map(|(group, known)| group.bodies.iter().fold(*known, |facts, body| facts.and(all[*body])))
            .collect();
        if next == recursive {
            return all;
        }
        recursive = next;
    }
}

fn of_term(term: &Term, known: &IndexVec<TermId, Facts>, recursive: &[Facts], model: &Model) -> Facts {
    let of = |t: &TermId| known[*t];
    let is = |t: &TermId, rel: BaseRel| model.terms[*t].term == Term::BaseRel(rel);
    match term {
        Term::Empty => ALL,
        Term::BaseSet(name) => Facts { reads: *name == "R", writes: *name == "W", ..NOTHING },
        Term::BaseRel(rel) => of_base(*rel),
        Term::Union(a, b) => of(a).and(of(b)),
        Term::Inter(a, b) => of(a).or(of(b)),
        Term::Diff(a, b) => Facts { apart: of(a).apart || is(b, BaseRel::Id), ..of(a) }.closed(),
        Term::Seq(a, b) => {
            if matches!(&model.terms[*a].term, Term::Inverse(rf) if is(rf, BaseRel::Rf)) && of(b).coherence {
                return Facts { not_after: true, from_read: true, ..NOTHING };
            }
            match (&model.terms[*a].term, &model.terms[*b].term) {
                (Term::ToId(set), _) => return Facts { reads: of(b).reads || of(set).reads, ..of(b) }.closed(),
                (_, Term::ToId(set)) => return Facts { writes: of(a).writes || of(set).writes, ..of(a) }.closed(),
                _ => {}
            }
            let (a, b) = (of(a), of(b));
            Facts {
                not_after: a.not_after && b.not_after,
                before: a.before && b.not_after || a.not_after && b.before,
                overtaken: a.from_read && b.coherence,
                ..NOTHING
            }
            .closed()
        }
        Term::Plus(a) => {
            let a = of(a);
            Facts { before: a.before, not_after: a.not_after, ..NOTHING }.closed()
        }
        Term::Star(a) | Term::Opt(a) => Facts { not_after: of(a).not_after, ..NOTHING },
        Term::ToId(_) => Facts { not_after: true, ..NOTHING },
        Term::Rec(group, _) => recursive[group.index()],
        _ => NOTHING,
    }
}

fn of_base(rel: BaseRel) -> Facts {
    match rel {
        BaseRel::Po
        | BaseRel::Addr
        | BaseRel::Data
        | BaseRel::Ctrl
        | BaseRel::PickAddr
        | BaseRel::PickData
        | BaseRel::PickCtrl
        | BaseRel::Rf => BEFORE,
        BaseRel::Amo | BaseRel::Lxsx => Facts { update: true, ..BEFORE },
        BaseRel::Co => Facts { coherence: true, ..BEFORE },
        // No access of a program is split.
        BaseRel::Id | BaseRel::Si => Facts { not_after: true, ..NOTHING },
        BaseRel::SameInstance => Facts { instance: true, ..NOTHING },
        BaseRel::Ext => Facts { apart: true, ..NOTHING },
        _ => NOTHING,
    }
}
