//! One exchange of names under which a program stays the same.

use crate::code::{Code, Step, Thread, Word};
use crate::memory::{Memory, Renaming};
use crate::system::{State, System};
use treville_term::BinOp;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Automorphism {
    renaming: Renaming,
    /// For each thread, the nodes of the one that takes its name.
    nodes: Vec<Vec<u16>>,
    /// The same for registers, of all threads.
    regs: Vec<usize>,
    /// The variable whose values a register holds, if these change.
    sorts: Vec<Option<usize>>,
}

/// Not a node.
const NONE: u16 = u16::MAX;

impl Automorphism {
    pub(crate) fn identity(code: &Code) -> Self {
        Automorphism {
            renaming: Renaming {
                threads: (0..code.threads.len()).collect(),
                vars: (0..code.vars.len()).collect(),
                values: vec![Vec::new(); code.vars.len()],
            },
            nodes: code.threads.iter().map(|t| (0..t.nodes.len() as u16).collect()).collect(),
            regs: (0..code.n_regs).collect(),
            sorts: vec![None; code.n_regs],
        }
    }

    /// Looks whether a program is the same under other names.
    pub(crate) fn of(code: &Code, renaming: &Renaming) -> Result<Self, String> {
        for (var, facts) in code.vars.iter().enumerate() {
            let image = &code.vars[renaming.vars[var]];
            if image.width != facts.width {
                return Err(DIFFERENT.to_owned());
            }
            if renaming.vars[var] != var && !renaming.values[var].is_empty() {
                return Err("values of a variable change places that changes places itself".to_owned());
            }
            let mut from: Vec<u64> = renaming.values[var].iter().map(|(from, _)| *from).collect();
            from.dedup();
            if from.len() != renaming.values[var].len() {
                return Err("a value changes places with two others".to_owned());
            }
        }
        let mut new = Automorphism { renaming: renaming.clone(), ..Self::identity(code) };
        for thread in 0..code.threads.len() {
            Matching::new(code, thread, &mut new).run()?;
        }
        Ok(new)
    }

    /// Whether the start stays the same.
    pub(crate) fn fixes_start(&self, code: &Code) -> bool {
        let of_vars = code
            .vars
            .iter()
            .enumerate()
            .all(|(var, facts)| code.vars[self.renaming.vars[var]].init == self.renaming.value(var, facts.init));
        let regs: Vec<u64> = code.threads.iter().flat_map(|thread| thread.regs.iter().copied()).collect();
        let of_regs = regs.iter().enumerate().all(|(reg, value)| {
            regs[self.regs[reg]] == self.sorts[reg].map_or(*value, |var| self.renaming.value(var, *value))
        });
        of_vars && of_regs
    }

    /// First this, then another.
    pub(crate) fn then(&self, other: &Automorphism) -> Automorphism {
        let renaming = Renaming {
            threads: self.renaming.threads.iter().map(|t| other.renaming.threads[*t]).collect(),
            vars: self.renaming.vars.iter().map(|v| other.renaming.vars[*v]).collect(),
            values: (0..self.renaming.vars.len()).map(|var| self.values_then(other, var)).collect(),
        };
        let nodes = self.nodes.iter().enumerate().map(|(thread, nodes)| {
            let next = &other.nodes[self.renaming.threads[thread]];
            nodes.iter().map(|node| if *node == NONE { NONE } else { next[usize::from(*node)] }).collect()
        });
        let sorts = self.sorts.iter().enumerate().map(|(reg, sort)| sort.or(other.sorts[self.regs[reg]]));
        Automorphism {
            nodes: nodes.collect(),
            regs: self.regs.iter().map(|reg| other.regs[*reg]).collect(),
            sorts: sorts.collect(),
            renaming,
        }
    }

    fn values_then(&self, other: &Automorphism, var: usize) -> Vec<(u64, u64)> {
        let next = self.renaming.vars[var];
        let mentioned = self.renaming.values[var].iter().chain(&other.renaming.values[next]).map(|(from, _)| *from);
        let both = |value: u64| other.renaming.value(next, self.renaming.value(var, value));
        let mut values: Vec<(u64, u64)> = mentioned.map(|v| (v, both(v))).filter(|(from, to)| from != to).collect();
        values.sort_unstable();
        values.dedup();
        values
    }

    /// Adds the images of the places that threads have passed through.
    pub(crate) fn add_passed(&self, passed: &[Vec<bool>], into: &mut [Vec<bool>]) {
        for (thread, nodes) in self.nodes.iter().enumerate() {
            let images = &mut into[self.renaming.threads[thread]];
            for (node, image) in nodes.iter().enumerate().filter(|(_, image)| **image != NONE) {
                images[usize::from(*image)] |= passed[thread][node];
            }
        }
    }

