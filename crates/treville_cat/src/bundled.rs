//! The models that come with the tool, as text, and the files that they and other models include.
//!
//! The table below is the one place that names them, with what is known of each model beside its text; a test compares it with the folder.

use crate::include::{Loaded, Loader};
use crate::parser;
use treville_model::{Family, KnownModel, ModelFacts};

/// What a bundled file is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// A model that a person may ask for by name.
    Model(ModelFacts),
    /// A file that models need: definitions, annotations, macros.
    Library,
}

const HARDWARE: ModelFacts = ModelFacts { family: Family::Hardware, known: None, cxx20: false, monotone: true };
const C11: ModelFacts = ModelFacts { family: Family::C11, ..HARDWARE };

/// A file that comes with the tool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bundled {
    /// With its extension, as in `include "cos.cat"`.
    pub name: &'static str,
    pub role: Role,
    pub text: &'static str,
}

macro_rules! table {
    ($($role:expr, $name:literal;)*) => {
        &[$(Bundled {
            name: $name,
            role: $role,
            text: include_str!(concat!("../../../models/", $name)),
        },)*]
    };
}

/// Sorted by name.
const FILES: &[Bundled] = table![
    Role::Model(HARDWARE), "aarch64.cat";
    Role::Library, "aarch64fences.cat";
    Role::Model(HARDWARE), "arm.cat";
    Role::Library, "armfences.cat";
    Role::Model(ModelFacts { monotone: false, ..C11 }), "c11.cat";
    Role::Library, "cos-no-opt.cat";
    Role::Library, "cos-ok-opt.cat";
    Role::Library, "cos-opt.cat";
    Role::Library, "cos.cat";
    Role::Library, "cross.cat";
    Role::Library, "dartagnan.cat";
    Role::Library, "fences.cat";
    Role::Library, "filters.cat";
    Role::Library, "hb-c11.cat";
    Role::Library, "hb-kernel.cat";
    Role::Library, "hb-machine.cat";
    Role::Model(ModelFacts { known: Some(KnownModel::Imm), cxx20: true, ..C11 }), "imm.cat";
    Role::Library, "leaks.cat";
    Role::Library, "linux-kernel.bell";
    Role::Model(ModelFacts { family: Family::Kernel, monotone: false, ..HARDWARE }), "linux-kernel.cat";
    Role::Library, "linux-kernel.def";
    Role::Library, "mipsfences.cat";
    Role::Library, "names.cat";
    Role::Model(HARDWARE), "power.cat";
    Role::Library, "ppcfences.cat";
    Role::Library, "ppo.cat";
    Role::Model(HARDWARE), "pso.cat";
    Role::Model(ModelFacts { known: Some(KnownModel::Ra), cxx20: true, ..C11 }), "ra.cat";
    Role::Library, "races.cat";
    Role::Model(C11), "rar.cat";
    Role::Model(ModelFacts { known: Some(KnownModel::Rc11), cxx20: true, ..C11 }), "rc11.cat";
    Role::Library, "riscv-defs.cat";
    Role::Model(HARDWARE), "riscv.cat";
    Role::Library, "safety.cat";
    Role::Model(ModelFacts { family: Family::SequentialConsistency, known: Some(KnownModel::Sc), ..HARDWARE }), "sc.cat";
    Role::Library, "stdlib.cat";
    Role::Model(ModelFacts { known: Some(KnownModel::Tso), ..HARDWARE }), "tso.cat";
    Role::Library, "x86fences.cat";
];

/// All bundled files, sorted by name.
pub fn bundled_files() -> &'static [Bundled] {
    FILES
}

/// The bundled file of that name; `.cat` may be left out.
pub fn bundled(name: &str) -> Option<&'static Bundled> {
    FILES.iter().find(|file| file.is_named(name))
}

/// What is known of the bundled model of that name; `.cat` may be left out.
pub fn model_facts(name: &str) -> Option<&'static ModelFacts> {
    bundled(name).and_then(Bundled::model)
}

/// Before the names of bundled files where they appear among others.
const PREFIX: &str = "bundled:";

impl Bundled {
    /// Whether it has this name; `.cat` may be left out.
    pub fn is_named(&self, name: &str) -> bool {
        self.name == name || self.name.strip_suffix(".cat") == Some(name)
    }

