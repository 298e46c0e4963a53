//! Plots as small SVG texts: lines, and clouds of points. Only what the figures of the documentation need.

use std::fmt::Write as _;

/// An axis: what it shows, its range, and whether steps are factors of ten.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    pub(crate) label: String,
    pub(crate) from: f64,
    pub(crate) to: f64,
    pub(crate) logarithmic: bool,
}

/// Points under a name, joined or not.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) points: Vec<(f64, f64)>,
    pub(crate) joined: bool,
}

/// A plot.
#[derive(Clone, Debug)]
pub(crate) struct Plot {
    pub(crate) title: String,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) series: Vec<Series>,
    /// Whether the line where both are equal is drawn.
    pub(crate) diagonal: bool,
}

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 480.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 32.0;
const BOTTOM: f64 = 48.0;
/// Seven colours that differ in lightness, too.
const COLOURS: [&str; 7] = ["#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#555555"];

impl Axis {
    /// Where a value lies between the ends: 0 to 1.
    fn place(&self, value: f64) -> f64 {
        let scale = |v: f64| if self.logarithmic { v.max(f64::MIN_POSITIVE).log10() } else { v };
        let (from, to) = (scale(self.from), scale(self.to));
        ((scale(value) - from) / (to - from)).clamp(0.0, 1.0)
    }

    /// The values that get a mark.
    fn marks(&self) -> Vec<f64> {
        if self.logarithmic {
            let (from, to) = (self.from.log10().round() as i32, self.to.log10().round() as i32);
            return (from..=to).map(|e| 10f64.powi(e)).collect();
        }
        let wanted = (self.to - self.from) / 5.0;
        let ten = 10f64.powf(wanted.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|k| k * ten).into_iter().find(|s| *s >= wanted).unwrap_or(wanted);
        let count = ((self.to - self.from) / step + 1e-9).floor() as u32;
        (0..=count).map(|i| self.from + f64::from(i) * step).collect()
    }
}

impl Plot {
    /// The plot as a text.
    pub(crate) fn svg(&self) -> String {
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
             <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n"
        );
        text(&mut out, WIDTH / 2.0, 20.0, "middle", &self.title);
        self.draw_axes(&mut out);
        if self.diagonal {
            let low = self.x.from.max(self.y.from);
            let high = self.x.to.min(self.y.to);
            let ((x0, y0), (x1, y1)) = (self.at((low, low)), self.at((high, high)));
            let _ = writeln!(out, "<path d=\"M{x0} {y0}L{x1} {y1}\" stroke=\"#999\" fill=\"none\"/>");
        }
        for (i, series) in self.series.iter().enumerate() {
            self.draw(&mut out, i, series);
        }
        out.push_str("</svg>\n");
        out
    }

    /// A point in tenths of a unit.
    fn at(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let tenth = |v: f64| (v * 10.0).round() / 10.0;
        let x = LEFT + self.x.place(x) * (WIDTH - LEFT - RIGHT);
        let y = HEIGHT - BOTTOM - self.y.place(y) * (HEIGHT - TOP - BOTTOM);
        (tenth(x), tenth(y))
    }

    fn draw_axes(&self, out: &mut String) {
        let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
        for mark in self.x.marks() {
            let (x, _) = self.at((mark, self.y.from));
            let _ = writeln!(out, "<path d=\"M{x} {TOP}V{bottom}\" stroke=\"#ddd\"/>");
            text(out, x, bottom + 16.0, "middle", &number(mark));
        }
        for mark in self.y.marks() {
            let (_, y) = self.at((self.x.from, mark));
            let _ = writeln!(out, "<path d=\"M{LEFT} {y}H{right}\" stroke=\"#ddd\"/>");
            text(out, LEFT - 6.0, y + 4.0, "end", &number(mark));
        }
        let _ = writeln!(out, "<path d=\"M{LEFT} {TOP}V{bottom}H{right}\" stroke=\"black\" fill=\"none\"/>");
        text(out, (LEFT + right) / 2.0, HEIGHT - 12.0, "middle", &self.x.label);
        let middle = (TOP + bottom) / 2.0;
        let _ = write!(out, "<g transform=\"rotate(-90 16 {middle})\">");
        text(out, 16.0, middle, "middle", &self.y.label);
        out.push_str("</g>\n");
    }

    fn draw(&self, out: &mut String, i: usize, series: &Series) {
        let colour = COLOURS[i % COLOURS.len()];
        let mut places: Vec<(f64, f64)> = series.points.iter().map(|p| self.at(*p)).collect();
        if !series.joined {
            // Many lie on the same place.
            places.iter_mut().for_each(|(x, y)| (*x, *y) = (x.round(), y.round()));
            places.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
            places.dedup();
        }
        let mut path = String::new();
        for (k, (x, y)) in places.iter().enumerate() {
            let _ = match (series.joined, k) {
                (true, 0) => write!(path, "M{x} {y}"),
                (true, _) => write!(path, "L{x} {y}"),
                (false, _) => write!(path, "M{x} {y}h0"),
            };
        }
        let width = if series.joined { "1.5" } else { "3" };
        let _ = writeln!(
            out,
            "<path d=\"{path}\" stroke=\"{colour}\" stroke-width=\"{width}\" stroke-linecap=\"round\" fill=\"none\"/>"
        );
        if !series.name.is_empty() {
            let y = TOP + 18.0 + 16.0 * i as f64;
            let _ =
                writeln!(out, "<path d=\"M{} {}h14\" stroke=\"{colour}\" stroke-width=\"3\"/>", LEFT + 12.0, y - 4.0);
            text(out, LEFT + 32.0, y, "start", &series.name);
        }
    }
}

fn text(out: &mut String, x: f64, y: f64, anchor: &str, words: &str) {
    let words = words.replace('&', "&amp;").replace('<', "&lt;");
    let _ = writeln!(out, "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\">{words}</text>");
}

/// A number without zeros at its end.
fn number(value: f64) -> String {
    let digits = format!("{value:.3}");
    digits.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(to: f64, logarithmic: bool) -> Axis {
        Axis { label: "a".into(), from: if logarithmic { 0.1 } else { 0.0 }, to, logarithmic }
    }

    #[test]
    fn marks_are_round_numbers() {
        assert_eq!(axis(20.0, false).marks(), [0.0, 5.0, 10.0, 15.0, 20.0]);
        assert_eq!(axis(100.0, true).marks(), [0.1, 1.0, 10.0, 100.0]);
        assert_eq!(number(0.1 + 0.2), "0.3");
    }

    #[test]
    fn points_on_one_place_are_drawn_once() {
        let points = vec![(1.0, 1.0), (1.0, 1.0), (10.0, 1.0)];
        let series = vec![Series { name: String::new(), points, joined: false }];
        let (x, y) = (axis(10.0, true), axis(10.0, true));
        let plot = Plot { title: "t < u".into(), x, y, series, diagonal: true };
        let svg = plot.svg();
        assert_eq!(svg.matches("h0").count(), 2, "{svg}");
        assert!(svg.contains("t &lt; u"));
    }
}
