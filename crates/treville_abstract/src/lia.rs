//! Conjunctions of linear comparisons over the integers: equalities are solved, inequalities eliminated variable by variable
//! (Fourier and Motzkin, exactly where a factor is 1, as in the Omega test), and what is unequal is split. It answers
//! "unknown" where it would have to guess or a number gets too large, which callers take for "not implied".

use std::collections::BTreeMap;
use treville_rma::{Atom, Cond, Linear, Number, Rel, VarId};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    Sat,
    Unsat,
    Unknown,
}

/// A solver for conjunctions of comparisons.
pub trait Lia {
    fn satisfiable(&self, atoms: &[Atom]) -> Answer;

    /// Whether the atoms together imply a condition; unknown counts as no.
    fn implies(&self, atoms: &[Atom], cond: &Cond) -> bool {
        let Some(negated) = cond.negated() else { return false };
        let Some(cases) = cases(&negated) else { return false };
        cases.iter().all(|case| {
            let all: Vec<Atom> = atoms.iter().chain(case).cloned().collect();
            self.satisfiable(&all) == Answer::Unsat
        })
    }
}

/// More cases than this are not looked at.
const MAX_CASES: usize = 256;

/// More inequalities than this are not looked at.
const MAX_ROWS: usize = 400;

/// The disjunctive normal form of a condition without places.
pub(crate) fn cases(cond: &Cond) -> Option<Vec<Vec<Atom>>> {
    match cond {
        Cond::Const(true) => Some(vec![Vec::new()]),
        Cond::Const(false) => Some(Vec::new()),
        Cond::Atom(atom) => Some(vec![vec![atom.clone()]]),
        Cond::At { .. } => None,
        Cond::Or(many) => {
            let mut all = Vec::new();
            for part in many {
                all.extend(cases(part)?);
            }
            (all.len() <= MAX_CASES).then_some(all)
        }
        Cond::And(many) => {
            let mut all = vec![Vec::new()];
            for part in many {
                let more = cases(part)?;
                if all.len() * more.len() > MAX_CASES {
                    return None;
                }
                let with = |case: &Vec<Atom>| {
                    let case = case.clone();
                    more.iter().map(move |m| case.iter().chain(m).cloned().collect::<Vec<_>>())
                };
                all = all.iter().flat_map(with).collect();
            }
            Some(all)
        }
    }
}

/// Numbers that meet all of these comparisons, if there are some and they are found: one variable after the other gets the
/// number closest to 0 that leaves the others possible.
pub(crate) fn model<L: Lia>(atoms: &[Atom], solver: &L) -> Option<BTreeMap<VarId, Number>> {
    let mut cond = Cond::and(atoms.iter().cloned().map(Cond::Atom));
    let mut found = BTreeMap::new();
    if solver.satisfiable(atoms) != Answer::Sat {
        return None;
    }
    while let Some(var) = cond.atoms().iter().find_map(|atom| atom.linear().vars().next()) {
        let value = closest(&cond, var, solver)?;
        cond = cond.substitute(var, &Linear::constant(value))?;
        found.insert(var, Number::from(value));
    }
    (cond == Cond::Const(true)).then_some(found)
}

/// The number closest to 0 that a variable can have.
fn closest<L: Lia>(cond: &Cond, var: VarId, solver: &L) -> Option<i64> {
    let fits = |most: i64, sign: i64| {
        // 0 <= sign * var <= most
        let side = Linear::var(var).times(sign)?;
        let above = Cond::compare(side.times(-1)?, Rel::Le)?;
        let below = Cond::compare(side.plus(-1, &Linear::constant(most))?, Rel::Le)?;
        let all = cases(&Cond::and([cond.clone(), above, below]))?;
        Some(all.iter().any(|case| solver.satisfiable(case) == Answer::Sat))
    };
    let mut most = 0;
    let sign = loop {
        if let Some(sign) = [1, -1].into_iter().find(|sign| fits(most, *sign) == Some(true)) {
            break sign;
        }
        most = if most == 0 { 1 } else { most.checked_mul(2)? };
    };
    // More than half of it, and no more than all of it.
    let (mut low, mut high) = (most / 2, most);
    while low < high {
        let middle = low + (high - low) / 2;
        if fits(middle, sign)? { high = middle } else { low = middle + 1 }
    }
    high.checked_mul(sign)
}

