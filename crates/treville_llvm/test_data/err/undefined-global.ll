define void @f() {
  call void @g()
  store i32 0, ptr @x
  ret void
}
