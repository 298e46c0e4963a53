//! Proofs of answers that there is no such execution, as texts that [`treville_sat::certificate`] checks.
//!
//! Each goal gets a formula and a search of its own, with what is asked as clauses, so that a derivation ends with the empty one.
//! That a query is absent is a proof of the query and, where the program can have such, one that there are no more executions
//! with values out of thin air, which were judged one by one, one that no access strays from all cells and, if the answer is
//! for all bounds, one that no thread is cut. Flags of the model that are not raised have a proof each.
//!
//! A formula without any solution would prove everything. So each proof has a solution of its formula without the goal, which was
//! run again and judged; where there is none, nothing is proved.

use crate::encode::Encoder;
use crate::solve::{Ground, Search, Stop, disagree, new_formula};
use std::collections::BTreeMap;
use std::fmt::Write;
use treville_base::{Idx, Name};
use treville_sat::{Gates, Lit, Orders, Proof as Record, Solver, certificate};
use treville_task::{Answer, Outcome, Proof, StopReason};

/// What no execution does.
#[derive(Clone, Debug)]
enum Goal {
    Query(usize),
    /// Takes a value out of thin air.
    ThinAir,
    /// Has an access that touches no cell.
    Unresolved,
    /// Is cut at the bound.
    Cut,
    Flag(Name),
}

impl Goal {
    fn query(&self) -> Option<usize> {
        if let Goal::Query(i) = self { Some(*i) } else { None }
    }

    fn name(&self) -> String {
        match self {
            Goal::Query(i) => format!("query-{}", i + 1),
            Goal::ThinAir => "thin-air".into(),
            Goal::Unresolved => "stray".into(),
            Goal::Cut => "cut".into(),
            Goal::Flag(name) => {
                let plain = |c: char| if c.is_alphanumeric() || c == '-' { c } else { '_' };
                format!("flag-{}", name.chars().map(plain).collect::<String>())
            }
        }
    }

    fn words(&self) -> String {
        match self {
            Goal::Query(i) => format!("satisfies query {}", i + 1),
            Goal::ThinAir => "takes a value out of thin air, but for those that were judged".into(),
            Goal::Unresolved => "has an access that touches no cell".into(),
            Goal::Cut => "is cut at the bound".into(),
            Goal::Flag(name) => format!("raises {name}"),
        }
    }

    /// Whether it is about executions that count, or about all.
    fn is_of_counted(&self) -> bool {
        match self {
            Goal::Query(_) | Goal::ThinAir | Goal::Flag(_) => true,
            Goal::Unresolved | Goal::Cut => false,
        }
    }

    /// A literal that holds in the executions that do it. None if the formula has no way to say it.
    fn lit(&self, search: &mut Search<'_>) -> Option<Lit> {
        let lit = match self {
            Goal::Query(i) => return search.asked(*i),
            Goal::Flag(name) => return search.encoder.notes.get(name).copied(),
            Goal::ThinAir => search.encoder.thin_air_cycles(),
            Goal::Unresolved => search.encoder.unresolved,
            Goal::Cut => search.encoder.cut,
        };
        Some(lit).filter(|lit| *lit != Lit::FALSE)
    }
}

/// Proofs of everything that the outcome says is not there.
pub(crate) fn prove(ground: &Ground<'_>, outcome: &Outcome) -> Result<Vec<Proof>, Stop> {
    let absent = outcome.answers.iter().enumerate().filter(|(_, answer)| matches!(answer, Answer::Absent(_)));
    let mut goals: Vec<Goal> = absent.map(|(i, _)| Goal::Query(i)).collect();
    goals.extend(ground.flags().into_iter().filter(|name| !outcome.flags.contains_key(name)).map(Goal::Flag));
    if goals.is_empty() {
        return Ok(Vec::new());
    }
    goals.extend([Goal::ThinAir, Goal::Unresolved]);
    if !outcome.cut {
        goals.push(Goal::Cut);
    }
    let Some(witness) = witness(ground, outcome)? else { return Ok(Vec::new()) };
    let mut proofs = Vec::new();
    for goal in goals {
        proofs.extend(prove_goal(ground, &goal, outcome.cut, &witness)?);
    }
    Ok(proofs)
}

/// A solution of the formula without any goal, which was run again and judged: the formula does not contradict itself. If queries
/// were found, it is one of the last of them, which programs use to ask for an execution that completes.
fn witness(ground: &Ground<'_>, outcome: &Outcome) -> Result<Option<Vec<Lit>>, Stop> {
    let mut search = ground.search(new_formula())?;
    let n_vars = search.encoder.solver().stats().variables as i32;
    let found = outcome.answers.iter().rposition(Answer::is_found);
    let asked: Vec<Lit> = found.and_then(|query| search.asked(query)).into_iter().collect();
    if !search.next(&asked, true)? {
        return Ok(None);
    }
    let value = |number: i32| Lit::new(number).negated_if(!search.encoder.is_true(Lit::new(number)));
    Ok(Some((1..=n_vars).map(value).collect()))
}

