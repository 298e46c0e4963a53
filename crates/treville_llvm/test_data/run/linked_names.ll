; sc: 1
; Names for the linker: after a byte of value 1, and with `_` before those of C.
target datalayout = "e-m:o-i64:64-i128:128-n32:64-S128"
declare void @"\01___VERIFIER_assert"(i32)
declare i32 @"\01_pthread_join"(i64, ptr)
declare i32 @_pthread_create(ptr, ptr, ptr, ptr)
@x = global i32 0

define ptr @run(ptr %arg) {
  store i32 1, ptr @x
  ret ptr %arg
}

define i32 @main() {
  %t = alloca i64
  %a = call i32 @_pthread_create(ptr %t, ptr null, ptr @run, ptr null)
  %h = load i64, ptr %t
  %b = call i32 @"\01_pthread_join"(i64 %h, ptr null)
  %v = load i32, ptr @x
  call void @"\01___VERIFIER_assert"(i32 %v)
  ret i32 0
}
