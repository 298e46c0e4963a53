//! Two models on one program, for people and for scripts.

use crate::json::{Object, array, quoted};
use crate::{Paint, Palette, Reason, rejected};
use std::fmt::Write;

#[derive(Clone, PartialEq, Debug)]
pub struct Comparison {
    pub file: String,
    pub test: String,
    pub models: [String; 2],
    pub differences: [Difference; 2],
    /// Executions were looked for, not outcomes listed.
    pub by_execution: bool,
    /// Executions that are longer than the bound were not looked at.
    pub bounded: bool,
}

/// What only one of the models has.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Difference {
    /// Final states, sorted.
    pub states: Vec<String>,
    /// Flags that only it raises.
    pub flags: Vec<String>,
    /// An execution that only it allows.
    pub execution: Option<OnlyExecution>,
}

/// An execution that the other model forbids.
#[derive(Clone, PartialEq, Debug)]
pub struct OnlyExecution {
    /// Its final state.
    pub state: String,
    /// No execution that the other model allows ends so.
    pub own_state: bool,
    /// Why the other one forbids it.
    pub reason: Option<Reason>,
}

impl Comparison {
    pub fn differs(&self) -> bool {
        self.differences.iter().any(|d| !d.states.is_empty() || !d.flags.is_empty() || d.execution.is_some())
    }
}

pub fn comparison(comparison: &Comparison, palette: Palette) -> String {
    let mut out = String::new();
    let test = palette.paint(Paint::Strong, &comparison.test);
    let [a, b] = &comparison.models;
    if !comparison.differs() {
        let what = if comparison.by_execution { "executions" } else { "outcomes" };
        let scope = if comparison.bounded { ", up to the loop bound" } else { "" };
        return format!("{test}: {a} and {b} allow the same {what}{scope}\n");
    }
    let _ = writeln!(out, "{test}: {a} and {b} differ");
    let others = comparison.models.iter().rev();
    for ((model, other), difference) in comparison.models.iter().zip(others).zip(&comparison.differences) {
        for state in &difference.states {
            let _ = writeln!(out, "  only {}  {state}", palette.paint(Paint::Strong, model));
        }
        for flag in &difference.flags {
            let _ = writeln!(out, "  only {}  flag {flag}", palette.paint(Paint::Strong, model));
        }
        if let Some(execution) = &difference.execution {
            let how = match execution.own_state {
                true => format!("no execution of {other} ends so"),
                false => format!("an execution that {other} forbids, though others of it end so"),
            };
            let _ = writeln!(out, "  only {}  {}  ({how})", palette.paint(Paint::Strong, model), execution.state);
            if let Some(reason) = &execution.reason {
                let _ = writeln!(out, "\n  {other} forbids it:");
                rejected(reason, palette, &mut out);
            }
        }
    }
    out
}

/// `{"file":…,"models":[A,B],"equal":…,"only":[{"model":A,"states":[…],"flags":[…]},…]}`; where executions were looked for, with
/// `"execution":{"state":…,"own_state":…,"forbidden_by":…}` in the one that allows it, `"compared":"executions"` and `"bounded":…`.
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
            if let Some(execution) = &difference.execution {
                let mut found = Object::new();
                found.string("state", &execution.state);
                found.raw("own_state", if execution.own_state { "true" } else { "false" });
                if let Some(reason) = &execution.reason {
                    found.string("forbidden_by", &reason.axiom);
                }
                object.raw("execution", &found.end());
            }
            object.end()
        })
        .collect();
    let mut object = Object::new();
    object.string("file", &comparison.file);
    object.raw("models", &strings(&comparison.models));
    object.raw("equal", if comparison.differs() { "false" } else { "true" });
    object.raw("only", &array(&only));
    if comparison.by_execution {
        object.string("compared", "executions");
        object.raw("bounded", if comparison.bounded { "true" } else { "false" });
    }
    object.end()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(states: &[&str]) -> Comparison {
        let only = Difference {
            states: states.iter().map(|s| (*s).to_owned()).collect(),
            flags: vec!["race".into()],
            execution: None,
        };
        Comparison {
            file: "SB.litmus".into(),
            test: "SB".into(),
            models: ["sc".into(), "tso".into()],
            differences: [Difference::default(), if states.is_empty() { Difference::default() } else { only }],
            by_execution: false,
            bounded: false,
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
