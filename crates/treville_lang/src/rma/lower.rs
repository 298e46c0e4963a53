//! Statements to the graph of a process. It is built from the end, since a statement must know what comes after it.

use super::resolve::{Names, Resolved, Scope, Value};
use super::syntax::{Expr, Place, RemoteStmt, RemoteWord, Stmt, StmtKind};
use crate::lexer::Word;
use std::collections::{BTreeMap, BTreeSet};
use treville_base::{Diagnostic, IndexVec, Name, Span};
use treville_rma::{Cond, Linear, Node, NodeId, Op, ProcId, Remote, RemoteId, RemoteKind, Slot, SlotId, VarId};

/// One statement on elements of arrays is at most so many remote statements.
const MAX_CASES: usize = 64;

/// The remote statements of a program, in the order of the text.
#[derive(Debug, Default)]
pub(super) struct Remotes {
    pub(super) remotes: IndexVec<RemoteId, Remote>,
    pub(super) slots: IndexVec<SlotId, Slot>,
    /// What a statement at this place of the text is, under which conditions.
    cases: BTreeMap<u32, (SlotId, Vec<(Cond, RemoteId)>)>,
}

/// What is around a statement.
#[derive(Clone, Copy)]
struct Around {
    /// How many loops.
    depth: u32,
    /// The statement that it is but for labels, where that is a body without braces.
    body: Option<Span>,
}

impl Remotes {
    /// Adds those of a list of statements.
    pub(super) fn add(
        &mut self,
        stmts: &[Stmt<'_>],
        depth: u32,
        proc: ProcId,
        names: &Names<'_>,
        errors: &mut Vec<Diagnostic>,
    ) {
        for stmt in stmts {
            self.add_one(stmt, Around { depth, body: None }, proc, names, errors);
        }
    }

    fn add_one(
        &mut self,
        stmt: &Stmt<'_>,
        around: Around,
        proc: ProcId,
        names: &Names<'_>,
        errors: &mut Vec<Diagnostic>,
    ) {
        let body = if stmt.bare { Some(stmt.span) } else { around.body };
        if let StmtKind::Remote(remote) = &stmt.kind
            && let Err(error) = self.remote(stmt.span, remote, Around { body, ..around }, proc, names)
        {
            errors.push(error);
        }
        let labelled = matches!(stmt.kind, StmtKind::Labelled(..));
        for (part, in_loop) in stmt.kind.parts() {
            let around = Around { depth: around.depth + u32::from(in_loop), body: body.filter(|_| labelled) };
            self.add_one(part, around, proc, names, errors);
        }
    }

    fn remote(
        &mut self,
        span: Span,
        stmt: &RemoteStmt<'_>,
        around: Around,
        proc: ProcId,
        names: &Names<'_>,
    ) -> Resolved<()> {
        let scope = Scope::Process(proc);
        let target = names.proc(&stmt.target)?;
        let there = names.owned(&stmt.remote, target, "")?;
        let own = names.owned(&stmt.own, proc, ", which executes this")?;
        let operands = stmt.operands.iter().map(|e| names.number(e, scope)).collect::<Resolved<Vec<_>>>()?;
        let slot = self.slots.push(Slot { proc, target, span, body: around.body, depth: around.depth });
        let mut cases = Vec::new();
        for (cond, there) in names.cases(&stmt.remote, there, scope)? {
            for (also, own) in names.cases(&stmt.own, own, scope)? {
                let (kind, src, dst) = match stmt.kind {
                    RemoteWord::Put => (RemoteKind::Put, own, there),
                    RemoteWord::Get => (RemoteKind::Get, there, own),
                    RemoteWord::Rmw(rmw) => (RemoteKind::Rmw(rmw, operands.clone()), there, own),
                };
                let remote = self.remotes.push(Remote { proc, kind, src, dst, target, slot, span });
                cases.push((Cond::and([cond.clone(), also]), remote));
            }
        }
        if cases.len() > MAX_CASES {
            let message = format!("this is one of {} operations, and {MAX_CASES} are the most", cases.len());
            return Err(Diagnostic::error(span, message).help("smaller arrays"));
        }
        self.cases.insert(span.start, (slot, cases));
        Ok(())
    }
}

/// The graph of a process while it is made.
pub(super) struct Lower<'a, 'n> {
    pub(super) names: &'n Names<'a>,
    pub(super) remotes: &'n Remotes,
    pub(super) proc: ProcId,
    pub(super) nodes: IndexVec<NodeId, Node>,
    pub(super) labels: BTreeMap<Name, NodeId>,
    /// Assertions for indices that no element has.
    pub(super) out_of_bounds: BTreeSet<NodeId>,
    /// Jumps that wait for all labels to be known.
    gotos: Vec<(NodeId, Name, Span)>,
    /// Blocks of statements that are not interrupted, around here.
    atomic: u32,
    pub(super) errors: &'n mut Vec<Diagnostic>,
}

impl<'a, 'n> Lower<'a, 'n> {
    pub(super) fn new(
        names: &'n Names<'a>,
        remotes: &'n Remotes,
        proc: ProcId,
        errors: &'n mut Vec<Diagnostic>,
    ) -> Self {
        let (nodes, labels) = (IndexVec::new(), BTreeMap::new());
        Lower {
            names,
            remotes,
            proc,
            nodes,
            labels,
            out_of_bounds: BTreeSet::new(),
            gotos: Vec::new(),
            atomic: 0,
            errors,
        }
    }

