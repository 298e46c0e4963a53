//! Executions as SVG, laid out here: threads are columns, program order goes down, initial writes are the first row, and
//! every other edge is a curve with its relation's name. No external program is needed.
//!
//! Nodes and edges carry classes and `data-` attributes, by which the HTML page filters and steps.

use crate::drawing::colour;
use crate::{Drawing, Edge, NodeKind};
use std::collections::BTreeMap;
use std::fmt::Write;

const FONT: f64 = 14.0;
const CHAR: f64 = 8.5;
const BOX_HEIGHT: f64 = 30.0;
const ROW: f64 = 82.0;
const COLUMN_GAP: f64 = 110.0;
const MARGIN: f64 = 40.0;
const HEAD: f64 = 74.0;
/// How far parallel edges stand apart.
const SPREAD: f64 = 26.0;

/// All drawings, one below the other.
pub fn svg(drawings: &[Drawing]) -> String {
    let placed: Vec<Layout<'_>> = drawings.iter().map(Layout::new).collect();
    let width = placed.iter().map(|l| l.width).fold(200.0, f64::max);
    let height: f64 = placed.iter().map(|l| l.height).sum();
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"sans-serif\" font-size=\"{FONT}\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
    );
    let mut top = 0.0;
    for layout in &placed {
        let _ = writeln!(out, "<g transform=\"translate(0 {top:.0})\">\n{}</g>", layout.body());
        top += layout.height;
    }
    out.push_str("</svg>\n");
    out
}

/// One drawing as an element that can be embedded in a page.
pub(crate) fn svg_element(drawing: &Drawing) -> String {
    let layout = Layout::new(drawing);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0} {:.0}\" font-family=\"sans-serif\" \
         font-size=\"{FONT}\">\n<g class=\"view\">\n{}</g>\n</svg>\n",
        layout.width,
        layout.height,
        layout.body()
    )
}

pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// A box: its centre and width.
#[derive(Clone, Copy, Default)]
struct Place {
    x: f64,
    y: f64,
    width: f64,
}

struct Layout<'a> {
    drawing: &'a Drawing,
    places: Vec<Place>,
    /// The centre of each column.
    columns: Vec<f64>,
    width: f64,
    height: f64,
}

impl<'a> Layout<'a> {
    fn new(drawing: &'a Drawing) -> Self {
        let mut layout = Layout {
            drawing,
            places: vec![Place::default(); drawing.nodes.len()],
            columns: Vec::new(),
            width: 0.0,
            height: 0.0,
        };
        let first_row = HEAD + if drawing.initial.is_empty() { 0.0 } else { ROW };
        layout.place_columns(first_row + FONT * 2.0);
        layout.place_initial(HEAD + BOX_HEIGHT / 2.0);
        let text = drawing.title.chars().count().max(drawing.caption.chars().count());
        layout.width = layout.width.max(text as f64 * CHAR + 2.0 * MARGIN);
        let rows = drawing.columns.iter().map(|c| c.nodes.len()).max().unwrap_or(0);
        layout.height = first_row + FONT * 2.0 + (rows.max(1) - 1) as f64 * ROW + BOX_HEIGHT + MARGIN;
        layout
    }

    fn place_columns(&mut self, top: f64) {
        let mut left = MARGIN + SPREAD * 2.0;
        for column in &self.drawing.columns {
            let widest =
                column.nodes.iter().map(|&i| self.box_width(i)).fold(column.title.len() as f64 * CHAR, f64::max);
            let centre = left + widest / 2.0;
            for (row, &i) in column.nodes.iter().enumerate() {
                let y = top + row as f64 * ROW + BOX_HEIGHT / 2.0;
                self.places[i] = Place { x: centre, y, width: self.box_width(i) };
            }
            self.columns.push(centre);
            left += widest + COLUMN_GAP;
        }
        self.width = left - COLUMN_GAP + SPREAD * 2.0 + MARGIN;
    }

