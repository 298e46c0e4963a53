//! Proofs of answers as texts for files; `treville_sat` says where they go, and checks them again.

use std::collections::BTreeMap;
use treville_sat::certificate::FORMULA;
use treville_sat::folders::with_notes;
use treville_task::Proof;

/// The texts of a proof, by the names of their files: the notes are comments of the formula, after what the engine says of it.
pub fn proof_texts(proof: &Proof) -> BTreeMap<&'static str, String> {
    let mut texts = proof.texts.clone();
    if let Some(formula) = texts.get_mut(FORMULA) {
        *formula = with_notes(formula, &proof.notes);
    }
    texts
}
