; ModuleID = 'queue.c'
source_filename = "queue.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.node = type { i32, ptr }

@top = internal global ptr null, align 8, !dbg !0
@pushes = internal thread_local global i32 0, align 4, !dbg !16

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @main() #0 !dbg !32 {
entry:
  %retval = alloca i32, align 4
  %i = alloca i32, align 4
  %atomic-temp = alloca ptr, align 8
  store i32 0, ptr %retval, align 4
    #dbg_declare(ptr %i, !36, !DIExpression(), !38)
  store i32 0, ptr %i, align 4, !dbg !38
  br label %for.cond, !dbg !39

for.cond:                                         ; preds = %for.inc, %entry
  %0 = load i32, ptr %i, align 4, !dbg !40
  %cmp = icmp slt i32 %0, 3, !dbg !42
  br i1 %cmp, label %for.body, label %for.end, !dbg !43

for.body:                                         ; preds = %for.cond
  %1 = load i32, ptr %i, align 4, !dbg !44
  call void @push(i32 noundef %1), !dbg !45
  br label %for.inc, !dbg !45

for.inc:                                          ; preds = %for.body
  %2 = load i32, ptr %i, align 4, !dbg !46
  %inc = add nsw i32 %2, 1, !dbg !46
  store i32 %inc, ptr %i, align 4, !dbg !46
  br label %for.cond, !dbg !47, !llvm.loop !48

for.end:                                          ; preds = %for.cond
  %3 = load atomic i64, ptr @top seq_cst, align 8, !dbg !51
  store i64 %3, ptr %atomic-temp, align 8, !dbg !51
  %4 = load ptr, ptr %atomic-temp, align 8, !dbg !51
  %value = getelementptr inbounds %struct.node, ptr %4, i32 0, i32 0, !dbg !52
  %5 = load i32, ptr %value, align 8, !dbg !52
  ret i32 %5, !dbg !53
}

; Function Attrs: noinline nounwind uwtable
define internal void @push(i32 noundef %value) #0 !dbg !54 {
entry:
  %value.addr = alloca i32, align 4
  %node = alloca ptr, align 8
  %old = alloca ptr, align 8
  %atomic-temp = alloca ptr, align 8
  %.atomictmp = alloca ptr, align 8
  %.atomictmp2 = alloca ptr, align 8
  %cmpxchg.bool = alloca i8, align 1
  store i32 %value, ptr %value.addr, align 4
    #dbg_declare(ptr %value.addr, !57, !DIExpression(), !58)
    #dbg_declare(ptr %node, !59, !DIExpression(), !60)
  %call = call noalias ptr @malloc(i64 noundef 16) #3, !dbg !61
  store ptr %call, ptr %node, align 8, !dbg !60
  %0 = load i32, ptr %value.addr, align 4, !dbg !62
  %1 = load ptr, ptr %node, align 8, !dbg !63
  %value1 = getelementptr inbounds %struct.node, ptr %1, i32 0, i32 0, !dbg !64
  store i32 %0, ptr %value1, align 8, !dbg !65
    #dbg_declare(ptr %old, !66, !DIExpression(), !67)
  %2 = load atomic i64, ptr @top monotonic, align 8, !dbg !68
  store i64 %2, ptr %atomic-temp, align 8, !dbg !68
  %3 = load ptr, ptr %atomic-temp, align 8, !dbg !68
  store ptr %3, ptr %old, align 8, !dbg !67
  br label %do.body, !dbg !69

do.body:                                          ; preds = %cmpxchg.continue, %entry
  %4 = load ptr, ptr %node, align 8, !dbg !70
  %next = getelementptr inbounds %struct.node, ptr %4, i32 0, i32 1, !dbg !71
  %5 = load ptr, ptr %old, align 8, !dbg !72
  store ptr %5, ptr %.atomictmp, align 8, !dbg !73
  %6 = load i64, ptr %.atomictmp, align 8, !dbg !73
  store atomic i64 %6, ptr %next monotonic, align 8, !dbg !73
  br label %do.cond, !dbg !73