    /// What is known of it, if it is a model.
    pub const fn model(&self) -> Option<&ModelFacts> {
        match &self.role {
            Role::Model(facts) => Some(facts),
            Role::Library => None,
        }
    }

    /// The name that messages show, different from that of any file that was read.
    pub fn display_name(&self) -> String {
        format!("{PREFIX}{}", self.name)
    }

    /// The title, in one line; of macros, which have none, the comment that opens the file.
    pub fn description(&self) -> String {
        if self.name.ends_with(".def") {
            return self.text.lines().next().unwrap_or_default().trim_start_matches(['/', ' ']).to_string();
        }
        let title = parser::title(self.text);
        title.map_or_else(String::new, |title| title.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    /// The same for the same text, on every machine and in every version (64-bit FNV-1a).
    pub fn hash(&self) -> u64 {
        self.text
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    }
}

/// Searches what another loader does not find among the bundled files; what bundled files include is searched here first.
#[derive(Clone, Copy, Debug)]
pub struct WithBundled<L>(pub L);

impl<L: Loader> Loader for WithBundled<L> {
    fn load(&self, name: &str, from: &str) -> Option<Loaded> {
        let own = || FILES.iter().find(|file| file.name == name);
        let loaded = |file: &Bundled| Loaded { name: file.display_name(), text: file.text.into() };
        if from.starts_with(PREFIX) {
            return own().map(loaded).or_else(|| self.0.load(name, from));
        }
        self.0.load(name, from).or_else(|| own().map(loaded))
    }
}

/// A loader that finds nothing but bundled files.
pub const BUNDLED_ONLY: WithBundled<fn(&str, &str) -> Option<Loaded>> = WithBundled(|_, _| None);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{bell, lint, parse_unit};
    use treville_base::SourceMap;

    #[test]
    fn the_table_is_the_folder() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models");
        let names = std::fs::read_dir(folder).expect("the folder of models").map(|entry| entry.expect("an entry"));
        let mut names: Vec<String> = names.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.retain(|name| [".cat", ".bell", ".def"].iter().any(|end| name.ends_with(end)));
        names.sort();
        let table: Vec<&str> = FILES.iter().map(|file| file.name).collect();
        assert_eq!(table, names);
    }

    #[test]
    fn every_model_reads_with_all_that_it_includes() {
        for file in FILES {
            assert!(!file.description().is_empty(), "{} has no title", file.name);
            if file.name.ends_with(".def") {
                continue;
            }
            let unit = parse_unit(&file.display_name(), file.text, &mut SourceMap::new(), &BUNDLED_ONLY);
            let unit = unit.unwrap_or_else(|errors| panic!("{}: {errors:?}", file.name));
            if file.model().is_some() {
                assert_eq!(lint(&unit), [], "{}", file.name);
            }
            if file.name.ends_with(".bell") {
                assert!(bell(&unit, &|_| false).is_ok_and(|bell| !bell.sets().is_empty()), "{}", file.name);
            }
        }
    }

    #[test]
    fn names_and_hashes() {
        assert_eq!(bundled("sc"), bundled("sc.cat"));
        assert!(model_facts("sc").is_some() && model_facts("stdlib").is_none());
        assert_eq!(bundled("nothing"), None);
        assert_eq!(Bundled { name: "", role: Role::Library, text: "a" }.hash(), 0xaf63_dc4c_8601_ec8c);
    }

    #[test]
    fn a_file_of_the_user_hides_a_bundled_one_except_from_bundled_files() {
        let user = |name: &str, _: &str| Some(Loaded { name: format!("dir/{name}"), text: "".into() });
        let loader = WithBundled(user);
        let found = |name, from| loader.load(name, from).map(|loaded| loaded.name);
        assert_eq!(found("cos.cat", "my.cat").as_deref(), Some("dir/cos.cat"));
        assert_eq!(found("cos.cat", "bundled:sc.cat").as_deref(), Some("bundled:cos.cat"));
        assert_eq!(found("mine.cat", "bundled:sc.cat").as_deref(), Some("dir/mine.cat"));
    }
}
