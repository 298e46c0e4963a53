//! Models: bundled by name, others by path; linked once for each vocabulary and then shared.

use crate::catalogue::CXX20;
use crate::{Catalogue, ModelOptions, variants};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use treville_base::{Diagnostic, Files, Name, SourceMap, folder_of, join_path};
use treville_cat::{Bundled, Loaded as LoadedText, Loader, Role, WithBundled, bundled};
use treville_event::{Vocabulary, scope_set};
use treville_ir::{Dialect, Program};
use treville_model::syntax::{InsKind, Unit};
use treville_model::{DialectFacts, Family, HappensBefore, Model, ModelFacts, Term};
use treville_task::CheckError;

/// A model, linked for a dialect.
pub struct Linked {
    pub name: String,
    pub model: Arc<Model>,
    pub vocabulary: Arc<Vocabulary>,
    /// The texts that the model's spans point into.
    pub sources: Arc<SourceMap>,
    /// What is known of it, if it is a bundled one without any change.
    pub bundled: Option<&'static ModelFacts>,
}

/// What `treville models` lists.
pub struct BundledInfo {
    pub name: &'static str,
    pub about: String,
    /// Of the model's own text.
    pub hash: u64,
}

/// A hash of all files that bundled models include.
pub fn bundled_library_hash() -> u64 {
    let files = treville_cat::bundled_files().iter().filter(|file| file.role == Role::Library);
    files.fold(0, |hash: u64, file| hash.rotate_left(1) ^ file.hash())
}

/// Comes before every model.
const STDLIB: &str = "stdlib.cat";

/// What libraries and models may take for granted: all of them, and those that expect updates as pairs.
const NAMES: &str = "names.cat";
const NAMES_WITH_PAIRS: &str = "dartagnan.cat";

/// What happens before what in programs in C, for models that do not say it.
const HB_C11: &str = "hb-c11.cat";
/// What happens before what, as models call it, and the check for races.
const HAPPENS_BEFORE: &str = "hb";
const RACE: &str = "data-race";

/// Computed once, by whoever needs it first; the others wait.
type Once<T> = Arc<OnceLock<Result<Arc<T>, CheckError>>>;

pub struct Library<'f> {
    files: Box<dyn Files + Send + 'f>,
    pub catalogue: Catalogue,
    parsed: Mutex<BTreeMap<ModelOptions, Once<Parsed>>>,
    linked: Mutex<BTreeMap<Key, Once<Linked>>>,
}

/// A model is linked for a dialect and its sets (compiled programs have more than tests), for the tags that a program lacks (what it says about these is simplified away), and for
/// the scopes of its threads.
type Key = (ModelOptions, Name, Vec<Name>, Vec<Name>, BTreeSet<Name>);

/// A parsed model with the texts it came from.
pub struct Parsed {
    pub name: String,
    /// Names that the library takes for granted.
    names: Vec<Unit>,
    library: Unit,
    /// A bell file if there is one, and the model.
    pub units: Vec<Unit>,
    pub sources: Arc<SourceMap>,
}

impl<'f> Library<'f> {
    pub fn new(files: impl Files + Send + 'f) -> Self {
        Library::with(Catalogue::default(), files)
    }

    /// With the models of a catalogue.
    pub fn with(catalogue: Catalogue, files: impl Files + Send + 'f) -> Self {
        Library { files: Box::new(files), catalogue, parsed: Mutex::default(), linked: Mutex::default() }
    }

    /// The model for a program; its dialect's own if none is named.
    pub fn linked(&self, options: &ModelOptions, program: &Program) -> Result<Arc<Linked>, CheckError> {
        let name = options.name.as_deref().unwrap_or(&program.dialect.default_model);
        let options = &ModelOptions { name: Some(name.to_owned()), ..options.clone() };
        let absent = program.absent_tags();
        let scopes = program.roots.iter().flat_map(|root| &root.scopes);
        let scopes: BTreeSet<Name> = scopes.map(|(scope, instance)| scope_set(scope, *instance)).collect();
        let Dialect { name, sets, .. } = &*program.dialect;
        let key = (options.clone(), name.clone(), sets.clone(), absent.clone(), scopes.clone());
        let once = entry(&self.linked, key);
        let link = || {
            if scopes.is_empty() {
                return self.link(options, &program.dialect, &absent);
            }
            let sets = program.dialect.sets.iter().cloned().chain(scopes).collect();
            self.link(options, &Dialect { sets, ..Dialect::clone(&program.dialect) }, &absent)
        };
        once.get_or_init(|| link().map(Arc::new)).clone()
    }

