//! Whether a program is one: ids lead somewhere, widths fit, initial values cover their objects. Front ends and passes are
//! tested with it; what it finds is a mistake of theirs.

use crate::{BlockId, Callee, Expr, Func, LockOp, Object, Op, Program, Reg, Tags, Terminator};

/// The first thing that is wrong, in words, with where it is.
///
/// # Errors
/// If there is one.
pub fn validate(program: &Program) -> Result<(), String> {
    for object in &program.objects {
        Checker { program, func: None }.object(object).map_err(|why| format!("the object {}: {why}", object.name))?;
    }
    for func in &program.funcs {
        let checker = Checker { program, func: Some(func) };
        let at = |i: usize, what: String| format!("the function {}, block {i}: {what}", func.name);
        for (i, block) in func.blocks.iter().enumerate() {
            for inst in &block.insts {
                checker.op(&inst.op).map_err(|why| at(i, format!("{why} in {:?}", inst.op)))?;
            }
            checker.end(&block.end).map_err(|why| at(i, format!("{why} in {:?}", block.end)))?;
        }
        if func.blocks.is_empty() {
            return Err(format!("the function {} has no block", func.name));
        }
    }
    let known = |root: &crate::Root| (root.func.0 as usize) < program.funcs.len();
    if program.roots.iter().all(known) { Ok(()) } else { Err("a thread without a function".into()) }
}

type Checked<T> = Result<T, String>;

struct Checker<'a> {
    program: &'a Program,
    /// Initial values are outside of all.
    func: Option<&'a Func>,
}

fn expect(fine: bool, what: &str) -> Checked<()> {
    if fine { Ok(()) } else { Err(what.to_owned()) }
}

