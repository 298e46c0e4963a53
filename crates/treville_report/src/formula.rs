//! Conditions, printed as the field's reference tool prints them: scripts compare these lines.

use treville_ir::{Atom, Comparison, Formula, Operand, Place, Program, Quantifier, Question, Type};

/// The quantifier's word and the formula: `exists (0:r0=1 /\ [x]=2)`.
pub fn show_condition(program: &Program, question: &Question) -> String {
    let word = match question.quantifier {
        Quantifier::Exists => "exists",
        Quantifier::NotExists => "~exists",
        Quantifier::Forall => "forall",
    };
    format!("{word} ({})", show_formula(program, question, &question.condition))
}

/// A formula over the places of a question. `=>` binds weakest, then `\/`, then `/\`.
pub fn show_formula(program: &Program, question: &Question, formula: &Formula) -> String {
    Printer { program, question }.formula(formula, Level::Implies)
}

/// What may stand in a position without parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd)]
enum Level {
    Implies,
    Or,
    And,
}

struct Printer<'a> {
    program: &'a Program,
    question: &'a Question,
}

impl Printer<'_> {
    fn formula(&self, formula: &Formula, at: Level) -> String {
        let (text, level) = match formula {
            Formula::True => return "true".into(),
            Formula::False => return "false".into(),
            Formula::Atom(atom) => return self.atom(atom),
            Formula::Not(inner) => return format!("not ({})", self.formula(inner, Level::Implies)),
            Formula::And(all) => match all.as_slice() {
                [] => return "true".into(),
                [one] => return self.formula(one, at),
                all => (self.join(all, " /\\ ", Level::And), Level::And),
            },
            Formula::Or(any) => match any.as_slice() {
                [] => return "false".into(),
                [one] => return self.formula(one, at),
                any => (self.join(any, " \\/ ", Level::Or), Level::Or),
            },
            Formula::Implies(a, b) => {
                let (a, b) = (self.formula(a, Level::Or), self.formula(b, Level::Implies));
                (format!("{a} => {b}"), Level::Implies)
            }
        };
        if level < at { format!("({text})") } else { text }
    }

    fn join(&self, parts: &[Formula], separator: &str, level: Level) -> String {
        parts.iter().map(|p| self.formula(p, level)).collect::<Vec<_>>().join(separator)
    }

    fn atom(&self, atom: &Atom) -> String {
        let (left, ty) = self.place(&atom.left);
        let right = match &atom.right {
            Operand::Value(value) => self.program.show_value(*value, ty),
            Operand::Place(place) => self.place(place).0,
        };
        match atom.op {
            Comparison::Eq => format!("{left}={right}"),
            Comparison::Ne => format!("not ({left}={right})"),
        }
    }

    /// The name of a place: as states print it, or made up for one that no state lists (in a filter).
    fn place(&self, place: &Place) -> (String, Type) {
        if let Some(observed) = self.question.observed.iter().find(|o| o.place == *place) {
            return (observed.name.clone(), observed.ty);
        }
        match place {
            Place::Reg(thread, reg) => {
                let func = &self.program.funcs[self.program.roots[*thread].func];
                (format!("{}:{}", thread.0, func.regs[*reg].name), Type::Untyped)
            }
            Place::Mem { object, offset, .. } => {
                let object = &self.program.objects[*object];
                let address = object.address + offset;
                let name = self.program.show_address(address).unwrap_or_else(|| object.name.to_string());
                (if object.array { name } else { format!("[{name}]") }, object.ty)
            }
            Place::Array { object, .. } => {
                let object = &self.program.objects[*object];
                (object.name.to_string(), object.ty)
            }
        }
    }
}
