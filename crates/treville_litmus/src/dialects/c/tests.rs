//! What C becomes, in a compact form: `r0 := R[A RLX] x` is a load. A `'` marks what is sequenced after all that its
//! statement did before.

use crate::{Options, parse, parse_macros};
use std::fmt::Write;
use std::sync::Arc;
use treville_base::{FileId, Idx};
use treville_ir::{Expr, Func, LockOp, Op, Program, Tags, Terminator};
use treville_term::{BinOp, Cast, UnOp};

const MACROS: &str = "
    READ_ONCE(X) __load{ONCE}(X)
    WRITE_ONCE(X,V) { __store{ONCE}(X,V); }
    smp_store_release(X,V) { __store{RELEASE}(*X,V); }
    smp_load_acquire(X) __load{ACQUIRE}(*X)
    smp_store_mb(X,V) { WRITE_ONCE(X,V); smp_mb(); }
    smp_mb() { __fence{MB}; }
    before() { __fence{before-atomic}; }
    xchg(X,V) __xchg{MB}(X,V)
    cmpxchg_acquire(X,V,W) __cmpxchg{ACQUIRE}(X,V,W)
    atomic_read(X) READ_ONCE(*X)
    atomic_inc(X) { __atomic_op{NORETURN}(X,+,1); }
    atomic_add_return(V,X) __atomic_op_return{MB}(X,+,V)
    atomic_fetch_add(V,X) __atomic_fetch_op{MB}(X,+,V)
    atomic_fetch_andnot(V,X) __atomic_fetch_op{MB}(X,&~,V)
    atomic_dec_and_test(X) __atomic_op_return{MB}(X,-,1) == 0
    atomic_add_unless(X,V,W) __atomic_add_unless{MB}(X,V,W)
    spin_lock(X) { __lock(X); }
    spin_unlock(X) { __unlock(X); }
    spin_trylock(X) __trylock(X)
    spin_is_locked(X) __islocked(X)
    srcu_read_lock(X) __srcu{srcu-lock}(X)
    srcu_read_unlock(X,Y) { __srcu{srcu-unlock}(X,Y); }
    old_xchg(X,V) __xchg{mb}(X,V)
    old_acquire(X,V) __xchg{acquire}(X,V)
    old_add(V,X) { __atomic_op(X,+,V); }
    old_cmpxchg(X,V,W) __cmpxchg{release}(X,V,W)
    old_try(X,V,W) __cmpxchg{mb}(X,V,W)
    old_unless(X,V,W) __atomic_add_unless{mb}(X,V,W)
    old_deref(X) __load{deref}(X)
";

fn options() -> Options {
    Options { macros: Some(Arc::new(parse_macros(FileId(1), MACROS).unwrap())), kernel: None, weak_cas: false }
}

/// The program of a test that consists of this code.
fn program(init: &str, code: &str) -> Program {
    let text = format!("C t\n{{ {init} }}\n{code}\nexists (true)");
    match parse(FileId(0), &text, &options()) {
        Ok(litmus) => litmus.program,
        Err(errors) => panic!("{errors:?}"),
    }
}

/// The first thread of `P0(int *x, int *y, int **p) { body }`, shown. It need not declare its registers.
fn thread(body: &str) -> String {
    let program =
        program("int 0:r0; int 0:r1; int 0:r2; int 0:r3;", &format!("P0(int *x, int *y, int **p) {{ {body} }}"));
    Show { program: &program, func: program.funcs.iter().next().unwrap() }.func()
}

struct Show<'p> {
    program: &'p Program,
    func: &'p Func,
}

