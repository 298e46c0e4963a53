//! The body of a function: blocks, instructions, and the names of both.

use super::{Key, Parse, Parser};
use crate::debug::DebugRecord;
use crate::inst::{Call, Inst, InstKind, Terminator, TerminatorKind};
use crate::lexer::{Kind, Token, unescape};
use crate::module::{Block, BlockId, Body, Definition, Label, Value, ValueId};
use crate::types::{TypeId, Types};
use rustc_hash::FxHashMap;
use std::mem::take;
use treville_base::{Idx, IndexVec, Name, Span};

/// A value: first its uses, then its definition.
struct ValueSlot {
    value: Value,
    defined: bool,
    /// The definition, or the first use.
    span: Span,
}

/// A block: first its uses, then its definition.
struct BlockSlot {
    name: Label,
    first_use: Span,
    block: Option<Block>,
}

/// What is known of the function that is being read.
pub(super) struct FunctionState<'a> {
    values: Vec<ValueSlot>,
    value_ids: FxHashMap<Key<'a>, ValueId>,
    blocks: Vec<BlockSlot>,
    block_ids: FxHashMap<Key<'a>, BlockId>,
    /// Blocks as they are defined.
    order: Vec<BlockId>,
    /// The number of the next value or block without a name.
    next: u32,
    pub(super) result: Option<TypeId>,
    pub(super) records: Vec<DebugRecord>,
    /// The block that is being read, and its instructions so far.
    pub(super) current: BlockId,
    pub(super) insts: Vec<Inst>,
}

impl Default for FunctionState<'_> {
    fn default() -> Self {
        FunctionState {
            values: Vec::new(),
            value_ids: FxHashMap::default(),
            blocks: Vec::new(),
            block_ids: FxHashMap::default(),
            order: Vec::new(),
            next: 0,
            result: None,
            records: Vec::new(),
            current: BlockId(0),
            insts: Vec::new(),
        }
    }
}

/// What an instruction turned out to be.
pub(super) enum Step {
    Inst(InstKind, TypeId),
    End(TerminatorKind, TypeId),
    /// It says something about variables only.
    Record(Option<DebugRecord>),
}

impl<'a> Parser<'a> {
    // Names

    pub(super) fn use_value(&mut self, key: Key<'a>, ty: TypeId, span: Span) -> Parse<ValueId> {
        match self.function.value_ids.get(&key) {
            Some(&id) => {
                let found = self.function.values[id.index()].value.ty;
                if found == ty { Ok(id) } else { Err(self.wrong_type(id, ty, span)) }
            }
            None => Ok(self.new_value(key, ty, span, false)),
        }
    }

    fn new_value(&mut self, key: Key<'a>, ty: TypeId, span: Span, defined: bool) -> ValueId {
        let id = ValueId::from_usize(self.function.values.len());
        // The definition is put right when the function is complete.
        let value = Value { name: label(key), ty, definition: Definition::Param(id.0) };
        self.function.values.push(ValueSlot { value, defined, span });
        self.function.value_ids.insert(key, id);
        id
    }

    fn wrong_type(&mut self, id: ValueId, ty: TypeId, span: Span) -> super::Halt {
        let slot = &self.function.values[id.index()];
        let (place, defined) = (slot.span, if slot.defined { "defined" } else { "used" });
        let (has, wanted) = (self.types.display(slot.value.ty), self.types.display(ty));
        let message = format!("`{}` is of type `{has}`, not `{wanted}`", slot.value.name);
        self.report(treville_base::Diagnostic::error(span, message).label(place, format!("it is {defined} here")))
    }

    /// Defines a value, under the next number if it has no name.
    pub(super) fn define_value(&mut self, key: Option<Key<'a>>, ty: TypeId, span: Span) -> Parse<ValueId> {
        let key = self.next_key(key, span)?;
        let Some(&id) = self.function.value_ids.get(&key) else { return Ok(self.new_value(key, ty, span, true)) };
        let slot = &self.function.values[id.index()];
        if slot.defined {
            let message = format!("`{}` is defined twice", slot.value.name);
            let diagnostic = treville_base::Diagnostic::error(span, message).label(slot.span, "it is defined here");
            return Err(self.report(diagnostic));
        }
        if slot.value.ty != ty {
            return Err(self.wrong_type(id, ty, span));
        }
        let slot = &mut self.function.values[id.index()];
        slot.defined = true;
        slot.span = span;
        Ok(id)
    }

