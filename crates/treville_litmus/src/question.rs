//! From the condition as it is written to a [`Question`]: resolves names, and says what a state lists and in which order.

use crate::condition::{Equation, Final, Loc, LocKind, Prop, Right};
use crate::init::Value;
use treville_base::{Diagnostic, FileId, IndexVec, Span};
use treville_ir::{
    Atom, Comparison, Formula, Object, ObjectId, Observable, Operand, Place, Question, Reg, ThreadId, Type,
};
use treville_term::Bv;

/// What the names in a condition stand for; each dialect has its own.
pub trait Names {
    fn object(&self, name: &str) -> Option<ObjectId>;
    fn objects(&self) -> &IndexVec<ObjectId, Object>;
    /// A register of a thread; it may be one that the code does not use. The error says why there is none.
    fn register(&mut self, thread: u32, name: &str) -> Result<Register, String>;
    /// A register that is only listed, which asks nothing: one that is never set is 0.
    fn listed_register(&mut self, thread: u32, name: &str) -> Result<Register, String> {
        self.register(thread, name)
    }
    /// The registers that a test sets, by thread: its states if it does not say what to list.
    fn registers(&self) -> Vec<(u32, String)> {
        Vec::new()
    }
    /// Whether a plain name on the right of a comparison is what the location holds, and not its address.
    fn names_are_values(&self) -> bool {
        false
    }
}

#[derive(Clone, Debug)]
pub struct Register {
    pub thread: ThreadId,
    pub reg: Reg,
    pub ty: Type,
    /// As states print it, without the thread.
    pub name: String,
    /// Its place among the registers of a thread; equal ones are ordered by name.
    pub order: u32,
}

/// Resolves everything; several errors are reported at once.
pub(crate) fn resolve(asked: &Final<'_>, names: &mut dyn Names) -> Result<Question, Vec<Diagnostic>> {
    let mut resolver = Resolver { names, observed: Vec::new(), errors: Vec::new() };
    let condition = resolver.formula(&asked.condition, true);
    for loc in &asked.locations {
        resolver.observe(loc);
    }
    if asked.span.is_none() && asked.locations.is_empty() {
        resolver.observe_all();
    }
    let filter = asked.filter.as_ref().map(|f| resolver.formula(f, false));
    if !resolver.errors.is_empty() {
        return Err(resolver.errors);
    }
    resolver.observed.sort_by(|a, b| a.0.cmp(&b.0));
    resolver.observed.dedup_by(|a, b| a.1.place == b.1.place);
    let observed = resolver.observed.into_iter().map(|(_, o)| o).collect();
    Ok(Question { quantifier: asked.quantifier, condition, filter, observed, span: asked.span })
}

/// Registers by thread, then locations, then elements of arrays.
type Order = (u8, u32, u32, String, u32);

struct Resolver<'n> {
    names: &'n mut dyn Names,
    observed: Vec<(Order, Observable)>,
    errors: Vec<Diagnostic>,
}

