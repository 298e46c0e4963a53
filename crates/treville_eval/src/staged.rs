//! The staged evaluator: the same terms as the reference, evaluated only as far as a check needs and only when a choice that
//! they look at has changed. Nothing is allocated after the first execution of a size.
//!
//! It takes models without picks and without generals; [`Plan::new`] says so for others. It is tested against the reference.

use crate::coherence::CoherencePlan;
use treville_base::{BitMatrix, BitSet, Cancel, Idx, IndexVec, Name};
use treville_event::{BaseRel, EventSet, Relation, Skeleton};
use treville_model::syntax::CheckMode;
use treville_model::{CheckId, CheckKind, Model, RecId, RecOrder, Shape, Stage, Term, TermId, Test};

/// What is computed once for a model.
#[derive(Debug)]
pub struct Plan {
    /// Terms of each recursive group that must be evaluated anew in each round, children first.
    inside: IndexVec<RecId, Vec<TermId>>,
    /// Required checks that a partial execution can already violate, then the other required ones.
    required: Vec<CheckId>,
    /// How many of `required` are of the first kind.
    n_monotone: usize,
    /// Flags and definedness, looked at on accepted executions only.
    pub notes: Vec<CheckId>,
    coherence: CoherencePlan,
    /// The terms that are `rf`, `co`, `FW` and `different-values` themselves, if the model has them.
    different: Option<TermId>,
    rf: Option<TermId>,
    co: Option<TermId>,
    finals: Option<TermId>,
}

impl Plan {
    /// `None` if the model needs the reference evaluator.
    pub fn new(model: &Model) -> Option<Plan> {
        let simple = model.picks.is_empty()
            && model.generals.is_empty()
            && model.checks.iter().all(|c| c.mode != CheckMode::Assert);
        if !simple {
            return None;
        }
        let inside = model.recs.ids().map(|group| inside(model, group)).collect::<Option<Vec<_>>>()?;
        let checks = || model.made_checks().map(|(id, _)| id);
        let mode = |id: &CheckId| model.checks[*id].mode;
        let (mut required, other): (Vec<_>, Vec<_>) =
            checks().filter(|id| mode(id) == CheckMode::Require).partition(|id| model.checks[*id].monotone);
        let n_monotone = required.len();
        required.extend(other);
        let notes = checks().filter(|id| mode(id) != CheckMode::Require).collect();
        let find = |wanted: &Term| model.terms.iter_enumerated().find(|(_, t)| t.term == *wanted).map(|(id, _)| id);
        Some(Plan {
            inside: inside.into(),
            required,
            n_monotone,
            notes,
            coherence: CoherencePlan::new(model),
            different: find(&Term::BaseRel(BaseRel::DifferentValues)),
            rf: find(&Term::BaseRel(BaseRel::Rf)),
            co: find(&Term::BaseRel(BaseRel::Co)),
            finals: find(&Term::BaseSet(Name::new("FW"))),
        })
    }
}

/// The terms below a group's bodies that look at its members, children first; `None` if another group is among them.
fn inside(model: &Model, group: RecId) -> Option<Vec<TermId>> {
    let mut looks: Vec<bool> = Vec::with_capacity(model.terms.len());
    let mut below: Vec<bool> = vec![false; model.terms.len()];
    for info in &model.terms {
        let mut look = matches!(info.term, Term::Rec(g, _) if g == group);
        children(&info.term, &mut |c| look |= looks[c.index()]);
        looks.push(look);
    }
    let mut todo: Vec<TermId> = model.recs[group].bodies.clone();
    while let Some(t) = todo.pop() {
        if looks[t.index()] && !std::mem::replace(&mut below[t.index()], true) {
            if matches!(model.terms[t].term, Term::Rec(g, _) if g != group) {
                return None;
            }
            children(&model.terms[t].term, &mut |c| todo.push(c));
        }
    }
    // Another group that looks at this one's members through its bodies would have to be solved again in each round.
    let nested =
        model.recs.iter_enumerated().any(|(g, other)| g != group && other.bodies.iter().any(|b| looks[b.index()]));
    if nested && below.iter().zip(&model.terms).any(|(b, t)| *b && matches!(t.term, Term::Rec(g, _) if g != group)) {
        return None;
    }
    Some(model.terms.ids().filter(|t| below[t.index()] && !matches!(model.terms[*t].term, Term::Rec(..))).collect())
}

