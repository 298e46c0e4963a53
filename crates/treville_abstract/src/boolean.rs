//! Boolean programs: what every statement does to the predicates. That of the program under SC is made with a solver; that of
//! its reduction is extrapolated from it without one.

use crate::cubes::{Bits, Cube, MAX_PREDICATES, Strengthener, bit, members};
use crate::lia::Lia;
use std::collections::{BTreeMap, BTreeSet};
use treville_base::{Cancel, Idx};
use treville_rma::{
    Atom, Cond, Init, Linear, NodeId, Number, Op, ProcId, Program, PropKind, Rel, RemoteId, RemoteKind, Rmw, VarId,
};

/// `[target] := choose(one, zero)`: 1 if a cube of `one` holds, 0 if one of `zero` does, else unknown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Update {
    pub(crate) target: usize,
    pub(crate) one: Vec<Cube>,
    pub(crate) zero: Vec<Cube>,
}

/// All at once; what is not mentioned stays.
pub(crate) type Transformer = Vec<Update>;

/// What a statement does to predicates over variables, and to those over sets that mention one that is written.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Assignment {
    pub(crate) base: Transformer,
    /// For each set: literals about its variable are about its elements.
    pub(crate) over_sets: Vec<(usize, Transformer)>,
}

/// A condition in terms of predicates.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Guard {
    /// One of these: it does not hold.
    pub(crate) refuted: Vec<Cube>,
    /// One of these: it holds.
    pub(crate) certain: Vec<Cube>,
    /// What is known once it holds.
    pub(crate) learn: Transformer,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum BoolOp {
    Skip(NodeId),
    Assign { does: Assignment, next: NodeId },
    Load { shared: VarId, does: Assignment, next: NodeId },
    Store { shared: VarId, does: Assignment, next: NodeId },
    Issue { remote: RemoteId, next: NodeId },
    Flush { target: ProcId, slot: Option<usize>, next: NodeId },
    Assume { guard: Guard, next: NodeId },
    Assert { guard: Guard, next: NodeId },
    Branch { then: (Guard, NodeId), els: (Guard, NodeId) },
    Choose(Vec<NodeId>),
    End,
}

/// A set variable of the reduction: the values that some remote statements may still bring.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SetVar {
    /// The variable whose values it has.
    pub(crate) var: VarId,
    pub(crate) members: Vec<RemoteId>,
    /// It has what an atomic operation has found, on the way to its target.
    pub(crate) landing: bool,
    /// The predicates of the variable that are also known of all elements.
    pub(crate) about: Bits,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct BoolRemote {
    /// Under SC, where it is done at once.
    pub(crate) at_once: Assignment,
    pub(crate) set: usize,
    /// A put or get lands, where literals about the source are about the element; or an atomic operation changes its source.
    pub(crate) fire: Assignment,
    /// Of an atomic operation: what is known of the element that it has found, and what happens when that lands.
    pub(crate) found: Transformer,
    pub(crate) land: Assignment,
    /// The counter of landings, of an atomic operation.
    pub(crate) landing: Option<usize>,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct BoolProperty {
    pub(crate) kind: PropKind,
    pub(crate) places: Vec<(ProcId, NodeId)>,
    /// By which of the places the processes are at: one of these cubes, or it may not hold.
    pub(crate) holds: Vec<Vec<Cube>>,
}

/// A program over predicates; with sets, that of the reduction.
#[derive(Clone, Debug)]
pub struct BoolProgram<'p> {
    pub(crate) program: &'p Program,
    /// The predicates over variables.
    pub(crate) base: Vec<Atom>,
    pub(crate) sets: Vec<SetVar>,
    pub(crate) procs: Vec<Vec<BoolOp>>,
    pub(crate) remotes: Vec<BoolRemote>,
    pub(crate) properties: Vec<BoolProperty>,
    /// What a literal implies.
    pub(crate) implied: Vec<[Cube; 2]>,
    /// For each predicate, the pairs of others that imply it or its opposite.
    pub(crate) derived: Transformer,
    pub(crate) start: Vec<(Bits, Bits)>,
    pub(crate) n_counters: usize,
    /// Where literals about elements of sets are, if they are beside those about the variable and not in their place.
    pub(crate) shift: Option<usize>,
    /// How often the solver was asked.
    pub queries: usize,
}

