//! `let rec`: functions become closures over their group; sets and relations become a group of equations.

use super::expression::both;
use super::scope::Scope;
use super::{Eval, Linker, fault};
use crate::link::apply::group_member;
use crate::model::{Closure, RecGroup, RecId, RecOrder, Shape, Stage, Static, Term, TermId, Type};
use crate::syntax::{Binding, ExpKind, Pattern};
use crate::terms::children;
use std::sync::Arc;
use treville_base::{Idx, Name};

/// Each equation of a group is looked at with all the others in scope.
const MOST_EQUATIONS: usize = 256;

impl Linker<'_> {
    /// What a recursive group binds.
    pub(super) fn eval_recursive(&mut self, bindings: &[Binding], scope: &mut Scope) -> Eval<Vec<(Name, Static)>> {
        let (functions, values): (Vec<_>, Vec<_>) = bindings.iter().cloned().partition(is_function);
        if let Some(beyond) = bindings.get(MOST_EQUATIONS) {
            return fault(beyond.span, format!("more than {MOST_EQUATIONS} definitions in one recursion"));
        }
        let mut names = Vec::with_capacity(values.len());
        for value in &values {
            match &value.pattern {
                Pattern::Var(Some(name)) => names.push(name.clone()),
                _ => return fault(value.span, "a recursive definition needs a name"),
            }
        }
        let functions = Arc::new(functions);
        let mark = scope.mark();
        let solved = self.eval_equations(&names, &values, &functions, scope);
        scope.reset(mark);
        let mut bound = solved?;
        for (name, value) in &bound {
            scope.push(name.clone(), value.clone());
        }
        bound.extend(self.function_group(&functions, scope));
        scope.reset(mark);
        Ok(bound)
    }

    /// Closures for the functions of a group, over what the scope holds now.
    fn function_group(&mut self, functions: &Arc<Vec<Binding>>, scope: &Scope) -> Vec<(Name, Static)> {
        let Some(first) = functions.first() else { return Vec::new() };
        let capture = self.capture(functions.iter().map(|b| &*b.body), scope);
        let member = Closure {
            params: Pattern::Var(None),
            body: Arc::clone(&first.body),
            env: capture.env,
            recursive: Arc::clone(functions),
            span: first.span,
            looks_at: capture.looks_at,
            open: capture.open,
            generates_orders: false,
        };
        functions.iter().filter_map(|b| group_member(&member, b)).collect()
    }

    fn eval_equations(
        &mut self,
        names: &[Name],
        values: &[Binding],
        functions: &Arc<Vec<Binding>>,
        scope: &mut Scope,
    ) -> Eval<Vec<(Name, Static)>> {
        if values.is_empty() {
            return Ok(Vec::new());
        }
        let shapes = self.infer_shapes(names, values, functions, scope)?;
        let rec = self.recs.push(RecGroup {
            bodies: Vec::new(),
            shapes: shapes.clone(),
            order: RecOrder::Least,
            names: names.to_vec(),
        });
        let members: Vec<TermId> = (0u32..)
            .zip(&shapes)
            .map(|(i, &shape)| self.terms.leaf(Term::Rec(rec, i), shape, Stage::Skeleton))
            .collect();
        let mark = scope.mark();
        for (name, &member) in names.iter().zip(&members) {
            scope.push(name.clone(), Static::Term(member));
        }
        for (name, value) in self.function_group(functions, scope) {
            scope.push(name, value);
        }
        let mut bodies: Eval<Vec<TermId>> = Ok(Vec::new());
        for (binding, &shape) in values.iter().zip(&shapes) {
            let body = self.eval(&binding.body, scope).and_then(|v| self.as_term(&v, Some(shape), binding.body.span));
            bodies = both(bodies, body).map(|(mut bodies, body)| {
                bodies.push(body);
                bodies
            });
        }
        scope.reset(mark);
        self.recs[rec].bodies = bodies?;
        self.settle_group(rec, &members);
        if let Some(i) = self.unstable_member(rec, members[0].index()) {
            return fault(values[i].span, not_monotone(&names[i]));
        }
        if let ([member], [body]) = (&members[..], &self.recs[rec].bodies[..])
            && let Some(closed) = self.closed_form(rec, *member, *body)
        {
            self.terms.name(closed, &names[0], values[0].span);
            return Ok(vec![(names[0].clone(), Static::Term(closed))]);
        }
        for ((name, &member), binding) in names.iter().zip(&members).zip(values) {
            self.terms.name(member, name, binding.span);
        }
        Ok(names.iter().cloned().zip(members.into_iter().map(Static::Term)).collect())
    }

    /// Whether each member is a set or a relation: from nothing known, body by body, until no more becomes known.
    fn infer_shapes(
        &mut self,
        names: &[Name],
        values: &[Binding],
        functions: &Arc<Vec<Binding>>,
        scope: &mut Scope,
    ) -> Eval<Vec<Shape>> {
        let mut types = vec![Type::Any; values.len()];
        loop {
            let mut progress = false;
            for (i, binding) in values.iter().enumerate() {
                if types[i] != Type::Any {
                    continue;
                }
                let mark = scope.mark();
                for (name, ty) in names.iter().zip(&types) {
                    scope.push(name.clone(), Static::Unknown(ty.clone()));
                }
                for (name, value) in self.function_group(functions, scope) {
                    scope.push(name, value);
                }
                let value = self.eval(&binding.body, scope);
                scope.reset(mark);
                types[i] = self.type_of(&value?);
                progress |= types[i] != Type::Any;
            }
            if !progress {
                break;
            }
        }
        types
            .iter()
            .zip(values)
            .map(|(ty, binding)| match ty {
                Type::Any => Ok(Shape::Rel),
                ty => match ty.shape() {
                    Some(shape) => Ok(shape),
                    None => fault(binding.span, format!("recursion defines sets and relations, this is {ty}")),
                },
            })
            .collect()
    }

    /// A definition without recursion, for the common ways to write a closure: `r = b | r ; r` is `b+`, `r = b | r ; c` is
    /// `b ; c*`, and `r = b | c ; r` is `c* ; b`.
    fn closed_form(&mut self, rec: RecId, member: TermId, body: TermId) -> Option<TermId> {
        if self.terms.shape(member) != Shape::Rel {
            return None;
        }
        let first = member.index();
        let polarity = self.polarities(rec, first);
        let free = |t: TermId| t.index().checked_sub(first).is_none_or(|i| polarity[i] == Polarity::Absent);
        let (mut base, mut after, mut before, mut doubled) = (Vec::new(), Vec::new(), Vec::new(), false);
        for operand in self.operands_of_union(body) {
            match self.terms.infos[operand].term {
                _ if free(operand) => base.push(operand),
                _ if operand == member => {}
                Term::Seq(a, b) if a == member && b == member => doubled = true,
                Term::Seq(a, b) if a == member && free(b) => after.push(b),
                Term::Seq(a, b) if b == member && free(a) => before.push(a),
                _ => return None,
            }
        }
        let terms = &mut self.terms;
        let mut union = |operands: Vec<TermId>| {
            let none = terms.empty(Shape::Rel);
            operands.into_iter().fold(none, |a, b| terms.union(a, b))
        };
        let [base, after, before] = [base, after, before].map(&mut union);
        let none = self.terms.empty(Shape::Rel);
        match (doubled, after == none, before == none) {
            (true, true, true) => Some(self.terms.plus(base)),
            (false, _, true) => {
                let steps = self.terms.star(after);
                Some(self.terms.seq(base, steps))
            }
            (false, true, false) => {
                let steps = self.terms.star(before);
                Some(self.terms.seq(steps, base))
            }
            _ => None,
        }
    }

    /// Finds out how the group is solved, and what its members and all terms made since look at.
    fn settle_group(&mut self, rec: RecId, members: &[TermId]) {
        let first = members[0].index();
        let polarity = self.polarities(rec, first);
        let of = |t: &TermId| t.index().checked_sub(first).map_or(Polarity::Absent, |i| polarity[i]);
        if self.recs[rec].bodies.iter().any(|b| of(b) == Polarity::Mixed) {
            self.recs[rec].order = RecOrder::Iterated;
        }
        while self.settle_once(first) {}
    }

    /// Recomputes stage and monotonicity of the terms from `first` on; true if something changed.
    fn settle_once(&mut self, first: usize) -> bool {
        let mut changed = false;
        for t in (first..self.terms.infos.len()).map(TermId::from_usize) {
            let info = &self.terms.infos[t];
            let (stage, monotone) = match &info.term {
                Term::Pick(_) => continue,
                Term::Rec(rec, _) => self.group_class(&self.recs[*rec]),
                Term::General(g) => {
                    let stage = self.latest(&self.generals[*g].looks_at);
                    self.generals[*g].stage = stage;
                    (stage, stage == Stage::Skeleton)
                }
                term => self.terms.classify(term, info.stage),
            };
            let info = &mut self.terms.infos[t];
            changed |= (info.stage, info.monotone) != (stage, monotone);
            (info.stage, info.monotone) = (stage, monotone);
        }
        changed
    }

    pub(super) fn latest(&self, terms: &[TermId]) -> Stage {
        terms.iter().map(|&t| self.terms.stage(t)).max().unwrap_or(Stage::Skeleton)
    }

    fn group_class(&self, group: &RecGroup) -> (Stage, bool) {
        let stage = self.latest(&group.bodies);
        let monotone = group.order == RecOrder::Least && group.bodies.iter().all(|&b| self.terms.infos[b].monotone);
        (stage, monotone || stage == Stage::Skeleton)
    }

    /// A member that has less when it has more, by way of the others. Iterating from empty then ends in no solution of the
    /// equations, or never. Members that only grow (`m = m | …`) break such circles: once they are complete, so is the rest.
    fn unstable_member(&self, rec: RecId, first: usize) -> Option<usize> {
        if self.recs[rec].order == RecOrder::Least {
            return None;
        }
        let bodies = &self.recs[rec].bodies;
        let grows = |i: usize| {
            let own = |t: &TermId| self.terms.infos[*t].term == Term::Rec(rec, i as u32);
            self.operands_of_union(bodies[i]).iter().any(own)
        };
        let shrinking: Vec<usize> = (0..bodies.len()).filter(|&i| !grows(i)).collect();
        let mut signs: Signs = vec![vec![Sign::default(); bodies.len()]; bodies.len()];
        for &on in &shrinking {
            let of_terms = self.signs(rec, on as u32, first);
            for &i in &shrinking {
                let sign = bodies[i].index().checked_sub(first).map_or(Sign::default(), |t| of_terms[t]);
                signs[i][on] = sign;
            }
        }
        negative_circle(&signs)
    }

    /// How the terms from `first` on change with one member of the group.
    fn signs(&self, rec: RecId, member: u32, first: usize) -> Vec<Sign> {
        let mut known = vec![Sign::default(); self.terms.infos.len() - first];
        loop {
            let before = known.clone();
            for i in 0..known.len() {
                let of = |t: TermId| t.index().checked_sub(first).map_or(Sign::default(), |i| known[i]);
                let all = |ts: &[TermId]| ts.iter().map(|&t| of(t)).fold(Sign::default(), Sign::or);
                known[i] = match &self.terms.infos[TermId::from_usize(first + i)].term {
                    Term::Rec(r, m) if *r == rec => Sign { with: *m == member, against: false },
                    Term::Rec(r, _) => all(&self.recs[*r].bodies),
                    // What a general expression does with it cannot be told; it may well grow.
                    Term::General(g) => all(&self.generals[*g].looks_at),
                    Term::Complement(a) => of(*a).negated(),
                    Term::Diff(a, b) => of(*a).or(of(*b).negated()),
                    term => children(term).map(of).fold(Sign::default(), Sign::or),
                };
            }
            if known == before {
                return known;
            }
        }
    }

    /// How the terms from `first` on depend on the members of the group; those before do not.
    fn polarities(&self, rec: RecId, first: usize) -> Vec<Polarity> {
        let mut known = vec![Polarity::Absent; self.terms.infos.len() - first];
        loop {
            let mut changed = false;
            for i in 0..known.len() {
                let of = |t: TermId| t.index().checked_sub(first).map_or(Polarity::Absent, |i| known[i]);
                let below = |ts: &[TermId]| ts.iter().map(|&t| of(t)).max().unwrap_or(Polarity::Absent);
                let p = match &self.terms.infos[TermId::from_usize(first + i)].term {
                    Term::Rec(r, _) if *r == rec => Polarity::Positive,
                    Term::Rec(r, _) if self.recs[*r].order == RecOrder::Least => below(&self.recs[*r].bodies),
                    Term::Rec(r, _) => below(&self.recs[*r].bodies).negated(),
                    Term::General(g) => below(&self.generals[*g].looks_at).negated(),
                    Term::Complement(a) => of(*a).negated(),
                    Term::Diff(a, b) => of(*a).max(of(*b).negated()),
                    term => children(term).map(of).max().unwrap_or(Polarity::Absent),
                };
                changed |= p != known[i];
                known[i] = p;
            }
            if !changed {
                return known;
            }
        }
    }
}

