//! A thread as instructions. Every occurrence of a shared variable in an expression is a read of its own, from left to right,
//! into a temporary; `&&` and `||` whose right side reads are branches.

use super::syntax::{Binary, Expr, ExprKind, Stmt, StmtKind, Thread, UpdateOp};
use crate::lexer::Word;
use crate::variable::{SIZE, WIDTH};
use std::collections::{BTreeMap, BTreeSet};
use treville_base::{Diagnostic, Idx, IndexVec, Name, Span};
use treville_ir::{
    Block, BlockId, Comparison, Expr as Value, Failure, Func, Inst, InstrId, Mark, MemoryOrder, ObjectId, Op, Program,
    Prop, Reg, RegInfo, Tags, Terminator, UpdateTags, Wait,
};
use treville_term::{BinOp, UnOp};

/// What names of a thread stand for, for those who speak of it from outside.
#[derive(Debug, Default)]
pub(super) struct Scope {
    pub(super) registers: BTreeMap<Name, Reg>,
    /// With their places.
    pub(super) labels: BTreeMap<Name, Span>,
}

impl Scope {
    /// What can be said of a thread that is written in another language.
    pub(super) fn of(func: &Func) -> Scope {
        let named = func.regs.iter_enumerated().filter(|(_, info)| !info.is_temporary());
        let insts = func.blocks.iter().flat_map(|block| &block.insts);
        let labels = insts.filter_map(|inst| match &inst.op {
            Op::Mark(Mark::At(Some(label))) => Some((label.clone(), inst.span)),
            _ => None,
        });
        Scope { registers: named.map(|(reg, info)| (info.name.clone(), reg)).collect(), labels: labels.collect() }
    }
}

/// Lowers one thread. `next_instr` is the number of the next instruction of the program; what is read of the variables that are
/// `apart` is in registers of its own.
pub(super) fn thread(
    thread: &Thread<'_>,
    apart: &BTreeSet<&str>,
    program: &mut Program,
    next_instr: &mut u32,
    errors: &mut Vec<Diagnostic>,
) -> (Func, Scope) {
    let mut lowering = Lowering {
        program,
        apart,
        scope: Scope::default(),
        regs: IndexVec::new(),
        blocks: IndexVec::new(),
        label: None,
        temporaries: Vec::new(),
        n_used: 0,
        next_instr,
        errors,
    };
    lowering.declare(&thread.body);
    lowering.block();
    lowering.stmts(&thread.body);
    lowering.emit(Op::Mark(Mark::At(Some(Name::new(Prop::END)))), thread.name.span);
    let Lowering { scope, regs, blocks, .. } = lowering;
    (Func { name: Name::new(thread.name.text), params: Vec::new(), regs, blocks }, scope)
}

/// A label as it is compared: numbers without zeros in front.
pub(super) fn label_name(text: &str) -> Name {
    text.parse::<u64>().map_or_else(|_| Name::new(text), |number| Name::from(number.to_string()))
}

struct Lowering<'p> {
    program: &'p mut Program,
    apart: &'p BTreeSet<&'p str>,
    scope: Scope,
    regs: IndexVec<Reg, RegInfo>,
    /// In the order of the text, so that only loops jump backwards; the last is the current one.
    blocks: IndexVec<BlockId, Block>,
    /// Of the statement that we are in.
    label: Option<Name>,
    /// Temporaries that there are, and how many of them are in use.
    temporaries: Vec<Reg>,
    n_used: usize,
    next_instr: &'p mut u32,
    errors: &'p mut Vec<Diagnostic>,
}

/// Branches whose targets are not known yet.
#[derive(Default)]
struct Exits {
    yes: Vec<(BlockId, bool)>,
    no: Vec<(BlockId, bool)>,
}

