//! Examining models: for tests of one dialect, or of all.

use crate::Session;
use std::sync::Arc;
use treville_base::{Diagnostic, Name, SourceMap};
use treville_ir::Dialect;
use treville_litmus::dialects;
use treville_models::{ModelChecked, ModelOptions};
use treville_task::CheckError;

impl Session<'_> {
    /// Examines a model, for tests of one dialect or of all.
    ///
    /// # Errors
    /// The errors of the model.
    pub fn check_model(&self, options: &ModelOptions, dialect: Option<&str>) -> Result<ModelChecked, CheckError> {
        let dialect = dialect.map_or_else(|| Ok(any_dialect()), dialect_named)?;
        self.library.check(options, &dialect)
    }

    /// What makes the answers of a model given as a file doubtful.
    pub fn model_warnings(&self, options: &ModelOptions) -> (Vec<Diagnostic>, Arc<SourceMap>) {
        self.library.warnings(options, &any_dialect())
    }
}

/// Sets of dialects that we do not read: of graphics processors and of Arm's pseudocode.
const ELSEWHERE: &str = "CTA GPU SYS WEAK GEN TEX SUR ALIAS SG WG WI QF DV ALL GLOBAL LOCAL GENERIC NONPRIV ATOM AV VIS \
    AVDEVICE VISDEVICE SEMAV SEMVIS CBAR SC0 SC1 SC2 SC3 SEMSC0 SEMSC1 SEMSC2 SEMSC3 ASLLocal WPC";

fn dialect_named(name: &str) -> Result<Dialect, CheckError> {
    let found = dialects().find(|d| d.name.eq_ignore_ascii_case(name)).map(|d| (**d).clone());
    let known = || dialects().map(|d| d.name.to_string()).collect::<Vec<_>>().join(", ");
    found.ok_or_else(|| CheckError::usage(format!("there is no dialect `{name}` (there are: {})", known())))
}

/// One that knows the sets of all.
fn any_dialect() -> Dialect {
    let sets = dialects().flat_map(|d| d.sets.iter().cloned());
    let sets = sets.chain(ELSEWHERE.split_whitespace().map(Name::new)).collect();
    Dialect::assembly("any", "", sets)
}
