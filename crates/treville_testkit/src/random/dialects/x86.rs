//! X86 with 32-bit registers: exchanges, locked instructions, three fences.

use crate::random::machine::{self, Isa, Place, Reg, Source, Thread};
use crate::random::{Features, Sketch, Syntax, Update};

#[derive(Debug)]
pub(crate) struct X86;

const FENCES: &[&str] = &["LFENCE", "SFENCE", "MFENCE", "MFENCE"];
const REGISTERS: [&str; 6] = ["EAX", "EBX", "ECX", "EDX", "ESI", "EDI"];

const FEATURES: Features = Features {
    loads: 1,
    stores: 1,
    fences: FENCES.len(),
    updates: &[Update::new(1), Update::new(2), Update::new(2), Update::new(2)],
    sections: &[],
    addresses: false,
    pointers: true,
    mixed: true,
};

impl Syntax for X86 {
    fn name(&self) -> &'static str {
        "X86"
    }

    fn features(&self) -> &'static Features {
        &FEATURES
    }

    fn models(&self) -> &'static [&'static str] {
        &["tso", "sc", "pso"]
    }

    fn write(&self, sketch: &Sketch) -> Option<String> {
        machine::write(self, sketch)
    }
}

/// Threads with more registers are refused at the end.
fn r(reg: Reg) -> &'static str {
    REGISTERS[reg.0 % REGISTERS.len()]
}

fn at(place: Place<'_>) -> String {
    let base = place.name.unwrap_or(r(place.base));
    if place.offset == 0 { format!("[{base}]") } else { format!("[{base}+{}]", place.offset) }
}

fn mov(place: Place<'_>) -> &'static str {
    if place.size == 2 { "MOVW" } else { "MOV" }
}

fn operand(source: Source) -> String {
    match source {
        Source::Reg(reg) => r(reg).to_owned(),
        Source::Constant(n) => format!("${n}"),
    }
}

impl Isa for X86 {
    fn arch(&self) -> &'static str {
        "X86"
    }

    fn register(&self, reg: Reg) -> Option<String> {
        (reg.0 < REGISTERS.len()).then(|| r(reg).to_owned())
    }

    fn names_locations(&self, _: bool) -> bool {
        true
    }

    fn whole(&self) -> u8 {
        4
    }

    fn sizes(&self) -> (u8, u8) {
        (4, 4)
    }

    fn constant(&self, t: &mut Thread, to: Reg, n: u32) {
        t.line(format!("MOV {},${n}", r(to)));
    }

    fn zero(&self, t: &mut Thread, to: Reg, from: Reg) {
        t.line(format!("MOV {},{}", r(to), r(from)));
        t.line(format!("XOR {0},{0}", r(to)));
    }

    fn add_constant(&self, t: &mut Thread, to: Reg, from: Reg, n: u32) {
        t.line(format!("MOV {},{}", r(to), r(from)));
        t.line(format!("ADD {},${n}", r(to)));
    }

    fn index(&self, t: &mut Thread, to: Reg, base: Reg, index: Reg) {
        t.line(format!("MOV {},{}", r(to), r(base)));
        t.line(format!("ADD {},{}", r(to), r(index)));
    }

    fn branch(&self, t: &mut Thread, on: Reg, label: &str) {
        t.line(format!("CMP {},$0", r(on)));
        t.line(format!("JNE {label}"));
    }

    fn load(&self, t: &mut Thread, _: usize, to: Reg, place: Place<'_>) {
        t.line(format!("{} {},{}", mov(place), r(to), at(place)));
    }

    fn store(&self, t: &mut Thread, _: usize, from: Source, place: Place<'_>) {
        t.line(format!("{} {},{}", mov(place), at(place), operand(from)));
    }

    fn fence(&self, t: &mut Thread, kind: usize) {
        t.line(FENCES[kind].to_owned());
    }

    fn update(&self, t: &mut Thread, (op, order): (usize, usize), to: Reg, from: Source, place: Place<'_>) {
        let lock = ["", "LOCK "][order];
        match op {
            0 => {
                t.line(format!("MOV {},{}", r(to), operand(from)));
                t.line(format!("XCHG {},{}", at(place), r(to)));
            }
            1 => t.line(format!("{lock}INC {}", at(place))),
            // What a thread has not set is 0: the write copies what the read has seen.
            2 => t.line(format!("{lock}OR {},{}", at(place), r(to))),
            _ => t.line(format!("{lock}ADD {},{}", at(place), operand(from))),
        }
    }
}
