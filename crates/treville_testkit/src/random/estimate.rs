//! How many candidate executions a sketch has, roughly and rather too many than too few: the product of the sources of
//! every read and of the orders of every location's writes, times two for each branch.

use super::sketch::{DependencyKind, Part, Sketch, Step};
use std::collections::BTreeMap;

/// What is read and written: halves of locations, the pointer, locks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Cell {
    Half(usize, bool),
    Pointer,
    Lock(usize),
    Expected(usize),
}

#[derive(Default)]
struct Tally {
    /// Each read, with the cells that it may be of.
    reads: Vec<Vec<Cell>>,
    writes: BTreeMap<Cell, u64>,
    branches: u32,
}

pub fn candidates(sketch: &Sketch) -> f64 {
    let mut tally = Tally::default();
    for (thread, steps) in sketch.threads.iter().enumerate() {
        steps.iter().for_each(|step| tally.step(sketch, thread, step));
    }
    let writes = |cell: &Cell| tally.writes.get(cell).copied().unwrap_or(0) as f64;
    let sources: f64 = tally.reads.iter().map(|cells| cells.iter().map(|c| 1.0 + writes(c)).sum::<f64>()).product();
    let orders: f64 = tally.writes.values().map(|&n| (1..=n).map(|i| i as f64).product::<f64>()).product();
    sources * orders * f64::from(1 << tally.branches.min(20))
}

impl Tally {
    fn write(&mut self, cell: Cell) {
        *self.writes.entry(cell).or_default() += 1;
    }

    fn step(&mut self, sketch: &Sketch, thread: usize, step: &Step) {
        let features = sketch.syntax.features();
        let cells = |step: &Step| match step.access().map(|a| (a.at, a.part)) {
            Some((at, Part::Whole)) if sketch.mixed => vec![Cell::Half(at, false), Cell::Half(at, true)],
            Some((at, part)) => vec![Cell::Half(at, part == Part::High)],
            None => Vec::new(),
        };
        if step.access().and_then(|a| a.dependency).is_some_and(|d| d.kind == DependencyKind::Guard) {
            self.branches += 1;
        }
        match step {
            Step::Load { .. } => self.reads.extend(cells(step).into_iter().map(|c| vec![c])),
            Step::Store { .. } => cells(step).into_iter().for_each(|c| self.write(c)),
            Step::Update { op, .. } => {
                let update = &features.updates[*op];
                self.reads.extend(cells(step).into_iter().map(|c| vec![c]));
                cells(step).into_iter().for_each(|c| self.write(c));
                self.branches += u32::from(update.may_fail);
                if update.has_expected {
                    self.reads.push(vec![Cell::Expected(thread)]);
                    self.write(Cell::Expected(thread));
                }
            }
            Step::Fence(_) => {}
            Step::Publish { .. } => self.write(Cell::Pointer),
            Step::Follow { store, .. } => {
                let any = || (0..sketch.init.len()).map(|at| Cell::Half(at, false));
                self.reads.push(vec![Cell::Pointer]);
                match store {
                    None => self.reads.push(any().collect()),
                    Some(_) => any().for_each(|c| self.write(c)),
                }
            }
            Step::Section { kind, body } => {
                let section = &features.sections[*kind];
                if section.is_lock {
                    self.reads.push(vec![Cell::Lock(*kind)]);
                    self.write(Cell::Lock(*kind));
                    self.write(Cell::Lock(*kind));
                    self.branches += u32::from(section.may_fail);
                }
                body.iter().for_each(|step| self.step(sketch, thread, step));
            }
        }
    }
}
