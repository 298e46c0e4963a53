//! A program as a refinement of its memory: one event for each step of each thread.

use super::memory::{KIND_SETS, KINDS};
use super::parts::{Component, Event, Labelled};
use std::collections::{BTreeMap, BTreeSet};
use treville_base::{Idx, SourceMap};
use treville_ir::{Aware, Claims, Comparison, Program, Prop, Reg, Term, ThreadId};
use treville_task::{GuardedAccess, GuardedEvent, GuardedProgram, GuardedThread, Number, RestingKind, Truth};

/// Words that mean something in one of the notations, or in what is there beside the program.
const RESERVED: &str = "\
    ACT D CW EW I KIND M MAX_ACTIONS OW T VAL VAR a e hb init_val init_var k kind m mo n p pc q rdval rf s sb t \
    t0 tid var w wrval x read write update INITIALISATION BOOL FALSE INT INTEGER NAT NATURAL NAT1 POW TRUE any \
    axioms begin bool card constants context convergent dom end event events extends false finite id inter \
    invariants machine max min mod not or partition pred prj1 prj2 ran refines sees sets skip succ then theorem \
    true union variables variant when where with ABSTRACT_CONSTANTS ABSTRACT_VARIABLES ANY ASSERT ASSERTIONS BE \
    BEGIN CASE CHOICE CONSTANTS CONSTRAINTS DEFINITIONS DO EITHER ELSE ELSIF END EXTENDS IF IMPORTS IN INCLUDES \
    INVARIANT LET LOCAL_OPERATIONS MACHINE MAXINT MININT OF OPERATIONS OR PI PRE PROMOTES PROPERTIES REFINES \
    SEES SELECT SETS SIGMA STRING THEN USES VALUES VARIABLES VARIANT WHEN WHERE WHILE arity bin bot btree \
    closure closure1 conc const father first fnc front infix insert_front iseq iterate last left mirror perm \
    postfix prefix rank rec rel rev right seq size sizet son sons struct subtree tail top tree xor";

/// What things of the program are called.
pub(super) struct Names {
    pub(super) threads: Vec<String>,
    pub(super) vars: Vec<String>,
    registers: BTreeMap<(usize, usize), String>,
    taken: BTreeSet<String>,
}

impl Names {
    pub(super) fn new(program: &Program, guarded: &GuardedProgram) -> Self {
        let reserved = RESERVED.split(' ').chain(KINDS.iter().copied()).chain(KIND_SETS.iter().map(|(name, _)| *name));
        let mut names = Names {
            threads: Vec::new(),
            vars: Vec::new(),
            registers: BTreeMap::new(),
            taken: reserved.map(str::to_owned).collect(),
        };
        for thread in &guarded.threads {
            let name = names.fresh(&program.roots[thread.id].name);
            names.threads.push(name);
        }
        for (object, _) in &guarded.vars {
            let name = names.fresh(&program.objects[*object].name);
            names.vars.push(name);
        }
        for (thread, facts) in guarded.threads.iter().enumerate() {
            let func = &program.funcs[program.roots[facts.id].func];
            for (reg, _) in &facts.registers {
                let wanted = format!("{}_{}", names.threads[thread], func.regs[*reg].name.replace('%', "tmp"));
                let name = names.fresh(&wanted);
                names.registers.insert((thread, reg.index()), name);
            }
        }
        names
    }

    /// A name that nothing else has.
    pub(super) fn fresh(&mut self, wanted: &str) -> String {
        let letters: String = wanted.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let first =
            if letters.starts_with(|c: char| c.is_ascii_alphabetic()) { letters } else { format!("n{letters}") };
        let mut name = first.clone();
        for i in 2.. {
            if self.taken.insert(name.clone()) {
                break;
            }
            name = format!("{first}_{i}");
        }
        name
    }

    fn register(&self, thread: usize, reg: Reg) -> String {
        // What a state does not have is always 0.
        self.registers.get(&(thread, reg.index())).cloned().unwrap_or_else(|| "0".to_owned())
    }
}

pub(super) struct Refinement<'a> {
    pub(super) claims: &'a Claims,
    pub(super) sources: &'a SourceMap,
    pub(super) guarded: &'a GuardedProgram,
    pub(super) names: &'a Names,
}

