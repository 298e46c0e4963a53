//! What the functions of a program share: tags, ids of functions and objects, and the lists of what is still to do.

use super::code::Code;
use super::emitter::Emitter;
use super::fold;
use super::kernel::is_for_kernel;
use super::places::Places;
use super::runtime::Runtime;
use super::{LowerOptions, Lowered, Unsupported, shape, unsupported};
use crate::module::{Global, GlobalId, GlobalKind, Linkage, Module};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use treville_base::{Cancel, Diagnostic, FileId, IndexVec, Name, Span};
use treville_ir::{
    Callee, Dialect, Expr, Func, FuncId, InstrId, ObjectId, Op, Program, Root, Tags, Terminator, UpdateTags,
};

/// How the names of functions begin that run as one step in SV-COMP.
const ATOMIC_FUNCTIONS: &str = "__VERIFIER_atomic_";

/// After so many errors, what is left is not looked at.
const MOST_ERRORS: usize = 30;

pub(super) struct Unit<'a> {
    pub(super) module: &'a Module,
    pub(super) program: Program,
    pub(super) places: Places<'a>,
    pub(super) runtime: Runtime,
    funcs: BTreeMap<GlobalId, FuncId>,
    pub(super) objects: BTreeMap<GlobalId, ObjectId>,
    functions_to_do: VecDeque<(GlobalId, FuncId)>,
    pub(super) objects_to_do: VecDeque<(GlobalId, ObjectId)>,
    errors: Vec<Diagnostic>,
    next_instr: u32,
    /// How many aliases and expressions around the constant at hand.
    pub(super) depth: u32,
    /// A weak compare-exchange may fail for no reason.
    pub(super) weak_cas: bool,
    pub(super) cancel: Cancel,
}

impl<'a> Unit<'a> {
    pub(super) fn new(module: &'a Module, options: &LowerOptions<'_>, places: Places<'a>) -> Self {
        Unit {
            module,
            program: Program::new(
                options.name,
                Arc::new(if is_for_kernel(module) {
                    Dialect::kernel(&[])
                } else {
                    Dialect::c11(Dialect::MODEL_OF_PROGRAMS)
                }),
            ),
            places,
            runtime: Runtime::new(module),
            funcs: BTreeMap::new(),
            objects: BTreeMap::new(),
            functions_to_do: VecDeque::new(),
            objects_to_do: VecDeque::new(),
            errors: Vec::new(),
            next_instr: 0,
            depth: 0,
            weak_cas: options.weak_cas,
            cancel: options.cancel.clone(),
        }
    }

    pub(super) fn lower(mut self, entry: &str) -> Result<Program, Vec<Diagnostic>> {
        self.start(entry);
        while self.errors.len() < MOST_ERRORS && !self.cancel.is_stopped() {
            if let Some((global, id)) = self.functions_to_do.pop_front() {
                Code::function(&mut self, global, id);
            } else if let Some((global, id)) = self.objects_to_do.pop_front() {
                self.initialise(global, id);
            } else {
                break;
            }
        }
        if self.cancel.is_stopped() {
            self.errors.push(Diagnostic::error(None, "stopped"));
        }
        if self.errors.is_empty() { Ok(self.program) } else { Err(self.errors) }
    }

    /// The thread that exists from the start.
    fn start(&mut self, entry: &str) {
        let module = self.module;
        if module.layout.pointer_bits() != 64 {
            return self.errors.push(Diagnostic::error(None, "only programs for 64-bit machines can be checked"));
        }
        let main = module.global_named(entry).filter(|id| {
            let function = module.globals[*id].function();
            function.is_some_and(|f| f.body.is_some())
        });
        let Some(main) = main else {
            let file = Span::new(FileId(0), 0, 0);
            let error = Diagnostic::error(file, format!("the program has no function `{entry}`"));
            return self
                .errors
                .push(error.help(format!("a program is checked from `{entry}` on, with all threads that it starts")));
        };
        // The compiler may have inlined its calls.
        for global in module.globals.iter().filter(|global| global.name.starts_with(ATOMIC_FUNCTIONS)) {
            let body = global.function().and_then(|function| function.body.as_ref());
            if let Some(begin) = body.and_then(|body| body.blocks.iter().next()) {
                let span = self.places.span(begin.end.location, global.span);
                let what = format!("`{}` is one step by the rules of SV-COMP, which is not supported", global.name);
                let error = Diagnostic::error(span, what);
                self.errors.push(error.help("rename it and let it take a mutex, or use atomic operations"));
            }
        }
        match self.entry(main) {
            Ok(func) => {
                let (name, init, scopes) = (Name::new("main"), Vec::new(), Vec::new());
                self.program.roots.push(Root { name, func, init, scopes, ends_process: true });
            }
            Err(why) => self.error(module.globals[main].span, why),
        }
    }