impl Show<'_> {
    fn func(&self) -> String {
        let mut out = String::new();
        for (id, block) in self.func.blocks.iter_enumerated() {
            if self.func.blocks.len() > 1 {
                let _ = write!(out, "{id:?}: ");
            }
            for inst in &block.insts {
                let mark = if inst.sequenced { "'" } else { "" };
                let _ = write!(out, "{}{mark}. {}; ", inst.instr.index(), self.op(&inst.op));
            }
            let _ = match &block.end {
                Terminator::Goto(b) => write!(out, "goto {b:?} "),
                Terminator::Branch { cond, then, els, join, instr, .. } => {
                    let join = join.map_or("never".to_owned(), |j| format!("{j:?}"));
                    write!(out, "{}. if {} {then:?} else {els:?} until {join} ", instr.index(), self.expr(cond))
                }
                Terminator::End | Terminator::Exit(_) | Terminator::Return(_) | Terminator::ExitProcess => {
                    write!(out, "end")
                }
            };
        }
        out
    }

    fn tags(&self, tags: &Tags) -> String {
        let mut names: Vec<&str> = tags.iter().map(|t| self.program.tags[*t].as_str()).collect();
        names.sort_unstable();
        format!("[{}]", names.join(" "))
    }

    fn op(&self, op: &Op) -> String {
        match op {
            Op::Assign { dst, value } => format!("{} := {}", self.reg(*dst), self.expr(value)),
            Op::Load { dst, addr, tags, .. } => {
                format!("{} := R{} {}", self.reg(*dst), self.tags(tags), self.expr(addr))
            }
            Op::Store { addr, value, tags, .. } => {
                format!("W{} {} {}", self.tags(tags), self.expr(addr), self.expr(value))
            }
            Op::Update { old, addr, guard, new, tags, .. } => {
                let guard = guard.as_ref().map_or(String::new(), |g| format!(" if {}", self.expr(g)));
                let all = if self.program.dialect.fused_updates {
                    self.tags(&tags.fused)
                } else {
                    format!("{}{}", self.tags(&tags.read), self.tags(&tags.write))
                };
                let fail = if guard.is_empty() { String::new() } else { format!(" fail{}", self.tags(&tags.fail)) };
                let fences = tags.fences.as_ref().map_or(String::new(), |f| format!(" fences{}", self.tags(f)));
                format!("{} := U{all} {} {}{guard}{fail}{fences}", self.reg(*old), self.expr(addr), self.expr(new))
            }
            Op::Fence { tags } => format!("F{}", self.tags(tags)),
            Op::Lock { op, addr, .. } => match op {
                LockOp::Acquire => format!("lock {}", self.expr(addr)),
                LockOp::Release => format!("unlock {}", self.expr(addr)),
                LockOp::Try { dst } => format!("{} := try {}", self.reg(*dst), self.expr(addr)),
                LockOp::IsHeld { dst } => format!("{} := held {}", self.reg(*dst), self.expr(addr)),
            },
            Op::Opaque { addr, value, dst, tags } => {
                let shown = |e: &Option<Expr>| e.as_ref().map_or("-".to_owned(), |e| self.expr(e));
                let dst = dst.map_or("-".to_owned(), |d| self.reg(d));
                format!("{dst} := E{} {} {}", self.tags(tags), shown(addr), shown(value))
            }
            other => format!("{other:?}"),
        }
    }

    fn reg(&self, reg: treville_ir::Reg) -> String {
        let info = &self.func.regs[reg];
        if info.is_temporary() { format!("%{}", reg.index()) } else { info.name.to_string() }
    }

    fn expr(&self, e: &Expr) -> String {
        match e {
            Expr::Const(v) => v.signed().to_string(),
            Expr::Reg(r) => self.reg(*r),
            Expr::Addr(o, 0) => self.object(*o),
            Expr::Addr(o, offset) => format!("{}+{offset}", self.object(*o)),
            Expr::Un(UnOp::Not, a) => format!("~{}", self.expr(a)),
            Expr::Un(UnOp::Neg, a) => format!("-{}", self.expr(a)),
            Expr::Bin(op, a, b) => {
                let op = match op {
                    BinOp::Add => "+",
                    BinOp::Sub => "-",
                    BinOp::Mul => "*",
                    BinOp::And => "&",
                    BinOp::Or => "|",
                    BinOp::Xor => "^",
                    BinOp::Eq => "==",
                    BinOp::Ne => "!=",
                    BinOp::SLt => "<",
                    BinOp::SLe => "<=",
                    BinOp::Shl => "<<",
                    BinOp::AShr => ">>",
                    other => return format!("{other:?}({}, {})", self.expr(a), self.expr(b)),
                };
                format!("({} {op} {})", self.expr(a), self.expr(b))
            }
            Expr::Cast(Cast::Zero, width, a) => format!("{}:{width}", self.expr(a)),
            Expr::Cast(Cast::Sign, width, a) => format!("{}:s{width}", self.expr(a)),
            Expr::Ite(c, a, b) => format!("({} ? {} : {})", self.expr(c), self.expr(a), self.expr(b)),
        }
    }

    fn object(&self, id: treville_ir::ObjectId) -> String {
        self.program.objects[id].name.to_string()
    }
}

