%opaque = type opaque
%self = type { i32, [2 x %self] }
@x = external global %opaque
@y = external global %self
@z = external global [1152921504606846976 x i64]

define void @f(ptr %p) {
  %a = alloca %opaque
  %b = load %opaque, ptr %p
  ret void
}
