//! Terms as bits have the values that `treville_term` gives them.

use crate::problem::Random;
use treville_base::Cancel;
use treville_sat::{Backend, Bits, Gates, Lit, Solver, Verdict, words};
use treville_term::{BinOp, Bv, Cast, TermId, TermStore, UnOp, VarId};

const BINARY: [BinOp; 19] = [
    BinOp::Add,
    BinOp::Sub,
    BinOp::Mul,
    BinOp::UDiv,
    BinOp::SDiv,
    BinOp::URem,
    BinOp::SRem,
    BinOp::And,
    BinOp::Or,
    BinOp::Xor,
    BinOp::Shl,
    BinOp::LShr,
    BinOp::AShr,
    BinOp::Eq,
    BinOp::Ne,
    BinOp::ULt,
    BinOp::ULe,
    BinOp::SLt,
    BinOp::SLe,
];
const X: VarId = VarId(0);
const Y: VarId = VarId(1);

/// Terms over two variables, in a solver.
struct Bench {
    store: TermStore,
    bits: Bits,
    gates: Gates<Solver>,
    terms: Vec<TermId>,
}

impl Bench {
    /// All operators on X and Y.
    fn new(backend: Backend, width: u8) -> Self {
        let mut store = TermStore::new();
        let (x, y) = (store.var(X, width), store.var(Y, width));
        let mut terms: Vec<TermId> = BINARY.iter().map(|op| store.bin(*op, x, y)).collect();
        terms.extend([store.un(UnOp::Not, x), store.un(UnOp::Neg, x)]);
        let less = store.bin(BinOp::ULt, x, y);
        terms.push(store.ite(less, x, y));
        for to in [1, 3, 40, 128] {
            terms.extend([store.cast(Cast::Zero, to, x), store.cast(Cast::Sign, to, x)]);
        }
        Bench { store, bits: Bits::new(), gates: Gates::new(Solver::new(backend)), terms }
    }

    fn translate(&mut self) {
        for term in &self.terms {
            self.bits.term(&mut self.gates, &self.store, *term);
        }
    }

    /// Looks at the terms where X and Y are these.
    fn check(&mut self, x: Bv, y: Bv) {
        let mut assumptions = Vec::new();
        for (var, value) in [(X, x), (Y, y)] {
            let word = self.bits.var(&mut self.gates, var, value.width());
            assumptions
                .extend(word.iter().zip(words::constant(value)).map(|(a, b)| if b == Lit::TRUE { *a } else { !*a }));
        }
        let solver = &mut self.gates.sink;
        assert_eq!(solver.solve(&assumptions, &Cancel::new()), Verdict::Sat);
        assert_eq!(self.bits.var_value(X, |lit| solver.value(lit)), Some(x));
        for term in &self.terms {
            let expected = self.store.eval(*term, &|var| Some(if var == X { x } else { y }));
            let found = self.bits.value(*term, |lit| solver.value(lit));
            assert_eq!(found, expected, "{:?} where {x:?} {y:?}", self.store.node(*term));
        }
    }
}

#[test]
fn every_value_of_small_words() {
    for backend in Backend::ALL {
        for width in 1..=4 {
            let mut bench = Bench::new(*backend, width);
            bench.translate();
            for (x, y) in (0..1 << width).flat_map(|x| (0..1 << width).map(move |y| (x, y))) {
                bench.check(Bv::new(x, width), Bv::new(y, width));
            }
        }
    }
}

fn random_value(random: &mut Random, width: u8) -> Bv {
    let bits = u128::from(random.word()) << 64 | u128::from(random.word());
    match random.below(4) {
        // Near the ends of the range, and amounts that one can shift by.
        0 => Bv::new((bits & 3).wrapping_sub(2), width),
        1 => Bv::new(((bits & 3).wrapping_sub(2)).wrapping_add(1 << (width - 1)), width),
        2 => Bv::new(bits % (u128::from(width) + 2), width),
        _ => Bv::new(bits, width),
    }
}

#[test]
fn some_values_of_larger_words() {
    let mut random = Random::new(7);
    for width in [8, 31, 64, 128] {
        let mut bench = Bench::new(Backend::default(), width);
        bench.translate();
        for _ in 0..5 {
            bench.check(random_value(&mut random, width), random_value(&mut random, width));
        }
    }
}

#[test]
fn constant_operands_fold() {
    let mut random = Random::new(11);
    for _ in 0..40 {
        let width = 1 + random.below(40) as u8;
        let value = random_value(&mut random, width);
        let mut bench = Bench::new(Backend::default(), width);
        bench.bits.bind(Y, words::constant(value));
        bench.translate();
        // Whatever X is.
        let x = random_value(&mut random, width);
        bench.check(x, value);
        // And with both constant nothing is left to solve.
        let mut folded = Bench::new(Backend::default(), width);
        folded.bits.bind(X, words::constant(x));
        folded.bits.bind(Y, words::constant(value));
        folded.translate();
        assert_eq!(folded.gates.sink.stats().variables, 1);
        folded.check(x, value);
    }
}

/// Terms within terms, with parts in common.
#[test]
fn nested_terms() {
    let mut random = Random::new(13);
    for _ in 0..60 {
        let width = 1 + random.below(9) as u8;
        let mut bench = Bench::new(Backend::default(), width);
        let store = &mut bench.store;
        let mut terms = vec![store.var(X, width), store.var(Y, width), store.constant(Bv::new(3, width))];
        for _ in 0..12 {
            let [a, b, c] = [0; 3].map(|_| terms[random.below(terms.len())]);
            let term = store.bin(BINARY[random.below(BINARY.len())], a, b);
            // Comparisons, of one bit, decide between others or are widened.
            terms.push(match (store.width(term) == width, random.below(2)) {
                (true, _) => term,
                (false, 0) => store.ite(term, b, c),
                (false, _) => store.cast(Cast::Sign, width, term),
            });
        }
        bench.terms = terms;
        bench.translate();
        for _ in 0..4 {
            bench.check(random_value(&mut random, width), random_value(&mut random, width));
        }
    }
}

/// A chain of a hundred thousand operators neither overflows the stack nor takes long.
#[test]
fn deep_terms_are_translated() {
    let mut store = TermStore::new();
    let (x, y) = (store.var(X, 1), store.var(Y, 1));
    let mut term = x;
    for _ in 0..100_000 {
        let sum = store.bin(BinOp::Xor, term, y);
        term = store.bin(BinOp::Or, sum, x);
    }
    let mut gates = Gates::new(Solver::new(Backend::default()));
    let mut bits = Bits::new();
    assert_eq!(bits.term(&mut gates, &store, term).len(), 1);
}
