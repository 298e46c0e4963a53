//! A checker of complete proofs that a formula with orders has no solution. It reads texts only, and shares nothing with those
//! who make them.
//!
//! A proof is five texts:
//! - the formula, all clauses in the DIMACS format: first those that encode the problem, then those with a reason;
//! - the derivation in the LRAT format, whose last clause must be the empty one;
//! - the orders, with lines `o ORDER NAME` and `e EDGE ORDER FROM TO LITERAL`: in this order FROM comes before TO if LITERAL holds;
//! - the reasons, after a line `p lemmas N`, which says that the first N clauses encode the problem. Each further clause has one:
//!   `l CLAUSE EDGE … 0` if it forbids a cycle, which the edges form one after the other, or `j CLAUSE` if it excludes a solution
//!   that was judged by itself. Of the latter nothing can be checked here, and they are counted;
//! - the witness, after a line `p witness N`: lines `v LITERAL … 0`, an assignment that satisfies the first N clauses and all orders.
//!   So what comes after these is to blame that there is no solution: the goal, whose clauses define new variables, or state one
//!   literal each, and none of them the negation of another. The assignment extends to the new variables by unit propagation, with
//!   what is left open false.
//!
//! Lines that start with `c` are for people. Each other line is one clause, step, edge or reason, and nothing follows it.

mod witness;

use crate::lrat::{self, Clauses, read_last_list};
use rustc_hash::{FxHashMap, FxHashSet};

/// Names for files with the texts.
pub const FORMULA: &str = "formula.cnf";
pub const DERIVATION: &str = "derivation.lrat";
pub const ORDERS: &str = "orders.txt";
pub const LEMMAS: &str = "lemmas.txt";
pub const WITNESS: &str = "witness.txt";

/// The texts of a proof.
#[derive(Clone, Copy, Debug)]
pub struct Certificate<'a> {
    pub formula: &'a str,
    pub derivation: &'a str,
    pub orders: &'a str,
    pub lemmas: &'a str,
    pub witness: &'a str,
}

/// What a correct proof rests on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Checked {
    /// Clauses that encode the problem.
    pub encoded: usize,
    /// Clauses that forbid a cycle.
    pub lemmas: usize,
    /// Clauses that exclude a solution which was judged by itself.
    pub judged: usize,
}

/// Where a proof is wrong, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The text, by the name of its file.
    pub text: &'static str,
    /// From 1; 0 if no line is to blame.
    pub line: usize,
    pub what: &'static str,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.text, self.what),
            line => write!(f, "{}:{line}: {}", self.text, self.what),
        }
    }
}

struct Edge {
    order: u64,
    from: u64,
    to: u64,
    lit: i32,
}

/// Checks a proof.
///
/// # Errors
/// The first mistake.
pub fn check(proof: &Certificate<'_>) -> Result<Checked, Fault> {
    let in_formula = |fault: lrat::Fault| Fault { text: FORMULA, line: fault.line, what: fault.what };
    let in_derivation = |fault: lrat::Fault| Fault { text: DERIVATION, line: fault.line, what: fault.what };
    let clauses = lrat::read_dimacs(proof.formula).map_err(in_formula)?;
    let edges = read_edges(proof.orders)?;
    let checked = check_reasons(proof.lemmas, &clauses, &edges)?;
    witness::check(proof.witness, &clauses, &edges, checked.encoded as u64)?;
    let last = lrat::check_from(clauses, proof.derivation).map_err(in_derivation)?;
    if last.is_empty() {
        Ok(checked)
    } else {
        Err(Fault { text: DERIVATION, line: 0, what: "the last clause is not the empty one" })
    }
}

/// The lines that say something, with their first word.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str, std::str::SplitAsciiWhitespace<'_>)> {
    text.lines().enumerate().filter_map(|(at, line)| {
        let mut words = line.split_ascii_whitespace();
        words.next().filter(|word| *word != "c").map(|word| (at + 1, word, words))
    })
}

