//! Functions of the C and C++ libraries and of verifiers' headers, which programs call but do not define.
//!
//! Most are templates: functions in the text form of programs, in the files of this folder, named as the program calls
//! them. A call becomes a copy of the template's code, all of it at the place of the call. `$acquire` and the like stand
//! for the tags of an update. A name with `.kinds`, `.keys` or `.sized` is the form for programs that use mutexes of several
//! kinds, keys of threads, or the sizes of allocations, which others need not pay for.

use super::emitter::Emitter;
use super::globals::fill_gaps;
use super::unit::Unit;
use super::{Lowered, fold, unsupported};
use crate::constant::ConstKind;
use crate::inst::{Call, InstKind, Operand};
use crate::module::Module;
use crate::types::Type;
use std::collections::BTreeMap;
use std::sync::LazyLock;
use treville_base::{FileId, Name};
use treville_ir::{
    Block, BlockId, Callee, Expr, Func, FuncId, LockOp, ObjectId, Op, Program, Reg, Tags, Terminator, UpdateTags, text,
};

const TEXTS: &[&str] = &[
    include_str!("runtime/threads.ir"),
    include_str!("runtime/mutex.ir"),
    include_str!("runtime/waiting.ir"),
    include_str!("runtime/keys.ir"),
    include_str!("runtime/memory.ir"),
    include_str!("runtime/verifier.ir"),
];

/// The tags of an update: of its read, its write, both in one, and of a read that does not write.
const UPDATES: &[(&str, &str)] = &[
    ("$acquire", "[A X RMW ACQ] [A X RMW RLX] [A X RMW ACQ] [A ACQ]"),
    ("$release", "[A X RMW RLX] [A X RMW REL] [A X RMW REL] [A RLX]"),
    ("$both", "[A X RMW ACQ] [A X RMW REL] [A X RMW ACQ_REL] [A ACQ]"),
    ("$relaxed", "[A X RMW RLX] [A X RMW RLX] [A X RMW RLX] [A RLX]"),
];

static LIBRARY: LazyLock<Program> = LazyLock::new(|| {
    let mut all = format!("program \"runtime\"\ndialect C rc11\n{}", TEXTS.concat());
    for (short, tags) in UPDATES {
        all = all.replace(short, tags);
    }
    text::parse(FileId(0), &all).unwrap_or_else(|e| {
        let at = e.span.map_or(0, |s| s.start as usize);
        unreachable!("the runtime's own text is right: {} at {:.60}", e.message, &all[at..])
    })
});

