//! From metadata nodes to [`DebugInfo`].
//!
//! While the text is read, nodes are collected ([`Sources::insert`]) and mentions get their ids, by the number of the node
//! ([`Sources::location`] and the like), since nodes come after what refers to them. [`Sources::build`] then follows them.

use super::{
    DebugFile, DebugFileId, DebugInfo, Encoding, Location, LocationId, LoopId, Member, ScopeId, ScopeKind, SourceLoop,
    SourceScope, SourceType, SourceTypeId, SourceVariable, VariableId,
};
use crate::lexer::unescape;
use rustc_hash::FxHashMap;
use treville_base::{Diagnostic, Idx, IndexVec, Name, Span};

/// A field of a node; in a list its name is empty.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field<'a> {
    pub(crate) name: &'a str,
    pub(crate) value: Meta<'a>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Meta<'a> {
    Node(u32),
    Str(&'a str),
    Int(i128),
    Word(&'a str),
    /// What no one asks for.
    Other,
}

/// A node: its kind (empty for a list) and where its fields are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node<'a> {
    pub(crate) kind: &'a str,
    pub(crate) fields: (u32, u32),
}

/// Ids given to nodes in the order in which they are first mentioned.
#[derive(Debug)]
struct Numbering<I> {
    known: FxHashMap<u32, I>,
    numbers: Vec<u32>,
}

impl<I> Default for Numbering<I> {
    fn default() -> Self {
        Numbering { known: FxHashMap::default(), numbers: Vec::new() }
    }
}

impl<I: Idx> Numbering<I> {
    fn id(&mut self, number: u32) -> I {
        *self.known.entry(number).or_insert_with(|| {
            self.numbers.push(number);
            I::from_usize(self.numbers.len() - 1)
        })
    }
}

/// Numbers of nodes without a number of their own begin here.
const INLINE: u32 = 1 << 31;

#[derive(Default, Debug)]
pub(crate) struct Sources<'a> {
    nodes: FxHashMap<u32, Node<'a>>,
    fields: Vec<Field<'a>>,
    n_inline: u32,
    /// Where nodes are first mentioned by instructions and globals.
    mentions: FxHashMap<u32, Span>,
    files: Numbering<DebugFileId>,
    scopes: Numbering<ScopeId>,
    locations: Numbering<LocationId>,
    variables: Numbering<VariableId>,
    types: Numbering<SourceTypeId>,
    loops: Numbering<LoopId>,
}

impl<'a> Sources<'a> {
    pub(crate) fn add_fields(&mut self, fields: &[Field<'a>]) -> (u32, u32) {
        let start = self.fields.len() as u32;
        self.fields.extend_from_slice(fields);
        (start, self.fields.len() as u32)
    }

    /// Adds a node; false if the number is taken.
    pub(crate) fn insert(&mut self, number: u32, node: Node<'a>) -> bool {
        self.nodes.insert(number, node).is_none()
    }

    /// Adds a node that stands inside another one and returns the number that it gets.
    pub(crate) fn insert_inline(&mut self, node: Node<'a>) -> u32 {
        let number = INLINE | self.n_inline;
        self.n_inline += 1;
        self.nodes.insert(number, node);
        number
    }

    fn mention(&mut self, number: u32, span: Span) {
        self.mentions.entry(number).or_insert(span);
    }

    pub(crate) fn location(&mut self, number: u32, span: Span) -> LocationId {
        self.mention(number, span);
        self.locations.id(number)
    }

    pub(crate) fn scope(&mut self, number: u32, span: Span) -> ScopeId {
        self.mention(number, span);
        self.scopes.id(number)
    }

    pub(crate) fn variable(&mut self, number: u32, span: Span) -> VariableId {
        self.mention(number, span);
        self.variables.id(number)
    }

    pub(crate) fn repeats(&mut self, number: u32, span: Span) -> LoopId {
        self.mention(number, span);
        self.loops.id(number)
    }

    fn fields_of(&self, number: u32) -> &[Field<'a>] {
        let Some(node) = self.nodes.get(&number) else { return &[] };
        self.fields.get(node.fields.0 as usize..node.fields.1 as usize).unwrap_or_default()
    }

    fn kind(&self, number: u32) -> &'a str {
        self.nodes.get(&number).map_or("", |n| n.kind)
    }