fn read_edges(text: &str) -> Result<FxHashMap<u64, Edge>, Fault> {
    let mut orders = FxHashSet::default();
    let mut edges = FxHashMap::default();
    for (line, word, mut words) in lines(text) {
        let fault = |what| Fault { text: ORDERS, line, what };
        match word {
            "o" => {
                let order: u64 = number(&mut words).ok_or(fault("an order has a number"))?;
                if !orders.insert(order) {
                    return Err(fault("the number is in use"));
                }
            }
            "e" => {
                let (id, edge) = read_edge(&mut words).ok_or(fault("an edge has five numbers"))?;
                if !orders.contains(&edge.order) {
                    return Err(fault("there is no such order"));
                }
                if edges.insert(id, edge).is_some() {
                    return Err(fault("the number is in use"));
                }
            }
            _ => return Err(fault("neither an order nor an edge")),
        }
    }
    Ok(edges)
}

fn number<'a, N: std::str::FromStr>(words: &mut impl Iterator<Item = &'a str>) -> Option<N> {
    words.next()?.parse().ok()
}

/// The number in the line that a text starts with, after the words `p` and `what`.
fn head_number<'a>(words: &mut impl Iterator<Item = &'a str>, what: &str) -> Option<u64> {
    let number = words.next().filter(|word| *word == what).and(number(words))?;
    words.next().is_none().then_some(number)
}

fn read_edge<'a>(words: &mut impl Iterator<Item = &'a str>) -> Option<(u64, Edge)> {
    let id = number(words)?;
    let edge = Edge { order: number(words)?, from: number(words)?, to: number(words)?, lit: number(words)? };
    words.next().is_none().then_some((id, edge))
}

/// Each clause beyond those that encode the problem has one reason, and it is right.
fn check_reasons(text: &str, clauses: &Clauses, edges: &FxHashMap<u64, Edge>) -> Result<Checked, Fault> {
    let mut lines = lines(text);
    let head = Fault { text: LEMMAS, line: 1, what: "the text starts with `p lemmas` and a number" };
    let Some((_, "p", mut words)) = lines.next() else { return Err(head) };
    let n_encoded = head_number(&mut words, "lemmas").ok_or(head)?;
    let mut with_reason = FxHashSet::default();
    let mut checked = Checked { encoded: clauses.len().min(n_encoded as usize), lemmas: 0, judged: 0 };
    for (line, word, mut words) in lines {
        let fault = |what| Fault { text: LEMMAS, line, what };
        let id: u64 = number(&mut words).ok_or(fault("a reason names its clause"))?;
        let clause =
            clauses.get(&id).filter(|_| id > n_encoded).ok_or(fault("there is no such clause with a reason"))?;
        if !with_reason.insert(id) {
            return Err(fault("the clause has a reason already"));
        }
        match word {
            "l" => {
                let cycle: Vec<u64> = read_last_list(&mut words).map_err(fault)?;
                let cycle: Option<Vec<&Edge>> = cycle.iter().map(|edge| edges.get(edge)).collect();
                forbids(clause, &cycle.ok_or(fault("there is no such edge"))?, clauses, n_encoded).map_err(fault)?;
                checked.lemmas += 1;
            }
            "j" if words.next().is_none() => checked.judged += 1,
            "j" => return Err(fault("something follows a judgement")),
            _ => return Err(fault("neither a lemma nor a judgement")),
        }
    }
    if checked.encoded + with_reason.len() == clauses.len() {
        Ok(checked)
    } else {
        Err(Fault { text: LEMMAS, line: 0, what: "a clause has no reason" })
    }
}

