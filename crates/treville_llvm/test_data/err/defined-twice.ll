define i32 @f(i32 %x) {
  %x = add i32 1, 2
  ret i32 %x
}

@g = global i32 0
@g = global i32 1

!0 = !{}
!0 = !{}

%s = type { i32 }
%s = type { i64 }