/// A proof of one goal, which says so if longer executions were cut; none if the formula has no way to say it, or a flag is
/// raised after all.
fn prove_goal(ground: &Ground<'_>, goal: &Goal, cut: bool, witness: &[Lit]) -> Result<Option<Proof>, Stop> {
    let (mut solver, record) = Solver::with_proof(Orders::new());
    solver.theory_mut().keep_log();
    let mut search = ground.search(Gates::new(solver))?;
    let counted = std::mem::take(&mut search.counted);
    for lit in counted.into_iter().filter(|_| goal.is_of_counted()) {
        search.encoder.solver().add_clause(&[lit]);
    }
    let n_program = record.borrow().n_inputs();
    let Some(lit) = goal.lit(&mut search) else { return Ok(None) };
    search.encoder.solver().add_clause(&[lit]);
    let n_encoded = record.borrow().n_inputs();
    while search.next(&[], true)? {
        match goal {
            Goal::ThinAir => search.exclude(),
            Goal::Flag(_) => return Ok(None),
            Goal::Query(_) | Goal::Unresolved | Goal::Cut => return Err(disagree("there was none before")),
        }
    }
    let record = record.borrow();
    let unexplained = || Stop(StopReason::Refused("the proof has a clause that forbids no cycle".into()));
    let lemmas = record.reasons(n_encoded, &search.encoder.solver().theory()).ok_or_else(unexplained)?;
    let texts = BTreeMap::from([
        (certificate::FORMULA, claim(ground, goal, cut) + &formula(ground, &search.encoder, &record)),
        (certificate::DERIVATION, text(|out| record.write_lrat(out))),
        (certificate::ORDERS, orders(&search.encoder)),
        (certificate::LEMMAS, lemmas),
        (certificate::WITNESS, assignment(n_program, witness)),
    ]);
    Ok(Some(Proof { name: goal.name(), query: goal.query(), notes: Vec::new(), texts }))
}

/// A solution of the first clauses.
fn assignment(n_clauses: usize, witness: &[Lit]) -> String {
    let mut out =
        format!("c an execution of the program alone, which was run again and judged\np witness {n_clauses}\n");
    for lits in witness.chunks(20) {
        let lits: Vec<String> = lits.iter().map(|lit| format!("{lit:?}")).collect();
        let _ = writeln!(out, "v {} 0", lits.join(" "));
    }
    out
}

/// What is written, as text; memory takes everything.
fn text(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> String {
    let mut out = Vec::new();
    write(&mut out).map(|()| String::from_utf8_lossy(&out).into_owned()).unwrap_or_default()
}

/// What is claimed, as a comment: of what, and up to where.
fn claim(ground: &Ground<'_>, goal: &Goal, cut: bool) -> String {
    let task = ground.task;
    let up_to = if cut { format!(", loops run at most {} times,", task.bounds.unroll) } else { String::new() };
    let claim = format!("no execution of {}{up_to} {}", task.program.name, goal.words());
    format!("c {}\n", one_line(&claim))
}

/// The clauses, after comments that say what literals mean.
fn formula(ground: &Ground<'_>, encoder: &Encoder<'_>, record: &Record) -> String {
    let mut out = String::new();
    out.push_str("c 1 is always true\n");
    for e in 0..ground.events.len() {
        let _ = writeln!(out, "c event {e} is {}", one_line(&event(ground, e)));
    }
    for (e, lit) in encoder.happens.iter().enumerate() {
        let _ = writeln!(out, "c {lit:?} event {e} happens");
    }
    for (name, relation) in [("rf", &encoder.rf), ("co", &encoder.co)] {
        let pairs: BTreeMap<_, _> = relation.iter().collect();
        for ((x, y), lit) in pairs {
            let _ = writeln!(out, "c {lit:?} {name} {x} -> {y}");
        }
    }
    for (order, from, to, lit) in encoder.order_edges() {
        let _ = writeln!(out, "c {lit:?} order {} {from} -> {to}", order + 1);
    }
    out + &text(|out| record.write_dimacs(out))
}

/// The orders with their edges.
fn orders(encoder: &Encoder<'_>) -> String {
    let mut out = String::from("c o ORDER NAME; e EDGE ORDER FROM TO LITERAL\n");
    for (order, what) in encoder.orders.iter().enumerate() {
        let _ = writeln!(out, "o {} {}", order + 1, one_line(what));
    }
    for (edge, (order, from, to, lit)) in encoder.order_edges().into_iter().enumerate() {
        let _ = writeln!(out, "e {} {} {from} {to} {lit:?}", edge + 1, order + 1);
    }
    out
}

/// Thread and place in it, kind, tags, and what is touched.
fn event(ground: &Ground<'_>, e: usize) -> String {
    let program = &ground.task.program;
    let event = &ground.events.skeleton.events[Idx::from_usize(e)];
    let place = event.thread.map(|thread| format!("P{thread} {} ", event.index)).unwrap_or_default();
    let tags: String = event.tags.iter().map(|tag| format!(" {tag}")).collect();
    let objects: Vec<String> =
        ground.events.objects(e).into_iter().map(|object| program.objects[object].name.to_string()).collect();
    format!("{place}{:?}{tags} {}", event.kind, objects.join(","))
}

/// Names must not end the comment that they stand in.
fn one_line(name: &str) -> String {
    name.replace(|c: char| c.is_control(), " ").trim_end().to_owned()
}
