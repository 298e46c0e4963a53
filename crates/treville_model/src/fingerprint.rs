//! A hash of what a model means: equal for models that differ only in names, places and unused definitions.

use crate::model::{Check, CheckId, GeneralId, Model, PickSource, RecId, Static, Step, Term, TermId};
use crate::syntax::CheckMode;
use rustc_hash::FxHashSet;
use std::fmt::{self, Write};
use treville_base::Idx;

impl Model {
    /// The checks that are made, in their order: all but those that were skipped.
    pub fn made_checks(&self) -> impl Iterator<Item = (CheckId, &Check)> {
        self.steps.iter().filter_map(|step| match *step {
            Step::Check(check) => Some((check, &self.checks[check])),
            Step::Pick(_) => None,
        })
    }

    /// Whether an execution may leave a program undefined.
    pub fn may_be_undefined(&self) -> bool {
        self.made_checks().any(|(_, check)| check.mode == CheckMode::UndefinedUnless)
    }

    /// A hash of what terms mean, as of the whole model.
    pub fn fingerprint_of(&self, terms: &[TermId]) -> u128 {
        let mut walk = Walk::of(self);
        walk.say("terms", terms);
        walk.hash.0
    }

    /// Leaves out the checks of these names, to see what the others do without them. Returns the names of no check.
    pub fn skip_checks(&mut self, names: &[String]) -> Vec<String> {
        let named = |name: &String| {
            let tested = self.checks.iter().any(|check| check.name == name.as_str());
            tested || self.vacuous.iter().any(|(vacuous, _)| *vacuous == name.as_str())
        };
        let unknown: Vec<String> = names.iter().filter(|name| !named(name)).cloned().collect();
        let checks = &self.checks;
        self.steps.retain(|step| match step {
            Step::Check(check) => !names.iter().any(|name| checks[*check].name == name.as_str()),
            Step::Pick(_) => true,
        });
        self.fingerprint = fingerprint(self);
        unknown
    }
}

/// Hashes checks and picks in order, terms by structure.
pub(crate) fn fingerprint(model: &Model) -> u128 {
    let mut walk = Walk::of(model);
    for step in &model.steps {
        match *step {
            Step::Pick(p) => match model.picks[p].source {
                PickSource::Orders(o) => walk.say("orders", &[o.on, o.classes, o.extends]),
                PickSource::AnyOf(g, shape) => {
                    walk.general(g);
                    walk.put(format_args!("any {shape:?}"));
                }
            },
            Step::Check(c) => {
                let check = &model.checks[c];
                walk.say("check", &[check.test.term]);
                walk.put(format_args!("{:?} {:?} {}", check.mode, check.test.kind, check.test.negated));
            }
        }
    }
    walk.hash.0
}

struct Walk<'m> {
    model: &'m Model,
    hash: Fnv,
    /// Terms are numbered in the order in which they are first met.
    numbers: Vec<Option<u32>>,
    next: u32,
    seen: FxHashSet<RecId>,
}

impl<'m> Walk<'m> {
    fn of(model: &'m Model) -> Self {
        let numbers = vec![None; model.terms.len()];
        Walk { model, hash: Fnv::default(), numbers, next: 0, seen: FxHashSet::default() }
    }

    fn put(&mut self, text: fmt::Arguments<'_>) {
        // Writing to a hash cannot fail.
        let _ = self.hash.write_fmt(text);
        let _ = self.hash.write_char('\n');
    }

    fn say(&mut self, what: &str, terms: &[TermId]) {
        terms.iter().for_each(|&t| self.visit(t));
        let numbers: Vec<_> = terms.iter().map(|t| self.numbers[t.index()]).collect();
        self.put(format_args!("{what} {numbers:?}"));
    }

    /// Numbers a term and all below it, children first; a stack of its own, as unions may be long.
    fn visit(&mut self, root: TermId) {
        let mut stack = vec![(root, false)];
        while let Some((t, ready)) = stack.pop() {
            if self.numbers[t.index()].is_some() {
                continue;
            }
            if ready {
                self.number(t);
            } else {
                stack.push((t, true));
                stack.extend(crate::terms::children(self.model.term(t)).map(|c| (c, false)));
            }
        }
    }

    fn number(&mut self, t: TermId) {
        let of = |t: TermId| self.numbers[t.index()].unwrap_or(u32::MAX);
        let term = self.model.term(t);
        let shape = self.model.shape(t);
        let below: Vec<u32> = crate::terms::children(term).map(of).collect();
        self.numbers[t.index()] = Some(self.next);
        self.next += 1;
        match term {
            Term::BaseSet(name) => self.put(format_args!("set {name}")),
            Term::BaseRel(rel) => self.put(format_args!("rel {}", rel.name())),
            Term::Pick(p) => self.put(format_args!("pick {}", p.0)),
            Term::Rec(rec, i) => self.rec(*rec, *i),
            Term::General(g) => self.general(*g),
            other => {
                let operator = format!("{other:?}");
                let operator = operator.split('(').next().unwrap_or("");
                self.put(format_args!("{operator} {shape:?} {below:?}"));
            }
        }
    }

    fn rec(&mut self, rec: RecId, i: u32) {
        self.put(format_args!("rec {} {i}", rec.0));
        if self.seen.insert(rec) {
            let group = &self.model.recs[rec];
            self.put(format_args!("group {:?}", group.order));
            self.say("bodies", &group.bodies);
        }
    }

    /// By the text of the expression, places included: never equal by mistake, sometimes different without need.
    fn general(&mut self, g: GeneralId) {
        let general = &self.model.generals[g];
        self.put(format_args!("general {:?}", general.exp));
        self.say("looks at", &general.looks_at);
        for (name, value) in general.env.iter() {
            if let Static::Tag(_) | Static::Tags(_) | Static::Prim(_) = value {
                self.put(format_args!("{name} {value:?}"));
            }
            if let Static::Closure(c) = value {
                self.put(format_args!("{name} {:?} {:?}", c.params, c.body));
            }
        }
    }
}

/// FNV-1a, 128 bits: short, and the same on every machine and in every version.
struct Fnv(u128);

impl Default for Fnv {
    fn default() -> Self {
        Fnv(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }
}

impl Write for Fnv {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            self.0 = (self.0 ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        }
        Ok(())
    }
}
