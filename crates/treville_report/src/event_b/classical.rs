//! Programs as one machine of classical B, memory included, for ProB.
//!
//! An access is a thread with a number, so that equal graphs have equal names and no tool needs to look for symmetries; the
//! bound is on how many there are.

use super::memory::{ExportedMemory, FRESH, KIND_SETS, KINDS};
use super::notation::Notation;
use super::parts::{Event, Labelled};
use super::program::{Names, Refinement};
use super::{Exported, about, bound_comment, component_name, initial_values, refinement};
use std::fmt::Write;

/// A program as one machine.
pub fn classical_b(exported: &Exported) -> String {
    let mut names = Names::new(&exported.program, &exported.guarded);
    let name = component_name(exported, &mut names);
    let memory = exported.memory.machine();
    let program = refinement(exported, &names);
    let mut out =
        format!("/* {}\n   {}\n   {} */\n", about(exported), exported.memory.about(), bound_comment(exported));
    let _ = writeln!(out, "MACHINE {name}");
    out += &sets(&names);
    out += &constants(exported, &names);
    out += &definitions(exported, &names);
    let variables: Vec<&str> = memory.variables.iter().chain(&program.variables).map(String::as_str).collect();
    let _ = writeln!(out, "VARIABLES {}", variables.join(", "));
    let mut invariants = memory.invariants.clone();
    if exported.memory == ExportedMemory::Rar {
        let closed = "hb = closure1(sb \\/ (rf /\\ (kind~[Rel] ** kind~[Acq])))";
        invariants.push(("hb_is_closure".to_owned(), closed.to_owned()));
    }
    invariants.extend(program.invariants);
    out += "INVARIANT\n";
    conjunction(&invariants, "  ", &mut out);
    let initial: Vec<Labelled> = memory.initial.iter().chain(&program.initial).cloned().collect();
    let _ = write!(out, "INITIALISATION\n{}OPERATIONS\n", assignments(&initial, "  "));
    let events: Vec<String> = program.events.iter().map(|event| operation(event, &memory.events)).collect();
    out += &events.join(";\n\n");
    out += "\nEND\n";
    out
}

fn sets(names: &Names) -> String {
    let (threads, vars) = (names.threads.join(", "), names.vars.join(", "));
    format!("SETS\n  T = {{t0, {threads}}};\n  VAR = {{{vars}}};\n  KIND = {{{}}}\n", KINDS.join(", "))
}

fn constants(exported: &Exported, names: &Names) -> String {
    let n = names.vars.len();
    let owned: Vec<String> =
        names.vars.iter().enumerate().map(|(i, var)| format!("(t0 |-> {}) |-> {var}", i + 1)).collect();
    let mut properties: Vec<Labelled> = Vec::new();
    let mut constant = |name: &str, value: String| properties.push((name.to_owned(), format!("{name} = {value}")));
    KIND_SETS.iter().for_each(|(name, kinds)| constant(name, (*kinds).to_owned()));
    constant("MAX_ACTIONS", exported.max_actions.to_string());
    constant("ACT", "T ** (1..MAX_ACTIONS)".to_owned());
    constant("I", format!("{{t0}} ** (1..{n})"));
    constant("init_var", format!("{{{}}}", owned.join(", ")));
    constant("init_val", initial_values(exported, names));
    let named: Vec<&str> = properties.iter().map(|(name, _)| name.as_str()).collect();
    let mut out = format!("CONSTANTS {}\nPROPERTIES\n", named.join(", "));
    let unlabelled: Vec<Labelled> = properties.into_iter().map(|(_, formula)| (String::new(), formula)).collect();
    conjunction(&unlabelled, "  ", &mut out);
    out
}

/// Outcomes are not claimed to hold; a tool may be asked to reach them.
fn definitions(exported: &Exported, names: &Names) -> String {
    let Exported { claims, sources, guarded, .. } = exported;
    if claims.outcomes.is_empty() {
        return String::new();
    }
    let refinement = Refinement { claims, sources, guarded, names };
    let done = guarded.threads.iter().zip(&names.threads).map(|(thread, name)| {
        let done = thread.places.iter().find(|place| place.kind == treville_task::RestingKind::Done);
        done.map_or_else(|| "0 = 1".to_owned(), |place| format!("pc({name}) = {}", place.pc))
    });
    let done = done.collect::<Vec<_>>().join(" & ");
    let outcome = |claim: &treville_ir::Claim| {
        let formula = format!("({done} & ({}))", refinement.prop(&claim.prop, 0));
        format!("  OUTCOME_{} == {}", claim.name, Notation::ClassicalB.spell(&formula))
    };
    format!("DEFINITIONS\n{}\n", claims.outcomes.iter().map(outcome).collect::<Vec<_>>().join(";\n"))
}

/// An event of the program with what its access does to the memory.
fn operation(event: &Event, memory: &[Event]) -> String {
    let access = memory.iter().find(|access| event.extends == Some(access.name.as_str()));
    let mut guards = event.guards.clone();
    let mut actions = event.actions.clone();
    for (label, formula) in access.iter().flat_map(|access| &access.guards) {
        if (label.as_str(), formula.as_str()) == FRESH {
            guards.push(("bound".into(), "card(D) < MAX_ACTIONS".into()));
            guards.push(("new".into(), "e = t |-> (card(tid~[{t}]) + 1)".into()));
        } else {
            guards.push((label.clone(), formula.clone()));
        }
    }
    actions.extend(access.iter().flat_map(|access| access.actions.iter().cloned()));
    let parameters = access.map_or_else(Vec::new, |access| access.parameters.clone());
    let comment =
        event.comment.as_ref().map_or_else(String::new, |text| format!(" /* {} */", text.replace("*/", "* /")));
    let mut out = format!("  {} ={comment}\n", event.name);
    if parameters.is_empty() {
        out += "    SELECT\n";
    } else {
        let _ = writeln!(out, "    ANY {} WHERE", parameters.join(", "));
    }
    conjunction(&guards, "      ", &mut out);
    let _ = write!(out, "    THEN\n{}    END", assignments(&actions, "      "));
    out
}

/// One formula a line, with its label.
fn conjunction(parts: &[Labelled], indent: &str, out: &mut String) {
    for (i, (label, formula)) in parts.iter().enumerate() {
        let and = if i == 0 { "  " } else { "& " };
        let label = if label.is_empty() { String::new() } else { format!("/* @{label} */ ") };
        let _ = writeln!(out, "{indent}{and}{label}({})", Notation::ClassicalB.spell(formula));
    }
}

fn assignments(parts: &[Labelled], indent: &str) -> String {
    let mut out = String::new();
    for (i, (target, value)) in parts.iter().enumerate() {
        let and = if i == 0 { "   " } else { "|| " };
        let _ = writeln!(out, "{indent}{and}{}", Notation::ClassicalB.spell(&format!("{target} := {value}")));
    }
    out
}
