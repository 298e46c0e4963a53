//! Tokens to a tree, by recursive descent.
//!
//! An error ends the instruction that it is in; reading goes on at the next one, so that one run reports many errors.
//! Neither the parser nor the trees that it builds nest deeper than [`MAX_DEPTH`].

mod exp;
mod form;
mod ins;
mod report;

use crate::lexer::{self, Comments};
use crate::token::{Kind, Sign, Token, Word};
use rustc_hash::FxHashMap;
use treville_base::{Diagnostic, FileId, Name, Span};
use treville_model::syntax::{Ins, Unit};

const MAX_DEPTH: usize = 200;

/// How many errors of one file are reported; reading stops there.
const MAX_ERRORS: usize = 30;

/// Words that may follow the title; models written for older tools have the ones other than `catdep`.
pub(crate) const OPTIONS: &[&str] =
    &["catdep", "withco", "withoutco", "withinit", "withoutinit", "withsc", "withoutsc"];

/// Reading the current instruction failed, and it was said why.
struct Halt;

type Parse<T> = Result<T, Halt>;

/// Reads one text. Includes are left without their units.
///
/// Comments nest, unless one would then not be closed and the text is right without nesting.
pub(crate) fn parse(file: FileId, text: &str, diagnostics: &mut Vec<Diagnostic>) -> Unit {
    let mut found = Vec::new();
    let lexed = lexer::lex(file, text, Comments::Nested, &mut found);
    let mut unit = Parser::new(file, text, lexed.tokens, &mut found).unit();
    if lexed.open_comment {
        let mut found_flat = Vec::new();
        let tokens = lexer::lex(file, text, Comments::Flat, &mut found_flat).tokens;
        let flat = Parser::new(file, text, tokens, &mut found_flat).unit();
        if found_flat.is_empty() {
            (unit, found) = (flat, found_flat);
        }
    }
    found.truncate(MAX_ERRORS);
    diagnostics.append(&mut found);
    unit
}

/// The title of a text, which may be wrong otherwise.
pub(crate) fn title(text: &str) -> Option<Name> {
    let file = FileId(0);
    let mut diagnostics = Vec::new();
    let tokens = lexer::lex(file, text, Comments::Nested, &mut diagnostics).tokens;
    Parser::new(file, text, tokens, &mut diagnostics).title().0
}

struct Parser<'a> {
    file: FileId,
    text: &'a str,
    tokens: Vec<Token>,
    /// The next token.
    at: usize,
    /// How many levels of the grammar are open.
    depth: usize,
    /// The height of the expression read last.
    height: usize,
    /// The first token after the title and the options.
    head: usize,
    /// The first token of the current instruction.
    start: usize,
    /// How many `end`s are left over from instructions whose beginning was broken.
    left_over: usize,
    /// Nothing more is worth saying.
    gave_up: bool,
    /// A name that may be a misspelt word: it opens a line but was read as an argument or as part of the title.
    misread: Option<usize>,
    names: FxHashMap<&'a str, Name>,
    /// Begins with the errors of the lexer, `n_lexical` of them.
    diagnostics: &'a mut Vec<Diagnostic>,
    n_lexical: usize,
}

impl<'a> Parser<'a> {
    fn new(file: FileId, text: &'a str, tokens: Vec<Token>, diagnostics: &'a mut Vec<Diagnostic>) -> Self {
        Parser {
            file,
            text,
            tokens,
            at: 0,
            depth: 0,
            height: 0,
            head: 0,
            start: 0,
            left_over: 0,
            gave_up: false,
            misread: None,
            names: FxHashMap::default(),
            n_lexical: diagnostics.len(),
            diagnostics,
        }
    }

    fn token(&self) -> Token {
        self.tokens[self.at]
    }

    fn kind(&self) -> Kind {
        self.tokens[self.at].kind
    }

    /// The kind of the token `ahead` of the next one.
    fn kind_ahead(&self, ahead: usize) -> Kind {
        self.tokens.get(self.at + ahead).map_or(Kind::End, |t| t.kind)
    }

    /// Consumes the next token, unless it is the end.
    fn bump(&mut self) {
        if self.kind() != Kind::End {
            self.at += 1;
        }
    }

    fn is(&self, kind: impl Into<Kind>) -> bool {
        self.kind() == kind.into()
    }

    /// Consumes the next token if it is `kind`.
    fn eat(&mut self, kind: impl Into<Kind>) -> bool {
        let found = self.is(kind);
        if found {
            self.bump();
        }
        found
    }

