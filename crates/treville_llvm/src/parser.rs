//! Text to a module, by recursive descent with one token of lookahead. One file for each family of the grammar.
//!
//! Names may be used before they are defined: a use makes the id, the definition fills it in, and what is missing in the
//! end is reported. After an error, reading goes on with the next function or global.

mod arith;
mod attributes;
mod body;
mod call;
mod constants;
mod control;
mod globals;
mod memory;
mod metadata;
mod report;
mod toplevel;
mod types;

use crate::constant::{ConstId, ConstKind, Constant};
use crate::debug::{Field, Sources};
use crate::layout::{Layout, Rules};
use crate::lexer::{Kind, Lexer, Token};
use crate::module::{Attributes, Global, GlobalId, Module};
use crate::types::{TypeId, Types};
use crate::validate::validate;
use body::FunctionState;
use metadata::Attached;
use rustc_hash::FxHashMap;
use treville_base::{Cancel, Diagnostic, FileId, IndexVec, Name, Span};

/// Something was wrong and has been reported.
#[derive(Clone, Copy, Debug)]
struct Halt;

type Parse<T> = Result<T, Halt>;

/// Of types in types, constants in constants.
const MAX_DEPTH: u32 = 200;
const MAX_ERRORS: usize = 20;

/// A global: first its uses, then its definition.
struct Slot {
    name: Name,
    first_use: Span,
    global: Option<Global>,
}

/// How a name is written; the text is as in the source, with escapes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Key<'a> {
    Name(&'a str),
    Number(u32),
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    token: Token<'a>,
    /// The end of the token before.
    last_end: u32,
    file: FileId,
    diagnostics: Vec<Diagnostic>,
    depth: u32,
    cancel: &'a Cancel,
    /// It was cancelled: what was read is not all.
    stopped: bool,

    source_file: Option<Name>,
    triple: Option<Name>,
    rules: Rules,
    types: Types,
    named_types: FxHashMap<Key<'a>, TypeId>,
    constants: IndexVec<ConstId, Constant>,
    known_constants: FxHashMap<Constant, ConstId>,
    /// Constant address computations, which are checked when all types are known.
    geps: Vec<(ConstId, Span)>,
    /// Indexed by [`GlobalId`].
    globals: Vec<Slot>,
    global_ids: FxHashMap<Key<'a>, GlobalId>,
    groups: FxHashMap<u32, Attributes>,
    asm: Vec<String>,
    sources: Sources<'a>,

    function: FunctionState<'a>,
    attached: Attached,
    /// Fields of the metadata nodes that are being read.
    scratch: Vec<Field<'a>>,
}

/// Reads a module. `file` is what the places of messages refer to.
///
/// # Errors
/// Everything that is wrong with the text, up to a limit; or that it uses what is not supported.
pub fn parse(file: FileId, text: &str) -> Result<Module, Vec<Diagnostic>> {
    parse_unless(&Cancel::new(), file, text)
}

/// The same, unless that is cancelled: large modules take seconds.
///
/// # Errors
/// As [`parse`], or that it was cancelled; callers know why.
pub fn parse_unless(cancel: &Cancel, file: FileId, text: &str) -> Result<Module, Vec<Diagnostic>> {
    if u32::try_from(text.len()).is_err() {
        return Err(vec![Diagnostic::error(None, "the file is larger than 4 GB")]);
    }
    let mut parser = Parser::new(cancel, file, text);
    parser.module();
    parser.finish()
}

/// A global under its name in C. After a byte of value 1 stands its name for the linker.
fn in_c(global: Global, underscores: bool) -> Option<Global> {
    let name = match global.name.strip_prefix('\u{1}') {
        Some(linked) => Name::new(linked.strip_prefix('_').filter(|_| underscores).unwrap_or(linked)),
        None => global.name,
    };
    Some(Global { name, ..global })
}

impl<'a> Parser<'a> {
    fn new(cancel: &'a Cancel, file: FileId, text: &'a str) -> Self {
        let mut lexer = Lexer::new(text);
        let token = lexer.next();
        Parser {
            lexer,
            token,
            last_end: 0,
            file,
            diagnostics: Vec::new(),
            depth: 0,
            cancel,
            stopped: false,
            source_file: None,
            triple: None,
            rules: Rules::x86_64(),
            types: Types::new(),
            named_types: FxHashMap::default(),
            constants: IndexVec::new(),
            known_constants: FxHashMap::default(),
            geps: Vec::new(),
            globals: Vec::new(),
            global_ids: FxHashMap::default(),
            groups: FxHashMap::default(),
            asm: Vec::new(),
            sources: Sources::default(),
            function: FunctionState::default(),
            attached: Attached::default(),
            scratch: Vec::new(),
        }
    }

