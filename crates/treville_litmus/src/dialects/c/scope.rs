//! Macro calls in progress. Macros are not expanded into new trees: their bodies are lowered where they are called, and a
//! parameter is looked up in its call, whose arguments belong to the scope around the call.

use super::ast::{Expr, ExprKind};
use treville_base::{Diagnostic, Name, Span};

/// Where an expression stands: in the test itself, or in the body of a macro that is being called.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Scope<'e>(pub(super) Option<&'e Frame<'e>>);

#[derive(Clone, Copy, Debug)]
pub(super) struct Frame<'e> {
    pub(super) params: &'e [Name],
    pub(super) args: &'e [Expr],
    /// Of the call, in the outer scope.
    pub(super) call: Span,
    pub(super) outer: Scope<'e>,
}

impl<'e> Scope<'e> {
    /// What a name stands for: the argument of a macro, through any number of calls, or else itself.
    pub(super) fn resolve(self, mut expr: &'e Expr) -> (&'e Expr, Scope<'e>) {
        let mut scope = self;
        while let ExprKind::Name(name) = &expr.kind
            && let Some(frame) = scope.0
        {
            // A name of a macro that is no parameter of it belongs to the test.
            let Some(i) = frame.params.iter().position(|p| p == name) else { break };
            expr = &frame.args[i];
            scope = frame.outer;
        }
        (expr, scope)
    }

    /// An error about `span`, which is in this scope. Inside a macro the call in the test is the main place.
    pub(super) fn error(self, span: Span, message: impl Into<String>) -> Diagnostic {
        let Some(mut frame) = self.0 else { return Diagnostic::error(span, message) };
        while let Some(outer) = frame.outer.0 {
            frame = outer;
        }
        Diagnostic::error(frame.call, message).label(span, "in the macro that is called here")
    }
}
