//! What all machine dialects share: the table of columns, register initialisation, and the assembly of a program from the
//! threads. A dialect is an [`Isa`]: it knows its registers and translates one instruction at a time.

use crate::addresses::{self, Start};
use crate::code::{Code, Held, RegName, Shared, Thread};
use crate::condition::{self, Final};
use crate::dialects::Test;
use crate::init::{self, Binding, INT, Target, Value, proc_number};
use crate::lexer::{Cursor, Style, Tok, Token, lex};
use crate::memory::Memory;
use crate::question::{self, Names, Register};
use crate::scopes;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use treville_base::{Diagnostic, FileId, Idx, IndexVec, Name, Span};
use treville_ir::{Dialect, FuncId, Object, ObjectId, Program, Question, Reg, Root, Type};
use treville_term::Bv;

/// An instruction set.
pub(crate) trait Isa {
    fn dialect(&self) -> Arc<Dialect>;

    /// The bits of a general register and of an address in memory.
    fn word(&self) -> u8;

    fn style(&self) -> Style {
        Style::Code
    }

    /// Whether an address in memory can only be read as a whole.
    fn whole_pointers(&self) -> bool {
        false
    }

    /// The register of that name, under the name that states print.
    fn register(&self, name: &str) -> Option<RegName>;

    /// Translates one instruction; the cursor is at its first word.
    fn instruction<'a>(&self, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<(), Diagnostic>;

    /// Whether this word after a row begins a part that is not code.
    fn after_code(&self, _word: &str) -> bool {
        false
    }
}

