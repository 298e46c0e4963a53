//! Of states that differ only in the names of threads that do the same, one stands for all: that with the least bytes.
//!
//! A program says which names may change places. Whether that is so is looked at here: each thread must be the same as the one
//! that takes its name, step by step. Then whatever a state can do, the renamed one can do, too. Of these exchanges, those are used
//! that leave the start as it is: a state that can be reached then has no images that cannot, and one of each class is enough
//! to look at, if properties are evaluated on all of its class.

mod automorphism;

use crate::code::{Code, compile};
use crate::memory::Memory;
use crate::system::{State, System};
use automorphism::Automorphism;
use std::collections::BTreeSet;
use treville_base::Idx;
use treville_ir::{Program, Symmetry};
use treville_task::Unsupported;

/// The exchanges of names that change nothing, but for the one that does nothing.
#[derive(Default)]
pub(crate) struct Symmetries {
    all: Vec<Automorphism>,
}

/// More are not used: looking at that many names takes longer than it saves.
const MOST: usize = 1000;

/// Whether what a program declares is so.
///
/// # Errors
/// If it is not, or the program is not one that machines run.
pub fn check_symmetries(program: &Program, declared: &[Symmetry]) -> Result<(), Unsupported> {
    // Places where somebody looks at a program counter are the same in threads that do the same.
    let code = compile(program, &BTreeSet::new())?;
    Symmetries::of(&code, declared).map(|_| ())
}

impl Symmetries {
    /// All that follow from those that are declared, and leave the start as it is.
    pub(crate) fn of(code: &Code, declared: &[Symmetry]) -> Result<Symmetries, Unsupported> {
        let generators = declared
            .iter()
            .map(|symmetry| {
                let wrong =
                    |what| Unsupported { what: format!("this is no symmetry: {what}"), span: Some(symmetry.span) };
                Automorphism::of(code, &renaming(code, symmetry)).map_err(wrong)
            })
            .collect::<Result<Vec<_>, _>>()?;
        let valued = declared.iter().flat_map(|symmetry| symmetry.values.iter().map(|(object, ..)| *object));
        for object in valued {
            let mut moved = declared.iter().filter(|s| s.objects.iter().any(|(a, b)| *a == object || *b == object));
            if let Some(symmetry) = moved.next() {
                let what = "a variable changes places whose values do, too".to_owned();
                return Err(Unsupported { what, span: Some(symmetry.span) });
            }
        }
        let identity = Automorphism::identity(code);
        let mut known = BTreeSet::from([identity.clone()]);
        let mut open = vec![identity.clone()];
        while let Some(one) = open.pop() {
            for generator in &generators {
                let product = one.then(generator);
                if known.len() <= MOST && known.insert(product.clone()) {
                    open.push(product);
                }
            }
        }
        if known.len() > MOST {
            let span = declared.first().map(|symmetry| symmetry.span);
            return Err(Unsupported { what: format!("more than {MOST} ways to exchange names"), span });
        }
        known.remove(&identity);
        Ok(Symmetries { all: known.into_iter().filter(|one| one.fixes_start(code)).collect() })
    }

    /// The places that some run passes through, from those that the runs of states that stand for others do.
    pub(crate) fn passed(&self, passed: &[Vec<bool>]) -> Vec<Vec<bool>> {
        let mut all = passed.to_vec();
        self.all.iter().for_each(|automorphism| automorphism.add_passed(passed, &mut all));
        all
    }

    /// The bytes of the state that stands for this one.
    pub(crate) fn encode<M: Memory>(&self, system: &System<'_, M>, state: &State<M::State>, out: &mut Vec<u8>) {
        system.encode(state, out);
        self.replace_by_least(system, state, out);
    }

    /// The same from the bytes of the state itself.
    pub(crate) fn replace_by_least<M: Memory>(
        &self,
        system: &System<'_, M>,
        state: &State<M::State>,
        out: &mut Vec<u8>,
    ) {
        let mut bytes = Vec::new();
        for automorphism in &self.all {
            system.encode(&automorphism.image(system, state), &mut bytes);
            if bytes < *out {
                std::mem::swap(&mut bytes, out);
            }
        }
    }

    /// Calls `visit` for every state that the same one stands for.
    pub(crate) fn each_image<M: Memory>(
        &self,
        system: &System<'_, M>,
        state: &State<M::State>,
        visit: &mut impl FnMut(&State<M::State>),
    ) {
        visit(state);
        self.all.iter().for_each(|automorphism| visit(&automorphism.image(system, state)));
    }

    /// The runs of states that differ from this one only in names: each is a run of the program, too.
    pub(crate) fn images<M: Memory>(
        &self,
        system: &System<'_, M>,
        run: Vec<State<M::State>>,
    ) -> impl Iterator<Item = Vec<State<M::State>>> {
        let renamed: Vec<Vec<State<M::State>>> = self
            .all
            .iter()
            .map(|automorphism| run.iter().map(|state| automorphism.image(system, state)).collect())
            .collect();
        std::iter::once(run).chain(renamed)
    }
}

/// What a declaration says of the code.
fn renaming(code: &Code, symmetry: &Symmetry) -> crate::memory::Renaming {
    let mut threads: Vec<usize> = (0..code.threads.len()).collect();
    threads.swap(symmetry.threads.0.index(), symmetry.threads.1.index());
    let mut vars: Vec<usize> = (0..code.vars.len()).collect();
    for (a, b) in &symmetry.objects {
        if let (Some(a), Some(b)) = (code.var_of(*a), code.var_of(*b)) {
            vars.swap(a, b);
        }
    }
    let mut values = vec![Vec::new(); code.vars.len()];
    for (object, a, b) in &symmetry.values {
        if let Some(var) = code.var_of(*object) {
            let word = |value: i64| crate::code::low(value as u64, code.vars[var].width);
            values[var].extend([(word(*a), word(*b)), (word(*b), word(*a))]);
            values[var].sort_unstable();
            values[var].dedup();
        }
    }
    crate::memory::Renaming { threads, vars, values }
}
