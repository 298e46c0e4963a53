//! Properties of states, ready to be evaluated often.

mod simplify;

use crate::code::{Code, number as word_number};
use crate::memory::{Memory, Seen};
use crate::system::{State, System};
use std::collections::BTreeSet;
use treville_base::Idx;
use treville_ir::{Aware, Comparison, ObjectId, Prop, Term, ThreadId};
use treville_task::Unsupported;

#[derive(Clone, PartialEq)]
pub(crate) enum Check {
    Const(bool),
    Not(Box<Check>),
    And(Vec<Check>),
    Or(Vec<Check>),
    /// Whether the thread is at such a node.
    At {
        thread: usize,
        nodes: Vec<bool>,
    },
    Compare(Number, Comparison, Number),
    Writes {
        all: bool,
        aware: Aware,
        thread: usize,
        var: usize,
        body: Box<Check>,
    },
}

#[derive(Clone, PartialEq)]
pub(crate) enum Number {
    Int(i64),
    /// A register of all threads, with its width: a number with a sign, whatever was read into it.
    Reg(usize, u8),
    /// What the write with this number is, as a number of this width, with or without a sign.
    Value(usize, u8, bool),
    Released(usize),
    Covered(usize),
    Add(Box<Number>, Box<Number>),
    Sub(Box<Number>, Box<Number>),
}

/// Writes that quantifiers range over, with the width of their values and whether these have a sign.
type Scope = Vec<(u8, bool)>;

/// With more quantifiers inside one another, a single state could take longer than any limit on time.
const MOST_NESTED: usize = 6;

impl Check {
    pub(crate) fn compile(prop: &Prop, code: &Code) -> Result<Check, Unsupported> {
        Ok(check(prop, code, &mut Vec::new())?.simplified())
    }

    pub(crate) fn holds<M: Memory>(&self, system: &System<'_, M>, state: &State<M::State>) -> bool {
        self.eval(system, state, &mut Vec::new())
    }

    fn eval<M: Memory>(&self, system: &System<'_, M>, state: &State<M::State>, writes: &mut Vec<Seen>) -> bool {
        match self {
            Check::Const(value) => *value,
            Check::Not(inner) => !inner.eval(system, state, writes),
            Check::And(all) => all.iter().all(|part| part.eval(system, state, writes)),
            Check::Or(any) => any.iter().any(|part| part.eval(system, state, writes)),
            Check::At { thread, nodes } => nodes[usize::from(state.nodes[*thread])],
            Check::Compare(left, op, right) => {
                let (a, b) = (left.eval(&state.regs, writes), right.eval(&state.regs, writes));
                op.compares(a, b)
            }
            Check::Writes { all, aware, thread, var, body } => {
                let mut seen = Vec::new();
                system.memory.aware(&state.memory, *thread, *var, *aware, &mut seen);
                let mut holds = |write: Seen| {
                    writes.push(write);
                    let holds = body.eval(system, state, writes);
                    writes.pop();
                    holds
                };
                if *all { seen.into_iter().all(holds) } else { seen.into_iter().any(&mut holds) }
            }
        }
    }
}

impl Number {
    /// Its value. Sums are those of mathematics: a property has too few parts for them to leave 128 bits.
    fn eval(&self, regs: &[u64], writes: &[Seen]) -> i128 {
        match self {
            Number::Int(value) => i128::from(*value),
            Number::Reg(reg, width) => word_number(regs[*reg], *width, true),
            Number::Value(write, width, is_signed) => word_number(writes[*write].value, *width, *is_signed),
            Number::Released(write) => i128::from(writes[*write].released),
            Number::Covered(write) => i128::from(writes[*write].covered),
            Number::Add(a, b) => a.eval(regs, writes).wrapping_add(b.eval(regs, writes)),
            Number::Sub(a, b) => a.eval(regs, writes).wrapping_sub(b.eval(regs, writes)),
        }
    }
}