#[track_caller]
fn check(body: &str, expected: &str) {
    assert_eq!(thread(body), expected, "{body}");
}

#[test]
fn plain_accesses_of_one_statement_are_unsequenced() {
    check("int r0 = *x + *y;", "0. %1 := R[NA] x; 0. %2 := R[NA] y; 0. r0 := (%1 + %2); end");
    check("*x = 1; *y = *x;", "0. W[NA] x 1; 1. %0 := R[NA] x; 1. W[NA] y %0; end");
    check("int *q; q = *p; *q = 1;", "0. q := R[NA] p; 1. W[NA] q:64 1; end");
    check("**p = 1; (void)*x;", "0. %0 := R[NA] p; 0. W[NA] %0:64 1; 1. %1 := R[NA] x; end");
}

#[test]
fn atomics_of_c11() {
    check(
        "int r0 = atomic_load_explicit(x, memory_order_acquire); atomic_store(y, r0 + 1);",
        "0. r0 := R[A ACQ] x; 1. W[A SC] y (r0 + 1); end",
    );
    check(
        "int r0 = atomic_fetch_sub_explicit(x, 1, memory_order_acq_rel); atomic_thread_fence(memory_order_consume);",
        "0. %1 := U[A ACQ_REL RMW X] x (%1 - 1); 0. r0 := %1; 1. F[CON]; end",
    );
    check("atomic_exchange(x, 2); lock(y); mtx_unlock(y);", "0. %0 := U[A RMW SC X] x 2; 1. lock y; 2. unlock y; end");
}

#[test]
fn a_failed_compare_exchange_stores_what_it_saw() {
    check(
        "int r0 = atomic_compare_exchange_strong_explicit(x, y, 5, memory_order_acq_rel, memory_order_relaxed);",
        "b0: 0. %1 := R[NA] y; 0'. %2 := U[A ACQ_REL RMW X] x 5 if (%2 == %1) fail[A RLX]; 0. %3 := (%2 == %1); \
         0. if %3 b2 else b1 until b2 b1: 0'. W[NA] y %2; goto b2 b2: 0. r0 := %3:32; end",
    );
}

#[test]
fn structured_control_flow_says_where_it_joins() {
    check(
        "if (*x) *y = 1; else { r1 = 2; } *x = 3;",
        "b0: 0. %0 := R[NA] x; 0. if (%0 != 0) b1 else b2 until b3 b1: 1. W[NA] y 1; goto b3 b2: 2. r1 := 2; goto b3 \
         b3: 3. W[NA] x 3; end",
    );
    check(
        "while (r0 < 2) r0++;",
        "b0: goto b1 b1: 0. if (r0 < 2) b2 else b3 until b3 b2: 1. r0 := (r0 + 1); goto b1 b3: end",
    );
    check("do { *x = 1; } while (!r0);", "b0: goto b1 b1: 0. W[NA] x 1; 1. if ~(r0 != 0) b1 else b2 until b2 b2: end");
    check(
        "for (int i = 0; i < 3; i += 1) *x = i;",
        "b0: 0. i := 0; goto b1 b1: 1. if (i < 3) b2 else b3 until b3 b2: 2. W[NA] x i; 3. i := (i + 1); goto b1 b3: end",
    );
}

