//! Turns a thread of C into instructions: statements, control flow, variables and arithmetic. Memory accesses and calls
//! are in [`super::call`].
//!
//! Every value has the width of the test's *word* ([`super::word`]); where types are narrower, [`super::typing`] converts. The operands of an
//! operator are unsequenced: their accesses are related only through results. `&&`, `||` and `?:` sequence what follows
//! them, and branch if that accesses memory.

use super::ast::{Binary, CType, Expr, ExprKind, Function, Stmt, StmtKind, Unary};
use super::call::Call;
use super::scope::Scope;
use super::typing::{INT, common};
use super::{Context, ast};
use std::collections::{BTreeMap, BTreeSet};
use treville_base::{Diagnostic, Idx, IndexVec, Name, Span};
use treville_ir::{
    Block, BlockId, Expr as Value, Func, Inst, InstrId, ObjectId, Op, Program, Reg, RegInfo, TagId, Tags, Terminator,
};
use treville_term::{BinOp, Bv, Cast, UnOp};

/// How deep lowering may go: expressions and macros inside each other.
const MAX_DEPTH: u32 = 600;
/// How many nodes one thread may have once its macros are expanded.
const MAX_NODES: u32 = 200_000;

pub(super) type Lowered<T> = Result<T, Diagnostic>;

/// What a name of a thread stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Variable {
    /// A parameter: the address of a global. Never assigned.
    Global(ObjectId),
    Register(Reg),
}

/// A thread that was lowered.
#[derive(Clone, Debug)]
pub(super) struct Thread {
    pub(super) func: Func,
    pub(super) names: BTreeMap<Name, Variable>,
    /// Of declared names.
    pub(super) types: BTreeMap<Name, CType>,
    /// Parameters that the thread assigns to, so that they are registers.
    pub(super) init: Vec<(Reg, Value)>,
}

pub(super) struct Lowering<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) program: &'a mut Program,
    names: BTreeMap<Name, Variable>,
    /// The variables that the thread declares or sets, or that the initial state gives it.
    known: BTreeSet<Name>,
    /// How many `*` a name was declared with, if any.
    pointers: BTreeMap<Name, u8>,
    /// The types of declared names.
    pub(super) types: BTreeMap<Name, CType>,
    regs: IndexVec<Reg, RegInfo>,
    temporary_name: Name,
    blocks: IndexVec<BlockId, Block>,
    /// The blocks in the order of the text.
    placed: Vec<BlockId>,
    current: BlockId,
    instr: InstrId,
    next_instr: &'a mut u32,
    /// Of the statement in the test.
    span: Span,
    /// Whether everything that is emitted comes after what the statement did before.
    sequenced: bool,
    depth: u32,
    nodes: u32,
    pub(super) errors: Vec<Diagnostic>,
}

/// Lowers one thread. `globals` are the objects of its parameters, in order; `given` are variables of the initial state.
pub(super) fn thread(
    function: &Function,
    globals: &[ObjectId],
    mut given: BTreeSet<Name>,
    context: &Context<'_>,
    program: &mut Program,
    next_instr: &mut u32,
) -> Result<Thread, Vec<Diagnostic>> {
    let mut blocks = IndexVec::new();
    let current = blocks.push(Block { insts: Vec::new(), end: Terminator::End });
    set_names(&function.body, &mut given);
    let mut lowering = Lowering {
        known: given,
        context,
        program,
        names: BTreeMap::new(),
        pointers: BTreeMap::new(),
        types: BTreeMap::new(),
        regs: IndexVec::new(),
        temporary_name: Name::new("%"),
        blocks,
        placed: vec![current],
        current,
        instr: InstrId(*next_instr),
        next_instr,
        span: function.span,
        sequenced: false,
        depth: 0,
        nodes: 0,
        errors: Vec::new(),
    };
    let mut init = Vec::new();
    for (param, &object) in function.params.iter().zip(globals) {
        let pointers = param.ty.pointers.saturating_add(1);
        lowering.pointers.insert(param.name.clone(), pointers);
        lowering.types.insert(param.name.clone(), CType { pointers, ..param.ty });
        if assigns(&function.body, &param.name) {
            let reg = lowering.register(&param.name);
            init.push((reg, lowering.address_value(object)));
        } else {
            lowering.names.insert(param.name.clone(), Variable::Global(object));
        }
    }
    if let Err(error) = lowering.statements(&function.body, Scope::default()) {
        lowering.errors.push(error);
    }
    if !lowering.errors.is_empty() {
        return Err(lowering.errors);
    }
    let name = Name::from(format!("P{}", function.number));
    let blocks = in_order(lowering.blocks, &lowering.placed);
    let func = Func { name, params: Vec::new(), regs: lowering.regs, blocks };
    Ok(Thread { func, names: lowering.names, types: lowering.types, init })
}

