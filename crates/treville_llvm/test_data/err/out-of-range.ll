define void @f() {
  br label %99999999999
}

@a = global [99999999999999999999999 x i8] zeroinitializer
