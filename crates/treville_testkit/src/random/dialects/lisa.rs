//! LISA, with the annotations of the model `lisa`.

use crate::random::machine::{self, Isa, Place, Reg, Source, Thread};
use crate::random::{Features, Sketch, Syntax, Update};

#[derive(Debug)]
pub(crate) struct Lisa;

const LOADS: [&str; 2] = ["once", "acquire"];
const STORES: [&str; 2] = ["once", "release"];
const FENCES: [&str; 3] = ["rmb", "wmb", "mb"];

const FEATURES: Features = Features {
    loads: LOADS.len(),
    stores: STORES.len(),
    fences: FENCES.len(),
    updates: &[Update::new(1), Update::new(1)],
    sections: &[],
    addresses: true,
    pointers: true,
    mixed: false,
};

impl Syntax for Lisa {
    fn name(&self) -> &'static str {
        "LISA"
    }

    fn features(&self) -> &'static Features {
        &FEATURES
    }

    fn models(&self) -> &'static [&'static str] {
        &["lisa", "sc"]
    }

    fn write(&self, sketch: &Sketch) -> Option<String> {
        machine::write(self, sketch)
    }
}

fn r(reg: Reg) -> String {
    format!("r{}", reg.0)
}

fn at(place: Place<'_>) -> String {
    place.name.map_or_else(|| r(place.base), str::to_owned)
}

fn operand(source: Source) -> String {
    match source {
        Source::Reg(reg) => r(reg),
        Source::Constant(n) => n.to_string(),
    }
}

impl Isa for Lisa {
    fn arch(&self) -> &'static str {
        "LISA"
    }

    fn register(&self, reg: Reg) -> Option<String> {
        Some(r(reg))
    }

    fn names_locations(&self, _: bool) -> bool {
        true
    }

    fn declare(&self, _: u8) -> &'static str {
        ""
    }

    fn sizes(&self) -> (u8, u8) {
        (8, 8)
    }

    fn constant(&self, t: &mut Thread, to: Reg, n: u32) {
        t.line(format!("mov {} {n}", r(to)));
    }

    fn zero(&self, t: &mut Thread, to: Reg, from: Reg) {
        t.line(format!("mov {0} (xor {1} {1})", r(to), r(from)));
    }

    fn add_constant(&self, t: &mut Thread, to: Reg, from: Reg, n: u32) {
        t.line(format!("mov {} (add {} {n})", r(to), r(from)));
    }

    fn index(&self, t: &mut Thread, to: Reg, base: Reg, index: Reg) {
        t.line(format!("mov {} (add {} {})", r(to), r(base), r(index)));
    }

    fn branch(&self, t: &mut Thread, on: Reg, label: &str) {
        // Other tools only know branches on 0 and 1.
        let nonzero = t.fresh();
        t.line(format!("mov {} (neq {} 0)", r(nonzero), r(on)));
        t.line(format!("b[] {} {label}", r(nonzero)));
    }

    fn load(&self, t: &mut Thread, order: usize, to: Reg, place: Place<'_>) {
        t.line(format!("r[{}] {} {}", LOADS[order], r(to), at(place)));
    }

    fn store(&self, t: &mut Thread, order: usize, from: Source, place: Place<'_>) {
        t.line(format!("w[{}] {} {}", STORES[order], at(place), operand(from)));
    }

    fn fence(&self, t: &mut Thread, kind: usize) {
        t.line(format!("f[{}]", FENCES[kind]));
    }

    fn update(&self, t: &mut Thread, (op, _): (usize, usize), to: Reg, from: Source, place: Place<'_>) {
        let new = match op {
            0 => operand(from),
            _ => format!("(add {} {})", r(to), operand(from)),
        };
        t.line(format!("rmw[once] {} {new} {}", r(to), at(place)));
    }
}