/// Reads a test of a machine dialect.
pub(crate) fn read(test: &Test<'_>, isa: &dyn Isa) -> Result<(Program, Question), Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let bindings = collect(&mut errors, init::parse(test.file, test.text, test.sections.init.clone()));
    let asked = condition::parse(test.file, test.text, test.sections.condition.clone()).map_err(|e| vec![e]);
    let asked = collect(&mut errors, asked);
    let code = test.sections.code.clone();
    let tokens = lex(test.file, test.text, code.clone(), isa.style()).map_err(|e| vec![e]);
    let tokens = collect(&mut errors, tokens).unwrap_or_default();
    let table = table(test.file, &tokens, code.end, isa).map_err(|e| vec![e]);
    let table = if errors.is_empty() { collect(&mut errors, table) } else { None };
    let (Some(bindings), Some(asked), Some((table, rest))) = (bindings, asked, table) else { return Err(errors) };
    page_tables(&bindings, &asked)?;
    let scopes = scopes::scopes(&mut Cursor::new(test.file, rest, code.end), table.len()).map_err(|e| vec![e])?;

    let mut shared = Shared::new(Memory::new(isa.word() / 8));
    shared.memory.whole_pointers = isa.whole_pointers();
    let registers = declare(&bindings, table.len(), isa, &mut shared.memory)?;
    let mut threads = Vec::with_capacity(table.len());
    for (number, column) in table.iter().enumerate() {
        let thread = translate(number, column, &registers, isa, &mut shared);
        threads.extend(collect(&mut errors, thread));
    }
    errors.append(&mut shared.memory.errors);
    if errors.is_empty() {
        errors = without_address(&mut threads, &registers, shared.memory.holds_address());
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let mut program = Program { tags: shared.tags, ..Program::new(test.sections.name, isa.dialect()) };
    shared.memory.finish(&mut program);
    let mut names = MachineNames {
        isa,
        memory: &shared.memory,
        objects: &program.objects,
        threads: &mut threads,
        types: types(&registers),
    };
    let question = question::resolve(&asked, &mut names)?;
    for ((number, mut thread), scopes) in threads.into_iter().enumerate().zip(scopes) {
        let init = registers.iter().filter(|r| r.is_of(number));
        let init = init.filter_map(|r| {
            let value = r.value?;
            let reg = thread.find_register(r.written, r.name.as_ref())?;
            Some((reg, shared.memory.value(value, thread.func.regs[reg].width / 8)))
        });
        let init = init.collect();
        let name = thread.func.name.clone();
        let func = program.funcs.push(thread.func);
        program.roots.push(Root { name, func, init, scopes, ends_process: false });
    }
    debug_assert!(program.roots.iter().enumerate().all(|(i, r)| r.func == FuncId::from_usize(i)));
    Ok((program, question))
}

/// Refuses page-table entries, which look like locations: `pte_x`.
fn page_tables(bindings: &[Binding<'_>], asked: &Final<'_>) -> Result<(), Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let mut check = |name: &str, span: Span| {
        if name.strip_prefix("pte_").is_some_and(|of| !of.is_empty()) {
            let wrong = Diagnostic::error(span, format!("`{name}` is a page-table entry, which is not supported"));
            errors.push(wrong.help("page tables are outside the supported dialects"));
        }
    };
    for binding in bindings {
        if let Target::Mem { name } | Target::Array { name, .. } = binding.target {
            check(name, binding.span);
        }
        if let Some(Value::Address { name, span, .. }) = &binding.value {
            check(name, *span);
        }
    }
    asked.visit_memory(&mut |name, _, span| check(name, span));
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// The accesses that can have no address.
fn without_address(threads: &mut [Thread<'_>], registers: &[InitReg<'_, '_>], stored: bool) -> Vec<Diagnostic> {
    let mut held = Vec::with_capacity(threads.len());
    for (number, thread) in threads.iter_mut().enumerate() {
        let (mut addresses, mut given) = (BTreeSet::new(), BTreeSet::new());
        for r in registers.iter().filter(|r| r.is_of(number)) {
            let Some((value, reg)) = r.value.zip(thread.find_register(r.written, r.name.as_ref())) else { continue };
            given.insert(reg);
            if matches!(value, Value::Address { .. }) {
                addresses.insert(reg);
            }
        }
        held.push((addresses, given));
    }
    let starts = threads.iter().zip(held);
    let starts: Vec<Start<'_>> =
        starts.map(|(thread, (addresses, given))| Start { func: &thread.func, addresses, given }).collect();
    addresses::check(&starts, stored)
}

fn collect<T>(errors: &mut Vec<Diagnostic>, result: Result<T, Vec<Diagnostic>>) -> Option<T> {
    result.map_err(|e| errors.extend(e)).ok()
}

/// A register that the initial state mentions.
#[derive(Debug)]
struct InitReg<'b, 'a> {
    /// Nothing for a symbolic register, which belongs to whichever threads use it.
    thread: Option<u32>,
    written: &'a str,
    /// Nothing if the machine has no such register: then the code must use it as `%name`.
    name: Option<RegName>,
    ty: Type,
    value: Option<&'b Value<'a>>,
    span: Span,
}

/// What identifies a register: its place in the machine, or the name of a symbolic one.
type Key<'a> = Result<u32, &'a str>;

fn key<'a>(written: &'a str, machine: Option<&RegName>) -> Key<'a> {
    machine.map_or(Err(written), |m| Ok(m.order))
}

impl InitReg<'_, '_> {
    fn is_of(&self, thread: usize) -> bool {
        self.thread.is_none_or(|t| t as usize == thread)
    }
}

/// Declares the locations of the initial state and returns its registers.
fn declare<'b, 'a>(
    bindings: &'b [Binding<'a>],
    n_threads: usize,
    isa: &dyn Isa,
    memory: &mut Memory<'a>,
) -> Result<Vec<InitReg<'b, 'a>>, Vec<Diagnostic>> {
    let (mut registers, mut errors) = (Vec::<InitReg<'b, 'a>>::new(), Vec::new());
    let mut given = BTreeSet::new();
    for binding in bindings {
        let (thread, written, name) = match binding.target {
            Target::Reg { thread, name } => (Some(thread), name, isa.register(name)),
            Target::Symbolic { name } => (None, name, None),
            Target::Mem { .. } | Target::Array { .. } => {
                errors.extend(memory.bind(binding).err());
                continue;
            }
        };
        if let Some(thread) = thread.filter(|t| *t as usize >= n_threads) {
            errors.push(Diagnostic::error(binding.span, no_thread(thread, n_threads)));
            continue;
        }
        if binding.value.is_some() && !given.insert((thread, key(written, name.as_ref()))) {
            errors.push(Diagnostic::error(binding.span, format!("the register `{written}` is initialised twice")));
            continue;
        }
        match &binding.value {
            Some(Value::Label { .. }) => {
                errors.push(Diagnostic::error(binding.value_span, "addresses of code are not supported"));
            }
            Some(Value::List(_)) => {
                errors.push(Diagnostic::error(binding.value_span, "a register cannot hold an array"));
            }
            Some(value) => memory.mention_addresses(value),
            None => {}
        }
        match binding.ty.ty() {
            Some(ty) => {
                let value = binding.value.as_ref();
                registers.push(InitReg { thread, written, name, ty, value, span: binding.span });
            }
            None => errors.push(Diagnostic::error(binding.span, "unknown type")),
        }
    }
    if errors.is_empty() { Ok(registers) } else { Err(errors) }
}