impl Lowering<'_> {
    /// Finds the registers: what is written and not shared.
    fn declare(&mut self, stmts: &[Stmt<'_>]) {
        for stmt in stmts {
            match &stmt.kind {
                StmtKind::Assign { target, .. } | StmtKind::Update { result: Some(target), .. } => {
                    let shared = self.program.object_named(target.text).is_some();
                    if !shared && !self.scope.registers.contains_key(target.text) {
                        let reg = self.regs.push(RegInfo { name: Name::new(target.text), width: WIDTH });
                        self.scope.registers.insert(Name::new(target.text), reg);
                    }
                }
                StmtKind::While { body, .. } => self.declare(body),
                StmtKind::If { then, els, .. } => {
                    self.declare(then);
                    self.declare(els);
                }
                StmtKind::Update { result: None, .. } | StmtKind::Skip | StmtKind::Assume(_) | StmtKind::Assert(_) => {}
            }
        }
    }

    /// Begins a block after the current one.
    fn block(&mut self) -> BlockId {
        self.blocks.push(Block { insts: Vec::new(), end: Terminator::End })
    }

    fn current(&self) -> BlockId {
        BlockId::from_usize(self.blocks.len() - 1)
    }

    /// Begins a block that the current one goes on with.
    fn next_block(&mut self) -> BlockId {
        let before = self.current();
        let next = self.block();
        self.blocks[before].end = Terminator::Goto(next);
        next
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
            let outside = self.label.clone();
            if let Some(label) = &stmt.label {
                self.label = Some(self.declared(label));
            }
            self.stmt(stmt);
            if stmt.label.is_some() {
                self.label = outside;
                self.emit(Op::Mark(Mark::At(self.label.clone())), stmt.span);
            }
        }
    }

    fn declared(&mut self, label: &Word<'_>) -> Name {
        let name = label_name(label.text);
        if let Some(first) = self.scope.labels.get(&name) {
            let error = Diagnostic::error(label.span, format!("the label `{name}` is there already"));
            self.errors.push(error.label(*first, "the first is here"));
        }
        self.scope.labels.insert(name.clone(), label.span);
        name
    }

    /// Says where the thread is; if nothing that others can see comes next, that is a step of its own.
    fn mark(&mut self, stmt: &Stmt<'_>) {
        if stmt.label.is_none() {
            return;
        }
        self.emit(Op::Mark(Mark::At(self.label.clone())), stmt.span);
        if !self.begins_with_access(stmt) {
            self.emit(Op::Mark(Mark::Step), stmt.span);
        }
    }

    fn begins_with_access(&self, stmt: &Stmt<'_>) -> bool {
        match &stmt.kind {
            StmtKind::Skip => false,
            StmtKind::Update { .. } => true,
            StmtKind::Assign { target, value, .. } => {
                self.program.object_named(target.text).is_some() || self.reads_first(value)
            }
            StmtKind::While { cond, .. }
            | StmtKind::If { cond, .. }
            | StmtKind::Assume(cond)
            | StmtKind::Assert(cond) => self.reads_first(cond),
        }
    }

    /// Whether an expression begins with a read whatever registers contain.
    fn reads_first(&self, expr: &Expr<'_>) -> bool {
        match &expr.kind {
            ExprKind::Int(_) => false,
            ExprKind::Name { name, .. } => self.program.object_named(name).is_some(),
            ExprKind::Not(inner) | ExprKind::Negate(inner) => self.reads_first(inner),
            ExprKind::Binary(Binary::And | Binary::Or, a, _) => self.reads_first(a),
            ExprKind::Binary(_, a, b) => self.reads_first(a) || self.reads_first(b),
        }
    }

    fn reads(&self, expr: &Expr<'_>) -> bool {
        match &expr.kind {
            ExprKind::Int(_) => false,
            ExprKind::Name { name, .. } => self.program.object_named(name).is_some(),
            ExprKind::Not(inner) | ExprKind::Negate(inner) => self.reads(inner),
            ExprKind::Binary(_, a, b) => self.reads(a) || self.reads(b),
        }
    }

    fn stmt(&mut self, stmt: &Stmt<'_>) {
        self.n_used = 0;
        if !matches!(stmt.kind, StmtKind::While { .. }) {
            self.mark(stmt);
        }
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Skip => {}
            StmtKind::Assign { target, release, value } => self.assign(target, *release, value, span),
            StmtKind::Update { result, target, op, args, order } => {
                self.update(result.as_ref(), target, *op, args, *order, span);
            }
            StmtKind::While { cond, body } => {
                let head = self.next_block();
                self.mark(stmt);
                let exits = self.jump(cond, span);
                let inside = self.block();
                self.stmts(body);
                let last = self.current();
                self.blocks[last].end = Terminator::Goto(head);
                let exit = self.block();
                self.patch(&exits, inside, exit, exit);
            }
            StmtKind::If { cond, then, els } => {
                let exits = self.jump(cond, span);
                let yes = self.block();
                self.stmts(then);
                let yes_end = self.current();
                let no = self.block();
                self.stmts(els);
                let join = self.next_block();
                self.blocks[yes_end].end = Terminator::Goto(join);
                self.patch(&exits, yes, no, join);
            }
            StmtKind::Assume(cond) => {
                let cond = self.truth(cond);
                self.emit(Op::Wait { cond, kind: Wait::Assume }, span);
            }
            StmtKind::Assert(cond) => {
                let exits = self.jump(cond, span);
                let fails = self.block();
                let message = Name::new("an assertion is false");
                self.emit(Op::Fail { failure: Failure::Assertion, message }, span);
                let goes_on = self.block();
                self.patch(&exits, goes_on, fails, goes_on);
            }
        }
    }

    fn assign(&mut self, target: &Word<'_>, release: Option<Span>, value: &Expr<'_>, span: Span) {
        if let Some(object) = self.program.object_named(target.text) {
            let value = self.number(value);
            let tags = self.tags(&["A", if release.is_some() { "REL" } else { "RLX" }]);
            self.emit(Op::Store { addr: Value::Addr(object, 0), value, size: SIZE, tags }, span);
            return;
        }
        if let Some(place) = release {
            let error = Diagnostic::error(place, format!("`{}` is a register: only writes release", target.text));
            self.errors.push(error.help("shared variables are declared by `init`"));
        }
        let Some(dst) = self.scope.registers.get(target.text).copied() else { return };
        if let ExprKind::Name { name, acquire } = &value.kind
            && let Some(object) = self.program.object_named(name)
        {
            self.load(dst, object, acquire.is_some(), span);
            return;
        }
        let value = self.number(value);
        self.emit(Op::Assign { dst, value }, span);
    }

    fn load(&mut self, dst: Reg, object: ObjectId, acquire: bool, span: Span) {
        let tags = self.tags(&["A", if acquire { "ACQ" } else { "RLX" }]);
        self.emit(Op::Load { dst, addr: Value::Addr(object, 0), size: SIZE, tags }, span);
    }

    fn update(
        &mut self,
        result: Option<&Word<'_>>,
        target: &Word<'_>,
        op: UpdateOp,
        args: &[Expr<'_>],
        order: MemoryOrder,
        span: Span,
    ) {
        let Some(object) = self.program.object_named(target.text) else {
            let error = Diagnostic::error(target.span, format!("there is no shared variable `{}`", target.text));
            self.errors.push(error.help("shared variables are declared by `init`"));
            return;
        };
        if let Some(result) = result.filter(|r| self.program.object_named(r.text).is_some()) {
            let error = Diagnostic::error(result.span, format!("`{}` is shared, and gets no result", result.text));
            self.errors.push(error.help("a register may: `r := x.swap(1);`"));
            return;
        }
        let args: Vec<Value> = args.iter().map(|arg| self.number(arg)).collect();
        let result = result.and_then(|r| self.scope.registers.get(r.text).copied());
        let mentions = |reg: Reg| {
            let mut found = false;
            args.iter().for_each(|arg| arg.visit_regs(&mut |r| found |= r == reg));
            found
        };
        // The old value arrives before the others are looked at.
        let apart = self.apart.contains(target.text);
        let temporary = |s: &mut Self| if apart { s.own_temporary() } else { s.temporary() };
        let old = result.filter(|reg| !mentions(*reg)).unwrap_or_else(|| temporary(self));
        let (guard, new) = match (op, args.as_slice()) {
            (UpdateOp::Cas, [expected, new]) => {
                (Some(Value::bin(BinOp::Eq, Value::Reg(old), expected.clone())), new.clone())
            }
            (UpdateOp::Faa, [add, ..]) => (None, Value::bin(BinOp::Add, Value::Reg(old), add.clone())),
            (_, [new, ..]) => (None, new.clone()),
            (_, []) => return,
        };
        let (read, write) = order.split();
        let tags = UpdateTags {
            read: self.tags(&["A", "X", "RMW", read.tag()]),
            write: self.tags(&["A", "X", "RMW", write.tag()]),
            fused: self.tags(&["A", "X", "RMW", order.tag()]),
            fail: self.tags(&["A", read.tag()]),
            fences: None,
        };
        self.emit(Op::Update { old, addr: Value::Addr(object, 0), size: SIZE, guard, new, tags }, span);
        if let Some(dst) = result.filter(|reg| *reg != old) {
            self.emit(Op::Assign { dst, value: Value::Reg(old) }, span);
        }
    }

    fn tags(&mut self, names: &[&str]) -> Tags {
        let mut tags: Tags = names.iter().map(|name| self.program.tag(name)).collect();
        tags.sort_unstable();
        tags
    }

    /// A register for a value that is used up within a statement. Few are enough for all.
    fn temporary(&mut self) -> Reg {
        if self.n_used == self.temporaries.len() {
            let name = Name::from(format!("%{}", self.n_used));
            self.temporaries.push(self.regs.push(RegInfo { name, width: WIDTH }));
        }
        self.n_used += 1;
        self.temporaries[self.n_used - 1]
    }

    /// The same, for nothing else.
    fn own_temporary(&mut self) -> Reg {
        let name = Name::from(format!("%own{}", self.regs.len()));
        self.regs.push(RegInfo { name, width: WIDTH })
    }

    /// Ends the current block with a branch, or several.
    fn jump(&mut self, cond: &Expr<'_>, span: Span) -> Exits {
        match &cond.kind {
            ExprKind::Not(inner) if self.reads(inner) => {
                let Exits { yes, no } = self.jump(inner, span);
                Exits { yes: no, no: yes }
            }
            ExprKind::Binary(operator @ (Binary::And | Binary::Or), a, b) if self.reads(b) => {
                let mut exits = self.jump(a, span);
                let second = self.block();
                let decided = if *operator == Binary::And { &mut exits.yes } else { &mut exits.no };
                let goes_on = std::mem::take(decided);
                self.set_targets(&goes_on, second);
                let more = self.jump(b, span);
                exits.yes.extend(more.yes);
                exits.no.extend(more.no);
                exits
            }
            _ => {
                let before = self.n_used;
                let cond = self.truth(cond);
                // The branch uses them up.
                self.n_used = before;
                let (at, instr) = (self.current(), self.instr());
                self.blocks[at].end = Terminator::Branch { cond, then: at, els: at, join: None, instr, span };
                Exits { yes: vec![(at, true)], no: vec![(at, false)] }
            }
        }
    }

    fn patch(&mut self, exits: &Exits, yes: BlockId, no: BlockId, joins: BlockId) {
        self.set_targets(&exits.yes, yes);
        self.set_targets(&exits.no, no);
        for (at, _) in exits.yes.iter().chain(&exits.no) {
            if let Terminator::Branch { join, .. } = &mut self.blocks[*at].end {
                *join = Some(joins);
            }
        }
    }

    fn set_targets(&mut self, exits: &[(BlockId, bool)], target: BlockId) {
        for (at, side) in exits {
            if let Terminator::Branch { then, els, join, .. } = &mut self.blocks[*at].end {
                *(if *side { then } else { els }) = target;
                *join = join.or(Some(target));
            }
        }
    }

    /// A condition, of width 1.
    fn truth(&mut self, expr: &Expr<'_>) -> Value {
        match &expr.kind {
            ExprKind::Int(n) => Value::int(i64::from(*n != 0), 1),
            ExprKind::Not(inner) => Value::un(UnOp::Not, self.truth(inner)),
            ExprKind::Binary(operator @ (Binary::And | Binary::Or), a, b) => {
                if self.reads(b) {
                    return Value::bin(BinOp::Ne, self.decided(expr), Value::int(0, WIDTH));
                }
                let (a, b) = (self.truth(a), self.truth(b));
                Value::bin(if *operator == Binary::And { BinOp::And } else { BinOp::Or }, a, b)
            }
            ExprKind::Binary(Binary::Compare(op), a, b) => {
                let (a, b) = (self.number(a), self.number(b));
                match op {
                    Comparison::Eq => Value::bin(BinOp::Eq, a, b),
                    Comparison::Ne => Value::bin(BinOp::Ne, a, b),
                    Comparison::Lt => Value::bin(BinOp::SLt, a, b),
                    Comparison::Le => Value::bin(BinOp::SLe, a, b),
                    Comparison::Gt => Value::bin(BinOp::SLt, b, a),
                    Comparison::Ge => Value::bin(BinOp::SLe, b, a),
                }
            }
            ExprKind::Name { .. } | ExprKind::Negate(_) | ExprKind::Binary(Binary::Add | Binary::Sub, ..) => {
                Value::bin(BinOp::Ne, self.number(expr), Value::int(0, WIDTH))
            }
        }
    }

    /// A number; conditions are 1 or 0.
    fn number(&mut self, expr: &Expr<'_>) -> Value {
        match &expr.kind {
            ExprKind::Int(n) => Value::int(i64::from(*n), WIDTH),
            ExprKind::Name { name, acquire } => self.named(name, *acquire, expr.span),
            ExprKind::Negate(inner) => Value::un(UnOp::Neg, self.number(inner)),
            ExprKind::Binary(operator @ (Binary::Add | Binary::Sub), a, b) => {
                let (a, b) = (self.number(a), self.number(b));
                Value::bin(if *operator == Binary::Add { BinOp::Add } else { BinOp::Sub }, a, b)
            }
            ExprKind::Binary(Binary::And | Binary::Or, _, b) if self.reads(b) => self.decided(expr),
            ExprKind::Not(_) | ExprKind::Binary(..) => self.truth(expr).zext(WIDTH),
        }
    }

    /// A register, or a temporary with what was read.
    fn named(&mut self, name: &str, acquire: Option<Span>, span: Span) -> Value {
        if let Some(object) = self.program.object_named(name) {
            let dst = if self.apart.contains(name) { self.own_temporary() } else { self.temporary() };
            self.load(dst, object, acquire.is_some(), span);
            return Value::Reg(dst);
        }
        if let Some(place) = acquire {
            let error = Diagnostic::error(place, format!("`{name}` is a register: only reads acquire"));
            self.errors.push(error.help("shared variables are declared by `init`"));
        }
        if let Some(reg) = self.scope.registers.get(name) {
            return Value::Reg(*reg);
        }
        let message =
            format!("there is no variable `{name}`: no `init` declares it, and nothing in this thread writes it");
        self.errors.push(Diagnostic::error(span, message));
        Value::int(0, WIDTH)
    }

    /// A condition whose right side may not be looked at, as a temporary that is 1 or 0.
    fn decided(&mut self, expr: &Expr<'_>) -> Value {
        let dst = self.temporary();
        let exits = self.jump(expr, expr.span);
        let yes = self.block();
        self.emit(Op::Assign { dst, value: Value::int(1, WIDTH) }, expr.span);
        let no = self.block();
        self.emit(Op::Assign { dst, value: Value::int(0, WIDTH) }, expr.span);
        let join = self.next_block();
        self.blocks[yes].end = Terminator::Goto(join);
        self.patch(&exits, yes, no, join);
        Value::Reg(dst)
    }
}
