%pair = type { i32, ptr }
@x = global %pair { i32 1, ptr @x }, align 8, !dbg !0

define i32 @f(ptr noundef %p, i1 %c) #0 !dbg !2 {
entry:
    #dbg_value(ptr %p, !3, !DIExpression(), !4)
  %old = atomicrmw add ptr %p, i32 1 acq_rel, align 4, !dbg !4
  br i1 %c, label %then, label %done

then:
  %q = getelementptr inbounds %pair, ptr %p, i64 0, i32 1
  %r = cmpxchg weak ptr %q, i64 0, i64 1 seq_cst monotonic
  %s = extractvalue { i64, i1 } %r, 1
  %t = zext i1 %s to i32
  br label %done, !llvm.loop !5

done:
  %v = phi i32 [ %old, %entry ], [ %t, %then ]
  ret i32 %v
}

attributes #0 = { noreturn "key"="value" }
!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
!1 = !DIGlobalVariable(name: "x", type: !6)
!2 = distinct !DISubprogram(name: "f", line: 1)
!3 = !DILocalVariable(name: "p", scope: !2, type: !6)
!4 = !DILocation(line: 2, column: 3, scope: !2)
!5 = distinct !{!5, !4}
!6 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !6)
