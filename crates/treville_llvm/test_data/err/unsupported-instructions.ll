define void @f(ptr %p) {
  %x = va_arg ptr %p, i32
  ret void
}

define void @g(ptr %p) {
  indirectbr ptr %p, [label %a]
a:
  ret void
}

define void @h() {
  callbr void asm "", "!i"() to label %a [label %b]
a:
  ret void
b:
  ret void
}
