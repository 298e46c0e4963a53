//! Bundled models, and models from text.

use treville_base::{Name, SourceMap};
use treville_cat::{BUNDLED_ONLY, bundled, bundled_files, parse_unit};
use treville_event::{BaseRel, LockShape, RmwShape, Vocabulary};
use treville_model::syntax::Unit;
use treville_model::{Model, link, mentions};

/// The names of all bundled models.
pub(crate) fn bundled_models() -> impl Iterator<Item = &'static str> {
    bundled_files().iter().filter(|file| file.model().is_some()).filter_map(|file| file.name.strip_suffix(".cat"))
}

const KINDS: [&str; 10] = ["M", "R", "W", "F", "IW", "FW", "B", "BCC", "Rreg", "Wreg"];

/// A model, and the sets that it mentions: tags for events to carry.
pub(crate) struct Tagged {
    pub(crate) model: Model,
    pub(crate) tags: Vec<Name>,
}

pub(crate) fn bundled_model(name: &str) -> Tagged {
    let names: &[&str] =
        if name == "linux-kernel" { &["stdlib", "linux-kernel.bell", name] } else { &["stdlib", name] };
    let mut sources = SourceMap::new();
    let mut parse = |name: &&str| {
        let file = bundled(name).unwrap_or_else(|| panic!("{name} is bundled"));
        parse_unit(name, file.text, &mut sources, &BUNDLED_ONLY).unwrap_or_else(|errors| panic!("{errors:#?}"))
    };
    linked(&names.iter().map(&mut parse).collect::<Vec<_>>())
}

/// A model with the bundled library.
pub(crate) fn model(text: &str) -> Tagged {
    let mut sources = SourceMap::new();
    let library = bundled("stdlib").expect("the library").text;
    let mut parse = |name: &str, text: &str| {
        parse_unit(name, text, &mut sources, &BUNDLED_ONLY).unwrap_or_else(|errors| panic!("{errors:#?}"))
    };
    linked(&[parse("stdlib.cat", library), parse("test.cat", text)])
}

/// A model without a library.
pub(crate) fn model_alone(text: &str) -> Tagged {
    let unit = parse_unit("test.cat", text, &mut SourceMap::new(), &BUNDLED_ONLY);
    linked(&[unit.unwrap_or_else(|errors| panic!("{errors:#?}"))])
}

fn linked(units: &[Unit]) -> Tagged {
    let units: Vec<&Unit> = units.iter().collect();
    let is_set = |n: &Name| n.starts_with(|c: char| c.is_ascii_uppercase()) && BaseRel::from_name(n).is_none();
    let mut sets: Vec<Name> = units.iter().flat_map(|u| mentions(u)).filter(is_set).collect();
    sets.sort();
    sets.dedup();
    let vocabulary = Vocabulary {
        sets: sets.iter().cloned().chain(KINDS.map(Name::new)).collect(),
        empty: Default::default(),
        rmw: RmwShape::Pair,
        locks: LockShape::ValueRmw,
        registers: true,
        branches: true,
        po_inside: false,
        variants: Default::default(),
    };
    let model = link(&units, &vocabulary).unwrap_or_else(|errors| panic!("{errors:#?}"));
    Tagged { model, tags: sets.into_iter().filter(|s| !KINDS.contains(&s.as_str())).collect() }
}
