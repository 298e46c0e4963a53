//! The dialects, one module each, and the table by which a test's first word finds its own.

mod aarch64;
mod arm;
mod bpf;
pub(crate) mod c;
mod lisa;
mod mips;
mod ppc;
mod riscv;
mod x86;
mod x86_64;

use crate::Options;
use crate::header::Sections;
use treville_base::{Diagnostic, FileId};
use treville_ir::{Program, Question};

/// A test that was cut into its sections.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Test<'a> {
    pub(crate) file: FileId,
    pub(crate) text: &'a str,
    pub(crate) sections: &'a Sections<'a>,
    pub(crate) options: &'a Options,
}

/// Turns a test of one dialect into a program.
pub(crate) type Reader = fn(&Test<'_>) -> Result<(Program, Question), Vec<Diagnostic>>;

/// One line for each dialect: the words that may begin its tests.
const DIALECTS: &[(&[&str], Reader)] = &[
    (&["AArch64"], aarch64::read),
    (&["ARM"], arm::read),
    (&["BPF"], bpf::read),
    (&["C"], c::read),
    (&["LISA", "Bell"], lisa::read),
    (&["MIPS"], mips::read),
    (&["PPC"], ppc::read),
    (&["RISCV"], riscv::read),
    (&["X86"], x86::read),
    (&["X86_64"], x86_64::read),
];

/// The reader of a test's dialect.
pub(crate) fn find(test: &Test<'_>) -> Result<Reader, Diagnostic> {
    let arch = test.sections.arch;
    let found = DIALECTS.iter().find(|(words, _)| words.contains(&arch)).map(|(_, reader)| *reader);
    found.ok_or_else(|| {
        let known: Vec<&str> = DIALECTS.iter().filter_map(|(words, _)| words.first().copied()).collect();
        let unknown = Diagnostic::error(test.sections.arch_span, format!("unknown dialect `{arch}`"));
        unknown.help(format!("known are {}", known.join(", ")))
    })
}
