//! Instructions on memory and on the parts of aggregates.

use super::body::Step;
use super::{Parse, Parser};
use crate::inst::{Access, CmpXchg, InstKind, Operand, Ordering, RmwOp, Scope};
use crate::lexer::Kind;
use crate::types::{Struct, Type, TypeId, Types};
use treville_base::Span;

impl Parser<'_> {
    pub(super) fn alloca(&mut self) -> Parse<Step> {
        self.bump();
        if self.at_word("inalloca") || self.at_word("swifterror") {
            let what = format!("`alloca {}`", self.token.text);
            return Err(self.unsupported(&what));
        }
        let ty = self.value_type()?;
        let (mut count, mut align) = (None, None);
        while self.comma_more()? {
            if self.at_word("align") {
                align = Some(self.align()?);
            } else if self.at_word("addrspace") {
                self.addrspace()?;
            } else {
                let start = self.here();
                let (ty, operand) = self.typed_operand()?;
                if self.types.int_bits(ty).is_none() {
                    return Err(self.mismatch(start, "the number of elements", "an integer", ty));
                }
                count = Some(operand);
            }
        }
        Ok(Step::Inst(InstKind::Alloca { ty, count, align }, Types::PTR))
    }

    /// `align n`
    pub(super) fn align(&mut self) -> Parse<u32> {
        self.expect_word("align")?;
        let start = self.here();
        let parens = self.eat(Kind::OpenParen);
        let align: u64 = self.number("an alignment")?;
        if parens {
            self.expect(Kind::CloseParen, "`)`")?;
        }
        let align = u32::try_from(align).ok().filter(|a| a.is_power_of_two());
        align.ok_or_else(|| self.error_at(start, "an alignment is a power of two below 2^32"))
    }

    /// The rest of an access: `[syncscope("…")] [ordering] [, align n]`. Missing `atomic`, there is no ordering.
    fn access(&mut self, volatile: bool, atomic: bool) -> Parse<Access> {
        let scope = self.scope()?;
        let ordering = if atomic { Some(self.ordering()?) } else { None };
        let align = self.access_align()?;
        Ok(Access { volatile, ordering, scope, align })
    }

    fn access_align(&mut self) -> Parse<Option<u32>> {
        let mut align = None;
        while self.comma_more()? {
            align = Some(self.align()?);
        }
        Ok(align)
    }

    fn scope(&mut self) -> Parse<Scope> {
        if !self.eat_word("syncscope") {
            return Ok(Scope::System);
        }
        self.expect(Kind::OpenParen, "`(`")?;
        let token = self.expect(Kind::Str, "the name of a scope")?;
        self.expect(Kind::CloseParen, "`)`")?;
        match token.text {
            "" => Ok(Scope::System),
            "singlethread" => Ok(Scope::SingleThread),
            other => {
                let message = format!("the scope \"{other}\" is not supported");
                Err(self.error_at(self.span_of(token), message))
            }
        }
    }

    fn ordering(&mut self) -> Parse<Ordering> {
        let ordering = match self.token.text {
            "unordered" => Ordering::Unordered,
            "monotonic" => Ordering::Monotonic,
            "acquire" => Ordering::Acquire,
            "release" => Ordering::Release,
            "acq_rel" => Ordering::AcqRel,
            "seq_cst" => Ordering::SeqCst,
            _ => return Err(self.expected("a memory ordering such as `acquire`")),
        };
        self.expect(Kind::Word, "a memory ordering")?;
        Ok(ordering)
    }

    /// Orderings that an access cannot have.
    fn no_ordering(&mut self, access: Access, not: [Ordering; 2], start: Span) -> Parse<()> {
        match access.ordering {
            Some(ordering) if not.contains(&ordering) => {
                Err(self.error_at(start, format!("this access cannot be `{}`", ordering.as_str())))
            }
            _ => Ok(()),
        }
    }

    /// What an atomic access can read or write.
    fn atomic_type(&mut self, ty: TypeId, start: Span) -> Parse<()> {
        match self.types.get(ty) {
            Type::Int(bits) if *bits >= 8 && bits.is_power_of_two() => Ok(()),
            Type::Ptr | Type::Float(_) => Ok(()),
            _ => {
                let needed = "a pointer or a number of 1, 2, 4, 8 or 16 bytes";
                Err(self.mismatch(start, "the type of an atomic access", needed, ty))
            }
        }
    }

    pub(super) fn load(&mut self) -> Parse<Step> {
        let start = self.here();
        self.bump();
        let atomic = self.eat_word("atomic");
        let volatile = self.eat_word("volatile");
        let ty = self.value_type()?;
        self.comma()?;
        let address = self.pointer_operand("the address of a load")?;
        let access = self.access(volatile, atomic)?;
        if atomic {
            self.atomic_type(ty, start)?;
            self.no_ordering(access, [Ordering::Release, Ordering::AcqRel], start)?;
        }
        Ok(Step::Inst(InstKind::Load { ty, address, access }, ty))
    }

    pub(super) fn store(&mut self) -> Parse<Step> {
        let start = self.here();
        self.bump();
        let atomic = self.eat_word("atomic");
        let volatile = self.eat_word("volatile");
        let (ty, value) = self.typed_operand()?;
        self.comma()?;
        let address = self.pointer_operand("the address of a store")?;
        let access = self.access(volatile, atomic)?;
        if atomic {
            self.atomic_type(ty, start)?;
            self.no_ordering(access, [Ordering::Acquire, Ordering::AcqRel], start)?;
        }
        Ok(Step::Inst(InstKind::Store { value, address, access }, Types::VOID))
    }

    pub(super) fn fence(&mut self) -> Parse<Step> {
        self.bump();
        let scope = self.scope()?;
        let start = self.here();
        let ordering = self.ordering()?;
        if ordering < Ordering::Acquire {
            return Err(self.error_at(start, format!("a fence cannot be `{}`", ordering.as_str())));
        }
        Ok(Step::Inst(InstKind::Fence { ordering, scope }, Types::VOID))
    }

    pub(super) fn cmpxchg(&mut self) -> Parse<Step> {
        let start = self.here();
        self.bump();
        let weak = self.eat_word("weak");
        let volatile = self.eat_word("volatile");
        let address = self.pointer_operand("the address of `cmpxchg`")?;
        self.comma()?;
        let (ty, expected) = self.typed_operand()?;
        self.comma()?;
        let place = self.here();
        let (new_type, new) = self.typed_operand()?;
        if new_type != ty {
            let needed = format!("`{}`, as that of the expected value", self.types.display(ty));
            return Err(self.mismatch(place, "the type of the new value", &needed, new_type));
        }
        self.atomic_type(ty, start)?;
        let scope = self.scope()?;
        let ordering = self.ordering()?;
        let place = self.here();
        let failure = self.ordering()?;
        if matches!(failure, Ordering::Release | Ordering::AcqRel | Ordering::Unordered) {
            return Err(self.error_at(place, format!("the failure of `cmpxchg` cannot be `{}`", failure.as_str())));
        }
        let access = Access { volatile, ordering: Some(ordering), scope, align: self.access_align()? };
        let fields = Some(vec![ty, Types::I1]);
        let result = self.types.intern(Type::Struct(Struct { name: None, fields, packed: false }));
        let exchange = CmpXchg { address, expected, new, weak, failure, access };
        Ok(Step::Inst(InstKind::CmpXchg(Box::new(exchange)), result))
    }

    pub(super) fn atomicrmw(&mut self) -> Parse<Step> {
        let start = self.here();
        self.bump();
        let volatile = self.eat_word("volatile");
        let Some(op) = rmw_op(self.token.text).filter(|_| self.at(Kind::Word)) else {
            return Err(self.expected("an operation such as `add` or `xchg`"));
        };
        self.bump();
        let address = self.pointer_operand("the address of `atomicrmw`")?;
        self.comma()?;
        let (ty, value) = self.typed_operand()?;
        let access = self.access(volatile, true)?;
        self.no_ordering(access, [Ordering::Unordered; 2], start)?;
        self.atomic_type(ty, start)?;
        let fits = match self.types.get(ty) {
            Type::Int(_) => !op.is_float(),
            Type::Float(_) => op.is_float() || op == RmwOp::Xchg,
            _ => ty == Types::PTR && op == RmwOp::Xchg,
        };
        if !fits {
            return Err(self.mismatch(start, "the operand", "of a type that the operation takes", ty));
        }
        Ok(Step::Inst(InstKind::AtomicRmw { op, address, value, access }, ty))
    }

    pub(super) fn gep(&mut self) -> Parse<Step> {
        self.bump();
        let flags = self.flags()?;
        let element = self.ty()?;
        self.comma()?;
        let start = self.here();
        let (mut ty, base) = self.typed_operand()?;
        if self.types.scalar(ty) != Types::PTR {
            return Err(self.mismatch(start, "the base of `getelementptr`", "a pointer", ty));
        }
        let mut indices = Vec::new();
        while self.comma_more()? {
            let (index_type, index) = self.index_operand()?;
            // One vector makes the whole a vector.
            if self.types.lanes(index_type).is_some() {
                ty = self.types.with_lanes_of(Types::PTR, index_type);
            }
            indices.push(index);
        }
        Ok(Step::Inst(InstKind::Gep { element, base, indices, flags }, ty))
    }

    fn index_operand(&mut self) -> Parse<(TypeId, Operand)> {
        self.eat_word("inrange");
        let start = self.here();
        let (ty, index) = self.typed_operand()?;
        if self.types.int_bits(self.types.scalar(ty)).is_none() {
            return Err(self.mismatch(start, "an index", "an integer", ty));
        }
        Ok((ty, index))
    }

    pub(super) fn extract_value(&mut self) -> Parse<Step> {
        self.bump();
        let (ty, aggregate) = self.typed_operand()?;
        let (indices, member) = self.member_indices(ty)?;
        Ok(Step::Inst(InstKind::ExtractValue { aggregate, indices }, member))
    }

    pub(super) fn insert_value(&mut self) -> Parse<Step> {
        self.bump();
        let (ty, aggregate) = self.typed_operand()?;
        self.comma()?;
        let start = self.here();
        let (value_type, value) = self.typed_operand()?;
        let (indices, member) = self.member_indices(ty)?;
        if member != value_type {
            let needed = format!("`{}`, that of the member", self.types.display(member));
            return Err(self.mismatch(start, "the type of the new value", &needed, value_type));
        }
        Ok(Step::Inst(InstKind::InsertValue { aggregate, value, indices }, ty))
    }

    /// `, 0, 1 …` with the type of the member that they lead to.
    fn member_indices(&mut self, ty: TypeId) -> Parse<(Vec<u32>, TypeId)> {
        let (mut indices, mut at) = (Vec::new(), ty);
        while self.comma_more()? {
            let start = self.here();
            let index: u32 = self.number("the index of a member")?;
            let Some(member) = self.types.member(at, index.into()) else {
                let message = format!("`{}` has no member {index}", self.types.display(at));
                return Err(self.error_at(start, message));
            };
            indices.push(index);
            at = member;
        }
        if indices.is_empty() {
            return Err(self.expected("the index of a member"));
        }
        Ok((indices, at))
    }
}

