//! Functions that exist without being defined, on run-time values.

use super::Stop;
use super::interpret::Interpreter;
use super::orders::{classes, linearisations};
use super::value::Value;
use std::collections::BTreeSet;
use treville_base::Span;
use treville_event::{BaseRel, EventSet, Relation};
use treville_model::Prim;
use treville_model::bell::set_of_tag;

impl Interpreter<'_, '_> {
    pub(crate) fn apply_prim(&mut self, prim: Prim, argument: Value, span: Span) -> Result<Value, Stop> {
        let n = self.n_events();
        match prim {
            Prim::Domain if matches!(argument, Value::Universe | Value::Empty) => Ok(argument),
            Prim::Range if matches!(argument, Value::Universe | Value::Empty) => Ok(argument),
            Prim::Domain => Ok(Value::Set(argument.into_rel(n, span)?.domain())),
            Prim::Range => Ok(Value::Set(argument.into_rel(n, span)?.range())),
            Prim::Linearisations => self.linearisations(argument, span),
            Prim::ClassesLoc => {
                let same = self.base(BaseRel::Loc);
                let found = classes(&argument.into_set(n, span)?, &same);
                Ok(Value::SetOf(found.into_iter().map(Value::Set).collect()))
            }
            Prim::Classes => Ok(equivalence_classes(&argument.into_rel(n, span)?)),
            Prim::DifferentValues => {
                let different = self.base(BaseRel::DifferentValues);
                Ok(Value::Rel(argument.into_rel(n, span)?.intersection(&different)))
            }
            Prim::Tag2Events => Ok(Value::Set(self.tagged(argument, span)?)),
            Prim::Tag2Fenced => {
                let fences = self.tagged(argument, span)?;
                Ok(self.between(&fences))
            }
            Prim::Fromto => Ok(self.between(&argument.into_set(n, span)?)),
            Prim::AsTransitive => Ok(Value::Rel(argument.into_rel(n, span)?.transitive_closure())),
            Prim::Lift => lift(argument, n, span),
            Prim::Delift => Ok(Value::Rel(delift(argument, n, span)?)),
            Prim::Deliftinter => {
                let [within, lifted] = pair_of(argument, span)?;
                Ok(Value::Rel(delift(lifted, n, span)?.intersection(&within.into_rel(n, span)?)))
            }
            Prim::Bisimulation => bisimulation(argument, n, span),
            // No event of ours is an access to a page table.
            Prim::SameOa | Prim::AtLeastOneWritable => Ok(Value::Rel(Relation::new(n))),
            Prim::Tag2Scope | Prim::Tag2Level => Stop::fault(span, "scope trees are not supported"),
            Prim::Loc2Events => Stop::fault(span, "events of a named location are not supported"),
            Prim::Fail => Stop::fault(span, "the model calls fail here"),
        }
    }

    fn base(&self, rel: BaseRel) -> Relation {
        self.evaluator.base_rel(rel)
    }

    fn tagged(&self, tag: Value, span: Span) -> Result<EventSet, Stop> {
        let Value::Tag(tag) = tag else {
            return Stop::fault(span, format!("a tag is needed here, this is {}", tag.type_name()));
        };
        Ok(self.evaluator.base_set(&set_of_tag(&tag)))
    }

    /// `po ; [fences] ; po`.
    fn between(&self, fences: &EventSet) -> Value {
        let po = self.base(BaseRel::Po);
        Value::Rel(po.compose(&Relation::identity_on(fences)).compose(&po))
    }

    fn linearisations(&mut self, argument: Value, span: Span) -> Result<Value, Stop> {
        let n = self.n_events();
        let [on, extends] = pair_of(argument, span)?;
        match (on, extends) {
            (Value::SetOf(classes), extends) => self.class_linearisations(classes, extends, span),
            (Value::Empty, extends @ Value::ClassRel(_)) => self.class_linearisations(BTreeSet::new(), extends, span),
            (on, extends) => {
                let (on, extends) = (on.into_set(n, span)?, extends.into_rel(n, span)?);
                let mut orders = BTreeSet::new();
                linearisations(&on, &extends, self.evaluator.cancel, &mut |order| {
                    orders.insert(Value::Rel(order));
                    Ok(())
                })?;
                Ok(Value::SetOf(orders))
            }
        }
    }

