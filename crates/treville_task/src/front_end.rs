//! The interface of a front end: a language of files, and what it makes of one.

use crate::{CheckError, StopReason, Subject, SubjectKind};
use treville_base::{Cancel, Files};

pub struct FrontEndInfo {
    pub name: &'static str,
    /// One line for people.
    pub about: &'static str,
    /// How the names of its files end.
    pub endings: &'static [&'static str],
    /// What it makes of them.
    pub kind: SubjectKind,
}

pub trait FrontEnd: Send + Sync {
    fn info(&self) -> &FrontEndInfo;

    /// # Errors
    /// What is wrong with the file, with places; or why it could not be read to its end.
    fn read(&self, source: &Source<'_>) -> Result<Subject, CheckError>;
}

/// A file, and what a front end may need beside it.
pub struct Source<'a> {
    pub path: &'a str,
    pub text: &'a str,
    pub files: &'a dyn Files,
    pub options: &'a ReadOptions,
    /// When to stop reading.
    pub cancel: &'a Cancel,
    /// Reads another file, by its own front end.
    pub others: &'a dyn Fn(&str) -> Result<Subject, CheckError>,
}

impl<'a> Source<'a> {
    /// The file's name without its folder and this ending.
    pub fn name(&self, ending: &str) -> &'a str {
        let file_name = self.path.rsplit('/').next().unwrap_or(self.path);
        file_name.strip_suffix(ending).unwrap_or(file_name)
    }

    /// The limit that ended the reading, if one did.
    pub fn stopped(&self, doing: &str) -> Option<CheckError> {
        StopReason::of(self.cancel).map(|limit| CheckError::unknown(format!("{limit} while {} was {doing}", self.path)))
    }
}

/// What a call says of how files are read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReadOptions {
    /// The model that the call names.
    pub model: Option<String>,
    /// Whether C is that of the Linux kernel, if the call tells.
    pub kernel: Option<bool>,
    /// A weak compare-exchange of C may fail for no reason.
    pub weak_cas: bool,
    /// Options for the C compiler.
    pub cflags: Vec<String>,
    /// Files with macro definitions for litmus tests in C, and folders to look for them in.
    pub macros: Vec<String>,
    pub include: Vec<String>,
}
