define void @f(ptr %p) {
  store 5, ptr %p
  ret void
}