/// Other names of templates.
const ALIASES: &[(&str, &str)] = &[
    ("__VERIFIER_mutex_init", "pthread_mutex_init"),
    ("__VERIFIER_mutex_destroy", "pthread_mutex_destroy"),
    ("__VERIFIER_mutex_lock", "pthread_mutex_lock"),
    ("__VERIFIER_mutex_trylock", "pthread_mutex_trylock"),
    ("__VERIFIER_mutex_unlock", "pthread_mutex_unlock"),
    ("__VERIFIER_barrier_init", "pthread_barrier_init"),
    ("__VERIFIER_barrier_wait", "pthread_barrier_wait"),
    ("__VERIFIER_barrier_destroy", "pthread_barrier_destroy"),
    ("__VERIFIER_thread_exit", "pthread_exit"),
    ("__VERIFIER_thread_self", "pthread_self"),
    ("__VERIFIER_malloc", "malloc"),
    ("__VERIFIER_malloc_aligned", "aligned_alloc"),
    ("__VERIFIER_free", "free"),
    ("memalign", "aligned_alloc"),
    ("_Znwm", "malloc"),
    ("_Znam", "malloc"),
    ("_ZnwmRKSt9nothrow_t", "malloc"),
    ("_ZnamRKSt9nothrow_t", "malloc"),
    ("_ZnwmSt11align_val_t", "malloc"),
    ("_ZnamSt11align_val_t", "malloc"),
    ("_ZdlPv", "free"),
    ("_ZdaPv", "free"),
    ("_ZdlPvm", "free"),
    ("_ZdaPvm", "free"),
    ("_ZdlPvSt11align_val_t", "free"),
    ("_ZdlPvmSt11align_val_t", "free"),
    ("cfree", "free"),
    ("bcmp", "memcmp"),
    ("__memcpy_chk", "memcpy"),
    ("__memmove_chk", "memmove"),
    ("__memset_chk", "memset"),
    ("thrd_current", "pthread_self"),
    ("thrd_equal", "pthread_equal"),
    ("mtx_destroy", "pthread_mutex_destroy"),
    ("mtx_lock", "pthread_mutex_lock"),
    ("mtx_unlock", "pthread_mutex_unlock"),
    ("cnd_init", "pthread_cond_init"),
    ("cnd_wait", "pthread_cond_wait"),
    ("cnd_signal", "pthread_cond_signal"),
    ("cnd_broadcast", "pthread_cond_broadcast"),
    ("cnd_destroy", "pthread_cond_destroy"),
    ("call_once", "pthread_once"),
    ("tss_create", "pthread_key_create"),
    ("tss_get", "pthread_getspecific"),
    ("tss_set", "pthread_setspecific"),
    ("tss_delete", "pthread_key_delete"),
    ("pthread_mutex_clocklock", "pthread_mutex_timedlock"),
    ("pthread_cond_clockwait", "pthread_cond_timedwait"),
    ("sem_clockwait", "sem_timedwait"),
    ("_exit", "exit"),
    ("_Exit", "exit"),
    ("quick_exit", "exit"),
    ("treville_assume", "__VERIFIER_assume"),
    ("treville_assert", "__VERIFIER_assert"),
    ("treville_spin_start", "__VERIFIER_spin_start"),
    ("treville_spin_end", "__VERIFIER_spin_end"),
    ("__VERIFIER_nondet_unsigned_int", "__VERIFIER_nondet_int"),
    ("__VERIFIER_nondet_uint", "__VERIFIER_nondet_int"),
    ("__VERIFIER_nondet_unsigned", "__VERIFIER_nondet_int"),
    ("__VERIFIER_nondet_u32", "__VERIFIER_nondet_int"),
    ("__VERIFIER_nondet_ulong", "__VERIFIER_nondet_long"),
    ("__VERIFIER_nondet_longlong", "__VERIFIER_nondet_long"),
    ("__VERIFIER_nondet_ulonglong", "__VERIFIER_nondet_long"),
    ("__VERIFIER_nondet_size_t", "__VERIFIER_nondet_long"),
    ("__VERIFIER_nondet_u64", "__VERIFIER_nondet_long"),
    ("__VERIFIER_nondet_short", "__VERIFIER_nondet_u16"),
    ("__VERIFIER_nondet_ushort", "__VERIFIER_nondet_u16"),
    ("__VERIFIER_nondet_char", "__VERIFIER_nondet_u8"),
    ("__VERIFIER_nondet_uchar", "__VERIFIER_nondet_u8"),
    ("treville_nondet_bool", "__VERIFIER_nondet_bool"),
    ("treville_nondet_u8", "__VERIFIER_nondet_u8"),
    ("treville_nondet_u16", "__VERIFIER_nondet_u16"),
    ("treville_nondet_u32", "__VERIFIER_nondet_int"),
    ("treville_nondet_u64", "__VERIFIER_nondet_long"),
];

/// Functions that do nothing which could matter, and give back 0. Their arguments are not looked at.
const SWALLOWED: &[&str] = &[
    "printf",
    "fprintf",
    "vprintf",
    "puts",
    "putchar",
    "putc",
    "fputc",
    "fputs",
    "fwrite",
    "fflush",
    "perror",
    "__printf_chk",
    "__fprintf_chk",
    "sched_yield",
    "pthread_yield",
    "thrd_yield",
    "thrd_sleep",
    "sleep",
    "usleep",
    "nanosleep",
    "clock_nanosleep",
    "srand",
    "srandom",
    "pthread_detach",
    "thrd_detach",
    "pthread_setname_np",
    "pthread_setaffinity_np",
    "pthread_setcancelstate",
    "pthread_setconcurrency",
    "pthread_attr_init",
    "pthread_attr_destroy",
    "pthread_attr_setdetachstate",
    "pthread_attr_setstacksize",
    "pthread_attr_setscope",
    "pthread_attr_setguardsize",
    "pthread_attr_setaffinity_np",
    "pthread_mutexattr_init",
    "pthread_mutexattr_destroy",
    "pthread_mutexattr_setpshared",
    "pthread_mutexattr_setprotocol",
    "pthread_mutexattr_setrobust",
    "pthread_condattr_init",
    "pthread_condattr_destroy",
    "pthread_condattr_setclock",
    "pthread_condattr_setpshared",
    "pthread_rwlockattr_init",
    "pthread_rwlockattr_destroy",
    "pthread_rwlockattr_setkind_np",
    "pthread_rwlockattr_setpshared",
    "pthread_barrierattr_init",
    "pthread_barrierattr_destroy",
    "pthread_barrierattr_setpshared",
    "__VERIFIER_loop_begin",
    "__VERIFIER_annotate_begin",
    "__VERIFIER_annotate_end",
    "__VERIFIER_method_begin",
    "__VERIFIER_method_end",
    // The block that it guards is never needed: it only shortens the way of other tools.
    "__VERIFIER_opt_begin",
    "_ZNSt8ios_base4InitC1Ev",
    "_ZNSt8ios_base4InitD1Ev",
];

