//! Programs as C. Global names begin with a prefix, so that many programs fit into one file; only what is used is declared.

use super::ast::{
    Argument, Bin, Coding, Copying, Expr, Fetch, Lock, Mutex, Order, Place, Program, Stmt, Target, Whole,
};
use std::fmt::Write;

/// What every file begins with.
pub const PRELUDE: &str = "#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <treville.h>
struct S { int a, b; };
union U { uint64_t w; uint32_t h[2]; uint8_t c[8]; };
union A { _Atomic(uint64_t) w; _Atomic(uint32_t) h[2]; };
struct N { struct S s; atomic_int v; struct N *next; };
static struct S copy_of(struct S *p) { return *p; }
";

/// How many registers of each type there are.
pub const REGISTERS: u8 = 6;
pub const NODES: u8 = 3;
pub const WORDS: u8 = 3;

/// The text of one program; its entry is `{prefix}main`.
pub fn print(program: &Program, prefix: &str) -> String {
    let printer = Printer { program, prefix };
    let mut functions = String::new();
    let main = printer.main();
    for (i, body) in program.helpers.iter().enumerate() {
        if !program.has(|s| matches!(s, Stmt::Call { helper, .. } if usize::from(*helper) == i)) {
            continue;
        }
        let _ = write!(functions, "static void {prefix}f{i}(int r0) {{\n{}}}\n", printer.body(body, Role::Helper));
    }
    let mut once = String::new();
    for i in 0..2 {
        let _ = writeln!(once, "static void {prefix}init{i}(void) {{ {prefix}p{i} = {}; }}", i + 1);
    }
    for (i, body) in program.threads.iter().enumerate() {
        if !program.has(|s| matches!(s, Stmt::Create(_, f, _) if usize::from(*f) == i)) {
            continue;
        }
        let body = printer.body(body, Role::Thread);
        let _ = write!(functions, "static void *{prefix}thread{i}(void *arg) {{\n{body}return 0;\n}}\n");
    }
    functions.push_str(&main);
    let once = if functions.contains(&format!("{prefix}init")) { once } else { String::new() };
    let functions = once + &functions;
    printer.globals(&functions) + &functions
}

/// A program as a file of its own.
pub fn file(program: &Program) -> String {
    format!("{PRELUDE}{}", print(program, ""))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Helper,
    Thread,
    Main,
}

struct Printer<'a> {
    program: &'a Program,
    prefix: &'a str,
}

