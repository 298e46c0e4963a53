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
use std::sync::{Arc, LazyLock};
use treville_base::{Diagnostic, FileId};
use treville_ir::{Dialect, Program, Question};

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

type Facts = &'static [&'static LazyLock<Arc<Dialect>>];

/// One line for each dialect: the words that may begin its tests, its reader, and the facts that models depend on. C has those of C11 and
/// those of the Linux kernel.
static DIALECTS: &[(&[&str], Reader, Facts)] = &[
    (&["AArch64"], aarch64::read, &[&aarch64::DIALECT]),
    (&["ARM"], arm::read, &[&arm::DIALECT]),
    (&["BPF"], bpf::read, &[&bpf::DIALECT]),
    (&[Dialect::C], c::read, &[&c::C11, &c::KERNEL]),
    (&[Dialect::LISA, "Bell"], lisa::read, &[&lisa::DIALECT]),
    (&["MIPS"], mips::read, &[&mips::DIALECT]),
    (&["PPC"], ppc::read, &[&ppc::DIALECT]),
    (&["RISCV"], riscv::read, &[&riscv::DIALECT]),
    (&["X86"], x86::read, &[&x86::DIALECT]),
    (&["X86_64"], x86_64::read, &[&x86_64::DIALECT]),
];

/// All dialects of litmus tests.
pub fn dialects() -> impl Iterator<Item = &'static Arc<Dialect>> {
    DIALECTS.iter().flat_map(|(_, _, facts)| facts.iter().map(|dialect| &***dialect))
}

/// The reader of a test's dialect.
pub(crate) fn find(test: &Test<'_>) -> Result<Reader, Diagnostic> {
    let arch = test.sections.arch;
    let found = DIALECTS.iter().find(|(words, ..)| words.contains(&arch)).map(|(_, reader, _)| *reader);
    found.ok_or_else(|| {
        let known: Vec<&str> = DIALECTS.iter().filter_map(|(words, ..)| words.first().copied()).collect();
        let unknown = Diagnostic::error(test.sections.arch_span, format!("unknown dialect `{arch}`"));
        unknown.help(format!("known are {}", known.join(", ")))
    })
}
