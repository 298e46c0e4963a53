//! Proofs as files: where those of an input go, what the formula says of its claim, and finding and checking them again.

use crate::certificate::{self, Certificate, Checked, DERIVATION, FORMULA, LEMMAS, ORDERS, WITNESS};
use treville_base::{Files, join_path};

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

/// A formula with more of its claim: comments after what the engine says of it.
pub fn with_notes(formula: &str, notes: &[String]) -> String {
    let second = formula.find('\n').map_or(0, |end| end + 1);
    let (before, after) = formula.split_at(second);
    let notes: String = notes.iter().map(|note| format!("{NOTE}{}\n", note.replace(char::is_control, " "))).collect();
    format!("{before}{notes}{after}")
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