impl Printer<'_> {
    /// Declares what the functions mention.
    fn globals(&self, text: &str) -> String {
        let p = self.prefix;
        let mut all: Vec<(String, String)> = Vec::new();
        let mut declare = |name: String, line: String| all.push((name, line));
        for i in 0..4 {
            declare(format!("{p}x{i}"), format!("static atomic_int {p}x{i};"));
            declare(format!("{p}p{i}"), format!("static int {p}p{i};"));
        }
        declare(format!("{p}a["), format!("static atomic_int {p}a[4];"));
        declare(format!("{p}b["), format!("static int {p}b[4];"));
        declare(format!("{p}s["), format!("static struct S {p}s[2];"));
        declare(format!("{p}u["), format!("static union U {p}u[2];"));
        declare(format!("{p}left["), format!("static int {p}left[4][{REGISTERS}];"));
        declare(format!("{p}h["), format!("static pthread_t {p}h[4];"));
        declare(format!("{p}k."), format!("static union A {p}k;"));
        for i in 0..2 {
            declare(format!("{p}g{i}"), format!("static struct N {p}g{i};"));
            declare(format!("{p}q{i}"), format!("static _Atomic(struct N *) {p}q{i};"));
            declare(format!("{p}w{i}"), format!("static _Atomic(uint64_t) {p}w{i};"));
            declare(format!("{p}m{i}"), self.mutex(i));
            declare(format!("{p}spin{i}"), format!("static pthread_spinlock_t {p}spin{i};"));
            declare(format!("{p}rw{i}"), format!("static pthread_rwlock_t {p}rw{i} = PTHREAD_RWLOCK_INITIALIZER;"));
            declare(format!("{p}sem{i}"), format!("static sem_t {p}sem{i};"));
            declare(format!("{p}once{i}"), format!("static pthread_once_t {p}once{i} = PTHREAD_ONCE_INIT;"));
        }
        declare(format!("{p}cond"), format!("static pthread_cond_t {p}cond = PTHREAD_COND_INITIALIZER;"));
        declare(format!("{p}barrier"), format!("static pthread_barrier_t {p}barrier;"));
        let used = all.into_iter().filter(|(name, _)| mentions(text, name));
        used.map(|(_, line)| line + "\n").collect()
    }

    fn mutex(&self, i: usize) -> String {
        let p = self.prefix;
        match self.program.mutexes[i] {
            Mutex::Normal => format!("static pthread_mutex_t {p}m{i} = PTHREAD_MUTEX_INITIALIZER;"),
            Mutex::Recursive | Mutex::Checked => format!("static pthread_mutex_t {p}m{i};"),
            Mutex::Plain => format!("static mtx_t {p}m{i};"),
        }
    }

    /// What `main` must do before the objects of its program can be used.
    fn initialise(&self, text: &str) -> String {
        let (p, mut out) = (self.prefix, String::new());
        for i in 0..2 {
            let kind = match self.program.mutexes[i] {
                Mutex::Recursive => "PTHREAD_MUTEX_RECURSIVE",
                Mutex::Checked => "PTHREAD_MUTEX_ERRORCHECK",
                Mutex::Normal | Mutex::Plain => "",
            };
            if mentions(text, &format!("{p}m{i}")) && !kind.is_empty() {
                let _ = writeln!(
                    out,
                    "{{ pthread_mutexattr_t at; pthread_mutexattr_init(&at); pthread_mutexattr_settype(&at, {kind}); pthread_mutex_init(&{p}m{i}, &at); }}"
                );
            }
            if mentions(text, &format!("{p}m{i}")) && self.program.mutexes[i] == Mutex::Plain {
                let _ = writeln!(out, "mtx_init(&{p}m{i}, mtx_plain);");
            }
            if mentions(text, &format!("{p}spin{i}")) {
                let _ = writeln!(out, "pthread_spin_init(&{p}spin{i}, 0);");
            }
            if mentions(text, &format!("{p}sem{i}")) {
                let _ = writeln!(out, "sem_init(&{p}sem{i}, 0, {});", self.program.semaphores[i]);
            }
        }
        if mentions(text, &format!("{p}barrier")) {
            let _ = writeln!(out, "pthread_barrier_init(&{p}barrier, 0, {});", self.program.barrier);
        }
        out
    }

    fn main(&self) -> String {
        let program = self.program;
        let mut all = String::new();
        for block in program.threads.iter().chain(&program.helpers) {
            self.block(block, Role::Thread, &mut all);
        }
        let mut body = String::new();
        self.block(&program.main, Role::Main, &mut body);
        if let Some(claim) = &program.claim {
            let equal = |(place, value): &(Place, i32)| format!("{} == {value}", self.place(place, Role::Main));
            let equal: Vec<String> = claim.values.iter().map(equal).collect();
            let _ = writeln!(body, "assert(!({}));", equal.join(" && "));
        }
        let argument = if mentions(&body, "arg") { "void *arg = 0;\n" } else { "" };
        let local = if body.contains("hn[") { "pthread_t hn[4];\n" } else { "" };
        let own = if body.contains("own") { "struct S own;\nown.a = 0; own.b = 0;\n" } else { "" };
        let init = self.initialise(&(all + &body));
        let registers = registers(&body, false);
        format!("int {}main(void) {{\n{argument}{local}{own}{registers}{init}{body}return 0;\n}}\n", self.prefix)
    }

    fn body(&self, block: &[Stmt], role: Role) -> String {
        let mut text = String::new();
        self.block(block, role, &mut text);
        registers(&text, role == Role::Helper) + &text
    }

    fn block(&self, block: &[Stmt], role: Role, out: &mut String) {
        for stmt in block {
            self.stmt(stmt, role, out);
        }
    }

    fn expr(&self, e: &Expr) -> String {
        match e {
            Expr::Const(c) => c.to_string(),
            Expr::Reg(r) => format!("r{r}"),
            Expr::Argument => "(int)(intptr_t)arg".into(),
            Expr::Bin(op, a, b) => format!("({} {} {})", self.expr(a), sign(*op), self.expr(b)),
            Expr::Not(a) => format!("!{}", self.expr(a)),
            Expr::Narrow(a) => format!("(int8_t)({})", self.expr(a)),
            Expr::IsNull(n) => format!("(n{n} == 0)"),
            Expr::SameNode(n, m) => format!("(n{n} == n{m})"),
            Expr::IsZero(d) => format!("(d{d} == 0)"),
            Expr::LessWord(d, e) => format!("(d{d} < d{e})"),
        }
    }

    fn place(&self, place: &Place, role: Role) -> String {
        let p = self.prefix;
        let field = |b: &bool| if *b { "b" } else { "a" };
        match place {
            Place::Atomic(i) => format!("{p}x{i}"),
            Place::Plain(i) => format!("{p}p{i}"),
            Place::AtomicElem(e) => format!("{p}a[{}]", self.expr(e)),
            Place::PlainElem(e) => format!("{p}b[{}]", self.expr(e)),
            Place::Field(e, b) => format!("{p}s[{}].{}", self.expr(e), field(b)),
            Place::Half(e, i) => format!("{p}u[{}].h[{i}]", self.expr(e)),
            Place::Byte(e, i) => format!("{p}u[{}].c[{i}]", self.expr(e)),
            Place::AtomicHalf(i) => format!("{p}k.h[{i}]"),
            Place::NodeNumber(n) => format!("n{n}->v"),
            Place::NodeField(n, b) => format!("n{n}->s.{}", field(b)),
            Place::ArgumentField(b) if role == Role::Thread => format!("((struct S *)arg)->{}", field(b)),
            Place::Own(b) if role == Role::Main => format!("own.{}", field(b)),
            Place::ArgumentField(b) | Place::Own(b) => format!("t0.{}", field(b)),
            Place::Local(i, b) => format!("t{i}.{}", field(b)),
            Place::LocalElem(e) => format!("v[{}]", self.expr(e)),
            Place::Left(t, r) => format!("{p}left[{t}][{r}]"),
        }
    }

    fn whole(&self, whole: &Whole) -> String {
        match whole {
            Whole::Local(i) => format!("t{i}"),
            Whole::Global(e) => format!("{}s[{}]", self.prefix, self.expr(e)),
            Whole::InNode(n) => format!("n{n}->s"),
        }
    }

    fn stmt(&self, stmt: &Stmt, role: Role, out: &mut String) {
        let text = match stmt {
            Stmt::If(cond, then, otherwise) => {
                let _ = writeln!(out, "if ({}) {{", self.expr(cond));
                self.block(then, role, out);
                if !otherwise.is_empty() {
                    out.push_str("} else {\n");
                    self.block(otherwise, role, out);
                }
                "}".into()
            }
            Stmt::Repeat(n, body) => {
                let _ = writeln!(out, "for (int i = 0; i < {n}; i++) {{");
                self.block(body, role, out);
                "}".into()
            }
            Stmt::Loop(body) => {
                out.push_str("for (;;) {\n");
                self.block(body, role, out);
                "}".into()
            }
            simple => self.simple(simple, role),
        };
        out.push_str(&text);
        out.push('\n');
    }

    fn simple(&self, stmt: &Stmt, role: Role) -> String {
        let p = self.prefix;
        let place = |place: &Place| self.place(place, role);
        let e = |e: &Expr| self.expr(e);
        match stmt {
            Stmt::If(..) | Stmt::Repeat(..) | Stmt::Loop(..) => String::new(),
            Stmt::Set(r, value) => format!("r{r} = {};", e(value)),
            Stmt::Load(r, at, Order::Plain) => format!("r{r} = {};", place(at)),
            Stmt::Load(r, at, o) => format!("r{r} = atomic_load_explicit(&{}, {});", place(at), order(*o)),
            Stmt::Store(at @ Place::Atomic(_), v, Order::Plain) => format!("atomic_init(&{}, {});", place(at), e(v)),
            Stmt::Store(at, v, Order::Plain) => format!("{} = {};", place(at), e(v)),
            Stmt::Store(at, v, o) => format!("atomic_store_explicit(&{}, {}, {});", place(at), e(v), order(*o)),
            Stmt::Fetch(r, op, at, v, o) => {
                format!("r{r} = atomic_{}_explicit(&{}, {}, {});", fetch(*op), place(at), e(v), order(*o))
            }
            Stmt::Cas { ok, place: at, expected, new, order: o, fail } => format!(
                "r{ok} = atomic_compare_exchange_strong_explicit(&{}, &r{expected}, {}, {}, {});",
                place(at),
                e(new),
                order(*o),
                order(*fail)
            ),
            Stmt::Fence(o) => format!("atomic_thread_fence({});", order(*o)),
            Stmt::Unknown(r, mask) => format!("r{r} = (int)(treville_nondet_u32() & {mask});"),
            Stmt::BreakIf(cond) => format!("if ({}) break;", e(cond)),
            Stmt::Return => if role == Role::Helper { "return;" } else { "return 0;" }.into(),
            Stmt::Assume(cond) => format!("treville_assume({});", e(cond)),
            Stmt::Assert(cond) => format!("assert({});", e(cond)),
            Stmt::Lock(lock) => self.lock(*lock),
            Stmt::Unlock(lock) => self.unlock(*lock),
            Stmt::TryLock(r, lock) => self.try_lock(*r, *lock),
            Stmt::TimedLock(r, lock) => self.timed_lock(*r, *lock),
            Stmt::SemWait(i) => format!("sem_wait(&{p}sem{i});"),
            Stmt::SemPost(i) => format!("sem_post(&{p}sem{i});"),
            Stmt::SemTry(r, i) => format!("r{r} = sem_trywait(&{p}sem{i}) == 0;"),
            Stmt::CondWait(i) if self.program.mutexes[usize::from(*i) % 2] == Mutex::Plain => {
                format!("cnd_wait((cnd_t *)&{p}cond, &{p}m{i});")
            }
            Stmt::CondWait(i) => format!("pthread_cond_wait(&{p}cond, &{p}m{i});"),
            Stmt::CondSignal => format!("pthread_cond_signal(&{p}cond);"),
            Stmt::CondBroadcast => format!("pthread_cond_broadcast(&{p}cond);"),
            Stmt::Barrier => format!("pthread_barrier_wait(&{p}barrier);"),
            Stmt::Once(i) => format!("pthread_once(&{p}once{i}, {p}init{i});"),
            Stmt::Create(t, f, argument) => {
                let argument = match argument {
                    Argument::Own if role == Role::Main => "&own".into(),
                    Argument::Null | Argument::Own => "0".to_owned(),
                    Argument::Number(n) => format!("(void *)(intptr_t){n}"),
                };
                format!("pthread_create(&{}, 0, {p}thread{f}, {argument});", self.handle(*t))
            }
            Stmt::Join(t) => format!("pthread_join({}, 0);", self.handle(*t)),
            Stmt::Detach(t) => format!("pthread_detach({});", self.handle(*t)),
            Stmt::Call { helper, argument, by_pointer: false } => format!("{p}f{helper}({});", e(argument)),
            Stmt::Call { helper, argument, by_pointer: true } => {
                format!("{{ void (*fp)(int) = {p}f{helper}; fp({}); }}", e(argument))
            }
            Stmt::Point(n, target) => {
                let target = match target {
                    Target::Null => "0".into(),
                    Target::Static(i) => format!("&{p}g{i}"),
                    Target::Stack => "&ln".into(),
                    Target::Copy(m) => format!("n{m}"),
                    Target::Next(m) => format!("n{m}->next"),
                };
                format!("n{n} = {target};")
            }
            Stmt::SetNext(n, m) => format!("n{n}->next = n{m};"),
            Stmt::Malloc(n) => format!("n{n} = malloc(sizeof(struct N));"),
            Stmt::Calloc(n) => format!("n{n} = calloc(1, sizeof(struct N));"),
            Stmt::Realloc(n) => format!("n{n} = realloc(n{n}, sizeof(struct N));"),
            Stmt::Free(n) => format!("free(n{n});"),
            Stmt::LoadNode(n, q, o) => format!("n{n} = atomic_load_explicit(&{p}q{q}, {});", order(*o)),
            Stmt::StoreNode(q, n, o) => format!("atomic_store_explicit(&{p}q{q}, n{n}, {});", order(*o)),
            Stmt::SwapNode(n, q, m, o) => {
                format!("n{n} = atomic_exchange_explicit(&{p}q{q}, n{m}, {});", order(*o))
            }
            Stmt::CasNode { ok, at, expected, new, order: o, fail } => format!(
                "r{ok} = atomic_compare_exchange_strong_explicit(&{p}q{at}, &n{expected}, n{new}, {}, {});",
                order(*o),
                order(*fail)
            ),
            Stmt::Encode(d, n, coding) => format!("d{d} = {};", encode(&format!("(uint64_t)n{n}"), *coding)),
            Stmt::Decode(n, d, coding) => format!("n{n} = (struct N *)({});", decode(&format!("d{d}"), *coding)),
            Stmt::LoadWord(d, w, o) => format!("d{d} = atomic_load_explicit(&{}, {});", self.word(*w), order(*o)),
            Stmt::StoreWord(w, d, o) => format!("atomic_store_explicit(&{}, d{d}, {});", self.word(*w), order(*o)),
            Stmt::SwapWord(d, w, s, o) => {
                format!("d{d} = atomic_exchange_explicit(&{}, d{s}, {});", self.word(*w), order(*o))
            }
            Stmt::Scatter(d) => format!("for (int i = 0; i < 8; i++) {p}u[0].c[i] = (uint8_t)(d{d} >> 8 * i);"),
            Stmt::Gather(d) => {
                format!("d{d} = 0; for (int i = 0; i < 8; i++) d{d} |= (uint64_t){p}u[0].c[i] << 8 * i;")
            }
            Stmt::Copy(to, from, Copying::Assign) => format!("{} = {};", self.whole(to), self.whole(from)),
            Stmt::Copy(to, from, Copying::Memcpy) => {
                format!("memcpy(&{}, &{}, sizeof(struct S));", self.whole(to), self.whole(from))
            }
            Stmt::Copy(to, from, Copying::Fields) => {
                let (to, from) = (self.whole(to), self.whole(from));
                format!("{to}.a = {from}.a; {to}.b = {from}.b;")
            }
            Stmt::Copy(to, from, Copying::Call) => format!("{} = copy_of(&{});", self.whole(to), self.whole(from)),
            Stmt::Protect(n) => format!("treville_hazard_protect(hz, n{n});"),
            Stmt::Clear => "treville_hazard_clear(hz);".into(),
            Stmt::Retire(n) => format!("treville_hazard_retire(n{n});"),
        }
    }

    fn word(&self, w: u8) -> String {
        if w < 2 { format!("{}w{w}", self.prefix) } else { format!("{}k.w", self.prefix) }
    }

    fn handle(&self, t: u8) -> String {
        if self.program.shared_handles { format!("{}h[{t}]", self.prefix) } else { format!("hn[{t}]") }
    }

    /// The name of a mutex, and whether it is one of C11.
    fn named(&self, i: u8) -> (String, bool) {
        (format!("{}m{i}", self.prefix), self.program.mutexes[usize::from(i) % 2] == Mutex::Plain)
    }

    fn lock(&self, lock: Lock) -> String {
        let p = self.prefix;
        match lock {
            Lock::Mutex(i) => match self.named(i) {
                (m, true) => format!("mtx_lock(&{m});"),
                (m, false) => format!("pthread_mutex_lock(&{m});"),
            },
            Lock::Spin(i) => format!("pthread_spin_lock(&{p}spin{i});"),
            Lock::Read(i) => format!("pthread_rwlock_rdlock(&{p}rw{i});"),
            Lock::Write(i) => format!("pthread_rwlock_wrlock(&{p}rw{i});"),
        }
    }

    fn unlock(&self, lock: Lock) -> String {
        let p = self.prefix;
        match lock {
            Lock::Mutex(i) => match self.named(i) {
                (m, true) => format!("mtx_unlock(&{m});"),
                (m, false) => format!("pthread_mutex_unlock(&{m});"),
            },
            Lock::Spin(i) => format!("pthread_spin_unlock(&{p}spin{i});"),
            Lock::Read(i) | Lock::Write(i) => format!("pthread_rwlock_unlock(&{p}rw{i});"),
        }
    }

    fn try_lock(&self, r: u8, lock: Lock) -> String {
        let p = self.prefix;
        match lock {
            Lock::Mutex(i) => match self.named(i) {
                (m, true) => format!("r{r} = mtx_trylock(&{m}) == thrd_success;"),
                (m, false) => format!("r{r} = pthread_mutex_trylock(&{m}) == 0;"),
            },
            Lock::Spin(i) => format!("r{r} = pthread_spin_trylock(&{p}spin{i}) == 0;"),
            Lock::Read(i) => format!("r{r} = pthread_rwlock_tryrdlock(&{p}rw{i}) == 0;"),
            Lock::Write(i) => format!("r{r} = pthread_rwlock_trywrlock(&{p}rw{i}) == 0;"),
        }
    }

    fn timed_lock(&self, r: u8, lock: Lock) -> String {
        match lock {
            Lock::Mutex(i) => match self.named(i) {
                (m, true) => format!("{{ struct timespec ts = {{0, 0}}; r{r} = mtx_timedlock(&{m}, &ts) == 0; }}"),
                (m, false) => {
                    format!("{{ struct timespec ts = {{0, 0}}; r{r} = pthread_mutex_timedlock(&{m}, &ts) == 0; }}")
                }
            },
            other => self.try_lock(r, other),
        }
    }
}

