//! Proofs as files: what their claims mean, where those of an input go, and finding and checking them again.

use std::collections::BTreeMap;
use treville_base::{Files, join_path};
use treville_ir::{Program, Question};
use treville_report::show_formula;
use treville_sat::certificate::{self, Certificate, Checked, DERIVATION, FORMULA, LEMMAS, ORDERS, WITNESS};
use treville_task::{Finding, Goal, Proof, Query};

/// Folders are searched to this depth.
const MAX_DEPTH: usize = 64;

/// One proof, with what is wrong with it if it is not right.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProofChecked {
    pub folder: String,
    /// What it claims, in its own words.
    pub claim: String,
    /// What it rests on.
    pub result: Result<Checked, String>,
}

/// Starts the comments that say more of a claim, from the second line of a formula on.
const NOTE: &str = "c note: ";

/// Adds to the proofs of queries what these ask, in the words of the test.
pub(crate) fn annotate_queries(proofs: &mut [Proof], program: &Program, question: &Question, queries: &[Query]) {
    for proof in proofs {
        let query = proof.query.and_then(|query| queries.get(query));
        if let Some(Goal::Final { condition, .. }) = query.map(|query| &query.goal) {
            proof.note(show_formula(program, question, condition));
        }
    }
}

/// Adds to the proofs of a finding under which model they are.
pub(crate) fn annotate_model(finding: &mut Finding, model: &str) {
    finding.outcome.proofs.iter_mut().for_each(|proof| proof.note(format!("under {model}")));
}

/// The texts of a proof, by the names of their files: the notes are comments of the formula, after what the engine says of it.
pub fn proof_texts(proof: &Proof) -> BTreeMap<&'static str, String> {
    let mut texts = proof.texts.clone();
    if let Some(formula) = texts.get_mut(FORMULA) {
        let second = formula.find('\n').map_or(0, |end| end + 1);
        let notes: String =
            proof.notes.iter().map(|note| format!("{NOTE}{}\n", note.replace(char::is_control, " "))).collect();
        formula.insert_str(second, &notes);
    }
    texts
}

/// The folder for the proofs of an input, below the one for all: the input's own path, without what leads out of it.
pub fn proof_folder(input: &str) -> String {
    let steps = input.split('/').filter(|step| !matches!(*step, "" | "."));
    let inside = steps.map(|step| match step {
        ".." => "up",
        "-" => "stdin",
        step => step,
    });
    inside.collect::<Vec<_>>().join("/")
}

/// Checks every proof in a folder and below.
///
/// # Errors
/// If the folder cannot be read, or there is none.
pub fn check_proofs(folder: &str, files: &dyn Files) -> Result<Vec<ProofChecked>, String> {
    let mut found = Vec::new();
    search(folder, files, 0, &mut found)?;
    if found.is_empty() { Err(format!("{folder}: no proof in this folder")) } else { Ok(found) }
}

fn search(folder: &str, files: &dyn Files, depth: usize, found: &mut Vec<ProofChecked>) -> Result<(), String> {
    let inside = files.list(folder).map_err(|why| format!("{folder}: {why}"))?;
    // One text is enough: a proof that has lost another is no less a proof that fails.
    if [FORMULA, DERIVATION, ORDERS, LEMMAS, WITNESS].iter().any(|name| files.is_file(&join_path(folder, name))) {
        found.push(check(folder, files));
    }
    for path in inside.iter().filter(|path| depth < MAX_DEPTH && files.is_folder(path)) {
        search(path, files, depth + 1, found)?;
    }
    Ok(())
}

fn check(folder: &str, files: &dyn Files) -> ProofChecked {
    let read = |name: &str| files.read(&join_path(folder, name)).map_err(|why| format!("{name}: {why}"));
    let formula = read(FORMULA);
    let claim = formula.as_ref().ok().and_then(|text| claim_of(text)).unwrap_or_else(|| "no claim".into());
    let judged = || {
        let (formula, derivation) = (&formula?, &read(DERIVATION)?);
        let (orders, lemmas, witness) = (&read(ORDERS)?, &read(LEMMAS)?, &read(WITNESS)?);
        certificate::check(&Certificate { formula, derivation, orders, lemmas, witness }).map_err(|f| f.to_string())
    };
    ProofChecked { folder: folder.to_owned(), claim, result: judged() }
}

/// What the comments at the start of a formula say.
fn claim_of(formula: &str) -> Option<String> {
    let mut lines = formula.lines();
    let claim = lines.next()?.strip_prefix("c ")?;
    let notes: Vec<&str> = lines.map_while(|line| line.strip_prefix(NOTE)).collect();
    Some(if notes.is_empty() { claim.to_owned() } else { format!("{claim}: {}", notes.join("; ")) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use treville_base::MemoryFiles;

    #[test]
    fn proofs_stay_in_their_folder() {
        assert_eq!(proof_folder("cases/guide/SB.litmus"), "cases/guide/SB.litmus");
        assert_eq!(proof_folder("/a/./b//../c"), "a/b/up/c");
        assert_eq!(proof_folder("-"), "stdin");
    }

    #[test]
    fn proofs_are_found_and_checked() {
        let file = |name: &str, text: &str| (name.to_owned(), text.to_owned());
        let mut files = MemoryFiles::default();
        assert_eq!(check_proofs("d", &files).unwrap_err(), "d: no proof in this folder");
        files.0.extend([
            file("d/x/query-1/formula.cnf", "c no execution\nc note: under sc\nc note: x=1\np cnf 1 2\n1 0\n-1 0\n"),
            file("d/x/query-1/derivation.lrat", "3 0 1 2 0\n"),
            file("d/x/query-1/orders.txt", ""),
            file("d/x/query-1/lemmas.txt", "p lemmas 2\n"),
            file("d/x/query-1/witness.txt", "p witness 1\nv 1 0\n"),
            file("d/y/formula.cnf", "p cnf 0 0\n"),
        ]);
        let [right, wrong] = &check_proofs("d", &files).expect("two proofs")[..] else { panic!("two proofs") };
        assert_eq!((right.folder.as_str(), right.claim.as_str()), ("d/x/query-1", "no execution: under sc; x=1"));
        assert_eq!(right.result, Ok(Checked { encoded: 2, lemmas: 0, judged: 0 }));
        assert_eq!(wrong.result, Err("derivation.lrat: no such file".into()));
    }
}
