//! Two models on one program, for people and for scripts.

use crate::json::{Object, array, quoted};
use crate::{Paint, Palette};
use std::fmt::Write;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Comparison {
    pub file: String,
    pub test: String,
    pub models: [String; 2],
    pub differences: [Difference; 2],
}

/// What only one of the models has.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Difference {
    /// Final states, sorted.
    pub states: Vec<String>,
    /// Flags that only it raises.
    pub flags: Vec<String>,
}

impl Comparison {
    pub fn differs(&self) -> bool {
        self.differences.iter().any(|d| !d.states.is_empty() || !d.flags.is_empty())
    }
}

pub fn comparison(comparison: &Comparison, palette: Palette) -> String {
    let mut out = String::new();
    let test = palette.paint(Paint::Strong, &comparison.test);
    let [a, b] = &comparison.models;
    if !comparison.differs() {
        return format!("{test}: {a} and {b} allow the same outcomes\n");
    }
    let _ = writeln!(out, "{test}: {a} and {b} differ");
    for (model, difference) in comparison.models.iter().zip(&comparison.differences) {
        for state in &difference.states {
            let _ = writeln!(out, "  only {}  {state}", palette.paint(Paint::Strong, model));
        }
        for flag in &difference.flags {
            let _ = writeln!(out, "  only {}  flag {flag}", palette.paint(Paint::Strong, model));
        }
    }
    out
}

/// `{"file":…,"models":[A,B],"equal":…,"only":[{"model":A,"states":[…],"flags":[…]},…]}`.
pub fn comparison_json(comparison: &Comparison) -> String {
    let strings = |items: &[String]| array(&items.iter().map(|s| quoted(s)).collect::<Vec<_>>());
    let only: Vec<String> = comparison
        .models
        .iter()
        .zip(&comparison.differences)
        .map(|(model, difference)| {
            let mut object = Object::new();
            object.string("model", model);
            object.raw("states", &strings(&difference.states));
            object.raw("flags", &strings(&difference.flags));
            object.end()
        })
        .collect();
    let mut object = Object::new();
    object.string("file", &comparison.file);
    object.raw("models", &strings(&comparison.models));
    object.raw("equal", if comparison.differs() { "false" } else { "true" });
    object.raw("only", &array(&only));
    object.end()
}
