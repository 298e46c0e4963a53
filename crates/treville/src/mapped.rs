//! What a test in the words of C means under a model: as it is, or after its compilation to the model's architecture.

use crate::front_ends::{self, Loaded};
use crate::{ModelOptions, failure};
use std::sync::Arc;
use treville_base::{Diagnostic, Span};
use treville_cat::{Role, bundled};
use treville_ir::{Dialect, Op, Program};
use treville_passes::target;
use treville_report::Failure;

/// Tests of C, and programs that are C but for fences of architectures.
const C: &str = "C";
const PTS: &str = "PTS";

/// The program as the model is to see it. A model that is a path is taken for one of C, and sees every fence.
pub(crate) fn mapped(loaded: Loaded, model: &ModelOptions) -> Result<Loaded, Failure> {
    let dialect = &loaded.program.dialect;
    let model = model.name.as_deref().unwrap_or(&dialect.default_model);
    let program = match (&*dialect.name, target::dialect_for(model)) {
        (C | PTS, Some(machine)) if machine != C => compiled(&loaded.program, model, machine)
            .map_err(|error| failure(vec![error], Arc::clone(&loaded.sources)))?,
        (PTS, _) if bundled(model).is_some_and(|file| file.role == Role::Model && file.name != model) => {
            target::portable(&loaded.program, Dialect::c11(&dialect.default_model))
        }
        _ => return Ok(loaded),
    };
    Ok(Loaded { program: Arc::new(program), ..loaded })
}

fn compiled(program: &Program, model: &str, machine: &str) -> Result<Program, Diagnostic> {
    if let Some(span) = lock(program) {
        return Err(Diagnostic::error(span, format!("how locks are made on the machine of {model} is not said")));
    }
    let dialect = front_ends::dialect(machine)?;
    target::compile(program, model, &dialect)
}

fn lock(program: &Program) -> Option<Span> {
    let mut insts = program.funcs.iter().flat_map(|func| func.blocks.iter()).flat_map(|block| &block.insts);
    insts.find(|inst| matches!(inst.op, Op::Lock { .. })).map(|inst| inst.span)
}
