@a = global [2 x i32] [i32 1]
@b = global { i32, i8 } { i32 1, i32 2 }
@c = global <2 x i32> [i32 1, i32 2]
@d = global { i32 } <{ i32 1 }>
