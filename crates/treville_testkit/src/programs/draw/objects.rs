//! Objects on the heap and on the stack: published, encoded as numbers, freed, protected by hazard pointers.

use super::super::ast::{Bin, Coding, Expr, Order, Place, Stmt, Target, Whole};
use super::Draw;
use super::profiles::Profile;

impl Draw<'_> {
    /// A new object, published.
    pub(super) fn publish(&mut self, out: &mut Vec<Stmt>) {
        self.new_node(1, out);
        let (q, order) = (self.rng.below(2) as u8, self.store_order());
        out.push(Stmt::StoreNode(q, 1, order));
    }

    /// A published object, used.
    pub(super) fn consume(&mut self, out: &mut Vec<Stmt>) {
        let (q, order) = (self.rng.below(2) as u8, self.load_order());
        out.push(Stmt::LoadNode(2, q, order));
        let mut then = Vec::new();
        self.use_node(2, &mut then);
        if self.rng.percent(95) {
            out.push(Stmt::If(Expr::Not(Box::new(Expr::IsNull(2))), then, Vec::new()));
        } else {
            out.append(&mut then);
        }
    }

    /// A published object, taken out and perhaps freed.
    pub(super) fn free_node(&mut self, out: &mut Vec<Stmt>) {
        let order = self.update_order();
        if self.rng.percent(50) {
            self.new_node(1, out);
        }
        out.push(Stmt::SwapNode(2, 0, 1, order));
        let cond = Expr::Not(Box::new(Expr::IsNull(2)));
        let cond = if self.rng.percent(70) {
            let r = self.load(out);
            Expr::Bin(Bin::LogicalAnd, Box::new(cond), Box::new(self.test(r)))
        } else {
            cond
        };
        out.push(Stmt::If(cond, vec![Stmt::Free(2)], Vec::new()));
    }

    /// A new object, published as a number.
    pub(super) fn encoded(&mut self, out: &mut Vec<Stmt>) {
        self.new_node(0, out);
        let (coding, order) = (self.coding(), self.store_order());
        out.push(Stmt::Encode(0, 0, coding));
        out.push(Stmt::StoreWord(0, 0, order));
    }

    /// An object that was published as a number, used.
    pub(super) fn decoded(&mut self, out: &mut Vec<Stmt>) {
        let (coding, order) = (self.coding(), self.load_order());
        out.push(Stmt::LoadWord(1, 0, order));
        let mut then = vec![Stmt::Decode(1, 1, coding)];
        self.use_node(1, &mut then);
        if self.profile == Profile::Codings {
            // Whoever tries to change the variable has to try again.
            let (value, order) = (Expr::Const(1 + self.rng.below(2) as i32), self.store_order());
            then.push(Stmt::Store(Place::Atomic(0), value, order));
        } else if self.rng.percent(60) {
            then.extend(self.block(1));
        }
        out.push(Stmt::If(Expr::Not(Box::new(Expr::IsZero(1))), then, Vec::new()));
    }

    /// An order of addresses.
    pub(super) fn addresses(&mut self, out: &mut Vec<Stmt>) {
        match self.rng.below(4) {
            0 => out.push(Stmt::Point(0, Target::Stack)),
            _ => self.new_node(0, out),
        }
        let coding = self.rng.pick(&[Coding::Same, Coding::Same, Coding::Complement]);
        out.push(Stmt::Encode(0, 0, coding));
        let order = self.update_order();
        out.push(Stmt::SwapWord(1, 0, 0, order));
        let less = Expr::LessWord(1, 0);
        let then = match self.rng.below(3) {
            0 => vec![Stmt::If(less, self.block(1), Vec::new())],
            1 => vec![Stmt::Assert(less)],
            _ => vec![Stmt::Set(self.reg(), less)],
        };
        out.push(Stmt::If(Expr::Not(Box::new(Expr::IsZero(1))), then, Vec::new()));
    }

    /// An address byte by byte.
    pub(super) fn bytes(&mut self, out: &mut Vec<Stmt>) {
        if self.rng.percent(50) {
            self.new_node(0, out);
            out.push(Stmt::Encode(0, 0, Coding::Same));
            out.push(Stmt::Scatter(0));
            out.push(Stmt::Store(Place::Atomic(0), Expr::Const(1), Order::Release));
        } else {
            let r = self.reg();
            out.push(Stmt::Load(r, Place::Atomic(0), Order::Acquire));
            let mut then = vec![Stmt::Gather(1), Stmt::Decode(1, 1, Coding::Same)];
            let mut inner = Vec::new();
            self.use_node(1, &mut inner);
            then.push(Stmt::If(Expr::Not(Box::new(Expr::IsNull(1))), inner, Vec::new()));
            out.push(Stmt::If(Expr::Reg(r), then, Vec::new()));
        }
    }

    /// An object used under a hazard pointer.
    pub(super) fn hazard_read(&mut self, out: &mut Vec<Stmt>) {
        let order = self.load_order();
        let load = Stmt::LoadNode(0, 0, order);
        if self.rng.percent(50) {
            let again = Stmt::LoadNode(1, 0, self.load_order());
            let same = Stmt::BreakIf(Expr::SameNode(0, 1));
            out.push(Stmt::Loop(vec![load, Stmt::Protect(0), again, same]));
        } else {
            out.extend([load, Stmt::Protect(0)]);
        }
        let mut then = Vec::new();
        self.use_node(0, &mut then);
        out.push(Stmt::If(Expr::Not(Box::new(Expr::IsNull(0))), then, Vec::new()));
        if self.rng.percent(70) {
            out.push(Stmt::Clear);
        }
    }

    /// An object replaced and retired.
    pub(super) fn hazard_write(&mut self, out: &mut Vec<Stmt>) {
        if self.rng.percent(60) {
            self.new_node(1, out);
        }
        let order = self.update_order();
        out.push(Stmt::SwapNode(2, 0, 1, order));
        out.push(Stmt::If(Expr::Not(Box::new(Expr::IsNull(2))), vec![Stmt::Retire(2)], Vec::new()));
    }

    /// The address of an object on the stack, published.
    pub(super) fn stack_node(&mut self, out: &mut Vec<Stmt>) {
        out.push(Stmt::Point(1, Target::Stack));
        let order = self.store_order();
        out.push(Stmt::StoreNode(1, 1, order));
    }

    pub(super) fn new_node(&mut self, n: u8, out: &mut Vec<Stmt>) {
        // What is allocated again must be written everywhere, also where it has no fields.
        let again = self.rng.percent(5);
        out.push(if again || self.rng.percent(5) { Stmt::Calloc(n) } else { Stmt::Malloc(n) });
        for place in [Place::NodeField(n, false), Place::NodeField(n, true), Place::NodeNumber(n)] {
            if self.rng.percent(92) {
                let order = if matches!(place, Place::NodeNumber(_)) { Order::Relaxed } else { Order::Plain };
                let value = Expr::Const(1 + self.rng.below(3) as i32);
                out.push(Stmt::Store(place, value, order));
            }
        }
        if again {
            out.push(Stmt::Realloc(n));
        }
    }

    pub(super) fn use_node(&mut self, n: u8, out: &mut Vec<Stmt>) {
        let r = self.reg();
        if self.profile == Profile::Codings {
            let order = self.load_order();
            return out.push(Stmt::Load(r, Place::NodeNumber(n), order));
        }
        match self.rng.below(8) {
            0..3 => out.push(Stmt::Load(r, Place::NodeField(n, self.rng.percent(50)), Order::Plain)),
            3..5 => {
                let order = self.load_order();
                out.push(Stmt::Load(r, Place::NodeNumber(n), order));
            }
            5 => {
                let (value, order) = (self.value(), self.store_order());
                out.push(Stmt::Store(Place::NodeNumber(n), value, order));
            }
            _ => {
                let how = self.copying();
                out.push(Stmt::Copy(Whole::Local(0), Whole::InNode(n), how));
                out.push(Stmt::Load(r, Place::Local(0, self.rng.percent(50)), Order::Plain));
            }
        }
    }

    pub(super) fn coding(&mut self) -> Coding {
        if self.profile == Profile::Codings {
            // One for the whole program, so that threads find what others publish.
            return [Coding::Complement, Coding::Shifted][self.n_variables % 2];
        }
        self.rng.pick(&[Coding::Same, Coding::Complement, Coding::Tagged, Coding::Shifted])
    }
}
