; 16: the function `mystery` is not defined in this program, and not known
; 17: the variable `elsewhere` is not defined in this program
; 18: arithmetic on floating-point numbers is not supported
; 19: the inline assembly `cpuid` is not supported
; 20: the intrinsic function `llvm.va_start` is not supported
; 21: an access with the order `unordered` is not supported
@elsewhere = external global i32
declare i32 @mystery()
declare i32 @unused()
declare void @llvm.va_start(ptr)
define void @not_called() {
  %x = call i32 @unused()
  ret void
}
define i32 @main(i32 %n, ptr %p) {
  %x = call i32 @mystery()
  %y = load i32, ptr @elsewhere
  %f = sitofp i32 %y to double
  call void asm "cpuid", ""()
  call void @llvm.va_start(ptr %p)
  %u = load atomic i32, ptr %p unordered, align 4
  ret i32 0
}
