//! The models that can be named: those that come with the tool, and those that a user of the library adds.

use crate::{BundledInfo, ModelOptions};
use treville_cat::Bundled;
use treville_ir::{Dialect, DialectKind};
use treville_model::{Family, ModelFacts};
use treville_task::CheckError;

/// The variant of models for programs in C++20 and C23.
pub(crate) const CXX20: &str = "cxx20";

#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    /// Beside the bundled ones; one of the same name counts first.
    pub more: Vec<&'static Bundled>,
}

impl Catalogue {
    /// The file of that name; `.cat` may be left out.
    pub fn find(&self, name: &str) -> Option<&'static Bundled> {
        let more = self.more.iter().find(|file| file.is_named(name)).copied();
        more.or_else(|| treville_cat::bundled(name))
    }

    /// What is known of the model `name` with these options: nothing, unless it is the bundled one as it is. A name that ends in `.cat` is
    /// a path: the file may say anything.
    pub fn facts(&self, options: &ModelOptions, name: &str) -> Option<&'static ModelFacts> {
        let changed =
            !options.variants.is_empty() || !options.skip_checks.is_empty() || options.bell.is_some() || options.safety;
        self.find(name).filter(|file| file.name != name && !changed).and_then(Bundled::model)
    }

    /// The model as programs have it: they are in today's C, tests in that of their time.
    pub fn for_programs(&self, options: &ModelOptions, model: &str) -> ModelOptions {
        let mut named = ModelOptions { name: Some(model.to_owned()), ..options.clone() };
        if self.facts(options, model).is_some_and(|facts| facts.cxx20) {
            named.variants.push(CXX20.to_owned());
        }
        named
    }

    /// Whether `name` means the bundled model of that name, as it is, with these options.
    pub fn is_bundled(&self, options: &ModelOptions, name: &str) -> bool {
        self.facts(options, name).is_some()
    }

    /// The family of a bundled model; none of a path, which is taken as it is.
    pub fn family(&self, name: &str) -> Option<Family> {
        let facts = self.find(name).filter(|file| file.name != name).and_then(Bundled::model);
        facts.map(|facts| facts.family)
    }

    /// Refuses a bundled model for programs whose fences and orderings it does not know: it would allow too much without a
    /// word. A path is taken as it is.
    ///
    /// # Errors
    /// The model that these programs are for.
    pub fn check_fits(&self, name: &str, dialect: &Dialect) -> Result<(), CheckError> {
        let wrong = match dialect.kind() {
            DialectKind::C => &[Family::Kernel][..],
            DialectKind::Kernel => &[Family::C11, Family::Hardware],
            // Its annotations are whatever a bell file says.
            DialectKind::Annotated => &[],
            DialectKind::Assembly => &[Family::C11, Family::Kernel],
        };
        if self.family(name).is_some_and(|family| wrong.contains(&family)) {
            let why = format!(
                "the model {name} does not know what {} tests use; theirs is {}",
                dialect.name, dialect.default_model
            );
            return Err(CheckError::usage(why));
        }
        Ok(())
    }

    /// All models, by name.
    pub fn models(&self) -> Vec<BundledInfo> {
        let bundled = treville_cat::bundled_files().iter();
        let models = self.more.iter().copied().chain(bundled).filter(|file| file.model().is_some());
        let info = |file: &Bundled| BundledInfo {
            name: file.name.strip_suffix(".cat").unwrap_or(file.name),
            about: file.description(),
            hash: file.hash(),
        };
        models.map(info).collect()
    }
}
