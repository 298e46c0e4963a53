//! The terms that an analysis is about, operands first, recursive groups together.

use crate::Obligation;
use treville_base::{Idx, IndexVec};
use treville_model::{Model, PickId, PickSource, RecOrder, Step, Term, TermId, children};

/// Terms that are solved together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Component {
    /// In ascending order: operands come first, except through recursion.
    pub(crate) terms: Vec<TermId>,
    pub(crate) recursion: Recursion,
}

/// How terms of a component depend on each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Recursion {
    None,
    /// They are a least fixpoint.
    Least,
    /// They are what iteration in textual order leads to.
    Iterated,
}

#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// Operands first.
    pub(crate) components: Vec<Component>,
    /// The component of each term that is needed.
    pub(crate) component: IndexVec<TermId, Option<usize>>,
    /// The choices that an execution has to make.
    pub(crate) picks: Vec<PickId>,
}

impl Plan {
    pub(crate) fn new(model: &Model, obligations: &[Obligation]) -> Plan {
        let picks: Vec<PickId> =
            model.steps.iter().filter_map(|s| if let Step::Pick(p) = s { Some(*p) } else { None }).collect();
        let picked = |t: &Term| matches!(t, Term::Pick(p) if picks.contains(p));
        let mut roots: Vec<TermId> = obligations.iter().map(|d| d.term).collect();
        roots.extend(model.terms.iter_enumerated().filter(|(_, info)| picked(&info.term)).map(|(t, _)| t));
        roots.extend(picks.iter().flat_map(|p| inputs(model, *p)));
        let mut search = Search::new(model);
        roots.into_iter().for_each(|root| search.visit(root));
        let Search { components, .. } = search;
        let mut component: IndexVec<TermId, Option<usize>> = model.terms.iter().map(|_| None).collect();
        for (i, c) in components.iter().enumerate() {
            for &t in &c.terms {
                component[t] = Some(i);
            }
        }
        Plan { components, component, picks }
    }

    /// Whether a term belongs to a group that is no least fixpoint: its bounds do not come from its body's.
    pub(crate) fn is_iterated(&self, model: &Model, t: TermId) -> bool {
        let iterated = |i: usize| self.components[i].recursion == Recursion::Iterated;
        matches!(model.term(t), Term::Rec(..)) && self.component[t].is_some_and(iterated)
    }

    /// The terms that are needed, operands first.
    pub(crate) fn terms(&self) -> impl DoubleEndedIterator<Item = TermId> + '_ {
        self.components.iter().flat_map(|c| c.terms.iter().copied())
    }
}

/// What a choice among orders looks at.
fn inputs(model: &Model, pick: PickId) -> Vec<TermId> {
    match model.picks[pick].source {
        PickSource::Orders(o) => vec![o.on, o.classes, o.extends],
        PickSource::AnyOf(..) => Vec::new(),
    }
}

/// The terms that a term is defined by, as far as the definition is understood.
pub(crate) fn operands(model: &Model, t: TermId) -> Vec<TermId> {
    match *model.term(t) {
        Term::Rec(rec, i) => vec![model.recs[rec].bodies[i as usize]],
        Term::Pick(pick) => inputs(model, pick),
        ref term => children(term).collect(),
    }
}

/// Tarjan's algorithm, on a stack of its own: a union may have thousands of operands.
struct Search<'m> {
    model: &'m Model,
    /// When a term was met, and the earliest term on the path that it leads back to.
    met: Vec<u32>,
    low: Vec<u32>,
    open: Vec<bool>,
    clock: u32,
    path: Vec<TermId>,
    components: Vec<Component>,
}

impl<'m> Search<'m> {
    fn new(model: &'m Model) -> Self {
        let n = model.terms.len();
        Search {
            model,
            met: vec![0; n],
            low: vec![0; n],
            open: vec![false; n],
            clock: 0,
            path: Vec::new(),
            components: Vec::new(),
        }
    }

    fn enter(&mut self, t: TermId) -> (TermId, Vec<TermId>) {
        self.clock += 1;
        self.met[t.index()] = self.clock;
        self.low[t.index()] = self.clock;
        self.open[t.index()] = true;
        self.path.push(t);
        (t, operands(self.model, t))
    }

    fn visit(&mut self, root: TermId) {
        if self.met[root.index()] != 0 {
            return;
        }
        let mut stack = vec![self.enter(root)];
        while let Some((t, todo)) = stack.last_mut() {
            let t = *t;
            match todo.pop() {
                Some(o) if self.met[o.index()] == 0 => stack.push(self.enter(o)),
                Some(o) if self.open[o.index()] => {
                    self.low[t.index()] = self.low[t.index()].min(self.met[o.index()]);
                }
                Some(_) => {}
                None => {
                    stack.pop();
                    if let Some((above, _)) = stack.last() {
                        self.low[above.index()] = self.low[above.index()].min(self.low[t.index()]);
                    }
                    if self.low[t.index()] == self.met[t.index()] {
                        self.leave(t);
                    }
                }
            }
        }
    }

    /// Closes the component that was entered at `t`.
    fn leave(&mut self, t: TermId) {
        let at = self.path.iter().rposition(|&p| p == t).unwrap_or(0);
        let mut terms = self.path.split_off(at);
        terms.sort_unstable();
        terms.iter().for_each(|t| self.open[t.index()] = false);
        let iterated = |t: &TermId| match *self.model.term(*t) {
            Term::Rec(rec, _) => self.model.recs[rec].order == RecOrder::Iterated,
            _ => false,
        };
        let recursion = if terms.len() == 1 && !operands(self.model, t).contains(&t) {
            Recursion::None
        } else if terms.iter().any(iterated) {
            Recursion::Iterated
        } else {
            Recursion::Least
        };
        self.components.push(Component { terms, recursion });
    }
}
