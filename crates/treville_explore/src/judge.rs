//! Judging graphs of the search by a model that is given as axioms.

use crate::axiomatic::{Growth, growing_checks};
use crate::execution::{Builder, probe, torn_update};
use crate::graph::{EventId, Graph};
use crate::memory::Locations;
use crate::promises::{Flow, Pair};
use crate::sequential::unproven;
use treville_eval::{Plan, Staged};
use treville_event::{self as event, BaseRel, Event, Relation, Skeleton, Vocabulary};
use treville_model::syntax::{CheckKind, CheckMode};
use treville_model::{CheckId, Model};

/// An axiom that forbids cycles of reading from others and dependencies.
#[derive(Clone, Copy)]
struct OrderCheck {
    id: CheckId,
    /// Coherence is in it as well.
    keeps_co: bool,
}

pub(crate) struct Judge<'a> {
    model: &'a Model,
    staged: Staged<'a>,
    /// The axioms that forbid cycles of dependencies.
    orders: Vec<OrderCheck>,
    /// Those that stay violated when a graph grows in which reads have their sources, and those that do in any case.
    settled: Vec<CheckId>,
    growing: Vec<CheckId>,
    trusted: bool,
    /// Those that a sequentially consistent execution may violate.
    unproven: Vec<CheckId>,
    builder: Builder<'a>,
}

impl<'a> Judge<'a> {
    /// `trusted`: the model is known to be coherent, and to allow that an execution goes on with the latest writes.
    pub(crate) fn new(model: &'a Model, plan: &'a Plan, builder: Builder<'a>, trusted: bool) -> Self {
        let growth = if trusted { Growth::Coherent } else { Growth::Settled };
        let settled = growing_checks(model, growth);
        let orders = orders(model, plan, builder.vocabulary(), &settled);
        let growing = growing_checks(model, Growth::Anyhow);
        let (staged, unproven) = (Staged::new(model, plan), unproven(model));
        Judge { model, staged, orders, settled, growing, unproven, trusted, builder }
    }

    /// Why the search would not find all executions, if it would not.
    pub(crate) fn refusal(&mut self, has_updates: bool) -> Option<String> {
        let required = self.model.made_checks().filter(|(_, c)| c.mode == CheckMode::Require);
        for (id, check) in required {
            if !self.settled.contains(&id) {
                return Some(format!("whether {} holds is not settled by the beginning of an execution", check.name));
            }
        }
        if has_updates {
            self.enter_execution(&torn_update(self.builder.vocabulary()));
            if self.staged.plausible() && self.staged.rest_holds() {
                return Some("the model lets other writes come between the two halves of an update".to_owned());
            }
        }
        self.orders.is_empty().then(|| "the model lets values come out of nowhere".to_owned())
    }

    /// Whether the model allows a graph, complete or not.
    pub(crate) fn allows(&mut self, graph: &Graph, locations: &Locations) -> bool {
        self.enter(graph, locations);
        self.staged.plausible() && self.staged.rest_holds()
    }

    /// The same of a graph that is sequentially consistent; `settled` if all its reads have their sources.
    pub(crate) fn allows_sequential(&mut self, graph: &Graph, locations: &Locations, settled: bool) -> bool {
        if self.unproven.is_empty() {
            return true;
        }
        self.enter(graph, locations);
        let (unproven, growing) = (&self.unproven, &self.growing);
        let mut checks = unproven.iter().filter(|check| settled || growing.contains(check));
        checks.all(|check| self.staged.passes(*check))
    }

    /// Whether the model allows a graph in which nothing is wrong as far as the search knows; it need not, if it is not known.
    pub(crate) fn confirms(&mut self, graph: &Graph, locations: &Locations) -> bool {
        self.trusted || self.allows(graph, locations)
    }

    /// Whether the model may allow a graph in which promised reads have no sources yet.
    pub(crate) fn may_allow(&mut self, graph: &Graph, locations: &Locations) -> bool {
        self.enter(graph, locations);
        self.growing.iter().all(|check| self.staged.passes(*check))
    }

