//! Accesses of different sizes, in every dialect that has them: all engines beside the definition, and what no model of a machine
//! allows: that an access is seen in parts.
//!
//! The other dialects have none to offer: accesses of `ARM` have four bytes and those of `LISA` eight (`LDRD` and `LDM` are several
//! accesses); in `C`, of the kernel as well, atomic accesses to parts of each other are refused and plain ones may be torn.

use std::ops::ControlFlow;
use treville_base::{Cancel, Idx};
use treville_bmc::{Bmc, Options};
use treville_enumerate::Enumerate;
use treville_eval::judge;
use treville_event::{BaseRel, EventId, Graph, Relation};
use treville_explore::Explore;
use treville_task::{Engine, Silent};
use treville_testkit::differ::{Findings, compare};
use treville_testkit::random::{SYNTAXES, Syntax, generate_mixed};
use treville_testkit::{Lab, Rng, seeds};

/// Two accesses that are each before the other, by communication between threads in different parts. Initial writes are no
/// accesses of a thread.
fn torn(graph: &Graph) -> bool {
    let n = graph.skeleton.n_events();
    let events = &graph.skeleton.events;
    let access = |e: usize| (events[EventId::from_usize(e)].thread, events[EventId::from_usize(e)].access);
    let fr = graph.rf.inverse().compose(&graph.co);
    let all = graph.rf.union(&graph.co).union(&fr);
    let empty = Relation::new(n);
    let between = all.intersection(graph.skeleton.rels.get(&BaseRel::Ext).unwrap_or(&empty));
    let of_threads = |e: usize| access(e).0.is_some();
    let steps: Vec<_> = between.iter().filter(|&(a, b)| of_threads(a) && of_threads(b)).collect();
    steps.iter().any(|&(a, b)| steps.iter().any(|&(c, d)| access(a) == access(d) && access(b) == access(c)))
}

/// How many executions a test has, or what is wrong.
fn check(lab: &Lab, syntax: &'static dyn Syntax, rng: &mut Rng) -> Result<usize, String> {
    let sketch = generate_mixed(rng, syntax, 300.0);
    let text = sketch.text().ok_or("no text")?;
    let litmus = lab.parse(&text, Some(syntax.is_kernel()))?;
    let mut executions = 0;
    for model in syntax.models() {
        let linked = lab.link(model, &litmus.program.dialect)?;
        let task = lab.task(&litmus, &linked, Cancel::new());
        let question = task.question.clone().ok_or("no question")?;
        let run = |engine: &dyn Engine| Findings::of(&question, &engine.run(&task, &Silent));
        let (fast, plain) = (run(&Enumerate::fast()), run(&Enumerate::plain()));
        if fast != plain {
            let show = |findings: &Findings| findings.show(&task.program, &question);
            return Err(format!("{model}\n{text}\nstaged says:\n{}plain says:\n{}", show(&fast), show(&plain)));
        }
        for engine in [&Bmc::new(Options::default()) as &dyn Engine, &Explore] {
            if engine.run(&task, &Silent).stopped.is_none() {
                compare(engine, &Enumerate::plain(), &task, &task, &linked)
                    .map_err(|e| format!("{model}\n{text}\n{e}"))?;
            }
        }
        let engine = Enumerate::plain();
        let mut found = None;
        engine.candidates().ok_or("no candidates")?.visit(&task, &mut |candidate| {
            let accepted =
                judge(&linked.model, candidate.graph, &Cancel::new()).is_ok_and(|j| j.iter().any(|j| j.accepted));
            executions += usize::from(accepted);
            if accepted && torn(candidate.graph) {
                found = Some(format!("{model}: an access is torn\n{text}"));
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        if let Some(found) = found {
            return Err(found);
        }
    }
    Ok(executions)
}

#[test]
#[expect(clippy::print_stdout, reason = "the seed is part of what the test shows")]
fn accesses_of_different_sizes_are_never_torn() {
    let seeds = seeds(600);
    let lab = Lab::new();
    let syntaxes: Vec<&'static dyn Syntax> = SYNTAXES.iter().copied().filter(|s| s.features().mixed).collect();
    let mut executions = 0;
    for seed in seeds.clone() {
        let mut rng = Rng::new(seed);
        let syntax = syntaxes[seed as usize % syntaxes.len()];
        match check(&lab, syntax, &mut rng) {
            Ok(more) => executions += more,
            Err(why) => panic!("seed {seed}, {}\n{why}", syntax.name()),
        }
    }
    println!("seeds {seeds:?} in {} dialects, {executions} executions", syntaxes.len());
    assert_eq!(syntaxes.len(), 7);
    assert!(executions > 0);
}