/// Numbers the blocks in the given order, so that only loops jump backwards.
fn in_order(mut blocks: IndexVec<BlockId, Block>, order: &[BlockId]) -> IndexVec<BlockId, Block> {
    let mut number: IndexVec<BlockId, BlockId> = blocks.iter_enumerated().map(|(id, _)| id).collect();
    for (i, id) in order.iter().enumerate() {
        number[*id] = BlockId::from_usize(i);
    }
    let take = |id: &BlockId| {
        let empty = Block { insts: Vec::new(), end: Terminator::End };
        let mut block = std::mem::replace(&mut blocks[*id], empty);
        match &mut block.end {
            Terminator::Goto(to) => *to = number[*to],
            Terminator::Branch { then, els, join, .. } => {
                (*then, *els) = (number[*then], number[*els]);
                *join = join.map(|j| number[j]);
            }
            Terminator::End | Terminator::Exit(_) | Terminator::Return(_) | Terminator::ExitProcess => {}
        }
        block
    };
    order.iter().map(take).collect()
}

/// Collects the names that statements declare or assign to.
fn set_names(stmts: &[Stmt], names: &mut BTreeSet<Name>) {
    for stmt in stmts {
        match &stmt.kind {
            StmtKind::Empty | StmtKind::Expr(_) => {}
            StmtKind::Declare { name, .. } => drop(names.insert(name.clone())),
            StmtKind::Assign { target, .. } => {
                if let ExprKind::Name(name) = &target.kind {
                    names.insert(name.clone());
                }
            }
            StmtKind::Block(body) => set_names(body, names),
            StmtKind::If { then, els, .. } => {
                [Some(then), els.as_ref()]
                    .into_iter()
                    .flatten()
                    .for_each(|s| set_names(std::slice::from_ref(s), names));
            }
            StmtKind::While { body, .. } | StmtKind::DoWhile { body, .. } => {
                set_names(std::slice::from_ref(body), names);
            }
        }
    }
}

/// Whether a statement declares or assigns to `name`.
fn assigns(stmts: &[Stmt], name: &Name) -> bool {
    stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Empty | StmtKind::Expr(_) => false,
        StmtKind::Declare { name: n, .. } => n == name,
        StmtKind::Assign { target, .. } => matches!(&target.kind, ExprKind::Name(n) if n == name),
        StmtKind::Block(body) => assigns(body, name),
        StmtKind::If { then, els, .. } => {
            assigns(std::slice::from_ref(then), name)
                || els.as_ref().is_some_and(|e| assigns(std::slice::from_ref(e), name))
        }
        StmtKind::While { body, .. } | StmtKind::DoWhile { body, .. } => assigns(std::slice::from_ref(body), name),
    })
}

