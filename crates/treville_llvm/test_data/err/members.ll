define void @f({ i32, i32 } %x) {
  %y = extractvalue { i32, i32 } %x, 2
  ret void
}

define void @g({ i32, i32 } %x) {
  %y = insertvalue { i32, i32 } %x, i64 1, 0
  ret void
}
