define i32 @f() {
  %x = add i32 %y, %0
  ret i32 %x
}
