//! Calls of functions whose names begin with `llvm.`: hints that mean nothing here, memory, and arithmetic.

use super::code::Code;
use super::{Lowered, bits, fold, unsupported};
use crate::inst::{Call, Operand};
use crate::module::ValueId;
use treville_ir::{Expr, Failure, Op};
use treville_term::{BinOp, Cast};

/// Hints, by the beginning of the name.
const NOTHING: &[&str] = &[
    "dbg.",
    "lifetime.",
    "assume",
    "experimental.noalias.scope.decl",
    "donothing",
    "sideeffect",
    "pseudoprobe",
    "var.annotation",
    "codeview.annotation",
    "prefetch",
    "invariant.end",
    "stackrestore",
    "x86.sse2.pause",
    "aarch64.hint",
    "aarch64.isb",
    "instrprof",
    "va_end",
];

/// Those that give back their first argument.
const FIRST: &[&str] = &[
    "expect.",
    "launder.invariant.group",
    "strip.invariant.group",
    "ptr.annotation",
    "annotation",
    "ssa.copy",
    "threadlocal.address",
    "preserve.",
    "arithmetic.fence",
];

/// Those that give back 0.
const ZERO: &[&str] =
    &["stacksave", "is.constant", "eh.typeid.for", "returnaddress", "frameaddress", "invariant.start"];

impl Code<'_, '_> {
    /// `name` is without `llvm.`.
    pub(super) fn intrinsic(&mut self, result: Option<ValueId>, name: &str, call: &Call) -> Lowered<()> {
        let begins = |with: &&str| name.starts_with(*with);
        let args: Vec<Operand> = call.args.iter().map(|a| a.value).collect();
        if NOTHING.iter().any(&begins) {
            return Ok(());
        }
        if ZERO.iter().any(&begins) {
            return self.take(result, Vec::new());
        }
        if FIRST.iter().any(&begins) {
            let Some(first) = args.first() else { return self.unknown(name) };
            let leaves = super::shape::shape(self.module(), self.type_of(*first))?;
            let value = self.operand(*first)?;
            return self.take(result, value.into_iter().zip(leaves.iter().map(|l| l.bits)).collect());
        }
        // The types that it is for come after its own name.
        let own = name.split('.').take_while(|part| !is_type(part)).collect::<Vec<_>>().join(".");
        match (own.as_str(), args.as_slice()) {
            ("memcpy" | "memmove" | "memcpy.inline", [to, from, len, ..]) => {
                let (to, from, len) = (self.scalar(*to)?, self.scalar(*from)?, self.length(*len)?);
                let tags = self.out.unit.plain();
                self.out.emit(Op::Copy { to, from, len, tags });
                Ok(())
            }
            ("memset" | "memset.inline", [to, byte, len, ..]) => {
                let bits = self.width(*byte)?;
                let byte = fold::zext(self.scalar(*byte)?, bits, 8);
                let (to, len) = (self.scalar(*to)?, self.length(*len)?);
                let tags = self.out.unit.plain();
                self.out.emit(Op::Fill { to, byte, len, tags });
                Ok(())
            }
            ("trap" | "debugtrap" | "ubsantrap", _) => {
                self.fail(Failure::Assertion, "a trap is reached");
                Ok(())
            }
            ("objectsize", [_, least, ..]) => {
                let width = self.width(*least)?;
                let least = fold::zext(self.scalar(*least)?, width, 1);
                let bits = self.out.width(self.register(result)?);
                let unknown = fold::ite(least, fold::zero(bits), Expr::int(-1, bits));
                self.set(result, vec![unknown])
            }
            ("ptrmask", [address, mask]) => {
                let (address, mask) = (self.scalar(*address)?, self.scalar(*mask)?);
                self.set(result, vec![fold::bin(BinOp::And, address, mask)])
            }
            (_, [vector]) if own.starts_with("vector.reduce.") => self.reduce(result, name, &own, *vector),
            _ => self.arithmetic(result, name, &own, &args),
        }
    }

    fn unknown<T>(&self, name: &str) -> Lowered<T> {
        unsupported(format!("the intrinsic function `llvm.{name}`"))
    }

