//! Parts of structs, arrays and vectors that are values.

use super::code::Code;
use super::{Lowered, fold, shape, unsupported};
use crate::inst::Operand;
use crate::module::Module;
use crate::types::TypeId;
use treville_ir::Expr;
use treville_term::BinOp;

impl Code<'_, '_> {
    pub(super) fn extract_value(&mut self, aggregate: Operand, indices: &[u32]) -> Lowered<Vec<Expr>> {
        let range = shape::member(self.module(), self.type_of(aggregate), indices)?;
        match self.operand(aggregate)?.get(range) {
            Some(part) => Ok(part.to_vec()),
            None => unsupported("a member that does not exist"),
        }
    }

    pub(super) fn insert_value(&mut self, aggregate: Operand, value: Operand, indices: &[u32]) -> Lowered<Vec<Expr>> {
        let range = shape::member(self.module(), self.type_of(aggregate), indices)?;
        let mut all = self.operand(aggregate)?;
        let part = self.operand(value)?;
        if range.end > all.len() || part.len() != range.len() {
            return unsupported("a member that does not exist");
        }
        all.splice(range, part);
        Ok(all)
    }

    pub(super) fn extract_element(&mut self, vector: Operand, index: Operand) -> Lowered<Vec<Expr>> {
        let lanes = self.lanes(vector)?;
        let bits = self.width(index)?;
        let index = self.scalar(index)?;
        let width = lane_bits(self.module(), self.type_of(vector))?;
        let mut chosen = fold::zero(width);
        for (i, lane) in lanes.into_iter().enumerate() {
            let here = fold::bin(BinOp::Eq, index.clone(), lane_number(i, bits));
            // One step at a time: there may be many.
            chosen = self.out.keep(fold::ite(here, lane, chosen), width);
        }
        Ok(vec![chosen])
    }

    pub(super) fn insert_element(&mut self, vector: Operand, value: Operand, index: Operand) -> Lowered<Vec<Expr>> {
        let lanes = self.lanes(vector)?;
        let (bits, value) = (self.width(index)?, self.scalar(value)?);
        let index = self.scalar(index)?;
        let replaced = lanes
            .into_iter()
            .enumerate()
            .map(|(i, lane)| fold::ite(fold::bin(BinOp::Eq, index.clone(), lane_number(i, bits)), value.clone(), lane));
        Ok(replaced.collect())
    }

    pub(super) fn shuffle(&mut self, first: Operand, second: Operand, mask: &[Option<u32>]) -> Lowered<Vec<Expr>> {
        let bits = lane_bits(self.module(), self.type_of(first))?;
        let mut lanes = self.lanes(first)?;
        lanes.extend(self.lanes(second)?);
        let lane = |at: &Option<u32>| match at {
            Some(at) => lanes.get(*at as usize).cloned().ok_or(()),
            None => Ok(fold::zero(bits)),
        };
        mask.iter().map(lane).collect::<Result<_, ()>>().or_else(|()| unsupported("a lane that does not exist"))
    }

    fn lanes(&mut self, vector: Operand) -> Lowered<Vec<Expr>> {
        self.operand(vector)
    }
}

fn lane_number(lane: usize, bits: u8) -> Expr {
    fold::number(lane as u64, bits)
}

fn lane_bits(module: &Module, vector: TypeId) -> Lowered<u8> {
    shape::width(module, module.types.scalar(vector))
}
