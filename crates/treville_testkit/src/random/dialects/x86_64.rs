//! X86 with 64-bit registers, in the syntax that writes the destination last.

use crate::random::machine::{self, Isa, NAMED, Place, Reg, Source, Thread};
use crate::random::{Features, Sketch, Syntax, Update};

#[derive(Debug)]
pub(crate) struct X86_64;

const FENCES: &[&str] = &["lfence", "sfence", "mfence", "mfence"];
/// Without `rax`, which `cmpxchg` uses; 64 bits and the low 32 of them.
const REGISTERS: [[&str; 2]; 12] = [
    ["rbx", "ebx"],
    ["rcx", "ecx"],
    ["rdx", "edx"],
    ["rsi", "esi"],
    ["rdi", "edi"],
    ["r8", "r8d"],
    ["r9", "r9d"],
    ["r10", "r10d"],
    ["r11", "r11d"],
    ["r12", "r12d"],
    ["r13", "r13d"],
    ["r14", "r14d"],
];

const FEATURES: Features = Features {
    loads: 1,
    stores: 1,
    fences: FENCES.len(),
    updates: &[Update::new(1), Update::new(2), Update::new(1), Update::may_fail(1), Update::new(2)],
    sections: &[],
    addresses: true,
    pointers: true,
    mixed: true,
};

impl Syntax for X86_64 {
    fn name(&self) -> &'static str {
        "X86_64"
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
fn r(reg: Reg) -> [String; 2] {
    REGISTERS[reg.0 % REGISTERS.len()].map(|name| format!("%{name}"))
}

fn low(reg: Reg) -> String {
    let [_, low] = r(reg);
    low
}

fn full(reg: Reg) -> String {
    let [full, _] = r(reg);
    full
}

/// Whole locations are named; parts are reached from a register.
fn at(place: Place<'_>) -> String {
    match (place.name, place.offset) {
        (Some(name), 0) if place.base == NAMED => format!("({name})"),
        (_, 0) => format!("({})", full(place.base)),
        (_, offset) => format!("{offset}({})", full(place.base)),
    }
}

fn of_size(reg: Reg, size: u8) -> (char, String) {
    if size == 8 { ('q', full(reg)) } else { ('l', low(reg)) }
}

impl Isa for X86_64 {
    fn arch(&self) -> &'static str {
        "X86_64"
    }

    fn register(&self, reg: Reg) -> Option<String> {
        REGISTERS.get(reg.0).map(|[full, _]| (*full).to_owned())
    }

    fn names_locations(&self, mixed: bool) -> bool {
        !mixed
    }

    fn constant(&self, t: &mut Thread, to: Reg, n: u32) {
        t.line(format!("movl ${n},{}", low(to)));
    }

    fn zero(&self, t: &mut Thread, to: Reg, from: Reg) {
        t.line(format!("movq {},{}", full(from), full(to)));
        t.line(format!("xorq {0},{0}", full(to)));
    }

    fn add_constant(&self, t: &mut Thread, to: Reg, from: Reg, n: u32) {
        t.line(format!("movl {},{}", low(from), low(to)));
        t.line(format!("addl ${n},{}", low(to)));
    }

    fn index(&self, t: &mut Thread, to: Reg, base: Reg, index: Reg) {
        t.line(format!("movq {},{}", full(base), full(to)));
        t.line(format!("addq {},{}", full(index), full(to)));
    }

    fn branch(&self, t: &mut Thread, on: Reg, label: &str) {
        t.line(format!("cmpl $0,{}", low(on)));
        t.line(format!("jne {label}"));
    }

    fn load(&self, t: &mut Thread, _: usize, to: Reg, place: Place<'_>) {
        let (suffix, to) = of_size(to, place.size);
        t.line(format!("mov{suffix} {},{to}", at(place)));
    }

    fn store(&self, t: &mut Thread, _: usize, from: Source, place: Place<'_>) {
        match from {
            Source::Constant(n) => t.line(format!("mov{} ${n},{}", of_size(Reg(0), place.size).0, at(place))),
            Source::Reg(reg) => {
                let (suffix, from) = of_size(reg, place.size);
                t.line(format!("mov{suffix} {from},{}", at(place)));
            }
        }
    }

    fn fence(&self, t: &mut Thread, kind: usize) {
        t.line(FENCES[kind].to_owned());
    }

    fn update(&self, t: &mut Thread, (op, order): (usize, usize), to: Reg, from: Source, place: Place<'_>) {
        let operand = match from {
            Source::Reg(reg) => low(reg),
            Source::Constant(n) => format!("${n}"),
        };
        match op {
            0 => {
                t.line(format!("movl {operand},{}", low(to)));
                t.line(format!("xchgl {},{}", low(to), at(place)));
            }
            1 => t.line(format!("{}addl {operand},{}", ["", "lock "][order], at(place))),
            2 => t.line(format!("lock incl {}", at(place))),
            4 => {
                t.line(format!("movl {operand},{}", low(to)));
                t.line(format!("{}xaddl {},{}", ["", "lock "][order], low(to), at(place)));
            }
            _ => {
                let from = self.in_register(t, from);
                t.line("movl $0,%eax".to_owned());
                t.line(format!("lock cmpxchgl {},{}", at(place), low(from)));
                t.line(format!("movl %eax,{}", low(to)));
            }
        }
    }
}
