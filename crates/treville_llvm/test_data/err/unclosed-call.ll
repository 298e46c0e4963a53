define void @f() {
  call void @f(i32 1
  ret void
}
