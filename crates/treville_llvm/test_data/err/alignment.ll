@x = global i32 0, align 3
