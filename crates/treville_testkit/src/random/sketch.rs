//! A random program before it has a syntax: what each thread does, in terms that every dialect can write down.
//!
//! Orders, fences, updates and sections are numbers; a dialect says how many of each it has and what they are. Number 0 is
//! always the weakest. A sketch that lost some of its steps is still a program, which is what makes shrinking simple.

use super::Syntax;

#[derive(Clone, Debug)]
pub struct Sketch {
    pub syntax: &'static dyn Syntax,
    pub threads: Vec<Vec<Step>>,
    /// Initial values, one for each location.
    pub init: Vec<u32>,
    /// Whether locations are accessed as a whole or by halves.
    pub mixed: bool,
    /// Decides the condition.
    pub ask: u64,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Step {
    Load {
        to: usize,
        access: Access,
    },
    Store {
        value: Value,
        access: Access,
    },
    /// `op` counts the updates of the dialect; some of them compare first, and some have two results.
    Update {
        to: usize,
        op: usize,
        value: u32,
        access: Access,
    },
    Fence(usize),
    /// Makes the pointer point to a location.
    Publish {
        target: usize,
        order: usize,
    },
    /// Reads the pointer and accesses what it points to.
    Follow {
        to: usize,
        order: usize,
        store: Option<u32>,
    },
    /// Steps between taking and releasing something: a lock, a read-side critical section.
    Section {
        kind: usize,
        body: Vec<Step>,
    },
}

#[derive(Clone, PartialEq, Debug)]
pub struct Access {
    pub at: usize,
    pub part: Part,
    pub order: usize,
    pub dependency: Option<Dependency>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    Whole,
    Low,
    High,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dependency {
    pub kind: DependencyKind,
    /// The result on which the access depends.
    pub from: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DependencyKind {
    Address,
    Data,
    /// A branch before the access, which happens either way.
    Control,
    /// A branch around the access.
    Guard,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    Constant(u32),
    /// A result, plus a number.
    Sum(usize, u32),
}

impl Step {
    /// The step, and those inside it.
    pub fn visit<'s>(&'s self, visit: &mut dyn FnMut(&'s Step)) {
        visit(self);
        if let Step::Section { body, .. } = self {
            body.iter().for_each(|step| step.visit(visit));
        }
    }

    pub fn access(&self) -> Option<&Access> {
        match self {
            Step::Load { access, .. } | Step::Store { access, .. } | Step::Update { access, .. } => Some(access),
            Step::Fence(_) | Step::Publish { .. } | Step::Follow { .. } | Step::Section { .. } => None,
        }
    }

    pub fn access_mut(&mut self) -> Option<&mut Access> {
        match self {
            Step::Load { access, .. } | Step::Store { access, .. } | Step::Update { access, .. } => Some(access),
            Step::Fence(_) | Step::Publish { .. } | Step::Follow { .. } | Step::Section { .. } => None,
        }
    }
}

impl Sketch {
    pub fn has(&self, what: impl Fn(&Step) -> bool) -> bool {
        let mut found = false;
        let mut visit = |step: &Step| found |= what(step);
        self.threads.iter().flatten().for_each(|step| step.visit(&mut visit));
        found
    }

    pub fn has_updates(&self) -> bool {
        let taken = |kind: &usize| self.syntax.features().sections.get(*kind).is_some_and(|s| s.is_lock);
        self.has(|step| match step {
            Step::Update { .. } => true,
            Step::Section { kind, .. } => taken(kind),
            _ => false,
        })
    }

    pub fn has_fences(&self) -> bool {
        self.has(|step| matches!(step, Step::Fence(_)))
    }

    pub fn has_dependencies(&self) -> bool {
        self.has(|step| match step {
            Step::Store { value: Value::Sum(..), .. } | Step::Follow { .. } => true,
            step => step.access().is_some_and(|access| access.dependency.is_some()),
        })
    }

    /// Whether some thread uses the pointer.
    pub fn has_pointer(&self) -> bool {
        self.has(|step| matches!(step, Step::Publish { .. } | Step::Follow { .. }))
    }

    /// The test's text, if the dialect can write it (it may run out of registers).
    pub fn text(&self) -> Option<String> {
        self.syntax.write(self)
    }
}
