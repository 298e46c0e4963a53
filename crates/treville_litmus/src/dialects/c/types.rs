//! The types that C litmus tests name.

use super::ast::CType;

/// Words that say something about a type and nothing about its size.
pub(super) fn is_qualifier(word: &str) -> bool {
    matches!(word, "volatile" | "const" | "_Atomic" | "restrict" | "__restrict" | "static" | "register" | "__rcu")
}

/// Whether a declaration or a cast can begin with this word.
pub(super) fn begins_type(word: &str) -> bool {
    is_qualifier(word) || is_part(word) || matches!(word, "struct" | "void" | "atomic") || named(word).is_some()
}

/// The words that C lets one combine.
pub(super) fn is_part(word: &str) -> bool {
    matches!(word, "unsigned" | "signed" | "char" | "short" | "int" | "long")
}

/// The type that a combination of [`is_part`] words names.
pub(super) fn combined(words: &[&str]) -> CType {
    let bytes = match () {
        () if words.contains(&"char") => 1,
        () if words.contains(&"short") => 2,
        () if words.contains(&"long") => 8,
        () => 4,
    };
    CType { bytes, signed: !words.contains(&"unsigned"), pointers: 0 }
}

/// A type with a name of its own. Locks and SRCU domains have the size of an `int`: what they hold is not looked at.
pub(super) fn named(word: &str) -> Option<CType> {
    let (bytes, signed) = match word {
        "int8_t" | "s8" | "__s8" | "atomic_char" | "atomic_schar" => (1, true),
        "uint8_t" | "u8" | "__u8" | "bool" | "_Bool" | "atomic_bool" | "atomic_uchar" => (1, false),
        "int16_t" | "s16" | "__s16" | "atomic_short" => (2, true),
        "uint16_t" | "u16" | "__u16" | "atomic_ushort" => (2, false),
        "int32_t" | "s32" | "__s32" | "atomic_int" | "atomic_t" | "refcount_t" => (4, true),
        "uint32_t" | "u32" | "__u32" | "atomic_uint" => (4, false),
        "int64_t" | "s64" | "__s64" | "intptr_t" | "ssize_t" | "ptrdiff_t" => (8, true),
        "atomic_long" | "atomic_llong" | "atomic64_t" | "atomic_long_t" | "atomic_intptr_t" => (8, true),
        "uint64_t" | "u64" | "__u64" | "uintptr_t" | "size_t" | "atomic_ulong" | "atomic_ullong" => (8, false),
        "atomic_uintptr_t" | "atomic_size_t" => (8, false),
        "__int128" | "__int128_t" => (16, true),
        "__uint128" | "__uint128_t" => (16, false),
        "mtx_t" | "mutex" | "spinlock_t" | "rwlock_t" => (4, true),
        _ => return None,
    };
    Some(CType { bytes, signed, pointers: 0 })
}

/// Names that only code of the Linux kernel has.
pub(super) fn is_kernel_name(word: &str) -> bool {
    matches!(word, "READ_ONCE" | "WRITE_ONCE" | "atomic_t" | "spinlock_t" | "srcu_struct")
}
