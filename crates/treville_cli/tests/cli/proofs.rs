//! `treville verify --proof` and `treville check-proof`.

use crate::common::{case, treville};
use std::fs;
use std::path::PathBuf;
use treville_trials::{Trial, test};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        test!(proofs_are_written_checked_and_found_wrong),
        test!(a_proof_up_to_the_bound_says_so),
        test!(what_cannot_be_done_is_said),
    ]
}

/// A folder that is not there.
fn folder(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("proofs").join(name);
    let _ = fs::remove_dir_all(&path);
    path.to_string_lossy().into_owned()
}

fn proofs_are_written_checked_and_found_wrong() {
    let proofs = folder("written");
    let test = case("SB+mfences.litmus");
    let proved = treville(&["verify", &test, "--engine", "bmc", "--proof", &proofs]);
    assert_eq!((proved.status, proved.stderr.as_str()), (1, ""));
    assert_eq!(proved.stdout, treville(&["verify", &test, "--engine", "bmc"]).stdout);

    let right = treville(&["check-proof", &proofs]);
    assert_eq!((right.status, right.stderr.as_str()), (0, ""));
    let claim = "right: no execution of SB+mfences satisfies query 1: under tso; 0:EAX=0 /\\ 1:EAX=0\n";
    assert!(right.stdout.starts_with(&format!("{proofs}/{test}/query-1: {claim}")), "{}", right.stdout);

    let lemmas = format!("{proofs}/{test}/query-1/lemmas.txt");
    let text = fs::read_to_string(&lemmas).expect("the lemmas were written");
    let (head, _) = text.split_once("\nl ").expect("a lemma");
    fs::write(&lemmas, format!("{head}\n")).expect("the file can be written");
    let wrong = treville(&["check-proof", &proofs]);
    assert_eq!(wrong.status, 1);
    assert_eq!(wrong.stdout, format!("{proofs}/{test}/query-1: wrong: lemmas.txt: a clause has no reason\n"));
}

fn a_proof_up_to_the_bound_says_so() {
    let proofs = folder("bounded");
    let program = "case-studies/mutex/peterson.pts";
    for encoding in ["lazy", "eager"] {
        let proofs = format!("{proofs}/{encoding}");
        let call = ["verify", program, "--model", "tso", "--engine", "bmc", "--bound", "1", "--spin", "keep"];
        assert_eq!(treville(&[&call[..], &["--encoding", encoding, "--proof", &proofs]].concat()).status, 3);
        let right = treville(&["check-proof", &proofs]);
        assert_eq!(right.status, 0);
        let claim =
            "query-1: right: no execution of peterson, loops run at most 1 times, satisfies query 1: under tso; ";
        assert!(right.stdout.contains(claim), "{}", right.stdout);
    }
}

fn what_cannot_be_done_is_said() {
    let proofs = folder("refused");
    let other = treville(&["verify", &case("SB.litmus"), "--proof", &proofs]);
    assert_eq!(other.status, 2);
    assert!(other.stderr.contains("--proof belongs to the engine bmc: name it with --engine bmc"), "{}", other.stderr);
    let none = treville(&["check-proof", &proofs]);
    assert_eq!((none.status, none.stderr), (2, format!("error: {proofs}: no proof in this folder\n")));
    fs::write(format!("{proofs}/old"), "").expect("the file can be written");
    let full = treville(&["verify", &case("SB.litmus"), "--engine", "bmc", "--proof", &proofs]);
    assert_eq!((full.status, full.stderr), (2, format!("error: --proof {proofs}: the folder is not empty\n")));
}
