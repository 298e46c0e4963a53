//! Types of the module, interned: the same type has the same id. Pointers have no pointee, whatever the text says.

use rustc_hash::FxHashMap;
use std::fmt;
use treville_base::{IndexVec, Name, Span};

treville_base::ids! {
    /// A type of a [`Types`].
    TypeId "t";
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    Void,
    /// In bits, 1 to 128.
    Int(u32),
    Float(FloatKind),
    Ptr,
    Array {
        element: TypeId,
        length: u64,
    },
    Vector {
        element: TypeId,
        length: u32,
    },
    Struct(Struct),
    Function {
        result: TypeId,
        params: Vec<TypeId>,
        variadic: bool,
    },
    Label,
    Metadata,
    Token,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FloatKind {
    Half,
    BFloat,
    Float,
    Double,
    X86Fp80,
    Fp128,
    PpcFp128,
}

/// Structs with a name are the same type only if they are the same definition.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Struct {
    pub name: Option<Name>,
    /// Missing if the struct is opaque.
    pub fields: Option<Vec<TypeId>>,
    pub packed: bool,
}

/// All types of a module.
#[derive(Clone, Debug)]
pub struct Types {
    all: IndexVec<TypeId, Type>,
    known: FxHashMap<Type, TypeId>,
    /// Where named structs are defined or first mentioned.
    spans: FxHashMap<TypeId, Span>,
}

/// Types that every module has, in the order in which [`Types::new`] makes them.
impl Types {
    pub const VOID: TypeId = TypeId(0);
    pub const PTR: TypeId = TypeId(1);
    pub const I1: TypeId = TypeId(2);
    pub const I8: TypeId = TypeId(3);
    pub const I16: TypeId = TypeId(4);
    pub const I32: TypeId = TypeId(5);
    pub const I64: TypeId = TypeId(6);
    pub const METADATA: TypeId = TypeId(7);
    pub const LABEL: TypeId = TypeId(8);
    pub const TOKEN: TypeId = TypeId(9);

    pub fn new() -> Self {
        let mut types = Types { all: IndexVec::new(), known: FxHashMap::default(), spans: FxHashMap::default() };
        let ints = [1, 8, 16, 32, 64].map(Type::Int);
        let head = [Type::Void, Type::Ptr].into_iter().chain(ints);
        for ty in head.chain([Type::Metadata, Type::Label, Type::Token]) {
            types.intern(ty);
        }
        types
    }

    /// The id of a type; not for structs with a name.
    pub fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(&id) = self.known.get(&ty) {
            return id;
        }
        let id = self.all.push(ty.clone());
        self.known.insert(ty, id);
        id
    }

    /// A new struct with a name, opaque until it is defined.
    pub(crate) fn named(&mut self, name: Name, span: Span) -> TypeId {
        let id = self.all.push(Type::Struct(Struct { name: Some(name), fields: None, packed: false }));
        self.spans.insert(id, span);
        id
    }

    pub(crate) fn define(&mut self, id: TypeId, fields: Vec<TypeId>, packed: bool, span: Span) {
        if let Type::Struct(body) = &mut self.all[id] {
            body.fields = Some(fields);
            body.packed = packed;
        }
        self.spans.insert(id, span);
    }

    pub(crate) fn span(&self, id: TypeId) -> Option<Span> {
        self.spans.get(&id).copied()
    }

    pub fn get(&self, id: TypeId) -> &Type {
        &self.all[id]
    }

    pub fn iter(&self) -> impl Iterator<Item = (TypeId, &Type)> {
        self.all.iter_enumerated()
    }

    pub fn len(&self) -> usize {
        self.all.len()
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The type of the lanes of a vector, or the type itself.
    pub fn scalar(&self, id: TypeId) -> TypeId {
        match self.get(id) {
            Type::Vector { element, .. } => *element,
            _ => id,
        }
    }

    /// The number of lanes of a vector.
    pub fn lanes(&self, id: TypeId) -> Option<u32> {
        match self.get(id) {
            Type::Vector { length, .. } => Some(*length),
            _ => None,
        }
    }

    /// The width of an integer type.
    pub fn int_bits(&self, id: TypeId) -> Option<u32> {
        match self.get(id) {
            Type::Int(bits) => Some(*bits),
            _ => None,
        }
    }

    /// The type of a member of a struct or an array.
    pub fn member(&self, id: TypeId, index: u64) -> Option<TypeId> {
        match self.get(id) {
            Type::Struct(body) => body.fields.as_ref()?.get(usize::try_from(index).ok()?).copied(),
            Type::Array { element, length } if index < *length => Some(*element),
            _ => None,
        }
    }

    /// `scalar`, or a vector of it with as many lanes as `like` has.
    pub fn with_lanes_of(&mut self, scalar: TypeId, like: TypeId) -> TypeId {
        match self.lanes(like) {
            Some(length) => self.intern(Type::Vector { element: scalar, length }),
            None => scalar,
        }
    }

    /// As the text would write it.
    pub fn display(&self, id: TypeId) -> Shown<'_> {
        Shown(self, id)
    }
}

impl Default for Types {
    fn default() -> Self {
        Self::new()
    }
}

/// A type that can be printed.
pub struct Shown<'a>(&'a Types, TypeId);

impl Shown<'_> {
    fn list(&self, f: &mut fmt::Formatter<'_>, ids: &[TypeId]) -> fmt::Result {
        for (i, &id) in ids.iter().enumerate() {
            write!(f, "{}{}", if i == 0 { "" } else { ", " }, self.0.display(id))?;
        }
        Ok(())
    }
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.get(self.1) {
            Type::Void => f.write_str("void"),
            Type::Int(bits) => write!(f, "i{bits}"),
            Type::Float(kind) => f.write_str(kind.as_str()),
            Type::Ptr => f.write_str("ptr"),
            Type::Label => f.write_str("label"),
            Type::Metadata => f.write_str("metadata"),
            Type::Token => f.write_str("token"),
            Type::Array { element, length } => write!(f, "[{length} x {}]", self.0.display(*element)),
            Type::Vector { element, length } => write!(f, "<{length} x {}>", self.0.display(*element)),
            Type::Struct(Struct { name: Some(name), .. }) => write!(f, "%{name}"),
            Type::Struct(Struct { fields, packed, .. }) => {
                f.write_str(if *packed { "<{ " } else { "{ " })?;
                self.list(f, fields.as_deref().unwrap_or_default())?;
                f.write_str(if *packed { " }>" } else { " }" })
            }
            Type::Function { result, params, variadic } => {
                write!(f, "{} (", self.0.display(*result))?;
                self.list(f, params)?;
                match (variadic, params.is_empty()) {
                    (true, true) => f.write_str("...)"),
                    (true, false) => f.write_str(", ...)"),
                    (false, _) => f.write_str(")"),
                }
            }
        }
    }
}

impl FloatKind {
    pub fn as_str(self) -> &'static str {
        match self {
            FloatKind::Half => "half",
            FloatKind::BFloat => "bfloat",
            FloatKind::Float => "float",
            FloatKind::Double => "double",
            FloatKind::X86Fp80 => "x86_fp80",
            FloatKind::Fp128 => "fp128",
            FloatKind::PpcFp128 => "ppc_fp128",
        }
    }

    pub fn bits(self) -> u32 {
        match self {
            FloatKind::Half | FloatKind::BFloat => 16,
            FloatKind::Float => 32,
            FloatKind::Double => 64,
            FloatKind::X86Fp80 => 80,
            FloatKind::Fp128 | FloatKind::PpcFp128 => 128,
        }
    }
}
