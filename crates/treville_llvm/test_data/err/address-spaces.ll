target datalayout = "e-p270:32:32-p271:32:32-i64:64"
@x = addrspace(42) global i32 0
@y = addrspace(270) global i32 0
