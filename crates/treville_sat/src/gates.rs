//! Gates: literals that equal a function of others, by clauses (G. Tseitin 1968). Constants fold, and equal gates are one.

use crate::{ClauseSink, Lit};
use rustc_hash::FxHashMap;

/// A sink of clauses in which gates can be made.
pub struct Gates<S> {
    /// Where the clauses go.
    pub sink: S,
    ands: FxHashMap<Vec<Lit>, Lit>,
    and2s: FxHashMap<[Lit; 2], Lit>,
    xors: FxHashMap<[Lit; 2], Lit>,
    ites: FxHashMap<[Lit; 3], Lit>,
}

/// Up to this many literals, at most one of them holds by a clause for each pair.
const MAX_PAIRWISE: usize = 6;

impl<S: ClauseSink> Gates<S> {
    pub fn new(sink: S) -> Self {
        Gates {
            sink,
            ands: FxHashMap::default(),
            and2s: FxHashMap::default(),
            xors: FxHashMap::default(),
            ites: FxHashMap::default(),
        }
    }

    pub fn fresh(&mut self) -> Lit {
        self.sink.new_var()
    }

    /// At least one of `lits` holds.
    pub fn clause(&mut self, lits: &[Lit]) {
        if lits.contains(&Lit::TRUE) {
            return;
        }
        if lits.contains(&Lit::FALSE) {
            let rest: Vec<Lit> = lits.iter().copied().filter(|lit| *lit != Lit::FALSE).collect();
            self.sink.add_clause(&rest);
        } else {
            self.sink.add_clause(lits);
        }
    }

    pub fn require(&mut self, lit: Lit) {
        self.clause(&[lit]);
    }

    pub fn imply(&mut self, a: Lit, b: Lit) {
        self.clause(&[!a, b]);
    }