/// How sets are shared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sharing {
    /// One for each remote statement.
    Statement,
    /// One for each variable that is read, as in the paper.
    Variable,
}

/// What a statement does to variables.
pub(crate) enum Effect {
    Assign(Vec<(VarId, Linear)>),
    Havoc(Vec<VarId>),
    Cas { src: VarId, dst: Option<VarId>, old: Linear, new: Linear },
}

impl Effect {
    fn writes(&self) -> Vec<VarId> {
        match self {
            Effect::Assign(all) => all.iter().map(|(v, _)| *v).collect(),
            Effect::Havoc(all) => all.clone(),
            Effect::Cas { src, dst, .. } => [Some(*src), *dst].into_iter().flatten().collect(),
        }
    }

    fn reads(&self, var: VarId) -> bool {
        match self {
            Effect::Assign(all) => all.iter().any(|(_, e)| e.mentions(var)),
            Effect::Havoc(_) => false,
            Effect::Cas { src, old, new, .. } => *src == var || old.mentions(var) || new.mentions(var),
        }
    }

    /// The weakest precondition of a comparison.
    pub(crate) fn before(&self, atom: &Atom) -> Option<Cond> {
        match self {
            Effect::Havoc(_) => None,
            Effect::Assign(all) => replaced(atom, all),
            Effect::Cas { src, dst, old, new } => {
                let found = dst.map(|dst| (dst, Linear::var(*src)));
                let mut succeeds: Vec<(VarId, Linear)> = found.iter().cloned().collect();
                succeeds.push((*src, new.clone()));
                let fails: Vec<(VarId, Linear)> = found.into_iter().collect();
                let equal = Cond::compare(Linear::var(*src).plus(-1, old)?, Rel::Eq)?;
                let unequal = equal.negated()?;
                Some(Cond::or([
                    Cond::and([equal, replaced(atom, &succeeds)?]),
                    Cond::and([unequal, replaced(atom, &fails)?]),
                ]))
            }
        }
    }
}

/// With all replacements at once.
fn replaced(atom: &Atom, by: &[(VarId, Linear)]) -> Option<Cond> {
    let mut sum = Linear::constant(atom.linear().offset());
    for &(var, factor) in atom.linear().terms() {
        sum = match by.iter().find(|(v, _)| *v == var) {
            Some((_, value)) => sum.plus(factor, value)?,
            None => sum.plus(factor, &Linear::var(var))?,
        };
    }
    Cond::compare(sum, atom.rel())
}

struct Builder<'a, 'p, L> {
    program: &'p Program,
    search: Strengthener<'a, L>,
}

/// Counters of what is pending.
const MAX_COUNTERS: usize = 64;

/// More places in a property than this are too many.
const MAX_PLACES: usize = 8;

/// Says what is too large.
pub(crate) type Refused = String;

/// Once the time is over, the search for cubes finds none, and what it leaves is not to be used.
pub(crate) fn in_time(cancel: &Cancel) -> Result<(), Refused> {
    if cancel.is_due() { Err("the time is over".to_owned()) } else { Ok(()) }
}

