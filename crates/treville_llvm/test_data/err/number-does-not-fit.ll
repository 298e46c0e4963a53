@a = global i8 255
@b = global i8 256
@c = global i8 -128
@d = global i8 -129
@e = global i1 2
@f = global ptr 7
@g = global float 5
