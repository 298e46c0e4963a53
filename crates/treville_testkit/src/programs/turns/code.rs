//! Functions as lists of steps with jumps; helpers are part of their callers, with registers of their own.

use super::super::ast::{Expr, Lock, Mutex, Program, Stmt};

/// Registers of helpers come after those of threads.
pub(super) const SHIFT: u8 = 8;

#[derive(Clone, Debug)]
pub(super) enum Step {
    Do(Stmt),
    Unless(Expr, usize),
    Jump(usize),
    /// A loop of a number of rounds begins, or another round does.
    Begin(u8),
    Round(u8, u8, usize),
    End,
}

pub(super) struct Code {
    /// `main` is the last.
    pub(super) functions: Vec<Vec<Step>>,
    /// Of each, whether it or what it starts may give others what they wait for, other than a mutex.
    pub(super) gives: Vec<bool>,
    pub(super) mutexes: [Mutex; 2],
    pub(super) semaphores: [u8; 2],
    pub(super) barrier: u8,
}

impl Code {
    /// None if a helper calls itself: its steps would have no end.
    pub(super) fn of(program: &Program) -> Option<Code> {
        if program.helpers.iter().flatten().any(calls) {
            return None;
        }
        let mut main = program.main.clone();
        if let Some(claim) = &program.claim {
            main.push(claim_as_statement(claim));
        }
        let functions: Vec<_> =
            program.threads.iter().chain([&main]).map(|body| Compiler::function(program, body)).collect();
        let mut gives: Vec<bool> =
            functions.iter().map(|steps| steps.iter().any(|step| is_giving(step, &[]))).collect();
        for _ in 0..functions.len() {
            gives = functions.iter().map(|steps| steps.iter().any(|step| is_giving(step, &gives))).collect();
        }
        Some(Code {
            functions,
            gives,
            mutexes: program.mutexes,
            semaphores: program.semaphores,
            barrier: program.barrier,
        })
    }
}

/// Whether a step may end a wait for anything but a mutex or a thread's end, or starts a function that does.
fn is_giving(step: &Step, gives: &[bool]) -> bool {
    match step {
        Step::Do(Stmt::Create(_, function, _)) => gives.get(usize::from(*function)).is_some_and(|gives| *gives),
        Step::Do(Stmt::Unlock(Lock::Read(_) | Lock::Write(_))) => true,
        Step::Do(stmt) => {
            matches!(stmt, Stmt::SemPost(_) | Stmt::CondSignal | Stmt::CondBroadcast | Stmt::Barrier | Stmt::Once(_))
        }
        _ => false,
    }
}

fn calls(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Call { .. }) || stmt.blocks().into_iter().flatten().any(calls)
}

/// The values of a claim are read one by one into a register that is not used for anything else.
fn claim_as_statement(claim: &super::super::ast::Claim) -> Stmt {
    use super::super::ast::{Bin, Order};
    const FREE: u8 = SHIFT - 1;
    let mut inner = vec![Stmt::Assert(Expr::Const(0))];
    for (place, value) in claim.values.iter().rev() {
        let equal = Expr::Bin(Bin::Eq, Box::new(Expr::Reg(FREE)), Box::new(Expr::Const(*value)));
        inner = vec![Stmt::Load(FREE, place.clone(), Order::SeqCst), Stmt::If(equal, inner, Vec::new())];
    }
    Stmt::If(Expr::Const(1), inner, Vec::new())
}

struct Compiler<'a> {
    program: &'a Program,
    steps: Vec<Step>,
    /// Jumps out of the loops around, to be completed.
    breaks: Vec<Vec<usize>>,
    /// The same for returns from the helper at hand.
    returns: Option<Vec<usize>>,
    counters: u8,
}