/// Functions whose call is a failure, with the argument that says what failed.
const ASSERTIONS: &[(&str, Option<usize>)] = &[
    ("__assert_fail", Some(0)),
    ("__assert_perror_fail", None),
    ("__assert", Some(0)),
    ("__assert_rtn", Some(3)),
    ("__VERIFIER_assert_fail", Some(0)),
    ("__VERIFIER_error", None),
    ("reach_error", None),
    ("abort", None),
    ("__builtin_trap", None),
    ("__stack_chk_fail", None),
    ("__cxa_pure_virtual", None),
    ("__cxa_throw", None),
    ("__cxa_rethrow", None),
    ("__cxa_bad_cast", None),
    ("_ZSt9terminatev", None),
    ("_ZSt17__throw_bad_allocv", None),
    ("_ZSt28__throw_bad_array_new_lengthv", None),
    ("_ZSt20__throw_length_errorPKc", Some(0)),
    ("_ZSt20__throw_system_errori", None),
    ("_ZSt19__throw_logic_errorPKc", Some(0)),
    ("treville_fail", Some(0)),
];

/// If a call of this function is a failure: which argument says what failed, if any does.
pub(super) fn assertion(name: &str) -> Option<Option<usize>> {
    ASSERTIONS.iter().find(|(n, _)| *n == name).map(|(_, arg)| *arg)
}

pub(super) fn is_swallowed(name: &str) -> bool {
    SWALLOWED.contains(&name)
}

/// The bound that an annotation gives to the loop around it.
pub(super) fn loop_bound(name: &str, call: &Call, module: &Module) -> Option<u32> {
    let bound = match (name, call.args.first()?.value) {
        ("__VERIFIER_loop_bound" | "treville_loop_bound", Operand::Const(id)) => module.int(id)?,
        _ => return None,
    };
    u32::try_from(bound).ok()
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
        Runtime { forms, objects: BTreeMap::new(), functions: BTreeMap::new() }
    }

    /// The template of a function, in the form that this program needs.
    pub(super) fn template(&self, name: &str) -> Option<&'static Func> {
        let name = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, name)| name);
        let find = |name: &str| LIBRARY.funcs.iter().find(|f| f.name == name);
        let form = self.forms.iter().find_map(|form| find(&format!("{name}.{form}")));
        form.or_else(|| find(name))
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
        if let Some(id) = self.runtime.functions.get(name) {
            return Ok(*id);
        }
        if !self.runtime.knows(name) {
            return unsupported(format!("the function `{name}` is not defined in this program, and not known"));
        }
        let id = self.reserve(name);
        self.runtime.functions.insert(Name::new(name), id);
        let template = self.runtime.template(name);
        let span = treville_base::Span::new(FileId(0), 0, 0);
        let mut out = Emitter::new(self, span);
        let mut params = Vec::new();
        if let Some(template) = template {
            params.extend(template.params.iter().map(|p| out.register(&template.regs[*p].name, template.regs[*p].width)));
            let args = params.iter().map(|p| (Expr::Reg(*p), out.width(*p))).collect();
            let result = out.expand(template, args);
            out.end(Terminator::Return(result.map(|(value, _)| value)));
        } else if assertion(name).is_some() {
            let message = Name::from(format!("`{name}` is called"));
            out.emit(Op::Fail { failure: treville_ir::Failure::Assertion, message });
        } else {
            out.end(Terminator::Return(Some(fold::zero(64))));
        }
        out.finish(id, params);
        Ok(id)
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

impl Emitter<'_, '_> {
    /// Copies a template here; gives its result, if it has one.
    pub(super) fn expand(&mut self, template: &'static Func, args: Vec<(Expr, u8)>) -> Option<(Expr, u8)> {
        let first = self.reserve_registers(template);
        let reg = |r: Reg| Reg(first + r.0);
        let missing = std::iter::repeat((fold::zero(64), 64));
        for (param, (value, bits)) in template.params.iter().zip(args.into_iter().chain(missing)) {
            let value = fold::zext(value, bits, template.regs[*param].width);
            self.assign(reg(*param), value);
        }
        let mut copy = Copying { out: self, template, first, blocks: Vec::new(), result: None, after: None };
        copy.blocks();
        copy.finish()
    }

