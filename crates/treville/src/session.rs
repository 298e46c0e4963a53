//! A session: where files are, and the models that were linked so far. Shared by the threads of a batch.

use crate::claims;
use crate::engines::Engines;
use crate::front_ends::{self, Context, Loaded};
use crate::library::{Library, Linked};
use crate::mapped::mapped;
use crate::{Files, ModelOptions, Options, RunOptions, States, refusal, unreadable};
use std::sync::Arc;
use std::time::Instant;
use treville_base::{Cancel, Name};
use treville_report::Failure;
use treville_task::{Bounds, Engine, Limits, Semantics, Task};

pub struct Session<'f> {
    pub(crate) files: &'f dyn Files,
    pub(crate) library: Library<'f>,
    pub(crate) engines: Engines,
    pub(crate) cancel: Cancel,
}

/// Everything that is needed to run an engine on one file.
pub(crate) struct Prepared {
    pub(crate) loaded: Loaded,
    pub(crate) model: Arc<Linked>,
    pub(crate) engine: Arc<dyn Engine>,
    /// The engines that are asked if the first one has no answer, where the tool chooses.
    pub(crate) spares: Option<Vec<Arc<dyn Engine>>>,
    /// The engine that checks the first one, by the name that the call gave it.
    pub(crate) second: Option<(String, Arc<dyn Engine>)>,
    pub(crate) task: Task,
    pub(crate) states: States,
}

impl<'f> Session<'f> {
    /// `cancel` stops every run of the session.
    pub fn new(files: &'f dyn Files, cancel: Cancel) -> Self {
        Session { files, library: Library::new(files), engines: Engines::default(), cancel }
    }

    /// What stops a run: the session's own stop, and the limits of the call.
    pub(crate) fn cancel_for(&self, run: &RunOptions) -> Cancel {
        let deadline = run.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let cancel = deadline.map_or_else(|| self.cancel.clone(), |deadline| self.cancel.with_deadline(deadline));
        run.effort.map_or_else(|| cancel.clone(), |effort| cancel.with_effort(effort))
    }

    /// Whether the files and folders that the options name are there, even if no program will need them.
    ///
    /// # Errors
    /// The first that is not.
    pub fn check_files(&self, options: &ModelOptions) -> Result<(), String> {
        if let Some(folder) = options.include.iter().find(|folder| !self.files.is_folder(folder)) {
            return Err(format!("--include {folder}: no such folder"));
        }
        let named =
            options.macros.iter().map(|file| ("--macros", file)).chain(options.bell.as_ref().map(|f| ("--bell", f)));
        for (option, file) in named {
            self.library.find(file, &options.include).map_err(|failure| format!("{option} {}", failure.reason))?;
        }
        Ok(())
    }

    pub(crate) fn load(&self, path: &str, options: &Options) -> Result<Loaded, Failure> {
        let text = self.files.read(path).map_err(|why| unreadable(format!("{path}: {why}")))?;
        self.read_text(path, &text, options)
    }

    /// A program, with another condition in place of its own.
    pub(crate) fn load_asking(&self, path: &str, outcome: Option<&str>, options: &Options) -> Result<Loaded, Failure> {
        let loaded = self.load(path, options)?;
        let Some(outcome) = outcome else { return Ok(loaded) };
        let Some(span) = loaded.question.span else {
            return Err(unreadable("the test has no condition that another could replace"));
        };
        let text = &loaded.sources.file(span.file).text;
        let (before, after) = (&text[..span.start as usize], &text[span.end as usize..]);
        let outcome = outcome.trim();
        let quantified = ["exists", "~exists", "forall"].iter().any(|word| outcome.starts_with(word));
        let condition = if quantified { outcome.to_owned() } else { format!("exists ({outcome})") };
        self.read_text(path, &format!("{before}{condition}{after}"), options)
    }

    fn read_text(&self, path: &str, text: &str, options: &Options) -> Result<Loaded, Failure> {
        let context = Context {
            macros: &|| self.library.macros(&options.model),
            kernel: says_kernel(&options.model).then_some(true),
            weak_cas: options.run.weak_cas,
        };
        mapped(front_ends::load(path, text, &context)?, &options.model)
    }

    pub(crate) fn prepare(&self, path: &str, options: &Options) -> Result<Prepared, Failure> {
        let loaded = self.load(path, options)?;
        let model = self.library.linked(&options.model, &loaded.program)?;
        self.prepare_loaded(loaded, model, options)
    }

    pub(crate) fn prepare_loaded(
        &self,
        loaded: Loaded,
        model: Arc<Linked>,
        options: &Options,
    ) -> Result<Prepared, Failure> {
        let engine = self.engines.choose(&options.run).map_err(unreadable)?;
        let named = |name: &String| self.engines.named(name).map(|engine| (name.clone(), engine));
        let second = options.run.named_check().map(named).transpose().map_err(unreadable)?;
        let spares = self.engines.spares(&options.run);
        let mut task = self.task(&loaded, &model, options)?;
        if options.run.engine.as_deref() == Some(claims::ENGINE) {
            if second.is_some() {
                return Err(unreadable(
                    "--cross-check: no other engine runs machines; compare with the model of that name",
                ));
            }
            task.program = Arc::new(treville_passes::with_known_addresses(&task.program, &task.limits.cancel));
            task.semantics = Semantics::Machine(Name::new(&model.name));
            task.limits.states = options.run.max_states;
            task.bounds =
                Bounds { messages: options.run.max_messages, actions: options.run.max_actions, ..task.bounds };
        }
        engine.supports(&task).map_err(|why| refusal(engine.info().name, &why, &loaded.sources))?;
        Ok(Prepared { loaded, model, engine, spares, second, task, states: options.run.states })
    }

    fn task(&self, loaded: &Loaded, model: &Linked, options: &Options) -> Result<Task, Failure> {
        let run = &options.run;
        if !run.properties.is_empty() {
            return Err(unreadable("--property is about programs; a litmus test asks its own question"));
        }
        let unroll = match (run.bound, loaded.info.iter().find(|(key, _)| key == "Unroll")) {
            (Some(bound), _) => bound,
            (None, Some((_, text))) => {
                text.trim().parse().map_err(|_| unreadable(format!("Unroll={text} is not a number")))?
            }
            (None, None) => Bounds::default().unroll,
        };
        let cancel = self.cancel_for(run);
        Ok(Task {
            bundled: model.bundled.clone(),
            question: Some(Arc::clone(&loaded.question)),
            queries: Task::litmus_queries(&loaded.question),
            bounds: Bounds { unroll, given: run.bound, events: run.max_events, ..Bounds::default() },
            limits: Limits { cancel, memory_mb: run.memory_mb, threads: run.threads, states: None },
            // Engines that check each other compare everything.
            states: run.states != States::Unlisted || run.named_check().is_some(),
            reductions: run.reductions,
            ..Task::new(
                Arc::clone(&loaded.program),
                Semantics::Axioms(Arc::clone(&model.model), Arc::clone(&model.vocabulary)),
            )
        })
    }
}

/// Whether the call means C of the Linux kernel: its model (ours, or a file of that name), or a bell file, which only it has.
fn says_kernel(model: &ModelOptions) -> bool {
    let file = model.name.as_deref().and_then(|name| name.rsplit('/').next());
    matches!(file, Some("linux-kernel" | "linux-kernel.cat")) || model.bell.is_some()
}
