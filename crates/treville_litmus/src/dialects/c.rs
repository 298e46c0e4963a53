//! C litmus tests: those of C11, and those of the Linux kernel, whose functions a macro file defines.
//!
//! The C is small: threads are functions over the addresses of globals, all locals are registers, and every statement is
//! one instruction. As the reference tool has it, a test has one *word*: every global and every register holds a word, and
//! every access is one, whatever the types say. It is the widest type that the test names, so nothing is lost, and accesses
//! through pointers cast from one type to another never overlap in part.

mod ast;
mod c11;
mod call;
mod linux;
mod lower;
pub(crate) mod parse;
mod scope;
#[cfg(test)]
mod tests;
mod token;
mod types;
mod typing;

pub(crate) use ast::{Expr, ExprKind, Stmt, StmtKind};
pub(crate) use linux::tag_of;

use super::Test;
use crate::code::{each_access, held};
use crate::init::{Binding, INT, Target, Written};
use crate::macros::Macros;
use crate::memory::Memory;
use crate::question::{Names, Register, resolve};
use crate::{condition, init};
use lower::{Thread, Variable};
use parse::Code;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};
use treville_base::{Diagnostic, IndexVec, Name};
use treville_ir::{Dialect, Expr as Value, Object, ObjectId, Program, Question, RegInfo, Root, ThreadId, Type};
use treville_term::Bv;

/// Which functions a test means by the names that C11 and the kernel share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Style {
    C11,
    Linux,
}

/// What all threads of a test share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context<'a> {
    style: Style,
    macros: Option<&'a Macros>,
    /// In bytes.
    word: u8,
    /// A weak compare-exchange may fail for no reason.
    weak_cas: bool,
}

pub(super) static C11: LazyLock<Arc<Dialect>> = LazyLock::new(|| Arc::new(Dialect::c11("c11")));
pub(super) static KERNEL: LazyLock<Arc<Dialect>> = LazyLock::new(|| Arc::new(Dialect::kernel(&[])));

/// Reads a C test.
pub(crate) fn read(test: &Test<'_>) -> Result<(Program, Question), Vec<Diagnostic>> {
    let &Test { file, text, sections, options } = test;
    let mut errors = Vec::new();
    let bindings = init::parse(file, text, sections.init.clone()).unwrap_or_else(|e| report(&mut errors, e));
    let code = parse::code(file, text, sections.code.clone()).map_err(|e| errors.extend(e)).ok();
    let asked = condition::parse(file, text, sections.condition.clone()).map_err(|e| errors.push(e)).ok();
    let (Some(code), Some(asked)) = (code, asked) else { return Err(errors) };

    let kernel = options.kernel.unwrap_or(code.linux);
    let macros = options.macros.as_deref();
    let style = if kernel { Style::Linux } else { Style::C11 };
    let context = Context { style, macros, weak_cas: options.weak_cas, word: word(&code, &bindings) };
    let dialect = match (style, macros) {
        (Style::C11, _) => &*C11,
        (Style::Linux, Some(macros)) => &macros.dialect,
        (Style::Linux, None) => &*KERNEL,
    };
    let mut program = Program::new(sections.name, Arc::clone(dialect));

    let mut memory = memory(&bindings, context.word, &mut errors);
    let mut names = CNames { word: context.word, threads: Vec::new(), types: BTreeMap::new(), program: &mut program };
    names.threads(&code, &bindings, &context, &mut memory, &mut errors);
    names.initialise(&bindings, &memory, &mut errors);
    errors.append(&mut outside(names.program, &mut memory));
    memory.finish(names.program);
    if !errors.is_empty() {
        return Err(errors);
    }
    let question = resolve(&asked, &mut names)?;
    Ok((program, question))
}

