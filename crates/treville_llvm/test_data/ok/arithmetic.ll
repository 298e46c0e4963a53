; Every operation on numbers, with its flags.
define i32 @ints(i32 %a, i32 %b) {
  %1 = add nuw nsw i32 %a, %b
  %2 = sub nsw i32 %1, 1
  %3 = mul nuw i32 %2, -7
  %4 = udiv exact i32 %3, %b
  %5 = sdiv i32 %4, %b
  %6 = urem i32 %5, 10
  %7 = srem i32 %6, 10
  %8 = shl nuw i32 %7, 3
  %9 = lshr exact i32 %8, 1
  %10 = ashr i32 %9, 1
  %11 = and i32 %10, 255
  %12 = or disjoint i32 %11, 256
  %13 = xor i32 %12, -1
  %14 = icmp samesign ult i32 %13, 5
  %15 = select i1 %14, i32 %13, i32 u0xFF
  %16 = freeze i32 %15
  ret i32 %16
}

define i128 @widths(i8 %x, i24 %y) {
  %a = zext nneg i8 %x to i64
  %b = sext i24 %y to i64
  %c = trunc nuw nsw i64 %a to i48
  %d = zext i48 %c to i128
  %e = add i128 %d, 170141183460469231731687303715884105727
  %f = add i128 %e, -170141183460469231731687303715884105728
  %g = inttoptr i64 %b to ptr
  %h = ptrtoint ptr %g to i128
  %i = xor i128 %f, %h
  ret i128 %i
}

define i1 @comparisons(i64 %x, ptr %p) {
  %1 = icmp eq i64 %x, 0
  %2 = icmp ne ptr %p, null
  %3 = icmp ugt i64 %x, 1
  %4 = icmp uge i64 %x, 1
  %5 = icmp ule i64 %x, 1
  %6 = icmp sgt i64 %x, 1
  %7 = icmp sge i64 %x, 1
  %8 = icmp slt i64 %x, 1
  %9 = icmp sle i64 %x, 1
  %10 = and i1 %1, true
  %11 = or i1 %10, false
  ret i1 %11
}

define double @floats(float %a, double %b) {
  %1 = fpext float %a to double
  %2 = fadd fast double %1, %b
  %3 = fsub nnan ninf double %2, 1.5
  %4 = fmul double %3, 0x3FF8000000000000
  %5 = fdiv double %4, -2.0e+00
  %6 = frem double %5, 3.0
  %7 = fneg double %6
  %8 = fcmp olt double %7, 0.0
  %9 = select fast i1 %8, double %7, double %b
  %10 = fptosi double %9 to i32
  %11 = sitofp i32 %10 to double
  %12 = fptrunc double %11 to float
  %13 = bitcast float %12 to i32
  %14 = uitofp i32 %13 to double
  ret double %14
}
