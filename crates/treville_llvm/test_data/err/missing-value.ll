define void @f() {
  call void @f(i32 nul)
  ret void
}
