//! Many programs in one file for clang, which would otherwise take most of the time; each is lowered from its own entry.

use super::ast::{Mutex, Program, Stmt};
use super::print::{PRELUDE, print};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use treville_base::SourceMap;
use treville_llvm::{Clang, CompileOptions, LowerOptions, Module, lower, parse};

/// What of the runtime a program needs; programs of one file must need the same, since it depends on the whole file.
pub fn forms(program: &Program) -> (bool, bool) {
    let kinds = program.mutexes.iter().any(|kind| matches!(kind, Mutex::Recursive | Mutex::Checked));
    let locks =
        program.has(|s| matches!(s, Stmt::Lock(_) | Stmt::TryLock(..) | Stmt::TimedLock(..) | Stmt::CondWait(_)));
    (kinds && locks, program.has(|s| matches!(s, Stmt::Realloc(_))))
}

/// A compiled file with several programs.
pub struct Unit {
    module: Module,
}

impl Unit {
    /// # Errors
    /// What clang or the parser says.
    pub fn compile(programs: &[&Program]) -> Result<Unit, String> {
        let mut text = PRELUDE.to_owned();
        for (i, program) in programs.iter().enumerate() {
            text.push_str(&print(program, &format!("P{i}_")));
        }
        Self::compile_text(&text)
    }

    /// # Errors
    /// The same.
    pub fn compile_text(text: &str) -> Result<Unit, String> {
        let path = scratch();
        std::fs::write(&path, text).map_err(|e| e.to_string())?;
        let flags = ["-g0", "-w"].map(str::to_owned);
        let options = CompileOptions { include: &[], flags: &flags, cancel: treville_base::Cancel::new() };
        let mut sources = SourceMap::new();
        let compiled = Clang::find()
            .map_err(|e| vec![e])
            .and_then(|clang| clang.compile(&path, &options, &mut sources, &|_| None));
        let _ = std::fs::remove_file(&path);
        let messages =
            |all: Vec<treville_base::Diagnostic>| all.into_iter().map(|d| d.message).collect::<Vec<_>>().join("\n");
        let ir = compiled.map_err(messages)?.ir;
        let file = sources.add("programs.ll", ir.as_str());
        let module = parse(file, &ir).map_err(messages)?;
        Ok(Unit { module })
    }

    /// The program whose entry has this name.
    ///
    /// # Errors
    /// What cannot be lowered.
    pub fn lower(&self, entry: &str) -> Result<treville_ir::Program, String> {
        let options = LowerOptions { name: "random", entry, weak_cas: false, cancel: &treville_base::Cancel::new() };
        lower(&self.module, &options, &mut SourceMap::new(), &mut |_| None)
            .map_err(|all| all.into_iter().map(|d| d.message).collect::<Vec<_>>().join("\n"))
    }
}

fn scratch() -> PathBuf {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let n = NEXT.fetch_add(1, Ordering::Relaxed);
    std::env::temp_dir().join(format!("treville-programs-{}-{n}.c", std::process::id()))
}

/// Compiles and lowers programs: one file for those that need the same runtime.
pub fn compile(programs: &[Program]) -> Vec<Result<treville_ir::Program, String>> {
    let mut all: Vec<Option<Result<treville_ir::Program, String>>> = programs.iter().map(|_| None).collect();
    for form in [(false, false), (false, true), (true, false), (true, true)] {
        let numbers: Vec<usize> = (0..programs.len()).filter(|i| forms(&programs[*i]) == form).collect();
        compile_group(programs, &numbers, &mut all);
    }
    all.into_iter().map(|one| one.unwrap_or_else(|| Err("not compiled".to_owned()))).collect()
}

/// Compiles some of the programs as one file; if that fails, halves of them, so that one that is wrong does not spoil the others.
fn compile_group(programs: &[Program], numbers: &[usize], all: &mut [Option<Result<treville_ir::Program, String>>]) {
    let group: Vec<&Program> = numbers.iter().map(|i| &programs[*i]).collect();
    match numbers {
        [] => {}
        [first, ..] => match Unit::compile(&group) {
            Ok(unit) => {
                for (n, i) in numbers.iter().enumerate() {
                    all[*i] = Some(unit.lower(&format!("P{n}_main")));
                }
            }
            Err(why) if group.len() == 1 => all[*first] = Some(Err(why)),
            Err(_) => {
                let (left, right) = numbers.split_at(numbers.len() / 2);
                compile_group(programs, left, all);
                compile_group(programs, right, all);
            }
        },
    }
}
