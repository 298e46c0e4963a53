//! Writing sketches as C: what C11 and the kernel share. A dialect implements [`Library`]: how its functions are called.

pub(super) mod c11;
pub(super) mod linux;

use super::dialects::question;
use super::machine::{LOCATIONS, POINTER};
use super::sketch::{Access, DependencyKind, Sketch, Step, Value};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The functions of a dialect. Places are expressions for addresses.
pub(crate) trait Library {
    /// The types of locations and of the pointer, as parameters have them.
    fn types(&self) -> (&'static str, &'static str);
    fn load(&self, order: usize, place: &str) -> String;
    fn store(&self, order: usize, place: &str, value: &str) -> String;
    fn fence(&self, kind: usize) -> String;
    /// The parameter that a fence needs.
    fn fence_parameter(&self, _kind: usize) -> Option<&'static str> {
        None
    }
    /// A statement: kind and order, the variable for the result, the place, the value.
    fn update(&self, op: (usize, usize), to: &str, place: &str, value: &str) -> Vec<String>;
    /// What comes before and after a section; a variable for what it may need.
    fn section(&self, kind: usize, own: &str) -> (String, String);
    /// Parameters that a section needs.
    fn section_parameter(&self, kind: usize) -> Option<&'static str>;
    /// Memory of the thread that an update compares with.
    fn expected(&self, _op: usize) -> Option<&'static str> {
        None
    }
}

pub(crate) fn write(library: &dyn Library, sketch: &Sketch) -> Option<String> {
    let mut text = "C random\n{\n".to_owned();
    for (at, value) in sketch.init.iter().enumerate() {
        let _ = writeln!(text, "{}={value};", LOCATIONS[at]);
    }
    if sketch.has_pointer() {
        let _ = writeln!(text, "{POINTER}={};", LOCATIONS[0]);
    }
    text.push_str("}\n");
    let mut observed = Vec::new();
    for (number, steps) in sketch.threads.iter().enumerate() {
        let mut thread = Thread::new(library, sketch);
        thread.steps(steps, 1);
        let parameters: Vec<&str> = thread.parameters.iter().map(String::as_str).collect();
        let _ = writeln!(text, "P{number}({})\n{{", parameters.join(", "));
        for result in &thread.observed {
            let _ = writeln!(text, "  int {result};");
        }
        for local in &thread.locals {
            let _ = writeln!(text, "  {local};");
        }
        let _ = writeln!(text, "{}}}\n", thread.body);
        observed.extend(thread.observed.iter().map(|result| format!("{number}:{result}")));
    }
    observed.extend(LOCATIONS[..sketch.init.len()].iter().map(|&name| name.to_owned()));
    question(&mut text, sketch.ask, &observed);
    Some(text)
}

struct Thread<'a> {
    library: &'a dyn Library,
    sketch: &'a Sketch,
    body: String,
    parameters: BTreeSet<String>,
    /// Declarations of variables that are not asked for.
    locals: Vec<String>,
    observed: BTreeSet<String>,
}

fn result(n: usize) -> String {
    format!("r{n}")
}

impl<'a> Thread<'a> {
    fn new(library: &'a dyn Library, sketch: &'a Sketch) -> Self {
        Thread {
            library,
            sketch,
            body: String::new(),
            parameters: BTreeSet::new(),
            locals: Vec::new(),
            observed: BTreeSet::new(),
        }
    }

    fn line(&mut self, depth: usize, line: &str) {
        let _ = writeln!(self.body, "{:indent$}{line}", "", indent = 2 * depth);
    }

    fn statement(&mut self, depth: usize, statement: &str) {
        self.line(depth, &format!("{statement};"));
    }

    fn location(&mut self, at: usize) -> String {
        self.parameters.insert(format!("{}* {}", self.library.types().0, LOCATIONS[at]));
        LOCATIONS[at].to_owned()
    }

