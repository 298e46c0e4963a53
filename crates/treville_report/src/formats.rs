//! The formats of reports, one row each. Users of the library may add their own.

use crate::{Details, Palette, herd, json, text};
use treville_task::Report;

/// A way to write what is said of a file.
#[derive(Clone, Copy)]
pub struct Format {
    pub name: &'static str,
    /// One line for people.
    pub about: &'static str,
    /// Whether it is for people: a batch of files then is a table.
    pub for_people: bool,
    /// Whether it needs all final states.
    pub lists_states: bool,
    /// None if it has no words for such a report.
    pub write: fn(report: &Report, details: Details, palette: Palette) -> Option<String>,
}

pub const FORMATS: &[Format] = &[
    Format {
        name: "text",
        about: "the verdict first, then what it rests on",
        for_people: true,
        lists_states: false,
        write: |report, details, palette| Some(text(report, details, palette)),
    },
    Format {
        name: "herd",
        about: "as the tool of that name does, for scripts",
        for_people: false,
        lists_states: true,
        write: |report, _, _| herd(report),
    },
    Format {
        name: "json",
        about: "one object a file, on one line",
        for_people: false,
        lists_states: false,
        write: |report, details, _| Some(json(report, details) + "\n"),
    },
];
