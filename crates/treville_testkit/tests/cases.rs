//! One test for each file under `cases/`, named by its path: `cargo test --test cases spec/ra` runs those on release-acquire.

use libtest_mimic::{Arguments, Failed, Trial};
use std::process::ExitCode;
use std::sync::Arc;
use treville_testkit::{Lab, cases_folder, golden};

fn main() -> ExitCode {
    let lab = Arc::new(Lab::new());
    let cases = match golden::load(&cases_folder()) {
        Ok(cases) => cases,
        Err(errors) => {
            eprintln!("{}", errors.join("\n"));
            return ExitCode::FAILURE;
        }
    };
    let trial = |case: golden::Case| {
        let lab = Arc::clone(&lab);
        Trial::test(case.name.clone(), move || golden::check(&lab, &case).map_err(Failed::from))
    };
    libtest_mimic::run(&Arguments::from_args(), cases.into_iter().map(trial).collect()).exit_code()
}