/// Accesses outside of the locations that they begin from.
fn outside(program: &Program, memory: &mut Memory<'_>) -> Vec<Diagnostic> {
    for root in &program.roots {
        let start = root.init.iter().filter_map(|(reg, value)| Some((*reg, held(value, &BTreeMap::new())?)));
        each_access(&program.funcs[root.func], &start.collect(), &mut |access, location| {
            if let Some((object, offset)) = location {
                memory.check_access(object, offset, &access);
            }
        });
    }
    std::mem::take(&mut memory.errors)
}

fn report<T: Default>(errors: &mut Vec<Diagnostic>, more: Vec<Diagnostic>) -> T {
    errors.extend(more);
    T::default()
}

/// The word of a test: the widest type that it names, at least an `int`.
fn word(code: &Code, bindings: &[Binding<'_>]) -> u8 {
    let bytes = |b: &Binding<'_>| match b.ty.ty() {
        Some(Type::Int { bytes, .. }) => bytes,
        _ => 0,
    };
    bindings.iter().map(bytes).max().unwrap_or(0).max(code.widest).max(4)
}

/// A binding whose numbers are those of its type.
fn in_range<'a>(binding: &Binding<'a>) -> Binding<'a> {
    let mut binding = binding.clone();
    if let (Some(Type::Int { bytes, signed }), Written::Named(_)) = (binding.ty.ty(), &binding.ty) {
        binding.value.iter_mut().for_each(|value| narrow(value, bytes, signed));
    }
    binding
}

fn narrow(value: &mut init::Value<'_>, bytes: u8, signed: bool) {
    match value {
        init::Value::Int(n) if bytes < 8 => {
            let narrow = Bv::new(*n as u128, 8 * bytes);
            *n = if signed { narrow.signed() } else { narrow.unsigned() as i128 };
        }
        init::Value::List(list) => list.iter_mut().for_each(|value| narrow(value, bytes, signed)),
        init::Value::Int(_) | init::Value::Address { .. } | init::Value::Label { .. } => {}
    }
}

/// The globals of the initial state. Elements of arrays are words too.
fn memory<'a>(bindings: &[Binding<'a>], word: u8, errors: &mut Vec<Diagnostic>) -> Memory<'a> {
    let mut memory = Memory::new(word);
    memory.access_anywhere(word);
    for binding in bindings {
        let binding = &in_range(binding);
        let array = matches!(binding.target, Target::Array { .. });
        let bound = match binding.ty.ty() {
            // A type that says nothing about sizes: a lock, an SRCU domain.
            None if !array => memory.bind(&Binding { ty: Written::Default, ..binding.clone() }),
            Some(Type::Int { bytes, .. }) if array && bytes < word => {
                let ty = Written::Named(vec![if word == 4 { "int32_t" } else { "int64_t" }]);
                memory.bind(&Binding { ty, ..binding.clone() })
            }
            _ => memory.bind(binding),
        };
        if let Err(error) = bound {
            errors.push(error);
        }
    }
    memory
}

/// The variables of a thread that the initial state mentions.
fn given(bindings: &[Binding<'_>], number: u32) -> BTreeSet<Name> {
    let names = bindings.iter().filter_map(|binding| match binding.target {
        Target::Reg { thread, name } if thread == number => Some(Name::new(name)),
        _ => None,
    });
    names.collect()
}

/// The names of a test: its globals, and the registers of its threads.
struct CNames<'p> {
    word: u8,
    threads: Vec<BTreeMap<Name, Variable>>,
    /// Types that the initial state gives to registers.
    types: BTreeMap<(u32, Name), Type>,
    program: &'p mut Program,
}

