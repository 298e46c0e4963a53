//! A front end: a file that names another.

use treville_verifier::task::{CheckError, FrontEnd, FrontEndInfo, Source, Subject, SubjectKind};

pub(crate) struct Link;

impl FrontEnd for Link {
    fn info(&self) -> &FrontEndInfo {
        &FrontEndInfo { name: "link", about: "a file that names another", endings: &[".link"], kind: SubjectKind::Test }
    }

    fn read(&self, source: &Source<'_>) -> Result<Subject, CheckError> {
        (source.others)(source.text.trim())
    }
}
