//! Words for the steps of a story: names of memory and values, threads and lines.

use std::fmt::Write;
use treville_base::{SourceMap, Span};
use treville_ir::{MemoryOrder, Program, ThreadId, Type, Wait};
use treville_task::{Action, Bytes, Trace, TraceObject, TraceStep};
use treville_term::Bv;

#[derive(Clone, Copy)]
pub(crate) struct Words<'a> {
    pub(crate) program: &'a Program,
    pub(crate) sources: &'a SourceMap,
    pub(crate) trace: &'a Trace,
    /// Its steps are in more than one file, so that a line alone does not say where.
    files: bool,
}

impl<'a> Words<'a> {
    pub(crate) fn new(program: &'a Program, sources: &'a SourceMap, trace: &'a Trace) -> Self {
        let mut files = trace.steps.iter().filter_map(|step| Some(step.span?.file));
        let first = files.next();
        Words { program, sources, trace, files: files.any(|file| Some(file) != first) }
    }

    /// `11`, or `queue.h:11`.
    pub(crate) fn number(&self, span: Span) -> String {
        let line = self.line(span);
        let name = &self.sources.file(span.file).name;
        let base = name.rsplit('/').next().unwrap_or(name);
        if self.files { format!("{base}:{line}") } else { line.to_string() }
    }

    /// `thread 1 (sender)`.
    pub(crate) fn thread(&self, number: ThreadId) -> String {
        let name = self.trace.thread(number).map(|t| format!(" ({})", t.name));
        format!("thread {}{}", number.0, name.unwrap_or_default())
    }

    pub(crate) fn line(&self, span: Span) -> usize {
        self.sources.start(span).line
    }

    /// `line 11 of thread 1`, or without the thread if it is the reader's own.
    pub(crate) fn place_of(&self, step: usize, reader: ThreadId) -> String {
        let step = &self.trace.steps[step];
        let line = match step.span {
            None => "a step".to_owned(),
            Some(span) if self.files => self.number(span),
            Some(span) => format!("line {}", self.line(span)),
        };
        if step.thread == reader { line } else { format!("{line} of thread {}", step.thread.0) }
    }

    /// The line that a span is on, as it stands there.
    pub(crate) fn source(&self, span: Span) -> String {
        let line = self.sources.file(span.file).line(self.line(span));
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn object(&self, address: u64) -> Option<&TraceObject> {
        self.trace.objects.iter().rev().find(|o| o.address <= address && address < o.address + o.size.max(1))
    }

    /// What an object that was made on the way is called: a variable's name, or that of the pointer that first held it,
    /// with the line, and its number if there are several.
    fn name(&self, object: &TraceObject) -> String {
        let Some(span) = object.span else { return object.name.as_ref().map_or("?".into(), ToString::to_string) };
        let base = match &object.name {
            Some(name) => return name.to_string(),
            None => self.assigned(span),
        };
        let same: Vec<&TraceObject> = self.trace.objects.iter().filter(|o| o.span == Some(span)).collect();
        let number = match same.iter().position(|o| o.address == object.address) {
            Some(i) if same.len() > 1 => format!("#{}", i + 1),
            _ => String::new(),
        };
        format!("{base}@{}{number}", self.line(span))
    }

    /// The variable that a line assigns to.
    fn assigned(&self, span: Span) -> String {
        let line = self.sources.file(span.file).line(self.line(span));
        let before = line.split_once('=').map(|(before, _)| before.trim_end());
        let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '>');
        let name = before.map(|b| b.rsplit(|c| !word(c) && c != '-').next().unwrap_or_default());
        name.filter(|n| n.starts_with(|c: char| c.is_alphabetic() || c == '_')).unwrap_or("object").to_owned()
    }

    /// `x`, `q.tail`, `*n@12+8`.
    pub(crate) fn memory(&self, place: Bytes) -> String {
        if let Some(object) = self.object(place.address) {
            let star = if object.name.is_some() { "" } else { "*" };
            return format!("{star}{}{}", self.name(object), offset(place.address - object.address));
        }
        let name = self.program.show_address(place.address).unwrap_or_else(|| format!("{:#x}", place.address));
        // What has two words is named by what both are in.
        match name.rsplit_once('.') {
            Some((whole, _)) if place.size > 8 => whole.to_owned(),
            _ => name,
        }
    }

    /// `3`, `&x`; of 16 bytes, the two words.
    pub(crate) fn value(&self, place: Bytes, value: u128) -> String {
        let word = |at: u8, size: u8| {
            self.word(Bytes { address: place.address.wrapping_add(u64::from(at)), size }, (value >> (8 * at)) as u64)
        };
        if place.size > 8 { format!("({}, {})", word(0, 8), word(8, place.size - 8)) } else { word(0, place.size) }
    }