    /// Numbers must ascend, over values and blocks together.
    fn next_key(&mut self, key: Option<Key<'a>>, span: Span) -> Parse<Key<'a>> {
        let next = self.function.next;
        match key {
            Some(Key::Number(number)) if number < next => {
                Err(self.error_at(span, format!("the number {number} is not free; the next one is {next}")))
            }
            Some(Key::Number(number)) => {
                self.function.next = number + 1;
                Ok(Key::Number(number))
            }
            Some(key) => Ok(key),
            None => {
                self.function.next = next + 1;
                Ok(Key::Number(next))
            }
        }
    }

    /// `label %name`
    pub(super) fn block_label(&mut self) -> Parse<BlockId> {
        self.expect_word("label")?;
        self.block_name()
    }

    pub(super) fn block_name(&mut self) -> Parse<BlockId> {
        if !matches!(self.token.kind, Kind::LocalName | Kind::LocalNumber) {
            return Err(self.expected("the name of a block"));
        }
        let token = self.bump();
        let key = self.key(token)?;
        Ok(self.block_id(key, self.span_of(token)))
    }

    fn block_id(&mut self, key: Key<'a>, span: Span) -> BlockId {
        if let Some(&id) = self.function.block_ids.get(&key) {
            return id;
        }
        let id = BlockId::from_usize(self.function.blocks.len());
        self.function.blocks.push(BlockSlot { name: label(key), first_use: span, block: None });
        self.function.block_ids.insert(key, id);
        id
    }

    // Blocks

    /// `{ … }`; parameters are defined already.
    pub(super) fn body(&mut self) -> Parse<Body> {
        self.expect(Kind::OpenBrace, "`{`")?;
        while !self.at(Kind::CloseBrace) {
            if self.at_word("uselistorder") || self.at_word("uselistorder_bb") {
                self.use_list_order()?;
            } else {
                self.block()?;
            }
        }
        let end = self.here();
        self.bump();
        if self.function.order.is_empty() {
            return Err(self.error_at(end, "a function has at least one block"));
        }
        self.finish_body()
    }

    fn block(&mut self) -> Parse<()> {
        let start = self.here();
        let key = if self.at(Kind::Label) {
            let token = self.bump();
            Some(self.label_key(token)?)
        } else {
            None
        };
        let key = self.next_key(key, start)?;
        let id = self.block_id(key, start);
        if self.function.blocks[id.index()].block.is_some() {
            let message = format!("the block `{}` is defined twice", self.function.blocks[id.index()].name);
            return Err(self.error_at(start, message));
        }
        self.function.current = id;
        self.function.insts.clear();
        let end = loop {
            self.goes_on()?;
            if let Some(end) = self.instruction()? {
                break end;
            }
        };
        let insts = take(&mut self.function.insts);
        let slot = &mut self.function.blocks[id.index()];
        slot.block = Some(Block { name: slot.name.clone(), insts, end, span: start });
        self.function.order.push(id);
        Ok(())
    }

    fn label_key(&mut self, token: Token<'a>) -> Parse<Key<'a>> {
        let bare = (token.end - token.start) as usize == token.text.len() + 1;
        let number = bare && !token.text.is_empty() && token.text.bytes().all(|c| c.is_ascii_digit());
        if number { self.index(token).map(Key::Number) } else { Ok(Key::Name(token.text)) }
    }

    pub(super) fn use_list_order(&mut self) -> Parse<()> {
        while !matches!(self.token.kind, Kind::OpenBrace | Kind::End) {
            self.bump();
        }
        self.skip_group()
    }

    // Instructions

    /// One instruction; a terminator is returned, others are added to the block.
    fn instruction(&mut self) -> Parse<Option<Terminator>> {
        let start = self.token.start;
        self.attached = Default::default();
        if self.at(Kind::Record) {
            return self.record().map(|()| None);
        }
        let name = match self.token.kind {
            Kind::LocalName | Kind::LocalNumber => {
                let token = self.bump();
                let key = self.key(token)?;
                self.expect(Kind::Equal, "`=`")?;
                Some((key, self.span_of(token)))
            }
            _ => None,
        };
        if !self.at(Kind::Word) {
            return Err(self.no_instruction());
        }
        let step = self.step()?;
        self.end_of_instruction()?;
        let (location, repeats) = (self.attached.location, self.attached.repeats);
        let span = self.since(start);
        match step {
            Step::Record(record) => {
                self.function.records.extend(record.map(|r| DebugRecord { location, ..r }));
                Ok(None)
            }
            Step::Inst(kind, ty) => {
                let result = self.result(name, ty, span)?;
                self.function.insts.push(Inst { result, kind, location, span });
                Ok(None)
            }
            Step::End(kind, ty) => {
                let result = self.result(name, ty, span)?;
                Ok(Some(Terminator { result, kind, location, repeats, span }))
            }
        }
    }

    fn no_instruction(&mut self) -> super::Halt {
        let unfinished = matches!(self.token.kind, Kind::Label | Kind::CloseBrace | Kind::End);
        if unfinished {
            let name = self.function.blocks[self.function.current.index()].name.clone();
            return self.error(format!("the block `{name}` does not end in a jump, a return or `unreachable`"));
        }
        self.expected("an instruction")
    }

    fn result(&mut self, name: Option<(Key<'a>, Span)>, ty: TypeId, span: Span) -> Parse<Option<ValueId>> {
        match name {
            Some((_, place)) if ty == Types::VOID => {
                Err(self.error_at(place, "this instruction has no value and cannot be named"))
            }
            None if ty == Types::VOID => Ok(None),
            Some((key, place)) => self.define_value(Some(key), ty, place).map(Some),
            None => self.define_value(None, ty, span).map(Some),
        }
    }

    fn step(&mut self) -> Parse<Step> {
        let word = self.token.text;
        match word {
            "load" => self.load(),
            "store" => self.store(),
            "call" | "tail" | "musttail" | "notail" => self.call(),
            "br" => self.branch(),
            "getelementptr" => self.gep(),
            "icmp" => self.icmp(),
            "alloca" => self.alloca(),
            "ret" => self.ret(),
            "phi" => self.phi(),
            "select" => self.select(),
            "extractvalue" => self.extract_value(),
            "insertvalue" => self.insert_value(),
            "switch" => self.switch(),
            "unreachable" => self.unreachable(),
            "invoke" => self.invoke(),
            "cmpxchg" => self.cmpxchg(),
            "atomicrmw" => self.atomicrmw(),
            "fence" => self.fence(),
            "freeze" => self.freeze(),
            "fcmp" => self.fcmp(),
            "fneg" => self.fneg(),
            "extractelement" => self.extract_element(),
            "insertelement" => self.insert_element(),
            "shufflevector" => self.shuffle_vector(),
            "landingpad" => self.landing_pad(),
            "resume" => self.resume(),
            "indirectbr" | "callbr" | "va_arg" | "catchswitch" | "catchpad" | "catchret" | "cleanuppad"
            | "cleanupret" => Err(self.unsupported(&format!("the instruction `{word}`"))),
            _ => self.operation(),
        }
    }

    // The end of a function

    fn finish_body(&mut self) -> Parse<Body> {
        self.report_undefined_locals()?;
        // Blocks get their final ids, in the order of the text.
        let mut places = vec![BlockId(0); self.function.blocks.len()];
        for (place, id) in self.function.order.iter().enumerate() {
            places[id.index()] = BlockId::from_usize(place);
        }
        let records = self.place_records(&places);
        let mut slots = take(&mut self.function.blocks);
        let order = take(&mut self.function.order);
        let blocks: IndexVec<BlockId, Block> =
            order.iter().filter_map(|id| slots[id.index()].block.take()).map(|b| moved(b, &places)).collect();
        let values = take(&mut self.function.values).into_iter().map(|slot| slot.value).collect();
        let mut body = Body { values, blocks, records };
        body.note_definitions();
        Ok(body)
    }

    fn report_undefined_locals(&mut self) -> Parse<()> {
        let values = self.function.values.iter().filter(|slot| !slot.defined);
        let values = values.map(|slot| (slot.span, format!("`{}` is not defined in this function", slot.value.name)));
        let blocks = self.function.blocks.iter().filter(|slot| slot.block.is_none());
        let blocks = blocks.map(|slot| (slot.first_use, format!("there is no block `{}` in this function", slot.name)));
        let mut missing: Vec<_> = values.chain(blocks).collect();
        missing.sort_by_key(|(span, _)| span.start);
        let halt = missing.into_iter().map(|(span, message)| self.error_at(span, message)).last();
        halt.map_or(Ok(()), Err)
    }
}

fn label(key: Key<'_>) -> Label {
    match key {
        Key::Name(text) => Label::Name(Name::new(&unescape(text))),
        Key::Number(number) => Label::Number(number),
    }
}

/// A block whose jumps and phis use the final ids.
fn moved(mut block: Block, places: &[BlockId]) -> Block {
    for to in block.end.kind.successors_mut() {
        *to = places[to.index()];
    }
    for inst in &mut block.insts {
        if let InstKind::Phi(incoming) = &mut inst.kind {
            incoming.iter_mut().for_each(|(_, from)| *from = places[from.index()]);
        }
    }
    block
}

impl Body {
    fn note_definitions(&mut self) {
        for (id, block) in self.blocks.iter_enumerated() {
            for (index, inst) in block.insts.iter().enumerate() {
                if let Some(value) = inst.result {
                    self.values[value].definition = Definition::Inst(id, index as u32);
                }
            }
            if let Some(value) = block.end.result {
                self.values[value].definition = Definition::Terminator(id);
            }
        }
    }

    pub(super) fn calls_mut(&mut self) -> impl Iterator<Item = &mut Call> {
        self.blocks.iter_mut().flat_map(|block| {
            let calls = block.insts.iter_mut().filter_map(|inst| match &mut inst.kind {
                InstKind::Call(call) => Some(&mut **call),
                _ => None,
            });
            let invoke = match &mut block.end.kind {
                TerminatorKind::Invoke { call, .. } => Some(&mut **call),
                _ => None,
            };
            calls.chain(invoke)
        })
    }
}
