//! Executions as one page that needs nothing else: pan with the mouse, zoom with the wheel, choose relations, step through
//! executions and events. The script and the style sheet are our own and are embedded.

use crate::svg::{escape, svg_element};
use crate::{Drawing, drawing::colour};
use std::collections::BTreeSet;
use std::fmt::Write;

const STYLE: &str = include_str!("html/page.css");
const SCRIPT: &str = include_str!("html/page.js");

/// `program` is the text of the test, shown beside the drawing.
pub fn html(title: &str, program: &str, drawings: &[Drawing]) -> String {
    let mut out = String::new();
    let title = escape(title);
    let _ = writeln!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>"
    );
    let _ = writeln!(
        out,
        "<header>\n<h1>{title}</h1>\n<nav>\n<button id=\"previous\" title=\"previous execution (p)\">&#9664;</button>\n\
         <span id=\"which\"></span>\n<button id=\"next\" title=\"next execution (n)\">&#9654;</button>\n\
         <button id=\"back\" title=\"one event back (left arrow)\">step back</button>\n\
         <button id=\"forth\" title=\"one event further (right arrow)\">step</button>\n\
         <button id=\"whole\" title=\"all events (a)\">all</button>\n\
         <button id=\"fit\" title=\"fit to the window (f)\">fit</button>\n</nav>"
    );
    relations(drawings, &mut out);
    out.push_str("</header>\n<main>\n<div id=\"stage\">\n");
    for drawing in drawings {
        let _ = writeln!(out, "<section hidden data-order=\"{}\">\n{}</section>", order(drawing), svg_element(drawing));
    }
    out.push_str("</div>\n<aside>\n<pre id=\"program\">");
    for (i, line) in program.lines().enumerate() {
        let _ = writeln!(out, "<span data-line=\"{}\">{}</span>", i + 1, escape(line));
    }
    let _ =
        write!(out, "</pre>\n<p id=\"event\"></p>\n</aside>\n</main>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n");
    out
}

/// A switch for each relation that some execution draws.
fn relations(drawings: &[Drawing], out: &mut String) {
    let mut seen = BTreeSet::new();
    out.push_str("<fieldset id=\"relations\">\n");
    for drawing in drawings {
        for (place, relation) in drawing.relations().into_iter().enumerate() {
            if seen.insert(relation) {
                let (name, colour) = (escape(relation), colour(relation, place));
                let _ = writeln!(
                    out,
                    "<label style=\"color:{colour}\"><input type=\"checkbox\" checked value=\"{name}\"> {name}</label>"
                );
            }
        }
    }
    out.push_str("</fieldset>\n");
}

/// The order in which events are stepped through: an event comes after its predecessors in program order and after what
/// it reads, as far as these do not go round in a circle. Each with its line: `node:line`.
fn order(drawing: &Drawing) -> String {
    let n = drawing.nodes.len();
    let mut before: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); n];
    for edge in drawing.edges.iter().filter(|e| e.relation == "po" || e.relation == "rf") {
        before[edge.to].insert(edge.from);
    }
    let mut done: Vec<usize> = Vec::new();
    let mut left: Vec<usize> =
        drawing.initial.iter().copied().chain((0..n).filter(|i| !drawing.initial.contains(i))).collect();
    while !left.is_empty() {
        let ready = left.iter().position(|&i| before[i].iter().all(|b| done.contains(b))).unwrap_or(0);
        done.push(left.remove(ready));
    }
    let line = |i: usize| drawing.nodes[i].line.map_or(String::new(), |l| l.to_string());
    done.into_iter().map(|i| format!("{i}:{}", line(i))).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_needs_nothing_else() {
        let page = html("<SB>", "X86 SB\n", &[crate::fixture::drawing()]);
        assert!(page.contains("<title>&lt;SB&gt;</title>"));
        assert!(!page.contains("src=") && !page.contains("href=") && !page.contains("@import"));
        for relation in ["po", "rf", "fr"] {
            assert!(page.contains(&format!("value=\"{relation}\"")), "{relation}");
        }
    }

    #[test]
    fn events_are_stepped_through_after_what_they_read() {
        assert_eq!(order(&crate::fixture::drawing()), "4: 5: 0:4 1:5 2:4 3:5");
    }
}
