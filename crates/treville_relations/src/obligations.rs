//! Obligations: the checks of a model as an engine must prove or refute them, each a term with a polarity.

use crate::Polarity;
use treville_model::syntax::CheckMode;
use treville_model::{CheckId, CheckKind, Model, Term, TermId};

/// A check in normal form. Closures are looked through: `irreflexive a+` is `acyclic a`, and so is `acyclic a+`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Obligation {
    pub check: CheckId,
    pub kind: CheckKind,
    pub term: TermId,
    /// [`Polarity::Up`] where a term is to be acyclic, irreflexive or empty: a required check, or a flag that is raised then;
    /// [`Polarity::Down`] where it is not to be.
    pub polarity: Polarity,
    /// Executions have to pass it; otherwise something is looked for in executions that do.
    pub required: bool,
}

/// The checks that are required; with `notes`, also what makes flags rise, behaviour undefined and assertions fail.
pub(crate) fn obligations(model: &Model, notes: bool) -> Vec<Obligation> {
    let all = model.made_checks().map(|(check, c)| {
        let (mut kind, mut term) = (c.test.kind, c.test.term);
        while let (&Term::Plus(a), CheckKind::Acyclic | CheckKind::Irreflexive) = (model.term(term), kind) {
            (kind, term) = (CheckKind::Acyclic, a);
        }
        let holds = matches!(c.mode, CheckMode::Require | CheckMode::Flag);
        let polarity = if holds != c.test.negated { Polarity::Up } else { Polarity::Down };
        Obligation { check, kind, term, polarity, required: c.mode == CheckMode::Require }
    });
    all.filter(|obligation| notes || obligation.required).collect()
}
