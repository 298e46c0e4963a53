//! Proofs of the engine `bmc`: whatever it says is absent, on cases and on random programs, with orders by a theory and by
//! clauses, our checker accepts; and it accepts nothing that was tampered with.

use std::collections::BTreeSet;
use treville_base::Cancel;
use treville_bmc::{Bmc, Encoding, Options};
use treville_sat::certificate::{self, Certificate, Checked, DERIVATION, FORMULA, LEMMAS, ORDERS, WITNESS};
use treville_task::{Answer, Engine, Proof, Silent, Task};
use treville_testkit::campaign::{Plan, sketch};
use treville_testkit::{Lab, cases_folder, golden};

fn bmc(encoding: Encoding) -> Bmc {
    Bmc::new(Options { encoding, proofs: true, ..Options::default() })
}

fn certificate(proof: &Proof) -> Certificate<'_> {
    let text = |name| proof.texts.get(name).map_or("", String::as_str);
    Certificate {
        formula: text(FORMULA),
        derivation: text(DERIVATION),
        orders: text(ORDERS),
        lemmas: text(LEMMAS),
        witness: text(WITNESS),
    }
}

/// What was proved.
#[derive(Default, Debug)]
struct Tally {
    absent: usize,
    proofs: usize,
    lemmas: usize,
    judged: usize,
    /// First words of what was proved.
    kinds: BTreeSet<String>,
}

/// Runs the engine; each absent query has its proof, and each proof is right.
fn prove(name: &str, engine: &Bmc, task: &Task, tally: &mut Tally) -> Vec<Proof> {
    let outcome = engine.run(task, &Silent);
    assert_eq!(outcome.stopped, None, "{name}");
    for (i, answer) in outcome.answers.iter().enumerate() {
        let has_proof = outcome.proofs.iter().any(|proof| proof.name == format!("query-{}", i + 1));
        assert_eq!(has_proof, matches!(answer, Answer::Absent(_)), "{name}, query {}", i + 1);
        tally.absent += usize::from(has_proof);
    }
    for proof in &outcome.proofs {
        let Checked { lemmas, judged, .. } =
            certificate::check(&certificate(proof)).unwrap_or_else(|fault| panic!("{name}, {}: {fault}", proof.name));
        tally.proofs += 1;
        tally.lemmas += lemmas;
        tally.judged += judged;
        tally.kinds.insert(proof.name.split('-').next().unwrap_or_default().to_owned());
    }
    outcome.proofs
}

/// All cases, under all their models.
#[test]
#[expect(clippy::print_stdout, reason = "the counts are part of what the test shows")]
fn proofs_of_cases_are_accepted() {
    let lab = Lab::new();
    for encoding in [Encoding::Lazy, Encoding::Eager] {
        let mut tally = Tally::default();
        for case in golden::load(&cases_folder()).expect("readable cases") {
            for expectation in &case.expectations {
                let (litmus, linked) = lab.load(&case.text, &expectation.model).expect("a test under its model");
                let mut task = lab.task(&litmus, &linked, Cancel::new());
                task.states = false;
                task.bounds.given = Some(task.bounds.unroll);
                prove(&format!("{} under {}", case.name, expectation.model), &bmc(encoding), &task, &mut tally);
            }
        }
        println!("{encoding:?}: {tally:?}");
        assert!(tally.absent >= 400 && tally.judged > 0, "{tally:?}");
        assert!(["query", "flag", "thin", "stray", "cut"].iter().all(|kind| tally.kinds.contains(*kind)), "{tally:?}");
        assert_eq!(tally.lemmas > 50, encoding == Encoding::Lazy, "{tally:?}");
    }
}

#[test]
#[expect(clippy::print_stdout, reason = "the counts are part of what the test shows")]
fn proofs_of_random_programs_are_accepted() {
    let lab = Lab::new();
    let engine = || -> Box<dyn Engine> { Box::new(Bmc::new(Options::default())) };
    let plan = Plan { seed: 23, n_programs: 150, n_threads: 1, max_candidates: 400.0, engine, dialect: None };
    for encoding in [Encoding::Lazy, Encoding::Eager] {
        let mut tally = Tally::default();
        for number in 0..plan.n_programs {
            let sketch = sketch(&plan, number);
            let Some(text) = sketch.text() else { continue };
            let litmus = lab.parse(&text, None).expect("a correct test");
            for model in sketch.syntax.models().iter().take(2) {
                let linked = lab.link_for(model, &litmus.program).expect("a correct model");
                let task = lab.task(&litmus, &linked, Cancel::new());
                prove(&format!("program {number} under {model}"), &bmc(encoding), &task, &mut tally);
            }
        }
        println!("{encoding:?}: {tally:?}");
        assert!(tally.absent >= 50, "{tally:?}");
    }
}

