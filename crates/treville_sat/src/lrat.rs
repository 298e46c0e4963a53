//! A checker of proofs that shares nothing with those who make them: it reads clauses in the DIMACS format and a derivation in
//! the LRAT format, and repeats every step.
//!
//! A derived clause is right if assuming that all its literals are false leads to a contradiction: each clause that the step names
//! has, at its turn, all literals false but one, which must then be true; and the last one has none left.

use rustc_hash::{FxHashMap, FxHashSet};

/// A step that is not right, with its line in the derivation, or a text that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    pub line: usize,
    pub what: &'static str,
}

/// Clauses by number, from 1.
pub(crate) type Clauses = FxHashMap<u64, Vec<i32>>;

/// Checks the derivation `lrat` from the clauses `dimacs`. The clause that is derived last follows from them.
pub fn check(dimacs: &str, lrat: &str) -> Result<Vec<i32>, Fault> {
    check_from(read_dimacs(dimacs)?, lrat)
}

/// The same from clauses by number.
pub(crate) fn check_from(mut clauses: Clauses, lrat: &str) -> Result<Vec<i32>, Fault> {
    let mut last = None;
    for (at, text) in lrat.lines().enumerate() {
        let fault = |what| Fault { line: at + 1, what };
        let mut words = text.split_ascii_whitespace().peekable();
        let Some(id) = words.next() else { continue };
        let id: u64 = id.parse().map_err(|_| fault("a step starts with its number"))?;
        if words.next_if_eq(&"d").is_some() {
            for deleted in read_last_list(&mut words).map_err(fault)? {
                clauses.remove(&deleted);
            }
            continue;
        }
        let clause: Vec<i32> = read_list(&mut words).map_err(fault)?;
        if clause.contains(&i32::MIN) {
            return Err(fault("not a number that can be used here"));
        }
        let hints: Vec<u64> = read_last_list(&mut words).map_err(fault)?;
        follows(&clauses, &clause, &hints).map_err(fault)?;
        if clauses.insert(id, clause.clone()).is_some() {
            return Err(fault("the number is in use"));
        }
        last = Some(clause);
    }
    last.ok_or(Fault { line: 0, what: "nothing is derived" })
}

fn follows(clauses: &Clauses, clause: &[i32], hints: &[u64]) -> Result<(), &'static str> {
    let mut is_false: FxHashSet<i32> = clause.iter().copied().collect();
    if clause.iter().any(|lit| is_false.contains(&-lit)) {
        return Ok(());
    }
    for hint in hints {
        let used = clauses.get(hint).ok_or("a clause is named that is not there")?;
        let mut open = used.iter().filter(|lit| !is_false.contains(*lit));
        match (open.next(), open.next()) {
            (None, _) => return Ok(()),
            (Some(unit), None) => {
                is_false.insert(-unit);
            }
            (Some(first), Some(second)) if first == second => {
                is_false.insert(-first);
            }
            _ => return Err("a clause is named that says nothing yet"),
        }
    }
    Err("no contradiction")
}

/// Clauses in the DIMACS format: one a line, after a line that says how many variables and clauses there are.
pub(crate) fn read_dimacs(text: &str) -> Result<Clauses, Fault> {
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.starts_with('c'));
    let (at, head) = lines.next().unwrap_or_default();
    let wrong = Fault { line: at + 1, what: "the clauses are not in the DIMACS format" };
    let ["p", "cnf", n_vars, n_clauses] = head.split_ascii_whitespace().collect::<Vec<_>>()[..] else {
        return Err(wrong);
    };
    let (Ok(n_vars), Ok(n_clauses)) = (n_vars.parse::<u32>(), n_clauses.parse::<usize>()) else { return Err(wrong) };
    let mut clauses = Clauses::default();
    for (at, line) in lines {
        let fault = |what| Fault { line: at + 1, what };
        let clause: Vec<i32> = read_last_list(&mut line.split_ascii_whitespace()).map_err(fault)?;
        if clause.iter().any(|lit| lit.unsigned_abs() > n_vars || *lit == i32::MIN) {
            return Err(fault("a variable beyond the last one"));
        }
        clauses.insert(clauses.len() as u64 + 1, clause);
    }
    let complete = clauses.len() == n_clauses;
    if complete { Ok(clauses) } else { Err(Fault { line: 0, what: "there are not as many clauses as it says" }) }
}

/// Numbers up to a 0, which is the last word of the line.
pub(crate) fn read_last_list<'a, N: std::str::FromStr + Default + PartialEq>(
    words: &mut impl Iterator<Item = &'a str>,
) -> Result<Vec<N>, &'static str> {
    let list = read_list(words)?;
    if words.next().is_none() { Ok(list) } else { Err("something follows the 0 of a list") }
}

/// Numbers up to a 0.
fn read_list<'a, N: std::str::FromStr + Default + PartialEq>(
    words: &mut impl Iterator<Item = &'a str>,
) -> Result<Vec<N>, &'static str> {
    let mut list = Vec::new();
    for word in words {
        let number: N = word.parse().map_err(|_| "not a number that can be used here")?;
        if number == N::default() {
            return Ok(list);
        }
        list.push(number);
    }
    Err("a list does not end")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SQUARE: &str = "p cnf 2 4\n1 2 0\n1 -2 0\n-1 2 0\n-1 -2 0\n";

    #[test]
    fn right_derivations_are_accepted() {
        assert_eq!(check(SQUARE, "5 1 0 1 2 0\n5 d 1 2 0\n6 0 5 3 4 0\n"), Ok(vec![]));
        assert_eq!(check(SQUARE, "5 1 0 1 2 0\n"), Ok(vec![1]));
    }

    #[test]
    fn wrong_derivations_are_not() {
        let fault = |lrat| check(SQUARE, lrat).unwrap_err();
        assert_eq!(fault("5 0 1 2 3 4 0\n"), Fault { line: 1, what: "a clause is named that says nothing yet" });
        assert_eq!(fault("5 1 0 1 0\n"), Fault { line: 1, what: "no contradiction" });
        assert_eq!(fault("5 1 0 7 0\n").what, "a clause is named that is not there");
        assert_eq!(fault("5 1 0 1 2 0\n5 d 3 0\n6 0 5 3 4 0\n").line, 3);
        assert_eq!(fault("1 1 0 1 2 0\n").what, "the number is in use");
        assert_eq!(fault("5 1 0 -1 2 0\n").what, "not a number that can be used here");
        assert_eq!(fault("5 -2147483648 0 1 2 0\n").what, "not a number that can be used here");
        assert_eq!(fault("5 1 0 1 2\n").what, "a list does not end");
        assert_eq!(fault("").what, "nothing is derived");
    }
}
