define i32 @f(i1 %c) {
entry:
  br i1 %c, label %a, label %b
a:
  %x = add i32 1, 1
  br label %b
b:
  ret i32 %x
}

define i32 @g() {
  %a = add i32 %b, 1
  %b = add i32 1, 1
  ret i32 %b
}
