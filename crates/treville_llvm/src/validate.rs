//! Checks of a whole module that cannot be made while it is read: types have sizes, addresses lead somewhere, the entry of
//! a function is not jumped to, phis have a value for each edge, and values are defined before they are used.

use crate::constant::{ConstExpr, ConstId, ConstKind};
use crate::dominators::Dominators;
use crate::inst::{Inst, InstKind, Operand, Passing};
use crate::layout::NoLayout;
use crate::module::{BlockId, Body, Definition, Function, GlobalId, GlobalKind, Module};
use crate::types::TypeId;
use std::collections::BTreeMap;
use treville_base::{Cancel, Diagnostic, Idx, Span};

/// Aliases of aliases.
const MAX_ALIASES: u32 = 100;

/// Everything that is wrong, or that it was cancelled. `geps` are the constant address computations, with their places.
pub(crate) fn validate(module: &Module, geps: &[(ConstId, Span)], cancel: &Cancel) -> Vec<Diagnostic> {
    let mut checker = Checker { module, diagnostics: Vec::new() };
    checker.types();
    for &(id, span) in geps {
        if let ConstKind::Expr(ConstExpr::Gep { element, indices, .. }) = &module.constants[id].kind {
            checker.gep(*element, indices, |id| known_index(module, id), span);
        }
    }
    for (id, global) in module.globals.iter_enumerated() {
        if cancel.is_stopped() {
            return vec![Diagnostic::error(None, "stopped")];
        }
        match &global.kind {
            // Of a variable that is elsewhere, the address may be all that is needed.
            GlobalKind::Variable(variable) if variable.init.is_none() => {}
            GlobalKind::Variable(variable) => checker.sized(variable.ty, global.span, "this variable"),
            GlobalKind::Alias { .. } => checker.alias(id),
            GlobalKind::Function(function) => checker.function(function, global.span),
        }
    }
    checker.diagnostics
}

/// The value of a constant index.
fn known_index(module: &Module, id: ConstId) -> Option<i64> {
    let bits = module.types.int_bits(module.constants[id].ty)?;
    let value = module.int(id)?;
    let shift = 128 - bits;
    i64::try_from((value << shift) as i128 >> shift).ok()
}

struct Checker<'a> {
    module: &'a Module,
    diagnostics: Vec<Diagnostic>,
}