    fn field(&self, number: u32, name: &str) -> Option<Meta<'a>> {
        self.fields_of(number).iter().find(|f| f.name == name).map(|f| f.value)
    }

    fn node(&self, number: u32, name: &str) -> Option<u32> {
        match self.field(number, name)? {
            Meta::Node(node) => Some(node),
            _ => None,
        }
    }

    fn word(&self, number: u32, name: &str) -> &'a str {
        match self.field(number, name) {
            Some(Meta::Word(word)) => word,
            _ => "",
        }
    }

    fn name(&self, number: u32, name: &str) -> Option<Name> {
        match self.field(number, name)? {
            Meta::Str(text) if !text.is_empty() => Some(Name::new(&unescape(text))),
            _ => None,
        }
    }

    fn int(&self, number: u32, name: &str) -> Option<i128> {
        match self.field(number, name)? {
            Meta::Int(value) => Some(value),
            _ => None,
        }
    }

    fn u64(&self, number: u32, name: &str) -> u64 {
        self.int(number, name).and_then(|n| u64::try_from(n).ok()).unwrap_or(0)
    }

    fn u32(&self, number: u32, name: &str) -> u32 {
        self.int(number, name).and_then(|n| u32::try_from(n).ok()).unwrap_or(0)
    }

    /// The nodes that a list has.
    fn list(&self, number: u32) -> Vec<u32> {
        let nodes = self.fields_of(number).iter();
        nodes.filter_map(|f| if let Meta::Node(node) = f.value { Some(node) } else { None }).collect()
    }

    fn elements(&self, number: u32) -> Vec<u32> {
        self.node(number, "elements").map(|list| self.list(list)).unwrap_or_default()
    }

    fn file(&mut self, number: u32) -> Option<DebugFileId> {
        if self.kind(number) == "DIFile" {
            return Some(self.files.id(number));
        }
        self.node(number, "file").map(|file| self.files.id(file))
    }

    /// All that was mentioned, and what that mentions.
    pub(crate) fn build(mut self, diagnostics: &mut Vec<Diagnostic>) -> DebugInfo {
        self.report_undefined(diagnostics);
        let mut info = DebugInfo::default();
        // Each kind refers only to itself and to those below.
        for at in 0..self.loops.numbers.len() {
            let number = self.loops.numbers[at];
            info.loops.push(self.build_loop(number));
        }
        let mut at = 0;
        while let Some(&number) = self.locations.numbers.get(at) {
            let location = self.build_location(number);
            info.locations.push(location);
            at += 1;
        }
        for at in 0..self.variables.numbers.len() {
            let number = self.variables.numbers[at];
            info.variables.push(self.build_variable(number));
        }
        at = 0;
        while let Some(&number) = self.scopes.numbers.get(at) {
            let scope = self.build_scope(number);
            info.scopes.push(scope);
            at += 1;
        }
        at = 0;
        while let Some(&number) = self.types.numbers.get(at) {
            let ty = self.build_type(number);
            info.types.push(ty);
            at += 1;
        }
        for &number in &self.files.numbers {
            let text = |field| self.name(number, field).unwrap_or_else(|| Name::new(""));
            info.files.push(DebugFile { name: text("filename"), directory: text("directory") });
        }
        cut_circles(&mut info.locations, |l| &mut l.inlined_at);
        cut_circles(&mut info.scopes, |s| &mut s.parent);
        info
    }

    fn report_undefined(&self, diagnostics: &mut Vec<Diagnostic>) {
        let missing = self.mentions.iter().filter(|(number, _)| !self.nodes.contains_key(number));
        let mut missing: Vec<_> = missing.map(|(&number, &span)| (span, number)).collect();
        missing.sort_unstable();
        diagnostics.extend(
            missing.into_iter().map(|(span, n)| Diagnostic::error(span, format!("metadata `!{n}` is not defined"))),
        );
    }

    fn build_loop(&mut self, number: u32) -> SourceLoop {
        let parts = self.list(number);
        let is = |node: u32, text: &str| matches!(self.fields_of(node).first(), Some(Field { value: Meta::Str(t), .. }) if *t == text);
        let must_progress = parts.iter().any(|&part| part != number && is(part, "llvm.loop.mustprogress"));
        let mut places =
            parts.into_iter().filter(|&part| self.nodes.get(&part).is_some_and(|n| n.kind == "DILocation"));
        let (start, end) = (places.next(), places.next());
        let mut id = |place: Option<u32>| place.map(|n| self.locations.id(n));
        SourceLoop { must_progress, start: id(start), end: id(end) }
    }

    fn build_location(&mut self, number: u32) -> Location {
        Location {
            line: self.u32(number, "line"),
            column: self.u32(number, "column"),
            scope: self.node(number, "scope").map(|n| self.scopes.id(n)),
            inlined_at: self.node(number, "inlinedAt").map(|n| self.locations.id(n)),
        }
    }

    fn build_scope(&mut self, number: u32) -> SourceScope {
        let kind = match self.kind(number) {
            "DISubprogram" => ScopeKind::Function,
            "DILexicalBlock" | "DILexicalBlockFile" => ScopeKind::Block,
            "DINamespace" | "DIModule" => ScopeKind::Namespace,
            _ => ScopeKind::Other,
        };
        SourceScope {
            kind,
            name: self.name(number, "name"),
            linkage_name: self.name(number, "linkageName"),
            file: self.file(number),
            line: self.u32(number, "line"),
            parent: self.node(number, "scope").map(|n| self.scopes.id(n)),
        }
    }

    fn build_variable(&mut self, number: u32) -> SourceVariable {
        // A global's node says which variable it is and which part of it.
        let number = self.node(number, "var").unwrap_or(number);
        SourceVariable {
            name: self.name(number, "name"),
            scope: self.node(number, "scope").map(|n| self.scopes.id(n)),
            file: self.file(number),
            line: self.u32(number, "line"),
            ty: self.node(number, "type").map(|n| self.types.id(n)),
            arg: self.int(number, "arg").and_then(|n| u32::try_from(n).ok()),
        }
    }

    fn build_type(&mut self, number: u32) -> SourceType {
        let name = self.name(number, "name");
        let bits = self.u64(number, "size");
        let base = self.node(number, "baseType").map(|n| self.types.id(n));
        match (self.kind(number), self.word(number, "tag")) {
            ("DIBasicType", _) => SourceType::Basic { name, bits, encoding: encoding(self.word(number, "encoding")) },
            ("DIDerivedType", "DW_TAG_pointer_type" | "DW_TAG_reference_type" | "DW_TAG_rvalue_reference_type") => {
                SourceType::Pointer { bits, to: base }
            }
            ("DIDerivedType", _) => SourceType::Alias { name, of: base },
            ("DICompositeType", "DW_TAG_array_type") => {
                let counts = self.elements(number).into_iter().map(|n| self.count(n)).collect();
                SourceType::Array { bits, element: base, counts }
            }
            ("DICompositeType", "DW_TAG_enumeration_type") => {
                let values = self.elements(number).into_iter();
                let values = values.filter_map(|n| Some((self.name(n, "name")?, self.int(n, "value")?))).collect();
                SourceType::Enum { name, bits, base, values }
            }
            ("DICompositeType", tag) => {
                let members = self.elements(number).into_iter().filter_map(|n| self.member(n)).collect();
                SourceType::Record { name, bits, union: tag == "DW_TAG_union_type", members }
            }
            _ => SourceType::Other { name, bits },
        }
    }

    fn member(&mut self, number: u32) -> Option<Member> {
        if !matches!(self.word(number, "tag"), "DW_TAG_member" | "DW_TAG_inheritance") {
            return None;
        }
        // Members without a place of their own are not in the object.
        if self.word(number, "flags").contains("StaticMember") {
            return None;
        }
        Some(Member {
            name: self.name(number, "name"),
            offset_bits: self.u64(number, "offset"),
            bits: self.u64(number, "size"),
            ty: self.node(number, "baseType").map(|n| self.types.id(n)),
        })
    }

    fn count(&self, number: u32) -> Option<u64> {
        self.int(number, "count").and_then(|n| u64::try_from(n).ok())
    }
}

