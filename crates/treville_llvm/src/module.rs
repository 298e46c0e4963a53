//! A module: types, globals with their constants, functions as blocks of instructions, and what is known of the source.
//! All names are resolved to ids.

use crate::constant::{ConstExpr, ConstId, ConstKind, Constant};
use crate::debug::{DebugInfo, DebugRecord, ScopeId, VariableId};
use crate::inst::{Call, Callee, CastOp, Inst, Operand, Passing, Terminator};
use crate::layout::Layout;
use crate::types::{TypeId, Types};
use std::fmt;
use treville_base::{IndexVec, Name, Span};

treville_base::ids! {
    /// A variable, a function or an alias of a module.
    GlobalId "@";
    /// A parameter or a result of an instruction, in one function. Parameters come first, in order.
    ValueId "%";
    /// A block of a function; the entry is block 0.
    BlockId "b";
}

#[derive(Clone, Debug)]
pub struct Module {
    pub source_file: Option<Name>,
    pub triple: Option<Name>,
    pub types: Types,
    pub layout: Layout,
    pub constants: IndexVec<ConstId, Constant>,
    pub globals: IndexVec<GlobalId, Global>,
    /// Lines of `module asm`.
    pub asm: Vec<String>,
    pub debug: DebugInfo,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Global {
    /// A number for globals without a name.
    pub name: Name,
    pub linkage: Linkage,
    pub kind: GlobalKind,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub enum GlobalKind {
    Variable(Variable),
    Function(Box<Function>),
    /// Another name for the address that `target` says.
    Alias {
        ty: TypeId,
        target: ConstId,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Linkage {
    External,
    /// Private or internal: not seen by other modules.
    Internal,
    /// Another module may have its own, to be used instead.
    Weak,
    /// Null if no module defines it.
    ExternWeak,
    /// A copy of a definition that another module has.
    AvailableExternally,
    /// Arrays joined over all modules.
    Appending,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Variable {
    pub ty: TypeId,
    /// Missing if another module defines it.
    pub init: Option<ConstId>,
    pub constant: bool,
    pub thread_local: bool,
    pub align: Option<u32>,
    /// The source's variables in this memory.
    pub sources: Vec<VariableId>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// A function type.
    pub ty: TypeId,
    pub result: TypeId,
    pub params: Vec<Param>,
    pub variadic: bool,
    pub attributes: Attributes,
    /// Missing for declarations.
    pub body: Option<Body>,
    /// The source's function.
    pub source: Option<ScopeId>,
    pub(crate) groups: Vec<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Param {
    pub ty: TypeId,
    pub passing: Passing,
}

/// Attributes of a function that change what it does or how it is treated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Attributes {
    pub noreturn: bool,
    pub always_inline: bool,
    /// Its body is assembly only.
    pub naked: bool,
    /// As `setjmp`.
    pub returns_twice: bool,
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Body {
    pub values: IndexVec<ValueId, Value>,
    pub blocks: IndexVec<BlockId, Block>,
    /// Where the source's variables live, in the order of the text.
    pub records: Vec<DebugRecord>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Value {
    pub name: Label,
    pub ty: TypeId,
    pub definition: Definition,
}

/// How the text names a value or a block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Label {
    Name(Name),
    Number(u32),
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Label::Name(name) => write!(f, "%{name}"),
            Label::Number(number) => write!(f, "%{number}"),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Definition {
    Param(u32),
    Inst(BlockId, u32),
    /// The result of the `invoke` that ends a block.
    Terminator(BlockId),
}

#[derive(Clone, PartialEq, Debug)]
pub struct Block {
    pub name: Label,
    pub insts: Vec<Inst>,
    pub end: Terminator,
    pub span: Span,
}

impl Global {
    pub fn function(&self) -> Option<&Function> {
        match &self.kind {
            GlobalKind::Function(function) => Some(function),
            GlobalKind::Variable(_) | GlobalKind::Alias { .. } => None,
        }
    }

    pub fn variable(&self) -> Option<&Variable> {
        match &self.kind {
            GlobalKind::Variable(variable) => Some(variable),
            GlobalKind::Function(_) | GlobalKind::Alias { .. } => None,
        }
    }
}

impl Module {
    pub fn constant(&self, id: ConstId) -> &Constant {
        &self.constants[id]
    }

    pub fn operand_type(&self, body: &Body, operand: Operand) -> TypeId {
        match operand {
            Operand::Local(value) => body.values[value].ty,
            Operand::Const(constant) => self.constants[constant].ty,
        }
    }

    /// The value of an integer constant.
    pub fn int(&self, id: ConstId) -> Option<u128> {
        match self.constants[id].kind {
            ConstKind::Int(value) => Some(value),
            ConstKind::Zero if self.types.int_bits(self.constants[id].ty).is_some() => Some(0),
            _ => None,
        }
    }

    pub fn global_named(&self, name: &str) -> Option<GlobalId> {
        self.globals.iter_enumerated().find(|(_, g)| g.name == name).map(|(id, _)| id)
    }

    /// The function or variable whose address a constant is, seen through casts and aliases.
    pub fn pointee(&self, id: ConstId) -> Option<GlobalId> {
        let mut at = id;
        // A chain of aliases may be a circle.
        for _ in 0..=self.constants.len() {
            match &self.constants[at].kind {
                ConstKind::Global(global) => match self.globals[*global].kind {
                    GlobalKind::Alias { target, .. } => at = target,
                    GlobalKind::Variable(_) | GlobalKind::Function(_) => return Some(*global),
                },
                ConstKind::Expr(ConstExpr::Cast { op: CastOp::BitCast | CastOp::AddrSpaceCast, value }) => at = *value,
                _ => return None,
            }
        }
        None
    }

    /// The function that a call names.
    pub fn callee(&self, call: &Call) -> Option<(GlobalId, &Function)> {
        let Callee::Value(Operand::Const(id)) = call.callee else { return None };
        let global = self.pointee(id)?;
        Some((global, self.globals[global].function()?))
    }

    /// The members of an array, a struct or a vector, where they are written one by one.
    pub fn members(&self, id: ConstId) -> Option<&[ConstId]> {
        match &self.constants[id].kind {
            ConstKind::Aggregate(members) => Some(members),
            _ => None,
        }
    }

    /// Functions to run before `main`, in the order in which they run, with their priorities.
    pub fn constructors(&self) -> Vec<(u64, GlobalId)> {
        let list = self.global_named("llvm.global_ctors").and_then(|id| self.globals[id].variable()?.init);
        let entry = |&id: &ConstId| match self.members(id)? {
            [priority, function, ..] => Some((self.int(*priority)? as u64, self.pointee(*function)?)),
            _ => None,
        };
        let mut found: Vec<_> =
            list.and_then(|id| self.members(id)).unwrap_or_default().iter().filter_map(entry).collect();
        found.sort_by_key(|&(priority, _)| priority);
        found
    }
}
