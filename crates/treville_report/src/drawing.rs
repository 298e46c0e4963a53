//! An execution as it is drawn, whatever the format: columns of events and the edges worth showing.
//!
//! Orders are reduced to their immediate steps; `fr` is derived; initial writes stand apart; register events and branches
//! are left out. Everything is in a fixed order.

use crate::names;
use std::collections::BTreeMap;
use treville_base::{Idx, Name, SourceMap};
use treville_event::{BaseRel, EventId, Graph, Kind, Relation};
use treville_ir::Program;

/// A relation to draw beside the usual ones, with the name that the model gave it.
#[derive(Clone, PartialEq, Debug)]
pub struct Shown {
    pub name: Name,
    pub relation: Relation,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NodeKind {
    Initial,
    Read,
    Write,
    Update,
    Fence,
    Other,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Node {
    pub event: EventId,
    pub kind: NodeKind,
    /// `a`, `b`, …; `init x` for initial writes.
    pub name: String,
    /// `W[x]=1`.
    pub label: String,
    /// The line of the program that it comes from, counted from 1.
    pub line: Option<usize>,
    /// The instruction's text.
    pub source: Option<String>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Column {
    pub title: String,
    /// Positions in [`Drawing::nodes`], in program order.
    pub nodes: Vec<usize>,
}

/// Between positions in [`Drawing::nodes`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Edge {
    pub relation: String,
    pub from: usize,
    pub to: usize,
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Drawing {
    pub title: String,
    /// A line below the title: the final state.
    pub caption: String,
    pub nodes: Vec<Node>,
    /// Initial writes.
    pub initial: Vec<usize>,
    pub columns: Vec<Column>,
    /// By relation (the usual ones first), then by ends.
    pub edges: Vec<Edge>,
}

impl Drawing {
    /// `picks` are relations that the model chose (a `co` among them replaces the graph's); `shown` are those to draw as well.
    pub fn new(
        program: &Program,
        sources: &SourceMap,
        graph: &Graph,
        picks: &[(Name, Relation)],
        shown: &[Shown],
    ) -> Drawing {
        let mut drawing = Drawing::default();
        drawing.place_events(program, sources, graph);
        let co = picks.iter().rev().find(|(name, _)| *name == "co").map_or(&graph.co, |(_, co)| co);
        drawing.draw_edges(graph, co, shown);
        drawing
    }

    fn place_events(&mut self, program: &Program, sources: &SourceMap, graph: &Graph) {
        let skeleton = &graph.skeleton;
        let mut columns: BTreeMap<u32, Column> = program
            .roots
            .iter_enumerated()
            .map(|(id, root)| (id.0, Column { title: root.name.to_string(), nodes: Vec::new() }))
            .collect();
        let ordered = names::thread_order(skeleton);
        for id in ordered.into_iter().filter(|&id| names::is_visible(skeleton.events[id].kind)) {
            let position = self.nodes.len();
            let thread = skeleton.events[id].thread.unwrap_or(0);
            let column =
                columns.entry(thread).or_insert_with(|| Column { title: format!("P{thread}"), nodes: Vec::new() });
            column.nodes.push(position);
            let node = self.node(program, sources, graph, id, names::letters(position));
            self.nodes.push(node);
        }
        self.columns = columns.into_values().collect();
        for (id, event) in skeleton.events.iter_enumerated().filter(|(_, e)| e.thread.is_none()) {
            let place = event.cell.map_or_else(|| "?".into(), |cell| names::show_cell(program, cell));
            self.initial.push(self.nodes.len());
            let node = self.node(program, sources, graph, id, format!("init {place}"));
            self.nodes.push(node);
        }
    }

    fn node(&self, program: &Program, sources: &SourceMap, graph: &Graph, id: EventId, name: String) -> Node {
        let event = &graph.skeleton.events[id];
        let kind = match event.kind {
            Kind::Init => NodeKind::Initial,
            Kind::Read => NodeKind::Read,
            Kind::Write => NodeKind::Write,
            Kind::Update => NodeKind::Update,
            Kind::Fence => NodeKind::Fence,
            Kind::Branch | Kind::RegRead | Kind::RegWrite | Kind::Opaque => NodeKind::Other,
        };
        let span = event.span.filter(|_| event.kind != Kind::Init);
        let source = span.map(|span| sources.snippet(span).split_whitespace().collect::<Vec<_>>().join(" "));
        Node {
            event: id,
            kind,
            name,
            label: names::label(program, event),
            line: span.map(|span| sources.start(span).line),
            source: source.filter(|s| !s.is_empty()),
        }
    }

    fn draw_edges(&mut self, graph: &Graph, co: &Relation, shown: &[Shown]) {
        let base = |rel| graph.skeleton.rels.get(&rel).cloned();
        let empty = Relation::new(graph.skeleton.n_events());
        if let Some(po) = base(BaseRel::Po) {
            self.add("po", &immediate(&self.visible(&po)));
        }
        self.add("rf", &graph.rf);
        self.add("co", &immediate(co));
        self.add("fr", &from_reads(&graph.rf, co));
        let rmw = base(BaseRel::Amo).unwrap_or_else(|| empty.clone()).union(&base(BaseRel::Lxsx).unwrap_or(empty));
        self.add("rmw", &rmw);
        for (name, rel) in [("addr", BaseRel::Addr), ("data", BaseRel::Data), ("ctrl", BaseRel::Ctrl)] {
            if let Some(relation) = base(rel) {
                self.add(name, &relation);
            }
        }
        for Shown { name, relation } in shown {
            if !self.edges.iter().any(|e| **name == *e.relation) {
                self.add(name, &drawn(relation));
            }
        }
    }

    /// The relation between drawn events only.
    fn visible(&self, relation: &Relation) -> Relation {
        let n = relation.universe();
        let drawn = treville_base::BitSet::from_members(n, self.nodes.iter().map(|node| node.event.index()));
        Relation::from_pairs(n, relation.iter().filter(|&(a, b)| drawn.contains(a) && drawn.contains(b)))
    }

    fn add(&mut self, name: &str, relation: &Relation) {
        let position: BTreeMap<usize, usize> =
            self.nodes.iter().enumerate().map(|(i, node)| (node.event.index(), i)).collect();
        let ends = |(a, b): (usize, usize)| Some((*position.get(&a)?, *position.get(&b)?));
        let mut edges: Vec<Edge> =
            relation.iter().filter_map(ends).map(|(from, to)| Edge { relation: name.to_owned(), from, to }).collect();
        edges.sort();
        self.edges.extend(edges);
    }

    /// The edges worth seeing. Everything comes after initial writes, so of theirs only `rf` says something.
    pub fn shown_edges(&self) -> impl Iterator<Item = &Edge> {
        self.edges.iter().filter(|e| e.relation == "rf" || self.nodes[e.from].kind != NodeKind::Initial)
    }

    /// The relations of the edges worth seeing, in their order.
    pub fn relations(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.shown_edges().map(|e| e.relation.as_str()).collect();
        names.dedup();
        names
    }

    /// The position of an event that is drawn.
    pub fn position(&self, event: EventId) -> Option<usize> {
        self.nodes.iter().position(|node| node.event == event)
    }
}

/// An order is drawn by its steps, any other relation as it is.
fn drawn(relation: &Relation) -> Relation {
    let twice = relation.compose(relation);
    if twice.is_subset(relation) && relation.is_irreflexive() { relation.difference(&twice) } else { relation.clone() }
}

/// The steps of an order: pairs without anything in between.
fn immediate(order: &Relation) -> Relation {
    order.difference(&order.compose(order))
}

/// From a read to the write that immediately overwrites what it read.
fn from_reads(rf: &Relation, co: &Relation) -> Relation {
    let fr = rf.inverse().compose(&immediate(co));
    let n = fr.universe();
    Relation::from_pairs(n, fr.iter().filter(|(a, b)| a != b))
}

/// The colour of a relation's edges: fixed for the usual ones, else by its place in the list of relations.
pub(crate) fn colour(relation: &str, place: usize) -> &'static str {
    const OTHERS: &[&str] = &["#8e44ad", "#16a085", "#b9770e", "#c2185b", "#2e86c1", "#7b8a0e", "#6e4b3a", "#515a5a"];
    match relation {
        "po" => "#566573",
        "rf" => "#c0392b",
        "co" => "#1f4fbf",
        "fr" => "#d35400",
        "rmw" => "#6c3483",
        "addr" | "data" | "ctrl" => "#1e8449",
        _ => OTHERS[place % OTHERS.len()],
    }
}
