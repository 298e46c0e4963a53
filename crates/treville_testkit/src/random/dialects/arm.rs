//! Armv7: exclusives and barriers.

use crate::random::machine::{self, Isa, Place, Reg, Source, Thread};
use crate::random::{Features, Sketch, Syntax, Update};

#[derive(Debug)]
pub(crate) struct Arm;

const FENCES: &[&str] = &["ISB", "DMB ST", "DMB", "DMB ISH", "DSB ST", "DSB"];

const FEATURES: Features = Features {
    loads: 1,
    stores: 1,
    fences: FENCES.len(),
    updates: &[Update::may_fail(1)],
    sections: &[],
    addresses: true,
    pointers: true,
    mixed: false,
};

impl Syntax for Arm {
    fn name(&self) -> &'static str {
        "ARM"
    }

    fn features(&self) -> &'static Features {
        &FEATURES
    }

    fn models(&self) -> &'static [&'static str] {
        &["arm", "sc"]
    }

    fn write(&self, sketch: &Sketch) -> Option<String> {
        machine::write(self, sketch)
    }
}

fn r(reg: Reg) -> String {
    format!("R{}", reg.0)
}

impl Isa for Arm {
    fn arch(&self) -> &'static str {
        "ARM"
    }

    fn register(&self, reg: Reg) -> Option<String> {
        (reg.0 < 13).then(|| r(reg))
    }

    fn sizes(&self) -> (u8, u8) {
        (4, 4)
    }

    fn constant(&self, t: &mut Thread, to: Reg, n: u32) {
        t.line(format!("MOV {},#{n}", r(to)));
    }

    fn zero(&self, t: &mut Thread, to: Reg, from: Reg) {
        t.line(format!("EOR {0},{1},{1}", r(to), r(from)));
    }

    fn add_constant(&self, t: &mut Thread, to: Reg, from: Reg, n: u32) {
        t.line(format!("ADD {},{},#{n}", r(to), r(from)));
    }

    fn index(&self, t: &mut Thread, to: Reg, base: Reg, index: Reg) {
        t.line(format!("ADD {},{},{}", r(to), r(index), r(base)));
    }

    fn branch(&self, t: &mut Thread, on: Reg, label: &str) {
        t.line(format!("CMP {},#0", r(on)));
        t.line(format!("BNE {label}"));
    }

    fn load(&self, t: &mut Thread, _: usize, to: Reg, place: Place<'_>) {
        t.line(format!("LDR {},[{}]", r(to), r(place.base)));
    }

    fn store(&self, t: &mut Thread, _: usize, from: Source, place: Place<'_>) {
        let from = self.in_register(t, from);
        t.line(format!("STR {},[{}]", r(from), r(place.base)));
    }

    fn fence(&self, t: &mut Thread, kind: usize) {
        t.line(FENCES[kind].to_owned());
    }

    fn update(&self, t: &mut Thread, _: (usize, usize), to: Reg, from: Source, place: Place<'_>) {
        let (from, status) = (self.in_register(t, from), t.result());
        t.line(format!("LDREX {},[{}]", r(to), r(place.base)));
        t.line(format!("STREX {},{},[{}]", r(status), r(from), r(place.base)));
    }
}