do.cond:                                          ; preds = %do.body
  %7 = load ptr, ptr %node, align 8, !dbg !74
  store ptr %7, ptr %.atomictmp2, align 8, !dbg !75
  %8 = load i64, ptr %old, align 8, !dbg !75
  %9 = load i64, ptr %.atomictmp2, align 8, !dbg !75
  %10 = cmpxchg weak ptr @top, i64 %8, i64 %9 release monotonic, align 8, !dbg !75
  %11 = extractvalue { i64, i1 } %10, 0, !dbg !75
  %12 = extractvalue { i64, i1 } %10, 1, !dbg !75
  br i1 %12, label %cmpxchg.continue, label %cmpxchg.store_expected, !dbg !75

cmpxchg.store_expected:                           ; preds = %do.cond
  store i64 %11, ptr %old, align 8, !dbg !75
  br label %cmpxchg.continue, !dbg !75

cmpxchg.continue:                                 ; preds = %cmpxchg.store_expected, %do.cond
  %storedv = zext i1 %12 to i8, !dbg !75
  store i8 %storedv, ptr %cmpxchg.bool, align 1, !dbg !75
  %13 = load i8, ptr %cmpxchg.bool, align 1, !dbg !75
  %loadedv = trunc i8 %13 to i1, !dbg !75
  %lnot = xor i1 %loadedv, true, !dbg !76
  br i1 %lnot, label %do.body, label %do.end, !dbg !73, !llvm.loop !77

do.end:                                           ; preds = %cmpxchg.continue
  %14 = call align 4 ptr @llvm.threadlocal.address.p0(ptr align 4 @pushes), !dbg !79
  %15 = load i32, ptr %14, align 4, !dbg !80
  %inc = add i32 %15, 1, !dbg !80
  store i32 %inc, ptr %14, align 4, !dbg !80
  ret void, !dbg !81
}

; Function Attrs: nounwind allocsize(0)
declare noalias ptr @malloc(i64 noundef) #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare nonnull ptr @llvm.threadlocal.address.p0(ptr nonnull) #2

attributes #0 = { noinline nounwind uwtable "frame-pointer"="all" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { nounwind allocsize(0) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #2 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { nounwind allocsize(0) }

!llvm.dbg.cu = !{!2}
!llvm.module.flags = !{!25, !26, !27, !28, !29, !30, !31}

