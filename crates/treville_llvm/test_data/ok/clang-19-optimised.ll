; ModuleID = 'queue.c'
source_filename = "queue.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@top = internal global ptr null, align 8, !dbg !0
@pushes = internal thread_local unnamed_addr global i32 0, align 4, !dbg !16

; Function Attrs: nofree nounwind memory(readwrite, argmem: read) uwtable
define dso_local i32 @main() local_unnamed_addr #0 !dbg !32 {
    #dbg_value(i32 0, !36, !DIExpression(), !38)
  %1 = tail call align 4 ptr @llvm.threadlocal.address.p0(ptr align 4 @pushes)
    #dbg_value(i32 0, !36, !DIExpression(), !38)
    #dbg_value(i32 0, !36, !DIExpression(), !38)
    #dbg_value(i32 0, !39, !DIExpression(), !46)
  %2 = tail call noalias dereferenceable_or_null(16) ptr @malloc(i64 noundef 16) #3, !dbg !49
    #dbg_value(ptr %2, !44, !DIExpression(), !46)
  store i32 0, ptr %2, align 8, !dbg !50, !tbaa !51
  %3 = load atomic i64, ptr @top monotonic, align 8, !dbg !56
    #dbg_value(i64 %3, !45, !DIExpression(), !46)
  %4 = getelementptr inbounds i8, ptr %2, i64 8
  %5 = ptrtoint ptr %2 to i64
  br label %6, !dbg !57

6:                                                ; preds = %6, %0
  %7 = phi i64 [ %3, %0 ], [ %10, %6 ]
    #dbg_value(i64 %7, !45, !DIExpression(), !46)
  store atomic i64 %7, ptr %4 monotonic, align 8, !dbg !58
  %8 = cmpxchg weak ptr @top, i64 %7, i64 %5 release monotonic, align 8, !dbg !59
  %9 = extractvalue { i64, i1 } %8, 1, !dbg !59
  %10 = extractvalue { i64, i1 } %8, 0, !dbg !59
    #dbg_value(ptr poison, !45, !DIExpression(), !46)
  br i1 %9, label %11, label %6, !dbg !58, !llvm.loop !60

11:                                               ; preds = %6
  %12 = load i32, ptr %1, align 4, !dbg !63, !tbaa !64
  %13 = add i32 %12, 1, !dbg !63
  store i32 %13, ptr %1, align 4, !dbg !63, !tbaa !64
    #dbg_value(i32 1, !36, !DIExpression(), !38)
    #dbg_value(i32 1, !39, !DIExpression(), !46)
  %14 = tail call noalias dereferenceable_or_null(16) ptr @malloc(i64 noundef 16) #3, !dbg !49
    #dbg_value(ptr %14, !44, !DIExpression(), !46)
  store i32 1, ptr %14, align 8, !dbg !50, !tbaa !51
  %15 = load atomic i64, ptr @top monotonic, align 8, !dbg !56
    #dbg_value(i64 %15, !45, !DIExpression(), !46)
  %16 = getelementptr inbounds i8, ptr %14, i64 8
  %17 = ptrtoint ptr %14 to i64
  br label %18, !dbg !57

18:                                               ; preds = %18, %11
  %19 = phi i64 [ %15, %11 ], [ %22, %18 ]
    #dbg_value(i64 %19, !45, !DIExpression(), !46)
  store atomic i64 %19, ptr %16 monotonic, align 8, !dbg !58
  %20 = cmpxchg weak ptr @top, i64 %19, i64 %17 release monotonic, align 8, !dbg !59
  %21 = extractvalue { i64, i1 } %20, 1, !dbg !59
  %22 = extractvalue { i64, i1 } %20, 0, !dbg !59
    #dbg_value(ptr poison, !45, !DIExpression(), !46)
  br i1 %21, label %23, label %18, !dbg !58, !llvm.loop !60

23:                                               ; preds = %18
  %24 = load i32, ptr %1, align 4, !dbg !63, !tbaa !64
  %25 = add i32 %24, 1, !dbg !63
  store i32 %25, ptr %1, align 4, !dbg !63, !tbaa !64
    #dbg_value(i32 2, !36, !DIExpression(), !38)
    #dbg_value(i32 2, !39, !DIExpression(), !46)
  %26 = tail call noalias dereferenceable_or_null(16) ptr @malloc(i64 noundef 16) #3, !dbg !49
    #dbg_value(ptr %26, !44, !DIExpression(), !46)
  store i32 2, ptr %26, align 8, !dbg !50, !tbaa !51
  %27 = load atomic i64, ptr @top monotonic, align 8, !dbg !56
    #dbg_value(i64 %27, !45, !DIExpression(), !46)
  %28 = getelementptr inbounds i8, ptr %26, i64 8
  %29 = ptrtoint ptr %26 to i64
  br label %30, !dbg !57

30:                                               ; preds = %30, %23
  %31 = phi i64 [ %27, %23 ], [ %34, %30 ]
    #dbg_value(i64 %31, !45, !DIExpression(), !46)
  store atomic i64 %31, ptr %28 monotonic, align 8, !dbg !58
  %32 = cmpxchg weak ptr @top, i64 %31, i64 %29 release monotonic, align 8, !dbg !59
  %33 = extractvalue { i64, i1 } %32, 1, !dbg !59
  %34 = extractvalue { i64, i1 } %32, 0, !dbg !59
    #dbg_value(ptr poison, !45, !DIExpression(), !46)
  br i1 %33, label %35, label %30, !dbg !58, !llvm.loop !60

