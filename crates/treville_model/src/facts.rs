//! What is known of a bundled model beside its text.

/// Whose fences and memory orders a model knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    /// Those of every dialect, since it orders everything.
    SequentialConsistency,
    /// Those of an instruction set.
    Hardware,
    /// Those of C and C++.
    C11,
    /// Those of the Linux kernel.
    Kernel,
}

/// Models of programs whose rules an engine may know without their axioms.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum KnownModel {
    Sc,
    Tso,
    Ra,
    Rc11,
    Imm,
}

impl KnownModel {
    /// Whether the rules are all there is, for programs; those of imm leave load buffering to its axioms.
    pub fn is_built_in(self) -> bool {
        match self {
            KnownModel::Sc | KnownModel::Tso | KnownModel::Ra | KnownModel::Rc11 => true,
            KnownModel::Imm => false,
        }
    }
}

/// A new model begins with those of its family (`HARDWARE` or `C11` in `treville_cat/src/bundled.rs`), and says what is different. A fact
/// that is wrong makes engines miss executions; one that is `None` or `false` makes them slower, or lets another engine answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ModelFacts {
    /// Decides which dialects and programs the model takes without a complaint.
    pub family: Family,
    /// Rules of the engine `explore` for it; only a model that they were written for has some.
    pub known: Option<KnownModel>,
    /// Programs, unlike tests, are judged by its variant `cxx20`.
    pub cxx20: bool,
    /// What it allows, it also allows without the accesses to some location: its axioms forbid cycles and pairs, and more
    /// accesses forbid more. Not so c11, where a read must see a visible write, which other accesses may make visible.
    pub monotone: bool,
}

/// What a model says of programs in C by its relation `hb` and its flag for races.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum HappensBefore {
    /// What C11 says.
    Cxx11,
    /// What C++20 says: a later write of the same thread does not continue a release sequence.
    Cxx20,
    /// Something else.
    #[default]
    Own,
}

impl ModelFacts {
    /// The model, if the engine `explore` needs no axioms for programs under it.
    pub fn built_in(&self) -> Option<KnownModel> {
        self.known.filter(|known| known.is_built_in())
    }
}
