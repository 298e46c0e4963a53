//! What the module says about its source: places, functions and blocks, variables and their types.
//!
//! Instructions refer to a [`Location`]: a line and column in a scope and, if the code was inlined, the place of the call.
//! Everything here is for people; no meaning depends on it.

mod build;

pub(crate) use build::{Field, Meta, Node, Sources};

use crate::inst::Operand;
use crate::module::BlockId;
use treville_base::{IndexVec, Name};

treville_base::ids! {
    /// A place in the source.
    LocationId "loc";
    /// A function, block or namespace of the source.
    ScopeId "scope";
    /// A source file.
    DebugFileId "src";
    /// A variable of the source.
    VariableId "var";
    /// A type of the source.
    SourceTypeId "type";
    /// A loop of the source.
    LoopId "loop";
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct DebugInfo {
    pub files: IndexVec<DebugFileId, DebugFile>,
    pub scopes: IndexVec<ScopeId, SourceScope>,
    pub locations: IndexVec<LocationId, Location>,
    pub variables: IndexVec<VariableId, SourceVariable>,
    pub types: IndexVec<SourceTypeId, SourceType>,
    pub loops: IndexVec<LoopId, SourceLoop>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DebugFile {
    /// As it was given to the compiler: absolute, or relative to the directory.
    pub name: Name,
    pub directory: Name,
}

impl DebugFile {
    /// The whole path.
    pub fn path(&self) -> String {
        match (self.name.starts_with('/'), self.directory.is_empty()) {
            (false, false) => format!("{}/{}", self.directory.trim_end_matches('/'), self.name),
            _ => self.name.to_string(),
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    /// Counted from 1; 0 is unknown.
    pub line: u32,
    pub column: u32,
    pub scope: Option<ScopeId>,
    /// The call that was replaced by the code.
    pub inlined_at: Option<LocationId>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceScope {
    pub kind: ScopeKind,
    pub name: Option<Name>,
    /// The name that the linker knows.
    pub linkage_name: Option<Name>,
    pub file: Option<DebugFileId>,
    pub line: u32,
    pub parent: Option<ScopeId>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScopeKind {
    Function,
    Block,
    Namespace,
    /// A type, a file, a whole unit.
    Other,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceVariable {
    /// Missing for temporaries of the compiler.
    pub name: Option<Name>,
    pub scope: Option<ScopeId>,
    pub file: Option<DebugFileId>,
    pub line: u32,
    pub ty: Option<SourceTypeId>,
    /// The position of a parameter, from 1.
    pub arg: Option<u32>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SourceType {
    Basic {
        name: Option<Name>,
        bits: u64,
        encoding: Encoding,
    },
    Pointer {
        bits: u64,
        to: Option<SourceTypeId>,
    },
    /// A struct, class or union.
    Record {
        name: Option<Name>,
        bits: u64,
        union: bool,
        members: Vec<Member>,
    },
    Array {
        bits: u64,
        element: Option<SourceTypeId>,
        /// One for each dimension, where known.
        counts: Vec<Option<u64>>,
    },
    Enum {
        name: Option<Name>,
        bits: u64,
        base: Option<SourceTypeId>,
        values: Vec<(Name, i128)>,
    },
    /// Another name for a type, or the type with `const`, `volatile`, `_Atomic` and the like.
    Alias {
        name: Option<Name>,
        of: Option<SourceTypeId>,
    },
    /// A function, or what is not described further.
    Other {
        name: Option<Name>,
        bits: u64,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encoding {
    Bool,
    Signed,
    Unsigned,
    SignedChar,
    UnsignedChar,
    Float,
    Other,
}

impl Encoding {
    pub fn is_signed(self) -> bool {
        matches!(self, Encoding::Signed | Encoding::SignedChar)
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Member {
    pub name: Option<Name>,
    pub offset_bits: u64,
    pub bits: u64,
    pub ty: Option<SourceTypeId>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceLoop {
    /// The language promises that the loop ends or has effects.
    pub must_progress: bool,
    pub start: Option<LocationId>,
    pub end: Option<LocationId>,
}

/// Says where a variable lives, or what its value is, from an instruction on.
#[derive(Clone, PartialEq, Debug)]
pub struct DebugRecord {
    pub kind: RecordKind,
    pub variable: VariableId,
    /// Missing if it is optimised away or not a single value.
    pub value: Option<Operand>,
    /// Whether `value` is all of it, without further computation.
    pub plain: bool,
    pub location: Option<LocationId>,
    pub block: BlockId,
    /// The index of the instruction before which the record stands.
    pub before: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecordKind {
    /// The value is the variable's address, in the whole function.
    Declare,
    /// The value is that of the variable, from here on.
    Value,
}

impl DebugInfo {
    /// A location, then the place of the call that was inlined, and so on outwards.
    pub fn inline_chain(&self, location: LocationId) -> impl Iterator<Item = &Location> {
        let first = Some(&self.locations[location]);
        std::iter::successors(first, |l| l.inlined_at.map(|id| &self.locations[id]))
    }

    /// A scope and those around it.
    pub fn scope_chain(&self, scope: ScopeId) -> impl Iterator<Item = &SourceScope> {
        std::iter::successors(Some(&self.scopes[scope]), |s| s.parent.map(|id| &self.scopes[id]))
    }

    /// The file of a location.
    pub fn file_of(&self, location: &Location) -> Option<&DebugFile> {
        let file = self.scope_chain(location.scope?).find_map(|s| s.file)?;
        Some(&self.files[file])
    }

    /// The function of the source in which a location is.
    pub fn function_of(&self, location: &Location) -> Option<&SourceScope> {
        self.scope_chain(location.scope?).find(|s| s.kind == ScopeKind::Function)
    }

    /// A type without the names and qualifiers around it.
    pub fn strip(&self, ty: SourceTypeId) -> Option<SourceTypeId> {
        let mut at = ty;
        // Wrong input may have a circle here.
        for _ in 0..=self.types.len() {
            match &self.types[at] {
                SourceType::Alias { of, .. } => at = (*of)?,
                _ => return Some(at),
            }
        }
        None
    }
}