impl Checker<'_> {
    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(span, message));
    }

    fn types(&mut self) {
        for (id, _) in self.module.types.iter() {
            if let (Err(NoLayout::Infinite), Some(span)) = (self.module.layout.of(id), self.module.types.span(id)) {
                self.error(span, format!("the type `{}` contains itself", self.module.types.display(id)));
            }
        }
    }

    fn sized(&mut self, ty: TypeId, span: Span, what: &str) {
        let ty_text = self.module.types.display(ty);
        match self.module.layout.of(ty) {
            Ok(_) => {}
            Err(NoLayout::TooLarge) => self.error(span, format!("the type `{ty_text}` of {what} is too large")),
            // The definition of the type is reported.
            Err(NoLayout::Infinite) => {}
            Err(NoLayout::Unsized) => self.error(span, format!("the type `{ty_text}` of {what} has no size")),
        }
    }

    fn gep<I: Copy>(&mut self, element: TypeId, indices: &[I], known: impl Fn(I) -> Option<i64>, span: Span) {
        if self.module.layout.gep(&self.module.types, element, indices, known).is_none() && !indices.is_empty() {
            let element = self.module.types.display(element);
            self.error(span, format!("these indices lead nowhere in `{element}`"));
        }
    }

    /// An alias must come to an end.
    fn alias(&mut self, id: GlobalId) {
        let mut at = id;
        for _ in 0..MAX_ALIASES {
            let GlobalKind::Alias { target, .. } = self.module.globals[at].kind else { return };
            match self.base(target) {
                Some(next) => at = next,
                None => return,
            }
        }
        let global = &self.module.globals[id];
        self.error(global.span, format!("`@{}` is an alias of itself, or of too many others", global.name));
    }

    /// The global in which a constant address lies.
    fn base(&self, id: ConstId) -> Option<GlobalId> {
        let mut at = id;
        loop {
            match &self.module.constants[at].kind {
                ConstKind::Global(global) => return Some(*global),
                ConstKind::Expr(ConstExpr::Cast { value, .. }) => at = *value,
                ConstKind::Expr(ConstExpr::Gep { base, .. }) => at = *base,
                _ => return None,
            }
        }
    }

    fn function(&mut self, function: &Function, span: Span) {
        for param in &function.params {
            if let Passing::ByVal(ty) | Passing::StructReturn(ty) = param.passing {
                self.sized(ty, span, "a parameter");
            }
        }
        let Some(body) = &function.body else { return };
        let predecessors = predecessors(body);
        if let Some(&from) = predecessors[0].first() {
            self.error(body.blocks[from].end.span, "the first block of a function cannot be jumped to");
        }
        let dominators = Dominators::new(body, &predecessors);
        for (id, block) in body.blocks.iter_enumerated() {
            let mut head = true;
            for inst in &block.insts {
                head &= matches!(inst.kind, InstKind::Phi(_));
                if let InstKind::Phi(incoming) = &inst.kind {
                    if !head {
                        self.error(inst.span, "a phi stands at the beginning of its block");
                    }
                    self.phi(body, incoming, &predecessors[id.index()], inst.span);
                }
                self.inst(body, inst);
            }
        }
        self.uses(body, &dominators);
    }

    fn phi(&mut self, body: &Body, incoming: &[(Operand, BlockId)], predecessors: &[BlockId], span: Span) {
        let mut values = BTreeMap::new();
        for &(value, from) in incoming {
            let name = &body.blocks[from].name;
            if predecessors.binary_search(&from).is_err() {
                return self.error(span, format!("the block `{name}` does not lead here"));
            }
            if values.insert(from, value).is_some_and(|before| before != value) {
                return self.error(span, format!("the phi has two values for the block `{name}`"));
            }
        }
        if let Some(&missing) = predecessors.iter().find(|p| !values.contains_key(p)) {
            self.error(span, format!("the phi has no value for the block `{}`", body.blocks[missing].name));
        }
    }

    fn inst(&mut self, body: &Body, inst: &Inst) {
        match &inst.kind {
            InstKind::Alloca { ty, .. } => self.sized(*ty, inst.span, "this variable"),
            InstKind::Load { ty, .. } => self.sized(*ty, inst.span, "this load"),
            InstKind::Store { value, .. } => {
                self.sized(self.module.operand_type(body, *value), inst.span, "this store");
            }
            InstKind::Gep { element, indices, base, .. } => {
                let lanes =
                    |operand: &Operand| self.module.types.lanes(self.module.operand_type(body, *operand)).is_some();
                if !lanes(base) && !indices.iter().any(lanes) {
                    let known = |operand| match operand {
                        Operand::Const(id) => known_index(self.module, id),
                        Operand::Local(_) => None,
                    };
                    self.gep(*element, indices, known, inst.span);
                }
            }
            _ => {}
        }
    }

    /// Every use comes after the definition, on every way.
    fn uses(&mut self, body: &Body, dominators: &Dominators) {
        for (id, block) in body.blocks.iter_enumerated().filter(|(id, _)| dominators.is_reached(*id)) {
            for (at, inst) in block.insts.iter().enumerate() {
                if let InstKind::Phi(incoming) = &inst.kind {
                    for &(value, from) in incoming.iter().filter(|(_, from)| dominators.is_reached(*from)) {
                        self.used(body, dominators, value, (from, usize::MAX), inst.span);
                    }
                } else {
                    inst.kind.operands(|value| self.used(body, dominators, value, (id, at), inst.span));
                }
            }
            block.end.kind.operands(|value| self.used(body, dominators, value, (id, usize::MAX), block.end.span));
        }
    }

    fn used(&mut self, body: &Body, dominators: &Dominators, value: Operand, at: (BlockId, usize), span: Span) {
        let Operand::Local(value) = value else { return };
        let before = match body.values[value].definition {
            Definition::Param(_) => true,
            Definition::Inst(block, index) if block == at.0 => (index as usize) < at.1,
            Definition::Inst(block, _) => dominators.dominates(block, at.0),
            // Known on the edge only, which a phi of the next block may use.
            Definition::Terminator(block) => dominators.dominates(block, at.0),
        };
        if !before {
            self.error(span, format!("`{}` is used where it may not be defined yet", body.values[value].name));
        }
    }
}

/// The blocks that lead to each block, each once, ascending.
fn predecessors(body: &Body) -> Vec<Vec<BlockId>> {
    let mut predecessors = vec![Vec::new(); body.blocks.len()];
    for (from, block) in body.blocks.iter_enumerated() {
        for to in block.end.kind.successors() {
            let list: &mut Vec<BlockId> = &mut predecessors[to.index()];
            if list.last() != Some(&from) {
                list.push(from);
            }
        }
    }
    predecessors
}