impl Compiler<'_> {
    fn function(program: &Program, body: &[Stmt]) -> Vec<Step> {
        let mut compiler = Compiler { program, steps: Vec::new(), breaks: Vec::new(), returns: None, counters: 0 };
        compiler.block(body);
        compiler.steps.push(Step::End);
        compiler.steps
    }

    fn block(&mut self, block: &[Stmt]) {
        block.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn hole(&mut self) -> usize {
        self.steps.push(Step::Jump(0));
        self.steps.len() - 1
    }

    fn land(&mut self, holes: &[usize]) {
        let here = self.steps.len();
        for hole in holes {
            match &mut self.steps[*hole] {
                Step::Jump(to) | Step::Unless(_, to) | Step::Round(_, _, to) => *to = here,
                _ => {}
            }
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::If(cond, then, otherwise) => {
                self.steps.push(Step::Unless(self.expr(cond), 0));
                let unless = self.steps.len() - 1;
                self.block(then);
                let over = self.hole();
                self.land(&[unless]);
                self.block(otherwise);
                self.land(&[over]);
            }
            Stmt::Loop(body) => {
                let head = self.steps.len();
                self.breaks.push(Vec::new());
                self.block(body);
                self.steps.push(Step::Jump(head));
                let breaks = self.breaks.pop().unwrap_or_default();
                self.land(&breaks);
            }
            Stmt::Repeat(n, body) => {
                let counter = self.counters;
                self.counters += 1;
                self.steps.push(Step::Begin(counter));
                let head = self.steps.len();
                self.steps.push(Step::Round(counter, *n, 0));
                self.breaks.push(vec![head]);
                self.block(body);
                self.steps.push(Step::Jump(head));
                let breaks = self.breaks.pop().unwrap_or_default();
                self.land(&breaks);
            }
            Stmt::BreakIf(cond) => {
                self.steps.push(Step::Unless(Expr::Not(Box::new(self.expr(cond))), 0));
                let at = self.steps.len() - 1;
                if let Some(breaks) = self.breaks.last_mut() {
                    breaks.push(at);
                }
            }
            Stmt::Return => {
                let hole = self.hole();
                match &mut self.returns {
                    Some(returns) => returns.push(hole),
                    None => self.steps[hole] = Step::End,
                }
            }
            Stmt::Call { helper, argument, .. } => {
                let Some(body) = self.program.helpers.get(usize::from(*helper)) else { return };
                self.steps.push(Step::Do(Stmt::Set(SHIFT, argument.clone())));
                for r in 1..super::super::print::REGISTERS {
                    self.steps.push(Step::Do(Stmt::Set(SHIFT + r, Expr::Const(0))));
                }
                let outer = self.returns.replace(Vec::new());
                self.block(body);
                let returns = std::mem::replace(&mut self.returns, outer).unwrap_or_default();
                self.land(&returns);
            }
            simple => {
                let stmt = if self.returns.is_some() { shifted(simple) } else { simple.clone() };
                self.steps.push(Step::Do(stmt));
            }
        }
    }

    fn expr(&self, e: &Expr) -> Expr {
        if self.returns.is_some() { shifted_expr(e) } else { e.clone() }
    }
}

/// A statement of a helper: those that helpers have.
fn shifted(stmt: &Stmt) -> Stmt {
    let e = shifted_expr;
    match stmt {
        Stmt::Set(r, v) => Stmt::Set(r + SHIFT, e(v)),
        Stmt::Load(r, place, o) => Stmt::Load(r + SHIFT, place.clone(), *o),
        Stmt::Store(place, v, o) => Stmt::Store(place.clone(), e(v), *o),
        Stmt::Fetch(r, op, place, v, o) => Stmt::Fetch(r + SHIFT, *op, place.clone(), e(v), *o),
        other => other.clone(),
    }
}

fn shifted_expr(e: &Expr) -> Expr {
    match e {
        Expr::Reg(r) => Expr::Reg(r + SHIFT),
        Expr::Bin(op, a, b) => Expr::Bin(*op, Box::new(shifted_expr(a)), Box::new(shifted_expr(b))),
        Expr::Not(a) => Expr::Not(Box::new(shifted_expr(a))),
        Expr::Narrow(a) => Expr::Narrow(Box::new(shifted_expr(a))),
        other => other.clone(),
    }
}
