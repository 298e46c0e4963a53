//! Time against the bound, with loops that wait followed like any other: the paper's figure 1.

use super::{KERNELS, Options};
use crate::plot::{Axis, Plot, Series};
use std::fmt::Write as _;
use std::io;

const MODELS: [&str; 2] = ["tso", "arm"];
const BOUNDS: std::ops::RangeInclusive<u32> = 1..=20;

pub(super) fn bounds(options: &Options<'_>) -> io::Result<()> {
    let mut table = "model,kernel,bound,ms,pairs,clauses,answer\n".to_owned();
    for model in MODELS {
        let mut series = Vec::new();
        for kernel in KERNELS {
            let mut points = Vec::new();
            for bound in BOUNDS {
                let args = ["--model", model, "--spin", "keep", "--bound", &bound.to_string()];
                let measured = options.verify(&options.kernel(kernel), &args)?;
                let (ms, answer) = (measured.milliseconds(), measured.answer.as_deref().unwrap_or("-"));
                let (pairs, clauses) = (measured.pairs, measured.clauses);
                let _ = writeln!(table, "{model},{kernel},{bound},{ms:.1},{pairs},{clauses},{answer}");
                if measured.answer.is_none() {
                    break;
                }
                points.push((f64::from(bound), ms));
            }
            println!("{model} {kernel}: {}", summary(&points));
            series.push(Series { name: kernel.to_owned(), points, joined: true });
        }
        let x = Axis { label: "bound".into(), from: 0.0, to: 20.0, logarithmic: false };
        let to = 1e3 * options.limit as f64;
        let y = Axis { label: "CPU (ms)".into(), from: 1.0, to, logarithmic: true };
        let title = format!("Kernels under {model}, loops followed up to the bound");
        let plot = Plot { title, x, y, series, diagonal: false };
        options.write(&format!("bounds-{model}.svg"), &plot.svg())?;
    }
    options.write("bounds.csv", &table)
}

/// The times at some bounds, and the power of the bound with which they grow between half of the largest and the largest.
fn summary(points: &[(f64, f64)]) -> String {
    let some = points.iter().filter(|(bound, _)| [1.0, 2.0, 5.0, 10.0, 15.0, 20.0].contains(bound));
    let times: Vec<String> = some.map(|(bound, ms)| format!("{bound}: {ms:.1}")).collect();
    let Some(&(last, at_last)) = points.last() else { return "nothing".to_owned() };
    let half = points.iter().find(|(bound, _)| *bound >= last / 2.0);
    let power = half.map_or(0.0, |(bound, ms)| (at_last / ms).ln() / (last / bound).ln());
    format!("{} (grows like bound^{power:.1})", times.join(", "))
}
