; sc: 1
@m7 = global i32 -7
@p2 = global i32 2
@b = global i8 200
declare void @__VERIFIER_assert(i32)

define void @check(i32 %x, i32 %y) {
  %ok = icmp eq i32 %x, %y
  %c = zext i1 %ok to i32
  call void @__VERIFIER_assert(i32 %c)
  ret void
}

define i32 @main() {
  %a = load i32, ptr @m7
  %b = load i32, ptr @p2
  %add = add nsw i32 %a, %b
  call void @check(i32 %add, i32 -5)
  %sub = sub i32 %a, %b
  call void @check(i32 %sub, i32 -9)
  %mul = mul i32 %a, %b
  call void @check(i32 %mul, i32 -14)
  %sdiv = sdiv i32 %a, %b
  call void @check(i32 %sdiv, i32 -3)
  %udiv = udiv i32 %a, %b
  call void @check(i32 %udiv, i32 2147483644)
  %srem = srem i32 %a, %b
  call void @check(i32 %srem, i32 -1)
  %urem = urem i32 %a, %b
  call void @check(i32 %urem, i32 1)
  %shl = shl i32 %a, %b
  call void @check(i32 %shl, i32 -28)
  %lshr = lshr i32 %a, %b
  call void @check(i32 %lshr, i32 1073741822)
  %ashr = ashr i32 %a, %b
  call void @check(i32 %ashr, i32 -2)
  %and = and i32 %a, 12
  call void @check(i32 %and, i32 8)
  %or = or i32 %b, 12
  call void @check(i32 %or, i32 14)
  %xor = xor i32 %b, 3
  call void @check(i32 %xor, i32 1)
  %fr = freeze i32 %xor
  call void @check(i32 %fr, i32 1)
  %byte = load i8, ptr @b
  %z = zext i8 %byte to i32
  call void @check(i32 %z, i32 200)
  %s = sext i8 %byte to i32
  call void @check(i32 %s, i32 -56)
  %t = trunc i32 %a to i8
  %tz = zext i8 %t to i32
  call void @check(i32 %tz, i32 249)
  %slt = icmp slt i32 %a, %b
  %ult = icmp ult i32 %a, %b
  %sge = icmp sge i32 %b, %a
  %ugt = icmp ugt i32 %a, %b
  %x1 = select i1 %slt, i32 1, i32 0
  %x2 = select i1 %ult, i32 2, i32 0
  %x3 = select i1 %sge, i32 4, i32 0
  %x4 = select i1 %ugt, i32 8, i32 0
  %y1 = or i32 %x1, %x2
  %y2 = or i32 %x3, %x4
  %y = or i32 %y1, %y2
  call void @check(i32 %y, i32 13)
  %u = add i32 undef, 3
  call void @check(i32 %u, i32 3)
  ret i32 0
}