    /// The entry of the graph of these statements.
    pub(super) fn process(&mut self, body: &[Stmt<'a>], span: Span) -> NodeId {
        let end = self.node(Op::End, span);
        let entry = self.list(body, end);
        for (node, label, span) in std::mem::take(&mut self.gotos) {
            match self.labels.get(&label) {
                Some(&target) => self.nodes[node].op = Op::Skip(target),
                None => self.errors.push(Diagnostic::error(span, format!("there is no label `{label}` here"))),
            }
        }
        entry
    }

    fn node(&mut self, op: Op, span: Span) -> NodeId {
        self.nodes.push(Node { op, span, atomic: self.atomic > 0 })
    }

    fn list(&mut self, stmts: &[Stmt<'a>], next: NodeId) -> NodeId {
        stmts.iter().rev().fold(next, |next, stmt| self.stmt(stmt, next))
    }

    fn stmt(&mut self, stmt: &Stmt<'a>, next: NodeId) -> NodeId {
        match self.lowered(stmt, next) {
            Ok(node) => node,
            Err(error) => {
                self.errors.push(error);
                next
            }
        }
    }

    fn scope(&self) -> Scope {
        Scope::Process(self.proc)
    }

    fn lowered(&mut self, stmt: &Stmt<'a>, next: NodeId) -> Resolved<NodeId> {
        let span = stmt.span;
        Ok(match &stmt.kind {
            StmtKind::Labelled(label, inner) => {
                let entry = self.stmt(inner, next);
                self.label(label, entry)?;
                entry
            }
            StmtKind::Skip => self.node(Op::Skip(next), span),
            StmtKind::Load { local, from } => {
                let local = self.names.local(local, self.proc)?;
                self.accessed(from, span, |shared| Op::Load { local, shared, next })?
            }
            StmtKind::Store { to, value } => self.store(to, value, span, next)?,
            StmtKind::Remote(_) => self.remote(span, next),
            StmtKind::Flush(target) => {
                let target = self.names.proc(target)?;
                self.node(Op::Flush { target, slot: None, next }, span)
            }
            StmtKind::Assign { local, value } => self.assign(local, value.as_ref(), span, next)?,
            StmtKind::Assume(cond) => {
                let cond = self.names.cond(cond, self.scope())?;
                self.node(Op::Assume { cond, next }, span)
            }
            StmtKind::Assert(cond) => {
                let cond = self.names.cond(cond, self.scope())?;
                self.node(Op::Assert { cond, next }, span)
            }
            StmtKind::If { cond, then, els } => {
                let then = self.list(then, next);
                let els = self.list(els, next);
                let op = self.branch(cond.as_ref(), then, els)?;
                self.node(op, span)
            }
            StmtKind::While { cond, body } => {
                let head = self.node(Op::Skip(next), span);
                let body = self.list(body, head);
                self.nodes[head].op = self.branch(cond.as_ref(), body, next)?;
                head
            }
            StmtKind::Do { body, cond } => {
                let test = self.node(Op::Skip(next), span);
                let body = self.list(body, test);
                self.nodes[test].op = self.branch(cond.as_ref(), body, next)?;
                body
            }
            StmtKind::Choose(many) => {
                let many = many.iter().map(|body| self.list(body, next)).collect();
                self.node(Op::Choose(many), span)
            }
            StmtKind::Goto(label) => {
                let node = self.node(Op::Skip(next), span);
                self.gotos.push((node, Name::new(label.text), label.span));
                node
            }
            StmtKind::Atomic(body) => {
                self.atomic += 1;
                let entry = self.list(body, next);
                self.atomic -= 1;
                self.node(Op::Skip(entry), span)
            }
        })
    }

    fn label(&mut self, label: &Word<'_>, entry: NodeId) -> Resolved<()> {
        if self.labels.insert(Name::new(label.text), entry).is_some() {
            return Err(Diagnostic::error(label.span, format!("the label `{}` is there twice", label.text)));
        }
        Ok(())
    }

    fn branch(&mut self, cond: Option<&Expr<'_>>, then: NodeId, els: NodeId) -> Resolved<Op> {
        let Some(cond) = cond else { return Ok(Op::Choose(vec![then, els])) };
        Ok(Op::Branch { cond: self.names.cond(cond, self.scope())?, then, els })
    }

    /// An access to one of the variables that a place may be.
    fn accessed(&mut self, place: &Place<'_>, span: Span, op: impl Fn(VarId) -> Op) -> Resolved<NodeId> {
        let named = self.names.owned(place, self.proc, ", which executes this")?;
        let cases = self.names.cases(place, named, self.scope())?;
        let nodes = cases.into_iter().map(|(cond, var)| (cond, op(var))).collect();
        Ok(self.one_of(nodes, span))
    }

    /// The operation whose condition holds; it is an error if there is none.
    fn one_of(&mut self, cases: Vec<(Cond, Op)>, span: Span) -> NodeId {
        let mut els = None;
        for (cond, op) in cases.into_iter().rev() {
            let then = self.node(op, span);
            els = Some(match cond {
                Cond::Const(true) => then,
                cond => {
                    let els = els.unwrap_or_else(|| self.out_of_range(span));
                    self.node(Op::Branch { cond, then, els }, span)
                }
            });
        }
        els.unwrap_or_else(|| self.out_of_range(span))
    }

    /// An index that no element has.
    fn out_of_range(&mut self, span: Span) -> NodeId {
        let end = self.node(Op::End, span);
        let failing = self.node(Op::Assert { cond: Cond::Const(false), next: end }, span);
        self.out_of_bounds.insert(failing);
        failing
    }

    fn store(&mut self, to: &Place<'_>, value: &Expr<'_>, span: Span, next: NodeId) -> Resolved<NodeId> {
        match self.names.value(value, self.scope())? {
            Value::Number(value) => self.accessed(to, span, |shared| Op::Store { shared, value: value.clone(), next }),
            Value::Truth(cond) => {
                let mut bit = |bit| {
                    let value = Linear::constant(bit);
                    self.accessed(to, span, |shared| Op::Store { shared, value: value.clone(), next })
                };
                let (then, els) = (bit(1)?, bit(0)?);
                Ok(self.node(Op::Branch { cond, then, els }, span))
            }
        }
    }

    fn assign(&mut self, local: &Word<'_>, value: Option<&Expr<'_>>, span: Span, next: NodeId) -> Resolved<NodeId> {
        let var = self.names.local(local, self.proc)?;
        let Some(value) = value else { return Ok(self.node(Op::Havoc { var, next }, span)) };
        let op = match self.names.value(value, self.scope())? {
            Value::Number(value) => Op::Assign { var, value, next },
            Value::Truth(cond) => {
                let mut bit = |bit| self.node(Op::Assign { var, value: Linear::constant(bit), next }, span);
                let (then, els) = (bit(1), bit(0));
                Op::Branch { cond, then, els }
            }
        };
        Ok(self.node(op, span))
    }

    fn remote(&mut self, span: Span, next: NodeId) -> NodeId {
        // What is missing has been said already.
        let Some((slot, cases)) = self.remotes.cases.get(&span.start) else { return next };
        let target = self.remotes.slots[*slot].target;
        let flush = self.node(Op::Flush { target, slot: Some(*slot), next }, span);
        let issue = |(cond, remote): &(Cond, RemoteId)| (cond.clone(), Op::Issue { remote: *remote, next: flush });
        self.one_of(cases.iter().map(issue).collect(), span)
    }
}
