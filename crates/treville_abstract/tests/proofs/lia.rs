//! The solver against all small assignments, and against z3 where it is installed.

use std::io::Write;
use std::process::{Command, Stdio};
use treville_abstract::{Answer, Lia, Omega, Z3};
use treville_rma::{Atom, Cond, Linear, Rel, VarId};

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> i64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % n) as i64
    }

    fn atom(&mut self) -> Option<Atom> {
        let mut sum = Linear::constant(self.below(9) - 4);
        for var in 0..3 {
            let factor = if self.below(2) == 0 { 0 } else { self.below(5) - 2 };
            sum = sum.plus(factor, &Linear::var(VarId(var)))?;
        }
        let rel = [Rel::Eq, Rel::Ne, Rel::Le, Rel::Le][self.below(4) as usize];
        match Cond::compare(sum, rel)? {
            Cond::Atom(atom) => Some(atom),
            _ => None,
        }
    }
}

/// An assignment of numbers up to this, and down to its opposite.
fn model(atoms: &[Atom], most: i64) -> Option<[i64; 3]> {
    let range = -most..=most;
    for x in range.clone() {
        for y in range.clone() {
            for z in range.clone() {
                let value = |v: VarId| i128::from([x, y, z][v.0 as usize]);
                if atoms.iter().all(|atom| atom.eval(&value) == Some(true)) {
                    return Some([x, y, z]);
                }
            }
        }
    }
    None
}

#[test]
fn conjunctions() {
    let mut random = Random(1);
    let (mut sat, mut unsat, mut unknown) = (0, 0, 0);
    for round in 0..5000 {
        let n = 1 + random.below(5);
        let atoms: Vec<Atom> = (0..n).filter_map(|_| random.atom()).collect();
        let found = model(&atoms, 12);
        match Omega.satisfiable(&atoms) {
            Answer::Unsat => {
                assert_eq!(found, None, "round {round}: {atoms:?}");
                unsat += 1;
            }
            // With factors up to 2 and constants up to 4, a few conditions that have a model have one that is not large.
            Answer::Sat => {
                assert!(found.is_some() || model(&atoms, 60).is_some(), "round {round}: {atoms:?}");
                sat += 1;
            }
            Answer::Unknown => unknown += 1,
        }
    }
    assert!(sat > 1000 && unsat > 300 && unknown < 100, "{sat} {unsat} {unknown}");
}

#[test]
fn equalities_without_a_unit_factor() {
    let sum = |a: i64, b: i64, c: i64| {
        let sum = Linear::constant(c).plus(a, &Linear::var(VarId(0))).and_then(|s| s.plus(b, &Linear::var(VarId(1))));
        sum.expect("small numbers")
    };
    let atom = |sum: Linear, rel: Rel| match Cond::compare(sum, rel) {
        Some(Cond::Atom(atom)) => atom,
        other => panic!("{other:?}"),
    };
    // 7x + 12y = 31 has integer solutions; with 0 <= x <= 8 and 0 <= y <= 1 the only one is x = 1 and y = 2, which is not there.
    let line = atom(sum(7, 12, -31), Rel::Eq);
    assert_eq!(Omega.satisfiable(std::slice::from_ref(&line)), Answer::Sat);
    let within = [atom(sum(-1, 0, 0), Rel::Le), atom(sum(1, 0, -8), Rel::Le), atom(sum(0, -1, 0), Rel::Le)];
    let with = |last: i64| [&within[..], &[line.clone(), atom(sum(0, 1, -last), Rel::Le)]].concat();
    assert_eq!(Omega.satisfiable(&with(1)), Answer::Unsat);
    assert_eq!(Omega.satisfiable(&with(2)), Answer::Sat);
}

fn term(linear: &Linear) -> String {
    let terms = linear.terms().iter().map(|(var, factor)| format!(" (* {} v{})", number(*factor), var.0));
    format!("(+ {}{} 0)", number(linear.offset()), terms.collect::<String>())
}

fn number(n: i64) -> String {
    if n < 0 { format!("(- {})", n.unsigned_abs()) } else { n.to_string() }
}

