define void @f() {
  %1 = add i32 1, 2
  %1 = add i32 1, 2
  ret void
}
