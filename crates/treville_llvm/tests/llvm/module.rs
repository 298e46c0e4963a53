//! What can be asked of a module, and the way from C to one.

use std::path::PathBuf;
use std::{env, fs};
use treville_base::{FileId, SourceMap};
use treville_llvm::{Callee, Clang, CompileOptions, InstKind, Module, NoLayout, Operand, Type, parse};
use treville_trials::{Trial, test};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        test!(functions_are_found_through_casts_and_aliases),
        test!(constructors_run_by_priority),
        test!(addresses_are_sums),
        test!(sizes_follow_the_data_layout),
        test!(deep_chains_of_types_need_no_stack),
        test!(c_is_compiled_and_read, Clang),
        test!(errors_of_the_compiler_have_places, Clang),
    ]
}

fn read(text: &str) -> Module {
    parse(FileId(0), text).expect("a correct module")
}

/// The instructions of a function, without its blocks.
fn insts<'a>(module: &'a Module, function: &str) -> Vec<&'a InstKind> {
    let id = module.global_named(function).expect("the function is there");
    let body = module.globals[id].function().and_then(|f| f.body.as_ref()).expect("it has a body");
    body.blocks.iter().flat_map(|block| block.insts.iter().map(|inst| &inst.kind)).collect()
}

fn functions_are_found_through_casts_and_aliases() {
    let module = read(
        "@a = alias i32 (i32), i32 (i32)* @b\n\
         @b = alias i32 (i32), i32 (i32)* @f\n\
         define i32 @f(i32 %x) {\n  ret i32 %x\n}\n\
         define void @g(void ()* %p) {\n\
           call i32 @f(i32 1)\n\
           call i32 @a(i32 1)\n\
           call i32 (i8) bitcast (i32 (i32)* @b to i32 (i8)*)(i8 1)\n\
           call void %p()\n\
           call void asm \"\", \"\"()\n\
           ret void\n}\n",
    );
    let f = module.global_named("f");
    let callees: Vec<_> = insts(&module, "g")
        .into_iter()
        .map(|inst| match inst {
            InstKind::Call(call) => module.callee(call).map(|(id, _)| id),
            _ => panic!("not a call"),
        })
        .collect();
    assert_eq!(callees, [f, f, f, None, None]);
}

fn constructors_run_by_priority() {
    let entry = |priority: u32, name: &str| format!("{{ i32, ptr, ptr }} {{ i32 {priority}, ptr @{name}, ptr null }}");
    let module = read(&format!(
        "declare void @x()\ndeclare void @y()\ndeclare void @z()\n\
         @llvm.global_ctors = appending global [3 x {{ i32, ptr, ptr }}] [{}, {}, {}]\n",
        entry(65535, "x"),
        entry(101, "y"),
        entry(65535, "z"),
    ));
    let found = module.constructors();
    let found: Vec<_> = found.iter().map(|&(priority, id)| (priority, module.globals[id].name.as_str())).collect();
    assert_eq!(found, [(101, "y"), (65535, "x"), (65535, "z")]);
    assert!(read("").constructors().is_empty());
}

fn addresses_are_sums() {
    let module = read(
        "%s = type { i8, [4 x { i16, i32 }] }\n\
         define void @f(ptr %p, i64 %i) {\n\
           %q = getelementptr %s, ptr %p, i64 -2, i32 1, i64 %i, i32 1\n\
           ret void\n}\n",
    );
    let found = insts(&module, "f");
    let InstKind::Gep { element, indices, .. } = found[0] else { panic!("not an address") };
    let known = |operand| match operand {
        Operand::Const(id) => module.int(id).map(|value| value as u64 as i64),
        Operand::Local(_) => None,
    };
    let offset = module.layout.gep(&module.types, *element, indices, known).expect("it leads somewhere");
    // Twice the size of the struct back, past the byte and its padding, past the half word and its padding.
    assert_eq!(offset.constant, -2 * 36 + 4 + 4);
    assert_eq!(offset.scaled, [(indices[2], 8)]);
    let rest: Vec<_> = indices[..2].to_vec();
    assert!(module.layout.gep(&module.types, *element, &rest, |_| Some(7)).is_none(), "there is no field 7");
}