    /// Initial writes are spread evenly over the whole width.
    fn place_initial(&mut self, y: f64) {
        let gap = 24.0;
        let needed: f64 = self.drawing.initial.iter().map(|&i| self.box_width(i) + gap).sum();
        self.width = self.width.max(needed + 2.0 * MARGIN);
        let mut left = (self.width - needed) / 2.0 + gap / 2.0;
        for &i in &self.drawing.initial {
            let width = self.box_width(i);
            self.places[i] = Place { x: left + width / 2.0, y, width };
            left += width + gap;
        }
    }

    fn box_width(&self, i: usize) -> f64 {
        self.text(i).chars().count() as f64 * CHAR + 18.0
    }

    fn text(&self, i: usize) -> String {
        let node = &self.drawing.nodes[i];
        match node.kind {
            NodeKind::Initial => node.label.clone(),
            _ => format!("{}: {}", node.name, node.label),
        }
    }

    fn body(&self) -> String {
        let mut out = String::new();
        let drawing = self.drawing;
        let _ = writeln!(out, "<text x=\"{MARGIN}\" y=\"28\" font-weight=\"bold\">{}</text>", escape(&drawing.title));
        let _ = writeln!(out, "<text x=\"{MARGIN}\" y=\"50\" fill=\"#566573\">{}</text>", escape(&drawing.caption));
        for (column, x) in drawing.columns.iter().zip(&self.columns) {
            let y = column.nodes.first().map_or(HEAD, |&i| self.places[i].y - BOX_HEIGHT);
            let title = escape(&column.title);
            let _ = writeln!(
                out,
                "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\" font-weight=\"bold\">{title}</text>"
            );
        }
        self.edges(&mut out);
        (0..drawing.nodes.len()).for_each(|i| self.node(i, &mut out));
        out
    }

    fn node(&self, i: usize, out: &mut String) {
        let (node, place) = (&self.drawing.nodes[i], self.places[i]);
        let fill = match node.kind {
            NodeKind::Initial => "#f2f3f4",
            NodeKind::Read => "#eaf2f8",
            NodeKind::Write => "#fdf2e9",
            NodeKind::Update => "#f5eef8",
            NodeKind::Fence => "#fdfefe",
            NodeKind::Other => "#f4f6f6",
        };
        let source = node.source.as_deref().unwrap_or("");
        let line = node.line.map(|l| format!("line {l}: ")).unwrap_or_default();
        let (left, top) = (place.x - place.width / 2.0, place.y - BOX_HEIGHT / 2.0);
        let _ = writeln!(
            out,
            "<g class=\"node\" data-node=\"{i}\"><title>{}</title>\
             <rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{BOX_HEIGHT}\" rx=\"5\" fill=\"{fill}\" stroke=\"#34495e\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-family=\"monospace\">{}</text></g>",
            escape(&format!("{line}{source}")),
            place.width,
            place.x,
            place.y + FONT * 0.35,
            escape(&self.text(i))
        );
    }

    fn edges(&self, out: &mut String) {
        // The n-th edge between the same two events is bent further out than the ones before.
        let mut parallel: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        let relations = self.drawing.relations();
        for edge in self.drawing.shown_edges() {
            let ends = (edge.from.min(edge.to), edge.from.max(edge.to));
            let nth = parallel.entry(ends).or_insert(0);
            let place = relations.iter().position(|r| *r == edge.relation).unwrap_or(0);
            self.edge(edge, colour(&edge.relation, place), *nth, out);
            *nth += 1;
        }
    }

    fn edge(&self, edge: &Edge, colour: &str, nth: usize, out: &mut String) {
        let curve = self.curve(edge, nth);
        let dash =
            if matches!(edge.relation.as_str(), "addr" | "data" | "ctrl") { " stroke-dasharray=\"5 3\"" } else { "" };
        let name = escape(&edge.relation);
        let [start, c1, c2, end] = curve.points;
        let _ = writeln!(
            out,
            "<g class=\"edge\" data-relation=\"{name}\" data-from=\"{}\" data-to=\"{}\">\
             <path d=\"M{:.1} {:.1} C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.6\"{dash}/>\
             <path d=\"{}\" fill=\"{colour}\"/>\
             {}</g>",
            edge.from,
            edge.to,
            start.0,
            start.1,
            c1.0,
            c1.1,
            c2.0,
            c2.1,
            end.0,
            end.1,
            arrow_head(c2, end),
            edge_label(&name, colour, curve.label)
        );
    }