    /// The function that the first thread runs: `main`, or what calls it after the constructors, with arguments.
    fn entry(&mut self, main: GlobalId) -> Lowered<FuncId> {
        let module = self.module;
        let constructors = module.constructors();
        let Some(function) = module.globals[main].function() else { return self.func(main) };
        let (params, result) = (&function.params, shape::shape(module, function.result)?);
        if result.len() > 1 {
            return unsupported("a `main` that gives back more than a number");
        }
        if params.is_empty() && constructors.is_empty() && !self.runtime.has_exits() {
            return self.func(main);
        }
        let mut args = Vec::new();
        for param in params {
            args.extend(shape::shape(module, param.ty)?.iter().map(|leaf| leaf.bits));
        }
        let id = self.reserve("start");
        let constructors = constructors.iter().map(|(_, g)| self.func(*g)).collect::<Lowered<Vec<_>>>()?;
        let (span, main) = (module.globals[main].span, self.func(main)?);
        let arguments = self.arguments();
        let exits = self.runtime.template("%run_exits").filter(|_| self.runtime.has_exits());
        let mut out = Emitter::new(self, span);
        for constructor in constructors {
            out.emit(Op::Call { dst: None, callee: Callee::Func(constructor), args: Vec::new() });
        }
        // The program's name is its only argument.
        let values =
            [fold::number(1, 32), Expr::Addr(arguments, 0)].into_iter().chain(std::iter::repeat(fold::zero(64)));
        let args = args
            .iter()
            .zip(values)
            .enumerate()
            .map(|(i, (bits, value))| fold::zext(value, if i == 0 { 32 } else { 64 }, *bits));
        let args = args.collect();
        let dst = result.first().map(|leaf| out.temporary(leaf.bits));
        out.emit(Op::Call { dst, callee: Callee::Func(main), args });
        if let Some(exits) = exits {
            out.expand(exits, Vec::new());
        }
        out.end(Terminator::Return(dst.map(Expr::Reg)));
        out.finish(id, Vec::new());
        Ok(id)
    }

    /// Reports what cannot be lowered.
    pub(super) fn error(&mut self, span: Span, Unsupported(why): Unsupported) {
        let error = Diagnostic::error(span, why);
        if !self.errors.contains(&error) && self.errors.len() < MOST_ERRORS {
            self.errors.push(error);
        }
    }

    pub(super) fn next_instr(&mut self) -> InstrId {
        self.next_instr += 1;
        InstrId(self.next_instr - 1)
    }

    /// An id for a function whose code comes later.
    pub(super) fn reserve(&mut self, name: &str) -> FuncId {
        let empty = Func { name: Name::new(name), params: Vec::new(), regs: IndexVec::new(), blocks: IndexVec::new() };
        self.program.funcs.push(empty)
    }

    /// A function of the module, or of the runtime in its place.
    pub(super) fn func(&mut self, global: GlobalId) -> Lowered<FuncId> {
        if let Some(id) = self.funcs.get(&global) {
            return Ok(*id);
        }
        let Global { name, kind, .. } = &self.module.globals[global];
        let GlobalKind::Function(function) = kind else {
            return unsupported(format!("a call of the variable `{name}`"));
        };
        let id = match function.body {
            Some(_) => {
                let id = self.reserve(name);
                self.functions_to_do.push_back((global, id));
                id
            }
            None => self.runtime_function(name)?,
        };
        self.funcs.insert(global, id);
        Ok(id)
    }

    /// The address of a global, as a value.
    pub(super) fn address(&mut self, global: GlobalId) -> Lowered<Expr> {
        let Global { name, kind, linkage, .. } = &self.module.globals[global];
        match kind {
            GlobalKind::Alias { target, .. } => self.scalar_constant(*target),
            GlobalKind::Function(function) => {
                let missing = function.body.is_none() && *linkage == Linkage::ExternWeak && !self.runtime.knows(name);
                if missing {
                    return Ok(fold::zero(64));
                }
                let id = self.func(global)?;
                Ok(fold::number(Program::func_address(id), 64))
            }
            GlobalKind::Variable(variable) if variable.init.is_none() && *linkage == Linkage::ExternWeak => {
                Ok(fold::zero(64))
            }
            GlobalKind::Variable(_) => Ok(Expr::Addr(self.object(global)?, 0)),
        }
    }

    pub(super) fn tags<const N: usize>(&mut self, names: [&str; N]) -> Tags {
        let mut tags: Tags = names.iter().map(|n| self.program.tag(n)).collect();
        tags.sort();
        tags.dedup();
        tags
    }

    pub(super) fn plain(&mut self) -> Tags {
        self.tags(["NA"])
    }

    /// The tags of an update with the orders of its read, of its write, of both in one, and of a read without a write.
    pub(super) fn update_tags(&mut self, [read, write, fused, fail]: [&str; 4]) -> UpdateTags {
        UpdateTags {
            read: self.tags(["A", "X", "RMW", read]),
            write: self.tags(["A", "X", "RMW", write]),
            fused: self.tags(["A", "X", "RMW", fused]),
            fail: self.tags(["A", fail]),
            fences: None,
        }
    }
}
