//! The engine `explore` beside `enumerate` on litmus files: `against SECONDS MODEL FILE…` prints what differs, and how many
//! tests agree, are refused, or take too long for one of the two.

use std::time::{Duration, Instant};
use treville_base::Cancel;
use treville_enumerate::Enumerate;
use treville_explore::Explore;
use treville_task::{Engine, Outcome, Silent, StopReason, Task};
use treville_testkit::Lab;
use treville_testkit::differ::Findings;

#[derive(Default)]
struct Tally {
    agree: usize,
    refused: usize,
    late: [usize; 2],
    wrong: usize,
    time: [Duration; 2],
    executions: u64,
}

#[expect(clippy::print_stdout, reason = "it is a program for people")]
fn main() {
    let mut arguments = std::env::args().skip(1);
    let seconds: f64 = arguments.next().and_then(|s| s.parse().ok()).unwrap_or(2.0);
    let models = arguments.next().unwrap_or_default();
    let lab = Lab::new();
    let enumerate = Enumerate::fast();
    let mut tally = Tally::default();
    for path in arguments {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        for model in models.split(',') {
            let run = |engine: &dyn Engine| -> Result<(Task, Outcome, Duration), String> {
                let litmus = lab.parse(&text, None)?;
                let linked = lab.link_for(model, &litmus.program)?;
                let cancel = Cancel::new().with_deadline(Instant::now() + Duration::from_secs_f64(seconds));
                let task = lab.task(&litmus, &linked, cancel);
                let start = Instant::now();
                let outcome = engine.run(&task, &Silent);
                Ok((task, outcome, start.elapsed()))
            };
            let both = run(&enumerate).and_then(|a| Ok((a, run(&Explore)?)));
            let ((task, expected, before), (_, found, after)) = match both {
                Ok(both) => both,
                Err(why) => {
                    println!("{path}: {why}");
                    continue;
                }
            };
            tally.time[0] += before;
            tally.time[1] += after;
            if after > 20 * before && after.as_millis() > 200 {
                println!("{path} {model}: slow, {before:.1?} and {after:.1?}, {:?} {:?}", found.stats, found.counts);
            }
            let late = |outcome: &Outcome| outcome.stopped == Some(StopReason::Timeout);
            let Some(question) = task.question.as_deref() else { continue };
            let (expected_findings, findings) = (Findings::of(question, &expected), Findings::of(question, &found));
            if late(&expected) || late(&found) {
                tally.late[usize::from(!late(&expected))] += 1;
            } else if let (Some(why), None) = (&found.stopped, &expected.stopped) {
                println!("{path} {model}: {why}");
                tally.refused += 1;
            } else if expected_findings == findings {
                tally.agree += 1;
                tally.executions += found.counts.map_or(0, |counts| counts.executions);
            } else {
                let show = |findings: &Findings| findings.show(&task.program, question);
                println!("{path} {model}: enumerate\n{}explore\n{}", show(&expected_findings), show(&findings));
                tally.wrong += 1;
            }
        }
    }
    println!(
        "{models}: {} agree ({} executions), {} refused, {} late ({} only explore), {} differ; {:.1?} and {:.1?}",
        tally.agree,
        tally.executions,
        tally.refused,
        tally.late[0] + tally.late[1],
        tally.late[1],
        tally.wrong,
        tally.time[0],
        tally.time[1]
    );
}
