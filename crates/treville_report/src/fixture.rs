//! The store-buffering test with its one relaxed execution, built by hand: what golden tests of the formats print.

use crate::Drawing;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use treville_base::{IndexVec, Name, SourceMap, Span};
use treville_event::{BaseRel, Cell, Event, Graph, Kind, Relation, Skeleton};
use treville_ir::{
    Atom, Comparison, Dialect, Expr, Formula, Func, InitCell, Object, Observable, Operand, Place, Program, Quantifier,
    Question, Reg, RegInfo, Root, ThreadId, Type,
};
use treville_task::{
    About, Answer, Counts, FinalState, Finding, Needs, Outcome, Report, Scope, Test, Verdict, Witness,
};
use treville_term::Bv;

const TEXT: &str = "X86 SB\n{ x=0; y=0; }\n P0          | P1          ;\n MOV [x],$1  | MOV [y],$1  ;\n MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)\n";

fn int(value: i64) -> Bv {
    Bv::from_i64(value, 32)
}

pub(crate) fn sources() -> Arc<SourceMap> {
    let mut sources = SourceMap::new();
    sources.add("SB.litmus", TEXT);
    Arc::new(sources)
}

/// Where `text` first occurs in the test.
fn span(text: &str) -> Span {
    let start = TEXT.find(text).unwrap_or(0);
    let mut sources = SourceMap::new();
    Span::new(sources.add("SB.litmus", TEXT), start, start + text.len())
}

fn dialect() -> Dialect {
    Dialect::assembly("X86", "tso", vec!["MFENCE".into()])
}

pub(crate) fn program() -> Program {
    let func = |name: &str| Func {
        name: name.into(),
        params: Vec::new(),
        regs: IndexVec::from(vec![RegInfo { name: "EAX".into(), width: 32 }]),
        blocks: IndexVec::new(),
    };
    let mut program = Program {
        name: "SB".into(),
        dialect: Arc::new(dialect()),
        tags: IndexVec::new(),
        funcs: IndexVec::from(vec![func("P0"), func("P1")]),
        roots: IndexVec::new(),
        objects: IndexVec::new(),
    };
    for (id, name) in program.funcs.ids().zip(["P0", "P1"]) {
        program.roots.push(Root {
            name: name.into(),
            func: id,
            init: Vec::new(),
            scopes: Vec::new(),
            ends_process: false,
        });
    }
    for name in ["x", "y"] {
        let cell = InitCell { offset: 0, size: 4, value: Expr::int(0, 32) };
        let address = program.next_address();
        let ty = Type::Int { bytes: 4, signed: true };
        let object = Object {
            name: name.into(),
            address,
            size: 4,
            ty,
            array: false,
            thread_local: false,
            members: Vec::new(),
            init: vec![cell],
            uninitialized: false,
            span: span("x=0"),
        };
        program.objects.push(object);
    }
    program
}

fn register(thread: u32) -> Place {
    Place::Reg(ThreadId(thread), Reg(0))
}

pub(crate) fn question(quantifier: Quantifier) -> Question {
    let zero = |thread| {
        Formula::Atom(Atom { left: register(thread), op: Comparison::Eq, right: Operand::Value(Bv::from_i64(0, 32)) })
    };
    let observed =
        |thread: u32| Observable { place: register(thread), ty: Type::Untyped, name: format!("{thread}:EAX") };
    Question {
        quantifier,
        condition: Formula::And(vec![zero(0), zero(1)]),
        filter: None,
        observed: vec![observed(0), observed(1)],
        span: None,
    }
}

fn event(thread: Option<u32>, index: u32, kind: Kind, cell: Cell, value: i64, text: &str) -> Event {
    let (read, written) = if kind == Kind::Read { (Some(int(value)), None) } else { (None, Some(int(value))) };
    Event {
        thread,
        index,
        kind,
        tags: Vec::new(),
        cell: Some(cell),
        read,
        written,
        instance: index,
        instr: index,
        access: index,
        register: None,
        span: Some(span(text)),
    }
}

/// Both reads read the initial value.
pub(crate) fn graph(program: &Program) -> Graph {
    let addresses: Vec<u64> = program.objects.iter().map(|o| o.address).collect();
    let [x, y] = [0, 1].map(|i| Cell { address: addresses[i], size: 4 });
    let events = vec![
        event(None, 0, Kind::Init, x, 0, "x=0"),
        event(None, 1, Kind::Init, y, 0, "y=0"),
        event(Some(0), 0, Kind::Write, x, 1, "MOV [x],$1"),
        event(Some(0), 1, Kind::Read, y, 0, "MOV EAX,[y]"),
        event(Some(1), 0, Kind::Write, y, 1, "MOV [y],$1"),
        event(Some(1), 1, Kind::Read, x, 0, "MOV EAX,[x]"),
    ];
    let n = events.len();
    let po = Relation::from_pairs(n, [(2, 3), (4, 5)]);
    let skeleton =
        Skeleton { events: IndexVec::from(events), sets: BTreeMap::new(), rels: BTreeMap::from([(BaseRel::Po, po)]) };
    Graph {
        skeleton: Arc::new(skeleton),
        rf: Relation::from_pairs(n, [(1, 3), (0, 5)]),
        co: Relation::from_pairs(n, [(0, 2), (1, 4)]),
        finals: treville_base::BitSet::from_members(n, [2, 4]),
    }
}

pub(crate) fn drawing() -> Drawing {
    let program = program();
    let mut drawing = Drawing::new(&program, &sources(), &graph(&program), &[], &[]);
    drawing.title = "SB under tso".into();
    drawing.caption = "0:EAX=0; 1:EAX=0;".into();
    drawing
}

pub(crate) fn report(quantifier: Quantifier, verdict: Verdict) -> Report {
    let program = program();
    let witness = |a, b| Witness { graph: graph(&program), picks: Vec::new(), state: vec![vec![int(a)], vec![int(b)]] };
    let state = |a, b| FinalState { values: vec![vec![int(a)], vec![int(b)]], executions: 1, holds: a == 0 && b == 0 };
    let outcome = Outcome {
        answers: vec![Answer::Found(Box::new(witness(0, 0))), Answer::Found(Box::new(witness(0, 1)))],
        states: Some(vec![state(1, 1), state(0, 1), state(0, 0), state(1, 0)]),
        counts: Some(Counts { executions: 4, positive: 1, blocked: 0, candidates: 4 }),
        flags: BTreeMap::from([(Name::new("data-race"), 2)]),
        stats: BTreeMap::from([("candidates", 4)]),
        ..Outcome::default()
    };
    let test = Test {
        program: Arc::new(program),
        question: Arc::new(question(quantifier)),
        sources: sources(),
        info: vec![("Hash".into(), "7dbd6b8e6dd4abc2ef3d48b0376fb2e3".into())],
    };
    let finding =
        Finding { verdict, scope: Scope::complete(), ..Finding::new(About::Test(test), outcome, false, Needs::Answer) };
    Report {
        file: "SB.litmus".into(),
        model: "tso".into(),
        engine: "enumerate".into(),
        chosen: None,
        time: Duration::from_micros(1500),
        result: Ok(Box::new(finding)),
    }
}