/// Whether a text has this name, not as a part of a longer one.
fn mentions(text: &str, name: &str) -> bool {
    let inside = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + name.len()..].chars().next();
        let open = name.ends_with(['[', '.']);
        !before.is_some_and(inside) && (open || !after.is_some_and(inside))
    })
}

/// The registers that a function mentions, set to 0.
fn registers(text: &str, helper: bool) -> String {
    let mut out = String::new();
    for r in u8::from(helper)..REGISTERS {
        if mentions(text, &format!("r{r}")) {
            let _ = writeln!(out, "int r{r} = 0;");
        }
    }
    for n in 0..NODES {
        if mentions(text, &format!("n{n}")) {
            let _ = writeln!(out, "struct N *n{n} = 0;");
        }
    }
    for d in 0..WORDS {
        if mentions(text, &format!("d{d}")) {
            let _ = writeln!(out, "uint64_t d{d} = 0;");
        }
    }
    for t in 0..2 {
        if mentions(text, &format!("t{t}")) {
            let _ = writeln!(out, "struct S t{t};\nt{t}.a = 0; t{t}.b = 0;");
        }
    }
    if mentions(text, "v[") {
        out.push_str("int v[4] = {0};\n");
    }
    if mentions(text, "ln") {
        out.push_str("struct N ln;\nln.s.a = 1; ln.s.b = 2; ln.next = 0; atomic_init(&ln.v, 1);\n");
    }
    if mentions(text, "hz") {
        out.push_str("treville_hazard_t *hz = treville_hazard_alloc();\n");
    }
    out
}

