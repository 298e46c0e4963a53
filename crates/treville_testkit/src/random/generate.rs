//! Drawing sketches. Half of them start from a cycle of accesses in which each thread links two locations, since these are
//! what memory models disagree about; the others are drawn freely.

use super::estimate::candidates;
use super::sketch::{Access, Dependency, DependencyKind, Part, Sketch, Step, Value};
use super::{Features, Syntax};
use crate::Rng;

/// A sketch with at most so many candidates that the dialect can write down.
pub fn generate(rng: &mut Rng, syntax: &'static dyn Syntax, max_candidates: f64) -> Sketch {
    draw(rng, syntax, max_candidates, false)
}

/// The same with accesses of different sizes, in a dialect that has them.
pub fn generate_mixed(rng: &mut Rng, syntax: &'static dyn Syntax, max_candidates: f64) -> Sketch {
    draw(rng, syntax, max_candidates, true)
}

fn draw(rng: &mut Rng, syntax: &'static dyn Syntax, max_candidates: f64, mixed: bool) -> Sketch {
    loop {
        let sketch = Draw::new(rng, syntax, mixed).sketch();
        if candidates(&sketch) <= max_candidates && sketch.text().is_some() {
            return sketch;
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Read,
    Write,
}

struct Draw<'r> {
    rng: &'r mut Rng,
    syntax: &'static dyn Syntax,
    features: &'static Features,
    mixed: bool,
    n_locations: usize,
    /// The next value for each location.
    values: Vec<u32>,
    /// The next result of the thread at hand.
    results: usize,
    /// The last result of it that the next access may depend on.
    depend_on: Option<usize>,
}

impl<'r> Draw<'r> {
    fn new(rng: &'r mut Rng, syntax: &'static dyn Syntax, mixed: bool) -> Self {
        let features = syntax.features();
        let mixed = features.mixed && (mixed || rng.percent(15));
        Draw { rng, syntax, features, mixed, n_locations: 0, values: Vec::new(), results: 0, depend_on: None }
    }

    fn sketch(mut self) -> Sketch {
        let n_threads = if self.rng.percent(70) { 2 } else { 3 };
        let is_cycle = self.rng.percent(60);
        self.n_locations = match (is_cycle, self.rng.below(10)) {
            (true, 0) => 2,
            (true, _) => n_threads,
            (false, 0..2) => 1,
            (false, 2..8) => 2,
            (false, _) => 3,
        };
        if self.mixed {
            self.n_locations = 1 + self.rng.below(2);
        }
        self.values = vec![1; self.n_locations];
        let threads = if is_cycle { self.cycle(n_threads) } else { self.free(n_threads) };
        let mut init = vec![0; self.n_locations];
        if self.rng.percent(15) {
            init[0] = self.rng.below(3) as u32;
        }
        Sketch { syntax: self.syntax, threads, init, mixed: self.mixed, ask: self.rng.draw() }
    }

    fn free(&mut self, n_threads: usize) -> Vec<Vec<Step>> {
        let mut threads = Vec::new();
        for _ in 0..n_threads {
            self.start_thread();
            let n_steps = 2 + self.rng.below(if n_threads == 2 { 3 } else { 2 });
            let mut steps = Vec::new();
            for _ in 0..n_steps {
                self.free_step(&mut steps);
            }
            threads.push(self.in_section(steps));
        }
        threads
    }

    fn start_thread(&mut self) {
        self.results = 0;
        self.depend_on = None;
    }

    fn free_step(&mut self, steps: &mut Vec<Step>) {
        if self.features.pointers && !self.mixed && self.rng.percent(8) {
            return steps.push(self.pointer_step());
        }
        if self.rng.percent(20) {
            return steps.push(Step::Fence(self.rng.below(self.features.fences)));
        }
        let kind = self.rng.pick(&[Kind::Read, Kind::Write]);
        let at = self.rng.below(self.n_locations);
        let depends = self.rng.percent(35);
        steps.push(self.access_step(kind, at, depends));
    }

    fn pointer_step(&mut self) -> Step {
        let order = self.rng.below(self.features.loads.min(self.features.stores));
        if self.rng.percent(50) {
            return Step::Publish { target: self.rng.below(self.n_locations), order };
        }
        let store = if self.rng.percent(30) { Some(self.rng.below(3) as u32) } else { None };
        let to = self.result();
        Step::Follow { to, order, store }
    }

    /// Thread `i` ends at the location at which the next one begins.
    fn cycle(&mut self, n_threads: usize) -> Vec<Vec<Step>> {
        let (read, write) = (Kind::Read, Kind::Write);
        // From the last access of each thread to the first of the next.
        let choices = [(write, read), (read, write), (read, write), (write, read), (write, write)];
        let edges: Vec<(Kind, Kind)> = (0..n_threads).map(|_| self.rng.pick(&choices)).collect();
        let mut threads = Vec::new();
        for i in 0..n_threads {
            self.start_thread();
            let first = edges[(i + n_threads - 1) % n_threads].1;
            let last = edges[i].0;
            let (from, to) = (i % self.n_locations, (i + 1) % self.n_locations);
            let mut steps = vec![self.access_step(first, from, false)];
            let depends = match self.rng.below(10) {
                0..3 => false,
                3..6 => {
                    steps.push(Step::Fence(self.rng.below(self.features.fences)));
                    self.rng.percent(20)
                }
                _ => true,
            };
            if self.rng.percent(15) {
                self.free_step(&mut steps);
            }
            steps.push(self.access_step(last, to, depends));
            if self.rng.percent(15) {
                self.free_step(&mut steps);
            }
            threads.push(self.in_section(steps));
        }
        threads
    }

    /// Puts a part of the steps into a section, now and then.
    fn in_section(&mut self, mut steps: Vec<Step>) -> Vec<Step> {
        if self.features.sections.is_empty() || self.mixed || !self.rng.percent(30) {
            return steps;
        }
        let from = self.rng.below(steps.len());
        let to = from + 1 + self.rng.below(steps.len() - from);
        let kind = self.rng.below(self.features.sections.len());
        let body = steps.splice(from..to, []).collect();
        steps.insert(from, Step::Section { kind, body });
        steps
    }

    fn result(&mut self) -> usize {
        self.results += 1;
        self.results - 1
    }

    fn value(&mut self, at: usize) -> u32 {
        if self.rng.percent(20) {
            return self.rng.below(3) as u32;
        }
        self.values[at] += 1;
        self.values[at] - 1
    }

    fn access_step(&mut self, kind: Kind, at: usize, depends: bool) -> Step {
        let part = match (self.mixed, self.rng.below(3)) {
            (false, _) | (true, 0) => Part::Whole,
            (true, 1) => Part::Low,
            (true, _) => Part::High,
        };
        let dependency = self.depend_on.filter(|_| depends).map(|from| self.dependency(kind, from));
        let may_update = !self.features.updates.is_empty() && part == Part::Whole;
        if may_update && self.rng.percent(17) {
            return self.update(at, dependency);
        }
        match kind {
            Kind::Read => {
                let access = Access { at, part, order: self.order(self.features.loads), dependency };
                let to = self.result();
                self.depend_on = Some(to);
                Step::Load { to, access }
            }
            Kind::Write => {
                let mut access = Access { at, part, order: self.order(self.features.stores), dependency };
                let value = self.value(at);
                let value = match access.dependency {
                    Some(Dependency { kind: DependencyKind::Data, from }) if self.rng.percent(40) => {
                        access.dependency = None;
                        Value::Sum(from, self.rng.below(2) as u32)
                    }
                    _ => Value::Constant(value),
                };
                Step::Store { value, access }
            }
        }
    }

    fn update(&mut self, at: usize, dependency: Option<Dependency>) -> Step {
        let op = self.rng.below(self.features.updates.len());
        let order = self.order(self.features.updates[op].orders);
        let value = self.value(at);
        let to = self.result();
        self.depend_on = Some(to);
        Step::Update { to, op, value, access: Access { at, part: Part::Whole, order, dependency } }
    }

    fn order(&mut self, n: usize) -> usize {
        if self.rng.percent(60) { 0 } else { self.rng.below(n) }
    }

    fn dependency(&mut self, kind: Kind, from: usize) -> Dependency {
        use DependencyKind::{Address, Control, Data, Guard};
        let addresses = self.features.addresses;
        let kinds: &[DependencyKind] = match (kind, addresses) {
            (Kind::Read, true) => &[Address, Address, Control, Guard],
            (Kind::Read, false) => &[Control, Guard],
            (Kind::Write, true) => &[Address, Data, Data, Data, Control, Guard],
            (Kind::Write, false) => &[Data, Data, Control, Guard],
        };
        Dependency { kind: self.rng.pick(kinds), from }
    }
}