    /// All reads of a graph with the later writes of their threads.
    pub(crate) fn pairs(&mut self, graph: &Graph, locations: &Locations) -> Vec<Pair> {
        let (execution, rows) = self.builder.execution_with_rows(graph, locations);
        let skeleton = execution.skeleton;
        let n = skeleton.n_events();
        let events = skeleton.events.as_slice();
        self.staged.enter(&skeleton);
        // What is kept must be so if no read has a source and if those of one location all have the same one.
        let initial = |e: &Event| events.iter().position(|w| w.kind == event::Kind::Init && w.cell == e.cell);
        let reads = events.iter().enumerate().filter(|(_, e)| e.kind.reads());
        let same = Relation::from_pairs(n, reads.filter_map(|(i, e)| Some((initial(e)?, i))));
        let mut kept = Relation::new(n);
        for check in &self.orders {
            let order = [&Relation::new(n), &same].map(|rf| {
                self.staged.set_rf(rf);
                self.staged.set_co(&Relation::new(n));
                ordered(self.model, &mut self.staged, check.id)
            });
            let [mut without, with] = order;
            without.intersect_assign(&with);
            if check.keeps_co {
                keep_updates(&skeleton, &mut without);
            }
            kept.union_assign(&without);
        }
        // The write of an update that is one event comes after its read.
        let mut of_row: Vec<Option<(EventId, EventId)>> = vec![None; n];
        for e in 1..graph.len() {
            if let Some(row) = rows[e as usize] {
                of_row[row] = Some((of_row[row].map_or(e, |(first, _)| first), e));
            }
        }
        let mut pairs = Vec::new();
        for (i, read) in events.iter().enumerate().filter(|(_, e)| e.kind.reads()) {
            // An update that is one event reads before it writes.
            let later = |e: &Event| e.kind.writes() && e.thread == read.thread && e.index >= read.index;
            for (j, write) in events.iter().enumerate().filter(|(_, e)| later(e)) {
                if let (Some(thread), Some(from), Some(to)) = (read.thread, read.cell, write.cell) {
                    let flow = Flow { thread, from: from.address, to: to.address };
                    let weak = i != j && !kept.contains(i, j);
                    let ends = of_row[i].zip(of_row[j]).map(|((first, _), (_, last))| (first, last));
                    let events = ends.filter(|_| weak);
                    pairs.push(Pair { flow, weak, events });
                }
            }
        }
        pairs
    }

    fn enter(&mut self, graph: &Graph, locations: &Locations) {
        let execution = self.builder.execution(graph, locations);
        self.enter_execution(&execution);
    }

    fn enter_execution(&mut self, execution: &event::Graph) {
        self.staged.enter(&execution.skeleton);
        self.staged.set_rf(&execution.rf);
        if self.staged.uses_values() {
            let different = treville_eval::plain::different_values(&execution.skeleton);
            self.staged.set_different_values(&different);
        }
        if self.staged.uses_finals() {
            self.staged.set_finals(&execution.finals);
        }
        self.staged.set_co(&execution.co);
    }
}

/// The pairs that a check keeps in order.
fn ordered(model: &Model, staged: &mut Staged<'_>, check: CheckId) -> Relation {
    let mut order = staged.relation(model.checks[check].test.term).cloned().unwrap_or_default();
    order.close_transitively();
    order
}

/// What comes before the read of an update comes before its write, as coherence has it: the write that it reads does.
fn keep_updates(skeleton: &Skeleton, kept: &mut Relation) {
    let Some(updates) = skeleton.rels.get(&BaseRel::Amo) else { return };
    for (read, write) in updates.iter() {
        let after: Vec<usize> = (0..skeleton.n_events()).filter(|e| kept.contains(write, *e)).collect();
        kept.insert(read, write);
        after.into_iter().for_each(|e| kept.insert(read, e));
    }
}

/// The axioms that keep values from coming out of nowhere: those that forbid cycles of reading from others and dependencies.
fn orders(model: &Model, plan: &Plan, vocabulary: &Vocabulary, growing: &[CheckId]) -> Vec<OrderCheck> {
    let mut staged = Staged::new(model, plan);
    let is_order = |check: &&CheckId| {
        let test = &model.checks[**check].test;
        test.kind == CheckKind::Acyclic && !test.negated
    };
    let mut order_of = |check: CheckId| {
        let mut keeps_co = true;
        let keeps = [BaseRel::Addr, BaseRel::Data, BaseRel::Ctrl].into_iter().all(|dependency| {
            let probe = probe(vocabulary, dependency);
            staged.enter(&probe.skeleton);
            staged.set_rf(&probe.rf);
            staged.set_co(&probe.co);
            let order = ordered(model, &mut staged, check);
            keeps_co &= order.contains(0, 3);
            order.contains(0, 1) && order.contains(1, 2)
        });
        keeps.then_some(OrderCheck { id: check, keeps_co })
    };
    growing.iter().filter(is_order).filter_map(|check| order_of(*check)).collect()
}
