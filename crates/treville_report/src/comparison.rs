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

#[cfg(test)]
mod tests {
    use super::*;

    fn found(states: &[&str]) -> Comparison {
        let only = Difference { states: states.iter().map(|s| (*s).to_owned()).collect(), flags: vec!["race".into()] };
        Comparison {
            file: "SB.litmus".into(),
            test: "SB".into(),
            models: ["sc".into(), "tso".into()],
            differences: [Difference::default(), if states.is_empty() { Difference::default() } else { only }],
        }
    }

    #[test]
    fn differences_say_whose_they_are() {
        let expected = "SB: sc and tso differ\n  only tso  0:EAX=0;\n  only tso  flag race\n";
        assert_eq!(comparison(&found(&["0:EAX=0;"]), Palette::PLAIN), expected);
        assert_eq!(comparison(&found(&[]), Palette::PLAIN), "SB: sc and tso allow the same outcomes\n");
    }

    #[test]
    fn json_has_both_models() {
        let expected = concat!(
            r#"{"file":"SB.litmus","models":["sc","tso"],"equal":false,"only":[{"model":"sc","states":[],"flags":[]},"#,
            r#"{"model":"tso","states":["0:EAX=0;"],"flags":["race"]}]}"#
        );
        assert_eq!(comparison_json(&found(&["0:EAX=0;"])), expected);
    }
}
