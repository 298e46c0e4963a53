; sc: 1
@v = global i32 0
@w = global i32 4113
@m1 = global i32 -1
declare void @__VERIFIER_assert(i32)
declare i32 @llvm.ctpop.i32(i32)
declare i32 @llvm.ctlz.i32(i32, i1)
declare i32 @llvm.cttz.i32(i32, i1)
declare i32 @llvm.bswap.i32(i32)
declare i8 @llvm.bitreverse.i8(i8)
declare i32 @llvm.umin.i32(i32, i32)
declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.umax.i32(i32, i32)
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.abs.i32(i32, i1)
declare i32 @llvm.fshl.i32(i32, i32, i32)
declare i32 @llvm.fshr.i32(i32, i32, i32)
declare i32 @llvm.usub.sat.i32(i32, i32)
declare i32 @llvm.sadd.sat.i32(i32, i32)
declare i8 @llvm.ucmp.i8.i32(i32, i32)
declare i8 @llvm.scmp.i8.i32(i32, i32)
declare { i32, i1 } @llvm.uadd.with.overflow.i32(i32, i32)
declare { i32, i1 } @llvm.smul.with.overflow.i32(i32, i32)
declare { i64, i1 } @llvm.umul.with.overflow.i64(i64, i64)

define void @check(i32 %x, i32 %y) {
  %ok = icmp eq i32 %x, %y
  %c = zext i1 %ok to i32
  call void @__VERIFIER_assert(i32 %c)
  ret void
}

define i32 @main() {
  %z = load i32, ptr @v
  %w = load i32, ptr @w
  %m = load i32, ptr @m1
  %pop = call i32 @llvm.ctpop.i32(i32 %w)
  call void @check(i32 %pop, i32 3)
  %pop32 = call i32 @llvm.ctpop.i32(i32 %m)
  call void @check(i32 %pop32, i32 32)
  %lz = call i32 @llvm.ctlz.i32(i32 %w, i1 false)
  call void @check(i32 %lz, i32 19)
  %lz0 = call i32 @llvm.ctlz.i32(i32 %z, i1 false)
  call void @check(i32 %lz0, i32 32)
  %w8 = shl i32 %w, 8
  %tz = call i32 @llvm.cttz.i32(i32 %w8, i1 true)
  call void @check(i32 %tz, i32 8)
  %tz0 = call i32 @llvm.cttz.i32(i32 %z, i1 false)
  call void @check(i32 %tz0, i32 32)
  %bs = call i32 @llvm.bswap.i32(i32 %w)
  call void @check(i32 %bs, i32 286261248)
  %w1 = trunc i32 %w to i8
  %br = call i8 @llvm.bitreverse.i8(i8 %w1)
  %brz = zext i8 %br to i32
  call void @check(i32 %brz, i32 136)
  %umin = call i32 @llvm.umin.i32(i32 %m, i32 %w)
  call void @check(i32 %umin, i32 4113)
  %smin = call i32 @llvm.smin.i32(i32 %m, i32 %w)
  call void @check(i32 %smin, i32 -1)
  %umax = call i32 @llvm.umax.i32(i32 %m, i32 %w)
  call void @check(i32 %umax, i32 -1)
  %smax = call i32 @llvm.smax.i32(i32 %m, i32 %w)
  call void @check(i32 %smax, i32 4113)
  %abs = call i32 @llvm.abs.i32(i32 %m, i1 false)
  call void @check(i32 %abs, i32 1)
  %fshl = call i32 @llvm.fshl.i32(i32 %w, i32 %m, i32 36)
  call void @check(i32 %fshl, i32 65823)
  %fshr = call i32 @llvm.fshr.i32(i32 %w, i32 %m, i32 0)
  call void @check(i32 %fshr, i32 -1)
  %us = call i32 @llvm.usub.sat.i32(i32 %z, i32 %w)
  call void @check(i32 %us, i32 0)
  %ss = call i32 @llvm.sadd.sat.i32(i32 2147483647, i32 %w)
  call void @check(i32 %ss, i32 2147483647)
  %uc = call i8 @llvm.ucmp.i8.i32(i32 %m, i32 %w)
  %ucz = sext i8 %uc to i32
  call void @check(i32 %ucz, i32 1)
  %sc = call i8 @llvm.scmp.i8.i32(i32 %m, i32 %w)
  %scz = sext i8 %sc to i32
  call void @check(i32 %scz, i32 -1)
  %ao = call { i32, i1 } @llvm.uadd.with.overflow.i32(i32 %m, i32 %w)
  %av = extractvalue { i32, i1 } %ao, 0
  call void @check(i32 %av, i32 4112)
  %af = extractvalue { i32, i1 } %ao, 1
  %afz = zext i1 %af to i32
  call void @check(i32 %afz, i32 1)
  %mo = call { i32, i1 } @llvm.smul.with.overflow.i32(i32 %m, i32 -2147483648)
  %mf = extractvalue { i32, i1 } %mo, 1
  %mfz = zext i1 %mf to i32
  call void @check(i32 %mfz, i32 1)
  %wide = zext i32 %m to i64
  %lo = call { i64, i1 } @llvm.umul.with.overflow.i64(i64 %wide, i64 %wide)
  %lf = extractvalue { i64, i1 } %lo, 1
  %lfz = zext i1 %lf to i32
  call void @check(i32 %lfz, i32 0)
  ret i32 0
}