/// The solver that is built in.
#[derive(Clone, Copy, Debug, Default)]
pub struct Omega;

/// Factors by variable, and a constant: compared with 0.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Row {
    factors: BTreeMap<u32, i128>,
    constant: i128,
}

#[derive(Clone, Debug, Default)]
struct System {
    equal: Vec<Row>,
    unequal: Vec<Row>,
    at_most: Vec<Row>,
    /// The next variable that nobody uses.
    fresh: u32,
}

/// Rows that one question may make: what takes more is unknown, so that no question takes long.
const MAX_EFFORT: usize = 100_000;

/// How many rows may still be made.
struct Effort(usize);

impl Effort {
    /// Nothing once it is spent.
    fn spend(&mut self, rows: usize) -> Fits<()> {
        self.0 = self.0.checked_sub(rows)?;
        Some(())
    }
}

/// Nothing where a number gets too large.
type Fits<T> = Option<T>;

impl Row {
    fn of(atom: &Atom) -> Row {
        let factors = atom.linear().terms().iter().map(|&(VarId(v), f)| (v, i128::from(f))).collect();
        Row { factors, constant: i128::from(atom.linear().offset()) }
    }

    /// `self · a + other · b`
    fn combined(&self, a: i128, other: &Row, b: i128) -> Fits<Row> {
        let mut factors = BTreeMap::new();
        for (&v, &f) in &self.factors {
            factors.insert(v, f.checked_mul(a)?);
        }
        for (&v, &f) in &other.factors {
            let sum: &mut i128 = factors.entry(v).or_default();
            *sum = sum.checked_add(f.checked_mul(b)?)?;
        }
        factors.retain(|_, f| *f != 0);
        let constant = self.constant.checked_mul(a)?.checked_add(other.constant.checked_mul(b)?)?;
        Some(Row { factors, constant })
    }

    fn divisor(&self) -> i128 {
        self.factors.values().fold(0, |d, f| gcd(d, f.abs()))
    }

    fn divided(&mut self, by: i128) {
        self.factors.values_mut().for_each(|f| *f /= by);
        self.constant /= by;
    }
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The remainder that is closest to 0.
fn balanced(a: i128, m: i128) -> i128 {
    let r = a.rem_euclid(m);
    if 2 * r >= m { r - m } else { r }
}

impl Lia for Omega {
    fn satisfiable(&self, atoms: &[Atom]) -> Answer {
        let mut system = System::default();
        for atom in atoms {
            let row = Row::of(atom);
            system.fresh = system.fresh.max(row.factors.keys().last().map_or(0, |v| v + 1));
            match atom.rel() {
                Rel::Eq => system.equal.push(row),
                Rel::Ne => system.unequal.push(row),
                Rel::Le => system.at_most.push(row),
            }
        }
        system.solve(0, &mut Effort(MAX_EFFORT)).unwrap_or(Answer::Unknown)
    }
}

impl System {
    fn solve(mut self, depth: u32, effort: &mut Effort) -> Fits<Answer> {
        if !self.solve_equalities()? {
            return Some(Answer::Unsat);
        }
        if self.unequal.iter().any(|row| row.factors.is_empty() && row.constant == 0) {
            return Some(Answer::Unsat);
        }
        self.unequal.retain(|row| !row.factors.is_empty());
        let rest = eliminate(self.at_most.clone(), effort)?;
        if rest == Answer::Unsat || self.unequal.is_empty() {
            return Some(rest);
        }
        if depth > 12 {
            return Some(Answer::Unknown);
        }
        // One side of what is unequal, then the other.
        let row = self.unequal.pop().unwrap_or_default();
        let mut answers = [Answer::Unknown; 2];
        for (answer, sign) in answers.iter_mut().zip([1, -1]) {
            let mut half = self.clone();
            let mut side = row.combined(sign, &Row::default(), 0)?;
            side.constant = side.constant.checked_add(1)?;
            half.at_most.push(side);
            *answer = half.solve(depth + 1, effort).unwrap_or(Answer::Unknown);
            if *answer == Answer::Sat {
                return Some(Answer::Sat);
            }
        }
        let unsat = answers == [Answer::Unsat; 2];
        Some(if unsat { Answer::Unsat } else { Answer::Unknown })
    }

