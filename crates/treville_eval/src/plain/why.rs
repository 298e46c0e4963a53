//! Why an edge is there: its derivation from the definitions, down to base relations.
//!
//! Inside a recursive definition an edge is derived from what was known before it first appeared, so derivations end.

use super::judge::Edge;
use super::terms::{Evaluator, Group};
use super::{Extent, Stop};
use std::sync::Arc;
use treville_base::{Cancel, Idx, Span};
use treville_event::{EventId, Graph};
use treville_model::{Model, RecId, Term, TermId};

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Derivation {
    /// An edge of a base relation, a member of a base set, a picked edge.
    Base(Edge),
    /// An edge by the definition of its term: from one operand of a union, from the steps of a sequence or closure (none
    /// for the reflexive case), from all operands of an intersection.
    Rule(Edge, Vec<Derivation>),
    /// That an edge is not there.
    Absent(Edge),
    /// An edge that the interpreter of general expressions gave.
    Opaque(Edge, Span),
}

impl Derivation {
    pub fn edge(&self) -> Edge {
        match self {
            Derivation::Base(e) | Derivation::Rule(e, _) | Derivation::Absent(e) | Derivation::Opaque(e, _) => *e,
        }
    }
}

/// The values of a model's terms on a graph, to ask questions about.
pub struct Trace<'a> {
    evaluator: Evaluator<'a>,
}

impl<'a> Trace<'a> {
    /// `picks` are those of a [`super::Judgement`].
    pub fn new(model: &'a Model, graph: &'a Graph, picks: &[Arc<Extent>], cancel: &'a Cancel) -> Self {
        Trace { evaluator: Evaluator::new(model, graph, cancel, picks.to_vec()) }
    }

    /// The value of a term.
    pub fn value(&mut self, term: TermId) -> Result<Arc<Extent>, Stop> {
        self.evaluator.eval(term)
    }

    /// Derives an edge of a relation term, or a member of a set term; says that it is absent if it is.
    pub fn why(&mut self, edge: Edge) -> Result<Derivation, Stop> {
        if self.evaluator.eval(edge.term)?.holds(edge.from.index(), edge.to.index()) {
            self.derive(edge)
        } else {
            Ok(Derivation::Absent(edge))
        }
    }

    fn holds(&mut self, term: TermId, from: usize, to: usize) -> Result<bool, Stop> {
        Ok(self.evaluator.eval(term)?.holds(from, to))
    }

    /// The derivation of an edge that is there.
    fn derive(&mut self, edge: Edge) -> Result<Derivation, Stop> {
        let Edge { term, from, to } = edge;
        let model = self.evaluator.model;
        let at = |term, from, to| Edge { term, from, to };
        let parts = match *model.term(term) {
            Term::BaseSet(_) | Term::BaseRel(_) | Term::Universe | Term::Pick(_) | Term::Empty => {
                return Ok(Derivation::Base(edge));
            }
            Term::General(general) => return Ok(Derivation::Opaque(edge, model.generals[general].exp.span)),
            Term::Complement(a) => vec![Derivation::Absent(at(a, from, to))],
            Term::Union(..) => {
                let operand = self.operand_of_union(edge)?;
                vec![self.derive(at(operand, from, to))?]
            }
            Term::Inter(a, b) => vec![self.derive(at(a, from, to))?, self.derive(at(b, from, to))?],
            Term::Diff(a, b) => vec![self.derive(at(a, from, to))?, Derivation::Absent(at(b, from, to))],
            Term::Seq(..) => self.steps_of_sequence(edge)?,
            Term::Inverse(a) => vec![self.derive(at(a, to, from))?],
            Term::Star(_) | Term::Opt(_) if from == to => Vec::new(),
            Term::Opt(a) => vec![self.derive(at(a, from, to))?],
            Term::Plus(a) | Term::Star(a) => self.path(a, from, to)?,
            Term::Product(a, b) => vec![self.derive(at(a, from, from))?, self.derive(at(b, to, to))?],
            Term::ToId(a) => vec![self.derive(at(a, from, from))?],
            Term::Domain(a) => vec![self.some_edge(a, from, true)?],
            Term::Range(a) => vec![self.some_edge(a, from, false)?],
            Term::Rec(rec, i) => vec![self.by_recursion(rec, i as usize, edge)?],
        };
        Ok(Derivation::Rule(edge, parts))
    }