fn no_thread(thread: u32, n_threads: usize) -> String {
    let plural = if n_threads == 1 { "" } else { "s" };
    format!("there is no thread P{thread}: the test has {n_threads} thread{plural}")
}

fn no_register(isa: &dyn Isa, name: &str) -> String {
    format!("`{name}` is not a register of {}", isa.dialect().name)
}

/// The words of one cell.
type Cell<'t, 'a> = (&'t [Token<'a>], Span);

/// The columns, each a list of non-empty cells, and what comes after them.
type Table<'t, 'a> = (Vec<Vec<Cell<'t, 'a>>>, &'t [Token<'a>]);

/// Cuts the code into columns.
fn table<'t, 'a>(
    file: FileId,
    tokens: &'t [Token<'a>],
    end: usize,
    isa: &dyn Isa,
) -> Result<Table<'t, 'a>, Diagnostic> {
    let end_span = Span::new(file, end, end);
    let is = |t: &Token<'_>, mark: &str| matches!(t.tok, Tok::Punct(p) if p == mark);
    let mut rest = tokens;
    while let [first, more @ ..] = rest
        && is(first, ";")
    {
        rest = more;
    }
    let mut columns: Option<Vec<Vec<Cell<'t, 'a>>>> = None;
    while let Some(first) = rest.first() {
        if let Tok::Name(word) = first.tok
            && columns.is_some()
            && isa.after_code(word)
        {
            break;
        }
        let length = rest.iter().position(|t| is(t, ";")).unwrap_or(rest.len());
        let row: Vec<&[Token<'a>]> = rest[..length].split(|t| is(t, "|")).collect();
        match &mut columns {
            None => columns = Some(heads(&row, first.span)?),
            Some(columns) if columns.len() == row.len() => {
                for (column, cell) in columns.iter_mut().zip(&row) {
                    if let (Some(first), Some(last)) = (cell.first(), cell.last()) {
                        column.push((cell, first.span.to(last.span)));
                    }
                }
            }
            Some(columns) => {
                let (n, expected) = (row.len(), columns.len());
                let last = rest.get(length.saturating_sub(1)).map_or(end_span, |t| t.span);
                let message = format!("this row has {n} column{}, but there are {expected} threads", plural(n));
                return Err(Diagnostic::error(first.span.to(last), message).help("columns end with `|`, rows with `;`"));
            }
        }
        rest = &rest[(length + 1).min(rest.len())..];
    }
    let none = || Diagnostic::error(end_span, "the test has no code").help("it begins with `P0 | P1 ;`");
    Ok((columns.ok_or_else(none)?, rest))
}

fn plural(n: usize) -> &'static str {
    if n == 1 { "" } else { "s" }
}

