//! Predicate abstraction of the reduced program with a solver, statement by statement, for comparison with extrapolation. An
//! element of a set is a variable of its own: a predicate that is known of all elements is known of the one that is taken, and
//! the value that its variable has now is another one.

use crate::boolean::{
    BoolOp, BoolProgram, Effect, Refused, Sharing, Transformer, Update, effect_of, in_time, remote_effect,
};
use crate::cubes::{Bits, Cube, MAX_PREDICATES, Strengthener, bit, members};
use crate::lia::Lia;
use treville_base::{Cancel, Idx};
use treville_rma::{Atom, Cond, Linear, VarId};

/// The boolean program of the reduction: sets and counters as in the extrapolated one, what statements do to predicates by a
/// solver.
pub(crate) fn direct<'p, L: Lia>(
    sequential: &BoolProgram<'p>,
    sharing: Sharing,
    solver: &L,
    longest: usize,
    cancel: &Cancel,
) -> Result<BoolProgram<'p>, Refused> {
    let n = sequential.base.len();
    if 2 * n > MAX_PREDICATES {
        return Err(format!("{n} predicates, and {} are the most for a direct abstraction", MAX_PREDICATES / 2));
    }
    let mut out = sequential.extrapolated(sharing)?;
    out.shift = Some(n);
    for set in 0..out.sets.len() {
        let vocabulary = Vocabulary::new(&out, set);
        let mut search = Strengthener::new(solver, &vocabulary.atoms, longest, cancel);
        taken(&mut out, set, &vocabulary, &mut search);
        kept(&mut out, set, &vocabulary, &mut search);
        out.queries += search.queries;
    }
    in_time(cancel)?;
    Ok(out)
}

/// Predicates over variables, and those of them that are about an element of a set.
struct Vocabulary {
    atoms: Vec<Atom>,
    /// Of each predicate about an element, which one it is.
    about: Vec<usize>,
    n: usize,
    var: VarId,
    element: Linear,
}

impl Vocabulary {
    fn new(b: &BoolProgram<'_>, set: usize) -> Self {
        let (n, var) = (b.base.len(), b.sets[set].var);
        let element = Linear::var(VarId::from_usize(b.program.vars.len()));
        let mut this = Vocabulary { atoms: b.base.clone(), about: Vec::new(), n, var, element };
        for p in members(b.sets[set].about) {
            if let Some(Cond::Atom(atom)) = this.of_element(&b.base[p]) {
                this.atoms.push(atom);
                this.about.push(p);
            }
        }
        this
    }

    /// The same of an element of the set.
    fn of_element(&self, atom: &Atom) -> Option<Cond> {
        Cond::Atom(atom.clone()).substitute(self.var, &self.element)
    }

    /// Literals about elements are those of the predicates behind the others.
    fn placed(&self, cube: Cube) -> Cube {
        let place = |bits: Bits| {
            members(bits).fold(0, |all, i| all | if i < self.n { bit(i) } else { bit(self.n + self.about[i - self.n]) })
        };
        Cube { pos: place(cube.pos), neg: place(cube.neg) }
    }

    /// What makes a condition true, and what false.
    fn update<L: Lia>(&self, target: usize, cond: Option<Cond>, search: &mut Strengthener<'_, L>) -> Update {
        let mut cubes = |cond: Option<Cond>| match cond {
            Some(cond) => search.strengthen(&cond).into_iter().map(|cube| self.placed(cube)).collect(),
            None => Vec::new(),
        };
        let zero = cond.as_ref().and_then(Cond::negated);
        Update { target, one: cubes(cond), zero: cubes(zero) }
    }
}

/// An element is written to a variable.
fn taken<L: Lia>(b: &mut BoolProgram<'_>, set: usize, words: &Vocabulary, search: &mut Strengthener<'_, L>) {
    for id in b.sets[set].members.clone() {
        let dst = b.program.remotes[id].dst;
        let updates: Transformer = (0..words.n)
            .filter(|p| b.base[*p].mentions(dst))
            .map(|p| {
                let before = Cond::Atom(b.base[p].clone()).substitute(dst, &words.element);
                words.update(p, before, search)
            })
            .collect();
        let landing = b.sets[set].landing;
        let remote = &mut b.remotes[id.index()];
        if landing { remote.land.base = updates } else { remote.fire.base = updates }
    }
}

/// Something else is written, and what is known of the elements is about other values.
fn kept<L: Lia>(b: &mut BoolProgram<'_>, set: usize, words: &Vocabulary, search: &mut Strengthener<'_, L>) {
    let about = b.sets[set].about;
    let base = b.base.clone();
    let mut again = |effect: &Effect, over_sets: &mut Vec<(usize, Transformer)>| {
        for (_, updates) in over_sets.iter_mut().filter(|(of, _)| *of == set) {
            for update in updates.iter_mut().filter(|update| about & bit(update.target) != 0) {
                // The element first: what is written may depend on the value that its variable has now.
                let before = match words.of_element(&base[update.target]) {
                    Some(Cond::Atom(atom)) => effect.before(&atom),
                    other => other,
                };
                *update = words.update(update.target, before, search);
            }
        }
    };
    let program = b.program;
    for (proc, ops) in program.procs.iter().zip(&mut b.procs) {
        for (node, op) in proc.nodes.iter().zip(ops) {
            if let BoolOp::Assign { does, .. } | BoolOp::Load { does, .. } | BoolOp::Store { does, .. } = op
                && let Some(effect) = effect_of(&node.op)
            {
                again(&effect, &mut does.over_sets);
            }
        }
    }
    for (id, remote) in program.remotes.iter_enumerated() {
        let made = &mut b.remotes[id.index()];
        if remote.is_rmw() {
            again(&remote_effect(program, id, false), &mut made.fire.over_sets);
        } else {
            again(&remote_effect(program, id, true), &mut made.at_once.over_sets);
        }
    }
}
