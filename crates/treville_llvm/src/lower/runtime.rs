//! Functions of the C and C++ libraries and of verifiers' headers, which programs call but do not define.
//!
//! Most are templates: functions in the text form of programs, in the files of this folder, named as the program calls
//! them. A call becomes a copy of the template's code, all of it at the place of the call. `$acquire` and the like stand
//! for the tags of an update. A name with `.kinds`, `.keys` or `.sized` is the form for programs that use mutexes of several
//! kinds, keys of threads, or the sizes of allocations, which others need not pay for; `.exits` is for those that have
//! functions to run at the end.

mod expand;
mod names;

#[cfg(test)]
pub(super) use names::{ALIASES, SWALLOWED};
pub(super) use names::{assertion, is_swallowed, last_writes, loop_bound};

use super::emitter::Emitter;
use super::globals::fill_gaps;
use super::unit::Unit;
use super::{Lowered, fold, refused};
use crate::constant::ConstKind;
use crate::inst::{InstKind, Operand};
use crate::module::Module;
use crate::types::Type;
use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};
use treville_base::{FileId, Name};
use treville_ir::{Expr, Failure, Func, FuncId, ObjectId, Op, Program, Terminator, text};

const TEXTS: &[&str] = &[
    include_str!("runtime/threads.ir"),
    include_str!("runtime/cpp.ir"),
    include_str!("runtime/attributes.ir"),
    include_str!("runtime/mutex.ir"),
    include_str!("runtime/waiting.ir"),
    include_str!("runtime/keys.ir"),
    include_str!("runtime/exits.ir"),
    include_str!("runtime/memory.ir"),
    include_str!("runtime/verifier.ir"),
    include_str!("runtime/hazard.ir"),
];

/// The tags of an update: of its read, its write, both in one, and of a read that does not write.
const UPDATES: &[(&str, &str)] = &[
    ("$acquire", "[A X RMW ACQ] [A X RMW RLX] [A X RMW ACQ] [A ACQ]"),
    // What is not taken says nothing about what others did before.
    ("$take", "[A X RMW ACQ] [A X RMW RLX] [A X RMW ACQ] [A RLX]"),
    ("$release", "[A X RMW RLX] [A X RMW REL] [A X RMW REL] [A RLX]"),
    ("$both", "[A X RMW ACQ] [A X RMW REL] [A X RMW ACQ_REL] [A ACQ]"),
    ("$relaxed", "[A X RMW RLX] [A X RMW RLX] [A X RMW RLX] [A RLX]"),
];

pub(super) static LIBRARY: LazyLock<Program> = LazyLock::new(|| read(&TEXTS.concat()));

/// A function that few programs need, with no objects and tags of its own. It is read when it is needed.
struct Rare {
    name: &'static str,
    text: &'static str,
    program: OnceLock<Program>,
}

impl Rare {
    fn func(&self) -> Option<&Func> {
        self.program.get_or_init(|| read(self.text)).funcs.iter().next()
    }
}

static NONDET: LazyLock<Vec<Rare>> = LazyLock::new(|| {
    let all = include_str!("runtime/nondet.ir");
    let begins = all.match_indices("\nfunc ").map(|(at, _)| at + 1);
    let ends = begins.clone().skip(1).chain([all.len()]);
    let name = |text: &'static str| text.split(' ').nth(1).unwrap_or_default();
    let rare = |text| Rare { name: name(text), text, program: OnceLock::new() };
    begins.zip(ends).map(|(begin, end)| rare(&all[begin..end])).collect()
});

fn read(texts: &str) -> Program {
    let mut all = format!("program \"runtime\"\ndialect C rc11\n{texts}");
    for (short, tags) in UPDATES {
        all = all.replace(short, tags);
    }
    text::parse(FileId(0), &all).unwrap_or_else(|e| {
        let at = e.span.map_or(0, |s| s.start as usize);
        unreachable!("the runtime's own text is right: {} at {:.60}", e.message, &all[at..])
    })
}

/// What of the runtime a program needs, and has.
pub(super) struct Runtime {
    forms: Vec<&'static str>,
    /// Objects of the library, here.
    objects: BTreeMap<ObjectId, ObjectId>,
    functions: BTreeMap<Name, FuncId>,
}

