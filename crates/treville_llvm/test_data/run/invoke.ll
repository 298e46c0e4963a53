; sc: 1
; What comes after a thrown exception is not looked at.
declare i32 @personality(...)
declare void @unknown()

define void @f() {
  ret void
}

define i32 @main() personality ptr @personality {
  invoke void @f() to label %fine unwind label %thrown
fine:
  ret i32 0
thrown:
  %e = landingpad { ptr, i32 } cleanup
  call void @unknown()
  resume { ptr, i32 } %e
}
