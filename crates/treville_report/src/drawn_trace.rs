//! A trace as a drawing: all its steps, with program order, reads-from, coherence and from-reads.

use crate::trace::words::Words;
use crate::{Column, Drawing, Edge, Node, NodeKind, names};
use std::collections::BTreeMap;
use treville_base::{Idx, SourceMap};
use treville_event::EventId;
use treville_ir::Program;
use treville_task::{Action, Bytes, Trace, TraceStep, Violation};

impl Drawing {
    /// The execution that shows a violation, if the engine tells one.
    pub fn of_violation(program: &Program, sources: &SourceMap, violation: &Violation) -> Option<Drawing> {
        let trace = violation.trace.as_deref()?;
        let mut drawing = Drawing::of_trace(program, sources, trace);
        drawing.caption = format!("{}: {}", violation.failure.name(), violation.message);
        Some(drawing)
    }

    pub fn of_trace(program: &Program, sources: &SourceMap, trace: &Trace) -> Drawing {
        let words = Words::new(program, sources, trace);
        let mut drawing = Drawing::default();
        let mut position = BTreeMap::new();
        for thread in &trace.threads {
            let mut column = Column { title: words.thread(thread.number), nodes: Vec::new() };
            let steps = trace.steps.iter().enumerate().filter(|(_, s)| s.thread == thread.number);
            for (i, step) in steps.filter(|(_, s)| s.action != Action::End) {
                position.insert(i, drawing.nodes.len());
                column.nodes.push(drawing.nodes.len());
                drawing.nodes.push(node(&words, step, drawing.nodes.len()));
            }
            drawing.columns.push(column);
        }
        let initial = initial_writes(&words, &mut drawing);
        edges(trace, &position, &initial, &mut drawing);
        drawing
    }
}

fn node(words: &Words<'_>, step: &TraceStep, position: usize) -> Node {
    Node {
        event: EventId::from_usize(position),
        kind: match step.action {
            Action::Read { .. } => NodeKind::Read,
            Action::Write { .. } => NodeKind::Write,
            Action::Update { .. } => NodeKind::Update,
            Action::Fence => NodeKind::Fence,
            _ => NodeKind::Other,
        },
        name: names::letters(position),
        label: label(words, step),
        line: step.span.map(|span| words.line(span)),
        source: step.span.map(|span| words.source(span)).filter(|s| !s.is_empty()),
    }
}

/// `W[x]=1 release`, as for the events of litmus tests.
fn label(words: &Words<'_>, step: &TraceStep) -> String {
    let core = match &step.action {
        Action::Read { place, value, .. } => format!("R[{}]={}", words.memory(*place), words.value(*place, *value)),
        Action::Write { place, value, .. } => format!("W[{}]={}", words.memory(*place), words.value(*place, *value)),
        Action::Update { place, old, new, .. } => {
            format!("U[{}]={}→{}", words.memory(*place), words.value(*place, *old), words.value(*place, *new))
        }
        Action::Fence => "F".to_owned(),
        _ => words.does(step),
    };
    match step.order {
        None => core,
        Some(order) => format!("{core} {}", order.name()),
    }
}

/// A node for each place whose initial value is read.
fn initial_writes(words: &Words<'_>, drawing: &mut Drawing) -> BTreeMap<Bytes, usize> {
    let mut nodes = BTreeMap::new();
    for step in &words.trace.steps {
        let (Some(None), Some(place), Some(value)) = (step.action.source(), step.action.place(), step.action.read())
        else {
            continue;
        };
        nodes.entry(place).or_insert_with(|| {
            let at = drawing.nodes.len();
            let name = words.memory(place);
            drawing.nodes.push(Node {
                event: EventId::from_usize(at),
                kind: NodeKind::Initial,
                label: format!("init [{name}]={}", words.value(place, value)),
                name: format!("init {name}"),
                line: None,
                source: None,
            });
            drawing.initial.push(at);
            at
        });
    }
    nodes
}

fn edges(trace: &Trace, position: &BTreeMap<usize, usize>, initial: &BTreeMap<Bytes, usize>, drawing: &mut Drawing) {
    let mut add = |relation: &str, mut pairs: Vec<(usize, usize)>| {
        pairs.sort_unstable();
        let edge = |(from, to)| Edge { relation: relation.to_owned(), from, to };
        drawing.edges.extend(pairs.into_iter().map(edge));
    };
    let columns: Vec<Vec<usize>> = trace
        .threads
        .iter()
        .map(|t| (0..trace.steps.len()).filter(|i| trace.steps[*i].thread == t.number).collect())
        .collect();
    let at = |i: &usize| position.get(i).copied();
    let pair = |a: &usize, b: &usize| Some((at(a)?, at(b)?));
    add("po", columns.iter().flat_map(|c| c.windows(2).filter_map(|w| pair(&w[0], &w[1]))).collect());
    let (mut rf, mut fr) = (Vec::new(), Vec::new());
    for (i, step) in trace.steps.iter().enumerate() {
        let (Some(from), Some(place), Some(read)) = (step.action.source(), step.action.place(), at(&i)) else {
            continue;
        };
        rf.extend(from.map_or_else(|| initial.get(&place).copied(), |w| at(&w)).map(|w| (w, read)));
        let order =
            trace.orders.iter().find(|o| o.first().is_some_and(|w| trace.steps[*w].action.place() == Some(place)));
        let next = order.and_then(|o| match from {
            None => o.first(),
            Some(w) => o.iter().position(|x| *x == w).and_then(|p| o.get(p + 1)),
        });
        fr.extend(next.filter(|w| **w != i).and_then(at).map(|w| (read, w)));
    }
    add("rf", rf);
    add("co", trace.orders.iter().flat_map(|o| o.windows(2).filter_map(|w| pair(&w[0], &w[1]))).collect());
    add("fr", fr);
    let started = |i: usize| match trace.steps[i].action {
        Action::Start(thread) => {
            let first = trace.steps.iter().position(|s| s.thread == thread)?;
            pair(&i, &first)
        }
        _ => None,
    };
    add("starts", (0..trace.steps.len()).filter_map(started).collect());
    let joined = |i: usize| match trace.steps[i].action {
        Action::Join(thread) => {
            let last = (0..trace.steps.len()).rfind(|j| trace.steps[*j].thread == thread && at(j).is_some())?;
            pair(&last, &i)
        }
        _ => None,
    };
    add("joins", (0..trace.steps.len()).filter_map(joined).collect());
}
