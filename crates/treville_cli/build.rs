//! Links the C++ runtime, which the solver needs, statically where the compiler has an archive of it: otherwise a third of what a process does for
//! a small test is to look up and relocate its symbols.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

const ARCHIVE: &str = "libstdc++.a";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=CXX");
    let (Some(out), Some(archive)) = (env::var_os("OUT_DIR"), archive()) else { return };
    let folder = Path::new(&out).join("static");
    // A folder of its own, which has the archive and not the shared library beside it.
    if fs::create_dir_all(&folder).is_ok() && fs::copy(archive, folder.join(ARCHIVE)).is_ok() {
        println!("cargo:rustc-link-search=native={}", folder.display());
    }
}

/// The archive of the C++ compiler, on systems whose compilers have it.
fn archive() -> Option<PathBuf> {
    let is = |what: &str, value: &str| env::var(what).is_ok_and(|found| found == value);
    let native = env::var("HOST").is_ok_and(|host| is("TARGET", &host));
    if !(native && is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu")) {
        return None;
    }
    let compiler = env::var_os("CXX").unwrap_or_else(|| "c++".into());
    let found = Command::new(compiler).arg(format!("-print-file-name={ARCHIVE}")).output().ok()?;
    // A compiler that does not have it prints the name as it is.
    let path = PathBuf::from(String::from_utf8(found.stdout).ok()?.trim());
    path.is_absolute().then_some(path)
}