    /// The first operand that holds the edge; operands of operands without a name count as operands.
    fn operand_of_union(&mut self, edge: Edge) -> Result<TermId, Stop> {
        let model = self.evaluator.model;
        let mut at = edge.term;
        while let Term::Union(a, b) = *model.term(at) {
            if at != edge.term && model.terms[at].name.is_some() {
                break;
            }
            at = if self.holds(a, edge.from.index(), edge.to.index())? { a } else { b };
        }
        Ok(at)
    }

    /// The steps of `a ; b`, through the least event that connects them; steps of an unnamed sequence within are among them.
    fn steps_of_sequence(&mut self, edge: Edge) -> Result<Vec<Derivation>, Stop> {
        let model = self.evaluator.model;
        let mut last_first = Vec::new();
        let Edge { mut term, from, mut to } = edge;
        while let Term::Seq(a, b) = *model.term(term) {
            if term != edge.term && model.terms[term].name.is_some() {
                break;
            }
            let left = self.evaluator.eval(a)?;
            let right = self.evaluator.eval(b)?;
            let via = left.rel().successors(from.index()).find(|&m| right.rel().contains(m, to.index()));
            let via = EventId::from_usize(via.expect("an edge of a sequence goes through an event"));
            last_first.push(self.derive(Edge { term: b, from: via, to })?);
            (term, to) = (a, via);
        }
        last_first.push(self.derive(Edge { term, from, to })?);
        last_first.reverse();
        Ok(last_first)
    }

    /// The steps of a shortest path.
    fn path(&mut self, step: TermId, from: EventId, to: EventId) -> Result<Vec<Derivation>, Stop> {
        let relation = self.evaluator.eval(step)?;
        let path = relation.rel().shortest_path(from.index(), to.index()).expect("an edge of a closure has a path");
        let event = EventId::from_usize;
        path.windows(2).map(|p| self.derive(Edge { term: step, from: event(p[0]), to: event(p[1]) })).collect()
    }

    /// Some edge that begins (or ends) at an event.
    fn some_edge(&mut self, term: TermId, event: EventId, begins: bool) -> Result<Derivation, Stop> {
        let value = self.evaluator.eval(term)?;
        let mut edges = value.rel().iter();
        let edge = edges.find(|&(a, b)| event.index() == if begins { a } else { b });
        let (from, to) = edge.expect("a member of a domain or range has an edge");
        self.derive(Edge { term, from: EventId::from_usize(from), to: EventId::from_usize(to) })
    }

    /// Derives an edge of a group's member from its body, with the group as it was just before the edge appeared.
    fn by_recursion(&mut self, rec: RecId, i: usize, edge: Edge) -> Result<Derivation, Stop> {
        let model = self.evaluator.model;
        self.evaluator.eval(edge.term)?;
        let present = self.evaluator.group(rec).cloned().expect("evaluating a member solves its group");
        let holds = |state: &Vec<Arc<Extent>>| state[i].holds(edge.from.index(), edge.to.index());
        // The last moment without the edge; the body evaluated next gave it.
        let before = present.history.iter().rposition(|s| !holds(s)).unwrap_or(0);
        let history = present.history[..=before].to_vec();
        self.evaluator.solving.push(rec);
        self.evaluator.set_group(rec, Some(Group { now: history[before].clone(), history }));
        let body = model.recs[rec].bodies[i];
        let derivation = self.why(Edge { term: body, ..edge });
        self.evaluator.set_group(rec, Some(present));
        self.evaluator.solving.pop();
        derivation
    }
}
