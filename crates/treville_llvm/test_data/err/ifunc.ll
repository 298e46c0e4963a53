@f = ifunc void (), ptr @g
