//! A direct interpreter of one thread, for comparing programs: it records what happens to memory that others can see, and
//! what goes wrong.

use std::collections::BTreeMap;
use treville_base::{Idx, IndexVec};
use treville_ir::{
    BlockId, Callee, Expr, FuncId, LockOp, Mark, Op, Program, Reg, Storage, TagId, Terminator, ThreadId,
};
use treville_term::Bv;

const STACK: u64 = 0x7000_0000_0000;
const HEAP: u64 = 0x6000_0000_0000;
const STRIDE: u64 = 0x10_0000;
const DEPTH: u32 = 40;

/// Why a program stops that was made finite.
pub(crate) const CUT: &str = "cut";

/// What a run shows to the outside.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Run {
    pub(crate) trace: Vec<String>,
    /// Why it stopped early.
    pub(crate) stopped: Option<String>,
    pub(crate) result: Option<String>,
    pub(crate) observed: Vec<String>,
}

struct Object {
    storage: Option<Storage>,
    alive: bool,
    /// `None`: never written.
    bytes: Vec<Option<u8>>,
}

struct Machine<'p> {
    program: &'p Program,
    objects: BTreeMap<u64, Object>,
    n_stack: u64,
    n_heap: u64,
    fuel: u64,
    trace: Vec<String>,
    /// Stack objects in the order in which others get to know them.
    known: Vec<u64>,
}

type Step<T> = Result<T, String>;
type Regs = IndexVec<Reg, Bv>;

/// Runs the first thread.
pub(crate) fn run(program: &Program, observed: &[(ThreadId, Reg)], fuel: u64) -> Run {
    let mut m = Machine {
        program,
        objects: BTreeMap::new(),
        n_stack: 0,
        n_heap: 0,
        fuel,
        trace: Vec::new(),
        known: Vec::new(),
    };
    let none: Regs = IndexVec::new();
    for o in &program.objects {
        let mut bytes = vec![None; o.size as usize];
        for cell in &o.init {
            let value = m.eval(&cell.value, &none).unsigned().to_le_bytes();
            for i in 0..usize::from(cell.size) {
                bytes[cell.offset as usize + i] = Some(value[i]);
            }
        }
        m.objects.insert(o.address, Object { storage: None, alive: true, bytes });
    }
    let root = &program.roots[ThreadId(0)];
    let mut regs = m.fresh(root.func);
    for (r, e) in &root.init {
        regs[*r] = m.eval(e, &regs);
    }
    let mut last = Regs::new();
    let outcome = m.call(root.func, regs, 0, &mut last);
    let (stopped, result) = match outcome {
        Ok(value) => (None, value.map(|v| m.show(v))),
        Err(why) => (Some(why), None),
    };
    // After an error nothing is observed.
    let seen = observed.iter().filter(|_| stopped.is_none());
    let observed = seen.map(|(_, r)| m.show(last[*r])).collect();
    Run { trace: m.trace, stopped, result, observed }
}