/// The boolean program under SC, by these predicates.
pub(crate) fn abstracted<'p, L: Lia>(
    program: &'p Program,
    predicates: &[Atom],
    solver: &L,
    longest: usize,
    cancel: &Cancel,
) -> Result<BoolProgram<'p>, Refused> {
    if predicates.len() > MAX_PREDICATES {
        return Err(format!("{} predicates, and {MAX_PREDICATES} are the most", predicates.len()));
    }
    let mut builder = Builder { program, search: Strengthener::new(solver, predicates, longest, cancel) };
    let procs = program.procs.iter().map(|proc| proc.nodes.iter().map(|node| builder.op(&node.op)).collect()).collect();
    let remotes = program.remotes.ids().map(|id| builder.remote(id)).collect();
    let properties = (0..program.properties.len()).map(|i| builder.property(i)).collect::<Result<_, _>>()?;
    let (start, derived) = (builder.start(), (0..predicates.len()).map(|target| builder.derived(target)).collect());
    in_time(cancel)?;
    Ok(BoolProgram {
        program,
        base: predicates.to_vec(),
        sets: Vec::new(),
        procs,
        remotes,
        properties,
        start,
        derived,
        implied: std::mem::take(&mut builder.search.implied),
        n_counters: 0,
        shift: None,
        queries: builder.search.queries,
    })
}

impl<L: Lia> Builder<'_, '_, L> {
    fn update(&mut self, effect: &Effect, target: usize) -> Update {
        let atom = self.search.predicates[target].clone();
        let before = effect.before(&atom);
        let mut cubes = |cond: Option<Cond>| cond.map_or_else(Vec::new, |cond| self.search.strengthen(&cond));
        let one = cubes(before.clone());
        let zero = cubes(before.and_then(|cond| cond.negated()));
        Update { target, one, zero }
    }

    fn derived(&mut self, target: usize) -> Update {
        let (one, zero) = (self.search.pairs_for(target, true), self.search.pairs_for(target, false));
        Update { target, one, zero }
    }

    fn transformer(&mut self, effect: &Effect) -> Transformer {
        let writes = effect.writes();
        let affected = |p: &usize| writes.iter().any(|v| self.search.predicates[*p].mentions(*v));
        let targets: Vec<usize> = (0..self.search.predicates.len()).filter(affected).collect();
        targets.into_iter().map(|target| self.update(effect, target)).collect()
    }

    fn guard(&mut self, cond: &Cond) -> Guard {
        let Some(negated) = cond.negated() else { return Guard::default() };
        let (refuted, certain) = (self.search.strengthen(&negated), self.search.strengthen(cond));
        let vars: BTreeSet<VarId> = cond.atoms().iter().flat_map(|a| a.linear().vars().collect::<Vec<_>>()).collect();
        let mut learn = Vec::new();
        for target in 0..self.search.predicates.len() {
            let atom = self.search.predicates[target].clone();
            if !atom.linear().vars().any(|v| vars.contains(&v)) {
                continue;
            }
            let mut cubes = |then: Option<Atom>| {
                let Some(then) = then else { return Vec::new() };
                let mut found = self.search.strengthen(&Cond::or([negated.clone(), Cond::Atom(then)]));
                // What refutes the condition, or what is known anyway, teaches nothing.
                found.retain(|cube| !refuted.contains(cube) && (cube.pos | cube.neg) & bit(target) == 0);
                found
            };
            let one = cubes(Some(atom.clone()));
            let zero = cubes(atom.negated());
            if !one.is_empty() || !zero.is_empty() {
                learn.push(Update { target, one, zero });
            }
        }
        Guard { refuted, certain, learn }
    }

    fn op(&mut self, op: &Op) -> BoolOp {
        match op {
            Op::Skip(next) => BoolOp::Skip(*next),
            Op::Assign { .. } | Op::Havoc { .. } | Op::Load { .. } | Op::Store { .. } => {
                let base = effect_of(op).map_or_else(Vec::new, |effect| self.transformer(&effect));
                let does = Assignment { base, over_sets: Vec::new() };
                match op {
                    Op::Load { shared, next, .. } => BoolOp::Load { shared: *shared, does, next: *next },
                    Op::Store { shared, next, .. } => BoolOp::Store { shared: *shared, does, next: *next },
                    _ => BoolOp::Assign { does, next: op.successors()[0] },
                }
            }
            Op::Issue { remote, next } => BoolOp::Issue { remote: *remote, next: *next },
            Op::Flush { target, slot, next } => {
                BoolOp::Flush { target: *target, slot: slot.map(Idx::index), next: *next }
            }
            Op::Assume { cond, next } => BoolOp::Assume { guard: self.guard(cond), next: *next },
            Op::Assert { cond, next } => BoolOp::Assert { guard: self.guard(cond), next: *next },
            Op::Branch { cond, then, els } => {
                let negated = cond.negated().unwrap_or(Cond::Const(true));
                BoolOp::Branch { then: (self.guard(cond), *then), els: (self.guard(&negated), *els) }
            }
            Op::Choose(many) => BoolOp::Choose(many.clone()),
            Op::End => BoolOp::End,
        }
    }

