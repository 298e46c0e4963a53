//! Values do not come out of thin air on a machine: in what its model accepts, no read gets its value from a write whose value was
//! computed from that read. Instructions that read and write memory without a lock are two accesses like any others.
//!
//! Not under `sc`, which follows the reference here: an atomic instruction may read from a write that comes after its own
//! (`models/sc.md`).

use std::ops::ControlFlow;
use treville_base::Cancel;
use treville_enumerate::Enumerate;
use treville_eval::judge;
use treville_event::{BaseRel, Graph};
use treville_task::Engine;
use treville_testkit::random::{SYNTAXES, Syntax, generate};
use treville_testkit::{Lab, Rng, seeds};

/// Whether a value leads to itself, through memory and through what instructions compute.
fn is_from_thin_air(graph: &Graph) -> bool {
    let computed = [BaseRel::Data, BaseRel::IicoData];
    let flows = computed.iter().filter_map(|rel| graph.skeleton.rels.get(rel));
    let flow = flows.fold(graph.rf.clone(), |all, more| all.union(more));
    let closed = flow.transitive_closure();
    (0..graph.skeleton.n_events()).any(|e| closed.contains(e, e))
}

/// How many executions a test has, or what is wrong.
fn check(lab: &Lab, syntax: &'static dyn Syntax, rng: &mut Rng) -> Result<usize, String> {
    let sketch = generate(rng, syntax, 300.0);
    let text = sketch.text().ok_or("no text")?;
    let litmus = lab.parse(&text, Some(syntax.is_kernel()))?;
    let mut executions = 0;
    for model in syntax.models().iter().filter(|model| **model != "sc") {
        let linked = lab.link(model, &litmus.program.dialect)?;
        let task = lab.task(&litmus, &linked, Cancel::new());
        let engine = Enumerate::plain();
        let mut found = false;
        engine.candidates().ok_or("no candidates")?.visit(&task, &mut |candidate| {
            let accepted =
                judge(&linked.model, candidate.graph, &Cancel::new()).is_ok_and(|j| j.iter().any(|j| j.accepted));
            executions += usize::from(accepted);
            found |= accepted && is_from_thin_air(candidate.graph);
            if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if found {
            return Err(format!("{model}: a value out of thin air\n{text}"));
        }
    }
    Ok(executions)
}

#[test]
#[expect(clippy::print_stdout, reason = "the seed is part of what the test shows")]
fn values_do_not_come_out_of_thin_air() {
    let seeds = seeds(400);
    let lab = Lab::new();
    let syntaxes: Vec<&'static dyn Syntax> = SYNTAXES.iter().copied().filter(|s| s.name().starts_with("X86")).collect();
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
    assert!(executions > 0);
}