fn is_function(binding: &Binding) -> bool {
    binding.params.is_some() || matches!(binding.body.kind, ExpKind::Fun(..))
}

fn not_monotone(name: &Name) -> String {
    format!(
        "the recursive definition of `{name}` is not monotone: something is taken away that depends on `{name}`, so that there \
         need not be a solution"
    )
}

/// Whether a term may grow, or shrink, when something else grows.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Sign {
    with: bool,
    against: bool,
}

impl Sign {
    fn or(self, other: Sign) -> Sign {
        Sign { with: self.with || other.with, against: self.against || other.against }
    }

    fn negated(self) -> Sign {
        Sign { with: self.against, against: self.with }
    }
}

/// How the members of a group change with each other: `[i][j]` says how `i` does with `j`.
type Signs = Vec<Vec<Sign>>;

/// A member that shrinks when another one grows that depends on it, itself included.
fn negative_circle(signs: &Signs) -> Option<usize> {
    let n = signs.len();
    let mut reaches: Vec<Vec<bool>> =
        signs.iter().map(|row| row.iter().map(|s| *s != Sign::default()).collect()).collect();
    for k in 0..n {
        let via = reaches[k].clone();
        for row in reaches.iter_mut().filter(|row| row[k]) {
            row.iter_mut().zip(&via).for_each(|(to, k_to)| *to |= k_to);
        }
    }
    (0..n).find(|&i| (0..n).any(|j| signs[i][j].against && (i == j || reaches[j][i])))
}

/// How a term depends on the members of a group.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Polarity {
    Absent,
    Positive,
    Mixed,
}

impl Polarity {
    /// The polarity of something that does not grow with what has this one.
    fn negated(self) -> Polarity {
        if self == Polarity::Absent { self } else { Polarity::Mixed }
    }
}