    fn remote(&mut self, id: RemoteId) -> BoolRemote {
        let base_only = |base| Assignment { base, over_sets: Vec::new() };
        let at_once = base_only(self.transformer(&remote_effect(self.program, id, true)));
        let remote = &self.program.remotes[id];
        let (mut fire, mut found) = (Assignment::default(), Vec::new());
        if remote.is_rmw() {
            fire = base_only(self.transformer(&remote_effect(self.program, id, false)));
            found = self.transformer(&Effect::Assign(vec![(remote.dst, Linear::var(remote.src))]));
        }
        BoolRemote { at_once, set: 0, fire, found, land: Assignment::default(), landing: None }
    }

    fn property(&mut self, i: usize) -> Result<BoolProperty, Refused> {
        let property = &self.program.properties[i];
        let mut places = BTreeSet::new();
        property.cond.visit(&mut |part| {
            if let Cond::At { proc, node, .. } = part {
                places.insert((*proc, *node));
            }
        });
        let places: Vec<(ProcId, NodeId)> = places.into_iter().collect();
        if places.len() > MAX_PLACES {
            return Err(format!("a property mentions {} places, and {MAX_PLACES} are the most", places.len()));
        }
        let holds = (0..1usize << places.len())
            .map(|at| {
                let here =
                    |place: &(ProcId, NodeId)| places.iter().position(|p| p == place).is_some_and(|i| at >> i & 1 == 1);
                self.search.strengthen(&without_places(&property.cond, &here))
            })
            .collect();
        Ok(BoolProperty { kind: property.kind, places, holds })
    }

    /// What is known at the start, for each way to begin.
    fn start(&self) -> Vec<(Bits, Bits)> {
        let mut begins: Vec<BTreeMap<VarId, i64>> = vec![BTreeMap::new()];
        for (id, var) in self.program.vars.iter_enumerated() {
            let values: Vec<i64> = match &var.init {
                Init::Value(value) => vec![*value],
                Init::Among(values) => values.clone(),
                Init::Within(first, last) if last.saturating_sub(*first) < 8 => (*first..=*last).collect(),
                Init::Within(..) | Init::Any => continue,
            };
            if begins.len() * values.len() > 64 {
                continue;
            }
            let with = |begin: &BTreeMap<VarId, i64>| {
                let begin = begin.clone();
                values.clone().into_iter().map(move |v| {
                    let mut begin = begin.clone();
                    begin.insert(id, v);
                    begin
                })
            };
            begins = begins.iter().flat_map(with).collect();
        }
        begins.iter().map(|begin| self.known(begin)).collect()
    }

    fn known(&self, values: &BTreeMap<VarId, i64>) -> (Bits, Bits) {
        let (mut one, mut zero) = (0, 0);
        for (i, atom) in self.search.predicates.iter().enumerate() {
            if atom.linear().vars().all(|v| values.contains_key(&v)) {
                match atom.eval(&|v| Number::from(values[&v])) {
                    Some(true) => one |= bit(i),
                    Some(false) => zero |= bit(i),
                    None => {}
                }
            }
        }
        (one, zero)
    }
}

