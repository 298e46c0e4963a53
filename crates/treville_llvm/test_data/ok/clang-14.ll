; ModuleID = 'queue.c'
source_filename = "queue.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.node = type { i32, %struct.node* }

@top = internal global %struct.node* null, align 8, !dbg !0
@pushes = internal thread_local global i32 0, align 4, !dbg !16

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @main() #0 !dbg !32 {
entry:
  %retval = alloca i32, align 4
  %i = alloca i32, align 4
  %atomic-temp = alloca %struct.node*, align 8
  store i32 0, i32* %retval, align 4
  call void @llvm.dbg.declare(metadata i32* %i, metadata !36, metadata !DIExpression()), !dbg !38
  store i32 0, i32* %i, align 4, !dbg !38
  br label %for.cond, !dbg !39

for.cond:                                         ; preds = %for.inc, %entry
  %0 = load i32, i32* %i, align 4, !dbg !40
  %cmp = icmp slt i32 %0, 3, !dbg !42
  br i1 %cmp, label %for.body, label %for.end, !dbg !43

for.body:                                         ; preds = %for.cond
  %1 = load i32, i32* %i, align 4, !dbg !44
  call void @push(i32 noundef %1), !dbg !45
  br label %for.inc, !dbg !45

for.inc:                                          ; preds = %for.body
  %2 = load i32, i32* %i, align 4, !dbg !46
  %inc = add nsw i32 %2, 1, !dbg !46
  store i32 %inc, i32* %i, align 4, !dbg !46
  br label %for.cond, !dbg !47, !llvm.loop !48

for.end:                                          ; preds = %for.cond
  %3 = bitcast %struct.node** %atomic-temp to i64*, !dbg !51
  %4 = load atomic i64, i64* bitcast (%struct.node** @top to i64*) seq_cst, align 8, !dbg !51
  store i64 %4, i64* %3, align 8, !dbg !51
  %5 = bitcast i64* %3 to %struct.node**, !dbg !51
  %6 = load %struct.node*, %struct.node** %5, align 8, !dbg !51
  %value = getelementptr inbounds %struct.node, %struct.node* %6, i32 0, i32 0, !dbg !52
  %7 = load i32, i32* %value, align 8, !dbg !52
  ret i32 %7, !dbg !53
}

; Function Attrs: nofree nosync nounwind readnone speculatable willreturn
declare void @llvm.dbg.declare(metadata, metadata, metadata) #1

; Function Attrs: noinline nounwind uwtable
define internal void @push(i32 noundef %value) #0 !dbg !54 {
entry:
  %value.addr = alloca i32, align 4
  %node = alloca %struct.node*, align 8
  %old = alloca %struct.node*, align 8
  %atomic-temp = alloca %struct.node*, align 8
  %.atomictmp = alloca %struct.node*, align 8
  %.atomictmp2 = alloca %struct.node*, align 8
  %cmpxchg.bool = alloca i8, align 1
  store i32 %value, i32* %value.addr, align 4
  call void @llvm.dbg.declare(metadata i32* %value.addr, metadata !57, metadata !DIExpression()), !dbg !58
  call void @llvm.dbg.declare(metadata %struct.node** %node, metadata !59, metadata !DIExpression()), !dbg !60
  %call = call noalias i8* @malloc(i64 noundef 16) #3, !dbg !61
  %0 = bitcast i8* %call to %struct.node*, !dbg !61
  store %struct.node* %0, %struct.node** %node, align 8, !dbg !60
  %1 = load i32, i32* %value.addr, align 4, !dbg !62
  %2 = load %struct.node*, %struct.node** %node, align 8, !dbg !63
  %value1 = getelementptr inbounds %struct.node, %struct.node* %2, i32 0, i32 0, !dbg !64
  store i32 %1, i32* %value1, align 8, !dbg !65
  call void @llvm.dbg.declare(metadata %struct.node** %old, metadata !66, metadata !DIExpression()), !dbg !67
  %3 = bitcast %struct.node** %atomic-temp to i64*, !dbg !68
  %4 = load atomic i64, i64* bitcast (%struct.node** @top to i64*) monotonic, align 8, !dbg !68
  store i64 %4, i64* %3, align 8, !dbg !68
  %5 = bitcast i64* %3 to %struct.node**, !dbg !68
  %6 = load %struct.node*, %struct.node** %5, align 8, !dbg !68
  store %struct.node* %6, %struct.node** %old, align 8, !dbg !67
  br label %do.body, !dbg !69