    fn text_of(&self, token: Token) -> &'a str {
        &self.text[token.start as usize..token.end as usize]
    }

    fn intern(&mut self, text: &'a str) -> Name {
        self.names.entry(text).or_insert_with(|| Name::new(text)).clone()
    }

    /// Consumes the next token and gives its text without the first `skip` characters.
    fn bump_name(&mut self, skip: usize) -> Name {
        let text = self.text_of(self.token());
        self.bump();
        self.intern(&text[skip..])
    }

    /// Consumes a string and gives its text without the quotes.
    fn bump_string(&mut self) -> Name {
        let text = self.text_of(self.token());
        self.bump();
        let text = text.strip_prefix('"').unwrap_or(text);
        self.intern(text.strip_suffix('"').unwrap_or(text))
    }

    fn name(&mut self, what: &str) -> Parse<Name> {
        if self.is(Kind::Name) { Ok(self.bump_name(0)) } else { Err(self.expected(what)) }
    }

    fn expect(&mut self, kind: impl Into<Kind>, what: &str) -> Parse<()> {
        if self.eat(kind) { Ok(()) } else { Err(self.expected(what)) }
    }

    /// The closing half of what `open` opened.
    fn close(&mut self, open: usize, close: impl Into<Kind>) -> Parse<()> {
        let close = close.into();
        if self.eat(close) { Ok(()) } else { Err(self.unclosed(open, close)) }
    }

    fn token_span(&self, index: usize) -> Span {
        let token = self.tokens[index];
        Span { file: self.file, start: token.start, end: token.end }
    }

    /// From the token `first` to the token read last.
    fn span_from(&self, first: usize) -> Span {
        let last = self.at.saturating_sub(1).max(first);
        self.token_span(first).to(self.token_span(last))
    }

    /// Whether the token is the first of its line.
    fn opens_line(&self, index: usize) -> bool {
        let start = self.tokens[index].start as usize;
        let before = &self.text[..start];
        before.trim_end_matches([' ', '\t']).chars().next_back().is_none_or(|c| c == '\n')
    }

    /// How many characters stand before the token in its line.
    fn column(&self, index: usize) -> usize {
        let start = self.tokens[index].start as usize;
        start - self.text[..start].rfind('\n').map_or(0, |i| i + 1)
    }

    /// Runs `read` one level deeper.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth == MAX_DEPTH {
            return Err(self.too_deep());
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn unit(&mut self) -> Unit {
        let (title, options) = self.title();
        self.head = self.at;
        let mut body = Vec::new();
        self.block(&mut body, false);
        Unit { title, options, body }
    }

    /// The title, as a string or as bare words, and options.
    fn title(&mut self) -> (Option<Name>, Vec<Name>) {
        let mut words = Vec::new();
        let mut options = Vec::new();
        let mut title = None;
        loop {
            let text = self.text_of(self.token());
            match self.kind() {
                Kind::Name | Kind::Word(Word::Catdep) if OPTIONS.contains(&text) => options.push(self.bump_name(0)),
                Kind::Name if title.is_none() => {
                    if report::closest_word(text).is_some() {
                        self.misread = Some(self.at);
                    }
                    words.push(self.bump_name(0));
                }
                Kind::Text if title.is_none() => title = Some(self.bump_string()),
                _ => break,
            }
        }
        if title.is_none() && !words.is_empty() {
            // One word is the title; of several, the first is the architecture.
            let rest = words.split_off(usize::from(words.len() > 1));
            title = Some(Name::from(rest.join(" ")));
        }
        words.append(&mut options);
        (title, words)
    }

    /// Instructions up to a word that ends the block, or up to the end of the text.
    fn block(&mut self, out: &mut Vec<Ins>, inner: bool) {
        while !(self.is(Kind::End) || inner && self.ends_block()) {
            self.start = self.at;
            if self.left_over_word() {
                continue;
            }
            if self.instruction(out, inner).is_err() {
                self.recover(inner);
            }
            if self.misread.is_some_and(|index| index < self.start) {
                self.misread = None;
            }
        }
    }

    /// Whether the next token ends an inner block.
    fn ends_block(&self) -> bool {
        matches!(self.kind(), Kind::Word(Word::End | Word::Else) | Kind::Sign(Sign::BarBar))
    }

    /// Skips an `else` or `end` whose beginning was broken.
    fn left_over_word(&mut self) -> bool {
        let found = self.left_over > 0 && (self.is(Word::End) || self.is(Word::Else));
        if found {
            self.left_over -= usize::from(self.is(Word::End));
            self.bump();
        }
        found
    }

    /// Skips the rest of a broken instruction.
    fn recover(&mut self, inner: bool) {
        if self.gave_up || self.diagnostics.len() >= MAX_ERRORS {
            self.gave_up = true;
            self.at = self.tokens.len() - 1;
            return;
        }
        let first = self.tokens[self.start].kind;
        if matches!(first, Kind::Word(Word::Procedure | Word::Forall | Word::If | Word::Match)) {
            self.left_over += 1;
        }
        if self.at == self.start {
            self.bump();
        }
        let mut open = 0;
        loop {
            match self.kind() {
                Kind::End => return,
                Kind::Word(Word::End) if open > 0 => open -= 1,
                Kind::Word(Word::End | Word::Else) if inner => return,
                Kind::Word(word) if self.resumes(word) => return,
                Kind::Sign(Sign::Tilde) if self.resumes_at_negated_test() => return,
                Kind::Word(Word::Begin | Word::Match) => open += 1,
                _ => {}
            }
            self.bump();
        }
    }

    /// Whether an instruction starts here for sure, or probably: `let` and the like at the start of a line that is not
    /// indented deeper than the broken instruction.
    fn resumes(&self, word: Word) -> bool {
        word.only_opens_instruction() && !self.follows_modifier()
            || word.opens_instruction() && self.opens_line(self.at) && self.column(self.at) <= self.column(self.start)
    }

    fn resumes_at_negated_test(&self) -> bool {
        matches!(self.kind_ahead(1), Kind::Word(w) if w.is_test()) && !self.follows_modifier()
    }

    /// Whether the previous token is the `flag` or `~` of a test, so that the instruction did not start here.
    fn follows_modifier(&self) -> bool {
        use Word::{Assert, Flag, UndefinedUnless};
        let before = self.tokens[self.at - 1].kind;
        matches!(before, Kind::Word(Flag | Assert | UndefinedUnless) | Kind::Sign(Sign::Tilde))
    }
}