pub(crate) fn effect_of(op: &Op) -> Option<Effect> {
    Some(match op {
        Op::Assign { var, value, .. } => Effect::Assign(vec![(*var, value.clone())]),
        Op::Load { local, shared, .. } => Effect::Assign(vec![(*local, Linear::var(*shared))]),
        Op::Store { shared, value, .. } => Effect::Assign(vec![(*shared, value.clone())]),
        Op::Havoc { var, .. } => Effect::Havoc(vec![*var]),
        _ => return None,
    })
}

/// What a remote operation does; with `whole`, at once, else what an atomic one does to its source when it is taken, whenever
/// that is: its values are known only if they are numbers.
pub(crate) fn remote_effect(program: &Program, id: RemoteId, whole: bool) -> Effect {
    let remote = &program.remotes[id];
    let (src, dst) = (remote.src, remote.dst);
    let landing = whole.then(|| (dst, Linear::var(src)));
    let RemoteKind::Rmw(rmw, operands) = &remote.kind else {
        return Effect::Assign(vec![(dst, Linear::var(src))]);
    };
    let known = whole || operands.iter().all(|o| o.as_constant().is_some());
    let written = match (rmw, operands.as_slice()) {
        (Rmw::Faa, [add]) if known => Linear::var(src).plus(1, add),
        (Rmw::Swap, [new]) if known => Some(new.clone()),
        (Rmw::Cas, [old, new]) if known => {
            return Effect::Cas { src, dst: whole.then_some(dst), old: old.clone(), new: new.clone() };
        }
        _ => None,
    };
    match written {
        // What was found is written last: if source and target are one variable, it is what stays.
        Some(_) if whole && src == dst => Effect::Assign(landing.into_iter().collect()),
        Some(written) => Effect::Assign([Some((src, written)), landing].into_iter().flatten().collect()),
        None => Effect::Havoc([Some(src), whole.then_some(dst)].into_iter().flatten().collect()),
    }
}

pub(crate) fn without_places(cond: &Cond, here: &impl Fn(&(ProcId, NodeId)) -> bool) -> Cond {
    match cond {
        Cond::At { proc, node, holds } => Cond::Const(here(&(*proc, *node)) == *holds),
        Cond::And(many) => Cond::and(many.iter().map(|c| without_places(c, here))),
        Cond::Or(many) => Cond::or(many.iter().map(|c| without_places(c, here))),
        Cond::Const(_) | Cond::Atom(_) => cond.clone(),
    }
}

impl<'p> BoolProgram<'p> {
    /// How many predicates there are, over variables, sets and what is pending.
    pub fn n_predicates(&self) -> usize {
        let over_sets: u32 = self.sets.iter().map(|set| set.about.count_ones()).sum();
        self.base.len() + over_sets as usize + self.n_counters
    }

