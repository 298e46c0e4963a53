//! What formulas of B mean.

use super::Formula;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Value {
    Bool(bool),
    Int(i64),
    /// An element of a set that lists its elements.
    Atom(String),
    Pair(Box<Value>, Box<Value>),
    Set(BTreeSet<Value>),
}

pub(crate) type Names = BTreeMap<String, Value>;

/// Names around a formula: of the machine, and those that were bound since.
#[derive(Clone)]
pub(crate) struct Scope<'a> {
    pub(crate) outer: &'a Names,
    pub(crate) inner: Names,
}

impl<'a> Scope<'a> {
    pub(crate) fn new(outer: &'a Names) -> Self {
        Scope { outer, inner: Names::new() }
    }

    fn get(&self, name: &str) -> Option<&Value> {
        self.inner.get(name).or_else(|| self.outer.get(name))
    }

    fn knows(&self, formula: &Formula) -> bool {
        formula.free().iter().all(|name| self.get(name).is_some())
    }

    pub(crate) fn holds(&self, formula: &Formula) -> bool {
        match self.eval(formula) {
            Value::Bool(value) => value,
            other => panic!("{formula:?} is {other:?}"),
        }
    }

    pub(crate) fn set(&self, formula: &Formula) -> BTreeSet<Value> {
        match self.eval(formula) {
            Value::Set(set) => set,
            other => panic!("{formula:?} is {other:?}, no set"),
        }
    }

    fn pairs(&self, formula: &Formula) -> Vec<(Value, Value)> {
        self.set(formula).into_iter().map(pair).collect()
    }

    fn int(&self, formula: &Formula) -> i64 {
        match self.eval(formula) {
            Value::Int(value) => value,
            other => panic!("{formula:?} is {other:?}, no number"),
        }
    }

    pub(crate) fn eval(&self, formula: &Formula) -> Value {
        match formula {
            Formula::Int(value) => Value::Int(*value),
            Formula::Name(name) if name == "TRUE" || name == "FALSE" => Value::Bool(name == "TRUE"),
            Formula::Name(name) => self.get(name).unwrap_or_else(|| panic!("nothing is called {name}")).clone(),
            Formula::Set(parts) => Value::Set(parts.iter().map(|part| self.eval(part)).collect()),
            Formula::Un("-", a) => Value::Int(-self.int(a)),
            Formula::Un(_, relation) => relation_of(self.pairs(relation).into_iter().map(|(a, b)| (b, a))),
            Formula::Image(relation, set) => {
                let set = self.set(set);
                let hit = self.pairs(relation).into_iter().filter(|(a, _)| set.contains(a));
                Value::Set(hit.map(|(_, b)| b).collect())
            }
            Formula::Call(f, arguments) => self.call(f, arguments),
            Formula::Quantified(all, names, body) => Value::Bool(self.quantified(*all, names, body)),
            Formula::Bin(sign, a, b) => self.binary(sign, a, b),
        }
    }

    fn call(&self, f: &Formula, arguments: &[Formula]) -> Value {
        let word = if let Formula::Name(name) = f { name.as_str() } else { "" };
        let [argument] = arguments else { panic!("{word} of several") };
        match word {
            "card" => Value::Int(self.set(argument).len() as i64),
            "dom" => Value::Set(self.pairs(argument).into_iter().map(|(a, _)| a).collect()),
            "not" => Value::Bool(!self.holds(argument)),
            "bool" => self.eval(argument),
            "closure1" => {
                let mut lowered: BTreeSet<(Value, Value)> = self.pairs(argument).into_iter().collect();
                loop {
                    let more: BTreeSet<(Value, Value)> =
                        compose(&lowered, &lowered).difference(&lowered).cloned().collect();
                    if more.is_empty() {
                        return relation_of(lowered.into_iter());
                    }
                    lowered.extend(more);
                }
            }
            _ => {
                let at = self.eval(argument);
                let values: Vec<Value> = self.pairs(f).into_iter().filter(|(a, _)| *a == at).map(|(_, b)| b).collect();
                assert_eq!(values.len(), 1, "{f:?} is defined once at {at:?}");
                values[0].clone()
            }
        }
    }

    fn binary(&self, sign: &str, a: &Formula, b: &Formula) -> Value {
        let int = |value: i64| Value::Int(value);
        let bool = Value::Bool;
        match sign {
            "=>" => bool(!self.holds(a) || self.holds(b)),
            "&" => bool(self.holds(a) && self.holds(b)),
            "or" => bool(self.holds(a) || self.holds(b)),
            "=" => bool(self.eval(a) == self.eval(b)),
            "/=" => bool(self.eval(a) != self.eval(b)),
            "<" => bool(self.int(a) < self.int(b)),
            "<=" => bool(self.int(a) <= self.int(b)),
            ">" => bool(self.int(a) > self.int(b)),
            ">=" => bool(self.int(a) >= self.int(b)),
            ":" => bool(self.is_in(&self.eval(a), b)),
            "/:" => bool(!self.is_in(&self.eval(a), b)),
            "<:" => bool(self.set(a).is_subset(&self.set(b))),
            "|->" => Value::Pair(Box::new(self.eval(a)), Box::new(self.eval(b))),
            "\\/" => Value::Set(self.set(a).union(&self.set(b)).cloned().collect()),
            "/\\" => Value::Set(self.set(a).intersection(&self.set(b)).cloned().collect()),
            "|>" => {
                let range = self.set(b);
                relation_of(self.pairs(a).into_iter().filter(|(_, b)| range.contains(b)))
            }
            ";" => relation_of(
                compose(&self.pairs(a).into_iter().collect(), &self.pairs(b).into_iter().collect()).into_iter(),
            ),
            ".." => Value::Set((self.int(a)..=self.int(b)).map(int).collect()),
            "+" => int(self.int(a) + self.int(b)),
            "-" => match (self.eval(a), self.eval(b)) {
                (Value::Int(a), Value::Int(b)) => int(a - b),
                (Value::Set(a), Value::Set(b)) => Value::Set(a.difference(&b).cloned().collect()),
                (a, b) => panic!("{a:?} - {b:?}"),
            },
            "*" => {
                let (a, b) = (self.set(a), self.set(b));
                relation_of(a.iter().flat_map(|a| b.iter().map(|b| (a.clone(), b.clone()))))
            }
            _ => panic!("{sign} is only a type"),
        }
    }

