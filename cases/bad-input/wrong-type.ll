define i32 @main() {
  %sum = add i32 1, 2
  ret i64 %sum
}
