//! One test for each file under `cases/`, named by its path: `cargo test --test cases spec/ra` runs those on release-acquire.

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::sync::Arc;
use treville_testkit::random::{SYNTAXES, generate};
use treville_testkit::{Lab, Rng, cases_folder, golden};
use treville_trials::{Needs, trial};

fn main() -> ExitCode {
    let lab = Arc::new(Lab::new());
    let cases = match golden::load(&cases_folder()) {
        Ok(cases) => cases,
        Err(errors) => {
            eprintln!("{}", errors.join("\n"));
            return ExitCode::FAILURE;
        }
    };
    let of_case = |case: golden::Case| {
        let lab = Arc::clone(&lab);
        trial(format!("cases/{}", case.name), Needs::Nothing, move || golden::check(&lab, &case))
    };
    let dialects = {
        let (lab, cases) = (Arc::clone(&lab), cases.clone());
        trial("registries::every_dialect_has_a_case_and_random_programs", Needs::Nothing, move || {
            every_dialect_has_a_case_and_random_programs(&lab, &cases)
        })
    };
    let models = trial("registries::every_model_has_random_programs", Needs::Nothing, every_model_has_random_programs);
    treville_trials::run(cases.into_iter().map(of_case).chain([dialects, models]).collect())
}

fn every_dialect_has_a_case_and_random_programs(lab: &Lab, cases: &[golden::Case]) -> Result<(), String> {
    let mut with_cases = BTreeSet::new();
    for case in cases {
        let model = case.expectations.first().map_or("", |expectation| &expectation.model);
        with_cases.insert(lab.load(&case.text, model)?.0.program.dialect.name.clone());
    }
    let mut drawn = BTreeSet::new();
    for (seed, syntax) in SYNTAXES.iter().enumerate() {
        let text = generate(&mut Rng::new(seed as u64), *syntax, 100.0).text().ok_or("a sketch that has no text")?;
        drawn.insert(lab.parse(&text, Some(syntax.is_kernel()))?.program.dialect.name.clone());
    }
    let names = treville_litmus::dialects().map(|dialect| &dialect.name);
    let left: Vec<_> = names.filter(|name| !with_cases.contains(*name) || !drawn.contains(*name)).collect();
    if left.is_empty() { Ok(()) } else { Err(format!("no case, or no random programs, for {left:?}")) }
}

fn every_model_has_random_programs() -> Result<(), String> {
    let drawn: BTreeSet<&str> = SYNTAXES.iter().flat_map(|syntax| syntax.models()).copied().collect();
    let models = treville_cat::bundled_files().iter().filter(|file| file.model().is_some());
    let names = models.filter_map(|file| file.name.strip_suffix(".cat"));
    let left: Vec<_> = names.filter(|name| !drawn.contains(name)).collect();
    if left.is_empty() { Ok(()) } else { Err(format!("`Syntax::models` of no dialect names {}", left.join(", "))) }
}
