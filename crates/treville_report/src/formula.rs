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
            Comparison::Lt => format!("{left}<{right}"),
            Comparison::Le => format!("{left}<={right}"),
            Comparison::Gt => format!("{left}>{right}"),
            Comparison::Ge => format!("{left}>={right}"),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use treville_ir::{Reg, ThreadId};
    use treville_term::Bv;

    fn atom(thread: u32, value: i64) -> Formula {
        let right = Operand::Value(Bv::from_i64(value, 32));
        Formula::Atom(Atom { left: Place::Reg(ThreadId(thread), Reg(0)), op: Comparison::Eq, right })
    }

    fn shown(formula: &Formula) -> String {
        show_formula(&fixture::program(), &fixture::question(Quantifier::Exists), formula)
    }

    /// `/\\` binds tighter than `\\/`, which binds tighter than `=>`; what binds more loosely inside gets parentheses.
    #[test]
    fn parentheses_only_where_they_are_needed() {
        let (a, b, c) = (atom(0, 0), atom(1, 0), atom(1, -1));
        let and = |x: &Formula, y: &Formula| Formula::And(vec![x.clone(), y.clone()]);
        let or = |x: &Formula, y: &Formula| Formula::Or(vec![x.clone(), y.clone()]);
        let implies = |x: &Formula, y: &Formula| Formula::Implies(Box::new(x.clone()), Box::new(y.clone()));
        assert_eq!(shown(&or(&and(&a, &b), &c)), r"0:EAX=0 /\ 1:EAX=0 \/ 1:EAX=-1");
        assert_eq!(shown(&and(&or(&a, &b), &c)), r"(0:EAX=0 \/ 1:EAX=0) /\ 1:EAX=-1");
        assert_eq!(shown(&and(&implies(&a, &b), &c)), r"(0:EAX=0 => 1:EAX=0) /\ 1:EAX=-1");
        assert_eq!(shown(&implies(&or(&a, &b), &c)), r"0:EAX=0 \/ 1:EAX=0 => 1:EAX=-1");
        assert_eq!(shown(&Formula::Not(Box::new(or(&a, &b)))), r"not (0:EAX=0 \/ 1:EAX=0)");
    }

    #[test]
    fn nothing_to_join() {
        assert_eq!(shown(&Formula::And(Vec::new())), "true");
        assert_eq!(shown(&Formula::Or(Vec::new())), "false");
        assert_eq!(shown(&Formula::And(vec![Formula::Or(vec![atom(0, 1)])])), "0:EAX=1");
    }

    /// A filter may speak of places that no state lists.
    #[test]
    fn places_that_no_state_lists_get_a_name() {
        let program = fixture::program();
        let object = program.object_named("y").unwrap_or_else(|| panic!("there is a y"));
        let left = Place::Mem { object, offset: 0, size: 4 };
        let right = Operand::Place(Place::Reg(ThreadId(1), Reg(0)));
        assert_eq!(shown(&Formula::Atom(Atom { left, op: Comparison::Ne, right })), "not ([y]=1:EAX)");
    }
}