    fn pointer(&mut self) -> &'static str {
        self.parameters.insert(format!("{}* {POINTER}", self.library.types().1));
        POINTER
    }

    fn steps(&mut self, steps: &[Step], depth: usize) {
        steps.iter().for_each(|step| self.step(step, depth));
    }

    fn step(&mut self, step: &Step, depth: usize) {
        let library = self.library;
        match step {
            Step::Fence(kind) => {
                self.parameters.extend(library.fence_parameter(*kind).map(str::to_owned));
                self.statement(depth, &library.fence(*kind));
            }
            Step::Publish { target, order } => {
                let (value, place) = (self.location(*target), self.pointer());
                self.statement(depth, &library.store(*order, place, &value));
            }
            Step::Follow { to, order, store } => self.follow(*to, *order, *store, depth),
            Step::Section { kind, body } => self.section(*kind, body, depth),
            Step::Load { access, .. } | Step::Store { access, .. } | Step::Update { access, .. } => {
                self.access(step, access, depth);
            }
        }
    }

    fn follow(&mut self, to: usize, order: usize, store: Option<u32>, depth: usize) {
        let library = self.library;
        (0..self.sketch.init.len()).for_each(|at| drop(self.location(at)));
        let found = format!("q{to}");
        self.locals.push(format!("int* {found}"));
        let pointer = self.pointer();
        self.statement(depth, &format!("{found} = {}", library.load(order, pointer)));
        match store {
            None => {
                self.observed.insert(result(to));
                self.statement(depth, &format!("{} = {}", result(to), library.load(0, &found)));
            }
            Some(n) => self.statement(depth, &library.store(0, &found, &n.to_string())),
        }
    }

    fn section(&mut self, kind: usize, body: &[Step], depth: usize) {
        let features = &self.sketch.syntax.features().sections[kind];
        let own = format!("s{}", self.locals.len());
        let (before, after) = self.library.section(kind, &own);
        self.parameters.extend(self.library.section_parameter(kind).map(str::to_owned));
        if before.starts_with(&own) {
            self.locals.push(format!("int {own}"));
        }
        self.statement(depth, &before);
        if features.may_fail {
            self.line(depth, &format!("if ({own} == 1) {{"));
            self.steps(body, depth + 1);
            self.statement(depth + 1, &after);
            self.line(depth, "}");
        } else {
            self.steps(body, depth);
            self.statement(depth, &after);
        }
    }

    fn access(&mut self, step: &Step, access: &Access, depth: usize) {
        let dependency = access.dependency.map(|d| (d.kind, result(d.from)));
        let dependency = dependency.filter(|(_, from)| self.observed.contains(from));
        match dependency {
            Some((DependencyKind::Control, from)) => {
                self.line(depth, &format!("if ({from} == 1) {{"));
                self.plain_access(step, access, None, None, depth + 1);
                self.line(depth, "} else {");
                self.plain_access(step, access, None, None, depth + 1);
                self.line(depth, "}");
            }
            Some((DependencyKind::Guard, from)) => {
                self.line(depth, &format!("if ({from}) {{"));
                self.plain_access(step, access, None, None, depth + 1);
                self.line(depth, "}");
            }
            Some((DependencyKind::Address, from)) => self.plain_access(step, access, Some(from), None, depth),
            Some((DependencyKind::Data, from)) => self.plain_access(step, access, None, Some(from), depth),
            None => self.plain_access(step, access, None, None, depth),
        }
    }

    fn plain_access(
        &mut self,
        step: &Step,
        access: &Access,
        address: Option<String>,
        data: Option<String>,
        depth: usize,
    ) {
        let library = self.library;
        let name = self.location(access.at);
        let place = address.map_or(name.clone(), |from| format!("({name} + ({from} ^ {from}))"));
        let constant = |n: u32| data.as_ref().map_or(n.to_string(), |from| format!("{n} + ({from} ^ {from})"));
        match step {
            Step::Load { to, .. } => {
                self.observed.insert(result(*to));
                self.statement(depth, &format!("{} = {}", result(*to), library.load(access.order, &place)));
            }
            Step::Store { value, .. } => {
                let value = match value {
                    Value::Sum(from, n) if self.observed.contains(&result(*from)) => match n {
                        0 => result(*from),
                        _ => format!("{} + {n}", result(*from)),
                    },
                    Value::Constant(n) | Value::Sum(_, n) => constant(*n),
                };
                self.statement(depth, &library.store(access.order, &place, &value));
            }
            Step::Update { to, op, value, .. } => {
                self.observed.insert(result(*to));
                self.parameters.extend(library.expected(*op).map(str::to_owned));
                for statement in library.update((*op, access.order), &result(*to), &place, &constant(*value)) {
                    self.statement(depth, &statement);
                }
            }
            _ => {}
        }
    }
}
