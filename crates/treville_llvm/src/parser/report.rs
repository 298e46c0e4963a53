//! What the parser says when it cannot go on.

use super::{Halt, MAX_ERRORS, Parser};
use crate::lexer::Kind;
use crate::types::TypeId;
use treville_base::{Diagnostic, Span};

impl Parser<'_> {
    /// The next token as a person would call it.
    fn found(&self) -> String {
        let text = self.token.text;
        match self.token.kind {
            Kind::End => "the end of the file".to_string(),
            Kind::Bad if text == "\"" => "a string that is not closed".to_string(),
            Kind::Bad | Kind::Word | Kind::Int | Kind::Float => format!("`{text}`"),
            Kind::Label => format!("`{text}:`"),
            Kind::Str => "a string".to_string(),
            Kind::Bytes => "`c\"…\"`".to_string(),
            Kind::LocalName | Kind::LocalNumber => format!("`%{text}`"),
            Kind::GlobalName | Kind::GlobalNumber => format!("`@{text}`"),
            Kind::AttributeGroup | Kind::Record => format!("`#{text}`"),
            Kind::Comdat => format!("`${text}`"),
            Kind::MetaNumber | Kind::MetaName => format!("`!{text}`"),
            Kind::Summary => format!("`^{text}`"),
            _ => format!("`{text}`"),
        }
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) -> Halt {
        if self.diagnostics.len() < MAX_ERRORS {
            self.diagnostics.push(diagnostic);
        }
        Halt
    }

    pub(super) fn error_at(&mut self, span: Span, message: impl Into<String>) -> Halt {
        self.report(Diagnostic::error(span, message))
    }

    /// An error at the next token.
    pub(super) fn error(&mut self, message: impl Into<String>) -> Halt {
        self.error_at(self.here(), message)
    }

    pub(super) fn expected(&mut self, what: &str) -> Halt {
        let message = format!("expected {what}, found {}", self.found());
        self.error(message)
    }

    pub(super) fn unsupported(&mut self, what: &str) -> Halt {
        self.error(format!("{what} is not supported"))
    }

    pub(super) fn unclosed(&mut self, open: Span) -> Halt {
        let message = format!("expected a closing bracket, found {}", self.found());
        let diagnostic = Diagnostic::error(self.here(), message).label(open, "the bracket is opened here");
        self.report(diagnostic)
    }

    /// Says that something has the wrong type.
    pub(super) fn mismatch(&mut self, span: Span, what: &str, expected: &str, found: TypeId) -> Halt {
        let found = self.types.display(found).to_string();
        self.error_at(span, format!("{what} must be {expected}, not `{found}`"))
    }
}