    /// Membership, also in sets without end.
    fn is_in(&self, value: &Value, set: &Formula) -> bool {
        match set {
            Formula::Name(name) if name == "INTEGER" => matches!(value, Value::Int(_)),
            Formula::Name(name) if name == "NATURAL" => matches!(value, Value::Int(0..)),
            Formula::Bin(arrow @ ("-->" | "<->" | ">->>"), from, to) => {
                let Value::Set(pairs) = value else { return false };
                let pairs: Vec<(Value, Value)> = pairs.iter().cloned().map(pair).collect();
                let typed = pairs.iter().all(|(a, b)| self.is_in(a, from) && self.is_in(b, to));
                let sources: BTreeSet<&Value> = pairs.iter().map(|(a, _)| a).collect();
                let targets: BTreeSet<&Value> = pairs.iter().map(|(_, b)| b).collect();
                let total = || sources.len() == pairs.len() && self.set(from).len() == sources.len();
                typed
                    && match *arrow {
                        "<->" => true,
                        "-->" => total(),
                        _ => total() && targets.len() == pairs.len() && self.set(to).len() == targets.len(),
                    }
            }
            set => self.set(set).contains(value),
        }
    }

    fn quantified(&self, all: bool, names: &[String], body: &Formula) -> bool {
        let (range, claim) = match body {
            Formula::Bin("=>", range, claim) if all => (range.conjuncts(), Some(&**claim)),
            other if !all => (other.conjuncts(), None),
            other => panic!("{other:?} has no range"),
        };
        let mut found = false;
        self.solutions(names, &range, &mut |scope| found |= claim.is_none_or(|claim| !scope.holds(claim)));
        found != all
    }

    /// Calls `visit` with every choice of these names that satisfies all guards.
    pub(crate) fn solutions(&self, names: &[String], guards: &[&Formula], visit: &mut dyn FnMut(&Scope<'a>)) {
        // What is known must hold.
        let (known, open): (Vec<&Formula>, Vec<&Formula>) = guards
            .iter()
            .copied()
            .partition(|guard| self.knows(guard) && guard.free().iter().all(|name| !names.contains(name)));
        if !known.into_iter().all(|guard| self.holds(guard)) {
            return;
        }
        let Some(_) = names.first() else {
            assert!(open.is_empty(), "{open:?}");
            return visit(self);
        };
        let is_free = |side: &Formula, name: &str| matches!(side, Formula::Name(own) if own == name);
        let usable = |side: &Formula| self.knows(side) && side.free().iter().all(|name| !names.contains(name));
        for sign in ["=", ":"] {
            for name in names {
                for guard in &open {
                    let Formula::Bin(op, left, right) = guard else { continue };
                    if *op != sign || !is_free(left, name) || !usable(right) || is_endless(right) {
                        continue;
                    }
                    let values = if sign == "=" { BTreeSet::from([self.eval(right)]) } else { self.set(right) };
                    let rest: Vec<String> = names.iter().filter(|other| *other != name).cloned().collect();
                    for value in values {
                        let mut scope = self.clone();
                        scope.inner.insert(name.clone(), value);
                        scope.solutions(&rest, &open, visit);
                    }
                    return;
                }
            }
        }
        panic!("nothing says what {names:?} are in {open:?}");
    }
}

fn is_endless(set: &Formula) -> bool {
    matches!(set, Formula::Name(name) if name == "INTEGER" || name == "NATURAL")
}

fn pair(value: Value) -> (Value, Value) {
    match value {
        Value::Pair(a, b) => (*a, *b),
        other => panic!("{other:?} is no pair"),
    }
}

fn relation_of(pairs: impl Iterator<Item = (Value, Value)>) -> Value {
    Value::Set(pairs.map(|(a, b)| Value::Pair(Box::new(a), Box::new(b))).collect())
}

fn compose(a: &BTreeSet<(Value, Value)>, b: &BTreeSet<(Value, Value)>) -> BTreeSet<(Value, Value)> {
    let mut out = BTreeSet::new();
    for (x, y) in a {
        out.extend(b.iter().filter(|(z, _)| z == y).map(|(_, u)| (x.clone(), u.clone())));
    }
    out
}
