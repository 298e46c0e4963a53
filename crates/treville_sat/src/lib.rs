//! Propositional solving, and what bounded model checking needs on top of it.
//!
//! A [`Solver`] takes clauses and searches for a model, again and again as clauses are added; [`Gates`] makes literals that
//! equal functions of others, [`Bits`] words of literals that equal terms. A [`Theory`] takes part in the search: [`Orders`]
//! keeps graphs free of cycles whose edges are there if literals hold.
//!
//! ```
//! use treville_base::Cancel;
//! use treville_sat::{Backend, Gates, Orders, Solver, Verdict};
//!
//! let mut gates = Gates::new(Solver::with_theory(Backend::default(), Orders::new()));
//! let (a, b) = (gates.fresh(), gates.fresh());
//! let order = gates.sink.theory_mut().add_order();
//! gates.sink.theory_mut().add_edge(order, 0, 1, a);
//! gates.sink.theory_mut().add_edge(order, 1, 0, b);
//! let either = gates.or(a, b);
//! assert_eq!(gates.sink.solve(&[either], &Cancel::new()), Verdict::Sat);
//! assert_eq!(gates.sink.solve(&[a, b], &Cancel::new()), Verdict::Unsat);
//! ```
//!
//! The same orders can be given in clauses ([`encode_acyclic`]), to find mistakes of either. Where CaDiCaL says that there is no
//! model, [`Solver::with_proof`] has its derivation, which [`lrat::check`] repeats, and [`certificate::check`] together with the
//! reasons for what the theory has said; [`folders`] finds such proofs as files.
//!
//! Read in this order: `lit`, `clauses`, `solver`, `theory`, `orders` with `graph` and `fixed` below it, `gates`, `words`, `bits`.
//!
//! This crate knows nothing of programs, events and models.

#[cfg(not(any(feature = "cadical", feature = "batsat")))]
compile_error!("treville_sat needs a solver: turn on the feature `cadical` or `batsat`");

#[cfg(feature = "batsat")]
mod batsat;
mod bits;
mod bridge;
#[cfg(feature = "cadical")]
mod cadical;
pub mod certificate;
mod clauses;
mod eager;
pub mod folders;
mod gates;
mod lit;
pub mod lrat;
mod orders;
#[cfg(feature = "cadical")]
mod proof;
mod solver;
mod theory;
pub mod words;

pub use bits::Bits;
pub use clauses::{ClauseSink, Cnf};
pub use eager::encode_acyclic;
pub use gates::Gates;
pub use lit::{Lit, Var};
pub use orders::{Edge, EdgeId, Explain, Lemma, OrderId, Orders};
#[cfg(feature = "cadical")]
pub use proof::Proof;
pub use solver::{Backend, Solver, Stats, Verdict};
pub use theory::{NoTheory, Preparation, Theory};
