%s = type { i32, i64 }
%opaque = type opaque
@x = global %s zeroinitializer
@p = global ptr getelementptr (%s, ptr @x, i64 0, i32 5)

define void @f(ptr %p, i32 %i) {
  %a = getelementptr %s, ptr %p, i64 0, i32 2
  %b = getelementptr %s, ptr %p, i64 0, i32 %i
  %c = getelementptr i32, ptr %p, i64 0, i32 0
  %d = getelementptr %opaque, ptr %p, i64 1
  ret void
}
