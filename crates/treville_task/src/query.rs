//! Tasks: a program, what its executions are, and what is asked of them.

use crate::{Observer, Reductions};
use std::collections::BTreeSet;
use std::sync::Arc;
use treville_base::{Cancel, Name};
use treville_event::Vocabulary;
use treville_ir::{Failure, Formula, Inst, Op, Program, Prop, Question, Symmetry, Tags};
use treville_model::{HappensBefore, KnownModel, Model, ModelFacts};

#[derive(Clone, Debug)]
pub struct Task {
    pub program: Arc<Program>,
    pub semantics: Semantics,
    /// What is known of the model that `semantics` is, if it is a bundled one without any change.
    pub bundled: Option<&'static ModelFacts>,
    /// What happens before what under it, in a program in C.
    pub happens_before: HappensBefore,
    /// The test's own question: final states are listed and counted by its `observed` and `condition`.
    pub question: Option<Arc<Question>>,
    pub queries: Vec<Query>,
    pub bounds: Bounds,
    pub limits: Limits,
    /// List the final states (and count them): an engine may otherwise stop as soon as every query is answered.
    pub states: bool,
    /// What an engine may leave out since it would find nothing new.
    pub reductions: Reductions,
    /// Of a program that asks nothing of its own: the failures that are looked for.
    pub properties: BTreeSet<Failure>,
    /// Judges the execution that shows a failure before anybody sees it.
    pub reference: Option<Reference>,
    /// Threads of a program that do the same, as it says itself.
    pub symmetries: Vec<Symmetry>,
    /// How many complete executions of it are to be told, if it does not fail.
    pub traces: usize,
    /// A query of which it is known that, if it is found, everything will be asked again at a larger bound: an engine may then
    /// leave others open that it does not find soon ([`crate::StopReason::Effort`]).
    pub retry: Option<usize>,
    /// Is told of every complete execution of a program that is visited.
    pub observer: Option<Arc<dyn Observer>>,
}

/// A model as the reference evaluator takes it, with the shape of events that it is linked for.
#[derive(Clone, Debug)]
pub struct Reference {
    pub model: Arc<Model>,
    pub vocabulary: Arc<Vocabulary>,
    /// The strongest fence of the machine that the program was compiled for, if it was; that of x86, if a program in C is to
    /// be judged as what it is after compilation to that.
    pub fence: Option<Name>,
}

#[derive(Clone, Debug)]
pub enum Semantics {
    /// The executions that a model accepts, with the shape of events that it is linked for.
    Axioms(Arc<Model>, Arc<Vocabulary>),
    /// Those of a model that an engine has built in, for a program in C: after the mapping of C11 atomics to it, if it is one of
    /// hardware.
    BuiltIn(KnownModel),
    /// The runs of a machine, for engines that go step by step.
    Machine(Name),
}

/// Is there an execution such that …
#[derive(Clone, PartialEq, Debug)]
pub struct Query {
    pub goal: Goal,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Goal {
    /// The final state satisfies `filter` (if any) and `condition`.
    Final { condition: Formula, filter: Option<Formula> },
    /// The model raises this flag.
    Flag(Name),
    /// The program fails in this way.
    Failure(Failure),
    /// A state of some run satisfies this.
    State(Prop),
    /// So does one in which all threads are done.
    End(Prop),
    /// One step leads from a state in which all of `given` holds, whether a run comes there or not, to one where `prop` does
    /// not hold; or it does not hold at the start.
    Step { given: Vec<Prop>, prop: Prop },
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// How often a thread may take a backward jump; executions that would take more are cut, and the outcome says so.
    pub unroll: u32,
    /// The same as far as the caller said it; an engine that needs no bound goes without one otherwise.
    pub given: Option<u32>,
    /// How many messages of a location a machine keeps, and how many actions it runs; it goes no further.
    pub messages: Option<u32>,
    pub actions: Option<u32>,
    /// How many events one execution may have, as far as the caller said it; an engine gives up at one that has more.
    pub events: Option<u32>,
}

#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Raised by the caller, or at the deadline.
    pub cancel: Cancel,
    pub memory_mb: Option<u64>,
    /// Threads that an engine may use; one if it is not said.
    pub threads: Option<u32>,
    /// States that a machine may visit.
    pub states: Option<u64>,
}

