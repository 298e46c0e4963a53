//! What is asked: formulas over final values, and the final state itself.

use super::Encoder;
use treville_event::Cell;
use treville_ir::{Atom, Comparison, Formula, Operand, Place};
use treville_sat::Lit;
use treville_term::{Bv, TermId};

/// The final values of the registers of each thread, as terms.
pub(crate) type Registers = Vec<Vec<TermId>>;

impl Encoder<'_> {
    /// Whether a formula holds at the end.
    pub(crate) fn formula(&mut self, formula: &Formula, registers: &Registers) -> Lit {
        match formula {
            Formula::True => Lit::TRUE,
            Formula::False => Lit::FALSE,
            Formula::Not(a) => !self.formula(a, registers),
            Formula::And(many) => {
                let all: Vec<Lit> = many.iter().map(|a| self.formula(a, registers)).collect();
                self.and(&all)
            }
            Formula::Or(many) => {
                let some: Vec<Lit> = many.iter().map(|a| self.formula(a, registers)).collect();
                self.or(&some)
            }
            Formula::Implies(a, b) => {
                let either = [!self.formula(a, registers), self.formula(b, registers)];
                self.or(&either)
            }
            Formula::Atom(atom) => self.atom(atom, registers),
        }
    }

    fn atom(&mut self, atom: &Atom, registers: &Registers) -> Lit {
        let Some(left) = self.final_bits(&atom.left, registers) else { return Lit::FALSE };
        let right = match &atom.right {
            Operand::Value(v) => Some(self.value_bits(*v)),
            Operand::Place(place) => self.final_bits(place, registers),
        };
        let Some(right) = right else { return Lit::constant(atom.op == Comparison::Ne) };
        let width = left.len().min(right.len());
        let (left, right) = (&left[..width], &right[..width]);
        match atom.op {
            Comparison::Eq => self.gates.equal(left, right),
            Comparison::Ne => !self.gates.equal(left, right),
            Comparison::Lt => self.gates.signed_less(left, right, false),
            Comparison::Le => self.gates.signed_less(left, right, true),
            Comparison::Gt => self.gates.signed_less(right, left, false),
            Comparison::Ge => self.gates.signed_less(right, left, true),
        }
    }

    /// The final value of a place that has one.
    pub(crate) fn final_bits(&mut self, place: &Place, registers: &Registers) -> Option<Vec<Lit>> {
        match place {
            Place::Reg(thread, reg) => {
                let term = *registers.get(thread.0 as usize)?.get(reg.0 as usize)?;
                Some(self.term_bits(term))
            }
            Place::Mem { object, offset, size } => {
                let address = self.events.prepared.program.objects[*object].address + offset;
                Some(self.memory(address, *size))
            }
            Place::Array { .. } => None,
        }
    }

    /// The final values of a place: one, or the elements of an array.
    pub(crate) fn state_words(&mut self, place: &Place, registers: &Registers) -> Vec<Vec<Lit>> {
        if let Place::Array { object, size, count } = place {
            let base = self.events.prepared.program.objects[*object].address;
            return (0..u64::from(*count)).map(|i| self.memory(base + i * u64::from(*size), *size)).collect();
        }
        self.final_bits(place, registers).into_iter().collect()
    }

    /// The final value of some bytes: those of cells that are observed, and the initial one of all others.
    fn memory(&self, address: u64, size: u8) -> Vec<Lit> {
        let mut bits = bits_of(self.events.prepared.initial_value(address, size));
        for (cell, value) in self.finals.range(Cell { address: address.saturating_sub(16), size: 0 }..) {
            for byte in 0..u64::from(cell.size) {
                if let Some(at) = (cell.address + byte).checked_sub(address).filter(|at| *at < u64::from(size)) {
                    let (from, to) = (8 * byte as usize, 8 * at as usize);
                    bits[to..to + 8].copy_from_slice(&value[from..from + 8]);
                }
            }
        }
        bits
    }
}

pub(super) fn bits_of(value: Bv) -> Vec<Lit> {
    (0..value.width()).map(|i| Lit::constant(value.unsigned() >> i & 1 != 0)).collect()
}