impl Runtime {
    pub(super) fn new(module: &Module) -> Self {
        let has = |names: &[&str]| names.iter().any(|n| module.global_named(n).is_some());
        let mut forms = Vec::new();
        if has(&["pthread_mutexattr_settype"]) || has_static_kinds(module) || has_recursive_mtx(module) {
            forms.push("kinds");
        }
        if has(&["pthread_key_create", "tss_create"]) {
            forms.push("keys");
        }
        if has(&["realloc", "reallocarray", "malloc_usable_size"]) {
            forms.push("sized");
        }
        if has(&["atexit", "__cxa_atexit", "__VERIFIER_atexit"]) {
            forms.push("exits");
        }
        Runtime { forms, objects: BTreeMap::new(), functions: BTreeMap::new() }
    }

    /// The template of a function, in the form that this program needs. Some systems put `_` before the names of C.
    pub(super) fn template(&self, name: &str) -> Option<&'static Func> {
        self.named(name).or_else(|| self.named(name.strip_prefix('_')?))
    }

    fn named(&self, name: &str) -> Option<&'static Func> {
        let name = names::template_name(name);
        let find = |name: &str| LIBRARY.funcs.iter().find(|f| f.name == name);
        let form = self.forms.iter().find_map(|form| find(&format!("{name}.{form}")));
        let rare = || NONDET.iter().find(|rare| rare.name == name).and_then(Rare::func);
        form.or_else(|| find(name)).or_else(|| name.starts_with("__VERIFIER_nondet_").then(rare).flatten())
    }

    /// Whether functions may have to run at the end.
    pub(super) fn has_exits(&self) -> bool {
        self.forms.contains(&"exits")
    }

    pub(super) fn knows(&self, name: &str) -> bool {
        is_swallowed(name) || assertion(name).is_some() || self.template(name).is_some()
    }
}

/// Whether a mutex is initialised to another kind without a call.
fn has_static_kinds(module: &Module) -> bool {
    module.constants.iter().any(|constant| match (&constant.kind, module.types.get(constant.ty)) {
        (ConstKind::Aggregate(members), Type::Struct(body)) => {
            let mutex = body.name.as_ref().is_some_and(|n| n.contains("__pthread_mutex_s"));
            mutex && members.get(4).is_some_and(|kind| module.int(*kind).is_some_and(|k| k != 0))
        }
        _ => false,
    })
}

/// Whether a mutex of C11 may be recursive.
fn has_recursive_mtx(module: &Module) -> bool {
    let bodies = module.globals.iter().filter_map(|g| g.function()?.body.as_ref());
    let calls = bodies.flat_map(|b| b.blocks.iter()).flat_map(|b| &b.insts).filter_map(|i| match &i.kind {
        InstKind::Call(call) => Some(call),
        _ => None,
    });
    let inits = calls.filter(|c| module.callee(c).is_some_and(|(g, _)| module.globals[g].name == "mtx_init"));
    inits.into_iter().any(|call| match call.args.get(1).map(|a| a.value) {
        Some(Operand::Const(kind)) => module.int(kind).is_none_or(|k| k & 1 != 0),
        _ => true,
    })
}

impl Unit<'_> {
    /// A function of the runtime whose address is needed.
    pub(super) fn runtime_function(&mut self, name: &str) -> Lowered<FuncId> {
        if !self.runtime.knows(name) {
            return refused(format!("the function `{name}` is not defined in this program, and not known"));
        }
        Ok(self.library_function(name))
    }

    /// A function of the runtime as one of the program.
    fn library_function(&mut self, name: &str) -> FuncId {
        if let Some(id) = self.runtime.functions.get(name) {
            return *id;
        }
        let id = self.reserve(name);
        self.runtime.functions.insert(Name::new(name), id);
        let template = self.runtime.template(name);
        let span = treville_base::Span::new(FileId(0), 0, 0);
        let mut out = Emitter::new(self, span);
        let mut params = Vec::new();
        if let Some(template) = template {
            params
                .extend(template.params.iter().map(|p| out.register(&template.regs[*p].name, template.regs[*p].width)));
            let args = params.iter().map(|p| (Expr::Reg(*p), out.width(*p))).collect();
            let result = out.expand(template, args);
            out.end(Terminator::Return(result.map(|(value, _)| value)));
        } else if assertion(name).is_some() {
            let message = Name::from(format!("`{name}` is called"));
            out.emit(Op::Fail { failure: Failure::Assertion, message });
        } else {
            out.end(Terminator::Return(Some(fold::zero(64))));
        }
        out.finish(id, params);
        id
    }

    /// An object of the library.
    fn library_object(&mut self, id: ObjectId) -> ObjectId {
        if let Some(known) = self.runtime.objects.get(&id) {
            return *known;
        }
        let object = &LIBRARY.objects[id];
        let cells = fill_gaps(Vec::new(), object.size);
        let new = self.runtime_object(&object.name, object.size, cells, object.thread_local);
        self.runtime.objects.insert(id, new);
        new
    }
}
