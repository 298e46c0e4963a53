//! What is done with one text. Everything that a person could see of it is printed, so that printing is tried as well.

use std::collections::BTreeMap;
use treville_base::{Cancel, Diagnostic, SourceMap};
use treville_cat::{BUNDLED_ONLY, Parens, lint, parse_unit, print};
use treville_ir::validate;
use treville_llvm::{Block, Body, LowerOptions, Module, lower, parse};
use treville_verifier::report::{
    Details, Palette, classical_b, dot, event_b, explanation, herd, html, json, placement, placement_json,
    render_diagnostics, svg, text,
};
use treville_verifier::task::{CheckError, Finding, Report, Silent, VerdictKind};
use treville_verifier::{
    Flushes, MemoryFiles, ModelOptions, Options, RunOptions, Session, ShowOptions, Stage, States, SynthOptions, Which,
};

/// How far a text came.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Reached {
    /// It is wrong, and that was said.
    Rejected,
    /// It was read, and could not be run to an end.
    Read,
    /// It was run to an end.
    Ran,
}

/// How often one run may look whether it is to stop; the whole of an input takes a few of these.
const EFFORT: u64 = 2_000;
/// Longer texts try patience, not the parsers.
const LONGEST: usize = 1 << 17;

/// Tests that every model is run on: reads, writes, fences, updates, dependencies.
const TESTS: [(&str, &str); 2] = [
    (
        "a.litmus",
        "X86 a\n{}\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MFENCE | ;\n MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)\n",
    ),
    (
        "b.litmus",
        "C b\n{}\nP0 (atomic_int* x, int* y) {\n  *y = 1;\n  atomic_store_explicit(x, 1, memory_order_release);\n}\nP1 (atomic_int* x, int* y) {\n  int r0 = atomic_fetch_add_explicit(x, 1, memory_order_acquire);\n  if (r0 == 1) { int r1 = *y; }\n}\nexists (1:r0=1)\n",
    ),
];

/// Takes a text as a memory model.
///
/// # Panics
/// If printing changes the model, or the fast evaluation differs from the definition: these are bugs.
pub fn cat(model: &str) -> Reached {
    if model.len() > LONGEST {
        return Reached::Rejected;
    }
    let mut sources = SourceMap::new();
    let unit = match parse_unit("input.cat", model, &mut sources, &BUNDLED_ONLY) {
        Ok(unit) => unit,
        Err(errors) => return rejected(&errors, &sources),
    };
    render_diagnostics(&lint(&unit), &sources, Palette::PLAIN);
    for parens in [Parens::All, Parens::Needed] {
        let printed = print(&unit, parens);
        let again = parse_unit("printed.cat", &printed, &mut sources, &BUNDLED_ONLY);
        // A tree just below the limit on nesting may be above it once it has parentheses.
        if again.as_ref().is_err_and(|errors| errors.iter().all(|e| e.message.ends_with("levels deep"))) {
            continue;
        }
        let again = again.map(|unit| print(&unit, parens));
        assert_eq!(again.as_ref().ok(), Some(&printed), "a printed model reads back as itself");
    }
    let mut files: BTreeMap<String, String> =
        TESTS.iter().map(|(name, test)| (name.to_string(), test.to_string())).collect();
    files.insert("input.cat".into(), model.into());
    let files = MemoryFiles(files);
    let session = Session::new(&files, Cancel::new());
    let own = ModelOptions { name: Some("input.cat".into()), ..ModelOptions::default() };
    match session.check_model(&own, None) {
        Ok(checked) => drop(render_diagnostics(&checked.diagnostics, &checked.sources, Palette::PLAIN)),
        Err(failure) => drop(show_failure(&failure)),
    }
    TESTS.iter().map(|(test, _)| run(&session, test, Some("input.cat"))).max().unwrap_or(Reached::Read)
}

/// Takes a text as a litmus test.
///
/// # Panics
/// If the fast evaluation differs from the definition: this is a bug.
pub fn litmus(test: &str) -> Reached {
    if test.len() > LONGEST {
        return Reached::Rejected;
    }
    let files = MemoryFiles(BTreeMap::from([("input.litmus".into(), test.into())]));
    let session = Session::new(&files, Cancel::new());
    run(&session, "input.litmus", None)
}

