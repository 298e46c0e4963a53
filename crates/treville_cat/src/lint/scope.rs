//! Names and whether they were used.

use std::fmt;
use treville_base::{Name, Span};

/// What a name was introduced as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    Definition,
    Parameter,
    /// An element of a set, in `match` and `forall`.
    Element,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Role::Definition => "the definition",
            Role::Parameter => "the parameter",
            Role::Element => "the element",
        })
    }
}

#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) name: Name,
    pub(super) span: Span,
    pub(super) role: Role,
    /// The include that it comes from.
    pub(super) include: Option<usize>,
    /// In a branch that may not be taken: it does not hide what it redefines.
    pub(super) conditional: bool,
    /// The recursive group that it belongs to, and whether that uses it.
    pub(super) group: Option<usize>,
    pub(super) used_in_group: bool,
    pub(super) used: bool,
}

impl Entry {
    pub(super) fn new(name: Name, span: Span, role: Role) -> Self {
        let (include, group) = (None, None);
        Entry { name, span, role, include, conditional: false, group, used_in_group: false, used: false }
    }
}

/// The names that are known, the innermost last.
#[derive(Debug, Default)]
pub(super) struct Scope {
    entries: Vec<Entry>,
}

impl Scope {
    pub(super) fn mark(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn push(&mut self, entry: Entry) {
        self.entries.push(entry);
    }

    /// Removes the entries since `mark`.
    pub(super) fn leave(&mut self, mark: usize) -> Vec<Entry> {
        let mut left = self.entries.split_off(mark.min(self.entries.len()));
        spread_use(&mut left);
        left
    }

    /// Marks what a name may stand for as used, and shows each entry to `seen`.
    pub(super) fn use_name(&mut self, name: &str, mut seen: impl FnMut(&Entry)) {
        for entry in self.entries.iter_mut().rev().filter(|entry| entry.name == *name) {
            entry.used = true;
            seen(entry);
            if !entry.conditional {
                return;
            }
        }
    }

    /// The entries since `mark` are a recursive group: uses up to now were uses by themselves.
    pub(super) fn close_group(&mut self, mark: usize, group: usize) {
        for entry in &mut self.entries[mark..] {
            entry.group = Some(group);
            entry.used_in_group = std::mem::take(&mut entry.used);
        }
    }

    /// The unit's own definitions that nothing used, with the place where they are defined again, if they are.
    pub(super) fn unused_definitions(&mut self) -> Vec<(Entry, Option<Span>)> {
        spread_use(&mut self.entries);
        let own = |entry: &Entry| entry.include.is_none() && entry.role == Role::Definition;
        let again = |index: usize, entry: &Entry| {
            let later = self.entries[index + 1..].iter().filter(|later| own(later) && !later.conditional);
            later.into_iter().find(|later| later.name == entry.name).map(|later| later.span)
        };
        let entries = self.entries.iter().enumerate();
        entries
            .filter(|(_, entry)| own(entry) && !entry.used)
            .map(|(index, entry)| (entry.clone(), again(index, entry)))
            .collect()
    }
}

/// What a used member of a recursive group uses is used.
fn spread_use(entries: &mut [Entry]) {
    let used: Vec<usize> = entries.iter().filter(|entry| entry.used).filter_map(|entry| entry.group).collect();
    for entry in entries {
        entry.used |= entry.used_in_group && entry.group.is_some_and(|group| used.contains(&group));
    }
}
