//! Data that nobody looks at: the thesis's figures 4.4 and 4.5.

use super::{Cost, Options};
use crate::plot::{Axis, Plot, Series};
use std::fmt::Write as _;
use std::fs;
use std::io;

/// What a structure carries.
const PAYLOADS: [(&str, &str); 3] = [("numbers", ""), ("any, plain C", "-DUNKNOWN"), ("any, handles", "-DHANDLES")];

/// Writers and readers, in one workload growing.
type Sizes = &'static [(u32, u32)];

/// The name of a structure, its flag, the figure of the thesis, and its workloads.
const STRUCTURES: [(&str, &str, &str, [Sizes; 2]); 2] = [
    (
        "queue",
        "-DQUEUE",
        "Michael and Scott's queue (figure 4.4)",
        [&[(1, 0), (2, 0), (3, 0), (4, 0), (5, 0)], &[(1, 1), (2, 1), (2, 2), (3, 2), (3, 3)]],
    ),
    (
        "stack",
        "",
        "Treiber's stack (figure 4.5)",
        [&[(2, 0), (3, 0), (4, 0), (5, 0), (6, 0), (7, 0)], &[(1, 1), (2, 1), (2, 2), (3, 2), (3, 3), (4, 3)]],
    ),
];

/// One size of one workload, with each payload.
struct Size {
    writers: u32,
    readers: u32,
    costs: [Cost; 3],
}

pub(super) fn payload(options: &Options<'_>, text: &mut String) -> io::Result<()> {
    text.push_str(INTRODUCTION);
    let mut most: [f64; 2] = [0.0; 2];
    let mut equal = true;
    for (name, flag, title, workloads) in STRUCTURES {
        let mut measured = Vec::new();
        for (writers, readers) in workloads.into_iter().flatten().copied() {
            let cost = |payload: &str| {
                options.count("payload", &format!("{flag} -DWRITERS={writers} -DREADERS={readers} {payload}"))
            };
            let costs = [cost(PAYLOADS[0].1)?, cost(PAYLOADS[1].1)?, cost(PAYLOADS[2].1)?];
            let size = Size { writers, readers, costs };
            println!("{}", size.row());
            equal &= costs.iter().all(|cost| cost.executions() == costs[0].executions());
            for i in [1, 2] {
                most[0] = most[0].max(size.more(i, Size::instructions).unwrap_or(0.0));
                most[1] = most[1].max(size.more(i, Size::peak).unwrap_or(0.0));
            }
            measured.push(size);
        }
        let _ = write!(text, "\n### {title}\n\n{TABLE}");
        measured.iter().for_each(|size| text.push_str(&size.row()));
        let figures = [
            ("instructions", "instructions (millions)", Size::instructions as fn(&Cost) -> Option<f64>),
            ("memory", "memory (MB)", Size::peak),
        ];
        for (what, label, of) in figures {
            let file = format!("figures/nondet-{name}-{what}.svg");
            let plot = plot(&format!("{title}: {label}"), label, &measured, workloads, of);
            fs::write(options.root.join("docs").join(&file), plot.svg())?;
            let _ = write!(text, "\n![{name}: {label} against the number of threads]({file})\n");
        }
    }
    let equal = if equal { "the same executions in every row" } else { "**not the same executions**" };
    let _ = writeln!(
        text,
        "\nThere are {equal}. Data that is unknown costs at most {:.1} % more instructions and {:.1} % more memory than numbers.",
        most[0], most[1]
    );
    Ok(())
}

const INTRODUCTION: &str = "
## Data that nobody looks at (figures 4.4 and 4.5)

A queue and a stack (`payload.c`) that carry numbers, any values in plain C, or handles of any values. What is carried decides nothing, so that there are as
many executions with each. Instructions are those of the whole process, counted by valgrind; lines of the three lie on each other.
";

const TABLE: &str = "\
| writers | readers | executions | blocked | million instructions | any, plain C | any, handles | MB | any, plain C | any, handles | seconds | any, plain C | any, handles |
| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
";

impl Size {
    fn instructions(cost: &Cost) -> Option<f64> {
        cost.instructions.map(|n| n as f64 / 1e6)
    }

    #[allow(clippy::unnecessary_wraps)]
    fn peak(cost: &Cost) -> Option<f64> {
        Some(cost.megabytes())
    }

    /// By how many percent a payload costs more than numbers.
    fn more(&self, payload: usize, of: fn(&Cost) -> Option<f64>) -> Option<f64> {
        let (numbers, other) = (of(&self.costs[0])?, of(&self.costs[payload])?);
        Some(100.0 * (other - numbers) / numbers)
    }

    fn row(&self) -> String {
        let numbers = &self.costs[0];
        let percent =
            |payload: usize, of| self.more(payload, of).map_or("–".to_owned(), |more| format!("{more:+.1} %"));
        let of_all = |of: fn(&Cost) -> Option<f64>| {
            let own = of(numbers).map_or("–".to_owned(), |n| format!("{n:.1}"));
            format!("{own} | {} | {}", percent(1, of), percent(2, of))
        };
        let seconds: Vec<String> = self.costs.iter().map(|c| format!("{:.2}", c.cpu.as_secs_f64())).collect();
        let differs = self.costs.iter().any(|cost| cost.executions() != numbers.executions());
        let mark = if differs { " ≠" } else { "" };
        format!(
            "| {} | {} | {}{mark} | {} | {} | {} | {} |\n",
            self.writers,
            self.readers,
            numbers.complete,
            numbers.blocked,
            of_all(Size::instructions),
            of_all(Size::peak),
            seconds.join(" | ")
        )
    }
}

/// A cost against the number of threads: a line for each payload and workload.
fn plot(title: &str, label: &str, sizes: &[Size], workloads: [Sizes; 2], of: fn(&Cost) -> Option<f64>) -> Plot {
    let mut series = Vec::new();
    for (workload, words) in workloads.into_iter().zip(["writers only", "writers and readers"]) {
        for (i, (payload, _)) in PAYLOADS.iter().enumerate() {
            let in_it = sizes.iter().filter(|size| workload.contains(&(size.writers, size.readers)));
            let points = in_it.filter_map(|s| Some((f64::from(s.writers + s.readers), of(&s.costs[i])?))).collect();
            series.push(Series { name: format!("{words}: {payload}"), points, joined: true });
        }
    }
    let values = || series.iter().flat_map(|s| &s.points);
    let most_threads = values().fold(1.0, |most: f64, (x, _)| most.max(*x));
    let (least, most) = values().fold((f64::MAX, 1.0), |(low, high): (f64, f64), (_, y)| (low.min(*y), high.max(*y)));
    let (from, to) = (10f64.powf(least.log10().floor()), 10f64.powf(most.log10().ceil()));
    let x = Axis { label: "threads".into(), from: 0.0, to: most_threads, logarithmic: false };
    let y = Axis { label: label.into(), from, to, logarithmic: true };
    Plot { title: title.into(), x, y, series, diagonal: false }
}
