; sc: 1
declare void @__VERIFIER_assert(i1)

define i32 @pick(i32 %x) {
entry:
  switch i32 %x, label %other [
    i32 1, label %both
    i32 2, label %both
    i32 3, label %three
  ]
both:
  %p = phi i32 [ 10, %entry ], [ 10, %entry ]
  ret i32 %p
three:
  br label %join
other:
  br label %join
join:
  %r = phi i32 [ 30, %three ], [ %x, %other ]
  ret i32 %r
}

; The two phis change places in every iteration.
define i32 @swap(i32 %n) {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %head ]
  %a = phi i32 [ 1, %entry ], [ %b, %head ]
  %b = phi i32 [ 2, %entry ], [ %a, %head ]
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %head, label %out
out:
  %ten = mul i32 %a, 10
  %r = add i32 %ten, %b
  ret i32 %r
}

define i32 @main() {
  %p1 = call i32 @pick(i32 2)
  %c1 = icmp eq i32 %p1, 10
  call void @__VERIFIER_assert(i1 %c1)
  %p2 = call i32 @pick(i32 3)
  %c2 = icmp eq i32 %p2, 30
  call void @__VERIFIER_assert(i1 %c2)
  %p3 = call i32 @pick(i32 77)
  %c3 = icmp eq i32 %p3, 77
  call void @__VERIFIER_assert(i1 %c3)
  %s1 = call i32 @swap(i32 3)
  %c4 = icmp eq i32 %s1, 12
  call void @__VERIFIER_assert(i1 %c4)
  %s2 = call i32 @swap(i32 4)
  %c5 = icmp eq i32 %s2, 21
  call void @__VERIFIER_assert(i1 %c5)
  br i1 true, label %done, label %never
never:
  unreachable
done:
  ret i32 0
}