fn children(term: &Term, visit: &mut impl FnMut(TermId)) {
    match term {
        Term::BaseSet(_)
        | Term::BaseRel(_)
        | Term::Empty
        | Term::Universe
        | Term::Rec(..)
        | Term::Pick(_)
        | Term::General(_) => {}
        Term::Union(a, b) | Term::Inter(a, b) | Term::Diff(a, b) | Term::Seq(a, b) | Term::Product(a, b) => {
            visit(*a);
            visit(*b);
        }
        Term::Complement(a)
        | Term::Inverse(a)
        | Term::Plus(a)
        | Term::Star(a)
        | Term::Opt(a)
        | Term::ToId(a)
        | Term::Domain(a)
        | Term::Range(a) => visit(*a),
    }
}

#[derive(Clone, Debug, Default)]
enum Value {
    #[default]
    None,
    Set(BitSet),
    Rel(BitMatrix),
}

/// The values of a model's terms on one execution, renewed as choices change.
#[derive(Debug)]
pub struct Staged<'m> {
    model: &'m Model,
    plan: &'m Plan,
    n: usize,
    values: IndexVec<TermId, Value>,
    /// For which round of its stage's choice a value is valid; 0 is never.
    valid: IndexVec<TermId, u64>,
    /// The current round of each stage: skeleton, rf, co.
    round: [u64; 3],
    clock: u64,
    members: IndexVec<RecId, Vec<TermId>>,
    scratch: BitMatrix,
    /// Checks that a partial execution can violate, those that failed last first.
    monotone: Vec<CheckId>,
    /// A recursive definition did not settle: what depends on it means nothing.
    unsettled: bool,
    cancel: Cancel,
    /// A relation was given up halfway, or should not be begun: from then on nothing holds.
    stopped: bool,
}

/// With more events the clock is read for each relation.
const FEW_EVENTS: usize = 512;

fn level(stage: Stage) -> usize {
    match stage {
        Stage::Skeleton => 0,
        Stage::Rf => 1,
        Stage::Co | Stage::Pick(_) => 2,
    }
}

impl<'m> Staged<'m> {
    pub fn new(model: &'m Model, plan: &'m Plan) -> Self {
        let mut members: IndexVec<RecId, Vec<TermId>> =
            model.recs.iter().map(|g| vec![TermId(u32::MAX); g.bodies.len()]).collect();
        for (id, info) in model.terms.iter_enumerated() {
            if let Term::Rec(g, i) = info.term {
                members[g][i as usize] = id;
            }
        }
        Staged {
            model,
            plan,
            n: usize::MAX,
            values: model.terms.iter().map(|_| Value::None).collect(),
            valid: model.terms.iter().map(|_| 0).collect(),
            round: [0; 3],
            clock: 0,
            members,
            scratch: BitMatrix::default(),
            monotone: plan.required[..plan.n_monotone].to_vec(),
            unsettled: false,
            cancel: Cancel::new(),
            stopped: false,
        }
    }

    /// The same, which gives up when it is told to.
    #[must_use]
    pub fn until(self, cancel: &Cancel) -> Self {
        Staged { cancel: cancel.clone(), ..self }
    }

    /// Whether it has given up: no execution is accepted any more.
    pub fn has_stopped(&self) -> bool {
        self.stopped
    }

    /// Whether some recursive definition did not settle on this skeleton; the reference then reports an error.
    pub fn unsettled(&self) -> bool {
        self.unsettled
    }

