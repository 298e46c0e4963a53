; ModuleID = 'flag.e99b0f94eb63343f-cgu.0'
source_filename = "flag.e99b0f94eb63343f-cgu.0"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@_ZN4flag4FLAG17h16d89bbbd4791ecbE = global [4 x i8] zeroinitializer, align 4, !dbg !0

; Function Attrs: nofree norecurse nounwind nonlazybind memory(readwrite, argmem: none, inaccessiblemem: none, target_mem0: none, target_mem1: none) uwtable
define noundef zeroext i1 @wait(i32 noundef %limit) unnamed_addr #0 !dbg !36 {
start:
    #dbg_value(i32 %limit, !41, !DIExpression(), !44)
    #dbg_value(i32 0, !42, !DIExpression(), !45)
  br label %bb1, !dbg !46

bb1:                                              ; preds = %bb1, %start
  %tries.sroa.0.0 = phi i32 [ 0, %start ], [ %2, %bb1 ], !dbg !44
    #dbg_value(i32 %tries.sroa.0.0, !42, !DIExpression(), !45)
    #dbg_value(ptr @_ZN4flag4FLAG17h16d89bbbd4791ecbE, !47, !DIExpression(), !75)
    #dbg_value(i32 0, !71, !DIExpression(), !75)
    #dbg_value(i32 1, !72, !DIExpression(), !75)
    #dbg_value(i8 2, !73, !DIExpression(), !75)
    #dbg_value(i8 0, !74, !DIExpression(), !75)
    #dbg_value(ptr @_ZN4flag4FLAG17h16d89bbbd4791ecbE, !77, !DIExpression(), !90)
    #dbg_value(i32 0, !83, !DIExpression(), !90)
    #dbg_value(i32 1, !84, !DIExpression(), !90)
    #dbg_value(i8 2, !85, !DIExpression(), !90)
    #dbg_value(i8 0, !86, !DIExpression(), !90)
  %0 = cmpxchg ptr @_ZN4flag4FLAG17h16d89bbbd4791ecbE, i32 0, i32 1 acquire monotonic, align 4, !dbg !92
  %1 = extractvalue { i32, i1 } %0, 1, !dbg !92
  %2 = add i32 %tries.sroa.0.0, 1
    #dbg_value(i32 %2, !42, !DIExpression(), !45)
  %_6 = icmp ugt i32 %2, %limit
  %or.cond = select i1 %1, i1 true, i1 %_6, !dbg !93
  br i1 %or.cond, label %bb8, label %bb1, !dbg !93

bb8:                                              ; preds = %bb1
  ret i1 %1, !dbg !94
}

attributes #0 = { nofree norecurse nounwind nonlazybind memory(readwrite, argmem: none, inaccessiblemem: none, target_mem0: none, target_mem1: none) uwtable "probe-stack"="inline-asm" "target-cpu"="x86-64" }

!llvm.module.flags = !{!19, !20, !21, !22}
!llvm.ident = !{!23}
!llvm.dbg.cu = !{!24}