/// Emitting.
impl Lowering<'_> {
    pub(super) fn width(&self) -> u8 {
        8 * self.context.word
    }

    /// Begins a new instruction: what is emitted from here on is one statement (or condition).
    fn begin(&mut self, span: Span, scope: Scope<'_>) {
        self.instr = InstrId(*self.next_instr);
        *self.next_instr += 1;
        self.sequenced = false;
        if scope.0.is_none() {
            self.span = span;
        }
    }

    pub(super) fn emit(&mut self, op: Op) {
        let inst = Inst { op, instr: self.instr, sequenced: self.sequenced, span: self.span };
        self.blocks[self.current].insts.push(inst);
    }

    /// How many instructions there are so far.
    pub(super) fn n_insts(&self) -> usize {
        self.blocks.iter().map(|block| block.insts.len()).sum()
    }

    /// What `emit` emits comes after everything that the statement did so far.
    pub(super) fn after<T>(&mut self, emit: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.sequenced, true);
        let result = emit(self);
        self.sequenced = before;
        result
    }

    pub(super) fn block(&mut self) -> BlockId {
        self.blocks.push(Block { insts: Vec::new(), end: Terminator::End })
    }

    /// Ends the current block and goes on with `next`.
    pub(super) fn end_with(&mut self, end: Terminator, next: BlockId) {
        self.blocks[self.current].end = end;
        self.placed.push(next);
        self.current = next;
    }

    pub(super) fn branch(&mut self, cond: Value, then: BlockId, els: BlockId, join: BlockId, next: BlockId) {
        let end = Terminator::Branch { cond, then, els, join: Some(join), instr: self.instr, span: self.span };
        self.end_with(end, next);
    }

    /// Emits what `then` emits, to happen only if `cond` is `when`.
    pub(super) fn only_if<T>(
        &mut self,
        cond: Value,
        when: bool,
        then: impl FnOnce(&mut Self) -> Lowered<T>,
    ) -> Lowered<T> {
        let (inside, join) = (self.block(), self.block());
        let (yes, no) = if when { (inside, join) } else { (join, inside) };
        self.branch(cond, yes, no, join, inside);
        let result = self.after(then);
        self.end_with(Terminator::Goto(join), join);
        result
    }

    /// A register of the thread, made if it is new.
    fn register(&mut self, name: &Name) -> Reg {
        if let Some(Variable::Register(reg)) = self.names.get(name) {
            return *reg;
        }
        let reg = self.regs.push(RegInfo { name: name.clone(), width: self.width() });
        self.names.insert(name.clone(), Variable::Register(reg));
        reg
    }

    pub(super) fn temporary(&mut self, width: u8) -> Reg {
        self.regs.push(RegInfo { name: self.temporary_name.clone(), width })
    }

    /// Sorted ids of tags.
    pub(super) fn tags<'n>(&mut self, names: impl IntoIterator<Item = &'n str>) -> Tags {
        let mut tags: Vec<TagId> = names.into_iter().map(|n| self.program.tag(n)).collect();
        tags.sort_unstable();
        tags.dedup();
        tags
    }

    /// Goes one level deeper, and stops what would go too deep or grow too large. A level that is left by an error is
    /// forgotten with its statement.
    pub(super) fn enter(&mut self, span: Span, scope: Scope<'_>) -> Lowered<()> {
        if self.deeper() {
            return Ok(());
        }
        Err(if self.nodes > MAX_NODES {
            scope.error(span, "the thread is too large once its macros are expanded")
        } else {
            scope.error(span, "expressions and macros are nested too deeply")
        })
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    pub(super) fn deeper(&mut self) -> bool {
        self.nodes += 1;
        let allowed = self.depth < MAX_DEPTH && self.nodes <= MAX_NODES;
        self.depth += u32::from(allowed);
        allowed
    }
}

