; rc11: 1
@x = global i32 5
@b = global i8 1
@p = global ptr null
declare void @__VERIFIER_assert(i1)

define void @check(i32 %x, i32 %y) {
  %ok = icmp eq i32 %x, %y
  call void @__VERIFIER_assert(i1 %ok)
  ret void
}

define void @now(i32 %y) {
  %x = load atomic i32, ptr @x seq_cst, align 4
  call void @check(i32 %x, i32 %y)
  ret void
}

define i32 @main() {
  store atomic i32 6, ptr @x release, align 4
  %a = atomicrmw add ptr @x, i32 4 acq_rel
  call void @check(i32 %a, i32 6)
  call void @now(i32 10)
  %s = atomicrmw sub ptr @x, i32 1 monotonic
  call void @now(i32 9)
  %n = atomicrmw nand ptr @x, i32 3 acquire
  call void @now(i32 -2)
  %um = atomicrmw umin ptr @x, i32 12 release
  call void @now(i32 12)
  %mx = atomicrmw max ptr @x, i32 -3 seq_cst
  call void @now(i32 12)
  %mn = atomicrmw min ptr @x, i32 -3 seq_cst
  call void @now(i32 -3)
  %ux = atomicrmw umax ptr @x, i32 5 seq_cst
  call void @now(i32 -3)
  %xc = atomicrmw xchg ptr @x, i32 3 seq_cst
  call void @check(i32 %xc, i32 -3)
  %or = atomicrmw or ptr @x, i32 8 seq_cst
  %an = atomicrmw and ptr @x, i32 9 seq_cst
  %xo = atomicrmw xor ptr @x, i32 1 seq_cst
  call void @now(i32 8)
  %w1 = atomicrmw uinc_wrap ptr @x, i32 8 seq_cst
  call void @now(i32 0)
  %w2 = atomicrmw udec_wrap ptr @x, i32 8 seq_cst
  call void @now(i32 8)
  %cx = cmpxchg ptr @x, i32 7, i32 1 acq_rel monotonic
  %old = extractvalue { i32, i1 } %cx, 0
  call void @check(i32 %old, i32 8)
  %no = extractvalue { i32, i1 } %cx, 1
  %yes = xor i1 %no, true
  call void @__VERIFIER_assert(i1 %yes)
  %cy = cmpxchg weak volatile ptr @x, i32 8, i32 1 seq_cst seq_cst
  %done = extractvalue { i32, i1 } %cy, 1
  call void @__VERIFIER_assert(i1 %done)
  call void @now(i32 1)
  %byte = atomicrmw xchg ptr @b, i8 0 acquire
  %was = icmp eq i8 %byte, 1
  call void @__VERIFIER_assert(i1 %was)
  %cp = cmpxchg ptr @p, ptr null, ptr @x release monotonic
  %pv = load atomic ptr, ptr @p acquire, align 8
  %same = icmp eq ptr %pv, @x
  call void @__VERIFIER_assert(i1 %same)
  fence acquire
  fence release
  fence acq_rel
  fence seq_cst
  fence syncscope("singlethread") seq_cst
  %vol = load volatile i32, ptr @x
  call void @check(i32 %vol, i32 1)
  ret i32 0
}
