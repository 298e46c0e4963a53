define i32 @main() {
  %there = select i1 true, ptr blockaddress(@main, %a), ptr blockaddress(@main, %b)
  indirectbr ptr %there, [label %a, label %b]
a:
  ret i32 0
b:
  ret i32 1
}