impl Bounds {
    /// What is tried first where no bound is given.
    pub const FIRST: u32 = 2;
    /// More events of one execution are not numbered.
    pub const MOST_EVENTS: u32 = 64_000;
    /// Larger ones are not tried of one's own accord.
    const LAST: u32 = 64;

    /// The bound to try after `bound` has cut something; none if the caller has said one, or it is large enough.
    pub fn after(given: Option<u32>, bound: u32) -> Option<u32> {
        (given.is_none() && bound < Self::LAST).then(|| (bound + (bound / 2).max(1)).min(Self::LAST))
    }
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds { unroll: Bounds::FIRST, given: None, messages: None, actions: None, events: None }
    }
}

impl Task {
    /// Whether some execution may leave the program undefined. Under the bundled models of C only accesses can that are not atomic, or
    /// not one after the other.
    pub fn may_be_undefined(&self) -> bool {
        let Semantics::Axioms(model, _) = &self.semantics else { return false };
        model.may_be_undefined() && !(self.bundled.is_some() && is_all_atomic(&self.program))
    }

    /// A program and what its executions are; nothing is asked yet.
    pub fn new(program: Arc<Program>, semantics: Semantics) -> Task {
        Task {
            program,
            semantics,
            bundled: None,
            happens_before: HappensBefore::default(),
            question: None,
            queries: Vec::new(),
            bounds: Bounds::default(),
            limits: Limits::default(),
            states: false,
            reductions: Reductions::default(),
            properties: BTreeSet::new(),
            reference: None,
            symmetries: Vec::new(),
            traces: 0,
            retry: None,
            observer: None,
        }
    }

    /// The queries of a litmus question: its condition, then the negation. Every verdict and observation follows from these two.
    pub fn litmus_queries(question: &Question) -> Vec<Query> {
        let goal = |condition| Query { goal: Goal::Final { condition, filter: question.filter.clone() } };
        let condition = question.condition.clone();
        vec![goal(condition.clone()), goal(Formula::Not(Box::new(condition)))]
    }
}

/// Whether all accesses are atomic operations of C, one after the other in each thread.
fn is_all_atomic(program: &Program) -> bool {
    let atomic = |tags: &Tags| tags.iter().any(|tag| program.tags[*tag] == "A");
    let mut instrs = BTreeSet::new();
    let blocks =
        program.funcs.iter_enumerated().flat_map(|(id, func)| func.blocks.iter().map(move |block| (id, block)));
    let mut insts = blocks.flat_map(|(id, block)| block.insts.iter().map(move |inst| (id, inst)));
    // Of the accesses of one statement, those after the first may come in any order.
    let mut follows = |at, inst: &Inst| instrs.insert((at, inst.instr)) || inst.sequenced;
    insts.all(|(at, inst)| match &inst.op {
        Op::Load { tags, .. } | Op::Store { tags, .. } => follows(at, inst) && atomic(tags),
        Op::Update { tags, .. } => follows(at, inst) && atomic(&tags.fused),
        Op::Assign { .. }
        | Op::Fence { .. }
        | Op::Wait { .. }
        | Op::Current { .. }
        | Op::Fail { .. }
        | Op::Mark(_)
        | Op::Nondet { .. }
        | Op::Handle { .. } => true,
        Op::StoreConditional { .. }
        | Op::Lock { .. }
        | Op::Opaque { .. }
        | Op::Call { .. }
        | Op::Spawn { .. }
        | Op::Join { .. }
        | Op::Alloc { .. }
        | Op::Free { .. }
        | Op::Copy { .. }
        | Op::Fill { .. } => false,
    })
}
