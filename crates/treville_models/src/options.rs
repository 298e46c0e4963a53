//! Which model a call names, and what its files need.

/// Which model, and what its files need.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct ModelOptions {
    /// A bundled model's name or a path; none: the dialect's own.
    pub name: Option<String>,
    /// Folders to look for included files in.
    pub include: Vec<String>,
    pub variants: Vec<String>,
    /// Checks to leave out, by name.
    pub skip_checks: Vec<String>,
    /// A path or a name in the `include` folders.
    pub bell: Option<String>,
    /// Files with macro definitions for C tests.
    pub macros: Vec<String>,
    /// What programs must not do is flagged too, as `safety.cat` says it.
    pub safety: bool,
}
