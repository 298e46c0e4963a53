//! Checking a case: every expectation, with the engine and with the definition.

use super::{Case, Expectation};
use crate::Lab;
use crate::differ::{Findings, compare};
use std::fmt::Debug;
use treville_base::Cancel;
use treville_enumerate::Enumerate;
use treville_task::Verdict;

/// # Errors
/// What is not as expected; of a case that is known to be wrong, that all is as expected.
pub fn check(lab: &Lab, case: &Case) -> Result<(), String> {
    let checked = check_all(lab, case);
    match (case.fixme, checked) {
        (false, checked) => checked,
        (true, Err(_)) => Ok(()),
        (true, Ok(())) => Err("is as expected now: move it from fixme to spec".into()),
    }
}

fn check_all(lab: &Lab, case: &Case) -> Result<(), String> {
    let wrong = |e: &Expectation| check_one(lab, case, e).err().map(|why| format!("{}: {why}", e.model));
    let wrong: Vec<String> = case.expectations.iter().filter_map(wrong).collect();
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

fn check_one(lab: &Lab, case: &Case, expected: &Expectation) -> Result<(), String> {
    let (litmus, linked) = lab.load(&case.text, &expected.model)?;
    let task = lab.task(&litmus, &linked, Cancel::new());
    let (fast, plain) = (Enumerate::fast(), Enumerate::plain());
    let found = compare(&fast, &plain, &task, &task, &linked)?;
    let word = match &found.verdict {
        Verdict::Yes => "yes".to_owned(),
        Verdict::No => "no".to_owned(),
        Verdict::Undefined => "undefined".to_owned(),
        Verdict::Unknown(why) => format!("unknown, {why}"),
    };
    let mut wrong = Vec::new();
    differs(&mut wrong, "verdict", Some(&expected.verdict), &word);
    let observation = found.observation.map_or_else(String::new, |o| format!("{o:?}"));
    differs(&mut wrong, "observation", expected.observation.as_ref(), &observation);
    differs(&mut wrong, "states", expected.states.as_ref(), &(found.states.len() as u64));
    differs(&mut wrong, "executions", expected.executions.as_ref(), &found.executions.unwrap_or(0));
    let flags: Vec<String> = found.flags.iter().map(|(name, _)| name.clone()).collect();
    differs(&mut wrong, "flags", expected.flags.as_ref(), &flags);
    if wrong.is_empty() {
        return Ok(());
    }
    let shown = task.question.as_deref().map_or_else(String::new, |q| Findings::show(&found, &task.program, q));
    Err(format!("{}\n{shown}", wrong.join(", ")))
}

fn differs<T: PartialEq + Debug>(wrong: &mut Vec<String>, what: &str, expected: Option<&T>, found: &T) {
    if let Some(expected) = expected.filter(|expected| *expected != found) {
        wrong.push(format!("{what} is {found:?}, expected {expected:?}"));
    }
}
