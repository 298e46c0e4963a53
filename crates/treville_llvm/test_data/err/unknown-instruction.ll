define void @f() {
  %x = frobnicate i32 1
  ret void
}
