; What surrounds the code.
source_filename = "globals.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

module asm ".globl some_symbol"

$shared = comdat any
$"quoted name" = comdat largest

%opaque = type opaque
%mixed = type { i8, i16, i8, i64, [3 x i8], i128, x86_fp80, <2 x i32> }
%packed = type <{ i8, i32, i8 }>
%later = type { %earlier, ptr }
%earlier = type { i8, double }
%number = type i32

@shared = linkonce_odr dso_local global i32 0, comdat, align 4
@"quoted name" = weak_odr hidden constant i8 1, section ".rodata.x", comdat($"quoted name"), align 1
@tls = internal thread_local(initialexec) unnamed_addr global i64 5, align 8
@own = thread_local global i32 0
@far = external dso_local addrspace(42) externally_initialized global i8, align 1
@perhaps = extern_weak global %opaque
@same = common global %number 0, align 4
@mixed = dso_local local_unnamed_addr global %mixed zeroinitializer, code_model "large", align 16
@packed = global %packed zeroinitializer, no_sanitize_address
@later = global %later zeroinitializer
@llvm.used = appending global [1 x ptr] [ptr @shared], section "llvm.metadata"
@llvm.global_ctors = appending global [2 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @second, ptr null }, { i32, ptr, ptr } { i32 101, ptr @first, ptr @shared }]

define internal void @first() unnamed_addr #0 section ".text.startup" {
  ret void
}

define linkonce_odr dso_local fastcc noundef zeroext i8 @second() local_unnamed_addr #0 comdat($shared) align 16 prefix i32 7 {
  ret i8 1
}

define available_externally cc 10 range(i32 0, 2) i32 @copy(i32 noundef range(i32 -1, 8) %x, ptr noalias nocapture captures(none) readonly align 8 dereferenceable(16) initializes((0, 4), (8, 12)) %p) "no-builtins" "k"="v" {
  ret i32 %x
}

declare !srcloc !0 void @stops(ptr nonnull, ...) #1
declare extern_weak i32 @maybe(i32 immarg, metadata) memory(argmem: read, inaccessiblemem: write)

uselistorder ptr @shared, { 1, 0 }

attributes #0 = { alwaysinline nounwind memory(none) allockind("alloc,zeroed") allocsize(0,1) "frame-pointer"="all" uwtable(async) alignstack=16 }
attributes #1 = { noreturn returns_twice naked }

!llvm.module.flags = !{!0}
!llvm.ident = !{}
!0 = !{i32 1, !"wchar_size", i32 4}

^0 = module: (path: "globals.ll", hash: (0, 0, 0, 0, 0))
^1 = flags: 8
