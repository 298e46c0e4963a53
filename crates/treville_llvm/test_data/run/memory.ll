; sc: 1
%inner = type { i8, i16 }
%outer = type { i32, %inner, [3 x i64], ptr }
@text = private constant [4 x i8] c"abc\00"
@o = global %outer { i32 5, %inner { i8 1, i16 -2 }, [3 x i64] [i64 10, i64 20, i64 30], ptr getelementptr inbounds ([4 x i8], ptr @text, i64 0, i64 1) }
@packed = global <{ i8, i32 }> <{ i8 3, i32 4 }>
@big = global [100000 x i8] zeroinitializer
@table = global [2 x ptr] [ptr @one, ptr @two]
@distance = global i64 sub (i64 ptrtoint (ptr getelementptr inbounds (%outer, ptr @o, i64 0, i32 2) to i64), i64 ptrtoint (ptr @o to i64))
@tls = thread_local global i32 9
declare void @__VERIFIER_assert(i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare ptr @llvm.threadlocal.address.p0(ptr)
declare ptr @llvm.stacksave()
declare void @llvm.stackrestore(ptr)
declare i64 @llvm.objectsize.i64.p0(ptr, i1, i1, i1)

define internal i32 @one() {
  ret i32 1
}
define internal i32 @two() {
  ret i32 2
}

define void @check(i64 %x, i64 %y) {
  %ok = icmp eq i64 %x, %y
  call void @__VERIFIER_assert(i1 %ok)
  ret void
}

define i32 @main() {
  %flag = alloca i1
  store i1 true, ptr %flag
  %f = load i1, ptr %flag
  call void @__VERIFIER_assert(i1 %f)
  ; fields and padding
  %p16 = getelementptr inbounds %outer, ptr @o, i64 0, i32 1, i32 1
  %h = load i16, ptr %p16
  %hs = sext i16 %h to i64
  call void @check(i64 %hs, i64 -2)
  %i = zext i16 %h to i64
  %two = add i64 %i, -65532
  %elem = getelementptr inbounds %outer, ptr @o, i64 0, i32 2, i64 %two
  %e = load i64, ptr %elem
  call void @check(i64 %e, i64 30)
  %pp = getelementptr inbounds %outer, ptr @o, i64 0, i32 3
  %b = load ptr, ptr %pp
  %c = load i8, ptr %b
  %cz = zext i8 %c to i64
  call void @check(i64 %cz, i64 98)
  %q = getelementptr inbounds i8, ptr %b, i64 -1
  %c2 = load i8, ptr %q
  %c2z = zext i8 %c2 to i64
  call void @check(i64 %c2z, i64 97)
  %pk = getelementptr <{ i8, i32 }>, ptr @packed, i64 0, i32 1
  %pv = load i32, ptr %pk, align 1
  %pz = zext i32 %pv to i64
  call void @check(i64 %pz, i64 4)
  %last = getelementptr [100000 x i8], ptr @big, i64 0, i64 99999
  %lv = load i8, ptr %last
  %lz = zext i8 %lv to i64
  call void @check(i64 %lz, i64 0)
  %d = load i64, ptr @distance
  call void @check(i64 %d, i64 8)
  ; functions as values
  %slot = getelementptr [2 x ptr], ptr @table, i64 0, i64 1
  %fn = load ptr, ptr %slot
  %r = call i32 %fn()
  %rz = zext i32 %r to i64
  call void @check(i64 %rz, i64 2)
  ; whole structs
  %copy = alloca %outer
  %whole = load %outer, ptr @o
  store %outer %whole, ptr %copy
  %ce = getelementptr %outer, ptr %copy, i64 0, i32 2, i64 1
  %cv = load i64, ptr %ce
  call void @check(i64 %cv, i64 20)
  ; blocks of memory of a length that is not known
  %len = add i64 %two, 14
  %vla = alloca i8, i64 %len
  call void @llvm.memset.p0.i64(ptr %vla, i8 7, i64 %len, i1 false)
  %v1 = getelementptr i8, ptr %vla, i64 1
  store i8 1, ptr %vla
  %n = sub i64 %len, 1
  call void @llvm.memmove.p0.p0.i64(ptr %v1, ptr %vla, i64 %n, i1 false)
  %v2 = getelementptr i8, ptr %vla, i64 2
  %m1 = load i8, ptr %v1
  %m2 = load i8, ptr %v2
  %m1z = zext i8 %m1 to i64
  %m2z = zext i8 %m2 to i64
  call void @check(i64 %m1z, i64 1)
  call void @check(i64 %m2z, i64 7)
  %sp = call ptr @llvm.stacksave()
  call void @llvm.stackrestore(ptr %sp)
  %t = call ptr @llvm.threadlocal.address.p0(ptr @tls)
  %tv = load i32, ptr %t
  %tz = zext i32 %tv to i64
  call void @check(i64 %tz, i64 9)
  %os = call i64 @llvm.objectsize.i64.p0(ptr %t, i1 false, i1 true, i1 false)
  call void @check(i64 %os, i64 -1)
  ret i32 0
}