    /// The model for a dialect that is made for it, whatever models that dialect usually takes.
    pub fn linked_for(&self, options: &ModelOptions, dialect: &Dialect) -> Result<Arc<Linked>, CheckError> {
        let key = (options.clone(), dialect.name.clone(), dialect.sets.clone(), Vec::new(), BTreeSet::new());
        entry(&self.linked, key).get_or_init(|| self.link_unchecked(options, dialect, &[]).map(Arc::new)).clone()
    }

    fn link(&self, options: &ModelOptions, dialect: &Dialect, absent: &[Name]) -> Result<Linked, CheckError> {
        let name = options.name.as_deref().unwrap_or(&dialect.default_model);
        self.catalogue.check_fits(name, dialect)?;
        let linked = self.link_unchecked(options, dialect, absent)?;
        self.knows_tags(&linked, dialect, absent)?;
        Ok(linked)
    }

    /// Refuses a bundled model of another machine that does not know fences or orderings of the program: it would allow too
    /// much without a word. Under sequential consistency they do nothing.
    fn knows_tags(&self, linked: &Linked, dialect: &Dialect, absent: &[Name]) -> Result<(), CheckError> {
        let own = &*dialect.default_model;
        let name = &*linked.name;
        let is_hardware = |name: &str| self.catalogue.family(name) == Some(Family::Hardware);
        if name == own || !is_hardware(name) || !is_hardware(own) {
            return Ok(());
        }
        let options = ModelOptions { name: Some(own.to_owned()), ..ModelOptions::default() };
        let theirs = self.link_unchecked(&options, dialect, absent)?;
        let known = mentioned(&linked.model);
        let mut unknown = mentioned(&theirs.model);
        unknown.retain(|tag| dialect.sets.contains(tag) && !absent.contains(tag) && !known.contains(tag));
        if unknown.is_empty() {
            return Ok(());
        }
        let tags: Vec<&str> = unknown.iter().map(Name::as_str).collect();
        let (tags, tests) = (tags.join(", "), &dialect.name);
        Err(CheckError::usage(format!(
            "the model {name} does not know {tags}, which this {tests} test uses; the model {own} does"
        )))
    }

    fn link_unchecked(&self, options: &ModelOptions, dialect: &Dialect, absent: &[Name]) -> Result<Linked, CheckError> {
        let name = options.name.as_deref().unwrap_or(&dialect.default_model);
        variants::check(&options.variants)?;
        let named = ModelOptions { name: Some(name.to_owned()), ..options.clone() };
        let once = entry(&self.parsed, named.clone());
        let parsed = once.get_or_init(|| self.parse(name, &named).map(Arc::new)).clone()?;
        variants::check_known(&options.variants, &parsed.sources)?;
        let (mut model, vocabulary) = parsed.link(dialect, absent, &options.variants)?;
        if !options.skip_checks.is_empty() {
            skip_checks(&mut model, &options.skip_checks, name)?;
        }
        Ok(Linked {
            name: parsed.name.clone(),
            model: Arc::new(model),
            vocabulary: Arc::new(vocabulary),
            sources: Arc::clone(&parsed.sources),
            bundled: self.catalogue.facts(options, name),
        })
    }

