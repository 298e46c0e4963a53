//! Atomic accesses that compilers leave to a library: `__atomic_load_16(address, order)` and the like, and those for any size,
//! whose values are in memory: `__atomic_load(size, address, result, order)`.

use super::code::Code;
use super::{Lowered, fold, unsupported, wide};
use crate::inst::{Call, Operand, Ordering, RmwOp};
use crate::module::ValueId;
use treville_ir::{Expr, Op, Terminator};
use treville_term::BinOp;

#[derive(Clone, Copy)]
enum What {
    Load,
    Store,
    CompareExchange,
    Update(RmwOp),
}

/// A function of the library.
#[derive(Clone, Copy)]
pub(super) struct Access {
    what: What,
    /// In bytes, if its name says so; values are then arguments and results.
    size: Option<u8>,
}

impl Access {
    /// The access that a function of this name makes.
    pub(super) fn named(name: &str) -> Option<Access> {
        let name = name.strip_prefix("__atomic_")?;
        let (name, size) = match name.rsplit_once('_') {
            Some((name, size)) if matches!(size, "1" | "2" | "4" | "8" | "16") => (name, size.parse().ok()),
            _ => (name, None),
        };
        let what = match (name, size) {
            ("load", _) => What::Load,
            ("store", _) => What::Store,
            ("exchange", _) => What::Update(RmwOp::Xchg),
            ("compare_exchange", _) => What::CompareExchange,
            ("fetch_add", Some(_)) => What::Update(RmwOp::Add),
            ("fetch_sub", Some(_)) => What::Update(RmwOp::Sub),
            ("fetch_and", Some(_)) => What::Update(RmwOp::And),
            ("fetch_or", Some(_)) => What::Update(RmwOp::Or),
            ("fetch_xor", Some(_)) => What::Update(RmwOp::Xor),
            ("fetch_nand", Some(_)) => What::Update(RmwOp::Nand),
            _ => return None,
        };
        Some(Access { what, size })
    }
}

/// The orders as C numbers them; the rest is the strongest one.
const ORDERS: &[(Ordering, &[u64])] =
    &[(Ordering::Monotonic, &[0]), (Ordering::Acquire, &[1, 2]), (Ordering::Release, &[3]), (Ordering::AcqRel, &[4])];

/// A call: its result, and its arguments without size and orders.
struct Made {
    result: Option<ValueId>,
    what: What,
    bits: u8,
    args: Vec<Operand>,
    in_memory: bool,
}

/// How many bits a word of a value has.
fn word(bits: u8) -> u8 {
    bits.min(64)
}

impl Code<'_, '_> {
    /// A call of a function of the library.
    pub(super) fn library_access(&mut self, result: Option<ValueId>, access: Access, call: &Call) -> Lowered<()> {
        let mut args: Vec<Operand> = call.args.iter().map(|a| a.value).collect();
        let size = match access.size {
            Some(size) => u128::from(size),
            None if args.is_empty() => return unsupported("a call without arguments"),
            None => self.known(args.remove(0)).unwrap_or(0),
        };
        if !matches!(size, 1 | 2 | 4 | 8 | 16) {
            return unsupported("an atomic access whose size is not 1, 2, 4, 8 or 16 bytes");
        }
        let bits = 8 * size as u8;
        let in_memory = access.size.is_none();
        let n_orders = if matches!(access.what, What::CompareExchange) { 2 } else { 1 };
        if args.len() <= n_orders {
            return unsupported("a call with so few arguments");
        }
        let orders = args.split_off(args.len() - n_orders);
        let made = Made { result, what: access.what, bits, args, in_memory };
        self.in_each_order(&made, &orders, &mut Vec::new())
    }

    /// Makes an access in the orders that are known so far and these; if one is known only when the program runs, in each.
    fn in_each_order(&mut self, made: &Made, orders: &[Operand], chosen: &mut Vec<Ordering>) -> Lowered<()> {
        let Some((first, rest)) = orders.split_first() else { return self.library_step(made, chosen) };
        let mut go_on = |code: &mut Self, order: Ordering| {
            chosen.push(order);
            let done = code.in_each_order(made, rest, chosen);
            chosen.pop();
            done
        };
        if let Some(number) = self.known(*first) {
            let known = ORDERS.iter().find(|(_, numbers)| numbers.contains(&(number as u64)));
            return go_on(self, known.map_or(Ordering::SeqCst, |(order, _)| *order));
        }
        let (number, bits) = (self.scalar(*first)?, self.width(*first)?);
        let after = self.out.block();
        for (order, numbers) in ORDERS {
            let [then, next] = [self.out.block(), self.out.block()];
            let is = numbers.iter().map(|n| Expr::bin(BinOp::Eq, number.clone(), fold::number(*n, bits)));
            let is = is.reduce(|a, b| fold::bin(BinOp::Or, a, b)).unwrap_or_else(|| fold::zero(1));
            self.out.branch(is, then, next);
            self.out.begin(then);
            go_on(self, *order)?;
            self.out.end(Terminator::Goto(after));
            self.out.begin(next);
        }
        go_on(self, Ordering::SeqCst)?;
        self.out.end(Terminator::Goto(after));
        self.out.begin(after);
        Ok(())
    }

