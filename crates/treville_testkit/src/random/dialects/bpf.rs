//! BPF: acquiring loads and releasing stores, atomic instructions with and without a result, no fences.

use crate::random::machine::{self, Isa, Place, Reg, Source, Thread};
use crate::random::{Features, Sketch, Syntax, Update};

#[derive(Debug)]
pub(crate) struct Bpf;

const FEATURES: Features = Features {
    loads: 2,
    stores: 2,
    // An atomic instruction that gives back a value, on a location for nothing else.
    fences: 1,
    updates: &[Update::new(1), Update::new(1), Update::new(1), Update::may_fail(1)],
    sections: &[],
    addresses: true,
    pointers: true,
    mixed: true,
};

impl Syntax for Bpf {
    fn name(&self) -> &'static str {
        "BPF"
    }

    fn features(&self) -> &'static Features {
        &FEATURES
    }

    fn models(&self) -> &'static [&'static str] {
        &["bpf-like", "sc"]
    }

    fn write(&self, sketch: &Sketch) -> Option<String> {
        machine::write(self, sketch)
    }
}

fn r(reg: Reg) -> String {
    format!("r{}", reg.0)
}

/// `(u32 *)(r1 + 4)`.
fn at(place: Place<'_>) -> String {
    format!("(u{} *)({} + {})", 8 * u32::from(place.size), r(place.base), place.offset)
}

impl Isa for Bpf {
    fn arch(&self) -> &'static str {
        "BPF"
    }

    fn register(&self, reg: Reg) -> Option<String> {
        (reg.0 < 11).then(|| r(reg))
    }

    fn constant(&self, t: &mut Thread, to: Reg, n: u32) {
        t.line(format!("{} = {n}", r(to)));
    }

    fn zero(&self, t: &mut Thread, to: Reg, from: Reg) {
        t.line(format!("{} = {}", r(to), r(from)));
        t.line(format!("{0} ^= {0}", r(to)));
    }

    fn add_constant(&self, t: &mut Thread, to: Reg, from: Reg, n: u32) {
        t.line(format!("{} = {}", r(to), r(from)));
        t.line(format!("{} += {n}", r(to)));
    }

    fn index(&self, t: &mut Thread, to: Reg, base: Reg, index: Reg) {
        t.line(format!("{} = {}", r(to), r(base)));
        t.line(format!("{} += {}", r(to), r(index)));
    }

    fn branch(&self, t: &mut Thread, on: Reg, label: &str) {
        t.line(format!("if {} != 0 goto {label}", r(on)));
    }

    fn load(&self, t: &mut Thread, order: usize, to: Reg, place: Place<'_>) {
        t.line(match order {
            0 => format!("{} = *{}", r(to), at(place)),
            _ => format!("{} = load_acquire({})", r(to), at(place)),
        });
    }

    fn store(&self, t: &mut Thread, order: usize, from: Source, place: Place<'_>) {
        match (order, from) {
            (0, Source::Constant(n)) => t.line(format!("*{} = {n}", at(place))),
            (0, Source::Reg(from)) => t.line(format!("*{} = {}", at(place), r(from))),
            _ => {
                let from = self.in_register(t, from);
                t.line(format!("store_release({}, {})", at(place), r(from)));
            }
        }
    }

    fn fence(&self, t: &mut Thread, _: usize) {
        let (base, value) = (t.address("own"), t.fresh());
        t.line(format!("{1} = atomic_fetch_or((u64 *)({0} + 0), {1})", r(base), r(value)));
    }

    /// The register of the operand receives what was found.
    fn update(&self, t: &mut Thread, (op, _): (usize, usize), to: Reg, from: Source, place: Place<'_>) {
        let value = self.in_register(t, from);
        match op {
            0 => {
                t.line(format!("{} = {}", r(to), r(value)));
                t.line(format!("{0} = atomic_fetch_add({1}, {0})", r(to), at(place)));
            }
            1 => {
                t.line(format!("{} = {}", r(to), r(value)));
                let bits = 8 * u32::from(place.size);
                t.line(format!("{0} = xchg_{bits}({1} + {2}, {0})", r(to), r(place.base), place.offset));
            }
            2 => t.line(format!("lock *{} |= {}", at(place), r(value))),
            _ => {
                let bits = 8 * u32::from(place.size);
                let (base, offset) = (r(place.base), place.offset);
                t.line(format!("{0} = cmpxchg_{bits}({base} + {offset}, {0}, {1})", r(to), r(value)));
            }
        }
    }
}
