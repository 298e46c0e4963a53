//! A session: where files are, what can be read and run, and the models that were linked so far. Shared by the threads of a batch.

use crate::engines::Engines;
use crate::registry::Registry;
use crate::{Options, RunOptions};
use treville_base::{Cancel, Files, now};
use treville_jobs::mapped;
use treville_model::Family;
use treville_models::{Catalogue, Library, ModelOptions};
use treville_task::{CheckError, ReadOptions, Source, Subject, Test};

pub struct Session<'f> {
    pub(crate) files: &'f dyn Files,
    pub(crate) library: Library<'f>,
    pub(crate) registry: Registry,
    pub(crate) engines: Engines,
    pub(crate) cancel: Cancel,
}

impl<'f> Session<'f> {
    /// `cancel` stops every run of the session.
    pub fn new(files: &'f dyn Files, cancel: Cancel) -> Self {
        Session::with(Registry::default(), files, cancel)
    }

    /// With the front ends and engines of a registry.
    pub fn with(registry: Registry, files: &'f dyn Files, cancel: Cancel) -> Self {
        let engines = Engines::new(&registry);
        let library = Library::with(registry.models.clone(), files);
        Session { files, library, registry, engines, cancel }
    }

    /// What stops a run: the session's own stop, and the limits of the call.
    pub(crate) fn cancel_for(&self, run: &RunOptions) -> Cancel {
        let deadline = run.timeout.and_then(|timeout| now().checked_add(timeout));
        let cancel = deadline.map_or_else(|| self.cancel.clone(), |deadline| self.cancel.with_deadline(deadline));
        run.effort.map_or_else(|| cancel.clone(), |effort| cancel.with_effort(effort))
    }

    /// A model as it was named; the bundled one, if it was named with `.cat` and there is no such file.
    pub fn named_model(&self, name: &str, options: &ModelOptions) -> String {
        self.library.named(name, &options.include)
    }

    /// Whether the files and folders that the options name are there, even if no program will need them.
    ///
    /// # Errors
    /// The first that is not.
    pub fn check_files(&self, options: &ModelOptions) -> Result<(), String> {
        if let Some(folder) = options.include.iter().find(|folder| !self.files.is_folder(folder)) {
            return Err(format!("option `include` {folder}: no such folder"));
        }
        let named = options
            .macros
            .iter()
            .map(|file| ("option `macros`", file))
            .chain(options.bell.as_ref().map(|f| ("option `bell`", f)));
        for (option, file) in named {
            self.library.find(file, &options.include).map_err(|failure| format!("{option} {}", failure.reason))?;
        }
        Ok(())
    }

    /// What the front end for a file makes of it. A test in C under a hardware model is compiled for its architecture.
    pub(crate) fn read(&self, path: &str, options: &Options, cancel: &Cancel) -> Result<Subject, CheckError> {
        let front_end = self.registry.front_end(path)?;
        let text = self.files.read(path).map_err(|why| CheckError::usage(format!("{path}: {why}")))?;
        let read = read_options(options, &self.registry.models);
        let others = |other: &str| self.read(other, options, cancel);
        let source = Source { path, text: &text, files: self.files, options: &read, cancel, others: &others };
        self.mapped(front_end.read(&source)?, &options.model)
    }

    fn mapped(&self, subject: Subject, model: &ModelOptions) -> Result<Subject, CheckError> {
        match subject {
            Subject::Test(test) => mapped(test, model, &self.registry.models).map(Subject::Test),
            Subject::Program(_) | Subject::Claims(_) | Subject::Remote(_) => Ok(subject),
        }
    }

    /// A litmus test, or an error that says what the file is.
    pub(crate) fn read_test(&self, path: &str, options: &Options, cancel: &Cancel) -> Result<Test, CheckError> {
        match self.read(path, options, cancel)? {
            Subject::Test(test) => Ok(test),
            other => Err(not_a_test(path, &other)),
        }
    }

    /// A test, with another condition in place of its own.
    pub(crate) fn read_asking(
        &self,
        path: &str,
        outcome: Option<&str>,
        options: &Options,
        cancel: &Cancel,
    ) -> Result<Test, CheckError> {
        let test = self.read_test(path, options, cancel)?;
        let Some(outcome) = outcome else { return Ok(test) };
        let Some(span) = test.question.span else {
            return Err(CheckError::usage("the test has no condition that another could replace"));
        };
        let text = &test.sources.file(span.file).text;
        let (before, after) = (&text[..span.start as usize], &text[span.end as usize..]);
        let outcome = outcome.trim();
        let quantified = ["exists", "~exists", "forall"].iter().any(|word| outcome.starts_with(word));
        let condition = if quantified { outcome.to_owned() } else { format!("exists ({outcome})") };
        let text = format!("{before}{condition}{after}");
        let read = read_options(options, &self.registry.models);
        let others = |other: &str| self.read(other, options, cancel);
        let source = Source { path, text: &text, files: self.files, options: &read, cancel, others: &others };
        let subject = self.registry.front_end(path)?.read(&source)?;
        match self.mapped(subject, &options.model)? {
            Subject::Test(test) => Ok(test),
            other => Err(not_a_test(path, &other)),
        }
    }
}

fn read_options(options: &Options, catalogue: &Catalogue) -> ReadOptions {
    let model = &options.model;
    ReadOptions {
        model: model.name.clone(),
        kernel: means_kernel(model, catalogue).then_some(true),
        weak_cas: options.run.weak_cas,
        cflags: options.run.cflags.clone(),
        macros: model.macros.clone(),
        include: model.include.clone(),
    }
}

fn not_a_test(path: &str, subject: &Subject) -> CheckError {
    CheckError::usage(match subject {
        Subject::Test(_) => format!("{path} is a litmus test"),
        Subject::Program(_) => format!("{path} is a program, and this is about the final states of litmus tests"),
        Subject::Claims(_) => {
            format!("{path} says itself what holds of its runs, and this is about the final states of litmus tests")
        }
        Subject::Remote(_) => {
            format!(
                "{path}: this is about executions, which programs on remote memory do not have: `verify` shows their runs"
            )
        }
    })
}

/// Whether the call means C of the Linux kernel: its model (ours, or a file of that name), or a bell file, which only it has.
fn means_kernel(model: &ModelOptions, catalogue: &Catalogue) -> bool {
    let file = model.name.as_deref().and_then(|name| name.rsplit('/').next());
    let facts = file.and_then(|name| catalogue.find(name)).and_then(|file| file.model());
    facts.is_some_and(|facts| facts.family == Family::Kernel) || model.bell.is_some()
}
