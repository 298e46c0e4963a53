//! Models: bundled by name, others by path; linked once for each vocabulary and then shared.

use crate::files::{Files, folder_of, join};
use crate::front_ends::MacroFile;
use crate::{ModelOptions, failure, unreadable, vocabulary};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use treville_base::{Name, SourceMap};
use treville_cat::Loaded as LoadedText;
use treville_event::Vocabulary;
use treville_ir::Dialect;
use treville_model::{Model, syntax::Unit};
use treville_report::Failure;

/// A model, linked for a dialect.
pub(crate) struct Linked {
    pub(crate) name: String,
    pub(crate) model: Arc<Model>,
    pub(crate) vocabulary: Arc<Vocabulary>,
    /// The texts that the model's spans point into.
    pub(crate) sources: Arc<SourceMap>,
}

/// What `treville models` lists.
pub struct BundledInfo {
    pub name: &'static str,
    pub about: String,
    /// Of the text of the model and everything that it includes.
    pub hash: u64,
}

/// Comes before every model.
const STDLIB: &str = "stdlib.cat";

/// How the kernel's functions are made of primitives.
const KERNEL_MACROS: &str = "linux-kernel.def";

type Key = (ModelOptions, Name);

pub(crate) struct Library<'f> {
    files: &'f dyn Files,
    linked: Mutex<BTreeMap<Key, Result<Arc<Linked>, Failure>>>,
    macros: Mutex<BTreeMap<ModelOptions, Result<Option<Arc<MacroFile>>, Failure>>>,
}

/// A parsed model with the texts it came from.
pub(crate) struct Parsed {
    pub(crate) name: String,
    /// The standard library, a bell file if there is one, and the model.
    pub(crate) units: Vec<Unit>,
    pub(crate) sources: Arc<SourceMap>,
}

impl<'f> Library<'f> {
    pub(crate) fn new(files: &'f dyn Files) -> Self {
        Library { files, linked: Mutex::default(), macros: Mutex::default() }
    }

    /// The model for a dialect; the dialect's own if none is named.
    pub(crate) fn linked(&self, options: &ModelOptions, dialect: &Dialect) -> Result<Arc<Linked>, Failure> {
        let key = (options.clone(), dialect.name.clone());
        // Held while linking: the other threads of a batch want the same model and would link it as well.
        let mut linked = self.linked.lock().unwrap_or_else(PoisonError::into_inner);
        linked.entry(key).or_insert_with(|| self.link(options, dialect).map(Arc::new)).clone()
    }

    fn link(&self, options: &ModelOptions, dialect: &Dialect) -> Result<Linked, Failure> {
        let name = options.name.as_deref().unwrap_or(&dialect.default_model);
        let parsed = self.parse(name, options)?;
        let variants: BTreeSet<Name> = options.variants.iter().map(|v| Name::new(v)).collect();
        let vocabulary = vocabulary::choose(dialect, &parsed.units, &variants);
        let model = treville_model::link(&parsed.units.iter().collect::<Vec<_>>(), &vocabulary);
        let model = model.map_err(|diagnostics| failure(diagnostics, Arc::clone(&parsed.sources)))?;
        Ok(Linked {
            name: parsed.name,
            model: Arc::new(model),
            vocabulary: Arc::new(vocabulary),
            sources: parsed.sources,
        })
    }

    /// Reads a model and what it includes, the standard library and the bell file before it.
    pub(crate) fn parse(&self, name: &str, options: &ModelOptions) -> Result<Parsed, Failure> {
        let include = &options.include;
        let mut texts = vec![self.standard_library(include)?];
        if let Some(bell) = &options.bell {
            texts.push(self.find(bell, include)?);
        }
        texts.push(self.model_text(name, include)?);
        let loader = |file: &str, from: &str| self.included(file, from, include);
        let mut sources = SourceMap::new();
        let (mut units, mut errors) = (Vec::new(), Vec::new());
        for (path, text) in &texts {
            match treville_cat::parse_unit(path, text, &mut sources, &loader) {
                Ok(unit) => units.push(unit),
                Err(found) => errors.extend(found),
            }
        }
        let sources = Arc::new(sources);
        if errors.is_empty() {
            Ok(Parsed { name: name.to_owned(), units, sources })
        } else {
            Err(failure(errors, sources))
        }
    }

