//! MIPS: `sync`, load-linked and store-conditional.

use crate::random::machine::{self, Isa, Place, Reg, Source, Thread};
use crate::random::{Features, Sketch, Syntax, Update};

#[derive(Debug)]
pub(crate) struct Mips;

const FEATURES: Features = Features {
    loads: 1,
    stores: 1,
    fences: 1,
    updates: &[Update::may_fail(1)],
    sections: &[],
    addresses: true,
    pointers: false,
    mixed: true,
};

impl Syntax for Mips {
    fn name(&self) -> &'static str {
        "MIPS"
    }

    fn features(&self) -> &'static Features {
        &FEATURES
    }

    fn models(&self) -> &'static [&'static str] {
        &["mips-like", "sc"]
    }

    fn write(&self, sketch: &Sketch) -> Option<String> {
        machine::write(self, sketch)
    }
}

fn r(reg: Reg) -> String {
    format!("${}", reg.0 + 2)
}

/// The end of the name of an access, which says its size.
fn width(size: u8) -> &'static str {
    if size == 8 { "d" } else { "w" }
}

impl Isa for Mips {
    fn arch(&self) -> &'static str {
        "MIPS"
    }

    fn register(&self, reg: Reg) -> Option<String> {
        (reg.0 < 24).then(|| r(reg))
    }

    fn constant(&self, t: &mut Thread, to: Reg, n: u32) {
        t.line(format!("ori {},$0,{n}", r(to)));
    }

    fn zero(&self, t: &mut Thread, to: Reg, from: Reg) {
        t.line(format!("xor {0},{1},{1}", r(to), r(from)));
    }

    fn add_constant(&self, t: &mut Thread, to: Reg, from: Reg, n: u32) {
        t.line(format!("addiu {},{},{n}", r(to), r(from)));
    }

    fn index(&self, t: &mut Thread, to: Reg, base: Reg, index: Reg) {
        t.line(format!("addu {},{},{}", r(to), r(index), r(base)));
    }

    fn branch(&self, t: &mut Thread, on: Reg, label: &str) {
        t.line(format!("bne {},$0,{label}", r(on)));
    }

    fn load(&self, t: &mut Thread, _: usize, to: Reg, place: Place<'_>) {
        t.line(format!("l{} {},{}({})", width(place.size), r(to), place.offset, r(place.base)));
    }

    fn store(&self, t: &mut Thread, _: usize, from: Source, place: Place<'_>) {
        let from = self.in_register(t, from);
        t.line(format!("s{} {},{}({})", width(place.size), r(from), place.offset, r(place.base)));
    }

    fn fence(&self, t: &mut Thread, _: usize) {
        t.line("sync".to_owned());
    }

    /// The register that was stored receives whether it was.
    fn update(&self, t: &mut Thread, _: (usize, usize), to: Reg, from: Source, place: Place<'_>) {
        let (from, status) = (self.in_register(t, from), t.result());
        t.line(format!("addiu {},{},0", r(status), r(from)));
        t.line(format!("ll {},0({})", r(to), r(place.base)));
        t.line(format!("sc {},0({})", r(status), r(place.base)));
    }
}
