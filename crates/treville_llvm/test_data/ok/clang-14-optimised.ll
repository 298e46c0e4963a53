; ModuleID = 'queue.c'
source_filename = "queue.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.node = type { i32, %struct.node* }

@top = internal global %struct.node* null, align 8, !dbg !0
@pushes = internal thread_local unnamed_addr global i32 0, align 4, !dbg !16

; Function Attrs: nofree nounwind uwtable
define dso_local i32 @main() local_unnamed_addr #0 !dbg !31 {
  call void @llvm.dbg.value(metadata i32 0, metadata !35, metadata !DIExpression()), !dbg !37
  call void @llvm.dbg.value(metadata i32 0, metadata !35, metadata !DIExpression()), !dbg !37
  call void @llvm.dbg.value(metadata i32 0, metadata !38, metadata !DIExpression()) #3, !dbg !45
  %1 = tail call noalias dereferenceable_or_null(16) i8* @malloc(i64 noundef 16) #3, !dbg !48
  %2 = bitcast i8* %1 to %struct.node*, !dbg !48
  call void @llvm.dbg.value(metadata %struct.node* %2, metadata !43, metadata !DIExpression()) #3, !dbg !45
  %3 = getelementptr inbounds %struct.node, %struct.node* %2, i64 0, i32 0, !dbg !49
  store i32 0, i32* %3, align 8, !dbg !50, !tbaa !51
  %4 = load atomic i64, i64* bitcast (%struct.node** @top to i64*) monotonic, align 8, !dbg !56
  call void @llvm.dbg.value(metadata i64 %4, metadata !44, metadata !DIExpression()) #3, !dbg !45
  %5 = getelementptr inbounds %struct.node, %struct.node* %2, i64 0, i32 1
  %6 = bitcast %struct.node** %5 to i64*
  %7 = ptrtoint i8* %1 to i64
  br label %8, !dbg !57

8:                                                ; preds = %8, %0
  %9 = phi i64 [ %4, %0 ], [ %12, %8 ]
  call void @llvm.dbg.value(metadata i64 %9, metadata !44, metadata !DIExpression()) #3, !dbg !45
  store atomic i64 %9, i64* %6 monotonic, align 8, !dbg !58
  %10 = cmpxchg weak i64* bitcast (%struct.node** @top to i64*), i64 %9, i64 %7 release monotonic, align 8, !dbg !59
  %11 = extractvalue { i64, i1 } %10, 1, !dbg !59
  %12 = extractvalue { i64, i1 } %10, 0, !dbg !59
  call void @llvm.dbg.value(metadata %struct.node* undef, metadata !44, metadata !DIExpression()) #3, !dbg !45
  br i1 %11, label %13, label %8, !dbg !58, !llvm.loop !60

13:                                               ; preds = %8
  %14 = load i32, i32* @pushes, align 4, !dbg !63, !tbaa !64
  %15 = add i32 %14, 1, !dbg !63
  store i32 %15, i32* @pushes, align 4, !dbg !63, !tbaa !64
  call void @llvm.dbg.value(metadata i32 1, metadata !35, metadata !DIExpression()), !dbg !37
  call void @llvm.dbg.value(metadata i32 1, metadata !35, metadata !DIExpression()), !dbg !37
  call void @llvm.dbg.value(metadata i32 1, metadata !38, metadata !DIExpression()) #3, !dbg !45
  %16 = tail call noalias dereferenceable_or_null(16) i8* @malloc(i64 noundef 16) #3, !dbg !48
  %17 = bitcast i8* %16 to %struct.node*, !dbg !48
  call void @llvm.dbg.value(metadata %struct.node* %17, metadata !43, metadata !DIExpression()) #3, !dbg !45
  %18 = getelementptr inbounds %struct.node, %struct.node* %17, i64 0, i32 0, !dbg !49
  store i32 1, i32* %18, align 8, !dbg !50, !tbaa !51
  %19 = load atomic i64, i64* bitcast (%struct.node** @top to i64*) monotonic, align 8, !dbg !56
  call void @llvm.dbg.value(metadata i64 %19, metadata !44, metadata !DIExpression()) #3, !dbg !45
  %20 = getelementptr inbounds %struct.node, %struct.node* %17, i64 0, i32 1
  %21 = bitcast %struct.node** %20 to i64*
  %22 = ptrtoint i8* %16 to i64
  br label %23, !dbg !57