    fn curve(&self, edge: &Edge, nth: usize) -> Curve {
        let (from, to) = (self.places[edge.from], self.places[edge.to]);
        if edge.from == edge.to {
            return Curve::looped(from, nth);
        }
        let same_column = (from.x - to.x).abs() < 1.0 && (from.y - to.y).abs() > 1.0;
        let adjacent = same_column && (from.y - to.y).abs() < ROW * 1.5;
        if adjacent && nth == 0 {
            Curve::vertical(from, to)
        } else if self.drawing.nodes[edge.from].kind == NodeKind::Initial {
            let first_row = self.drawing.columns.iter().any(|c| c.nodes.first() == Some(&edge.to));
            Curve::down(from, to, nth, first_row)
        } else if same_column {
            Curve::beside(from, to, nth)
        } else {
            Curve::across(from, to, nth)
        }
    }
}

type Point = (f64, f64);

/// A cubic curve and where its label stands.
struct Curve {
    points: [Point; 4],
    label: Point,
}

impl Curve {
    fn new(points: [Point; 4], t: f64) -> Self {
        let at = |f: fn(Point) -> f64| {
            let [a, b, c, d] = points.map(f);
            let u = 1.0 - t;
            u * u * u * a + 3.0 * u * u * t * b + 3.0 * u * t * t * c + t * t * t * d
        };
        Curve { label: (at(|p| p.0), at(|p| p.1)), points }
    }

    /// Straight down (or up) to the neighbour.
    fn vertical(from: Place, to: Place) -> Self {
        let sign = (to.y - from.y).signum();
        let (a, d) = ((from.x, from.y + sign * BOX_HEIGHT / 2.0), (to.x, to.y - sign * BOX_HEIGHT / 2.0));
        let middle = ((a.0 + d.0) / 2.0, (a.1 + d.1) / 2.0);
        Curve::new([a, middle, middle, d], 0.5)
    }

    /// Out of the side of a column and back into it; further edges alternate sides.
    fn beside(from: Place, to: Place, nth: usize) -> Self {
        let side = if nth.is_multiple_of(2) { -1.0 } else { 1.0 };
        let reach = SPREAD * (1.2 + nth as f64 * 0.5) + (from.y - to.y).abs() / ROW * 8.0;
        let a = (from.x + side * from.width / 2.0, from.y);
        let d = (to.x + side * to.width / 2.0, to.y);
        let x = if side < 0.0 { a.0.min(d.0) } else { a.0.max(d.0) } + side * reach;
        Curve::new([a, (x, a.1), (x, d.1), d], 0.5)
    }

    /// From an initial write: out of its lower side, into the upper side of a first event or the nearer side of another.
    fn down(from: Place, to: Place, nth: usize, first_row: bool) -> Self {
        let shift = (to.x - from.x).signum() * (6.0 + 8.0 * nth as f64);
        let a = (from.x + shift, from.y + BOX_HEIGHT / 2.0);
        if first_row {
            let d = (to.x - 2.0 * shift, to.y - BOX_HEIGHT / 2.0);
            return Curve::new([a, (a.0, a.1 + ROW / 3.0), (d.0, d.1 - ROW / 3.0), d], 0.4);
        }
        let side = if from.x < to.x { -1.0 } else { 1.0 };
        let d = (to.x + side * to.width / 2.0, to.y - 6.0 - 4.0 * nth as f64);
        Curve::new([a, (a.0, a.1 + ROW), (d.0 + side * SPREAD * 2.0, d.1 - SPREAD), d], 0.3)
    }

