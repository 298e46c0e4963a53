//! C11 atomics on architectures.

use treville_base::{FileId, Name};
use treville_ir::{Dialect, Program, text};
use treville_passes::target::{compile, dialect_for, portable};

const SOURCE: &str = "program example dialect C rc11 fused po_inside sets [] object x object y
    func main () regs [%1:32 b:32] { b0:
      @0 %1 = load &x 4 [A ACQ]
      @0 store &y %1 4 [A REL]
      store &x 1:32 4 [A SC]
      b = load &y 4 [A SC]
      store &y 1:32 4 [NA]
      b = update &x 4 (add b 1:32) if (eq b 0:32) [A] [A] [A ACQ_REL RMW X] [A RLX]
      fence [ACQ]
      fence [ACQ_REL]
      fence [SC]
      fence [RLX]
      branch (eq b 0:32) b1 b1 join b1
    b1:
      return _ }
    thread P0 main []";

fn compiled(model: &str) -> String {
    compiled_from(model, SOURCE)
}

fn compiled_from(model: &str, source: &str) -> String {
    let program: Program = text::parse(FileId(0), source).unwrap_or_else(|e| panic!("{e:?}"));
    let name = dialect_for(model).unwrap_or_else(|| panic!("{model}"));
    let dialect = Dialect { name: Name::new(name), ..Dialect::clone(&program.dialect) };
    let compiled = compile(&program, model, &dialect).unwrap_or_else(|e| panic!("{e:?}"));
    assert_eq!(compiled.dialect.name, name);
    assert!(compiled.dialect.sets.iter().any(|s| *s == "NA"));
    let printed = text::print(&compiled);
    let lines = printed.lines().skip_while(|l| !l.starts_with("func")).skip(1).take_while(|l| *l != "}");
    lines.map(str::trim).collect::<Vec<_>>().join("; ").replace(":; ", ": ").replace("tmp1", "a")
}

#[test]
fn sc_and_x86() {
    assert_eq!(
        compiled("sc"),
        "b0: @0 a = load &x 4 []; @1 store &y a 4 []; @2 store &x 1:32 4 []; @3 b = load &y 4 []; \
         @4 store &y 1:32 4 [NA]; @5 b = update &x 4 (add b 1:32) if (eq b 0:32) [X RMW] [X RMW] [X RMW] []; \
         @6 branch (eq b 0:32) b1 b1; b1: return _"
    );
    assert_eq!(
        compiled("tso"),
        "b0: @0 a = load &x 4 []; @1 store &y a 4 []; @2 store &x 1:32 4 []; @3 fence [MFENCE]; @4 b = load &y 4 []; \
         @5 store &y 1:32 4 [NA]; @6 b = update &x 4 (add b 1:32) if (eq b 0:32) [X] [X] [X] [X]; @7 fence [MFENCE]; \
         @8 branch (eq b 0:32) b1 b1; b1: return _"
    );
}

#[test]
fn arm() {
    assert_eq!(
        compiled("aarch64"),
        "b0: @0 a = load &x 4 [Q]; @1 store &y a 4 [L]; @2 store &x 1:32 4 [L]; @3 b = load &y 4 [A]; \
         @4 store &y 1:32 4 [NA]; @5 b = update &x 4 (add b 1:32) if (eq b 0:32) [A X] [L X] [L A X] [A]; \
         @6 fence [DMB.LD]; @7 fence [DMB.SY]; @8 fence [DMB.SY]; @9 branch (eq b 0:32) b1 b1; b1: return _"
    );
    assert_eq!(
        compiled("arm"),
        "b0: @0 a = load &x 4 []; @1 fence [DMB.ISH]; @2 fence [DMB.ISH]; @3 store &y a 4 []; @4 fence [DMB.ISH]; \
         @5 store &x 1:32 4 []; @6 fence [DMB.ISH]; @7 b = load &y 4 []; @8 fence [DMB.ISH]; @9 store &y 1:32 4 [NA]; \
         @10 fence [DMB.ISH]; @11 place = &x; @12 b = load place 4 [EX]; @19 branch (eq b 0:32) b1 b4; \
         b1: @13 status = store_conditional place (add b 1:32) 4 [EX]; @20 branch (and status (eq b b)) b3 b2; \
         b2: @14 wait assume 0:1; end; b3: @15 fence [DMB.ISH]; goto b4; b4: @16 fence [DMB.ISH]; \
         @17 fence [DMB.ISH]; @18 fence [DMB.ISH]; @21 branch (eq b 0:32) b5 b5; b5: return _"
    );
}