    /// What happens before what under a model of programs in C: its terms for that and for races are
    /// compared with those of models that are known to say it as C11 or C++20 does.
    ///
    /// # Errors
    /// If a model that it is compared with cannot be linked.
    pub fn happens_before(&self, options: &ModelOptions, program: &Program) -> Result<HappensBefore, CheckError> {
        if *program.dialect.name != *Dialect::C {
            return Ok(HappensBefore::Own);
        }
        let name = options.name.as_deref().unwrap_or(&program.dialect.default_model);
        let own = self.races(self.parse(name, options)?, options, program)?;
        let others = ModelOptions { variants: options.variants.clone(), ..ModelOptions::default() };
        if let Some(file) = bundled(HB_C11) {
            let usual = self.parse_text(HB_C11, of_bundle(file), &others)?;
            if self.races(usual, &others, program)? == own {
                return Ok(HappensBefore::Cxx20);
            }
        }
        let is_known = |facts: &ModelFacts| facts.family == Family::C11 && facts.built_in().is_some();
        for known in self.catalogue.models().iter().map(|model| model.name) {
            if self.catalogue.find(known).and_then(Bundled::model).is_some_and(is_known)
                && self.races(self.parse(known, &others)?, &others, program)? == own
            {
                let cxx20 = options.variants.iter().any(|variant| variant == CXX20);
                return Ok(if cxx20 { HappensBefore::Cxx20 } else { HappensBefore::Cxx11 });
            }
        }
        Ok(HappensBefore::Own)
    }

    /// A hash of what a model says of races of programs: what happens before what, and what a race is.
    fn races(&self, mut parsed: Parsed, options: &ModelOptions, program: &Program) -> Result<u128, CheckError> {
        let order = Order::of(self.catalogue.family(&parsed.name), parsed.units.iter());
        let mut sources = SourceMap::clone(&parsed.sources);
        for file in [order.hb, order.races].into_iter().flatten().filter_map(bundled) {
            let unit = treville_cat::parse_unit(
                &file.display_name(),
                file.text,
                &mut sources,
                &WithBundled(|_: &str, _: &str| None),
            );
            parsed.units.extend(unit.ok());
        }
        parsed.sources = Arc::new(sources);
        let (mut model, _) = parsed.link(&program.dialect, &program.absent_tags(), &options.variants)?;
        if !options.skip_checks.is_empty() {
            skip_checks(&mut model, &options.skip_checks, &parsed.name)?;
        }
        let races = model.made_checks().filter(|(_, check)| check.name == RACE).map(|(_, check)| check.test.term);
        let terms: Vec<_> = model.defs.get(HAPPENS_BEFORE).copied().into_iter().chain(races).collect();
        Ok(model.fingerprint_of(&terms))
    }

    /// Reads a model and what it includes, the standard library and the bell file before it.
    pub fn parse(&self, name: &str, options: &ModelOptions) -> Result<Parsed, CheckError> {
        self.parse_text(name, self.model_text(name, &options.include)?, options)
    }

    fn parse_text(&self, name: &str, model: LoadedText, options: &ModelOptions) -> Result<Parsed, CheckError> {
        let loader = WithBundled(|file: &str, from: &str| self.included(file, from, &options.include));
        let bell = match &options.bell {
            Some(bell) => Some(self.find(bell, &options.include)?),
            // A bundled model brings its own.
            None => self.catalogue.find(&format!("{name}.bell")).map(of_bundle),
        };
        // As the model would include it: a bundled model uses the bundled one, others may have their own beside them.
        let library =
            loader.load(STDLIB, &model.name).ok_or_else(|| CheckError::usage(format!("{STDLIB} was not found")))?;
        let mut sources = SourceMap::new();
        let mut parse = |text: LoadedText| treville_cat::parse_unit(&text.name, &text.text, &mut sources, &loader);
        let library = parse(library);
        let takes_pairs = library.as_ref().is_ok_and(|library| treville_model::takes(library, "lxsx"));
        let names = [NAMES].into_iter().chain(takes_pairs.then_some(NAMES_WITH_PAIRS));
        let names: Vec<_> = names.filter_map(bundled).map(|file| parse(of_bundle(file))).collect();
        let mut units: Vec<_> = bell.into_iter().chain([model]).map(&mut parse).collect();
        if options.safety {
            let order = Order::of(self.catalogue.family(name), units.iter().filter_map(|unit| unit.as_ref().ok()));
            let more = order.hb.into_iter().chain(["safety.cat", "leaks.cat"]).chain(order.races);
            units.extend(more.filter_map(bundled).map(|file| parse(of_bundle(file))));
        }
        let sources = Arc::new(sources);
        match (library, all(names), all(units)) {
            (Ok(library), Ok(names), Ok(units)) => Ok(Parsed { name: name.to_owned(), names, library, units, sources }),
            (library, names, units) => {
                let errors = library.err().into_iter().chain(names.err()).chain(units.err());
                Err(CheckError::input(errors.flatten().collect(), sources))
            }
        }
    }

