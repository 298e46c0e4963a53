//! Parsing tests, linking models, making tasks: what the facade does for a user, without files, options and reports, so that
//! engines can be tested without it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use treville_base::{Cancel, Diagnostic, Files, MemoryFiles, SourceMap};
use treville_cat::bundled;
use treville_ir::{Dialect, Program};
use treville_litmus::{Litmus, Macros, Options};
use treville_model::Family;
use treville_models::{Catalogue, Library, ModelOptions};
use treville_task::{Bounds, CheckError, Limits, Semantics, Task};

pub use treville_models::Linked;

/// The folder of golden cases.
pub fn cases_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases")
}

/// Models are linked as they are for users, and kept; the laboratory is shared by threads.
pub struct Lab {
    macros: Arc<Macros>,
    /// The models of `cases/models` and of the test, as `<name>.cat` with `<name>.bell`.
    own: MemoryFiles,
    /// The variants of models that are on.
    variants: Vec<String>,
    library: Library<'static>,
}

impl Lab {
    /// With the models of `cases/models`.
    pub fn new() -> Self {
        let text = bundled("linux-kernel.def").expect("the bundled macros").text;
        let file = SourceMap::new().add("linux-kernel.def", text);
        let macros = treville_litmus::parse_macros(file, text).expect("correct macros");
        let folder = cases_folder().join("models");
        let mut own = MemoryFiles::default();
        for entry in std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
            let path = entry.expect("a readable folder").path();
            if path.extension().is_some_and(|e| e == "cat" || e == "bell") {
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                own.0.insert(name, std::fs::read_to_string(&path).expect("a readable model"));
            }
        }
        let library = Library::new(own.clone());
        Lab { macros: Arc::new(macros), own, variants: Vec::new(), library }
    }

    /// With a variant of models turned on, as it is for programs.
    #[must_use]
    pub fn with_variant(mut self, variant: &str) -> Self {
        self.variants.push(variant.to_owned());
        self
    }

    /// A model by its text; it hides a bundled one of the same name.
    pub fn add_model(&mut self, name: &str, cat: &str, bell: Option<&str>) {
        self.own.0.insert(format!("{name}.cat"), cat.to_owned());
        if let Some(bell) = bell {
            self.own.0.insert(format!("{name}.bell"), bell.to_owned());
        }
        self.library = Library::new(self.own.clone());
    }

    /// Parses a test; messages are put into one text.
    ///
    /// # Errors
    /// If the test is wrong.
    pub fn parse(&self, text: &str, kernel: Option<bool>) -> Result<Litmus, String> {
        let mut sources = SourceMap::new();
        let file = sources.add("test", text);
        let options = Options { macros: Some(Arc::clone(&self.macros)), kernel, weak_cas: false };
        treville_litmus::parse(file, text, &options).map_err(|errors| messages(&sources, &errors))
    }

    /// A test under a model, as `--model` has it: C is that of the Linux kernel if the model is.
    ///
    /// # Errors
    /// If the test is wrong, or the model is not for it.
    pub fn load(&self, text: &str, model: &str) -> Result<(Litmus, Arc<Linked>), String> {
        let kernel = (Catalogue::default().family(model) == Some(Family::Kernel)).then_some(true);
        let litmus = self.parse(text, kernel)?;
        let linked = self.link_for(model, &litmus.program)?;
        Ok((litmus, linked))
    }

    /// A model for programs of a dialect.
    ///
    /// # Errors
    /// If there is no such model, or it does not link.
    pub fn link(&self, model: &str, dialect: &Dialect) -> Result<Arc<Linked>, String> {
        self.library.linked_for(&self.options(model), dialect).map_err(message)
    }

    /// A model without some of its checks.
    ///
    /// # Errors
    /// As [`Lab::link`].
    pub fn link_skipping(&self, model: &str, dialect: &Dialect, checks: &[String]) -> Result<Arc<Linked>, String> {
        let options = ModelOptions { skip_checks: checks.to_vec(), ..self.options(model) };
        self.library.linked_for(&options, dialect).map_err(message)
    }

    /// A model for one program: tags that it does not carry are known to be absent.
    ///
    /// # Errors
    /// As [`Lab::link`].
    pub fn link_for(&self, model: &str, program: &Program) -> Result<Arc<Linked>, String> {
        self.library.linked(&self.options(model), program).map_err(message)
    }

    fn options(&self, model: &str) -> ModelOptions {
        let own = |name: String| self.own.is_file(&name).then_some(name);
        let name = own(format!("{model}.cat")).unwrap_or_else(|| model.to_owned());
        let (bell, variants) = (own(format!("{model}.bell")), self.variants.clone());
        ModelOptions { name: Some(name), bell, variants, ..ModelOptions::default() }
    }

    /// The task that a test is, under a model.
    pub fn task(&self, litmus: &Litmus, linked: &Linked, cancel: Cancel) -> Task {
        let question = litmus.question.clone().expect("every test has a question");
        let unroll = litmus.info("Unroll").and_then(|n| n.trim().parse().ok());
        let bounds =
            unroll.map_or_else(Bounds::default, |unroll| Bounds { unroll, given: Some(unroll), ..Bounds::default() });
        let semantics = Semantics::Axioms(Arc::clone(&linked.model), Arc::clone(&linked.vocabulary));
        Task {
            bundled: linked.bundled,
            queries: Task::litmus_queries(&question),
            question: Some(Arc::new(question)),
            bounds,
            limits: Limits { cancel, ..Limits::default() },
            states: true,
            ..Task::new(Arc::new(litmus.program.clone()), semantics)
        }
    }
}

impl Default for Lab {
    fn default() -> Self {
        Lab::new()
    }
}

fn messages(sources: &SourceMap, diagnostics: &[Diagnostic]) -> String {
    let show = |d: &Diagnostic| match d.span {
        Some(span) => {
            let at = sources.start(span);
            format!("{}:{}:{}: {}", sources.file(span.file).name, at.line, at.column, d.message)
        }
        None => d.message.clone(),
    };
    diagnostics.iter().map(show).collect::<Vec<_>>().join("\n")
}

fn message(error: CheckError) -> String {
    if error.diagnostics.is_empty() { error.reason } else { messages(&error.sources, &error.diagnostics) }
}