const IRIW: &str = "X86 IRIW\n{}\n P0         | P1         | P2          | P3          ;\n \
    MOV [x],$1 | MOV [y],$1 | MOV EAX,[x] | MOV EAX,[y] ;\n \
               |            | MOV EBX,[y] | MOV EBX,[x] ;\n\
    exists (2:EAX=1 /\\ 2:EBX=0 /\\ 3:EAX=1 /\\ 3:EBX=0)\n";

/// Each line of a text that the proof needs, left out or changed, makes it wrong.
#[test]
fn proofs_that_were_tampered_with_are_rejected() {
    let lab = Lab::new();
    let litmus = lab.parse(IRIW, None).expect("a correct test");
    let linked = lab.link_for("tso", &litmus.program).expect("a correct model");
    let task = lab.task(&litmus, &linked, Cancel::new());
    let proofs = prove("IRIW", &bmc(Encoding::Lazy), &task, &mut Tally::default());
    let proof = proofs.iter().find(|proof| proof.name == "query-1").expect("a proof");
    let right = certificate(proof);
    let is_rejected = |wrong: Certificate<'_>| certificate::check(&wrong).is_err();

    // A step that derives the empty clause has the 0 that ends it right after its number.
    let is_empty = |step: &&str| step.split(' ').nth(1) == Some("0");
    let endless: Vec<&str> = right.derivation.lines().filter(|step| !is_empty(step)).collect();
    assert!(is_rejected(Certificate { derivation: &endless.join("\n"), ..right }), "a derivation without its end");
    let unfounded: String = right.derivation.lines().filter_map(without_hint).collect();
    assert!(is_rejected(Certificate { derivation: &unfounded, ..right }), "a derivation without a hint in each step");

    let lemmas: Vec<&str> = right.lemmas.lines().filter(|line| line.starts_with('l')).collect();
    assert!(!lemmas.is_empty(), "the proof needs no theory");
    for lemma in lemmas {
        let shorter = without_hint(lemma).expect("a lemma has edges");
        let wrong = right.lemmas.replace(&format!("{lemma}\n"), &shorter);
        assert!(is_rejected(Certificate { lemmas: &wrong, ..right }), "{lemma}: one edge less");
        let wrong = right.lemmas.replace(&format!("{lemma}\n"), "");
        assert!(is_rejected(Certificate { lemmas: &wrong, ..right }), "{lemma}: left out");
        // The clause itself, stronger than what the cycle says.
        let number: usize = lemma.split(' ').nth(1).and_then(|word| word.parse().ok()).expect("a number");
        let formula = stronger(right.formula, number);
        assert!(is_rejected(Certificate { formula: &formula, ..right }), "{lemma}: a stronger clause");
    }
    let edge = right.lemmas.lines().filter(|line| line.starts_with('l')).find_map(|line| line.split(' ').nth(2));
    let turned: String = right.orders.lines().map(|line| turn(line, edge.expect("an edge")) + "\n").collect();
    assert!(is_rejected(Certificate { orders: &turned, ..right }), "an edge turned round");

    assert!(is_rejected(Certificate { witness: "", ..right }), "no witness");
    let head = right.witness.lines().find(|line| line.starts_with('p')).expect("the line that a witness starts with");
    assert!(is_rejected(Certificate { witness: &format!("{head}\n"), ..right }), "a witness that says nothing");
    let other = right.witness.replacen("v 1 ", "v -1 ", 1);
    assert!(is_rejected(Certificate { witness: &other, ..right }), "a witness that does not satisfy the formula");
    let longer = format!("{}7 ", right.derivation.trim_end());
    assert!(is_rejected(Certificate { derivation: &longer, ..right }), "something after the end of a step");
}

/// A line of numbers without the one before the last 0.
fn without_hint(line: &str) -> Option<String> {
    let (rest, _) = line.strip_suffix(" 0")?.rsplit_once(' ')?;
    Some(format!("{rest} 0\n"))
}

/// The formula with the clause of that number without its first literal.
fn stronger(formula: &str, number: usize) -> String {
    let mut at = 0;
    let change = |line: &str| {
        at += usize::from(!line.starts_with(['c', 'p']));
        if at == number && !line.starts_with('c') {
            return line.split_once(' ').map_or("", |(_, rest)| rest).to_owned() + "\n";
        }
        format!("{line}\n")
    };
    formula.lines().map(change).collect()
}

/// The edge of that number, the other way round.
fn turn(line: &str, edge: &str) -> String {
    match line.split(' ').collect::<Vec<_>>()[..] {
        ["e", number, order, from, to, lit] if number == edge => format!("e {number} {order} {to} {from} {lit}"),
        _ => line.to_owned(),
    }
}
