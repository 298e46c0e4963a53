define void @f(i32 %x) {
  br i32 %x, label %a, label %a
a:
  ret void
}