fn sizes_follow_the_data_layout() {
    let size = |layout: &str, ty: &str| {
        let text = format!("target datalayout = \"{layout}\"\n%t = type {{ i8, {ty} }}\n@x = external global %t\n");
        let module = read(&text);
        let variable = module.globals[module.global_named("x").expect("it is there")].variable().expect("a variable");
        let found = module.layout.of(variable.ty).expect("a size");
        (found.size, found.align)
    };
    assert_eq!(size("e-i64:64-i128:128", "i128"), (32, 16));
    assert_eq!(size("e-i64:64", "i128"), (24, 8));
    assert_eq!(size("e-p:32:32", "ptr"), (8, 4));
    assert_eq!(size("e-i64:64-f80:128", "x86_fp80"), (32, 16));
    assert_eq!(size("e-i64:64", "<3 x i32>"), (32, 16));
    assert_eq!(size("e-i64:64", "<{ i8, i64 }>"), (10, 1));
    assert_eq!(size("e-i64:64", "i24"), (8, 4));
    let module = read("declare void @f()");
    let function = module.types.iter().find(|(_, ty)| matches!(ty, Type::Function { .. })).expect("its type");
    assert_eq!(module.layout.of(function.0).err(), Some(NoLayout::Unsized));
}

fn deep_chains_of_types_need_no_stack() {
    let chain: String = (1..50_000).map(|i| format!("%t{i} = type {{ %t{} }}\n", i - 1)).collect();
    let module = read(&format!("{chain}%t0 = type {{ i32 }}\n@x = global %t49999 zeroinitializer\n"));
    let variable = module.globals[module.global_named("x").expect("it is there")].variable().expect("a variable");
    assert_eq!(module.layout.of(variable.ty).map(|l| l.size), Ok(4));
}

/// A file in the folder for tests, with a text.
fn file(name: &str, text: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, text).expect("the file can be written");
    path
}

fn c_is_compiled_and_read() {
    let clang = Clang::find().expect("a compiler");
    let source = file("compiled.c", "int main(void) { __asm__ volatile(\"mfence\"); return helper(N); }\n");
    let mut sources = SourceMap::new();
    let options = CompileOptions { include: &[], flags: &["-DN=3".to_owned()], cancel: treville_base::Cancel::new() };
    let compiled = clang.compile(&source, &options, &mut sources, &|path| fs::read_to_string(path).ok());
    let compiled = compiled.expect("an undeclared function is a warning only");
    assert!(compiled.warnings.iter().any(|w| w.message.contains("helper")), "{:?}", compiled.warnings);
    let ir = sources.add("compiled.ll", compiled.ir.as_str());
    let module = parse(ir, &compiled.ir).expect("what the compiler writes");
    let asm = insts(&module, "main").into_iter().find_map(|inst| match inst {
        InstKind::Call(call) => match &call.callee {
            Callee::Asm(asm) => Some(asm.text.clone()),
            Callee::Value(_) => None,
        },
        _ => None,
    });
    assert_eq!(asm.as_deref(), Some("mfence"));
}

fn errors_of_the_compiler_have_places() {
    let clang = Clang::find().expect("a compiler");
    let source = file("wrong.cpp", "int x;\nint main() { return y; }\n");
    let mut sources = SourceMap::new();
    let read = |path: &str| fs::read_to_string(path).ok();
    let errors = clang.compile(&source, &CompileOptions::default(), &mut sources, &read).expect_err("`y` is unknown");
    let place = errors[0].span.map(|span| (sources.start(span).line, sources.start(span).column));
    assert_eq!((errors.len(), place), (1, Some((2, 21))), "{errors:?}");
    let missing = clang.compile("missing.c".as_ref(), &CompileOptions::default(), &mut sources, &read);
    assert!(missing.expect_err("there is no file")[0].message.contains("missing.c"));
}