/// Statements.
impl Lowering<'_> {
    /// Lowers statements one by one. In the test itself, an error in one does not hide those in the next.
    pub(super) fn statements(&mut self, stmts: &[Stmt], scope: Scope<'_>) -> Lowered<()> {
        for stmt in stmts {
            let depth = self.depth;
            if let Err(error) = self.statement(stmt, scope) {
                if scope.0.is_some() || self.nodes > MAX_NODES {
                    return Err(error);
                }
                self.depth = depth;
                self.errors.push(error);
            }
        }
        Ok(())
    }

    fn statement(&mut self, stmt: &Stmt, scope: Scope<'_>) -> Lowered<()> {
        self.enter(stmt.span, scope)?;
        match &stmt.kind {
            StmtKind::Empty => {}
            StmtKind::Declare { ty, name, init } => {
                self.declare(ty, name);
                if let Some(init) = init {
                    self.begin(stmt.span, scope);
                    let value = self.value_as(*ty, init, scope)?;
                    self.assign(name, value);
                }
            }
            StmtKind::Assign { target, value } => self.assignment(target, value, stmt.span, scope)?,
            StmtKind::Expr(e) => {
                self.begin(stmt.span, scope);
                match scope.resolve(e) {
                    (e @ Expr { kind: ExprKind::Call { .. }, .. }, scope) => {
                        self.call(e, scope)?;
                    }
                    (e, scope) => {
                        self.value(e, scope)?;
                    }
                }
            }
            StmtKind::Block(body) => self.statements(body, scope)?,
            StmtKind::If { cond, then, els } => self.if_statement(cond, then, els.as_deref(), scope)?,
            StmtKind::While { cond, body } => self.while_statement(cond, body, scope)?,
            StmtKind::DoWhile { body, cond } => self.do_statement(body, cond, scope)?,
        }
        self.leave();
        Ok(())
    }

    fn declare(&mut self, ty: &CType, name: &Name) {
        self.pointers.insert(name.clone(), ty.pointers);
        self.types.insert(name.clone(), *ty);
        self.register(name);
    }

    fn assignment(&mut self, target: &Expr, value: &Expr, span: Span, scope: Scope<'_>) -> Lowered<()> {
        self.begin(span, scope);
        let (target, inner) = scope.resolve(target);
        match &target.kind {
            ExprKind::Name(name) => {
                let ty = self.types.get(name).copied().unwrap_or(INT);
                let value = self.value_as(ty, value, scope)?;
                if let Some(Variable::Global(_)) = self.names.get(name) {
                    return Err(inner.error(target.span, format!("a macro cannot assign to the parameter `{name}`")));
                }
                self.assign(name, value);
            }
            _ => {
                let addr = self.place(target, inner)?;
                let ty = self.type_of(target, inner);
                let value = self.value_as(ty, value, scope)?;
                let tags = self.plain_tags();
                self.emit(Op::Store { addr, value, size: self.context.word, tags });
            }
        }
        Ok(())
    }

    /// Assigns to a variable. A load that was made for this alone is made to go there.
    fn assign(&mut self, name: &Name, value: Value) {
        let reg = self.register(name);
        if let Value::Reg(temporary) = value
            && self.regs[temporary].is_temporary()
            && let Some(Inst { op: Op::Load { dst, .. }, .. }) = self.blocks[self.current].insts.last_mut()
            && *dst == temporary
        {
            *dst = reg;
            return;
        }
        self.emit(Op::Assign { dst: reg, value });
    }

    fn if_statement(&mut self, cond: &Expr, then: &Stmt, els: Option<&Stmt>, scope: Scope<'_>) -> Lowered<()> {
        self.begin(cond.span, scope);
        let cond = self.cond(cond, scope)?;
        let (yes, join) = (self.block(), self.block());
        let no = if els.is_some() { self.block() } else { join };
        self.branch(cond, yes, no, join, yes);
        self.statements(std::slice::from_ref(then), scope)?;
        self.end_with(Terminator::Goto(join), no);
        if let Some(els) = els {
            self.statements(std::slice::from_ref(els), scope)?;
            self.end_with(Terminator::Goto(join), join);
        }
        Ok(())
    }

    fn while_statement(&mut self, cond: &Expr, body: &Stmt, scope: Scope<'_>) -> Lowered<()> {
        let (head, inside, exit) = (self.block(), self.block(), self.block());
        self.end_with(Terminator::Goto(head), head);
        self.begin(cond.span, scope);
        let cond = self.cond(cond, scope)?;
        self.branch(cond, inside, exit, exit, inside);
        self.statements(std::slice::from_ref(body), scope)?;
        self.end_with(Terminator::Goto(head), exit);
        Ok(())
    }

    fn do_statement(&mut self, body: &Stmt, cond: &Expr, scope: Scope<'_>) -> Lowered<()> {
        let (head, exit) = (self.block(), self.block());
        self.end_with(Terminator::Goto(head), head);
        self.statements(std::slice::from_ref(body), scope)?;
        self.begin(cond.span, scope);
        let cond = self.cond(cond, scope)?;
        self.branch(cond, head, exit, exit, exit);
        Ok(())
    }
}