impl Checker<'_> {
    fn object(&self, object: &Object) -> Checked<()> {
        let mut at = 0;
        for cell in &object.init {
            expect(cell.offset == at, "its initial values have gaps or overlap")?;
            at += u64::from(cell.size);
            self.has_width(&cell.value, 8 * cell.size)?;
        }
        expect(object.init.is_empty() || at == object.size, "its initial values do not cover it")
    }

    fn reg(&self, reg: Reg) -> Checked<u8> {
        let info = self.func.and_then(|f| f.regs.get(reg));
        info.map(|i| i.width).ok_or_else(|| format!("{reg:?} does not exist"))
    }

    fn width(&self, e: &Expr) -> Checked<u8> {
        match e {
            Expr::Const(v) => Ok(v.width()),
            Expr::Reg(r) => self.reg(*r),
            Expr::Addr(object, _) => {
                expect(self.program.objects.get(*object).is_some(), "an object that does not exist")?;
                Ok(64)
            }
            Expr::Un(_, a) => self.width(a),
            Expr::Bin(op, a, b) => {
                let (a, b) = (self.width(a)?, self.width(b)?);
                expect(a == b, &format!("operands of {a} and {b} bits"))?;
                Ok(op.result_width(a))
            }
            Expr::Cast(_, width, a) => self.width(a).map(|_| *width),
            Expr::Ite(c, a, b) => {
                self.has_width(c, 1)?;
                let (a, b) = (self.width(a)?, self.width(b)?);
                expect(a == b, &format!("a choice of {a} or {b} bits"))?;
                Ok(a)
            }
        }
    }

    fn has_width(&self, e: &Expr, width: u8) -> Checked<()> {
        let found = self.width(e)?;
        expect(found == width, &format!("{found} bits in place of {width}"))
    }

    fn is_wide(&self, reg: Reg, width: u8) -> Checked<()> {
        let found = self.reg(reg)?;
        expect(found == width, &format!("a register of {found} bits in place of {width}"))
    }

    fn all_wide(&self, all: &[&Expr]) -> Checked<()> {
        all.iter().try_for_each(|e| self.has_width(e, 64))
    }

    fn tags(&self, tags: &Tags) -> Checked<()> {
        let known = tags.iter().all(|t| self.program.tags.get(*t).is_some());
        expect(known && tags.is_sorted_by(|a, b| a < b), "tags that do not exist or are not sorted")
    }

    fn callee(&self, callee: &Callee, args: &[Expr]) -> Checked<()> {
        args.iter().try_for_each(|a| self.width(a).map(drop))?;
        match callee {
            Callee::Pointer(address) => self.has_width(address, 64),
            Callee::Func(id) => expect(self.program.funcs.get(*id).is_some(), "a function that does not exist"),
        }
    }

    fn op(&self, op: &Op) -> Checked<()> {
        match op {
            Op::Assign { dst, value } => self.has_width(value, self.reg(*dst)?),
            Op::Load { dst, addr, size, tags } => {
                self.is_wide(*dst, 8 * size)?;
                self.has_width(addr, 64)?;
                self.tags(tags)
            }
            Op::Store { addr, value, size, tags } => {
                self.has_width(addr, 64)?;
                self.has_width(value, 8 * size)?;
                self.tags(tags)
            }
            Op::Update { old, addr, size, guard, new, tags } => {
                self.is_wide(*old, 8 * size)?;
                self.has_width(addr, 64)?;
                guard.iter().try_for_each(|g| self.has_width(g, 1))?;
                self.has_width(new, 8 * size)?;
                [&tags.read, &tags.write, &tags.fused, &tags.fail].into_iter().try_for_each(|t| self.tags(t))
            }
            Op::StoreConditional { status, addr, value, size, tags } => {
                self.reg(*status)?;
                self.has_width(addr, 64)?;
                self.has_width(value, 8 * size)?;
                self.tags(tags)
            }
            Op::Fence { tags } => self.tags(tags),
            Op::Lock { op, addr, .. } => {
                if let LockOp::Try { dst } | LockOp::IsHeld { dst } = op {
                    self.reg(*dst)?;
                }
                self.has_width(addr, 64)
            }
            Op::Opaque { addr, value, dst, tags } => {
                addr.iter().chain(value).try_for_each(|e| self.width(e).map(drop))?;
                dst.iter().try_for_each(|r| self.reg(*r).map(drop))?;
                self.tags(tags)
            }
            Op::Wait { cond, .. } => self.has_width(cond, 1),
            Op::Call { dst, callee, args } => {
                dst.iter().try_for_each(|r| self.reg(*r).map(drop))?;
                self.callee(callee, args)
            }
            Op::Spawn { dst, callee, args } => {
                self.is_wide(*dst, 64)?;
                self.callee(callee, args)
            }
            Op::Join { dst, thread } => {
                dst.iter().try_for_each(|r| self.reg(*r).map(drop))?;
                self.has_width(thread, 64)
            }
            Op::Current { dst, .. } => self.is_wide(*dst, 64),
            Op::Alloc { dst, size, .. } => {
                self.is_wide(*dst, 64)?;
                self.has_width(size, 64)
            }
            Op::Free { addr, .. } => self.has_width(addr, 64),
            Op::Copy { to, from, len, tags } => {
                self.all_wide(&[to, from, len])?;
                self.tags(tags)
            }
            Op::Fill { to, byte, len, tags } => {
                self.all_wide(&[to, len])?;
                self.has_width(byte, 8)?;
                self.tags(tags)
            }
            Op::Nondet { dst } => self.reg(*dst).map(drop),
            Op::Handle { dst, arg, .. } => {
                self.has_width(&Expr::Reg(*dst), 64)?;
                self.has_width(arg, 64)
            }
            Op::Fail { .. } | Op::Mark(_) => Ok(()),
        }
    }

    fn block(&self, block: BlockId) -> Checked<()> {
        expect(self.func.is_some_and(|f| f.blocks.get(block).is_some()), "a block that does not exist")
    }

    fn end(&self, end: &Terminator) -> Checked<()> {
        match end {
            Terminator::Goto(to) => self.block(*to),
            Terminator::Branch { cond, then, els, join, .. } => {
                self.has_width(cond, 1)?;
                [Some(*then), Some(*els), *join].into_iter().flatten().try_for_each(|b| self.block(b))
            }
            Terminator::End | Terminator::ExitProcess => Ok(()),
            Terminator::Exit(value) => self.has_width(value, 64),
            Terminator::Return(value) => value.iter().try_for_each(|v| self.width(v).map(drop)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::validate;
    use treville_base::FileId;

    fn wrong(text: &str) -> Option<String> {
        validate(&crate::text::parse(FileId(0), text).expect("a program")).err()
    }

    #[test]
    fn widths_must_fit() {
        let body = |op: &str| format!("func f () regs [a:8 p:64] {{ b0: {op} end }}");
        assert_eq!(wrong(&body("a = (add a 1:8)")), None);
        for op in ["a = p", "p = (add p a)", "a = load p 2 []", "wait assume a", "fill p p p []", "p = (ite a p p)"] {
            assert!(wrong(&body(op)).is_some_and(|why| why.contains("bits")), "{op}");
        }
    }
}
