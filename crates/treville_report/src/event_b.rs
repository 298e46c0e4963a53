//! Programs as Event-B for Rodin, in the text of `CamilleX`: a context and a machine of the memory, and the program as a
//! refinement of it. The refinement is the same whatever memory is under it.

mod classical;
mod memory;
mod notation;
mod parts;
mod program;

pub use classical::classical_b;
pub use memory::ExportedMemory;

use memory::{KIND_SETS, KINDS};
use notation::Notation;
use parts::{Component, Event, Labelled};
use program::{Names, Refinement};
use std::fmt::Write;
use std::sync::Arc;
use treville_base::SourceMap;
use treville_ir::{Claims, Program};
use treville_task::GuardedProgram;

/// What is exported.
#[derive(Clone, Debug)]
pub struct Exported {
    pub program: Arc<Program>,
    pub claims: Arc<Claims>,
    pub sources: Arc<SourceMap>,
    pub guarded: GuardedProgram,
    pub memory: ExportedMemory,
    /// How many accesses there are, the initial writes included.
    pub max_actions: u32,
    /// The least number of them that leads to every state, if there is one and it is known.
    pub least_actions: Option<u32>,
}

/// A file with its name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExportedFile {
    pub name: String,
    pub text: String,
}

const CONTEXT: &str = "Accesses";
const MEMORY: &str = "Memory";

/// The files of a Rodin project.
pub fn event_b(exported: &Exported) -> Vec<ExportedFile> {
    let mut names = Names::new(&exported.program, &exported.guarded);
    let name = component_name(exported, &mut names);
    let file = |name: &str, ending: &str, text: String| ExportedFile { name: format!("{name}.{ending}"), text };
    let refinement = refinement(exported, &names);
    let header = format!("machine {name} refines {MEMORY} sees {name}_ctx {name}_bound\n");
    vec![
        file(CONTEXT, "bucx", accesses()),
        file(MEMORY, "bumx", {
            let header = format!("machine {MEMORY} sees {CONTEXT}\n");
            machine(exported.memory.about(), &header, &exported.memory.machine(), false)
        }),
        file(&format!("{name}_ctx"), "bucx", context(exported, &names, &name)),
        file(&format!("{name}_bound"), "bucx", bound(exported, &name)),
        file(&name, "bumx", machine(&about(exported), &header, &refinement, true)),
    ]
}

/// The name of the program, as that of a machine.
fn component_name(exported: &Exported, names: &mut Names) -> String {
    let name = names.fresh(&exported.program.name);
    if name == CONTEXT || name == MEMORY { names.fresh(&format!("{name}_program")) } else { name }
}

fn refinement(exported: &Exported, names: &Names) -> Component {
    let Exported { claims, sources, guarded, .. } = exported;
    Refinement { claims, sources, guarded, names }.machine()
}

fn about(exported: &Exported) -> String {
    format!("The program {}. Numbers do not wrap around here.", exported.program.name)
}

/// Says the bound, and whether it is enough.
fn bound_comment(exported: &Exported) -> String {
    let most = exported.max_actions;
    match exported.least_actions {
        Some(least) if least <= most => {
            format!(
                "At most {most} accesses, initial writes included; {least} lead to everything that threads can observe."
            )
        }
        Some(least) => format!(
            "At most {most} accesses, initial writes included. These are too few to reach every state: that takes {least}."
        ),
        None => format!("At most {most} accesses, initial writes included. How many lead to every state is not known."),
    }
}

/// The context that every program shares.
fn accesses() -> String {
    let mut out = String::from("// Accesses of threads to shared variables, and their kinds.\n");
    let _ = writeln!(out, "context {CONTEXT}\n\nsets\n  ACT T VAR KIND\n\nconstants");
    let sets: Vec<&str> = KIND_SETS.iter().map(|(name, _)| *name).collect();
    let _ = writeln!(out, "  {}\n  {}\n  VAL t0 I init_var init_val\n\naxioms", KINDS.join(" "), sets.join(" "));
    let kinds: Vec<String> = KINDS.iter().map(|kind| format!("{{{kind}}}")).collect();
    let mut axioms: Vec<Labelled> = vec![("kinds".into(), format!("partition(KIND, {})", kinds.join(", ")))];
    axioms.extend(KIND_SETS.iter().map(|(name, kinds)| ((*name).to_owned(), format!("{name} = {kinds}"))));
    axioms.extend(parts::labelled(&[
        ("VAL", "VAL = INT"),
        ("t0", "t0 : T"),
        ("I", "I <: ACT"),
        ("init_var", "init_var : I >->> VAR"),
        ("init_val", "init_val : VAR --> VAL"),
    ]));
    formulas(&axioms, "  ", &mut out);
    out += "end\n";
    out
}

