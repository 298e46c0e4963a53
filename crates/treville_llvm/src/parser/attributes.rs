//! Attributes of functions, parameters and calls. Few of them matter; the others are skipped by their shape: a word, with
//! something in parentheses behind it or not, or strings.

use super::constants::is_constant_word;
use super::{Parse, Parser};
use crate::inst::Passing;
use crate::lexer::Kind;
use crate::module::{Attributes, GlobalKind};
use crate::types::TypeId;

impl Parser<'_> {
    /// A word with what stands in parentheses behind it, if anything does.
    pub(super) fn flag_word(&mut self) -> Parse<()> {
        self.bump();
        if self.at(Kind::OpenParen) { self.skip_group() } else { Ok(()) }
    }

    /// Attributes between the type of a parameter or an argument and its value.
    pub(super) fn param_attributes(&mut self) -> Parse<Passing> {
        let mut passing = Passing::Plain;
        loop {
            match (self.token.kind, self.token.text) {
                (Kind::Str, _) => self.string_attribute()?,
                (Kind::Word, "byval") => passing = Passing::ByVal(self.attribute_type()?),
                (Kind::Word, "sret") => passing = Passing::StructReturn(self.attribute_type()?),
                (Kind::Word, "elementtype") => passing = Passing::Indirect(self.attribute_type()?),
                (Kind::Word, "inalloca" | "preallocated" | "swifterror" | "nest") => {
                    let what = format!("the attribute `{}`", self.token.text);
                    return Err(self.unsupported(&what));
                }
                (Kind::Word, "align") => self.align_attribute()?,
                (Kind::Word, word) if !is_constant_word(word) => self.flag_word()?,
                _ => return Ok(passing),
            }
        }
    }

    /// `byval(type)`
    fn attribute_type(&mut self) -> Parse<TypeId> {
        self.bump();
        self.expect(Kind::OpenParen, "`(` and a type")?;
        let ty = self.value_type()?;
        self.expect(Kind::CloseParen, "`)`")?;
        Ok(ty)
    }

    /// `align 8`, `align(8)` or, in a group, `align=8`
    fn align_attribute(&mut self) -> Parse<()> {
        self.bump();
        match self.token.kind {
            Kind::OpenParen => self.skip_group(),
            Kind::Equal => {
                self.bump();
                self.number::<u64>("an alignment").map(|_| ())
            }
            _ => self.number::<u64>("an alignment").map(|_| ()),
        }
    }

    /// `"key"` or `"key"="value"`
    fn string_attribute(&mut self) -> Parse<()> {
        self.bump();
        if self.eat(Kind::Equal) {
            self.expect(Kind::Str, "a string")?;
        }
        Ok(())
    }

    /// Notes an attribute of a function; the next token is its word.
    pub(super) fn function_attribute(&mut self, attributes: &mut Attributes) -> Parse<()> {
        match self.token.text {
            "noreturn" => attributes.noreturn = true,
            "alwaysinline" => attributes.always_inline = true,
            "naked" => attributes.naked = true,
            "returns_twice" => attributes.returns_twice = true,
            _ => {}
        }
        if matches!(self.token.text, "align" | "alignstack") { self.align_attribute() } else { self.flag_word() }
    }

    /// Attributes of a call behind its arguments: words, strings, groups.
    pub(super) fn call_attributes(&mut self, groups: &mut Vec<u32>) -> Parse<Attributes> {
        let mut attributes = Attributes::default();
        loop {
            match self.token.kind {
                Kind::AttributeGroup => {
                    let token = self.bump();
                    groups.push(self.index(token)?);
                }
                Kind::Str => self.string_attribute()?,
                Kind::Word if is_function_attribute(self.token.text) => self.function_attribute(&mut attributes)?,
                _ => return Ok(attributes),
            }
        }
    }

    /// `attributes #1 = { … }`
    pub(super) fn attribute_group(&mut self) -> Parse<()> {
        self.bump();
        let token = self.expect(Kind::AttributeGroup, "the number of an attribute group")?;
        let number = self.index(token)?;
        self.expect(Kind::Equal, "`=`")?;
        let open = self.here();
        self.expect(Kind::OpenBrace, "`{`")?;
        let mut attributes = Attributes::default();
        loop {
            match self.token.kind {
                Kind::Word => {
                    self.function_attribute(&mut attributes)?;
                    if self.eat(Kind::Equal) {
                        self.bump();
                    }
                }
                Kind::Str => self.string_attribute()?,
                Kind::CloseBrace => break,
                Kind::End => return Err(self.unclosed(open)),
                _ => return Err(self.expected("an attribute")),
            }
        }
        self.bump();
        self.groups.insert(number, attributes);
        Ok(())
    }

    /// Gives functions and calls the attributes of their groups, which stand at the end of the file.
    pub(super) fn apply_groups(&mut self) {
        for slot in &mut self.globals {
            let Some(GlobalKind::Function(function)) = slot.global.as_mut().map(|g| &mut g.kind) else { continue };
            for group in function.groups.iter().filter_map(|n| self.groups.get(n)) {
                function.attributes.add(*group);
            }
            for call in function.body.iter_mut().flat_map(|body| body.calls_mut()) {
                let groups = call.groups.iter().filter_map(|n| self.groups.get(n));
                call.noreturn |= groups.fold(false, |any, g| any | g.noreturn);
            }
        }
    }
}

impl Attributes {
    fn add(&mut self, other: Attributes) {
        self.noreturn |= other.noreturn;
        self.always_inline |= other.always_inline;
        self.naked |= other.naked;
        self.returns_twice |= other.returns_twice;
    }
}

/// Words behind a call that are attributes. `to` belongs to an `invoke`; others begin the next instruction.
fn is_function_attribute(word: &str) -> bool {
    matches!(
        word,
        "allockind"
            | "allocsize"
            | "alwaysinline"
            | "argmemonly"
            | "builtin"
            | "cold"
            | "convergent"
            | "hot"
            | "inaccessiblemem_or_argmemonly"
            | "inaccessiblememonly"
            | "inlinehint"
            | "memory"
            | "minsize"
            | "mustprogress"
            | "naked"
            | "nobuiltin"
            | "nocallback"
            | "noduplicate"
            | "nofree"
            | "noinline"
            | "nomerge"
            | "norecurse"
            | "noreturn"
            | "nosync"
            | "nounwind"
            | "optnone"
            | "optsize"
            | "readnone"
            | "readonly"
            | "returns_twice"
            | "speculatable"
            | "strictfp"
            | "willreturn"
            | "writeonly"
    )
}