/// Expressions.
impl Lowering<'_> {
    /// The value of an expression, one word wide.
    pub(super) fn value(&mut self, e: &Expr, scope: Scope<'_>) -> Lowered<Value> {
        self.enter(e.span, scope)?;
        let (e, scope) = scope.resolve(e);
        let value = match &e.kind {
            ExprKind::Int(n) => self.constant(*n),
            ExprKind::Name(name) => {
                if scope.0.is_none() && !self.known.contains(name) && !self.names.contains_key(name) {
                    let unknown = scope.error(e.span, format!("`{name}` is not declared in this thread"));
                    return Err(unknown.help("a global is a parameter of each thread that uses it"));
                }
                self.variable(name)
            }
            ExprKind::Deref(_) | ExprKind::Index(..) => {
                let addr = self.place(e, scope)?;
                let tags = self.plain_tags();
                self.load(addr, tags)
            }
            ExprKind::AddressOf(of) => match scope.resolve(of) {
                (Expr { kind: ExprKind::Name(name), span, .. }, scope) => {
                    return Err(scope.error(*span, format!("the address of the variable `{name}` cannot be taken")));
                }
                (of, scope) => {
                    let addr = self.place(of, scope)?;
                    self.word_of(addr)
                }
            },
            ExprKind::PointerCast(_, e) => self.value(e, scope)?,
            ExprKind::Cast(ty, e) => self.value_as(*ty, e, scope)?,
            ExprKind::Unary(op, a) => match op {
                Unary::Negate | Unary::Complement => {
                    let operator = if *op == Unary::Negate { UnOp::Neg } else { UnOp::Not };
                    let (value, ty) = (Value::un(operator, self.value(a, scope)?), self.type_of(e, scope));
                    self.wrapped(value, ty)
                }
                Unary::Not => self.cond(e, scope)?.zext(self.width()),
            },
            ExprKind::Binary(op, a, b) => match arithmetic(*op) {
                Some(operator) => self.arithmetic(*op, operator, (a, b), scope)?,
                None => self.cond(e, scope)?.zext(self.width()),
            },
            ExprKind::Conditional(c, a, b) => {
                let ty = self.type_of(e, scope);
                self.conditional(c, (a, b), ty, scope)?
            }
            ExprKind::Call { name, .. } => match self.call(e, scope)? {
                Call::Value(value) => value,
                Call::Nothing => return Err(scope.error(e.span, format!("`{name}` gives no value"))),
            },
            ExprKind::Operator(_) => return Err(scope.error(e.span, "an operator is not a value")),
        };
        self.leave();
        Ok(value)
    }

    /// Whether an expression is true, one bit wide.
    pub(super) fn cond(&mut self, e: &Expr, scope: Scope<'_>) -> Lowered<Value> {
        self.enter(e.span, scope)?;
        let (e, scope) = scope.resolve(e);
        let value = match &e.kind {
            ExprKind::Unary(Unary::Not, a) => Value::un(UnOp::Not, self.cond(a, scope)?),
            ExprKind::Binary(op @ (Binary::And | Binary::Or), a, b) => self.logic(*op, a, b, scope)?,
            ExprKind::Binary(op, a, b) if arithmetic(*op).is_none() => {
                let ty = common(self.type_of(a, scope), self.type_of(b, scope));
                let (a, b) = (self.value_as(ty, a, scope)?, self.value_as(ty, b, scope)?);
                // Addresses are small: either order will do.
                let signed = ty.signed || ty.pointers > 0;
                let (less, at_most) = if signed { (BinOp::SLt, BinOp::SLe) } else { (BinOp::ULt, BinOp::ULe) };
                let (op, a, b) = match op {
                    Binary::Ne => (BinOp::Ne, a, b),
                    Binary::Lt => (less, a, b),
                    Binary::Gt => (less, b, a),
                    Binary::Le => (at_most, a, b),
                    Binary::Ge => (at_most, b, a),
                    _ => (BinOp::Eq, a, b),
                };
                Value::bin(op, a, b)
            }
            _ => match self.value(e, scope)? {
                // A truth value that was made a word.
                Value::Cast(Cast::Zero, _, bit) if !matches!(*bit, Value::Addr(..)) => *bit,
                value => Value::bin(BinOp::Ne, value, self.constant(0)),
            },
        };
        self.leave();
        Ok(value)
    }

    /// `a && b`, `a || b`.
    fn logic(&mut self, op: Binary, a: &Expr, b: &Expr, scope: Scope<'_>) -> Lowered<Value> {
        let left = self.cond(a, scope)?;
        if !self.acts(b, scope) {
            let operator = if op == Binary::And { BinOp::And } else { BinOp::Or };
            return Ok(Value::bin(operator, left, self.cond(b, scope)?));
        }
        let result = self.temporary(1);
        self.emit(Op::Assign { dst: result, value: left });
        self.only_if(Value::Reg(result), op == Binary::And, |l| {
            let right = l.cond(b, scope)?;
            l.emit(Op::Assign { dst: result, value: right });
            Ok(())
        })?;
        Ok(Value::Reg(result))
    }

    /// `c ? a : b`.
    fn conditional(&mut self, c: &Expr, (a, b): (&Expr, &Expr), ty: CType, scope: Scope<'_>) -> Lowered<Value> {
        let cond = self.cond(c, scope)?;
        if !self.acts(a, scope) && !self.acts(b, scope) {
            return Ok(Value::ite(cond, self.value_as(ty, a, scope)?, self.value_as(ty, b, scope)?));
        }
        let (chosen, result) = (self.temporary(1), self.temporary(self.width()));
        self.emit(Op::Assign { dst: chosen, value: cond });
        for (when, side) in [(true, a), (false, b)] {
            self.only_if(Value::Reg(chosen), when, |l| {
                let value = l.value_as(ty, side, scope)?;
                l.emit(Op::Assign { dst: result, value });
                Ok(())
            })?;
        }
        Ok(Value::Reg(result))
    }

    /// Whether evaluating an expression does more than compute.
    fn acts(&mut self, e: &Expr, scope: Scope<'_>) -> bool {
        let (e, scope) = scope.resolve(e);
        if !self.deeper() {
            return false;
        }
        let acts = match &e.kind {
            ExprKind::Int(_) | ExprKind::Name(_) | ExprKind::Operator(_) => false,
            ExprKind::Deref(_) | ExprKind::Index(..) | ExprKind::Call { .. } => true,
            ExprKind::AddressOf(a) | ExprKind::PointerCast(_, a) | ExprKind::Cast(_, a) | ExprKind::Unary(_, a) => {
                self.acts(a, scope)
            }
            ExprKind::Binary(_, a, b) => self.acts(a, scope) || self.acts(b, scope),
            ExprKind::Conditional(a, b, c) => [a, b, c].iter().any(|e| self.acts(e, scope)),
        };
        self.leave();
        acts
    }

    /// An arithmetic operation. As in C, what is added to a pointer counts elements.
    fn arithmetic(&mut self, op: Binary, operator: BinOp, (a, b): (&Expr, &Expr), scope: Scope<'_>) -> Lowered<Value> {
        let pointers = match op {
            Binary::Add | Binary::Sub => (self.is_pointer(a, scope), self.is_pointer(b, scope)),
            _ => (false, false),
        };
        let (left, right) = (self.type_of(a, scope), self.type_of(b, scope));
        let shifts = matches!(op, Binary::Shl | Binary::Shr);
        let ty = if shifts { common(left, left) } else { common(left, right) };
        let as_is = pointers != (false, false);
        let a = if as_is { self.value(a, scope)? } else { self.value_as(ty, a, scope)? };
        let b = if as_is || shifts { self.value(b, scope)? } else { self.value_as(ty, b, scope)? };
        let operator = if ty.signed || ty.pointers > 0 { operator } else { unsigned(operator) };
        Ok(match pointers {
            (true, false) => self.offset(operator, a, b),
            (false, true) if op == Binary::Add => self.offset(operator, b, a),
            (true, true) if op == Binary::Sub => {
                Value::bin(BinOp::SDiv, Value::bin(operator, a, b), self.constant(i128::from(self.context.word)))
            }
            (false, false) => self.wrapped(Value::bin(operator, a, b), ty),
            _ => Value::bin(operator, a, b),
        })
    }

    /// The value of an expression, converted to a type.
    pub(super) fn value_as(&mut self, ty: CType, e: &Expr, scope: Scope<'_>) -> Lowered<Value> {
        let (value, from) = (self.value(e, scope)?, self.type_of(e, scope));
        Ok(self.converted(value, from, ty))
    }

    /// The type of what a pointer points to.
    pub(super) fn pointee(&mut self, pointer: &Expr, scope: Scope<'_>) -> CType {
        let ty = self.type_of(pointer, scope);
        CType { pointers: ty.pointers.saturating_sub(1), ..ty }
    }

    /// `count` elements before or after `pointer`.
    pub(super) fn offset(&self, operator: BinOp, pointer: Value, count: Value) -> Value {
        let word = i64::from(self.context.word);
        let object = match &pointer {
            Value::Addr(object, at) => Some((*object, *at)),
            Value::Cast(Cast::Zero, _, inner) => match **inner {
                Value::Addr(object, at) => Some((object, at)),
                _ => None,
            },
            _ => None,
        };
        if let (Some((object, at)), Value::Const(n)) = (object, &count)
            && let Some(bytes) = i64::try_from(n.signed()).ok().and_then(|n| n.checked_mul(word))
        {
            let at = if operator == BinOp::Sub { at.wrapping_sub(bytes) } else { at.wrapping_add(bytes) };
            return self.word_of(Value::Addr(object, at));
        }
        let bytes = match count {
            Value::Const(n) => Value::Const(BinOp::Mul.eval(n, Bv::from_i64(word, n.width()))),
            count => Value::bin(BinOp::Mul, count, self.constant(i128::from(word))),
        };
        Value::bin(operator, pointer, bytes)
    }

    pub(super) fn is_pointer(&mut self, e: &Expr, scope: Scope<'_>) -> bool {
        self.pointer_depth(e, scope) > 0
    }

    /// How many `*` the type of an expression has, as far as declarations tell.
    fn pointer_depth(&mut self, e: &Expr, scope: Scope<'_>) -> u8 {
        let (e, scope) = scope.resolve(e);
        if !self.deeper() {
            return 0;
        }
        let depth = match &e.kind {
            ExprKind::Name(name) => self.pointers.get(name).copied().unwrap_or(0),
            ExprKind::PointerCast(..) => 1,
            ExprKind::AddressOf(a) => self.pointer_depth(a, scope).saturating_add(1),
            ExprKind::Deref(a) | ExprKind::Index(a, _) => self.pointer_depth(a, scope).saturating_sub(1),
            ExprKind::Binary(Binary::Add | Binary::Sub, a, b) => {
                self.pointer_depth(a, scope).max(self.pointer_depth(b, scope))
            }
            _ => 0,
        };
        self.leave();
        depth
    }

    pub(super) fn constant(&self, n: i128) -> Value {
        Value::Const(Bv::new(n as u128, self.width()))
    }

    fn variable(&mut self, name: &Name) -> Value {
        match self.names.get(name) {
            Some(Variable::Global(object)) => self.address_value(*object),
            _ => Value::Reg(self.register(name)),
        }
    }

    /// The address of a global as a value.
    fn address_value(&self, object: ObjectId) -> Value {
        self.word_of(Value::Addr(object, 0))
    }

    /// An address (64 bits) as a word. Addresses of objects fit in 31 bits.
    fn word_of(&self, addr: Value) -> Value {
        if self.width() == 64 { addr } else { addr.zext(self.width()) }
    }

    /// A word as an address.
    pub(super) fn address_of(&self, value: Value) -> Value {
        match value {
            Value::Cast(Cast::Zero, _, inner) if matches!(*inner, Value::Addr(..)) => *inner,
            value if self.width() == 64 => value,
            value => value.zext(64),
        }
    }
}

/// The same operator for unsigned operands.
fn unsigned(operator: BinOp) -> BinOp {
    match operator {
        BinOp::AShr => BinOp::LShr,
        BinOp::SDiv => BinOp::UDiv,
        BinOp::SRem => BinOp::URem,
        other => other,
    }
}

/// The operators that give a word; the others give a truth value.
fn arithmetic(op: ast::Binary) -> Option<BinOp> {
    Some(match op {
        Binary::BitOr => BinOp::Or,
        Binary::BitXor => BinOp::Xor,
        Binary::BitAnd => BinOp::And,
        Binary::Shl => BinOp::Shl,
        Binary::Shr => BinOp::AShr,
        Binary::Add => BinOp::Add,
        Binary::Sub => BinOp::Sub,
        Binary::Mul => BinOp::Mul,
        Binary::Div => BinOp::SDiv,
        Binary::Rem => BinOp::SRem,
        Binary::Or | Binary::And | Binary::Eq | Binary::Ne | Binary::Lt | Binary::Gt | Binary::Le | Binary::Ge => {
            return None;
        }
    })
}
