//! What a front end makes of a file: a program with what it asks, and the texts that its spans point into.

use std::sync::Arc;
use treville_base::{Diagnostic, SourceMap};
use treville_ir::{Claim, Claims, Program, Question};

#[derive(Clone, Debug)]
pub enum Subject {
    Test(Test),
    Program(Code),
    Claims(Annotated),
    Remote(Remote),
}

/// What a file may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SubjectKind {
    Test,
    Program,
    Claims,
    Remote,
}

impl Subject {
    pub fn kind(&self) -> SubjectKind {
        match self {
            Subject::Test(_) => SubjectKind::Test,
            Subject::Program(_) => SubjectKind::Program,
            Subject::Claims(_) => SubjectKind::Claims,
            Subject::Remote(_) => SubjectKind::Remote,
        }
    }

    pub fn sources(&self) -> &Arc<SourceMap> {
        match self {
            Subject::Test(test) => &test.sources,
            Subject::Program(code) => &code.sources,
            Subject::Claims(annotated) => &annotated.sources,
            Subject::Remote(remote) => &remote.sources,
        }
    }
}

/// A litmus test: a program with a question about its final states.
#[derive(Clone, Debug)]
pub struct Test {
    pub program: Arc<Program>,
    pub question: Arc<Question>,
    pub sources: Arc<SourceMap>,
    /// The `key=value` lines of its header.
    pub info: Vec<(String, String)>,
}

impl Test {
    /// What its header says of this key.
    pub fn header(&self, key: &str) -> Option<&str> {
        self.info.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }
}

/// A program that asks nothing of its own: the question is whether it can fail.
#[derive(Clone, Debug)]
pub struct Code {
    pub program: Arc<Program>,
    pub sources: Arc<SourceMap>,
}

/// A program with what it claims of its runs.
#[derive(Clone, Debug)]
pub struct Annotated {
    pub program: Arc<Program>,
    pub claims: Arc<Claims>,
    pub sources: Arc<SourceMap>,
    /// What is taken for granted of a program that was not written for operational models.
    pub assumes: Vec<String>,
}

impl Annotated {
    /// The invariant or outcome of this name.
    pub fn claim(&self, name: &str) -> Option<&Claim> {
        self.claims.invariants.iter().chain(&self.claims.outcomes).find(|claim| claim.name == name)
    }
}

/// A program on remote memory, which says itself what must hold.
#[derive(Clone, Debug)]
pub struct Remote {
    pub program: Arc<treville_rma::Program>,
    pub sources: Arc<SourceMap>,
    pub text: Arc<str>,
    pub warnings: Vec<Diagnostic>,
}
