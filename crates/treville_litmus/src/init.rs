//! The initial state `{ … }`: a list of bindings, as they are written. What a name stands for is the dialect's business.

use crate::lexer::{Cursor, Style, Tok, lex};
use std::ops::Range;
use treville_base::{Diagnostic, FileId, Span};
use treville_ir::Type;

/// One `type target = value`, every part but the target optional.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Binding<'a> {
    pub(crate) target: Target<'a>,
    pub(crate) ty: Written<'a>,
    pub(crate) value: Option<Value<'a>>,
    /// Of the target.
    pub(crate) span: Span,
    pub(crate) value_span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Target<'a> {
    Reg {
        thread: u32,
        name: &'a str,
    },
    /// `%name`, a register of whichever threads use it.
    Symbolic {
        name: &'a str,
    },
    Mem {
        name: &'a str,
    },
    Array {
        name: &'a str,
        count: u32,
    },
}

/// A type as it is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Written<'a> {
    /// None.
    Default,
    /// Its words without qualifiers: `uint64_t`, `unsigned`-`int`.
    Named(Vec<&'a str>),
    /// A pointer to something.
    Pointer(Vec<&'a str>),
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Value<'a> {
    Int(i128),
    /// The address of `name`, of its element `index`, or `offset` bytes further.
    Address {
        name: &'a str,
        span: Span,
        index: u32,
        offset: i64,
    },
    /// The address of code: `P0:L`.
    Label {
        thread: u32,
        name: &'a str,
    },
    List(Vec<Value<'a>>),
}

impl Written<'_> {
    /// How values of this type are stored and shown; nothing if the type is unknown. `int` if none is written.
    pub(crate) fn ty(&self) -> Option<Type> {
        match self {
            Written::Default => Some(INT),
            Written::Pointer(_) => Some(Type::Pointer),
            Written::Named(words) => named_type(words),
        }
    }
}

/// The type of a place for which none is written.
pub(crate) const INT: Type = Type::Int { bytes: 4, signed: true };

/// The integer types that litmus tests know. `long` has 4 bytes there.
fn named_type(words: &[&str]) -> Option<Type> {
    let signed = !words.contains(&"unsigned");
    let words: Vec<&str> = words.iter().copied().filter(|w| !matches!(*w, "unsigned" | "signed")).collect();
    let int = |bytes, signed| Some(Type::Int { bytes, signed });
    match words[..] {
        [] | ["int" | "long"] | ["long", "int"] | ["int32_t" | "atomic_t" | "atomic_int"] => int(4, signed),
        ["char" | "int8_t"] => int(1, signed),
        ["short" | "int16_t"] | ["short", "int"] => int(2, signed),
        ["int64_t" | "intptr_t"] | ["long", "long"] | ["long", "long", "int"] => int(8, signed),
        ["uint8_t"] => int(1, false),
        ["uint16_t"] => int(2, false),
        ["uint32_t"] => int(4, false),
        ["uint64_t" | "uintptr_t" | "size_t"] => int(8, false),
        ["__int128" | "__int128_t" | "int128_t"] => int(16, signed),
        ["__uint128" | "__uint128_t" | "uint128_t"] => int(16, false),
        _ => None,
    }
}

/// Parses the initial state; a broken binding is reported and the next one is tried.
pub(crate) fn parse<'a>(file: FileId, text: &'a str, range: Range<usize>) -> Result<Vec<Binding<'a>>, Vec<Diagnostic>> {
    let end = range.end;
    let tokens = lex(file, text, range, Style::State).map_err(|e| vec![e])?;
    let mut cursor = Cursor::new(file, &tokens, end);
    let (mut bindings, mut errors) = (Vec::new(), Vec::new());
    while !cursor.done() {
        if cursor.eat(";") {
            continue;
        }
        match binding(&mut cursor) {
            Ok(b) if cursor.done() || cursor.is(";") => bindings.push(b),
            Ok(_) => {
                errors.push(cursor.expected("`;`"));
                cursor.skip_past(";");
            }
            Err(e) => {
                errors.push(e);
                cursor.skip_past(";");
            }
        }
    }
    if errors.is_empty() { Ok(bindings) } else { Err(errors) }
}