    pub(crate) fn image<M: Memory>(&self, system: &System<'_, M>, state: &State<M::State>) -> State<M::State> {
        let mut nodes = state.nodes.clone();
        for (thread, node) in state.nodes.iter().enumerate() {
            nodes[self.renaming.threads[thread]] = self.nodes[thread][usize::from(*node)];
        }
        let mut regs = state.regs.clone();
        for (reg, value) in state.regs.iter().enumerate() {
            let value = self.sorts[reg].map_or(*value, |var| self.renaming.value(var, *value));
            regs[self.regs[reg]] = value;
        }
        let memory = system.memory.renamed(&state.memory, &self.renaming);
        State { nodes, regs, memory, actions: state.actions }
    }
}

/// Two threads, walked through side by side.
struct Matching<'a> {
    renaming: &'a Renaming,
    from: &'a Thread,
    to: &'a Thread,
    nodes: &'a mut Vec<u16>,
    regs: &'a mut [usize],
    sorts: &'a mut [Option<usize>],
    matched: Vec<bool>,
    open: Vec<(usize, usize)>,
}

const DIFFERENT: &str = "the threads do not do the same";

impl<'a> Matching<'a> {
    fn new(code: &'a Code, thread: usize, new: &'a mut Automorphism) -> Self {
        let from = &code.threads[thread];
        let to = &code.threads[new.renaming.threads[thread]];
        let nodes = &mut new.nodes[thread];
        nodes.iter_mut().for_each(|node| *node = NONE);
        // Where a thread is done, or stuck.
        nodes[..2].copy_from_slice(&[0, 1]);
        let own = from.first_reg..from.first_reg + from.regs.len();
        Matching {
            renaming: &new.renaming,
            from,
            to,
            nodes,
            regs: &mut new.regs[own.clone()],
            sorts: &mut new.sorts[own],
            matched: vec![false; from.regs.len()],
            open: vec![(from.entry, to.entry)],
        }
    }

    fn run(mut self) -> Result<(), String> {
        if self.from.regs.len() != self.to.regs.len() || self.from.ends_process != self.to.ends_process {
            return Err(DIFFERENT.to_owned());
        }
        // Registers that hold values that change are found first: what they are compared with changes, too. Whatever else they
        // are filled with must change in the same way, which `fills` and `word` see to.
        for (var, dst) in self.from.nodes.iter().filter_map(|node| filled(&node.step)) {
            if !self.renaming.values[var].is_empty() {
                self.sorts[dst] = Some(var);
                if self.renaming.value(var, 0) != 0 {
                    return Err(
                        "0 changes places, which is also what registers hold that nothing was read to".to_owned()
                    );
                }
            }
        }
        while let Some((a, b)) = self.open.pop() {
            match self.nodes[a] {
                NONE => self.nodes[a] = b as u16,
                known if usize::from(known) == b => continue,
                _ => return Err(DIFFERENT.to_owned()),
            }
            self.step(a, b)?;
        }
        for reg in (0..self.matched.len()).filter(|reg| !self.matched[*reg]) {
            // Nobody uses it; it keeps its place.
            self.regs[reg] = self.to.first_reg + reg;
        }
        let mut images = self.regs.to_vec();
        images.sort_unstable();
        images.dedup();
        if images.len() == self.regs.len() && self.keeps_the_same() { Ok(()) } else { Err(DIFFERENT.to_owned()) }
    }

    /// Whether states keep the same registers of both threads where they rest: what only one of them keeps would be lost in
    /// the image of a state.
    fn keeps_the_same(&self) -> bool {
        self.nodes.iter().enumerate().filter(|(_, image)| **image != NONE).all(|(node, image)| {
            let mut kept: Vec<usize> =
                self.from.nodes[node].kept.iter().map(|reg| self.regs[usize::from(*reg)] - self.to.first_reg).collect();
            kept.sort_unstable();
            let to = &self.to.nodes[usize::from(*image)];
            !to.visible || kept.into_iter().eq(to.kept.iter().map(|reg| usize::from(*reg)))
        })
    }

