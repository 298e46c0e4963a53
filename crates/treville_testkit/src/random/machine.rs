//! Writing sketches for machines: what all of them share. A dialect implements [`Isa`]: how it writes one instruction.

use super::sketch::{Access, DependencyKind, Part, Sketch, Step, Value};
use std::collections::BTreeMap;
use std::fmt::Write;

pub(crate) const LOCATIONS: [&str; 3] = ["x", "y", "z"];
pub(crate) const POINTER: &str = "p";

/// A register of a thread, by its number in the dialect's list.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Reg(pub(crate) usize);

/// Stands for no register: the location is named.
pub(crate) const NAMED: Reg = Reg(usize::MAX);

/// What is stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Source {
    Reg(Reg),
    Constant(u32),
}

/// What an access needs to know of its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    /// Holds the address.
    pub(crate) base: Reg,
    /// The name of the location, if the address is just that.
    pub(crate) name: Option<&'a str>,
    /// Bytes.
    pub(crate) size: u8,
    pub(crate) offset: u8,
}

/// How a machine writes its instructions. Each method may add several lines.
pub(crate) trait Isa {
    fn arch(&self) -> &'static str;
    /// The name of a register in the initial state and the condition.
    fn register(&self, reg: Reg) -> Option<String>;
    /// Whether accesses name locations, so that addresses need no registers.
    fn names_locations(&self, _mixed: bool) -> bool {
        false
    }
    /// The type of a location of so many bytes.
    fn declare(&self, size: u8) -> &'static str {
        if size == 8 { "uint64_t " } else { "" }
    }
    /// Bytes of a location that is accessed as a whole and by halves.
    fn whole(&self) -> u8 {
        8
    }
    /// Bytes of a location, and of a pointer.
    fn sizes(&self) -> (u8, u8) {
        (4, 8)
    }

    fn constant(&self, t: &mut Thread, to: Reg, n: u32);
    /// For instructions that take no numbers.
    fn in_register(&self, t: &mut Thread, source: Source) -> Reg {
        match source {
            Source::Reg(reg) => reg,
            Source::Constant(n) => {
                let reg = t.fresh();
                self.constant(t, reg, n);
                reg
            }
        }
    }
    /// `to` becomes `from ^ from`.
    fn zero(&self, t: &mut Thread, to: Reg, from: Reg);
    /// `to` becomes `from + n`.
    fn add_constant(&self, t: &mut Thread, to: Reg, from: Reg, n: u32);
    /// `to` becomes the address `base + index`.
    fn index(&self, t: &mut Thread, to: Reg, base: Reg, index: Reg);
    /// Jumps to the label if the register is not 0.
    fn branch(&self, t: &mut Thread, on: Reg, label: &str);
    fn label(&self, t: &mut Thread, label: &str) {
        t.line(format!("{label}:"));
    }
    fn load(&self, t: &mut Thread, order: usize, to: Reg, place: Place<'_>);
    fn store(&self, t: &mut Thread, order: usize, from: Source, place: Place<'_>);
    fn fence(&self, t: &mut Thread, kind: usize);
    /// Kind and order; the results go to `to` and, if there is a second one, to another result.
    fn update(&self, t: &mut Thread, op: (usize, usize), to: Reg, from: Source, place: Place<'_>);
}

/// A thread that is being written.
#[derive(Default)]
pub(crate) struct Thread {
    lines: Vec<String>,
    next: usize,
    labels: usize,
    results: BTreeMap<usize, Reg>,
    /// Registers that hold addresses from the start.
    addresses: BTreeMap<String, Reg>,
    observed: Vec<Reg>,
}

impl Thread {
    pub(crate) fn line(&mut self, line: String) {
        self.lines.push(line);
    }

    pub(crate) fn fresh(&mut self) -> Reg {
        self.next += 1;
        Reg(self.next - 1)
    }

    /// A fresh register whose final value is asked for.
    pub(crate) fn result(&mut self) -> Reg {
        let reg = self.fresh();
        self.observed.push(reg);
        reg
    }

    pub(crate) fn fresh_label(&mut self) -> String {
        self.labels += 1;
        format!("L{}", self.labels)
    }

    pub(crate) fn address(&mut self, name: &str) -> Reg {
        if let Some(reg) = self.addresses.get(name) {
            return *reg;
        }
        let reg = self.fresh();
        self.addresses.insert(name.to_owned(), reg);
        reg
    }
}

/// The text of a machine test.
pub(crate) fn write(isa: &dyn Isa, sketch: &Sketch) -> Option<String> {
    let mut threads = Vec::new();
    for (number, steps) in sketch.threads.iter().enumerate() {
        let mut thread = Thread::default();
        let writer = Writer { isa, sketch, number };
        steps.iter().try_for_each(|step| writer.step(&mut thread, step))?;
        threads.push(thread);
    }
    let mut text = format!("{} random\n{{\n", isa.arch());
    let (word, _) = isa.sizes();
    let size = if sketch.mixed { isa.whole() } else { word };
    for (at, value) in sketch.init.iter().enumerate() {
        let _ = writeln!(text, "{}{}={value};", isa.declare(size), LOCATIONS[at]);
    }
    if sketch.has_pointer() {
        let _ = writeln!(text, "{POINTER}={};", LOCATIONS[0]);
    }
    for (number, thread) in threads.iter().enumerate() {
        for (name, reg) in &thread.addresses {
            let _ = writeln!(text, "{number}:{}={name};", isa.register(*reg)?);
        }
    }
    text.push_str("}\n");
    table(&mut text, &threads);
    let mut observed = Vec::new();
    for (number, thread) in threads.iter().enumerate() {
        for reg in &thread.observed {
            observed.push(format!("{number}:{}", isa.register(*reg)?));
        }
        // A register that does not exist: there are too many.
        (thread.next == 0 || isa.register(Reg(thread.next - 1)).is_some()).then_some(())?;
    }
    observed.extend(LOCATIONS[..sketch.init.len()].iter().map(|&name| name.to_owned()));
    super::dialects::question(&mut text, sketch.ask, &observed);
    Some(text)
}

fn table(text: &mut String, threads: &[Thread]) {
    let widths: Vec<usize> =
        threads.iter().map(|t| t.lines.iter().map(String::len).max().unwrap_or(0).max(2)).collect();
    let n_rows = threads.iter().map(|t| t.lines.len()).max().unwrap_or(0);
    for row in 0..=n_rows {
        let cells = threads.iter().enumerate().map(|(i, thread)| {
            let cell = match row {
                0 => format!("P{i}"),
                _ => thread.lines.get(row - 1).cloned().unwrap_or_default(),
            };
            format!(" {cell:<width$} ", width = widths[i])
        });
        let _ = writeln!(text, "{};", cells.collect::<Vec<_>>().join("|"));
    }
}

struct Writer<'a> {
    isa: &'a dyn Isa,
    sketch: &'a Sketch,
    number: usize,
}

impl Writer<'_> {
    fn step(&self, t: &mut Thread, step: &Step) -> Option<()> {
        match step {
            Step::Fence(kind) => self.isa.fence(t, *kind),
            Step::Publish { target, order } => {
                let value = t.address(LOCATIONS[*target]);
                let place = self.pointer(t);
                self.isa.store(t, *order, Source::Reg(value), place);
            }
            Step::Follow { to, order, store } => self.follow(t, *to, *order, *store),
            // No machine has sections.
            Step::Section { .. } => return None,
            Step::Load { access, .. } | Step::Store { access, .. } | Step::Update { access, .. } => {
                self.access(t, step, access)?;
            }
        }
        Some(())
    }

    fn pointer<'n>(&self, t: &mut Thread) -> Place<'n> {
        let base = if self.isa.names_locations(self.sketch.mixed) { NAMED } else { t.address(POINTER) };
        Place { base, name: Some(POINTER), size: self.isa.sizes().1, offset: 0 }
    }

    fn follow(&self, t: &mut Thread, to: usize, order: usize, store: Option<u32>) {
        let found = t.fresh();
        let pointer = self.pointer(t);
        self.isa.load(t, order, found, pointer);
        let place = Place { base: found, name: None, size: self.isa.sizes().0, offset: 0 };
        match store {
            None => {
                let result = t.result();
                t.results.insert(to, result);
                self.isa.load(t, 0, result, place);
            }
            Some(n) => self.isa.store(t, 0, Source::Constant(n), place),
        }
    }

    /// An access, with the branch that it depends on around it or before it.
    fn access(&self, t: &mut Thread, step: &Step, access: &Access) -> Option<()> {
        let dependency = access.dependency.and_then(|d| Some((d.kind, *t.results.get(&d.from)?)));
        match dependency {
            Some((DependencyKind::Control, from)) => {
                let label = self.label(t);
                self.isa.branch(t, from, &label);
                self.isa.label(t, &label);
                self.plain_access(t, step, access, None, None)
            }
            Some((DependencyKind::Guard, from)) => {
                let label = self.label(t);
                self.isa.branch(t, from, &label);
                self.plain_access(t, step, access, None, None)?;
                self.isa.label(t, &label);
                Some(())
            }
            Some((DependencyKind::Address, from)) => self.plain_access(t, step, access, Some(from), None),
            Some((DependencyKind::Data, from)) => self.plain_access(t, step, access, None, Some(from)),
            None => self.plain_access(t, step, access, None, None),
        }
    }

    /// Labels are unique in the whole test.
    fn label(&self, t: &mut Thread) -> String {
        format!("{}{}", t.fresh_label(), self.number)
    }

    fn plain_access(
        &self,
        t: &mut Thread,
        step: &Step,
        access: &Access,
        address: Option<Reg>,
        data: Option<Reg>,
    ) -> Option<()> {
        let name = LOCATIONS[access.at];
        let (size, offset) = match (self.sketch.mixed, access.part) {
            (false, _) => (self.isa.sizes().0, 0),
            (true, Part::Whole) => (self.isa.whole(), 0),
            (true, Part::Low) => (self.isa.whole() / 2, 0),
            (true, Part::High) => (self.isa.whole() / 2, self.isa.whole() / 2),
        };
        let place = if let Some(from) = address {
            let (zero, base) = (t.fresh(), t.address(name));
            self.isa.zero(t, zero, from);
            let sum = t.fresh();
            self.isa.index(t, sum, base, zero);
            Place { base: sum, name: None, size, offset }
        } else {
            let base = if self.isa.names_locations(self.sketch.mixed) { NAMED } else { t.address(name) };
            Place { base, name: Some(name), size, offset }
        };
        match step {
            Step::Load { to, .. } => {
                let result = t.result();
                self.isa.load(t, access.order, result, place);
                t.results.insert(*to, result);
            }
            Step::Store { value, .. } => {
                let from = self.value(t, *value, data);
                self.isa.store(t, access.order, from, place);
            }
            Step::Update { to, op, value, .. } => {
                let from = self.value(t, Value::Constant(*value), data);
                let result = t.result();
                self.isa.update(t, (*op, access.order), result, from, place);
                t.results.insert(*to, result);
            }
            _ => return None,
        }
        Some(())
    }

    fn value(&self, t: &mut Thread, value: Value, depends: Option<Reg>) -> Source {
        let (from, n) = match (value, depends) {
            (Value::Constant(n), None) => return Source::Constant(n),
            (Value::Constant(n), Some(from)) => {
                let zero = t.fresh();
                self.isa.zero(t, zero, from);
                (zero, n)
            }
            (Value::Sum(from, n), _) => match t.results.get(&from).copied() {
                Some(from) => (from, n),
                None => return Source::Constant(n),
            },
        };
        let sum = t.fresh();
        self.isa.add_constant(t, sum, from, n);
        Source::Reg(sum)
    }
}