!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
!1 = distinct !DIGlobalVariable(name: "top", scope: !2, file: !3, line: 9, type: !18, isLocal: true, isDefinition: true)
!2 = distinct !DICompileUnit(language: DW_LANG_C11, file: !3, isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug, enums: !4, globals: !15, splitDebugInlining: false, nameTableKind: None)
!3 = !DIFile(filename: "queue.c", directory: "/src", checksumkind: CSK_MD5, checksum: "13c90b4789267ce297ec826c61536621")
!4 = !{!5}
!5 = !DICompositeType(tag: DW_TAG_enumeration_type, name: "memory_order", file: !6, line: 68, baseType: !7, size: 32, elements: !8)
!6 = !DIFile(filename: "/usr/include/clang/stdatomic.h", directory: "", checksumkind: CSK_MD5, checksum: "f17199a988fe91afffaf0f943ef87096")
!7 = !DIBasicType(name: "unsigned int", size: 32, encoding: DW_ATE_unsigned)
!8 = !{!9, !10, !11, !12, !13, !14}
!9 = !DIEnumerator(name: "memory_order_relaxed", value: 0)
!10 = !DIEnumerator(name: "memory_order_consume", value: 1)
!11 = !DIEnumerator(name: "memory_order_acquire", value: 2)
!12 = !DIEnumerator(name: "memory_order_release", value: 3)
!13 = !DIEnumerator(name: "memory_order_acq_rel", value: 4)
!14 = !DIEnumerator(name: "memory_order_seq_cst", value: 5)
!15 = !{!0, !16}
!16 = !DIGlobalVariableExpression(var: !17, expr: !DIExpression())
!17 = distinct !DIGlobalVariable(name: "pushes", scope: !2, file: !3, line: 10, type: !7, isLocal: true, isDefinition: true)
!18 = !DIDerivedType(tag: DW_TAG_atomic_type, baseType: !19)
!19 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !20, size: 64)
!20 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "node", file: !3, line: 4, size: 128, elements: !21)
!21 = !{!22, !24}
!22 = !DIDerivedType(tag: DW_TAG_member, name: "value", scope: !20, file: !3, line: 5, baseType: !23, size: 32)
!23 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!24 = !DIDerivedType(tag: DW_TAG_member, name: "next", scope: !20, file: !3, line: 6, baseType: !18, size: 64, offset: 64)
!25 = !{i32 7, !"Dwarf Version", i32 5}
!26 = !{i32 2, !"Debug Info Version", i32 3}
!27 = !{i32 1, !"wchar_size", i32 4}
!28 = !{i32 8, !"PIC Level", i32 2}
!29 = !{i32 7, !"PIE Level", i32 2}
!30 = !{i32 7, !"uwtable", i32 2}
!31 = !{i32 7, !"frame-pointer", i32 2}
!32 = distinct !DISubprogram(name: "main", scope: !3, file: !3, line: 23, type: !33, scopeLine: 24, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !2, retainedNodes: !35)
!33 = !DISubroutineType(types: !34)
!34 = !{!23}
!35 = !{}
!36 = !DILocalVariable(name: "i", scope: !37, file: !3, line: 25, type: !23)
!37 = distinct !DILexicalBlock(scope: !32, file: !3, line: 25, column: 2)
!38 = !DILocation(line: 25, column: 11, scope: !37)
!39 = !DILocation(line: 25, column: 7, scope: !37)
!40 = !DILocation(line: 25, column: 18, scope: !41)
!41 = distinct !DILexicalBlock(scope: !37, file: !3, line: 25, column: 2)
!42 = !DILocation(line: 25, column: 20, scope: !41)
!43 = !DILocation(line: 25, column: 2, scope: !37)
!44 = !DILocation(line: 26, column: 8, scope: !41)
!45 = !DILocation(line: 26, column: 3, scope: !41)
!46 = !DILocation(line: 25, column: 26, scope: !41)
!47 = !DILocation(line: 25, column: 2, scope: !41)
!48 = distinct !{!48, !43, !49, !50}
!49 = !DILocation(line: 26, column: 9, scope: !37)
!50 = !{!"llvm.loop.mustprogress"}
!51 = !DILocation(line: 27, column: 9, scope: !32)
!52 = !DILocation(line: 27, column: 28, scope: !32)
!53 = !DILocation(line: 27, column: 2, scope: !32)
!54 = distinct !DISubprogram(name: "push", scope: !3, file: !3, line: 12, type: !55, scopeLine: 13, flags: DIFlagPrototyped, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition, unit: !2, retainedNodes: !35)
!55 = !DISubroutineType(types: !56)
!56 = !{null, !23}
!57 = !DILocalVariable(name: "value", arg: 1, scope: !54, file: !3, line: 12, type: !23)
!58 = !DILocation(line: 12, column: 22, scope: !54)
!59 = !DILocalVariable(name: "node", scope: !54, file: !3, line: 14, type: !19)
!60 = !DILocation(line: 14, column: 15, scope: !54)
!61 = !DILocation(line: 14, column: 22, scope: !54)
!62 = !DILocation(line: 15, column: 16, scope: !54)
!63 = !DILocation(line: 15, column: 2, scope: !54)
!64 = !DILocation(line: 15, column: 8, scope: !54)
!65 = !DILocation(line: 15, column: 14, scope: !54)
!66 = !DILocalVariable(name: "old", scope: !54, file: !3, line: 16, type: !19)
!67 = !DILocation(line: 16, column: 15, scope: !54)
!68 = !DILocation(line: 16, column: 21, scope: !54)
!69 = !DILocation(line: 17, column: 2, scope: !54)
!70 = !DILocation(line: 18, column: 26, scope: !54)
!71 = !DILocation(line: 18, column: 32, scope: !54)
!72 = !DILocation(line: 18, column: 38, scope: !54)
!73 = !DILocation(line: 18, column: 3, scope: !54)
!74 = !DILocation(line: 19, column: 60, scope: !54)
!75 = !DILocation(line: 19, column: 10, scope: !54)
!76 = !DILocation(line: 19, column: 9, scope: !54)
!77 = distinct !{!77, !69, !78, !50}
!78 = !DILocation(line: 19, column: 109, scope: !54)
!79 = !DILocation(line: 20, column: 2, scope: !54)
!80 = !DILocation(line: 20, column: 8, scope: !54)
!81 = !DILocation(line: 21, column: 1, scope: !54)