    /// A model as it was named; the bundled one, if it was named with `.cat` and there is no such file.
    pub fn named(&self, name: &str, include: &[String]) -> String {
        let bundled = self.catalogue.find(name).filter(|file| file.name == name && file.model().is_some());
        match bundled.and_then(|file| file.name.strip_suffix(".cat")) {
            Some(short) if self.find(name, include).is_err() => short.to_owned(),
            _ => name.to_owned(),
        }
    }

    fn model_text(&self, name: &str, include: &[String]) -> Result<LoadedText, CheckError> {
        match self.catalogue.find(name).filter(|file| file.model().is_some() && file.name != name) {
            Some(file) => Ok(of_bundle(file)),
            None if name.contains('/') || name.ends_with(".cat") => {
                let named = self.catalogue.find(name).filter(|file| file.model().is_some());
                self.find(name, include).or_else(|failure| named.map(of_bundle).ok_or(failure))
            }
            None => {
                let known = self.catalogue.models().iter().map(|m| m.name).collect::<Vec<_>>().join(", ");
                Err(CheckError::usage(format!(
                    "there is no bundled model `{name}` (there are: {known}; a path ends in .cat)"
                )))
            }
        }
    }

    /// A file that was named on the command line: as a path, then in the folders.
    pub fn find(&self, name: &str, include: &[String]) -> Result<LoadedText, CheckError> {
        let candidates = std::iter::once(name.to_owned()).chain(include.iter().map(|folder| join_path(folder, name)));
        let path = candidates.into_iter().find(|path| self.files.is_file(path)).unwrap_or_else(|| name.to_owned());
        let text = self.files.read(&path).map_err(|why| CheckError::usage(format!("{path}: {why}")))?;
        Ok(LoadedText { name: path, text: text.into() })
    }

    /// A file that a model includes: from the model's own folder, then from the folders of the call.
    fn included(&self, file: &str, from: &str, include: &[String]) -> Option<LoadedText> {
        let own = self.files.is_file(from).then(|| folder_of(from).unwrap_or("."));
        let folders = own.into_iter().chain(include.iter().map(String::as_str));
        let path = folders.map(|folder| join_path(folder, file)).find(|path| self.files.is_file(path))?;
        let text = self.files.read(&path).ok()?;
        Some(LoadedText { name: path, text: text.into() })
    }
}

impl Parsed {
    /// Links it for programs of a dialect that lack some of its tags.
    fn link(&self, dialect: &Dialect, absent: &[Name], variants: &[String]) -> Result<(Model, Vocabulary), CheckError> {
        let (units, vocabulary) = self.prepare(dialect, absent, variants);
        match treville_model::link(&units, &vocabulary) {
            Ok(model) => Ok((model, vocabulary)),
            Err(diagnostics) => Err(CheckError::input(diagnostics, Arc::clone(&self.sources))),
        }
    }

    /// Links it only to look at it; with it, what it needs and no execution has.
    pub fn examine(&self, dialect: &Dialect, variants: &[String]) -> Result<(Model, Vec<Diagnostic>), CheckError> {
        // Tests say which threads share a scope; here one instance of each will do.
        let scopes = self.units.iter().flat_map(scopes).map(|scope| scope_set(scope, 0));
        let dialect = Dialect { sets: dialect.sets.iter().cloned().chain(scopes).collect(), ..dialect.clone() };
        let (units, vocabulary) = self.prepare(&dialect, &[], variants);
        treville_model::examine(&units, &vocabulary)
            .map_err(|found| CheckError::input(found, Arc::clone(&self.sources)))
    }

