@a = global i256 0
@b = global <vscale x 4 x i32> zeroinitializer
@c = global x86_mmx zeroinitializer
@d = external global target("spirv.Image")
