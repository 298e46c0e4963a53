; What is known of the source, in the old form and in the new one.
@counter = global i32 0, !dbg !0

define i32 @old(i32 %x) !dbg !10 {
entry:
  %y = alloca %struct.point, align 4
  call void @llvm.dbg.value(metadata i32 %x, metadata !20, metadata !DIExpression()), !dbg !30
  call void @llvm.dbg.declare(metadata ptr %y, metadata !21, metadata !DIExpression()), !dbg !31
  call void @llvm.dbg.label(metadata !40), !dbg !31
  call void @llvm.dbg.value(metadata !DIArgList(i32 %x, i32 1), metadata !20, metadata !DIExpression(DW_OP_LLVM_arg, 0)), !dbg !31
  br label %loop, !dbg !31

loop:
  %c = icmp eq i32 %x, 0, !dbg !32
  br i1 %c, label %out, label %loop, !dbg !31, !llvm.loop !35

out:
  ret i32 %x, !dbg !DILocation(line: 9, column: 1, scope: !10)
}

define void @new() !dbg !11 {
  %p = alloca ptr, align 8
    #dbg_declare(ptr %p, !22, !DIExpression(), !33)
  store ptr null, ptr %p, align 8, !dbg !33, !DIAssignID !41
    #dbg_assign(ptr null, !22, !DIExpression(), !41, ptr %p, !DIExpression(), !33)
    #dbg_value(i32 poison, !23, !DIExpression(DW_OP_plus_uconst, 1, DW_OP_stack_value), !33)
    #dbg_value(!DIArgList(), !23, !DIExpression(), !33)
    #dbg_label(!40, !33)
  ret void, !dbg !34
}

%struct.point = type { i32, i32 }

declare void @llvm.dbg.declare(metadata, metadata, metadata)
declare void @llvm.dbg.value(metadata, metadata, metadata)
declare void @llvm.dbg.label(metadata)

!llvm.dbg.cu = !{!2}
!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
!1 = distinct !DIGlobalVariable(name: "counter", scope: !2, file: !3, line: 3, type: !50, isLocal: false, isDefinition: true)
!2 = distinct !DICompileUnit(language: DW_LANG_C99, file: !3, producer: "hand \22made\22", isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug, globals: !{!0})
!3 = !DIFile(filename: "debug.c", directory: "/src", checksumkind: CSK_MD5, checksum: "00")
!10 = distinct !DISubprogram(name: "old", scope: !3, file: !3, line: 5, type: !60, scopeLine: 5, flags: DIFlagPrototyped | DIFlagStaticMember, spFlags: DISPFlagDefinition, unit: !2, retainedNodes: !61)
!11 = distinct !DISubprogram(name: "new", linkageName: "_Z3new", scope: !62, file: !63, line: 7, spFlags: DISPFlagDefinition, unit: !2)
!20 = !DILocalVariable(name: "x", arg: 1, scope: !10, file: !3, line: 5, type: !51)
!21 = !DILocalVariable(name: "y", scope: !24, file: !3, line: 6, type: !52)
!22 = !DILocalVariable(name: "p", scope: !11, file: !63, line: 8, type: !55)
!23 = !DILocalVariable(scope: !11, type: !56)
!24 = distinct !DILexicalBlock(scope: !10, file: !3, line: 6, column: 3)
!30 = !DILocation(line: 5, column: 13, scope: !10)
!31 = !DILocation(line: 6, column: 5, scope: !24)
!32 = !DILocation(line: 7, column: 9, scope: !11, inlinedAt: !31)
!33 = !DILocation(line: 8, scope: !11)
!34 = !DILocation(line: 1, column: 2, scope: !11, inlinedAt: !34)
!35 = distinct !{!35, !30, !31, !36, !37}
!36 = !{!"llvm.loop.mustprogress"}
!37 = !{!"llvm.loop.unroll.count", i32 4}
!40 = !DILabel(scope: !10, name: "again", file: !3, line: 6)
!41 = distinct !DIAssignID()
!50 = !DIDerivedType(tag: DW_TAG_volatile_type, baseType: !51)
!51 = !DIDerivedType(tag: DW_TAG_typedef, name: "count_t", file: !3, line: 1, baseType: !53)
!52 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "point", file: !3, line: 2, size: 64, elements: !{!57, !58})
!53 = !DIBasicType(name: "unsigned int", size: 32, encoding: DW_ATE_unsigned)
!54 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!55 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !52, size: 64)
!56 = !DICompositeType(tag: DW_TAG_array_type, baseType: !59, size: 192, elements: !64)
!57 = !DIDerivedType(tag: DW_TAG_member, name: "a", scope: !52, file: !3, line: 2, baseType: !54, size: 32)
!58 = !DIDerivedType(tag: DW_TAG_member, name: "self", scope: !52, baseType: !55, size: 32, offset: 32)
!59 = !DICompositeType(tag: DW_TAG_enumeration_type, name: "colour", baseType: !53, size: 32, elements: !{!65, !66})
!60 = !DISubroutineType(types: !61)
!61 = !{!54, !51, null}
!62 = !DINamespace(name: "space", scope: null)
!63 = !DIFile(filename: "/usr/include/new.h", directory: "/src")
!64 = !{!67, !DISubrange(count: 3)}
!65 = !DIEnumerator(name: "red", value: 0, isUnsigned: true)
!66 = !DIEnumerator(name: "blue", value: -1)
!67 = !DISubrange(count: 2, lowerBound: 0)
