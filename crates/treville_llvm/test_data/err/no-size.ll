%opaque = type opaque
%self = type { i32, [2 x %self] }
@x = global %opaque zeroinitializer
@y = global %self zeroinitializer
@z = global [1152921504606846976 x i64] zeroinitializer

define void @f(ptr %p) {
  %a = alloca %opaque
  %b = load %opaque, ptr %p
  ret void
}