do.body:                                          ; preds = %cmpxchg.continue, %entry
  %7 = load %struct.node*, %struct.node** %node, align 8, !dbg !70
  %next = getelementptr inbounds %struct.node, %struct.node* %7, i32 0, i32 1, !dbg !71
  %8 = load %struct.node*, %struct.node** %old, align 8, !dbg !72
  store %struct.node* %8, %struct.node** %.atomictmp, align 8, !dbg !73
  %9 = bitcast %struct.node** %next to i64*, !dbg !73
  %10 = bitcast %struct.node** %.atomictmp to i64*, !dbg !73
  %11 = load i64, i64* %10, align 8, !dbg !73
  store atomic i64 %11, i64* %9 monotonic, align 8, !dbg !73
  br label %do.cond, !dbg !73

do.cond:                                          ; preds = %do.body
  %12 = load %struct.node*, %struct.node** %node, align 8, !dbg !74
  store %struct.node* %12, %struct.node** %.atomictmp2, align 8, !dbg !75
  %13 = bitcast %struct.node** %old to i64*, !dbg !75
  %14 = bitcast %struct.node** %.atomictmp2 to i64*, !dbg !75
  %15 = load i64, i64* %13, align 8, !dbg !75
  %16 = load i64, i64* %14, align 8, !dbg !75
  %17 = cmpxchg weak i64* bitcast (%struct.node** @top to i64*), i64 %15, i64 %16 release monotonic, align 8, !dbg !75
  %18 = extractvalue { i64, i1 } %17, 0, !dbg !75
  %19 = extractvalue { i64, i1 } %17, 1, !dbg !75
  br i1 %19, label %cmpxchg.continue, label %cmpxchg.store_expected, !dbg !75

cmpxchg.store_expected:                           ; preds = %do.cond
  store i64 %18, i64* %13, align 8, !dbg !75
  br label %cmpxchg.continue, !dbg !75

cmpxchg.continue:                                 ; preds = %cmpxchg.store_expected, %do.cond
  %frombool = zext i1 %19 to i8, !dbg !75
  store i8 %frombool, i8* %cmpxchg.bool, align 1, !dbg !75
  %20 = load i8, i8* %cmpxchg.bool, align 1, !dbg !75
  %tobool = trunc i8 %20 to i1, !dbg !75
  %lnot = xor i1 %tobool, true, !dbg !76
  br i1 %lnot, label %do.body, label %do.end, !dbg !73, !llvm.loop !77

do.end:                                           ; preds = %cmpxchg.continue
  %21 = load i32, i32* @pushes, align 4, !dbg !79
  %inc = add i32 %21, 1, !dbg !79
  store i32 %inc, i32* @pushes, align 4, !dbg !79
  ret void, !dbg !80
}

; Function Attrs: nounwind
declare noalias i8* @malloc(i64 noundef) #2

attributes #0 = { noinline nounwind uwtable "frame-pointer"="all" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { nofree nosync nounwind readnone speculatable willreturn }
attributes #2 = { nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #3 = { nounwind }

!llvm.dbg.cu = !{!2}
!llvm.module.flags = !{!25, !26, !27, !28, !29, !30, !31}

!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
!1 = distinct !DIGlobalVariable(name: "top", scope: !2, file: !3, line: 9, type: !18, isLocal: true, isDefinition: true)
!2 = distinct !DICompileUnit(language: DW_LANG_C99, file: !3, isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug, enums: !4, globals: !15, splitDebugInlining: false, nameTableKind: None)
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
!79 = !DILocation(line: 20, column: 8, scope: !54)
!80 = !DILocation(line: 21, column: 1, scope: !54)