impl Ordering {
    pub fn as_str(self) -> &'static str {
        match self {
            Ordering::Unordered => "unordered",
            Ordering::Monotonic => "monotonic",
            Ordering::Acquire => "acquire",
            Ordering::Release => "release",
            Ordering::AcqRel => "acq_rel",
            Ordering::SeqCst => "seq_cst",
        }
    }
}

impl RmwOp {
    pub fn is_float(self) -> bool {
        matches!(self, RmwOp::FAdd | RmwOp::FSub | RmwOp::FMax | RmwOp::FMin)
    }
}

fn rmw_op(word: &str) -> Option<RmwOp> {
    Some(match word {
        "xchg" => RmwOp::Xchg,
        "add" => RmwOp::Add,
        "sub" => RmwOp::Sub,
        "and" => RmwOp::And,
        "nand" => RmwOp::Nand,
        "or" => RmwOp::Or,
        "xor" => RmwOp::Xor,
        "max" => RmwOp::Max,
        "min" => RmwOp::Min,
        "umax" => RmwOp::UMax,
        "umin" => RmwOp::UMin,
        "fadd" => RmwOp::FAdd,
        "fsub" => RmwOp::FSub,
        "fmax" | "fmaximum" => RmwOp::FMax,
        "fmin" | "fminimum" => RmwOp::FMin,
        "uinc_wrap" => RmwOp::UIncWrap,
        "udec_wrap" => RmwOp::UDecWrap,
        "usub_cond" => RmwOp::USubCond,
        "usub_sat" => RmwOp::USubSat,
        _ => return None,
    })
}