impl Resolver<'_> {
    fn formula(&mut self, prop: &Prop<'_>, observe: bool) -> Formula {
        match prop {
            Prop::True => Formula::True,
            Prop::False => Formula::False,
            Prop::Not(a) => Formula::Not(Box::new(self.formula(a, observe))),
            Prop::And(all) => Formula::And(all.iter().map(|a| self.formula(a, observe)).collect()),
            Prop::Or(any) => Formula::Or(any.iter().map(|a| self.formula(a, observe)).collect()),
            Prop::Implies(a, b) => {
                Formula::Implies(Box::new(self.formula(a, observe)), Box::new(self.formula(b, observe)))
            }
            Prop::Atom(equation) => self.equation(equation, observe).unwrap_or_else(|e| {
                self.errors.push(e);
                Formula::False
            }),
        }
    }

    fn observe(&mut self, loc: &Loc<'_>) {
        if let LocKind::Reg { thread, name } = loc.kind {
            // Listing makes it known; what is wrong with it is said below.
            let _ = self.names.listed_register(thread, name);
        }
        match self.place(loc) {
            Ok(found) => self.observed.push(found),
            Err(e) => self.errors.push(e),
        }
    }

    /// Lists what a test sets that asks and lists nothing.
    fn observe_all(&mut self) {
        let span = Span::new(FileId(0), 0, 0);
        for (thread, name) in self.names.registers() {
            self.observe(&Loc { kind: LocKind::Reg { thread, name: &name }, span });
        }
        let locations: Vec<String> = self.names.objects().iter().map(|object| object.name.to_string()).collect();
        for name in &locations {
            self.observe(&Loc { kind: LocKind::Mem { name, index: None }, span });
        }
    }

    fn equation(&mut self, e: &Equation<'_>, observe: bool) -> Result<Formula, Diagnostic> {
        let left = self.place(&e.left)?;
        if observe {
            self.observed.push(left.clone());
        }
        let left = left.1;
        let ordered = !matches!(e.op, Comparison::Eq | Comparison::Ne);
        if ordered && !matches!(left.ty, Type::Int { signed: true, .. } | Type::Untyped) {
            return Err(Diagnostic::error(e.left.span, format!("`{}` is not a signed number", left.name)));
        }
        let named = self.named_place(&e.right);
        let right = match named.as_ref().unwrap_or(&e.right) {
            Right::Place(loc) => {
                let right = self.place(loc)?;
                if observe {
                    self.observed.push(right.clone());
                }
                Operand::Place(right.1.place)
            }
            Right::Value(Value::List(list)) => return self.array_equation(e, &left, list),
            Right::Value(value) => Operand::Value(self.value(e, value, left.ty)?),
        };
        if matches!(left.place, Place::Array { .. }) {
            let message = format!("`{}` is an array: compare an element, or write `{{…}}`", left.name);
            return Err(Diagnostic::error(e.left.span, message));
        }
        Ok(Formula::Atom(Atom { left: left.place, op: e.op, right }))
    }

    /// A plain name as a place, where it is one.
    fn named_place<'a>(&self, right: &Right<'a>) -> Option<Right<'a>> {
        match right {
            Right::Value(Value::Address { name, span, index: 0, offset: 0 }) if self.names.names_are_values() => {
                Some(Right::Place(Loc { kind: LocKind::Mem { name, index: None }, span: *span }))
            }
            _ => None,
        }
    }

    /// `a={1,2}` compares element by element.
    fn array_equation(
        &mut self,
        e: &Equation<'_>,
        left: &Observable,
        list: &[Value<'_>],
    ) -> Result<Formula, Diagnostic> {
        let Place::Array { object, size, count } = left.place else {
            return Err(Diagnostic::error(e.right_span, format!("`{}` is not an array", left.name)));
        };
        if list.len() != count as usize {
            let message = format!("`{}` has {count} elements, not {}", left.name, list.len());
            return Err(Diagnostic::error(e.right_span, message));
        }
        let element = |i: usize| Place::Mem { object, offset: i as u64 * u64::from(size), size };
        let mut atoms = Vec::with_capacity(list.len());
        for (i, value) in list.iter().enumerate() {
            let right = Operand::Value(self.value(e, value, left.ty)?);
            atoms.push(Formula::Atom(Atom { left: element(i), op: Comparison::Eq, right }));
        }
        let all = Formula::And(atoms);
        match e.op {
            Comparison::Eq => Ok(all),
            Comparison::Ne => Ok(Formula::Not(Box::new(all))),
            Comparison::Lt | Comparison::Le | Comparison::Gt | Comparison::Ge => {
                Err(Diagnostic::error(e.right_span, "lists have no order"))
            }
        }
    }

    /// A number is compared modulo the width of the place's type, an address in full.
    fn value(&self, e: &Equation<'_>, value: &Value<'_>, ty: Type) -> Result<Bv, Diagnostic> {
        match value {
            Value::Int(n) => Ok(Bv::new(*n as u128, type_width(ty))),
            Value::Address { name, span, index, offset } => {
                let Some(id) = self.names.object(name) else {
                    return Err(Diagnostic::error(*span, format!("there is no location `{name}`")));
                };
                let object = &self.names.objects()[id];
                let element = object.init.first().map_or(4, |c| c.size);
                let offset = offset + i64::from(*index) * i64::from(element);
                Ok(Bv::new(u128::from(object.address.wrapping_add_signed(offset)), 64))
            }
            Value::Label { .. } | Value::List(_) => {
                Err(Diagnostic::error(e.right_span, "addresses of code are not supported"))
            }
        }
    }

    fn place(&mut self, loc: &Loc<'_>) -> Result<(Order, Observable), Diagnostic> {
        match loc.kind {
            LocKind::Reg { thread, name } => {
                let r = self.names.register(thread, name).map_err(|why| Diagnostic::error(loc.span, why))?;
                let shown = format!("{thread}:{}", r.name);
                let place = Place::Reg(r.thread, r.reg);
                Ok(((0, thread, r.order, r.name, 0), Observable { place, ty: r.ty, name: shown }))
            }
            LocKind::Mem { name, index } => self.memory(loc, name, index),
        }
    }

    fn memory(&self, loc: &Loc<'_>, name: &str, index: Option<u32>) -> Result<(Order, Observable), Diagnostic> {
        let Some(id) = self.names.object(name) else {
            return Err(Diagnostic::error(loc.span, format!("there is no location `{name}`")));
        };
        let object = &self.names.objects()[id];
        let size = object.init.first().map_or(4, |c| c.size);
        let count = (object.size / u64::from(size)) as u32;
        let ty = object.ty;
        match index {
            Some(index) if index >= count => {
                let message = format!("`{name}` has {count} element{}", if count == 1 { "" } else { "s" });
                Err(Diagnostic::error(loc.span, message))
            }
            Some(index) => {
                let place = Place::Mem { object: id, offset: u64::from(index) * u64::from(size), size };
                Ok(((2, 0, 0, name.to_owned(), index), Observable { place, ty, name: format!("{name}[{index}]") }))
            }
            None if object.array => {
                let place = Place::Array { object: id, size, count };
                Ok(((1, 0, 0, name.to_owned(), 0), Observable { place, ty, name: name.to_owned() }))
            }
            None => {
                let place = Place::Mem { object: id, offset: 0, size };
                Ok(((1, 0, 0, name.to_owned(), 0), Observable { place, ty, name: format!("[{name}]") }))
            }
        }
    }
}

/// In bits.
pub(crate) fn type_width(ty: Type) -> u8 {
    match ty {
        Type::Int { bytes, .. } => 8 * bytes,
        Type::Pointer | Type::Untyped => 64,
    }
}
