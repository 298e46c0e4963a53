define i32 @f() {
  ret void
}

define void @g() {
  ret i32 1
}
