; Accesses in every flavour.
%pair = type { i32, i64 }

define void @plain(ptr %p, i32 %n) {
  %one = alloca i32, align 4
  %many = alloca %pair, i32 %n, align 16
  %x = load i32, ptr %p, align 4, !tbaa !0, !range !1
  store volatile i32 %x, ptr %one, align 2
  %v = load volatile i8, ptr %p
  %f = getelementptr inbounds nuw %pair, ptr %many, i64 0, i32 1
  %g = getelementptr inbounds [4 x %pair], ptr %p, i64 1, i32 %n, i32 0
  %h = getelementptr i8, ptr %g, i64 -8
  store i64 9, ptr %f
  store ptr %h, ptr %p
  ret void
}

define void @atomic(ptr %p) {
  %1 = load atomic i8, ptr %p unordered, align 1
  %2 = load atomic i16, ptr %p monotonic, align 2
  %3 = load atomic volatile i32, ptr %p acquire, align 4
  %4 = load atomic ptr, ptr %p seq_cst, align 8
  store atomic i64 1, ptr %p monotonic, align 8
  store atomic volatile i64 1, ptr %p release, align 8
  store atomic i64 1, ptr %p syncscope("singlethread") seq_cst, align 8
  fence acquire
  fence release
  fence acq_rel
  fence seq_cst
  fence syncscope("singlethread") seq_cst
  ret void
}

define i1 @update(ptr %p, i32 %x) {
  %1 = cmpxchg ptr %p, i32 0, i32 %x acq_rel monotonic, align 4
  %2 = cmpxchg weak volatile ptr %p, i32 0, i32 %x seq_cst acquire
  %3 = cmpxchg ptr %p, ptr null, ptr %p syncscope("singlethread") release monotonic, align 8
  %4 = cmpxchg ptr %p, i128 0, i128 1 seq_cst seq_cst, align 16
  %old = extractvalue { i32, i1 } %1, 0
  %done = extractvalue { i32, i1 } %2, 1
  %5 = atomicrmw xchg ptr %p, i32 %old acquire, align 4
  %6 = atomicrmw volatile add ptr %p, i32 1 monotonic
  %7 = atomicrmw sub ptr %p, i32 1 release
  %8 = atomicrmw and ptr %p, i32 1 acq_rel
  %9 = atomicrmw nand ptr %p, i32 1 seq_cst
  %10 = atomicrmw or ptr %p, i32 1 seq_cst
  %11 = atomicrmw xor ptr %p, i32 1 seq_cst
  %12 = atomicrmw max ptr %p, i32 1 seq_cst
  %13 = atomicrmw min ptr %p, i32 1 seq_cst
  %14 = atomicrmw umax ptr %p, i32 1 seq_cst
  %15 = atomicrmw umin ptr %p, i32 1 seq_cst
  %16 = atomicrmw uinc_wrap ptr %p, i32 1 seq_cst
  %17 = atomicrmw udec_wrap ptr %p, i32 1 seq_cst
  %18 = atomicrmw fadd ptr %p, float 1.0 seq_cst
  %19 = atomicrmw xchg ptr %p, ptr null seq_cst
  ret i1 %done
}

define { i32, [2 x i8] } @aggregates({ i32, [2 x i8] } %x) {
  %1 = extractvalue { i32, [2 x i8] } %x, 1, 0
  %2 = insertvalue { i32, [2 x i8] } %x, i8 %1, 1, 1
  %3 = insertvalue { i32, [2 x i8] } %2, i32 7, 0
  ret { i32, [2 x i8] } %3
}

!0 = !{!2, !2, i64 0}
!1 = !{i32 0, i32 5}
!2 = !{!"int", !3, i64 0}
!3 = !{!"omnipotent char"}
