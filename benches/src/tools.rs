//! The two tools that are measured: how each is called for a test under a model, and where it writes its answer.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A test to run.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) path: PathBuf,
    pub(crate) group: Group,
}

/// What tests must share to go into one process: the options of a call.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Group {
    /// A model under its name in treville; none: the default of the dialect.
    pub(crate) model: Option<String>,
    pub(crate) mixed: bool,
}

/// A tool and where it is.
#[derive(Clone, Debug)]
pub(crate) enum Tool {
    Treville {
        program: PathBuf,
        /// Whether all final states are asked for, as the peer always lists them, or the answer alone.
        states: bool,
    },
    Herd {
        program: PathBuf,
        /// The folder with the kernel's model, bell file and macros: they are not in the tool's own library.
        linux: Option<PathBuf>,
    },
}

impl Tool {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Tool::Treville { .. } => "treville",
            Tool::Herd { .. } => "herd7",
        }
    }

    /// The call for one file; none if the tool lacks what it needs.
    pub(crate) fn call(&self, case: &Case) -> Option<Command> {
        let mut command = self.options(&case.group)?;
        command.arg(&case.path);
        Some(command)
    }

    /// The call for many files of one group in one process; `list` is where their names are written.
    pub(crate) fn call_for_all(&self, group: &Group, files: &[&Path], list: &Path) -> io::Result<Option<Command>> {
        let names: String = files.iter().map(|f| format!("{}\n", f.display())).collect();
        fs::write(list, names)?;
        let command = self.options(group).map(|mut command| {
            match self {
                Tool::Treville { .. } => command.arg(format!("@{}", list.display())),
                // A list is a file whose own name begins with @.
                Tool::Herd { .. } => command.arg(list),
            };
            command
        });
        Ok(command)
    }

    fn options(&self, group: &Group) -> Option<Command> {
        match self {
            Tool::Treville { program, states } => {
                let mut command = Command::new(program);
                command.args(["verify", "--json"]);
                if *states {
                    command.arg("--states");
                }
                if let Some(model) = &group.model {
                    command.args(["--model", model]);
                }
                Some(command)
            }
            Tool::Herd { program, linux } => {
                let mut command = Command::new(program);
                match group.model.as_deref() {
                    // The defaults of their dialects.
                    None | Some("aarch64" | "arm" | "power" | "riscv") => {}
                    Some("tso") => drop(command.args(["-model", "x86tso.cat"])),
                    Some("c11") => drop(command.args(["-macros", "c11.def", "-model", "c11_partialSC.cat"])),
                    Some("rc11") => drop(command.args(["-macros", "c11.def", "-model", "rc11.cat"])),
                    Some("linux-kernel") => {
                        command.arg("-I").arg(linux.as_ref()?).args(["-variant", "lkmmv2"]);
                        command.args(["-macros", "linux-kernel.def", "-bell", "linux-kernel.bell"]);
                        command.args(["-model", "linux-kernel.cat"]);
                    }
                    Some(other) => drop(command.args(["-model", &format!("{other}.cat")])),
                }
                if group.mixed {
                    command.args(["-variant", "mixed"]);
                }
                Some(command)
            }
        }
    }

    /// The first answer in the output of a run: `yes`, `no`, `undefined`, or another word for none.
    pub(crate) fn answer(&self, output: &str) -> Option<String> {
        match self {
            Tool::Treville { .. } => json_string(output, "verdict"),
            Tool::Herd { .. } => output.lines().find_map(|line| match line {
                "Ok" => Some("yes".to_owned()),
                "No" => Some("no".to_owned()),
                "Undef" => Some("undefined".to_owned()),
                _ => None,
            }),
        }
    }
}

/// The value of a key of a JSON object, if it is a string; enough for the lines that are read here.
pub(crate) fn json_string(text: &str, key: &str) -> Option<String> {
    let rest = &text[text.find(&format!("\"{key}\":"))? + key.len() + 3..];
    let mut chars = rest.trim_start().strip_prefix('"')?.chars();
    let mut value = String::new();
    loop {
        match chars.next()? {
            '"' => return Some(value),
            '\\' => value.push(chars.next()?),
            c => value.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_found() {
        let treville = Tool::Treville { program: "t".into(), states: true };
        assert_eq!(treville.answer("{\"file\":\"a\",\"verdict\":\"no\"}\n").as_deref(), Some("no"));
        let herd = Tool::Herd { program: "h".into(), linux: None };
        assert_eq!(herd.answer("Test SB Allowed\nStates 1\n0:EAX=0;\nOk\nWitnesses\n").as_deref(), Some("yes"));
        assert_eq!(herd.answer(""), None);
    }

    #[test]
    fn strings_of_json_lines() {
        assert_eq!(json_string(r#"{"file": "a\"b.litmus", "n": 1}"#, "file").as_deref(), Some("a\"b.litmus"));
        assert_eq!(json_string(r#"{"n": 1}"#, "n"), None);
        assert_eq!(json_string("{}", "file"), None);
    }
}
