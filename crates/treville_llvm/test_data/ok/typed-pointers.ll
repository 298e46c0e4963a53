; As compilers wrote it when pointers had types.
%struct.node = type { i32, %struct.node*, void (i8*)* }
%struct.unused = type opaque
@head = dso_local global %struct.node* null, align 8
@names = global [2 x i8*] [i8* getelementptr inbounds ([2 x i8], [2 x i8]* @.str, i64 0, i64 0), i8* null]
@.str = private unnamed_addr constant [2 x i8] c"x\00"
@callbacks = global { i32 (i32)*, i32 (i32, ...)** } zeroinitializer
@inode = global i8 addrspace(42)* null
@alias = alias i32 (i32), i32 (i32)* @twice
@llvm.global_ctors = appending global [1 x { i32, void ()*, i8* }] [{ i32, void ()*, i8* } { i32 1, void ()* @setup, i8* null }]

define dso_local i32 @twice(i32 %x) {
  %r = shl i32 %x, 1
  ret i32 %r
}

define internal void @setup() {
  %1 = load %struct.node*, %struct.node** @head, align 8
  %2 = getelementptr inbounds %struct.node, %struct.node* %1, i32 0, i32 1
  %3 = bitcast %struct.node** %2 to i64*
  %4 = load atomic i64, i64* %3 acquire, align 8
  %5 = inttoptr i64 %4 to %struct.node*
  store %struct.node* %5, %struct.node** @head, align 8
  %6 = cmpxchg i64* %3, i64 0, i64 1 seq_cst seq_cst, align 8
  %7 = call i32 (i8*, i32, ...) bitcast (i32 (i32)* @twice to i32 (i8*, i32, ...)*)(i8* bitcast (%struct.node** @head to i8*), i32 2, i32 3)
  %8 = load i32 (i32)*, i32 (i32)** getelementptr inbounds ({ i32 (i32)*, i32 (i32, ...)** }, { i32 (i32)*, i32 (i32, ...)** }* @callbacks, i32 0, i32 0)
  %9 = call i32 %8(i32 4)
  call void @take(%struct.node* byval(%struct.node) align 8 %5)
  ret void
}

declare void @take(%struct.node* byval(%struct.node) align 8)

define void ()* @get() {
  ret void ()* @setup
}