/// The first row: `P0 | P1`.
fn heads<'t, 'a>(row: &[&[Token<'a>]], span: Span) -> Result<Vec<Vec<Cell<'t, 'a>>>, Diagnostic> {
    for (number, cell) in row.iter().enumerate() {
        let at = cell.first().map_or(span, |t| t.span);
        let head = match cell.first().map(|t| t.tok) {
            Some(Tok::Name(word)) => proc_number(word),
            _ => None,
        };
        match head {
            Some(n) if n as usize == number => {}
            Some(n) => {
                return Err(Diagnostic::error(at, format!("expected thread `P{number}` here, found `P{n}`")));
            }
            None => {
                let wrong = Diagnostic::error(at, format!("expected the name of thread {number}, `P{number}`"));
                return Err(wrong.help("the code is a table whose first row is `P0 | P1 ;`"));
            }
        }
        if let Some(extra) = cell.get(1)
            && extra.tok != Tok::Punct(":")
        {
            return Err(Diagnostic::error(extra.span, "expected `|` or `;` after the name of the thread"));
        }
    }
    Ok(row.iter().map(|_| Vec::new()).collect())
}

/// Translates one column.
fn translate<'a>(
    number: usize,
    column: &[Cell<'_, 'a>],
    registers: &[InitReg<'_, 'a>],
    isa: &dyn Isa,
    shared: &mut Shared<'a>,
) -> Result<Thread<'a>, Vec<Diagnostic>> {
    let span = column.first().map_or(Span::new(FileId(0), 0, 0), |c| c.1);
    let mut code = Code::new(shared, span);
    let mut errors = Vec::new();
    for (tokens, span) in column {
        if let Err(e) = cell(tokens, *span, isa, &mut code) {
            errors.push(e);
        }
    }
    let mut start = BTreeMap::new();
    for r in registers.iter().filter(|r| r.is_of(number)) {
        let Some(reg) = code.find_register(r.written, r.name.as_ref()) else {
            if r.thread.is_some() {
                errors.push(Diagnostic::error(r.span, no_register(isa, r.written)));
            }
            continue;
        };
        start.extend(r.value.and_then(|value| held(value, &code, reg)).map(|held| (reg, held)));
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    code.finish(Name::new(&format!("P{number}")), &start)
}

/// What a register holds at the beginning.
fn held(value: &Value<'_>, code: &Code<'_, '_>, reg: Reg) -> Option<Held> {
    let memory = &code.shared.memory;
    match value {
        Value::Int(n) => Some(Held::Number(Bv::new(*n as u128, code.width(reg)))),
        Value::Address { name, index, offset, .. } => {
            let object = memory.find(name)?;
            Some(Held::Address(object, memory.offset(object, *index, *offset)))
        }
        Value::Label { .. } | Value::List(_) => None,
    }
}

/// Labels, then at most one instruction.
fn cell<'a>(tokens: &[Token<'a>], span: Span, isa: &dyn Isa, code: &mut Code<'_, 'a>) -> Result<(), Diagnostic> {
    let mut c = Cursor::new(span.file, tokens, span.end as usize);
    while let (Tok::Name(label), Tok::Punct(":")) = (c.peek(), c.peek_at(1)) {
        let at = c.span();
        c.next();
        c.next();
        code.define(label, at)?;
    }
    if c.done() {
        return Ok(());
    }
    code.begin(c.span().to(span));
    isa.instruction(&mut c, code)?;
    if c.done() { Ok(()) } else { Err(c.expected("the end of the instruction")) }
}

struct MachineNames<'n, 'a> {
    isa: &'n dyn Isa,
    memory: &'n Memory<'a>,
    objects: &'n IndexVec<ObjectId, Object>,
    threads: &'n mut Vec<Thread<'a>>,
    /// The registers that have a type other than `int`.
    types: BTreeMap<(Option<u32>, Key<'a>), Type>,
}

fn types<'a>(registers: &[InitReg<'_, 'a>]) -> BTreeMap<(Option<u32>, Key<'a>), Type> {
    let typed = registers.iter().filter(|r| r.ty != INT);
    typed.map(|r| ((r.thread, key(r.written, r.name.as_ref())), r.ty)).collect()
}

impl Names for MachineNames<'_, '_> {
    fn object(&self, name: &str) -> Option<ObjectId> {
        self.memory.find(name)
    }

    fn objects(&self) -> &IndexVec<ObjectId, Object> {
        self.objects
    }

    fn registers(&self) -> Vec<(u32, String)> {
        let of = |(thread, code): (usize, &Thread<'_>)| {
            let names = code.set_registers();
            let shown = names.into_iter().filter(|name| self.isa.register(name).is_some());
            shown.map(|name| (thread as u32, name)).collect::<Vec<_>>()
        };
        self.threads.iter().enumerate().flat_map(of).collect()
    }

    fn register(&mut self, thread: u32, name: &str) -> Result<Register, String> {
        let n_threads = self.threads.len();
        let Some(code) = self.threads.get_mut(thread as usize) else {
            return Err(no_thread(thread, n_threads));
        };
        let machine = self.isa.register(name);
        let Some(reg) = code.find_register(name, machine.as_ref()) else { return Err(no_register(self.isa, name)) };
        let key = key(name, machine.as_ref());
        let ty = self.types.get(&(Some(thread), key)).or_else(|| self.types.get(&(None, key)));
        let ty = ty.copied().unwrap_or(INT);
        let order = machine.map_or(u32::MAX, |m| m.order);
        Ok(Register {
            thread: treville_ir::ThreadId(thread),
            reg,
            ty,
            name: code.func.regs[reg].name.to_string(),
            order,
        })
    }
}
