//! A format: one line of comma-separated values.

use treville_verifier::report::Format;

pub(crate) const CSV: Format = Format {
    name: "csv",
    about: "file, model, engine, verdict",
    for_people: false,
    lists_states: false,
    write: |report, _, _| {
        let verdict = report.verdict().as_str();
        Some(format!("{},{},{},{verdict}\n", report.file, report.model, report.engine))
    },
};
