//! Reductions: what an engine may leave out because it would find nothing new. Each has a name and can be switched off.

use std::fmt;
use std::str::FromStr;

/// One way to leave out executions, or parts of them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Reduction {
    AwaitLoops,
    RetryLoops,
    LockRounds,
    HazardRounds,
    LockWaits,
    StaleWaits,
    Symmetry,
    Selection,
    Assumptions,
    UnreadObjects,
    SequentialGraphs,
}

/// A reduction, what `--reductions` calls it, what it does, and whether it leaves the number of complete executions as it is
/// defined: waits block, and nothing else is merged.
struct Row(Reduction, &'static str, &'static str, bool);

const ROWS: &[Row] = &[
    Row(Reduction::AwaitLoops, "await-loops", "an iteration of an await loop that changes nothing blocks", true),
    Row(Reduction::RetryLoops, "retry-loops", "a failed iteration of a compare-exchange loop blocks", true),
    Row(Reduction::LockRounds, "lock-rounds", "a lock that an iteration takes and releases is no change", true),
    Row(Reduction::HazardRounds, "hazard-rounds", "a hazard pointer that an iteration sets is no change", true),
    Row(Reduction::LockWaits, "lock-waits", "a thread that is overtaken at a lock comes again later", true),
    Row(Reduction::StaleWaits, "stale-waits", "no thread waits because it has read an old write", true),
    Row(Reduction::Symmetry, "symmetry", "executions that differ in the names of equal threads are one", false),
    Row(Reduction::Selection, "selection", "elements of a settled array at an unknown index are one value", false),
    Row(Reduction::Assumptions, "assumptions", "of an unknown value, what fails an assumption is left out", false),
    Row(Reduction::UnreadObjects, "unread-objects", "atomic objects that are never read are left out", false),
    Row(Reduction::SequentialGraphs, "sequential-graphs", "axioms that hold under SC are not evaluated there", true),
];

impl Reduction {
    /// All of them, in the order of their names in help and reports.
    pub fn all() -> impl Iterator<Item = Reduction> {
        ROWS.iter().map(|row| row.0)
    }

    pub fn named(name: &str) -> Option<Reduction> {
        ROWS.iter().find(|row| row.1 == name).map(|row| row.0)
    }

    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// What it does, in one line.
    pub fn about(self) -> &'static str {
        self.row().2
    }

    fn is_counted(self) -> bool {
        self.row().3
    }

    fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }
}

/// A set of reductions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Reductions(u16);

impl Reductions {
    /// No execution is left out, and none is merged with another.
    pub const NONE: Reductions = Reductions(0);

    pub fn all() -> Reductions {
        Reduction::all().collect()
    }

    /// Those with which complete executions are counted as they are defined: up to program order, reads-from and coherence of
    /// events on shared memory.
    pub fn counted() -> Reductions {
        Reduction::all().filter(|reduction| reduction.is_counted()).collect()
    }

    /// Those that are about iterations of loops: without them, loops run as they are.
    pub fn of_loops() -> Reductions {
        [Reduction::AwaitLoops, Reduction::RetryLoops, Reduction::LockRounds, Reduction::HazardRounds]
            .into_iter()
            .collect()
    }

    pub fn has(self, reduction: Reduction) -> bool {
        self.0 & 1 << reduction as u16 != 0
    }

    #[must_use]
    pub fn with(self, reduction: Reduction) -> Reductions {
        Reductions(self.0 | 1 << reduction as u16)
    }

    #[must_use]
    pub fn without(self, reduction: Reduction) -> Reductions {
        Reductions(self.0 & !(1 << reduction as u16))
    }

    /// Those that are not in `others`.
    #[must_use]
    pub fn minus(self, others: Reductions) -> Reductions {
        Reductions(self.0 & !others.0)
    }

    pub fn iter(self) -> impl Iterator<Item = Reduction> {
        Reduction::all().filter(move |reduction| self.has(*reduction))
    }
}

impl FromIterator<Reduction> for Reductions {
    fn from_iter<I: IntoIterator<Item = Reduction>>(reductions: I) -> Self {
        reductions.into_iter().fold(Reductions::NONE, Reductions::with)
    }
}

impl Default for Reductions {
    fn default() -> Self {
        Reductions::all()
    }
}

impl FromStr for Reductions {
    type Err = String;

    /// `all`, `counted`, `none`, or names with commas between them.
    fn from_str(text: &str) -> Result<Reductions, String> {
        match text {
            "all" => Ok(Reductions::all()),
            "counted" => Ok(Reductions::counted()),
            "none" => Ok(Reductions::NONE),
            _ => text.split(',').map(|name| Reduction::named(name.trim()).ok_or_else(|| unknown(name))).collect(),
        }
    }
}

fn unknown(name: &str) -> String {
    let names: Vec<&str> = Reduction::all().map(Reduction::name).collect();
    format!("no reduction is called `{name}`; there are all, counted, none, or some of {}", names.join(", "))
}

impl fmt::Display for Reductions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            all if all == Reductions::all() => f.write_str("all"),
            Reductions::NONE => f.write_str("none"),
            some => f.write_str(&some.iter().map(Reduction::name).collect::<Vec<_>>().join(",")),
        }
    }
}

impl fmt::Debug for Reductions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Reductions({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_the_order_of_the_reductions() {
        for (i, row) in ROWS.iter().enumerate() {
            assert_eq!(row.0 as usize, i, "{}", row.1);
        }
    }

    #[test]
    fn names_are_read_back() {
        for text in ["all", "none", "symmetry", "await-loops,lock-waits"] {
            assert_eq!(text.parse::<Reductions>().map(|r| r.to_string()), Ok(text.to_owned()));
        }
        let counted = Reductions::counted();
        assert!(counted.has(Reduction::AwaitLoops) && !counted.has(Reduction::Symmetry));
        assert_eq!("counted".parse(), Ok(counted));
    }

    #[test]
    fn a_wrong_name_is_an_error_that_lists_the_names() {
        let why = "spin".parse::<Reductions>().unwrap_err();
        assert!(why.contains("`spin`") && why.contains("await-loops") && why.contains("counted"), "{why}");
    }
}