    /// A `stdlib.cat` in a folder of the call comes before the bundled one.
    fn standard_library(&self, include: &[String]) -> Result<(String, String), Failure> {
        let loaded = self.included(STDLIB, "", include);
        let loaded = loaded.ok_or_else(|| unreadable(format!("{STDLIB} was not found")))?;
        Ok((loaded.name, loaded.text.to_string()))
    }

    fn model_text(&self, name: &str, include: &[String]) -> Result<(String, String), Failure> {
        if let Some(text) = bundled(&format!("{name}.cat")) {
            return Ok((format!("{name}.cat"), text.to_owned()));
        }
        let path = |name: &str| name.contains('/') || name.ends_with(".cat");
        if !path(name) {
            let known = bundled_models().iter().map(|m| m.name).collect::<Vec<_>>().join(", ");
            return Err(unreadable(format!("there is no bundled model `{name}` (there are: {known}; a path ends in .cat)")));
        }
        self.find(name, include)
    }

    /// The macro definitions of the call, one after the other; the bundled ones of the Linux kernel if there are none.
    pub(crate) fn macros(&self, options: &ModelOptions) -> Result<Option<Arc<MacroFile>>, Failure> {
        let mut macros = self.macros.lock().unwrap_or_else(PoisonError::into_inner);
        macros.entry(options.clone()).or_insert_with(|| self.read_macros(options)).clone()
    }

    fn read_macros(&self, options: &ModelOptions) -> Result<Option<Arc<MacroFile>>, Failure> {
        let files = options.macros.iter().map(|name| self.find(name, &options.include));
        let files = files.collect::<Result<Vec<_>, _>>()?;
        let (names, texts): (Vec<String>, Vec<String>) = match files.is_empty() {
            false => files.into_iter().unzip(),
            true => match bundled(KERNEL_MACROS) {
                Some(text) => (vec![KERNEL_MACROS.to_owned()], vec![text.to_owned()]),
                None => return Ok(None),
            },
        };
        MacroFile::parse(names.join(", "), texts.join("\n")).map(|file| Some(Arc::new(file)))
    }

    /// A file that was named on the command line: as a path, then in the folders.
    pub(crate) fn find(&self, name: &str, include: &[String]) -> Result<(String, String), Failure> {
        let candidates = std::iter::once(name.to_owned()).chain(include.iter().map(|folder| join(folder, name)));
        let path = candidates.into_iter().find(|path| self.files.is_file(path)).unwrap_or_else(|| name.to_owned());
        let text = self.files.read(&path).map_err(|why| unreadable(format!("{path}: {why}")))?;
        Ok((path, text))
    }

    /// A file that a model includes: from the model's own folder, then the folders of the call, then the bundled library.
    fn included(&self, file: &str, from: &str, include: &[String]) -> Option<LoadedText> {
        let own = if self.files.is_file(from) { Some(folder_of(from).unwrap_or(".")) } else { None };
        let folders = own.into_iter().chain(include.iter().map(String::as_str));
        let found = folders.map(|folder| join(folder, file)).chain([file.to_owned()]).find(|p| self.files.is_file(p));
        if let Some(path) = found {
            let text = self.files.read(&path).ok()?;
            return Some(LoadedText { name: path, text: text.into() });
        }
        bundled(file).map(|text| LoadedText { name: file.to_owned(), text: text.into() })
    }
}

/// The bundled models, by name.
pub fn bundled_models() -> Vec<BundledInfo> {
    Vec::new()
}

fn bundled(_: &str) -> Option<&'static str> { None }
