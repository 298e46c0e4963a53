define i32 @f(i1 %c) {
entry:
  br i1 %c, label %a, label %b
a:
  br label %b
b:
  %x = phi i32 [ 1, %entry ]
  ret i32 %x
}

define i32 @g(i1 %c) {
entry:
  br i1 %c, label %a, label %b
a:
  ret i32 0
b:
  %x = phi i32 [ 1, %entry ], [ 2, %a ]
  ret i32 %x
}

define i32 @h() {
entry:
  br label %b
b:
  %x = add i32 1, 1
  %y = phi i32 [ 1, %entry ]
  ret i32 %y
}
