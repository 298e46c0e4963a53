define void @f(ptr %p) {
  %x = load atomic { i32 }, ptr %p seq_cst, align 4
  ret void
}

define void @g(ptr %p) {
  store atomic i24 1, ptr %p seq_cst, align 4
  ret void
}

define void @h(ptr %p) {
  %x = atomicrmw add ptr %p, ptr %p seq_cst
  ret void
}
