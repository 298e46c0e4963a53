//! Power: reservations, `sync`, `lwsync`, `eieio`, `isync`.

use crate::random::machine::{self, Isa, Place, Reg, Source, Thread};
use crate::random::{Features, Sketch, Syntax, Update};

#[derive(Debug)]
pub(crate) struct Ppc;

const FENCES: &[&str] = &["isync", "eieio", "lwsync", "sync"];

const FEATURES: Features = Features {
    loads: 1,
    stores: 1,
    fences: FENCES.len(),
    updates: &[Update::may_fail(2)],
    sections: &[],
    addresses: true,
    pointers: true,
    mixed: true,
};

impl Syntax for Ppc {
    fn name(&self) -> &'static str {
        "PPC"
    }

    fn features(&self) -> &'static Features {
        &FEATURES
    }

    fn models(&self) -> &'static [&'static str] {
        &["power", "sc"]
    }

    fn write(&self, sketch: &Sketch) -> Option<String> {
        machine::write(self, sketch)
    }
}

/// `r0` reads as 0 in some places, so it is left out.
fn r(reg: Reg) -> String {
    format!("r{}", reg.0 + 1)
}

impl Isa for Ppc {
    fn arch(&self) -> &'static str {
        "PPC"
    }

    fn register(&self, reg: Reg) -> Option<String> {
        (reg.0 < 30).then(|| r(reg))
    }

    fn constant(&self, t: &mut Thread, to: Reg, n: u32) {
        t.line(format!("li {},{n}", r(to)));
    }

    fn zero(&self, t: &mut Thread, to: Reg, from: Reg) {
        t.line(format!("xor {0},{1},{1}", r(to), r(from)));
    }

    fn add_constant(&self, t: &mut Thread, to: Reg, from: Reg, n: u32) {
        t.line(format!("addi {},{},{n}", r(to), r(from)));
    }

    fn index(&self, t: &mut Thread, to: Reg, base: Reg, index: Reg) {
        t.line(format!("add {},{},{}", r(to), r(index), r(base)));
    }

    fn branch(&self, t: &mut Thread, on: Reg, label: &str) {
        t.line(format!("cmpwi {},0", r(on)));
        t.line(format!("bne {label}"));
    }

    fn load(&self, t: &mut Thread, _: usize, to: Reg, place: Place<'_>) {
        let mnemonic = if place.size == 8 { "ld" } else { "lwz" };
        t.line(format!("{mnemonic} {},{}({})", r(to), place.offset, r(place.base)));
    }

    fn store(&self, t: &mut Thread, _: usize, from: Source, place: Place<'_>) {
        let from = self.in_register(t, from);
        let mnemonic = if place.size == 8 { "std" } else { "stw" };
        t.line(format!("{mnemonic} {},{}({})", r(from), place.offset, r(place.base)));
    }

    fn fence(&self, t: &mut Thread, kind: usize) {
        t.line(FENCES[kind].to_owned());
    }

    /// With order 1 the thread looks whether the store was made.
    fn update(&self, t: &mut Thread, (_, order): (usize, usize), to: Reg, from: Source, place: Place<'_>) {
        let from = self.in_register(t, from);
        t.line(format!("lwarx {},r0,{}", r(to), r(place.base)));
        t.line(format!("stwcx. {},r0,{}", r(from), r(place.base)));
        if order == 1 {
            let failed = t.result();
            t.line(format!("mfcr {}", r(failed)));
            t.line(format!("rlwinm {0},{0},3,31,31", r(failed)));
        }
    }
}