fn encoding(word: &str) -> Encoding {
    match word {
        "DW_ATE_boolean" => Encoding::Bool,
        "DW_ATE_signed" => Encoding::Signed,
        "DW_ATE_unsigned" | "DW_ATE_address" => Encoding::Unsigned,
        "DW_ATE_signed_char" => Encoding::SignedChar,
        "DW_ATE_unsigned_char" | "DW_ATE_UTF" => Encoding::UnsignedChar,
        "DW_ATE_float" => Encoding::Float,
        _ => Encoding::Other,
    }
}

/// Makes following the links come to an end, whatever the input: a link that would close a circle is dropped.
fn cut_circles<I: Idx, T>(items: &mut IndexVec<I, T>, link: impl Fn(&mut T) -> &mut Option<I>) {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        OnPath,
        Done,
    }
    let mut marks = vec![Mark::New; items.len()];
    for start in items.ids() {
        let mut path = Vec::new();
        let mut at = start;
        while marks[at.index()] == Mark::New {
            marks[at.index()] = Mark::OnPath;
            path.push(at);
            let next = link(&mut items[at]);
            match *next {
                Some(to) if marks[to.index()] == Mark::OnPath => *next = None,
                Some(to) => at = to,
                None => break,
            }
        }
        path.into_iter().for_each(|id| marks[id.index()] = Mark::Done);
    }
}
