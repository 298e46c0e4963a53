//! Random models in CAT: axioms over program order, communication and updates, with exceptions, recursive definitions, chosen
//! orders, and several checks of which some can be left out.

use crate::Rng;
use std::fmt::Write;

/// The text of a model, and the names of its checks.
#[derive(Clone, Debug)]
pub struct RandomModel {
    pub text: String,
    pub checks: Vec<String>,
}

/// Draws a model.
pub fn model(rng: &mut Rng) -> RandomModel {
    let mut text = String::from("\"random\"\n");
    let mut names: Vec<String> = Vec::new();
    if rng.percent(15) {
        let _ = writeln!(text, "with chosen from linearisations({}, {})", set(rng), small(rng));
        names.push("chosen".into());
    }
    for i in 0..rng.below(3) {
        let name = format!("d{i}");
        let body = if rng.percent(30) { recursive(rng, &name, &names) } else { relation(rng, &names, 2) };
        let keyword = if body.contains(&name) { "let rec" } else { "let" };
        let _ = writeln!(text, "{keyword} {name} = {body}");
        names.push(name);
    }
    let mut checks = Vec::new();
    if rng.percent(70) {
        coherence(rng, &mut text, &mut checks);
    }
    for _ in 0..1 + rng.below(3) {
        let name = format!("c{}", checks.len());
        let line = check(rng, &names);
        let _ = writeln!(text, "{line} as {name}");
        checks.push(name);
    }
    RandomModel { text, checks }
}

/// What nearly all models ask of one location, whole or in pieces, so that shortcuts apply.
fn coherence(rng: &mut Rng, text: &mut String, checks: &mut Vec<String>) {
    let forms: [&[&str]; 4] = [
        &["acyclic po-loc | rf | co | fr"],
        &["acyclic po-loc | amo | rf | co | fr"],
        &[
            "irreflexive po-loc; rf",
            "irreflexive po-loc; co",
            "irreflexive po-loc; fr",
            "acyclic po-loc | co | rfe | fre",
        ],
        &[
            "irreflexive [R]; po-loc; [W]; rfi",
            "irreflexive [W]; po-loc; [W]; coi",
            "irreflexive [W]; po-loc; [R]; fri",
        ],
    ];
    for line in rng.pick(&forms) {
        let name = format!("c{}", checks.len());
        let _ = writeln!(text, "{line} as {name}");
        checks.push(name);
    }
}

fn check(rng: &mut Rng, names: &[String]) -> String {
    match rng.below(10) {
        0..3 => format!("empty {}", except(rng, "rmw & (fre; coe)", names)),
        3 => format!("empty {}", except(rng, "rmw & (fr; co)", names)),
        4 => format!("empty {} & {}", relation(rng, names, 2), relation(rng, names, 1)),
        5 => format!("irreflexive {}", relation(rng, names, 3)),
        6 => format!("~empty {} | {}", relation(rng, names, 1), "id"),
        _ => {
            let ordered = relation(rng, names, 3);
            format!("acyclic {}", except(rng, &ordered, names))
        }
    }
}

/// Takes something away, now and then.
fn except(rng: &mut Rng, relation_text: &str, names: &[String]) -> String {
    if rng.percent(55) {
        return format!("({relation_text})");
    }
    let exceptions = ["(fri; [W]; coi)", "(R * W)", "(fri; coi)", "(fre; coi)", "po-loc", "rfi", "0", "(W * W)"];
    let exception = if rng.percent(75) { rng.pick(&exceptions).to_owned() } else { relation(rng, names, 1) };
    format!("({relation_text}) \\ {exception}")
}

/// A recursive definition that only grows.
fn recursive(rng: &mut Rng, name: &str, names: &[String]) -> String {
    let base = relation(rng, names, 1);
    let step = relation(rng, names, 1);
    match rng.below(4) {
        0 => format!("{base} | {name}; {name}"),
        1 => format!("{base} | {name}; {step}"),
        2 => format!("{base} | ({step}; {name}) & ({name} | po)"),
        _ => format!("{base} | {name} | ({step} \\ ({name}; {name}))"),
    }
}

fn relation(rng: &mut Rng, names: &[String], depth: usize) -> String {
    if depth == 0 || rng.percent(30) {
        return small_or_named(rng, names);
    }
    let below = |rng: &mut Rng| relation(rng, names, depth - 1);
    match rng.below(9) {
        0..3 => format!("({} | {})", below(rng), below(rng)),
        3..5 => format!("({}; {})", below(rng), below(rng)),
        5 => format!("({} & {})", below(rng), below(rng)),
        6 => format!("({} \\ {})", below(rng), below(rng)),
        7 => format!("([{}]; {}; [{}])", set(rng), below(rng), set(rng)),
        _ => format!("{}{}", below(rng), rng.pick(&["+", "?", "^-1"])),
    }
}

fn small_or_named(rng: &mut Rng, names: &[String]) -> String {
    if !names.is_empty() && rng.percent(35) { names[rng.below(names.len())].clone() } else { small(rng) }
}

fn small(rng: &mut Rng) -> String {
    let base =
        ["po", "po-loc", "rf", "co", "fr", "rfe", "rfi", "coe", "coi", "fre", "fri", "rmw", "amo", "loc", "ext", "si"];
    rng.pick(&base).to_owned()
}

fn set(rng: &mut Rng) -> String {
    rng.pick(&["R", "W", "M", "W \\ IW", "R & W", "X"]).to_owned()
}
