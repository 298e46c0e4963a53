//! The standard order of the passes.

use crate::compact::compact;
use crate::inline::resolve_pointers;
use crate::{InlineLimits, inline, promote, simplify};
use std::collections::{BTreeMap, BTreeSet};
use treville_base::Cancel;
use treville_ir::{Callee, FuncId, Op, Program, Reg, ThreadId};

/// What the pipeline may do.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// No model that will be used looks at dependencies: expressions may lose registers (`x ^ x` is 0).
    pub algebraic: bool,
    /// Registers that are read after their thread has ended, by a question.
    pub observed: Vec<(ThreadId, Reg)>,
    /// Nothing outside the program names registers: those that are not needed may go. (Ignored if some are observed.)
    pub renumber: bool,
    pub inline: InlineLimits,
    /// When to stop: the passes then leave the rest as it is.
    pub cancel: Cancel,
}

/// The registers of a function that its surroundings know.
#[derive(Clone, Debug, Default)]
pub struct Boundary {
    /// They have a value at the start: parameters, and what a thread begins with.
    pub entry: BTreeSet<Reg>,
    /// They are read after the end.
    pub exit: BTreeSet<Reg>,
    /// When to stop working on the function; what is left of it then stays as it is.
    pub cancel: Cancel,
}

impl Boundary {
    pub fn new(program: &Program, func: FuncId, options: &Options) -> Boundary {
        let entry = program.funcs[func].params.iter().copied().collect();
        let mut found = Boundary { entry, exit: BTreeSet::new(), cancel: options.cancel.clone() };
        for (thread, root) in program.roots.iter_enumerated().filter(|(_, root)| root.func == func) {
            found.entry.extend(root.init.iter().map(|(r, _)| *r));
            found.exit.extend(options.observed.iter().filter(|(t, _)| *t == thread).map(|(_, r)| *r));
        }
        found
    }
}

/// How often promotion is repeated: a variable that holds the address of another must go first.
const ROUNDS: u32 = 6;

/// How often calls through pointers that became known are looked at.
const POINTER_ROUNDS: u32 = 3;

/// Inlines, promotes and simplifies all functions, the called before their callers.
pub fn run(program: &Program, options: &Options) -> Program {
    let mut program = program.clone();
    let calls = CallGraph::new(&program);
    for func in calls.order.iter().copied().take_while(|_| !options.cancel.is_stopped()) {
        let boundary = Boundary::new(&program, func, options);
        crate::simplify::clean_up(&mut program.funcs[func], options.algebraic);
        settle(&mut program, func, &boundary, options);
        for _ in 0..POINTER_ROUNDS {
            let resolved = resolve_pointers(&mut program, func);
            let inlined = inline(&mut program, func, &calls.recursive, options.inline, &options.cancel);
            if !resolved && !inlined || options.cancel.is_stopped() {
                break;
            }
            settle(&mut program, func, &boundary, options);
        }
    }
    if options.renumber && options.observed.is_empty() {
        let some = program.funcs.ids().take_while(|_| !options.cancel.is_stopped());
        some.for_each(|func| compact(&mut program, func));
    }
    program
}

fn settle(program: &mut Program, func: FuncId, boundary: &Boundary, options: &Options) {
    simplify(&mut program.funcs[func], boundary, options.algebraic);
    for _ in 0..ROUNDS {
        if options.cancel.is_stopped() || !promote(program, func, boundary) {
            break;
        }
        simplify(&mut program.funcs[func], boundary, options.algebraic);
    }
}

/// Who calls whom directly.
struct CallGraph {
    /// The called before their callers, where there is no recursion.
    order: Vec<FuncId>,
    /// Functions that may call themselves, perhaps through others.
    recursive: BTreeSet<FuncId>,
}

impl CallGraph {
    fn new(program: &Program) -> CallGraph {
        let callees = |f: FuncId| -> BTreeSet<FuncId> {
            let insts = program.funcs[f].blocks.iter().flat_map(|b| &b.insts);
            let called = insts.filter_map(|inst| match &inst.op {
                Op::Call { callee: Callee::Func(g), .. } if program.funcs.get(*g).is_some() => Some(*g),
                _ => None,
            });
            called.collect()
        };
        let edges: BTreeMap<FuncId, BTreeSet<FuncId>> = program.funcs.ids().map(|f| (f, callees(f))).collect();
        let mut order = Vec::new();
        let mut seen = BTreeSet::new();
        for start in program.funcs.ids() {
            if !seen.insert(start) {
                continue;
            }
            let mut stack = vec![(start, edges[&start].iter())];
            while let Some((f, todo)) = stack.last_mut() {
                match todo.next() {
                    Some(g) if seen.insert(*g) => stack.push((*g, edges[g].iter())),
                    Some(_) => {}
                    None => {
                        order.push(*f);
                        stack.pop();
                    }
                }
            }
        }
        let recursive = program.funcs.ids().filter(|f| reaches_itself(*f, &edges)).collect();
        CallGraph { order, recursive }
    }
}

fn reaches_itself(f: FuncId, edges: &BTreeMap<FuncId, BTreeSet<FuncId>>) -> bool {
    let mut seen = BTreeSet::new();
    let mut todo: Vec<FuncId> = edges[&f].iter().copied().collect();
    while let Some(g) = todo.pop() {
        if g == f {
            return true;
        }
        if seen.insert(g) {
            todo.extend(&edges[&g]);
        }
    }
    false
}
