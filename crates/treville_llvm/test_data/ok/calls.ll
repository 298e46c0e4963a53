; Every way to call.
%big = type { [4 x i64] }
declare void @stop() noreturn
declare void @exits(i32)
declare i32 @printf(ptr, ...)
declare void @takes(ptr byval(%big) align 8)
declare void @gives(ptr sret(%big))
declare void @llvm.assume(i1)
declare i64 @llvm.read_register.i64(metadata)
declare void @llvm.experimental.noalias.scope.decl(metadata)
@callback = global ptr @direct
@other.name = alias void (i32), ptr @direct

define void @direct(i32 %x) {
  ret void
}

define void @calls(ptr %p, ptr %f, %big %value) {
  call void @direct(i32 noundef 5) #1
  tail call fastcc void @direct(i32 signext 6)
  notail call void @other.name(i32 7) nounwind willreturn
  %1 = call noundef nonnull align 8 dereferenceable(8) ptr %f(ptr %p, i32 0)
  %n = call i32 (ptr, ...) @printf(ptr noundef getelementptr inbounds (i8, ptr null, i64 1), i32 1, i64 2)
  call void %f()
  call void @takes(ptr noundef byval(%big) align 8 %p)
  call void @gives(ptr dead_on_unwind writable sret(%big) align 8 %p)
  call void @llvm.assume(i1 true) [ "align"(ptr %p, i64 8), "nonnull"(ptr %p) ]
  %sp = call i64 @llvm.read_register.i64(metadata !"rsp")
  call void @llvm.experimental.noalias.scope.decl(metadata !0)
  call addrspace(0) void inttoptr (i64 4096 to ptr)(i64 1)
  call void @exits(i32 1) #0
  call void @stop()
  unreachable
}

define i32 @assembly(ptr %p, i32 %x) {
  call void asm sideeffect "", "~{memory},~{dirflag},~{fpsr},~{flags}"()
  call void asm sideeffect alignstack inteldialect "mfence", "~{memory}"()
  %1 = call i32 asm "ldr $0, $1\0A", "=&r,*Q"(ptr elementtype(i32) %p)
  %2 = call { i32, i32 } asm "swap\09$0, $1", "=r,=r,0,1"(i32 %1, i32 %x)
  %3 = extractvalue { i32, i32 } %2, 0
  ret i32 %3
}

attributes #0 = { noreturn nounwind }
attributes #1 = { cold }
!0 = !{!1}
!1 = distinct !{!1, !2, !"scope"}
!2 = distinct !{!2, !"domain"}
