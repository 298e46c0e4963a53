//! An execution in a terminal: one column for each thread, then its edges by relation.

use crate::{Drawing, Paint, Palette};
use std::fmt::Write;

/// Columns further apart than this are not read as one row.
const GAP: usize = 4;

/// Relations that a reader sees from the layout itself.
const IMPLIED: &str = "po";

pub fn execution(drawing: &Drawing, palette: Palette) -> String {
    let mut out = String::new();
    columns(drawing, palette, &mut out);
    edges(drawing, palette, &mut out);
    out
}

fn columns(drawing: &Drawing, palette: Palette, out: &mut String) {
    let cell = |i: usize| format!("{}: {}", drawing.nodes[i].name, drawing.nodes[i].label);
    let width = |text: &str| text.chars().count();
    let widths: Vec<usize> = drawing
        .columns
        .iter()
        .map(|c| c.nodes.iter().map(|&i| width(&cell(i))).chain([width(&c.title)]).max().unwrap_or(0) + GAP)
        .collect();
    let mut line = String::from("  ");
    for (column, &width) in drawing.columns.iter().zip(&widths) {
        line += &palette.pad(Paint::Strong, &column.title, width);
    }
    push_line(out, &line);
    let rows = drawing.columns.iter().map(|c| c.nodes.len()).max().unwrap_or(0);
    for row in 0..rows {
        let mut line = String::from("  ");
        for (column, &width) in drawing.columns.iter().zip(&widths) {
            let text = column.nodes.get(row).map(|&i| cell(i)).unwrap_or_default();
            let _ = write!(line, "{text:width$}");
        }
        push_line(out, &line);
    }
}

fn edges(drawing: &Drawing, palette: Palette, out: &mut String) {
    let shown: Vec<&str> = drawing.relations().into_iter().filter(|r| *r != IMPLIED).collect();
    let width = shown.iter().map(|r| r.chars().count()).max().unwrap_or(0) + 2;
    for relation in shown {
        let pairs: Vec<String> = drawing
            .shown_edges()
            .filter(|e| e.relation == relation)
            .map(|e| format!("{} → {}", drawing.nodes[e.from].name, drawing.nodes[e.to].name))
            .collect();
        push_line(out, &format!("  {}{}", palette.pad(Paint::Relation, relation, width), pairs.join(", ")));
    }
}

fn push_line(out: &mut String, line: &str) {
    out.push_str(line.trim_end());
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn store_buffering() {
        let expected = "  P0           P1\n  a: W[x]=1    c: W[y]=1\n  b: R[y]=0    d: R[x]=0\n  rf  init x → d, init y → b\n  \
                        fr  b → c, d → a\n";
        assert_eq!(execution(&crate::fixture::drawing(), Palette::PLAIN), expected);
    }
}
