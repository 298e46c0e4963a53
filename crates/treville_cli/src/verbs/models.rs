//! `treville models`, `treville models check`, and `treville --version`.

use super::{configure, say_failure};
use crate::args::{ModelFileArgs, ModelsArgs, ModelsVerb};
use crate::disk::Disk;
use crate::exit::Status;
use crate::output::Output;
use treville_verifier::base::{Cancel, Severity};
use treville_verifier::report::{Paint, render_diagnostics};
use treville_verifier::{Options, Registry, Session};

pub(crate) fn run(args: &ModelsArgs, output: &mut Output) -> Status {
    match &args.verb {
        None => list(output),
        Some(ModelsVerb::Check { model, files, dialect }) => check(model, files, dialect.as_deref(), output),
    }
}

fn list(output: &mut Output) -> Status {
    let palette = output.palette;
    let row = |m: &treville_verifier::BundledInfo| format!("{}{}\n", palette.pad(Paint::Strong, m.name, 14), m.about);
    let text: String = Registry::default().models.models().iter().map(row).collect();
    let _ = output.print(&text);
    Status::Yes
}

/// The version with a hash of each bundled model's text: two installations with equal lines give equal answers.
pub(crate) fn version(output: &mut Output) -> Status {
    let mut text = format!("treville {}\n", env!("CARGO_PKG_VERSION"));
    for model in Registry::default().models.models() {
        text += &format!("  {:<14} {:016x}\n", model.name, model.hash);
    }
    text += &format!("  {:<14} {:016x}\n", "(library)", treville_verifier::bundled_library_hash());
    let _ = output.print(&text);
    Status::Yes
}

fn check(model: &str, files: &ModelFileArgs, dialect: Option<&str>, output: &mut Output) -> Status {
    let session = Session::new(&Disk, Cancel::new());
    let mut options = Options { model: files.options(Some(model)), ..Options::default() };
    if let Err(status) = configure(&session, files.config.as_deref(), &mut options, output) {
        return status;
    }
    match session.check_model(&options.model, dialect) {
        Err(failure) => say_failure(model, &failure, output),
        Ok(checked) => {
            let found = render_diagnostics(&checked.diagnostics, &checked.sources, output.palette);
            let warnings = checked.diagnostics.iter().filter(|d| d.severity == Severity::Warning).count();
            let plural = |n: usize, word: &str| if n == 1 { format!("1 {word}") } else { format!("{n} {word}s") };
            let line = format!(
                "{model}: {}, {}, {}\n",
                plural(checked.axioms, "axiom"),
                plural(checked.definitions, "definition"),
                plural(warnings, "warning")
            );
            let _ = output.print(&(found + &line));
            Status::Yes
        }
    }
}
