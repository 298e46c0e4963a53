//! AArch64: the user-level integer instructions, without memory tags, page tables, instruction fetch and vectors.
//!
//! Tags: `A` acquire, `Q` acquire-PC, `L` release, `X` the two events of an atomic instruction, `EX` exclusives, `NoRet` the
//! read of an atomic instruction that returns nothing, `NT` non-temporal; each fence carries its full name (`DMB.ISHLD`).

mod atomic;
mod branch;
mod data;
mod memory;
mod operands;

use crate::code::{Code, RegName};
use crate::dialects::Test;
use crate::lexer::Cursor;
use crate::machine::{self, Isa};
use crate::operand::unknown;
use std::sync::{Arc, LazyLock};
use treville_base::{Diagnostic, Name};
use treville_ir::{Dialect, Program, Question};

pub(crate) fn read(test: &Test<'_>) -> Result<(Program, Question), Vec<Diagnostic>> {
    machine::read(test, &AArch64)
}

/// The domains and types that `DMB` and `DSB` take.
const BARRIER_OPTIONS: &[&str] =
    &["SY", "LD", "ST", "ISH", "ISHLD", "ISHST", "OSH", "OSHLD", "OSHST", "NSH", "NSHLD", "NSHST"];

/// Sets that models mention although programs of this dialect have no such event: cache and TLB maintenance, faults, page
/// tables, tags, instruction fetch.
const ABSENT: &[&str] = &[
    "S",
    "DC.CVAU",
    "DC.CVAC",
    "DC.CIVAC",
    "DC.IVAC",
    "DC.ZVA",
    "IC.IALLU",
    "IC.IALLUIS",
    "IC.IVAU",
    "TLBI",
    "TLBIIS",
    "TLBInXS",
    "AT",
    "AF",
    "DB",
    "T",
    "FAULT",
    "MMU",
    "D-MMU",
    "I-MMU",
    "Translation",
    "AccessFlag",
    "Permission",
    "Exclusive",
    "TagCheck",
    "PacCheck",
    "UndefinedInstruction",
    "SVC",
    "GCSCheck",
    "EXC-ENTRY",
    "EXC-RET",
    "Instr",
    "IFetch",
    "Restricted-CMODX",
    "PTE",
    "D-PTE",
    "I-PTE",
    "PTEINV",
    "PTEV",
    "PTEAF0",
    "PTEDB0",
    "PTEtoPA",
    "PTENormal",
    "PTETaggedNormal",
    "PTEDevice-GRE",
    "PTEDevice-nGRE",
    "PTEDevice-nGnRE",
    "PTEDevice-nGnRnE",
    "PTEISH",
    "PTENSH",
    "PTEOSH",
    "PTEiNC",
    "PTEiWB",
    "PTEiWT",
    "PTEoNC",
    "PTEoWB",
    "PTEoWT",
];

pub(super) static DIALECT: LazyLock<Arc<Dialect>> = LazyLock::new(|| {
    let mut sets: Vec<Name> = ["A", "Q", "L", "X", "EX", "NoRet", "NT", "ISB"].map(Name::new).to_vec();
    for option in BARRIER_OPTIONS {
        sets.push(Name::from(format!("DMB.{option}")));
        sets.push(Name::from(format!("DSB.{option}")));
    }
    sets.extend(ABSENT.iter().copied().map(Name::new));
    Arc::new(Dialect {
        exclusive: Some(Name::new("EX")),
        conditional_store_data: false,
        loose_compare: true,
        ..Dialect::assembly("AArch64", "aarch64", sets)
    })
});

pub(super) struct AArch64;

const NAMES: [&str; 31] = [
    "X0", "X1", "X2", "X3", "X4", "X5", "X6", "X7", "X8", "X9", "X10", "X11", "X12", "X13", "X14", "X15", "X16", "X17",
    "X18", "X19", "X20", "X21", "X22", "X23", "X24", "X25", "X26", "X27", "X28", "X29", "X30",
];

/// The number after `X` or `W`.
fn number(name: &str) -> Option<usize> {
    let digits = name.get(1..).filter(|d| !d.is_empty() && d.len() <= 2 && d.bytes().all(|b| b.is_ascii_digit()))?;
    let canonical = digits == "0" || !digits.starts_with('0');
    digits.parse().ok().filter(|n| *n < NAMES.len() && canonical)
}

fn general(n: usize) -> RegName {
    RegName::new(n as u32 + 1, NAMES[n], 64)
}

impl Isa for AArch64 {
    fn dialect(&self) -> Arc<Dialect> {
        Arc::clone(&DIALECT)
    }

    fn word(&self) -> u8 {
        64
    }

    fn whole_pointers(&self) -> bool {
        true
    }

    /// `W1` is a part of `X1`, and states print the whole.
    fn register(&self, name: &str) -> Option<RegName> {
        match name.as_bytes().first()? {
            b'X' | b'x' if name.eq_ignore_ascii_case("xzr") => Some(RegName::new(0, "XZR", 64)),
            b'X' | b'x' | b'W' | b'w' => number(name).map(general),
            b'S' | b's' => name.eq_ignore_ascii_case("sp").then(|| RegName::new(32, "SP", 64)),
            _ => None,
        }
    }

    fn instruction<'a>(&self, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<(), Diagnostic> {
        let at = c.span();
        let word = c.name("an instruction")?;
        let mnemonic = word.to_ascii_lowercase();
        let known = fence(&mnemonic, c, code)?
            || memory::translate(&mnemonic, c, code)?
            || data::translate(&mnemonic, c, code)?
            || branch::translate(&mnemonic, c, code)?
            || atomic::translate(&mnemonic, c, code)?;
        if known { Ok(()) } else { Err(unknown(self, word, at)) }
    }
}

/// Barriers and instructions that do nothing here.
fn fence(mnemonic: &str, c: &mut Cursor<'_, '_>, code: &mut Code<'_, '_>) -> Result<bool, Diagnostic> {
    match mnemonic {
        "nop" => {}
        "hint" => {
            crate::operand::immediate(c)?;
        }
        "isb" => {
            if !c.done() {
                c.name("`SY`")?;
            }
            code.fence("ISB");
        }
        "dmb" | "dsb" => {
            let at = c.span();
            let option = if c.done() { "SY" } else { c.name("the kind of barrier")? };
            let Some(option) = BARRIER_OPTIONS.iter().find(|o| o.eq_ignore_ascii_case(option)) else {
                let wrong = Diagnostic::error(at, format!("`{option}` is not a kind of barrier"));
                return Err(wrong.help(format!("known are {}", BARRIER_OPTIONS.join(", "))));
            };
            code.fence(&format!("{}.{option}", mnemonic.to_ascii_uppercase()));
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// The four flags, each a register of width 1.
#[derive(Clone, Copy, Debug)]
struct Flags {
    negative: treville_ir::Reg,
    zero: treville_ir::Reg,
    carry: treville_ir::Reg,
    overflow: treville_ir::Reg,
}

impl Flags {
    fn new(code: &mut Code<'_, '_>) -> Flags {
        let mut flag = |order, name: &'static str| code.register(&RegName::new(order, name, 1));
        Flags { negative: flag(33, "N"), zero: flag(34, "Z"), carry: flag(35, "C"), overflow: flag(36, "V") }
    }
}