#[test]
fn logic_branches_only_for_accesses() {
    check("r0 = r1 && r2 || !r3;", "0. r0 := (((r1 != 0) & (r2 != 0)) | ~(r3 != 0)):32; end");
    check("r0 = r1 ? 2 : r2;", "0. r0 := ((r1 != 0) ? 2 : r2); end");
    check(
        "r0 = *x && *y;",
        "b0: 0. %0 := R[NA] x; 0. %1 := (%0 != 0); 0. if %1 b1 else b2 until b2 \
         b1: 0'. %2 := R[NA] y; 0'. %1 := (%2 != 0); goto b2 b2: 0. r0 := %1:32; end",
    );
}

#[test]
fn arithmetic_on_pointers_counts_elements() {
    check(
        "r0 = *(x + 1); r1 = x[2]; r2 = *(x + r0);",
        "0. r0 := R[NA] x+4; 1. r1 := R[NA] x+8; \
         2. r2 := R[NA] (x:32 + (r0 * 4)):64; end",
    );
    check(
        "r0 = (r1 & 8) + 1; int *q = x + (r0 & 8); *q = *(q - 1);",
        "0. r0 := ((r1 & 8) + 1); 1. q := (x:32 + ((r0 & 8) * 4)); 2. %3 := R[NA] (q - 4):64; 2. W[NA] q:64 %3; end",
    );
    check("r0 = (x == r1); x = y; *x = &*y;", "0. r0 := (x == r1):32; 1. x := y:32; 2. W[NA] x:64 y:32; end");
}

#[test]
fn the_word_is_the_widest_type() {
    let p =
        program("x = y; int a[2] = {1, y};", "P0(intptr_t *x, int *a) { intptr_t r0 = *x; r1 = *(a + 1); *a = r0; }");
    let shown = Show { program: &p, func: p.funcs.iter().next().unwrap() }.func();
    assert_eq!(shown, "0. r0 := R[NA] x; 1. r1 := R[NA] a+8; 2. W[NA] a ((r0 << 32) >> 32); end");
    assert!(p.funcs.iter().all(|f| f.regs.iter().all(|r| r.width == 64)));
    assert!(p.objects.iter().all(|o| o.init.iter().all(|c| c.size == 8)));
}

#[test]
fn kernel_accesses_come_from_macros() {
    check(
        "r0 = READ_ONCE(*x); WRITE_ONCE(*y, r0); smp_store_release(x, 1); before(); r1 = smp_load_acquire(y);",
        "0. r0 := R[ONCE] x; 2. W[ONCE] y r0; 4. W[RELEASE] x 1; 6. F[Before-atomic]; 7. r1 := R[ACQUIRE] y; end",
    );
    check("*x = READ_ONCE(*y); smp_store_mb(*x, 1);", "0. %0 := R[ONCE] y; 0. W[] x %0; 3. W[ONCE] x 1; 5. F[MB]; end");
    check(
        "r0 = READ_ONCE(*p); r1 = READ_ONCE(**p);",
        "0. r0 := R[ONCE] p; 1. %2 := R[] p; 1. r1 := R[ONCE] %2:64; end",
    );
}

