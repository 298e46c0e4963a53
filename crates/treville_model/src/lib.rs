//! Memory models as data. No text is read here: [`syntax`] is what a parser of CAT produces; [`link()`] turns it, for one
//! vocabulary, into a [`Model`]: hash-consed set and relation terms, choices and checks in order.

pub mod bell;
pub mod syntax;

mod display;
mod facts;
mod fingerprint;
mod foregone;
mod label;
mod leftovers;
mod link;
mod mentions;
mod model;
mod terms;
mod types;
mod vocabulary;

pub use facts::{Family, HappensBefore, KnownModel, ModelFacts};
pub use foregone::Foregone;
pub use label::label;
pub use link::{examine, group_member, link};
pub use mentions::{defines, has_check, mentions, takes};
pub use model::{
    Check, CheckId, CheckKind, Closure, General, GeneralId, Known, Model, Orders, Pick, PickId, PickSource, Prim,
    RecGroup, RecId, RecOrder, Shape, Stage, Static, Step, Term, TermId, TermInfo, Test, Type,
};
pub use terms::children;
pub use vocabulary::{DialectFacts, vocabulary};