    /// Orders of sets of events: as orders of their numbers.
    fn class_linearisations(&mut self, on: BTreeSet<Value>, extends: Value, span: Span) -> Result<Value, Stop> {
        let extends = as_class_relation(extends, span)?;
        let mut sets: Vec<EventSet> = Vec::new();
        for value in on {
            sets.push(value.into_set(self.n_events(), span)?);
        }
        let members = sets.len();
        sets.extend(extends.iter().flat_map(|(a, b)| [a.clone(), b.clone()]));
        let number = |set: &EventSet| sets.iter().position(|s| s == set).unwrap_or_default();
        let numbered = Relation::from_pairs(sets.len(), extends.iter().map(|(a, b)| (number(a), number(b))));
        let on = EventSet::from_members(sets.len(), 0..members);
        let mut orders = BTreeSet::new();
        linearisations(&on, &numbered, self.evaluator.cancel, &mut |order| {
            let pairs = order.iter().map(|(a, b)| (sets[a].clone(), sets[b].clone())).collect();
            orders.insert(Value::ClassRel(pairs));
            Ok(())
        })?;
        Ok(Value::SetOf(orders))
    }
}

fn pair_of(value: Value, span: Span) -> Result<[Value; 2], Stop> {
    let Value::Tuple(parts) = value else { return Stop::fault(span, "two arguments are needed here") };
    parts.try_into().or_else(|_| Stop::fault(span, "two arguments are needed here"))
}

fn as_class_relation(value: Value, span: Span) -> Result<BTreeSet<(EventSet, EventSet)>, Stop> {
    match value {
        Value::ClassRel(r) => Ok(r),
        Value::Empty => Ok(BTreeSet::new()),
        other => {
            Stop::fault(span, format!("a relation on sets of events is needed here, this is {}", other.type_name()))
        }
    }
}

/// The classes of the least equivalence that contains the relation, on the events that it relates.
fn equivalence_classes(r: &Relation) -> Value {
    let same = r.union(&r.inverse()).transitive_closure();
    let on = same.domain();
    Value::SetOf(classes(&on, &same).into_iter().map(Value::Set).collect())
}

/// `lift(classes, r)`: relates classes that hold events related by `r`.
fn lift(argument: Value, n: usize, span: Span) -> Result<Value, Stop> {
    let [sets, r] = pair_of(argument, span)?;
    let r = r.into_rel(n, span)?;
    let sets = match sets {
        Value::SetOf(sets) => sets,
        Value::Empty => BTreeSet::new(),
        other => return Stop::fault(span, format!("a set of sets is needed here, this is {}", other.type_name())),
    };
    let mut class_of: Vec<Option<EventSet>> = vec![None; n];
    for set in sets {
        let set = set.into_set(n, span)?;
        for e in set.iter() {
            class_of[e] = Some(set.clone());
        }
    }
    let lifted = r.iter().filter_map(|(a, b)| Some((class_of[a].clone()?, class_of[b].clone()?)));
    Ok(Value::ClassRel(lifted.collect()))
}

/// Relates all of a class to all of the classes that it is related to. An order of classes that was picked is one of
/// events already.
pub(crate) fn delift(value: Value, n: usize, span: Span) -> Result<Relation, Stop> {
    if let Value::Rel(r) = value {
        return Ok(r);
    }
    let pairs = as_class_relation(value, span)?;
    Ok(pairs.iter().fold(Relation::new(n), |r, (a, b)| r.union(&Relation::product(a, b))))
}

/// `bisimulation(t, e)`: the greatest part of the equivalence `e` that steps of `t` preserve.
fn bisimulation(argument: Value, n: usize, span: Span) -> Result<Value, Stop> {
    let [t, e] = pair_of(argument, span)?;
    if let Value::ClassRel(_) = &t {
        return class_bisimulation(t, e, span);
    }
    if let Value::ClassRel(_) = &e {
        return class_bisimulation(t, e, span);
    }
    Ok(Value::Rel(refine(&t.into_rel(n, span)?, &e.into_rel(n, span)?)))
}

fn class_bisimulation(t: Value, e: Value, span: Span) -> Result<Value, Stop> {
    let (t, e) = (as_class_relation(t, span)?, as_class_relation(e, span)?);
    let sets: BTreeSet<&EventSet> = t.iter().chain(&e).flat_map(|(a, b)| [a, b]).collect();
    let sets: Vec<&EventSet> = sets.into_iter().collect();
    let number = |set: &EventSet| sets.iter().position(|s| *s == set).unwrap_or_default();
    let numbered = |r: &BTreeSet<(EventSet, EventSet)>| {
        Relation::from_pairs(sets.len(), r.iter().map(|(a, b)| (number(a), number(b))))
    };
    let refined = refine(&numbered(&t), &numbered(&e));
    Ok(Value::ClassRel(refined.iter().map(|(a, b)| (sets[a].clone(), sets[b].clone())).collect()))
}

fn refine(t: &Relation, e: &Relation) -> Relation {
    let matched = |x: usize, y: usize, e: &Relation| t.successors(x).all(|a| t.successors(y).any(|b| e.contains(b, a)));
    let mut now = e.clone();
    loop {
        let kept = now.iter().filter(|&(x, y)| x == y || matched(x, y, &now) && matched(y, x, &now));
        let next = Relation::from_pairs(now.universe(), kept);
        if next == now {
            return now;
        }
        now = next;
    }
}