    pub fn model(&self) -> &'m Model {
        self.model
    }

    pub(crate) fn coherence_plan(&self) -> &'m CoherencePlan {
        &self.plan.coherence
    }

    /// Starts on another skeleton: everything is to be computed anew.
    pub fn enter(&mut self, skeleton: &Skeleton) {
        let n = skeleton.n_events();
        if n != self.n {
            self.n = n;
            self.scratch = BitMatrix::new(n);
            for (value, info) in self.values.iter_mut().zip(&self.model.terms) {
                *value = match info.shape {
                    Shape::Set => Value::Set(BitSet::new(n)),
                    Shape::Rel => Value::Rel(BitMatrix::new(n)),
                };
            }
        }
        self.clock += 1;
        self.unsettled = false;
        self.round = [self.clock; 3];
        for (id, info) in self.model.terms.iter_enumerated() {
            match (&info.term, &mut self.values[id]) {
                (Term::BaseSet(name), Value::Set(out)) => match skeleton.sets.get(name) {
                    Some(set) => out.assign(set),
                    None => out.clear(),
                },
                (Term::BaseRel(rel), Value::Rel(out)) => match skeleton.rels.get(rel) {
                    Some(r) => out.assign(r),
                    None => out.clear(),
                },
                _ => continue,
            }
            self.valid[id] = u64::MAX;
        }
    }

    /// Another choice of reads-from (and so of everything after it).
    pub fn set_rf(&mut self, rf: &Relation) {
        self.set_base(self.plan.rf, rf);
        self.clock += 1;
        self.round[1] = self.clock;
        self.round[2] = self.clock;
    }

    /// Another coherence order.
    pub fn set_co(&mut self, co: &Relation) {
        self.set_base(self.plan.co, co);
        self.clock += 1;
        self.round[2] = self.clock;
    }

    /// The writes that are final; before [`Self::set_co`].
    pub fn set_finals(&mut self, finals: &EventSet) {
        if let Some(Value::Set(out)) = self.plan.finals.map(|id| &mut self.values[id]) {
            out.assign(finals);
        }
    }

    fn set_base(&mut self, term: Option<TermId>, value: &Relation) {
        if let Some(Value::Rel(out)) = term.map(|id| &mut self.values[id]) {
            out.assign(value);
        }
    }

    /// Whether the required checks hold that a partial execution can already violate.
    pub fn plausible(&mut self) -> bool {
        for i in 0..self.monotone.len() {
            if !self.passes(self.monotone[i]) {
                // What has failed is likely to fail again, and then nothing else need be computed.
                self.monotone[..=i].rotate_right(1);
                return false;
            }
        }
        !self.stopped
    }

    /// Whether the other required checks hold: those that only a whole execution decides.
    pub fn rest_holds(&mut self) -> bool {
        let plan = self.plan;
        plan.required[plan.n_monotone..].iter().all(|id| self.passes(*id)) && !self.stopped
    }

    /// Whether the model compares values of events.
    pub fn uses_values(&self) -> bool {
        self.plan.different.is_some()
    }

    /// The events with different values ([`crate::plain::different_values`]), known once reads have their sources.
    pub fn set_different_values(&mut self, different: &Relation) {
        self.set_base(self.plan.different, different);
        self.clock += 1;
        self.round[1] = self.clock;
        self.round[2] = self.clock;
    }

    /// Whether the model looks at final writes.
    pub fn uses_finals(&self) -> bool {
        self.plan.finals.is_some()
    }

    pub fn passes(&mut self, check: CheckId) -> bool {
        let Test { kind, negated, term } = self.model.checks[check].test;
        self.eval(term);
        let passes = match (&self.values[term], kind) {
            (Value::Set(s), CheckKind::Empty) => s.is_empty(),
            (Value::Rel(r), CheckKind::Empty) => r.is_empty(),
            (Value::Rel(r), CheckKind::Acyclic) => r.is_acyclic(),
            (Value::Rel(r), CheckKind::Irreflexive) => r.is_irreflexive(),
            (Value::Set(_) | Value::None, _) => false,
        };
        passes != negated
    }

    /// The value of a relation term.
    pub fn relation(&mut self, term: TermId) -> Option<&Relation> {
        self.eval(term);
        match &self.values[term] {
            Value::Rel(r) => Some(r),
            Value::Set(_) | Value::None => None,
        }
    }

    /// The value of a set term.
    pub fn set(&mut self, term: TermId) -> Option<&EventSet> {
        self.eval(term);
        match &self.values[term] {
            Value::Set(s) => Some(s),
            Value::Rel(_) | Value::None => None,
        }
    }

    fn eval(&mut self, id: TermId) {
        let info = &self.model.terms[id];
        if self.valid[id] >= self.round[level(info.stage)] {
            return;
        }
        if let Term::Rec(group, _) = info.term {
            self.solve(group);
            return;
        }
        if self.eval_operands(&info.term) {
            self.compute(id);
        } else {
            clear(&mut self.values[id]);
            self.valid[id] = self.clock;
        }
    }

    /// Evaluates the operands of a term. False if one of them being empty makes the term empty; the others are then left.
    fn eval_operands(&mut self, term: &Term) -> bool {
        let (first, second) = match *term {
            Term::Diff(a, b) => (a, b),
            // What changes more seldom comes first: a program without plain accesses never looks at races.
            Term::Inter(a, b) | Term::Seq(a, b) | Term::Product(a, b) => {
                let stage = |t: TermId| level(self.model.terms[t].stage);
                if stage(b) < stage(a) { (b, a) } else { (a, b) }
            }
            _ => {
                children(term, &mut |c| self.eval(c));
                return true;
            }
        };
        self.eval(first);
        if self.is_empty(first) {
            return false;
        }
        self.eval(second);
        true
    }

    fn is_empty(&self, t: TermId) -> bool {
        match &self.values[t] {
            Value::Set(s) => s.is_empty(),
            Value::Rel(r) => r.is_empty(),
            Value::None => false,
        }
    }

    fn solve(&mut self, group: RecId) {
        let (model, plan) = (self.model, self.plan);
        let rec = &model.recs[group];
        // What the bodies use from outside is computed first; the members start empty.
        for i in 0..rec.bodies.len() {
            let member = self.members[group][i];
            if member.0 != u32::MAX {
                clear(&mut self.values[member]);
                self.valid[member] = u64::MAX;
            }
        }
        for t in &plan.inside[group] {
            children(&model.terms[*t].term, &mut |c| {
                if plan.inside[group].binary_search(&c).is_err() {
                    self.eval(c);
                }
            });
        }
        for body in rec.bodies.iter().filter(|b| plan.inside[group].binary_search(b).is_err()) {
            self.eval(*body);
        }
        // The same end, and the same limit, as the reference: every body has what it had the time before.
        let limit = rec.bodies.len() * self.n * self.n + 2;
        let mut settled = false;
        for _ in 0..limit {
            let mut changed = false;
            if rec.order == RecOrder::Least {
                plan.inside[group].iter().for_each(|t| self.compute(*t));
            }
            for (i, body) in rec.bodies.iter().enumerate() {
                if rec.order == RecOrder::Iterated {
                    plan.inside[group].iter().for_each(|t| self.compute(*t));
                }
                let member = self.members[group][i];
                if member.0 != u32::MAX {
                    changed |= self.copy(*body, member);
                }
            }
            if !changed {
                settled = true;
                break;
            }
        }
        self.unsettled |= !settled;
        if rec.order == RecOrder::Iterated {
            // The last assignment may have taken something away again.
            plan.inside[group].iter().for_each(|t| self.compute(*t));
        }
        for i in 0..rec.bodies.len() {
            let member = self.members[group][i];
            if member.0 != u32::MAX {
                self.valid[member] = self.clock;
            }
        }
    }

    /// Copies a value; true if that changes something.
    fn copy(&mut self, from: TermId, to: TermId) -> bool {
        if from == to {
            return false;
        }
        let mut target = std::mem::take(&mut self.values[to]);
        let changed = match (&self.values[from], &mut target) {
            (Value::Set(a), Value::Set(b)) => {
                let differs = a != b;
                b.assign(a);
                differs
            }
            (Value::Rel(a), Value::Rel(b)) => {
                let differs = a != b;
                b.assign(a);
                differs
            }
            _ => false,
        };
        self.values[to] = target;
        changed
    }

    /// Computes a term from its children's values, which are valid.
    fn compute(&mut self, id: TermId) {
        let mut out = std::mem::take(&mut self.values[id]);
        match &mut out {
            Value::Set(out) => self.compute_set(&self.model.terms[id].term, out),
            Value::Rel(out) => {
                let mut scratch = std::mem::take(&mut self.scratch);
                self.stopped |= self.n > FEW_EVENTS && self.cancel.is_stopped();
                self.stopped = self.stopped || !self.compute_rel(&self.model.terms[id].term, out, &mut scratch);
                self.scratch = scratch;
            }
            Value::None => {}
        }
        self.values[id] = out;
        self.valid[id] = self.clock;
    }

    fn compute_set(&self, term: &Term, out: &mut BitSet) {
        let set = |t: &TermId| match &self.values[*t] {
            Value::Set(s) => s,
            Value::Rel(_) | Value::None => unreachable!("a linked term has operands of its shape"),
        };
        match term {
            Term::Empty => out.clear(),
            Term::Universe => out.fill(),
            Term::Union(a, b) => {
                out.assign(set(a));
                out.union_assign(set(b));
            }
            Term::Inter(a, b) => {
                out.assign(set(a));
                out.intersect_assign(set(b));
            }
            Term::Diff(a, b) => {
                out.assign(set(a));
                out.subtract_assign(set(b));
            }
            Term::Complement(a) => {
                out.assign(set(a));
                out.complement_assign();
            }
            Term::Domain(a) => self.rel(*a).domain_into(out),
            Term::Range(a) => self.rel(*a).range_into(out),
            _ => unreachable!("not a set that is computed"),
        }
    }

    /// Whether it came to its end.
    fn compute_rel(&self, term: &Term, out: &mut BitMatrix, scratch: &mut BitMatrix) -> bool {
        let stop = &mut || self.cancel.is_stopped();
        match term {
            Term::Empty => out.clear(),
            Term::Universe => {
                out.clear();
                out.complement_assign();
            }
            Term::Union(a, b) => {
                out.assign(self.rel(*a));
                out.union_assign(self.rel(*b));
            }
            Term::Inter(a, b) => {
                out.assign(self.rel(*a));
                out.intersect_assign(self.rel(*b));
            }
            Term::Diff(a, b) => {
                out.assign(self.rel(*a));
                out.subtract_assign(self.rel(*b));
            }
            Term::Complement(a) => {
                out.assign(self.rel(*a));
                out.complement_assign();
            }
            Term::Seq(a, b) => match (self.restriction(*a), self.restriction(*b)) {
                (Some(set), _) => out.restrict_domain_into(set, self.rel(*b)),
                (None, Some(set)) => out.restrict_range_into(self.rel(*a), set),
                (None, None) => {
                    let ended = scratch.compose_into_unless(self.rel(*a), self.rel(*b), stop);
                    std::mem::swap(out, scratch);
                    return ended;
                }
            },
            Term::Inverse(a) => out.inverse_into(self.rel(*a)),
            Term::Plus(a) => {
                out.assign(self.rel(*a));
                return out.close_transitively_unless(stop);
            }
            Term::Star(a) => {
                out.assign(self.rel(*a));
                let ended = out.close_transitively_unless(stop);
                out.add_identity();
                return ended;
            }
            Term::Opt(a) => {
                out.assign(self.rel(*a));
                out.add_identity();
            }
            Term::Product(a, b) => match (&self.values[*a], &self.values[*b]) {
                (Value::Set(a), Value::Set(b)) => out.product_into(a, b),
                _ => unreachable!("a product is of sets"),
            },
            Term::ToId(a) => {
                out.clear();
                if let Value::Set(s) = &self.values[*a] {
                    s.iter().for_each(|i| out.insert(i, i));
                }
            }
            _ => unreachable!("not a relation that is computed"),
        }
        true
    }

    /// The set of a term `[set]`: composing with it is cheaper than composing with a relation.
    fn restriction(&self, t: TermId) -> Option<&BitSet> {
        match (&self.model.terms[t].term, &self.values) {
            (Term::ToId(set), values) => match &values[*set] {
                Value::Set(set) => Some(set),
                Value::Rel(_) | Value::None => None,
            },
            _ => None,
        }
    }

    fn rel(&self, t: TermId) -> &BitMatrix {
        match &self.values[t] {
            Value::Rel(r) => r,
            Value::Set(_) | Value::None => unreachable!("a linked term has operands of its shape"),
        }
    }
}

fn clear(value: &mut Value) {
    match value {
        Value::Set(s) => s.clear(),
        Value::Rel(r) => r.clear(),
        Value::None => {}
    }
}
