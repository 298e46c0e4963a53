//! Linux tests one by one: what is found out of addresses, and herd7 beside the engine: the paper's figure 2.

use super::Options;
use crate::plot::{Axis, Plot, Series};
use std::fmt::Write as _;
use std::io;

const ALIAS: [&str; 3] = ["none", "andersen", "field"];

pub(super) fn linux(options: &Options<'_>) -> io::Result<()> {
    let tests = options.linux_tests()?;
    let mut table = "test,none,andersen,field,herd7\n".to_owned();
    let mut rows: Vec<([f64; 3], Option<f64>)> = Vec::new();
    for (path, herd) in &tests {
        let mut ours = [0.0; 3];
        for (alias, ms) in ALIAS.iter().zip(&mut ours) {
            *ms = options.verify(path, &["--model", "linux-kernel", "--states", "--alias", alias])?.milliseconds();
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let herd_text = herd.map_or(String::new(), |ms| format!("{ms:.1}"));
        let _ = writeln!(table, "{name},{:.1},{:.1},{:.1},{herd_text}", ours[0], ours[1], ours[2]);
        rows.push((ours, *herd));
    }
    options.write("linux.csv", &table)?;
    let sum = |i: usize| rows.iter().map(|(ours, _)| ours[i]).sum::<f64>() / 1e3;
    println!("{} tests; CPU s: none {:.1}, andersen {:.1}, field {:.1}", rows.len(), sum(0), sum(1), sum(2));
    let both: Vec<(f64, f64)> = rows.iter().filter_map(|(ours, herd)| Some((ours[2], (*herd)?))).collect();
    let total = |part: fn(&(f64, f64)) -> f64| both.iter().map(part).sum::<f64>() / 1e3;
    let slower = both.iter().filter(|(ours, herd)| ours > herd).count();
    println!(
        "{} with herd7: {:.1} s, herd7 {:.1} s; slower than herd7 on {slower}",
        both.len(),
        total(|p| p.0),
        total(|p| p.1)
    );
    let against = |i: usize| rows.iter().map(|(ours, _)| (ours[i], ours[2])).collect::<Vec<(f64, f64)>>();
    let series = vec![
        Series { name: "none".into(), points: against(0), joined: false },
        Series { name: "andersen".into(), points: against(1), joined: false },
    ];
    let plot = scatter("Linux tests: what is found out of addresses", "none, andersen: CPU (ms)", series);
    options.write("linux-alias.svg", &plot.svg())?;
    // Where herd7 did not come to an end, the test is at the right border.
    let with_herd = rows.iter().map(|(ours, herd)| (herd.unwrap_or(f64::INFINITY), ours[2])).collect();
    let series = vec![Series { name: String::new(), points: with_herd, joined: false }];
    let plot = scatter("Linux tests: herd7 beside bmc", "herd7: CPU (ms); at the border, no answer", series);
    options.write("linux-herd.svg", &plot.svg())
}

fn scatter(title: &str, label: &str, series: Vec<Series>) -> Plot {
    let axis = |label: &str| Axis { label: label.into(), from: 1.0, to: 1e5, logarithmic: true };
    Plot { title: title.into(), x: axis(label), y: axis("bmc, --alias field: CPU (ms)"), series, diagonal: true }
}
