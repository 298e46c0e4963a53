//! Where objects lie, if the solver chooses that: their addresses as bits, and layouts read off a solution.

use super::Encoder;
use super::program::constant;
use super::question::bits_of;
use crate::layout::Layout;
use treville_ir::ObjectId;
use treville_sat::Lit;
use treville_term::Bv;
use treville_unfold::{ADDRESS_BITS, Base, FIRST_ADDRESS, SymbolicLayout};

impl<'a> Encoder<'a> {
    /// Objects without fixed addresses, if they have none.
    pub(super) fn floating(&self) -> Option<&'a SymbolicLayout> {
        self.events.prepared.traces.floating.as_ref()
    }

    /// Objects lie anywhere, aligned, and apart from each other.
    pub(super) fn place_objects(&mut self) {
        let Some(floating) = self.floating() else { return };
        let mut ranges: Vec<(Vec<Lit>, Vec<Lit>)> = Vec::new();
        for base in floating.bases() {
            let start = self.new_base(base);
            let end = self.gates.add(&start, &constant(base.size));
            for bit in &end[ADDRESS_BITS as usize..] {
                self.clause([!*bit]);
            }
            for (from, to) in &ranges {
                let before = self.gates.unsigned_less(&end, from, true);
                let behind = self.gates.unsigned_less(to, &start, true);
                self.clause([before, behind]);
            }
            ranges.push((start, end));
        }
    }

    /// The address of an object that may lie anywhere.
    fn new_base(&mut self, base: &Base) -> Vec<Lit> {
        let free = base.aligned_bits()..ADDRESS_BITS;
        let bits: Vec<Lit> = (0..64).map(|i| if free.contains(&i) { self.fresh() } else { Lit::FALSE }).collect();
        let behind_null = self.gates.unsigned_less(&constant(FIRST_ADDRESS), &bits, true);
        self.clause([behind_null]);
        self.bits.bind(base.var, bits.clone());
        bits
    }

    /// What an address of the layout that engines share is here.
    pub(super) fn address_bits(&mut self, address: u64) -> Vec<Lit> {
        let spot = self.floating().and_then(|floating| Some((floating, floating.object_at(address)?)));
        match spot {
            None => constant(address),
            Some((floating, (object, offset))) => {
                let base = self.base_bits(floating, object);
                self.gates.add(&base, &constant(offset))
            }
        }
    }

    fn base_bits(&self, floating: &SymbolicLayout, object: ObjectId) -> Vec<Lit> {
        self.bits.lits(floating.bases()[object].var).to_vec()
    }

    /// A value that a question names: an address, where it is one.
    pub(super) fn value_bits(&mut self, value: Bv) -> Vec<Lit> {
        let bits = bits_of(value);
        match u64::try_from(value.unsigned()) {
            Ok(address) if self.floating().is_some_and(|floating| floating.object_at(address).is_some()) => {
                let mut address = self.address_bits(address);
                address.resize(bits.len(), Lit::FALSE);
                address
            }
            _ => bits,
        }
    }

    /// What a read returns is the address that was written: said of addresses as a whole, since their bits say little as long as
    /// no layout is chosen.
    pub(super) fn pass_on(&mut self, rf: Lit, w: usize, r: usize) {
        let event = &self.events.pre.events[r];
        let width = 8 * event.size;
        let Some(values) = event.read.and_then(|var| self.events.prepared.spots_of(var, width)) else { return };
        let (written, read) = (self.written(w), self.read(r));
        let mut both = Vec::new();
        for value in values {
            let bits = self.value_bits(value);
            both.push((self.gates.equal(&written, &bits), self.gates.equal(&read, &bits)));
        }
        for (was, is) in &both {
            self.clause([!rf, !*was, *is]);
            self.clause([!rf, *was, !*is]);
        }
        let all: Vec<Lit> = both.iter().map(|(_, is)| *is).collect();
        self.gates.at_most_one(&all);
        self.clause(all.into_iter().chain([!rf]));
    }

    /// The layout that the last solution has, if it chose one.
    pub(crate) fn layout(&self) -> Option<Layout> {
        let floating = self.floating()?;
        let value = |base: &Base| {
            let bits = self.bits.lits(base.var);
            bits.iter().rev().fold(0, |address, bit| address << 1 | u64::from(self.is_true(*bit)))
        };
        Some(Layout::new(self.events.prepared.program, floating.bases().iter().map(value).collect()))
    }

    /// Whether a value is what it is in the last solution: the same place in an object, wherever that lies, or the same number.
    pub(crate) fn as_last(&mut self, bits: &[Lit]) -> Lit {
        let number = bits.iter().rev().fold(0, |number, bit| number << 1 | u128::from(self.is_true(*bit)));
        let value = Bv::new(number, bits.len() as u8);
        let here = match self.layout() {
            Some(layout) => self.value_bits(layout.shared_value(value)),
            None => bits_of(value),
        };
        self.gates.equal(bits, &here)
    }
}
