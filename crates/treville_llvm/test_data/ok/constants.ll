; Constants and constant expressions.
%s = type { i32, [3 x i8], ptr }
@i = global i8 -1
@i1 = global i1 true
@big = global i128 u0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF
@text = private unnamed_addr constant [6 x i8] c"a\22\\\00\FFz", align 1
@struct = global %s { i32 7, [3 x i8] c"abc", ptr @struct }
@packed = global <{ i8, i32 }> <{ i8 1, i32 2 }>
@array = global [2 x { i32, ptr }] [{ i32, ptr } { i32 1, ptr null }, { i32, ptr } zeroinitializer]
@vector = global <2 x i32> <i32 1, i32 undef>
@splat = global <4 x i16> splat (i16 3)
@nothing = global [0 x i8] zeroinitializer
@zero = global i64 zeroinitializer
@undefined = global %s undef
@poisoned = global i32 poison
@element = global ptr getelementptr inbounds (%s, ptr @struct, i64 0, i32 1, i64 2)
@nested = global ptr getelementptr (i8, ptr getelementptr inbounds nuw (%s, ptr @struct, i64 1), i64 -4)
@table = global ptr getelementptr inbounds inrange(-16, 8) ([2 x ptr], ptr @vtable, i32 0, i32 1)
@vtable = constant [2 x ptr] [ptr null, ptr @function]
@difference = global i64 sub (i64 ptrtoint (ptr @i to i64), i64 ptrtoint (ptr @struct to i64))
@narrow = global i32 trunc (i64 sub (i64 ptrtoint (ptr @i to i64), i64 1) to i32)
@address = global ptr inttoptr (i64 add nuw (i64 4096, i64 8) to ptr)
@chosen = global i32 select (i1 icmp eq (ptr @i, ptr null), i32 1, i32 2)
@single = global float 1.5
@double = global double 0x7FF0000000000000
@half = global half 0xH3C00
@extended = global x86_fp80 0xK3FFF8000000000000000
@quad = global fp128 0xL00000000000000003FFF000000000000
@other = alias i8, ptr @i
@inside = alias i8, ptr getelementptr (%s, ptr @struct, i64 0, i32 1)
@0 = global i32 1
@1 = global ptr @0

define void @function() {
  ret void
}
