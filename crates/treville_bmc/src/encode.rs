//! Clauses for the executions of a program: events that happen, values, sources, orders ([`program`]), and what a model
//! says of them ([`model`]).

mod addresses;
mod model;
mod program;
mod question;

pub(crate) use question::Registers;

use crate::Options;
use crate::events::Events;
use crate::solve::Ground;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
#[cfg(feature = "cadical")]
use treville_base::Idx;
use treville_base::{Cancel, IndexVec, Name};
use treville_event::Cell;
use treville_ir::ThreadId;
use treville_model::{Model, TermId as ModelTerm};
use treville_relations::Analysis;
use treville_sat::{Bits, Gates, Lit, OrderId, Orders, Solver, encode_acyclic};
use treville_term::{TermId, TermStore, VarId};

/// How orders are kept free of cycles.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Encoding {
    /// By a theory inside the search.
    #[default]
    Lazy,
    /// By clauses.
    Eager,
}

/// Clauses, as a solver takes them.
pub(crate) type Formula = Gates<Solver<Orders>>;

/// A pair of events as the key of a table.
type Pair = (u32, u32);

fn pair(x: usize, y: usize) -> Pair {
    (x as u32, y as u32)
}

pub(crate) struct Encoder<'a> {
    events: &'a Events<'a>,
    model: &'a Model,
    analysis: &'a Analysis,
    options: Options,
    /// Once it is raised, what is encoded does not count any more.
    cancel: &'a Cancel,
    gates: Formula,
    bits: Bits,
    /// Whether each event happens.
    pub(crate) happens: Vec<Lit>,
    /// Whether an event touches a cell, where that is not known.
    touches: FxHashMap<(u32, Cell), Lit>,
    pub(crate) rf: FxHashMap<Pair, Lit>,
    pub(crate) co: FxHashMap<Pair, Lit>,
    /// For each observed cell, its writes and whether they are the last.
    pub(crate) last: BTreeMap<Cell, Vec<(usize, Lit)>>,
    /// The final value of each observed cell.
    finals: BTreeMap<Cell, Vec<Lit>>,
    terms: FxHashMap<(ModelTerm, u32, u32), Lit>,
    /// Whether events with a computed address have one where no cell is.
    unresolved_accesses: BTreeMap<usize, Lit>,
    /// Whether some event has.
    pub(crate) unresolved: Lit,
    /// Whether some access has one before or behind all objects.
    pub(crate) out_of_bounds: Lit,
    /// Whether a thread was cut at the bound.
    pub(crate) cut: Lit,
    /// Whether all threads have come to their end.
    pub(crate) complete: Lit,
    /// Whether a flag is raised (or behaviour undefined, an assertion violated), by the check's name.
    pub(crate) notes: BTreeMap<Name, Lit>,
    /// Free choices of each thread: whether each is made, the variable, and its width.
    choices: IndexVec<ThreadId, Vec<(Lit, VarId, u8)>>,
    /// Edges of orders that are kept by clauses.
    edges: Vec<OrderEdge>,
    /// What each order is for.
    pub(crate) orders: Vec<String>,
    /// Solutions may be no executions, since the model says more than the clauses do.
    pub(crate) lenient: bool,
}

/// The number of an order, the ends of an edge in it, and whether it is there.
pub(crate) type OrderEdge = (usize, usize, usize, Lit);

/// An order whose edges are collected before they are given to the solver.
#[derive(Clone, Copy)]
struct Order {
    number: usize,
    theory: Option<OrderId>,
}

impl<'a> Encoder<'a> {
    pub(crate) fn new(ground: &'a Ground<'a>, gates: Formula) -> Self {
        Encoder {
            events: ground.events,
            model: ground.model,
            analysis: ground.analysis,
            options: *ground.options,
            cancel: &ground.task.limits.cancel,
            gates,
            bits: Bits::new(),
            happens: Vec::new(),
            touches: FxHashMap::default(),
            rf: FxHashMap::default(),
            co: FxHashMap::default(),
            last: BTreeMap::new(),
            finals: BTreeMap::new(),
            terms: FxHashMap::default(),
            unresolved_accesses: BTreeMap::new(),
            unresolved: Lit::FALSE,
            out_of_bounds: Lit::FALSE,
            cut: Lit::FALSE,
            complete: Lit::TRUE,
            notes: BTreeMap::new(),
            choices: IndexVec::new(),
            edges: Vec::new(),
            orders: Vec::new(),
            lenient: !ground.analysis.opaque.is_empty(),
        }
    }

    pub(crate) fn events(&self) -> &'a Events<'a> {
        self.events
    }

    /// Gives its formula away, for another one.
    pub(crate) fn lend(&mut self, other: Formula) -> Formula {
        std::mem::replace(&mut self.gates, other)
    }

