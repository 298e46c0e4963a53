//! Parsing tests, linking models, making tasks: what the facade does for a user, without files, options and reports, so that
//! engines can be tested without it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use treville_base::{Cancel, Diagnostic, Name, SourceMap};
use treville_cat::{BUNDLED_ONLY, bundled, parse_unit};
use treville_event::Vocabulary;
use treville_ir::{Dialect, Program};
use treville_litmus::{Litmus, Macros, Options};
use treville_model::syntax::Unit;
use treville_model::{DialectFacts, Model, link, vocabulary};
use treville_task::{Bounds, Limits, Reductions, Semantics, Task};

/// The folder of golden cases.
pub fn cases_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases")
}

/// A model, linked for a dialect.
#[derive(Debug)]
pub struct Linked {
    pub name: Name,
    pub model: Arc<Model>,
    pub vocabulary: Arc<Vocabulary>,
}

/// Dialect, model, and the tags that are known to be absent.
type Key = (Name, String, Vec<Name>);

/// Linked models are kept; the laboratory is shared by threads.
pub struct Lab {
    macros: Arc<Macros>,
    /// The text of a model and of its bell file, by name.
    own: BTreeMap<String, (String, Option<String>)>,
    /// The variants of models that are on.
    variants: BTreeSet<Name>,
    linked: Mutex<BTreeMap<Key, Arc<Linked>>>,
}

impl Lab {
    /// With the models of `cases/models`.
    pub fn new() -> Self {
        let text = bundled("linux-kernel.def").expect("the bundled macros").text;
        let file = SourceMap::new().add("linux-kernel.def", text);
        let macros = treville_litmus::parse_macros(file, text).expect("correct macros");
        let (own, variants) = (BTreeMap::new(), BTreeSet::new());
        let mut lab = Lab { macros: Arc::new(macros), own, variants, linked: Mutex::default() };
        let folder = cases_folder().join("models");
        for entry in std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
            let path = entry.expect("a readable folder").path();
            if path.extension().is_some_and(|e| e == "cat") {
                let read = |path: &Path| std::fs::read_to_string(path);
                let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                lab.add_model(&name, &read(&path).expect("a readable model"), read(&path.with_extension("bell")).ok());
            }
        }
        lab
    }

    /// With a variant of models turned on, as it is for programs.
    #[must_use]
    pub fn with_variant(mut self, variant: &str) -> Self {
        self.variants.insert(Name::new(variant));
        self
    }

    /// A model by its text; it hides a bundled one of the same name.
    pub fn add_model(&mut self, name: &str, cat: &str, bell: Option<String>) {
        self.own.insert(name.to_owned(), (cat.to_owned(), bell));
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

    /// A model for programs of a dialect.
    ///
    /// # Errors
    /// If there is no such model, or it does not link.
    pub fn link(&self, model: &str, dialect: &Dialect) -> Result<Arc<Linked>, String> {
        self.link_without(model, dialect, Vec::new())
    }

    /// A model for one program: tags that it does not carry are known to be absent.
    ///
    /// # Errors
    /// As [`Lab::link`].
    pub fn link_for(&self, model: &str, program: &Program) -> Result<Arc<Linked>, String> {
        self.link_without(model, &program.dialect, program.absent_tags())
    }

    fn link_without(&self, model: &str, dialect: &Dialect, absent: Vec<Name>) -> Result<Arc<Linked>, String> {
        let key = (dialect.name.clone(), model.to_owned(), absent);
        if let Some(linked) = self.linked.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(Arc::clone(linked));
        }
        let mut sources = SourceMap::new();
        let texts = self.texts(model)?;
        let units = texts.iter().map(|(name, text)| parse_unit(name, text, &mut sources, &BUNDLED_ONLY));
        let units = units.collect::<Result<Vec<Unit>, _>>().map_err(|errors| messages(&sources, &errors))?;
        let units: Vec<&Unit> = units.iter().collect();
        let facts = DialectFacts {
            sets: &dialect.sets,
            absent: &key.2,
            fused_updates: dialect.fused_updates,
            po_inside: dialect.po_inside,
            branch_events: dialect.branch_events,
        };
        let vocabulary = vocabulary(&facts, units[0], &units[1..], &self.variants);
        let linked = link(&units, &vocabulary).map_err(|errors| messages(&sources, &errors))?;
        let linked =
            Arc::new(Linked { name: Name::new(model), model: Arc::new(linked), vocabulary: Arc::new(vocabulary) });
        self.linked.lock().unwrap_or_else(PoisonError::into_inner).insert(key, Arc::clone(&linked));
        Ok(linked)
    }

    /// The standard library, a bell file if there is one, and the model, each with its name.
    fn texts(&self, model: &str) -> Result<Vec<(String, &str)>, String> {
        let of_bundle = |name: &str| bundled(name).map(|file| (file.display_name(), file.text));
        let mut texts: Vec<(String, &str)> = of_bundle("stdlib").into_iter().collect();
        if let Some((cat, bell)) = self.own.get(model) {
            texts.extend(bell.iter().map(|bell| (format!("{model}.bell"), bell.as_str())));
            texts.push((format!("{model}.cat"), cat));
        } else {
            texts.extend(of_bundle(&format!("{model}.bell")));
            texts.push(of_bundle(&format!("{model}.cat")).ok_or_else(|| format!("there is no model {model}"))?);
        }
        Ok(texts)
    }

    /// The task that a test is, under a model.
    pub fn task(&self, litmus: &Litmus, linked: &Linked, cancel: Cancel) -> Task {
        let question = litmus.question.clone().expect("every test has a question");
        let unroll = litmus.info("Unroll").and_then(|n| n.trim().parse().ok());
        Task {
            program: Arc::new(litmus.program.clone()),
            semantics: Semantics::Axioms(Arc::clone(&linked.model), Arc::clone(&linked.vocabulary)),
            bundled: Some(Name::new(&linked.name)),
            queries: Task::litmus_queries(&question),
            question: Some(Arc::new(question)),
            bounds: unroll.map_or_else(Bounds::default, |unroll| Bounds {
                unroll,
                given: Some(unroll),
                ..Bounds::default()
            }),
            limits: Limits { cancel, ..Limits::default() },
            states: true,
            reductions: Reductions::default(),
            properties: std::collections::BTreeSet::new(),
            reference: None,
            symmetries: Vec::new(),
            stories: 0,
            retry: None,
            observer: None,
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