/// Takes a text as a program in .pts, under its own model and compiled for a machine.
///
/// # Panics
/// If the fast evaluation differs from the definition: this is a bug.
pub fn pts(text: &str) -> Reached {
    if text.len() > LONGEST {
        return Reached::Rejected;
    }
    let files = MemoryFiles(BTreeMap::from([("input.pts".into(), text.into())]));
    let session = Session::new(&files, Cancel::new());
    run(&session, "input.pts", None).max(run(&session, "input.pts", Some("power")))
}

/// Takes a text as a program in .rar: on two machines, step by step from everywhere, and in B. A run on views that cannot be
/// repeated on graphs is a bug, which the engine says itself.
///
/// # Panics
/// If it says so.
pub fn rar(text: &str) -> Reached {
    if text.len() > LONGEST {
        return Reached::Rejected;
    }
    let files = MemoryFiles(BTreeMap::from([("input.rar".into(), text.into())]));
    let session = Session::new(&files, Cancel::new());
    let mut options = of_runs();
    options.run.max_states = Some(20_000);
    let on_views = session.verify("input.rar", &options, &Silent);
    let reason = on_views.reason().unwrap_or_default();
    assert!(!reason.contains("internal disagreement"), "{reason}");
    options.model.name = Some("pso".to_owned());
    let on_buffers = session.verify("input.rar", &options, &Silent);
    options.model.name = None;
    let reached = match (on_views.failure(), on_buffers.failure()) {
        (Some(failure), Some(_)) => {
            show_failure(failure);
            Reached::Rejected
        }
        _ => Reached::Ran,
    };
    show(&on_views);
    show(&on_buffers);
    if let Ok(exported) = session.export("input.rar", &options) {
        drop((classical_b(&exported), event_b(&exported)));
    }
    options.run.inductive = true;
    show(&session.verify("input.rar", &options, &Silent));
    reached
}

/// Takes a text as a program in .rma: with both engines, without flushes and with all, its stages, and its flushes. A program
/// with flushes in its text is read again.
///
/// # Panics
/// If one engine finds a failure where the other has a proof, or if the flushes cannot be read: these are bugs.
pub fn rma(text: &str) -> Reached {
    if text.len() > LONGEST {
        return Reached::Rejected;
    }
    let mut files = MemoryFiles(BTreeMap::from([("input.rma".into(), text.into())]));
    let mut options = of_runs();
    options.run.max_states = Some(5_000);
    options.run.threads = Some(1);
    let session = Session::new(&files, Cancel::new());
    for flushes in [Flushes::None, Flushes::All] {
        options.run.rma.flushes = flushes;
        let verdicts = ["machine", "abstract"].map(|engine| {
            options.run.engine = Some(engine.to_owned());
            let report = session.verify("input.rma", &options, &Silent);
            show(&report);
            report.verdict()
        });
        assert!(!verdicts.contains(&VerdictKind::Yes) || !verdicts.contains(&VerdictKind::No), "{verdicts:?}");
        if verdicts.contains(&VerdictKind::Error) {
            return Reached::Rejected;
        }
    }
    options.run.engine = None;
    for stage in [Stage::Reduced, Stage::Boolean, Stage::Extrapolated] {
        drop(session.stage("input.rma", &options, stage));
    }
    let wanted = SynthOptions { annotate: true, ..SynthOptions::default() };
    let report = session.synthesise("input.rma", &options, &wanted);
    drop((placement(&report, true, Palette::PLAIN), placement_json(&report)));
    let Some(flushed) = report.content.ok().and_then(|found| found.annotated) else { return Reached::Read };
    drop(session);
    files.0.insert("flushed.rma".into(), flushed.clone());
    let session = Session::new(&files, Cancel::new());
    options.run.rma.flushes = Flushes::None;
    let again = session.verify("flushed.rma", &options, &Silent);
    assert!(matches!(again.verdict(), VerdictKind::Yes | VerdictKind::Unknown), "{:?}\n{flushed}", again.verdict());
    Reached::Ran
}