fn formula(cond: &Cond) -> String {
    let all = |many: &[Cond]| many.iter().map(|c| format!(" {}", formula(c))).collect::<String>();
    match cond {
        Cond::Const(value) => value.to_string(),
        Cond::Atom(atom) => match atom.rel() {
            Rel::Eq => format!("(= {} 0)", term(atom.linear())),
            Rel::Ne => format!("(not (= {} 0))", term(atom.linear())),
            Rel::Le => format!("(<= {} 0)", term(atom.linear())),
        },
        Cond::And(many) => format!("(and{} true)", all(many)),
        Cond::Or(many) => format!("(or{} false)", all(many)),
        Cond::At { .. } => unreachable!("no places"),
    }
}

/// Which of these conjunctions z3 finds a model for; nothing if there is no z3.
fn z3(conjunctions: &[Vec<String>]) -> Option<Vec<bool>> {
    let mut child = Command::new("z3")
        .arg("-in")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut text = String::from("(declare-const v0 Int)(declare-const v1 Int)(declare-const v2 Int)");
    for conjunction in conjunctions {
        text += "(push)";
        conjunction.iter().for_each(|part| text += &format!("(assert {part})"));
        text += "(check-sat)(pop)\n";
    }
    let mut input = child.stdin.take()?;
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().ok()?;
    writer.join().ok()?.ok()?;
    let answers = String::from_utf8_lossy(&output.stdout).lines().map(|line| line == "sat").collect();
    Some(answers)
}

#[test]
fn implications_as_z3_says() {
    let mut random = Random(7);
    let mut questions = Vec::new();
    while questions.len() < 5000 {
        let atoms: Vec<Atom> = (0..1 + random.below(4)).filter_map(|_| random.atom()).collect();
        let parts: Vec<Cond> = (0..1 + random.below(2)).filter_map(|_| random.atom()).map(Cond::Atom).collect();
        let cond = if random.below(2) == 0 { Cond::and(parts) } else { Cond::or(parts) };
        questions.push((atoms, cond));
    }
    let against = |(atoms, cond): &(Vec<Atom>, Cond)| {
        let not = cond.negated().expect("small numbers");
        atoms.iter().map(|a| formula(&Cond::Atom(a.clone()))).chain([formula(&not)]).collect::<Vec<_>>()
    };
    let Some(answers) = z3(&questions.iter().map(against).collect::<Vec<_>>()) else {
        eprintln!("skipped: there is no z3 on this machine");
        return;
    };
    assert_eq!(answers.len(), questions.len());
    let (mut implied, mut missed) = (0, 0);
    for ((atoms, cond), sat) in questions.iter().zip(answers) {
        let ours = Omega.implies(atoms, cond);
        assert!(!(ours && sat), "{atoms:?} does not imply {cond:?}");
        implied += usize::from(!sat);
        missed += usize::from(!sat && !ours);
    }
    // What the solver gives up on is not implied, as far as anyone knows; there is little of it.
    assert!(implied > 500 && missed * 100 < implied, "{implied} {missed}");
}

#[test]
fn another_solver_says_the_same() {
    let Ok(z3) = Z3::start() else {
        eprintln!("skipped: there is no z3 on this machine");
        return;
    };
    let mut random = Random(11);
    let (mut sat, mut unsat) = (0, 0);
    for _ in 0..1000 {
        let atoms: Vec<Atom> = (0..2 + random.below(8)).filter_map(|_| random.atom()).collect();
        match (Omega.satisfiable(&atoms), z3.satisfiable(&atoms)) {
            (Answer::Sat, Answer::Sat) => sat += 1,
            (Answer::Unsat, Answer::Unsat) => unsat += 1,
            (Answer::Unknown, _) => {}
            (ours, theirs) => panic!("{ours:?} {theirs:?}: {atoms:?}"),
        }
    }
    assert!(sat > 200 && unsat > 100, "{sat} {unsat}");
}

/// A question that would take long is given up: many inequalities that all have something to do with each other.
#[test]
fn no_question_takes_long() {
    let mut random = Random(7);
    let start = std::time::Instant::now();
    for _ in 0..20 {
        let atoms: Vec<Atom> = (0..40)
            .filter_map(|i| {
                let mut sum = Linear::constant(random.below(50) - 25);
                for var in 0..12 {
                    sum = sum.plus(random.below(7) - 3, &Linear::var(VarId(var)))?;
                }
                match Cond::compare(sum, if i % 3 == 0 { Rel::Ne } else { Rel::Le })? {
                    Cond::Atom(atom) => Some(atom),
                    _ => None,
                }
            })
            .collect();
        Omega.satisfiable(&atoms);
    }
    assert!(start.elapsed().as_secs() < 15, "{:?}", start.elapsed());
}
