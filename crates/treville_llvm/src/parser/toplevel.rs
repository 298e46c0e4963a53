//! The items of a file, and where to go on after an error in one of them.

use super::globals::starts_item;
use super::{MAX_ERRORS, Parse, Parser};
use crate::layout::Rules;
use crate::lexer::{Kind, unescape};
use crate::types::{Struct, Type};
use treville_base::Name;

impl Parser<'_> {
    pub(super) fn module(&mut self) {
        while !self.at(Kind::End) {
            let start = self.token.start;
            self.depth = 0;
            if self.goes_on().and_then(|()| self.item()).is_err() {
                if self.stopped || self.diagnostics.len() >= MAX_ERRORS {
                    return;
                }
                self.recover(start);
            }
        }
    }

    fn item(&mut self) -> Parse<()> {
        match (self.token.kind, self.token.text) {
            (Kind::Word, "define" | "declare") => self.function(),
            (Kind::Word, "attributes") => self.attribute_group(),
            (Kind::Word, "source_filename") => {
                self.bump();
                let text = self.setting()?;
                self.source_file = Some(Name::new(&text));
                Ok(())
            }
            (Kind::Word, "target") => self.target(),
            (Kind::Word, "module") => self.module_asm(),
            (Kind::Word, "uselistorder" | "uselistorder_bb") => self.use_list_order(),
            (Kind::GlobalName | Kind::GlobalNumber, _) => self.global(),
            (Kind::LocalName | Kind::LocalNumber, _) => self.type_definition(),
            (Kind::MetaName | Kind::MetaNumber, _) => self.metadata_definition(),
            (Kind::Comdat, _) => self.comdat(),
            (Kind::Summary, _) => self.summary(),
            _ => Err(self.expected("a definition, such as that of a function")),
        }
    }

    /// `= "…"`
    fn setting(&mut self) -> Parse<String> {
        self.expect(Kind::Equal, "`=`")?;
        let token = self.expect(Kind::Str, "a string")?;
        Ok(unescape(token.text).into_owned())
    }

    fn target(&mut self) -> Parse<()> {
        self.bump();
        if self.eat_word("triple") {
            let text = self.setting()?;
            self.triple = Some(Name::new(&text));
            return Ok(());
        }
        if !self.eat_word("datalayout") {
            return Err(self.expected("`triple` or `datalayout`"));
        }
        let start = self.here();
        let text = self.setting()?;
        self.rules = Rules::parse(&text);
        if self.rules.big_endian {
            return Err(self.error_at(start.to(self.since(start.start)), "big-endian targets are not supported"));
        }
        Ok(())
    }

    fn module_asm(&mut self) -> Parse<()> {
        self.bump();
        self.expect_word("asm")?;
        let token = self.expect(Kind::Str, "a string")?;
        self.asm.push(unescape(token.text).into_owned());
        Ok(())
    }

    /// `%name = type …`
    fn type_definition(&mut self) -> Parse<()> {
        let token = self.bump();
        let key = self.key(token)?;
        self.expect(Kind::Equal, "`=`")?;
        self.expect_word("type")?;
        if self.eat_word("opaque") {
            self.type_named(key, token.text, token.start);
            return Ok(());
        }
        let known = self.named_types.get(&key).copied();
        let start = self.here();
        let body = self.ty()?;
        let (Type::Struct(Struct { name: None, fields: Some(fields), packed }), span) =
            (self.types.get(body).clone(), self.span_of(token))
        else {
            // Another name for a type that is no struct.
            if known.is_some() {
                return Err(self.mismatch(start, "a type that is used before", "a struct", body));
            }
            self.named_types.insert(key, body);
            return Ok(());
        };
        let ty = self.type_named(key, token.text, token.start);
        if !matches!(self.types.get(ty), Type::Struct(Struct { name: Some(_), fields: None, .. })) {
            return Err(self.error_at(span, format!("the type `%{}` is defined twice", token.text)));
        }
        self.types.define(ty, fields, packed, span);
        Ok(())
    }

    /// `$name = comdat any`
    fn comdat(&mut self) -> Parse<()> {
        self.bump();
        self.expect(Kind::Equal, "`=`")?;
        self.expect_word("comdat")?;
        self.expect(Kind::Word, "how to choose one of several")?;
        Ok(())
    }

    /// `^1 = module: (…)`: for linkers.
    fn summary(&mut self) -> Parse<()> {
        self.bump();
        self.expect(Kind::Equal, "`=`")?;
        self.expect(Kind::Label, "an entry of the summary")?;
        if self.at(Kind::OpenParen) {
            return self.skip_group();
        }
        self.bump();
        Ok(())
    }

    /// Goes on at the next line that looks like the beginning of an item. `start` is where the wrong one began.
    fn recover(&mut self, start: u32) {
        let from = if self.token.start > start { self.token.start } else { self.token.end };
        let text = self.lexer.text();
        let mut at = from as usize;
        // The token that does not fit may be the beginning of the next item.
        if !(at == 0 || text[..at].ends_with('\n')) {
            at = next_line(text, at);
        }
        while at < text.len() && !starts_line(&text[at..]) {
            at = next_line(text, at);
        }
        self.lexer.seek(at);
        self.bump();
    }
}

/// The beginning of the next line.
fn next_line(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |n| at + n + 1)
}

fn starts_line(text: &str) -> bool {
    match text.as_bytes()[0] {
        b'@' | b'!' | b'$' => true,
        b'%' => text.lines().next().is_some_and(|line| line.contains(" = type ")),
        b'a'..=b'z' => text.split([' ', '\n']).next().is_some_and(starts_item),
        _ => false,
    }
}