/// Takes a text as LLVM IR.
///
/// # Panics
/// If a module that was read refers to what it does not have, or its program is none: this is a bug.
pub fn llvm(text: &str) -> Reached {
    if text.len() > LONGEST {
        return Reached::Rejected;
    }
    let mut sources = SourceMap::new();
    let file = sources.add("input.ll", text);
    let module = match parse(file, text) {
        Ok(module) => module,
        Err(errors) => return rejected(&errors, &sources),
    };
    module.constructors();
    for body in module.globals.iter().filter_map(|g| g.function()?.body.as_ref()) {
        body.blocks.iter().for_each(|block| visit(&module, body, block));
    }
    let options = LowerOptions { name: "input.ll", entry: "main", weak_cas: true, cancel: &Cancel::new() };
    match lower(&module, &options, &mut sources, &mut |_| None) {
        Err(errors) => drop(rejected(&errors, &sources)),
        Ok(program) => assert_eq!(validate(&program), Ok(()), "a program that was lowered is one"),
    }
    Reached::Read
}

/// Looks at all that a block refers to.
fn visit(module: &Module, body: &Body, block: &Block) {
    let mut seen = String::new();
    for inst in &block.insts {
        inst.kind.operands(|operand| seen += &module.types.display(module.operand_type(body, operand)).to_string());
        let places = inst.location.iter().flat_map(|&id| module.debug.inline_chain(id));
        places.filter_map(|place| module.debug.file_of(place)).for_each(|file| seen += &file.path());
    }
    block.end.kind.successors().iter().for_each(|&to| seen += &body.blocks[to].name.to_string());
}

/// Says what is wrong.
fn rejected(errors: &[Diagnostic], sources: &SourceMap) -> Reached {
    assert!(!errors.is_empty(), "a rejected text has an error");
    render_diagnostics(errors, sources, Palette::PLAIN);
    Reached::Rejected
}

fn show_failure(failure: &CheckError) -> String {
    render_diagnostics(&failure.diagnostics, &failure.sources, Palette::PLAIN)
}

/// Runs a test, prints what was found, and compares with the definition where that also comes to an end in time.
fn run(session: &Session<'_>, test: &str, model: Option<&str>) -> Reached {
    let fast = session.verify(test, &options(model, false), &Silent);
    show(&fast);
    let found = match &fast.result {
        Err(failure) => {
            show_failure(failure);
            return Reached::Rejected;
        }
        Ok(found) => found,
    };
    if found.outcome.stopped.is_some() {
        return Reached::Read;
    }
    let plain = session.verify(test, &options(model, true), &Silent);
    if let Some(defined) = plain.finding()
        && defined.outcome.stopped.is_none()
    {
        assert_eq!(summary(found), summary(defined), "the fast answer is that of the definition");
    }
    explain_and_draw(session, test, &options(model, false));
    Reached::Ran
}

/// Says why, and draws the first executions in every format.
fn explain_and_draw(session: &Session<'_>, test: &str, options: &Options) {
    match session.explain(test, None, false, options) {
        Ok(explained) => drop(explanation(&explained, 3, Palette::PLAIN)),
        Err(failure) => drop(show_failure(&failure)),
    }
    let first = ShowOptions { which: Which::All, outcome: None, limit: 2, relations: Vec::new() };
    match session.show(test, &first, options) {
        Ok(shown) => {
            dot(&shown.drawings);
            svg(&shown.drawings);
            html(&shown.title, &shown.program, &shown.drawings);
        }
        Err(failure) => drop(show_failure(&failure)),
    }
}

fn options(model: Option<&str>, plain: bool) -> Options {
    let model = ModelOptions { name: model.map(str::to_owned), ..ModelOptions::default() };
    // Both are cut at the same bound; other engines would go on beyond it.
    let engine = Some("enumerate".to_owned());
    let run = RunOptions { engine, plain, effort: Some(EFFORT), states: States::Listed, ..RunOptions::default() };
    Options { model, run }
}

/// For programs whose runs are explored.
fn of_runs() -> Options {
    let run = RunOptions { effort: Some(EFFORT), ..RunOptions::default() };
    Options { model: ModelOptions::default(), run }
}

fn show(report: &Report) {
    let details = Details { states: true, witness: true, stats: true };
    text(report, details, Palette::PLAIN);
    json(report, details);
    herd(report);
}

/// What must not depend on the way: verdict, flags, states with their counts.
fn summary(checked: &Finding) -> String {
    let outcome = &checked.outcome;
    let mut states: Vec<String> =
        outcome.states.iter().flatten().map(|s| format!("{:?} {}", s.values, s.executions)).collect();
    states.sort_unstable();
    format!("{:?} flags {:?} states {states:#?}", checked.verdict, outcome.flags.keys().collect::<Vec<_>>())
}
