//! Executions for Graphviz: one digraph each, threads as clusters.

use crate::drawing::colour;
use crate::{Drawing, NodeKind};
use std::fmt::Write;

pub fn dot(drawings: &[Drawing]) -> String {
    drawings.iter().enumerate().map(|(i, drawing)| digraph(i, drawing)).collect::<Vec<_>>().join("\n")
}

fn digraph(index: usize, drawing: &Drawing) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "digraph execution{index} {{");
    let _ = writeln!(out, "  label={};", quoted(&[&drawing.title, "\n", &drawing.caption].concat()));
    let _ = writeln!(out, "  labelloc=t; fontname=sans; node [shape=box, fontname=monospace]; edge [fontname=sans];");
    for &i in &drawing.initial {
        node(&mut out, "  ", drawing, i);
    }
    for (thread, column) in drawing.columns.iter().enumerate() {
        let _ = writeln!(out, "  subgraph cluster{thread} {{\n    label={};", quoted(&column.title));
        column.nodes.iter().for_each(|&i| node(&mut out, "    ", drawing, i));
        let _ = writeln!(out, "  }}");
    }
    let relations = drawing.relations();
    for edge in drawing.shown_edges() {
        let place = relations.iter().position(|r| *r == edge.relation).unwrap_or(0);
        let colour = colour(&edge.relation, place);
        // Only program order and initial writes decide the layout: threads stay columns, read downwards.
        let free =
            if edge.relation == "po" || drawing.initial.contains(&edge.from) { "" } else { ", constraint=false" };
        let _ = writeln!(
            out,
            "  e{} -> e{} [label={}, color=\"{colour}\", fontcolor=\"{colour}\"{free}];",
            edge.from,
            edge.to,
            quoted(&edge.relation)
        );
    }
    out.push_str("}\n");
    out
}

fn node(out: &mut String, indent: &str, drawing: &Drawing, i: usize) {
    let node = &drawing.nodes[i];
    let label = match node.kind {
        NodeKind::Initial => node.label.clone(),
        _ => format!("{}: {}", node.name, node.label),
    };
    let tooltip = node.source.as_ref().map(|s| format!(", tooltip={}", quoted(s))).unwrap_or_default();
    let _ = writeln!(out, "{indent}e{i} [label={}{tooltip}];", quoted(&label));
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn store_buffering() {
        let text = dot(&[crate::fixture::drawing()]);
        assert!(text.starts_with("digraph execution0 {\n  label=\"SB under tso\\n0:EAX=0; 1:EAX=0;\";\n"), "{text}");
        assert!(text.contains("e0 [label=\"a: W[x]=1\", tooltip=\"MOV [x],$1\"];"), "{text}");
        assert!(text.contains("e1 -> e2 [label=\"fr\""), "{text}");
        assert_eq!(text.matches(" -> ").count(), 6);
    }
}
