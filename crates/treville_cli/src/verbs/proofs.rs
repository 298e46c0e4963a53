//! Proofs on the disk: `treville verify --proof DIR` writes them, `treville check-proof DIR` checks them.

use crate::args::CheckProofArgs;
use crate::disk::Disk;
use crate::exit::Status;
use crate::output::Output;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use treville_verifier::report::Paint;
use treville_verifier::task::Report;
use treville_verifier::{ProofChecked, check_proofs, proof_folder, proof_texts};

/// The folder that proofs are written to.
pub(crate) struct ProofFolder {
    root: PathBuf,
    used: BTreeSet<String>,
}

impl ProofFolder {
    /// A folder that is not there yet, or empty: proofs of another time must not be taken for those of today.
    pub(crate) fn new(path: &str) -> Result<Self, String> {
        let said = |error: std::io::Error| format!("--proof {path}: {error}");
        fs::create_dir_all(path).map_err(said)?;
        if fs::read_dir(path).map_err(said)?.next().is_some() {
            return Err(format!("--proof {path}: the folder is not empty"));
        }
        Ok(ProofFolder { root: PathBuf::from(path), used: BTreeSet::new() })
    }

    /// Writes the proofs of one input, each to a folder of its own.
    pub(crate) fn write(&mut self, report: &Report) -> Result<(), String> {
        let proofs = report.finding().map(|finding| finding.outcome.proofs.as_slice()).unwrap_or_default();
        if proofs.is_empty() {
            return Ok(());
        }
        let name = self.unused(proof_folder(&report.file));
        let folder = self.root.join(name);
        for proof in proofs {
            write_texts(&folder.join(&proof.name), &proof_texts(proof))?;
        }
        Ok(())
    }

    /// The name, with a number if it was used for another input.
    fn unused(&mut self, name: String) -> String {
        let others = (2..).map(|n| format!("{name}-{n}"));
        let free = std::iter::once(name.clone()).chain(others).find(|name| !self.used.contains(name));
        let free = free.unwrap_or(name);
        self.used.insert(free.clone());
        free
    }
}

fn write_texts<'a>(
    folder: &Path,
    texts: impl IntoIterator<Item = (&'a &'static str, &'a String)>,
) -> Result<(), String> {
    let said = |error: std::io::Error| format!("{}: {error}", folder.display());
    fs::create_dir_all(folder).map_err(said)?;
    texts.into_iter().try_for_each(|(name, text)| fs::write(folder.join(name), text).map_err(said))
}

pub(crate) fn check(args: &CheckProofArgs, output: &mut Output) -> Status {
    let mut status = Status::Yes;
    for folder in &args.folders {
        match check_proofs(folder, &Disk) {
            Err(why) => {
                output.error(&why);
                status = status.and(Status::Wrong);
            }
            Ok(proofs) => {
                for proof in proofs {
                    status = status.and(if proof.result.is_ok() { Status::Yes } else { Status::No });
                    if output.print(&row(&proof, output)).is_err() {
                        return status;
                    }
                }
            }
        }
    }
    status
}

fn row(proof: &ProofChecked, output: &Output) -> String {
    let ProofChecked { folder, claim, result } = proof;
    match result {
        Ok(checked) => {
            let right = output.palette.paint(Paint::Good, "right");
            let judged = match checked.judged {
                0 => String::new(),
                n => format!("; executions that were judged one by one, which is not checked here: {n}"),
            };
            let (encoded, lemmas) = (checked.encoded, checked.lemmas);
            format!("{folder}: {right}: {claim}\n  clauses: {encoded}; cycles that orders forbid: {lemmas}{judged}\n")
        }
        Err(why) => format!("{folder}: {}: {why}\n", output.palette.paint(Paint::Bad, "wrong")),
    }
}
