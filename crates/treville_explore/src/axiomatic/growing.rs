//! Which of a model's axioms a graph can violate for good while it still grows.
//!
//! A graph grows at the ends of its threads, and its reads and writes get sources and places. A term is *fixed* if the pairs
//! that it has among the events so far stay as they are, and *growing* if none of them goes away. A relation is *forward* if
//! no pair goes from an event that is still to come to one that is there (as program order), *backward* if none goes the
//! other way: a path through such a relation cannot lead over new events, so that compositions of fixed relations are fixed
//! as well. A violated axiom of a growing term stays violated.

use treville_base::{Idx, IndexVec};
use treville_event::BaseRel;
use treville_model::syntax::CheckMode;
use treville_model::{CheckId, Model, RecOrder, Step, Term, TermId};

#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Facts {
    fixed: bool,
    growing: bool,
    forward: bool,
    backward: bool,
}

const FIXED: Facts = Facts { fixed: true, growing: true, forward: false, backward: false };
const FORWARD: Facts = Facts { forward: true, ..FIXED };
const DIAGONAL: Facts = Facts { backward: true, ..FORWARD };
const GROWING: Facts = Facts { fixed: false, ..FIXED };
const NOTHING: Facts = Facts { growing: false, ..GROWING };

/// How a graph grows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Growth {
    /// Reads get their sources, and writes their places, at any time.
    Anyhow,
    /// A read has its source from the start, a write its place.
    Settled,
    /// The same, and what a thread writes comes after what it has written there before.
    Coherent,
}

/// The required checks that a graph which still grows may be given up for.
pub(crate) fn growing_checks(model: &Model, growth: Growth) -> Vec<CheckId> {
    let facts = facts(model, growth);
    let checks = model.steps.iter().filter_map(|s| if let Step::Check(id) = s { Some(*id) } else { None });
    let lasting = |id: &CheckId| {
        let check = &model.checks[*id];
        check.mode == CheckMode::Require && !check.test.negated && facts[check.test.term].growing
    };
    checks.filter(lasting).collect()
}

/// Recursive definitions are taken to grow until one of their bodies turns out not to.
fn facts(model: &Model, growth: Growth) -> IndexVec<TermId, Facts> {
    let mut recursive: Vec<Facts> =
        model.recs.iter().map(|group| if group.order == RecOrder::Least { GROWING } else { NOTHING }).collect();
    loop {
        let mut all: IndexVec<TermId, Facts> = IndexVec::new();
        for info in &model.terms {
            let facts = match (growth, &info.term) {
                (Growth::Coherent, Term::Inter(a, b)) if is_co_of_thread(model, *a, *b) => FORWARD,
                (Growth::Settled | Growth::Coherent, Term::BaseRel(BaseRel::Rf)) => FORWARD,
                (Growth::Settled | Growth::Coherent, Term::BaseRel(BaseRel::Co)) => FIXED,
                (_, term) => of_term(term, &all, &recursive),
            };
            all.push(facts);
        }
        let mut changed = false;
        for (id, group) in model.recs.iter_enumerated() {
            let holds = group.bodies.iter().all(|body| all[*body].growing);
            if recursive[id.index()].growing && !holds {
                recursive[id.index()] = NOTHING;
                changed = true;
            }
        }
        if !changed {
            return all;
        }
    }
}

/// Whether the intersection of two terms is coherence inside a thread.
fn is_co_of_thread(model: &Model, a: TermId, b: TermId) -> bool {
    let is = |t: TermId, rel: BaseRel| model.terms[t].term == Term::BaseRel(rel);
    is(a, BaseRel::Co) && is(b, BaseRel::Int) || is(a, BaseRel::Int) && is(b, BaseRel::Co)
}

fn of_term(term: &Term, known: &IndexVec<TermId, Facts>, recursive: &[Facts]) -> Facts {
    let of = |t: &TermId| known[*t];
    match term {
        Term::BaseSet(name) if *name == "FW" => NOTHING,
        Term::BaseSet(_) | Term::Universe => FIXED,
        Term::Empty => DIAGONAL,
        Term::BaseRel(rel) => of_base(*rel),
        Term::Union(a, b) => {
            let (a, b) = (of(a), of(b));
            Facts {
                fixed: a.fixed && b.fixed,
                growing: a.growing && b.growing,
                forward: a.forward && b.forward,
                backward: a.backward && b.backward,
            }
        }
        Term::Inter(a, b) => {
            let (a, b) = (of(a), of(b));
            Facts {
                fixed: a.fixed && b.fixed,
                growing: a.growing && b.growing,
                forward: a.forward || b.forward,
                backward: a.backward || b.backward,
            }
        }
        Term::Diff(a, b) => {
            let (a, b) = (of(a), of(b));
            Facts { fixed: a.fixed && b.fixed, growing: a.growing && b.fixed, ..a }
        }
        Term::Complement(a) => {
            if of(a).fixed {
                FIXED
            } else {
                NOTHING
            }
        }
        Term::Seq(a, b) => {
            let (a, b) = (of(a), of(b));
            Facts {
                fixed: a.fixed && b.fixed && (b.forward || a.backward),
                growing: a.growing && b.growing,
                forward: a.forward && b.forward,
                backward: a.backward && b.backward,
            }
        }
        Term::Plus(a) | Term::Star(a) => {
            let a = of(a);
            Facts { fixed: a.fixed && (a.forward || a.backward), ..a }
        }
        Term::Opt(a) => of(a),
        Term::Inverse(a) => {
            let a = of(a);
            Facts { forward: a.backward, backward: a.forward, ..a }
        }
        Term::Product(a, b) => {
            let (a, b) = (of(a), of(b));
            Facts { fixed: a.fixed && b.fixed, growing: a.growing && b.growing, ..NOTHING }
        }
        Term::ToId(a) => Facts { forward: true, backward: true, ..of(a) },
        Term::Domain(a) => {
            let a = of(a);
            Facts { fixed: a.fixed && a.backward, growing: a.growing, ..NOTHING }
        }
        Term::Range(a) => {
            let a = of(a);
            Facts { fixed: a.fixed && a.forward, growing: a.growing, ..NOTHING }
        }
        Term::Rec(group, _) => recursive[group.index()],
        Term::Pick(_) | Term::General(_) => NOTHING,
    }
}

fn of_base(rel: BaseRel) -> Facts {
    match rel {
        BaseRel::Id => DIAGONAL,
        BaseRel::Po
        | BaseRel::Addr
        | BaseRel::Data
        | BaseRel::Ctrl
        | BaseRel::PickAddr
        | BaseRel::PickData
        | BaseRel::PickCtrl
        | BaseRel::Amo
        | BaseRel::Lxsx
        | BaseRel::IicoData
        | BaseRel::IicoCtrl
        | BaseRel::RfReg => FORWARD,
        BaseRel::Rf | BaseRel::Co => GROWING,
        BaseRel::Loc
        | BaseRel::Int
        | BaseRel::Ext
        | BaseRel::Si
        | BaseRel::SameObject
        | BaseRel::SameInstance
        | BaseRel::SameInstr
        | BaseRel::SameStatic => FIXED,
        // Nothing is taken for granted of the others, most of which no skeleton has.
        _ => NOTHING,
    }
}