    fn finish(mut self) -> Result<Module, Vec<Diagnostic>> {
        if self.goes_on().is_err() {
            return Err(vec![Diagnostic::error(None, "stopped")]);
        }
        self.report_undefined_globals();
        self.apply_groups();
        if !self.diagnostics.is_empty() {
            return Err(self.diagnostics);
        }
        let debug = self.sources.build(&mut self.diagnostics);
        let underscores = self.rules.underscores;
        let module = Module {
            source_file: self.source_file,
            triple: self.triple,
            layout: Layout::new(&self.types, self.rules),
            types: self.types,
            constants: self.constants,
            globals: self.globals.into_iter().filter_map(|slot| in_c(slot.global?, underscores)).collect(),
            asm: self.asm,
            debug,
        };
        self.diagnostics.extend(validate(&module, &self.geps, self.cancel));
        self.diagnostics.sort_by_key(|d| d.span);
        self.diagnostics.truncate(MAX_ERRORS);
        if self.diagnostics.is_empty() { Ok(module) } else { Err(self.diagnostics) }
    }

    /// An error once the reading is cancelled.
    fn goes_on(&mut self) -> Parse<()> {
        self.stopped |= self.cancel.is_stopped();
        if self.stopped { Err(Halt) } else { Ok(()) }
    }

    // Tokens

    fn bump(&mut self) -> Token<'a> {
        let token = self.token;
        self.last_end = token.end;
        self.token = self.lexer.next();
        token
    }

    fn at(&self, kind: Kind) -> bool {
        self.token.kind == kind
    }

    fn eat(&mut self, kind: Kind) -> bool {
        let found = self.at(kind);
        if found {
            self.bump();
        }
        found
    }

    fn expect(&mut self, kind: Kind, what: &str) -> Parse<Token<'a>> {
        if self.at(kind) { Ok(self.bump()) } else { Err(self.expected(what)) }
    }

    fn at_word(&self, word: &str) -> bool {
        self.at(Kind::Word) && self.token.text == word
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.bump();
        }
        found
    }

    fn expect_word(&mut self, word: &str) -> Parse<()> {
        if self.eat_word(word) { Ok(()) } else { Err(self.expected(&format!("`{word}`"))) }
    }

    fn comma(&mut self) -> Parse<()> {
        self.expect(Kind::Comma, "`,`").map(|_| ())
    }

    fn span_of(&self, token: Token<'_>) -> Span {
        Span { file: self.file, start: token.start, end: token.end }
    }

    fn here(&self) -> Span {
        self.span_of(self.token)
    }

    /// From a place to the end of what was read.
    fn since(&self, start: u32) -> Span {
        Span { file: self.file, start, end: self.last_end.max(start) }
    }

    /// The text of the next token as an unsigned number.
    fn number<T: std::str::FromStr>(&mut self, what: &str) -> Parse<T> {
        if !self.at(Kind::Int) {
            return Err(self.expected(what));
        }
        let token = self.bump();
        token.text.parse().map_err(|_| self.error_at(self.span_of(token), format!("`{}` is out of range", token.text)))
    }

    /// The number in a name such as `%12`.
    fn index(&mut self, token: Token<'a>) -> Parse<u32> {
        let number = token.text.parse().ok().filter(|&n| n < 1 << 31);
        number.ok_or_else(|| self.error_at(self.span_of(token), format!("`{}` is out of range", token.text)))
    }

    fn key(&mut self, token: Token<'a>) -> Parse<Key<'a>> {
        match token.kind {
            Kind::LocalNumber | Kind::GlobalNumber => Ok(Key::Number(self.index(token)?)),
            _ => Ok(Key::Name(token.text)),
        }
    }

    /// Runs a part of the grammar that may contain itself.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth >= MAX_DEPTH {
            return Err(self.error(format!("this is nested more than {MAX_DEPTH} levels deep")));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Skips what stands in brackets, nested ones included; the next token opens them.
    fn skip_group(&mut self) -> Parse<()> {
        let open = self.here();
        let mut depth = 0u32;
        loop {
            match self.token.kind {
                Kind::OpenParen | Kind::OpenBracket | Kind::OpenBrace | Kind::OpenAngle => depth += 1,
                Kind::CloseParen | Kind::CloseBracket | Kind::CloseBrace | Kind::CloseAngle => {
                    depth = depth.saturating_sub(1);
                }
                Kind::End | Kind::Bad => return Err(self.unclosed(open)),
                _ => {}
            }
            self.bump();
            if depth == 0 {
                return Ok(());
            }
        }
    }

    fn constant(&mut self, ty: TypeId, kind: ConstKind) -> ConstId {
        let constant = Constant { ty, kind };
        match &constant.kind {
            ConstKind::Bytes(_) | ConstKind::Aggregate(_) => self.constants.push(constant),
            _ => match self.known_constants.get(&constant) {
                Some(&id) => id,
                None => {
                    let id = self.constants.push(constant.clone());
                    self.known_constants.insert(constant, id);
                    id
                }
            },
        }
    }
}
