define i32 @main() {
  %sum = fadd double 1.0, 2.0
  %whole = fptosi double %sum to i32
  ret i32 %whole
}