    /// The boolean program of the reduction, from this one.
    pub(crate) fn extrapolated(&self, sharing: Sharing) -> Result<BoolProgram<'p>, Refused> {
        let program = self.program;
        let mut out = self.clone();
        out.add_sets(sharing)?;
        let mut procs = std::mem::take(&mut out.procs);
        for (proc, ops) in program.procs.iter().zip(&mut procs) {
            for (node, op) in proc.nodes.iter().zip(ops) {
                if let BoolOp::Assign { does, .. } | BoolOp::Load { does, .. } | BoolOp::Store { does, .. } = op
                    && let Some(effect) = effect_of(&node.op)
                {
                    does.over_sets = out.over_sets(&effect, &does.base);
                }
            }
        }
        out.procs = procs;
        for (id, remote) in program.remotes.iter_enumerated() {
            let mut made = out.remotes[id.index()].clone();
            if remote.is_rmw() {
                made.fire.over_sets = out.over_sets(&remote_effect(program, id, false), &made.fire.base);
                made.found.retain(|update| out.sets[made.set].about & bit(update.target) != 0);
                made.land = out.landed(remote.dst, None, made.set, &[]);
            } else {
                made.fire = out.landed(remote.dst, Some(remote.src), made.set, &made.at_once.base);
                made.at_once.over_sets = out.over_sets(&remote_effect(program, id, true), &made.at_once.base);
            }
            out.remotes[id.index()] = made;
        }
        Ok(out)
    }

    fn add_sets(&mut self, sharing: Sharing) -> Result<(), Refused> {
        let program = self.program;
        self.n_counters = program.remotes.len();
        for (id, remote) in program.remotes.iter_enumerated() {
            let landing = remote.is_rmw();
            let same = |set: &SetVar| sharing == Sharing::Variable && !set.landing && set.var == remote.src;
            if let Some(at) = self.sets.iter().position(same).filter(|_| !landing) {
                self.sets[at].members.push(id);
                self.remotes[id.index()].set = at;
                continue;
            }
            let var = if landing { remote.dst } else { remote.src };
            // What an atomic operation found is not followed through changes of other variables.
            let fits = |atom: &Atom| atom.mentions(var) && (!landing || atom.linear().vars().count() == 1);
            let about = self.base.iter().enumerate().filter(|(_, atom)| fits(atom)).fold(0, |a, (p, _)| a | bit(p));
            self.remotes[id.index()].set = self.sets.len();
            self.sets.push(SetVar { var, members: vec![id], landing, about });
            if landing {
                self.remotes[id.index()].landing = Some(self.n_counters);
                self.n_counters += 1;
            }
        }
        if self.n_counters > MAX_COUNTERS {
            return Err(format!("{} counters of what is pending, and {MAX_COUNTERS} are the most", self.n_counters));
        }
        Ok(())
    }

    /// What happens to predicates over sets that also mention a variable that is written. `base` is what happens to the
    /// predicates themselves: it is true of every element, unless what is written has to do with the set's own variable.
    fn over_sets(&self, effect: &Effect, base: &[Update]) -> Vec<(usize, Transformer)> {
        let writes = effect.writes();
        let mut all = Vec::new();
        for (i, set) in self.sets.iter().enumerate() {
            let known = !effect.reads(set.var) && !writes.contains(&set.var);
            let others = |p: usize| writes.iter().any(|v| *v != set.var && self.base[p].mentions(*v));
            let of_set = base.iter().filter(|update| set.about & bit(update.target) != 0 && others(update.target));
            let does: Transformer =
                of_set.map(|update| if known { update.clone() } else { update.unknown() }).collect();
            if !does.is_empty() {
                all.push((i, does));
            }
        }
        all
    }

    /// An element of a set is written to a variable. `at_once` is what the statement does under SC; without it, the element is
    /// what an atomic operation has found.
    fn landed(&self, dst: VarId, src: Option<VarId>, set: usize, at_once: &[Update]) -> Assignment {
        let of = &self.sets[set];
        let mut does = Assignment::default();
        for (p, atom) in self.base.iter().enumerate().filter(|(_, atom)| atom.mentions(dst)) {
            let unknown = Update { target: p, one: Vec::new(), zero: Vec::new() };
            does.base.push(match src {
                None if of.about & bit(p) != 0 => {
                    Update { target: p, one: vec![Cube::literal(p, true)], zero: vec![Cube::literal(p, false)] }
                }
                Some(src) if src == dst || !atom.mentions(src) => {
                    at_once.iter().find(|update| update.target == p).cloned().unwrap_or(unknown)
                }
                _ => unknown,
            });
        }
        for (i, set) in self.sets.iter().enumerate().filter(|(_, set)| set.var != dst) {
            let about = members(set.about).filter(|p| self.base[*p].mentions(dst));
            let forgotten: Transformer =
                about.map(|target| Update { target, one: Vec::new(), zero: Vec::new() }).collect();
            if !forgotten.is_empty() {
                does.over_sets.push((i, forgotten));
            }
        }
        does
    }
}

impl Update {
    /// The same, without anything known.
    fn unknown(&self) -> Update {
        Update { target: self.target, one: Vec::new(), zero: Vec::new() }
    }
}
