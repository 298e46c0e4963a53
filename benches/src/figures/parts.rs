//! What each part of the analysis is good for: it is switched off, and the same tests are run again.

use super::{KERNELS, Options};
use crate::plot::{Axis, Plot, Series};
use std::fmt::Write as _;
use std::io;
use std::path::PathBuf;

/// The ways to run; the first is the usual one, the last has no analysis at all.
const WAYS: [(&str, &[&str]); 10] = [
    ("all", &[]),
    ("no `extended`", &["--relation-analysis", "must"]),
    ("no `must`", &["--relation-analysis", "may"]),
    ("no active sets", &["--active-sets", "off"]),
    ("no local consistency", &["--local-consistency", "off"]),
    ("`--alias none`", &["--alias", "none"]),
    ("`--encoding eager`", &["--encoding", "eager"]),
    ("`--fixpoint kleene`", &["--fixpoint", "kleene"]),
    ("no `may`", &["--relation-analysis", "none"]),
    ("no analysis", &["--relation-analysis", "none", "--active-sets", "off", "--local-consistency", "off"]),
];

/// What a way made of a group of tests.
#[derive(Default)]
struct Total {
    decided: usize,
    ms: f64,
    pairs: u64,
    clauses: u64,
}

pub(super) fn parts(options: &Options<'_>) -> io::Result<()> {
    let linux: Vec<PathBuf> = options.linux_tests()?.into_iter().map(|(path, _)| path).collect();
    let kernels: Vec<PathBuf> = KERNELS.iter().map(|name| options.kernel(name)).collect();
    let mut table = "group,way,test,ms,pairs,clauses,answer\n".to_owned();
    let groups: [(&str, &[PathBuf], &[&str]); 4] = [
        ("linux", &linux, &["--model", "linux-kernel", "--states"]),
        ("kernels-tso", &kernels, &["--model", "tso", "--bound", "4", "--spin", "keep"]),
        ("kernels-arm", &kernels, &["--model", "arm", "--bound", "2", "--spin", "keep"]),
        ("kernels-power", &kernels, &["--model", "power", "--bound", "2", "--spin", "keep"]),
    ];
    for (group, files, args) in groups {
        println!("\n{group}: {} tests\n", files.len());
        println!("| | decided | pairs with a literal | clauses | CPU s | times the usual |");
        println!("| --- | ---: | ---: | ---: | ---: | ---: |");
        let mut times: Vec<Vec<f64>> = Vec::new();
        let mut usual = 0.0;
        for (way, more) in WAYS {
            let (mut total, mut each) = (Total::default(), Vec::new());
            for file in files {
                let measured = options.verify(file, &[args, more].concat())?;
                let (ms, answer) = (measured.milliseconds(), measured.answer.as_deref().unwrap_or("-"));
                let (pairs, clauses) = (measured.pairs, measured.clauses);
                let name = file.file_stem().unwrap_or_default().to_string_lossy();
                let _ = writeln!(table, "{group},{way},{name},{ms:.1},{pairs},{clauses},{answer}");
                total.decided += usize::from(measured.answer.is_some());
                total.ms += ms;
                total.pairs += pairs;
                total.clauses += clauses;
                each.push(ms);
            }
            if times.is_empty() {
                usual = total.ms;
            }
            times.push(each);
            let Total { decided, ms, pairs, clauses } = total;
            println!("| {way} | {decided} | {pairs} | {clauses} | {:.2} | {:.1} |", ms / 1e3, ms / usual);
        }
        options.write(&format!("parts-{group}.svg"), &against_none(group, &times, options.limit).svg())?;
    }
    options.write("parts.csv", &table)
}

/// Each test without any analysis, against the usual way.
fn against_none(group: &str, times: &[Vec<f64>], limit: u64) -> Plot {
    let (first, last) = (times.first().into_iter().flatten(), times.last().into_iter().flatten());
    let points = last.zip(first).map(|(none, all)| (*none, *all)).collect();
    let to = 1e3 * limit as f64;
    let axis = |label: &str| Axis { label: label.into(), from: 1.0, to, logarithmic: true };
    Plot {
        title: format!("{group}: with and without analysis"),
        x: axis("no analysis: CPU (ms)"),
        y: axis("all of it: CPU (ms)"),
        series: vec![Series { name: String::new(), points, joined: false }],
        diagonal: true,
    }
}