impl Refinement<'_> {
    pub(super) fn machine(&self) -> Component {
        let counters = |value: &dyn Fn(&GuardedThread) -> i64| {
            let pairs = self.guarded.threads.iter().zip(&self.names.threads);
            let pairs = pairs.map(|(thread, name)| format!("{name} |-> {}", value(thread)));
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
        };
        let mut machine = Component {
            variables: vec!["pc".into()],
            invariants: vec![("type_pc".into(), "pc : (T \\ {t0}) --> NAT".into())],
            initial: vec![("pc".into(), counters(&|thread| thread.start))],
            events: Vec::new(),
        };
        for (thread, facts) in self.guarded.threads.iter().enumerate() {
            for (reg, value) in &facts.registers {
                let name = self.names.register(thread, *reg);
                machine.invariants.push((format!("type_{name}"), format!("{name} : INT")));
                machine.initial.push((name.clone(), value.to_string()));
                machine.variables.push(name);
            }
        }
        for (thread, facts) in self.guarded.threads.iter().enumerate() {
            let failed = facts.places.iter().filter(|place| place.kind == RestingKind::Failed);
            let name = &self.names.threads[thread];
            for place in failed {
                machine.invariants.push((format!("assert_{name}_{}", place.pc), format!("pc({name}) /= {}", place.pc)));
            }
        }
        let invariants = self.claims.invariants.iter();
        machine.invariants.extend(invariants.map(|claim| (format!("inv_{}", claim.name), self.prop(&claim.prop, 0))));
        let mut taken = BTreeSet::new();
        for event in &self.guarded.events {
            let mut event = self.event(event);
            let wanted = event.name.clone();
            for i in 2.. {
                if taken.insert(event.name.clone()) {
                    break;
                }
                event.name = format!("{wanted}_{i}");
            }
            machine.events.push(event);
        }
        machine
    }

    fn event(&self, event: &GuardedEvent) -> Event {
        let thread = event.thread.index();
        let name = &self.names.threads[thread];
        let mut guards: Vec<Labelled> = vec![("at".into(), format!("pc({name}) = {}", event.from))];
        let (extends, var, kind, written, read) = match &event.access {
            GuardedAccess::None => (None, None, "", None, "0"),
            GuardedAccess::Read { var, acquire } => {
                (Some("read"), Some(*var), if *acquire { "Rd_A" } else { "Rd_X" }, None, "n")
            }
            GuardedAccess::Write { var, release, value } => {
                (Some("write"), Some(*var), if *release { "Wr_R" } else { "Wr_X" }, Some(value), "0")
            }
            GuardedAccess::Update { var, order, value } => {
                let kind = match (order.acquires(), order.releases()) {
                    (false, false) => "U_X",
                    (true, false) => "U_A",
                    (false, true) => "U_R",
                    (true, true) => "U_RA",
                };
                (Some("update"), Some(*var), kind, Some(value), "m")
            }
        };
        let words = Words { names: self.names, thread, read };
        if let Some(var) = var {
            guards.push(("by".into(), format!("t = {name}")));
            guards.push(("of".into(), format!("x = {}", self.names.vars[var])));
            guards.push(("as".into(), format!("k = {kind}")));
        }
        guards.extend(written.map(|value| ("writes".into(), format!("n = {}", words.number(value)))));
        for (i, guard) in event.guards.iter().enumerate() {
            guards.push((format!("if{}", i + 1), words.truth(guard)));
        }
        let mut actions = vec![(format!("pc({name})"), event.to.to_string())];
        let sets = event.sets.iter().map(|(reg, value)| (self.names.register(thread, *reg), words.number(value)));
        actions.extend(sets);
        let what = match var {
            Some(var) => format!("{}_{}", kind_word(kind), self.names.vars[var]),
            None => format!("skip_{}", event.from),
        };
        let value = match written {
            Some(Number::Int(value)) => format!("_{}", value.to_string().replace('-', "minus_")),
            _ => String::new(),
        };
        let source = self.sources.snippet(event.span).split_whitespace().collect::<Vec<_>>().join(" ");
        Event {
            name: format!("{name}_{what}{value}"),
            comment: Some(format!("line {}: {source}", self.sources.start(event.span).line)),
            extends,
            parameters: Vec::new(),
            guards,
            actions,
        }
    }

    /// A property of a state; `depth` quantifiers are around it.
    pub(super) fn prop(&self, prop: &Prop, depth: usize) -> String {
        let all = |parts: &[Prop], word: &str, none: &str| match parts {
            [] => none.to_owned(),
            parts => parts.iter().map(|p| format!("({})", self.prop(p, depth))).collect::<Vec<_>>().join(word),
        };
        match prop {
            Prop::Const(true) => "0 = 0".to_owned(),
            Prop::Const(false) => "0 = 1".to_owned(),
            Prop::Not(inner) => format!("not({})", self.prop(inner, depth)),
            Prop::And(parts) => all(parts, " & ", "0 = 0"),
            Prop::Or(parts) => all(parts, " or ", "0 = 1"),
            Prop::Implies(a, b) => format!("({}) => ({})", self.prop(a, depth), self.prop(b, depth)),
            Prop::At { thread, labels } => self.at(*thread, labels),
            Prop::Compare { left, op, right } => self.compare(left, *op, right),
            Prop::Writes { all, aware, thread, object, body } => {
                let set = match aware {
                    Aware::Observable => "OW",
                    Aware::Encountered => "EW",
                };
                let thread = &self.names.threads[thread.index()];
                let var = self.guarded.vars.iter().position(|(known, _)| known == object).unwrap_or(0);
                let (write, var) = (write_name(depth), &self.names.vars[var]);
                let body = self.prop(body, depth + 1);
                let range = format!("{write} : {set}[{{{thread}}}] & var({write}) = {var}");
                if *all {
                    format!("!{write}.(({range}) => ({body}))")
                } else {
                    format!("#{write}.({range} & ({body}))")
                }
            }
        }
    }

    fn at(&self, thread: ThreadId, labels: &BTreeSet<treville_base::Name>) -> String {
        let places = &self.guarded.threads[thread.index()].places;
        let here = places.iter().filter(|place| place.label.as_ref().is_some_and(|label| labels.contains(label)));
        let pcs: Vec<String> = here.map(|place| place.pc.to_string()).collect();
        let name = &self.names.threads[thread.index()];
        match pcs.as_slice() {
            [] => "0 = 1".to_owned(),
            [pc] => format!("pc({name}) = {pc}"),
            pcs => format!("pc({name}) : {{{}}}", pcs.join(", ")),
        }
    }

    fn compare(&self, left: &Term, op: Comparison, right: &Term) -> String {
        // A truth that is compared with one is that truth, or not.
        if let (Term::Released(_) | Term::Covered(_), Term::Int(value @ (0 | 1)), Comparison::Eq | Comparison::Ne) =
            (left, right, op)
        {
            let truth = self.membership(left);
            return if (op == Comparison::Eq) == (*value == 1) { truth } else { format!("not({truth})") };
        }
        format!("{} {} {}", self.term(left), sign(op), self.term(right))
    }

    fn membership(&self, term: &Term) -> String {
        match term {
            Term::Released(write) => format!("kind({}) : Rel", write_name(usize::from(write.0))),
            Term::Covered(write) => format!("{} : CW", write_name(usize::from(write.0))),
            _ => "0 = 1".to_owned(),
        }
    }

    fn term(&self, term: &Term) -> String {
        match term {
            Term::Int(value) => value.to_string(),
            Term::Reg(thread, reg) => self.names.register(thread.index(), *reg),
            Term::Value(write) => format!("wrval({})", write_name(usize::from(write.0))),
            Term::Released(_) | Term::Covered(_) => number_of(&self.membership(term)),
            Term::Add(a, b) => format!("({} + {})", self.term(a), self.term(b)),
            Term::Sub(a, b) => format!("({} - {})", self.term(a), self.term(b)),
        }
    }
}