    fn reserve_registers(&mut self, template: &Func) -> u32 {
        let mut first = None;
        for info in &template.regs {
            let reg = self.register(&format!("%{}", info.name), info.width);
            first.get_or_insert(reg.0);
        }
        first.unwrap_or(0)
    }
}

/// A template on its way into a function.
struct Copying<'c, 'u, 'a> {
    out: &'c mut Emitter<'u, 'a>,
    template: &'static Func,
    first: u32,
    blocks: Vec<BlockId>,
    result: Option<Reg>,
    /// Where the code after the call is, if the template comes back.
    after: Option<BlockId>,
}

impl Copying<'_, '_, '_> {
    fn blocks(&mut self) {
        let n = self.template.blocks.len();
        self.blocks = (0..n).map(|_| self.out.block()).collect();
        if let Some(entry) = self.blocks.first() {
            self.out.end(Terminator::Goto(*entry));
        }
        for (i, block) in self.template.blocks.iter().enumerate() {
            self.out.begin(self.blocks[i]);
            self.block(block);
        }
    }

    fn finish(self) -> Option<(Expr, u8)> {
        if let Some(after) = self.after {
            self.out.begin(after);
        }
        let result = self.result?;
        Some((Expr::Reg(result), self.out.width(result)))
    }

    fn reg(&self, reg: Reg) -> Reg {
        Reg(self.first + reg.0)
    }

    fn target(&self, block: BlockId) -> BlockId {
        self.blocks[block.0 as usize]
    }

    fn block(&mut self, block: &'static Block) {
        for inst in &block.insts {
            self.out.next_instr();
            self.op(&inst.op);
        }
        self.out.next_instr();
        match &block.end {
            Terminator::Goto(to) => {
                let to = self.target(*to);
                self.out.end(Terminator::Goto(to));
            }
            Terminator::Branch { cond, then, els, .. } => {
                let (cond, then, els) = (self.expr(cond), self.target(*then), self.target(*els));
                self.out.branch(cond, then, els);
            }
            Terminator::End => self.out.end(Terminator::End),
            Terminator::Exit(value) => {
                let value = self.expr(value);
                self.out.end(Terminator::Exit(value));
            }
            Terminator::Return(value) => {
                if let Some(value) = value {
                    let width = self.width(value);
                    let value = self.expr(value);
                    let result = *self.result.get_or_insert_with(|| self.out.temporary(width));
                    self.out.assign(result, value);
                }
                let after = *self.after.get_or_insert_with(|| self.out.block());
                self.out.end(Terminator::Goto(after));
            }
        }
    }

    /// The width of an expression of the template.
    fn width(&self, e: &Expr) -> u8 {
        match e {
            Expr::Const(v) => v.width(),
            Expr::Reg(r) => self.template.regs[*r].width,
            Expr::Addr(..) => 64,
            Expr::Un(_, a) | Expr::Ite(_, a, _) => self.width(a),
            Expr::Bin(op, a, _) => op.result_width(self.width(a)),
            Expr::Cast(_, width, _) => *width,
        }
    }

    fn expr(&mut self, e: &Expr) -> Expr {
        match e {
            Expr::Const(v) => Expr::Const(*v),
            Expr::Reg(r) => Expr::Reg(self.reg(*r)),
            Expr::Addr(object, offset) => Expr::Addr(self.out.unit.library_object(*object), *offset),
            Expr::Un(op, a) => Expr::un(*op, self.expr(a)),
            Expr::Bin(op, a, b) => {
                let (a, b) = (self.expr(a), self.expr(b));
                fold::bin(*op, a, b)
            }
            Expr::Cast(cast, width, a) => Expr::Cast(*cast, *width, Box::new(self.expr(a))),
            Expr::Ite(c, a, b) => Expr::ite(self.expr(c), self.expr(a), self.expr(b)),
        }
    }

    fn exprs(&mut self, all: &[Expr]) -> Vec<Expr> {
        all.iter().map(|e| self.expr(e)).collect()
    }

    fn tags(&mut self, tags: &Tags) -> Tags {
        let mut all: Tags = tags.iter().map(|t| self.out.unit.program.tag(&LIBRARY.tags[*t])).collect();
        all.sort();
        all
    }

    fn update_tags(&mut self, tags: &UpdateTags) -> UpdateTags {
        UpdateTags {
            read: self.tags(&tags.read),
            write: self.tags(&tags.write),
            fused: self.tags(&tags.fused),
            fail: self.tags(&tags.fail),
        }
    }

    /// A function that a template starts as a thread.
    fn callee(&mut self, callee: &Callee) -> Callee {
        match callee {
            Callee::Pointer(address) => Callee::Pointer(self.expr(address)),
            Callee::Func(id) => match self.out.unit.runtime_function(&LIBRARY.funcs[*id].name) {
                Ok(id) => Callee::Func(id),
                Err(_) => Callee::Pointer(fold::zero(64)),
            },
        }
    }

    fn op(&mut self, op: &'static Op) {
        let copy = match op {
            Op::Call { dst, callee: Callee::Func(id), args } => {
                // In the form that this program needs.
                let name = &LIBRARY.funcs[*id].name;
                let called = self.out.unit.runtime.template(name).unwrap_or(&LIBRARY.funcs[*id]);
                let widths: Vec<u8> = args.iter().map(|a| self.width(a)).collect();
                let args = self.exprs(args).into_iter().zip(widths).collect();
                let result = self.out.expand(called, args);
                if let (Some(dst), Some((value, bits))) = (dst, result) {
                    let dst = self.reg(*dst);
                    let value = fold::zext(value, bits, self.out.width(dst));
                    self.out.assign(dst, value);
                }
                return;
            }
            Op::Call { dst, callee, args } => {
                Op::Call { dst: dst.map(|r| self.reg(r)), callee: self.callee(callee), args: self.exprs(args) }
            }
            Op::Spawn { dst, callee, args } => {
                Op::Spawn { dst: self.reg(*dst), callee: self.callee(callee), args: self.exprs(args) }
            }
            Op::Assign { dst, value } => Op::Assign { dst: self.reg(*dst), value: self.expr(value) },
            Op::Load { dst, addr, size, tags } => {
                Op::Load { dst: self.reg(*dst), addr: self.expr(addr), size: *size, tags: self.tags(tags) }
            }
            Op::Store { addr, value, size, tags } => {
                Op::Store { addr: self.expr(addr), value: self.expr(value), size: *size, tags: self.tags(tags) }
            }
            Op::Update { old, addr, size, guard, new, tags } => Op::Update {
                old: self.reg(*old),
                addr: self.expr(addr),
                size: *size,
                guard: guard.as_ref().map(|g| self.expr(g)),
                new: self.expr(new),
                tags: self.update_tags(tags),
            },
            Op::StoreConditional { status, addr, value, size, tags } => Op::StoreConditional {
                status: self.reg(*status),
                addr: self.expr(addr),
                value: self.expr(value),
                size: *size,
                tags: self.tags(tags),
            },
            Op::Fence { tags } => Op::Fence { tags: self.tags(tags) },
            Op::Lock { op, addr, size } => {
                let op = match op {
                    LockOp::Acquire | LockOp::Release => *op,
                    LockOp::Try { dst } => LockOp::Try { dst: self.reg(*dst) },
                    LockOp::IsHeld { dst } => LockOp::IsHeld { dst: self.reg(*dst) },
                };
                Op::Lock { op, addr: self.expr(addr), size: *size }
            }
            Op::Opaque { addr, value, dst, tags } => Op::Opaque {
                addr: addr.as_ref().map(|e| self.expr(e)),
                value: value.as_ref().map(|e| self.expr(e)),
                dst: dst.map(|r| self.reg(r)),
                tags: self.tags(tags),
            },
            Op::Wait { cond, kind } => Op::Wait { cond: self.expr(cond), kind: *kind },
            Op::Join { dst, thread } => Op::Join { dst: dst.map(|r| self.reg(r)), thread: self.expr(thread) },
            Op::Current { dst } => Op::Current { dst: self.reg(*dst) },
            Op::Alloc { dst, size, storage, zeroed } => {
                Op::Alloc { dst: self.reg(*dst), size: self.expr(size), storage: *storage, zeroed: *zeroed }
            }
            Op::Free { addr } => Op::Free { addr: self.expr(addr) },
            Op::Copy { to, from, len, tags } => {
                Op::Copy { to: self.expr(to), from: self.expr(from), len: self.expr(len), tags: self.tags(tags) }
            }
            Op::Fill { to, byte, len, tags } => {
                Op::Fill { to: self.expr(to), byte: self.expr(byte), len: self.expr(len), tags: self.tags(tags) }
            }
            Op::Fail { failure, message } => Op::Fail { failure: *failure, message: message.clone() },
            Op::Nondet { dst } => Op::Nondet { dst: self.reg(*dst) },
            Op::Mark(mark) => Op::Mark(*mark),
        };
        self.out.emit(copy);
    }
}
