//! `treville show`: executions as text, DOT, SVG or a page; programs for other tools.

use super::{cancel, configure, say_failure};
use crate::args::{ShowArgs, ShowFormat};
use crate::disk::Disk;
use crate::exit::Status;
use crate::output::Output;
use std::fmt::Write;
use treville_verifier::report::{Drawing, Exported, Paint, Palette, classical_b, dot, event_b, execution, html, svg};
use treville_verifier::{Session, ShowOptions, States};

pub(crate) fn run(args: &ShowArgs, output: &mut Output) -> Status {
    let show = ShowOptions {
        which: args.which,
        outcome: args.outcome.clone(),
        limit: args.limit.max(1),
        relations: args.relation.clone(),
    };
    let mut options = args.run.options(args.model.options(), States::Unlisted);
    let cancel = match cancel(&args.run, 1, output) {
        Ok(cancel) => cancel,
        Err(status) => return status,
    };
    let session = Session::new(&Disk, cancel);
    if let Err(status) = configure(&session, args.model.files.config.as_deref(), &mut options, output) {
        return status;
    }
    if let ShowFormat::EventB | ShowFormat::B = args.format {
        return match session.export(&args.input, &options) {
            Ok(exported) => export(args, &exported, output),
            Err(failure) => say_failure(&args.input, &failure, output),
        };
    }
    let shown = match session.show(&args.input, &show, &options) {
        Ok(shown) => shown,
        Err(failure) => return say_failure(&args.input, &failure, output),
    };
    if shown.drawings.is_empty() {
        output.error(&format!("{}: there is no such execution", args.input));
        return Status::No;
    }
    if shown.more {
        output.note(&format!("only the first {} executions are drawn (--limit)\n", shown.drawings.len()));
    }
    let palette = if args.output.is_some() { Palette::PLAIN } else { output.palette };
    let text = match args.format {
        ShowFormat::Text => texts(&shown.drawings, palette),
        ShowFormat::Dot => dot(&shown.drawings),
        ShowFormat::Svg => svg(&shown.drawings),
        ShowFormat::Html => html(&shown.title, &shown.program, &shown.drawings),
        ShowFormat::EventB | ShowFormat::B => String::new(),
    };
    write(args.output.as_deref(), &text, output)
}

/// A program in B: one machine, or the files of a Rodin project.
fn export(args: &ShowArgs, exported: &Exported, output: &mut Output) -> Status {
    let bound = match exported.least_actions {
        Some(least) => format!("{least} accesses lead to every state (initial writes included)"),
        None => "no number of accesses is known to lead to every state".to_owned(),
    };
    output.note(&format!("{}: at most {} accesses; {bound}\n", args.input, exported.max_actions));
    if args.format == ShowFormat::B {
        return write(args.output.as_deref(), &classical_b(exported), output);
    }
    let files = event_b(exported);
    let Some(folder) = args.output.as_deref().filter(|path| *path != "-") else {
        let texts: Vec<String> = files.iter().map(|file| format!("// {}\n{}", file.name, file.text)).collect();
        return write(None, &texts.join("\n"), output);
    };
    if let Err(error) = std::fs::create_dir_all(folder) {
        output.error(&format!("{folder}: {error}"));
        return Status::Wrong;
    }
    let path = |name: &str| std::path::Path::new(folder).join(name).to_string_lossy().into_owned();
    let written = files.iter().map(|file| write(Some(&path(&file.name)), &file.text, output));
    written.fold(Status::Yes, Status::and)
}

fn texts(drawings: &[Drawing], palette: Palette) -> String {
    let mut out = String::new();
    for (i, drawing) in drawings.iter().enumerate() {
        let gap = if i > 0 { "\n" } else { "" };
        let title = palette.paint(Paint::Strong, &drawing.title);
        let _ = write!(out, "{gap}{title}\n  {}\n\n{}", drawing.caption, execution(drawing, palette));
    }
    out
}

fn write(path: Option<&str>, text: &str, output: &mut Output) -> Status {
    match path {
        None | Some("-") => {
            let _ = output.print(text);
            Status::Yes
        }
        Some(path) => match std::fs::write(path, text) {
            Ok(()) => Status::Yes,
            Err(error) => {
                output.error(&format!("{path}: {error}"));
                Status::Wrong
            }
        },
    }
}