fn kind_word(kind: &str) -> String {
    let (letters, order) = kind.split_once('_').unwrap_or((kind, ""));
    format!("{}{order}", if letters == "U" { "up".to_owned() } else { letters.to_lowercase() })
}

fn write_name(depth: usize) -> String {
    format!("w{}", depth + 1)
}

fn number_of(truth: &str) -> String {
    format!("{{TRUE |-> 1, FALSE |-> 0}}(bool({truth}))")
}

fn sign(op: Comparison) -> &'static str {
    match op {
        Comparison::Eq => "=",
        Comparison::Ne => "/=",
        Comparison::Lt => "<",
        Comparison::Le => "<=",
        Comparison::Gt => ">",
        Comparison::Ge => ">=",
    }
}

/// Expressions of one thread.
struct Words<'a> {
    names: &'a Names,
    thread: usize,
    /// What was read.
    read: &'static str,
}

impl Words<'_> {
    fn number(&self, number: &Number) -> String {
        match number {
            Number::Int(value) => value.to_string(),
            Number::Reg(reg) => self.names.register(self.thread, *reg),
            Number::Read => self.read.to_owned(),
            Number::Negate(a) => format!("(0 - {})", self.number(a)),
            Number::Add(a, b) => format!("({} + {})", self.number(a), self.number(b)),
            Number::Sub(a, b) => format!("({} - {})", self.number(a), self.number(b)),
            Number::Of(truth) => number_of(&self.truth(truth)),
        }
    }

    fn truth(&self, truth: &Truth) -> String {
        match truth {
            Truth::Const(true) => "0 = 0".to_owned(),
            Truth::Const(false) => "0 = 1".to_owned(),
            Truth::Not(a) => format!("not({})", self.truth(a)),
            Truth::And(a, b) => format!("({}) & ({})", self.truth(a), self.truth(b)),
            Truth::Or(a, b) => format!("({}) or ({})", self.truth(a), self.truth(b)),
            Truth::Compare(op, a, b) => format!("{} {} {}", self.number(a), sign(*op), self.number(b)),
        }
    }
}