    fn word(&self, place: Bytes, value: u64) -> String {
        let ty = self.object(place.address).map_or_else(|| self.program.type_at(place.address), |_| Type::Untyped);
        self.pointer(value)
            .filter(|_| place.size == 8)
            .unwrap_or_else(|| self.program.show_value(Bv::new(u128::from(value), 8 * place.size.clamp(1, 8)), ty))
    }

    /// An address by the name of what is there.
    fn pointer(&self, value: u64) -> Option<String> {
        if let Some(object) = self.object(value) {
            let and = if object.name.is_some() { "&" } else { "" };
            return Some(format!("{and}{}{}", self.name(object), offset(value - object.address)));
        }
        let function = || Some(self.program.funcs[self.program.func_at(value)?].name.to_string());
        let ty = Type::Pointer;
        let named = self.program.object_at(value).map(|_| self.program.show_value(Bv::new(u128::from(value), 64), ty));
        named.map(|name| format!("&{name}")).or_else(function)
    }

    /// `reads ready = 1 (acquire)`, without where from.
    pub(crate) fn does(&self, step: &TraceStep) -> String {
        let order = step.order.map_or_else(String::new, |order| format!(" ({})", order.name()));
        match &step.action {
            Action::Read { place, lock: true, .. } => format!("finds {} locked", self.memory(*place)),
            Action::Write { place, lock: true, .. } => format!("unlocks {}", self.memory(*place)),
            Action::Update { place, lock: true, from: Some(_), .. } => {
                format!("locks {}, released", self.memory(*place))
            }
            Action::Update { place, lock: true, .. } => format!("locks {}", self.memory(*place)),
            Action::Read { place, value, .. } => {
                format!("reads {} = {}{order}", self.memory(*place), self.value(*place, *value))
            }
            Action::Write { place, value, .. } => {
                format!("writes {} = {}{order}", self.memory(*place), self.value(*place, *value))
            }
            Action::Update { place, old, new, .. } => {
                let (old, new) = (self.value(*place, *old), self.value(*place, *new));
                format!("changes {} from {old} to {new}{order}", self.memory(*place))
            }
            // C has no fence that is relaxed: this is one of a machine.
            Action::Fence if step.order == Some(MemoryOrder::Relaxed) => "fence".to_owned(),
            Action::Fence => format!("fence{order}"),
            Action::Start(thread) => format!("starts {}", self.thread(*thread)),
            Action::Join(thread) => format!("sees the end of thread {}", thread.0),
            Action::Allocate(address) => format!("makes {}", self.address(*address)),
            Action::Free(address) => format!("frees {}", self.address(*address)),
            Action::Retire(address) => format!("retires {}", self.address(*address)),
            Action::Choose(value) => format!("takes the value {value}"),
            Action::Wait(Wait::Resource | Wait::Owner) => "waits for the lock for ever".to_owned(),
            Action::Wait(Wait::Spin | Wait::Assume) => "waits for ever".to_owned(),
            Action::Fail => "fails".to_owned(),
            Action::End => "ends".to_owned(),
        }
    }

    fn address(&self, address: u64) -> String {
        self.pointer(address).unwrap_or_else(|| format!("{address:#x}"))
    }

    /// Where a step's value comes from, and what it misses.
    pub(crate) fn source_of(&self, step: usize) -> String {
        let TraceStep { thread, action, .. } = &self.trace.steps[step];
        let (Some(from), Some(place)) = (action.source(), action.place()) else { return String::new() };
        let lock = matches!(action, Action::Read { lock: true, .. } | Action::Update { lock: true, .. });
        let mut out = match from {
            None if lock => return String::new(),
            None => ", the initial value".to_owned(),
            Some(write) if lock => return format!(" by {}", self.place_of(write, *thread)),
            Some(write) => {
                let later = if self.trace.reads_ahead(step) { " below" } else { "" };
                format!(", from {}{later}", self.place_of(write, *thread))
            }
        };
        if let Some(later) = self.trace.missed_by(step) {
            let value = self.trace.steps[later].action.written().map(|v| self.value(place, v)).unwrap_or_default();
            let _ = write!(out, ", though {} wrote {value}", self.place_of(later, *thread));
        }
        out
    }
}

fn offset(bytes: u64) -> String {
    if bytes == 0 { String::new() } else { format!("+{bytes}") }
}
