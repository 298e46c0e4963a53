//! Machines of classical B, read and run.

use super::value::{Names, Scope, Value};
use super::{Formula, Reader, Token};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) struct Machine {
    constants: Names,
    pub(crate) variables: Vec<String>,
    pub(crate) invariants: Vec<(String, Formula)>,
    initial: Vec<(Formula, Formula)>,
    pub(crate) operations: Vec<Operation>,
    pub(crate) definitions: BTreeMap<String, Formula>,
}

pub(crate) struct Operation {
    parameters: Vec<String>,
    guards: Vec<Formula>,
    actions: Vec<(Formula, Formula)>,
}

/// What running a machine has shown.
pub(crate) struct Ran {
    pub(crate) states: usize,
    /// Labels of invariants that some state violates.
    pub(crate) violated: BTreeSet<String>,
    /// Definitions that hold in some state.
    pub(crate) reached: BTreeSet<String>,
}

impl Machine {
    pub(crate) fn read(text: &str) -> Machine {
        let mut r = Reader::new(text);
        r.needs("MACHINE");
        r.name();
        r.needs("SETS");
        let mut constants = Names::new();
        loop {
            let set = r.name();
            r.needs("=");
            r.needs("{");
            let elements = r.names();
            r.needs("}");
            for element in &elements {
                constants.insert(element.clone(), Value::Atom(element.clone()));
            }
            constants.insert(set, Value::Set(elements.into_iter().map(Value::Atom).collect()));
            if !r.takes(";") {
                break;
            }
        }
        r.needs("CONSTANTS");
        let names = r.names();
        r.needs("PROPERTIES");
        let properties = r.formula();
        for (name, property) in names.iter().zip(properties.conjuncts()) {
            let Formula::Bin("=", left, right) = property else { panic!("{property:?} gives no value") };
            assert_eq!(**left, Formula::Name(name.clone()));
            let value = Scope::new(&constants).eval(right);
            constants.insert(name.clone(), value);
        }
        let mut definitions = BTreeMap::new();
        if r.takes("DEFINITIONS") {
            loop {
                let name = r.name();
                r.needs("==");
                definitions.insert(name, r.formula());
                if !r.takes(";") {
                    break;
                }
            }
        }
        r.needs("VARIABLES");
        let variables = r.names();
        r.needs("INVARIANT");
        let invariants = labelled(&mut r);
        r.needs("INITIALISATION");
        let initial = assignments(&mut r);
        r.needs("OPERATIONS");
        let mut operations = vec![operation(&mut r)];
        while r.takes(";") {
            operations.push(operation(&mut r));
        }
        r.needs("END");
        assert!(r.peek().is_none(), "something is after the end");
        Machine { constants, variables, invariants, initial, operations, definitions }
    }

    /// Every state that can be reached, each once.
    pub(crate) fn run(&self) -> Ran {
        let mut state = self.constants.clone();
        for (target, value) in &self.initial {
            let Formula::Name(name) = target else { panic!("{target:?} is no variable") };
            let value = Scope::new(&self.constants).eval(value);
            state.insert(name.clone(), value);
        }
        let own = |state: &Names| self.variables.iter().map(|name| state[name].clone()).collect::<Vec<Value>>();
        let mut seen = BTreeSet::from([own(&state)]);
        let mut open = vec![state];
        let mut ran = Ran { states: 0, violated: BTreeSet::new(), reached: BTreeSet::new() };
        while let Some(state) = open.pop() {
            ran.states += 1;
            let scope = Scope::new(&state);
            for (label, invariant) in &self.invariants {
                if !ran.violated.contains(label) && !scope.holds(invariant) {
                    ran.violated.insert(label.clone());
                }
            }
            for (name, definition) in &self.definitions {
                if scope.holds(definition) {
                    ran.reached.insert(name.clone());
                }
            }
            for operation in &self.operations {
                operation.steps(&state, &mut |next| {
                    if seen.insert(own(&next)) {
                        open.push(next);
                    }
                });
            }
        }
        ran
    }
}

impl Operation {
    fn steps(&self, state: &Names, visit: &mut dyn FnMut(Names)) {
        let guards: Vec<&Formula> = self.guards.iter().collect();
        Scope::new(state).solutions(&self.parameters, &guards, &mut |scope| {
            let mut next = state.clone();
            for (target, value) in &self.actions {
                let value = scope.eval(value);
                match target {
                    Formula::Name(name) => {
                        next.insert(name.clone(), value);
                    }
                    Formula::Call(f, at) => {
                        let (Formula::Name(name), [at]) = (&**f, at.as_slice()) else { panic!("{f:?}") };
                        let at = scope.eval(at);
                        let Some(Value::Set(function)) = next.get_mut(name) else { panic!("{name} is no function") };
                        function.retain(|entry| !matches!(entry, Value::Pair(a, _) if **a == at));
                        function.insert(Value::Pair(Box::new(at), Box::new(value)));
                    }
                    other => panic!("{other:?} gets no value"),
                }
            }
            visit(next);
        });
    }
}

/// `/* @label */ (formula) & …`
fn labelled(r: &mut Reader) -> Vec<(String, Formula)> {
    let mut parts = Vec::new();
    loop {
        let label = match r.peek() {
            Some(Token::Label(label)) => label.clone(),
            other => panic!("a label before {other:?}"),
        };
        r.at += 1;
        r.needs("(");
        let formula = r.formula();
        r.needs(")");
        parts.push((label, formula));
        if !r.takes("&") {
            return parts;
        }
    }
}

fn assignments(r: &mut Reader) -> Vec<(Formula, Formula)> {
    let mut parts = Vec::new();
    loop {
        let target = r.formula();
        r.needs(":=");
        parts.push((target, r.formula()));
        if !r.takes("||") {
            return parts;
        }
    }
}

fn operation(r: &mut Reader) -> Operation {
    let _name = r.name();
    r.needs("=");
    let parameters = if r.takes("ANY") {
        let parameters = r.names();
        r.needs("WHERE");
        parameters
    } else {
        r.needs("SELECT");
        Vec::new()
    };
    let guards = labelled(r).into_iter().map(|(_, guard)| guard).collect();
    r.needs("THEN");
    let actions = assignments(r);
    r.needs("END");
    Operation { parameters, guards, actions }
}
