%0 = type <{ i8, [2 x i16]*, <4 x i32> }>
@0 = internal thread_local global i8* getelementptr inbounds ([2 x i8], [2 x i8]* @s, i64 0, i64 1)
@s = private constant [2 x i8] c"a\00"

define void @1(i32, %0*) {
  %3 = call i32 (i8*, ...) bitcast (void (i32, %0*)* @1 to i32 (i8*, ...)*)(i8* null, i32 %0)
  switch i32 %3, label %4 [ i32 -1, label %5 ]
4:
  call void asm sideeffect "", "~{memory}"()
  fence syncscope("singlethread") seq_cst
  ret void
5:
  %6 = invoke i8* @g() to label %4 unwind label %7
7:
  %8 = landingpad { i8*, i32 } cleanup
  resume { i8*, i32 } %8
}

declare i8* @g()