    /// A number of bytes, as an address is wide.
    fn length(&mut self, len: Operand) -> Lowered<Expr> {
        let bits = self.width(len)?;
        Ok(fold::zext(self.scalar(len)?, bits, 64))
    }

    /// Lane by lane. Those with `overflow` give all values first, then all flags.
    fn arithmetic(&mut self, result: Option<ValueId>, name: &str, own: &str, args: &[Operand]) -> Lowered<()> {
        let Some(first) = args.first() else { return self.unknown(name) };
        let types = &self.module().types;
        if self.is_float(self.type_of(*first)) {
            return self.floats();
        }
        let scalar = types.scalar(self.type_of(*first));
        let bits = super::shape::width(self.module(), scalar)?;
        // A flag, such as that 0 is not allowed, is one for all lanes and not looked at.
        let flag = matches!(own, "abs" | "ctlz" | "cttz");
        let operands = if flag { &args[..1] } else { args };
        if operands.iter().any(|a| self.type_of(*a) != self.type_of(*first)) {
            return self.unknown(name);
        }
        let lanes = operands.iter().map(|a| self.operand(*a)).collect::<Lowered<Vec<_>>>()?;
        let (mut values, mut flags) = (Vec::new(), Vec::new());
        for lane in 0..lanes[0].len() {
            let arg = |i: usize| lanes.get(i).and_then(|l| l.get(lane)).cloned();
            let (a, b, c) = (arg(0), arg(1), arg(2));
            match bits::evaluate(&mut self.out, own, bits, (a, b, c)) {
                Some(bits::Result::Value(value)) => values.push(value),
                Some(bits::Result::Checked(value, flag)) => {
                    values.push(value);
                    flags.push(flag);
                }
                None => return self.unknown(name),
            }
        }
        values.extend(flags.iter().cloned());
        let three_ways = matches!(own, "ucmp" | "scmp");
        let widths = result.map(|r| self.registers(r).iter().map(|r| self.out.width(*r)).collect::<Vec<_>>());
        let plain = std::iter::repeat_n(bits, values.len() - flags.len()).chain(std::iter::repeat_n(1, flags.len()));
        match widths {
            None => Ok(()),
            Some(widths) if widths.iter().copied().eq(plain) => self.set(result, values),
            // Comparisons in three ways give numbers of another width than their operands'.
            Some(widths) if three_ways && widths.len() == values.len() => {
                let cast = |(v, w): (Expr, u8)| fold::cast(Cast::Sign, v, bits, w);
                let values = values.into_iter().zip(widths).map(cast).collect();
                self.set(result, values)
            }
            Some(_) => self.unknown(name),
        }
    }

    fn reduce(&mut self, result: Option<ValueId>, name: &str, own: &str, vector: Operand) -> Lowered<()> {
        let op = own.trim_start_matches("vector.reduce.");
        let scalar = self.module().types.scalar(self.type_of(vector));
        let bits = super::shape::width(self.module(), scalar)?;
        let mut lanes = self.operand(vector)?.into_iter();
        let Some(mut all) = lanes.next() else { return self.unknown(name) };
        for lane in lanes {
            let simple = match op {
                "add" => Some(BinOp::Add),
                "mul" => Some(BinOp::Mul),
                "and" => Some(BinOp::And),
                "or" => Some(BinOp::Or),
                "xor" => Some(BinOp::Xor),
                _ => None,
            };
            let all_before = self.out.keep(all, bits);
            all = match simple {
                Some(op) => fold::bin(op, all_before, lane),
                None => match bits::evaluate(&mut self.out, op, bits, (Some(all_before), Some(lane), None)) {
                    Some(bits::Result::Value(value)) => value,
                    _ => return self.unknown(name),
                },
            };
        }
        self.set(result, vec![all])
    }
}

/// Whether a part of an intrinsic's name says a type: `i64`, `v4i32`, `p0`, `p0i8`.
fn is_type(part: &str) -> bool {
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    let begins = |c: char| part.strip_prefix(c).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    part.strip_prefix('i').is_some_and(digits)
        || part.strip_prefix('f').is_some_and(digits)
        || begins('v')
        || begins('p')
        || part.starts_with("nxv")
}