    /// All units in order, and the vocabulary.
    fn prepare(&self, dialect: &Dialect, absent: &[Name], variants: &[String]) -> (Vec<&Unit>, Vocabulary) {
        let facts = DialectFacts {
            sets: &dialect.sets,
            absent,
            fused_updates: dialect.fused_updates,
            po_inside: dialect.po_inside,
            branch_events: dialect.branch_events,
        };
        let variants: BTreeSet<Name> = variants.iter().map(|v| Name::new(v)).collect();
        let own: Vec<&Unit> = self.units.iter().collect();
        let vocabulary = treville_model::vocabulary(&facts, &self.library, &own, &variants);
        let units = self.names.iter().chain([&self.library]).chain(own).collect();
        (units, vocabulary)
    }
}

/// What is read after the model of a program, if the model does not say it: what happens before what, and what a race is.
struct Order {
    hb: Option<&'static str>,
    races: Option<&'static str>,
}

impl Order {
    fn of<'u>(family: Option<Family>, units: impl Iterator<Item = &'u Unit> + Clone) -> Order {
        let machine = matches!(family, Some(Family::Hardware | Family::SequentialConsistency));
        let has_hb = units.clone().any(|unit| treville_model::defines(unit, HAPPENS_BEFORE));
        let hb = match (machine, has_hb) {
            (true, _) => Some("hb-machine.cat"),
            _ if family == Some(Family::Kernel) => Some("hb-kernel.cat"),
            (false, true) => None,
            (false, false) => Some(HB_C11),
        };
        let has_races = units.clone().any(|unit| treville_model::has_check(unit, RACE));
        Order { hb, races: (!has_races).then_some("races.cat") }
    }
}

/// All units, or all errors of any.
fn all(units: Vec<Result<Unit, Vec<Diagnostic>>>) -> Result<Vec<Unit>, Vec<Diagnostic>> {
    let (mut good, mut errors) = (Vec::new(), Vec::new());
    for unit in units {
        match unit {
            Ok(unit) => good.push(unit),
            Err(found) => errors.extend(found),
        }
    }
    if errors.is_empty() { Ok(good) } else { Err(errors) }
}

/// The scopes that a bell file declares: `enum scopes = 'cta || 'gpu`.
fn scopes(unit: &Unit) -> impl Iterator<Item = &Name> {
    let declared = unit.body.iter().filter_map(|ins| match &ins.kind {
        InsKind::Enum { name, tags } if name == "scopes" || name == "levels" => Some(tags),
        _ => None,
    });
    declared.flatten()
}

fn skip_checks(model: &mut Model, names: &[String], of: &str) -> Result<(), CheckError> {
    let known = model.checks.iter().map(|check| check.name.to_string()).collect::<Vec<_>>().join(", ");
    match model.skip_checks(names).first() {
        None => Ok(()),
        Some(name) => Err(CheckError::usage(format!("{of} has no check `{name}` to skip (there are: {known})"))),
    }
}

/// The sets that a model looks at.
fn mentioned(model: &Model) -> BTreeSet<Name> {
    let needed = model.needed();
    let terms = model.terms.iter().zip(&needed).filter(|(_, needed)| **needed);
    let sets =
        terms.filter_map(|(info, _)| if let Term::BaseSet(name) = &info.term { Some(name.clone()) } else { None });
    sets.collect()
}

/// The entry of a shared table, made if it is new.
fn entry<K: Ord, T>(table: &Mutex<BTreeMap<K, Once<T>>>, key: K) -> Once<T> {
    let mut table = table.lock().unwrap_or_else(PoisonError::into_inner);
    Arc::clone(table.entry(key).or_default())
}

fn of_bundle(file: &Bundled) -> LoadedText {
    LoadedText { name: file.display_name(), text: file.text.into() }
}
