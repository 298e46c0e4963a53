define void @f(i1 %c) {
  br i1 %c, label %yes, label %no
yes:
  ret void
}
