define void @f(i64 %p) {
  store i32 1, i64 %p
  ret void
}
