//! Configuration files of the field's tools (`.cfg`), for people who have them: what they say about the model and the
//! search becomes options; what they say about drawing does not concern an answer.

use crate::{Options, Session};
use std::sync::Arc;
use treville_base::{Diagnostic, SourceMap, folder_of, join_path};
use treville_cat::Config;
use treville_task::CheckError;

/// Files may name files, to this depth.
const MAX_NESTING: usize = 8;

/// Settings that would change answers and that there is no counterpart for: refused, never left aside.
const REFUSED: &[&str] = &["strictskip", "through", "badflag", "kinds", "conds", "checkfilter"];

impl Session<'_> {
    /// Adds what a configuration file says to options that do not say it themselves. Names of files are looked for in the
    /// configuration's own folder too.
    ///
    /// # Errors
    /// If it cannot be read, is broken, or asks for what would change answers in an unknown way.
    pub fn configure(&self, path: &str, options: &mut Options) -> Result<(), CheckError> {
        self.configure_at(path, options, 0)
    }

    fn configure_at(&self, path: &str, options: &mut Options, depth: usize) -> Result<(), CheckError> {
        if depth == MAX_NESTING {
            return Err(CheckError::usage(format!("{path}: configurations nest more than {MAX_NESTING} deep")));
        }
        let text = self.files.read(path).map_err(|why| CheckError::usage(format!("{path}: {why}")))?;
        let mut sources = SourceMap::new();
        let config = treville_cat::parse_config(path, &text, &mut sources);
        let sources = Arc::new(sources);
        let config = config.map_err(|errors| CheckError::input(errors, Arc::clone(&sources)))?;
        refuse(&config).map_err(|error| CheckError::input(vec![error], sources))?;
        let folder = folder_of(path).unwrap_or(".");
        for other in &config.configs {
            let partner = join_path(folder, other);
            let mut places =
                std::iter::once(partner.clone()).chain(options.model.include.iter().map(|i| join_path(i, other)));
            let found = places.find(|path| self.files.is_file(path)).unwrap_or(partner);
            self.configure_at(&found, options, depth + 1)?;
        }
        apply(config, folder, options);
        Ok(())
    }
}

fn refuse(config: &Config) -> Result<(), Diagnostic> {
    match config.others.iter().find(|setting| REFUSED.contains(&setting.key.as_str())) {
        Some(setting) => {
            Err(Diagnostic::error(setting.span, format!("the setting `{}` is not supported", setting.key)))
        }
        None => Ok(()),
    }
}

fn apply(config: Config, folder: &str, options: &mut Options) {
    let model = &mut options.model;
    let skips = config.others.iter().filter(|setting| matches!(setting.key.as_str(), "skipcheck" | "skipchecks"));
    model.skip_checks.extend(skips.flat_map(|setting| setting.value.split(',').map(|name| name.trim().to_owned())));
    model.include.extend(config.include);
    model.include.push(folder.to_owned());
    model.name = model.name.take().or(config.model);
    model.bell = model.bell.take().or(config.bell);
    if model.macros.is_empty() {
        model.macros.extend(config.macros);
    }
    model.variants.extend(config.variants);
    options.run.bound = options.run.bound.or(config.unroll);
    options.run.timeout = options.run.timeout.or(config.timeout);
}