impl CNames<'_> {
    /// Lowers all threads.
    fn threads<'a>(
        &mut self,
        code: &'a Code,
        bindings: &[Binding<'_>],
        context: &Context<'_>,
        memory: &mut Memory<'a>,
        errors: &mut Vec<Diagnostic>,
    ) {
        let mut next_instr = 0;
        for function in &code.functions {
            let globals: Vec<ObjectId> = function.params.iter().map(|p| memory.mention(&p.name, p.span)).collect();
            let given = given(bindings, function.number);
            match lower::thread(function, &globals, given, context, self.program, &mut next_instr) {
                Ok(Thread { func, names, types, init }) => {
                    let name = func.name.clone();
                    let func = self.program.funcs.push(func);
                    self.program.roots.push(Root { name, func, init, scopes: Vec::new(), ends_process: false });
                    let narrow = types.into_iter().filter(|(_, ty)| ty.pointers == 0 && (!ty.signed || ty.bytes == 8));
                    self.types.extend(
                        narrow.filter(|(name, _)| names.contains_key(name)).map(|(name, ty)| {
                            ((function.number, name), Type::Int { bytes: ty.bytes, signed: ty.signed })
                        }),
                    );
                    self.threads.push(names);
                }
                Err(more) => errors.extend(more),
            }
        }
    }

    /// Gives registers their initial values.
    fn initialise(&mut self, bindings: &[Binding<'_>], memory: &Memory<'_>, errors: &mut Vec<Diagnostic>) {
        if !errors.is_empty() {
            return;
        }
        for binding in bindings {
            let Target::Reg { thread, name } = binding.target else { continue };
            let register = match self.make_register(thread, name) {
                Ok(register) => register,
                Err(why) => {
                    errors.push(Diagnostic::error(binding.span, why));
                    continue;
                }
            };
            if binding.ty != Written::Default
                && let Some(ty) = binding.ty.ty()
            {
                self.types.insert((thread, Name::new(name)), ty);
            }
            if let Some(value) = &binding.value {
                let init = &mut self.program.roots[ThreadId(thread)].init;
                init.retain(|(r, _)| *r != register.reg);
                init.push((register.reg, memory.value(value, self.word)));
            }
        }
    }
}

impl Names for CNames<'_> {
    fn object(&self, name: &str) -> Option<ObjectId> {
        self.program.object_named(name)
    }

    fn objects(&self) -> &IndexVec<ObjectId, Object> {
        &self.program.objects
    }

    fn listed_register(&mut self, thread: u32, name: &str) -> Result<Register, String> {
        self.make_register(thread, name)
    }

    fn registers(&self) -> Vec<(u32, String)> {
        let of = |(thread, names): (usize, &BTreeMap<Name, Variable>)| {
            let registers = names.iter().filter(|(_, v)| matches!(v, Variable::Register(_)));
            registers.map(|(name, _)| (thread as u32, name.to_string())).collect::<Vec<_>>()
        };
        self.threads.iter().enumerate().flat_map(of).collect()
    }

    /// A register of the code or of the initial state.
    fn register(&mut self, thread: u32, name: &str) -> Result<Register, String> {
        if self.threads.get(thread as usize).is_some_and(|names| !names.contains_key(name)) {
            return Err(format!("thread P{thread} has no variable `{name}`"));
        }
        self.make_register(thread, name)
    }
}

impl CNames<'_> {
    /// A register, made if the code does not have it.
    fn make_register(&mut self, thread: u32, name: &str) -> Result<Register, String> {
        let Some(names) = self.threads.get_mut(thread as usize) else {
            return Err(format!("there is no thread {thread}"));
        };
        let known = names.get(name).copied();
        let reg = match known {
            Some(Variable::Register(reg)) => reg,
            Some(Variable::Global(_)) | None => {
                let root = &mut self.program.roots[ThreadId(thread)];
                let name = Name::new(name);
                let reg = self.program.funcs[root.func].regs.push(RegInfo { name: name.clone(), width: 8 * self.word });
                if let Some(Variable::Global(object)) = known {
                    let address = Value::Addr(object, 0);
                    root.init.push((reg, if self.word == 8 { address } else { address.zext(8 * self.word) }));
                }
                names.insert(name, Variable::Register(reg));
                reg
            }
        };
        let ty = self.types.get(&(thread, Name::new(name))).copied().unwrap_or(INT);
        Ok(Register { thread: ThreadId(thread), reg, ty, name: name.to_owned(), order: 0 })
    }
}
