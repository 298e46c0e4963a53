//! How the pairs of transitive closures are derived, where there is a choice. The cheapest encoding is chosen here, once
//! for the analysis and for the encoder.

use crate::Polarity;
use treville_model::{Model, Term, TermId};

/// How the pairs of a term are derived that is a closure, or ends with one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Closing {
    /// The closure `t` of a term that is transitive anyway: the pairs of that term.
    Transitive(TermId),
    /// The closure `t` of `a`: the pairs of `a | s ; t`, with steps `s` of `a`.
    FirstStep(TermId),
    /// A composition `t` of `start` with a closure of `step`: the pairs of `start | t ; s`, with steps `s` of `step`, which are few. The
    /// closure itself is not looked at.
    LastStep { start: TermId, step: TermId },
}

/// How the pairs of a term are derived; none if it is no closure. The identity is part of reflexive ones in any case.
///
/// Compositions are derived by their last steps only where a solution that is larger than the least one does no harm
/// ([`Polarity::Up`]).
pub fn closure(model: &Model, t: TermId, polarity: Polarity) -> Option<Closing> {
    match *model.term(t) {
        Term::Plus(a) | Term::Star(a) if is_transitive(model, a) => Some(Closing::Transitive(a)),
        Term::Plus(a) | Term::Star(a) => Some(Closing::FirstStep(a)),
        Term::Seq(start, rest) if polarity == Polarity::Up => match *model.term(rest) {
            Term::Star(step) if !is_transitive(model, step) => Some(Closing::LastStep { start, step }),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a term is transitive by its form: `a ; b*` is if `a` is part of `b*`, since then `a ; b* ; a ; b*` is part of `a ; b*`.
fn is_transitive(model: &Model, t: TermId) -> bool {
    match *model.term(t) {
        Term::Plus(_) | Term::Star(_) => true,
        Term::Seq(a, b) => match (model.term(a), model.term(b)) {
            (_, Term::Star(step)) => is_within(model, a, *step),
            (Term::Star(step), _) => is_within(model, b, *step),
            _ => false,
        },
        _ => false,
    }
}

/// Whether `t` is part of `step*`, as far as its form shows it.
fn is_within(model: &Model, t: TermId, step: TermId) -> bool {
    if is_part(model, t, step) {
        return true;
    }
    let within = |t: TermId| is_within(model, t, step);
    match *model.term(t) {
        Term::Empty | Term::ToId(_) => true,
        Term::Seq(a, b) | Term::Union(a, b) => within(a) && within(b),
        Term::Inter(a, b) => within(a) || within(b),
        Term::Diff(a, _) | Term::Opt(a) | Term::Plus(a) | Term::Star(a) => within(a),
        _ => false,
    }
}

/// Whether `t` is one of the terms that `union` unites.
fn is_part(model: &Model, t: TermId, union: TermId) -> bool {
    t == union
        || match *model.term(union) {
            Term::Union(a, b) => is_part(model, t, a) || is_part(model, t, b),
            _ => false,
        }
}
