define void @f() {
entry:
  %x = add i32 1, 2
next:
  ret void
}

define void @g() {
  %x = add i32 1, 2
}
