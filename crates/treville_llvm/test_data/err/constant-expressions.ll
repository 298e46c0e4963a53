@a = global i64 extractvalue ({ i64 } zeroinitializer, 0)
@b = global i64 ptrtoint (i64 5 to i64)
@c = global i32 ptrtoint (ptr @b to i64)
@d = global i64 add (i64 1, i32 2)
