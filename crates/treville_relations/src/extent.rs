//! Sets of events and relations on them under one name, and what is known of one of them.

use treville_event::{EventSet, Relation};
use treville_model::Shape;

/// A set of events or of pairs of events.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Extent {
    Set(EventSet),
    Rel(Relation),
}

impl Extent {
    pub fn empty(shape: Shape, n: usize) -> Self {
        match shape {
            Shape::Set => Extent::Set(EventSet::new(n)),
            Shape::Rel => Extent::Rel(Relation::new(n)),
        }
    }

    pub fn full(shape: Shape, n: usize) -> Self {
        match shape {
            Shape::Set => Extent::Set(EventSet::full(n)),
            Shape::Rel => Extent::Rel(Relation::full(n)),
        }
    }

    /// The set; linked terms have operands of the shape that is needed.
    pub fn set(&self) -> &EventSet {
        match self {
            Extent::Set(s) => s,
            Extent::Rel(_) => unreachable!("the linker gives sets where sets are needed"),
        }
    }

    /// The relation; linked terms have operands of the shape that is needed.
    pub fn rel(&self) -> &Relation {
        match self {
            Extent::Rel(r) => r,
            Extent::Set(_) => unreachable!("the linker gives relations where relations are needed"),
        }
    }

    pub fn len(&self) -> usize {
        match self {
            Extent::Set(s) => s.len(),
            Extent::Rel(r) => r.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        match self {
            Extent::Set(s) => s.is_empty(),
            Extent::Rel(r) => r.is_empty(),
        }
    }

    /// Whether it has the pair; for a set, whether `x`, which is `y`, is a member.
    pub fn contains(&self, x: usize, y: usize) -> bool {
        match self {
            Extent::Set(s) => x == y && s.contains(x),
            Extent::Rel(r) => r.contains(x, y),
        }
    }

    /// Its pairs in order; a member of a set is the pair of it with itself.
    pub fn pairs(&self) -> Box<dyn Iterator<Item = (usize, usize)> + '_> {
        match self {
            Extent::Set(s) => Box::new(s.iter().map(|x| (x, x))),
            Extent::Rel(r) => Box::new(r.iter()),
        }
    }

    pub fn is_subset(&self, other: &Extent) -> bool {
        match (self, other) {
            (Extent::Set(a), Extent::Set(b)) => a.is_subset(b),
            (a, b) => a.rel().is_subset(b.rel()),
        }
    }

    pub fn union_assign(&mut self, other: &Extent) {
        match (self, other) {
            (Extent::Set(a), b) => a.union_assign(b.set()),
            (Extent::Rel(a), b) => a.union_assign(b.rel()),
        }
    }

    pub fn intersect_assign(&mut self, other: &Extent) {
        match (self, other) {
            (Extent::Set(a), b) => a.intersect_assign(b.set()),
            (Extent::Rel(a), b) => a.intersect_assign(b.rel()),
        }
    }

    pub fn subtract_assign(&mut self, other: &Extent) {
        match (self, other) {
            (Extent::Set(a), b) => a.subtract_assign(b.set()),
            (Extent::Rel(a), b) => a.subtract_assign(b.rel()),
        }
    }

    #[must_use]
    pub fn union(&self, other: &Extent) -> Extent {
        let mut r = self.clone();
        r.union_assign(other);
        r
    }

    #[must_use]
    pub fn intersection(&self, other: &Extent) -> Extent {
        let mut r = self.clone();
        r.intersect_assign(other);
        r
    }

    #[must_use]
    pub fn difference(&self, other: &Extent) -> Extent {
        let mut r = self.clone();
        r.subtract_assign(other);
        r
    }
}

/// Bounds of something that differs between executions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Known<T> {
    /// What is not here is in no execution.
    pub may: T,
    /// What is here is in every execution in which its events happen.
    pub must: T,
}

impl Known<Extent> {
    /// Nothing, for sure.
    pub fn nothing(shape: Shape, n: usize) -> Self {
        Known { may: Extent::empty(shape, n), must: Extent::empty(shape, n) }
    }

    /// The pairs that some executions have and others have not.
    pub fn unknown(&self) -> Extent {
        self.may.difference(&self.must)
    }
}

/// Which half of a literal's definition is needed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Polarity {
    /// "The definition implies the literal": where a solver would like it to be false.
    Up,
    /// "The literal implies the definition": where a solver would like it to be true.
    Down,
}

impl Polarity {
    pub const BOTH: [Polarity; 2] = [Polarity::Up, Polarity::Down];

    #[must_use]
    pub fn opposite(self) -> Polarity {
        match self {
            Polarity::Up => Polarity::Down,
            Polarity::Down => Polarity::Up,
        }
    }
}

/// The pairs of one term that are needed, by polarity.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ByPolarity {
    pub up: Extent,
    pub down: Extent,
}

impl ByPolarity {
    pub fn empty(shape: Shape, n: usize) -> Self {
        ByPolarity { up: Extent::empty(shape, n), down: Extent::empty(shape, n) }
    }

    pub fn of(&self, polarity: Polarity) -> &Extent {
        match polarity {
            Polarity::Up => &self.up,
            Polarity::Down => &self.down,
        }
    }

    pub fn of_mut(&mut self, polarity: Polarity) -> &mut Extent {
        match polarity {
            Polarity::Up => &mut self.up,
            Polarity::Down => &mut self.down,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.up.is_empty() && self.down.is_empty()
    }

    /// Pairs that are needed in one polarity or the other: each is one literal.
    pub fn any(&self) -> Extent {
        self.up.union(&self.down)
    }
}
