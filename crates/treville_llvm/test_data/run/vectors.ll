; sc: 1
@v = global <4 x i32> <i32 1, i32 2, i32 3, i32 4>
@i = global i32 2
declare void @__VERIFIER_assert(i1)
declare i32 @llvm.vector.reduce.add.v4i32(<4 x i32>)
declare <4 x i32> @llvm.smin.v4i32(<4 x i32>, <4 x i32>)

define void @check(i32 %x, i32 %y) {
  %ok = icmp eq i32 %x, %y
  call void @__VERIFIER_assert(i1 %ok)
  ret void
}

define i32 @main() {
  %v = load <4 x i32>, ptr @v
  %sum = add <4 x i32> %v, <i32 10, i32 20, i32 30, i32 40>
  %all = call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %sum)
  call void @check(i32 %all, i32 110)
  %i = load i32, ptr @i
  %e = extractelement <4 x i32> %sum, i32 %i
  call void @check(i32 %e, i32 33)
  %w = insertelement <4 x i32> %v, i32 9, i32 %i
  %r = shufflevector <4 x i32> %w, <4 x i32> %sum, <4 x i32> <i32 2, i32 7, i32 undef, i32 0>
  %r0 = extractelement <4 x i32> %r, i32 0
  call void @check(i32 %r0, i32 9)
  %r1 = extractelement <4 x i32> %r, i32 1
  call void @check(i32 %r1, i32 44)
  %min = call <4 x i32> @llvm.smin.v4i32(<4 x i32> %v, <4 x i32> zeroinitializer)
  %m3 = extractelement <4 x i32> %min, i32 3
  call void @check(i32 %m3, i32 0)
  %gt = icmp sgt <4 x i32> %v, <i32 2, i32 2, i32 2, i32 2>
  %sel = select <4 x i1> %gt, <4 x i32> %v, <4 x i32> zeroinitializer
  %s1 = extractelement <4 x i32> %sel, i32 1
  call void @check(i32 %s1, i32 0)
  store <4 x i32> %sel, ptr @v
  %p3 = getelementptr i32, ptr @v, i64 3
  %s3 = load i32, ptr %p3
  call void @check(i32 %s3, i32 4)
  %half = shufflevector <4 x i32> %v, <4 x i32> poison, <2 x i32> <i32 0, i32 1>
  %bits = bitcast <2 x i32> %half to i64
  %high = lshr i64 %bits, 32
  %h = trunc i64 %high to i32
  call void @check(i32 %h, i32 2)
  ret i32 0
}
