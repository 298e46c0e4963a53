//! LLVM IR as C, C++ and Rust compilers print it: text to a typed [`Module`].
//!
//! [`parse`] reads a module, by hand and without LLVM, as clang 14 to 19 and rustc up to LLVM 22 write it. Pointers have
//! no pointees, whatever the text says, so that all versions look alike; debug intrinsics and debug records are one thing;
//! attributes, flags and metadata that do not change what a program does are skipped. What is not understood is an error
//! with its place. The module is checked: every name is defined, types fit, blocks end and phis match their edges.
//!
//! [`lower`] makes a program of it. [`Clang`] runs the compiler on C and C++ files.
//!
//! ```
//! use treville_base::SourceMap;
//! use treville_llvm::parse;
//!
//! let text = "define i32 @one(i32 %x) {\n  %y = add nsw i32 %x, 1\n  ret i32 %y\n}\n";
//! let mut sources = SourceMap::new();
//! let file = sources.add("one.ll", text);
//! let module = parse(file, text).unwrap();
//! let one = module.globals[module.global_named("one").unwrap()].function().unwrap();
//! assert_eq!(one.body.as_ref().unwrap().blocks.len(), 1);
//!
//! let errors = parse(file, "define i32 @one() {\n  ret i32 %y\n}\n").unwrap_err();
//! assert_eq!(errors[0].message, "`%y` is not defined in this function");
//! ```

mod clang;
mod constant;
mod debug;
mod dominators;
mod front_end;
mod header;
mod inst;
mod layout;
mod lexer;
mod lower;
mod module;
mod parser;
mod types;
mod validate;

pub use clang::{Clang, CompileOptions, Compiled};
pub use constant::{ConstExpr, ConstId, ConstKind, Constant};
pub use debug::{
    DebugFile, DebugFileId, DebugInfo, DebugRecord, Encoding, Location, LocationId, LoopId, Member, RecordKind,
    ScopeId, ScopeKind, SourceLoop, SourceScope, SourceType, SourceTypeId, SourceVariable, VariableId,
};
pub use front_end::{CFrontEnd, IrFrontEnd};
pub use inst::{
    Access, Arg, BinaryOp, Call, Callee, CastOp, Clause, CmpXchg, Flags, FloatPredicate, InlineAsm, Inst, InstKind,
    IntPredicate, Operand, Ordering, Passing, RmwOp, Scope, Terminator, TerminatorKind,
};
pub use layout::{GepOffset, Layout, NoLayout, TypeLayout};
pub use lower::{LowerOptions, lower};
pub use module::{
    Attributes, Block, BlockId, Body, Definition, Function, Global, GlobalId, GlobalKind, Label, Linkage, Module,
    Param, Value, ValueId, Variable,
};
pub use parser::{parse, parse_unless};
pub use types::{FloatKind, Struct, Type, TypeId, Types};
