//! Names of functions: other names of templates, those that do nothing, and those whose call is a failure.

use crate::inst::{Call, Operand};
use crate::module::Module;

/// Other names of templates.
pub(in crate::lower) const ALIASES: &[(&str, &str)] = &[
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
    ("ffsll", "ffsl"),
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
    ("__VERIFIER_atexit", "atexit"),
    ("_exit", "quick_exit"),
    ("_Exit", "quick_exit"),
    ("treville_assume", "__VERIFIER_assume"),
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
    ("__VERIFIER_nondet_unsigned_char", "__VERIFIER_nondet_u8"),
    ("__VERIFIER_nondet_schar", "__VERIFIER_nondet_u8"),
    ("__VERIFIER_nondet_signed_char", "__VERIFIER_nondet_u8"),
    ("__VERIFIER_nondet_i8", "__VERIFIER_nondet_u8"),
    ("__VERIFIER_nondet_s8", "__VERIFIER_nondet_u8"),
    ("__VERIFIER_nondet_unsigned_short", "__VERIFIER_nondet_u16"),
    ("__VERIFIER_nondet_i16", "__VERIFIER_nondet_u16"),
    ("__VERIFIER_nondet_s16", "__VERIFIER_nondet_u16"),
    ("__VERIFIER_nondet_i32", "__VERIFIER_nondet_int"),
    ("__VERIFIER_nondet_s32", "__VERIFIER_nondet_int"),
    ("__VERIFIER_nondet_unsigned_long", "__VERIFIER_nondet_long"),
    ("__VERIFIER_nondet_long_long", "__VERIFIER_nondet_long"),
    ("__VERIFIER_nondet_unsigned_long_long", "__VERIFIER_nondet_long"),
    ("__VERIFIER_nondet_ptrdiff_t", "__VERIFIER_nondet_long"),
    ("__VERIFIER_nondet_intptr_t", "__VERIFIER_nondet_long"),
    ("__VERIFIER_nondet_uintptr_t", "__VERIFIER_nondet_long"),
    ("__VERIFIER_nondet_i64", "__VERIFIER_nondet_long"),
    ("__VERIFIER_nondet_s64", "__VERIFIER_nondet_long"),
    ("treville_nondet_bool", "__VERIFIER_nondet_bool"),
    ("treville_nondet_u8", "__VERIFIER_nondet_u8"),
    ("treville_nondet_u16", "__VERIFIER_nondet_u16"),
    ("treville_nondet_u32", "__VERIFIER_nondet_int"),
    ("treville_nondet_u64", "__VERIFIER_nondet_long"),
    ("treville_hazard_alloc", "__VERIFIER_hazptr_alloc"),
    ("treville_hazard_protect", "__VERIFIER_hazptr_protect"),
    ("treville_hazard_clear", "__VERIFIER_hazptr_clear"),
    ("treville_hazard_free", "__VERIFIER_hazptr_free"),
    ("treville_hazard_retire", "__VERIFIER_hazptr_retire"),
];

/// Functions that do nothing which could matter, and give back 0. Their arguments are not looked at.
pub(in crate::lower) const SWALLOWED: &[&str] = &[
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
    "pthread_attr_destroy",
    "pthread_attr_setstacksize",
    "pthread_attr_setguardsize",
    "pthread_attr_setaffinity_np",
    "pthread_mutexattr_destroy",
    "pthread_mutexattr_setrobust",
    "pthread_condattr_destroy",
    "pthread_rwlockattr_destroy",
    "pthread_barrierattr_destroy",
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

/// The name of the template for a function.
pub(super) fn template_name(name: &str) -> &str {
    ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, name)| name)
}

/// If a call of this function is a failure: which argument says what failed, if any does.
pub(in crate::lower) fn assertion(name: &str) -> Option<Option<usize>> {
    ASSERTIONS.iter().find(|(n, _)| *n == name).map(|(_, arg)| *arg)
}

pub(in crate::lower) fn is_swallowed(name: &str) -> bool {
    SWALLOWED.contains(&name)
}

/// Whether a call begins, or ends, writes that are said to be the last ones to their places.
pub(in crate::lower) fn last_writes(name: &str, call: &Call, module: &Module) -> Option<bool> {
    const LAST: u128 = 2;
    let begins = match name {
        "__VERIFIER_annotate_begin" => true,
        "__VERIFIER_annotate_end" => false,
        _ => return None,
    };
    let Operand::Const(mask) = call.args.first()?.value else { return None };
    (module.int(mask)? & LAST != 0).then_some(begins)
}

/// The bound that an annotation gives to the loop around it.
pub(in crate::lower) fn loop_bound(name: &str, call: &Call, module: &Module) -> Option<u32> {
    let bound = match (name, call.args.first()?.value) {
        ("__VERIFIER_loop_bound" | "treville_loop_bound", Operand::Const(id)) => module.int(id)?,
        _ => return None,
    };
    u32::try_from(bound).ok()
}
