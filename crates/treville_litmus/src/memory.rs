//! The memory of a test while it is being read: which locations there are, how large, and what they hold at the start.
//!
//! A location exists as soon as it is mentioned. Its size is settled at the end: that of its type, or of the widest access
//! that is known to go there if that is larger, so that accesses of one size never have to be split. Where neither is
//! known it is the size of the accesses whose target depends on what is read.

use crate::code::Access;
use crate::init::{Binding, INT, Target, Value, Written};
use std::collections::BTreeMap;
use treville_base::{Diagnostic, IndexVec, Name, Span};
use treville_ir::{Expr, InitCell, Object, ObjectId, Program, Type};

/// A location without a type has at most these bytes: it is as large as accesses say, and nothing else begins there.
const LARGEST: u64 = 1 << 12;

#[derive(Clone, Debug)]
pub(crate) struct Memory<'a> {
    drafts: IndexVec<ObjectId, Draft<'a>>,
    by_name: BTreeMap<&'a str, ObjectId>,
    /// Bytes of a stored address.
    pointer: u8,
    /// Every location has at least this size.
    anywhere: u8,
    /// The narrowest access whose location depends on what is read.
    computed: Option<u8>,
    /// An address can only be read as a whole.
    pub(crate) whole_pointers: bool,
    /// Accesses that cannot be right.
    pub(crate) errors: Vec<Diagnostic>,
}

#[derive(Clone, Debug)]
struct Draft<'a> {
    name: &'a str,
    span: Span,
    ty: Type,
    declared: bool,
    /// Its type is written.
    typed: bool,
    count: Option<u32>,
    init: Vec<Value<'a>>,
    /// The widest known access at the beginning.
    widest: u8,
    /// One past the last byte that is known to be accessed.
    extent: u64,
}

impl<'a> Memory<'a> {
    /// `pointer`: how many bytes an address takes in memory.
    pub(crate) fn new(pointer: u8) -> Self {
        Memory {
            drafts: IndexVec::new(),
            by_name: BTreeMap::new(),
            pointer,
            anywhere: 0,
            computed: None,
            whole_pointers: false,
            errors: Vec::new(),
        }
    }

    pub(crate) fn find(&self, name: &str) -> Option<ObjectId> {
        self.by_name.get(name).copied()
    }

    /// The location `name`, which is an `int` that holds 0 unless something else is said.
    pub(crate) fn mention(&mut self, name: &'a str, span: Span) -> ObjectId {
        if let Some(&id) = self.by_name.get(name) {
            return id;
        }
        let id = self.drafts.push(Draft {
            name,
            span,
            ty: INT,
            declared: false,
            typed: false,
            count: None,
            init: Vec::new(),
            widest: 0,
            extent: 0,
        });
        self.by_name.insert(name, id);
        id
    }

    /// Declares a location with a type that the caller has worked out.
    pub(crate) fn declare(
        &mut self,
        name: &'a str,
        span: Span,
        ty: Type,
        count: Option<u32>,
        init: Vec<Value<'a>>,
    ) -> Result<ObjectId, Diagnostic> {
        let id = self.mention(name, span);
        let draft = &mut self.drafts[id];
        if draft.declared {
            let again = Diagnostic::error(span, format!("`{name}` is initialised twice"));
            return Err(again.label(draft.span, "the first time is here"));
        }
        (draft.span, draft.ty, draft.count) = (span, ty, count);
        (draft.declared, draft.typed) = (true, true);
        for value in &init {
            self.mention_addresses(value);
        }
        self.drafts[id].init = init;
        Ok(id)
    }

    /// Declares the location of a binding of the initial state (registers are the dialect's business).
    pub(crate) fn bind(&mut self, binding: &Binding<'a>) -> Result<(), Diagnostic> {
        let (name, count) = match binding.target {
            Target::Reg { .. } | Target::Symbolic { .. } => return Ok(()),
            Target::Mem { name } => (name, None),
            Target::Array { name, count } => (name, Some(count)),
        };
        let Some(ty) = binding.ty.ty() else {
            let Written::Named(words) = &binding.ty else { return Ok(()) };
            let unknown = Diagnostic::error(binding.span, format!("unknown type `{}`", words.join(" ")));
            return Err(unknown.help(
                "known are `int`, `long`, `char`, `short`, `int8_t` to `int64_t`, `uint8_t` to `uint64_t`, pointers",
            ));
        };
        let init = match (&binding.value, count) {
            (None, _) => Vec::new(),
            (Some(Value::List(list)), Some(_)) => list.clone(),
            (Some(Value::List(_)), None) => {
                return Err(Diagnostic::error(binding.value_span, format!("`{name}` is not an array")));
            }
            (Some(Value::Label { .. }), _) => {
                return Err(Diagnostic::error(binding.value_span, "addresses of code are not supported"));
            }
            (Some(value), None) => vec![value.clone()],
            (Some(_), Some(_)) => {
                return Err(Diagnostic::error(binding.value_span, "an array is initialised by a list `{…}`"));
            }
        };
        let id = self.declare(name, binding.span, ty, count, init)?;
        self.drafts[id].typed = binding.ty != Written::Default;
        Ok(())
    }

    /// Makes the locations exist whose addresses a value mentions.
    pub(crate) fn mention_addresses(&mut self, value: &Value<'a>) {
        match value {
            Value::Address { name, span, .. } => {
                self.mention(name, *span);
            }
            Value::List(list) => list.iter().for_each(|v| self.mention_addresses(v)),
            Value::Int(_) | Value::Label { .. } => {}
        }
    }