#[test]
fn power_and_riscv() {
    assert_eq!(
        compiled("power"),
        "b0: @0 a = load &x 4 []; @19 branch (eq a a) b1 b1; b1: @1 fence [ISYNC]; @2 fence [LWSYNC]; \
         @3 store &y a 4 []; @4 fence [SYNC]; @5 store &x 1:32 4 []; @6 fence [SYNC]; @7 b = load &y 4 []; \
         @20 branch (eq b b) b2 b2; b2: @8 fence [ISYNC]; @9 store &y 1:32 4 [NA]; @10 fence [LWSYNC]; \
         @11 place = &x; @12 b = load place 4 [EX]; @21 branch (eq b 0:32) b3 b6; \
         b3: @13 status = store_conditional place (add b 1:32) 4 [EX]; @22 branch (and status (eq b b)) b5 b4; \
         b4: @14 wait assume 0:1; end; b5: @15 fence [ISYNC]; goto b6; b6: @16 fence [LWSYNC]; @17 fence [LWSYNC]; \
         @18 fence [SYNC]; @23 branch (eq b 0:32) b7 b7; b7: return _"
    );
    assert_eq!(
        compiled("riscv"),
        "b0: @0 a = load &x 4 []; @1 fence [Fence.r.rw]; @2 fence [Fence.rw.w]; @3 store &y a 4 []; \
         @4 fence [Fence.rw.w]; @5 store &x 1:32 4 []; @6 fence [Fence.rw.rw]; @7 b = load &y 4 []; \
         @8 fence [Fence.r.rw]; @9 store &y 1:32 4 [NA]; \
         @10 place = &x; @11 b = load place 4 [EX Acq]; @17 branch (eq b 0:32) b1 b3; \
         b1: @12 status = store_conditional place (add b 1:32) 4 [EX Rel]; @18 branch (and status (eq b b)) b3 b2; \
         b2: @13 wait assume 0:1; end; b3: @14 fence [Fence.r.rw]; @15 fence [Fence.tso]; @16 fence [Fence.rw.rw]; \
         @19 branch (eq b 0:32) b4 b4; b4: return _"
    );
}

/// A compare-exchange that fails acquires if its own order says so; an update that always writes is one instruction on RISC-V, unless it is
/// of less than four bytes.
#[test]
fn updates_that_fail_and_updates_that_cannot() {
    let update = |model: &str, source: &str| {
        let all = compiled_from(model, source);
        let (_, after) = all.split_once("[NA]; ").unwrap_or_else(|| panic!("{all}"));
        after.to_owned()
    };
    let acquires = SOURCE.replace("[A RLX]", "[A ACQ]");
    assert!(update("arm", &acquires).contains("branch (eq b 0:32) b1 b3;"), "{}", update("arm", &acquires));
    assert!(update("power", &acquires).contains("branch (eq b 0:32) b3 b5;"), "{}", update("power", &acquires));
    let always = SOURCE.replace("if (eq b 0:32) ", "");
    let one = update("riscv", &always);
    assert!(one.starts_with("@10 b = update &x 4 (add b 1:32) [X Sc] [X Sc] [X Sc] [X Sc];"), "{one}");
    let small = SOURCE.replace("b = update &x 4 (add b 1:32) if (eq b 0:32)", "c = update &x 1 (add c 1:8)");
    let small = update("riscv", &small.replace("b:32]", "b:32 c:8]"));
    assert!(small.contains("c = load place 1 [EX Acq]; @12 status"), "{small}");
}

#[test]
fn what_is_not_c11_is_refused() {
    let kernel = SOURCE.replace("[A ACQ]", "[ONCE]");
    let program = text::parse(FileId(0), &kernel).unwrap_or_else(|e| panic!("{e:?}"));
    let error = compile(&program, "tso", &program.dialect).err().map(|e| e.message);
    assert_eq!(error.as_deref(), Some("`ONCE` is not a memory order of C11, so it cannot be compiled"));
    assert!(compile(&program, "linux-kernel", &program.dialect).is_err());
    assert_eq!(dialect_for("rc11"), None);
}

/// A fence of an architecture is itself there, and nothing elsewhere.
#[test]
fn fences_of_architectures() {
    let fences = "fence [MFENCE] fence [SYNC] fence [LWSYNC] fence [ISYNC] fence [SC]";
    let source = SOURCE.replace("fence [ACQ]\n      fence [ACQ_REL]\n      fence [SC]\n      fence [RLX]", fences);
    let source: Program = text::parse(FileId(0), &source).unwrap_or_else(|e| panic!("{e:?}"));
    let names = |program: &Program| {
        let printed = text::print(program);
        let at_end =
            printed.lines().skip_while(|line| !line.contains("= update") && !line.contains("store_conditional"));
        let fences = at_end.filter_map(|line| line.split_once("fence ["));
        fences.map(|(_, name)| name.trim_end_matches(']').to_owned()).collect::<Vec<_>>().join(" ")
    };
    for (model, expected) in [
        ("sc", ""),
        ("tso", "MFENCE MFENCE"),
        ("pso", "MFENCE MFENCE"),
        ("aarch64", "DMB.SY"),
        ("arm", "DMB.ISH DMB.ISH"),
        ("power", "ISYNC SYNC LWSYNC ISYNC SYNC"),
        ("riscv", "Fence.rw.rw"),
    ] {
        let compiled = compile(&source, model, &source.dialect).unwrap_or_else(|e| panic!("{e:?}"));
        assert_eq!(names(&compiled), expected, "{model}");
    }
    assert_eq!(names(&source), "MFENCE SYNC LWSYNC ISYNC SC");
    assert_eq!(names(&portable(&source, Dialect::c11("rc11"))), "SC");
}
