//! Tests that are found when they run: one for each file of a folder, and those that need a program which not every machine
//! has. A dev-dependency only: it reads files and the environment freely.
//!
//! A test binary without the usual harness collects [`Trial`]s and gives them to [`run`], which takes the arguments that all
//! tests take: `cargo test -p CRATE --test NAME PART` runs those whose name contains PART. The trial of a file is named by its
//! path, that of a function, made by [`test!`], by its module and its name, as usual.

mod files;
mod needs;

pub use files::{differences, files, golden, inputs, is_blessing, relative};
pub use libtest_mimic::Trial;
pub use needs::Needs;

use libtest_mimic::{Arguments, Completion, Failed};
use needs::Missing;
use std::collections::BTreeSet;
use std::process::ExitCode;

/// Runs the trials that the arguments select. Names must differ, so that each can be run alone.
pub fn run(trials: Vec<Trial>) -> ExitCode {
    let mut names = BTreeSet::new();
    for trial in &trials {
        let name = (trial.kind(), trial.name());
        assert!(names.insert(name), "two trials are called {name:?}");
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// A trial that says what is wrong. Without what it needs it is ignored, or an error where nothing may be left out.
pub fn trial(
    name: impl Into<String>,
    needs: Needs,
    check: impl FnOnce() -> Result<(), String> + Send + 'static,
) -> Trial {
    Trial::ignorable_test(name, move || match needs.missing() {
        Missing::Nothing => check().map(|()| Completion::Completed).map_err(Failed::from),
        Missing::Ignored(why) => Ok(Completion::ignored_with(why)),
        Missing::Error(why) => Err(why.into()),
    })
}

/// The trial of a file by a function that panics if something is wrong with it.
pub fn of_file(path: &'static str, check: fn(&str)) -> Trial {
    trial(path, Needs::of_file(path), move || {
        check(path);
        Ok(())
    })
}

/// What [`test!`] makes of a function; the path begins with the crate, which goes without saying.
#[doc(hidden)]
pub fn of_function(path: &str, needs: Needs, function: fn()) -> Trial {
    let name = path.split_once("::").map_or(path, |(_, name)| name);
    trial(name, needs, move || {
        function();
        Ok(())
    })
}

/// The trial of a function that panics if something is wrong, with what it [`Needs`] if it needs something. A function that no
/// list of trials names is dead code, of which the compiler warns.
#[macro_export]
macro_rules! test {
    ($function:ident) => {
        $crate::test!($function, Nothing)
    };
    ($function:ident, $needs:ident) => {
        $crate::of_function(concat!(module_path!(), "::", stringify!($function)), $crate::Needs::$needs, $function)
    };
}