impl Machine<'_> {
    fn fresh(&self, f: FuncId) -> Regs {
        self.program.funcs[f].regs.iter().map(|r| Bv::zero(r.width)).collect()
    }

    fn eval(&self, e: &Expr, regs: &Regs) -> Bv {
        match e {
            Expr::Const(v) => *v,
            Expr::Reg(r) => regs[*r],
            Expr::Addr(o, k) => Bv::new(u128::from(self.program.objects[*o].address.wrapping_add_signed(*k)), 64),
            Expr::Un(op, a) => op.eval(self.eval(a, regs)),
            Expr::Bin(op, a, b) => {
                let (a, b) = (self.eval(a, regs), self.eval(b, regs));
                assert_eq!(a.width(), b.width(), "{e:?}");
                op.eval(a, b)
            }
            Expr::Cast(kind, width, a) => kind.eval(self.eval(a, regs), *width),
            Expr::Ite(c, a, b) => {
                let c = self.eval(c, regs);
                assert_eq!(c.width(), 1, "{e:?}");
                if c.is_zero() { self.eval(b, regs) } else { self.eval(a, regs) }
            }
        }
    }

    /// A value, with addresses on the stack by the order in which they were first shown.
    fn show(&mut self, v: Bv) -> String {
        let bits = v.unsigned();
        if v.width() == 64 && bits >= u128::from(STACK) && bits < u128::from(STACK) + (1 << 40) {
            let (base, offset) = (bits as u64 / STRIDE * STRIDE, bits as u64 % STRIDE);
            let n = self.known.iter().position(|k| *k == base).unwrap_or_else(|| {
                self.known.push(base);
                self.known.len() - 1
            });
            return format!("stack{n}+{offset}");
        }
        format!("{v:?}")
    }

    fn record(&mut self, what: &str, addr: u64, values: &[Bv], tags: &[TagId]) {
        let place = self.show(Bv::new(u128::from(addr), 64));
        let values: Vec<String> = values.iter().map(|v| self.show(*v)).collect();
        let tags: Vec<&str> = tags.iter().map(|t| self.program.tags[*t].as_str()).collect();
        self.trace.push(format!("{what} {place} {} [{}]", values.join(" "), tags.join(" ")));
    }

    /// The object and the offset of an access, and whether others can see it.
    fn place(&self, addr: u64, size: u64) -> Step<(u64, usize, bool)> {
        let (base, object) = self.objects.range(..=addr).next_back().ok_or("invalid access")?;
        let offset = addr - base;
        if offset + size > object.bytes.len() as u64 {
            return Err("invalid access".to_owned());
        }
        if !object.alive {
            return Err("use after the end".to_owned());
        }
        let visible = !matches!(object.storage, Some(Storage::Stack | Storage::Private));
        Ok((*base, offset as usize, visible))
    }

    fn read(&self, addr: u64, size: u8) -> Step<(Bv, bool)> {
        let (base, offset, visible) = self.place(addr, u64::from(size))?;
        let bytes = &self.objects[&base].bytes[offset..offset + usize::from(size)];
        let mut bits = 0;
        for (i, b) in bytes.iter().enumerate() {
            bits |= u128::from(b.ok_or("uninitialised")?) << (8 * i);
        }
        Ok((Bv::new(bits, 8 * size), visible))
    }

    fn write(&mut self, addr: u64, size: u8, value: Bv) -> Step<bool> {
        assert_eq!(value.width(), 8 * size);
        let (base, offset, visible) = self.place(addr, u64::from(size))?;
        let Some(object) = self.objects.get_mut(&base) else { return Ok(visible) };
        for (i, b) in value.unsigned().to_le_bytes().iter().take(usize::from(size)).enumerate() {
            object.bytes[offset + i] = Some(*b);
        }
        Ok(visible)
    }

    fn call(&mut self, f: FuncId, mut regs: Regs, depth: u32, last: &mut Regs) -> Step<Option<Bv>> {
        if depth > DEPTH {
            return Err("too deep".to_owned());
        }
        let func = &self.program.funcs[f];
        let mut frame = Vec::new();
        let mut at = BlockId(0);
        loop {
            for inst in &func.blocks[at].insts {
                self.fuel = self.fuel.checked_sub(1).ok_or("too long")?;
                self.op(&inst.op, &mut regs, depth, &mut frame)?;
            }
            self.fuel = self.fuel.checked_sub(1).ok_or("too long")?;
            at = match &func.blocks[at].end {
                Terminator::Goto(b) => *b,
                Terminator::Branch { cond, then, els, .. } => {
                    if self.eval(cond, &regs).is_zero() {
                        *els
                    } else {
                        *then
                    }
                }
                Terminator::Exit(_) | Terminator::ExitProcess => return Err("exit".to_owned()),
                Terminator::End if depth > 0 => return Err("end".to_owned()),
                Terminator::End => {
                    *last = regs;
                    return Ok(None);
                }
                Terminator::Return(value) => {
                    let value = value.as_ref().map(|e| self.eval(e, &regs));
                    for base in frame {
                        if let Some(o) = self.objects.get_mut(&base) {
                            o.alive = false;
                        }
                    }
                    *last = regs;
                    return Ok(value);
                }
            };
        }
    }

    fn op(&mut self, op: &Op, regs: &mut Regs, depth: u32, frame: &mut Vec<u64>) -> Step<()> {
        let addr = |m: &Self, e: &Expr, regs: &Regs| m.eval(e, regs).unsigned() as u64;
        match op {
            Op::Assign { dst, value } => set(regs, *dst, self.eval(value, regs)),
            Op::Load { dst, addr: a, size, tags } => {
                let a = addr(self, a, regs);
                let (v, visible) = self.read(a, *size)?;
                if visible {
                    self.record("R", a, &[v], tags);
                }
                set(regs, *dst, v);
            }
            Op::Store { addr: a, value, size, tags } => {
                let (a, v) = (addr(self, a, regs), self.eval(value, regs));
                if self.write(a, *size, v)? {
                    self.record("W", a, &[v], tags);
                }
            }
            Op::Update { old, addr: a, size, guard, new, tags } => {
                let a = addr(self, a, regs);
                let (v, visible) = self.read(a, *size)?;
                set(regs, *old, v);
                let writes = guard.as_ref().is_none_or(|g| !self.eval(g, regs).is_zero());
                let written = self.eval(new, regs);
                if writes {
                    self.write(a, *size, written)?;
                }
                match (visible, writes) {
                    (true, true) => self.record("U", a, &[v, written], &tags.fused),
                    (true, false) => self.record("U", a, &[v], &tags.fail),
                    (false, _) => {}
                }
            }
            Op::Fence { tags } => self.record("F", 0, &[], tags),
            Op::Lock { op: lock, addr: a, .. } => {
                let a = addr(self, a, regs);
                self.record("L", a, &[], &[]);
                if let LockOp::Try { dst } | LockOp::IsHeld { dst } = lock {
                    let width = regs[*dst].width();
                    set(regs, *dst, Bv::new(1, width));
                }
            }
            Op::Wait { cond, .. } => {
                if self.eval(cond, regs).is_zero() {
                    return Err("blocked".to_owned());
                }
            }
            Op::Call { dst, callee, args } => {
                let f = match callee {
                    Callee::Func(f) => *f,
                    Callee::Pointer(e) => self.program.func_at(addr(self, e, regs)).ok_or("no such function")?,
                };
                let mut new = self.fresh(f);
                for (p, arg) in self.program.funcs[f].params.iter().zip(args) {
                    set(&mut new, *p, self.eval(arg, regs));
                }
                let result = self.call(f, new, depth + 1, &mut Regs::new())?;
                if let Some(dst) = dst {
                    let width = regs[*dst].width();
                    set(regs, *dst, result.unwrap_or(Bv::zero(width)));
                }
            }
            Op::Alloc { dst, size, storage, zeroed } => {
                let size = self.eval(size, regs).unsigned() as usize;
                let base = if *storage == Storage::Heap {
                    self.n_heap += 1;
                    HEAP + STRIDE * self.n_heap
                } else {
                    self.n_stack += 1;
                    frame.push(STACK + STRIDE * self.n_stack);
                    STACK + STRIDE * self.n_stack
                };
                let bytes = vec![zeroed.then_some(0); size];
                self.objects.insert(base, Object { storage: Some(*storage), alive: true, bytes });
                regs[*dst] = Bv::new(u128::from(base), 64);
            }
            Op::Copy { to, from, len, .. } => {
                let len = self.eval(len, regs).unsigned() as usize;
                let (to, from) = (addr(self, to, regs), addr(self, from, regs));
                let (source, s, seen) = self.place(from, len as u64)?;
                let (target, t, changed) = self.place(to, len as u64)?;
                let bytes: Vec<Option<u8>> = self.objects[&source].bytes[s..s + len].to_vec();
                if seen || changed {
                    self.trace.push(format!("copy {seen} {changed} {bytes:?}"));
                }
                if let Some(o) = self.objects.get_mut(&target) {
                    o.bytes[t..t + len].copy_from_slice(&bytes);
                }
            }
            Op::Fill { to, byte, len, .. } => {
                let (to, len) = (addr(self, to, regs), self.eval(len, regs).unsigned() as usize);
                let byte = self.eval(byte, regs).unsigned() as u8;
                let (target, t, visible) = self.place(to, len as u64)?;
                if visible {
                    self.trace.push(format!("fill {to:x} {byte} {len}"));
                }
                if let Some(o) = self.objects.get_mut(&target) {
                    o.bytes[t..t + len].fill(Some(byte));
                }
            }
            Op::Fail { message, .. } => return Err(format!("failed: {message}")),
            Op::Mark(Mark::Cut) => return Err(CUT.to_owned()),
            Op::Mark(_) => {}
            // The end of an object of a function that was put in the place of its call.
            Op::Opaque { addr: Some(object), .. } => {
                let object = addr(self, object, regs);
                self.objects.get_mut(&object).into_iter().for_each(|o| o.alive = false);
            }
            other => return Err(format!("not run here: {other:?}")),
        }
        Ok(())
    }
}

fn set(regs: &mut Regs, dst: Reg, value: Bv) {
    assert_eq!(regs[dst].width(), value.width(), "register {}", dst.index());
    regs[dst] = value;
}
