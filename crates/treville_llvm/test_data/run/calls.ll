; sc: 1
%pair = type { i64, i64 }
%large = type { [4 x i32] }
@alias = alias i32 (i32), ptr @increment
@fn = global ptr @swap
@ready = global i32 0
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @construct, ptr null }]
declare void @__VERIFIER_assert(i1)

define internal void @construct() {
  store i32 1, ptr @ready
  ret void
}

define i32 @increment(i32 %x) {
  %r = add i32 %x, 1
  ret i32 %r
}

define %pair @swap(i64 %a, i64 %b) {
  %p = insertvalue %pair undef, i64 %b, 0
  %q = insertvalue %pair %p, i64 %a, 1
  ret %pair %q
}

define void @change(ptr byval(%large) %p) {
  store i32 5, ptr %p
  ret void
}

define i64 @depth(i64 %n) {
  %zero = icmp eq i64 %n, 0
  br i1 %zero, label %end, label %more
more:
  %m = sub i64 %n, 1
  %pair = call %pair @swap(i64 %m, i64 1)
  %a = extractvalue %pair %pair, 1
  %d = call i64 @depth(i64 %a)
  %b = extractvalue %pair %pair, 0
  %r = add i64 %d, %b
  ret i64 %r
end:
  ret i64 0
}

define i32 @main(i32 %argc, ptr %argv) {
  %one = icmp eq i32 %argc, 1
  call void @__VERIFIER_assert(i1 %one)
  %name = load ptr, ptr %argv
  %letter = load i8, ptr %name
  %end = getelementptr ptr, ptr %argv, i64 1
  %null = load ptr, ptr %end
  %c0 = icmp eq ptr %null, null
  call void @__VERIFIER_assert(i1 %c0)
  %made = load i32, ptr @ready
  %c1 = icmp eq i32 %made, 1
  call void @__VERIFIER_assert(i1 %c1)
  %i = call i32 @alias(i32 4)
  %c2 = icmp eq i32 %i, 5
  call void @__VERIFIER_assert(i1 %c2)
  ; the linker does not mind that the types differ
  %j = call i64 @increment(i64 6, i64 7)
  %c3 = icmp eq i64 %j, 7
  call void @__VERIFIER_assert(i1 %c3)
  %f = load ptr, ptr @fn
  %pair = call %pair %f(i64 1, i64 2)
  %first = extractvalue %pair %pair, 0
  %c4 = icmp eq i64 %first, 2
  call void @__VERIFIER_assert(i1 %c4)
  %d = call i64 @depth(i64 3)
  %c5 = icmp eq i64 %d, 3
  call void @__VERIFIER_assert(i1 %c5)
  %large = alloca %large
  store %large zeroinitializer, ptr %large
  call void @change(ptr byval(%large) %large)
  %kept = load i32, ptr %large
  %c6 = icmp eq i32 %kept, 0
  call void @__VERIFIER_assert(i1 %c6)
  call void asm sideeffect "", "~{memory}"()
  call void asm sideeffect "mfence", "~{memory}"()
  %same = call i32 asm "", "=r,0"(i32 %i)
  %c7 = icmp eq i32 %same, 5
  call void @__VERIFIER_assert(i1 %c7)
  ret i32 0
}
