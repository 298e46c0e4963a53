//! Loops that wait, and loops that try again.

use super::super::ast::{Bin, Expr, Fetch, Order, Place, Stmt};
use super::Draw;
use super::profiles::Profile;

impl Draw<'_> {
    /// A loop that waits for a value.
    pub(super) fn await_loop(&mut self, out: &mut Vec<Stmt>) {
        let mut body = Vec::new();
        let r = self.load(&mut body);
        let done = Stmt::BreakIf(self.test(r));
        if self.rng.percent(60) {
            body.push(done);
            self.waiting(&mut body);
        } else {
            self.waiting(&mut body);
            body.push(done);
        }
        out.push(Stmt::Loop(body));
    }

    /// A loop that does nothing but read one variable until it has a value, or takes it from 0.
    pub(super) fn await_same(&mut self, out: &mut Vec<Stmt>) {
        let place = if self.profile == Profile::Beside { Place::Atomic(0) } else { self.atomic() };
        let body = if self.rng.percent(75) {
            let (r, order) =
                (self.reg(), self.rng.pick(&[Order::Acquire, Order::Acquire, Order::SeqCst, Order::Relaxed]));
            let one = Expr::Bin(Bin::Eq, Box::new(Expr::Reg(r)), Box::new(Expr::Const(1)));
            let is = if self.rng.percent(50) { Expr::Reg(r) } else { one };
            vec![Stmt::Load(r, place, order), Stmt::BreakIf(is)]
        } else {
            let (ok, expected) = (self.reg(), self.reg());
            let (order, fail) = (self.rng.pick(&[Order::Acquire, Order::SeqCst]), self.fail_order());
            let expects = Stmt::Set(expected, Expr::Const(1));
            vec![
                expects,
                Stmt::Cas { ok, place, expected, new: Expr::Const(2), order, fail },
                Stmt::BreakIf(Expr::Reg(ok)),
            ]
        };
        out.push(Stmt::Loop(body));
    }

    /// A loop that waits and reads something else meanwhile, and then tells that it is done.
    pub(super) fn await_tell(&mut self, out: &mut Vec<Stmt>) {
        let (r, order) = (self.reg(), self.load_order());
        let mut body = vec![Stmt::Load(r, Place::Atomic(0), order), Stmt::BreakIf(Expr::Reg(r))];
        self.waiting(&mut body);
        out.push(Stmt::Loop(body));
        self.tell(1, out);
    }

    /// Ends the wait of [`Self::await_tell`], and writes what is read there if it is told to.
    pub(super) fn told(&mut self, out: &mut Vec<Stmt>) {
        self.tell(0, out);
        let (r, order) = (self.reg(), self.load_order());
        out.push(Stmt::Load(r, Place::Atomic(1), order));
        let write = Stmt::Store(self.plain(), Expr::Const(1), Order::Plain);
        out.push(Stmt::If(Expr::Reg(r), vec![write], Vec::new()));
    }

    /// A loop that takes an object out, and then tells that it is done.
    pub(super) fn retry_tell(&mut self, out: &mut Vec<Stmt>) {
        self.retry_node(out);
        self.tell(1, out);
    }

    /// Takes an object out, and frees it if it is told to.
    pub(super) fn told_free(&mut self, out: &mut Vec<Stmt>) {
        self.new_node(1, out);
        let order = self.update_order();
        out.push(Stmt::SwapNode(2, 0, 1, order));
        let (r, order) = (self.reg(), self.load_order());
        out.push(Stmt::Load(r, Place::Atomic(1), order));
        let found = Expr::Not(Box::new(Expr::IsNull(2)));
        let cond = Expr::Bin(Bin::LogicalAnd, Box::new(found), Box::new(Expr::Reg(r)));
        out.push(Stmt::If(cond, vec![Stmt::Free(2)], Vec::new()));
    }

    pub(super) fn tell(&mut self, variable: u8, out: &mut Vec<Stmt>) {
        let order = self.store_order();
        out.push(Stmt::Store(Place::Atomic(variable), Expr::Const(1), order));
    }

    /// Takes what [`Self::pass`] has set, and asserts that what came before it is seen.
    pub(super) fn retry_passed(&mut self, out: &mut Vec<Stmt>) {
        let (r, order) = (self.reg(), self.load_order());
        out.push(Stmt::Load(r, Place::Atomic(0), order));
        let (ok, order, fail) = (self.reg(), self.update_order(), self.fail_order());
        let new = Expr::Bin(Bin::Add, Box::new(Expr::Reg(r)), Box::new(Expr::Const(10)));
        let body = vec![
            Stmt::Cas { ok, place: Place::Atomic(0), expected: r, new, order, fail },
            Stmt::BreakIf(Expr::Reg(ok)),
        ];
        out.push(Stmt::Loop(body));
        self.sees_passed(r, out);
    }

    /// A loop that undoes its update where it has to wait.
    pub(super) fn await_undo(&mut self, out: &mut Vec<Stmt>) {
        let (r, place, order) = (self.reg(), self.atomic(), self.update_order());
        let mut body = vec![Stmt::Fetch(r, Fetch::Add, place.clone(), Expr::Const(1), order)];
        body.push(Stmt::BreakIf(self.test(r)));
        let (s, order) = (self.reg(), self.update_order());
        self.waiting(&mut body);
        body.push(Stmt::Fetch(s, Fetch::Sub, place, Expr::Const(1), order));
        out.push(Stmt::Loop(body));
    }

    /// A loop around a compare-exchange.
    pub(super) fn retry_loop(&mut self, out: &mut Vec<Stmt>) {
        let (place, order) = (self.atomic(), self.load_order());
        self.retry(place, order, out, |draw, body| {
            if draw.rng.percent(40) {
                draw.waiting(body);
            }
        });
    }

    /// The same with a write to an object that may be private.
    pub(super) fn retry_writing(&mut self, out: &mut Vec<Stmt>) {
        let (place, order) = (self.atomic(), self.load_order());
        let place = if self.profile == Profile::Codings { Place::Atomic(0) } else { place };
        if self.profile == Profile::Codings || self.rng.percent(40) {
            self.encoded(out);
        }
        self.retry(place, order, out, |draw, body| {
            let order = draw.store_order();
            let seen = Expr::Reg(draw.last());
            let write = Stmt::Store(Place::NodeNumber(0), seen, order);
            body.push(Stmt::If(Expr::Not(Box::new(Expr::IsNull(0))), vec![write], Vec::new()));
        });
    }

    /// The same on a pointer, with accesses to the object.
    pub(super) fn retry_node(&mut self, out: &mut Vec<Stmt>) {
        let order = self.load_order();
        out.push(Stmt::LoadNode(0, 0, order));
        let mut body = vec![Stmt::If(Expr::IsNull(0), vec![Stmt::Return], Vec::new())];
        if self.rng.percent(85) {
            self.use_node(0, &mut body);
        }
        let (ok, order, fail) = (self.reg(), self.update_order(), self.fail_order());
        body.push(Stmt::CasNode { ok, at: 0, expected: 0, new: 1, order, fail });
        body.push(Stmt::BreakIf(Expr::Reg(ok)));
        out.push(Stmt::Loop(body));
        if self.rng.percent(25) {
            out.push(Stmt::Free(0));
        }
    }

    pub(super) fn fail_order(&mut self) -> Order {
        self.rng.pick(&[Order::Relaxed, Order::Relaxed, Order::Acquire, Order::SeqCst])
    }

    /// What a round of a loop does beside waiting.
    pub(super) fn waiting(&mut self, body: &mut Vec<Stmt>) {
        match self.rng.below(8) {
            0..3 => {
                let (r, place) = (self.reg(), self.plain());
                body.push(Stmt::Load(r, place, Order::Plain));
            }
            3 => {
                self.load(body);
            }
            4 => {
                let r = self.load(body);
                let cond = self.test(r);
                let (s, place) = (self.reg(), self.plain());
                body.push(Stmt::If(cond, vec![Stmt::Load(s, place, Order::Plain)], Vec::new()));
            }
            5 => {
                let r = self.load(body);
                let cond = self.test(r);
                body.push(Stmt::If(cond, vec![Stmt::Return], Vec::new()));
            }
            _ => {}
        }
    }

    /// Load, then compare and exchange until that succeeds.
    pub(super) fn retry(
        &mut self,
        place: Place,
        order: Order,
        out: &mut Vec<Stmt>,
        round: impl Fn(&mut Self, &mut Vec<Stmt>),
    ) {
        let r = self.reg();
        out.push(Stmt::Load(r, place.clone(), order));
        let mut body = Vec::new();
        round(self, &mut body);
        let (ok, order, fail) = (self.reg(), self.update_order(), self.fail_order());
        let add = Expr::Const([1, 1, 10][self.rng.below(3)]);
        let new = if self.rng.percent(70) {
            Expr::Bin(Bin::Add, Box::new(Expr::Reg(r)), Box::new(add))
        } else {
            self.value()
        };
        body.push(Stmt::Cas { ok, place, expected: r, new, order, fail });
        body.push(Stmt::BreakIf(Expr::Reg(ok)));
        out.push(Stmt::Loop(body));
    }
}
