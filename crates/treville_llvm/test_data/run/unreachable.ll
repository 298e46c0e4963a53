; sc: assertion code is reached that the compiler takes to be unreachable
define i32 @main() {
  unreachable
}
