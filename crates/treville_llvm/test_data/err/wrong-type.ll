define i64 @f(i32 %x) {
  %y = add i64 %x, 1
  ret i64 %y
}