fn binding<'a>(c: &mut Cursor<'_, 'a>) -> Result<Binding<'a>, Diagnostic> {
    let (ty, mut target, mut span) = typed_target(c)?;
    if c.eat("[") {
        let count_span = c.span();
        let count = c.number("the number of elements")?;
        c.expect("]")?;
        let Target::Mem { name } = target else {
            return Err(Diagnostic::error(span, "a register cannot be an array"));
        };
        let count = u32::try_from(count).ok().filter(|n| (1..=MAX_ARRAY).contains(n)).ok_or_else(|| {
            Diagnostic::error(count_span, format!("an array has between 1 and {MAX_ARRAY} elements, not {count}"))
        })?;
        span = span.to(c.last_span());
        target = Target::Array { name, count };
    }
    let mut value_span = c.span();
    let value = if c.eat("=") {
        value_span = c.span();
        let value = value_or_list(c)?;
        value_span = value_span.to(c.last_span());
        Some(value)
    } else {
        None
    };
    if let (Target::Array { count, .. }, Some(Value::List(list))) = (target, &value)
        && list.len() != count as usize
    {
        let (n, are) = (list.len(), if list.len() == 1 { "value is" } else { "values are" });
        return Err(Diagnostic::error(value_span, format!("the array has {count} elements, but {n} {are} given")));
    }
    Ok(Binding { target, ty, value, span, value_span })
}

/// More elements than any test has; keeps memory in bounds.
const MAX_ARRAY: u32 = 4096;

/// `[type] [*] target`: of several words the last is the target.
fn typed_target<'a>(c: &mut Cursor<'_, 'a>) -> Result<(Written<'a>, Target<'a>, Span), Diagnostic> {
    let mut words: Vec<&'a str> = Vec::new();
    let mut pointer = false;
    loop {
        let span = c.span();
        match c.peek() {
            Tok::Punct("*") => {
                c.next();
                pointer = true;
            }
            // `[x]` or `0:r1`.
            Tok::Punct("[") if words.is_empty() || c.peek_at(2) == Tok::Punct("]") && !is_index(c) => {
                c.next();
                let name = c.name("a location")?;
                no_page_tables(c, name)?;
                c.expect("]")?;
                return Ok((written(words, pointer), Target::Mem { name }, span));
            }
            Tok::Num(_) => {
                let thread = thread_number(c)?;
                c.expect(":")?;
                let (name, end) = register_name(c)?;
                return Ok((written(words, pointer), Target::Reg { thread, name }, span.to(end)));
            }
            Tok::Punct("%") => {
                c.next();
                let name = c.name("the name of a register")?;
                return Ok((written(words, pointer), Target::Symbolic { name }, span.to(c.last_span())));
            }
            Tok::Name(word) => {
                if let Some(thread) = proc_number(word)
                    && c.peek_at(1) == Tok::Punct(":")
                {
                    c.next();
                    c.next();
                    let (name, end) = register_name(c)?;
                    return Ok((written(words, pointer), Target::Reg { thread, name }, span.to(end)));
                }
                c.next();
                let more = matches!(c.peek(), Tok::Name(_) | Tok::Num(_) | Tok::Punct("*" | "%"))
                    || (c.is("[") && !is_index(c));
                if !more {
                    return Ok((written(words, pointer), Target::Mem { name: word }, span));
                }
                words.push(word);
            }
            _ => return Err(c.expected("a register such as `0:r1` or a location")),
        }
    }
}

/// `PTE(x)`, `TTD(x)`, `PA(x)` and the like are other things than locations.
fn no_page_tables(c: &Cursor<'_, '_>, name: &str) -> Result<(), Diagnostic> {
    if !c.is("(") {
        return Ok(());
    }
    let wrong = Diagnostic::error(c.last_span(), format!("`{name}(…)` is not supported"));
    Err(wrong.help("page tables, memory tags and signed pointers are outside the supported dialects"))
}

/// Whether the bracket that is next holds a number.
fn is_index(c: &Cursor<'_, '_>) -> bool {
    matches!(c.peek_at(1), Tok::Num(_))
}

fn written<'a>(mut words: Vec<&'a str>, pointer: bool) -> Written<'a> {
    words.retain(|w| !matches!(*w, "const" | "volatile" | "_Atomic" | "restrict" | "struct"));
    match (pointer, words.is_empty()) {
        (true, _) => Written::Pointer(words),
        (false, true) => Written::Default,
        (false, false) => Written::Named(words),
    }
}

/// The number of a thread, at a number.
pub(crate) fn thread_number(c: &mut Cursor<'_, '_>) -> Result<u32, Diagnostic> {
    let span = c.span();
    let n = c.number("the number of a thread")?;
    u32::try_from(n).map_err(|_| Diagnostic::error(span, format!("`{n}` is not the number of a thread")))
}

/// `P4` is thread 4.
pub(crate) fn proc_number(word: &str) -> Option<u32> {
    let digits = word.strip_prefix('P')?;
    digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok())?
}

/// A register after its thread: `X1`, `%r`, `$2`.
pub(crate) fn register_name<'a>(c: &mut Cursor<'_, 'a>) -> Result<(&'a str, Span), Diagnostic> {
    c.eat("%");
    let name = c.name("a register")?;
    Ok((name, c.last_span()))
}