/// Whether a clause follows from the fact that there is no such cycle: it is one, of one order, and each of its edges is always
/// there, since a clause of the problem says so, or the clause has its negated literal.
fn forbids(clause: &[i32], cycle: &[&Edge], clauses: &Clauses, n_encoded: u64) -> Result<(), &'static str> {
    let next = cycle.iter().cycle().skip(1);
    if cycle.is_empty() || cycle.iter().zip(next).any(|(edge, next)| edge.order != next.order || edge.to != next.from) {
        return Err("the edges are not a cycle of one order");
    }
    let always = |lit: i32| lit == 1 && n_encoded > 0 && clauses.get(&1).is_some_and(|first| first[..] == [1]);
    let open = cycle.iter().find(|edge| !clause.contains(&edge.lit.wrapping_neg()) && !always(edge.lit));
    open.map_or(Ok(()), |_| Err("an edge of the cycle is not in the clause"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RIGHT: Certificate<'_> = Certificate {
        formula: "p cnf 4 4\n1 0\n2 0\n3 0\n-3 -2 0\n",
        derivation: "5 0 2 3 4 0\n",
        orders: "o 1 co\ne 1 1 0 1 2\ne 2 1 1 2 1\ne 3 1 2 0 3\no 2 sc\ne 4 2 2 0 3\n",
        lemmas: "p lemmas 3\nc 0 -> 1 -> 2 -> 0\nl 4 1 2 3 0\n",
        witness: "p witness 2\nv 1 2 -3 0\n",
    };

    #[test]
    fn a_right_proof_is_accepted() {
        assert_eq!(check(&RIGHT), Ok(Checked { encoded: 3, lemmas: 1, judged: 0 }));
        let judged = Certificate { lemmas: "p lemmas 3\nj 4\n", ..RIGHT };
        assert_eq!(check(&judged), Ok(Checked { encoded: 3, lemmas: 0, judged: 1 }));
    }

    #[test]
    fn wrong_lemmas_are_rejected() {
        let fault = |lemmas| check(&Certificate { lemmas, ..RIGHT }).unwrap_err().what;
        assert_eq!(fault("p lemmas 3\nl 4 1 2 4 0\n"), "the edges are not a cycle of one order");
        assert_eq!(fault("p lemmas 3\nl 4 1 3 0\n"), "the edges are not a cycle of one order");
        assert_eq!(fault("p lemmas 3\nl 4 0\n"), "the edges are not a cycle of one order");
        assert_eq!(fault("p lemmas 3\nl 4 1 2 7 0\n"), "there is no such edge");
        assert_eq!(fault("p lemmas 3\n"), "a clause has no reason");
        assert_eq!(fault("p lemmas 3\nl 4 1 2 3 0\nj 4\n"), "the clause has a reason already");
        assert_eq!(fault("p lemmas 3\nl 3 1 2 3 0\n"), "there is no such clause with a reason");
        assert_eq!(fault("p lemmas 3\nl 4 1 2 3\n"), "a list does not end");
        assert_eq!(fault("l 4 1 2 3 0\n"), "the text starts with `p lemmas` and a number");
        let weaker = Certificate { formula: "p cnf 4 4\n1 0\n2 0\n3 0\n-3 0\n", ..RIGHT };
        assert_eq!(check(&weaker).unwrap_err().what, "an edge of the cycle is not in the clause");
        let open = Certificate { formula: "p cnf 4 4\n4 0\n2 0\n3 0\n-3 -2 0\n", ..RIGHT };
        assert_eq!(check(&open).unwrap_err().what, "an edge of the cycle is not in the clause");
    }

    #[test]
    fn wrong_texts_are_rejected() {
        let orders = |orders| check(&Certificate { orders, ..RIGHT }).unwrap_err().to_string();
        assert_eq!(orders("e 1 1 0 1 2\n"), "orders.txt:1: there is no such order");
        assert_eq!(orders("o 1 co\ne 1 1 0 1\n"), "orders.txt:2: an edge has five numbers");
        assert_eq!(orders("o 1 co\no 1 sc\n"), "orders.txt:2: the number is in use");
        let unfinished = Certificate { derivation: "5 -2 0 3 4 0\n", ..RIGHT };
        assert_eq!(check(&unfinished).unwrap_err().what, "the last clause is not the empty one");
        let wrong = Certificate { derivation: "5 0 2 3 0\n", ..RIGHT };
        assert_eq!(check(&wrong).unwrap_err().to_string(), "derivation.lrat:1: no contradiction");
        let cut = Certificate { formula: "p cnf 4 4\n1 0\n2 0\n3 0\n-3 -2\n", ..RIGHT };
        assert_eq!(check(&cut).unwrap_err().to_string(), "formula.cnf:5: a list does not end");
    }

    #[test]
    fn nothing_follows_the_end_of_a_line() {
        let formula = |formula| check(&Certificate { formula, ..RIGHT }).unwrap_err().to_string();
        assert_eq!(
            formula("p cnf 4 4\n1 0\n2 0 4\n3 0\n-3 -2 0\n"),
            "formula.cnf:3: something follows the 0 of a list"
        );
        assert_eq!(
            formula("p cnf 4 3\n1 0\n2 0\n3 0\n-3 -2 0\n"),
            "formula.cnf: there are not as many clauses as it says"
        );
        assert_eq!(formula("p cnf 2 4\n1 0\n2 0\n3 0\n-3 -2 0\n"), "formula.cnf:4: a variable beyond the last one");
        assert_eq!(formula("1 0\n2 0\n3 0\n-3 -2 0\n"), "formula.cnf:1: the clauses are not in the DIMACS format");
        let derivation = |derivation| check(&Certificate { derivation, ..RIGHT }).unwrap_err().to_string();
        assert_eq!(derivation("5 0 2 3 4 0 7\n"), "derivation.lrat:1: something follows the 0 of a list");
        assert_eq!(derivation("5 d 1 0 7\n5 0 2 3 4 0\n"), "derivation.lrat:1: something follows the 0 of a list");
        let lemmas = |lemmas| check(&Certificate { lemmas, ..RIGHT }).unwrap_err().to_string();
        assert_eq!(lemmas("p lemmas 3\nl 4 1 2 3 0 1\n"), "lemmas.txt:2: something follows the 0 of a list");
        assert_eq!(lemmas("p lemmas 3\nj 4 5\n"), "lemmas.txt:2: something follows a judgement");
        assert_eq!(lemmas("p lemmas 3 4\nj 4\n"), "lemmas.txt:1: the text starts with `p lemmas` and a number");
    }

    #[test]
    fn a_formula_that_contradicts_itself_proves_nothing() {
        let witness = |witness| check(&Certificate { witness, ..RIGHT }).unwrap_err().to_string();
        assert_eq!(witness(""), "witness.txt:1: the text starts with `p witness` and a number");
        assert_eq!(witness("p witness 2\n"), "witness.txt: a clause of the program is not satisfied");
        assert_eq!(witness("p witness 2\nv 1 -2 -3 0\n"), "witness.txt: a clause of the program is not satisfied");
        assert_eq!(witness("p witness 2\nv 1 2 -2 -3 0\n"), "witness.txt:2: a variable has two values");
        assert_eq!(witness("p witness 2\nv 1 2 0 3\n"), "witness.txt:2: something follows the 0 of a list");
        assert_eq!(witness("p witness 2\nv 1 2 0\n"), "witness.txt: an edge of an order has no value");
        assert_eq!(witness("p witness 3\nv 1 2 3 0\n"), "witness.txt: an order has a cycle");
        assert_eq!(witness("p witness 4\nv 1 2 -3 0\n"), "witness.txt: the program has more clauses than the problem");
        let other = Certificate {
            formula: "p cnf 4 5\n1 0\n2 0\n3 4 0\n-4 0\n-3 -2 0\n",
            lemmas: "p lemmas 4\nl 5 1 2 3 0\n",
            derivation: "6 0 4 3 2 5 0\n",
            witness: "p witness 2\nv 1 2 -3 0\n",
            ..RIGHT
        };
        assert_eq!(check(&other), Ok(Checked { encoded: 4, lemmas: 1, judged: 0 }));
        let hidden = Certificate { formula: "p cnf 4 5\n1 0\n2 3 4 0\n3 -2 0\n-4 0\n-3 -2 0\n", ..other };
        assert_eq!(check(&hidden).unwrap_err().what, "a clause of the goal is about the program");
    }

    #[test]
    fn a_goal_that_contradicts_itself_proves_nothing() {
        let both = Certificate {
            formula: "p cnf 3 4\n1 0\n2 0\n3 0\n-3 0\n",
            derivation: "5 0 3 4 0\n",
            orders: "o 1 co\n",
            lemmas: "p lemmas 4\n",
            witness: "p witness 2\nv 1 2 0\n",
        };
        assert_eq!(check(&both).unwrap_err().what, "the goal contradicts itself");
    }

    #[test]
    fn a_goal_that_contradicts_the_program_proves_nothing() {
        // The program says 1 and 2; the goal says not 2, by cases over a new variable.
        let cases = Certificate {
            formula: "p cnf 3 4\n1 0\n2 0\n3 -2 0\n-3 -2 0\n",
            derivation: "5 0 2 3 4 0\n",
            orders: "o 1 co\n",
            lemmas: "p lemmas 4\n",
            witness: "p witness 2\nv 1 2 0\n",
        };
        assert_eq!(check(&cases).unwrap_err().what, "the clauses of the goal contradict the program");
    }
}
