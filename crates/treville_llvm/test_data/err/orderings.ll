define void @f(ptr %p) {
  %x = load atomic i32, ptr %p release, align 4
  ret void
}

define void @g(ptr %p) {
  store atomic i32 1, ptr %p acquire, align 4
  ret void
}

define void @h(ptr %p) {
  %x = cmpxchg ptr %p, i32 0, i32 1 seq_cst release
  ret void
}

define void @i() {
  fence monotonic
  ret void
}

define void @j(ptr %p) {
  %x = load atomic i32, ptr %p, align 4
  ret void
}

define void @k(ptr %p) {
  %x = atomicrmw mul ptr %p, i32 0 seq_cst
  ret void
}