!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
!1 = distinct !DIGlobalVariable(name: "FLAG", linkageName: "_ZN4flag4FLAG17h16d89bbbd4791ecbE", scope: !2, file: !3, line: 3, type: !4, isLocal: false, isDefinition: true, align: 32)
!2 = !DINamespace(name: "flag", scope: null)
!3 = !DIFile(filename: "flag.rs", directory: "/src", checksumkind: CSK_MD5, checksum: "dfb0a0c70205d47f899c577be9f23ddd")
!4 = !DICompositeType(tag: DW_TAG_structure_type, name: "AtomicU32", scope: !6, file: !5, size: 32, align: 32, flags: DIFlagPublic, elements: !9, templateParams: !18, identifier: "c7c2c74a85904bd0c8528b4e15d5ce44")
!5 = !DIFile(filename: "<unknown>", directory: "")
!6 = !DINamespace(name: "atomic", scope: !7)
!7 = !DINamespace(name: "sync", scope: !8)
!8 = !DINamespace(name: "core", scope: null)
!9 = !{!10}
!10 = !DIDerivedType(tag: DW_TAG_member, name: "v", scope: !4, file: !5, baseType: !11, size: 32, align: 32, flags: DIFlagPrivate)
!11 = !DICompositeType(tag: DW_TAG_structure_type, name: "UnsafeCell<u32>", scope: !12, file: !5, size: 32, align: 32, flags: DIFlagPublic, elements: !13, templateParams: !16, identifier: "276fcd5afdff990e3d83fbd36936145c")
!12 = !DINamespace(name: "cell", scope: !8)
!13 = !{!14}
!14 = !DIDerivedType(tag: DW_TAG_member, name: "value", scope: !11, file: !5, baseType: !15, size: 32, align: 32, flags: DIFlagPrivate)
!15 = !DIBasicType(name: "u32", size: 32, encoding: DW_ATE_unsigned)
!16 = !{!17}
!17 = !DITemplateTypeParameter(name: "T", type: !15)
!18 = !{}
!19 = !{i32 8, !"PIC Level", i32 2}
!20 = !{i32 2, !"RtLibUseGOT", i32 1}
!21 = !{i32 7, !"Dwarf Version", i32 4}
!22 = !{i32 2, !"Debug Info Version", i32 3}
!23 = !{!"rustc version 1.95.0 (59807616e 2026-04-14)"}
!24 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !25, producer: "clang LLVM (rustc version 1.95.0 (59807616e 2026-04-14))", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug, enums: !26, globals: !35, splitDebugInlining: false, nameTableKind: None)
!25 = !DIFile(filename: "flag.rs/@/flag.e99b0f94eb63343f-cgu.0", directory: "/src")
!26 = !{!27}
!27 = !DICompositeType(tag: DW_TAG_enumeration_type, name: "Ordering", scope: !6, file: !5, baseType: !28, size: 8, align: 8, flags: DIFlagEnumClass, elements: !29)
!28 = !DIBasicType(name: "u8", size: 8, encoding: DW_ATE_unsigned)
!29 = !{!30, !31, !32, !33, !34}
!30 = !DIEnumerator(name: "Relaxed", value: 0, isUnsigned: true)
!31 = !DIEnumerator(name: "Release", value: 1, isUnsigned: true)
!32 = !DIEnumerator(name: "Acquire", value: 2, isUnsigned: true)
!33 = !DIEnumerator(name: "AcqRel", value: 3, isUnsigned: true)
!34 = !DIEnumerator(name: "SeqCst", value: 4, isUnsigned: true)
!35 = !{!0}
!36 = distinct !DISubprogram(name: "wait", scope: !2, file: !3, line: 6, type: !37, scopeLine: 6, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !24, templateParams: !18, retainedNodes: !40)
!37 = !DISubroutineType(types: !38)
!38 = !{!39, !15}
!39 = !DIBasicType(name: "bool", size: 8, encoding: DW_ATE_boolean)
!40 = !{!41, !42}
!41 = !DILocalVariable(name: "limit", arg: 1, scope: !36, file: !3, line: 6, type: !15)
!42 = !DILocalVariable(name: "tries", scope: !43, file: !3, line: 7, type: !15, align: 32)
!43 = distinct !DILexicalBlock(scope: !36, file: !3, line: 7, column: 5)
!44 = !DILocation(line: 0, scope: !36)
!45 = !DILocation(line: 0, scope: !43)
!46 = !DILocation(line: 8, column: 5, scope: !43)
!47 = !DILocalVariable(name: "self", arg: 1, scope: !48, file: !49, line: 3033, type: !68)
!48 = distinct !DISubprogram(name: "compare_exchange", linkageName: "_RNvMs1b_NtNtCsgEmfK2I1SDS_4core4sync6atomicNtB6_9AtomicU3216compare_exchange", scope: !4, file: !49, line: 3033, type: !50, scopeLine: 3033, flags: DIFlagPrototyped, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition | DISPFlagOptimized, unit: !24, templateParams: !18, declaration: !69, retainedNodes: !70)
!49 = !DIFile(filename: "library/core/src/sync/atomic.rs", directory: "/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860", checksumkind: CSK_MD5, checksum: "efd884d336fd52cdd46abf1cb836765b")
!50 = !DISubroutineType(types: !51)
!51 = !{!52, !68, !15, !15, !27, !27}
!52 = !DICompositeType(tag: DW_TAG_structure_type, name: "Result<u32, u32>", scope: !53, file: !5, size: 64, align: 32, flags: DIFlagPublic, elements: !54, templateParams: !18, identifier: "8d089503111f4dbe9f42ce667232974b")
!53 = !DINamespace(name: "result", scope: !8)
!54 = !{!55}
!55 = !DICompositeType(tag: DW_TAG_variant_part, scope: !52, file: !5, size: 64, align: 32, elements: !56, templateParams: !18, identifier: "315241547373923611abd5cec3497dfb", discriminator: !67)
!56 = !{!57, !63}
!57 = !DIDerivedType(tag: DW_TAG_member, name: "Ok", scope: !55, file: !5, baseType: !58, size: 64, align: 32, extraData: i32 0)
!58 = !DICompositeType(tag: DW_TAG_structure_type, name: "Ok", scope: !52, file: !5, size: 64, align: 32, flags: DIFlagPublic, elements: !59, templateParams: !61, identifier: "f8c55f85d42c0f3788b2a95940d8c2e0")
!59 = !{!60}
!60 = !DIDerivedType(tag: DW_TAG_member, name: "__0", scope: !58, file: !5, baseType: !15, size: 32, align: 32, offset: 32, flags: DIFlagPublic)
!61 = !{!17, !62}
!62 = !DITemplateTypeParameter(name: "E", type: !15)
!63 = !DIDerivedType(tag: DW_TAG_member, name: "Err", scope: !55, file: !5, baseType: !64, size: 64, align: 32, extraData: i32 1)
!64 = !DICompositeType(tag: DW_TAG_structure_type, name: "Err", scope: !52, file: !5, size: 64, align: 32, flags: DIFlagPublic, elements: !65, templateParams: !61, identifier: "727085c661668e3d7a2869578a770c53")
!65 = !{!66}
!66 = !DIDerivedType(tag: DW_TAG_member, name: "__0", scope: !64, file: !5, baseType: !15, size: 32, align: 32, offset: 32, flags: DIFlagPublic)
!67 = !DIDerivedType(tag: DW_TAG_member, scope: !52, file: !5, baseType: !15, size: 32, align: 32, flags: DIFlagArtificial)
!68 = !DIDerivedType(tag: DW_TAG_pointer_type, name: "&core::sync::atomic::AtomicU32", baseType: !4, size: 64, align: 64, dwarfAddressSpace: 0)
!69 = !DISubprogram(name: "compare_exchange", linkageName: "_RNvMs1b_NtNtCsgEmfK2I1SDS_4core4sync6atomicNtB6_9AtomicU3216compare_exchange", scope: !4, file: !49, line: 3033, type: !50, scopeLine: 3033, flags: DIFlagPrototyped, spFlags: DISPFlagLocalToUnit | DISPFlagOptimized, templateParams: !18)
!70 = !{!47, !71, !72, !73, !74}
!71 = !DILocalVariable(name: "current", arg: 2, scope: !48, file: !49, line: 3034, type: !15)
!72 = !DILocalVariable(name: "new", arg: 3, scope: !48, file: !49, line: 3035, type: !15)
!73 = !DILocalVariable(name: "success", arg: 4, scope: !48, file: !49, line: 3036, type: !27)
!74 = !DILocalVariable(name: "failure", arg: 5, scope: !48, file: !49, line: 3037, type: !27)
!75 = !DILocation(line: 0, scope: !48, inlinedAt: !76)
!76 = distinct !DILocation(line: 8, column: 16, scope: !43)
!77 = !DILocalVariable(name: "dst", arg: 1, scope: !78, file: !49, line: 3956, type: !81)
!78 = distinct !DISubprogram(name: "atomic_compare_exchange<u32>", linkageName: "_ZN4core4sync6atomic23atomic_compare_exchange17h70c0a7d8b8eab45dE", scope: !6, file: !49, line: 3955, type: !79, scopeLine: 3955, flags: DIFlagPrototyped, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition | DISPFlagOptimized, unit: !24, templateParams: !16, retainedNodes: !82)
!79 = !DISubroutineType(types: !80)
!80 = !{!52, !81, !15, !15, !27, !27}
!81 = !DIDerivedType(tag: DW_TAG_pointer_type, name: "*mut u32", baseType: !15, size: 64, align: 64, dwarfAddressSpace: 0)
!82 = !{!77, !83, !84, !85, !86, !87, !89}
!83 = !DILocalVariable(name: "old", arg: 2, scope: !78, file: !49, line: 3957, type: !15)
!84 = !DILocalVariable(name: "new", arg: 3, scope: !78, file: !49, line: 3958, type: !15)
!85 = !DILocalVariable(name: "success", arg: 4, scope: !78, file: !49, line: 3959, type: !27)
!86 = !DILocalVariable(name: "failure", arg: 5, scope: !78, file: !49, line: 3960, type: !27)
!87 = !DILocalVariable(name: "val", scope: !88, file: !49, line: 3963, type: !15, align: 32)
!88 = distinct !DILexicalBlock(scope: !78, file: !49, line: 3963, column: 5)
!89 = !DILocalVariable(name: "ok", scope: !88, file: !49, line: 3963, type: !39, align: 8)
!90 = !DILocation(line: 0, scope: !78, inlinedAt: !91)
!91 = distinct !DILocation(line: 3039, column: 26, scope: !48, inlinedAt: !76)
!92 = !DILocation(line: 3975, column: 17, scope: !78, inlinedAt: !91)
!93 = !DILocation(line: 8, column: 11, scope: !43)
!94 = !DILocation(line: 15, column: 2, scope: !36)
