//! The total orders of a set that extend a relation.

use super::Stop;
use treville_base::Cancel;
use treville_event::{EventSet, Relation};
use treville_model::Orders;

use super::terms::Evaluator;

/// Calls `each` with every total order on `on` (as a transitive relation) that extends the transitive closure of `extends`.
pub(crate) fn linearisations(
    on: &EventSet,
    extends: &Relation,
    cancel: &Cancel,
    each: &mut dyn FnMut(Relation) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let before = extends.transitive_closure();
    let mut order = Vec::new();
    extend(on, &before, &mut order, cancel, each)
}

/// Extends a beginning of an order in all ways by the elements that are left.
fn extend(
    left: &EventSet,
    before: &Relation,
    order: &mut Vec<usize>,
    cancel: &Cancel,
    each: &mut dyn FnMut(Relation) -> Result<(), Stop>,
) -> Result<(), Stop> {
    if cancel.is_due() {
        return Err(Stop::Cancelled);
    }
    if left.is_empty() {
        return each(as_relation(order, left.universe()));
    }
    for e in left.iter() {
        if left.iter().any(|other| before.contains(other, e)) {
            continue; // something that is left must come before it
        }
        let mut rest = left.clone();
        rest.remove(e);
        order.push(e);
        extend(&rest, before, order, cancel, each)?;
        order.pop();
    }
    Ok(())
}

fn as_relation(order: &[usize], n_events: usize) -> Relation {
    let pairs = order.iter().enumerate().flat_map(|(i, &a)| order[i + 1..].iter().map(move |&b| (a, b)));
    Relation::from_pairs(n_events, pairs)
}

/// The classes of the members of `on` under `same`, in the order of their least members.
pub(crate) fn classes(on: &EventSet, same: &Relation) -> Vec<EventSet> {
    let mut classes: Vec<EventSet> = Vec::new();
    for e in on.iter().filter(|&e| same.contains(e, e)) {
        match classes.iter_mut().find(|c| c.iter().any(|m| same.contains(m, e))) {
            Some(class) => drop(class.insert(e)),
            None => classes.push(EventSet::from_members(on.universe(), [e])),
        }
    }
    classes
}

impl Evaluator<'_> {
    /// Calls `each` with every union of one order for each class.
    pub(crate) fn each_order(
        &mut self,
        orders: Orders,
        each: &mut dyn FnMut(Relation) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let on = self.eval(orders.on)?;
        let same = self.eval(orders.classes)?;
        let extends = self.eval(orders.extends)?;
        let classes = classes(on.set(), same.rel());
        combine(&classes, extends.rel(), &Relation::new(self.n_events()), self.cancel, each)
    }
}

fn combine(
    classes: &[EventSet],
    extends: &Relation,
    so_far: &Relation,
    cancel: &Cancel,
    each: &mut dyn FnMut(Relation) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let Some((class, rest)) = classes.split_first() else { return each(so_far.clone()) };
    linearisations(class, extends, cancel, &mut |order| combine(rest, extends, &so_far.union(&order), cancel, each))
}
