//! Small concurrent C programs as data. Every statement makes at most one access to shared memory, registers are set to 0
//! where a function begins, and names are numbers: so any statement can be left out and the rest is still a program.

/// A program: what its threads do, and what `main` does around them.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Program {
    /// The kind of each mutex.
    pub mutexes: [Mutex; 2],
    /// The initial number of each semaphore.
    pub semaphores: [u8; 2],
    /// How many threads the barrier waits for.
    pub barrier: u8,
    /// Functions that threads run.
    pub threads: Vec<Vec<Stmt>>,
    /// Functions that threads call; the argument is their register 0.
    pub helpers: Vec<Vec<Stmt>>,
    pub main: Vec<Stmt>,
    /// Whether the handles of threads are global.
    pub shared_handles: bool,
    /// What must not be the case after `main` has done everything else.
    pub claim: Option<Claim>,
}

/// Values of places that must not occur together at the end.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Claim {
    pub values: Vec<(Place, i32)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mutex {
    Normal,
    Recursive,
    Checked,
    /// `mtx_t` of C11.
    Plain,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Order {
    /// Not atomic.
    Plain,
    Relaxed,
    Acquire,
    Release,
    Both,
    SeqCst,
}

/// A register of type int; the same of pointers to nodes, and of words.
pub type Reg = u8;
pub type Node = u8;
pub type Word = u8;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Expr {
    Const(i32),
    Reg(Reg),
    /// The thread's argument as a number.
    Argument,
    Bin(Bin, Box<Expr>, Box<Expr>),
    Not(Box<Expr>),
    /// The lowest byte, as a number with a sign.
    Narrow(Box<Expr>),
    IsNull(Node),
    SameNode(Node, Node),
    IsZero(Word),
    /// Whether one address, or what was made of it, is less than another.
    LessWord(Word, Word),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Bin {
    Add,
    Sub,
    And,
    Or,
    Xor,
    Eq,
    Ne,
    Lt,
    LogicalAnd,
    LogicalOr,
}

/// Where a number is stored.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Place {
    /// `atomic_int x0`.
    Atomic(u8),
    /// `int p0`.
    Plain(u8),
    /// An element of `atomic_int a[4]`.
    AtomicElem(Box<Expr>),
    /// An element of `int b[4]`.
    PlainElem(Box<Expr>),
    /// A field of an element of `struct S s[2]`.
    Field(Box<Expr>, bool),
    /// Of an element of the union `u[2]`: a half, or a byte.
    Half(Box<Expr>, u8),
    Byte(Box<Expr>, u8),
    /// Half of an atomic word that is also accessed as a whole.
    AtomicHalf(u8),
    /// Of the node that a register points to: the atomic number, or a plain field.
    NodeNumber(Node),
    NodeField(Node, bool),
    /// A field of the struct that the thread's argument points to.
    ArgumentField(bool),
    /// A field of the struct that `main` owns.
    Own(bool),
    /// A field of a struct of the function's own.
    Local(u8, bool),
    /// An element of an array `int v[4]` of the function's own.
    LocalElem(Box<Expr>),
    /// Where thread `.0` leaves its register `.1` at its end.
    Left(u8, Reg),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fetch {
    Add,
    Sub,
    Or,
    Xor,
    Exchange,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Lock {
    Mutex(u8),
    Spin(u8),
    Read(u8),
    Write(u8),
}

/// What a pointer is set to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Target {
    Null,
    /// A global node.
    Static(u8),
    /// A node of the function's own.
    Stack,
    Copy(Node),
    Next(Node),
}

/// How an address is kept as a number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Coding {
    Same,
    Complement,
    Tagged,
    Shifted,
}

/// A struct as a whole.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Whole {
    Local(u8),
    Global(Box<Expr>),
    InNode(Node),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Copying {
    Assign,
    Memcpy,
    Fields,
    Call,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Argument {
    Null,
    Number(u8),
    /// The struct that `main` owns.
    Own,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Stmt {
    Set(Reg, Expr),
    Load(Reg, Place, Order),
    Store(Place, Expr, Order),
    Fetch(Reg, Fetch, Place, Expr, Order),
    Cas {
        ok: Reg,
        place: Place,
        expected: Reg,
        new: Expr,
        order: Order,
        fail: Order,
    },
    Fence(Order),
    /// An unknown value, some bits of it.
    Unknown(Reg, i32),
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    Repeat(u8, Vec<Stmt>),
    /// Until a break.
    Loop(Vec<Stmt>),
    BreakIf(Expr),
    Return,
    Assume(Expr),
    Assert(Expr),
    Lock(Lock),
    Unlock(Lock),
    /// The register says whether it was taken.
    TryLock(Reg, Lock),
    TimedLock(Reg, Lock),
    SemWait(u8),
    SemPost(u8),
    SemTry(Reg, u8),
    /// With a mutex.
    CondWait(u8),
    CondSignal,
    CondBroadcast,
    Barrier,
    Once(u8),
    /// The number of the handle, the function, the argument.
    Create(u8, u8, Argument),
    Join(u8),
    Detach(u8),
    Call {
        helper: u8,
        argument: Expr,
        by_pointer: bool,
    },
    Point(Node, Target),
    SetNext(Node, Node),
    Malloc(Node),
    Calloc(Node),
    Realloc(Node),
    Free(Node),
    LoadNode(Node, u8, Order),
    StoreNode(u8, Node, Order),
    SwapNode(Node, u8, Node, Order),
    CasNode {
        ok: Reg,
        at: u8,
        expected: Node,
        new: Node,
        order: Order,
        fail: Order,
    },
    Encode(Word, Node, Coding),
    Decode(Node, Word, Coding),
    LoadWord(Word, u8, Order),
    StoreWord(u8, Word, Order),
    SwapWord(Word, u8, Word, Order),
    /// A word to or from the plain union, byte by byte.
    Scatter(Word),
    Gather(Word),
    Copy(Whole, Whole, Copying),
    /// A hazard pointer of the thread's own protects a node, or nothing.
    Protect(Node),
    Clear,
    Retire(Node),
}

impl Stmt {
    /// The blocks inside.
    pub fn blocks(&self) -> Vec<&Vec<Stmt>> {
        match self {
            Stmt::If(_, then, otherwise) => vec![then, otherwise],
            Stmt::Repeat(_, body) | Stmt::Loop(body) => vec![body],
            _ => Vec::new(),
        }
    }

    pub fn blocks_mut(&mut self) -> Vec<&mut Vec<Stmt>> {
        match self {
            Stmt::If(_, then, otherwise) => vec![then, otherwise],
            Stmt::Repeat(_, body) | Stmt::Loop(body) => vec![body],
            _ => Vec::new(),
        }
    }
}

impl Program {
    pub fn blocks(&self) -> impl Iterator<Item = &Vec<Stmt>> {
        self.threads.iter().chain(&self.helpers).chain([&self.main])
    }

    pub fn blocks_mut(&mut self) -> impl Iterator<Item = &mut Vec<Stmt>> {
        self.threads.iter_mut().chain(&mut self.helpers).chain([&mut self.main])
    }

    /// Looks at every statement.
    pub fn visit(&self, look: &mut dyn FnMut(&Stmt)) {
        fn walk(block: &[Stmt], look: &mut dyn FnMut(&Stmt)) {
            for stmt in block {
                look(stmt);
                stmt.blocks().into_iter().for_each(|inner| walk(inner, look));
            }
        }
        self.blocks().for_each(|block| walk(block, look));
    }

    /// Changes every statement.
    pub fn visit_mut(&mut self, change: &mut dyn FnMut(&mut Stmt)) {
        fn walk(block: &mut [Stmt], change: &mut dyn FnMut(&mut Stmt)) {
            for stmt in block {
                change(stmt);
                stmt.blocks_mut().into_iter().for_each(|inner| walk(inner, change));
            }
        }
        self.blocks_mut().for_each(|block| walk(block, change));
    }

    /// Whether some statement is like this.
    pub fn has(&self, like: impl Fn(&Stmt) -> bool) -> bool {
        let mut found = false;
        self.visit(&mut |stmt| found |= like(stmt));
        found
    }

    pub fn n_statements(&self) -> usize {
        let mut n = 0;
        self.visit(&mut |_| n += 1);
        n
    }
}
