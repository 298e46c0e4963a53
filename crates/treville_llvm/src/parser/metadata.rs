//! Metadata: nodes at the end of the file, attachments of instructions, and the records that say where variables live.
//!
//! Nodes are read by their shape, whatever they are; fields that nobody asks for are dropped.

use super::{Halt, Parse, Parser};
use crate::debug::{DebugRecord, Field, LocationId, LoopId, Meta, Node, RecordKind};
use crate::lexer::Kind;
use treville_base::{Idx, Span};

/// What an instruction carries.
#[derive(Clone, Copy, Default)]
pub(super) struct Attached {
    pub(super) location: Option<LocationId>,
    pub(super) repeats: Option<LoopId>,
}

/// Fields that [`crate::debug`] reads. Fields of lists have no name.
const FIELDS: [&str; 21] = [
    "",
    "arg",
    "baseType",
    "column",
    "count",
    "directory",
    "elements",
    "encoding",
    "file",
    "filename",
    "flags",
    "inlinedAt",
    "line",
    "linkageName",
    "name",
    "offset",
    "scope",
    "size",
    "tag",
    "type",
    "value",
];

fn is_read(field: &str) -> bool {
    field == "var" || FIELDS.contains(&field)
}

impl<'a> Parser<'a> {
    /// `!1 = …` or `!name = …`
    pub(super) fn metadata_definition(&mut self) -> Parse<()> {
        let token = self.bump();
        self.expect(Kind::Equal, "`=`")?;
        self.scratch.clear();
        if token.kind == Kind::MetaName {
            self.bump();
            return self.skip_group();
        }
        let number = self.index(token)?;
        self.eat_word("distinct");
        let node = match self.token.kind {
            Kind::MetaName => self.special_node()?,
            Kind::Bang => {
                self.bump();
                if self.at(Kind::Str) {
                    let text = self.bump().text;
                    let fields = self.sources.add_fields(&[Field { name: "", value: Meta::Str(text) }]);
                    Node { kind: "", fields }
                } else {
                    self.list_node()?
                }
            }
            Kind::MetaNumber => {
                self.bump();
                Node { kind: "", fields: (0, 0) }
            }
            _ => return Err(self.expected("a metadata node")),
        };
        if !self.sources.insert(number, node) {
            return Err(self.error_at(self.span_of(token), format!("metadata `!{number}` is defined twice")));
        }
        Ok(())
    }

