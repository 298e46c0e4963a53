//! A thread as instructions: one for each statement, and branches that know where they end.

use super::syntax::{Expr, ExprKind, Order, Stmt, StmtKind, Thread};
use crate::lexer::Word;
use crate::variable::{SIZE, WIDTH};
use std::collections::BTreeMap;
use treville_base::{Diagnostic, Idx, IndexVec, Name, Span};
use treville_ir::{
    Block, BlockId, Expr as Value, Func, Inst, InstrId, ObjectId, Op, Program, Reg, RegInfo, TagId, Terminator,
};
use treville_term::UnOp;

/// The registers of a thread.
pub(super) type Registers = BTreeMap<Name, Reg>;

/// Lowers one thread. `next_instr` is the number of the next instruction of the program.
pub(super) fn thread(
    thread: &Thread<'_>,
    program: &mut Program,
    next_instr: &mut u32,
    errors: &mut Vec<Diagnostic>,
) -> (Func, Registers) {
    let mut lowering = Lowering {
        program,
        registers: Registers::new(),
        regs: IndexVec::new(),
        blocks: IndexVec::new(),
        next_instr,
        errors,
    };
    lowering.block();
    lowering.stmts(&thread.body);
    let Lowering { registers, regs, blocks, .. } = lowering;
    let name = Name::from(format!("t{}", thread.number));
    (Func { name, params: Vec::new(), regs, blocks }, registers)
}

struct Lowering<'p> {
    program: &'p mut Program,
    registers: Registers,
    regs: IndexVec<Reg, RegInfo>,
    /// In the order of the text, so that only loops jump backwards; the last is the current one.
    blocks: IndexVec<BlockId, Block>,
    next_instr: &'p mut u32,
    errors: &'p mut Vec<Diagnostic>,
}

impl Lowering<'_> {
    /// Begins a block after the current one.
    fn block(&mut self) -> BlockId {
        self.blocks.push(Block { insts: Vec::new(), end: Terminator::End })
    }

    fn current(&self) -> BlockId {
        BlockId::from_usize(self.blocks.len() - 1)
    }

    fn instr(&mut self) -> InstrId {
        *self.next_instr += 1;
        InstrId(*self.next_instr - 1)
    }

    fn emit(&mut self, op: Op, span: Span) {
        let (instr, current) = (self.instr(), self.current());
        self.blocks[current].insts.push(Inst { op, instr, sequenced: true, span });
    }

    fn stmts(&mut self, stmts: &[Stmt<'_>]) {
        for stmt in stmts {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt<'_>) {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Assign { register, value } => {
                let value = self.value(value);
                let dst = self.written(register);
                self.emit(Op::Assign { dst, value }, span);
            }
            StmtKind::Load { register, location, order } => {
                let (addr, tags) = (self.location(location), self.access(*order));
                let dst = self.written(register);
                self.emit(Op::Load { dst, addr, size: SIZE, tags }, span);
            }
            StmtKind::Store { location, value, order } => {
                let (addr, value, tags) = (self.location(location), self.value(value), self.access(*order));
                self.emit(Op::Store { addr, value, size: SIZE, tags }, span);
            }
            StmtKind::Fence { tag } => {
                let tags = vec![self.program.tag(tag)];
                self.emit(Op::Fence { tags }, span);
            }
            StmtKind::While { cond, body } => self.loop_while(cond, body, span),
            StmtKind::If { cond, then, els } => self.branch(cond, then, els, span),
        }
    }

    fn loop_while(&mut self, cond: &Expr<'_>, body: &[Stmt<'_>], span: Span) {
        let before = self.current();
        let head = self.block();
        self.blocks[before].end = Terminator::Goto(head);
        let (cond, instr) = (self.value(cond), self.instr());
        let inside = self.block();
        self.stmts(body);
        let last = self.current();
        self.blocks[last].end = Terminator::Goto(head);
        let exit = self.block();
        self.blocks[head].end = Terminator::Branch { cond, then: inside, els: exit, join: Some(exit), instr, span };
    }

    fn branch(&mut self, cond: &Expr<'_>, then: &[Stmt<'_>], els: &[Stmt<'_>], span: Span) {
        let before = self.current();
        let (cond, instr) = (self.value(cond), self.instr());
        let yes = self.block();
        self.stmts(then);
        let yes_end = self.current();
        let no = self.block();
        let mut join = no;
        if !els.is_empty() {
            self.stmts(els);
            let no_end = self.current();
            join = self.block();
            self.blocks[no_end].end = Terminator::Goto(join);
        }
        self.blocks[yes_end].end = Terminator::Goto(join);
        self.blocks[before].end = Terminator::Branch { cond, then: yes, els: no, join: Some(join), instr, span };
    }

    /// The tags of an access.
    fn access(&mut self, order: Order) -> Vec<TagId> {
        let words = order.map_or(vec!["NA"], |order| vec!["A", order.tag()]);
        let mut tags: Vec<TagId> = words.into_iter().map(|word| self.program.tag(word)).collect();
        tags.sort_unstable();
        tags
    }

    fn location(&mut self, location: &Word<'_>) -> Value {
        let object = self.program.object_named(location.text).unwrap_or_else(|| {
            let unknown = Diagnostic::error(location.span, format!("there is no location `{}`", location.text));
            self.errors.push(unknown.help("locations are listed in the braces at the beginning"));
            ObjectId(0)
        });
        Value::Addr(object, 0)
    }

    /// A register that is written to, made if it is new.
    fn written(&mut self, register: &Word<'_>) -> Reg {
        if self.program.object_named(register.text).is_some() {
            let error = Diagnostic::error(register.span, format!("`{}` is a location, not a register", register.text));
            self.errors.push(error.help("`x := …` and `x.store(…)` write to locations"));
        }
        self.register(register.text)
    }

    fn register(&mut self, name: &str) -> Reg {
        if let Some(reg) = self.registers.get(name) {
            return *reg;
        }
        let reg = self.regs.push(RegInfo { name: Name::new(name), width: WIDTH });
        self.registers.insert(Name::new(name), reg);
        reg
    }

    /// A number has [`WIDTH`] bits, a condition one.
    fn value(&mut self, expr: &Expr<'_>) -> Value {
        match &expr.kind {
            ExprKind::Int(n) => Value::int(i64::from(*n), WIDTH),
            ExprKind::Truth(truth) => Value::int(i64::from(*truth), 1),
            ExprKind::Register(name) => Value::Reg(self.read(name, expr.span)),
            ExprKind::Not(inner) => Value::un(UnOp::Not, self.value(inner)),
            ExprKind::Negate(inner) => Value::un(UnOp::Neg, self.value(inner)),
            ExprKind::Binary(operator, a, b) => {
                let (a, b) = (self.value(a), self.value(b));
                let (a, b) = if operator.swapped { (b, a) } else { (a, b) };
                Value::bin(operator.op, a, b)
            }
        }
    }

    /// A register that is read: something before it in the text must write it.
    fn read(&mut self, name: &str, span: Span) -> Reg {
        if self.program.object_named(name).is_some() {
            let error = Diagnostic::error(span, format!("`{name}` is a location, not a register"));
            self.errors.push(error.help(format!("read it first: `r = {name}.load(_rx);`")));
        } else if !self.registers.contains_key(name) {
            let error = Diagnostic::error(span, format!("nothing before this writes the register `{name}`"));
            self.errors.push(error.help(format!("`{name} <- 0;` gives it a value")));
        }
        self.register(name)
    }
}