    /// Whether some location holds an address at the start.
    pub(crate) fn holds_address(&self) -> bool {
        self.drafts.iter().flat_map(|draft| &draft.init).any(|v| matches!(v, Value::Address { .. }))
    }

    /// Notes an error for an access that begins before its location or behind the end of it, or reads a part of an address.
    pub(crate) fn check_access(&mut self, object: ObjectId, offset: i64, access: &Access) {
        let &Access { size, reads, span } = access;
        let draft = &self.drafts[object];
        let name = draft.name;
        let whole = u64::from(draft.count.unwrap_or(1)) * u64::from(self.type_size(draft.ty));
        let end = if draft.typed { whole } else { whole.max(LARGEST) };
        let beyond = u64::try_from(offset).map_or(true, |offset| offset >= end);
        let element = i64::from(self.element_size(object));
        let at = usize::try_from(offset / element.max(1)).ok();
        let held = at.and_then(|at| draft.init.get(at));
        let cut = reads && self.whole_pointers && size < self.pointer && matches!(held, Some(Value::Address { .. }));
        if beyond {
            let bytes = if draft.typed { format!("has {end}") } else { format!("has no type, and so at most {end}") };
            let message = format!("this access is outside of `{name}`, which {bytes} bytes");
            let first = if draft.declared { "declared here" } else { "mentioned here" };
            self.errors.push(Diagnostic::error(span, message).label(draft.span, first));
        } else if cut {
            let message = format!("`{name}` holds an address of {} bytes, of which {size} are read", self.pointer);
            self.errors.push(Diagnostic::error(span, message).help("read it into an `X` register"));
        }
    }

    /// Records an access, so that the object is large enough for it.
    pub(crate) fn access(&mut self, object: ObjectId, offset: i64, size: u8) {
        let Ok(offset) = u64::try_from(offset) else { return };
        let draft = &mut self.drafts[object];
        if offset == 0 {
            draft.widest = draft.widest.max(size);
        }
        // Farther away is an error, see `check_access`.
        if offset < LARGEST {
            draft.extent = draft.extent.max(offset + u64::from(size));
        }
    }

    /// Records that every location may be accessed with this size.
    pub(crate) fn access_anywhere(&mut self, size: u8) {
        self.anywhere = self.anywhere.max(size);
    }

    /// Records an access whose location depends on what is read; it fits where it goes.
    pub(crate) fn access_computed(&mut self, size: u8) {
        self.computed = Some(self.computed.map_or(size, |narrowest| narrowest.min(size)));
    }

    /// The bytes of an element (of the whole, if it is no array).
    pub(crate) fn element_size(&self, id: ObjectId) -> u8 {
        let draft = &self.drafts[id];
        let of_type = self.type_size(draft.ty);
        if draft.count.is_some() {
            return of_type;
        }
        let address = draft.init.iter().any(|v| matches!(v, Value::Address { .. }));
        let stored = if address { self.pointer } else { 0 };
        // A computed access says something only where nothing else does.
        let unknown = !draft.typed && draft.widest == 0;
        let accessed = if unknown { self.computed.unwrap_or(0) } else { draft.widest };
        // A pair is two of these.
        of_type.max(accessed.max(self.anywhere).min(8)).max(stored)
    }

    fn type_size(&self, ty: Type) -> u8 {
        match ty {
            Type::Int { bytes, .. } => bytes,
            Type::Pointer | Type::Untyped => self.pointer,
        }
    }

    /// The offset in bytes that an address value means.
    pub(crate) fn offset(&self, object: ObjectId, index: u32, offset: i64) -> i64 {
        offset + i64::from(index) * i64::from(self.element_size(object))
    }

    /// A value of the initial state, `bytes` wide.
    pub(crate) fn value(&self, value: &Value<'a>, bytes: u8) -> Expr {
        let width = 8 * bytes;
        match value {
            Value::Int(n) => Expr::Const(treville_term::Bv::new(*n as u128, width)),
            Value::Address { name, index, offset, .. } => match self.find(name) {
                Some(id) => {
                    let address = Expr::Addr(id, self.offset(id, *index, *offset));
                    if width == 64 { address } else { address.zext(width) }
                }
                None => Expr::int(0, width),
            },
            Value::Label { .. } | Value::List(_) => Expr::int(0, width),
        }
    }

    /// Lays the objects out in `program`, in the order of their first mention.
    pub(crate) fn finish(&self, program: &mut Program) {
        for (id, draft) in self.drafts.iter_enumerated() {
            let element = self.element_size(id);
            let count = u64::from(draft.count.unwrap_or(1));
            let size = (count * u64::from(element)).max(draft.extent.next_multiple_of(u64::from(element)));
            let cell = |i: u64| InitCell {
                offset: i * u64::from(element),
                size: element,
                value: draft.init.get(i as usize).map_or(Expr::int(0, 8 * element), |v| self.value(v, element)),
            };
            let object = Object {
                name: Name::new(draft.name),
                address: program.next_address(),
                size,
                ty: draft.ty,
                array: draft.count.is_some(),
                thread_local: false,
                members: Vec::new(),
                init: (0..size / u64::from(element)).map(cell).collect(),
                uninitialized: false,
                span: draft.span,
            };
            program.objects.push(object);
        }
    }
}
