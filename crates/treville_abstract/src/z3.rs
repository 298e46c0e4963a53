//! The solver z3 in the place of our own, as a process that is asked one conjunction after the other: slower, and nothing of it is
//! ours.

use crate::lia::{Answer, Lia, Omega};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use treville_rma::{Atom, Linear, Rel, VarId};

/// Which solver is asked.
#[derive(Clone, Debug, Default)]
pub enum Solver {
    #[default]
    Omega,
    Z3(Arc<Z3>),
}

impl Lia for Solver {
    fn satisfiable(&self, atoms: &[Atom]) -> Answer {
        match self {
            Solver::Omega => Omega.satisfiable(atoms),
            Solver::Z3(z3) => z3.satisfiable(atoms),
        }
    }
}

/// A running z3.
#[derive(Debug)]
pub struct Z3 {
    talk: Mutex<Talk>,
}

#[derive(Debug)]
struct Talk {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

/// Milliseconds for one question.
const PATIENCE: u32 = 800;

impl Z3 {
    /// # Errors
    /// There is none on this machine.
    pub fn start() -> io::Result<Z3> {
        let mut child =
            Command::new("z3").arg("-in").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let closed = || io::Error::from(io::ErrorKind::BrokenPipe);
        let mut input = child.stdin.take().ok_or_else(closed)?;
        let output = BufReader::new(child.stdout.take().ok_or_else(closed)?);
        writeln!(input, "(set-option :timeout {PATIENCE})")?;
        Ok(Z3 { talk: Mutex::new(Talk { child, input, output }) })
    }
}

impl Lia for Z3 {
    fn satisfiable(&self, atoms: &[Atom]) -> Answer {
        let mut talk = self.talk.lock().unwrap_or_else(PoisonError::into_inner);
        talk.ask(&question(atoms)).unwrap_or(Answer::Unknown)
    }
}

impl Talk {
    fn ask(&mut self, question: &str) -> io::Result<Answer> {
        self.input.write_all(question.as_bytes())?;
        self.input.flush()?;
        let mut answer = String::new();
        self.output.read_line(&mut answer)?;
        Ok(match answer.trim() {
            "sat" => Answer::Sat,
            "unsat" => Answer::Unsat,
            _ => Answer::Unknown,
        })
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn question(atoms: &[Atom]) -> String {
    let vars = |atom: &Atom| atom.linear().terms().iter().map(|(var, _)| *var).collect::<Vec<VarId>>();
    let vars: BTreeSet<VarId> = atoms.iter().flat_map(vars).collect();
    let mut text = String::from("(push)");
    for var in vars {
        let _ = write!(text, "(declare-const v{} Int)", var.0);
    }
    for atom in atoms {
        let sum = sum(atom.linear());
        let _ = match atom.rel() {
            Rel::Eq => write!(text, "(assert (= {sum} 0))"),
            Rel::Ne => write!(text, "(assert (not (= {sum} 0)))"),
            Rel::Le => write!(text, "(assert (<= {sum} 0))"),
        };
    }
    text.push_str("(check-sat)(pop)\n");
    text
}

fn sum(linear: &Linear) -> String {
    let terms = linear.terms().iter().map(|(var, factor)| format!(" (* {} v{})", number(*factor), var.0));
    format!("(+ {}{} 0)", number(linear.offset()), terms.collect::<String>())
}

fn number(n: i64) -> String {
    if n < 0 { format!("(- {})", n.unsigned_abs()) } else { n.to_string() }
}