#[test]
fn kernel_updates_are_pairs() {
    check(
        "r0 = xchg(x, r1); atomic_inc(y);",
        "0. %1 := U[MB RMW X][MB RMW X] x r1; 0. r0 := %1; 2. %3 := U[NORETURN RMW X][NORETURN RMW X] y (%3 + 1); end",
    );
    check(
        "r0 = cmpxchg_acquire(x, 0, 1);",
        "0. %0 := U[ACQUIRE RMW X][ACQUIRE RMW X] x 1 if (%0 == 0) fail[ACQUIRE RMW X]; 0. r0 := %0; end",
    );
    check(
        "smp_mb(); r0 = atomic_add_return(2, x); r1 = atomic_fetch_add(3, y);",
        "1. F[MB]; 2. %0 := U[MB RMW X][MB RMW X] x (%0 + 2); 2. r0 := (%0 + 2); \
         3. %2 := U[MB RMW X][MB RMW X] y (%2 + 3); 3. r1 := %2; end",
    );
    check(
        "smp_mb(); if (atomic_dec_and_test(x)) *y = atomic_fetch_andnot(1, x);",
        "b0: 1. F[MB]; 2. %0 := U[MB RMW X][MB RMW X] x (%0 - 1); 2. if ((%0 - 1) == 0) b1 else b2 until b2 \
         b1: 3. %1 := U[MB RMW X][MB RMW X] x (%1 & ~1); 3. W[] y %1; goto b2 b2: end",
    );
    check(
        "smp_mb(); r0 = atomic_fetch_add(r1, x);",
        "1. F[MB]; 2. %1 := U[MB RMW X][MB RMW X] x (%1 + r1); 2. r0 := (%1 + (r1 ^ r1)); end",
    );
    check(
        "r0 = atomic_add_unless(x, 1, r1);",
        "0. %1 := U[MB RMW X][MB RMW X] x (%1 + 1) if (%1 != r1) fail[MB RMW X]; 0. r0 := (%1 != r1):32; end",
    );
}

#[test]
fn annotations_in_small_letters_follow_the_old_convention() {
    check(
        "smp_mb(); r0 = old_xchg(x, 1);",
        "1. F[MB]; 2'. %0 := U[Once RMW X][Once RMW X] x 1 fences[Mb]; 2. r0 := %0; end",
    );
    check(
        "smp_mb(); r0 = old_try(x, 1, 2);",
        "1. F[MB]; 2'. %0 := U[Once RMW X][Once RMW X] x 2 if (%0 == 1) fail[Once RMW X] fences[Mb]; 2. r0 := %0; end",
    );
    check(
        "smp_mb(); r0 = old_unless(x, 1, 2);",
        "1. F[MB]; 2'. %0 := U[Once RMW X][Once RMW X] x (%0 + 1) if (%0 != 2) fail[Once RMW X] fences[Mb]; \
         2. r0 := (%0 != 2):32; end",
    );
    check(
        "smp_mb(); r0 = old_acquire(x, 1); old_add(1, y);",
        "1. F[MB]; 2. %0 := U[Acquire RMW X][Once RMW X] x 1; 2. r0 := %0; \
         4. %2 := U[Noreturn RMW X][Once RMW X] y (%2 + 1); end",
    );
    check(
        "smp_mb(); r0 = old_cmpxchg(x, 1, 2); r1 = old_deref(*x);",
        "1. F[MB]; 2. %0 := U[Once RMW X][RMW Release X] x 2 if (%0 == 1) fail[Once RMW X]; 2. r0 := %0; \
         3. %2 := R[Once] x; 3'. F[Rb_dep]; 3. r1 := %2; end",
    );
}

#[test]
fn locks_and_srcu() {
    check(
        "spin_lock(x); spin_unlock(x); if (spin_trylock(x)) r1 = spin_is_locked(y);",
        "b0: 1. lock x; 3. unlock x; 4. %0 := try x; 4. if (%0 != 0) b1 else b2 until b2 \
         b1: 5. %1 := held y; 5. r1 := %1; goto b2 b2: end",
    );
    check(
        "r0 = srcu_read_lock(x); srcu_read_unlock(x, r0);",
        "0. %0 := E[Srcu-lock] x -; 0. r0 := %0; 2. - := E[Srcu-unlock] x r0; end",
    );
}

#[test]
fn the_code_tells_c11_from_the_kernel() {
    let dialect = |body: &str| program("", &format!("P0(int *x) {{ {body} }}")).dialect.name.to_string();
    assert_eq!(dialect("*x = 1;"), "C");
    assert_eq!(dialect("r0 = atomic_fetch_add(x, 1);"), "C");
    assert_eq!(dialect("r0 = atomic_load_explicit(x, memory_order_relaxed); smp_mb();"), "C");
    assert_eq!(dialect("smp_mb();"), "LKMM");
    assert_eq!(dialect("atomic_inc(x);"), "LKMM");
    let forced = Options { kernel: Some(true), ..options() };
    let litmus = parse(FileId(0), "C t\n{}\nP0(int *x) { *x = 1; }\nexists (x=1)", &forced).unwrap();
    assert_eq!(litmus.program.dialect.name, "LKMM");
}