23:                                               ; preds = %23, %13
  %24 = phi i64 [ %19, %13 ], [ %27, %23 ]
  call void @llvm.dbg.value(metadata i64 %24, metadata !44, metadata !DIExpression()) #3, !dbg !45
  store atomic i64 %24, i64* %21 monotonic, align 8, !dbg !58
  %25 = cmpxchg weak i64* bitcast (%struct.node** @top to i64*), i64 %24, i64 %22 release monotonic, align 8, !dbg !59
  %26 = extractvalue { i64, i1 } %25, 1, !dbg !59
  %27 = extractvalue { i64, i1 } %25, 0, !dbg !59
  call void @llvm.dbg.value(metadata %struct.node* undef, metadata !44, metadata !DIExpression()) #3, !dbg !45
  br i1 %26, label %28, label %23, !dbg !58, !llvm.loop !60

28:                                               ; preds = %23
  %29 = load i32, i32* @pushes, align 4, !dbg !63, !tbaa !64
  %30 = add i32 %29, 1, !dbg !63
  store i32 %30, i32* @pushes, align 4, !dbg !63, !tbaa !64
  call void @llvm.dbg.value(metadata i32 2, metadata !35, metadata !DIExpression()), !dbg !37
  call void @llvm.dbg.value(metadata i32 2, metadata !35, metadata !DIExpression()), !dbg !37
  call void @llvm.dbg.value(metadata i32 2, metadata !38, metadata !DIExpression()) #3, !dbg !45
  %31 = tail call noalias dereferenceable_or_null(16) i8* @malloc(i64 noundef 16) #3, !dbg !48
  %32 = bitcast i8* %31 to %struct.node*, !dbg !48
  call void @llvm.dbg.value(metadata %struct.node* %32, metadata !43, metadata !DIExpression()) #3, !dbg !45
  %33 = getelementptr inbounds %struct.node, %struct.node* %32, i64 0, i32 0, !dbg !49
  store i32 2, i32* %33, align 8, !dbg !50, !tbaa !51
  %34 = load atomic i64, i64* bitcast (%struct.node** @top to i64*) monotonic, align 8, !dbg !56
  call void @llvm.dbg.value(metadata i64 %34, metadata !44, metadata !DIExpression()) #3, !dbg !45
  %35 = getelementptr inbounds %struct.node, %struct.node* %32, i64 0, i32 1
  %36 = bitcast %struct.node** %35 to i64*
  %37 = ptrtoint i8* %31 to i64
  br label %38, !dbg !57

38:                                               ; preds = %38, %28
  %39 = phi i64 [ %34, %28 ], [ %42, %38 ]
  call void @llvm.dbg.value(metadata i64 %39, metadata !44, metadata !DIExpression()) #3, !dbg !45
  store atomic i64 %39, i64* %36 monotonic, align 8, !dbg !58
  %40 = cmpxchg weak i64* bitcast (%struct.node** @top to i64*), i64 %39, i64 %37 release monotonic, align 8, !dbg !59
  %41 = extractvalue { i64, i1 } %40, 1, !dbg !59
  %42 = extractvalue { i64, i1 } %40, 0, !dbg !59
  call void @llvm.dbg.value(metadata %struct.node* undef, metadata !44, metadata !DIExpression()) #3, !dbg !45
  br i1 %41, label %43, label %38, !dbg !58, !llvm.loop !60

43:                                               ; preds = %38
  %44 = load i32, i32* @pushes, align 4, !dbg !63, !tbaa !64
  %45 = add i32 %44, 1, !dbg !63
  store i32 %45, i32* @pushes, align 4, !dbg !63, !tbaa !64
  call void @llvm.dbg.value(metadata i32 3, metadata !35, metadata !DIExpression()), !dbg !37
  %46 = load atomic i64, i64* bitcast (%struct.node** @top to i64*) seq_cst, align 8, !dbg !65
  %47 = inttoptr i64 %46 to %struct.node*, !dbg !65
  %48 = getelementptr inbounds %struct.node, %struct.node* %47, i64 0, i32 0, !dbg !66
  %49 = load i32, i32* %48, align 8, !dbg !66, !tbaa !51
  ret i32 %49, !dbg !67
}

; Function Attrs: inaccessiblememonly mustprogress nofree nounwind willreturn
declare noalias noundef i8* @malloc(i64 noundef) local_unnamed_addr #1

; Function Attrs: nofree nosync nounwind readnone speculatable willreturn
declare void @llvm.dbg.value(metadata, metadata, metadata) #2