    /// Two encoders of one formula: it goes from one to the other.
    pub(crate) fn swap_formula(&mut self, other: &mut Encoder<'_>) {
        std::mem::swap(&mut self.gates, &mut other.gates);
    }

    fn is_stopped(&self) -> bool {
        self.cancel.is_stopped()
    }

    fn store(&self) -> &'a TermStore {
        &self.events.prepared.traces.domain.store
    }

    pub(crate) fn fresh(&mut self) -> Lit {
        self.gates.fresh()
    }

    /// At least one of these holds.
    pub(crate) fn clause(&mut self, lits: impl IntoIterator<Item = Lit>) {
        let mut clause: Vec<Lit> = lits.into_iter().collect();
        clause.sort_unstable();
        clause.dedup();
        self.gates.clause(&clause);
    }

    fn and(&mut self, lits: &[Lit]) -> Lit {
        self.gates.and_all(lits.iter().copied())
    }

    /// Whether at least one of these holds.
    pub(crate) fn or(&mut self, lits: &[Lit]) -> Lit {
        self.gates.or_all(lits.iter().copied())
    }

    /// The literal of a condition (width 1).
    pub(crate) fn condition(&mut self, term: TermId) -> Lit {
        let store = self.store();
        self.bits.condition(&mut self.gates, store, term)
    }

    fn term_bits(&mut self, term: TermId) -> Vec<Lit> {
        let store = self.store();
        self.bits.term(&mut self.gates, store, term).to_vec()
    }

    pub(crate) fn solver(&mut self) -> &mut Solver<Orders> {
        &mut self.gates.sink
    }

    /// Whether a literal holds in the last model.
    pub(crate) fn is_true(&self, lit: Lit) -> bool {
        self.gates.sink.value(lit)
    }

    /// `lit` implies that two values are equal.
    fn equal_if(&mut self, lit: Lit, a: &[Lit], b: &[Lit]) {
        for (a, b) in a.iter().zip(b) {
            if a != b {
                self.clause([!lit, !*a, *b]);
                self.clause([!lit, *a, !*b]);
            }
        }
    }

    fn new_order(&mut self, what: impl Into<String>) -> Order {
        let theory = (self.options.encoding == Encoding::Lazy).then(|| self.gates.sink.theory_mut().add_order());
        self.orders.push(what.into());
        Order { number: self.orders.len() - 1, theory }
    }

    /// What the theory learns is to be learnt of counterparts as well.
    pub(crate) fn learn_alike(&mut self, exchanges: Vec<FxHashMap<usize, usize>>) {
        self.gates.sink.theory_mut().set_exchanges(exchanges);
    }

    /// `from` comes before `to` if `lit` holds.
    fn before(&mut self, order: Order, from: usize, to: usize, lit: Lit) {
        match (lit, order.theory) {
            (Lit::FALSE, _) => {}
            (_, Some(theory)) => drop(self.gates.sink.theory_mut().add_edge(theory, from, to, lit)),
            (_, None) => self.edges.push((order.number, from, to, lit)),
        }
    }

    /// The edges of all orders.
    #[cfg(feature = "cadical")]
    pub(crate) fn order_edges(&self) -> Vec<OrderEdge> {
        let theory = self.gates.sink.theory();
        let of_theory = theory.edges().map(|(_, edge)| (edge.order.index(), edge.from, edge.to, edge.lit));
        of_theory.chain(self.edges.iter().copied()).collect()
    }

    /// Whether there is a cycle of these edges: events of which each has a chosen edge to another one.
    fn cycle(&mut self, edges: Vec<(usize, usize, Lit)>) -> Lit {
        let mut leaving: BTreeMap<usize, Vec<Lit>> = BTreeMap::new();
        let mut chosen = Vec::new();
        for (x, y, edge) in edges {
            let choice = self.fresh();
            self.clause([!choice, edge]);
            leaving.entry(x).or_default().push(choice);
            chosen.push((y, choice));
        }
        for (y, choice) in &chosen {
            let next = leaving.get(y).cloned().unwrap_or_default();
            self.clause(next.into_iter().chain([!*choice]));
        }
        let some: Vec<Lit> = chosen.into_iter().map(|(_, choice)| choice).collect();
        self.or(&some)
    }

    /// Orders that are kept by clauses get them.
    fn finish_orders(&mut self) {
        let mut by_order: BTreeMap<usize, Vec<(usize, usize, Lit)>> = BTreeMap::new();
        for (order, from, to, lit) in self.edges.iter().copied() {
            by_order.entry(order).or_default().push((from, to, lit));
        }
        for edges in by_order.into_values() {
            if self.is_stopped() {
                return;
            }
            let nodes = edges.iter().map(|(from, to, _)| from.max(to) + 1).max().unwrap_or(0);
            let cancel = self.cancel;
            encode_acyclic(&mut self.gates.sink, nodes, &edges, &|| cancel.is_stopped());
        }
    }
}
