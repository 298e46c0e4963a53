//! How values and addresses are written for people.

use crate::{Member, Object, Program, Type};
use treville_term::Bv;

impl Program {
    /// A value as a state shows it: an address by name, a number by its type.
    pub fn show_value(&self, value: Bv, ty: Type) -> String {
        if value.is_thin_air() {
            return format!("S{}", value.unsigned());
        }
        let address = || (value.width() >= 32).then(|| self.show_pointer(value.unsigned() as u64)).flatten();
        match ty {
            Type::Int { bytes, signed } => {
                let narrow = Bv::new(value.unsigned(), value.width().min(8 * bytes));
                // A pointer may have been stored in an integer; its name says more than its number.
                address()
                    .unwrap_or_else(|| if signed { narrow.signed().to_string() } else { narrow.unsigned().to_string() })
            }
            Type::Pointer => match address() {
                Some(name) => name,
                None => value.signed().to_string(),
            },
            Type::Untyped => address().unwrap_or_else(|| value.signed().to_string()),
        }
    }

    /// An address as a value: the object and the bytes from its beginning, `x+4`.
    fn show_pointer(&self, address: u64) -> Option<String> {
        let (id, offset) = self.object_at(address)?;
        let name = &self.objects[id].name;
        Some(match self.objects[id].whole(offset) {
            Some(path) => format!("{name}{path}"),
            None if offset == 0 => name.to_string(),
            None => format!("{name}+{offset}"),
        })
    }

    /// How a value at an address is shown.
    pub fn type_at(&self, address: u64) -> Type {
        self.object_at(address).map_or(Type::Untyped, |(id, offset)| {
            let object = &self.objects[id];
            object.member(offset).map_or(object.ty, |member| member.ty)
        })
    }

    /// The name of an address: `x`, `x[2]` for arrays, `x+4` inside an object.
    pub fn show_address(&self, address: u64) -> Option<String> {
        let (id, offset) = self.object_at(address)?;
        let object = &self.objects[id];
        if let Some(member) = object.member(offset) {
            return Some(format!("{}{}", object.name, member.path));
        }
        let element = match object.ty {
            Type::Int { bytes, .. } => u64::from(bytes),
            Type::Pointer | Type::Untyped => 8,
        };
        Some(match offset {
            0 if !object.array => object.name.to_string(),
            _ if object.array && offset.is_multiple_of(element) => format!("{}[{}]", object.name, offset / element),
            _ => format!("{}+{offset}", object.name),
        })
    }
}

impl Object {
    /// The part that begins at an offset: of a record the whole, not its first member.
    fn whole(&self, offset: u64) -> Option<&str> {
        let mut path: &str = &self.member(offset)?.path;
        while let Some((record, _)) = path.rsplit_once('.') {
            let first = self.members.iter().find(|m| m.path.starts_with(record))?;
            if first.offset != offset {
                break;
            }
            path = record;
        }
        Some(path)
    }

    /// The named part that begins at an offset.
    fn member(&self, offset: u64) -> Option<&Member> {
        let at = self.members.binary_search_by_key(&offset, |m| m.offset).ok()?;
        Some(&self.members[at])
    }
}
