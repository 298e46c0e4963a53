//! Accesses to variables, arrays and structs, and what depends on them.

use super::super::ast::{Bin, Copying, Expr, Fetch, Order, Place, Stmt, Whole};
use super::Draw;
use super::profiles::Profile;

impl Draw<'_> {
    /// A load of an atomic variable.
    pub(super) fn read(&mut self, out: &mut Vec<Stmt>) {
        self.load(out);
    }

    /// An update whose old value may decide what comes next.
    pub(super) fn update(&mut self, out: &mut Vec<Stmt>) {
        let op = self.rng.pick(&[Fetch::Add, Fetch::Add, Fetch::Sub, Fetch::Or, Fetch::Xor, Fetch::Exchange]);
        let (r, place, order) = (self.reg(), self.atomic(), self.update_order());
        let value = Expr::Const(1 + self.rng.below(2) as i32);
        out.push(Stmt::Fetch(r, op, place, value, order));
        if self.rng.percent(40) {
            let (cond, then) = (self.test(r), self.block(1));
            out.push(Stmt::If(cond, then, Vec::new()));
        }
    }

    /// One compare-exchange, whatever its result.
    pub(super) fn compare_exchange(&mut self, out: &mut Vec<Stmt>) {
        let (ok, expected) = (self.reg(), self.reg());
        let (place, new, order, fail) = (self.atomic(), self.value(), self.update_order(), self.fail_order());
        out.push(Stmt::Cas { ok, place, expected, new, order, fail });
    }

    /// A fence.
    pub(super) fn fence(&mut self, out: &mut Vec<Stmt>) {
        let order = self.rng.pick(&[Order::Acquire, Order::Release, Order::Both, Order::SeqCst]);
        out.push(Stmt::Fence(order));
    }

    /// A store and a load of another variable, often with a fence between them.
    pub(super) fn store_load(&mut self, out: &mut Vec<Stmt>) {
        let first = self.rng.below(self.n_variables);
        let second = (first + 1 + self.rng.below(self.n_variables - 1)) % self.n_variables;
        let order = self.store_order();
        out.push(Stmt::Store(Place::Atomic(first as u8), Expr::Const(1), order));
        match self.rng.below(4) {
            0 => {}
            1 => self.fence(out),
            _ => out.push(Stmt::Fence(Order::SeqCst)),
        }
        let (r, order) = (self.reg(), self.load_order());
        out.push(Stmt::Load(r, Place::Atomic(second as u8), order));
    }

    /// A plain store, and what tells others of it.
    pub(super) fn message(&mut self, out: &mut Vec<Stmt>) {
        out.push(Stmt::Store(Place::Plain(0), Expr::Const(1), Order::Plain));
        let order = if self.rng.percent(40) {
            out.push(Stmt::Fence(Order::Release));
            Order::Relaxed
        } else {
            self.rng.pick(&[Order::Release, Order::Release, Order::SeqCst])
        };
        out.push(Stmt::Store(Place::Atomic(0), Expr::Const(1), order));
    }

    /// A plain load of what [`Self::message`] has stored, if the thread knows of it.
    pub(super) fn received(&mut self, out: &mut Vec<Stmt>) {
        let r = self.reg();
        let fenced = self.rng.percent(40);
        let order = if fenced { Order::Relaxed } else { self.rng.pick(&[Order::Acquire, Order::SeqCst]) };
        out.push(Stmt::Load(r, Place::Atomic(0), order));
        let mut then = if fenced { vec![Stmt::Fence(Order::Acquire)] } else { Vec::new() };
        then.push(Stmt::Load(self.reg(), Place::Plain(0), Order::Plain));
        out.push(Stmt::If(self.test(r), then, Vec::new()));
    }

    /// A plain store that a flag guards, and an assertion that the flag is not set: the store is only there where it fails.
    pub(super) fn judged(&mut self, out: &mut Vec<Stmt>) {
        let (r, order) = (self.reg(), self.load_order());
        out.push(Stmt::Load(r, Place::Atomic(0), order));
        let write = Stmt::Store(Place::Plain(0), Expr::Const(2), Order::Plain);
        out.push(Stmt::If(Expr::Reg(r), vec![write], Vec::new()));
        out.push(Stmt::Assert(Expr::Not(Box::new(Expr::Reg(r)))));
    }

    /// Two stores, of which the second tells of the first.
    pub(super) fn pass(&mut self, out: &mut Vec<Stmt>) {
        out.push(Stmt::Store(Place::Atomic(1), Expr::Const(1), Order::Relaxed));
        let order = self.rng.pick(&[Order::Release, Order::Release, Order::SeqCst, Order::Relaxed]);
        out.push(Stmt::Store(Place::Atomic(0), Expr::Const(1), order));
    }

    /// Reads the second store of [`Self::pass`], and asserts that the first one is seen then.
    pub(super) fn passed(&mut self, out: &mut Vec<Stmt>) {
        let (r, order) = (self.reg(), self.load_order());
        out.push(Stmt::Load(r, Place::Atomic(0), order));
        self.sees_passed(r, out);
    }

    pub(super) fn sees_passed(&mut self, r: u8, out: &mut Vec<Stmt>) {
        let (s, order) = (self.reg(), self.load_order());
        out.push(Stmt::Load(s, Place::Atomic(1), order));
        let late = Expr::Bin(
            Bin::LogicalAnd,
            Box::new(Expr::Bin(Bin::Eq, Box::new(Expr::Reg(r)), Box::new(Expr::Const(1)))),
            Box::new(Expr::Not(Box::new(Expr::Reg(s)))),
        );
        out.push(Stmt::Assert(Expr::Not(Box::new(late))));
    }

    /// Something computed from registers, stored or asked.
    pub(super) fn compute(&mut self, out: &mut Vec<Stmt>) {
        let (value, place, order) = (self.number(2), self.atomic(), self.store_order());
        match self.rng.below(4) {
            0 => {
                let then = vec![Stmt::Store(place, Expr::Const(2), order)];
                let otherwise = vec![Stmt::Store(self.atomic(), Expr::Const(1), Order::Relaxed)];
                out.push(Stmt::If(value, then, otherwise));
            }
            1 => {
                let r = self.reg();
                out.push(Stmt::Set(r, value));
                let sum = Expr::Bin(Bin::Add, Box::new(Expr::Reg(r)), Box::new(Expr::Reg(r)));
                out.push(Stmt::Store(place, sum, order));
            }
            _ => out.push(Stmt::Store(place, value, order)),
        }
    }

    /// An expression over registers, with operators up to this depth.
    fn number(&mut self, depth: usize) -> Expr {
        if depth == 0 {
            return match self.rng.below(3) {
                0 => Expr::Const([-1, 0, 1, 2, 127, 128, 255][self.rng.below(7)]),
                _ => Expr::Reg(self.rng.below(3) as u8),
            };
        }
        match self.rng.below(8) {
            0 => Expr::Not(Box::new(self.number(depth - 1))),
            1 | 2 => {
                let (a, c) = (self.number(depth - 1), [1, 127, 128, 200][self.rng.below(4)]);
                Expr::Narrow(Box::new(Expr::Bin(Bin::Add, Box::new(a), Box::new(Expr::Const(c)))))
            }
            _ => {
                let ops = [
                    Bin::Add,
                    Bin::Sub,
                    Bin::And,
                    Bin::Or,
                    Bin::Xor,
                    Bin::Eq,
                    Bin::Ne,
                    Bin::Lt,
                    Bin::Lt,
                    Bin::LogicalAnd,
                    Bin::LogicalOr,
                ];
                let op = self.rng.pick(&ops);
                Expr::Bin(op, Box::new(self.number(depth - 1)), Box::new(self.number(depth - 1)))
            }
        }
    }

    /// A variable is initialised, which is no atomic access, and perhaps set after that: who reads what was set knows of it.
    pub(super) fn initialise(&mut self, out: &mut Vec<Stmt>) {
        let place = self.atomic();
        let first = Expr::Const([0, 0, 3][self.rng.below(3)]);
        out.push(Stmt::Store(place.clone(), first, Order::Plain));
        if self.rng.percent(85) {
            let order = self.rng.pick(&[Order::Release, Order::Release, Order::SeqCst, Order::Relaxed]);
            out.push(Stmt::Store(place, Expr::Const(1 + self.rng.below(2) as i32), order));
        }
    }

    /// A branch on what was read.
    pub(super) fn guard(&mut self, out: &mut Vec<Stmt>) {
        let r = self.load(out);
        let (cond, then) = (self.test(r), self.block(2));
        let otherwise = if self.rng.percent(15) { self.block(1) } else { Vec::new() };
        out.push(Stmt::If(cond, then, otherwise));
    }

    /// A plain access that a flag guards.
    pub(super) fn guarded_plain(&mut self, out: &mut Vec<Stmt>) {
        let r = self.load(out);
        let cond = self.test(r);
        let mut then = Vec::new();
        self.plain_access(&mut then);
        out.push(Stmt::If(cond, then, Vec::new()));
    }

    /// A struct copied as a whole, and a field of the copy.
    pub(super) fn copied(&mut self, out: &mut Vec<Stmt>) {
        let (index, how) = (self.index(1, out), self.copying());
        if self.rng.percent(40) {
            let field = Place::Field(index.clone(), self.rng.percent(50));
            let value = self.value();
            out.push(Stmt::Store(field, value, Order::Plain));
        }
        if self.rng.percent(75) {
            out.push(Stmt::Copy(Whole::Local(0), Whole::Global(index), how));
        } else {
            let value = self.value();
            out.push(Stmt::Store(Place::Local(0, true), value, Order::Plain));
            out.push(Stmt::Copy(Whole::Global(index), Whole::Local(0), how));
        }
        let r = self.reg();
        out.push(Stmt::Load(r, Place::Local(0, self.rng.percent(50)), Order::Plain));
    }

    /// Halves and bytes of one word.
    pub(super) fn union_parts(&mut self, out: &mut Vec<Stmt>) {
        let index = self.index(1, out);
        let place = |draw: &mut Self, index: Box<Expr>| match draw.rng.below(2) {
            0 => Place::Half(index, draw.rng.below(2) as u8),
            _ => Place::Byte(index, draw.rng.below(8) as u8),
        };
        let value = self.value();
        let at = place(self, index.clone());
        out.push(Stmt::Store(at, value, Order::Plain));
        let (r, at) = (self.reg(), place(self, index));
        out.push(Stmt::Load(r, at, Order::Plain));
    }

    /// Atomic accesses to a word and to its halves.
    pub(super) fn halves(&mut self, out: &mut Vec<Stmt>) {
        let half = Place::AtomicHalf(self.rng.below(2) as u8);
        match self.rng.below(4) {
            0 => {
                let (value, order) = (self.value(), self.store_order());
                out.push(Stmt::Store(half, value, order));
            }
            1 => {
                let (r, order) = (self.reg(), self.load_order());
                out.push(Stmt::Load(r, half, order));
            }
            2 => {
                let order = self.load_order();
                out.push(Stmt::LoadWord(2, 2, order));
                out.push(Stmt::Set(self.reg(), Expr::IsZero(2)));
            }
            _ => {
                let order = self.store_order();
                out.push(Stmt::StoreWord(2, 2, order));
            }
        }
    }

    /// An element of a shared array.
    pub(super) fn element(&mut self, out: &mut Vec<Stmt>) {
        let index = self.index(3, out);
        let atomic = self.rng.percent(60);
        let place = if atomic { Place::AtomicElem(index) } else { Place::PlainElem(index) };
        if self.rng.percent(60) {
            let (r, order) = (self.reg(), if atomic { self.load_order() } else { Order::Plain });
            out.push(Stmt::Load(r, place, order));
        } else {
            let (value, order) = (self.value(), if atomic { self.store_order() } else { Order::Plain });
            out.push(Stmt::Store(place, value, order));
        }
    }

    /// An element of an array of the function's own.
    pub(super) fn local_array(&mut self, out: &mut Vec<Stmt>) {
        let index = self.index(3, out);
        if self.rng.percent(40) {
            let value = self.value();
            let at = if self.rng.percent(50) { index.clone() } else { Box::new(Expr::Const(1)) };
            out.push(Stmt::Store(Place::LocalElem(at), value, Order::Plain));
        }
        let r = self.reg();
        out.push(Stmt::Load(r, Place::LocalElem(index), Order::Plain));
    }

    /// Branches on what an outer branch has decided, some of which nobody takes.
    pub(super) fn decided(&mut self, out: &mut Vec<Stmt>) {
        let r = self.load(out);
        let cond = self.test(r);
        let [then, otherwise] = [0, 1].map(|_| {
            let mut block = Vec::new();
            if self.rng.percent(40) {
                self.store(&mut block);
            }
            let again = if self.rng.percent(50) { cond.clone() } else { Expr::Not(Box::new(cond.clone())) };
            let inner = if self.rng.percent(60) { vec![Stmt::Return] } else { self.block(1) };
            block.push(Stmt::If(again, inner, Vec::new()));
            block
        });
        out.push(Stmt::If(cond, then, otherwise));
    }

    /// A call, perhaps through a pointer.
    pub(super) fn call_helper(&mut self, out: &mut Vec<Stmt>) {
        let (argument, by_pointer) = (self.value(), self.rng.percent(40));
        out.push(Stmt::Call { helper: 0, argument, by_pointer });
    }

    /// An assumption about what was read.
    pub(super) fn assume(&mut self, out: &mut Vec<Stmt>) {
        let r = self.load(out);
        out.push(Stmt::Assume(self.test(r)));
    }

    /// An assertion about the last register.
    pub(super) fn assertion(&mut self, out: &mut Vec<Stmt>) {
        let r = self.last();
        let c = Expr::Const(self.rng.below(4) as i32);
        out.push(Stmt::Assert(Expr::Bin(Bin::Ne, Box::new(Expr::Reg(r)), Box::new(c))));
    }

    /// An early return.
    pub(super) fn early_return(&mut self, out: &mut Vec<Stmt>) {
        let r = self.load(out);
        let cond = self.test(r);
        out.push(Stmt::If(cond, vec![Stmt::Return], Vec::new()));
    }

    /// A small number in memory of the function's own.
    pub(super) fn small_number(&mut self, out: &mut Vec<Stmt>) {
        let value = Expr::Const(self.rng.below(4) as i32);
        out.push(Stmt::Store(Place::Local(0, false), value, Order::Plain));
    }

    /// What the argument of the thread says.
    pub(super) fn argument(&mut self, out: &mut Vec<Stmt>) {
        let r = self.reg();
        if self.rng.percent(85) {
            out.push(Stmt::Load(r, Place::ArgumentField(self.rng.percent(30)), Order::Plain));
        } else {
            out.push(Stmt::Set(r, Expr::Argument));
        }
    }

    /// Of equal threads, the one that comes as a certain one reads what the argument points to.
    pub(super) fn elected(&mut self, out: &mut Vec<Stmt>) {
        let (r, order) = (self.reg(), self.update_order());
        out.push(Stmt::Fetch(r, Fetch::Add, Place::Atomic(0), Expr::Const(1), order));
        let number = Expr::Const(self.rng.below(usize::from(self.n_threads.max(1))) as i32);
        let is = Expr::Bin(Bin::Eq, Box::new(Expr::Reg(r)), Box::new(number));
        let field = Place::ArgumentField(self.rng.percent(50));
        let mut then = vec![Stmt::Load(self.reg(), field, Order::Plain)];
        if self.rng.percent(30) {
            then.push(Stmt::Assert(Expr::Not(Box::new(Expr::Reg(self.last())))));
        }
        out.push(Stmt::If(is, then, Vec::new()));
    }

    /// A loop with a known number of iterations.
    pub(super) fn repeat(&mut self, out: &mut Vec<Stmt>) {
        let body = self.block(1);
        out.push(Stmt::Repeat(2, body));
    }

    /// An unknown number of more values than engines list, of which an assumption or a branch leaves a few.
    fn limited_index(&mut self, most: i32, out: &mut Vec<Stmt>) -> Box<Expr> {
        let r = self.reg();
        out.push(Stmt::Unknown(r, 127));
        let limit = if self.rng.percent(15) { most + 2 } else { most + 1 };
        let is_less = Expr::Bin(Bin::Lt, Box::new(Expr::Reg(r)), Box::new(Expr::Const(limit)));
        out.push(match self.rng.percent(50) {
            true => Stmt::Assume(is_less),
            false => Stmt::If(Expr::Not(Box::new(is_less)), vec![Stmt::Set(r, Expr::Const(0))], Vec::new()),
        });
        Box::new(Expr::Reg(r))
    }

    pub(super) fn plain(&mut self) -> Place {
        Place::Plain(self.rng.below(2) as u8)
    }

    pub(super) fn plain_access(&mut self, out: &mut Vec<Stmt>) {
        let place = self.plain();
        if self.rng.percent(50) {
            let r = self.reg();
            out.push(Stmt::Load(r, place, Order::Plain));
        } else {
            let value = self.value();
            out.push(Stmt::Store(place, value, Order::Plain));
        }
    }

    pub(super) fn copying(&mut self) -> Copying {
        self.rng.pick(&[Copying::Assign, Copying::Assign, Copying::Memcpy, Copying::Fields, Copying::Call])
    }

    pub(super) fn index(&mut self, most: i32, out: &mut Vec<Stmt>) -> Box<Expr> {
        let r = match self.rng.below(4) {
            0 => return Box::new(Expr::Const(self.rng.below(most as usize + 1) as i32)),
            1 | 2 if matches!(self.profile, Profile::Unknown | Profile::Everything) => {
                if self.rng.percent(30) {
                    return self.limited_index(most, out);
                }
                let r = self.reg();
                // A mask that allows too much goes beyond the array.
                let mask = if self.rng.percent(25) { 2 * most + 1 } else { most };
                out.push(Stmt::Unknown(r, mask));
                return Box::new(Expr::Reg(r));
            }
            _ => self.load(out),
        };
        if self.rng.percent(85) {
            return Box::new(Expr::Bin(Bin::And, Box::new(Expr::Reg(r)), Box::new(Expr::Const(most))));
        }
        Box::new(Expr::Reg(r))
    }
}