#[test]
fn registers_of_the_initial_state_and_of_the_condition() {
    let text = "C t\n{ 0:r0 = x; uint64_t 0:r1 = 7; y = 0; }\nP0(int *x) { *r0 = r1; }\n\
                exists (0:r0=x /\\ 0:x=x /\\ y=0)";
    let litmus = parse(FileId(0), text, &options()).unwrap();
    let root = litmus.program.roots.iter().next().unwrap();
    assert_eq!(root.init.len(), 3);
    let names: Vec<String> = litmus.question.unwrap().observed.into_iter().map(|o| o.name).collect();
    assert_eq!(names, ["0:r0", "0:x", "[y]"]);
}

#[test]
fn values_are_those_of_their_types() {
    let shown = |code: &str| {
        let p = program("int8_t c = 200; uint16_t h = -1;", code);
        Show { program: &p, func: p.funcs.iter().next().unwrap() }.func()
    };
    assert_eq!(
        shown("P0(int8_t *c, uint16_t *h) { int r = *c; *c = r + 1; *h = r; }"),
        "0. r := R[NA] c; 1. W[NA] c (((r + 1) << 24) >> 24); 2. W[NA] h (r & 65535); end"
    );
    assert_eq!(
        shown("P0(int8_t *c) { unsigned int r = *c; int s = r / 2 > 5; int t = r >> 1; }"),
        "0. r := R[NA] c; 1. s := ULt(5, UDiv(r, 2)):32; 2. t := LShr(r, 1); end"
    );
    assert_eq!(
        shown("P0(int8_t *c) { int r = *c; int s = r / 2 > 5; }"),
        "0. r := R[NA] c; 1. s := (5 < SDiv(r, 2)):32; end"
    );
}

#[test]
fn names_that_stand_for_nothing() {
    for (code, condition) in [
        ("P0(int *x) { int r0 = *y; }", "true"),
        ("P0(int *x) { int r0 = *x; }", "0:r7=1"),
        ("P0(int *x) { int r0 = *x; }", "z=1"),
        ("P0(atomic_int *x) { int r0 = atomic_load_explicit(x, memory_order_release); }", "true"),
        ("P0(atomic_int *x) { atomic_store_explicit(x, 1, memory_order_acquire); }", "true"),
    ] {
        let text = format!("C t\n{{}}\n{code}\n~exists ({condition})");
        let errors = parse(FileId(0), &text, &options()).expect_err(&text);
        assert!(errors.iter().all(|e| e.span.is_some()), "{errors:?}");
    }
}

#[test]
fn expansion_is_bounded() {
    let doubling: String = (0..40).map(|i| format!("m{}(X) m{i}(X + X)\n", i + 1)).collect();
    let through = "add(X) __atomic_op_return{MB}(X, +, add(X))\nswap_in(X) atomic_exchange(X, swap_in(X))\n";
    let macros = format!("m0(X) X\nloop(X) loop(X)\nswap(X) {{ swap(X); swap(X); }}\n{through}{doubling}");
    let options =
        Options { macros: Some(Arc::new(parse_macros(FileId(1), &macros).unwrap())), kernel: None, weak_cas: false };
    for body in
        ["r0 = m40(x);", "r0 = m40(r1);", "loop(x);", "r0 = loop(1);", "swap(x);", "r0 = add(x);", "r0 = swap_in(x);"]
    {
        let text = format!("C t\n{{}}\nP0(int *x) {{ {body} }}\nexists (true)");
        assert!(parse(FileId(0), &text, &options).is_err(), "{body}");
    }
}
