//! What is looked for in a program: everything that is wrong in any program, unless the caller names properties.

use std::collections::BTreeSet;
use treville_ir::Failure;

const MEMORY: &[Failure] =
    &[Failure::Uninitialized, Failure::InvalidAccess, Failure::UseAfterFree, Failure::DoubleFree, Failure::InvalidFree];

/// The properties that a caller named. None, or only such as are not usual, and the usual ones are looked for as well;
/// otherwise only what is named.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Properties {
    named: BTreeSet<Failure>,
}

impl Properties {
    /// From the names of failures; `memory` stands for those of memory safety, `usual` for what is looked for anyway.
    ///
    /// # Errors
    /// A message about a name that is none.
    pub fn of<S: AsRef<str>>(names: &[S]) -> Result<Properties, String> {
        let mut named = BTreeSet::new();
        for name in names {
            match name.as_ref() {
                "memory" => named.extend(MEMORY),
                "usual" => named.extend(Failure::USUAL),
                name => match Failure::USUAL.iter().chain(Failure::ASKED).find(|f| f.name() == name) {
                    Some(failure) => {
                        named.insert(*failure);
                    }
                    None => return Err(unknown(name)),
                },
            }
        }
        Ok(Properties { named })
    }

    /// What is looked for.
    pub fn failures(&self) -> BTreeSet<Failure> {
        let narrows = self.named.iter().any(|f| Failure::USUAL.contains(f));
        let usual = Failure::USUAL.iter().filter(|_| !narrows);
        self.named.iter().chain(usual).copied().collect()
    }

    /// What the caller named.
    pub fn named(&self) -> impl Iterator<Item = Failure> + '_ {
        self.named.iter().copied()
    }

    pub fn is_empty(&self) -> bool {
        self.named.is_empty()
    }
}

fn unknown(name: &str) -> String {
    let known: Vec<&str> = Failure::USUAL.iter().chain(Failure::ASKED).map(|f| f.name()).collect();
    format!("option `property` {name}: there is no such property (there are: {}, memory, usual)", known.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looked_for(names: &[&str]) -> Vec<&'static str> {
        Properties::of(names).map(|p| p.failures().iter().map(|f| f.name()).collect()).unwrap_or_default()
    }

    #[test]
    fn names_add_or_narrow() {
        assert_eq!(looked_for(&[]).len(), Failure::USUAL.len());
        assert_eq!(looked_for(&["leak"]).len(), Failure::USUAL.len() + 1);
        assert_eq!(looked_for(&["race"]), ["race"]);
        assert_eq!(looked_for(&["race", "liveness"]), ["race", "liveness"]);
        assert_eq!(looked_for(&["memory"]).len(), MEMORY.len());
        assert!(Properties::of(&["nonsense"]).is_err());
    }
}
