//! What a test in the words of C means under a model: as it is, or after its compilation to the model's architecture.

use std::sync::Arc;
use treville_base::{Diagnostic, Span};
use treville_bounded::dialect;
use treville_ir::{Dialect, Op, Program};
use treville_models::{Catalogue, ModelOptions};
use treville_passes::target;
use treville_task::{CheckError, Test};

/// The program as the model is to see it. A model that is a path is taken for one of C, and sees every fence.
///
/// # Errors
/// What has no counterpart on the architecture.
pub fn mapped(test: Test, model: &ModelOptions, catalogue: &Catalogue) -> Result<Test, CheckError> {
    let of = &test.program.dialect;
    let model = model.name.as_deref().unwrap_or(&of.default_model);
    let program = match (&*of.name, target::dialect_for(model)) {
        (Dialect::C | Dialect::PTS, Some(machine)) if machine != Dialect::C => compiled(&test.program, model, machine)
            .map_err(|error| CheckError::input(vec![error], Arc::clone(&test.sources)))?,
        (Dialect::PTS, _) if catalogue.family(model).is_some() => {
            target::portable(&test.program, Dialect::c11(&of.default_model))
        }
        _ => return Ok(test),
    };
    Ok(Test { program: Arc::new(program), ..test })
}

fn compiled(program: &Program, model: &str, machine: &str) -> Result<Program, Diagnostic> {
    if let Some(span) = lock(program) {
        return Err(Diagnostic::error(span, format!("how locks are made on the machine of {model} is not said")));
    }
    let dialect = dialect(machine)?;
    target::compile(program, model, &dialect)
}

fn lock(program: &Program) -> Option<Span> {
    let mut insts = program.funcs.iter().flat_map(|func| func.blocks.iter()).flat_map(|block| &block.insts);
    insts.find(|inst| matches!(inst.op, Op::Lock { .. })).map(|inst| inst.span)
}
