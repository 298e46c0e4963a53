//! What a bell file declares: which annotations each kind of instruction may carry.
//!
//! Front ends check annotations against it while they read a program; each tag that an instruction may carry is also a
//! set of events of the model, named as [`set_of_tag`] says.

use std::collections::{BTreeMap, BTreeSet};
use treville_base::Name;

/// Kinds of events that annotations can be declared for.
pub const KINDS: &[&str] = &["B", "F", "R", "RMW", "SRCU", "W"];

/// The declarations of a bell file.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Bell {
    /// The tags of each `enum`, in the order of the text; `scopes`, `levels` and `regions` have a meaning of their own.
    pub enums: BTreeMap<Name, Vec<Name>>,
    /// For each kind, the alternatives that were declared.
    pub instructions: BTreeMap<Name, Vec<Annotation>>,
    /// What an instruction without annotation carries.
    pub defaults: BTreeMap<Name, Vec<Name>>,
}

/// One way to annotate: for each place, the tags that may stand there.
pub type Annotation = Vec<BTreeSet<Name>>;

impl Bell {
    /// Whether an event of the kind may carry exactly these tags, one for each place. A kind without declaration
    /// carries none.
    pub fn allows(&self, kind: &str, tags: &[Name]) -> bool {
        let fits = |places: &Annotation| {
            places.len() == tags.len() && places.iter().zip(tags).all(|(place, tag)| place.contains(tag))
        };
        self.instructions.get(kind).map_or(tags.is_empty(), |alternatives| alternatives.iter().any(fits))
    }

    /// The tags that instructions may carry.
    pub fn tags(&self) -> BTreeSet<&Name> {
        self.instructions.values().flatten().flatten().flatten().collect()
    }

    /// The sets of events that the tags stand for.
    pub fn sets(&self) -> BTreeSet<Name> {
        self.tags().into_iter().map(|tag| set_of_tag(tag)).collect()
    }
}

/// The set of the events that carry a tag: `'before-atomic` gives `Before-atomic`, `'ONCE` gives `ONCE`.
pub fn set_of_tag(tag: &str) -> Name {
    let mut chars = tag.chars();
    let first: String = chars.next().into_iter().map(|c| c.to_ascii_uppercase()).collect();
    Name::from(first + chars.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_checked_one_by_one() {
        let place = |tags: &[&str]| tags.iter().map(|&tag| Name::new(tag)).collect::<BTreeSet<_>>();
        let mut bell = Bell::default();
        bell.instructions
            .insert("R".into(), vec![vec![place(&["once", "acquire"])], vec![place(&["once"]), place(&["cta"])]]);
        let allows = |kind, tags: &[&str]| bell.allows(kind, &tags.iter().map(|&t| Name::new(t)).collect::<Vec<_>>());
        assert!(allows("R", &["acquire"]) && allows("R", &["once", "cta"]));
        assert!(!allows("R", &["acquire", "cta"]) && !allows("R", &[]) && !allows("R", &["cta"]));
        assert!(allows("W", &[]) && !allows("W", &["once"]));
        assert_eq!(bell.sets(), place(&["Once", "Acquire", "Cta"]));
    }
}
