; Blocks with and without names, in any order; values used before they are defined in the text.
define i32 @numbers(i32, i1 %1) {
  %3 = add i32 %0, 1
  br i1 %1, label %4, label %6

4:                                                ; preds = %2
  %5 = add i32 %3, 1
  br label %6

6:
  %7 = phi i32 [ %3, %2 ], [ %5, %4 ]
  ret i32 %7
}

define i32 @loop(i32 %n) {
entry:
  br label %"the head"

done:
  ret i32 %sum

"the head":
  %i = phi i32 [ 0, %entry ], [ %next, %body.1 ]
  %sum = phi i32 [ 0, %entry ], [ %more, %body.1 ]
  %end = icmp eq i32 %i, %n
  br i1 %end, label %done, label %body.1

body.1:
  %next = add nuw i32 %i, 1
  %more = add i32 %sum, %i
  br label %"the head", !llvm.loop !0
}

define void @choose(i8 %x) {
  switch i8 %x, label %other [
    i8 0, label %zero
    i8 -1, label %other
    i8 7, label %zero
  ]
zero:
  ret void
other:
  unreachable
}

declare i32 @may_throw(i32)
declare i32 @personality(...)
@type = external constant ptr

define i32 @unwinding() personality ptr @personality {
  %1 = invoke i32 @may_throw(i32 1)
          to label %2 unwind label %3
2:
  ret i32 %1
3:
  %4 = landingpad { ptr, i32 }
          cleanup
          catch ptr @type
          filter [1 x ptr] [ptr @type]
  resume { ptr, i32 } %4
}

define void @unreached() {
  ret void
nobody:
  %x = add i32 %x, 1
  br label %nobody
}

!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.mustprogress"}
