; Vectors.
define <4 x i32> @lanes(<4 x i32> %a, <4 x i32> %b, i32 %x, ptr %p) {
  %1 = add nsw <4 x i32> %a, <i32 1, i32 2, i32 3, i32 4>
  %2 = icmp slt <4 x i32> %1, %b
  %3 = select <4 x i1> %2, <4 x i32> %1, <4 x i32> zeroinitializer
  %4 = extractelement <4 x i32> %3, i64 2
  %5 = insertelement <4 x i32> poison, i32 %x, i32 0
  %6 = shufflevector <4 x i32> %5, <4 x i32> poison, <4 x i32> zeroinitializer
  %7 = shufflevector <4 x i32> %5, <4 x i32> %6, <2 x i32> <i32 7, i32 undef>
  %8 = zext <2 x i32> %7 to <2 x i64>
  %9 = getelementptr i8, ptr %p, <2 x i64> %8
  %10 = ptrtoint <2 x ptr> %9 to <2 x i64>
  %11 = bitcast <2 x i64> %10 to <4 x i32>
  store <4 x i32> %11, ptr %p, align 16
  %12 = bitcast <4 x i1> %2 to i4
  %13 = zext i4 %12 to i32
  %14 = insertelement <4 x i32> %6, i32 %13, i32 %4
  ret <4 x i32> %14
}
