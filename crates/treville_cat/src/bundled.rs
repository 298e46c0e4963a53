//! The models that come with the tool, as text, and the files that they and other models include.
//!
//! The table below is the one place that names them; a test compares it with the folder.

use crate::include::{Loaded, Loader};
use crate::parser;

/// What a bundled file is for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Role {
    /// A model that a person may ask for by name.
    Model,
    /// A file that models need: definitions, annotations, macros.
    Library,
}

/// A file that comes with the tool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bundled {
    /// With its extension, as in `include "cos.cat"`.
    pub name: &'static str,
    pub role: Role,
    pub text: &'static str,
}

macro_rules! table {
    ($($role:ident $name:literal,)*) => {
        &[$(Bundled {
            name: $name,
            role: Role::$role,
            text: include_str!(concat!("../../../models/", $name)),
        },)*]
    };
}

/// Sorted by name.
const FILES: &[Bundled] = table![
    Model "aarch64.cat",
    Library "aarch64fences.cat",
    Model "arm.cat",
    Library "armfences.cat",
    Model "c11.cat",
    Library "cos-no-opt.cat",
    Library "cos-ok-opt.cat",
    Library "cos-opt.cat",
    Library "cos.cat",
    Library "cross.cat",
    Library "dartagnan.cat",
    Library "fences.cat",
    Library "filters.cat",
    Library "hb-c11.cat",
    Library "hb-kernel.cat",
    Library "hb-machine.cat",
    Model "imm.cat",
    Library "leaks.cat",
    Library "linux-kernel.bell",
    Model "linux-kernel.cat",
    Library "linux-kernel.def",
    Library "mipsfences.cat",
    Library "names.cat",
    Model "power.cat",
    Library "ppcfences.cat",
    Library "ppo.cat",
    Model "pso.cat",
    Model "ra.cat",
    Library "races.cat",
    Model "rar.cat",
    Model "rc11.cat",
    Library "riscv-defs.cat",
    Model "riscv.cat",
    Library "safety.cat",
    Model "sc.cat",
    Library "stdlib.cat",
    Model "tso.cat",
    Library "x86fences.cat",
];

/// All bundled files, sorted by name.
pub fn bundled_files() -> &'static [Bundled] {
    FILES
}

/// The bundled file of that name; `.cat` may be left out.
pub fn bundled(name: &str) -> Option<&'static Bundled> {
    FILES.iter().find(|file| file.name == name || file.name.strip_suffix(".cat") == Some(name))
}

/// Before the names of bundled files where they appear among others.
const PREFIX: &str = "bundled:";

impl Bundled {
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
            if file.role == Role::Model {
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
        assert_eq!(bundled("sc").map(|file| file.role), Some(Role::Model));
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
