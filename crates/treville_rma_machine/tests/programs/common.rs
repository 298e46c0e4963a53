//! Programs for tests: the case studies, and random ones.
#![allow(dead_code, reason = "each test uses a part of it")]

use treville_base::{BitSet, FileId};
use treville_rma::Program;

pub(crate) fn read(text: &str) -> Program {
    match treville_lang::rma::parse(FileId(0), "test", text) {
        Ok((program, _)) => program,
        Err(errors) => panic!("{text}: {errors:?}"),
    }
}

pub(crate) fn case_study(name: &str) -> Program {
    let path = format!("{}/../../case-studies/rma/{name}.rma", env!("CARGO_MANIFEST_DIR"));
    read(&std::fs::read_to_string(path).expect("a case study"))
}

/// Slots as people count them.
pub(crate) fn slots(program: &Program, numbers: &[usize]) -> BitSet {
    BitSet::from_members(program.slots.len(), numbers.iter().map(|n| n - 1))
}

/// A generator of numbers, the same on every machine.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }

    pub(crate) fn pick<'a>(&mut self, among: &[&'a str]) -> &'a str {
        among[self.below(among.len() as u64) as usize]
    }

    /// A statement of process 1 or 2, whose variables are A, B, u, v or C, D, r, s.
    fn stmt(&mut self, own: [&str; 2], other: [&str; 2], locals: [&str; 2], target: u8, deep: bool) -> String {
        let (x, y, u) = (self.pick(&own), self.pick(&other), self.pick(&locals));
        match self.below(if deep { 14 } else { 10 }) {
            0 | 1 => format!("load {u} = {x};"),
            2 => format!("store {x} = {};", self.below(3)),
            3 => format!("store {x} = {u};"),
            4 | 5 => format!("put({y}, {target}, {x});"),
            6 | 7 => format!("{x} = get({y}, {target});"),
            8 => format!("{u} = {};", self.below(3)),
            9 => format!("{x} = {}({y}, {target}, {});", self.pick(&["swap", "faa"]), self.below(2)),
            10 | 11 => {
                let [a, b] = [0, 1].map(|_| self.stmt(own, other, locals, target, false));
                format!("if ({u} == {}) {{ {a} }} else {{ {b} }}", self.below(3))
            }
            12 => format!("choose {{ {u} = 1; }} or {{ {} }}", self.stmt(own, other, locals, target, false)),
            _ => format!("do {{ {x} = get({y}, {target}); load {u} = {x}; }} while ({u} != {});", self.below(2)),
        }
    }

    /// A program that takes a while to break, on values from -1 to 4.
    pub(crate) fn program(&mut self) -> String {
        let mut text = String::from("domain -1..4; ");
        for (p, own, other, locals) in
            [(1, ["A", "B"], ["C", "D"], ["u", "v"]), (2, ["C", "D"], ["A", "B"], ["r", "s"])]
        {
            let [a, b] = [0, 1].map(|_| self.below(3));
            text += &format!(
                "process {p}: shared {} = {a}, {} = {b}; local {} = 0, {} = 0; ",
                own[0], own[1], locals[0], locals[1]
            );
            for _ in 0..2 + self.below(4) {
                text += &self.stmt(own, other, locals, 3 - p, true);
                text.push(' ');
            }
            text += &format!("l{p}: skip; ");
        }
        let [a, b] = [0, 1].map(|_| self.below(3));
        let (x, y) = (self.pick(&["u", "v"]), self.pick(&["r", "s"]));
        text += &match self.below(3) {
            0 => format!("assert final !({x} == {a} && {y} == {b});"),
            1 => format!("assert always !(at(1, l1) && at(2, l2) && {x} == {a});"),
            _ => format!("assert always !(at(1, l1) && {x} == {a} && {y} == {b});"),
        };
        text
    }

    pub(crate) fn placement(&mut self, program: &Program) -> BitSet {
        BitSet::from_members(program.slots.len(), (0..program.slots.len()).filter(|_| self.below(2) == 0))
    }
}