35:                                               ; preds = %30
  %36 = load i32, ptr %1, align 4, !dbg !63, !tbaa !64
  %37 = add i32 %36, 1, !dbg !63
  store i32 %37, ptr %1, align 4, !dbg !63, !tbaa !64
    #dbg_value(i32 3, !36, !DIExpression(), !38)
  %38 = load atomic i64, ptr @top seq_cst, align 8, !dbg !65
  %39 = inttoptr i64 %38 to ptr, !dbg !65
  %40 = load i32, ptr %39, align 8, !dbg !66, !tbaa !51
  ret i32 %40, !dbg !67
}

; Function Attrs: mustprogress nofree nounwind willreturn allockind("alloc,uninitialized") allocsize(0) memory(inaccessiblemem: readwrite)
declare !dbg !68 noalias noundef ptr @malloc(i64 noundef) local_unnamed_addr #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare nonnull ptr @llvm.threadlocal.address.p0(ptr nonnull) #2

attributes #0 = { nofree nounwind memory(readwrite, argmem: read) uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { mustprogress nofree nounwind willreturn allockind("alloc,uninitialized") allocsize(0) memory(inaccessiblemem: readwrite) "alloc-family"="malloc" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #2 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { nounwind allocsize(0) }

!llvm.dbg.cu = !{!2}
!llvm.module.flags = !{!25, !26, !27, !28, !29, !30, !31}

!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
!1 = distinct !DIGlobalVariable(name: "top", scope: !2, file: !3, line: 9, type: !18, isLocal: true, isDefinition: true)
!2 = distinct !DICompileUnit(language: DW_LANG_C11, file: !3, isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug, enums: !4, globals: !15, splitDebugInlining: false, nameTableKind: None)
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
!31 = !{i32 7, !"debug-info-assignment-tracking", i1 true}
!32 = distinct !DISubprogram(name: "main", scope: !3, file: !3, line: 23, type: !33, scopeLine: 24, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !2, retainedNodes: !35)
!33 = !DISubroutineType(types: !34)
!34 = !{!23}
!35 = !{!36}
!36 = !DILocalVariable(name: "i", scope: !37, file: !3, line: 25, type: !23)
!37 = distinct !DILexicalBlock(scope: !32, file: !3, line: 25, column: 2)
!38 = !DILocation(line: 0, scope: !37)
!39 = !DILocalVariable(name: "value", arg: 1, scope: !40, file: !3, line: 12, type: !23)
!40 = distinct !DISubprogram(name: "push", scope: !3, file: !3, line: 12, type: !41, scopeLine: 13, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition | DISPFlagOptimized, unit: !2, retainedNodes: !43)
!41 = !DISubroutineType(types: !42)
!42 = !{null, !23}
!43 = !{!39, !44, !45}
!44 = !DILocalVariable(name: "node", scope: !40, file: !3, line: 14, type: !19)
!45 = !DILocalVariable(name: "old", scope: !40, file: !3, line: 16, type: !19)
!46 = !DILocation(line: 0, scope: !40, inlinedAt: !47)
!47 = distinct !DILocation(line: 26, column: 3, scope: !48)
!48 = distinct !DILexicalBlock(scope: !37, file: !3, line: 25, column: 2)
!49 = !DILocation(line: 14, column: 22, scope: !40, inlinedAt: !47)
!50 = !DILocation(line: 15, column: 14, scope: !40, inlinedAt: !47)
!51 = !{!52, !53, i64 0}
!52 = !{!"node", !53, i64 0, !54, i64 8}
!53 = !{!"int", !54, i64 0}
!54 = !{!"omnipotent char", !55, i64 0}
!55 = !{!"Simple C/C++ TBAA"}
!56 = !DILocation(line: 16, column: 21, scope: !40, inlinedAt: !47)
!57 = !DILocation(line: 17, column: 2, scope: !40, inlinedAt: !47)
!58 = !DILocation(line: 18, column: 3, scope: !40, inlinedAt: !47)
!59 = !DILocation(line: 19, column: 10, scope: !40, inlinedAt: !47)
!60 = distinct !{!60, !57, !61, !62}
!61 = !DILocation(line: 19, column: 109, scope: !40, inlinedAt: !47)
!62 = !{!"llvm.loop.mustprogress"}
!63 = !DILocation(line: 20, column: 8, scope: !40, inlinedAt: !47)
!64 = !{!53, !53, i64 0}
!65 = !DILocation(line: 27, column: 9, scope: !32)
!66 = !DILocation(line: 27, column: 28, scope: !32)
!67 = !DILocation(line: 27, column: 2, scope: !32)
!68 = !DISubprogram(name: "malloc", scope: !69, file: !69, line: 553, type: !70, flags: DIFlagPrototyped, spFlags: DISPFlagOptimized)
!69 = !DIFile(filename: "/usr/include/stdlib.h", directory: "", checksumkind: CSK_MD5, checksum: "4b47dc81a92f1fe77a152c0aac236718")
!70 = !DISubroutineType(types: !71)
!71 = !{!72, !73}
!72 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: null, size: 64)
!73 = !DIDerivedType(tag: DW_TAG_typedef, name: "size_t", file: !74, line: 18, baseType: !75)
!74 = !DIFile(filename: "/usr/include/clang/__stddef_size_t.h", directory: "", checksumkind: CSK_MD5, checksum: "2c44e821a2b1951cde2eb0fb2e656867")
!75 = !DIBasicType(name: "unsigned long", size: 64, encoding: DW_ATE_unsigned)