    /// `!Kind(field: value, …)`
    fn special_node(&mut self) -> Parse<Node<'a>> {
        let kind = self.bump().text;
        let fields = self.node_fields(Kind::OpenParen, Kind::CloseParen)?;
        Ok(Node { kind, fields })
    }

    /// `{value, …}`, behind the `!`
    fn list_node(&mut self) -> Parse<Node<'a>> {
        let fields = self.node_fields(Kind::OpenBrace, Kind::CloseBrace)?;
        Ok(Node { kind: "", fields })
    }

    fn node_fields(&mut self, open: Kind, close: Kind) -> Parse<(u32, u32)> {
        let start = self.here();
        if !self.eat(open) {
            return Err(self.expected("a metadata node"));
        }
        let base = self.scratch.len();
        while !self.at(close) {
            let name = if self.at(Kind::Label) { self.bump().text } else { "" };
            let value = self.meta_value(start)?;
            if is_read(name) {
                self.scratch.push(Field { name, value });
            }
            if !self.eat(Kind::Comma) {
                break;
            }
        }
        if !self.eat(close) {
            return Err(self.unclosed(start));
        }
        let fields = self.sources.add_fields(&self.scratch[base..]);
        self.scratch.truncate(base);
        Ok(fields)
    }

    fn meta_value(&mut self, open: Span) -> Parse<Meta<'a>> {
        let value = match self.token.kind {
            Kind::MetaNumber => {
                let token = self.bump();
                Meta::Node(self.index(token)?)
            }
            Kind::MetaName => {
                let node = self.nested(Self::special_node)?;
                Meta::Node(self.sources.insert_inline(node))
            }
            Kind::Bang => {
                self.bump();
                if self.at(Kind::Str) {
                    Meta::Str(self.bump().text)
                } else {
                    let node = self.nested(Self::list_node)?;
                    Meta::Node(self.sources.insert_inline(node))
                }
            }
            Kind::Str => Meta::Str(self.bump().text),
            Kind::Int => Meta::Int(self.bump().text.parse().unwrap_or_default()),
            Kind::Word => Meta::Word(self.bump().text),
            _ => Meta::Other,
        };
        self.rest_of_value(value, open)
    }

    /// Skips to the end of a field: values of the program and more flags.
    fn rest_of_value(&mut self, mut value: Meta<'a>, open: Span) -> Parse<Meta<'a>> {
        loop {
            match self.token.kind {
                Kind::Comma | Kind::CloseParen | Kind::CloseBrace => return Ok(value),
                Kind::End | Kind::Bad => return Err(self.unclosed(open)),
                Kind::OpenParen | Kind::OpenBracket | Kind::OpenBrace | Kind::OpenAngle => self.skip_group()?,
                Kind::Word if self.token.text == "DIFlagStaticMember" => value = Meta::Word(self.bump().text),
                _ => drop(self.bump()),
            }
        }
    }

    /// Metadata that someone refers to: the number of its node.
    fn meta_ref(&mut self) -> Parse<u32> {
        match self.token.kind {
            Kind::MetaNumber => {
                let token = self.bump();
                self.index(token)
            }
            Kind::MetaName => {
                let node = self.nested(Self::special_node)?;
                Ok(self.sources.insert_inline(node))
            }
            Kind::Bang => {
                self.bump();
                let node = self.nested(Self::list_node)?;
                Ok(self.sources.insert_inline(node))
            }
            _ => Err(self.expected("a metadata node")),
        }
    }

    /// `!kind !node`
    pub(super) fn attachment(&mut self) -> Parse<(&'a str, u32, Span)> {
        let name = self.bump().text;
        let start = self.here();
        let number = self.meta_ref()?;
        Ok((name, number, start))
    }

    /// A comma with something of the instruction behind it. Attachments, which come last, are taken on the way.
    pub(super) fn comma_more(&mut self) -> Parse<bool> {
        while self.eat(Kind::Comma) {
            if !self.at(Kind::MetaName) {
                return Ok(true);
            }
            let (name, number, span) = self.attachment()?;
            match name {
                "dbg" => self.attached.location = Some(self.sources.location(number, span)),
                "llvm.loop" => self.attached.repeats = Some(self.sources.repeats(number, span)),
                _ => {}
            }
        }
        Ok(false)
    }

    /// The end of an instruction.
    pub(super) fn end_of_instruction(&mut self) -> Parse<()> {
        if self.comma_more()? { Err(self.expected("metadata")) } else { Ok(()) }
    }

    // Records

    /// `#dbg_declare(…)` and the like.
    pub(super) fn record(&mut self) -> Parse<()> {
        let token = self.bump();
        let kind = match token.text {
            "dbg_declare" => RecordKind::Declare,
            "dbg_value" | "dbg_assign" => RecordKind::Value,
            _ => return if self.at(Kind::OpenParen) { self.skip_group() } else { Err(self.expected("`(`")) },
        };
        self.expect(Kind::OpenParen, "`(`")?;
        let record = self.record_parts(kind)?;
        if token.text == "dbg_assign" {
            // Which store this belongs to and the address of the variable are not needed.
            self.meta_ref()?;
            self.comma()?;
            self.record_value()?;
            self.comma()?;
            self.expression()?;
            self.comma()?;
        }
        let start = self.here();
        let number = self.meta_ref()?;
        let location = Some(self.sources.location(number, start));
        self.expect(Kind::CloseParen, "`)`")?;
        self.function.records.push(DebugRecord { location, ..record });
        Ok(())
    }

    /// The arguments of `llvm.dbg.declare` and the like, whose name was read. Their location is attached later.
    pub(super) fn debug_call(&mut self, name: &str) -> Parse<Option<DebugRecord>> {
        let kind = match name {
            "llvm.dbg.declare" | "llvm.dbg.addr" => RecordKind::Declare,
            "llvm.dbg.value" => RecordKind::Value,
            _ => return self.skip_group().map(|()| None),
        };
        self.expect(Kind::OpenParen, "`(`")?;
        let record = self.record_parts(kind)?;
        self.expect(Kind::CloseParen, "`)`")?;
        Ok(Some(record))
    }

    /// The value, the variable and the expression; in a record, a comma comes behind each.
    fn record_parts(&mut self, kind: RecordKind) -> Parse<DebugRecord> {
        let value = self.record_value()?;
        self.comma()?;
        self.eat_word("metadata");
        let start = self.here();
        let number = self.meta_ref()?;
        let variable = self.sources.variable(number, start);
        self.comma()?;
        self.eat_word("metadata");
        let plain = self.expression()?;
        if !self.at(Kind::CloseParen) {
            self.comma()?;
        }
        let (block, before) = (self.function.current, self.function.insts.len() as u32);
        Ok(DebugRecord { kind, variable, value, plain, location: None, block, before })
    }

    /// A value, or metadata that stands for none or for several.
    fn record_value(&mut self) -> Parse<Option<crate::inst::Operand>> {
        self.eat_word("metadata");
        if matches!(self.token.kind, Kind::MetaName | Kind::MetaNumber | Kind::Bang) {
            return self.meta_ref().map(|_| None);
        }
        self.typed_operand().map(|(_, operand)| Some(operand))
    }

    /// Metadata that nobody asks for.
    pub(super) fn skip_metadata(&mut self) -> Parse<()> {
        if self.at(Kind::MetaNumber) {
            self.bump();
            return Ok(());
        }
        self.meta_value(self.here()).map(|_| ())
    }

    /// Whether an expression does nothing.
    fn expression(&mut self) -> Parse<bool> {
        if self.at(Kind::MetaName) && self.token.text == "DIExpression" {
            self.bump();
            let inside = self.lexer.clone().next().kind;
            return self.skip_parens().map(|()| inside == Kind::CloseParen);
        }
        self.meta_ref().map(|_| false)
    }

    fn skip_parens(&mut self) -> Result<(), Halt> {
        if self.at(Kind::OpenParen) { self.skip_group() } else { Err(self.expected("`(`")) }
    }

    /// Gives the records of the finished function their final blocks.
    pub(super) fn place_records(&mut self, places: &[crate::module::BlockId]) -> Vec<DebugRecord> {
        let mut records = std::mem::take(&mut self.function.records);
        records.iter_mut().for_each(|r| r.block = places[r.block.index()]);
        records
    }
}