attributes #0 = { nofree nounwind uwtable "frame-pointer"="none" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { inaccessiblememonly mustprogress nofree nounwind willreturn "frame-pointer"="none" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #2 = { nofree nosync nounwind readnone speculatable willreturn }
attributes #3 = { nounwind }

!llvm.dbg.cu = !{!2}
!llvm.module.flags = !{!25, !26, !27, !28, !29, !30}

!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
!1 = distinct !DIGlobalVariable(name: "top", scope: !2, file: !3, line: 9, type: !18, isLocal: true, isDefinition: true)
!2 = distinct !DICompileUnit(language: DW_LANG_C99, file: !3, isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug, enums: !4, globals: !15, splitDebugInlining: false, nameTableKind: None)
!3 = !DIFile(filename: "queue.c", directory: "/src", checksumkind: CSK_MD5, checksum: "13c90b4789267ce297ec826c61536621")
!4 = !{!5}
!5 = !DICompositeType(tag: DW_TAG_enumeration_type, name: "memory_order", file: !6, line: 56, baseType: !7, size: 32, elements: !8)
!6 = !DIFile(filename: "/usr/include/clang/stdatomic.h", directory: "", checksumkind: CSK_MD5, checksum: "de5d66a1ef2f5448cc1919ff39db92bc")
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
!28 = !{i32 7, !"PIC Level", i32 2}
!29 = !{i32 7, !"PIE Level", i32 2}
!30 = !{i32 7, !"uwtable", i32 1}
!31 = distinct !DISubprogram(name: "main", scope: !3, file: !3, line: 23, type: !32, scopeLine: 24, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !2, retainedNodes: !34)
!32 = !DISubroutineType(types: !33)
!33 = !{!23}
!34 = !{!35}
!35 = !DILocalVariable(name: "i", scope: !36, file: !3, line: 25, type: !23)
!36 = distinct !DILexicalBlock(scope: !31, file: !3, line: 25, column: 2)
!37 = !DILocation(line: 0, scope: !36)
!38 = !DILocalVariable(name: "value", arg: 1, scope: !39, file: !3, line: 12, type: !23)
!39 = distinct !DISubprogram(name: "push", scope: !3, file: !3, line: 12, type: !40, scopeLine: 13, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition | DISPFlagOptimized, unit: !2, retainedNodes: !42)
!40 = !DISubroutineType(types: !41)
!41 = !{null, !23}
!42 = !{!38, !43, !44}
!43 = !DILocalVariable(name: "node", scope: !39, file: !3, line: 14, type: !19)
!44 = !DILocalVariable(name: "old", scope: !39, file: !3, line: 16, type: !19)
!45 = !DILocation(line: 0, scope: !39, inlinedAt: !46)
!46 = distinct !DILocation(line: 26, column: 3, scope: !47)
!47 = distinct !DILexicalBlock(scope: !36, file: !3, line: 25, column: 2)
!48 = !DILocation(line: 14, column: 22, scope: !39, inlinedAt: !46)
!49 = !DILocation(line: 15, column: 8, scope: !39, inlinedAt: !46)
!50 = !DILocation(line: 15, column: 14, scope: !39, inlinedAt: !46)
!51 = !{!52, !53, i64 0}
!52 = !{!"node", !53, i64 0, !54, i64 8}
!53 = !{!"int", !54, i64 0}
!54 = !{!"omnipotent char", !55, i64 0}
!55 = !{!"Simple C/C++ TBAA"}
!56 = !DILocation(line: 16, column: 21, scope: !39, inlinedAt: !46)
!57 = !DILocation(line: 17, column: 2, scope: !39, inlinedAt: !46)
!58 = !DILocation(line: 18, column: 3, scope: !39, inlinedAt: !46)
!59 = !DILocation(line: 19, column: 10, scope: !39, inlinedAt: !46)
!60 = distinct !{!60, !57, !61, !62}
!61 = !DILocation(line: 19, column: 109, scope: !39, inlinedAt: !46)
!62 = !{!"llvm.loop.mustprogress"}
!63 = !DILocation(line: 20, column: 8, scope: !39, inlinedAt: !46)
!64 = !{!53, !53, i64 0}
!65 = !DILocation(line: 27, column: 9, scope: !31)
!66 = !DILocation(line: 27, column: 28, scope: !31)
!67 = !DILocation(line: 27, column: 2, scope: !31)
