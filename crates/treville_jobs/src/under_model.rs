//! A program as a model sees it: simplified, compiled for an architecture if the model is that of one, with the axioms by which its
//! executions are judged.

use std::sync::Arc;
use treville_base::{Cancel, Diagnostic, Name, SourceMap};
use treville_bounded::compiled;
use treville_ir::{Dialect, Program};
use treville_model::{Family, HappensBefore, ModelFacts};
use treville_models::{Library, ModelOptions};
use treville_passes::target;
use treville_task::{CheckError, Code, Reference, Semantics, StopReason, Task};

/// The fence of x86, as its model calls it.
const X86_FENCE: &str = "MFENCE";

/// A program under a model.
pub struct ProgramUnderModel {
    pub model: String,
    /// The program before it was compiled for an architecture.
    pub in_c: Arc<Program>,
    pub task: Task,
}

impl ProgramUnderModel {
    /// A program under the model that the options name, or the usual one.
    ///
    /// # Errors
    /// If there is no such model, it is wrong, or the program means nothing under it.
    pub fn new(
        code: &Code,
        options: &ModelOptions,
        library: &Library<'_>,
        cancel: &Cancel,
    ) -> Result<ProgramUnderModel, CheckError> {
        let Code { program, sources } = code;
        let catalogue = &library.catalogue;
        let kernel = treville_bounded::is_for_kernel(program);
        let usual =
            if kernel { program.dialect.default_model.to_string() } else { Dialect::MODEL_OF_PROGRAMS.to_owned() };
        let model = options.name.clone().unwrap_or(usual);
        if kernel && catalogue.is_bundled(options, &model) {
            catalogue.check_fits(&model, &program.dialect)?;
        }
        let facts = catalogue.facts(options, &model);
        let built_in = facts.and_then(ModelFacts::built_in);
        let in_c = Arc::new(simplified(program, built_in.is_some(), cancel)?);
        let wrong = |why: Diagnostic| CheckError::input(vec![why], Arc::clone(sources));
        target::check_assembly(&in_c, &model).map_err(wrong)?;
        let named = catalogue.for_programs(options, &model);
        let (program, semantics, reference, happens_before) = match built_in {
            Some(known) => {
                let reference = reference(library, &named, &in_c)?;
                (Arc::clone(&in_c), Semantics::BuiltIn(known), reference, HappensBefore::default())
            }
            None => {
                let program = Arc::new(seen_by(library, &in_c, &model).map_err(|why| why.located(sources))?);
                let linked = library.linked(&named, &program)?;
                let fence = target::full_fence(&model).map(Name::new);
                let (model, vocabulary) = (Arc::clone(&linked.model), Arc::clone(&linked.vocabulary));
                let semantics = Semantics::Axioms(Arc::clone(&model), Arc::clone(&vocabulary));
                let happens_before = library.happens_before(&named, &program)?;
                (program, semantics, Reference { model, vocabulary, fence }, happens_before)
            }
        };
        let bundled = facts.filter(|_| built_in.is_none());
        let task = Task { bundled, happens_before, reference: Some(reference), ..Task::new(program, semantics) };
        Ok(ProgramUnderModel { model, in_c, task })
    }

    /// Whether the engine that takes the program as it is has the model built in.
    pub fn is_built_in(&self) -> bool {
        matches!(self.task.semantics, Semantics::BuiltIn(_))
    }
}

/// Models that are not built in may look at dependencies.
fn simplified(program: &Program, algebraic: bool, cancel: &Cancel) -> Result<Program, CheckError> {
    let passes = treville_passes::Options { algebraic, renumber: true, cancel: cancel.clone(), ..Default::default() };
    let simplified = treville_passes::run(program, &passes);
    match StopReason::of(cancel) {
        Some(limit) => Err(CheckError::unknown(format!("{limit} while the program was simplified"))),
        None => Ok(simplified),
    }
}

/// A program under a model that is not built in: compiled for its architecture, or in all the words that a model of C may know.
fn seen_by(library: &Library<'_>, in_c: &Program, model: &str) -> Result<Program, Refusal> {
    if library.catalogue.family(model) == Some(Family::SequentialConsistency) {
        let reason = "programs are checked under sc as it is only, without variants or checks left out";
        return Err(Refusal::Unknown(reason));
    }
    if let Some(architecture) = target::dialect_for(model) {
        return compiled(in_c, model, architecture).map_err(Refusal::At);
    }
    let mut program = in_c.clone();
    if !treville_bounded::is_for_kernel(in_c) {
        // All that a model of C may name, whatever the program's text says of its dialect.
        program.dialect = Arc::new(Dialect::c11(Dialect::MODEL_OF_PROGRAMS));
    }
    Ok(program)
}

/// Why a model does not see a program.
enum Refusal {
    Unknown(&'static str),
    At(Diagnostic),
}

impl Refusal {
    fn located(self, sources: &Arc<SourceMap>) -> CheckError {
        match self {
            Refusal::Unknown(why) => CheckError::unknown(why),
            Refusal::At(why) => CheckError::input(vec![why], Arc::clone(sources)),
        }
    }
}

/// A model that the engine has built in, as axioms for this program, with which the evaluator judges what is found.
///
/// # Errors
/// If there is no such model, or it is wrong.
pub fn reference(library: &Library<'_>, named: &ModelOptions, program: &Program) -> Result<Reference, CheckError> {
    let on_x86 = named.name.as_deref().and_then(|name| library.catalogue.family(name)) == Some(Family::Hardware);
    // On x86 an update is one event, and locked; stores and fences that are seq_cst bring a fence.
    let more: Vec<Name> = program.dialect.sets.iter().cloned().chain([Name::new(X86_FENCE)]).collect();
    let linked = library.linked_for(named, &Dialect::c(Dialect::C, Dialect::MODEL_OF_PROGRAMS, true, &more))?;
    let (model, vocabulary) = (Arc::clone(&linked.model), Arc::clone(&linked.vocabulary));
    Ok(Reference { model, vocabulary, fence: on_x86.then(|| Name::new(X86_FENCE)) })
}
