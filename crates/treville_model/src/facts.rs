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

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ModelFacts {
    pub family: Family,
    pub known: Option<KnownModel>,
    /// Programs, unlike tests, are judged by its variant `cxx20`.
    pub cxx20: bool,
    /// What it allows, it also allows without the accesses to some location: its axioms forbid cycles and pairs, and more
    /// accesses forbid more. Not so c11, where a read must see a visible write, which other accesses may make visible.
    pub monotone: bool,
}

impl ModelFacts {
    /// The model, if the engine `explore` needs no axioms for programs under it.
    pub fn built_in(&self) -> Option<KnownModel> {
        self.known.filter(|known| known.is_built_in())
    }
}