    /// If all `conditions` hold, so does one of `consequences`.
    pub fn imply_any(&mut self, conditions: &[Lit], consequences: &[Lit]) {
        let clause: Vec<Lit> = conditions.iter().map(|lit| !*lit).chain(consequences.iter().copied()).collect();
        self.clause(&clause);
    }

    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        if a == Lit::FALSE || b == Lit::FALSE || a == !b {
            return Lit::FALSE;
        }
        if a == Lit::TRUE || a == b {
            return b;
        }
        if b == Lit::TRUE {
            return a;
        }
        let key = [a.min(b), a.max(b)];
        if let Some(gate) = self.and2s.get(&key) {
            return *gate;
        }
        let gate = self.fresh();
        self.sink.add_clause(&[!gate, a]);
        self.sink.add_clause(&[!gate, b]);
        self.sink.add_clause(&[gate, !a, !b]);
        self.and2s.insert(key, gate);
        gate
    }

    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    /// All of `lits`; true if there are none.
    pub fn and_all(&mut self, lits: impl IntoIterator<Item = Lit>) -> Lit {
        let mut lits: Vec<Lit> = lits.into_iter().filter(|lit| *lit != Lit::TRUE).collect();
        // A literal and its negation have one variable: sorted by it they are neighbours.
        lits.sort_unstable_by_key(|lit| lit.code());
        lits.dedup();
        if lits.contains(&Lit::FALSE) || lits.windows(2).any(|pair| pair[0] == !pair[1]) {
            return Lit::FALSE;
        }
        match lits[..] {
            [] => Lit::TRUE,
            [lit] => lit,
            [a, b] => self.and(a, b),
            _ => self.wide_and(lits),
        }
    }

    fn wide_and(&mut self, lits: Vec<Lit>) -> Lit {
        if let Some(gate) = self.ands.get(&lits) {
            return *gate;
        }
        let gate = self.fresh();
        let mut all = vec![gate];
        for lit in &lits {
            self.sink.add_clause(&[!gate, *lit]);
            all.push(!*lit);
        }
        self.sink.add_clause(&all);
        self.ands.insert(lits, gate);
        gate
    }

    /// Some of `lits`; false if there are none.
    pub fn or_all(&mut self, lits: impl IntoIterator<Item = Lit>) -> Lit {
        !self.and_all(lits.into_iter().map(|lit| !lit))
    }

    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        if a.is_constant() {
            return b.negated_if(a == Lit::TRUE);
        }
        if b.is_constant() {
            return a.negated_if(b == Lit::TRUE);
        }
        if a.var() == b.var() {
            return Lit::constant(a != b);
        }
        // The signs of the inputs only change the sign of the gate.
        let negate = a.is_negated() != b.is_negated();
        let (a, b) = (a.var().min(b.var()).lit(), a.var().max(b.var()).lit());
        let gate = match self.xors.get(&[a, b]) {
            Some(gate) => *gate,
            None => {
                let gate = self.fresh();
                self.sink.add_clause(&[!gate, a, b]);
                self.sink.add_clause(&[!gate, !a, !b]);
                self.sink.add_clause(&[gate, !a, b]);
                self.sink.add_clause(&[gate, a, !b]);
                self.xors.insert([a, b], gate);
                gate
            }
        };
        gate.negated_if(negate)
    }

    pub fn iff(&mut self, a: Lit, b: Lit) -> Lit {
        !self.xor(a, b)
    }

    /// `a` if `c`, else `b`.
    pub fn ite(&mut self, c: Lit, a: Lit, b: Lit) -> Lit {
        if c.is_negated() {
            return self.ite(!c, b, a);
        }
        if c == Lit::TRUE || a == b {
            return a;
        }
        if a == !b {
            return self.iff(c, a);
        }
        if a == Lit::TRUE || a == c {
            return self.or(c, b);
        }
        if a == Lit::FALSE || a == !c {
            return self.and(!c, b);
        }
        if b == Lit::TRUE || b == !c {
            return self.or(!c, a);
        }
        if b == Lit::FALSE || b == c {
            return self.and(c, a);
        }
        if a.is_negated() {
            return !self.ite(c, !a, !b);
        }
        if let Some(gate) = self.ites.get(&[c, a, b]) {
            return *gate;
        }
        let gate = self.fresh();
        self.sink.add_clause(&[!c, !a, gate]);
        self.sink.add_clause(&[!c, a, !gate]);
        self.sink.add_clause(&[c, !b, gate]);
        self.sink.add_clause(&[c, b, !gate]);
        // Follows from the others, and lets a solver see sooner that equal inputs decide.
        self.sink.add_clause(&[!a, !b, gate]);
        self.sink.add_clause(&[a, b, !gate]);
        self.ites.insert([c, a, b], gate);
        gate
    }

    /// At least two of three.
    pub fn majority(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let (both, any) = (self.and(a, b), self.or(a, b));
        self.ite(c, any, both)
    }

    /// Requires that no two of `lits` hold: a clause for each pair, or for many a sequential counter (C. Sinz, CP 2005).
    pub fn at_most_one(&mut self, lits: &[Lit]) {
        if lits.len() <= MAX_PAIRWISE {
            for (i, a) in lits.iter().enumerate() {
                for b in &lits[i + 1..] {
                    self.clause(&[!*a, !*b]);
                }
            }
            return;
        }
        // Whether one of those so far holds.
        let mut seen = lits[0];
        for (i, lit) in lits.iter().enumerate().skip(1) {
            self.clause(&[!seen, !*lit]);
            if i + 1 < lits.len() {
                let next = self.fresh();
                self.clause(&[!seen, next]);
                self.clause(&[!*lit, next]);
                seen = next;
            }
        }
    }

    pub fn exactly_one(&mut self, lits: &[Lit]) {
        self.at_most_one(lits);
        self.clause(lits);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cnf;

    /// The values that `lit` can have in the models of what was built with `inputs`, for each value of these.
    fn table(gates: &Gates<Cnf>, inputs: &[Lit], lit: Lit) -> Vec<Vec<bool>> {
        let cnf = &gates.sink;
        let mut values = vec![Vec::new(); 1 << inputs.len()];
        for model in 0..1u64 << cnf.n_vars {
            let value = |lit: Lit| (model >> (lit.var().index() - 1) & 1 == 1) != lit.is_negated();
            if cnf.clauses.iter().all(|clause| clause.iter().any(|lit| value(*lit))) {
                let row = inputs.iter().enumerate().map(|(i, input)| usize::from(value(*input)) << i).sum::<usize>();
                if !values[row].contains(&value(lit)) {
                    values[row].push(value(lit));
                }
            }
        }
        values
    }

    /// With inputs that are variables, constants, equal or opposite: a gate has the value of its function.
    #[test]
    fn gates_are_their_functions() {
        type Function = fn(bool, bool, bool) -> bool;
        type Gate = fn(&mut Gates<Cnf>, Lit, Lit, Lit) -> Lit;
        let cases: [(Gate, Function); 7] = [
            (|g, a, b, _| g.and(a, b), |a, b, _| a && b),
            (|g, a, b, _| g.or(a, b), |a, b, _| a || b),
            (|g, a, b, _| g.xor(a, b), |a, b, _| a != b),
            (|g, a, b, c| g.ite(a, b, c), |a, b, c| if a { b } else { c }),
            (|g, a, b, c| g.and_all([a, b, c]), |a, b, c| a && b && c),
            (|g, a, b, c| g.or_all([a, b, c]), |a, b, c| a || b || c),
            (|g, a, b, c| g.majority(a, b, c), |a, b, c| u8::from(a) + u8::from(b) + u8::from(c) > 1),
        ];
        for (build, function) in cases {
            for choice in 0..512usize {
                let mut gates = Gates::new(Cnf::new());
                let vars: Vec<Lit> = (0..3).map(|_| gates.fresh()).collect();
                let options = [vars[0], !vars[0], vars[1], !vars[1], vars[2], !vars[2], Lit::TRUE, Lit::FALSE];
                let [a, b, c] = [options[choice & 7], options[choice >> 3 & 7], options[choice >> 6]];
                let gate = build(&mut gates, a, b, c);
                assert_eq!(gate, build(&mut gates, a, b, c), "made twice");
                for (row, found) in table(&gates, &vars, gate).into_iter().enumerate() {
                    let value = |lit: Lit| match vars.iter().position(|var| var.var() == lit.var()) {
                        Some(i) => (row >> i & 1 == 1) != lit.is_negated(),
                        None => lit == Lit::TRUE,
                    };
                    assert_eq!(found, [function(value(a), value(b), value(c))], "{a:?} {b:?} {c:?} {row}");
                }
            }
        }
    }

    #[test]
    fn at_most_one_and_exactly_one_count() {
        for n in 1..9 {
            for exactly in [false, true] {
                let mut gates = Gates::new(Cnf::new());
                let lits: Vec<Lit> = (0..n).map(|_| gates.fresh()).collect();
                if exactly {
                    gates.exactly_one(&lits)
                } else {
                    gates.at_most_one(&lits)
                }
                for (row, found) in table(&gates, &lits, Lit::TRUE).into_iter().enumerate() {
                    let allowed = row.count_ones() == 1 || (!exactly && row == 0);
                    assert_eq!(found.len(), usize::from(allowed), "{n} {row:b}");
                }
            }
        }
    }
}