    /// Replaces variables by what equalities say of them. False if they contradict each other.
    fn solve_equalities(&mut self) -> Fits<bool> {
        let mut rounds = 0;
        while let Some(mut row) = self.equal.pop() {
            rounds += 1;
            if rounds > 200 {
                return None;
            }
            let divisor = row.divisor();
            if divisor == 0 {
                if row.constant != 0 {
                    return Some(false);
                }
                continue;
            }
            if row.constant % divisor != 0 {
                return Some(false);
            }
            row.divided(divisor);
            let Some((&var, &factor)) = row.factors.iter().min_by_key(|(_, f)| f.abs()) else { continue };
            if factor.abs() == 1 {
                self.substitute(var, factor, &row)?;
            } else {
                // A new variable stands for the quotient, which makes the factors smaller.
                let m = factor.abs() + 1;
                let fresh = self.fresh;
                self.fresh += 1;
                let mut def = Row { constant: balanced(row.constant, m), factors: BTreeMap::new() };
                def.factors = row.factors.iter().map(|(&v, &f)| (v, balanced(f, m))).filter(|t| t.1 != 0).collect();
                def.factors.insert(fresh, -m);
                self.equal.push(row);
                let unit = def.factors.get(&var).copied().unwrap_or(0);
                self.substitute(var, unit, &def)?;
            }
        }
        Some(true)
    }

    /// Removes a variable by a row that is 0 and has the factor 1 or -1 for it.
    fn substitute(&mut self, var: u32, unit: i128, row: &Row) -> Fits<()> {
        for rows in [&mut self.equal, &mut self.unequal, &mut self.at_most] {
            for other in rows.iter_mut() {
                if let Some(&factor) = other.factors.get(&var) {
                    *other = other.combined(1, row, factor.checked_mul(-unit)?)?;
                }
            }
        }
        Some(())
    }
}

/// Whether sums can all be at most 0.
fn eliminate(mut rows: Vec<Row>, effort: &mut Effort) -> Fits<Answer> {
    let mut exact = true;
    loop {
        for row in &mut rows {
            let divisor = row.divisor();
            if divisor > 1 {
                // Rounded up: the sum of the rest is a multiple.
                let constant = row.constant;
                row.divided(divisor);
                row.constant = constant.div_euclid(divisor) + i128::from(constant.rem_euclid(divisor) != 0);
            }
        }
        if rows.iter().any(|row| row.factors.is_empty() && row.constant > 0) {
            return Some(Answer::Unsat);
        }
        rows.retain(|row| !row.factors.is_empty());
        let Some(var) = cheapest(&rows) else {
            return Some(if exact { Answer::Sat } else { Answer::Unknown });
        };
        let (with, mut rest): (Vec<Row>, Vec<Row>) = rows.into_iter().partition(|row| row.factors.contains_key(&var));
        let (upper, lower): (Vec<Row>, Vec<Row>) = with.into_iter().partition(|row| row.factors[&var] > 0);
        if rest.len() + upper.len() * lower.len() > MAX_ROWS {
            return Some(Answer::Unknown);
        }
        effort.spend(upper.len() * lower.len() + rest.len() + 1)?;
        for up in &upper {
            for low in &lower {
                let (a, b) = (up.factors[&var], -low.factors[&var]);
                exact &= a == 1 || b == 1;
                let row = up.combined(b, low, a)?;
                if !rest.contains(&row) {
                    rest.push(row);
                }
            }
        }
        rows = rest;
    }
}

/// The variable whose elimination makes the fewest rows, exact ones first.
fn cheapest(rows: &[Row]) -> Option<u32> {
    let mut counts: BTreeMap<u32, (usize, usize, bool, bool)> = BTreeMap::new();
    for row in rows {
        for (&var, &factor) in &row.factors {
            let (up, low, unit_up, unit_low) = counts.entry(var).or_insert((0, 0, true, true));
            if factor > 0 {
                *up += 1;
                *unit_up &= factor == 1;
            } else {
                *low += 1;
                *unit_low &= factor == -1;
            }
        }
    }
    let price = |up: usize, low: usize, unit: bool| (!(unit || up == 0 || low == 0), up * low);
    let priced = counts.iter().map(|(var, &(up, low, unit_up, unit_low))| (price(up, low, unit_up || unit_low), *var));
    priced.min().map(|(_, var)| var)
}