fn sign(op: Bin) -> &'static str {
    match op {
        Bin::Add => "+",
        Bin::Sub => "-",
        Bin::And => "&",
        Bin::Or => "|",
        Bin::Xor => "^",
        Bin::Eq => "==",
        Bin::Ne => "!=",
        Bin::Lt => "<",
        Bin::LogicalAnd => "&&",
        Bin::LogicalOr => "||",
    }
}

fn order(order: Order) -> &'static str {
    match order {
        Order::Plain | Order::Relaxed => "memory_order_relaxed",
        Order::Acquire => "memory_order_acquire",
        Order::Release => "memory_order_release",
        Order::Both => "memory_order_acq_rel",
        Order::SeqCst => "memory_order_seq_cst",
    }
}

fn fetch(op: Fetch) -> &'static str {
    match op {
        Fetch::Add => "fetch_add",
        Fetch::Sub => "fetch_sub",
        Fetch::Or => "fetch_or",
        Fetch::Xor => "fetch_xor",
        Fetch::Exchange => "exchange",
    }
}

fn encode(address: &str, coding: Coding) -> String {
    match coding {
        Coding::Same => address.to_owned(),
        Coding::Complement => format!("~{address}"),
        Coding::Tagged => format!("{address} | 1"),
        Coding::Shifted => format!("({address} << 8) | 3"),
    }
}

fn decode(word: &str, coding: Coding) -> String {
    match coding {
        Coding::Same => word.to_owned(),
        Coding::Complement => format!("~{word}"),
        Coding::Tagged => format!("{word} & ~(uint64_t)1"),
        Coding::Shifted => format!("{word} >> 8"),
    }
}
