define void @f(i32 %x) {
  %y = zext i32 %x to i8
  ret void
}

define void @g(i32 %x) {
  %y = bitcast i32 %x to ptr
  ret void
}
