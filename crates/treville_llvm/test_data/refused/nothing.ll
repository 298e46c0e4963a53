; 1: the program has no function `main`
define i32 @f() {
  ret i32 0
}
