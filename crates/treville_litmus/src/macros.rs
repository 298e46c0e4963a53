//! Macro files: how the functions of the Linux kernel are made of primitives, one definition after the other:
//!
//! ```text
//! READ_ONCE(X) __load{ONCE}(X)
//! smp_store_release(X,V) { __store{RELEASE}(*X,V); }
//! ```
//!
//! The body is one expression, or statements between braces. A file is parsed once and shared by all tests.

use crate::dialects::c::parse::{self, MacroDef};
use crate::dialects::c::{Expr, ExprKind, Stmt, StmtKind, tag_of};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use treville_base::{Diagnostic, FileId, Name};
use treville_ir::Dialect;

pub(crate) use crate::dialects::c::parse::MacroBody;

/// The definitions of a macro file.
#[derive(Clone, Debug)]
pub struct Macros {
    by_name: BTreeMap<Name, Macro>,
    /// Of tests that use them: it knows the tags that they give.
    pub(crate) dialect: Arc<Dialect>,
}

pub(crate) type Macro = MacroDef;

impl Macros {
    pub(crate) fn get(&self, name: &str) -> Option<&Macro> {
        self.by_name.get(name)
    }

    /// The names that are defined, in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(Name::as_str)
    }
}

/// Parses a macro file. Of two definitions of a name the later one counts.
pub fn parse_macros(file: FileId, text: &str) -> Result<Macros, Vec<Diagnostic>> {
    if u32::try_from(text.len()).is_err() {
        return Err(vec![Diagnostic::error(None, "the macro file is larger than 4 GiB")]);
    }
    let defs = parse::macro_defs(file, text)?;
    let mut tags = BTreeSet::new();
    for def in &defs {
        match &def.body {
            MacroBody::Expr(e) => tags_of_expr(e, &mut tags),
            MacroBody::Stmts(stmts) => stmts.iter().for_each(|s| tags_of_stmt(s, &mut tags)),
        }
    }
    let tags: Vec<Name> = tags.into_iter().collect();
    let by_name = defs.into_iter().map(|def| (def.name.clone(), def)).collect();
    Ok(Macros { by_name, dialect: Arc::new(Dialect::kernel(&tags)) })
}

/// The tags of all annotations in an expression.
fn tags_of_expr(e: &Expr, tags: &mut BTreeSet<Name>) {
    match &e.kind {
        ExprKind::Int(_) | ExprKind::Name(_) | ExprKind::Operator(_) => {}
        ExprKind::Deref(a)
        | ExprKind::AddressOf(a)
        | ExprKind::PointerCast(_, a)
        | ExprKind::Cast(_, a)
        | ExprKind::Unary(_, a) => {
            tags_of_expr(a, tags);
        }
        ExprKind::Index(a, b) | ExprKind::Binary(_, a, b) => {
            tags_of_expr(a, tags);
            tags_of_expr(b, tags);
        }
        ExprKind::Conditional(a, b, c) => [a, b, c].into_iter().for_each(|e| tags_of_expr(e, tags)),
        ExprKind::Call { annotations, args, .. } => {
            tags.extend(annotations.iter().map(|a| Name::from(tag_of(a))));
            args.iter().for_each(|e| tags_of_expr(e, tags));
        }
    }
}

fn tags_of_stmt(stmt: &Stmt, tags: &mut BTreeSet<Name>) {
    match &stmt.kind {
        StmtKind::Empty => {}
        StmtKind::Declare { init, .. } => init.iter().for_each(|e| tags_of_expr(e, tags)),
        StmtKind::Assign { target, value } => {
            tags_of_expr(target, tags);
            tags_of_expr(value, tags);
        }
        StmtKind::Expr(e) => tags_of_expr(e, tags),
        StmtKind::Block(body) => body.iter().for_each(|s| tags_of_stmt(s, tags)),
        StmtKind::If { cond, then, els } => {
            tags_of_expr(cond, tags);
            tags_of_stmt(then, tags);
            els.iter().for_each(|s| tags_of_stmt(s, tags));
        }
        StmtKind::While { cond, body } | StmtKind::DoWhile { body, cond } => {
            tags_of_expr(cond, tags);
            tags_of_stmt(body, tags);
        }
    }
}
