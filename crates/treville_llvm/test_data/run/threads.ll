; sc: 3
; rc11: 4
@x = global i32 0
@y = global i32 0
@a = global i32 0
@b = global i32 0
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_join(i64, ptr)

define ptr @left(ptr %unused) {
  store atomic i32 1, ptr @x monotonic, align 4
  %r = load atomic i32, ptr @y monotonic, align 4
  store i32 %r, ptr @a
  ret ptr null
}

define ptr @right(ptr %unused) {
  store atomic i32 1, ptr @y monotonic, align 4
  %r = load atomic i32, ptr @x monotonic, align 4
  store i32 %r, ptr @b
  ret ptr null
}

define i32 @main() {
  %s = alloca i64
  %t = alloca i64
  %c1 = call i32 @pthread_create(ptr %s, ptr null, ptr @left, ptr null)
  %c2 = call i32 @pthread_create(ptr %t, ptr null, ptr @right, ptr null)
  %h1 = load i64, ptr %s
  %j1 = call i32 @pthread_join(i64 %h1, ptr null)
  %h2 = load i64, ptr %t
  %j2 = call i32 @pthread_join(i64 %h2, ptr null)
  ret i32 0
}
