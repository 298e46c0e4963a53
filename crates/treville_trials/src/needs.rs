//! Programs that tests need and that not every machine has.

use std::path::PathBuf;
use std::{env, fs, process};

/// What a test needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Needs {
    Nothing,
    /// A compiler that reads C.
    Clang,
    /// One that builds programs which look for races while they run.
    ThreadSanitizer,
}

/// What follows from what is not there.
pub(crate) enum Missing {
    Nothing,
    Ignored(String),
    /// Continuous integration has everything, so that nothing is left out unnoticed.
    Error(String),
}

impl Needs {
    /// Clang if the file is in C, or is about one that is.
    pub fn of_file(name: &str) -> Self {
        let name = name.strip_suffix(".inv").unwrap_or(name);
        if name.ends_with(".c") || name.ends_with(".cpp") { Needs::Clang } else { Needs::Nothing }
    }

    pub(crate) fn missing(self) -> Missing {
        let why = match self {
            Needs::Nothing => return Missing::Nothing,
            Needs::Clang if has_clang() => return Missing::Nothing,
            Needs::Clang => "clang is not installed",
            Needs::ThreadSanitizer if has_thread_sanitizer() => return Missing::Nothing,
            Needs::ThreadSanitizer => "no clang with a ThreadSanitizer is installed",
        };
        if env::var("CI").is_ok_and(|value| value == "true") {
            Missing::Error(format!("{why}, and with CI=true nothing is left out"))
        } else {
            Missing::Ignored(why.to_owned())
        }
    }
}

/// Where the tool looks for it, too.
fn has_clang() -> bool {
    if env::var_os("TREVILLE_CLANG").is_some_and(|program| !program.is_empty()) {
        return true;
    }
    let folders = env::var_os("PATH").unwrap_or_default();
    let named = |folder: PathBuf| {
        let names = ["clang".to_owned()].into_iter().chain((14..=19).map(|version| format!("clang-{version}")));
        names.into_iter().any(|name| folder.join(name).is_file())
    };
    env::split_paths(&folders).any(named)
}

fn has_thread_sanitizer() -> bool {
    let folder = env::temp_dir().join(format!("treville-sanitizer-{}", process::id()));
    let (source, program) = (folder.join("empty.c"), folder.join("empty"));
    let written = fs::create_dir_all(&folder).and_then(|()| fs::write(&source, "int main(void) { return 0; }\n"));
    let mut clang = process::Command::new("clang");
    clang.args(["-fsanitize=thread", "-o"]).arg(&program).arg(&source);
    clang.stdout(process::Stdio::null()).stderr(process::Stdio::null());
    let built = written.is_ok() && clang.status().is_ok_and(|status| status.success());
    let _ = fs::remove_dir_all(&folder);
    built
}