fn check(prop: &Prop, code: &Code, scope: &mut Scope) -> Result<Check, Unsupported> {
    let mut all = |parts: &[Prop]| parts.iter().map(|p| check(p, code, scope)).collect::<Result<Vec<_>, _>>();
    Ok(match prop {
        Prop::Const(value) => Check::Const(*value),
        Prop::Not(inner) => Check::Not(Box::new(check(inner, code, scope)?)),
        Prop::And(parts) => Check::And(all(parts)?),
        Prop::Or(parts) => Check::Or(all(parts)?),
        Prop::Implies(a, b) => {
            let left = Check::Not(Box::new(check(a, code, scope)?));
            Check::Or(vec![left, check(b, code, scope)?])
        }
        Prop::At { thread, labels } => {
            let nodes = &code.threads[thread.index()].nodes;
            let is_at = |label: &Option<treville_base::Name>| label.as_ref().is_some_and(|l| labels.contains(l));
            Check::At { thread: thread.index(), nodes: nodes.iter().map(|node| is_at(&node.label)).collect() }
        }
        Prop::Compare { left, op, right } => {
            Check::Compare(number(left, code, scope)?, *op, number(right, code, scope)?)
        }
        Prop::Writes { all, aware, thread, object, body } => {
            let Some(var) = code.var_of(*object) else { return Err(unknown("a variable that no thread accesses")) };
            if scope.len() >= MOST_NESTED {
                let what = format!("more than {MOST_NESTED} quantifiers over writes inside one another");
                return Err(unknown(&what));
            }
            scope.push((code.vars[var].width, code.vars[var].is_signed));
            let body = check(body, code, scope);
            scope.pop();
            Check::Writes { all: *all, aware: *aware, thread: thread.index(), var, body: Box::new(body?) }
        }
    })
}

fn number(term: &Term, code: &Code, scope: &Scope) -> Result<Number, Unsupported> {
    let write = |var: &treville_ir::WriteVar| {
        let at = usize::from(var.0);
        scope.get(at).map(|kind| (at, *kind)).ok_or_else(|| unknown("a write outside of its quantifier"))
    };
    Ok(match term {
        Term::Int(value) => Number::Int(*value),
        Term::Reg(thread, reg) => {
            let thread = &code.threads[thread.index()];
            Number::Reg(thread.first_reg + reg.index(), thread.widths[reg.index()])
        }
        Term::Value(var) => {
            let (at, (width, is_signed)) = write(var)?;
            Number::Value(at, width, is_signed)
        }
        Term::Released(var) => Number::Released(write(var)?.0),
        Term::Covered(var) => Number::Covered(write(var)?.0),
        Term::Add(a, b) => Number::Add(Box::new(number(a, code, scope)?), Box::new(number(b, code, scope)?)),
        Term::Sub(a, b) => Number::Sub(Box::new(number(a, code, scope)?), Box::new(number(b, code, scope)?)),
    })
}

fn unknown(what: &str) -> Unsupported {
    Unsupported { what: format!("{what} in a property"), span: None }
}

/// Threads whose program counters a property looks at.
pub(crate) fn watched_threads(prop: &Prop, into: &mut BTreeSet<usize>) {
    prop.visit(&mut |part| {
        if let Prop::At { thread, .. } = part {
            into.insert(thread.index());
        }
    });
}

/// Variables of which a property asks what threads have encountered.
pub(crate) fn encountered_objects(prop: &Prop, into: &mut BTreeSet<ObjectId>) {
    prop.visit(&mut |part| {
        if let Prop::Writes { aware: Aware::Encountered, object, .. } = part {
            into.insert(*object);
        }
    });
}

/// What a property looks at: who may observe what.
pub(crate) fn observed(prop: &Prop, into: &mut BTreeSet<(ThreadId, ObjectId)>) {
    prop.visit(&mut |part| {
        if let Prop::Writes { thread, object, .. } = part {
            into.insert((*thread, *object));
        }
    });
}