    /// Between columns, from side to side.
    fn across(from: Place, to: Place, nth: usize) -> Self {
        let side = if to.x >= from.x { 1.0 } else { -1.0 };
        let bend = SPREAD * (0.3 + nth as f64);
        if (from.y - to.y).abs() < 1.0 && nth > 0 {
            let a = (from.x + side * from.width / 4.0, from.y - BOX_HEIGHT / 2.0);
            let d = (to.x - side * to.width / 4.0, to.y - BOX_HEIGHT / 2.0);
            return Curve::new([a, (a.0, a.1 - bend), (d.0, d.1 - bend), d], 0.5);
        }
        let down = (to.y - from.y).signum();
        let a = (from.x + side * from.width / 2.0, from.y + down * (nth as f64).min(3.0) * 4.0);
        let d = (to.x - side * to.width / 2.0, to.y - down * (nth as f64).min(3.0) * 4.0);
        // Labels of crossing edges would meet in the middle; each stands nearer to its source.
        let reach = side * COLUMN_GAP * 0.45;
        Curve::new([a, (a.0 + reach, a.1 - bend), (d.0 - reach, d.1 - bend), d], 0.3 + 0.12 * (nth % 4) as f64)
    }

    fn looped(at: Place, nth: usize) -> Self {
        let x = at.x + at.width / 2.0;
        let reach = SPREAD * (1.5 + nth as f64);
        let (a, d) = ((x, at.y - 6.0), (x, at.y + 6.0));
        Curve::new([a, (x + reach, a.1 - reach), (x + reach, d.1 + reach), d], 0.5)
    }
}

/// The name on a white shade of itself, so that it can be read on a line.
fn edge_label(name: &str, colour: &str, at: Point) -> String {
    let text = |look: &str| {
        let (x, y) = (at.0, at.1 + 4.0);
        format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\" font-size=\"12\" {look}>{name}</text>")
    };
    text("fill=\"#ffffff\" stroke=\"#ffffff\" stroke-width=\"4\"") + &text(&format!("fill=\"{colour}\""))
}

/// A small triangle at `end`, pointing away from `before`.
fn arrow_head(before: Point, end: Point) -> String {
    let (dx, dy) = (end.0 - before.0, end.1 - before.1);
    let length = dx.hypot(dy);
    let (ux, uy) = if length > 0.0 { (dx / length, dy / length) } else { (0.0, 1.0) };
    let base = (end.0 - 9.0 * ux, end.1 - 9.0 * uy);
    let side = (-uy * 4.0, ux * 4.0);
    format!(
        "M{:.1} {:.1} L{:.1} {:.1} L{:.1} {:.1} Z",
        end.0,
        end.1,
        base.0 + side.0,
        base.1 + side.1,
        base.0 - side.0,
        base.1 - side.1
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn every_event_and_edge_is_drawn_within_the_picture() {
        let drawing = fixture::drawing();
        let text = svg(std::slice::from_ref(&drawing));
        assert_eq!(text.matches("class=\"node\"").count(), drawing.nodes.len());
        assert_eq!(text.matches("class=\"edge\"").count(), drawing.shown_edges().count());
        let layout = Layout::new(&drawing);
        for place in &layout.places {
            assert!(place.x - place.width / 2.0 > 0.0 && place.x + place.width / 2.0 < layout.width);
            assert!(place.y > 0.0 && place.y < layout.height);
        }
    }

    #[test]
    fn boxes_do_not_overlap() {
        let drawing = fixture::drawing();
        let places = Layout::new(&drawing).places;
        for (i, a) in places.iter().enumerate() {
            for b in &places[i + 1..] {
                let apart = (a.x - b.x).abs() >= (a.width + b.width) / 2.0 || (a.y - b.y).abs() >= BOX_HEIGHT;
                assert!(apart);
            }
        }
    }

    #[test]
    fn text_is_escaped() {
        assert_eq!(escape("<a & \"b\">"), "&lt;a &amp; &quot;b&quot;&gt;");
    }
}