    fn step(&mut self, a: usize, b: usize) -> Result<(), String> {
        let (from, to) = (&self.from.nodes[a], &self.to.nodes[b]);
        if from.visible != to.visible {
            return Err(DIFFERENT.to_owned());
        }
        let same_var = |s: &Self, x: usize, y: usize| s.renaming.vars[x] == y;
        let sort = |s: &Self, x: usize| (!s.renaming.values[x].is_empty()).then_some(x);
        let fine = match (&from.step, &to.step) {
            (Step::Read { var: x, acquire: p, dst: d, .. }, Step::Read { var: y, acquire: q, dst: e, .. }) => {
                same_var(self, *x, *y) && p == q && self.fills(*x, *d) && self.reg(*d, *e)
            }
            (Step::Write { var: x, release: p, value: v, .. }, Step::Write { var: y, release: q, value: w, .. }) => {
                same_var(self, *x, *y) && p == q && self.word(v, w, sort(self, *x))
            }
            (
                Step::Update { var: x, order: o, old: d, guard: g, new: v, .. },
                Step::Update { var: y, order: p, old: e, guard: h, new: w, .. },
            ) => {
                let orders = o == p;
                let guards = match (g, h) {
                    (None, None) => true,
                    (Some(g), Some(h)) => self.reg(*d, *e) && self.word(g, h, None),
                    _ => false,
                };
                let fills = self.fills(*x, *d) && self.reg(*d, *e);
                same_var(self, *x, *y) && orders && fills && guards && self.word(v, w, sort(self, *x))
            }
            (Step::Set { dst: d, value: v, .. }, Step::Set { dst: e, value: w, .. }) => {
                let sort = self.sorts[*d];
                self.reg(*d, *e) && self.word(v, w, sort)
            }
            (Step::Branch { cond: v, .. }, Step::Branch { cond: w, .. })
            | (Step::Assume { cond: v, .. }, Step::Assume { cond: w, .. }) => self.word(v, w, None),
            (Step::Fence { kind: f, .. }, Step::Fence { kind: g, .. }) => f == g,
            (
                Step::Pause { .. } | Step::Goto { .. } | Step::Done | Step::Stuck | Step::Fail,
                Step::Pause { .. } | Step::Goto { .. } | Step::Done | Step::Stuck | Step::Fail,
            ) => std::mem::discriminant(&from.step) == std::mem::discriminant(&to.step),
            _ => false,
        };
        if !fine {
            return Err(DIFFERENT.to_owned());
        }
        self.open.extend(from.step.nexts().zip(to.step.nexts()));
        Ok(())
    }

    /// Whether a register that is filled from a variable is one whose values change as those of the variable do.
    fn fills(&self, var: usize, dst: usize) -> bool {
        self.sorts[dst] == (!self.renaming.values[var].is_empty()).then_some(var)
    }

    /// Whether one register takes the place of another everywhere.
    fn reg(&mut self, a: usize, b: usize) -> bool {
        let image = self.to.first_reg + b;
        if self.matched[a] {
            return self.regs[a] == image;
        }
        self.matched[a] = true;
        self.regs[a] = image;
        true
    }

    /// Whether two expressions are the same. With a variable, they are values of it.
    fn word(&mut self, a: &Word, b: &Word, sort: Option<usize>) -> bool {
        match (a, b) {
            (Word::Const(x), Word::Const(y)) => sort.map_or(*x, |var| self.renaming.value(var, *x)) == *y,
            (Word::Reg(x), Word::Reg(y)) => self.sorts[*x] == sort && self.reg(*x, *y),
            (Word::Bin(op @ (BinOp::Eq | BinOp::Ne), w, x, y), Word::Bin(p, v, z, u)) => {
                let of = |word: &Word| match word {
                    Word::Reg(reg) => self.sorts[*reg],
                    _ => None,
                };
                let inner = of(x).or(of(y));
                sort.is_none() && op == p && w == v && self.word(x, z, inner) && self.word(y, u, inner)
            }
            (Word::Bin(op, w, x, y), Word::Bin(p, v, z, u)) => {
                sort.is_none() && op == p && w == v && self.word(x, z, None) && self.word(y, u, None)
            }
            (Word::Un(op, w, x), Word::Un(p, v, y)) => sort.is_none() && op == p && w == v && self.word(x, y, None),
            (Word::Cast(c, f, t, x), Word::Cast(d, g, u, y)) => {
                sort.is_none() && (c, f, t) == (d, g, u) && self.word(x, y, None)
            }
            (Word::Ite(c, x, y), Word::Ite(d, z, u)) => {
                self.word(c, d, None) && self.word(x, z, sort) && self.word(y, u, sort)
            }
            _ => false,
        }
    }
}

/// The register that an access fills, with the variable.
fn filled(step: &Step) -> Option<(usize, usize)> {
    match step {
        Step::Read { var, dst, .. } | Step::Update { var, old: dst, .. } => Some((*var, *dst)),
        _ => None,
    }
}
