//! AArch64: acquire and release accesses, exclusives, the atomics of LSE, barriers, accesses of two sizes.

use crate::random::machine::{self, Isa, Place, Reg, Source, Thread};
use crate::random::{Features, Sketch, Syntax, Update};

#[derive(Debug)]
pub(crate) struct AArch64;

const FENCES: &[&str] = &["ISB", "DMB LD", "DMB ST", "DMB SY", "DMB ISH", "DSB LD", "DSB ST", "DSB SY"];
const SUFFIXES: [&str; 4] = ["", "A", "L", "AL"];

const FEATURES: Features = Features {
    loads: 3,
    stores: 2,
    fences: FENCES.len(),
    updates: &[Update::new(4), Update::new(4), Update::new(2), Update::may_fail(4), Update::may_fail(4)],
    sections: &[],
    addresses: true,
    pointers: true,
    mixed: true,
};

impl Syntax for AArch64 {
    fn name(&self) -> &'static str {
        "AArch64"
    }

    fn features(&self) -> &'static Features {
        &FEATURES
    }

    fn models(&self) -> &'static [&'static str] {
        &["aarch64", "sc"]
    }

    fn write(&self, sketch: &Sketch) -> Option<String> {
        machine::write(self, sketch)
    }
}

fn w(reg: Reg) -> String {
    format!("W{}", reg.0)
}

fn x(reg: Reg) -> String {
    format!("X{}", reg.0)
}

fn of_size(reg: Reg, size: u8) -> String {
    if size == 8 { x(reg) } else { w(reg) }
}

/// `[X1]` for instructions that take no offset.
fn bare(t: &mut Thread, place: Place<'_>) -> String {
    if place.offset == 0 {
        return format!("[{}]", x(place.base));
    }
    let base = t.fresh();
    t.line(format!("ADD {},{},#{}", x(base), x(place.base), place.offset));
    format!("[{}]", x(base))
}

fn with_offset(place: Place<'_>) -> String {
    match place.offset {
        0 => format!("[{}]", x(place.base)),
        n => format!("[{},#{n}]", x(place.base)),
    }
}

impl Isa for AArch64 {
    fn arch(&self) -> &'static str {
        "AArch64"
    }

    fn register(&self, reg: Reg) -> Option<String> {
        (reg.0 < 29).then(|| x(reg))
    }

    fn constant(&self, t: &mut Thread, to: Reg, n: u32) {
        t.line(format!("MOV {},#{n}", w(to)));
    }

    fn zero(&self, t: &mut Thread, to: Reg, from: Reg) {
        t.line(format!("EOR {0},{1},{1}", w(to), w(from)));
    }

    fn add_constant(&self, t: &mut Thread, to: Reg, from: Reg, n: u32) {
        t.line(format!("ADD {},{},#{n}", w(to), w(from)));
    }

    fn index(&self, t: &mut Thread, to: Reg, base: Reg, index: Reg) {
        t.line(format!("ADD {},{},{},SXTW", x(to), x(base), w(index)));
    }

    fn branch(&self, t: &mut Thread, on: Reg, label: &str) {
        t.line(format!("CBNZ {},{label}", w(on)));
    }

    fn load(&self, t: &mut Thread, order: usize, to: Reg, place: Place<'_>) {
        let to = of_size(to, place.size);
        let line = match order {
            0 => format!("LDR {to},{}", with_offset(place)),
            1 => format!("LDAPR {to},{}", bare(t, place)),
            _ => format!("LDAR {to},{}", bare(t, place)),
        };
        t.line(line);
    }

    fn store(&self, t: &mut Thread, order: usize, from: Source, place: Place<'_>) {
        let from = of_size(self.in_register(t, from), place.size);
        let line = match order {
            0 => format!("STR {from},{}", with_offset(place)),
            _ => format!("STLR {from},{}", bare(t, place)),
        };
        t.line(line);
    }

    fn fence(&self, t: &mut Thread, kind: usize) {
        t.line(FENCES[kind].to_owned());
    }

    fn update(&self, t: &mut Thread, (op, order): (usize, usize), to: Reg, from: Source, place: Place<'_>) {
        let from = of_size(self.in_register(t, from), place.size);
        let (result, at, suffix) = (of_size(to, place.size), bare(t, place), SUFFIXES[order]);
        match op {
            0 => t.line(format!("SWP{suffix} {from},{result},{at}")),
            1 => t.line(format!("LDADD{suffix} {from},{result},{at}")),
            2 => t.line(format!("STADD{} {from},{at}", ["", "L"][order])),
            3 => t.line(format!("CAS{suffix} {result},{from},{at}")),
            _ => {
                let status = t.result();
                t.line(format!("LD{}XR {result},{at}", if suffix.contains('A') { "A" } else { "" }));
                t.line(format!("ST{}XR {},{from},{at}", if suffix.contains('L') { "L" } else { "" }, w(status)));
            }
        }
    }
}
