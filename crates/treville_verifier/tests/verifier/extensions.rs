//! What ARCHITECTURE.md says of extensions: a front end, a model, an engine and a format are one file each and a line in the registry,
//! and none of them needs a change in a crate.

mod engine;
mod format;
mod front_end;
mod model;

use std::sync::Arc;
use treville_verifier::base::Cancel;
use treville_verifier::report::{Details, Palette};
use treville_verifier::task::{Silent, VerdictKind};
use treville_verifier::{MemoryFiles, Options, Registry, Session};

const STORE_BUFFERING: &str = "X86 SB\n{ x=0; y=0; }\n P0          | P1          ;\n MOV [x],$1  | MOV [y],$1  ;\n \
     MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)\n";

fn registry() -> Registry {
    let mut registry = Registry::default();
    registry.front_ends.push(Arc::new(self::front_end::Link));
    registry.engines.push(Arc::new(self::engine::ENTRY));
    registry.models.more.push(&self::model::NOTHING_IS_READ);
    registry.formats.push(self::format::CSV);
    registry
}

fn files() -> MemoryFiles {
    let files = [("SB.litmus", STORE_BUFFERING), ("SB.link", "SB.litmus\n")];
    MemoryFiles(files.map(|(name, text)| (name.to_owned(), text.to_owned())).into())
}

#[test]
fn a_front_end_from_outside_reads_files() {
    let files = files();
    let session = Session::with(registry(), &files, Cancel::new());
    let report = session.verify("SB.link", &Options::default(), &Silent);
    assert_eq!((report.verdict(), report.model.as_str()), (VerdictKind::Yes, "tso"), "{:?}", report.reason());
    let without = Session::new(&files, Cancel::new()).verify("SB.link", &Options::default(), &Silent);
    assert_eq!(without.verdict(), VerdictKind::Error);
}

#[test]
fn a_model_from_outside_is_known_with_its_facts() {
    let files = files();
    let session = Session::with(registry(), &files, Cancel::new());
    let mut options = Options::default();
    options.model.name = Some("nothing-is-read".to_owned());
    let report = session.verify("SB.litmus", &options, &Silent);
    assert_eq!(report.verdict(), VerdictKind::No, "{:?}", report.reason());
    // Its facts say that it is for C, so that it does not fit tests of x86 with their fences.
    options.model.name = Some("nothing-is-read-in-c".to_owned());
    let mut for_c = registry();
    for_c.models.more.push(&self::model::IN_C);
    let report = Session::with(for_c, &files, Cancel::new()).verify("SB.litmus", &options, &Silent);
    let reason = report.reason().unwrap_or_default();
    assert!(reason.contains("does not know what X86 tests use"), "{reason}");
}

#[test]
fn an_engine_from_outside_answers() {
    let files = files();
    let session = Session::with(registry(), &files, Cancel::new());
    let mut options = Options::default();
    options.run.engine = Some("coin".to_owned());
    let report = session.verify("SB.litmus", &options, &Silent);
    assert_eq!((report.engine.as_str(), report.verdict()), ("coin", VerdictKind::Unknown));
    assert_eq!(report.reason().as_deref(), Some("the coin fell on its edge"));
    // It is an engine like the others, also for checking one.
    options.run.engine = None;
    options.run.cross_check = Some("coin".to_owned());
    let reason = session.verify("SB.litmus", &options, &Silent).reason().unwrap_or_default();
    assert!(reason.contains("could not be checked by coin"), "{reason}");
}

#[test]
fn a_format_from_outside_writes_reports() {
    let (files, registry) = (files(), registry());
    let format = registry.formats.iter().find(|format| format.name == "csv").copied().expect("it is registered");
    let report = Session::with(registry, &files, Cancel::new()).verify("SB.litmus", &Options::default(), &Silent);
    let written = (format.write)(&report, Details::default(), Palette::PLAIN);
    assert_eq!(written.as_deref(), Some("SB.litmus,tso,enumerate,yes\n"));
}

/// The table of extensions in ARCHITECTURE.md names files that are there.
#[test]
fn the_table_of_extensions_names_files() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let text = std::fs::read_to_string(format!("{root}/ARCHITECTURE.md")).expect("it is there");
    let table = text.split("## Where things go").nth(1).and_then(|rest| rest.split("\n## ").next()).expect("a table");
    let quoted = table.split('`').skip(1).step_by(2).filter(|word| word.contains('/') && !word.contains('<'));
    let mut n = 0;
    for path in quoted {
        let places = [format!("{root}/{path}"), format!("{root}/crates/{path}")];
        assert!(places.iter().any(|path| std::path::Path::new(path).exists()), "{path}");
        n += 1;
    }
    assert!(n > 8, "{n}");
}