fn value_or_list<'a>(c: &mut Cursor<'_, 'a>) -> Result<Value<'a>, Diagnostic> {
    if c.eat("{") {
        let mut list = Vec::new();
        while !c.eat("}") {
            list.push(value(c)?);
            if !c.is("}") {
                c.expect(",")?;
            }
        }
        return Ok(Value::List(list));
    }
    if c.peek() == Tok::Name("ATOMIC_INIT") {
        c.next();
        c.expect("(")?;
        let v = value(c)?;
        c.expect(")")?;
        return Ok(v);
    }
    value(c)
}

/// A number, an address or a label.
pub(crate) fn value<'a>(c: &mut Cursor<'_, 'a>) -> Result<Value<'a>, Diagnostic> {
    let span = c.span();
    match c.peek() {
        Tok::Num(n) => {
            if c.peek_at(1) == Tok::Punct(":") && matches!(c.peek_at(2), Tok::Name(_)) {
                let thread = thread_number(c)?;
                c.next();
                return Ok(Value::Label { thread, name: c.name("a label")? });
            }
            c.next();
            Ok(Value::Int(n))
        }
        Tok::Name(word) if proc_number(word).is_some() && c.peek_at(1) == Tok::Punct(":") => {
            c.next();
            c.next();
            Ok(Value::Label { thread: proc_number(word).unwrap_or(0), name: c.name("a label")? })
        }
        Tok::Name(word @ ("instr" | "label" | "parel1_t")) if c.peek_at(1) == Tok::Punct(":") => {
            Err(Diagnostic::error(span, format!("`{word}:…` as a value is not supported")))
        }
        Tok::Name("NOP" | "nop") => Err(Diagnostic::error(span, "instructions as values are not supported")),
        Tok::Punct("&") | Tok::Name(_) => {
            c.eat("&");
            address(c)
        }
        Tok::Punct("(") => Err(Diagnostic::error(span, "page-table entries are not supported")),
        _ => Err(c.expected("a number or a location")),
    }
}

fn address<'a>(c: &mut Cursor<'_, 'a>) -> Result<Value<'a>, Diagnostic> {
    let name = c.name("a location")?;
    let span = c.last_span();
    no_page_tables(c, name)?;
    let (mut index, mut offset) = (0, 0);
    if c.eat("[") {
        let at = c.span();
        let n = c.number("an index")?;
        index = u32::try_from(n)
            .ok()
            .filter(|n| *n < MAX_ARRAY)
            .ok_or_else(|| Diagnostic::error(at, format!("`{n}` is not an index")))?;
        c.expect("]")?;
    } else if c.eat("+") {
        let at = c.span();
        let n = c.number("an offset in bytes")?;
        offset = i64::try_from(n)
            .ok()
            .filter(|n| (0..1 << 15).contains(n))
            .ok_or_else(|| Diagnostic::error(at, format!("`{n}` is not an offset")))?;
    } else if c.is(":") {
        let tagged = Diagnostic::error(c.span(), format!("`{name}:…` is a tagged address, which is not supported"));
        return Err(tagged.help("memory tagging and capabilities are outside the supported dialects"));
    }
    Ok(Value::Address { name, span, index, offset })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(text: &str) -> Vec<String> {
        let bindings = parse(FileId(0), text, 0..text.len()).unwrap();
        bindings
            .iter()
            .map(|b| {
                let value = match &b.value {
                    Some(Value::Address { name, index, .. }) => format!("&{name}[{index}]"),
                    other => format!("{other:?}"),
                };
                format!("{:?} {:?} {value}", b.ty.ty(), b.target)
            })
            .collect()
    }

    #[test]
    fn every_form() {
        let text = "int x=1; uint64_t 0:X3; 0:X1=x; y=0x10; int a[2]={1,2}; 0:R1=&x; [z]=1; *p=x; int *q = &a[1]; \
                    P4:EAX=3; w; _Atomic int v=0; unsigned long t; atomic_t c = ATOMIC_INIT(7);; int* p2=x";
        let shown = show(text);
        assert_eq!(shown.len(), 15);
        assert_eq!(shown[0], "Some(Int { bytes: 4, signed: true }) Mem { name: \"x\" } Some(Int(1))");
        assert_eq!(shown[1], "Some(Int { bytes: 8, signed: false }) Reg { thread: 0, name: \"X3\" } None");
        assert!(shown[4].contains("Array { name: \"a\", count: 2 }"));
        assert_eq!(shown[8], "Some(Pointer) Mem { name: \"q\" } &a[1]");
        assert!(shown[9].contains("thread: 4"));
        assert!(shown[13].contains("Int(7)"));
        assert!(shown[14].contains("Pointer"));
    }

    #[test]
    fn several_errors_at_once() {
        let text = "x=; y=1; int a[0]; 0:=3";
        assert_eq!(parse(FileId(0), text, 0..text.len()).unwrap_err().len(), 3);
    }
}