    fn library_step(&mut self, made: &Made, orders: &[Ordering]) -> Lowered<()> {
        let Made { result, bits, in_memory, .. } = *made;
        let [address, args @ ..] = made.args.as_slice() else { return unsupported("a call with so few arguments") };
        let addr = self.scalar(*address)?;
        match made.what {
            What::Load => {
                let old = self.library_load(addr, bits, orders[0])?;
                self.hand_back(result, args.first(), &old, bits, in_memory)
            }
            What::Store => {
                let value = self.library_value(args, bits, in_memory)?;
                let tags = self.order_tags(orders[0])?;
                self.out.emit(Op::Store { addr, value: wide::whole(&value), size: bits / 8, tags });
                Ok(())
            }
            What::Update(op) => {
                let value = self.library_value(args, bits, in_memory)?;
                let old = self.out.temporary(bits);
                let old = self.update(op, addr, bits, &value, orders[0], old)?;
                self.hand_back(result, args.get(1), &old, bits, in_memory)
            }
            What::CompareExchange => self.library_exchange(result, addr, bits, args, orders, in_memory),
        }
    }

    /// The number that an argument is, if that is in the program.
    pub(super) fn known(&self, operand: Operand) -> Option<u128> {
        match operand {
            Operand::Const(id) => self.module().int(id),
            Operand::Local(_) => None,
        }
    }

    fn library_load(&mut self, addr: Expr, bits: u8, ordering: Ordering) -> Lowered<Vec<Expr>> {
        let tags = self.order_tags(ordering)?;
        let dst = self.out.temporary(bits);
        self.out.emit(Op::Load { dst, addr, size: bits / 8, tags });
        Ok(wide::parts(Expr::Reg(dst), bits))
    }

    /// The words of the value that is written.
    fn library_value(&mut self, args: &[Operand], bits: u8, in_memory: bool) -> Lowered<Vec<Expr>> {
        if in_memory {
            let Some(address) = args.first() else { return unsupported("a call with so few arguments") };
            return self.load_words(*address, bits);
        }
        let mut words = Vec::new();
        for arg in args {
            words.extend(self.operand(*arg)?);
        }
        match words.len() == usize::from(bits.div_ceil(64)) {
            true => Ok(words),
            false => unsupported("a value of another size"),
        }
    }

    fn load_words(&mut self, address: Operand, bits: u8) -> Lowered<Vec<Expr>> {
        let address = self.scalar(address)?;
        let words = (0..bits.div_ceil(64)).map(|i| {
            let dst = self.out.temporary(word(bits));
            let addr = fold::add(address.clone(), fold::number(8 * u64::from(i), 64));
            let tags = self.out.unit.plain();
            self.out.emit(Op::Load { dst, addr, size: word(bits) / 8, tags });
            Expr::Reg(dst)
        });
        Ok(words.collect())
    }

    fn store_words(&mut self, address: Operand, words: &[Expr], bits: u8) -> Lowered<()> {
        let address = self.scalar(address)?;
        for (i, value) in words.iter().enumerate() {
            let addr = fold::add(address.clone(), fold::number(8 * i as u64, 64));
            let tags = self.out.unit.plain();
            self.out.emit(Op::Store { addr, value: value.clone(), size: word(bits) / 8, tags });
        }
        Ok(())
    }

    /// Gives back what was read: in memory, or as the result.
    fn hand_back(
        &mut self,
        result: Option<ValueId>,
        target: Option<&Operand>,
        words: &[Expr],
        bits: u8,
        in_memory: bool,
    ) -> Lowered<()> {
        match target {
            Some(target) if in_memory => self.store_words(*target, words, bits),
            None if in_memory => unsupported("a call with so few arguments"),
            _ => self.take(result, words.iter().map(|value| (value.clone(), word(bits))).collect()),
        }
    }

    fn library_exchange(
        &mut self,
        result: Option<ValueId>,
        addr: Expr,
        bits: u8,
        args: &[Operand],
        orders: &[Ordering],
        in_memory: bool,
    ) -> Lowered<()> {
        let [target, new @ ..] = args else { return unsupported("a call with so few arguments") };
        let expected = self.load_words(*target, bits)?;
        let new = self.library_value(new, bits, in_memory)?;
        let (old, equal) = self.exchange_if_equal(addr, bits, (&expected, &new), (orders[0], orders[1]))?;
        let done = self.out.keep(equal, 1);
        let [fails, after] = [self.out.block(), self.out.block()];
        self.out.branch(done.clone(), after, fails);
        self.out.begin(fails);
        self.store_words(*target, &old, bits)?;
        self.out.end(Terminator::Goto(after));
        self.out.begin(after);
        self.take(result, vec![(done, 1)])
    }
}
