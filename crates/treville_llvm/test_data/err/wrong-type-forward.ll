define i64 @f(i1 %c) {
  br label %loop
loop:
  %p = phi i64 [ 0, %0 ], [ %q, %loop ]
  %q = trunc i64 %p to i32
  br i1 %c, label %loop, label %out
out:
  ret i64 %p
}
