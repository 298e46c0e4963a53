define void @a() {
  oops
}

@x = glob i32 0

declare void @b(what)

define void @c() {
  br label %d
}

!0 = !DILocation(line: 1

@y = global i32 0
