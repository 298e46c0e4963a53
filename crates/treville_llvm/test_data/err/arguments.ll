declare i32 @g(i32)

define void @f() {
  call i32 (i32) @g()
  ret void
}

define void @h() {
  call i32 (i32) @g(i64 1)
  ret void
}