fn context(exported: &Exported, names: &Names, name: &str) -> String {
    let mut out = format!("// Threads and variables of {}.\n", exported.program.name);
    let constants = names.threads.iter().chain(&names.vars).cloned().collect::<Vec<_>>().join(" ");
    let _ = writeln!(out, "context {name}_ctx extends {CONTEXT}\n\nconstants\n  {constants}\n\naxioms");
    let singles = |names: &[String]| names.iter().map(|name| format!("{{{name}}}")).collect::<Vec<_>>().join(", ");
    let axioms = [
        ("threads".to_owned(), format!("partition(T, {{t0}}, {})", singles(&names.threads))),
        ("variables".to_owned(), format!("partition(VAR, {})", singles(&names.vars))),
        ("initial".to_owned(), format!("init_val = {}", initial_values(exported, names))),
    ];
    formulas(&axioms, "  ", &mut out);
    out += "end\n";
    out
}

fn initial_values(exported: &Exported, names: &Names) -> String {
    let values = names.vars.iter().zip(&exported.guarded.vars).map(|(name, (_, value))| format!("{name} |-> {value}"));
    format!("{{{}}}", values.collect::<Vec<_>>().join(", "))
}

fn bound(exported: &Exported, name: &str) -> String {
    let mut out =
        format!("// {}\n// For proofs without a bound, leave it out of what {name} sees.\n", bound_comment(exported));
    let _ = writeln!(out, "context {name}_bound extends {name}_ctx\n\naxioms");
    let axioms = [
        ("finite".to_owned(), "finite(ACT)".to_owned()),
        ("bound".to_owned(), format!("card(ACT) = {}", exported.max_actions)),
    ];
    formulas(&axioms, "  ", &mut out);
    out += "end\n";
    out
}

fn machine(about: &str, header: &str, machine: &Component, refines: bool) -> String {
    let mut out = format!("// {about}\n{header}\nvariables\n  {}\n\ninvariants\n", machine.variables.join(" "));
    // Labels of a refinement must not be those of its memory.
    let prefixed = |parts: &[Labelled]| {
        let prefix = if refines { "prg_" } else { "mem_" };
        parts.iter().map(|(label, formula)| (format!("{prefix}{label}"), formula.clone())).collect::<Vec<_>>()
    };
    formulas(&prefixed(&machine.invariants), "  ", &mut out);
    out += "\nevents\n";
    let initial = Event {
        name: "INITIALISATION".into(),
        extends: refines.then_some("INITIALISATION"),
        actions: machine.initial.clone(),
        ..Event::default()
    };
    for event in [&initial].into_iter().chain(&machine.events) {
        self::event(event, &prefixed(&event.guards), &mut out);
    }
    out += "end\n";
    out
}

fn event(event: &Event, guards: &[Labelled], out: &mut String) {
    if let Some(comment) = &event.comment {
        let _ = writeln!(out, "  // {comment}");
    }
    let extends = event.extends.map_or_else(String::new, |name| format!(" extends {name}"));
    let _ = writeln!(out, "  event {}{extends}", event.name);
    if !event.parameters.is_empty() {
        let _ = writeln!(out, "  any {}", event.parameters.join(" "));
    }
    if !guards.is_empty() {
        out.push_str("  where\n");
        formulas(guards, "    ", out);
    }
    if !event.actions.is_empty() {
        out.push_str("  then\n");
        let label = |target: &str| target.replace('(', "_").replace(')', "");
        let action = |(target, value): &Labelled| (format!("set_{}", label(target)), format!("{target} := {value}"));
        formulas(&event.actions.iter().map(action).collect::<Vec<_>>(), "    ", out);
    }
    out.push_str("  end\n\n");
}

fn formulas(parts: &[Labelled], indent: &str, out: &mut String) {
    for (label, formula) in parts {
        let _ = writeln!(out, "{indent}@{label}: {}", Notation::EventB.spell(formula));
    }
}
