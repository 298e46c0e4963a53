//! RISC-V: annotated accesses, atomic memory operations, load-reserved and store-conditional, fences between sets.

use crate::random::machine::{self, Isa, Place, Reg, Source, Thread};
use crate::random::{Features, Sketch, Syntax, Update};

#[derive(Debug)]
pub(crate) struct RiscV;

const FENCES: &[&str] = &[
    "fence r,r",
    "fence w,w",
    "fence r,w",
    "fence w,r",
    "fence r,rw",
    "fence rw,w",
    "fence w,rw",
    "fence rw,r",
    "fence.tso",
    "fence.i",
    "fence rw,rw",
    "fence rw,rw",
];
const SUFFIXES: [&str; 4] = ["", ".aq", ".rl", ".aq.rl"];

const FEATURES: Features = Features {
    loads: 2,
    stores: 2,
    fences: FENCES.len(),
    updates: &[Update::new(4), Update::new(4), Update::new(4), Update::may_fail(4)],
    sections: &[],
    addresses: true,
    pointers: true,
    mixed: true,
};

impl Syntax for RiscV {
    fn name(&self) -> &'static str {
        "RISCV"
    }

    fn features(&self) -> &'static Features {
        &FEATURES
    }

    fn models(&self) -> &'static [&'static str] {
        &["riscv", "sc"]
    }

    fn write(&self, sketch: &Sketch) -> Option<String> {
        machine::write(self, sketch)
    }
}

fn x(reg: Reg) -> String {
    format!("x{}", reg.0 + 5)
}

fn width(size: u8) -> &'static str {
    if size == 8 { "d" } else { "w" }
}

impl Isa for RiscV {
    fn arch(&self) -> &'static str {
        "RISCV"
    }

    fn register(&self, reg: Reg) -> Option<String> {
        (reg.0 < 27).then(|| x(reg))
    }

    fn constant(&self, t: &mut Thread, to: Reg, n: u32) {
        t.line(format!("ori {},x0,{n}", x(to)));
    }

    fn zero(&self, t: &mut Thread, to: Reg, from: Reg) {
        t.line(format!("xor {0},{1},{1}", x(to), x(from)));
    }

    fn add_constant(&self, t: &mut Thread, to: Reg, from: Reg, n: u32) {
        t.line(format!("addi {},{},{n}", x(to), x(from)));
    }

    fn index(&self, t: &mut Thread, to: Reg, base: Reg, index: Reg) {
        t.line(format!("add {},{},{}", x(to), x(base), x(index)));
    }

    fn branch(&self, t: &mut Thread, on: Reg, label: &str) {
        t.line(format!("bne {},x0,{label}", x(on)));
    }

    fn load(&self, t: &mut Thread, order: usize, to: Reg, place: Place<'_>) {
        t.line(format!("l{}{} {},{}({})", width(place.size), SUFFIXES[order], x(to), place.offset, x(place.base)));
    }

    fn store(&self, t: &mut Thread, order: usize, from: Source, place: Place<'_>) {
        let from = self.in_register(t, from);
        t.line(format!("s{}{} {},{}({})", width(place.size), ["", ".rl"][order], x(from), place.offset, x(place.base)));
    }

    fn fence(&self, t: &mut Thread, kind: usize) {
        t.line(FENCES[kind].to_owned());
    }

    fn update(&self, t: &mut Thread, (op, order): (usize, usize), to: Reg, from: Source, place: Place<'_>) {
        let from = self.in_register(t, from);
        let (result, at, suffix) = (x(to), format!("({})", x(place.base)), SUFFIXES[order]);
        if let Some(name) = ["swap", "add", "or"].get(op) {
            return t.line(format!("amo{name}.w{suffix} {result},{},{at}", x(from)));
        }
        let status = t.result();
        let half = |own: &'static str| if suffix.contains(own) { own } else { "" };
        t.line(format!("lr.w{} {result},{at}", half(".aq")));
        t.line(format!("sc.w{} {},{},{at}", half(".rl"), x(status), x(from)));
    }
}
